//! Partial store order: one first-in-first-out buffer for each thread and cell. A store-store
//! fence starts a new epoch: an entry may reach memory only when no entry of an older epoch of
//! its thread is left.
//!
//! The thread's buffer holds all its entries, epochs separated by barriers. Entries of one epoch
//! are sorted by cell, those of one cell by age: the order between cells has no meaning, and so
//! equal states are equal. For the same reason a barrier never stands at the front or behind
//! another one: a store-store fence adds one only behind a store, and a flush removes one that
//! has nothing left before it.
//!
//! Deviation: read-modify-writes drain all buffers, which is stronger than SPARC's PSO and what
//! other verifiers do.

use crate::model::Memory;
use crate::state::{Entry, EntryKind, State};
use fencepost_ir::cfg::Loc;
use fencepost_task::Action;

/// Partial store order.
#[derive(Clone, Copy, Debug)]
pub struct Pso;

impl Memory for Pso {
    fn store(&self, state: &mut State, thread: usize, loc: Loc, value: i64) {
        let buffer = &mut state.threads[thread].buffer;
        let before = |e: &Entry| e.kind == EntryKind::Barrier || e.loc <= loc;
        let position = buffer.iter().rposition(before).map_or(0, |i| i + 1);
        buffer.insert(position, Entry { kind: EntryKind::Store, loc, value });
    }

    fn store_store_fence(&self, state: &mut State, thread: usize) {
        let buffer = &mut state.threads[thread].buffer;
        if buffer.last().is_some_and(|e| e.kind == EntryKind::Store) {
            buffer.push(Entry { kind: EntryKind::Barrier, loc: Loc::cell(0), value: 0 });
        }
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        let oldest_epoch = state.threads[thread].buffer.iter().take_while(|e| e.kind == EntryKind::Store);
        let mut last = None;
        for entry in oldest_epoch {
            if last != Some(entry.loc) {
                see(Action::Flush(entry.loc));
            }
            last = Some(entry.loc);
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        let Action::Flush(loc) = action else { panic!("PSO has no step {action:?}") };
        let buffer = &mut state.threads[thread].buffer;
        let position = buffer.iter().position(|e| e.kind == EntryKind::Store && e.loc == loc);
        let entry = buffer.remove(position.expect("a flush of a cell that is in the buffer"));
        if buffer.first().is_some_and(|e| e.kind == EntryKind::Barrier) {
            buffer.remove(0);
        }
        state.write(entry.loc, entry.value);
    }
}
