//! Finds the `for` and `switch` statements again in a tree that was lowered ([`Form`]): lowering makes loops, tests and
//! jumps of them, and says so only by the labels that it makes. Only looks depend on what is recognised here.

use fencepost_ir::tree::forms::{self, continues};
use fencepost_ir::tree::{Block, Form, Program, Stmt, StmtKind};
use fencepost_ir::{Sources, Span};

/// Puts a block around what was a `for` or a `switch`.
pub(super) fn mark(program: &mut Program) {
    for procedure in &mut program.procedures {
        procedure.body.visit_blocks_mut(&mut |block| {
            // From the end on, so that what follows has its form.
            let mut at = block.0.len();
            while at > 0 {
                at -= 1;
                let goes_on = at > 0 && case_number(&block.0[at - 1]).is_some();
                if let Some(length) = (!goes_on).then(|| switch_length(&block.0[at..])).flatten() {
                    let first = at - usize::from(at > 0 && is_value_of(&block.0, at, length));
                    wrap(block, first, at + length - first, Form::Switch);
                    at = first;
                } else if let Some(step) = step_length(&program.sources, &block.0[at]) {
                    let first = at - usize::from(at > 0 && begins(&block.0, at, step));
                    wrap(block, first, at + 1 - first, Form::For { step });
                    at = first;
                }
            }
        });
    }
}

fn wrap(block: &mut Block, first: usize, length: usize, form: Form) {
    let inner: Vec<Stmt> = block.0.drain(first..first + length).collect();
    let span = inner[0].span;
    block.0.insert(first, Stmt { kind: StmtKind::Block(form, Block(inner)), span });
}

/// Of a `while` that was a `for`, how many statements its step has.
fn step_length(sources: &Sources, stmt: &Stmt) -> Option<usize> {
    let StmtKind::While(_, whole) = &stmt.kind else { return None };
    let stmts = &whole.0[..];
    let is_next = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Label(l) if made_number(l, "next").is_some());
    if let Some(label) = stmts.iter().rposition(is_next) {
        let step = &stmts[label + 1..];
        return (!step.is_empty() && step.iter().all(is_simple)).then_some(step.len());
    }
    if continues(stmts) {
        return None;
    }
    // The step stands before the body, in the same parentheses as the condition.
    let is_step = |s: &&Stmt| is_simple(s) && in_one_head(sources, stmt.span, s.span);
    let step = stmts.iter().rev().take_while(is_step).count();
    (step > 0).then_some(step)
}

/// Whether nothing between two places of a line leaves the parentheses that the first one is in.
fn in_one_head(sources: &Sources, from: Span, to: Span) -> bool {
    let Some(line) = sources.line(from) else { return false };
    let (start, end) = ((from.column as usize).saturating_sub(1), (to.column as usize).saturating_sub(1));
    if (from.file, from.line) != (to.file, to.line) || start >= end {
        return false;
    }
    let mut depth = 0;
    let mut inside = line.chars().skip(start).take(end - start);
    inside.all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0 && c != '{'
    })
}

/// Whether the statement before a loop sets a variable that its step changes, on the same line, and nobody uses it after the
/// loop if it is declared there.
fn begins(stmts: &[Stmt], at: usize, step: usize) -> bool {
    let (stmt, StmtKind::While(condition, whole)) = (&stmts[at - 1], &stmts[at].kind) else { return false };
    let (id, value, declares) = match &stmt.kind {
        StmtKind::Declare(id, Some(value)) => (*id, value, true),
        StmtKind::Assign(place, value) if place.path.is_empty() => match place.local() {
            Some(id) => (id, value, false),
            None => return false,
        },
        _ => return false,
    };
    let steps = &whole.0[whole.0.len() - step..];
    let later = || Block(stmts[at + 1..].to_vec());
    steps.iter().any(|step| step.mentions(id))
        && value.only_computes()
        && !(declares && later().mentions(id))
        && stmt.span.line == condition.span.line
}

/// Whether a statement sets a local variable and does nothing else.
fn is_simple(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign(place, value) => {
            place.local().is_some() && place.path.is_empty() && value.only_computes()
        }
        _ => false,
    }
}

/// The number of a label that lowering made.
fn made_number(label: &str, what: &str) -> Option<u32> {
    label.strip_prefix("__")?.strip_prefix(what)?.parse().ok()
}

/// The number of the case that a test leads to.
fn case_number(stmt: &Stmt) -> Option<u32> {
    let StmtKind::If(_, then, _) = &stmt.kind else { return None };
    match &then.0[..] {
        [Stmt { kind: StmtKind::Goto(label), .. }] => made_number(label, "case"),
        _ => None,
    }
}

/// How many statements the `switch` has that these begin with, from its tests to the label of its end.
fn switch_length(stmts: &[Stmt]) -> Option<usize> {
    let lowest = stmts.iter().map_while(case_number).min()?;
    // The end of a switch is numbered before its cases.
    let end = |(i, stmt): (usize, &Stmt)| match &stmt.kind {
        StmtKind::Label(label) => Some((made_number(label, "end").filter(|n| *n < lowest)?, i)),
        _ => None,
    };
    let (_, last) = stmts.iter().enumerate().filter_map(end).max()?;
    forms::switch(&Block(stmts[..=last].to_vec())).map(|_| last + 1)
}

/// Whether the statement before a `switch` sets a variable for its value, and nobody uses it after it.
fn is_value_of(stmts: &[Stmt], at: usize, length: usize) -> bool {
    let (StmtKind::Declare(id, Some(_)), test) = (&stmts[at - 1].kind, &stmts[at]) else { return false };
    test.mentions(*id) && !Block(stmts[at + length..].to_vec()).mentions(*id)
}
