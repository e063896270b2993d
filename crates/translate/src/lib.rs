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
//! its way for more than that many rounds of its thread. [`translate`] gives the text; [`run_back`] turns an SC
//! run of the translation into a TSO run of the program.
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
//! - the view is no variable: the newest store that is put down is found where it is asked for. So a
//!   thread that waits has nothing in it that depends on what memory was.
//!
//! Limits: memory that is allocated any number of times, arrays without end, and labels of properties inside atomic sections are
//! refused; so are pointers in the modelling language, which has none.

mod back;
mod body;
mod c;
mod c_program;
mod comments;
mod constants;
mod delayed;
mod flow;
mod heap;
mod idioms;
mod indirect;
mod language;
mod lines;
mod names;
mod pointers;
mod reach;
mod scopes;
mod support;
mod times;
mod types;
mod value;

use body::Body;
use c::CWords;
use comments::Comments;
use constants::Constants;
use delayed::{Delayed, delayed};
use fencepost_ir::tree::{
    Block, Count, ExprKind, Place, Procedure, ProcedureId, ProcedureKind, Program, Projection, Property,
    SharedId, StmtKind, Thread, Type, Who, Words,
};
use fencepost_ir::{FileId, Scalar, Span};
use heap::Heap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::Helper;

pub use back::{Access, run_back};
pub use language::{Dialect, Language};
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
    /// Where it stands.
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
pub struct Translation {
    /// Its text.
    pub text: String,
    /// For each shared variable of the original its name in the text.
    pub shared: Vec<String>,
    /// The procedures of the text that load and store, by their names.
    pub accesses: BTreeMap<String, Access>,
}

/// The translation, as text of the modelling language, or of C if the program is one of C.
pub fn translate(program: &Program, bound: Bound, language: Language) -> Result<Translation, Unsupported> {
    let translator = Translator::new(program, bound, language)?;
    let text = match language {
        Language::Model => translator.model_text()?,
        Language::C(_) => translator.c_text()?,
    };
    let shared = translator.program.shared[..program.shared.len()].iter().map(|v| v.name.clone()).collect();
    Ok(Translation { text, shared, accesses: translator.accesses() })
}

struct Translator<'a> {
    /// The program, with a process for each function that threads run and names of the text's language.
    program: Program,
    original: &'a Program,
    /// The user's.
    comments: Comments<'a>,
    constants: Constants<'a>,
    bound: Bound,
    language: Language,
    /// What added names begin with.
    prefix: String,
    /// Objects that are allocated.
    heap: Heap,
    /// What stores are delayed to: all but mutexes and what is never written.
    delayed: Vec<Delayed>,
    /// For each shared variable whether pointers may mean it.
    addressed: Vec<bool>,
    /// Labels that properties speak of.
    watched: BTreeSet<String>,
    /// For each procedure the process that threads run instead of it.
    process_of: Vec<ProcedureId>,
    /// Functions that threads run and nobody calls: they begin and end rounds themselves.
    in_place: BTreeSet<ProcedureId>,
    /// The procedures of the translation's own that are called.
    used: RefCell<BTreeSet<Helper>>,
}

impl<'a> Translator<'a> {
    fn new(original: &'a Program, bound: Bound, language: Language) -> Result<Translator<'a>, Unsupported> {
        let mut watched = BTreeSet::new();
        for property in &original.properties {
            match property {
                Property::Forbid(parts, _) => watched.extend(parts.iter().map(|(_, label)| label.clone())),
                Property::AtMost(_, label, _) => {
                    watched.insert(label.clone());
                }
                Property::Final(..) => {}
            }
        }
        for procedure in &original.procedures {
            no_blocks(procedure)?;
        }
        if let Some(span) = original.wide_access {
            return Err(Unsupported::new(span, "memory that is accessed in several sizes"));
        }
        let prefix = names::free_prefix(original);
        let mut program = original.clone();
        // Fences stand for the orders, and under SC neither means anything.
        for procedure in &mut program.procedures {
            procedure.body.visit_places_mut(&mut |place| place.access = fencepost_ir::Access::Plain);
        }
        let mut heap = Heap::default();
        if language.is_c() {
            if let Some(start) = program.threads.iter().find(|t| t.count != Count::Times(1)) {
                return Err(Unsupported::new(start.span, "any number of threads"));
            }
            let mut moved = Vec::new();
            if pointers::check_private(&program).is_err() {
                moved = pointers::share_locals(&mut program);
                pointers::check_private(&program)?;
            }
            heap = Heap::new(&mut program, moved)?;
            names::for_c(&mut program, &prefix);
        }
        let mut addressed = pointers::addressed(&program);
        heap.objects.keys().for_each(|id| addressed[id.0] = true);
        let mut translator = Translator {
            delayed: delayed(&program, &addressed, &heap, &prefix, language)?,
            heap,
            program,
            original,
            constants: Constants::default(),
            comments: Comments::new(&original.sources),
            bound,
            language,
            prefix,
            addressed,
            watched,
            process_of: Vec::new(),
            in_place: BTreeSet::new(),
            used: RefCell::default(),
        };
        translator.check_labels()?;
        translator.add_processes()?;
        translator.rename_labels();
        if language.is_c() {
            translator.constants = Constants::new(&translator.program, &original.sources);
        }
        Ok(translator)
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
    fn add_processes(&mut self) -> Result<(), Unsupported> {
        self.process_of = (0..self.program.procedures.len()).map(ProcedureId).collect();
        let called = pointers::called(&self.program);
        for id in pointers::run_as_threads(&self.program) {
            let function = self.program.procedure(id).clone();
            if function.kind == ProcedureKind::Process {
                continue;
            }
            let is_pointer = |ty: Option<Scalar>| matches!(ty, Some(Scalar::Pointer { .. }));
            let is_main = self.program.threads.iter().any(|t| t.procedure == id);
            if self.language.is_c() {
                let fits = function.params == 1
                    && is_pointer(function.locals[0].ty.as_scalar())
                    && is_pointer(function.result);
                if !called.contains(&id) && (fits || is_main) {
                    // A thread's function has one type.
                    let spans = function.locals[..function.params].iter().map(|p| p.span);
                    for span in spans.chain([function.span]).filter(|_| !is_main) {
                        self.program.spelling.declared.remove(&span);
                    }
                    self.in_place.insert(id);
                    continue;
                }
                if is_main || function.params > 1 {
                    return Err(Unsupported::new(
                        function.span,
                        "a thread whose function is called or has several parameters",
                    ));
                }
            }
            self.process_of[id.0] = ProcedureId(self.program.procedures.len());
            self.program.procedures.push(Procedure {
                name: format!("{}run_{}", self.prefix, function.name),
                kind: ProcedureKind::Process,
                params: function.params,
                result: None,
                locals: function.locals[..function.params].to_vec(),
                body: Block::default(),
                span: function.span,
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
        Ok(())
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

    fn c_words<'b>(&'b self, procedure: Option<&'b Procedure>) -> CWords<'b> {
        let dialect = match self.language {
            Language::C(dialect) => dialect,
            Language::Model => Dialect::Verifier,
        };
        let (program, prefix, constants) = (&self.program, &self.prefix, &self.constants);
        CWords { program, procedure, prefix, dialect, constants, heap: &self.heap }
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

    fn introduction(&self) -> String {
        let what = match self.bound {
            Bound::Rounds(k) => format!("with at most {k} rounds a thread (Theorem 1)"),
            Bound::Age(k) => {
                format!("with no store on its way for more than {k} rounds of its thread (Theorem 2)")
            }
        };
        let lines = [
            "Under SC this program does what the original does under TSO,".to_string(),
            format!("{what},"),
            "after Atig, Bouajjani and Parlato, CAV 2011.".to_string(),
        ];
        let mut of_file = lines_of(&self.comments.of_file(FileId(0)));
        if !of_file.is_empty() {
            of_file.push('\n');
        }
        if self.language.is_c() {
            format!("/* {} */\n\n{of_file}", lines.join("\n   "))
        } else {
            format!("// {}\n\n{of_file}", lines.join("\n// "))
        }
    }

    fn model_text(&self) -> Result<String, Unsupported> {
        let mut out = self.introduction();
        let words = Words { program: &self.program, procedure: None };
        for variable in &self.program.shared {
            out += &lines_of(&self.comments.of_declaration(variable.span));
            let keyword = if variable.ty.leaf() == Some(Scalar::Mutex) { "" } else { "shared " };
            let _ = writeln!(out, "{keyword}{};", words.declaration(variable));
        }
        for variable in &self.program.thread_locals {
            let _ = writeln!(out, "local {};", words.declaration(variable));
        }
        let procedures = self.procedures()?;
        self.used.replace(procedures.iter().flat_map(|(_, used)| used.iter().copied()).collect());
        out += &self.support();
        procedures.iter().for_each(|(text, _)| out += text);
        out.push('\n');
        for thread in &self.program.threads {
            let _ = writeln!(out, "{}", words.start(thread));
        }
        out.push('\n');
        for property in &self.program.properties {
            let _ = writeln!(out, "{}", words.property(property));
        }
        Ok(out)
    }

    /// The texts of the procedures, with what they call of the translation's own.
    fn procedures(&self) -> Result<Vec<(String, BTreeSet<Helper>)>, Unsupported> {
        let all = self.program.procedures.iter().enumerate();
        all.map(|(i, procedure)| {
            let text = format!("\n{}", self.procedure(ProcedureId(i), procedure)?);
            Ok((text, self.used.take()))
        })
        .collect()
    }

    fn is_main(&self, id: ProcedureId) -> bool {
        self.language.is_c() && self.program.threads.iter().any(|t| t.procedure == id)
    }

    /// Whether a return from it ends a thread.
    fn ends_thread(&self, id: ProcedureId) -> bool {
        self.program.procedure(id).kind == ProcedureKind::Process || self.in_place.contains(&id)
    }

    fn head(&self, id: ProcedureId, procedure: &Procedure) -> String {
        let parameters = &procedure.locals[..procedure.params];
        if self.language.is_c() {
            let words = self.c_words(Some(procedure));
            let params: Vec<_> = parameters.iter().map(|p| words.variable(p)).collect();
            return match procedure.kind {
                _ if self.is_main(id) => "int main(void)".to_string(),
                ProcedureKind::Process if params.is_empty() => {
                    format!("static void *{}(void *{}unused)", procedure.name, self.prefix)
                }
                ProcedureKind::Process => format!("static void *{}({})", procedure.name, params.join(", ")),
                ProcedureKind::Function => {
                    let result = words.result(procedure).unwrap_or_else(|| "void".to_string());
                    let space = if result.ends_with('*') { "" } else { " " };
                    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
                    format!("static {result}{space}{}({params})", procedure.name)
                }
            };
        }
        let words = Words { program: &self.program, procedure: Some(procedure) };
        let params: Vec<_> =
            parameters.iter().map(|p| format!("{} {}", words.type_name(&p.ty), p.name)).collect();
        let params = params.join(", ");
        match procedure.kind {
            ProcedureKind::Process => format!("process {}({params})", procedure.name),
            ProcedureKind::Function => {
                let result = procedure.result.map_or("void".to_string(), |r| r.to_string());
                format!("{result} {}({params})", procedure.name)
            }
        }
    }

    fn procedure(&self, id: ProcedureId, procedure: &Procedure) -> Result<String, Unsupported> {
        let mut body = Body::new(self, id, procedure);
        if self.is_main(id) {
            let args = &self.program.threads.iter().find(|t| t.procedure == id).expect("it is started").args;
            body.arguments(args);
        }
        if self.ends_thread(id) {
            body.call(Helper::BeginThread);
        }
        body.first_objects();
        match self.wrapped(id) {
            Some(function) => body.wrap(function),
            None => body.block(&procedure.body)?,
        }
        body.end();
        let open = if self.language.is_c() { "\n{" } else { " {" };
        let comments = lines_of(&self.comments.of_declaration(procedure.span));
        Ok(format!("{comments}{}{open}\n{}}}\n", self.head(id, procedure), body.finish()))
    }

    /// The function that a process was made for.
    fn wrapped(&self, process: ProcedureId) -> Option<ProcedureId> {
        let index = self.process_of.iter().position(|p| *p == process)?;
        (index != process.0).then_some(ProcedureId(index))
    }
}

/// Comments on lines of their own.
fn lines_of(comments: &[String]) -> String {
    let lines = comments.iter().flat_map(|text| comments::indented(text, 0));
    lines.map(|line| line + "\n").collect()
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

/// Refuses variables whose life is that of a block, and that somebody points to from outside of it: the text has no
/// way to say that they are gone.
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
