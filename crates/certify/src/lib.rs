//! Replays traces on the reference semantics and checks proofs again, before anyone sees them.
//!
//! This crate knows `ir`, `task` and `memory`, and no engine: an engine's bug cannot hide in its
//! own proof.

mod c11;
mod cycle;
mod dual;
mod replay;
mod states;

pub use c11::{Because, BeyondSc, Departed, Link, Raced, confirm_departure, confirm_race};
pub use cycle::{Cycle, Relation, replay_cycle, replay_cycle_within};
pub use dual::{Part, Unproven, check_certificate, check_certificate_within};
pub use replay::{Claim, Rejection, Replay, Replayed, replay, replay_claims, replay_run, replay_within};
pub use states::States;
