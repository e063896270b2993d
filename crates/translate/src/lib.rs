//! A program whose SC behaviour is the TSO behaviour of another one, within a bound (Atig, Bouajjani, Parlato:
//! Getting Rid of Store-Buffers in TSO Analysis, CAV 2011).
//!
//! A thread runs in *rounds*: between two of its rounds others run. Each round becomes an atomic section. A
//! store that reaches memory in a later round is put down for that round, in variables of the thread, one for each
//! shared variable and round: of several stores to one variable that reach memory in the same round only the
//! last can be seen by others. What the thread itself sees is its *view*: the values it stored and that
//! are still on their way, else memory's. So a buffer of any length takes a number of copies of the shared
//! variables that depends on the bound alone, and the translation is linear in the program.
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
//!   and view at once;
//! - with bounded age the view is rebuilt from the notes of all rounds, and how far a store is put off is chosen
//!   freely within the bound.
//!
//! Limits: pointers, records, arrays without end, and labels of properties inside atomic sections are refused.

mod back;
mod body;
mod support;

use body::Body;
use fencepost_ir::tree::{
    Block, ExprKind, Procedure, ProcedureId, ProcedureKind, Program, Property, StmtKind, Thread, Type, Who,
    Words,
};
use fencepost_ir::{Scalar, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

pub use back::run_back;

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
}

impl Unsupported {
    fn new(span: Span, what: impl Into<String>) -> Unsupported {
        Unsupported { span, what: what.into() }
    }
}

/// The translation, as text of the modelling language.
pub fn translate(program: &Program, bound: Bound) -> Result<String, Unsupported> {
    let translator = Translator::new(program, bound)?;
    translator.text()
}

/// A shared variable that stores are delayed to.
struct Delayed {
    name: String,
    ty: Scalar,
    dims: Vec<u32>,
}

struct Translator<'a> {
    /// The program, with a process for each function that threads run.
    program: Program,
    original: &'a Program,
    bound: Bound,
    /// What added names begin with.
    prefix: String,
    /// Shared variables without mutexes, by their numbers.
    delayed: Vec<Option<Delayed>>,
    /// Labels that properties speak of.
    watched: BTreeSet<String>,
    /// For each procedure the process that threads run instead of it.
    process_of: Vec<ProcedureId>,
}

impl<'a> Translator<'a> {
    fn new(original: &'a Program, bound: Bound) -> Result<Translator<'a>, Unsupported> {
        let mut delayed = Vec::new();
        for variable in &original.shared {
            delayed.push(match variable.ty.leaf() {
                None => return Err(Unsupported::new(variable.span, "a record in shared memory")),
                Some(_) if variable.ty.is_unbounded() => {
                    return Err(Unsupported::new(variable.span, "an array without end"));
                }
                Some(Scalar::Mutex) => None,
                Some(ty) => {
                    Some(Delayed { name: variable.name.clone(), ty, dims: variable.ty.dims().to_vec() })
                }
            });
        }
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
        let mut translator = Translator {
            program: original.clone(),
            original,
            bound,
            prefix: free_prefix(original),
            delayed,
            watched,
            process_of: Vec::new(),
        };
        translator.check_labels()?;
        translator.add_processes();
        translator.rename_labels();
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

    /// Threads begin and end in a process: a function that is run as a thread gets one around it.
    fn add_processes(&mut self) {
        self.process_of = (0..self.program.procedures.len()).map(ProcedureId).collect();
        let mut run: BTreeSet<ProcedureId> = self.original.threads.iter().map(|t| t.procedure).collect();
        for procedure in &self.original.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Spawn(id, ..) = e.kind {
                            run.insert(id);
                        }
                    });
                }
            });
        }
        for id in run {
            let function = self.program.procedure(id).clone();
            if function.kind == ProcedureKind::Process {
                continue;
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

    fn text(&self) -> Result<String, Unsupported> {
        let mut out = self.introduction();
        let words = Words { program: &self.program, procedure: None };
        for variable in &self.program.shared {
            let keyword = if variable.ty.leaf() == Some(Scalar::Mutex) { "" } else { "shared " };
            let _ = writeln!(out, "{keyword}{};", words.declaration(variable));
        }
        for variable in &self.program.thread_locals {
            let _ = writeln!(out, "local {};", words.declaration(variable));
        }
        out.push_str(&self.support());
        for (i, procedure) in self.program.procedures.iter().enumerate() {
            let _ = write!(out, "\n{}", self.procedure(ProcedureId(i), procedure)?);
        }
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

    fn introduction(&self) -> String {
        let what = match self.bound {
            Bound::Rounds(k) => format!("with at most {k} rounds a thread (Theorem 1)"),
            Bound::Age(k) => {
                format!("with no store on its way for more than {k} rounds of its thread (Theorem 2)")
            }
        };
        format!(
            "// Under SC this program does what the original does under TSO,\n// {what},\n\
             // after Atig, Bouajjani and Parlato, CAV 2011.\n\n"
        )
    }

    fn procedure(&self, id: ProcedureId, procedure: &Procedure) -> Result<String, Unsupported> {
        let words = Words { program: &self.program, procedure: Some(procedure) };
        let params: Vec<_> = procedure.locals[..procedure.params]
            .iter()
            .map(|p| format!("{} {}", words.type_name(&p.ty), p.name))
            .collect();
        let params = params.join(", ");
        let head = match procedure.kind {
            ProcedureKind::Process => format!("process {}({params})", procedure.name),
            ProcedureKind::Function => {
                let result = procedure.result.map_or("void".to_string(), |r| r.to_string());
                format!("{result} {}({params})", procedure.name)
            }
        };
        let mut body = Body::new(self, procedure);
        if procedure.kind == ProcedureKind::Process {
            body.line(format!("{}begin_thread();", self.prefix));
        }
        match self.wrapped(id) {
            Some(function) => {
                let names: Vec<_> =
                    procedure.locals[..procedure.params].iter().map(|p| &p.name[..]).collect();
                body.line(format!("{}({});", self.program.procedure(function).name, names.join(", ")));
            }
            None => body.block(&procedure.body)?,
        }
        if procedure.kind == ProcedureKind::Process {
            body.line(format!("{}end_thread();", self.prefix));
        }
        Ok(format!("{head} {{\n{}}}\n", body.finish()))
    }

    /// The function that a process was made for.
    fn wrapped(&self, process: ProcedureId) -> Option<ProcedureId> {
        let index = self.process_of.iter().position(|p| *p == process)?;
        (index != process.0).then_some(ProcedureId(index))
    }
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

/// A beginning that no name of the program has.
fn free_prefix(program: &Program) -> String {
    let mut names: Vec<&str> = Vec::new();
    names.extend(program.shared.iter().chain(&program.thread_locals).map(|v| &v.name[..]));
    names.extend(program.threads.iter().map(|t| &t.name[..]));
    for procedure in &program.procedures {
        names.push(&procedure.name);
        names.extend(procedure.locals.iter().map(|v| &v.name[..]));
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Label(name) = &stmt.kind {
                names.push(name);
            }
        });
    }
    let mut prefix = "tso_".to_string();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, 'x');
    }
    prefix
}
