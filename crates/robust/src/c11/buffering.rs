//! Loads that machines may do after a later store, and RC11 may not: the one way in which RC11 is stronger than machines are.
//!
//! Found in the text of the program, so there may be more pairs than runs have: a relaxed load after which a relaxed store to another
//! cell comes in some thread, without a fence between them. Dependencies, which machines respect, are not looked at.

use fencepost_ir::cfg::{Address, Edge, Expr, Instr, NodeId, Procedure, Program};
use fencepost_ir::{Order, Span};
use fencepost_memory::axiom::c11::fence_order;

/// Such a load and such a store, if the program has them.
pub fn load_buffering(program: &Program) -> Option<(Span, Span)> {
    let calls =
        program.procedures.iter().any(|p| p.edges().iter().any(|e| matches!(e.instr, Instr::Call(..))));
    let mut pairs = program.procedures.iter().flat_map(|procedure| {
        procedure.edges().iter().filter(|edge| loads(edge)).filter_map(move |load| {
            let store = match calls {
                false => later_store(procedure, load),
                // What a call leads to is not followed.
                true => program
                    .procedures
                    .iter()
                    .flat_map(|p| p.edges())
                    .find(|e| stores(e, load))
                    .map(|e| e.span),
            };
            store.map(|store| (load.span, store))
        })
    });
    pairs.next()
}

fn loads(edge: &Edge) -> bool {
    match &edge.instr {
        Instr::Load(..) => edge.access.order() == Some(Order::Relaxed),
        Instr::Rmw(..) => {
            [edge.access.of_update().of_load(), edge.access.of_failure()].contains(&Order::Relaxed)
        }
        _ => false,
    }
}

/// Whether it is a relaxed store to another cell than the load's.
fn stores(edge: &Edge, load: &Edge) -> bool {
    let is_relaxed = match &edge.instr {
        Instr::Store(..) => edge.access.order() == Some(Order::Relaxed),
        Instr::Rmw(..) => edge.access.of_update().of_store() == Order::Relaxed,
        _ => false,
    };
    let is_constant = |address: &Address| matches!(address, Address::Cell { index: Expr::Const(_), .. });
    let same_cell = || match (edge.instr.address(), load.instr.address()) {
        (Some(a), Some(b)) => a == b && is_constant(a),
        _ => false,
    };
    is_relaxed && !same_cell()
}

/// The store after a load that no fence keeps after it.
fn later_store(procedure: &Procedure, load: &Edge) -> Option<Span> {
    let mut seen = vec![false; procedure.nodes as usize];
    let mut work: Vec<NodeId> = vec![load.to];
    while let Some(node) = work.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        for (_, edge) in procedure.out(node) {
            if stores(edge, load) {
                return Some(edge.span);
            }
            let is_fence =
                matches!(edge.instr, Instr::Fence(_)) && fence_order(edge.access) != Order::Relaxed;
            if !is_fence {
                work.push(edge.to);
            }
        }
    }
    None
}
