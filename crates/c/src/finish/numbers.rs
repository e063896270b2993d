//! Floating-point numbers are not followed, so nothing may depend on one: also not on one that went through `void *` or memory
//! of another type, where lowering does not see it.

use super::*;
use fencepost_analysis::points_to::{PointsTo, Unfollowed};

/// What is said where a value decides something.
pub(crate) fn unknown_value(span: Span) -> Diagnostic {
    Diagnostic::new(span, "floating point is not supported").help(
        "values of floating point are not followed: they can be computed and printed, but decide nothing and become no \
         integers",
    )
}

/// Whether a value is one of floating point: a choice that has no alternative.
pub(crate) fn is_unfollowed(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Any(choices) if choices.single() == Some(0))
}

/// The expression with a constant for each such value in it.
pub(crate) fn settled(mut e: Expr) -> Expr {
    e.visit_mut(&mut settle);
    e
}

fn settle(e: &mut Expr) {
    if is_unfollowed(e) {
        e.kind = ExprKind::Const(0);
    }
}

impl Made {
    /// Refuses programs in which a number that went through `void *` or memory of another type decides something.
    pub(super) fn no_bytes_of_numbers(&self) -> Result<(), Diagnostic> {
        if !self.notes.keeps_numbers {
            return Ok(());
        }
        let values = Unfollowed { is_one: &is_unfollowed, cells: &self.notes.number_cells };
        let used = PointsTo::with_unfollowed(&self.program, &values).unfollowed_use();
        used.map_or(Ok(()), |span| Err(unknown_value(span)))
    }

    /// Makes constants of the values that are not followed, but for those that nobody has set: a variable that is declared
    /// without a value is not written there.
    pub(super) fn settle_numbers(&mut self) {
        if !self.notes.keeps_numbers {
            return;
        }
        for Procedure { locals, body, .. } in &mut self.program.procedures {
            body.visit_mut(&mut |stmt| {
                if let StmtKind::Declare(id, Some(value)) = &stmt.kind
                    && locals[id.0].fill == Fill::Undefined
                    && is_unfollowed(value)
                {
                    return;
                }
                stmt.kind.expressions_mut().into_iter().for_each(|e| e.visit_mut(&mut settle));
            });
        }
    }
}
