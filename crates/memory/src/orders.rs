//! What the memory orders of C11 mean on machines with store buffers: the one table.
//!
//! It is how compilers map them for x86, and for PSO the least that keeps their promises:
//!
//! | access | TSO | PSO |
//! |---|---|---|
//! | load of any order | load | load |
//! | plain, volatile, relaxed store | store | store |
//! | release store | store | store-store fence, store |
//! | seq_cst store | store, full fence | store-store fence, store, full fence |
//! | read-modify-write of any order | drains the buffer | drains the buffers |
//! | thread fence: seq_cst | full fence | full fence |
//! | thread fence: release, acq_rel | nothing | store-store fence |
//! | thread fence: acquire, relaxed | nothing | nothing |
//!
//! A store-store fence does nothing under TSO, and no fence does anything under SC, so one column holds for all three
//! models. Read-modify-writes drain by themselves (`model.rs`). Without the fence before a seq_cst store, message passing
//! with a seq_cst flag would fail under PSO.

use fencepost_ir::cfg::FenceKind;
use fencepost_ir::{Access, Order};

/// The fences around an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Around {
    /// Right before it.
    pub before: Option<FenceKind>,
    /// Right after it.
    pub after: Option<FenceKind>,
}

/// The fences around a store.
pub fn around_store(access: Access) -> Around {
    let (before, after) = match access.order() {
        None | Some(Order::Relaxed | Order::Acquire) => (None, None),
        Some(Order::Release | Order::AcqRel) => (Some(FenceKind::StoreStore), None),
        Some(Order::SeqCst) => (Some(FenceKind::StoreStore), Some(FenceKind::Full)),
    };
    Around { before, after }
}

/// The machine's fence for a thread fence.
pub fn thread_fence(order: Order) -> Option<FenceKind> {
    match order {
        Order::SeqCst => Some(FenceKind::Full),
        Order::Release | Order::AcqRel => Some(FenceKind::StoreStore),
        Order::Acquire | Order::Relaxed => None,
    }
}
