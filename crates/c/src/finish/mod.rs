//! What is done to a program after all of it has been lowered, because it needs to see the whole: it is refused where something
//! depends on a value that is not followed. All else that needs the whole program is done by the passes.

mod blocks;
mod numbers;
mod printed;

pub(crate) use blocks::Blocks;
pub(crate) use numbers::{is_unfollowed, settled, unknown_value};

use fencepost_ir::Span;
use fencepost_ir::tree::*;
use fencepost_text::Diagnostic;
use std::collections::HashSet;

/// A program as it has been lowered.
pub(crate) struct Made {
    /// All that is lowered, with the threads at the beginning.
    pub program: Program,
    /// What the tree does not say.
    pub notes: Notes,
}

/// What lowering has found and the tree does not say.
#[derive(Default)]
pub(crate) struct Notes {
    /// Shared and thread-local variables with an initialiser, and the bytes in them where such numbers begin.
    pub number_cells: Vec<(VarRef, u64)>,
    /// Whether such numbers are in memory.
    pub keeps_numbers: bool,
    /// Loops that read a text only because it is printed, by the locals that they count with.
    pub printed: HashSet<(ProcedureId, LocalId)>,
    /// Read-only variables: string literals, and those that are `const`.
    pub literals: HashSet<SharedId>,
}

/// The program, if nothing in it depends on a value that is not followed.
pub(crate) fn finish(mut made: Made) -> Result<Program, Diagnostic> {
    made.no_bytes_of_numbers()?;
    made.settle_numbers();
    made.glance_at_literals();
    Ok(made.program)
}
