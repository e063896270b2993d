//! An `.rmm` file to the tree: a procedure and a thread `P0`, `P1`, ... for each process.
//!
//! - A value outside its target's domain disables the instruction: a check that stops the thread
//!   comes before it. Registers belong to the thread, so no other thread can observe the difference.
//! - `read: m = e` is a load and a check; a run in which it finds another value stops there, and
//!   the runs in which it waits longer are other runs. `cas` likewise.
//! - Writes inside `locked` and locked writes are exchanges: they wait for the own buffer and act
//!   on memory. A locked block without writes does not wait.
//! - `[e]` is a choice among the global variables.

use super::ast::{self, Memory, Name, WriteKind};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use std::cell::RefCell;
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The tree of a file.
pub fn lower(file: &ast::File) -> Result<Program> {
    let mut program = Program::default();
    for declaration in &file.data {
        program.shared.push(shared(declaration, &declaration.name.text)?);
    }
    // Which declaration each process comes from.
    let processes: Vec<&ast::Process> = file.processes.iter().flat_map(|p| vec![p; p.count]).collect();
    let mut own = HashMap::new();
    for (p, process) in processes.iter().enumerate() {
        for declaration in &process.data {
            let name = format!("{}_{p}", declaration.name.text);
            let taken = program.shared.iter().any(|v| v.name == name);
            let name = if taken { format!("{name}_own") } else { name };
            own.insert((declaration.name.text.clone(), p), SharedId(program.shared.len()));
            program.shared.push(shared(declaration, &name)?);
        }
    }
    let globals = file.data.iter().enumerate().map(|(i, d)| (d.name.text.clone(), SharedId(i))).collect();
    for (p, process) in processes.iter().enumerate() {
        let lowering = Lowering {
            shared: &program.shared,
            globals: &globals,
            own: &own,
            process,
            number: p,
            locals: RefCell::default(),
        };
        let procedure = lowering.procedure()?;
        let thread = Thread {
            name: procedure.name.clone(),
            procedure: ProcedureId(p),
            args: Vec::new(),
            count: Count::Times(1),
            span: process.span,
        };
        program.procedures.push(procedure);
        program.threads.push(thread);
    }
    for (places, span) in &file.forbidden {
        if places.len() != processes.len() {
            let message = format!("{} labels for {} processes", places.len(), processes.len());
            return Err(Diagnostic::new(*span, message).help("write `*` for a process that may be anywhere"));
        }
        let mut parts = Vec::new();
        for (p, place) in places.iter().enumerate() {
            let Some(label) = place else { continue };
            let mut found = false;
            program.procedures[p].body.visit(&mut |s| {
                found |= matches!(&s.kind, StmtKind::Label(l) if *l == printable(&label.text));
            });
            if !found {
                let message = format!("process {p} has no label `{}`", label.text);
                return Err(Diagnostic::new(label.span, message));
            }
            parts.push((Who::Thread(ThreadId(p)), printable(&label.text)));
        }
        program.properties.push(Property::Forbid(parts, *span));
    }
    Ok(program)
}

/// A name that the modelling language can print.
fn printable(name: &str) -> String {
    if crate::fp::is_reserved(name) { format!("{name}_") } else { name.to_string() }
}

fn shared(declaration: &ast::Declaration, name: &str) -> Result<Variable> {
    let ty = declaration.domain;
    let init = match (declaration.init, ty) {
        (Some(value), _) => Choices::one(value),
        (None, Scalar::Range { lo, hi }) => Choices(vec![(lo, hi)]),
        (None, _) => Choices(vec![(i64::MIN, i64::MAX)]),
    };
    let name = printable(name);
    Ok(Variable::new(name, ty.into(), vec![init], declaration.name.span))
}

/// One process being lowered.
struct Lowering<'a> {
    shared: &'a [Variable],
    globals: &'a HashMap<String, SharedId>,
    own: &'a HashMap<(String, usize), SharedId>,
    process: &'a ast::Process,
    number: usize,
    /// Registers, then variables for values on their way.
    locals: RefCell<Vec<Variable>>,
}

/// Whether statements are inside a locked block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Plain,
    Locked,
}

impl Lowering<'_> {
    fn procedure(&self) -> Result<Procedure> {
        let mut body = Vec::new();
        for (i, r) in self.process.registers.iter().enumerate() {
            let (span, ty) = (r.name.span, r.domain);
            self.add_local(printable(&r.name.text), ty, span);
            let value = match (r.init, ty) {
                (Some(value), _) => ExprKind::Const(value),
                (None, Scalar::Range { lo, hi }) => ExprKind::Any(Choices(vec![(lo, hi)])),
                (None, _) => ExprKind::Any(Choices(vec![(i64::MIN, i64::MAX)])),
            };
            let value = Expr { kind: value, ty, span };
            body.push(Stmt { kind: StmtKind::Declare(LocalId(i), Some(value)), span });
        }
        let declared = body.len();
        let mut labels = HashMap::new();
        self.sequence(&self.process.text, Inside::Plain, &mut body, &mut labels)?;
        let mut missing = None;
        Block(body.clone()).visit(&mut |s| {
            if let StmtKind::Goto(label) = &s.kind
                && !labels.contains_key(label)
            {
                missing = Some((label.clone(), s.span));
            }
        });
        if let Some((label, span)) = missing {
            return Err(Diagnostic::new(span, format!("there is no label `{label}` in this process")));
        }
        let locals = self.locals.take();
        for (i, local) in locals.iter().enumerate().skip(declared) {
            body.insert(declared, Stmt { kind: StmtKind::Declare(LocalId(i), None), span: local.span });
        }
        Ok(Procedure {
            name: format!("P{}", self.number),
            kind: ProcedureKind::Process,
            params: 0,
            result: None,
            locals,
            body: Block(body),
            span: self.process.span,
            spelled: None,
        })
    }

    fn add_local(&self, name: String, ty: Scalar, span: Span) -> LocalId {
        let mut locals = self.locals.borrow_mut();
        let init = vec![Choices::one(ty.default_value())];
        locals.push(Variable::new(name, ty.into(), init, span));
        LocalId(locals.len() - 1)
    }

    fn sequence(
        &self,
        stmts: &[ast::Stmt],
        inside: Inside,
        out: &mut Vec<Stmt>,
        labels: &mut HashMap<String, Span>,
    ) -> Result<()> {
        stmts.iter().try_for_each(|s| self.stmt(s, inside, out, labels))
    }

    fn block(
        &self,
        stmts: &[ast::Stmt],
        inside: Inside,
        labels: &mut HashMap<String, Span>,
    ) -> Result<Block> {
        let mut block = Vec::new();
        self.sequence(stmts, inside, &mut block, labels)?;
        Ok(Block(block))
    }

    fn stmt(
        &self,
        stmt: &ast::Stmt,
        inside: Inside,
        out: &mut Vec<Stmt>,
        labels: &mut HashMap<String, Span>,
    ) -> Result<()> {
        let span = stmt.span;
        if let Some(label) = &stmt.label {
            if inside == Inside::Locked {
                return Err(Diagnostic::new(label.span, "there are no labels inside a locked block"));
            }
            let name = printable(&label.text);
            if labels.insert(name.clone(), label.span).is_some() {
                return Err(Diagnostic::new(label.span, format!("the label `{}` stands twice", label.text)));
            }
            out.push(Stmt { kind: StmtKind::Label(name), span: label.span });
        }
        let mut push = |kind| out.push(Stmt { kind, span });
        match &stmt.kind {
            ast::StmtKind::Nop => push(StmtKind::Skip),
            ast::StmtKind::Fence(kind) => push(StmtKind::Fence(Fence::Machine(*kind))),
            ast::StmtKind::Assume(e) => push(StmtKind::Assume(self.expr(e)?)),
            ast::StmtKind::Assign(register, value) => {
                let (place, ty) = self.register(register)?;
                let value = self.expr(value)?;
                push_fitting(out, &value, ty, span);
                out.push(Stmt { kind: StmtKind::Assign(place, converted(value, ty)), span });
            }
            ast::StmtKind::ReadEqual(memory, value) => {
                let value = self.expr(value)?;
                self.each_target(memory, span, out, |place, ty, out| {
                    let read = Expr { kind: ExprKind::Read(place), ty, span };
                    let equal = ExprKind::Binary(BinaryOp::Eq, Box::new(read), Box::new(value.clone()));
                    let equal = Expr { kind: equal, ty: Scalar::Bool, span };
                    out.push(Stmt { kind: StmtKind::Assume(equal), span });
                })?;
            }
            ast::StmtKind::Read(register, memory) => {
                let (target, target_type) = self.register(register)?;
                self.each_target(memory, span, out, |place, ty, out| {
                    let read = Expr { kind: ExprKind::Read(place), ty, span };
                    let value = if fits_always(ty, target_type) {
                        read
                    } else {
                        // The register must not hold a value that does not fit, not even for a step.
                        let id = self.add_local(format!("read_{}", self.locals.borrow().len()), ty, span);
                        let kept = register_place(id.0, span);
                        out.push(Stmt { kind: StmtKind::Assign(kept.clone(), read), span });
                        let kept = Expr { kind: ExprKind::Read(kept), ty, span };
                        push_fitting(out, &kept, target_type, span);
                        kept
                    };
                    let value = converted(value, target_type);
                    out.push(Stmt { kind: StmtKind::Assign(target.clone(), value), span });
                })?;
            }
            ast::StmtKind::Write(kind, memory, value) => {
                let value = self.expr(value)?;
                let kind = if inside == Inside::Locked { WriteKind::Locked } else { *kind };
                self.each_target(memory, span, out, |place, ty, out| {
                    push_fitting(out, &value, ty, span);
                    let value = converted(value.clone(), ty);
                    if kind == WriteKind::StoreLocked {
                        out.push(Stmt { kind: StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)), span });
                    }
                    let kind = match kind {
                        WriteKind::Plain | WriteKind::StoreLocked => StmtKind::Assign(place, value),
                        WriteKind::Locked => {
                            let exchange = ExprKind::Rmw(RmwKind::Exchange, place, vec![value]);
                            StmtKind::Eval(Expr { kind: exchange, ty, span })
                        }
                    };
                    out.push(Stmt { kind, span });
                })?;
            }
            ast::StmtKind::Cas(memory, expected, new) => {
                let (expected, new) = (self.expr(expected)?, self.expr(new)?);
                self.each_target(memory, span, out, |place, ty, out| {
                    push_fitting(out, &expected, ty, span);
                    push_fitting(out, &new, ty, span);
                    let operands = vec![converted(expected.clone(), ty), converted(new.clone(), ty)];
                    let swap = ExprKind::Rmw(RmwKind::CompareAndSwap, place, operands);
                    let swap = Expr { kind: swap, ty: Scalar::Bool, span };
                    out.push(Stmt { kind: StmtKind::Assume(swap), span });
                })?;
            }
            ast::StmtKind::Goto(_) | ast::StmtKind::While(..) if inside == Inside::Locked => {
                return Err(Diagnostic::new(span, "a locked block holds instructions only"));
            }
            ast::StmtKind::Goto(label) => push(StmtKind::Goto(printable(&label.text))),
            ast::StmtKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition)?;
                let then = self.block(std::slice::from_ref(then), inside, labels)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.block(std::slice::from_ref(otherwise), inside, labels)?,
                    None => Block::default(),
                };
                push(StmtKind::If(condition, then, otherwise));
            }
            ast::StmtKind::While(condition, body) => {
                let condition = self.expr(condition)?;
                let body = self.block(std::slice::from_ref(body), inside, labels)?;
                push(StmtKind::While(condition, body));
            }
            ast::StmtKind::Either(alternatives) => {
                let blocks = alternatives.iter().map(|a| self.block(a, inside, labels));
                let blocks = blocks.collect::<Result<_>>()?;
                push(StmtKind::Choose(blocks));
            }
            ast::StmtKind::Locked(alternatives) => {
                let blocks = alternatives.iter().map(|a| self.block(a, Inside::Locked, labels));
                let blocks: Vec<Block> = blocks.collect::<Result<_>>()?;
                let writes = alternatives.iter().flatten().any(writes);
                let drain = if writes { Drain::Yes } else { Drain::No };
                let choice = Stmt { kind: StmtKind::Choose(blocks), span };
                push(StmtKind::Atomic(drain, Block(vec![choice])));
            }
            ast::StmtKind::Block(stmts) => self.sequence(stmts, inside, out, labels)?,
        }
        Ok(())
    }

    /// Does something with the variable that a location means; with each of them if it is a
    /// pointer, after the check that it is the one.
    fn each_target(
        &self,
        memory: &Memory,
        span: Span,
        out: &mut Vec<Stmt>,
        act: impl Fn(Place, Scalar, &mut Vec<Stmt>),
    ) -> Result<()> {
        let place = |id: SharedId| {
            let place = Place::variable(VarRef::Shared(id), span);
            (place, self.shared[id.0].ty.leaf().expect("variables of this format are scalars"))
        };
        let (name, owner) = match memory {
            Memory::Global(name) => match self.globals.get(&name.text) {
                Some(id) => {
                    let (place, ty) = place(*id);
                    act(place, ty, out);
                    return Ok(());
                }
                None => {
                    return Err(Diagnostic::new(
                        name.span,
                        format!("there is no global variable `{}`", name.text),
                    )
                    .help(format!("a process's own variable is `{}[my]`", name.text)));
                }
            },
            Memory::Own(name) => (name, self.number),
            // Processes are counted without the one that speaks.
            Memory::Other(name, i) => (name, if *i < self.number { *i } else { *i + 1 }),
            Memory::Pointer(address) => {
                let address = self.expr(address)?;
                let alternatives = (0..self.globals.len()).map(|i| {
                    let number = Expr::constant(i as i64, Scalar::Integer, span);
                    let equal = ExprKind::Binary(BinaryOp::Eq, Box::new(address.clone()), Box::new(number));
                    let equal = Expr { kind: equal, ty: Scalar::Bool, span };
                    let mut block = vec![Stmt { kind: StmtKind::Assume(equal), span }];
                    let (place, ty) = place(SharedId(i));
                    act(place, ty, &mut block);
                    Block(block)
                });
                out.push(Stmt { kind: StmtKind::Choose(alternatives.collect()), span });
                return Ok(());
            }
        };
        match self.own.get(&(name.text.clone(), owner)) {
            Some(id) => {
                let (place, ty) = place(*id);
                act(place, ty, out);
                Ok(())
            }
            None => {
                Err(Diagnostic::new(name.span, format!("process {owner} has no variable `{}`", name.text)))
            }
        }
    }

    fn register(&self, name: &Name) -> Result<(Place, Scalar)> {
        match self.process.registers.iter().position(|r| r.name.text == name.text) {
            Some(i) => Ok((register_place(i, name.span), self.process.registers[i].domain)),
            None => Err(Diagnostic::new(name.span, format!("there is no register `${}`", name.text))
                .help("declare it under `registers`")),
        }
    }

    fn expr(&self, e: &ast::Expr) -> Result<Expr> {
        Ok(match e {
            ast::Expr::Number(n, span) => Expr::constant(*n, Scalar::Integer, *span),
            ast::Expr::Truth(truth, span) => Expr::constant(i64::from(*truth), Scalar::Bool, *span),
            ast::Expr::Register(name) => {
                let (place, ty) = self.register(name)?;
                Expr { kind: ExprKind::Read(place), ty, span: name.span }
            }
            ast::Expr::Negated(arg) => {
                let arg = self.expr(arg)?;
                let span = arg.span;
                Expr { kind: ExprKind::Unary(UnaryOp::Neg, Box::new(arg)), ty: Scalar::Integer, span }
            }
            ast::Expr::Not(arg) => {
                let arg = self.expr(arg)?;
                let span = arg.span;
                Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(arg)), ty: Scalar::Bool, span }
            }
            ast::Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                let ty = match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => Scalar::Integer,
                    _ => Scalar::Bool,
                };
                let span = left.span.to(right.span);
                Expr { kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)), ty, span }
            }
        })
    }
}

fn register_place(i: usize, span: Span) -> Place {
    Place::variable(VarRef::Local(LocalId(i)), span)
}

fn writes(stmt: &ast::Stmt) -> bool {
    match &stmt.kind {
        ast::StmtKind::Write(..) | ast::StmtKind::Cas(..) => true,
        ast::StmtKind::If(_, then, otherwise) => {
            writes(then) || otherwise.as_ref().is_some_and(|o| writes(o))
        }
        ast::StmtKind::While(_, body) => writes(body),
        ast::StmtKind::Either(alternatives) | ast::StmtKind::Locked(alternatives) => {
            alternatives.iter().flatten().any(writes)
        }
        ast::StmtKind::Block(stmts) => stmts.iter().any(writes),
        ast::StmtKind::Nop
        | ast::StmtKind::ReadEqual(..)
        | ast::StmtKind::Read(..)
        | ast::StmtKind::Fence(_)
        | ast::StmtKind::Assign(..)
        | ast::StmtKind::Assume(_)
        | ast::StmtKind::Goto(_) => false,
    }
}

fn fits_always(from: Scalar, to: Scalar) -> bool {
    let ((from_lo, from_hi), (lo, hi)) = (from.limits(), to.limits());
    lo <= from_lo && from_hi <= hi
}

/// Stops the thread unless the value belongs to the type.
fn push_fitting(out: &mut Vec<Stmt>, value: &Expr, ty: Scalar, span: Span) {
    if fits_always(value.ty, ty) || matches!(value.kind, ExprKind::Const(v) if ty.contains(v)) {
        return;
    }
    let (lo, hi) = ty.limits();
    let compare = |op, limit: i128| {
        let limit = Box::new(Expr::constant(limit as i64, Scalar::Integer, span));
        let kind = ExprKind::Binary(op, Box::new(value.clone()), limit);
        Box::new(Expr { kind, ty: Scalar::Bool, span })
    };
    let inside = ExprKind::Binary(BinaryOp::And, compare(BinaryOp::Ge, lo), compare(BinaryOp::Le, hi));
    let inside = Expr { kind: inside, ty: Scalar::Bool, span };
    out.push(Stmt { kind: StmtKind::Assume(inside), span });
}

/// The value in the type of its target, into which it fits.
fn converted(value: Expr, ty: Scalar) -> Expr {
    match value.kind {
        _ if value.ty == ty => value,
        // A constant that never fits is after a check that never holds.
        ExprKind::Const(v) => {
            Expr::constant(if ty.contains(v) { v } else { ty.default_value() }, ty, value.span)
        }
        _ => {
            let span = value.span;
            Expr { kind: ExprKind::Convert(Conversion::Checked, Box::new(value)), ty, span }
        }
    }
}
