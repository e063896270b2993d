//! Where C text can declare a variable: where the tree does, if all uses stand in the rest of that block, else at the
//! beginning of the function. The front end makes trees whose variables know no blocks.

use fencepost_ir::tree::{Base, Block, Expr, ExprKind, LocalId, Place, Procedure, StmtKind, VarRef};
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
        if let Base::Variable(VarRef::Local(id)) = place.base
            && !self.visible.contains(&id)
        {
            self.early.insert(id);
        }
    }

    fn expr(&mut self, e: &Expr) {
        e.visit(&mut |e| {
            if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &e.kind {
                self.place(place);
            }
        });
    }

    fn block(&mut self, block: &Block) {
        let outer = self.visible.clone();
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
                    self.visible.insert(*id);
                }
                StmtKind::Assign(place, _)
                | StmtKind::Lock(place)
                | StmtKind::Unlock(place)
                | StmtKind::Join(Some(place), _) => self.place(place),
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(body) => self.block(body),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| self.block(b)),
                _ => {}
            }
            if after {
                stmt.kind.expressions().into_iter().for_each(|e| self.expr(e));
            }
        }
        self.visible = outer;
    }
}
