//! Threads as finite automata over memory operations (Abdulla et al., CONCUR 2016, section 3.1).
//!
//! Deviation: the paper's atomic read-write of one variable is generalised to several: an atomic
//! section, a lock or a read-modify-write is one operation with a guard and an update.

use fencepost_ir::cfg::{NodeId, ProcId};
use fencepost_task::{Pace, Stop};
use std::collections::VecDeque;

/// A memory cell, by its number.
pub type Var = u16;

/// A value of a variable, by its number in the variable's set of values.
pub type Value = u16;

/// What a transition does.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Op {
    /// Nothing.
    Nop,
    /// The variable must hold the value.
    Read(Var, Value),
    /// The variable gets the value.
    Write(Var, Value),
    /// The buffer must be empty.
    Fence,
    /// With an empty buffer, at once: the variables of the guard hold its values, those of the
    /// update get theirs. Both sorted.
    Atomic(Vec<(Var, Value)>, Vec<(Var, Value)>),
}

/// What a property wants to know of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Mark {
    /// Control is at a node that a property speaks of.
    At(ProcId, NodeId),
    /// An assertion or another instruction has failed.
    Failed,
    /// A value is stored that the variable was taken never to hold.
    Escaped,
    /// The thread has ended, with these values in the registers that are observed.
    Ended(Vec<i64>),
}

/// A step of control.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Transition {
    /// Where it starts.
    pub from: u32,
    /// What it does.
    pub op: Op,
    /// Where it leads.
    pub to: u32,
}

/// A thread's automaton. State 0 is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// What properties know of each state.
    pub marks: Vec<Vec<Mark>>,
    /// Transitions, sorted.
    pub transitions: Vec<Transition>,
    /// For each state the transitions that lead there.
    pub incoming: Vec<Vec<u32>>,
    /// For each state the variables that the thread can have written since it last waited for its
    /// buffer, as sorted lists: only these can have own messages there.
    pub own: Vec<Vec<Var>>,
    /// Steps from the initial state.
    pub distance: Vec<u32>,
}

impl Automaton {
    /// Puts transitions in order and works out what follows from them.
    pub fn new(
        marks: Vec<Vec<Mark>>,
        mut transitions: Vec<Transition>,
        pace: &mut Pace,
    ) -> Result<Automaton, Stop> {
        transitions.sort();
        transitions.dedup();
        let states = marks.len();
        let mut incoming = vec![Vec::new(); states];
        for (i, t) in transitions.iter().enumerate() {
            incoming[t.to as usize].push(i as u32);
        }
        let mut outgoing = vec![Vec::new(); states];
        for t in &transitions {
            outgoing[t.from as usize].push(t);
        }
        let (own, distance) = (own_variables(&outgoing, pace)?, distances(&outgoing));
        Ok(Automaton { marks, transitions, incoming, own, distance })
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.marks.len() as u32
    }

    /// The states with a mark.
    pub fn marked(&self, mark: &Mark) -> Vec<u32> {
        (0..self.states()).filter(|s| self.marks[*s as usize].contains(mark)).collect()
    }

    /// Whether an own message of the variable can be in the buffer at a state.
    pub fn may_own(&self, state: u32, var: Var) -> bool {
        self.own[state as usize].binary_search(&var).is_ok()
    }
}

/// The least sets in which each transition adds what it writes to what its thread had written before.
fn own_variables(outgoing: &[Vec<&Transition>], pace: &mut Pace) -> Result<Vec<Vec<Var>>, Stop> {
    let mut own: Vec<Vec<Var>> = vec![Vec::new(); outgoing.len()];
    let mut all = 0;
    let mut queued = vec![true; outgoing.len()];
    let mut queue: VecDeque<usize> = (0..outgoing.len()).collect();
    while let Some(state) = queue.pop_front() {
        queued[state] = false;
        for t in &outgoing[state] {
            let carried = match t.op {
                Op::Fence | Op::Atomic(..) => &[],
                Op::Nop | Op::Read(..) | Op::Write(..) => &own[state][..],
            };
            pace.work(1 + carried.len() as u64 / 64, || all * size_of::<Var>() as u64)?;
            let written = if let Op::Write(x, _) = t.op { Some(x) } else { None };
            let target = &own[t.to as usize];
            let is_new = |x: &Var| target.binary_search(x).is_err();
            let new: Vec<Var> = carried.iter().copied().chain(written).filter(is_new).collect();
            if new.is_empty() {
                continue;
            }
            let target = &mut own[t.to as usize];
            let before = target.len();
            target.extend(new);
            target.sort_unstable();
            target.dedup();
            all += (target.len() - before) as u64;
            if !std::mem::replace(&mut queued[t.to as usize], true) {
                queue.push_back(t.to as usize);
            }
        }
    }
    Ok(own)
}

fn distances(outgoing: &[Vec<&Transition>]) -> Vec<u32> {
    /// Further than anything.
    const FAR: u32 = 1 << 20;
    let mut distance = vec![FAR; outgoing.len()];
    distance[0] = 0;
    let mut queue = VecDeque::from([0usize]);
    while let Some(state) = queue.pop_front() {
        for t in &outgoing[state] {
            if distance[t.to as usize] == FAR && t.to != 0 {
                distance[t.to as usize] = (distance[state] + 1).min(FAR - 1);
                queue.push_back(t.to as usize);
            }
        }
    }
    distance
}
