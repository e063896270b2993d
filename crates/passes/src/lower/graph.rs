//! The graph of a procedure as it grows: there is always a node where the next edge starts.

use fencepost_ir::cfg::{self, Edge, Instr, NodeId, ProcedureParts, Register};
use fencepost_ir::tree::Procedure;
use fencepost_ir::{Access, Span};
use std::collections::HashMap;

pub(super) struct Graph {
    nodes: u32,
    edges: Vec<Edge>,
    labels: HashMap<String, NodeId>,
    /// Where the next edge starts.
    pub(super) current: NodeId,
    exit: NodeId,
}

impl Default for Graph {
    fn default() -> Graph {
        let (current, exit) = (NodeId(0), NodeId(1));
        Graph { nodes: 2, edges: Vec::new(), labels: HashMap::new(), current, exit }
    }
}

impl Graph {
    pub(super) fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    pub(super) fn edge(&mut self, from: NodeId, to: NodeId, instr: Instr, span: Span) {
        self.edges.push(Edge { from, to, instr, span, access: Access::Plain });
    }

    /// Adds an access at the current node and continues after it.
    pub(super) fn emit_access(&mut self, instr: Instr, access: Access, span: Span) {
        self.emit(instr, span);
        self.edges.last_mut().expect("an edge was added").access = access;
    }

    /// Adds an instruction at the current node and continues after it.
    pub(super) fn emit(&mut self, instr: Instr, span: Span) {
        let to = self.node();
        self.edge(self.current, to, instr, span);
        self.current = to;
    }

    /// Goes on at `node`; what came before leads there.
    pub(super) fn go_to(&mut self, node: NodeId, span: Span) {
        self.edge(self.current, node, Instr::Nop, span);
        self.current = node;
    }

    /// What follows is reached by jumps only, if at all.
    pub(super) fn cut(&mut self) {
        self.current = self.node();
    }

    /// Leaves the procedure.
    pub(super) fn leave_by(&mut self, instr: Instr, span: Span) {
        self.edge(self.current, self.exit, instr, span);
        self.cut();
    }

    pub(super) fn label(&mut self, name: &str) -> NodeId {
        match self.labels.get(name) {
            Some(node) => *node,
            None => {
                let node = self.node();
                self.labels.insert(name.to_string(), node);
                node
            }
        }
    }

    /// The procedure that has this graph.
    pub(super) fn procedure(self, code: &Procedure, registers: Vec<Register>) -> cfg::Procedure {
        let mut labels: Vec<_> = self.labels.into_iter().collect();
        labels.sort_by_key(|(name, node)| (*node, name.clone()));
        cfg::Procedure::new(ProcedureParts {
            name: code.name.clone(),
            registers,
            params: code.params as u32,
            result: code.result,
            nodes: self.nodes,
            edges: self.edges,
            labels,
            span: code.span,
        })
    }
}
