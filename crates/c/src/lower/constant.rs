//! Constants: what an expression without variables is worth.

use super::*;

impl<'a> Lowerer<'a> {
    /// The integer that a constant expression is worth.
    pub(super) fn constant(&mut self, e: &'a ast::Expr) -> Result<i128> {
        let value = self.constant_typed(e)?;
        let worth = self.fold(&value.expr).ok_or_else(|| not_constant(e.span))?;
        Ok(value.expr.ty.meaning(worth))
    }

    /// A constant expression, lowered where nothing happens.
    pub(super) fn constant_typed(&mut self, e: &'a ast::Expr) -> Result<Typed> {
        let body = std::mem::take(&mut self.body);
        self.body.name.clone_from(&body.name);
        let value = self.scalar(e);
        let made = std::mem::replace(&mut self.body, body);
        let value = value?;
        if made.out.is_empty() { Ok(value) } else { Err(not_constant(e.span)) }
    }

    /// The value of an expression that has one whatever happens.
    pub(super) fn fold(&self, e: &Expr) -> Option<i64> {
        self.program.fold(e)
    }

    /// The expression, or its value where it has one.
    pub(super) fn folded(&self, e: Expr) -> Expr {
        match self.fold(&e) {
            // An address is more telling than its number.
            Some(_) if is_address(&e) => e,
            Some(value) => {
                // A converted constant stands where the constant does.
                let span = match &e.kind {
                    ExprKind::Convert(_, inner) if matches!(inner.kind, ExprKind::Const(_)) => inner.span,
                    _ => e.span,
                };
                Expr::constant(value, e.ty, span)
            }
            None => e,
        }
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

pub(super) fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is not a constant")
}
