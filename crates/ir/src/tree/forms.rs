//! `for` and `switch` of C. The tree means them by simpler statements: a `for` is a `while` whose body ends with the step, a
//! `switch` a row of tests with jumps before the statements that they lead to. A block says which of the two it was, so that
//! it can be printed as such. What that means is in the statements, so passes need not know of it, and a block that no
//! longer has the shape of its form is printed as what it is.

use super::{BinaryOp, Block, Conversion, Expr, ExprKind, Stmt, StmtKind};
use crate::Scalar;
use std::collections::HashSet;

/// How C writes a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Form {
    /// As a block.
    Braces,
    /// As a `for`: what it begins with, then a `while` whose body ends with `step` statements that step on. A label right
    /// before them is where `continue` leads.
    For {
        /// How many statements the step has.
        step: usize,
    },
    /// As a `switch`: what makes the value, a test of it with a jump for each case, a jump to the default or to the end, the
    /// statements with the labels of the cases, and the label of the end, where `break` leads.
    Switch,
}

/// The parts of a `for`.
pub struct For<'t> {
    /// What it begins with.
    pub init: &'t [Stmt],
    /// The `while`.
    pub head: &'t Stmt,
    /// Its condition.
    pub condition: &'t Expr,
    /// All statements of the `while`.
    pub whole: &'t Block,
    /// Those before the step and its label.
    pub body: &'t [Stmt],
    /// The label before the step.
    pub next: Option<&'t str>,
    /// The step.
    pub step: &'t [Stmt],
}

/// The parts of a block of this form, if it has its shape: no `continue` of the `while` would pass over the step.
pub fn for_loop(step: usize, block: &Block) -> Option<For<'_>> {
    let (head, init) = block.0.split_last()?;
    let StmtKind::While(condition, whole) = &head.kind else { return None };
    let (before, step) = whole.0.split_at_checked(whole.0.len().checked_sub(step)?)?;
    let (next, body) = match before.split_last() {
        Some((Stmt { kind: StmtKind::Label(next), .. }, body)) => (Some(&next[..]), body),
        _ => (None, before),
    };
    let direct = next.is_none_or(|next| jumps_are_direct(whole, next));
    (direct && !step.is_empty() && !continues(body)).then_some(For {
        init,
        head,
        condition,
        whole,
        body,
        next,
        step,
    })
}

/// A case of a `switch`.
pub struct Case<'t> {
    /// The first value.
    pub from: &'t Expr,
    /// The last value.
    pub to: &'t Expr,
    /// Where it leads.
    pub label: &'t str,
}

/// The parts of a `switch`.
pub struct Switch<'t> {
    /// What makes the value.
    pub before: &'t [Stmt],
    /// The tests and the jump after them.
    pub tests: &'t [Stmt],
    /// What is tested.
    pub value: &'t Expr,
    /// The cases, in the order of their tests.
    pub cases: Vec<Case<'t>>,
    /// The label of the default.
    pub default: Option<&'t str>,
    /// The statements.
    pub region: &'t [Stmt],
    /// The label after it.
    pub end: &'t str,
}

/// The parts of a block of this form, if it has its shape: all cases are in the statements themselves, and no `break`
/// means a loop around.
pub fn switch<'a>(block: &'a Block) -> Option<Switch<'a>> {
    let stmts = &block.0[..];
    let first = stmts.iter().position(|stmt| case(stmt).is_some())?;
    let mut cases = Vec::new();
    let mut value = None;
    for stmt in &stmts[first..] {
        let Some((tested, case)) = case(stmt) else { break };
        if *value.get_or_insert(tested) != tested {
            return None;
        }
        cases.push(case);
    }
    let begin = first + cases.len();
    let StmtKind::Goto(otherwise) = &stmts.get(begin)?.kind else { return None };
    let (last, region) = stmts[begin + 1..].split_last()?;
    let StmtKind::Label(end) = &last.kind else { return None };
    let label = |stmt: &'a Stmt| match &stmt.kind {
        StmtKind::Label(label) => Some(&label[..]),
        _ => None,
    };
    let placed: HashSet<&str> = region.iter().filter_map(label).collect();
    let default = (otherwise != end).then_some(&otherwise[..]);
    let mut labels = cases.iter().map(|case| case.label).chain(default);
    let first_label = label(region.first()?)?;
    let whole = labels.clone().any(|label| label == first_label)
        && labels.all(|label| placed.contains(label))
        && !breaks(region);
    let (before, tests) = (&stmts[..first], &stmts[first..=begin]);
    whole.then_some(Switch { before, tests, value: value?, cases, default, region, end })
}

/// `if (value == constant) goto label`, or with a range.
fn case(stmt: &Stmt) -> Option<(&Expr, Case<'_>)> {
    let StmtKind::If(test, then, otherwise) = &stmt.kind else { return None };
    let [Stmt { kind: StmtKind::Goto(label), .. }] = &then.0[..] else { return None };
    if !otherwise.0.is_empty() {
        return None;
    }
    fn compared(e: &Expr, asked: BinaryOp) -> Option<(&Expr, &Expr)> {
        let ExprKind::Binary(op, left, right) = &as_truth(e).kind else { return None };
        (*op == asked && matches!(right.kind, ExprKind::Const(_))).then_some((&**left, &**right))
    }
    if let ExprKind::Binary(BinaryOp::And, low, high) = &test.kind {
        let ((value, from), (other, to)) = (compared(low, BinaryOp::Ge)?, compared(high, BinaryOp::Le)?);
        return (value == other).then_some((value, Case { from, to, label }));
    }
    let (value, constant) = compared(test, BinaryOp::Eq)?;
    Some((value, Case { from: constant, to: constant, label }))
}

/// A condition without what makes an integer of a truth value and a truth value of that again.
pub fn as_truth(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(Conversion::Wrapping | Conversion::Checked, inner) if inner.ty == Scalar::Bool => {
            as_truth(inner)
        }
        ExprKind::Binary(BinaryOp::Ne, inner, zero)
            if matches!(zero.kind, ExprKind::Const(0)) && matches!(inner.kind, ExprKind::Convert(..)) =>
        {
            as_truth(inner)
        }
        _ => e,
    }
}

/// Whether a statement is in these that means a loop around them.
fn found_outside_loops(stmts: &[Stmt], wanted: &impl Fn(&StmtKind) -> bool) -> usize {
    let inner = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, otherwise) => {
            found_outside_loops(&then.0, wanted) + found_outside_loops(&otherwise.0, wanted)
        }
        StmtKind::Choose(blocks) => blocks.iter().map(|b| found_outside_loops(&b.0, wanted)).sum(),
        StmtKind::Atomic(_, block) | StmtKind::Block(_, block) => found_outside_loops(&block.0, wanted),
        kind => usize::from(wanted(kind)),
    };
    stmts.iter().map(inner).sum()
}

/// Whether a `continue` of a loop around the statements is in them.
pub fn continues(stmts: &[Stmt]) -> bool {
    found_outside_loops(stmts, &|kind| *kind == StmtKind::Continue) > 0
}

/// Whether a `break` of a loop around the statements is in them.
pub fn breaks(stmts: &[Stmt]) -> bool {
    found_outside_loops(stmts, &|kind| *kind == StmtKind::Break) > 0
}

/// Whether all jumps to a label that are in the body of a loop are outside of further loops, so that `continue` can be
/// written for them.
pub fn jumps_are_direct(body: &Block, label: &str) -> bool {
    let is_jump = |kind: &StmtKind| matches!(kind, StmtKind::Goto(l) if l == label);
    let mut all = 0;
    body.visit(&mut |stmt| all += usize::from(is_jump(&stmt.kind)));
    all == found_outside_loops(&body.0, &is_jump)
}
