//! Graph to graph: removes choices that decide nothing by themselves.
//!
//! - A havoc of a register that is never read afterwards is an empty step: formats whose registers
//!   start with any value do not mean that every value has to be tried.
//! - A bare choice that leads to a node where nothing else does is merged with the steps after it:
//!   instead of choosing and then waiting, the thread takes whichever step can be taken. Runs that
//!   chose and then wait forever are lost, and with them no reachable place that has a name.

use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{Dest, Edge, Instr, NodeId, ProcId, Procedure, Program, Reg};

/// Simplifies every procedure.
pub fn run(program: &mut Program) {
    let liveness = Liveness::new(program);
    let procedures = std::mem::take(&mut program.procedures).into_iter().enumerate();
    let simplified = procedures.map(|(i, p)| merge_choices(drop_havocs(p, ProcId(i as u32), &liveness)));
    program.procedures = simplified.collect();
}

fn drop_havocs(procedure: Procedure, id: ProcId, liveness: &Liveness) -> Procedure {
    let mut parts = procedure.into_parts();
    for edge in &mut parts.edges {
        if let Instr::Havoc(Dest::Reg(Reg::Local(slot)), _) = edge.instr
            && !liveness.is_live(id, edge.to, slot)
        {
            edge.instr = Instr::Nop;
        }
    }
    Procedure::new(parts)
}

fn merge_choices(procedure: Procedure) -> Procedure {
    let mut entries = vec![0; procedure.nodes as usize];
    entries[procedure.entry().index()] += 1;
    for edge in procedure.edges() {
        entries[edge.to.index()] += 1;
    }
    let mut labelled = vec![false; procedure.nodes as usize];
    for (_, node) in &procedure.labels {
        labelled[node.index()] = true;
    }
    // A node that only one choice leads to, and that its steps leave for good.
    let mergeable = |node: NodeId| {
        entries[node.index()] == 1
            && !labelled[node.index()]
            && procedure.out(node).next().is_some()
            && procedure.out(node).all(|(_, e)| e.instr != Instr::Choose && e.to != node)
    };
    let mut edges = Vec::new();
    for edge in procedure.edges() {
        if edge.instr == Instr::Choose && mergeable(edge.to) {
            let behind = procedure.out(edge.to).map(|(_, e)| Edge { from: edge.from, ..e.clone() });
            edges.extend(behind);
        } else {
            edges.push(edge.clone());
        }
    }
    let mut parts = procedure.into_parts();
    parts.edges = edges;
    Procedure::new(parts)
}
