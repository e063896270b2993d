//! Replays traces on the reference semantics and checks proofs again, before anyone sees them.
//!
//! This crate knows `ir`, `task` and `memory`, and no engine: an engine's bug cannot hide in its
//! own proof.

mod dual;
mod replay;

pub use dual::{Part, Unproven, check_certificate, check_certificate_until};
pub use replay::{Claim, Rejection, Replay, Replayed, replay, replay_claims};
