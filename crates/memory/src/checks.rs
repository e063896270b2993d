//! What is wrong with a state on request: deadlocks, leaks, data races.
//!
//! A deadlock is a state in which a thread has not ended and nothing can happen: no step, no flush, and no
//! atomic section that could be passed. A leak is memory that is still allocated when all threads have ended,
//! and that the program's variables do not lead to. A data race is a state outside of atomic sections in
//! which two threads can access the same bytes next, at least one of them writing, and at least one by
//! an access that is not atomic.

use crate::heap::Life;
use crate::machine::Machine;
use crate::model::Memory;
use crate::state::State;
use fencepost_ir::cfg::{Instr, Loc, Storage};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Order, Scalar};
use fencepost_task::{Error, Failure, Limit, Violation};
use std::collections::HashSet;

/// More states of one atomic section than this are not looked at to see whether it can be passed.
const SECTION_LIMIT: usize = 4096;

/// An access that a thread can do next.
struct Access {
    loc: Loc,
    writes: bool,
    atomic: bool,
    ordered: bool,
}

impl Machine<'_> {
    /// What is wrong with the state: what the program forbids, or what its checks ask for.
    pub fn violation(&self, memory: &impl Memory, state: &State) -> Option<Result<Violation, Limit>> {
        self.violated(state).or_else(|| match self.state_error(memory, state) {
            Ok(error) => error.map(|e| Ok(Violation::Failure(e))),
            Err(limit) => Some(Err(limit)),
        })
    }

    /// Whether the user wants to hear of a failure.
    pub fn reports(&self, failure: Failure) -> bool {
        failure.check().is_none_or(|check| self.program.checks.reports(check))
    }

    /// What is wrong with the state, of what the program's checks ask for.
    fn state_error(&self, memory: &impl Memory, state: &State) -> Result<Option<Error>, Limit> {
        let checks = &self.program.checks;
        if checks.races && self.has_race(memory, state) {
            return Ok(Some(Error::RACE));
        }
        if checks.leaks && state.is_final() && self.leaks(state) {
            return Ok(Some(Error::LEAK));
        }
        Ok((checks.deadlock && self.is_deadlock(memory, state)?).then_some(Error::DEADLOCK))
    }

    /// Whether nothing can happen; a limit where nothing is seen to happen, but a section is too long to be sure.
    fn is_deadlock(&self, memory: &impl Memory, state: &State) -> Result<bool, Limit> {
        if state.is_final() || state.section.is_some() {
            return Ok(false);
        }
        let mut steps = Vec::new();
        self.steps(memory, state, &mut steps);
        let mut limit = None;
        for step in steps {
            let mut next = state.clone();
            let applied = self.apply(memory, &mut next, step);
            if applied.is_err() || next.section.is_none() {
                return Ok(false);
            }
            match self.passes_section(memory, next) {
                Ok(true) => return Ok(false),
                Ok(false) => {}
                Err(long) => limit = Some(long),
            }
        }
        limit.map_or(Ok(true), Err)
    }

    /// Whether an open section can come to its end, or to a failure.
    fn passes_section(&self, memory: &impl Memory, state: State) -> Result<bool, Limit> {
        let mut seen = HashSet::new();
        let mut work = vec![state];
        let mut steps = Vec::new();
        while let Some(state) = work.pop() {
            if state.section.is_none() {
                return Ok(true);
            }
            if seen.len() > SECTION_LIMIT {
                return Failure::LongSection(SECTION_LIMIT).error().map(|_| false);
            }
            steps.clear();
            self.steps(memory, &state, &mut steps);
            for &step in &steps {
                let mut next = state.clone();
                match self.apply(memory, &mut next, step) {
                    Err(_) => return Ok(true),
                    Ok(()) => {
                        if seen.insert(next.clone()) {
                            work.push(next);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    fn leaks(&self, state: &State) -> bool {
        let mut found = vec![false; state.heap.len()];
        let mut work: Vec<usize> = Vec::new();
        let mut see = |word: i64, work: &mut Vec<usize>| {
            if let Target::Object(number, _) = pointer::target(word)
                && let Some(index) = number.checked_sub(state.first_heap)
                && let Some(seen) = found.get_mut(index as usize)
                && !std::mem::replace(seen, true)
            {
                work.push(index as usize);
            }
        };
        let is_pointer = |ty: Scalar| matches!(ty, Scalar::Pointer { .. });
        for (value, ty) in state.cells.iter().zip(self.program.each_cell_type()) {
            if is_pointer(ty) {
                see(*value, &mut work);
            }
        }
        while let Some(index) = work.pop() {
            let object = &state.heap[index];
            for (number, value) in object.cells.iter().enumerate() {
                if let (Some(value), true) = (value, is_pointer(self.heap_cell_type(object, number))) {
                    see(*value, &mut work);
                }
            }
        }
        let lost = |(i, found): (usize, &bool)| {
            let object = &state.heap[i];
            !found && object.life == Life::Live && object.storage == Storage::Heap
        };
        found.iter().enumerate().any(lost)
    }

    fn has_race(&self, memory: &impl Memory, state: &State) -> bool {
        self.conflicts(memory, state, |a, b| !a.atomic || !b.atomic)
    }

    /// Whether two threads are about to access the same bytes, one of them writing, by accesses that are
    /// not both ordered: what compilers may move around counts then. A store in a buffer is yet to come.
    pub fn has_unordered_conflict(&self, memory: &impl Memory, state: &State) -> bool {
        self.conflicts(memory, state, |a, b| !a.ordered || !b.ordered)
    }

    fn conflicts(
        &self,
        memory: &impl Memory,
        state: &State,
        counts: impl Fn(&Access, &Access) -> bool,
    ) -> bool {
        if state.section.is_some() {
            return false;
        }
        let accesses: Vec<Vec<Access>> =
            (0..state.threads.len()).map(|t| self.next_accesses(memory, state, t)).collect();
        accesses.iter().enumerate().any(|(i, own)| {
            own.iter().any(|a| {
                accesses[i + 1..]
                    .iter()
                    .flatten()
                    .any(|b| (a.writes || b.writes) && counts(a, b) && a.loc == b.loc)
            })
        })
    }

    fn next_accesses(&self, memory: &impl Memory, state: &State, index: usize) -> Vec<Access> {
        let thread = &state.threads[index];
        if thread.ended || !memory.may_step(state, index) {
            return Vec::new();
        }
        let top = thread.top();
        let mut accesses = Vec::new();
        for (_, edge) in self.program.procedure(top.procedure).out(top.node) {
            let (address, writes, is_rmw) = match &edge.instr {
                Instr::Load(_, address) => (address, false, false),
                Instr::Store(address, _) => (address, true, false),
                Instr::Rmw(_, address, _) => (address, true, true),
                _ => continue,
            };
            if let Ok(place) = self.resolve(state, index, address) {
                let atomic = is_rmw || edge.access.is_atomic();
                let ordered = is_rmw || edge.access.order().is_some_and(|order| order != Order::Relaxed);
                accesses.extend(place.locs().map(|loc| Access { loc, writes, atomic, ordered }));
            }
        }
        let waiting = thread.buffer.iter().filter(|e| e.is_store());
        accesses.extend(waiting.map(|e| Access { loc: e.loc, writes: true, atomic: true, ordered: true }));
        accesses
    }
}
