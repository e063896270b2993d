//! What leads in one step above an element of the basis is above an element, and no beginning is above
//! one. The rules undo single steps of the dual semantics (Abdulla et al., CONCUR 2016, Figure 2; reads
//! take the oldest message).
//!
//! For an element and a step, the rules give elements that together stand for ALL configurations from
//! which the step leads above the element, or for all that can be reached. It is enough that each of these
//! is above an element of the basis: the order is transitive, so everything above it is too. (That
//! is monotonicity, Lemmas 5 and 10, in the form in which it is needed: what a minimal
//! predecessor can do, anything above it can do.) Rule by rule, for a thread of the element whose
//! buffer is `e`, newest message first, while the configuration's buffer is `w` above `e`:
//!
//! - nop: the same buffer. Fence: the buffer is empty, so `e` is.
//! - read of an own message: `w` has the own messages of `e`, so `e` has one of the cell, and its value is
//!   now known.
//! - read of the oldest message: `e` has no own message of the cell. Either the oldest message of
//!   `e` is the one read, or none of `e` is, and then `w` is above `e` with the message behind it.
//! - write: the newest message of `w` is the own one that was written, so it is the newest of `e` too.
//!   Before, it was not there, and memory was anything. If another own message of that cell is still in
//!   `w`, it becomes the newest of its cell: it lies somewhere in the rest of `e`, its value open.
//! - delete: a plain message, or an own one that is not the newest of its cell, is above `e`
//!   anyway. Else the buffer was above `e` with an own message of a new cell behind it.
//! - propagate: if the newest message of `e` is plain and holds what memory holds, it may have been the
//!   one that was sent; else `w` without its newest message is above `e` anyway.
//! - atomic: the buffer is empty; what was written must fit memory, and what was read is known.
//!
//! A thread that the element does not mention may do whatever leaves memory alone, or changes only open
//! cells: the result was above the element before. If it writes a cell that is fixed, it is mentioned now,
//! with an empty buffer, if the group has another thread at all. It may have had a fuller buffer:
//! then it could have deleted that first, so the configuration leads by deletes above an
//! element, and the rule for deletes has put it above one.
//!
//! The invariant: a thread's buffer holds own messages only of cells that it may have written since its
//! buffer was last empty. It holds at the beginning, where buffers are empty; a write adds its cell; a
//! fence or atomic step starts anew; no other step adds own messages, and deletes keep it. So a predecessor
//! that breaks it, or whose state is not reachable in the automaton at all, is not reachable, nor is
//! anything above it, and need not be in the basis.

use super::order::Basis;
use super::{Deadline, Part, Unproven};
use fencepost_task::Certificate;
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedGroup, CertifiedMessage, CertifiedOp, CertifiedProcess,
};
use std::collections::{BTreeSet, HashMap};

/// No initial configuration is above an element.
pub(super) fn check_start(certificate: &Certificate) -> Result<(), String> {
    for (i, element) in certificate.basis.iter().enumerate() {
        let mut threads = vec![0u32; certificate.groups.len()];
        for process in &element.processes {
            threads[process.group as usize] += 1;
        }
        let enough = |(g, n): (usize, &u32)| certificate.groups[g].count.is_none_or(|count| *n <= count);
        let starts = element.processes.iter().all(|p| p.state == 0 && p.buffer.is_empty())
            && threads.iter().enumerate().all(enough)
            && element
                .memory
                .iter()
                .zip(&certificate.variables)
                .all(|(m, x)| m.is_none_or(|v| v < x.initial));
        if starts {
            return Err(format!("element {}", i + 1));
        }
    }
    Ok(())
}

/// What leads above an element is above one.
pub(super) fn check(
    certificate: &Certificate,
    basis: &Basis<'_>,
    deadline: Deadline,
) -> Result<(), Unproven> {
    let automata = certificate.groups.iter().map(Automaton::new).collect();
    let closure = Closure { certificate, automata, basis };
    for (i, element) in certificate.basis.iter().enumerate() {
        if i % 64 == 0 {
            deadline.check()?;
        }
        closure.check(element).map_err(|what| {
            Unproven::new(Part::Closure, format!("element {} can be reached from outside by {what}", i + 1))
        })?;
    }
    Ok(())
}

/// An automaton seen from behind.
struct Automaton<'a> {
    /// For each state that can be reached the cells of which own messages may be in the buffer.
    own: HashMap<u32, BTreeSet<u32>>,
    /// Transitions between reachable states by where they lead.
    into: HashMap<u32, Vec<(u32, &'a CertifiedOp)>>,
    /// Transitions that write memory.
    writing: Vec<(u32, &'a CertifiedOp)>,
}

impl<'a> Automaton<'a> {
    fn new(group: &'a CertifiedGroup) -> Automaton<'a> {
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

    fn may_hold(&self, process: &CertifiedProcess) -> bool {
        let own = self.own.get(&process.state);
        own.is_some_and(|own| process.buffer.iter().all(|m| !m.own || own.contains(&m.variable)))
    }
}

struct Closure<'a> {
    certificate: &'a Certificate,
    automata: Vec<Automaton<'a>>,
    basis: &'a Basis<'a>,
}

impl Closure<'_> {
    fn check(&self, element: &CertifiedConfiguration) -> Result<(), String> {
        for (p, process) in element.processes.iter().enumerate() {
            let automaton = &self.automata[process.group as usize];
            for &(from, op) in automaton.into.get(&process.state).into_iter().flatten() {
                self.undo(element, p, from, op)?;
            }
            self.undo_delete(element, p)?;
            self.undo_propagate(element, p)?;
        }
        for (g, automaton) in self.automata.iter().enumerate() {
            let mentioned = element.processes.iter().filter(|p| p.group as usize == g).count();
            if self.certificate.groups[g].count.is_none_or(|count| mentioned < count as usize) {
                for &(from, op) in &automaton.writing {
                    self.undo_outside(element, g as u32, from, op)?;
                }
            }
        }
        Ok(())
    }

    /// The predecessor must be above the basis, unless its p-th thread shows that nobody gets there.
    fn require(
        &self,
        predecessor: &CertifiedConfiguration,
        p: usize,
        what: impl FnOnce() -> String,
    ) -> Result<(), String> {
        let process = &predecessor.processes[p];
        let possible = self.automata[process.group as usize].may_hold(process);
        if !possible || self.basis.is_below(predecessor) { Ok(()) } else { Err(what()) }
    }

    fn undo(
        &self,
        element: &CertifiedConfiguration,
        p: usize,
        from: u32,
        op: &CertifiedOp,
    ) -> Result<(), String> {
        let process = &element.processes[p];
        let what = || format!("{op:?} of thread {} in state {from}", p + 1);
        let own_of = |x: u32| process.buffer.iter().position(|m| m.own && m.variable == x);
        let mut before = element.clone();
        before.processes[p].state = from;
        match op {
            CertifiedOp::Nop => self.require(&before, p, what),
            CertifiedOp::Fence if !process.buffer.is_empty() => Ok(()),
            CertifiedOp::Fence => self.require(&before, p, what),
            CertifiedOp::Read(x, v) => match own_of(*x) {
                Some(i) if process.buffer[i].value.is_none_or(|value| value == *v) => {
                    before.processes[p].buffer[i].value = Some(*v);
                    self.require(&before, p, what)
                }
                Some(_) => Ok(()),
                None => {
                    let message = CertifiedMessage { variable: *x, value: Some(*v), own: false };
                    if process.buffer.last() != Some(&message) {
                        before.processes[p].buffer.push(message);
                    }
                    self.require(&before, p, what)
                }
            },
            CertifiedOp::Write(x, v) => {
                let fits = own_of(*x) == Some(0)
                    && process.buffer[0].value.is_none_or(|value| value == *v)
                    && element.memory[*x as usize].is_none_or(|value| value == *v);
                if !fits {
                    return Ok(());
                }
                before.memory[*x as usize] = None;
                before.processes[p].buffer.remove(0);
                self.require(&before, p, what)?;
                for i in 0..process.buffer.len() {
                    let mut older = before.clone();
                    let message = CertifiedMessage { variable: *x, value: None, own: true };
                    older.processes[p].buffer.insert(i, message);
                    self.require(&older, p, what)?;
                }
                Ok(())
            }
            CertifiedOp::Atomic(..) if !process.buffer.is_empty() => Ok(()),
            CertifiedOp::Atomic(guard, update) => match undo_memory(&mut before, guard, update) {
                true => self.require(&before, p, what),
                false => Ok(()),
            },
        }
    }

    fn undo_delete(&self, element: &CertifiedConfiguration, p: usize) -> Result<(), String> {
        let process = &element.processes[p];
        let Some(may_own) = self.automata[process.group as usize].own.get(&process.state) else {
            return Ok(());
        };
        for &x in may_own {
            if process.buffer.iter().any(|m| m.own && m.variable == x) {
                continue;
            }
            let mut before = element.clone();
            before.processes[p].buffer.push(CertifiedMessage { variable: x, value: None, own: true });
            self.require(&before, p, || format!("thread {} deleting its message of cell {x}", p + 1))?;
        }
        Ok(())
    }

    fn undo_propagate(&self, element: &CertifiedConfiguration, p: usize) -> Result<(), String> {
        let Some(&CertifiedMessage { variable, value: Some(v), own: false }) =
            element.processes[p].buffer.first()
        else {
            return Ok(());
        };
        if element.memory[variable as usize].is_some_and(|value| value != v) {
            return Ok(());
        }
        let mut before = element.clone();
        before.processes[p].buffer.remove(0);
        before.memory[variable as usize] = Some(v);
        self.require(&before, p, || format!("sending cell {variable} to thread {}", p + 1))
    }

    /// A thread that is not mentioned writes what is fixed.
    fn undo_outside(
        &self,
        element: &CertifiedConfiguration,
        group: u32,
        from: u32,
        op: &CertifiedOp,
    ) -> Result<(), String> {
        let fixed = |x: u32| element.memory[x as usize].is_some();
        let mut before = element.clone();
        let fits = match op {
            CertifiedOp::Write(x, v) => fixed(*x) && undo_memory(&mut before, &[], &[(*x, *v)]),
            CertifiedOp::Atomic(guard, update) => {
                update.iter().any(|(x, _)| fixed(*x)) && undo_memory(&mut before, guard, update)
            }
            CertifiedOp::Nop | CertifiedOp::Read(..) | CertifiedOp::Fence => false,
        };
        if !fits {
            return Ok(());
        }
        before.processes.push(CertifiedProcess { group, state: from, buffer: Vec::new() });
        let last = before.processes.len() - 1;
        self.require(&before, last, || format!("{op:?} of a thread that is not in it"))
    }
}

/// Memory before a step that reads and writes these values; false if it cannot lead to this memory.
fn undo_memory(
    configuration: &mut CertifiedConfiguration,
    guard: &[(u32, u32)],
    update: &[(u32, u32)],
) -> bool {
    for &(x, v) in update {
        let cell = &mut configuration.memory[x as usize];
        if cell.is_some_and(|value| value != v) {
            return false;
        }
        *cell = None;
    }
    for &(x, v) in guard {
        let cell = &mut configuration.memory[x as usize];
        if cell.is_some_and(|value| value != v) {
            return false;
        }
        *cell = Some(v);
    }
    true
}
