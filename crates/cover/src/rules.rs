//! The rules of the dual semantics, undone (Abdulla et al., CONCUR 2016, Figure 2 and Lemma 3).
//!
//! Undoing a step of one process gives the least configurations from which the step leads to or above
//! the given one. Steps that look at no memory are local; the others, which the search branches on,
//! are visible: writes, propagations and atomic operations.
//!
//! Deviations, each in DESIGN's words: memory cells and own messages are left open until a step
//! constrains them; "Read from buffer" takes the oldest message, not the newest as printed; one own
//! message for each variable is enough; undoing a delete only brings own messages back, plain ones
//! come with the reads that need them.

use crate::automaton::{Automaton, Op, Value, Var};
use crate::configuration::{ANY, Buffer, Message, Process, buffer_below};
use fencepost_task::{Pace, Stop};
use rustc_hash::FxHashMap;

/// A step of a process, to be done again forwards. Deleting messages is left to whoever does it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// A transition of its automaton.
    Take(u32),
    /// The value of a variable is sent to it.
    Propagate(Var),
}

/// A process before some local steps, and the steps in the order in which they were undone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// Its control state.
    pub state: u32,
    /// Its load buffer.
    pub buffer: Buffer,
    /// The steps.
    pub labels: Vec<Label>,
}

impl Earlier {
    /// Bytes that it takes, with its place in a table.
    pub fn bytes(&self) -> u64 {
        let parts = size_of_val(&self.buffer[..]) + size_of_val(&self.labels[..]);
        (size_of::<Earlier>() + parts + 48) as u64
    }
}

fn own_position(buffer: &[Message], var: Var) -> Option<usize> {
    buffer.iter().position(|m| m.own && m.var == var)
}

/// The process before one local step: nothing, fence, read, delete.
pub fn undo_local(
    automaton: &Automaton,
    state: u32,
    buffer: &[Message],
) -> Vec<(u32, Buffer, Option<Label>)> {
    let mut found = Vec::new();
    for &t in &automaton.incoming[state as usize] {
        let transition = &automaton.transitions[t as usize];
        let from = transition.from;
        match &transition.op {
            Op::Nop => found.push((from, buffer.to_vec(), Some(Label::Take(t)))),
            Op::Fence if buffer.is_empty() => found.push((from, Buffer::new(), Some(Label::Take(t)))),
            Op::Fence => {}
            Op::Read(var, value) => {
                let mut before = buffer.to_vec();
                match own_position(buffer, *var) {
                    Some(i) if buffer[i].value == ANY || buffer[i].value == *value => {
                        before[i].value = *value
                    }
                    Some(_) => continue,
                    None => {
                        let message = Message { var: *var, value: *value, own: false };
                        if buffer.last() != Some(&message) {
                            before.push(message);
                        }
                    }
                }
                found.push((from, before, Some(Label::Take(t))));
            }
            Op::Write(..) | Op::Atomic(..) => {}
        }
    }
    for &var in &automaton.own[state as usize] {
        if own_position(buffer, var).is_none() {
            let mut before = buffer.to_vec();
            before.push(Message { var, value: ANY, own: true });
            found.push((state, before, None));
        }
    }
    found.retain(|(state, buffer, _)| is_possible(automaton, *state, buffer));
    found
}

/// Whether the own messages can be there at all.
pub fn is_possible(automaton: &Automaton, state: u32, buffer: &[Message]) -> bool {
    buffer.iter().all(|m| !m.own || automaton.may_own(state, m.var))
}

/// All that a process can have been before local steps, none above another. `used` is the bytes of what else there is.
pub fn undo_all_local(
    automaton: &Automaton,
    process: &Process,
    mut used: u64,
    pace: &mut Pace,
) -> Result<Vec<Earlier>, Stop> {
    let first = Earlier { state: process.state, buffer: process.buffer.clone(), labels: Vec::new() };
    let mut found = vec![first];
    // Whoever is below another is in the same state.
    let mut by_state: FxHashMap<u32, Vec<usize>> = FxHashMap::from_iter([(process.state, vec![0])]);
    let mut next = 0;
    while next < found.len() {
        let Earlier { state, buffer, labels } = found[next].clone();
        next += 1;
        for (state, buffer, label) in undo_local(automaton, state, &buffer) {
            let alike = by_state.entry(state).or_default();
            pace.work(1 + (alike.len() / 16 + labels.len() / 64) as u64, || used)?;
            if alike.iter().any(|i| buffer_below(&found[*i].buffer, &buffer)) {
                continue;
            }
            alike.push(found.len());
            let mut labels = labels.clone();
            labels.extend(label);
            let earlier = Earlier { state, buffer, labels };
            used += earlier.bytes();
            found.push(earlier);
        }
    }
    Ok(found)
}

/// A process and the memory before a visible step.
pub struct Visible {
    /// Its control state.
    pub state: u32,
    /// Its load buffer.
    pub buffer: Buffer,
    /// The memory.
    pub memory: Vec<Value>,
    /// The step.
    pub label: Label,
}

fn allows(value: Value, wanted: Value) -> bool {
    value == ANY || value == wanted
}

/// The memory before an atomic operation, if it can lead to `memory`.
fn before_atomic(memory: &[Value], guard: &[(Var, Value)], update: &[(Var, Value)]) -> Option<Vec<Value>> {
    let updated = |var: Var| update.iter().any(|(x, _)| *x == var);
    let fits = update.iter().all(|(x, v)| allows(memory[*x as usize], *v))
        && guard.iter().filter(|(x, _)| !updated(*x)).all(|(x, v)| allows(memory[*x as usize], *v));
    fits.then(|| {
        let mut before = memory.to_vec();
        update.iter().for_each(|(x, _)| before[*x as usize] = ANY);
        guard.iter().for_each(|(x, v)| before[*x as usize] = *v);
        before
    })
}

/// Undoes one visible step of a process: a write, a propagation or an atomic operation.
pub fn undo_visible(
    automaton: &Automaton,
    state: u32,
    buffer: &[Message],
    memory: &[Value],
    see: &mut impl FnMut(Visible),
) {
    for &t in &automaton.incoming[state as usize] {
        let transition = &automaton.transitions[t as usize];
        let from = transition.from;
        let label = Label::Take(t);
        match &transition.op {
            Op::Write(var, value) => {
                let Some((newest, rest)) = buffer.split_first() else { continue };
                let fits = newest.own
                    && newest.var == *var
                    && allows(newest.value, *value)
                    && allows(memory[*var as usize], *value);
                if !fits {
                    continue;
                }
                let mut before = memory.to_vec();
                before[*var as usize] = ANY;
                see(Visible { state: from, buffer: rest.to_vec(), memory: before.clone(), label });
                // An earlier own message of the variable may have been hidden by this one.
                if automaton.may_own(from, *var) {
                    for i in 0..=rest.len() {
                        let mut buffer = rest.to_vec();
                        buffer.insert(i, Message { var: *var, value: ANY, own: true });
                        see(Visible { state: from, buffer, memory: before.clone(), label });
                    }
                }
            }
            Op::Atomic(guard, update) if buffer.is_empty() => {
                if let Some(memory) = before_atomic(memory, guard, update) {
                    see(Visible { state: from, buffer: Buffer::new(), memory, label });
                }
            }
            Op::Atomic(..) | Op::Nop | Op::Fence | Op::Read(..) => {}
        }
    }
    if let Some((newest, rest)) = buffer.split_first()
        && !newest.own
        && allows(memory[newest.var as usize], newest.value)
    {
        let mut before = memory.to_vec();
        before[newest.var as usize] = newest.value;
        let label = Label::Propagate(newest.var);
        see(Visible { state, buffer: rest.to_vec(), memory: before, label });
    }
}

/// Undoes a visible step of a process that is not in the configuration: it joins with an empty
/// buffer. Fuller ones follow by undoing deletes.
pub fn undo_joining(automaton: &Automaton, memory: &[Value], see: &mut impl FnMut(Visible)) {
    for (t, transition) in automaton.transitions.iter().enumerate() {
        let before = match &transition.op {
            // Where memory is open already the process would add nothing.
            Op::Write(var, value) if memory[*var as usize] == *value => {
                let mut before = memory.to_vec();
                before[*var as usize] = ANY;
                before
            }
            Op::Atomic(_, update) if update.iter().all(|(x, _)| memory[*x as usize] == ANY) => continue,
            Op::Atomic(guard, update) => match before_atomic(memory, guard, update) {
                Some(before) => before,
                None => continue,
            },
            Op::Write(..) | Op::Nop | Op::Fence | Op::Read(..) => continue,
        };
        let label = Label::Take(t as u32);
        see(Visible { state: transition.from, buffer: Buffer::new(), memory: before, label });
    }
}
