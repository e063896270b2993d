//! The invariant of a certificate: a set of configurations that contains every reachable one.
//!
//! An element stands for all configurations with its control states, its memory, and load buffers that agree
//! with what it lets each thread read of each cell: the value of the newest own message of the cell, if there
//! is one, those of plain messages that are newer than it (all plain ones, if there is none), and
//! memory's. That the set is inductive is checked step by step, rules as in Figure 2 of the paper:
//!
//! - at the beginning buffers are empty, so memory's values are all there is;
//! - propagate adds a plain message with memory's value, which is readable already;
//! - delete takes the oldest message away. If that was the newest own one of its cell, the plain ones of the
//!   cell that are left are all newer than it, so they were readable;
//! - nop, and read, which needs a readable value, change no buffer;
//! - write makes the own message the newest of the cell, with nothing newer, so only its value is readable
//!   to the thread; the others' buffers stay, but memory's value is readable to them too;
//! - fence and atomic have an empty buffer, so of each cell only memory's value is readable to the thread
//!   when it is done; what an atomic operation wrote is memory's value for the others.
//!
//! It **excludes** a configuration of the basis' kind if no element has anything above it: its
//! threads, its memory, and of each buffer the own messages and the plain ones that are no older than the own one
//! of their cell. All of these are in every buffer above it, with nothing own in front of them.

use super::{Limits, Part, Stop, Unproven};
use fencepost_task::Certificate;
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedOp, CertifiedProcess, CertifiedReachable,
};
use std::collections::HashMap;

/// An invariant that can be asked. Without elements it excludes nothing.
pub(super) struct Invariant<'a> {
    elements: &'a [CertifiedReachable],
    /// The group of each thread.
    groups: Vec<u32>,
    /// The elements with a thread of a group in a state.
    with: HashMap<(u32, u32), Vec<usize>>,
}

impl<'a> Invariant<'a> {
    /// Checks that it is one.
    pub(super) fn new(certificate: &'a Certificate, limits: Limits<'_>) -> Result<Invariant<'a>, Unproven> {
        let mut invariant =
            Invariant { elements: &certificate.invariant, groups: Vec::new(), with: HashMap::new() };
        if certificate.invariant.is_empty() {
            return Ok(invariant);
        }
        let wrong = |reason: String| Unproven::new(Part::Invariant, reason);
        for (g, group) in certificate.groups.iter().enumerate() {
            let Some(count) = group.count else {
                return Err(wrong("it is for given threads, and there may be any number of them".into()));
            };
            invariant.groups.extend((0..count).map(|_| g as u32));
            // Every element has a state for each thread.
            if invariant.groups.len() > certificate.invariant[0].states.len() {
                break;
            }
        }
        for (i, element) in certificate.invariant.iter().enumerate() {
            invariant.shape(certificate, element).map_err(|m| wrong(format!("element {} {m}", i + 1)))?;
            for at in invariant.groups.iter().copied().zip(element.states.iter().copied()) {
                let list = invariant.with.entry(at).or_default();
                if list.last() != Some(&i) {
                    list.push(i);
                }
            }
        }
        let known: HashMap<_, _> =
            certificate.invariant.iter().map(|e| ((&e.states[..], &e.memory[..]), e)).collect();
        let inductive = Inductive { certificate, groups: &invariant.groups, known };
        inductive.beginnings().map_err(|stop| stop.of(Part::Invariant))?;
        for (i, element) in certificate.invariant.iter().enumerate() {
            limits.look()?;
            inductive.steps(element).map_err(|m| wrong(format!("element {} {m}", i + 1)))?;
        }
        Ok(invariant)
    }

    /// Each thread's group and state.
    fn threads(&self, element: &CertifiedReachable) -> impl Iterator<Item = (u32, u32)> {
        self.groups.iter().copied().zip(element.states.iter().copied())
    }

    /// Numbers are in range, states ascend, memory is readable, and threads that nothing tells apart are
    /// not told apart.
    fn shape(&self, certificate: &Certificate, element: &CertifiedReachable) -> Result<(), String> {
        let CertifiedReachable { states, memory, readable } = element;
        let (threads, cells) = (self.groups.len(), certificate.variables.len());
        if states.len() != threads || readable.len() != threads || memory.len() != cells {
            return Err("has another number of threads or cells".into());
        }
        for (t, at) in self.threads(element).enumerate() {
            if at.1 >= certificate.groups[at.0 as usize].states || readable[t].len() != cells {
                return Err("has a state or a cell that there is not".into());
            }
            if t > 0 && self.groups[t - 1] == at.0 {
                let before = states[t - 1];
                if before > at.1 || before == at.1 && readable[t - 1] != readable[t] {
                    return Err("tells threads of a group apart".into());
                }
            }
            for (x, values) in readable[t].iter().enumerate() {
                let in_range = |v: &u32| (*v as usize) < certificate.variables[x].values.len();
                if !values.iter().all(in_range) || !values.contains(&memory[x]) {
                    return Err("has values that are none, or memory that cannot be read".into());
                }
            }
        }
        Ok(())
    }

    /// Whether nothing above the configuration is in the set.
    pub(super) fn excludes(&self, configuration: &CertifiedConfiguration) -> bool {
        if self.elements.is_empty() {
            return false;
        }
        let mut wanted: Vec<(u32, u32)> =
            configuration.processes.iter().map(|p| (p.group, p.state)).collect();
        wanted.sort_unstable();
        let lists: Option<Vec<&Vec<usize>>> = wanted.iter().map(|at| self.with.get(at)).collect();
        let Some(lists) = lists else { return true };
        let allows = |element: &CertifiedReachable| {
            let mut threads = self.threads(element);
            let memory = configuration.memory.iter().zip(&element.memory);
            wanted.iter().all(|at| threads.any(|thread| thread == *at))
                && memory.into_iter().all(|(value, m)| value.is_none_or(|v| v == *m))
                && configuration.processes.iter().all(|p| {
                    let thread = self.threads(element).position(|at| at == (p.group, p.state));
                    thread.is_some_and(|t| may_hold(p, &element.readable[t]))
                })
        };
        match lists.into_iter().min_by_key(|list| list.len()) {
            Some(list) => !list.iter().any(|i| allows(&self.elements[*i])),
            None => !self.elements.iter().any(allows),
        }
    }
}

/// Whether every message of the buffer that can be read in time may be.
fn may_hold(process: &CertifiedProcess, readable: &[Vec<u32>]) -> bool {
    process.buffer.iter().enumerate().all(|(i, message)| {
        let newer = &process.buffer[..i];
        let hidden = newer.iter().any(|m| m.own && m.variable == message.variable);
        hidden || message.value.is_none_or(|v| readable[message.variable as usize].contains(&v))
    })
}

/// The check that steps stay in the set.
struct Inductive<'a> {
    certificate: &'a Certificate,
    groups: &'a [u32],
    known: HashMap<(&'a [u32], &'a [u32]), &'a CertifiedReachable>,
}

impl Inductive<'_> {
    /// Every initial memory, with all threads at their initial states, is in the set.
    fn beginnings(&self) -> Result<(), Stop> {
        let states = vec![0u32; self.groups.len()];
        let mut memory = vec![0u32; self.certificate.variables.len()];
        let mut looked_at = 0;
        loop {
            // Elements let memory be read: see `shape`.
            if !self.known.contains_key(&(&states[..], &memory[..])) {
                return Err("a beginning is not in it".into());
            }
            looked_at += 1;
            if looked_at > self.certificate.invariant.len() {
                return Err(Stop::TooLarge("there are too many beginnings"));
            }
            // The next one, as one counts.
            let initial = self.certificate.variables.iter().map(|x| x.initial);
            let Some(x) = memory.iter().zip(initial).position(|(v, n)| v + 1 < n) else { return Ok(()) };
            memory[x] += 1;
            memory[..x].fill(0);
        }
    }

    /// Whatever a thread does leads into the set.
    fn steps(&self, element: &CertifiedReachable) -> Result<(), String> {
        for (thread, group) in self.groups.iter().enumerate() {
            let transitions = &self.certificate.groups[*group as usize].transitions;
            for (_, op, to) in transitions.iter().filter(|(from, ..)| *from == element.states[thread]) {
                if let Some(after) = after(element, thread, op) {
                    self.contains(after, thread, *to)
                        .map_err(|()| format!("is left by {op:?} of thread {} to state {to}", thread + 1))?;
                }
            }
        }
        Ok(())
    }

    fn contains(&self, after: CertifiedReachable, thread: usize, to: u32) -> Result<(), ()> {
        let mut threads: Vec<(u32, u32, &Vec<Vec<u32>>)> = (0..self.groups.len())
            .map(|t| (self.groups[t], if t == thread { to } else { after.states[t] }, &after.readable[t]))
            .collect();
        threads.sort_by_key(|(group, state, _)| (*group, *state));
        let states: Vec<u32> = threads.iter().map(|(_, state, _)| *state).collect();
        let element = self.known.get(&(&states[..], &after.memory[..])).ok_or(())?;
        let fits = |(cells, larger): (&Vec<Vec<u32>>, &Vec<Vec<u32>>)| {
            cells.iter().zip(larger).all(|(small, large)| small.iter().all(|v| large.contains(v)))
        };
        // In one state they may read the same, so their order makes no difference.
        let all = threads.iter().map(|(_, _, cells)| *cells).zip(&element.readable).all(fits);
        if all { Ok(()) } else { Err(()) }
    }
}

/// The element after an operation of a thread, its state not yet changed; `None` if it is not possible.
pub(super) fn after(
    element: &CertifiedReachable,
    thread: usize,
    op: &CertifiedOp,
) -> Option<CertifiedReachable> {
    let mut after = element.clone();
    let write = |after: &mut CertifiedReachable, x: u32, v: u32| {
        after.memory[x as usize] = v;
        for cells in &mut after.readable {
            cells[x as usize].push(v);
        }
    };
    let empty_buffer = |after: &mut CertifiedReachable| {
        after.readable[thread] = after.memory.iter().map(|v| vec![*v]).collect();
    };
    match op {
        CertifiedOp::Nop => {}
        CertifiedOp::Read(x, v) => {
            if !element.readable[thread][*x as usize].contains(v) {
                return None;
            }
        }
        CertifiedOp::Write(x, v) => {
            write(&mut after, *x, *v);
            after.readable[thread][*x as usize] = vec![*v];
        }
        CertifiedOp::Fence => empty_buffer(&mut after),
        CertifiedOp::Atomic(guard, update) => {
            if guard.iter().any(|(x, v)| element.memory[*x as usize] != *v) {
                return None;
            }
            update.iter().for_each(|(x, v)| write(&mut after, *x, *v));
            empty_buffer(&mut after);
        }
    }
    Some(after)
}
