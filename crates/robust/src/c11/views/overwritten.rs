//! What the monitor remembers of writes that are not the newest of their cell: of those with one value together, the least that any
//! of them passes on to who reads it, and the earliest of their positions.
//!
//! Reading one of them, or writing right after one, are steps that SC does not have. Which of several writes with the same value it is, is
//! not remembered: where these differ, more is possible here than in RC11, and never less.

use super::{Cut, Entry, Knower, Part, Row, Shape, Views};
use fencepost_explore::codec::{put_number, take_number};
use std::collections::BTreeMap;

/// The writes of one cell with one value that have been overwritten.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Old {
    /// The views that they pass on.
    parts: Vec<Entry>,
    /// The accesses that are not known to who reads them.
    unordered: Vec<u8>,
    /// The cell's entry in a view that knows the first of them and nothing later.
    position: Entry,
}

/// All of them, by the number of the cell and the bit of the value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct OldWrites {
    writes: BTreeMap<(usize, u32), Old>,
    /// Whether one of them has been read, or written after.
    taken: bool,
}

/// A cut by itself.
struct Message {
    parts: Vec<Entry>,
    unordered: Vec<u8>,
}

impl Message {
    /// What both know.
    fn joined(mut self, other: &Message) -> Message {
        self.parts.iter_mut().zip(&other.parts).for_each(|(a, b)| *a &= b);
        self.unordered.iter_mut().zip(&other.unordered).for_each(|(a, b)| *a &= b);
        self
    }
}

impl OldWrites {
    /// A write replaces a value, which may still be seen.
    pub fn replace(&mut self, cell: usize, cells: usize, value: Entry) {
        for ((of, _), old) in &mut self.writes {
            old.parts.iter_mut().skip(cell).step_by(cells).for_each(|entry| *entry |= value);
            if *of == cell {
                old.position |= value;
            }
        }
    }

    /// A value is written before the newest one: who knows the newest cannot see it.
    fn insert(&mut self, cell: usize, cells: usize, value: Entry) {
        for ((of, _), old) in &mut self.writes {
            let own = old.parts.iter_mut().skip(cell).step_by(cells);
            own.filter(|entry| **entry != 0).for_each(|entry| *entry |= value);
            if *of == cell && old.position != 0 {
                old.position |= value;
            }
        }
    }

    /// A thread accesses a cell.
    pub fn mark(&mut self, place: usize, bit: u8) {
        self.writes.values_mut().for_each(|old| old.unordered[place] |= bit);
    }

    /// Appends its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.taken));
        put_number(out, self.writes.len() as u64);
        for ((cell, bit), old) in &self.writes {
            put_number(out, *cell as u64);
            put_number(out, u64::from(*bit));
            for entry in old.parts.iter().chain([&old.position]) {
                super::put_entry(out, *entry);
            }
            out.extend_from_slice(&old.unordered);
        }
    }

    /// Takes its bytes.
    pub fn decode(input: &mut &[u8], shape: &Shape) -> OldWrites {
        let (taken, rest) = input.split_first().expect("it was encoded");
        *input = rest;
        let (parts, marks) = (shape.parts() * shape.cells.len(), shape.cells.len() * shape.threads);
        let mut writes = BTreeMap::new();
        for _ in 0..take_number(input) {
            let key = (take_number(input) as usize, take_number(input) as u32);
            let parts = (0..parts).map(|_| super::take_entry(input)).collect();
            let position = super::take_entry(input);
            let (unordered, rest) = input.split_at(marks);
            writes.insert(key, Old { parts, position, unordered: unordered.to_vec() });
            *input = rest;
        }
        OldWrites { writes, taken: *taken == 1 }
    }
}

impl Views {
    /// Whether an older write has been read, or written after.
    pub fn has_taken_old(&self) -> bool {
        self.old.as_ref().is_some_and(|old| old.taken)
    }

    fn copied(&self, cut: Cut) -> Message {
        let parts = self.shape.parts() * self.shape.cells.len();
        let marks = self.shape.cells.len() * self.shape.threads;
        let number = self.shape.cut(cut);
        Message {
            parts: self.entries[number * parts..(number + 1) * parts].to_vec(),
            unordered: self.unordered[number * marks..(number + 1) * marks].to_vec(),
        }
    }

    /// The newest write of a cell, with this value, has just been overwritten, which added `value` to the views.
    pub fn keep_old(&mut self, cell: usize, bit: u32, value: Entry) {
        if self.old.is_some() {
            let message = self.copied(Cut::Message(cell));
            self.add_old(cell, bit, message, value);
        }
    }

    fn add_old(&mut self, cell: usize, bit: u32, message: Message, position: Entry) {
        let Some(OldWrites { writes, .. }) = &mut self.old else { return };
        let Message { parts, unordered } = message;
        match writes.get_mut(&(cell, bit)) {
            None => {
                writes.insert((cell, bit), Old { parts, unordered, position });
            }
            Some(old) => {
                old.parts.iter_mut().zip(&parts).for_each(|(a, b)| *a |= b);
                old.unordered.iter_mut().zip(&unordered).for_each(|(a, b)| *a |= b);
                old.position |= position;
            }
        }
    }

    fn old(&self, cell: usize, bit: u32) -> &Old {
        let old = self.old.as_ref().and_then(|old| old.writes.get(&(cell, bit)));
        old.expect("a value that may be seen was written and overwritten")
    }

    /// A cut takes what an old write passes on.
    pub fn take_old(&mut self, cut: Cut, cell: usize, bit: u32) {
        let old = self.old(cell, bit).clone();
        let number = self.shape.cut(cut);
        let start = number * old.parts.len();
        self.entries[start..].iter_mut().zip(&old.parts).for_each(|(a, b)| *a &= b);
        let start = number * old.unordered.len();
        self.unordered[start..].iter_mut().zip(&old.unordered).for_each(|(a, b)| *a &= b);
    }

    /// A thread sees an old write, and nothing before it from then on.
    pub fn reach_old(&mut self, t: usize, cell: usize, bit: u32) {
        let position = self.old(cell, bit).position;
        let start = self.start(Row::In(Cut::Current(t), Part::Seen));
        self.entries[start + cell] &= position;
    }

    /// A thread writes a value before the newest write. It passes on what both of these cuts know, and for a read-modify-write what it read
    /// passes on.
    pub fn write_old(&mut self, t: usize, cell: usize, bit: u32, passes_on: [Cut; 2], read: Option<u32>) {
        let value = 1 << bit | 1 << (bit as usize + super::MAX_VALUES);
        let cells = self.shape.cells.len();
        let own = self.entries.iter_mut().skip(cell).step_by(cells);
        own.filter(|entry| **entry != 0).for_each(|entry| *entry |= value);
        self.old.as_mut().expect("old writes are remembered").insert(cell, cells, value);
        let [first, second] = passes_on.map(|cut| self.copied(cut));
        let mut message = first.joined(&second);
        if let Some(read) = read {
            let old = self.old(cell, read);
            message = message.joined(&Message { parts: old.parts.clone(), unordered: old.unordered.clone() });
        }
        let position = self.entry(Row::In(Cut::Current(t), Part::Seen), cell);
        self.add_old(cell, bit, message, position);
    }

    /// From now on a thread need not know the newest write to take an older one: what was taken is not part of the order of SC.
    pub fn leave_sc(&mut self) {
        if let Some(old) = &mut self.old {
            old.taken = true;
        }
    }

    /// The old writes with other threads and cells.
    pub(super) fn reshaped_old(&self, new: &Views, old_cell: &[Option<usize>]) -> Option<OldWrites> {
        let old = self.old.as_ref()?;
        let (shape, cells) = (&new.shape, self.shape.cells.len());
        let part_before = |part: Part| match part {
            Part::Here(x, side) => old_cell[x].map(|x| self.shape.part(Part::Here(x, side))),
            other => Some(self.shape.part(other)),
        };
        let nothing = |x: usize| self.entry(Row::In(Cut::Nothing, Part::Seen), x);
        let mut writes = BTreeMap::new();
        for (x, was) in old_cell.iter().enumerate() {
            let Some(was) = *was else { continue };
            for ((_, bit), write) in old.writes.range((was, 0)..=(was, u32::MAX)) {
                let mut parts = Vec::new();
                for part in shape.all_parts() {
                    let entry =
                        |y: usize| part_before(part).map_or(nothing(y), |p| write.parts[p * cells + y]);
                    parts.extend(old_cell.iter().map(|y| y.map_or(0, entry)));
                }
                let mut unordered = Vec::new();
                for y in old_cell {
                    let mark = |t: usize| match y {
                        Some(y) if t < self.shape.threads => write.unordered[y * self.shape.threads + t],
                        _ => 0,
                    };
                    unordered.extend((0..shape.threads).map(mark));
                }
                writes.insert((x, *bit), Old { parts, unordered, position: write.position });
            }
        }
        Some(OldWrites { writes, taken: old.taken })
    }

    /// Whether the thread may take an older write at all: it knows the newest, or the run has left SC before.
    pub fn may_take_old(&self, t: usize, cell: usize) -> bool {
        self.has_taken_old() || self.knows(Knower::Thread(t), cell)
    }
}
