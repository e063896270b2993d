//! The states found so far: exact, packed, numbered in the order they were found.
//!
//! States are byte strings in an arena. The hash table holds numbers only and compares whole
//! states, so no two states are ever taken for one. Each state remembers its parent and which of
//! the parent's successors it is, from which a run can be rebuilt.

use hashbrown::HashTable;
use std::hash::Hasher;

/// A state's number.
pub type StateId = u32;

/// States of one chunk; offsets within a chunk fit 32 bits.
const CHUNK: usize = 1 << 16;

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The state before; itself for an initial state.
    pub parent: StateId,
    /// Which of its successors, or which initial state.
    pub ordinal: u32,
}

/// A set of states.
#[derive(Default)]
pub struct Store {
    chunks: Vec<Vec<u8>>,
    ends: Vec<u32>,
    origins: Vec<Origin>,
    table: HashTable<StateId>,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn slice<'a>(chunks: &'a [Vec<u8>], ends: &[u32], id: StateId) -> &'a [u8] {
    let index = id as usize;
    let start = if index.is_multiple_of(CHUNK) { 0 } else { ends[index - 1] };
    &chunks[index / CHUNK][start as usize..ends[index] as usize]
}

impl Store {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a state.
    pub fn get(&self, id: StateId) -> &[u8] {
        slice(&self.chunks, &self.ends, id)
    }

    /// How a state was reached.
    pub fn origin(&self, id: StateId) -> Origin {
        self.origins[id as usize]
    }

    /// Adds a state; `None` if it is known. `origin` is `None` for an initial state.
    pub fn insert(&mut self, bytes: &[u8], origin: Option<StateId>, ordinal: u32) -> Option<StateId> {
        let hash_value = hash(bytes);
        let Store { chunks, ends, table, .. } = self;
        if table.find(hash_value, |&id| slice(chunks, ends, id) == bytes).is_some() {
            return None;
        }
        let id = ends.len();
        assert!(id < StateId::MAX as usize, "the memory limit ends a search long before 2^32 states");
        if id.is_multiple_of(CHUNK) {
            chunks.push(Vec::new());
        }
        let chunk = chunks.last_mut().expect("pushed above");
        chunk.extend_from_slice(bytes);
        ends.push(chunk.len() as u32);
        let id = id as StateId;
        table.insert_unique(hash_value, id, |&id| hash(slice(chunks, ends, id)));
        self.origins.push(Origin { parent: origin.unwrap_or(id), ordinal });
        Some(id)
    }

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        let arena: usize = self.chunks.iter().map(Vec::capacity).sum();
        // One control byte and one number for each bucket; buckets are a power of two.
        let buckets = (self.table.capacity() * 8 / 7).next_power_of_two();
        let table = buckets * (size_of::<StateId>() + 1);
        let numbers = self.ends.capacity() * size_of::<u32>() + self.origins.capacity() * size_of::<Origin>();
        (arena + table + numbers) as u64
    }

    /// The states from an initial one to `id`, with the number of each step.
    pub fn path(&self, id: StateId) -> Vec<(StateId, u32)> {
        let mut path = Vec::new();
        let mut at = id;
        loop {
            let origin = self.origin(at);
            path.push((at, origin.ordinal));
            if origin.parent == at {
                path.reverse();
                return path;
            }
            at = origin.parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_plain_set_across_chunks() {
        let mut store = Store::default();
        let mut plain = std::collections::HashSet::new();
        for i in 0..3 * CHUNK as u32 {
            let bytes = (i / 2).to_le_bytes();
            let bytes = &bytes[..1 + i as usize % 4];
            let new = plain.insert(bytes.to_vec());
            let id = store.insert(bytes, None, i);
            assert_eq!(id.is_some(), new);
            if let Some(id) = id {
                assert_eq!(store.get(id), bytes);
            }
        }
        assert_eq!(store.len(), plain.len());
        assert!(store.len() > CHUNK);
    }

    #[test]
    fn a_path_starts_at_an_initial_state() {
        let mut store = Store::default();
        let a = store.insert(b"a", None, 7).unwrap();
        let b = store.insert(b"b", Some(a), 1).unwrap();
        let c = store.insert(b"c", Some(b), 2).unwrap();
        assert_eq!(store.insert(b"b", Some(c), 9), None);
        assert_eq!(store.path(c), [(a, 7), (b, 1), (c, 2)]);
        assert_eq!(store.get(b), b"b");
    }
}
