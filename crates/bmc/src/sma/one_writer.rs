//! Loads of cells that one thread only stores to: which store is read, and what follows from it for other loads.
//!
//! The stores of one thread to one cell reach memory in their order under all models. So what a load reads is a number, the
//! last store that has come, and it is in unary here: for each store, whether that or a later one is read.
//!
//! Two laws follow from the rest of the formula, though not by propagation, and spare the solver most of its work on
//! threads that answer each other:
//! - no load of a thread reads an older store than the thread's load before it;
//! - if a load A reads a store that comes after a load B in B's thread, then B comes before A, and does not read a store
//!   that comes after A in A's thread: under all models a store is issued after the loads before it.
//!
//! A load that is not taken can be said to read what the load before it reads, so nothing is required of it.

use super::{AccessId, CellId, define};
use crate::circuit::{Circuit, Lit};
use crate::word::Word;
use std::collections::BTreeMap;

/// For each store whether that or a later one is read; the initial value is the first, of which there is nothing to say.
pub type Thresholds = Vec<Option<Lit>>;

/// What a load reads, by numbers of stores.
pub fn thresholds(c: &mut Circuit, stores: &[Word], meant: Lit, result: &Word) -> Thresholds {
    let mut known = vec![None];
    known.extend((1..stores.len()).map(|_| Some(c.input())));
    for (number, store) in stores.iter().enumerate() {
        let reached = known[number].unwrap_or(Lit::TRUE);
        let passed = known.get(number + 1).copied().flatten().unwrap_or(Lit::FALSE);
        if passed != Lit::FALSE && reached != Lit::TRUE {
            never_both(c, passed, !reached);
        }
        define(c, &[!reached, passed, !meant], result, store);
    }
    known
}

fn never_both(c: &mut Circuit, a: Lit, b: Lit) {
    c.define(a, &[!a, !b]);
    c.define(b, &[!a, !b]);
}

/// A load that always means the same cell.
pub struct Load {
    /// Whose.
    pub thread: usize,
    /// Of which cell.
    pub cell: CellId,
    /// Its access; accesses of a thread are numbered in the order of its code.
    pub access: AccessId,
    /// What it reads.
    pub at_least: Thresholds,
}

/// The loads so far.
#[derive(Default)]
pub struct Loads {
    /// By thread and cell, in the order of the code.
    known: BTreeMap<(usize, CellId), Vec<Load>>,
}

impl Loads {
    /// Adds a load and what the laws say of it. `stores` gives the one thread that stores to a cell, and its stores.
    pub fn relate<'s>(
        &mut self,
        c: &mut Circuit,
        new: Load,
        stores: impl Fn(CellId) -> Option<(usize, &'s Vec<AccessId>)>,
    ) {
        let Some((writer, own_stores)) = stores(new.cell) else { return };
        for ((other, cell), loads) in &self.known {
            let Some((thread, their_stores)) = stores(*cell) else { continue };
            if *other != writer || thread != new.thread {
                continue;
            }
            for load in loads {
                let after_load = first_after(own_stores, load.access).and_then(|n| new.at_least[n]);
                let after_new = first_after(their_stores, new.access).and_then(|n| load.at_least[n]);
                if let (Some(a), Some(b)) = (after_load, after_new) {
                    never_both(c, a, b);
                }
            }
        }
        let own = self.known.entry((new.thread, new.cell)).or_default();
        if let Some(last) = own.last() {
            if last.access.0 >= new.access.0 {
                return;
            }
            for (old, new) in last.at_least.iter().zip(&new.at_least) {
                if let (Some(old), Some(new)) = (old, new) {
                    never_both(c, *old, !*new);
                }
            }
        }
        own.push(new);
    }
}

/// The number of the first store that does not come before an access of its thread; an access that both loads and stores
/// loads first.
fn first_after(stores: &[AccessId], access: AccessId) -> Option<usize> {
    stores.iter().position(|store| store.0 >= access.0).map(|n| n + 1)
}
