//! Graph to graph: a choice among many values, of which the next tests let few pass, is a choice among
//! these few.
//!
//! Where a register gets any of many values and the node behind branches on nothing but this
//! register and constants, the choice is split: into the values that pass each branch, leading right to
//! the branch's end. Where the register is not read any more behind a branch, one value stands for
//! all that take it. Thus `x = any; assume(0 <= x && x < 4)` chooses among four, and
//! `if (x < 0 || x > 3) abort();` among five.
//!
//! A few steps between the choice and its test that have nothing to do with the register are taken before the
//! choice: nobody else sees a register, so it does not matter when it gets its value.

use crate::liveness::Liveness;
use fencepost_ir::cfg::{
    Arith, BinaryOp, Choices, Dest, Edge, Expr, Instr, NodeId, ProcId, Procedure, Program, Reg, UnaryOp,
};
use fencepost_ir::{IntType, Scalar};

/// Fewer values are tried one by one.
const MANY: u128 = 256;

/// Narrows the choices of every procedure.
pub fn run(program: &mut Program) {
    for i in 0..program.procedures.len() {
        let id = ProcId(i as u32);
        loop {
            let (edges, new_nodes) = match (split(program, id), put_off(program, id)) {
                (Some(edges), _) => (edges, 0),
                (None, Some(moved)) => moved,
                (None, None) => break,
            };
            let mut parts = program.procedures[i].clone().into_parts();
            parts.edges = edges;
            parts.nodes += new_nodes;
            program.procedures[i] = Procedure::new(parts);
        }
    }
}

/// Tests that are further away from a choice than this are not looked for.
const NEAR: u32 = 16;

/// The edges after the first choice whose test is near was put off by one step, and how many nodes that took.
///
/// Every time the choice comes nearer to a place where something else leads to, or to its test; so it ends.
fn put_off(program: &Program, id: ProcId) -> Option<(Vec<Edge>, u32)> {
    let procedure = program.procedure(id);
    let (position, choice) = procedure.edges().iter().enumerate().find(|(_, edge)| {
        let Instr::Havoc(Dest::Reg(Reg::Local(slot)), choices) = &edge.instr else { return false };
        choices.count() > MANY
            && passes_by(procedure, edge.to, *slot)
            && procedure.out(edge.to).any(|(_, e)| leads_to_test(procedure, e.to, *slot, NEAR))
    })?;
    let (mut nodes, mut edges) = (procedure.nodes, Vec::new());
    for (i, edge) in procedure.edges().iter().enumerate() {
        if edge.from == choice.to {
            let between = NodeId(nodes);
            nodes += 1;
            edges.push(Edge { from: choice.from, to: between, ..edge.clone() });
            edges.push(Edge { from: between, to: edge.to, ..choice.clone() });
        } else if i != position {
            edges.push(edge.clone());
        }
    }
    Some((edges, nodes - procedure.nodes))
}

/// Whether only one edge leads to the node, and none that leaves it has to do with the register or with calls.
fn passes_by(procedure: &Procedure, node: NodeId, slot: u32) -> bool {
    let entered = procedure.edges().iter().filter(|e| e.to == node).count();
    let is_label = procedure.labels.iter().any(|(_, n)| *n == node);
    let passing = |edge: &Edge| {
        let simple = match &edge.instr {
            // Two choices that pass each other would do so for ever.
            Instr::Havoc(_, choices) => choices.count() <= MANY,
            instr => matches!(
                instr,
                Instr::Nop | Instr::Assign(..) | Instr::Assume(_) | Instr::Load(..) | Instr::Store(..)
            ),
        };
        simple && edge.to != node && !mentions(&edge.instr, slot)
    };
    let mut out = procedure.out(node).peekable();
    out.peek().is_some()
        && entered == 1
        && !is_label
        && node != procedure.entry()
        && out.all(|(_, edge)| passing(edge))
}

/// Whether tests of nothing but the register are the first that has to do with it on some way.
fn leads_to_test(procedure: &Procedure, node: NodeId, slot: u32, near: u32) -> bool {
    let Scalar::Int(int) = procedure.registers[slot as usize].ty else { return false };
    let is_test = |edge: &Edge| {
        matches!(&edge.instr, Instr::Assume(condition)
            if mentions(&edge.instr, slot) && satisfying(condition, slot, int).is_some())
    };
    let mut out = procedure.out(node).peekable();
    let tested = out.peek().is_some() && procedure.out(node).all(|(_, edge)| is_test(edge));
    tested
        || near > 0
            && passes_by(procedure, node, slot)
            && procedure.out(node).any(|(_, edge)| leads_to_test(procedure, edge.to, slot, near - 1))
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

/// The edges after the first choice that can be split, if there is one.
fn split(program: &Program, id: ProcId) -> Option<Vec<Edge>> {
    let procedure = program.procedure(id);
    let many = |e: &Edge| matches!(&e.instr, Instr::Havoc(_, choices) if choices.count() > MANY);
    if !procedure.edges().iter().any(many) {
        return None;
    }
    let liveness = Liveness::new(program);
    let entered = |node: NodeId| procedure.edges().iter().filter(|e| e.to == node).count();
    let is_label = |node: NodeId| procedure.labels.iter().any(|(_, n)| *n == node);
    procedure.edges().iter().enumerate().find_map(|(position, edge)| {
        let Instr::Havoc(Dest::Reg(Reg::Local(slot)), choices) = &edge.instr else { return None };
        let ty = procedure.registers[*slot as usize].ty;
        let Scalar::Int(int) = ty else { return None };
        if !many(edge) || entered(edge.to) != 1 || is_label(edge.to) || edge.to == procedure.entry() {
            return None;
        }
        let branches: Vec<_> = procedure.out(edge.to).map(|(_, e)| e).collect();
        let mut parts = Vec::new();
        for branch in &branches {
            let Instr::Assume(condition) = &branch.instr else { return None };
            let passing = satisfying(condition, *slot, int)?;
            let mut left = intersect(choices, &passing);
            if !liveness.at(id, branch.to)[*slot as usize] {
                left = left.0.first().map_or(left.clone(), |(first, _)| Choices::one(*first));
            }
            if !left.0.is_empty() {
                let instr = Instr::Havoc(Dest::Reg(Reg::Local(*slot)), left);
                parts.push(Edge { from: edge.from, to: branch.to, instr, span: edge.span });
            }
        }
        let unchanged = parts.iter().any(|p| matches!(&p.instr, Instr::Havoc(_, c) if c == choices));
        if parts.is_empty() || unchanged {
            return None;
        }
        let others = procedure.edges().iter().enumerate();
        let others = others.filter(|(i, e)| *i != position && e.from != edge.to).map(|(_, e)| e.clone());
        Some(others.chain(parts).collect())
    })
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
