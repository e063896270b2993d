//! What threads do when they end: after the function that they started with, and before they end themselves anywhere. The
//! first threads end with the program, unless they do it themselves.

use crate::spawned::{Around, around_spawned};
use fencepost_ir::Scalar;
use fencepost_ir::tree::*;

/// Puts calls of [`Program::at_thread_end`] where threads end.
pub(crate) fn run(program: &mut Program) {
    let Some(ending) = program.at_thread_end.take() else { return };
    let call = |span| Expr { kind: ExprKind::Call(ending, Vec::new()), ty: Scalar::Integer, span };
    for procedure in &mut program.procedures {
        // The visit continues with what has just been put in place of the statement.
        let mut is_done = false;
        procedure.body.visit_mut(&mut |stmt| {
            if let StmtKind::Exit(_) = stmt.kind
                && !std::mem::replace(&mut is_done, false)
            {
                is_done = true;
                let span = stmt.span;
                let first = Stmt { kind: StmtKind::Eval(call(span)), span };
                let exit = Stmt { kind: std::mem::replace(&mut stmt.kind, StmtKind::Skip), span };
                stmt.kind = StmtKind::Block(Form::Braces, Block(vec![first, exit]));
            }
        });
    }
    around_spawned(program, |program, started| {
        let span = program.procedure(started).span;
        let behind = vec![Stmt { kind: StmtKind::Eval(call(span)), span }];
        Around { behind, ..Default::default() }
    });
}
