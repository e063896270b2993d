//! Where local variables are kept. Those that are pointed to, or that instructions need in memory, are kept there; and arrays
//! and records without a value, since only memory knows which of its cells were written.

use fencepost_analysis::addressed::Addressed;
use fencepost_ir::tree::*;
use std::collections::HashSet;

/// Decides for each local where it is kept.
pub(crate) fn run(program: &mut Program) {
    let addressed = Addressed::new(program);
    for (p, procedure) in program.procedures.iter_mut().enumerate() {
        let mut needed = HashSet::new();
        let mut need = |place: &Place| {
            if let Base::Variable(VarRef::Local(id)) = place.base {
                needed.insert(id);
            }
        };
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Lock(place) | StmtKind::Unlock(place) = &stmt.kind {
                need(place);
            }
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Rmw(_, place, _) = &e.kind {
                        need(place);
                    }
                });
            }
        });
        for (i, local) in procedure.locals.iter_mut().enumerate() {
            let i = LocalId(i);
            let aggregate = local.ty.as_scalar().is_none() && local.fill == Fill::Undefined;
            let is_addressed = addressed.contains(ProcedureId(p), VarRef::Local(i));
            if needed.contains(&i) || is_addressed || aggregate || program.records.has_union(&local.ty) {
                // Members of a union that were never written share bytes with those that were.
                let fill = if program.records.has_union(&local.ty) { Fill::Zero } else { local.fill };
                let in_block = matches!(local.kept, Kept::InBlock(_));
                local.kept = if in_block { Kept::InBlock(fill) } else { Kept::InMemory(fill) };
            }
        }
        // Memory itself keeps track of what was never written.
        let locals = &procedure.locals;
        procedure.body.visit_mut(&mut |stmt| {
            if let StmtKind::Declare(id, value) = &mut stmt.kind
                && let Some(Expr { kind: ExprKind::Any(_), .. }) = value
                && let Kept::InMemory(Fill::Undefined) | Kept::InBlock(Fill::Undefined) = locals[id.0].kept
            {
                *value = None;
            }
        });
    }
}
