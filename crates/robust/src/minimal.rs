//! Which pairs of store and load need not be named, because others are inside them.
//!
//! A pair is minimal if some way from its store to its load has no other pair of the same thread inside that
//! shares its store or its load. Who cuts every way of every minimal pair has cut them all: the shortest pair
//! on a way that is left would be minimal.
//!
//! Ways are those of the control-flow graph, calls and returns included and not matched: more ways than there
//! are, so more pairs are called minimal than have to be, never fewer.

use crate::candidates::{waits, walk};
use crate::monitor::Pair;
use crate::{Fences, Place};
use fencepost_ir::cfg::Program;
use fencepost_task::{Budget, Pace};
use rustc_hash::FxHashSet;

/// Removes the pairs that are not minimal; those that the budget leaves no time for stay.
pub fn retain_minimal(program: &Program, fences: &Fences, pairs: &mut Vec<Pair>, budget: &Budget) {
    let mut pace = Pace::new(budget);
    let all = pairs.clone();
    pairs.retain(|pair| {
        let own = || all.iter().filter(|p| p.delayed.thread == pair.delayed.thread);
        let inner: FxHashSet<Place> = own()
            .filter(|p| p.delayed.store == pair.delayed.store)
            .map(|p| p.load)
            .chain(own().filter(|p| p.load == pair.load).map(|p| p.delayed.store))
            .collect();
        let store = pair.delayed.store;
        let behind = program.procedure(store.procedure).edge(store.edge).to;
        let mut found = false;
        walk(program, (store.procedure, behind), |place, instr| {
            found |= pace.work(1, || 0).is_err();
            found |= place == pair.load && !fences.before.contains(&place);
            !found && !waits(instr) && !fences.stop(place) && !inner.contains(&place)
        });
        found
    });
}
