//! Backward coverability (Abdulla et al., CONCUR 2016, section 4.1): from the targets to their
//! predecessors, until an initial configuration is found or nothing new comes.
//!
//! Steps that are local to one process commute with those of the others, so they are undone all at
//! once, and the search branches on visible steps only. What looks nearest to an initial
//! configuration is looked at first.

use crate::antichain::{Antichain, Id};
use crate::automaton::{Automaton, Value};
use crate::configuration::{ANY, Configuration, Process};
use crate::reach::{Index, Reach};
use crate::rules::{Earlier, Label, Visible, undo_all_local, undo_joining, undo_visible};
use fencepost_task::{Budget, Finished, Pace, Progress, Stats, Stop};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Threads that run the same automaton.
#[derive(Clone, Debug)]
pub struct Group {
    /// What they run.
    pub automaton: Automaton,
    /// How many there are; `None` for any number.
    pub count: Option<u32>,
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct System {
    /// The threads.
    pub groups: Vec<Group>,
    /// For each variable how many of its values are initial ones; these come first.
    pub initial: Vec<Value>,
}

/// Comparisons of configurations that take as long as making one.
const COMPARISONS_A_UNIT: u64 = 16;

/// A process's place in a configuration.
type Slot = u16;

/// How a configuration leads to the one it was found from.
struct Link {
    /// The later configuration.
    parent: Id,
    /// Steps in the order in which they were undone, by the processes' places in the later
    /// configuration; a process that joins comes after all of them.
    labels: Vec<(Slot, Label)>,
    /// For each process its place in the later configuration.
    from: Vec<Slot>,
}

/// A run of the dual semantics from an initial configuration to a target.
pub struct DualRun {
    /// The group of each process.
    pub groups: Vec<u16>,
    /// Steps, by process. Deleting messages is left out.
    pub steps: Vec<(usize, Label)>,
    /// The memory it starts with, where that matters.
    pub memory: Vec<Value>,
    /// The target's number.
    pub target: usize,
    /// The processes of the target, in the order in which it names them.
    pub in_target: Vec<usize>,
}

/// How a search ended.
pub enum End {
    /// A target can be reached.
    Reached(DualRun),
    /// None can.
    Unreachable(Finished),
    /// So many were generated as there were to be.
    Enough,
    /// The budget stopped it.
    Stopped(Stop),
}

/// The search.
pub struct Search<'a> {
    system: &'a System,
    antichain: Antichain,
    /// For each configuration that was kept, how it was found; `None` for a target.
    links: Vec<(Option<Link>, usize)>,
    /// Order of processes in targets, before they were sorted.
    target_order: Vec<Vec<Slot>>,
    queue: BinaryHeap<(Reverse<u32>, Reverse<Id>)>,
    closures: FxHashMap<Process, Rc<Vec<Earlier>>>,
    /// Bytes that these take.
    closure_bytes: u64,
    /// Configurations generated.
    pub generated: u64,
    /// What can be reached at all: the rest is left out.
    pub reach: Option<Index>,
    /// Whether something was left out.
    pruned: bool,
    /// Comparisons that are counted as work.
    compared: u64,
    /// Stop when more are generated.
    pub limit: Option<u64>,
}

impl<'a> Search<'a> {
    /// Prepares a search.
    pub fn new(system: &'a System) -> Search<'a> {
        Search {
            system,
            antichain: Antichain::default(),
            links: Vec::new(),
            target_order: Vec::new(),
            queue: BinaryHeap::new(),
            closures: FxHashMap::default(),
            closure_bytes: 0,
            generated: 0,
            reach: None,
            pruned: false,
            compared: 0,
            limit: None,
        }
    }

    /// The configurations that are left at the end.
    pub fn basis(&self) -> impl Iterator<Item = &Configuration> {
        self.antichain.living()
    }

    /// The invariant that the basis is closed under, if it needs one.
    pub fn invariant(&self) -> Option<&Reach> {
        self.reach.as_ref().filter(|_| self.pruned).map(Index::reach)
    }

    /// Counters so far.
    pub fn stats(&self) -> Stats {
        let states = self.reach.as_ref().map_or(0, |index| index.reach().elements.len() as u64);
        Stats { configurations: self.generated, states, bytes: self.bytes(), ..Stats::default() }
    }

    /// Searches backward from targets.
    pub fn run(
        &mut self,
        targets: &[Configuration],
        budget: &Budget,
        progress: &mut dyn FnMut(&Progress),
    ) -> End {
        self.look_at_all(targets, budget, progress).unwrap_or_else(End::Stopped)
    }

    fn look_at_all(
        &mut self,
        targets: &[Configuration],
        budget: &Budget,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<End, Stop> {
        let pace = &mut Pace::new(budget);
        for (number, target) in targets.iter().enumerate() {
            let slots: Vec<Slot> = (0..target.processes.len() as Slot).collect();
            self.add(target.processes.clone(), target.memory.clone(), None, &slots, number);
            self.count(pace)?;
        }
        let mut looked_at = 0u64;
        while let Some((_, Reverse(id))) = self.queue.pop() {
            if !self.antichain.is_alive(id) {
                continue;
            }
            looked_at += 1;
            if self.limit.is_some_and(|limit| self.generated > limit) {
                return Ok(End::Enough);
            }
            if looked_at.is_multiple_of(16) {
                progress(&Progress { stats: self.stats(), buffer: None, waiting: self.queue.len() as u64 });
            }
            let configuration = self.antichain.get(id).clone();
            let closures: Result<Vec<_>, _> =
                configuration.processes.iter().map(|p| self.closure(p, pace)).collect();
            let closures = closures?;
            if let Some(run) = self.reaches_initial(id, &configuration, &closures) {
                return Ok(End::Reached(run));
            }
            self.undo(id, &configuration, &closures, pace)?;
        }
        Ok(End::Unreachable(budget.finish()?))
    }

    /// Bytes of the tables. What a configuration takes with its place in them is a rough measure.
    fn bytes(&self) -> u64 {
        self.links.len() as u64 * 400 + self.closure_bytes
    }

    /// Counts the work since the last time.
    fn count(&mut self, pace: &mut Pace) -> Result<(), Stop> {
        let compared = self.antichain.work() + self.reach.as_ref().map_or(0, Index::work);
        let units = 1 + (compared - self.compared) / COMPARISONS_A_UNIT;
        self.compared = compared;
        pace.work(units, || self.bytes())
    }

    fn closure(&mut self, process: &Process, pace: &mut Pace) -> Result<Rc<Vec<Earlier>>, Stop> {
        if let Some(known) = self.closures.get(process) {
            return Ok(known.clone());
        }
        let automaton = &self.system.groups[process.group as usize].automaton;
        let known = self.bytes();
        let earlier = Rc::new(undo_all_local(automaton, process, known, pace)?);
        self.closure_bytes += earlier.iter().map(Earlier::bytes).sum::<u64>();
        self.closures.insert(process.clone(), earlier.clone());
        Ok(earlier)
    }

    /// All predecessors by one visible step.
    fn undo(
        &mut self,
        id: Id,
        configuration: &Configuration,
        closures: &[Rc<Vec<Earlier>>],
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        let slots: Vec<Slot> = (0..configuration.processes.len() as Slot).collect();
        let target = self.links[id as usize].1;
        let mut found: Vec<(usize, Visible, Vec<Label>)> = Vec::new();
        for (i, process) in configuration.processes.iter().enumerate() {
            let automaton = &self.system.groups[process.group as usize].automaton;
            for earlier in closures[i].iter() {
                pace.work(1, || self.bytes())?;
                undo_visible(
                    automaton,
                    earlier.state,
                    &earlier.buffer,
                    &configuration.memory,
                    &mut |visible| {
                        found.push((i, visible, earlier.labels.clone()));
                    },
                );
            }
        }
        for (i, visible, local) in found {
            let mut processes = configuration.processes.clone();
            let Visible { state, buffer, memory, label } = visible;
            processes[i] = Process { group: processes[i].group, state, buffer };
            let labels = local.into_iter().chain([label]).map(|l| (i as Slot, l)).collect();
            self.add(processes, memory, Some((id, labels)), &slots, target);
            self.count(pace)?;
        }
        for (g, group) in self.system.groups.iter().enumerate() {
            let present = configuration.processes.iter().filter(|p| p.group as usize == g).count();
            if group.count.is_some_and(|n| present >= n as usize) {
                continue;
            }
            let mut joined = Vec::new();
            undo_joining(&group.automaton, &configuration.memory, &mut |visible| joined.push(visible));
            for Visible { state, buffer, memory, label } in joined {
                let mut processes = configuration.processes.clone();
                let slot = processes.len() as Slot;
                processes.push(Process { group: g as u16, state, buffer });
                let labels = vec![(slot, label)];
                let slots = [&slots[..], &[slot]].concat();
                self.add(processes, memory, Some((id, labels)), &slots, target);
                self.count(pace)?;
            }
        }
        Ok(())
    }

    /// Adds a configuration, unless one below it is known. Messages that memory agrees with are sent
    /// at once: what is left is below.
    fn add(
        &mut self,
        mut processes: Vec<Process>,
        memory: Vec<Value>,
        link: Option<(Id, Vec<(Slot, Label)>)>,
        slots: &[Slot],
        target: usize,
    ) {
        self.generated += 1;
        let mut sent = Vec::new();
        for (slot, process) in processes.iter_mut().enumerate() {
            let plain =
                |p: &Process| p.buffer.first().is_some_and(|m| !m.own && memory[m.var as usize] == m.value);
            while plain(process) {
                let message = process.buffer.remove(0);
                sent.push((slot as Slot, Label::Propagate(message.var)));
            }
        }
        let mut from = slots.to_vec();
        from.sort_by(|a, b| processes[*a as usize].cmp(&processes[*b as usize]));
        processes.sort();
        let configuration = Configuration { processes, memory };
        let Some(priority) = self.priority(&configuration) else {
            self.pruned = true;
            return;
        };
        if self.antichain.covers(&configuration) {
            return;
        }
        let id = self.antichain.insert(configuration);
        debug_assert_eq!(id as usize, self.links.len());
        let link = match link {
            Some((parent, mut labels)) => {
                labels.extend(sent);
                Some(Link { parent, labels, from })
            }
            None => {
                self.target_order.resize(target + 1, Vec::new());
                self.target_order[target] = from;
                None
            }
        };
        self.links.push((link, target));
        self.queue.push((Reverse(priority), Reverse(id)));
    }

    /// How far a configuration seems to be from the beginning; `None` if it cannot be reached.
    fn priority(&mut self, configuration: &Configuration) -> Option<u32> {
        let messages: u32 = configuration.processes.iter().map(|p| p.buffer.len() as u32).sum();
        let steps = match &mut self.reach {
            Some(reach) => reach.depth(configuration)?,
            None => {
                let distance =
                    |p: &Process| self.system.groups[p.group as usize].automaton.distance[p.state as usize];
                configuration.processes.iter().map(distance).sum()
            }
        };
        Some(steps + 2 * messages)
    }

    /// The run, if the configuration is below an initial one.
    fn reaches_initial(
        &self,
        id: Id,
        configuration: &Configuration,
        closures: &[Rc<Vec<Earlier>>],
    ) -> Option<DualRun> {
        let starts_so = |(value, initial): (&Value, &Value)| *value == ANY || value < initial;
        if !configuration.memory.iter().zip(&self.system.initial).all(starts_so) {
            return None;
        }
        let at_start = |earlier: &&Earlier| earlier.state == 0 && earlier.buffer.is_empty();
        let starts: Option<Vec<&Earlier>> = closures.iter().map(|c| c.iter().find(at_start)).collect();
        let starts = starts?;
        let mut steps = Vec::new();
        let groups: Vec<u16> = configuration.processes.iter().map(|p| p.group).collect();
        for (process, earlier) in starts.iter().enumerate() {
            steps.extend(earlier.labels.iter().rev().map(|label| (process, *label)));
        }
        // Which process is at each place of the configuration at hand.
        let mut at: Vec<usize> = (0..groups.len()).collect();
        let mut here = id;
        while let (Some(Link { parent, labels, from }), _) = &self.links[here as usize] {
            let count = self.antichain.get(*parent).processes.len();
            let mut in_parent = vec![usize::MAX; from.len().max(count)];
            for (place, slot) in from.iter().enumerate() {
                in_parent[*slot as usize] = at[place];
            }
            steps.extend(labels.iter().rev().map(|(slot, label)| (in_parent[*slot as usize], *label)));
            in_parent.truncate(count);
            at = in_parent;
            here = *parent;
        }
        let target = self.links[here as usize].1;
        let mut in_target = vec![0; at.len()];
        for (place, slot) in self.target_order[target].iter().enumerate() {
            in_target[*slot as usize] = at[place];
        }
        Some(DualRun { groups, steps, memory: configuration.memory.clone(), target, in_target })
    }
}
