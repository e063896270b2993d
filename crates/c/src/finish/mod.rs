//! What is done to the tree of a program after all of it has been lowered, because it needs to see the whole program: the
//! lives of variables, choices and loops at the beginning, what runs around threads, and the cells of objects.
//!
//! Each pass is a file. [`finish`] is the list of them. They know the program as a tree, and of C only what [`Notes`] say.

mod blocks;
mod destructors;
mod early_choices;
mod exposure;
mod fold;
mod in_memory;
mod initial_cells;
mod lifetime;
mod numbers;
mod overlay;
mod points_to;
mod spawn_loop;
mod spawned;
mod thread_local;

pub(crate) use blocks::Blocks;
pub(crate) use fold::fold;
pub(crate) use initial_cells::InitialCells;
pub(crate) use numbers::unknown_value;
pub(crate) use overlay::is_bytes;

use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet};

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
    /// For each procedure the locals that hold anything until they are assigned.
    pub undefined: Vec<HashSet<LocalId>>,
    /// Variables whose address becomes a pointer to something else, with the procedure where it does.
    pub casts: Vec<(ProcedureId, Cast)>,
    /// The blocks of each procedure of the user's. In its body stand [`StmtKind::Enter`] and [`StmtKind::Leave`] of all
    /// variables that live as long as a block.
    pub blocks: HashMap<ProcedureId, Blocks>,
    /// Where memory is copied that has no known type.
    pub copies: HashSet<Span>,
    /// Constants that stand for floating-point numbers, by their places and types.
    pub numbers: HashSet<(Span, Scalar)>,
    /// Shared and thread-local variables with an initialiser, and the bytes in them where such numbers begin.
    pub number_cells: Vec<(VarRef, u64)>,
    /// Whether such numbers are in memory.
    pub keeps_numbers: bool,
    /// Where pointers become integers.
    pub pointer_casts: HashSet<Span>,
    /// Records that have bit-fields, not counting those of records in them.
    pub bit_fields: HashSet<RecordId>,
    /// The procedure that runs the destructors of a thread's keys, if there can be any.
    pub destroy: Option<ProcedureId>,
}

/// A cast of a variable's address.
pub(crate) struct Cast {
    /// A shared variable, or a local one of the procedure.
    pub variable: VarRef,
    /// The byte of the variable that the pointer points to.
    pub offset: u64,
    /// What it points to afterwards.
    pub ty: Type,
}

/// Runs the passes over a program whose first thread runs `main` and starts all others, or in which all threads are there
/// from the beginning.
pub(crate) fn finish(mut made: Made, main: Option<ProcedureId>) -> Result<Program, Diagnostic> {
    made.notes.undefined.resize_with(made.program.procedures.len(), HashSet::new);
    let in_blocks = made.end_lives();
    if let Some(main) = main {
        made.spawn_loops(main);
        made.choose_early(main);
    }
    made.run_destructors();
    made.thread_locals_to_memory();
    made.open_ends();
    made.no_bytes_of_numbers()?;
    made.overlay();
    made.program.exposes_pointers |=
        exposure::addresses_become_numbers(&made.program, &made.notes.pointer_casts);
    made.keep_in_memory(&in_blocks);
    Ok(made.program)
}

impl Notes {
    /// Whether a variable of the type has bit-fields. Memory knows which integers were written, not which of their bits, so
    /// they start with zero.
    pub fn has_bits(&self, records: &Records, ty: &Type) -> bool {
        match ty {
            Type::Scalar(_) => false,
            Type::Array(element, _) => self.has_bits(records, element),
            Type::Record(id) => {
                self.bit_fields.contains(id)
                    || records.get(*id).fields.iter().any(|f| self.has_bits(records, &f.ty))
            }
        }
    }
}

/// The value of a local variable.
pub(crate) fn read_local(id: LocalId, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Read(Place::variable(VarRef::Local(id), span)), ty, span }
}
