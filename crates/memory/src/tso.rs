//! Total store order: one first-in-first-out store buffer for each thread (Atig et al.,
//! CAV 2011, section 2.3; Abdulla et al., CONCUR 2016, Figure 1; Bouajjani et al., FASE 2015,
//! Figure 2).
//!
//! A store appends to the own buffer; the oldest store of any buffer may reach memory at any time, all its cells at once.

use crate::model::Memory;
use crate::state::{State, entries, stores};
use fencepost_ir::cfg::Loc;
use fencepost_task::Action;

/// Total store order.
#[derive(Clone, Copy, Debug)]
pub struct Tso;

impl Memory for Tso {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        state.threads[thread].buffer.extend(entries(parts));
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        if let Some(oldest) = state.threads[thread].buffer.first() {
            see(Action::Flush(oldest.loc));
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, _flush: Action) {
        let oldest = stores(&state.threads[thread].buffer).next().map_or(0, <[_]>::len);
        for _ in 0..oldest {
            let entry = state.threads[thread].buffer.remove(0);
            state.write(entry.loc, entry.value);
        }
    }
}
