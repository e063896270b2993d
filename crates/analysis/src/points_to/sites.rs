//! The allocations of a procedure, numbered in the order of a visit: what the objects that they make are known by.

use fencepost_ir::tree::{Expr, ExprKind, Procedure, Type};
use std::collections::HashMap;

/// The allocations of a procedure, by the expressions that they are.
pub struct Sites<'p> {
    all: Vec<(&'p Expr, &'p Type)>,
    numbers: HashMap<*const Expr, usize>,
}

impl<'p> Sites<'p> {
    /// Those of a procedure.
    pub fn new(procedure: &'p Procedure) -> Sites<'p> {
        let mut all = Vec::new();
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Allocate(ty, ..) | ExprKind::Reallocate(ty, ..) = &e.kind {
                        all.push((e, ty));
                    }
                });
            }
        });
        let numbers = all.iter().enumerate().map(|(n, (e, _))| (*e as *const Expr, n)).collect();
        Sites { all, numbers }
    }

    /// The number of an expression of the procedure, if it allocates.
    pub fn number(&self, e: &Expr) -> Option<usize> {
        self.numbers.get(&(e as *const Expr)).copied()
    }

    /// The expressions in the order of their numbers, and the types that they allocate.
    pub fn iter(&self) -> impl Iterator<Item = (&'p Expr, &'p Type)> {
        self.all.iter().copied()
    }
}
