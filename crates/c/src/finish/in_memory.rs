//! Where local variables are kept. Those that are pointed to, or that instructions need in memory, are kept there; and arrays
//! and records without a value, since only memory knows which of its cells were written.

use super::*;

impl Made {
    /// Decides for each local where it is kept.
    pub(super) fn keep_in_memory(&mut self, in_blocks: &HashSet<(ProcedureId, LocalId)>) {
        for (id, procedure) in self.program.procedures.iter_mut().enumerate() {
            let undefined = &self.notes.undefined[id];
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
                        if let ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &e.kind {
                            need(place);
                        }
                    });
                }
            });
            for (i, local) in procedure.locals.iter_mut().enumerate() {
                let i = LocalId(i);
                let aggregate = local.ty.as_scalar().is_none() && undefined.contains(&i);
                if needed.contains(&i) || aggregate || self.program.records.has_union(&local.ty) {
                    // Members of a union that nobody has written share bytes with those that are.
                    let starts = self.program.records.has_union(&local.ty)
                        || self.notes.has_bits(&self.program.records, &local.ty);
                    let fill = if undefined.contains(&i) && !starts { Fill::Undefined } else { Fill::Zero };
                    let in_block = in_blocks.contains(&(ProcedureId(id), i));
                    local.kept = if in_block { Kept::InBlock(fill) } else { Kept::InMemory(fill) };
                }
            }
            // Memory knows by itself what nobody has written.
            let locals = &procedure.locals;
            procedure.body.visit_mut(&mut |stmt| {
                if let StmtKind::Declare(id, value) = &mut stmt.kind
                    && let Some(Expr { kind: ExprKind::Any(_), .. }) = value
                    && let Kept::InMemory(Fill::Undefined) | Kept::InBlock(Fill::Undefined) =
                        locals[id.0].kept
                {
                    *value = None;
                }
            });
        }
    }
}
