//! Graph to graph: a choice among many values, of which the next tests let few pass, is a choice among
//! these few.
//!
//! Where a register gets any of many values and the node after branches on nothing but this
//! register and constants, the choice is split: into the values that pass each branch, leading right to
//! the branch's end. Where the register is not read any more after a branch, one value stands for
//! all that take it. Thus `x = any; assume(0 <= x && x < 4)` chooses among four, and
//! `if (x < 0 || x > 3) abort();` among five.
//!
//! A few steps between the choice and its test that have nothing to do with the register are taken before the
//! choice: no other thread sees a register, so it does not matter when it gets its value.

use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{
    Arith, BinaryOp, Choices, Dest, Edge, Expr, Instr, NodeId, ProcId, Procedure, ProcedureParts, Program,
    Reg, Register, UnaryOp,
};
use fencepost_ir::{IntType, Scalar};
use std::collections::BTreeSet;

/// Fewer values are tried one by one.
const MANY: u128 = 256;

/// Tests that are further away from a choice than this are not looked for.
const NEAR: u32 = 16;

/// Narrows the choices of every procedure.
pub fn run(program: &mut Program) {
    let chooses = |procedure: &Procedure| procedure.edges().iter().any(is_wide);
    if !program.procedures.iter().any(chooses) {
        return;
    }
    let liveness = Liveness::new(program);
    for (i, procedure) in program.procedures.iter_mut().enumerate() {
        if chooses(procedure) {
            let mut graph = Graph::new(procedure, &liveness, ProcId(i as u32));
            graph.narrow();
            *procedure = graph.finish(procedure);
        }
    }
}

/// Whether an edge chooses among many values.
fn is_wide(edge: &Edge) -> bool {
    matches!(&edge.instr, Instr::Havoc(_, choices) if choices.count() > MANY)
}

/// The register that an edge gives one of many values, and these.
fn wide_choice(edge: &Edge) -> Option<(u32, &Choices)> {
    match &edge.instr {
        Instr::Havoc(Dest::Reg(Reg::Local(slot)), choices) if choices.count() > MANY => {
            Some((*slot, choices))
        }
        _ => None,
    }
}

/// A procedure whose choices are moved. A change looks only at what is near, so that many choices in a long procedure
/// take no longer than as many short ones.
///
/// What is live at a node does not change when a choice is split or put off: neither a test that is left out nor a
/// step that is passed has to do with anything but the register that is chosen.
struct Graph<'a> {
    registers: &'a [Register],
    liveness: &'a Liveness,
    id: ProcId,
    out: Vec<Vec<Edge>>,
    /// How many edges lead to each node.
    entered: Vec<u32>,
    /// Where edges to each node come or came from; where there is one edge, it is from the last that still has one.
    sources: Vec<Vec<NodeId>>,
    /// Whether a node is the entry or has a label.
    named: Vec<bool>,
    /// Nodes after the old ones: what is live there is live at that other node, but not that slot.
    copies: Vec<(NodeId, u32)>,
    /// Nodes whose choices may be split, and whose choices may be put off.
    to_split: BTreeSet<NodeId>,
    to_put_off: BTreeSet<NodeId>,
}

impl<'a> Graph<'a> {
    fn new(procedure: &'a Procedure, liveness: &'a Liveness, id: ProcId) -> Graph<'a> {
        let nodes = procedure.nodes as usize;
        let mut named = vec![false; nodes];
        named[procedure.entry().index()] = true;
        for (_, node) in &procedure.labels {
            named[node.index()] = true;
        }
        let choosing: BTreeSet<_> = procedure.edges().iter().filter(|e| is_wide(e)).map(|e| e.from).collect();
        let mut graph = Graph {
            registers: &procedure.registers,
            liveness,
            id,
            out: vec![Vec::new(); nodes],
            entered: vec![0; nodes],
            sources: vec![Vec::new(); nodes],
            named,
            copies: Vec::new(),
            to_put_off: choosing.clone(),
            to_split: choosing,
        };
        for edge in procedure.edges() {
            graph.count(edge);
            graph.out[edge.from.index()].push(edge.clone());
        }
        graph
    }

    fn count(&mut self, edge: &Edge) {
        self.entered[edge.to.index()] += 1;
        self.sources[edge.to.index()].push(edge.from);
    }

    fn narrow(&mut self) {
        loop {
            if let Some(node) = self.to_split.pop_first() {
                self.split_at(node);
            } else if let Some(node) = self.to_put_off.pop_first() {
                self.put_off_at(node);
            } else {
                break;
            }
        }
    }

    fn finish(self, procedure: &Procedure) -> Procedure {
        Procedure::new(ProcedureParts {
            name: procedure.name.clone(),
            registers: procedure.registers.clone(),
            params: procedure.params,
            result: procedure.result,
            nodes: self.out.len() as u32,
            edges: self.out.into_iter().flatten().collect(),
            labels: procedure.labels.clone(),
            span: procedure.span,
        })
    }

    fn is_live(&self, mut node: NodeId, slot: u32) -> bool {
        let old = self.out.len() - self.copies.len();
        while let Some(copy) = node.index().checked_sub(old) {
            let (behind, chosen) = self.copies[copy];
            if chosen == slot {
                return false;
            }
            node = behind;
        }
        self.liveness.is_live(self.id, node, slot)
    }

    /// The edges out of a node, or into one, are others now: looks again at all choices that this can matter to.
    fn changed(&mut self, node: NodeId) {
        let mut node = node;
        for _ in 0..NEAR + 2 {
            self.to_split.insert(node);
            self.to_put_off.insert(node);
            if self.entered[node.index()] != 1 {
                return;
            }
            let sources = &mut self.sources[node.index()];
            while let Some(source) = sources.last()
                && !self.out[source.index()].iter().any(|e| e.to == node)
            {
                sources.pop();
            }
            match sources.last() {
                Some(source) => node = *source,
                None => return,
            }
        }
    }

    /// Splits the first choice at the node that can be.
    fn split_at(&mut self, node: NodeId) {
        let out = &self.out[node.index()];
        let Some((position, parts)) = (0..out.len()).find_map(|i| Some((i, self.split(&out[i])?))) else {
            return;
        };
        let edge = self.out[node.index()].remove(position);
        let left = std::mem::take(&mut self.out[edge.to.index()]);
        for gone in left.iter().chain([&edge]) {
            self.entered[gone.to.index()] -= 1;
        }
        for part in parts {
            self.count(&part);
            self.out[node.index()].push(part);
        }
        self.changed(node);
        for gone in left {
            self.changed(gone.to);
        }
    }

    /// What stands for a choice and the tests after it.
    fn split(&self, edge: &Edge) -> Option<Vec<Edge>> {
        let (slot, choices) = wide_choice(edge)?;
        let Scalar::Int(int) = self.registers[slot as usize].ty else { return None };
        if self.entered[edge.to.index()] != 1 || self.named(edge.to) {
            return None;
        }
        let mut parts = Vec::new();
        for branch in &self.out[edge.to.index()] {
            let Instr::Assume(condition) = &branch.instr else { return None };
            let passing = satisfying(condition, slot, int)?;
            let mut left = intersect(choices, &passing);
            if !self.is_live(branch.to, slot) {
                left = left.0.first().map_or(left.clone(), |(first, _)| Choices::one(*first));
            }
            if !left.0.is_empty() {
                let instr = Instr::Havoc(Dest::Reg(Reg::Local(slot)), left);
                parts.push(Edge { to: branch.to, instr, ..edge.clone() });
            }
        }
        let unchanged = parts.iter().any(|p| matches!(&p.instr, Instr::Havoc(_, c) if c == choices));
        (!parts.is_empty() && !unchanged).then_some(parts)
    }

    fn named(&self, node: NodeId) -> bool {
        self.named.get(node.index()).is_some_and(|named| *named)
    }

    /// Puts off the first choice at the node whose test is near, by one step.
    ///
    /// Every time the choice comes nearer to a place where something else leads to, or to its test; so it ends.
    fn put_off_at(&mut self, node: NodeId) {
        let can_wait = |edge: &Edge| {
            wide_choice(edge).is_some_and(|(slot, _)| {
                self.passes_by(edge.to, slot)
                    && self.out[edge.to.index()].iter().any(|e| self.leads_to_test(e.to, slot, NEAR))
            })
        };
        let Some(position) = self.out[node.index()].iter().position(can_wait) else { return };
        let choice = self.out[node.index()].remove(position);
        let (slot, _) = wide_choice(&choice).expect("it was looked at above");
        self.entered[choice.to.index()] -= 1;
        let mut first_steps = Vec::new();
        for step in std::mem::take(&mut self.out[choice.to.index()]) {
            self.entered[step.to.index()] -= 1;
            let between = NodeId(self.out.len() as u32);
            let last = Edge { from: between, to: step.to, ..choice.clone() };
            self.copies.push((step.to, slot));
            self.out.push(Vec::new());
            self.entered.push(0);
            self.sources.push(Vec::new());
            let first = Edge { from: node, to: between, ..step };
            self.count(&first);
            self.count(&last);
            self.out[between.index()].push(last);
            first_steps.push(first);
        }
        // As if the edges of both nodes stood in one list, in the order of the nodes.
        let out = &mut self.out[node.index()];
        let position = if choice.to < node { 0 } else { out.len() };
        let targets: Vec<_> = first_steps.iter().map(|first| first.to).collect();
        out.splice(position..position, first_steps);
        self.changed(node);
        targets.into_iter().for_each(|between| self.changed(between));
    }

    /// Whether only one edge leads to the node, and none that leaves it has to do with the register or with calls.
    fn passes_by(&self, node: NodeId, slot: u32) -> bool {
        let passing = |edge: &Edge| {
            let simple = match &edge.instr {
                // Two choices that pass each other would do so forever.
                Instr::Havoc(..) => !is_wide(edge),
                instr => matches!(
                    instr,
                    Instr::Nop | Instr::Assign(..) | Instr::Assume(_) | Instr::Load(..) | Instr::Store(..)
                ),
            };
            simple && edge.to != node && !mentions(&edge.instr, slot)
        };
        let out = &self.out[node.index()];
        !out.is_empty() && self.entered[node.index()] == 1 && !self.named(node) && out.iter().all(passing)
    }

    /// Whether tests of nothing but the register are the first that has to do with it on some way.
    fn leads_to_test(&self, node: NodeId, slot: u32, near: u32) -> bool {
        let Scalar::Int(int) = self.registers[slot as usize].ty else { return false };
        let is_test = |edge: &Edge| {
            matches!(&edge.instr, Instr::Assume(condition)
                if mentions(&edge.instr, slot) && satisfying(condition, slot, int).is_some())
        };
        let out = &self.out[node.index()];
        !out.is_empty() && out.iter().all(is_test)
            || near > 0
                && self.passes_by(node, slot)
                && out.iter().any(|edge| self.leads_to_test(edge.to, slot, near - 1))
    }
}

/// Whether an instruction reads or writes a register.
fn mentions(instr: &Instr, slot: u32) -> bool {
    let covers =
        |base: &Reg, len: u32| matches!(base, Reg::Local(first) if (*first..*first + len).contains(&slot));
    let mut found = match instr.dest() {
        Some(Dest::Reg(reg)) => covers(reg, 1),
        Some(Dest::At { base, len, .. }) => covers(base, *len),
        None => false,
    };
    instr.expressions(&mut |e| {
        e.visit(&mut |e| {
            found |= match e {
                Expr::Reg(reg) => covers(reg, 1),
                Expr::At { base, len, .. } => covers(base, *len),
                _ => false,
            };
        });
    });
    found
}

fn intersect(a: &Choices, b: &Choices) -> Choices {
    let pairs = a.0.iter().flat_map(|x| b.0.iter().map(move |y| (x.0.max(y.0), x.1.min(y.1))));
    Choices::from_ranges(pairs.collect())
}

/// The values of the register with which the condition holds; `None` where that is not known exactly.
fn satisfying(condition: &Expr, slot: u32, int: IntType) -> Option<Choices> {
    let (lo, hi) = if int.bits == 64 {
        (i64::MIN, i64::MAX)
    } else {
        let (lo, hi) = int.limits();
        (lo as i64, hi as i64)
    };
    let all = || Choices(vec![(lo, hi)]);
    match condition {
        Expr::Const(0) => Some(Choices(Vec::new())),
        Expr::Const(_) => Some(all()),
        Expr::Unary(UnaryOp::Not, _, arg) => {
            let inner = satisfying(arg, slot, int)?;
            let mut outside = Vec::new();
            let mut next = Some(lo);
            for (from, to) in inner.0 {
                if let Some(start) = next
                    && start < from
                {
                    outside.push((start, from - 1));
                }
                next = (to < hi).then(|| to + 1);
            }
            outside.extend(next.map(|start| (start, hi)));
            Some(Choices(outside))
        }
        Expr::Binary(BinaryOp::And, _, l, r) => {
            Some(intersect(&satisfying(l, slot, int)?, &satisfying(r, slot, int)?))
        }
        Expr::Binary(BinaryOp::Or, _, l, r) => {
            let (l, r) = (satisfying(l, slot, int)?, satisfying(r, slot, int)?);
            Some(Choices::from_ranges([l.0, r.0].concat()))
        }
        Expr::Binary(op, arith, l, r) => {
            let (op, bound) = match (&**l, &**r) {
                (e, Expr::Const(c)) if is_register(e, slot, int) => (*op, *c),
                (Expr::Const(c), e) if is_register(e, slot, int) => (mirrored(*op)?, *c),
                _ => return None,
            };
            // Held by their bits, unsigned 64-bit values are not in order.
            let unsigned = |int: &IntType| int.bits == 64 && !int.signed;
            if unsigned(&int) || matches!(arith, Arith::Wrap(int) if unsigned(int)) {
                return None;
            }
            let below = |end: Option<i64>| Choices(end.into_iter().map(|end| (lo, end)).collect());
            let above = |start: Option<i64>| Choices(start.into_iter().map(|start| (start, hi)).collect());
            let set = match op {
                BinaryOp::Eq => Choices::one(bound),
                BinaryOp::Ne => return satisfying(&eq(slot, bound).negated(), slot, int),
                BinaryOp::Lt => below(bound.checked_sub(1)),
                BinaryOp::Le => below(Some(bound)),
                BinaryOp::Gt => above(bound.checked_add(1)),
                BinaryOp::Ge => above(Some(bound)),
                _ => return None,
            };
            Some(intersect(&all(), &Choices::from_ranges(set.0)))
        }
        e if is_register(e, slot, int) => satisfying(&eq(slot, 0).negated(), slot, int),
        _ => None,
    }
}

fn eq(slot: u32, value: i64) -> Expr {
    let register = Box::new(Expr::Reg(Reg::Local(slot)));
    Expr::Binary(BinaryOp::Eq, Arith::Exact, register, Box::new(Expr::Const(value)))
}

/// Whether the expression is the register's value, conversions that keep it included.
fn is_register(e: &Expr, slot: u32, int: IntType) -> bool {
    match e {
        Expr::Reg(Reg::Local(s)) => *s == slot,
        Expr::Wrap(to, arg) => {
            let ((lo, hi), (from_lo, from_hi)) = (to.limits(), int.limits());
            lo <= from_lo && from_hi <= hi && is_register(arg, slot, int)
        }
        _ => false,
    }
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne => op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}
