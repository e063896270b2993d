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

impl Made {
    /// Refuses programs in which a number that went through `void *` or memory of another type decides something.
    pub(super) fn no_bytes_of_numbers(&self) -> Result<(), Diagnostic> {
        if !self.notes.keeps_numbers {
            return Ok(());
        }
        let is_one = |e: &Expr| match &e.kind {
            ExprKind::Const(_) => self.notes.numbers.contains(&(e.span, e.ty)),
            // Such a number that nobody has set.
            ExprKind::Any(choices) => choices.single() == Some(0),
            _ => false,
        };
        let values = Unfollowed { is_one: &is_one, cells: &self.notes.number_cells };
        let used = PointsTo::with_unfollowed(&self.program, &values).unfollowed_use();
        used.map_or(Ok(()), |span| Err(unknown_value(span)))
    }
}
