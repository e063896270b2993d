//! What a program must not do, as the user asks for it: functions and labels that must not be reached get an assertion
//! that fails, and assertions that are not asked for end their runs silently.
//!
//! A false assertion ends the program, so nothing of that thread comes after it; an assumption leaves out the same runs.
//! Where deadlocks are looked for, a thread that stands before a false assumption would seem to wait: there the assertion
//! stays, and [`Checks::off`] keeps it from being reported.

use fencepost_ir::tree::{Block, Expr, Form, Program, Stmt, StmtKind};
use fencepost_ir::{Check, Checks, Claim, Scalar, Span};

/// The program with what is asked of it.
pub fn run(mut program: Program, checks: &Checks, reach: &[String]) -> Program {
    if !checks.reports(Check::Assertion) {
        program.properties.clear();
    }
    for procedure in &mut program.procedures {
        for name in reach {
            labels(&mut procedure.body, name);
            // Versions of one function have numbers.
            if procedure.name.split('.').next() == Some(name) {
                procedure.body.0.insert(0, reached(procedure.span));
            }
        }
        if !checks.deadlock {
            procedure.body.visit_mut(&mut |stmt| silence(stmt, checks));
        }
    }
    program
}

/// Fails where it is reached.
fn reached(span: Span) -> Stmt {
    let never = Expr::constant(0, Scalar::Bool, span);
    Stmt { kind: StmtKind::Assert(never, Claim::Reach), span }
}

/// Puts an assertion that fails after each label of the name.
fn labels(body: &mut Block, name: &str) {
    // The visit goes on with what has just been put in place of the statement.
    let mut is_done = false;
    body.visit_mut(&mut |stmt| {
        if let StmtKind::Label(label) = &stmt.kind
            && label == name
            && !std::mem::replace(&mut is_done, false)
        {
            is_done = true;
            let span = stmt.span;
            let label = Stmt { kind: std::mem::replace(&mut stmt.kind, StmtKind::Skip), span };
            stmt.kind = StmtKind::Block(Form::Braces, Block(vec![label, reached(span)]));
        }
    });
}

/// Makes an assumption of an assertion that is not asked for.
fn silence(stmt: &mut Stmt, checks: &Checks) {
    if let StmtKind::Assert(condition, claim) = &stmt.kind
        && !checks.reports(claim.check())
    {
        stmt.kind = StmtKind::Assume(condition.clone());
    }
}
