//! What an expression of the program is worth, where that is known.

use super::Lowerer;
use super::build::wrapping;
use fencepost_ir::tree::{Expr, ExprKind};
use fencepost_ir::{Scalar, Span};

impl Lowerer<'_> {
    /// The value of an expression that has one whatever happens.
    pub fn fold(&self, e: &Expr) -> Option<i64> {
        self.program.fold(e)
    }

    /// The expression, or its value where it has one.
    pub fn folded(&self, e: Expr) -> Expr {
        match self.fold(&e) {
            // An address is more telling than its number.
            Some(_) if is_address(&e) => e,
            Some(value) => {
                // A converted constant is where the constant is.
                let span = match &e.kind {
                    ExprKind::Convert(_, inner) if matches!(inner.kind, ExprKind::Const(_)) => inner.span,
                    _ => e.span,
                };
                Expr::constant(value, e.ty, span)
            }
            None => e,
        }
    }

    /// The value wrapped to another scalar type, or what it is worth.
    pub fn wrapped(&self, e: Expr, ty: Scalar, span: Span) -> Expr {
        self.folded(wrapping(e, ty, span))
    }
}

/// Whether it is an address, perhaps as an integer.
fn is_address(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::AddressOf(_) => true,
        ExprKind::Convert(_, inner) => is_address(inner),
        _ => false,
    }
}
