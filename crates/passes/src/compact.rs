//! Graph to graph: removes empty steps and nodes that no thread comes to.
//!
//! A node whose only edge is an empty step is merged with that edge's target, unless it has a
//! label: a thread at a label must be seen there. An empty step changes nothing and waits for
//! nothing, so no other state is lost. Loops of empty steps keep one.

use fencepost_ir::Access;
use fencepost_ir::cfg::{Edge, Instr, NodeId, Procedure, Program};
use std::collections::VecDeque;

/// Compacts every procedure.
pub fn run(program: &mut Program) {
    program.procedures = std::mem::take(&mut program.procedures).into_iter().map(compact).collect();
}

fn compact(procedure: Procedure) -> Procedure {
    let mut labelled = vec![false; procedure.nodes as usize];
    for (_, node) in &procedure.labels {
        labelled[node.index()] = true;
    }
    let target = targets(&procedure, &labelled);
    // Number what is reachable, breadth first from the entry.
    let mut number = vec![None; procedure.nodes as usize];
    let mut order = Vec::new();
    let mut queue = VecDeque::from([target[procedure.entry().index()]]);
    while let Some(node) = queue.pop_front() {
        if number[node.index()].is_some() {
            continue;
        }
        number[node.index()] = Some(NodeId(order.len() as u32));
        order.push(node);
        queue.extend(procedure.out(node).map(|(_, e)| target[e.to.index()]));
    }
    let renumber = |node: NodeId| number[target[node.index()].index()].expect("reachable by construction");
    let edges = order.iter().flat_map(|&node| procedure.out(node)).map(|(_, e)| Edge {
        from: renumber(e.from),
        to: renumber(e.to),
        instr: e.instr.clone(),
        span: e.span,
        access: e.access,
    });
    let edges = edges.collect();
    let lost_assertions: Vec<_> = procedure
        .edges()
        .iter()
        .filter(|e| matches!(e.instr, Instr::Assert(..)) && number[e.from.index()].is_none())
        .map(|e| (e.instr.clone(), e.span))
        .collect();
    // A label that no thread comes to keeps a node, so that reports can say so.
    let mut nodes = order.len() as u32;
    let mut unreachable = Vec::new();
    let labels = procedure.labels.iter().map(|(name, node)| {
        let place = number[node.index()].unwrap_or_else(|| {
            nodes += 1;
            unreachable.push(NodeId(nodes - 1));
            NodeId(nodes - 1)
        });
        (name.clone(), place)
    });
    let labels = labels.collect();
    let mut parts = procedure.into_parts();
    parts.labels = labels;
    parts.nodes = nodes;
    parts.edges = edges;
    for node in unreachable {
        parts.edges.push(Edge {
            from: node,
            to: node,
            instr: Instr::Nop,
            span: parts.span,
            access: Access::Plain,
        });
    }
    // So does an assertion.
    for (instr, span) in lost_assertions {
        let node = NodeId(parts.nodes);
        parts.nodes += 1;
        parts.edges.push(Edge { from: node, to: node, instr, span, access: Access::Plain });
    }
    Procedure::new(parts)
}

/// Where each node's empty steps lead: to the node itself where they go round in a loop.
fn targets(procedure: &Procedure, labelled: &[bool]) -> Vec<NodeId> {
    let step = |node: NodeId| {
        let mut out = procedure.out(node);
        match (out.next(), out.next()) {
            (Some((_, edge)), None) if edge.instr == Instr::Nop && !labelled[node.index()] => Some(edge.to),
            _ => None,
        }
    };
    /// What is known of a node.
    #[derive(Clone, Copy)]
    enum Way {
        Unknown,
        /// On the path that is followed now.
        Followed,
        /// Its empty steps end there.
        Ends(NodeId),
        /// Its empty steps never end.
        Loops,
    }
    let mut ways = vec![Way::Unknown; procedure.nodes as usize];
    let mut path = Vec::new();
    for start in (0..procedure.nodes).map(NodeId) {
        let mut node = start;
        let way = loop {
            match (ways[node.index()], step(node)) {
                (Way::Unknown, Some(next)) => {
                    ways[node.index()] = Way::Followed;
                    path.push(node);
                    node = next;
                }
                (Way::Unknown, None) => break Way::Ends(node),
                (Way::Followed, _) => break Way::Loops,
                (known @ (Way::Ends(_) | Way::Loops), _) => break known,
            }
        };
        for node in path.drain(..) {
            ways[node.index()] = way;
        }
    }
    let nodes = (0..procedure.nodes).map(NodeId);
    let target = |node: NodeId| match ways[node.index()] {
        Way::Ends(end) => end,
        Way::Unknown | Way::Followed | Way::Loops => node,
    };
    nodes.map(target).collect()
}
