//! The second definition of the memory models: which executions of a loop-free program are allowed, by
//! axioms, and so which final states there are. It shares nothing with the operational code but
//! expressions: no machine, no states, no buffers.
//!
//! An execution is what each thread does, event by event (program order, *po*), which write each read
//! takes its value from (*rf*), and an order of the writes to each cell (coherence, *co*). A read comes
//! before all writes that are after its own in coherence (*fr*). Initial values are before everything.
//! A read-modify-write is one event that reads and writes; a compare-exchange that fails only reads.
//! [`execution`] enumerates what threads do and rf, [`consistency`] coherence orders and the axioms:
//!
//! - **SC**: po ∪ rf ∪ co ∪ fr is acyclic: there is an order of all events in which every read sees the
//!   last write.
//! - **TSO**, as for x86 (Owens, Sarkar, Sewell, TPHOLs 2009; Alglave, Maranget, Tautschnig, TOPLAS 2014,
//!   section 4.5):
//!   1. per cell, po ∪ rf ∪ co ∪ fr is acyclic (a thread sees its own stores, and no value comes back);
//!   2. ppo ∪ rfe ∪ co ∪ fr is acyclic, where rfe is rf between threads and ppo is po without the pairs
//!      from a store to a later load.
//! - **PSO**: the same with a smaller ppo: pairs of stores without a common cell are not in it either, but for
//!   stores on different sides of a store-store fence.
//!
//! Under TSO and PSO everything before a full fence or a read-modify-write (failing ones included) is in
//! ppo before it, and everything after it after it.
//!
//! Why these are the buffers of the operational models: order the events by the time at which a load
//! reads, a store reaches memory, a fence passes. Loads and fences happen in po and a store reaches memory
//! after what comes before it is done, so the pairs that ppo keeps are in that order; a store and a later
//! load are not, for the store may wait. One buffer for each thread keeps all pairs of stores, one for
//! each cell those of one cell, an epoch of a PSO buffer those across a store-store fence. A full fence and
//! a read-modify-write wait for an empty buffer. A load that takes its value from the own buffer is before
//! its store reaches memory: that is why rf within a thread is left out of 2, and 1 is all that is asked
//! of it. The other way round, an order as in 2 is a run: let stores enter buffers as early as they can
//! and reach memory when the order says. Where a thread ends it waits for its buffer, which orders nothing
//! else.
//!
//! An access to several cells is one event. rf, co and fr are relations of its cells, each by itself: a load may
//! take one cell from the own store and another from somebody else's. The axioms relate events, so 1 is asked of
//! every cell alone, and 2 of whatever any cell says. What is within the thread for one cell may come from outside
//! for another: such a load is not after its own store, but after the store of the other thread, and before all
//! that overwrites what it read of either. The argument above holds cell by cell: a cell comes from the buffer if
//! and only if the own store is later than the load in the order of 2, and since a store reaches memory in all its
//! cells at once and a load reads all of its own at once, each has one place in that order.
//!
//! The fourth model is the language's own, C11 as RC11 repairs it, in [`c11`].
//!
//! Limits: no long programs, no loops, calls, allocated memory, locks, spawned threads, atomic sections; they are refused with the
//! reason. The number of executions grows fast; a [`Budget`] stops it.

mod applicable;
pub mod c11;
mod consistency;
mod execution;
mod place;

use execution::{Enumeration, Execution, Unfinished};
use fencepost_ir::cfg::{Choices, Loc, Observable, Program};
use fencepost_task::{Budget, Model, Pace, Reason, Stop};
use std::collections::BTreeSet;

/// What the observed cells and registers can hold when all threads have ended.
pub fn outcomes(
    program: &Program,
    model: Model,
    observed: &[Observable],
    budget: &Budget,
) -> Result<BTreeSet<Vec<i64>>, Reason> {
    let mut outcomes = BTreeSet::new();
    let mut initial = vec![Vec::new()];
    for choices in program.objects.iter().flat_map(|o| o.init.iter()) {
        initial = every_choice(&initial, choices)?;
    }
    let mut pace = Pace::new(budget);
    for cells in &initial {
        let mut enumeration = Enumeration::new(program, cells, Unfinished::Dropped)?;
        enumeration.run::<Stop>(&mut pace, &mut |execution, pace| {
            consistency::final_memories(execution, model, pace, &mut |memory| {
                outcomes.insert(observed.iter().map(|o| observe(execution, memory, cells, *o)).collect());
            })
        })?;
    }
    budget.finish()?;
    Ok(outcomes)
}

/// More initial states than this are too many.
const MAX_INITIAL: u128 = 1 << 12;

fn every_choice(initial: &[Vec<i64>], choices: &Choices) -> Result<Vec<Vec<i64>>, Reason> {
    if choices.count().saturating_mul(initial.len() as u128) > MAX_INITIAL {
        return Err(Reason::NotApplicable("too many initial states for the axiomatic oracle".into()));
    }
    let extended = |cells: &Vec<i64>| {
        let cells = cells.clone();
        choices.values().map(move |v| [&cells[..], &[v]].concat())
    };
    Ok(initial.iter().flat_map(extended).collect())
}

/// The value of an observable: `memory` says which event wrote each written cell last.
fn observe(execution: &Execution, memory: &[(Loc, i64)], initial: &[i64], observable: Observable) -> i64 {
    match observable {
        Observable::Cell(loc) => match memory.iter().find(|(l, _)| *l == loc) {
            Some((_, value)) => *value,
            None if loc.as_element().is_some() => 0,
            None => initial[loc.index()],
        },
        Observable::Register(start, reg) => execution.register(start, reg),
    }
}
