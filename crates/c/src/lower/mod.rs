//! From the typed program ([`hir`]) to the tree of the program.
//!
//! Types, names and conversions are settled already; what is left is to put effects in order, to give variables their
//! places, and to say what library functions and assembly do. Each file is one of these. Functions are lowered from `main`
//! on, and those of the library where they are called ([`inline`]).
//!
//! What is refused here is what the program's own language cannot say; an error ends its statement, and the others are
//! lowered as well, so that all are told.

mod address;
mod allocate;
mod asm;
mod assign;
mod atomic;
mod atomic_record;
mod atomic_update;
mod bits;
mod body;
mod build;
mod call;
mod choice;
mod clock;
mod compare_memory;
mod completes;
mod convert;
mod copy;
mod copy_memory;
mod counted;
mod declare;
mod facts;
mod fill;
mod floating;
mod fold;
mod format;
mod global;
mod heap;
mod indirect;
mod initializer;
mod inline;
mod intrinsic;
mod jump;
mod known;
mod life;
mod looping;
mod memory;
mod operands;
mod operator;
mod outside;
mod overflow;
mod overflow_wide;
mod place;
mod pointers;
mod print;
mod procedure;
mod process;
mod put;
mod scan;
mod scan_format;
mod scope;
mod sort;
mod spelling;
mod statement;
mod switch;
mod text;
mod thread;
mod types;
mod unions;
mod value;
mod variadic;
mod wide;
mod wide_arithmetic;
mod wide_update;

use crate::finish::{self, Made, Notes};
use crate::hir::{self, FunctionId};
use crate::preprocess::Options;
use body::Body;
use facts::Facts;
use fencepost_ir::tree::{Count, Expr, Place, Program, Thread};
use fencepost_ir::{Sources, Span};
use fencepost_text::Diagnostic;
use global::Globals;
use procedure::Procedures;
pub use process::Processes;
use spelling::Spellings;
use types::RecordMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Lowers a typed program of files; `is_system` tells places in system headers.
pub(crate) fn lower(
    hir: &hir::Program,
    options: &Options,
    sources: &Sources,
    is_system: &dyn Fn(Span) -> bool,
) -> std::result::Result<Program, Vec<Diagnostic>> {
    Lowerer::new(hir, options, Spellings::new(sources, is_system)).program()
}

/// Lowers threads that are there from the beginning, and finds the locals of some names in each of them.
pub(crate) fn lower_threads(
    hir: &hir::Program,
    options: &Options,
    observed: &[&[&str]],
) -> std::result::Result<Processes, Vec<Diagnostic>> {
    let hir::Start::Threads(threads) = &hir.start else { panic!("these are threads") };
    // They are never printed as C.
    let nothing = Sources::default();
    Lowerer::new(hir, options, Spellings::new(&nothing, &|_| true)).processes(threads, observed)
}

/// What the user asks for, see [`Options`].
struct Asks<'h> {
    args: &'h [String],
    overflow: bool,
    exit_status: bool,
    /// Functions that must not be called.
    reach: &'h [String],
    havoc_externs: bool,
    deadlock: bool,
    /// What local variables hold until they are assigned.
    uninitialized: Uninitialized,
}

/// What a local variable holds until it is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Uninitialized {
    Anything,
    /// As registers of litmus tests do.
    Zero,
}

/// The value of an expression.
#[derive(Clone, Debug)]
enum Value {
    Scalar(Expr),
    /// A structure, union or number of 128 bits, where it is.
    Record(Place),
    Void,
}

/// Which value of an expression is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Old,
    New,
    Nothing,
}

struct Lowerer<'h> {
    hir: &'h hir::Program,
    asks: Asks<'h>,
    facts: Facts,
    program: Program,
    notes: Notes,
    records: RecordMap,
    globals: Globals<'h>,
    procedures: Procedures,
    body: Body<'h>,
    spellings: Spellings<'h>,
    errors: Vec<Diagnostic>,
}

impl<'h> Lowerer<'h> {
    fn new(hir: &'h hir::Program, options: &'h Options, spellings: Spellings<'h>) -> Lowerer<'h> {
        let asks = Asks {
            args: &options.args,
            overflow: options.overflow,
            exit_status: options.exit_status,
            reach: &options.reach,
            havoc_externs: options.havoc_externs,
            deadlock: options.deadlock,
            uninitialized: match hir.start {
                hir::Start::Main(_) => Uninitialized::Anything,
                hir::Start::Threads(_) => Uninitialized::Zero,
            },
        };
        let pointer_bits = options.data_model.pointer_bits();
        Lowerer {
            hir,
            asks,
            facts: Facts::of(hir),
            program: Program { pointer_bits, ..Program::default() },
            notes: Notes::default(),
            records: RecordMap::default(),
            globals: Globals::new(hir),
            procedures: Procedures::default(),
            body: Body::default(),
            spellings,
            errors: Vec::new(),
        }
    }

    /// Lowers `main` and all it needs.
    fn program(mut self) -> std::result::Result<Program, Vec<Diagnostic>> {
        let main = self.hir.main().expect("whole programs begin with `main`");
        if let Err(diagnostic) = self.first_thread(main) {
            self.errors.push(diagnostic);
            return Err(self.errors);
        }
        self.finished()
    }

    /// Lowers what is used.
    fn finished(mut self) -> std::result::Result<Program, Vec<Diagnostic>> {
        self.lower_waiting();
        if !self.errors.is_empty() {
            let place = |d: &Diagnostic| (d.span.file, d.span.line, d.span.column);
            self.errors.sort_by_key(place);
            self.errors.dedup();
            return Err(self.errors);
        }
        self.spell_enumerations();
        finish::finish(Made { program: self.program, notes: self.notes }).map_err(|d| vec![d])
    }

    /// The first thread, with constructors before `main`.
    fn first_thread(&mut self, main: FunctionId) -> Result<()> {
        let code = self.procedure(main)?;
        let args = self.main_arguments(main)?;
        self.lower_waiting();
        let procedure = self.around_main(code)?;
        self.run_hooks(procedure)?;
        self.program.at_thread_end = match self.hir.support.get("__fencepost_destroy") {
            Some(destroy) if self.facts.has_key_destructors => Some(self.procedure(*destroy)?),
            _ => None,
        };
        let span = self.hir.functions[main].span;
        let (name, count) = ("main".to_string(), Count::Times(1));
        self.program.threads.push(Thread { name, procedure, args, count, span });
        Ok(())
    }

    /// Keeps what is wrong with a part of the program, so that the rest is looked at as well.
    fn recover(&mut self, result: Result<()>) {
        if let Err(diagnostic) = result {
            self.errors.push(diagnostic);
        }
    }
}
