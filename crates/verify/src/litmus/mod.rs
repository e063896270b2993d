//! Litmus tests: all final states of each, as herd gives them, one test or many side by side.

mod batch;
pub mod compare;
mod decide;
mod expect;
mod generate;
mod report;
pub mod show;

pub use batch::{Answered, Batch, Tested, Told};
pub use decide::{Answer, Judge, NoAnswer, Prepared, decide, outcomes, prepare};
pub use expect::{Expectations, ExpectationsError, Expected};
pub use fencepost_report::litmus::Method;
pub use generate::{cycles, named};
