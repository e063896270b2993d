//! What leads above the basis is above it, and no beginning is. More exactly: let U be all
//! configurations from which steps that threads take by themselves (nop, fence, read, delete; see `local`)
//! lead above an element of the basis. U contains what is above the basis, no beginning, and whatever leads
//! into U in one step. So nothing in U is reachable.
//!
//! Why that is so. A step of a thread by itself leads into U from U, by definition. Every other step reads
//! or writes memory and its own buffer, but no other thread's state or buffer. If such a step of thread p leads
//! into U, then threads by themselves continue from there to above an element; the others could as well
//! have done their part before p's step, and from what they lead to, p's step and then steps of p alone lead
//! above the element. It is therefore enough that, for each element, what undoing first steps of
//! one thread alone and then one step on memory gives is above the basis: the order is transitive, so
//! everything above it is too. (That is monotonicity, Lemmas 5 and 10, in the form needed here.) Undoing
//! gives ALL configurations from which the step leads above, or all that can be reached, by the
//! rules of Abdulla et al., CONCUR 2016, Figure 2. For a thread of the element, whose buffer is `e`,
//! newest message first, while the configuration's is `w` above `e`:
//!
//! - write: the newest message of `w` is the own one that was written, so it is the newest of `e` too.
//!   Before, it was not there, and memory was anything. If another own message of that cell is still in
//!   `w`, it was the newest of its cell: it lies somewhere in the rest of `e`, its value open.
//! - propagate: if the newest message of `e` is plain and memory may hold its value, it may have been the
//!   one that was sent; else `w` without its newest message is above `e` anyway.
//! - atomic: the buffer is empty; what was written must fit memory, and what was read is known.
//!
//! A thread that the element does not mention may do whatever leaves memory alone, or changes only open
//! cells: the result was above the element before. If it writes a cell that is fixed, it is mentioned now,
//! with an empty buffer, if the group has another thread at all. If its buffer was fuller, it could have
//! deleted that first, by itself.
//!
//! What the invariants (of `local`, and the certificate's own) show to be unreachable is left out. The argument
//! stays the same: if p's step leads into U from a configuration that is reachable, then what the others lead
//! to from there is reachable as well, and so not left out.

use super::local::Automaton;
use super::{Limits, Part, Settled, Stop, Unproven};
use fencepost_task::Certificate;
use fencepost_task::certificate::{CertifiedConfiguration, CertifiedMessage, CertifiedOp, CertifiedProcess};
use std::collections::HashMap;

/// No beginning leads above the basis, and what leads above it is above it.
pub(super) fn check(
    certificate: &Certificate,
    settled: &Settled<'_>,
    limits: Limits<'_>,
) -> Result<(), Unproven> {
    let mut closure = Closure::new(certificate, settled);
    for (i, element) in certificate.basis.iter().enumerate() {
        limits.look()?;
        let error = |part, what: String| Unproven::new(part, format!("element {} {what}", i + 1));
        for process in &element.processes {
            closure.close(process).map_err(|stop| stop.of(Part::Closure))?;
        }
        if closure.has_start(element) {
            return Err(error(Part::Start, "is above what the program starts with".into()));
        }
        let reached = |m: Missing| error(Part::Closure, format!("can be reached from outside by {}", m.how));
        closure.check(element).map_err(reached)?;
    }
    Ok(())
}

/// What leads above an element and is not above the basis.
pub(super) struct Missing {
    /// It.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) before: CertifiedConfiguration,
    /// The step.
    pub(super) how: String,
}

pub(super) struct Closure<'a> {
    certificate: &'a Certificate,
    automata: Vec<Automaton<'a>>,
    settled: &'a Settled<'a>,
    /// What [`Automaton::local`] gives.
    local: HashMap<&'a CertifiedProcess, Vec<CertifiedProcess>>,
}

impl<'a> Closure<'a> {
    pub(super) fn new(certificate: &'a Certificate, settled: &'a Settled<'a>) -> Closure<'a> {
        let automata = certificate.groups.iter().map(Automaton::new).collect();
        Closure { certificate, automata, settled, local: HashMap::new() }
    }

    pub(super) fn close(&mut self, process: &'a CertifiedProcess) -> Result<(), Stop> {
        if !self.local.contains_key(process) {
            let local = self.automata[process.group as usize].local(process)?;
            self.local.insert(process, local);
        }
        Ok(())
    }

    /// Whether the element can be reached from a beginning by threads by themselves.
    pub(super) fn has_start(&self, element: &CertifiedConfiguration) -> bool {
        let mut threads = vec![0u32; self.certificate.groups.len()];
        for process in &element.processes {
            threads[process.group as usize] += 1;
        }
        let groups = threads.iter().zip(&self.certificate.groups);
        let mut cells = element.memory.iter().zip(&self.certificate.variables);
        let starts = |p| self.local[p].iter().any(|l| l.state == 0 && l.buffer.is_empty());
        element.processes.iter().all(starts)
            && groups.into_iter().all(|(n, group)| group.count.is_none_or(|count| *n <= count))
            && cells.all(|(value, x)| value.is_none_or(|v| v < x.initial))
    }

    pub(super) fn check(&self, element: &CertifiedConfiguration) -> Result<(), Missing> {
        let mut before = element.clone();
        for (p, process) in element.processes.iter().enumerate() {
            let automaton = &self.automata[process.group as usize];
            for local in &self.local[process] {
                before.processes[p].clone_from(local);
                for &(from, op) in automaton.into.get(&local.state).into_iter().flatten() {
                    self.undo(&before, p, from, op)?;
                }
                self.undo_propagate(&before, p)?;
            }
            before.processes[p].clone_from(process);
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

    /// The predecessor must be above the basis, unless it is unreachable, as its p-th thread or the invariant
    /// shows.
    fn require(
        &self,
        predecessor: &CertifiedConfiguration,
        p: usize,
        what: impl FnOnce() -> String,
    ) -> Result<(), Missing> {
        let process = &predecessor.processes[p];
        let possible = self.automata[process.group as usize].may_hold(process);
        if !possible || self.settled.contains(predecessor) {
            return Ok(());
        }
        Err(Missing { before: predecessor.clone(), how: what() })
    }

    fn undo(
        &self,
        element: &CertifiedConfiguration,
        p: usize,
        from: u32,
        op: &CertifiedOp,
    ) -> Result<(), Missing> {
        let process = &element.processes[p];
        let what = || format!("{op:?} of thread {} in state {from}", p + 1);
        let mut before = element.clone();
        before.processes[p].state = from;
        match op {
            // Undone in `local`.
            CertifiedOp::Nop | CertifiedOp::Fence | CertifiedOp::Read(..) => Ok(()),
            CertifiedOp::Write(x, v) => {
                let wrote = |m: &CertifiedMessage| {
                    m.own && m.variable == *x && m.value.is_none_or(|value| value == *v)
                };
                let fits = process.buffer.first().is_some_and(wrote)
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

    fn undo_propagate(&self, element: &CertifiedConfiguration, p: usize) -> Result<(), Missing> {
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
    ) -> Result<(), Missing> {
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
