//! What can be reached at all, over-approximated: an inductive invariant that the backward search is
//! pruned with.
//!
//! The abstraction keeps control states and memory as they are, and of each load buffer only which
//! values its thread may read of each variable: its last own message's, those of plain messages that came
//! after it, and memory's. So
//!
//! - a thread that writes x = v may read v of x, and nothing else, until others write x;
//! - any other thread may read v of x from then on too, beside what it could before;
//! - a thread whose buffer is empty (fence, atomic operation) may read what memory holds.
//!
//! Sending and deleting messages change nothing: memory's value is among the readable ones always, and
//! what a deleted own message hid was older than it and is gone as well. States with the same control and
//! memory are joined, so there are finitely many and the order of messages is all that is lost. Threads of
//! one group are sorted, and those in the same state share what they may read.

use crate::automaton::{Op, Value};
use crate::configuration::{ANY, Configuration, Process};
use crate::search::System;
use fencepost_task::{Budget, Pace, Stop};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Values by their numbers; those from 63 on are not told apart.
type Values = u64;

/// With more elements than this the invariant costs more than it saves.
const MAX_ELEMENTS: usize = 100_000;

/// And with more sets of values than this in all of them: elements of large arrays are large.
const MAX_SETS: usize = 20_000_000;

/// The bit of a value.
pub fn bit(value: Value) -> Values {
    1 << value.min(63)
}

/// An element of the invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The state of each thread, sorted within groups.
    pub states: Vec<u32>,
    /// The memory.
    pub memory: Vec<Value>,
    /// For each thread and variable what may be read.
    pub readable: Vec<Values>,
    /// Steps from the beginning.
    pub depth: u32,
}

/// The invariant: every reachable configuration is in one of its elements.
pub struct Reach {
    /// The group of each thread.
    pub groups: Vec<u16>,
    /// The elements.
    pub elements: Vec<Element>,
}

impl Reach {
    /// Computes it for a system with given threads, if it is not too large.
    pub fn new(system: &System, budget: &Budget) -> Result<Option<Reach>, Stop> {
        let mut groups = Vec::new();
        for (g, group) in system.groups.iter().enumerate() {
            let Some(count) = group.count else { return Ok(None) };
            groups.extend((0..count).map(|_| g as u16));
        }
        let outgoing: Vec<Vec<Vec<u32>>> = system
            .groups
            .iter()
            .map(|group| {
                let mut outgoing = vec![Vec::new(); group.automaton.states() as usize];
                for (i, t) in group.automaton.transitions.iter().enumerate() {
                    outgoing[t.from as usize].push(i as u32);
                }
                outgoing
            })
            .collect();
        let mut work = Fixpoint {
            reach: Reach { groups, elements: Vec::new() },
            numbers: FxHashMap::default(),
            queue: VecDeque::new(),
            queued: Vec::new(),
        };
        let max_elements =
            MAX_ELEMENTS.min(MAX_SETS / (work.reach.groups.len() * system.initial.len()).max(1));
        let memories = system.initial.iter().map(|n| *n as usize).try_fold(1, usize::checked_mul);
        let Some(memories) = memories.filter(|n| *n <= max_elements) else { return Ok(None) };
        for number in 0..memories {
            let mut rest = number;
            let mut memory = Vec::new();
            for n in &system.initial {
                memory.push((rest % *n as usize) as Value);
                rest /= *n as usize;
            }
            let readable = work.reach.groups.iter().flat_map(|_| memory.iter().map(|v| bit(*v))).collect();
            let states = vec![0; work.reach.groups.len()];
            work.add(Element { states, memory, readable, depth: 0 });
        }
        let mut pace = Pace::new(budget);
        while let Some(id) = work.queue.pop_front() {
            work.queued[id] = false;
            let element = work.reach.elements[id].clone();
            for thread in 0..element.states.len() {
                let group = work.reach.groups[thread] as usize;
                for &t in &outgoing[group][element.states[thread] as usize] {
                    let transition = &system.groups[group].automaton.transitions[t as usize];
                    pace.work(1 + element.readable.len() as u64 / 32, || 0)?;
                    if let Some(mut next) = step(&element, thread, &transition.op) {
                        next.states[thread] = transition.to;
                        work.add(next);
                    }
                }
            }
            if work.reach.elements.len() > max_elements {
                return Ok(None);
            }
        }
        Ok(Some(work.reach))
    }
}

/// The element after an operation of a thread, if it is possible.
fn step(element: &Element, thread: usize, op: &Op) -> Option<Element> {
    let vars = element.memory.len();
    let own = thread * vars;
    let holds = |list: &[(u16, Value)]| list.iter().all(|(x, v)| element.memory[*x as usize] == *v);
    let possible = match op {
        Op::Read(x, v) => element.readable[own + *x as usize] & bit(*v) != 0,
        Op::Atomic(guard, _) => holds(guard),
        Op::Nop | Op::Fence | Op::Write(..) => true,
    };
    if !possible {
        return None;
    }
    let mut next = element.clone();
    next.depth += 1;
    let write = |next: &mut Element, x: u16, v: Value| {
        next.memory[x as usize] = v;
        next.readable.iter_mut().skip(x as usize).step_by(vars).for_each(|values| *values |= bit(v));
    };
    match op {
        Op::Nop | Op::Read(..) => {}
        Op::Write(x, v) => {
            write(&mut next, *x, *v);
            next.readable[own + *x as usize] = bit(*v);
        }
        Op::Fence => {}
        Op::Atomic(_, update) => update.iter().for_each(|(x, v)| write(&mut next, *x, *v)),
    }
    if matches!(op, Op::Fence | Op::Atomic(..)) {
        for x in 0..vars {
            next.readable[own + x] = bit(next.memory[x]);
        }
    }
    Some(next)
}

struct Fixpoint {
    reach: Reach,
    numbers: FxHashMap<(Vec<u32>, Vec<Value>), usize>,
    queue: VecDeque<usize>,
    queued: Vec<bool>,
}

impl Fixpoint {
    /// Joins an element to what is known.
    fn add(&mut self, element: Element) {
        let element = self.sorted(element);
        let key = (element.states.clone(), element.memory.clone());
        let id = match self.numbers.get(&key) {
            Some(&id) => {
                let known = &mut self.reach.elements[id];
                let mut changed = false;
                for (old, new) in known.readable.iter_mut().zip(&element.readable) {
                    changed |= *new & !*old != 0;
                    *old |= new;
                }
                if !changed {
                    return;
                }
                id
            }
            None => {
                let id = self.reach.elements.len();
                self.numbers.insert(key, id);
                self.reach.elements.push(element);
                self.queued.push(false);
                id
            }
        };
        if !self.queued[id] {
            self.queued[id] = true;
            self.queue.push_back(id);
        }
    }

    /// With the threads of each group in the order of their states; those in one state share what
    /// they may read.
    fn sorted(&self, element: Element) -> Element {
        let groups = &self.reach.groups;
        let vars = element.memory.len();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|i| (groups[*i], element.states[*i]));
        let mut readable = Vec::with_capacity(element.readable.len());
        for i in &order {
            readable.extend_from_slice(&element.readable[i * vars..(i + 1) * vars]);
        }
        let states: Vec<u32> = order.iter().map(|i| element.states[*i]).collect();
        let mut i = 0;
        while i < states.len() {
            let same = (i..states.len()).take_while(|j| groups[*j] == groups[i] && states[*j] == states[i]);
            let end = same.last().unwrap_or(i) + 1;
            for x in 0..vars {
                let all = (i..end).fold(0, |all, t| all | readable[t * vars + x]);
                (i..end).for_each(|t| readable[t * vars + x] = all);
            }
            i = end;
        }
        Element { states, readable, ..element }
    }
}

/// The invariant, ready to be asked.
pub struct Index {
    reach: Reach,
    /// For each group and state the elements with a thread there, by their numbers.
    by_state: FxHashMap<(u16, u32), Vec<u32>>,
    /// For groups and states together, nearest to the beginning first; filled as needed.
    together: FxHashMap<Vec<(u16, u32)>, Vec<u32>>,
    /// Elements that were looked at.
    looked_at: u64,
}

impl Index {
    /// The invariant.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Prepares questions to an invariant.
    pub fn new(reach: Reach) -> Index {
        let mut by_state: FxHashMap<(u16, u32), Vec<u32>> = FxHashMap::default();
        for (id, element) in reach.elements.iter().enumerate() {
            for at in reach.groups.iter().copied().zip(element.states.iter().copied()) {
                let list = by_state.entry(at).or_default();
                if list.last() != Some(&(id as u32)) {
                    list.push(id as u32);
                }
            }
        }
        Index { reach, by_state, together: FxHashMap::default(), looked_at: 0 }
    }

    /// How much work it was so far: elements that were looked at.
    pub fn work(&self) -> u64 {
        self.looked_at
    }

    /// Steps from the beginning, if something above the configuration may be reachable.
    pub fn depth(&mut self, configuration: &Configuration) -> Option<u32> {
        let controls: Vec<(u16, u32)> = configuration.processes.iter().map(|p| (p.group, p.state)).collect();
        let Index { reach, by_state, together, looked_at } = self;
        let candidates = match together.get(&controls) {
            Some(known) => known,
            None => {
                let found = elements_with(reach, by_state, &controls);
                *looked_at += reach.elements.len() as u64;
                together.entry(controls).or_insert(found)
            }
        };
        *looked_at += candidates.len() as u64;
        let elements = candidates.iter().map(|id| &reach.elements[*id as usize]);
        elements.filter(|e| allows(&reach.groups, e, configuration)).map(|e| e.depth).next()
    }
}

/// The elements that have all these threads.
fn elements_with(
    reach: &Reach,
    by_state: &FxHashMap<(u16, u32), Vec<u32>>,
    controls: &[(u16, u32)],
) -> Vec<u32> {
    let Some(lists) = controls.iter().map(|at| by_state.get(at)).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let has_all = |id: &u32| {
        let element = &reach.elements[*id as usize];
        let mut threads = reach.groups.iter().copied().zip(element.states.iter().copied());
        controls.iter().all(|at| threads.any(|thread| thread == *at))
    };
    let mut found: Vec<u32> = match lists.into_iter().min_by_key(|list| list.len()) {
        Some(shortest) => shortest.iter().copied().filter(has_all).collect(),
        None => (0..reach.elements.len() as u32).collect(),
    };
    found.sort_by_key(|id| reach.elements[*id as usize].depth);
    found
}

/// Whether something above the configuration, with the element's control states, is in the element.
fn allows(groups: &[u16], element: &Element, configuration: &Configuration) -> bool {
    let vars = element.memory.len();
    configuration.memory.iter().zip(&element.memory).all(|(c, m)| *c == ANY || c == m)
        && configuration.processes.iter().filter(|p| !p.buffer.is_empty()).all(|p| {
            // Threads of one group in one state may read the same.
            let same = |t: &usize| groups[*t] == p.group && element.states[*t] == p.state;
            let thread = (0..groups.len()).find(same).expect("the element has the threads");
            holds(p, &element.readable[thread * vars..(thread + 1) * vars])
        })
}

/// Whether a process with that buffer may read no more than that.
fn holds(process: &Process, readable: &[Values]) -> bool {
    let mut hidden: Vec<u16> = Vec::new();
    process.buffer.iter().all(|m| {
        // Behind an own message nothing of its variable can be read.
        if hidden.contains(&m.var) {
            return true;
        }
        if m.own {
            hidden.push(m.var);
        }
        m.value == ANY || readable[m.var as usize] & bit(m.value) != 0
    })
}
