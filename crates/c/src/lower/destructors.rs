//! Destructors of keys run when a thread ends: behind the function that it started with, and before
//! `pthread_exit`. Programs without destructors are left as they are.

use super::*;

impl Lowerer<'_> {
    /// Lets threads run the destructors before they end. `main` ends with the program, unless it calls
    /// `pthread_exit`.
    pub(super) fn run_destructors(&mut self) -> Result<()> {
        let Some(Symbol::Function(index)) = self.library.get("__fencepost_destroy").cloned() else {
            panic!("the library runs destructors")
        };
        let destroy = self.procedure(index, Span::NONE)?;
        self.lower_waiting()?;
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
                    stmt.kind = StmtKind::Block(Block(vec![first, exit]));
                }
            });
        }
        let mut outer: HashMap<ProcedureId, ProcedureId> = HashMap::new();
        for id in (0..self.program.procedures.len()).map(ProcedureId) {
            let mut body = std::mem::take(&mut self.program.procedures[id.0].body);
            body.visit_mut(&mut |stmt| {
                for e in stmt.kind.expressions_mut() {
                    e.visit_mut(&mut |e| {
                        if let ExprKind::Spawn(started, ..) = &mut e.kind {
                            *started = *outer
                                .entry(*started)
                                .or_insert_with_key(|started| self.with_destructors(*started, destroy));
                        }
                    });
                }
            });
            self.program.procedures[id.0].body = body;
        }
        Ok(())
    }

    /// A procedure that calls another one, and then the destructors.
    fn with_destructors(&mut self, started: ProcedureId, destroy: ProcedureId) -> ProcedureId {
        let Procedure { name, params, result, locals, span, .. } = self.program.procedure(started);
        let (name, params, result, span) = (name.clone(), *params, *result, *span);
        let mut locals = locals[..params].to_vec();
        let args = locals.iter().enumerate().map(|(i, local)| {
            let scalar = local.ty.as_scalar().expect("parameters are scalars");
            read_local(LocalId(i), scalar, span)
        });
        let ty = result.unwrap_or(Scalar::Integer);
        let call = Expr { kind: ExprKind::Call(started, args.collect()), ty, span };
        let destroy = Expr { kind: ExprKind::Call(destroy, Vec::new()), ty: Scalar::Integer, span };
        let kept = LocalId(params);
        let first = match result {
            Some(scalar) => {
                let init = vec![Choices::one(scalar.default_value())];
                locals.push(Variable::new("%result".into(), scalar.into(), init, span));
                StmtKind::Declare(kept, Some(call))
            }
            None => StmtKind::Eval(call),
        };
        let last = StmtKind::Return(result.map(|scalar| read_local(kept, scalar, span)));
        let body = [first, StmtKind::Eval(destroy), last].map(|kind| Stmt { kind, span });
        self.program.procedures.push(Procedure {
            name,
            kind: ProcedureKind::Function,
            params,
            result,
            locals,
            body: Block(body.to_vec()),
            span,
        });
        self.undefined.push(HashSet::new());
        ProcedureId(self.program.procedures.len() - 1)
    }
}
