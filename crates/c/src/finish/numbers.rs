//! Floating-point numbers are not followed, so nothing may depend on one: also not on one that went through `void *` or memory
//! of another type, where lowering does not see it.

use super::*;

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
        let used = match self.notes.keeps_numbers {
            true => points_to::used_number(&self.program, &self.notes.numbers, &self.notes.number_cells),
            false => None,
        };
        used.map_or(Ok(()), |span| Err(unknown_value(span)))
    }
}
