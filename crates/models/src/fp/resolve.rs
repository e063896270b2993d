//! Names and types of a whole program: declarations, threads, properties.
//!
//! Errors are collected, one for each statement or declaration, so that a user sees them all.

use super::ast::{self, CountExpr, Init, Item, Name, TypeExpr};
use super::parser::RESERVED;
use super::statement::Body;
use fencepost_ir::cfg::Arith;
use fencepost_ir::eval;
use fencepost_ir::tree::*;
use fencepost_ir::{Access, IntType, Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet};

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// More cells than this in one variable are surely a mistake.
const MAX_CELLS: u64 = 1 << 24;

/// What a name at file level means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global {
    Const(i128),
    Shared(SharedId),
    ThreadLocal(ThreadLocalId),
    Procedure(ProcedureId),
}

/// File-level names and what is known of the program so far.
#[derive(Default)]
pub(super) struct Resolver {
    pub(super) program: Program,
    pub(super) globals: HashMap<String, (Global, Span)>,
    /// Every word of the text: names that are made up must differ from these.
    pub(super) words: HashSet<String>,
    thread_names: HashSet<String>,
    /// The procedures that have each label, filled in before the properties.
    labels: HashMap<String, Vec<usize>>,
    diagnostics: Vec<Diagnostic>,
}

/// The tree of a program.
pub(super) fn resolve(
    items: &[Item],
    words: HashSet<String>,
) -> std::result::Result<Program, Vec<Diagnostic>> {
    let mut resolver = Resolver { words, ..Resolver::default() };
    for item in items {
        let result = resolver.declare(item);
        resolver.diagnostics.extend(result.err());
    }
    resolver.bodies(items);
    for item in items {
        let result = resolver.threads(item);
        resolver.diagnostics.extend(result.err());
    }
    let started_main = resolver.start_main();
    resolver.diagnostics.extend(started_main.err());
    for (i, procedure) in resolver.program.procedures.iter().enumerate() {
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Label(label) = &stmt.kind {
                resolver.labels.entry(label.clone()).or_default().push(i);
            }
        });
    }
    for item in items {
        let result = resolver.property(item);
        resolver.diagnostics.extend(result.err());
    }
    if resolver.diagnostics.is_empty() { Ok(resolver.program) } else { Err(resolver.diagnostics) }
}

impl Resolver {
    fn define(&mut self, name: &Name, global: Global) -> Result<()> {
        let builtin = RmwKind::ALL.iter().any(|k| k.name() == name.text);
        if builtin || RESERVED.contains(&name.text.as_str()) {
            let message = format!("`{}` is a word of the language", name.text);
            return Err(Diagnostic::new(name.span, message).help("choose another name"));
        }
        if let Some((_, first)) = self.globals.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return Err(
                Diagnostic::new(name.span, message).label(format!("first declared in line {}", first.line))
            );
        }
        self.globals.insert(name.text.clone(), (global, name.span));
        Ok(())
    }

    fn declare(&mut self, item: &Item) -> Result<()> {
        match item {
            Item::Const(name, value) => {
                let value = self.constant(value)?;
                self.define(name, Global::Const(value))
            }
            Item::Shared(declarations) => declarations.iter().try_for_each(|d| {
                let variable = self.variable(d)?;
                self.define(&d.name, Global::Shared(SharedId(self.program.shared.len())))?;
                self.program.shared.push(variable);
                Ok(())
            }),
            Item::Local(declarations) => declarations.iter().try_for_each(|d| {
                let variable = self.variable(d)?;
                if variable.ty.is_unbounded() {
                    return Err(Diagnostic::new(d.name.span, "only shared arrays can be without end"));
                }
                if variable.init.iter().any(|c| c.single().is_none()) {
                    return Err(Diagnostic::new(
                        d.name.span,
                        "a thread's own variable starts with one value",
                    )
                    .help("assign `any` at the beginning of the process"));
                }
                self.define(&d.name, Global::ThreadLocal(ThreadLocalId(self.program.thread_locals.len())))?;
                self.program.thread_locals.push(variable);
                Ok(())
            }),
            Item::Procedure(p) => {
                let (kind, result) = match &p.kind {
                    ast::ProcedureKind::Process | ast::ProcedureKind::Thread(_) => {
                        (ProcedureKind::Process, None)
                    }
                    ast::ProcedureKind::Function(result) => {
                        let result = result.as_ref().map(|ty| self.scalar(ty)).transpose()?;
                        (ProcedureKind::Function, result)
                    }
                };
                let mut locals = Vec::new();
                for (ty, name) in &p.params {
                    if locals.iter().any(|l: &Variable| l.name == name.text) {
                        let message = format!("two parameters are called `{}`", name.text);
                        return Err(Diagnostic::new(name.span, message));
                    }
                    let scalar = self.scalar(ty)?;
                    let init = vec![Choices::one(scalar.default_value())];
                    locals.push(Variable::new(name.text.clone(), scalar.into(), init, name.span));
                }
                self.define(&p.name, Global::Procedure(ProcedureId(self.program.procedures.len())))?;
                self.program.procedures.push(Procedure {
                    name: p.name.text.clone(),
                    kind,
                    params: locals.len(),
                    result,
                    locals,
                    body: Block::default(),
                    span: p.name.span,
                    spelled: None,
                });
                Ok(())
            }
            Item::Start(_) | Item::Forbid(..) | Item::AtMost(..) | Item::Final(..) => Ok(()),
        }
    }

    fn bodies(&mut self, items: &[Item]) {
        for item in items {
            let Item::Procedure(p) = item else { continue };
            let Some((Global::Procedure(id), span)) = self.globals.get(&p.name.text).copied() else {
                continue;
            };
            if span != p.name.span {
                continue; // a second declaration of the name, reported already
            }
            let (locals, body, diagnostics) = Body::resolve(self, id, &p.body);
            self.program.procedures[id.0].locals = locals;
            self.program.procedures[id.0].body = body;
            self.diagnostics.extend(diagnostics);
        }
    }

    // Types and constants

    pub(super) fn scalar(&self, ty: &TypeExpr) -> Result<Scalar> {
        match ty {
            TypeExpr::Named(name) => Ok(named_type(&name.text)),
            TypeExpr::Range(lo, hi) => {
                let (low, high) = (self.constant_i64(lo)?, self.constant_i64(hi)?);
                if low > high {
                    return Err(Diagnostic::new(lo.span, format!("the range {low}..{high} is empty")));
                }
                Ok(Scalar::Range { lo: low, hi: high })
            }
        }
    }

    fn constant_i64(&self, e: &ast::Expr) -> Result<i64> {
        let value = self.constant(e)?;
        i64::try_from(value).map_err(|_| Diagnostic::new(e.span, format!("{value} does not fit 64 bits")))
    }

    /// The value of an expression that has to be known now.
    pub(super) fn constant(&self, e: &ast::Expr) -> Result<i128> {
        use ast::ExprKind;
        let not_constant = || {
            Diagnostic::new(e.span, "this has to be a constant")
                .help("use numbers and names declared with `const`")
        };
        let value =
            |v: i128| i64::try_from(v).map_err(|_| Diagnostic::new(e.span, "this does not fit 64 bits"));
        match &e.kind {
            ExprKind::Number(n) => Ok(*n),
            ExprKind::Variable(name, indices, Access::Plain) if indices.is_empty() => {
                match (name.text.as_str(), self.globals.get(&name.text)) {
                    ("true", _) => Ok(1),
                    ("false", _) => Ok(0),
                    (_, Some((Global::Const(value), _))) => Ok(*value),
                    _ => Err(not_constant()),
                }
            }
            ExprKind::Unary(op, arg) => {
                let arg = self.constant(arg)?;
                Ok(match op {
                    UnaryOp::Neg => -arg,
                    UnaryOp::BitNot => !arg,
                    UnaryOp::Not => i128::from(arg == 0),
                })
            }
            ExprKind::Binary(op, l, r) => {
                let (l, r) = (value(self.constant(l)?)?, value(self.constant(r)?)?);
                let result = eval::binary(*op, Arith::Exact, l, r);
                result.map(i128::from).map_err(|fault| Diagnostic::new(e.span, fault.to_string()))
            }
            ExprKind::Select(c, t, o) => self.constant(if self.constant(c)? != 0 { t } else { o }),
            ExprKind::Variable(..)
            | ExprKind::Call(..)
            | ExprKind::Member(..)
            | ExprKind::Cast(..)
            | ExprKind::Any(_)
            | ExprKind::Spawn(..) => Err(not_constant()),
        }
    }

    /// A constant that is a value of the type.
    pub(super) fn constant_of(&self, e: &ast::Expr, ty: Scalar) -> Result<i64> {
        if let ast::ExprKind::Variable(name, ..) = &e.kind
            && name.text == "none"
            && ty == Scalar::Thread
        {
            return Ok(-1);
        }
        let value = self.constant(e)?;
        ty.value_of(value).ok_or_else(|| Diagnostic::new(e.span, format!("{value} is outside {ty}")))
    }

    /// The values of `any` or `any(...)` for a type.
    pub(super) fn choices(
        &self,
        ranges: &[(ast::Expr, ast::Expr)],
        ty: Scalar,
        span: Span,
    ) -> Result<Choices> {
        if matches!(ty, Scalar::Thread | Scalar::Mutex) {
            return Err(Diagnostic::new(span, format!("`any` makes no {ty}")));
        }
        if ranges.is_empty() {
            let (lo, hi) = ty.limits();
            return match (i64::try_from(lo), i64::try_from(hi)) {
                (Ok(lo), Ok(hi)) => Ok(Choices(vec![(lo, hi)])),
                _ => Ok(Choices(vec![(i64::MIN, i64::MAX)])),
            };
        }
        let mut values = Vec::new();
        for (lo, hi) in ranges {
            let (lo, hi) = (self.constant_of(lo, ty)?, self.constant_of(hi, ty)?);
            if ty.meaning(lo) <= ty.meaning(hi) && lo > hi {
                // An unsigned range across the middle of 64 bits.
                values.extend([(lo, i64::MAX), (i64::MIN, hi)]);
            } else {
                values.push((lo, hi));
            }
        }
        let choices = Choices::from_ranges(values);
        if choices.0.is_empty() {
            Err(Diagnostic::new(span, "there is no value to choose"))
        } else {
            Ok(choices)
        }
    }

    pub(super) fn dims(&self, dims: &[ast::Dimension]) -> Result<Vec<u32>> {
        let mut total = 1u64;
        let mut resolved = Vec::new();
        for dim in dims {
            let dim = match dim {
                ast::Dimension::Size(e) => e,
                ast::Dimension::Unbounded(_) if dims.len() == 1 => return Ok(vec![UNBOUNDED]),
                ast::Dimension::Unbounded(span) => {
                    return Err(Diagnostic::new(*span, "an array without end has one dimension"));
                }
            };
            let n = self.constant(dim)?;
            total = u64::try_from(n).ok().and_then(|n| total.checked_mul(n)).unwrap_or(u64::MAX);
            if n < 1 || total > MAX_CELLS {
                let message = format!("an array has 1 to {MAX_CELLS} elements");
                return Err(Diagnostic::new(dim.span, message));
            }
            resolved.push(n as u32);
        }
        Ok(resolved)
    }

    /// A shared or thread-local variable with its initial values.
    fn variable(&self, d: &ast::Declaration) -> Result<Variable> {
        let scalar = match &d.ty {
            TypeExpr::Named(name) if name.text == "mutex" => Scalar::Mutex,
            ty => self.scalar(ty)?,
        };
        let dims = self.dims(&d.dims)?;
        let ty = Type::with_dims(scalar, &dims);
        if ty.is_unbounded() && (!scalar.contains(0) || matches!(scalar, Scalar::Mutex | Scalar::Thread)) {
            return Err(Diagnostic::new(d.name.span, "an array without end starts with zeros")
                .help("give it a type of integers that has 0"));
        }
        let cells = dims.iter().product::<u32>() as usize;
        let init = match &d.init {
            None => Choices::for_each(scalar.default_value(), cells),
            Some(init) if scalar == Scalar::Mutex => {
                return Err(Diagnostic::new(
                    init_span(init),
                    "a mutex starts free and takes no initial value",
                ));
            }
            Some(init) if ty.is_unbounded() => {
                return Err(Diagnostic::new(init_span(init), "an array without end starts with zeros"));
            }
            Some(init) => {
                let mut values = Vec::new();
                self.init_values(init, scalar, &mut values)?;
                match (values.len(), init) {
                    (1, Init::Value(_)) => vec![values.remove(0); cells],
                    (n, Init::List(..)) if n == cells => values,
                    (n, _) => {
                        let message = format!("{n} initial values for {cells} elements");
                        return Err(Diagnostic::new(init_span(init), message));
                    }
                }
            }
        };
        Ok(Variable::new(d.name.text.clone(), ty, init, d.name.span))
    }

    fn init_values(&self, init: &Init, ty: Scalar, values: &mut Vec<Choices>) -> Result<()> {
        match init {
            Init::List(inner, _) => inner.iter().try_for_each(|i| self.init_values(i, ty, values)),
            Init::Value(e) => {
                values.push(match &e.kind {
                    ast::ExprKind::Any(ranges) => self.choices(ranges, ty, e.span)?,
                    _ => Choices::one(self.constant_of(e, ty)?),
                });
                Ok(())
            }
        }
    }

    // Threads

    pub(super) fn procedure_named(&self, name: &Name, what: &str) -> Result<ProcedureId> {
        match self.globals.get(&name.text) {
            Some((Global::Procedure(id), _)) => Ok(*id),
            Some(_) => Err(Diagnostic::new(name.span, format!("`{}` is no {what}", name.text))),
            None => Err(Diagnostic::new(name.span, format!("there is no {what} `{}`", name.text))),
        }
    }

    fn count(&self, count: &CountExpr) -> Result<Count> {
        match count {
            CountExpr::Once => Ok(Count::Times(1)),
            CountExpr::Any => Ok(Count::Any),
            CountExpr::Times(e) => match self.constant(e)? {
                n @ 1..=1000 => Ok(Count::Times(n as u32)),
                n => Err(Diagnostic::new(e.span, format!("{n} threads are not between 1 and 1000"))
                    .help("`[*]` means any number of threads")),
            },
        }
    }

    fn threads(&mut self, item: &Item) -> Result<()> {
        match item {
            Item::Procedure(p) => {
                let ast::ProcedureKind::Thread(count) = &p.kind else { return Ok(()) };
                let Some((Global::Procedure(procedure), _)) = self.globals.get(&p.name.text) else {
                    return Ok(());
                };
                let (procedure, count) = (*procedure, self.count(count)?);
                self.add_thread(Thread {
                    name: p.name.text.clone(),
                    procedure,
                    args: Vec::new(),
                    count,
                    span: p.name.span,
                })
            }
            Item::Start(starts) => starts.iter().try_for_each(|s| {
                let procedure = self.procedure_named(&s.process, "process")?;
                let code = self.program.procedure(procedure);
                if code.result.is_some() {
                    let message = format!("`{}` has a result and cannot be a thread", s.process.text);
                    return Err(Diagnostic::new(s.process.span, message));
                }
                if code.params != s.args.len() {
                    return Err(wrong_arity(&s.process, code.params, s.args.len()));
                }
                let args = s.args.iter().zip(&code.locals).map(|(a, p)| self.constant_of(a, scalar_of(p)));
                let args = args.collect::<Result<Vec<_>>>()?;
                let name = match &s.name {
                    Some(name) => name.text.clone(),
                    None => self.default_name(procedure, &args),
                };
                let count = self.count(&s.count)?;
                self.add_thread(Thread { name, procedure, args, count, span: s.process.span })
            }),
            Item::Shared(_)
            | Item::Local(_)
            | Item::Const(..)
            | Item::Forbid(..)
            | Item::AtMost(..)
            | Item::Final(..) => Ok(()),
        }
    }

    fn default_name(&self, procedure: ProcedureId, args: &[i64]) -> String {
        let code = self.program.procedure(procedure);
        if args.is_empty() {
            return code.name.clone();
        }
        let shown: Vec<_> = code.locals.iter().zip(args).map(|(p, a)| scalar_of(p).show(*a)).collect();
        format!("{}({})", code.name, shown.join(", "))
    }

    fn add_thread(&mut self, thread: Thread) -> Result<()> {
        if !self.thread_names.insert(thread.name.clone()) {
            let message = format!("two threads are called `{}`", thread.name);
            return Err(Diagnostic::new(thread.span, message).help(format!(
                "name them, `start a = {0}`, or start several at once, `start {0}[2]`",
                thread.name
            )));
        }
        self.program.threads.push(thread);
        Ok(())
    }

    /// A process `main` that is never started is the program's only initial thread.
    fn start_main(&mut self) -> Result<()> {
        if !self.program.threads.is_empty() {
            return Ok(());
        }
        let main = self
            .program
            .procedures
            .iter()
            .position(|p| p.name == "main" && p.kind == ProcedureKind::Process && p.params == 0);
        match main {
            Some(i) => {
                let span = self.program.procedures[i].span;
                let procedure = ProcedureId(i);
                self.add_thread(Thread {
                    name: "main".into(),
                    procedure,
                    args: Vec::new(),
                    count: Count::Times(1),
                    span,
                })
            }
            None if self.diagnostics.is_empty() => {
                let span = self
                    .program
                    .procedures
                    .first()
                    .map_or(Span { line: 1, column: 1, ..Span::NONE }, |p| p.span);
                Err(Diagnostic::new(span, "the program starts no thread")
                    .help("write `thread NAME { ... }`, or `start PROCESS;`, or call a process `main`"))
            }
            None => Ok(()),
        }
    }

    // Properties

    fn property(&mut self, item: &Item) -> Result<()> {
        let property = match item {
            Item::Forbid(parts, span) => {
                let parts = parts.iter().map(|(who, label)| {
                    let who = self.who(who)?;
                    self.check_label(who, label)?;
                    Ok((who, label.text.clone()))
                });
                Property::Forbid(parts.collect::<Result<_>>()?, *span)
            }
            Item::AtMost(number, label, span) => {
                let n = self.constant(number)?;
                let Ok(n @ 0..=1000) = u32::try_from(n) else {
                    return Err(Diagnostic::new(number.span, format!("{n} is not between 0 and 1000")));
                };
                self.check_label(Who::Any, label)?;
                Property::AtMost(n, label.text.clone(), *span)
            }
            Item::Final(quantifier, condition, span) => {
                let condition = Body::condition(self, condition)?;
                Property::Final(*quantifier, condition, *span)
            }
            Item::Shared(_) | Item::Local(_) | Item::Const(..) | Item::Procedure(_) | Item::Start(_) => {
                return Ok(());
            }
        };
        self.program.properties.push(property);
        Ok(())
    }

    /// The thread that a name, or a process with its arguments, means.
    pub(super) fn thread_named(&self, e: &ast::Expr) -> Option<ThreadId> {
        let name = match &e.kind {
            ast::ExprKind::Variable(name, indices, _) if indices.is_empty() => name.text.clone(),
            ast::ExprKind::Call(name, args) => {
                let Some((Global::Procedure(id), _)) = self.globals.get(&name.text) else { return None };
                let params = &self.program.procedure(*id).locals[..self.program.procedure(*id).params];
                if params.len() != args.len() {
                    return None;
                }
                let args: Result<Vec<_>> =
                    args.iter().zip(params).map(|(a, p)| self.constant_of(a, scalar_of(p))).collect();
                self.default_name(*id, &args.ok()?)
            }
            _ => return None,
        };
        self.program.threads.iter().position(|t| t.name == name).map(ThreadId)
    }

    fn who(&self, e: &ast::Expr) -> Result<Who> {
        if let ast::ExprKind::Any(_) = e.kind {
            return Ok(Who::Any);
        }
        if let Some(thread) = self.thread_named(e) {
            return Ok(Who::Thread(thread));
        }
        match &e.kind {
            ast::ExprKind::Variable(name, ..) => {
                Ok(Who::Runs(self.procedure_named(name, "thread or process")?))
            }
            _ => Err(Diagnostic::new(e.span, "no thread is started with these arguments")),
        }
    }

    fn check_label(&self, who: Who, label: &Name) -> Result<()> {
        let own = match who {
            Who::Any => None,
            Who::Runs(p) => Some(p),
            Who::Thread(t) => Some(self.program.threads[t.0].procedure),
        };
        let is_reachable = |i: usize| {
            own.is_none_or(|o| o.0 == i) || self.program.procedures[i].kind == ProcedureKind::Function
        };
        let with_label = self.labels.get(&label.text);
        if with_label.is_some_and(|procedures| procedures.iter().any(|i| is_reachable(*i))) {
            return Ok(());
        }
        let whose = own.map_or(String::new(), |o| format!(" in `{}`", self.program.procedure(o).name));
        Err(Diagnostic::new(label.span, format!("there is no label `{}`{whose}", label.text))
            .help(format!("write `{}:` before a statement", label.text)))
    }
}

/// A call, spawn or start with the wrong number of arguments.
pub(super) fn wrong_arity(name: &Name, params: usize, args: usize) -> Diagnostic {
    let plural = if params == 1 { "" } else { "s" };
    Diagnostic::new(name.span, format!("`{}` takes {params} argument{plural}, not {args}", name.text))
}

fn init_span(init: &Init) -> Span {
    match init {
        Init::Value(e) => e.span,
        Init::List(_, span) => *span,
    }
}

/// The scalar of a type word.
pub(super) fn named_type(name: &str) -> Scalar {
    match name {
        "bool" => Scalar::Bool,
        "int" => Scalar::I32,
        "integer" => Scalar::Integer,
        "thread_id" => Scalar::Thread,
        _ => {
            let bits = name[1..].parse().expect("the parser knows the type words");
            Scalar::Int(IntType { bits, signed: name.starts_with('i') })
        }
    }
}

/// What a variable is, or is an array of: this language has no records.
pub(super) fn scalar_of(variable: &Variable) -> Scalar {
    variable.ty.leaf().expect("variables of this language are scalars or arrays of them")
}
