//! Loops unrolled: each thread goes back at most so many times, which makes its graph acyclic (seed: Theorem 4).
//!
//! Nodes are copied once for each time that the thread has gone back. An edge is a way back if it closes a cycle in
//! a depth-first walk from the entry; what would go back once more than allowed is left out.

use super::inline::{Changed, also_at};
use fencepost_ir::cfg::{Edge, EdgeId, Expr, Instr, NodeId, ProcId, Procedure, ProcedureParts};
use std::collections::BTreeSet;

/// More nodes than this are too many.
const MAX_NODES: u64 = 1 << 18;

/// Whether there was anything to unroll.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// No.
    None,
    /// Yes: runs may be cut off.
    Some,
}

/// Unrolls all procedures.
pub fn unroll(changed: &mut Changed, times: u32) -> Result<Loops, String> {
    let mut loops = Loops::None;
    for index in 0..changed.program.procedures.len() {
        let id = ProcId(index as u32);
        let procedure = changed.program.procedure(id).clone();
        let back = ways_back(&procedure);
        if back.is_empty() {
            continue;
        }
        loops = Loops::Some;
        if u64::from(procedure.nodes) * (u64::from(times) + 1) > MAX_NODES {
            return Err(format!("unrolled {times} times, `{}` is too large", procedure.name));
        }
        let at = |node: NodeId, level: u32| NodeId(level * procedure.nodes + node.0);
        let meanings = &changed.meanings[index];
        let mut edges = Vec::new();
        for level in 0..=times {
            for (number, edge) in procedure.edges().iter().enumerate() {
                let returns = back.contains(&EdgeId(number as u32));
                let (to, instr) = match (returns, level == times) {
                    (false, _) => (at(edge.to, level), edge.instr.clone()),
                    (true, false) => (at(edge.to, level + 1), edge.instr.clone()),
                    (true, true) => (at(edge.from, level), Instr::Assume(Expr::Const(0))),
                };
                edges.push((
                    Edge { from: at(edge.from, level), to, instr, span: edge.span, access: edge.access },
                    meanings[number],
                ));
            }
        }
        let mut parts = procedure.clone().into_parts();
        for (label, node) in procedure.labels.clone() {
            for level in 1..=times {
                let name = format!("{label}@again{level}");
                parts.labels.push((name.clone(), at(node, level)));
                also_at(&mut changed.program, (id, &label), (id, &name));
            }
        }
        let nodes = procedure.nodes * (times + 1);
        changed.replace(id, ProcedureParts { nodes, ..parts }, edges);
    }
    Ok(loops)
}

fn ways_back(procedure: &Procedure) -> BTreeSet<EdgeId> {
    let mut back = BTreeSet::new();
    let mut done = vec![false; procedure.nodes as usize];
    let mut open = vec![false; procedure.nodes as usize];
    for root in 0..procedure.nodes {
        let mut stack = vec![(NodeId(root), 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if done[node.index()] {
                stack.pop();
                continue;
            }
            open[node.index()] = true;
            let edge = procedure.out(node).nth(*next).map(|(id, edge)| (id, edge.to));
            *next += 1;
            match edge {
                Some((id, to)) if open[to.index()] => {
                    back.insert(id);
                }
                Some((_, to)) => stack.push((to, 0)),
                None => {
                    open[node.index()] = false;
                    done[node.index()] = true;
                    stack.pop();
                }
            }
        }
    }
    back
}
