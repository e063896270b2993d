//! Which pairs of store and load need not be named, because others are inside them.
//!
//! A pair is minimal if some way from its store to its load has no other pair of the same thread inside that
//! shares its store or its load. Who cuts every way of every minimal pair has cut them all: the shortest pair
//! on a way that is left would be minimal.
//!
//! Ways are those of the control-flow graph, calls and returns included and not matched: more ways than there
//! are, so more pairs are called minimal than have to be, never fewer.

use crate::monitor::Pair;
use crate::{Fences, Place};
use fencepost_ir::cfg::{Instr, NodeId, ProcId, Program};
use fencepost_memory::{Memory, Tso};
use rustc_hash::FxHashSet;

/// Removes the pairs that are not minimal.
pub fn retain_minimal(program: &Program, fences: &Fences, pairs: &mut Vec<Pair>) {
    let all = pairs.clone();
    let same = |a: &Pair, b: &Pair| a.delayed.thread == b.delayed.thread;
    pairs.retain(|pair| {
        let loads: FxHashSet<Place> = all
            .iter()
            .filter(|p| same(p, pair) && p.delayed.store == pair.delayed.store)
            .map(|p| p.load)
            .collect();
        let stores: FxHashSet<Place> =
            all.iter().filter(|p| same(p, pair) && p.load == pair.load).map(|p| p.delayed.store).collect();
        has_way(program, fences, pair, |place| loads.contains(&place) || stores.contains(&place))
    });
}

/// Whether control can get from the store to the load past neither fences nor forbidden instructions.
fn has_way(program: &Program, fences: &Fences, pair: &Pair, forbidden: impl Fn(Place) -> bool) -> bool {
    let start = pair.delayed.store;
    let first = (start.procedure, program.procedure(start.procedure).edge(start.edge).to);
    let mut seen = FxHashSet::from_iter([first]);
    let mut work = vec![first];
    let mut visit = |work: &mut Vec<(ProcId, NodeId)>, at| {
        if seen.insert(at) {
            work.push(at);
        }
    };
    while let Some((id, node)) = work.pop() {
        for (edge_id, edge) in program.procedure(id).out(node) {
            let place = Place { procedure: id, edge: edge_id };
            if place == pair.load {
                return true;
            }
            let waits = Tso.drains(&edge.instr, false);
            if waits || fences.stop(place) || forbidden(place) {
                continue;
            }
            match &edge.instr {
                Instr::Call(_, callee, _) => visit(&mut work, (*callee, program.procedure(*callee).entry())),
                Instr::Return(_) => {
                    for (caller, procedure) in program.procedures.iter().enumerate() {
                        for call in procedure.edges() {
                            if matches!(call.instr, Instr::Call(_, callee, _) if callee == id) {
                                visit(&mut work, (ProcId(caller as u32), call.to));
                            }
                        }
                    }
                }
                _ => visit(&mut work, (id, edge.to)),
            }
        }
    }
    false
}
