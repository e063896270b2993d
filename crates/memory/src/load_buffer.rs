//! Dual TSO: a load buffer for each thread (Abdulla et al., CONCUR 2016, Figure 2). A store
//! writes memory at once and leaves an own message; memory may send the thread any cell's
//! value at any time; the oldest message may be dropped at any time; a load takes the newest
//! own message for its cell, else the oldest message, if that is one for its cell.
//!
//! It reaches the same control states as TSO (Theorem 1), which is a test.
//!
//! Deviation: "Read from buffer" as printed reads the newest message, `b(p) = (x,v)·w`. It has to
//! be the oldest, `b(p) = w·(x,v)`: as printed, the weak outcome of store buffering is
//! unreachable.
//!
//! Limits: messages are sent only while a buffer holds fewer than `bound` entries. A loop-free
//! thread needs no more than its writes and loads together.

use crate::model::Memory;
use crate::state::{Entry, EntryKind, State};
use fencepost_ir::cfg::Loc;
use fencepost_task::Action;

/// TSO with load buffers.
#[derive(Clone, Copy, Debug)]
pub struct LoadBuffer {
    /// Messages are sent to buffers shorter than this.
    pub bound: usize,
}

impl Memory for LoadBuffer {
    fn store(&self, state: &mut State, thread: usize, loc: Loc, value: i64) {
        state.cells[loc.index()] = value;
        state.threads[thread].buffer.push(Entry { kind: EntryKind::Own, loc, value });
    }

    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let buffer = &state.threads[thread].buffer;
        let own = buffer.iter().rev().find(|e| e.kind == EntryKind::Own && e.loc == loc);
        let message = buffer.first().filter(|e| e.kind == EntryKind::Message && e.loc == loc);
        own.or(message).map(|e| e.value)
    }

    fn memory_steps(&self, state: &State, thread: usize, steps: &mut Vec<Action>) {
        let buffer = &state.threads[thread].buffer;
        if !buffer.is_empty() {
            steps.push(Action::Delete);
        }
        if buffer.len() < self.bound {
            steps.extend((0..state.cells.len()).map(|cell| Action::Propagate(Loc(cell as u32))));
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        match action {
            Action::Delete => {
                state.threads[thread].buffer.remove(0);
            }
            Action::Propagate(loc) => {
                let value = state.cells[loc.index()];
                state.threads[thread].buffer.push(Entry { kind: EntryKind::Message, loc, value });
            }
            Action::Edge(..) | Action::Flush(_) => panic!("load buffers have no step {action:?}"),
        }
    }
}
