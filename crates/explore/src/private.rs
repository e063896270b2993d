//! Stores to variables that only their own thread can reach ([`Kept`]): no other thread can observe when they leave the buffer.
//!
//! Such a store may reach memory as soon as it is the first that can: its own thread reads the same before and
//! after, no other thread reads it, and everything that could happen before can still happen after. So the flush alone is
//! an ample set (`reduction.rs`), and it can be taken at once everywhere, for between two states on a cycle that
//! flushes there is a store, whose thread passes the head of a loop. Without this a loop that waits and stores what it sees
//! in such a variable has no largest buffer.

use fencepost_analysis::escape::kinds::Kept;
use fencepost_memory::State;
use fencepost_task::{Action, Step};

/// Among the steps of a thread's buffer, one that no other thread can observe.
pub fn flush(kept: &Kept, state: &State, steps: &[Step]) -> Option<Step> {
    steps.iter().copied().find(|step| {
        let Action::Flush(loc) = step.action else { return false };
        let object = loc.as_element().and_then(|(object, _)| state.heap_object(object));
        object.is_some_and(|object| kept.contains(object.ty))
    })
}
