//! Total store order: one first-in-first-out store buffer for each thread (Atig et al.,
//! CAV 2011, section 2.3; Abdulla et al., CONCUR 2016, Figure 1; Bouajjani et al., FASE 2015,
//! Figure 2).
//!
//! A store appends to the own buffer; the oldest entry of any buffer may reach memory at any time.

use crate::model::Memory;
use crate::state::{Entry, EntryKind, State};
use fencepost_ir::cfg::Loc;
use fencepost_task::Action;

/// Total store order.
#[derive(Clone, Copy, Debug)]
pub struct Tso;

impl Memory for Tso {
    fn store(&self, state: &mut State, thread: usize, loc: Loc, value: i64) {
        state.threads[thread].buffer.push(Entry { kind: EntryKind::Store, loc, value });
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        if let Some(oldest) = state.threads[thread].buffer.first() {
            see(Action::Flush(oldest.loc));
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, _flush: Action) {
        let oldest = state.threads[thread].buffer.remove(0);
        state.write(oldest.loc, oldest.value);
    }
}
