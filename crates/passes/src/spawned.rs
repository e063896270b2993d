//! Procedures around those that threads start with: what happens before and after a thread's function.

use fencepost_ir::Scalar;
use fencepost_ir::tree::*;
use std::collections::HashMap;

/// What is around a thread's function.
#[derive(Default)]
pub(crate) struct Around {
    /// Local variables, after the parameters.
    pub(crate) locals: Vec<Variable>,
    pub(crate) before: Vec<Stmt>,
    pub(crate) behind: Vec<Stmt>,
}

/// Lets spawned threads start with a procedure that calls the one that they would start with.
pub(crate) fn around_spawned(program: &mut Program, around: impl Fn(&Program, ProcedureId) -> Around) {
    let mut outer: HashMap<ProcedureId, ProcedureId> = HashMap::new();
    for id in (0..program.procedures.len()).map(ProcedureId) {
        let mut body = std::mem::take(&mut program.procedures[id.0].body);
        body.visit_mut(&mut |stmt| {
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let ExprKind::Spawn(started, ..) = &mut e.kind {
                        *started = *outer.entry(*started).or_insert_with_key(|started| {
                            let around = around(program, *started);
                            caller_of(program, *started, around)
                        });
                    }
                });
            }
        });
        program.procedures[id.0].body = body;
    }
}

/// A procedure that calls another one between what is around it.
fn caller_of(program: &mut Program, started: ProcedureId, around: Around) -> ProcedureId {
    let Procedure { name, params, result, locals, span, .. } = program.procedure(started);
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
    program.procedures.push(Procedure {
        name,
        kind: ProcedureKind::Function,
        params,
        result,
        locals,
        body: Block([around.before, call, around.behind, last].concat()),
        span,
        spelled: None,
    });
    ProcedureId(program.procedures.len() - 1)
}
