//! Partial store order: one first-in-first-out buffer for each thread and cell. A store-store
//! fence starts a new epoch: an entry may reach memory only when no entry of an older epoch of
//! its thread is left. A store to several cells is in the buffers of all of them, and reaches memory at once, when it
//! is the oldest in each.
//!
//! The thread's buffer holds all its entries, epochs separated by barriers. Within an epoch the order of stores that have
//! no cell in common has no meaning; so that equal states are equal, they are in the smallest order by their first
//! cells that keeps stores with a common cell by age. For the same reason a barrier never is at the front or after
//! another one: a store-store fence adds one only after a store, and a flush removes one that
//! has nothing left before it.
//!
//! Deviation: read-modify-writes drain all buffers, which is stronger than SPARC's PSO and what
//! other verifiers do.

use crate::model::Memory;
use crate::state::{Entry, EntryKind, State, entries, stores};
use fencepost_ir::cfg::Loc;
use fencepost_task::Action;

/// Partial store order.
#[derive(Clone, Copy, Debug)]
pub struct Pso;

/// Whether two stores have a cell in common.
fn meet(a: &[Entry], b: &[Entry]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.loc == b.loc))
}

/// Puts a store where it belongs in the last epoch: after those it has a cell with, and before the first of the others that
/// follow and are larger. If the epoch was in order, it is again (this is the lexicographic normal form of words in which
/// some letters commute).
fn insert(buffer: &mut Vec<Entry>, store: &[Entry]) {
    let mut position = buffer.len();
    let mut end = buffer.len();
    for older in stores(buffer).rev() {
        if older[0].kind == EntryKind::Barrier || meet(older, store) {
            break;
        }
        end -= older.len();
        if older[0].loc > store[0].loc {
            position = end;
        }
    }
    buffer.splice(position..position, store.iter().copied());
}

/// Brings a buffer whose cells were renamed into its order again.
pub fn put_in_order(buffer: &mut Vec<Entry>) {
    let old = std::mem::take(buffer);
    for store in stores(&old) {
        match store[0].kind {
            EntryKind::Barrier => buffer.extend(store),
            _ => insert(buffer, store),
        }
    }
}

impl Memory for Pso {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        let store: Vec<Entry> = entries(parts).collect();
        insert(&mut state.threads[thread].buffer, &store);
    }

    fn store_store_fence(&self, state: &mut State, thread: usize) {
        let buffer = &mut state.threads[thread].buffer;
        if buffer.last().is_some_and(Entry::is_store) {
            buffer.push(Entry { kind: EntryKind::Barrier, loc: Loc::cell(0), value: 0 });
        }
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        let oldest_epoch = state.threads[thread].buffer.split(|e| e.kind == EntryKind::Barrier).next();
        let mut older: Vec<&[Entry]> = Vec::new();
        for store in stores(oldest_epoch.unwrap_or_default()) {
            if !older.iter().any(|older| meet(older, store)) {
                see(Action::Flush(store[0].loc));
            }
            older.push(store);
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        let Action::Flush(loc) = action else { panic!("PSO has no step {action:?}") };
        let buffer = &mut state.threads[thread].buffer;
        let position = buffer.iter().position(|e| e.kind == EntryKind::Store && e.loc == loc);
        let position = position.expect("a flush of a store that is in the buffer");
        let parts = stores(&buffer[position..]).next().map_or(0, <[_]>::len);
        let flushed: Vec<Entry> = buffer.drain(position..position + parts).collect();
        if buffer.first().is_some_and(|e| e.kind == EntryKind::Barrier) {
            buffer.remove(0);
        }
        flushed.iter().for_each(|entry| state.write(entry.loc, entry.value));
    }
}
