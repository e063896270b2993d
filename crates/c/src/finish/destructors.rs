//! Destructors of keys run when a thread ends: behind the function that it started with, and before
//! `pthread_exit`. Programs without destructors are left as they are.

use super::*;

impl Made {
    /// Lets threads run the destructors before they end. `main` ends with the program, unless it calls
    /// `pthread_exit`.
    pub(super) fn run_destructors(&mut self) {
        let Some(destroy) = self.notes.destroy else { return };
        let call = |span| Expr { kind: ExprKind::Call(destroy, Vec::new()), ty: Scalar::Integer, span };
        for procedure in &mut self.program.procedures {
            // The visit goes on with what has just been put in place of the statement.
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
        self.around_spawned(|this, started| {
            let span = this.program.procedure(started).span;
            let behind = vec![Stmt { kind: StmtKind::Eval(call(span)), span }];
            spawned::Around { behind, ..Default::default() }
        });
    }
}
