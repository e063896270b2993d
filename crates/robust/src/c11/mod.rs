//! Robustness against C11: whether the language's own model, RC11, has executions that SC does not have, for programs with any loops; and
//! data races by happens-before.
//!
//! If a program is robust and free of races, what holds of it under SC holds on every machine that C is compiled to. The search
//! ([`search`]) goes through the states of SC with a finite monitor beside them ([`views`], [`rules`], [`monitor`]); why one step
//! away from SC is enough to look at, and what the monitor keeps, is in [`rules`]. It is exact, also for
//! seq_cst accesses and fences. What it finds is confirmed by the axioms on the graph of its run ([`fencepost_memory::run_graph`]).
//!
//! What is counted as what is said there, too.
//!
//! Limits, said with their reason: accesses of several sizes, arrays without bounds, `realloc`, atomic sections, store-store fences; more
//! than 32 values of a cell that is compared. A loop that waits is explored as it stands: where a
//! thread can wait on an old value although the new one is before it in the order of SC, that is a step that SC does not have.

mod buffering;
mod monitor;
#[cfg(test)]
mod points;
mod rules;
mod search;
mod views;

pub use buffering::load_buffering;
pub use fencepost_memory::axiom::c11::ReleaseSequences;
pub use fencepost_memory::run_graph::What;
pub use search::{Answer, Departure, Found, Race, Run};

use fencepost_ir::cfg::Program;
use fencepost_task::{Budget, Reason, Stats};

/// Searches a program for executions that SC does not have, and for races. The program is a graph for the language.
pub fn robustness(program: &Program, sequences: ReleaseSequences, budget: &Budget) -> Answer {
    if let Some(reason) = fencepost_explore::not_applicable(program) {
        let found = Found::Unknown(Reason::NotApplicable(reason));
        return Answer { found, stats: Stats::default() };
    }
    let mut plain = program.clone();
    plain.properties.clear();
    search::search(&plain, sequences, budget)
}
