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
mod older;
#[cfg(test)]
mod points;
mod rules;
mod search;
mod views;

pub use buffering::load_buffering;
pub use fencepost_memory::axiom::c11::ReleaseSequences;
pub use fencepost_memory::run_graph::What;
pub use search::{Answer, Departure, Found, Judged, Race, Run, Suspected, Weak, Wrong, with_older_values};

use fencepost_ir::cfg::{Instr, Program, RmwOp};
use fencepost_ir::{Access, Order};
use fencepost_task::{Budget, Reason, Stats};
use search::Goal;

/// Searches a program for executions that SC does not have, and for races. The program is a graph for the language.
pub fn robustness(program: &Program, sequences: ReleaseSequences, budget: &Budget) -> Answer {
    searched(program, sequences, Goal::Robustness, budget)
}

/// Searches the runs of SC for races by happens-before; [`Found::Robust`] says that there are none. The program is a graph for the language.
pub fn races(program: &Program, sequences: ReleaseSequences, budget: &Budget) -> Answer {
    searched(program, sequences, Goal::Races, budget)
}

/// Whether each atomic access passes on what happened before it if it writes, and takes what it reads passes on. Whatever an access reads then
/// happens before it, as long as nothing races. So if two accesses race, what happens before both of them is a run of SC by
/// itself, after which both can be done next: it is enough to look for such states.
pub fn synchronises(program: &Program) -> bool {
    let edges = || program.procedures.iter().flat_map(|p| p.edges());
    edges().all(|edge| match (&edge.instr, edge.access) {
        // Machines that have such instructions order them.
        (_, Access::Instruction) => true,
        (Instr::Load(..), access) => access.order().is_none_or(Order::acquires),
        (Instr::Store(..), access) => access.order().is_none_or(Order::releases),
        (Instr::Rmw(_, _, op), access) => {
            let fails = matches!(op, RmwOp::CompareExchange { .. });
            let order = access.of_update();
            order.acquires() && order.releases() && (!fails || access.of_failure().acquires())
        }
        _ => true,
    })
}

fn searched(program: &Program, sequences: ReleaseSequences, goal: Goal, budget: &Budget) -> Answer {
    if let Some(reason) = fencepost_explore::not_applicable(program) {
        let found = Found::Unknown(Reason::NotApplicable(reason));
        return Answer { found, stats: Stats::default() };
    }
    let mut plain = program.clone();
    plain.properties.clear();
    search::search(&plain, sequences, goal, budget)
}
