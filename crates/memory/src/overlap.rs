//! Members of unions that share bytes: a write to one is seen through the others.
//!
//! Cells of different size that overlap stand beside each other in a state. Whenever one reaches memory,
//! the others are brought in line with it, byte by byte, the lowest first as on x86. Bytes that
//! nobody has written count as zero once a byte beside them in the same scalar is written. Handles and
//! mutexes have no bytes and share none.

use crate::machine::Machine;
use crate::model::Memory;
use crate::state::State;
use fencepost_ir::cfg::{Loc, ObjectId};
use fencepost_ir::{Cell, Scalar, pointer};

/// What a cell holds after a write to one that shares bytes with it.
fn combined(cell: Cell, old: i64, written: Cell, value: i64) -> i64 {
    let plain = |ty| matches!(ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
    if !plain(cell.ty) || !plain(written.ty) {
        return old;
    }
    // A pointer of 4 bytes that has no narrow form shows the low half of its word.
    let bytes_of = |ty: Scalar, value: i64| match ty {
        Scalar::Pointer { bits: 32 } => pointer::narrow(value).map_or(value, i64::from).to_le_bytes(),
        _ => value.to_le_bytes(),
    };
    let mut bytes = bytes_of(cell.ty, old);
    for (i, byte) in bytes_of(written.ty, value).into_iter().enumerate().take(written.ty.size() as usize) {
        let place = (written.offset + i as u64).checked_sub(cell.offset);
        if let Some(place) = place.filter(|p| *p < cell.ty.size()) {
            bytes[place as usize] = byte;
        }
    }
    let value = i64::from_le_bytes(bytes);
    match cell.ty {
        Scalar::Int(int) => int.wrap(value.into()),
        Scalar::Pointer { bits: 32 } => pointer::widen(value as u32),
        Scalar::Pointer { .. } => value,
        Scalar::Bool => i64::from(value & 0xff != 0),
        Scalar::Range { .. } | Scalar::Integer | Scalar::Thread | Scalar::Mutex => old,
    }
}

/// The object that a cell belongs to.
#[derive(Clone, Copy)]
enum Home {
    Allocated(ObjectId),
    /// One of the program's, by its first cell.
    Named(u32),
}

impl Home {
    fn cell(self, number: usize) -> Option<Loc> {
        match self {
            Home::Allocated(object) => Loc::element(object, number as i64),
            Home::Named(base) => Some(Loc::cell(base + number as u32)),
        }
    }
}

impl Machine<'_> {
    /// Where a cell lies in its object, and the cells that share bytes with it.
    fn overlapping(&self, state: &State, loc: Loc) -> Option<(Cell, Vec<(Loc, Cell)>)> {
        if !self.overlaps {
            return None;
        }
        let (layout, bytes, number, home) = match loc.as_element() {
            Some((object, number)) => {
                let allocated = state.heap_object(object)?;
                let layout = &self.heap_layouts[allocated.ty.index()];
                (layout, allocated.bytes, number as usize, Home::Allocated(object))
            }
            None => {
                let cell = loc.index() as u32;
                let object = self.bases.partition_point(|base| *base <= cell) - 1;
                let base = self.bases[object];
                let bytes = self.program.records.size(&self.program.object(ObjectId(object as u32)).ty);
                (&self.layouts[object], bytes, (cell - base) as usize, Home::Named(base))
            }
        };
        if !layout.has_overlaps() {
            return None;
        }
        let (cell, others) = layout.overlapping(bytes, number);
        let others: Option<Vec<_>> =
            others.into_iter().map(|(n, cell)| Some((home.cell(n)?, cell))).collect();
        others.filter(|o| !o.is_empty()).map(|others| (cell, others))
    }

    /// The cells that share bytes with a cell, itself not among them.
    pub fn sharing(&self, state: &State, loc: Loc) -> Vec<Loc> {
        self.overlapping(state, loc)
            .map_or(Vec::new(), |(_, others)| others.into_iter().map(|o| o.0).collect())
    }

    /// Whether two cells are one or share bytes.
    pub(crate) fn touches(&self, state: &State, a: Loc, b: Loc) -> bool {
        a == b
            || self
                .overlapping(state, a)
                .is_some_and(|(_, others)| others.iter().any(|(other, _)| *other == b))
    }

    /// Brings the cells that share bytes with one in line with it.
    pub(crate) fn spread(&self, state: &mut State, loc: Loc) {
        if !state.is_written(loc) {
            return;
        }
        let Some((cell, others)) = self.overlapping(state, loc) else { return };
        let value = state.read(loc);
        for (other, other_cell) in others {
            let new = combined(other_cell, state.read(other), cell, value);
            state.write(other, new);
        }
    }

    /// The same for initial values: of members that share bytes at most one has a value.
    pub(crate) fn spread_initial(&self, state: &mut State) {
        if !self.overlaps {
            return;
        }
        for cell in 0..state.cells.len() as u32 {
            if state.cells[cell as usize] != 0 {
                self.spread(state, Loc::cell(cell));
            }
        }
    }

    /// What a load sees: own stores that have not reached memory, also through other members.
    pub(crate) fn load(&self, memory: &impl Memory, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let seen = memory.load(state, thread, loc)?;
        let buffer = &state.threads[thread].buffer;
        if buffer.is_empty() {
            return Some(seen);
        }
        let Some((cell, others)) = self.overlapping(state, loc) else { return Some(seen) };
        let mut value = state.read(loc);
        for entry in buffer {
            if entry.loc == loc {
                value = entry.value;
            } else if let Some((_, other)) = others.iter().find(|(other, _)| *other == entry.loc) {
                value = combined(cell, value, *other, entry.value);
            }
        }
        Some(value)
    }

    /// Stores to the same bytes stay in order, also where stores can overtake each other.
    pub(crate) fn order_overlapping(&self, memory: &impl Memory, state: &mut State, thread: usize, loc: Loc) {
        let shares = |e: &crate::state::Entry| e.loc != loc && self.touches(state, loc, e.loc);
        if state.threads[thread].buffer.iter().any(shares) {
            memory.store_store_fence(state, thread);
        }
    }
}
