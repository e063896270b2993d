//! What a memory model decides. The default methods are sequential consistency; the rules that
//! no model relaxes (who may step, what waits for an empty buffer) have their only home here.

use crate::state::State;
use fencepost_ir::cfg::{Drain, FenceKind, Instr, Loc, Storage};
use fencepost_task::Action;

/// A memory model. `thread` is a thread's number in `state`.
pub trait Memory {
    /// A store to one cell, or to several at once: under SC it writes memory at once.
    fn store(&self, state: &mut State, _thread: usize, parts: &[(Loc, i64)]) {
        parts.iter().for_each(|&(loc, value)| state.write(loc, value));
    }

    /// What a load sees in a cell: the newest own store that has not reached memory, else memory.
    /// `None` if the load has to wait (load buffers only).
    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let newest = state.threads[thread].buffer.iter().rev();
        let own = newest.into_iter().find(|e| e.is_store() && e.loc == loc);
        Some(own.map_or_else(|| state.read(loc), |e| e.value))
    }

    /// A store-store fence: nothing, unless stores can overtake each other.
    fn store_store_fence(&self, _state: &mut State, _thread: usize) {}

    /// Names what memory can do on behalf of the thread: the flushes that are possible now.
    fn memory_steps(&self, _state: &State, _thread: usize, _see: &mut dyn FnMut(Action)) {}

    /// Does one of the steps that [`Memory::memory_steps`] listed.
    fn memory_step(&self, _state: &mut State, _thread: usize, action: Action) {
        panic!("memory has no step {action:?} under this model")
    }

    /// Whether the instruction waits until the own buffer is empty. `outermost` says whether the
    /// thread is in its outermost procedure, where a return ends it.
    fn drains(&self, instr: &Instr, outermost: bool) -> bool {
        match instr {
            Instr::Fence(FenceKind::Full) | Instr::Rmw(..) | Instr::Lock(_) | Instr::Unlock(_) => true,
            Instr::AtomicBegin(drain) | Instr::AtomicEnd(drain) | Instr::Spawn(_, _, _, drain) => {
                *drain == Drain::Yes
            }
            Instr::Return(_) => outermost,
            Instr::Exit(_) | Instr::Halt | Instr::Free(_, Storage::Heap) | Instr::Reallocate { .. } => true,
            Instr::Nop
            | Instr::Choose
            | Instr::Assign(..)
            | Instr::Load(..)
            | Instr::Store(..)
            | Instr::Fence(FenceKind::StoreStore)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Havoc(..)
            | Instr::Own(_)
            | Instr::Join(..)
            | Instr::Allocate { .. }
            | Instr::Free(_, Storage::Stack)
            | Instr::Call(..) => false,
        }
    }

    /// Whether the thread's buffer is empty.
    fn is_drained(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].buffer.is_empty()
    }

    /// Whether the thread may step and its buffer be flushed: not inside another's atomic section.
    fn may_step(&self, state: &State, thread: usize) -> bool {
        state.section.is_none_or(|section| section.owner as usize == thread)
    }

    /// Whether the thread's buffer may be flushed.
    fn may_flush(&self, state: &State, thread: usize) -> bool {
        self.may_step(state, thread)
    }
}
