//! The order of configurations (Abdulla et al., CONCUR 2016, sections 4.2 and 6) with open values, and
//! the basis in a form that finds an element below a configuration fast.
//!
//! For both sides an element stands for a set of configurations: `below` holds only if every
//! configuration that the upper one stands for is one that the lower one stands for. Since each has at
//! most one own message of a cell (`shape` sees to it), all its own messages are the newest of
//! their cells, and the messages between them are plain.
//!
//! Threads match only if group, state and the cells of their own messages agree: this is a thread's key.
//! The basis is a tree over sorted keys, so that only elements whose keys all occur are looked at.

use fencepost_task::certificate::{CertifiedConfiguration, CertifiedMessage, CertifiedProcess, Open};
use std::collections::HashMap;

/// Whether what is fixed below is the same above.
fn value_is_below(below: Open, above: Open) -> bool {
    below.is_none() || below == above
}

/// Whether all buffers that `above` stands for are ones that `below` stands for.
pub(super) fn buffer_is_below(below: &[CertifiedMessage], above: &[CertifiedMessage]) -> bool {
    let mut rest = above.iter();
    for message in below {
        loop {
            let Some(other) = rest.next() else { return false };
            let same = message.own == other.own
                && message.variable == other.variable
                && value_is_below(message.value, other.value);
            match (same, other.own) {
                (true, _) => break,
                // Own messages may not be passed over: each has its counterpart.
                (false, true) => return false,
                (false, false) => {}
            }
        }
    }
    rest.all(|other| !other.own)
}

fn memory_is_below(below: &[Open], above: &[Open]) -> bool {
    below.iter().zip(above).all(|(b, a)| value_is_below(*b, *a))
}

/// Group, state, cells of own messages.
type Key = (u32, u32, Vec<u32>);

fn key(process: &CertifiedProcess) -> Key {
    let own = process.buffer.iter().filter(|m| m.own).map(|m| m.variable);
    (process.group, process.state, own.collect())
}

#[derive(Default)]
struct Node {
    children: HashMap<u32, usize>,
    elements: Vec<usize>,
}

/// A basis that can be asked.
pub(super) struct Basis<'a> {
    elements: &'a [CertifiedConfiguration],
    keys: HashMap<Key, u32>,
    nodes: Vec<Node>,
}

impl<'a> Basis<'a> {
    pub(super) fn new(elements: &'a [CertifiedConfiguration]) -> Basis<'a> {
        let mut basis = Basis { elements, keys: HashMap::new(), nodes: vec![Node::default()] };
        for (i, element) in elements.iter().enumerate() {
            let mut keys = Vec::new();
            for process in &element.processes {
                let number = basis.keys.len() as u32;
                keys.push(*basis.keys.entry(key(process)).or_insert(number));
            }
            keys.sort_unstable();
            let mut node = 0;
            for key in keys {
                let new = basis.nodes.len();
                let child = *basis.nodes[node].children.entry(key).or_insert(new);
                if child == new {
                    basis.nodes.push(Node::default());
                }
                node = child;
            }
            basis.nodes[node].elements.push(i);
        }
        basis
    }

    /// Whether an element is below the configuration.
    pub(super) fn is_below(&self, above: &CertifiedConfiguration) -> bool {
        let known = above.processes.iter().filter_map(|p| self.keys.get(&key(p)).copied());
        let mut keys: Vec<u32> = known.collect();
        keys.sort_unstable();
        self.search(0, &keys, above)
    }

    fn search(&self, node: usize, keys: &[u32], above: &CertifiedConfiguration) -> bool {
        let Node { children, elements } = &self.nodes[node];
        if elements.iter().any(|i| is_below(&self.elements[*i], above)) {
            return true;
        }
        if children.is_empty() {
            return false;
        }
        let mut previous = None;
        for (i, key) in keys.iter().enumerate() {
            // Of equal keys the first one is taken first.
            if previous.replace(key) != Some(key)
                && let Some(child) = children.get(key)
                && self.search(*child, &keys[i + 1..], above)
            {
                return true;
            }
        }
        false
    }
}

/// Whether all configurations that `above` stands for are ones that `below` stands for.
fn is_below(below: &CertifiedConfiguration, above: &CertifiedConfiguration) -> bool {
    if !memory_is_below(&below.memory, &above.memory) {
        return false;
    }
    // Each thread below needs one of its own above: augmenting paths.
    let mut taken_by: Vec<Option<usize>> = vec![None; above.processes.len()];
    (0..below.processes.len()).all(|p| {
        let mut tried = vec![false; above.processes.len()];
        place(below, above, p, &mut tried, &mut taken_by)
    })
}

fn place(
    below: &CertifiedConfiguration,
    above: &CertifiedConfiguration,
    process: usize,
    tried: &mut [bool],
    taken_by: &mut [Option<usize>],
) -> bool {
    let wanted = &below.processes[process];
    for (i, offered) in above.processes.iter().enumerate() {
        let fits = wanted.group == offered.group
            && wanted.state == offered.state
            && !tried[i]
            && buffer_is_below(&wanted.buffer, &offered.buffer);
        if !fits {
            continue;
        }
        tried[i] = true;
        if taken_by[i].is_none_or(|other| place(below, above, other, tried, taken_by)) {
            taken_by[i] = Some(process);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &str) -> Vec<CertifiedMessage> {
        let message = |word: &str| {
            let own = word.starts_with('!');
            let word = word.trim_start_matches('!');
            let (variable, value) = (word.as_bytes()[0] - b'x', &word[1..]);
            CertifiedMessage { variable: variable.into(), value: value.parse().ok(), own }
        };
        text.split_whitespace().map(message).collect()
    }

    #[test]
    fn buffers_with_the_same_own_messages_are_compared_between_them() {
        for (below, above) in [
            ("", ""),
            ("", "x0 y1"),
            ("x0", "y1 x0 x1"),
            ("!x*", "!x1"),
            ("!x1", "y0 !x1 y0"),
            ("y0 !x1 y0", "y0 y1 !x1 y1 y0"),
            ("!x* !y1", "z0 !x0 !y1"),
        ] {
            assert!(buffer_is_below(&buffer(below), &buffer(above)), "{below} / {above}");
        }
        for (below, above) in [
            ("x0", ""),
            ("", "!x1"),
            ("!x1", ""),
            ("!x1", "!x*"),
            ("!x1", "x1"),
            ("x1", "!x1"),
            ("y0 !x1", "!x1 y0"),
            ("!x1 !y1", "!y1 !x1"),
            ("x0 x1", "x1 x0"),
        ] {
            assert!(!buffer_is_below(&buffer(below), &buffer(above)), "{below} / {above}");
        }
    }

    fn configuration(buffers: &[&str]) -> CertifiedConfiguration {
        let process = |b: &&str| CertifiedProcess { group: 0, state: 0, buffer: buffer(b) };
        CertifiedConfiguration { processes: buffers.iter().map(process).collect(), memory: vec![None] }
    }

    #[test]
    fn threads_of_a_group_may_change_places() {
        let below = [configuration(&["x0", ""])];
        let basis = Basis::new(&below);
        assert!(basis.is_below(&configuration(&["", "x0"])));
        assert!(basis.is_below(&configuration(&["x0 y0", "x0"])));
        assert!(basis.is_below(&configuration(&["!x0", "x0", ""])));
        assert!(!basis.is_below(&configuration(&["x0"])));
        assert!(!basis.is_below(&configuration(&["", "", "!x0"])));
    }
}
