//! Walks over expressions and statements.

use super::*;

impl Place {
    /// [`Place::expressions`], to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        let pointer = match &mut self.base {
            Base::Pointed(pointer, _) => Some(&mut **pointer),
            Base::Variable(_) => None,
        };
        let indices = self.path.iter_mut().filter_map(|p| match p {
            Projection::Index(e) => Some(e),
            Projection::Field(_) => None,
        });
        pointer.into_iter().chain(indices).collect()
    }
}

impl Expr {
    /// Calls `visit` on this expression and all in it.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => {
                place.expressions().for_each(|e| e.visit(visit));
            }
            ExprKind::Unary(_, e) | ExprKind::Convert(_, e) | ExprKind::Allocate(_, e, ..) => e.visit(visit),
            ExprKind::Binary(_, l, r) | ExprKind::Reallocate(_, l, r) => {
                l.visit(visit);
                r.visit(visit);
            }
            ExprKind::Select(c, t, e) => {
                c.visit(visit);
                t.visit(visit);
                e.visit(visit);
            }
            ExprKind::Rmw(_, place, operands) => {
                place.expressions().chain(operands).for_each(|e| e.visit(visit));
            }
            ExprKind::Call(_, args) | ExprKind::Spawn(_, args, _) => args.iter().for_each(|e| e.visit(visit)),
        }
    }

    /// Calls `visit` on this expression and all in it, to be changed.
    pub fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit(self);
        match &mut self.kind {
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => {
                place.expressions_mut().into_iter().for_each(|e| e.visit_mut(visit));
            }
            ExprKind::Unary(_, e) | ExprKind::Convert(_, e) | ExprKind::Allocate(_, e, ..) => {
                e.visit_mut(visit)
            }
            ExprKind::Binary(_, l, r) | ExprKind::Reallocate(_, l, r) => {
                l.visit_mut(visit);
                r.visit_mut(visit);
            }
            ExprKind::Select(c, t, e) => {
                c.visit_mut(visit);
                t.visit_mut(visit);
                e.visit_mut(visit);
            }
            ExprKind::Rmw(_, place, operands) => {
                place.expressions_mut().into_iter().chain(operands).for_each(|e| e.visit_mut(visit));
            }
            ExprKind::Call(_, args) | ExprKind::Spawn(_, args, _) => {
                args.iter_mut().for_each(|e| e.visit_mut(visit));
            }
        }
    }
}

impl Expr {
    /// Whether it does nothing but compute from what is there: it neither chooses, calls, starts nor allocates.
    pub fn only_computes(&self) -> bool {
        let mut plain = true;
        self.visit(&mut |e| {
            plain &= !matches!(
                e.kind,
                ExprKind::Call(..)
                    | ExprKind::Any(_)
                    | ExprKind::Rmw(..)
                    | ExprKind::Spawn(..)
                    | ExprKind::Allocate(..)
                    | ExprKind::Reallocate(..)
            );
        });
        plain
    }
}

impl Place {
    /// The local variable that it is in.
    pub fn local(&self) -> Option<LocalId> {
        match self.base {
            Base::Variable(VarRef::Local(id)) => Some(id),
            _ => None,
        }
    }
}

impl Stmt {
    /// Whether it speaks of a local variable; not what is in its blocks.
    pub fn mentions(&self, id: LocalId) -> bool {
        let mut found = match &self.kind {
            StmtKind::Declare(declared, _) => *declared == id,
            kind => kind.place().and_then(Place::local) == Some(id),
        };
        for e in self.kind.expressions() {
            e.visit(&mut |e| found |= e.kind.place().and_then(Place::local) == Some(id));
        }
        found
    }
}

impl Block {
    /// Whether a statement in it, inner ones included, speaks of a local variable.
    pub fn mentions(&self, id: LocalId) -> bool {
        let mut found = false;
        self.visit(&mut |stmt| found |= stmt.mentions(id));
        found
    }

    /// Calls `visit` on every statement, inner ones included.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Stmt)) {
        for stmt in &self.0 {
            visit(stmt);
            match &stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    then.visit(visit);
                    otherwise.visit(visit);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => body.visit(visit),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| b.visit(visit)),
                _ => {}
            }
        }
    }
}

impl Block {
    /// Removes the statements that `keep` is false of, inner ones included.
    pub fn retain(&mut self, keep: &impl Fn(&Stmt) -> bool) {
        self.0.retain(keep);
        for stmt in &mut self.0 {
            match &mut stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    then.retain(keep);
                    otherwise.retain(keep);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => body.retain(keep),
                StmtKind::Choose(blocks) => blocks.iter_mut().for_each(|b| b.retain(keep)),
                _ => {}
            }
        }
    }

    /// Calls `visit` on every place in it.
    pub fn visit_places_mut(&mut self, visit: &mut impl FnMut(&mut Place)) {
        self.visit_mut(&mut |stmt| {
            stmt.kind.places_mut().into_iter().for_each(&mut *visit);
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) =
                        &mut e.kind
                    {
                        visit(place);
                    }
                });
            }
        });
    }

    /// Calls `visit` on this block and all inner ones, inner ones first.
    pub fn visit_blocks_mut(&mut self, visit: &mut impl FnMut(&mut Block)) {
        for stmt in &mut self.0 {
            match &mut stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    then.visit_blocks_mut(visit);
                    otherwise.visit_blocks_mut(visit);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => body.visit_blocks_mut(visit),
                StmtKind::Choose(blocks) => blocks.iter_mut().for_each(|b| b.visit_blocks_mut(visit)),
                _ => {}
            }
        }
        visit(self);
    }

    /// Calls `visit` on every statement, inner ones included, to be changed.
    pub fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Stmt)) {
        for stmt in &mut self.0 {
            visit(stmt);
            match &mut stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    then.visit_mut(visit);
                    otherwise.visit_mut(visit);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => body.visit_mut(visit),
                StmtKind::Choose(blocks) => blocks.iter_mut().for_each(|b| b.visit_mut(visit)),
                _ => {}
            }
        }
    }
}

impl ExprKind {
    /// The place that is directly in it.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) => Some(place),
            _ => None,
        }
    }
}

impl StmtKind {
    /// [`StmtKind::expressions`], to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            StmtKind::Declare(_, Some(e))
            | StmtKind::Eval(e)
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _)
            | StmtKind::DoWhile(_, e)
            | StmtKind::Return(Some(e))
            | StmtKind::Assume(e)
            | StmtKind::Assert(e, _)
            | StmtKind::Free(e)
            | StmtKind::Exit(Some(e))
            | StmtKind::Join(None, e) => vec![e],
            StmtKind::Assign(place, e) | StmtKind::Join(Some(place), e) => {
                let mut all = place.expressions_mut();
                all.push(e);
                all
            }
            StmtKind::Lock(place) | StmtKind::Unlock(place) => place.expressions_mut(),
            StmtKind::Skip
            | StmtKind::Label(_)
            | StmtKind::Declare(_, None)
            | StmtKind::Enter(_)
            | StmtKind::Leave(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(None)
            | StmtKind::Exit(None)
            | StmtKind::Halt
            | StmtKind::Choose(_)
            | StmtKind::Atomic(..)
            | StmtKind::AtomicBegin(_)
            | StmtKind::AtomicEnd(_)
            | StmtKind::Fence(_)
            | StmtKind::Block(..) => Vec::new(),
        }
    }

    /// The places that are directly in it, outside of expressions.
    pub fn places_mut(&mut self) -> Vec<&mut Place> {
        match self {
            StmtKind::Assign(place, _)
            | StmtKind::Join(Some(place), _)
            | StmtKind::Lock(place)
            | StmtKind::Unlock(place) => vec![place],
            _ => Vec::new(),
        }
    }

    /// The place that is directly in it, outside of expressions.
    pub fn place(&self) -> Option<&Place> {
        match self {
            StmtKind::Assign(place, _)
            | StmtKind::Join(Some(place), _)
            | StmtKind::Lock(place)
            | StmtKind::Unlock(place) => Some(place),
            _ => None,
        }
    }

    /// The expressions that are directly in it, indices of places included.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            StmtKind::Declare(_, Some(e))
            | StmtKind::Eval(e)
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _)
            | StmtKind::DoWhile(_, e)
            | StmtKind::Return(Some(e))
            | StmtKind::Assume(e)
            | StmtKind::Assert(e, _)
            | StmtKind::Free(e)
            | StmtKind::Exit(Some(e))
            | StmtKind::Join(None, e) => vec![e],
            StmtKind::Assign(place, e) | StmtKind::Join(Some(place), e) => {
                place.expressions().chain([e]).collect()
            }
            StmtKind::Lock(place) | StmtKind::Unlock(place) => place.expressions().collect(),
            StmtKind::Skip
            | StmtKind::Label(_)
            | StmtKind::Declare(_, None)
            | StmtKind::Enter(_)
            | StmtKind::Leave(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(None)
            | StmtKind::Exit(None)
            | StmtKind::Halt
            | StmtKind::Choose(_)
            | StmtKind::Atomic(..)
            | StmtKind::AtomicBegin(_)
            | StmtKind::AtomicEnd(_)
            | StmtKind::Fence(_)
            | StmtKind::Block(..) => Vec::new(),
        }
    }
}
