//! The fewest fences that repair a program.
//!
//! A program comes with *candidates*: places where a fence may go ([`Candidates`]). A fence only takes
//! runs away, so a set of fences repairs the program exactly if it breaks every run that violates the goal.
//! Each violating run that a checker finds therefore gives a clause, the fences that break it ([`Run`]),
//! of which every repair has one. A cheapest set that meets all clauses so far ([`HittingSets`]) is checked;
//! either it repairs the program, and nothing cheaper can, or there is one more clause ([`synthesize()`]).
//!
//! The checker is anything that answers yes, no with a run, or unknown ([`Goal`]); the price of a fence
//! depends on its kind.

mod candidates;
mod hitting;
mod instances;
mod run;
mod synthesize;

pub use candidates::{Candidate, Candidates, Fence};
pub use hitting::{HittingSets, Look};
pub use instances::instances;
pub use run::Run;
pub use synthesize::{Effort, Extent, Finding, Goal, Prices, Repair, synthesize};
