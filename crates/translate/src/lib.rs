//! A program whose SC behaviour is the TSO behaviour of another one, within a bound (Atig, Bouajjani, Parlato:
//! Getting Rid of Store-Buffers in TSO Analysis, CAV 2011).
//!
//! A thread runs in *rounds*: between two of its rounds others run. Each round becomes an atomic section. A
//! store that reaches memory in a later round is put down for that round, in variables of the thread, one for each
//! shared variable and round: of several stores to one variable that reach memory in the same round only the
//! last can be seen by others. What the thread itself sees is the last that it put down, else memory. So a
//! buffer of any length takes a number of copies of the shared variables that depends on the bound alone, and
//! the translation is linear in the program.
//!
//! [`Bound::Rounds`] is Theorem 1: at most that many rounds a thread. [`Bound::Age`] is Theorem 2: no store is on
//! its way for more than that many rounds of its thread. [`translate`] gives the program, which engines search as it is;
//! [`run_back`] turns an SC run of it into a TSO run of the original. To print it as C, [`Translated::spelled_out`] makes
//! of it one that verifiers of C take.
//!
//! Deviations from the print, where it is wrong or silent:
//!
//! - a round may end any number of times in a row between two accesses, so that stores get where they were put
//!   down for without anything else happening;
//! - the program's own atomic sections do not open or close a round: while one is open no round ends;
//! - a store may be put down for never, with bounded rounds: assertions and labels do not ask for memory;
//! - read-modify-writes, locks, draining spawns and the end of a thread wait for the buffer, then act on memory
//!   at once;
//! - with bounded age what is put down moves up a place with each round, where the print counts rounds in a circle;
//!   how far a store is put off is chosen freely within the bound;
//! - the view is not a variable: the newest store that is put down is found where it is asked for. So a
//!   thread that waits has nothing in it that depends on what memory was.
//!
//! Limits: memory that is allocated any number of times, arrays without end, and labels of properties inside atomic sections are
//! refused.
//!
//! ```
//! use fencepost_translate::{Bound, translate};
//!
//! let text = "shared int x, y; thread a { x = 1; int r = y; } thread b { y = 1; int r = x; } final not exists (x == 0);";
//! let program = fencepost_models::fp::read("sb.fp", text).expect("it is a model");
//! let translated = translate(&program, Bound::Rounds(2)).expect("it has nothing that is refused");
//! println!("{}", translated.program);
//! ```

mod back;
mod body;
mod build;
mod delayed;
mod flow;
mod heap;
mod indirect;
mod loops;
mod names;
mod pointers;
mod reach;
mod spell_out;
mod support;
mod times;
mod value;

use body::Body;
use delayed::{Delayed, delayed};
use fencepost_ir::tree::c::free_prefix;
use fencepost_ir::tree::{
    Base, Block, Declared, Expr, ExprKind, Place, Procedure, ProcedureId, ProcedureKind, Program, Projection,
    Property, SharedId, StmtKind, Thread, Type, VarRef, Who,
};
use fencepost_ir::{Scalar, Span};
use heap::Heap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use support::{Buffer, Helper};

pub use back::{Access, run_back};
pub use reach::shared_states;

/// How much of TSO is covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// At most this many rounds a thread, at least 1.
    Rounds(u32),
    /// No store is on its way for more than this many further rounds of its thread.
    Age(u32),
}

/// What cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Its place in the source.
    pub span: Span,
    /// What it is.
    pub what: String,
    /// What can be done about it.
    pub help: Option<&'static str>,
}

impl Unsupported {
    fn new(span: Span, what: impl Into<String>) -> Unsupported {
        Unsupported { span, what: what.into(), help: None }
    }

    fn help(self, help: &'static str) -> Unsupported {
        Unsupported { help: Some(help), ..self }
    }
}

/// A translated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translated {
    /// The program. Its first shared variables are those of the original.
    pub program: Program,
    /// The procedures of it that load and store, by their names.
    pub accesses: BTreeMap<String, Access>,
    /// What names that were added begin with.
    pub prefix: String,
    /// How many shared variables the original has.
    pub shared: usize,
}

/// The translation.
pub fn translate(program: &Program, bound: Bound) -> Result<Translated, Unsupported> {
    Translator::new(program, bound)?.translated()
}

struct Translator<'a> {
    /// The program, with a process for each function that is both run by threads and called.
    program: Program,
    original: &'a Program,
    bound: Bound,
    /// What added names begin with.
    prefix: String,
    /// Objects that are allocated.
    heap: Heap,
    /// What stores are delayed to: all but mutexes and what is never written.
    delayed: Vec<Delayed>,
    /// The variables that stand for the buffer.
    buffer: Buffer,
    /// For each shared variable whether pointers may mean it.
    addressed: Vec<bool>,
    /// Labels that properties speak of.
    watched: BTreeSet<String>,
    /// For each procedure the process that threads run instead of it.
    process_of: Vec<ProcedureId>,
    /// Functions that threads run and that are never called: they begin and end rounds themselves.
    in_place: BTreeSet<ProcedureId>,
    /// The procedures of the translation's own that are called, as they are first called.
    helpers: RefCell<Vec<Helper>>,
}

impl<'a> Translator<'a> {
    fn new(original: &'a Program, bound: Bound) -> Result<Translator<'a>, Unsupported> {
        for procedure in &original.procedures {
            no_blocks(procedure)?;
        }
        if let Some(span) = original.wide_access {
            return Err(Unsupported::new(span, "memory that is accessed in several sizes"));
        }
        let prefix = free_prefix(original);
        let mut program = original.clone();
        // Fences stand for the orders, and under SC neither means anything.
        for procedure in &mut program.procedures {
            procedure.body.visit_places_mut(&mut |place| place.access = fencepost_ir::Access::Plain);
        }
        let mut moved = Vec::new();
        if pointers::check_private(&program).is_err() {
            moved = pointers::share_locals(&mut program);
            pointers::check_private(&program)?;
        }
        let heap = Heap::new(&mut program, moved, &prefix)?;
        let mut addressed = pointers::addressed(&program);
        heap.objects.keys().for_each(|id| addressed[id.0] = true);
        let delayed = delayed(&program, &addressed, &heap, &prefix)?;
        let mut translator = Translator {
            buffer: Buffer::new(&mut program, &delayed, bound, &prefix),
            delayed,
            heap,
            program,
            original,
            bound,
            prefix,
            addressed,
            watched: watched(original),
            process_of: Vec::new(),
            in_place: BTreeSet::new(),
            helpers: RefCell::default(),
        };
        translator.check_labels()?;
        translator.add_processes();
        translator.rename_labels();
        Ok(translator)
    }

    fn translated(mut self) -> Result<Translated, Unsupported> {
        let mut out = self.program.clone();
        self.heap.place_pointers(&mut out, &self.prefix);
        let bodies =
            (0..self.program.procedures.len()).map(|i| Body::new(&self, ProcedureId(i)).translated());
        out.procedures = bodies.collect::<Result<_, _>>()?;
        let first = out.procedures.len();
        let support = self.support();
        // As they are printed, not as they are first called.
        let mut order: Vec<usize> = (0..support.len()).collect();
        order.sort_by_key(|i| support[*i].0);
        let mut number = vec![0; order.len()];
        for (new, old) in order.into_iter().enumerate() {
            let (_, procedure, note) = &support[old];
            number[old] = new;
            out.procedures.push(procedure.clone());
            if !note.is_empty() {
                out.spelling.notes.insert(Declared::Procedure(ProcedureId(first + new)), note.to_string());
            }
        }
        for procedure in &mut out.procedures {
            procedure.body.visit_mut(&mut |stmt| {
                for e in stmt.kind.expressions_mut() {
                    e.visit_mut(&mut |e| {
                        if let ExprKind::Call(id, _) = &mut e.kind
                            && let Some(old) = id.0.checked_sub(first)
                        {
                            id.0 = first + number[old];
                        }
                    });
                }
            });
        }
        out.spelling.notes.insert(Declared::Program, self.introduction());
        let (accesses, shared) = (self.accesses(), self.original.shared.len());
        Ok(Translated { program: out, accesses, prefix: self.prefix, shared })
    }

    /// A label in an atomic section would be passed without a round that ends at it.
    fn check_labels(&self) -> Result<(), Unsupported> {
        let mut sections_call = false;
        for procedure in &self.original.procedures {
            let mut wrong = None;
            let is_watched = |kind: &StmtKind| matches!(kind, StmtKind::Label(l) if self.watched.contains(l));
            let mut opens = false;
            let mut has_watched = None;
            procedure.body.visit(&mut |stmt| match &stmt.kind {
                StmtKind::Atomic(_, body) => body.visit(&mut |inner| {
                    if is_watched(&inner.kind) {
                        wrong = Some(inner.span);
                    }
                    for e in inner.kind.expressions() {
                        e.visit(&mut |e| sections_call |= matches!(e.kind, ExprKind::Call(..)));
                    }
                }),
                StmtKind::AtomicBegin(_) => opens = true,
                kind if is_watched(kind) => has_watched = Some(stmt.span),
                _ => {}
            });
            if let Some(span) = wrong.or(has_watched.filter(|_| opens)) {
                return Err(Unsupported::new(span, "a label of a property in an atomic section"));
            }
        }
        for procedure in self.original.procedures.iter().filter(|p| p.kind == ProcedureKind::Function) {
            let mut wrong = None;
            procedure.body.visit(&mut |stmt| {
                if matches!(&stmt.kind, StmtKind::Label(l) if self.watched.contains(l)) {
                    wrong = Some(stmt.span);
                }
            });
            if let Some(span) = wrong.filter(|_| sections_call) {
                return Err(Unsupported::new(
                    span,
                    "a label of a property in a function that an atomic section may call",
                ));
            }
        }
        Ok(())
    }

    /// Threads begin and end in a process: a function that is run as a thread gets one around it, unless it
    /// can do that itself.
    fn add_processes(&mut self) {
        self.process_of = (0..self.program.procedures.len()).map(ProcedureId).collect();
        let called = pointers::called(&self.program);
        for id in pointers::run_as_threads(&self.program) {
            let function = self.program.procedure(id).clone();
            if function.kind == ProcedureKind::Process {
                continue;
            }
            if !called.contains(&id) {
                self.in_place.insert(id);
                continue;
            }
            let process = ProcedureId(self.program.procedures.len());
            self.process_of[id.0] = process;
            self.in_place.insert(process);
            self.program.procedures.push(Procedure {
                name: format!("{}run_{}", self.prefix, function.name),
                locals: function.locals[..function.params].to_vec(),
                body: Block::default(),
                ..function
            });
        }
        for thread in &mut self.program.threads {
            let process = self.process_of[thread.procedure.0];
            if process != thread.procedure {
                thread.procedure = process;
                thread.name = default_name(&self.program.procedures[process.0], thread);
            }
        }
        for property in &mut self.program.properties {
            if let Property::Forbid(parts, _) = property {
                for (who, _) in parts {
                    if let Who::Runs(id) = who {
                        *id = self.process_of[id.0];
                    }
                }
            }
        }
    }

    /// Properties speak of the places between two rounds.
    fn rename_labels(&mut self) {
        let prefix = &self.prefix;
        for property in &mut self.program.properties {
            match property {
                Property::Forbid(parts, _) => {
                    parts.iter_mut().for_each(|(_, label)| *label = format!("{prefix}at_{label}"));
                }
                Property::AtMost(_, label, _) => *label = format!("{prefix}at_{label}"),
                Property::Final(..) => {}
            }
        }
    }

    /// What is delayed of a place of a shared variable.
    fn delayed_at(&self, base: SharedId, path: &[Projection]) -> Option<usize> {
        let fields: Vec<usize> = path
            .iter()
            .filter_map(|p| match p {
                Projection::Field(i) => Some(*i),
                Projection::Index(_) => None,
            })
            .collect();
        self.delayed.iter().position(|x| x.base == base && x.is_at(&fields))
    }

    /// What an access through a pointer may mean of what is delayed.
    fn pointed(&self, ty: Scalar) -> impl Iterator<Item = usize> + '_ {
        let fits = move |x: &Delayed| x.ty == ty || x.ty.same_bits(0, ty).is_some();
        self.delayed
            .iter()
            .enumerate()
            .filter(move |(_, x)| self.addressed[x.base.0] && fits(x))
            .map(|(i, _)| i)
    }

    /// The type of the scalar at a place in a procedure.
    fn scalar_at(&self, procedure: &Procedure, place: &Place) -> Option<Scalar> {
        self.program.place_type(Some(procedure), place)?.as_scalar()
    }

    /// The type of pointers.
    fn pointer_type(&self) -> Scalar {
        Scalar::Pointer { bits: self.program.pointer_bits }
    }

    /// The address of a place.
    fn address(&self, place: Place) -> Expr {
        let span = place.span;
        match place.base {
            Base::Pointed(pointer, _) if place.path.is_empty() => *pointer,
            _ => Expr { kind: ExprKind::AddressOf(place), ty: self.pointer_type(), span },
        }
    }

    /// A place as it is in the translated program, where allocated objects are pointed to.
    fn outside(&self, place: Place) -> Place {
        let Base::Variable(VarRef::Shared(id)) = place.base else { return place };
        let Some(objects) = self.heap.objects.get(&id) else { return place };
        let pointer = build::read(Place::variable(VarRef::Shared(id), place.span), self.pointer_type());
        Place { base: Base::Pointed(Box::new(pointer), objects.one()), ..place }
    }

    fn introduction(&self) -> String {
        let what = match self.bound {
            Bound::Rounds(k) => format!("with at most {k} rounds a thread (Theorem 1)"),
            Bound::Age(k) => {
                format!("with no store on its way for more than {k} rounds of its thread (Theorem 2)")
            }
        };
        format!(
            "Under SC this program does what the original does under TSO,\n{what},\nafter Atig, Bouajjani and Parlato, CAV 2011."
        )
    }

    /// Whether a return from it ends a thread.
    fn ends_thread(&self, id: ProcedureId) -> bool {
        self.program.procedure(id).kind == ProcedureKind::Process || self.in_place.contains(&id)
    }

    /// The function that a process was made for.
    fn wrapped(&self, process: ProcedureId) -> Option<ProcedureId> {
        let index = self.process_of.iter().position(|p| *p == process)?;
        (index != process.0).then_some(ProcedureId(index))
    }
}

/// Labels that properties speak of.
fn watched(program: &Program) -> BTreeSet<String> {
    let mut watched = BTreeSet::new();
    for property in &program.properties {
        match property {
            Property::Forbid(parts, _) => watched.extend(parts.iter().map(|(_, label)| label.clone())),
            Property::AtMost(_, label, _) => {
                watched.insert(label.clone());
            }
            Property::Final(..) => {}
        }
    }
    watched
}

fn default_name(procedure: &Procedure, thread: &Thread) -> String {
    if thread.args.is_empty() {
        return procedure.name.clone();
    }
    let show = |(p, a): (&fencepost_ir::tree::Variable, &i64)| match &p.ty {
        Type::Scalar(scalar) => scalar.show(*a),
        Type::Array(..) | Type::Record(_) => a.to_string(),
    };
    let args: Vec<_> = procedure.locals.iter().zip(&thread.args).map(show).collect();
    format!("{}({})", procedure.name, args.join(", "))
}

/// Refuses variables whose life is that of a block, and that somebody points to from outside of it.
fn no_blocks(procedure: &Procedure) -> Result<(), Unsupported> {
    let mut found = None;
    procedure.body.visit(&mut |stmt| {
        if let StmtKind::Enter(id) | StmtKind::Leave(id) = &stmt.kind {
            found.get_or_insert(procedure.locals[id.0].span);
        }
    });
    match found {
        Some(span) => {
            Err(Unsupported::new(span, "a variable of a block that is pointed to from outside of it")
                .help("declare it outside of the block, or check the file with `--engine bmc` or `explicit`"))
        }
        None => Ok(()),
    }
}
