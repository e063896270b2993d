//! Procedures around those that threads start with: what happens before and behind a thread's function.

use super::*;

/// What stands around a thread's function.
#[derive(Default)]
pub(super) struct Around {
    /// Local variables, behind the parameters.
    pub(super) locals: Vec<Variable>,
    pub(super) before: Vec<Stmt>,
    pub(super) behind: Vec<Stmt>,
}

impl Made {
    /// Lets threads start with a procedure that calls the one that they would start with.
    pub(super) fn around_spawned(&mut self, around: impl Fn(&Self, ProcedureId) -> Around) {
        let mut outer: HashMap<ProcedureId, ProcedureId> = HashMap::new();
        for id in (0..self.program.procedures.len()).map(ProcedureId) {
            let mut body = std::mem::take(&mut self.program.procedures[id.0].body);
            body.visit_mut(&mut |stmt| {
                for e in stmt.kind.expressions_mut() {
                    e.visit_mut(&mut |e| {
                        if let ExprKind::Spawn(started, ..) = &mut e.kind {
                            *started = *outer.entry(*started).or_insert_with_key(|started| {
                                let around = around(self, *started);
                                self.caller_of(*started, around)
                            });
                        }
                    });
                }
            });
            self.program.procedures[id.0].body = body;
        }
    }

    /// A procedure that calls another one between what is around it.
    fn caller_of(&mut self, started: ProcedureId, around: Around) -> ProcedureId {
        let Procedure { name, params, result, locals, span, .. } = self.program.procedure(started);
        let (name, params, result, span) = (name.clone(), *params, *result, *span);
        let mut locals = locals[..params].to_vec();
        let args = locals.iter().enumerate().map(|(i, local)| {
            let scalar = local.ty.as_scalar().expect("parameters are scalars");
            read_local(LocalId(i), scalar, span)
        });
        let ty = result.unwrap_or(Scalar::Integer);
        let call = Expr { kind: ExprKind::Call(started, args.collect()), ty, span };
        locals.extend(around.locals);
        let kept = LocalId(locals.len());
        let call = match result {
            Some(scalar) => {
                let init = vec![Choices::one(scalar.default_value())];
                locals.push(Variable::new("%result".into(), scalar.into(), init, span));
                StmtKind::Declare(kept, Some(call))
            }
            None => StmtKind::Eval(call),
        };
        let last = StmtKind::Return(result.map(|scalar| read_local(kept, scalar, span)));
        let [call, last] = [call, last].map(|kind| vec![Stmt { kind, span }]);
        self.program.procedures.push(Procedure {
            name,
            kind: ProcedureKind::Function,
            params,
            result,
            locals,
            body: Block([around.before, call, around.behind, last].concat()),
            span,
            spelled: None,
        });
        self.notes.undefined.push(HashSet::new());
        ProcedureId(self.program.procedures.len() - 1)
    }
}
