//! Where C text can declare a variable: where the tree does, if all uses are in the rest of that block, else at the
//! beginning of the function.

use crate::tree::{Block, Expr, ExprKind, LocalId, Place, Procedure, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The variables that have to be declared at the beginning.
pub fn early(procedure: &Procedure) -> BTreeSet<LocalId> {
    let mut scopes = Scopes { visible: BTreeSet::new(), seen: BTreeSet::new(), early: BTreeSet::new() };
    scopes.visible.extend((0..procedure.params).map(LocalId));
    scopes.block(&procedure.body);
    scopes.early
}

struct Scopes {
    visible: BTreeSet<LocalId>,
    /// Declared before, here or elsewhere.
    seen: BTreeSet<LocalId>,
    early: BTreeSet<LocalId>,
}

impl Scopes {
    fn place(&mut self, place: &Place) {
        if let Some(id) = place.local()
            && !self.visible.contains(&id)
        {
            self.early.insert(id);
        }
    }

    fn expr(&mut self, e: &Expr) {
        e.visit(&mut |e| e.kind.place().into_iter().for_each(|place| self.place(place)));
    }

    fn block(&mut self, block: &Block) {
        let mut declared = Vec::new();
        for stmt in &block.0 {
            let after = matches!(stmt.kind, StmtKind::DoWhile(..));
            if !after {
                stmt.kind.expressions().into_iter().for_each(|e| self.expr(e));
            }
            match &stmt.kind {
                StmtKind::Declare(id, _) => {
                    if !self.seen.insert(*id) {
                        self.early.insert(*id);
                    }
                    if self.visible.insert(*id) {
                        declared.push(*id);
                    }
                }
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => self.block(body),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| self.block(b)),
                kind => kind.place().into_iter().for_each(|place| self.place(place)),
            }
            if after {
                stmt.kind.expressions().into_iter().for_each(|e| self.expr(e));
            }
        }
        declared.iter().for_each(|id| {
            self.visible.remove(id);
        });
    }
}

/// Calls `see` with the local variables that a statement reads or takes the address of; not those in its blocks.
pub fn reads(stmt: &Stmt, see: &mut impl FnMut(LocalId)) {
    for e in stmt.kind.expressions() {
        e.visit(&mut |e| e.kind.place().and_then(Place::local).into_iter().for_each(&mut *see));
    }
    // Functions get the addresses of these.
    let action = |e: &Expr| matches!(e.kind, ExprKind::Spawn(..));
    match &stmt.kind {
        StmtKind::Lock(place) | StmtKind::Unlock(place) | StmtKind::Join(Some(place), _) => {
            place.local().into_iter().for_each(see);
        }
        StmtKind::Assign(place, value) if action(value) => place.local().into_iter().for_each(see),
        StmtKind::Declare(id, Some(value)) if action(value) => see(*id),
        _ => {}
    }
}

/// Variables that get values and are not used.
pub fn unread(procedure: &Procedure) -> BTreeSet<LocalId> {
    let mut unread: BTreeSet<LocalId> = (procedure.params..procedure.locals.len()).map(LocalId).collect();
    procedure.body.visit(&mut |stmt| {
        reads(stmt, &mut |id| {
            unread.remove(&id);
        });
    });
    unread
}

/// Whether the first statement that speaks of a local variable, but for its declaration, gives it a value.
pub fn is_set_first(body: &Block, id: LocalId) -> bool {
    let mut first = None;
    body.visit(&mut |stmt| {
        let declares = matches!(stmt.kind, StmtKind::Declare(declared, _) if declared == id);
        if first.is_none() && !declares && stmt.mentions(id) {
            let mut read = false;
            reads(stmt, &mut |other| read |= other == id);
            first = Some(matches!(stmt.kind, StmtKind::Assign(..)) && !read);
        }
    });
    first.unwrap_or(true)
}
