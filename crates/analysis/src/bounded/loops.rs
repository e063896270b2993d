//! The loops of a procedure: which nodes belong to which, and through which node they are repeated.
//!
//! A loop is a strongly connected part of the graph; its head is the node of it that is found first from
//! the entry. Without the edges into the head, what is still strongly connected inside is an inner loop
//! (Steensgaard's forest). So every cycle goes through the head of a loop that contains it, whether or
//! not the loop has other entries.
//!
//! Loops inside loops are found by looking at all their nodes again, so a procedure of jumps back takes quadratic time.

use fencepost_ir::cfg::{NodeId, Procedure};
use fencepost_task::{Pace, Stop};

/// The loops of one procedure.
pub struct Loops {
    /// For each node the heads of the loops around it, outermost first.
    around: Vec<Vec<NodeId>>,
}

impl Loops {
    /// Finds them.
    pub fn new(procedure: &Procedure, pace: &mut Pace) -> Result<Loops, Stop> {
        let mut bytes = 0;
        let mut around = vec![Vec::new(); procedure.nodes as usize];
        let mut search = Search::new(procedure);
        let mut work = vec![(0..procedure.nodes).map(NodeId).collect::<Vec<_>>()];
        while let Some(nodes) = work.pop() {
            bytes += size_of_val(&nodes[..]) as u64;
            pace.work(1 + nodes.len() as u64 / NODES_A_UNIT, || bytes)?;
            for part in search.components(&nodes) {
                if part.len() == 1 && !search.successors(part[0]).contains(&part[0]) {
                    continue;
                }
                // Nodes are numbered breadth first from the entry.
                let head = *part.iter().min().expect("components are not empty");
                part.iter().for_each(|node| around[node.index()].push(head));
                search.is_head[head.index()] = true;
                work.push(part);
            }
        }
        Ok(Loops { around })
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

/// Nodes that are looked at in a microsecond.
const NODES_A_UNIT: u64 = 8;

const NEW: u32 = u32::MAX;

/// What is known of each node while parts of the graph are looked at.
struct Search<'p> {
    procedure: &'p Procedure,
    /// Heads so far. Those outside of the nodes at hand do not matter.
    is_head: Vec<bool>,
    /// The nodes at hand.
    nodes: Vec<NodeId>,
    inside: Vec<bool>,
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
}

impl<'p> Search<'p> {
    fn new(procedure: &'p Procedure) -> Search<'p> {
        let no = vec![false; procedure.nodes as usize];
        let new = vec![NEW; procedure.nodes as usize];
        let (is_head, inside, on_stack) = (no.clone(), no.clone(), no);
        Search { procedure, is_head, nodes: Vec::new(), inside, on_stack, low: new.clone(), index: new }
    }

    /// Where control goes from a node, inside and not to a head.
    fn successors(&self, node: NodeId) -> Vec<NodeId> {
        let targets = self.procedure.out(node).map(|(_, e)| e.to);
        targets.filter(|to| self.inside[to.index()] && !self.is_head[to.index()]).collect()
    }

    /// The strongly connected parts of some nodes, without the edges into heads (Tarjan's algorithm).
    fn components(&mut self, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
        for node in self.nodes.drain(..) {
            self.inside[node.index()] = false;
        }
        for node in nodes {
            self.inside[node.index()] = true;
            self.index[node.index()] = NEW;
        }
        self.nodes.extend_from_slice(nodes);
        let (mut next, mut stack, mut parts) = (0, Vec::new(), Vec::new());
        for &root in nodes {
            if self.index[root.index()] != NEW {
                continue;
            }
            let mut calls = vec![self.enter(root, &mut next, &mut stack)];
            while let Some((node, targets, position)) = calls.last_mut() {
                let node = *node;
                if let Some(&to) = targets.get(*position) {
                    *position += 1;
                    if self.index[to.index()] == NEW {
                        calls.push(self.enter(to, &mut next, &mut stack));
                    } else if self.on_stack[to.index()] {
                        self.low[node.index()] = self.low[node.index()].min(self.index[to.index()]);
                    }
                    continue;
                }
                calls.pop();
                if let Some((caller, ..)) = calls.last() {
                    self.low[caller.index()] = self.low[caller.index()].min(self.low[node.index()]);
                }
                if self.low[node.index()] == self.index[node.index()] {
                    let start = stack.iter().rposition(|n| *n == node).expect("it is on the stack");
                    let part = stack.split_off(start);
                    part.iter().for_each(|n| self.on_stack[n.index()] = false);
                    parts.push(part);
                }
            }
        }
        parts
    }

    fn enter(
        &mut self,
        node: NodeId,
        next: &mut u32,
        stack: &mut Vec<NodeId>,
    ) -> (NodeId, Vec<NodeId>, usize) {
        self.index[node.index()] = *next;
        self.low[node.index()] = *next;
        *next += 1;
        stack.push(node);
        self.on_stack[node.index()] = true;
        (node, self.successors(node), 0)
    }
}
