//! The states found so far: exact, packed, numbered in the order they were found.
//!
//! States are records in an arena: their length, then their bytes, aligned to [`ALIGN`]. The hash
//! table holds the places of the records and compares whole states, so no two states are ever
//! taken for one; a look-up touches the table and one record. Each state remembers its parent and
//! which of the parent's successors it is, from which a run can be rebuilt.

use hashbrown::HashTable;
use std::hash::Hasher;

/// A state's number.
pub type StateId = u32;

/// A record's place in the arena, in units of [`ALIGN`].
type Place = u32;

const ALIGN: usize = 4;

/// Bytes of a chunk of the arena; a record lies within one.
const CHUNK: usize = 1 << 24;

/// A length byte that says: four bytes of length follow.
const LONG: u8 = u8::MAX;

/// The arena cannot take the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

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
    places: Vec<Place>,
    origins: Vec<Origin>,
    table: HashTable<Place>,
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn record(chunks: &[Vec<u8>], place: Place) -> &[u8] {
    let at = place as usize * ALIGN;
    let bytes = &chunks[at / CHUNK][at % CHUNK..];
    match bytes[0] {
        LONG => {
            let length = u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
            &bytes[5..5 + length as usize]
        }
        length => &bytes[1..1 + usize::from(length)],
    }
}

/// Makes room for more by an eighth of what there is: doubling would leave half of the memory empty.
fn grow_slowly<T>(items: &mut Vec<T>, more: usize) {
    if items.len() + more > items.capacity() {
        items.reserve_exact(more + items.len() / 8 + 64);
    }
}

impl Store {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The bytes of a state.
    pub fn get(&self, id: StateId) -> &[u8] {
        record(&self.chunks, self.places[id as usize])
    }

    /// How a state was reached.
    pub fn origin(&self, id: StateId) -> Origin {
        self.origins[id as usize]
    }

    /// Adds a state; `None` if it is known. `origin` is `None` for an initial state.
    pub fn insert(
        &mut self,
        bytes: &[u8],
        origin: Option<StateId>,
        ordinal: u32,
    ) -> Result<Option<StateId>, Full> {
        let hash_value = hash(bytes);
        if self.table.find(hash_value, |&place| record(&self.chunks, place) == bytes).is_some() {
            return Ok(None);
        }
        let place = self.append(bytes)?;
        let Store { chunks, table, .. } = self;
        table.insert_unique(hash_value, place, |&place| hash(record(chunks, place)));
        let id = self.places.len() as StateId;
        grow_slowly(&mut self.places, 1);
        self.places.push(place);
        grow_slowly(&mut self.origins, 1);
        self.origins.push(Origin { parent: origin.unwrap_or(id), ordinal });
        Ok(Some(id))
    }

    /// Writes a record.
    fn append(&mut self, bytes: &[u8]) -> Result<Place, Full> {
        let needed = bytes.len() + 5 + ALIGN;
        if needed > CHUNK || self.places.len() >= StateId::MAX as usize {
            return Err(Full);
        }
        if self.chunks.last().is_none_or(|c| c.len() + needed > CHUNK) {
            self.chunks.push(Vec::new());
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        grow_slowly(chunk, needed);
        let place = Place::try_from((number * CHUNK + chunk.len()) / ALIGN).map_err(|_| Full)?;
        match u8::try_from(bytes.len()) {
            Ok(length) if length != LONG => chunk.push(length),
            _ => {
                chunk.push(LONG);
                chunk.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            }
        }
        chunk.extend_from_slice(bytes);
        chunk.resize(chunk.len().next_multiple_of(ALIGN), 0);
        Ok(place)
    }

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        let arena: usize = self.chunks.iter().map(Vec::capacity).sum();
        // One control byte and one number for each bucket; buckets are a power of two.
        let buckets = (self.table.capacity() * 8 / 7).next_power_of_two();
        let table = buckets * (size_of::<Place>() + 1);
        let numbers =
            self.places.capacity() * size_of::<Place>() + self.origins.capacity() * size_of::<Origin>();
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
    fn agrees_with_a_plain_set() {
        let mut store = Store::default();
        let mut plain = std::collections::HashSet::new();
        for i in 0..200_000u32 {
            // Lengths around the border between short and long, and everything twice.
            let bytes = (i / 2).to_le_bytes().repeat(if i % 100 < 2 { 63 + i as usize / 100 % 3 } else { 1 });
            let new = plain.insert(bytes.clone());
            let id = store.insert(&bytes, None, i).unwrap();
            assert_eq!(id.is_some(), new);
            if let Some(id) = id {
                assert_eq!(store.get(id), bytes);
            }
        }
        assert_eq!(store.len(), plain.len());
    }

    #[test]
    fn records_fill_several_chunks() {
        let mut store = Store::default();
        let large = |i: u8| vec![i; CHUNK / 3];
        for i in 0..5 {
            assert_eq!(store.insert(&large(i), None, 0), Ok(Some(i.into())));
        }
        for i in 0..5 {
            assert_eq!(store.get(i.into()), large(i));
            assert_eq!(store.insert(&large(i), None, 0), Ok(None));
        }
        assert_eq!(store.insert(&vec![0; CHUNK], None, 0), Err(Full));
    }

    #[test]
    fn a_path_starts_at_an_initial_state() {
        let mut store = Store::default();
        let mut insert = |bytes: &[u8], origin, ordinal| store.insert(bytes, origin, ordinal).unwrap();
        let a = insert(b"a", None, 7).unwrap();
        let b = insert(b"b", Some(a), 1).unwrap();
        let c = insert(b"c", Some(b), 2).unwrap();
        assert_eq!(insert(b"b", Some(c), 9), None);
        assert_eq!(store.path(c), [(a, 7), (b, 1), (c, 2)]);
        assert_eq!(store.get(b), b"b");
    }
}
