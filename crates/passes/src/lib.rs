//! Program to program, one pass per file; [`pipeline`] is the whole list.

mod choices;
mod compact;
mod instantiate;
mod late_choice;
mod lower;
mod lower_expression;
mod lower_names;
mod narrow;
mod orders;
pub mod pipeline;
pub mod static_threads;
mod unwind;
