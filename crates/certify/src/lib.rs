//! Replays traces on the reference semantics before anyone sees them.
//!
//! This crate knows `ir`, `task` and `memory`, and no engine: an engine's bug cannot hide in its
//! own proof.

mod replay;

pub use replay::{Claim, Rejection, Replay, Replayed, replay, replay_claims};
