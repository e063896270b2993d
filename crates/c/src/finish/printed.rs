//! Texts that are only printed. They are read up to their end, since a text may be gone, race, or have no end. Most are
//! literals, though, which have all of it: of a text that can only be one the first character is looked at, for the pointer
//! may still lead to nothing.

use super::*;
use fencepost_analysis::points_to::{Object, PointedAccess, PointsTo};
use std::collections::HashMap;

/// A loop that reads a text, by the procedure and the local that it counts with.
type Loop = (ProcedureId, LocalId);

impl Made {
    /// Leaves one access of loops that read literals only.
    pub(super) fn glance_at_literals(&mut self) {
        if self.notes.printed.is_empty() {
            return;
        }
        let of_literals = self.loops_over_literals();
        for (p, procedure) in self.program.procedures.iter_mut().enumerate() {
            procedure.body.visit_mut(&mut |stmt| {
                let StmtKind::While(test, body) = &mut stmt.kind else { return };
                if counter(body).is_some_and(|n| of_literals.contains(&(ProcedureId(p), n))) {
                    stmt.kind = StmtKind::If(test.clone(), Block::default(), Block::default());
                }
            });
        }
    }

    /// Those of the loops for printing that can read nothing but literals.
    fn loops_over_literals(&self) -> HashSet<Loop> {
        let is_literal = |object: &Object| match object {
            Object::Variable(None, VarRef::Shared(id)) => self.notes.literals.contains(id),
            _ => false,
        };
        let only_literals = |access: &PointedAccess<'_>| {
            !access.targets.is_empty() && access.targets.iter().all(|t| is_literal(&t.object))
        };
        // A pointer that comes from arithmetic may be any. A function's text may be looked at several times.
        let mut of_literals: HashMap<*const Place, bool> = HashMap::new();
        for access in PointsTo::with_unknown(&self.program).accesses() {
            *of_literals.entry(access.place).or_insert(true) &= only_literals(&access);
        }
        let mut found = HashSet::new();
        for (p, procedure) in self.program.procedures.iter().enumerate() {
            procedure.body.visit(&mut |stmt| {
                let StmtKind::While(test, body) = &stmt.kind else { return };
                let Some(counter) = counter(body) else { return };
                let mut reads = Vec::new();
                test.visit(&mut |e| match &e.kind {
                    ExprKind::Read(place) if matches!(place.base, Base::Pointed(..)) => {
                        reads.push(place as *const Place);
                    }
                    _ => {}
                });
                let is_printed = self.notes.printed.contains(&(ProcedureId(p), counter));
                if is_printed && reads.iter().all(|place| of_literals.get(place) == Some(&true)) {
                    found.insert((ProcedureId(p), counter));
                }
            });
        }
        found
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
