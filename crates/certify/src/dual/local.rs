//! What one thread can do by itself: nop, fence, read, delete touch its own state and load buffer and look
//! at nothing else. Here these steps are undone, as long as something new comes of it.
//!
//! The rules are those of Abdulla et al., CONCUR 2016, Figure 2, except that reads take the oldest message.
//! For a thread whose state and buffer `e` (newest message first) stand for all that are above it, and a step
//! that leads to a buffer `w` above `e`, the buffer before the step was above one of these:
//!
//! - nop: `e`. Fence: the buffer is empty, so `e` is, and so was the buffer.
//! - read of an own message: `w` has the newest own messages of `e`, so `e` has one of the cell; its
//!   value is now known.
//! - read of the oldest message: `e` has no own message of the cell. Either the oldest message of
//!   `e` is the one read, or none of `e` is, and then `w` is above `e` with the message after it.
//! - delete: with a plain message after `w`, or an own one that is not the newest of its cell, the
//!   buffer was above `e` already. Else it was above `e` with an own message of a new cell after it.
//!
//! The invariant: a thread's buffer holds own messages only of cells that it may have written since its
//! buffer was last empty. It holds at the beginning, where buffers are empty; a write adds its cell; a
//! fence or atomic step starts anew; no other step adds own messages, and deletes keep it. So a predecessor
//! that breaks it, or whose state is not reachable in the automaton at all, is not reachable, nor is
//! anything above it, and is left out.
//!
//! It ends, since an infinite sequence of states and buffers has one above an earlier one (Lemma 4).

use super::Stop;
use super::order::buffer_is_below;
use fencepost_task::certificate::{CertifiedGroup, CertifiedMessage, CertifiedOp, CertifiedProcess};
use std::collections::{BTreeSet, HashMap};

/// More than this is not looked at for one thread of one element.
const MAX_LOCAL: usize = 100_000;

/// An automaton seen from behind.
pub(super) struct Automaton<'a> {
    /// For each state that can be reached the cells of which own messages may be in the buffer.
    own: HashMap<u32, BTreeSet<u32>>,
    /// Transitions between reachable states by where they lead.
    pub(super) into: HashMap<u32, Vec<(u32, &'a CertifiedOp)>>,
    /// Transitions that write memory.
    pub(super) writing: Vec<(u32, &'a CertifiedOp)>,
}

impl<'a> Automaton<'a> {
    pub(super) fn new(group: &'a CertifiedGroup) -> Automaton<'a> {
        let mut out: HashMap<u32, Vec<(&CertifiedOp, u32)>> = HashMap::new();
        for (from, op, to) in &group.transitions {
            out.entry(*from).or_default().push((op, *to));
        }
        let mut own = HashMap::from([(0, BTreeSet::new())]);
        let mut work = vec![0];
        while let Some(state) = work.pop() {
            for &(op, to) in out.get(&state).into_iter().flatten() {
                let mut cells = match op {
                    CertifiedOp::Nop | CertifiedOp::Read(..) | CertifiedOp::Write(..) => own[&state].clone(),
                    CertifiedOp::Fence | CertifiedOp::Atomic(..) => BTreeSet::new(),
                };
                match op {
                    CertifiedOp::Write(x, _) => {
                        cells.insert(*x);
                    }
                    CertifiedOp::Nop
                    | CertifiedOp::Read(..)
                    | CertifiedOp::Fence
                    | CertifiedOp::Atomic(..) => {}
                }
                let is_new = !own.contains_key(&to);
                let known = own.entry(to).or_default();
                let before = known.len();
                known.append(&mut cells);
                if is_new || known.len() > before {
                    work.push(to);
                }
            }
        }
        let mut into: HashMap<u32, Vec<_>> = HashMap::new();
        let mut writing = Vec::new();
        for (from, op, to) in group.transitions.iter().filter(|(from, ..)| own.contains_key(from)) {
            into.entry(*to).or_default().push((*from, op));
            match op {
                CertifiedOp::Write(..) => writing.push((*from, op)),
                CertifiedOp::Atomic(_, update) if !update.is_empty() => writing.push((*from, op)),
                CertifiedOp::Atomic(..) | CertifiedOp::Nop | CertifiedOp::Read(..) | CertifiedOp::Fence => {}
            }
        }
        // Where a write leads makes no difference to those who do not mention its thread.
        writing.sort_unstable();
        writing.dedup();
        Automaton { own, into, writing }
    }

    /// Whether the invariant allows the thread.
    pub(super) fn may_hold(&self, process: &CertifiedProcess) -> bool {
        let own = self.own.get(&process.state);
        own.is_some_and(|own| process.buffer.iter().all(|m| !m.own || own.contains(&m.variable)))
    }

    /// From where a thread can get above this one by itself: the least ones, this one among them unless
    /// nothing above it can be reached.
    pub(super) fn local(&self, process: &CertifiedProcess) -> Result<Vec<CertifiedProcess>, Stop> {
        let mut found: HashMap<u32, Vec<Vec<CertifiedMessage>>> = HashMap::new();
        let mut work = vec![process.clone()];
        let mut count = 0;
        while let Some(process) = work.pop() {
            let of_state = found.entry(process.state).or_default();
            if !self.may_hold(&process) || of_state.iter().any(|b| buffer_is_below(b, &process.buffer)) {
                continue;
            }
            of_state.retain(|b| !buffer_is_below(&process.buffer, b));
            of_state.push(process.buffer.clone());
            count += 1;
            if count > MAX_LOCAL {
                return Err(Stop::TooLarge("a thread can do too much by itself"));
            }
            self.undo_local(&process, &mut work);
        }
        let mut local = Vec::new();
        for (state, buffers) in found {
            local.extend(buffers.into_iter().map(|buffer| CertifiedProcess {
                state,
                buffer,
                ..process.clone()
            }));
        }
        local.sort_unstable();
        Ok(local)
    }

    fn undo_local(&self, process: &CertifiedProcess, before: &mut Vec<CertifiedProcess>) {
        let own_of = |x: u32| process.buffer.iter().position(|m| m.own && m.variable == x);
        for &(state, op) in self.into.get(&process.state).into_iter().flatten() {
            let mut buffer = process.buffer.clone();
            let possible = match op {
                CertifiedOp::Nop => true,
                CertifiedOp::Fence => buffer.is_empty(),
                CertifiedOp::Read(x, v) => match own_of(*x) {
                    Some(i) => {
                        let allowed = buffer[i].value.is_none_or(|value| value == *v);
                        buffer[i].value = Some(*v);
                        allowed
                    }
                    None => {
                        let message = CertifiedMessage { variable: *x, value: Some(*v), own: false };
                        if buffer.last() != Some(&message) {
                            buffer.push(message);
                        }
                        true
                    }
                },
                CertifiedOp::Write(..) | CertifiedOp::Atomic(..) => false,
            };
            if possible {
                before.push(CertifiedProcess { group: process.group, state, buffer });
            }
        }
        for &x in self.own.get(&process.state).into_iter().flatten() {
            if own_of(x).is_none() {
                let mut before_delete = process.clone();
                before_delete.buffer.push(CertifiedMessage { variable: x, value: None, own: true });
                before.push(before_delete);
            }
        }
    }
}
