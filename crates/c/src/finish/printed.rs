//! Texts that are only printed. They are read up to their end, since a text may be gone, race, or have no end. Most are
//! literals, though, which have all of it: of a text that can only be one the first character is looked at, for the pointer
//! may still lead to nothing.

use super::*;
use fencepost_analysis::points_to::{Object, PointsTo};
use std::collections::HashMap;

impl Made {
    /// Leaves one access of loops that read literals only.
    pub(super) fn glance_at_literals(&mut self) {
        if self.notes.printed.is_empty() {
            return;
        }
        let is_literal = |object: &Object| match object {
            Object::Variable(None, VarRef::Shared(id)) => self.notes.literals.contains(id),
            _ => false,
        };
        // By where they are: texts that one call prints are taken together. A pointer that comes from arithmetic may be any.
        let mut reads_literals: HashMap<(ProcedureId, Span), bool> = HashMap::new();
        for access in PointsTo::with_unknown(&self.program).accesses() {
            let only = !access.targets.is_empty() && access.targets.iter().all(|t| is_literal(&t.object));
            *reads_literals.entry((access.procedure, access.span)).or_insert(true) &= only;
        }
        for (p, procedure) in self.program.procedures.iter_mut().enumerate() {
            let id = ProcedureId(p);
            procedure.body.visit_mut(&mut |stmt| {
                let StmtKind::While(test, body) = &mut stmt.kind else { return };
                let is_printed = counter(body).is_some_and(|n| self.notes.printed.contains(&(id, n)));
                if is_printed && reads_literals.get(&(id, stmt.span)) == Some(&true) {
                    stmt.kind = StmtKind::If(test.clone(), Block::default(), Block::default());
                }
            });
        }
    }
}

/// The local that a loop of one statement counts with.
fn counter(Block(body): &Block) -> Option<LocalId> {
    match &body[..] {
        [Stmt { kind: StmtKind::Assign(Place { base: Base::Variable(VarRef::Local(id)), .. }, _), .. }] => {
            Some(*id)
        }
        _ => None,
    }
}
