//! Accesses that cover several cells: one event on all of them.
//!
//! An object is cut into cells; an access covers whole ones. Its value is the cells' bits one after the other, the lowest
//! first as on x86. A store enters the buffer as one, reaches memory as one, and a load takes each cell from the newest own
//! store that has it, else from memory, all at one moment. A cell that was never written counts as zero once another
//! one of the same access is written.

use crate::machine::{Machine, Resolved, View};
use crate::model::Memory;
use crate::state::State;
use fencepost_ir::cfg::Loc;
use fencepost_ir::{Fault, Scalar};

/// Most cells of an access: it has at most 8 bytes.
const MOST: usize = 8;

/// What a store writes: cells and their new values.
pub(crate) struct Parts {
    cells: [(Loc, i64); MOST],
    len: usize,
}

impl std::ops::Deref for Parts {
    type Target = [(Loc, i64)];

    fn deref(&self) -> &[(Loc, i64)] {
        &self.cells[..self.len]
    }
}

impl Machine<'_> {
    /// The value of an access, from what each of its cells holds.
    pub fn joined(&self, state: &State, place: Resolved, cell: impl Fn(Loc) -> i64) -> Result<i64, Fault> {
        let value = match place.view {
            View::Same => Some(cell(place.loc)),
            View::As { cell: from, access } => from.same_bits(cell(place.loc), access),
            View::Wide { access } => {
                let mut bits = Some(0);
                let mut shift = 0;
                for loc in place.locs() {
                    let ty = self.cell_type(state, loc);
                    let part = ty.to_bits(cell(loc));
                    bits = bits.zip(part).map(|(bits, part)| bits | part << shift);
                    shift += ty.size() * 8;
                }
                bits.and_then(|bits| access.from_bits(bits))
            }
        };
        value.ok_or(Fault::MixedSize)
    }

    /// What a store of a value writes.
    pub(crate) fn parts(&self, state: &State, place: Resolved, value: i64) -> Result<Parts, Fault> {
        let mut parts = Parts { cells: [(place.loc, value); MOST], len: 1 };
        match place.view {
            View::Same => {}
            View::As { cell, access } => {
                parts.cells[0].1 = access.same_bits(value, cell).ok_or(Fault::MixedSize)?;
            }
            View::Wide { access } => {
                let mut bits = access.to_bits(value).ok_or(Fault::MixedSize)?;
                for (i, loc) in place.locs().enumerate() {
                    let ty = self.cell_type(state, loc);
                    parts.cells[i] = (loc, ty.from_bits(bits).ok_or(Fault::MixedSize)?);
                    bits = bits.checked_shr(ty.size() as u32 * 8).unwrap_or(0);
                }
                parts.len = place.cells as usize;
            }
        }
        Ok(parts)
    }

    /// What memory holds at a place.
    pub fn read(&self, state: &State, place: Resolved) -> Result<i64, Fault> {
        self.joined(state, place, |loc| state.read(loc))
    }

    /// What a load sees; `None` if it has to wait.
    pub(crate) fn load(
        &self,
        memory: &impl Memory,
        state: &State,
        thread: usize,
        place: Resolved,
    ) -> Option<Result<i64, Fault>> {
        let mut seen = [0; MOST];
        for (i, loc) in place.locs().enumerate() {
            seen[i] = memory.load(state, thread, loc)?;
        }
        Some(self.joined(state, place, |loc| seen[loc.after(place.loc)]))
    }

    /// Whether memory holds a value at a place, or the thread has stored one that has not reached it.
    pub(crate) fn is_known(&self, state: &State, thread: usize, place: Resolved) -> bool {
        let own = |loc: Loc| state.threads[thread].buffer.iter().any(|e| e.loc == loc && e.is_store());
        place.locs().any(|loc| state.is_written(loc) || own(loc))
    }

    /// The type of a cell.
    fn cell_type(&self, state: &State, loc: Loc) -> Scalar {
        match loc.as_element() {
            Some((object, number)) => match state.heap_object(object) {
                Some(object) => self.heap_cell_type(object, number as usize),
                None => Scalar::Integer,
            },
            None => self.cell_types.at(loc.index()),
        }
    }
}
