//! The loops of a procedure: which nodes belong to which, and through which node they are repeated.
//!
//! A loop is a strongly connected part of the graph; its head is the node of it that is found first from
//! the entry. Without the edges into the head, what is still strongly connected inside is an inner loop
//! (Steensgaard's forest). So every cycle goes through the head of a loop that contains it, whether or
//! not the loop has other entries.

use fencepost_ir::cfg::{NodeId, Procedure};

/// The loops of one procedure.
pub struct Loops {
    /// For each node the heads of the loops around it, outermost first.
    around: Vec<Vec<NodeId>>,
}

impl Loops {
    /// Finds them.
    pub fn new(procedure: &Procedure) -> Loops {
        let count = procedure.nodes as usize;
        let mut around = vec![Vec::new(); count];
        let everything: Vec<_> = (0..procedure.nodes).map(NodeId).collect();
        let mut work = vec![(everything, vec![false; count])];
        while let Some((nodes, heads)) = work.pop() {
            for part in components(procedure, &nodes, &heads) {
                let cyclic = part.len() > 1
                    || procedure.out(part[0]).any(|(_, e)| e.to == part[0] && !heads[part[0].index()]);
                if !cyclic {
                    continue;
                }
                // Nodes are numbered breadth first from the entry.
                let head = *part.iter().min().expect("components are not empty");
                part.iter().for_each(|node| around[node.index()].push(head));
                let mut inner_heads = heads.clone();
                inner_heads[head.index()] = true;
                work.push((part, inner_heads));
            }
        }
        Loops { around }
    }

    /// As if the procedure had none.
    pub fn none(procedure: &Procedure) -> Loops {
        Loops { around: vec![Vec::new(); procedure.nodes as usize] }
    }

    /// Heads of the loops around a node, outermost first.
    pub fn around(&self, node: NodeId) -> &[NodeId] {
        &self.around[node.index()]
    }
}

/// The strongly connected parts of some nodes, without the edges into heads (Tarjan's algorithm).
fn components(procedure: &Procedure, nodes: &[NodeId], heads: &[bool]) -> Vec<Vec<NodeId>> {
    const NEW: u32 = u32::MAX;
    let count = procedure.nodes as usize;
    let mut inside = vec![false; count];
    nodes.iter().for_each(|n| inside[n.index()] = true);
    let (mut index, mut low, mut on_stack) = (vec![NEW; count], vec![0; count], vec![false; count]);
    let (mut next, mut stack, mut parts) = (0, Vec::new(), Vec::new());
    let successors = |node: NodeId| -> Vec<NodeId> {
        let targets = procedure.out(node).map(|(_, e)| e.to);
        targets.filter(|to| inside[to.index()] && !heads[to.index()]).collect()
    };
    for &root in nodes {
        if index[root.index()] != NEW {
            continue;
        }
        let mut calls = vec![(root, successors(root), 0)];
        index[root.index()] = next;
        low[root.index()] = next;
        next += 1;
        stack.push(root);
        on_stack[root.index()] = true;
        while let Some((node, targets, position)) = calls.last_mut() {
            let node = *node;
            if let Some(&to) = targets.get(*position) {
                *position += 1;
                if index[to.index()] == NEW {
                    index[to.index()] = next;
                    low[to.index()] = next;
                    next += 1;
                    stack.push(to);
                    on_stack[to.index()] = true;
                    calls.push((to, successors(to), 0));
                } else if on_stack[to.index()] {
                    low[node.index()] = low[node.index()].min(index[to.index()]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, ..)) = calls.last() {
                low[caller.index()] = low[caller.index()].min(low[node.index()]);
            }
            if low[node.index()] == index[node.index()] {
                let start = stack.iter().position(|n| *n == node).expect("it is on the stack");
                let part = stack.split_off(start);
                part.iter().for_each(|n| on_stack[n.index()] = false);
                parts.push(part);
            }
        }
    }
    parts
}
