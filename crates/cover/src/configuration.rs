//! Configurations of the backward search and their ordering (Abdulla et al., CONCUR 2016, sections 4.2
//! and 6).
//!
//! A configuration stands for all that are above it: memory with any value where it has a wildcard,
//! more messages in the buffers, more threads. Threads of one group run the same automaton and are
//! interchangeable, so they are kept sorted; a thread that is not constrained is left out.
//!
//! A buffer has its newest message first. Between the own messages of the two buffers, which must
//! agree in number, variable and order, the smaller one's plain messages are a subword of the larger
//! one's. A minimal element has one own message for each variable at most.

use crate::automaton::{Value, Var};
use std::cmp::Ordering;

/// Any value.
pub const ANY: Value = Value::MAX;

/// A message in a load buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Message {
    /// Its variable.
    pub var: Var,
    /// Its value; own messages may leave it open.
    pub value: Value,
    /// Whether the thread wrote it itself.
    pub own: bool,
}

/// A load buffer, newest message first.
pub type Buffer = Vec<Message>;

/// A thread in a configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Process {
    /// Its group.
    pub group: u16,
    /// Its control state.
    pub state: u32,
    /// Its load buffer.
    pub buffer: Buffer,
}

/// A configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Configuration {
    /// Sorted.
    pub processes: Vec<Process>,
    /// For each variable its value, or [`ANY`].
    pub memory: Vec<Value>,
}

/// Whether a value of the smaller side allows one of the larger.
fn allows(small: Value, large: Value) -> bool {
    small == ANY || small == large
}

/// Whether `small` is below `large`.
pub fn buffer_below(small: &[Message], large: &[Message]) -> bool {
    let mut rest = small.iter().peekable();
    for message in large {
        match rest.peek() {
            Some(m) if m.own && message.own => {
                if m.var != message.var || !allows(m.value, message.value) {
                    return false;
                }
                rest.next();
            }
            _ if message.own => return false,
            Some(m) if !m.own && **m == *message => {
                rest.next();
            }
            Some(_) | None => {}
        }
    }
    rest.next().is_none()
}

/// Whether memory `small` is below `large`.
pub fn memory_below(small: &[Value], large: &[Value]) -> bool {
    small.iter().zip(large).all(|(s, l)| allows(*s, *l))
}

impl Configuration {
    /// Whether everything above `other` is above `self`: every process of `self` finds one of its own
    /// in `other`.
    pub fn is_below(&self, other: &Configuration) -> bool {
        self.processes.len() <= other.processes.len()
            && memory_below(&self.memory, &other.memory)
            && embeds(&self.processes, &other.processes)
    }
}

/// Whether each process of `small` has a different one above it in `large`. Both are sorted, so
/// processes in the same state are together, and only these can be matched.
fn embeds(small: &[Process], large: &[Process]) -> bool {
    let key = |p: &Process| (p.group, p.state);
    let (mut i, mut j) = (0, 0);
    while i < small.len() {
        let here = key(&small[i]);
        let end = small[i..].iter().position(|p| key(p) != here).map_or(small.len(), |n| i + n);
        while j < large.len() && key(&large[j]).cmp(&here) == Ordering::Less {
            j += 1;
        }
        let large_end = large[j..].iter().position(|p| key(p) != here).map_or(large.len(), |n| j + n);
        if large_end - j < end - i || !matches(&small[i..end], &large[j..large_end]) {
            return false;
        }
        (i, j) = (end, large_end);
    }
    true
}

/// Whether each of `small` can have one of `large` to itself: a matching, by augmenting paths.
fn matches(small: &[Process], large: &[Process]) -> bool {
    if let ([only], [other]) = (small, large) {
        return buffer_below(&only.buffer, &other.buffer);
    }
    let mut taken_by: Vec<Option<usize>> = vec![None; large.len()];
    (0..small.len()).all(|i| finds_place(i, small, large, &mut vec![false; large.len()], &mut taken_by))
}

/// Finds a place for one more, moving others where need be.
fn finds_place(
    number: usize,
    small: &[Process],
    large: &[Process],
    tried: &mut [bool],
    taken_by: &mut [Option<usize>],
) -> bool {
    for i in 0..large.len() {
        if tried[i] || !buffer_below(&small[number].buffer, &large[i].buffer) {
            continue;
        }
        tried[i] = true;
        if taken_by[i].is_none_or(|other| finds_place(other, small, large, tried, taken_by)) {
            taken_by[i] = Some(number);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All buffers of up to `n` messages over two variables and two values.
    fn buffers(n: usize) -> Vec<Buffer> {
        let mut all = vec![Buffer::new()];
        let mut last = all.clone();
        for _ in 0..n {
            let mut next = Vec::new();
            for buffer in &last {
                for var in 0..2 {
                    for (value, own) in [(0, false), (1, false), (0, true), (1, true), (ANY, true)] {
                        let mut longer = buffer.clone();
                        longer.push(Message { var, value, own });
                        next.push(longer);
                    }
                }
            }
            all.extend(next.iter().cloned());
            last = next;
        }
        all
    }

    #[test]
    fn the_order_of_buffers_is_reflexive_and_transitive() {
        let all = buffers(2);
        for a in &all {
            assert!(buffer_below(a, a), "{a:?}");
            for b in all.iter().filter(|b| buffer_below(a, b)) {
                for c in all.iter().filter(|c| buffer_below(b, c)) {
                    assert!(buffer_below(a, c), "{a:?} {b:?} {c:?}");
                }
            }
        }
    }

    #[test]
    fn processes_are_matched_one_to_one() {
        let plain = |value| vec![Message { var: 0, value, own: false }];
        let process = |state, buffer: Buffer| Process { group: 0, state, buffer };
        let configuration = |mut processes: Vec<Process>| {
            processes.sort();
            Configuration { processes, memory: vec![ANY] }
        };
        let two = configuration(vec![process(1, plain(0)), process(1, plain(1))]);
        let empty_and_one = configuration(vec![process(1, Vec::new()), process(1, plain(1))]);
        let three = configuration(vec![process(1, plain(0)), process(1, plain(1)), process(2, plain(1))]);
        assert!(empty_and_one.is_below(&two));
        assert!(!two.is_below(&empty_and_one));
        assert!(two.is_below(&three) && !three.is_below(&two));
        let twice = configuration(vec![process(1, plain(1)), process(1, plain(1))]);
        assert!(!twice.is_below(&two));
    }
}
