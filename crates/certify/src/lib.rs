//! Replays traces on the reference semantics and checks proofs again, before anyone sees them.
//!
//! This crate knows `ir`, `task` and `memory`, and no engine: an engine's bug cannot hide in its
//! own proof.
//!
//! ```
//! use fencepost_certify::replay;
//! use fencepost_task::{Model, Trace, Violation};
//!
//! let text = "shared int x; thread a { x = 1; } final not exists (x == 0);";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("one.fp", text).expect("it is a model"));
//! let claimed = Trace {
//!     model: Model::Tso,
//!     instances: Vec::new(),
//!     init: Vec::new(),
//!     steps: Vec::new(),
//!     violation: Violation::Property(0),
//!     shortest: false,
//! };
//! assert!(replay(&program, &claimed).is_err(), "at its end the thread has not even begun");
//! ```

mod c11;
mod cycle;
mod dual;
mod replay;
mod states;

pub use c11::{
    Because, BeyondSc, Departed, Link, Raced, confirm_departure, confirm_older, confirm_race,
    replay_claims_c11,
};
pub use cycle::{Cycle, Relation, replay_cycle, replay_cycle_within};
pub use dual::{Part, Unproven, check_certificate, check_certificate_within};
pub use replay::{Claim, Rejection, Replay, Replayed, replay, replay_claims, replay_run, replay_within};
pub use states::States;
