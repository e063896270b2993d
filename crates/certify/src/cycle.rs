//! What happens before what in a TSO run, and a cycle of it: what no SC run can do.
//!
//! The happens-before relation is that of Bouajjani et al., FASE 2015, section 4, read off the replayed run:
//! program order, and conflicts between accesses to one cell of which one writes, in the order in which they
//! reach memory. A store and its flush are one event, and so are all steps of an atomic section. A load that
//! finds its value in the own buffer comes after that store and has no other conflicts. A thread begins after
//! the step that starts it, and ends before the step that has waited for it.

use crate::replay::{Rejection, Replay, replay_run};
use crate::states::States;
use fencepost_ir::cfg::{Instr, Loc, ObjectId, Program, RmwOp};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{Machine, State};
use fencepost_task::{Action, Budget, Pace, Step, Stop};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Why one event happens before the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Relation {
    /// The thread does the one before the other.
    ProgramOrder,
    /// Both access one cell, and one of them writes it; or one starts or waits for the other's thread.
    Conflict,
}

impl Relation {
    /// As reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Relation::ProgramOrder => "po",
            Relation::Conflict => "cf",
        }
    }
}

/// Events, each before the next and the last before the first: the number of the event's first step, and
/// why it is before the next one.
pub type Cycle = Vec<(usize, Relation)>;

/// A replayed run and a cycle in it.
type Proof = (Replay, Cycle);

/// Replays a run under TSO, and finds a shortest cycle in its happens-before relation.
pub fn replay_cycle(program: &Program, init: &[(Loc, i64)], steps: &[Step]) -> Result<Proof, Rejection> {
    match replay_cycle_within(program, init, steps, &Budget::default()) {
        Ok(replayed) => replayed,
        Err(stop) => unreachable!("nothing stops a replay without limits, but {stop:?}"),
    }
}

/// The same, unless the budget stops that.
pub fn replay_cycle_within(
    program: &Program,
    init: &[(Loc, i64)],
    steps: &[Step],
    budget: &Budget,
) -> Result<Result<Proof, Rejection>, Stop> {
    let replay = match replay_run(program, fencepost_task::Model::Tso, init, steps, budget)? {
        Ok(replay) => replay,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let machine = Machine::new(program).expect("the run was replayed on it");
    let mut pace = Pace::new(budget);
    let mut order = HappensBefore::default();
    let states = States::new(program, &replay, budget);
    for (number, step) in replay.steps.iter().enumerate() {
        order.add(&machine, &*states.at(number)?, number, step.step);
    }
    drop(states);
    Ok(match order.shortest_cycle(&mut pace)? {
        Some(cycle) => Ok((replay, cycle)),
        None => Err(Rejection { step: 0, reason: "nothing in this run happens before itself".to_string() }),
    })
}

/// What happens before what, built step by step.
#[derive(Default)]
struct HappensBefore {
    /// The events of each thread, in program order, by their first steps.
    events: BTreeMap<u32, Vec<usize>>,
    conflicts: BTreeMap<usize, BTreeSet<usize>>,
    /// The events of the stores in each buffer, oldest first.
    buffered: BTreeMap<u32, VecDeque<(Vec<Loc>, usize)>>,
    /// The section that is open, by its first step.
    section: Option<usize>,
    writer: BTreeMap<Loc, usize>,
    readers: BTreeMap<Loc, Vec<usize>>,
    /// The event that started a thread, until it has an event of its own.
    started_by: BTreeMap<u32, usize>,
}

impl HappensBefore {
    fn conflict(&mut self, before: usize, after: usize) {
        if before != after {
            self.conflicts.entry(before).or_default().insert(after);
        }
    }

    /// The event that a step belongs to.
    fn event(&mut self, thread: u32, step: usize) -> usize {
        if let Some(first) = self.section {
            return first;
        }
        self.events.entry(thread).or_default().push(step);
        if let Some(parent) = self.started_by.remove(&thread) {
            self.conflict(parent, step);
        }
        step
    }

    fn read(&mut self, event: usize, cell: Loc) {
        if let Some(&writer) = self.writer.get(&cell) {
            self.conflict(writer, event);
        }
        self.readers.entry(cell).or_default().push(event);
    }

    fn write(&mut self, event: usize, cell: Loc) {
        for reader in self.readers.remove(&cell).unwrap_or_default() {
            self.conflict(reader, event);
        }
        if let Some(writer) = self.writer.insert(cell, event) {
            self.conflict(writer, event);
        }
    }

    fn add(&mut self, machine: &Machine<'_>, before: &State, number: usize, step: Step) {
        let thread = step.thread;
        let registers = &before.threads[thread as usize];
        let id = match step.action {
            Action::Edge(id, _) => id,
            Action::Flush(cell) => {
                let oldest = self.buffered.entry(thread).or_default().pop_front();
                let (stored, event) = oldest.expect("a run that replays flushes what was stored");
                assert_eq!(stored.first(), Some(&cell), "stores reach memory in order");
                stored.into_iter().for_each(|cell| self.write(event, cell));
                return;
            }
            Action::Older(..) | Action::Propagate(_) | Action::Delete => return,
        };
        let instr = &machine.edge(registers, id).instr;
        let resolved = instr.address().and_then(|a| machine.resolve(before, thread as usize, a).ok());
        let accessed = resolved.map_or(Vec::new(), |place| place.locs().collect());
        match instr {
            Instr::Load(..) => {
                let event = self.event(thread, number);
                for cell in accessed {
                    let mut buffered = self.buffered.get(&thread).into_iter().flatten().rev();
                    match buffered.find(|(stored, _)| stored.contains(&cell)).map(|(_, store)| *store) {
                        Some(store) => self.conflict(store, event),
                        None => self.read(event, cell),
                    }
                }
            }
            Instr::Store(..) => {
                let event = self.event(thread, number);
                if !accessed.is_empty() {
                    self.buffered.entry(thread).or_default().push_back((accessed, event));
                }
            }
            Instr::Rmw(_, _, op) => {
                let event = self.event(thread, number);
                let unchanged = match (op, resolved) {
                    (RmwOp::CompareExchange { expected, .. }, Some(place)) => {
                        eval(expected, registers).ok() != machine.read(before, place).ok()
                    }
                    _ => false,
                };
                for cell in accessed {
                    match unchanged {
                        true => self.read(event, cell),
                        false => self.write(event, cell),
                    }
                }
            }
            Instr::Lock(_) | Instr::Unlock(_) => {
                let event = self.event(thread, number);
                accessed.into_iter().for_each(|cell| self.write(event, cell));
            }
            Instr::Free(pointer, _) | Instr::Reallocate { pointer, .. } => {
                let event = self.event(thread, number);
                let word = eval(pointer, registers).unwrap_or(0);
                if let Target::Object(object, _) = pointer::target(word) {
                    let object = ObjectId(object);
                    let count = before.heap_object(object).map_or(0, |o| o.cells.len());
                    let all = (0..count).filter_map(|n| Loc::element(object, n as i64));
                    all.for_each(|cell| self.write(event, cell));
                    // What the thread itself had stored there is gone with it.
                    let own = self.buffered.entry(thread).or_default();
                    own.retain(|(stored, _)| stored[0].as_element().is_none_or(|(o, _)| o != object));
                }
            }
            Instr::Spawn(..) => {
                let event = self.event(thread, number);
                self.started_by.insert(before.threads.len() as u32, event);
            }
            Instr::Join(_, handle) => {
                let event = self.event(thread, number);
                let child = eval(handle, registers).ok().and_then(|h| u32::try_from(h).ok());
                let last = child.and_then(|c| self.events.get(&c)).and_then(|events| events.last());
                let parent = child.and_then(|c| self.started_by.get(&c));
                if let Some(&earlier) = last.or(parent) {
                    self.conflict(earlier, event);
                }
            }
            Instr::AtomicBegin(_) if before.section.is_none() => {
                let event = self.event(thread, number);
                self.section = Some(event);
            }
            Instr::AtomicEnd(_) if before.section.is_some_and(|s| s.depth == 1) => self.section = None,
            _ => {}
        }
    }

    /// A cycle with as few events as possible, and of these the one with the earliest event.
    ///
    /// The earliest event of a cycle comes after a later one, which only a conflict can do: program order goes forward. So
    /// these are the only events to begin at.
    fn shortest_cycle(&self, pace: &mut Pace) -> Result<Option<Cycle>, Stop> {
        let mut places = BTreeMap::new();
        for (thread, events) in &self.events {
            places.extend(events.iter().enumerate().map(|(i, event)| (*event, (*thread, i))));
        }
        let backward = |(from, to): (&usize, &BTreeSet<usize>)| to.range(..from).copied().collect::<Vec<_>>();
        let starts: BTreeSet<usize> = self.conflicts.iter().flat_map(backward).collect();
        let mut best: Option<Cycle> = None;
        for start in starts {
            let cycle = self.cycle_from(start, &places, pace)?;
            best = [best, cycle].into_iter().flatten().min_by_key(Vec::len);
        }
        Ok(best)
    }

    /// A shortest cycle through an event. `places` are the events' threads and their numbers there.
    fn cycle_from(
        &self,
        start: usize,
        places: &BTreeMap<usize, (u32, usize)>,
        pace: &mut Pace,
    ) -> Result<Option<Cycle>, Stop> {
        let mut parents: BTreeMap<usize, (usize, Relation)> = BTreeMap::new();
        // From which number on all events of a thread are known: what is after one is after those before it, too.
        let mut known: BTreeMap<u32, usize> = BTreeMap::new();
        let mut work = VecDeque::from([start]);
        while let Some(event) = work.pop_front() {
            let place = places.get(&event).map(|(thread, i)| (thread, &self.events[thread], *i));
            let later = place.map_or(&[][..], |(thread, events, i)| {
                let end = known.entry(*thread).or_insert(events.len());
                let returns = places.get(&start).is_some_and(|(t, at)| t == thread && *at > i);
                let new = if returns { &events[i + 1..] } else { &events[(i + 1).min(*end)..*end] };
                *end = (*end).min(i + 1);
                new
            });
            let po = later.iter().map(|e| (*e, Relation::ProgramOrder));
            let cf = self.conflicts.get(&event).into_iter().flatten().map(|e| (*e, Relation::Conflict));
            for (next, relation) in po.chain(cf) {
                pace.work(1, || 0)?;
                if next == start {
                    let mut cycle = vec![(event, relation)];
                    let mut at = event;
                    while at != start {
                        let (parent, relation) = parents[&at];
                        cycle.push((parent, relation));
                        at = parent;
                    }
                    cycle.reverse();
                    return Ok(Some(cycle));
                }
                if let std::collections::btree_map::Entry::Vacant(entry) = parents.entry(next) {
                    entry.insert((event, relation));
                    work.push_back(next);
                }
            }
        }
        Ok(None)
    }
}
