//! The invariants of a tree, checked after the front end and every tree pass in debug builds.
//!
//! - every reference is to something declared, every place that is read or written is a scalar;
//! - what is assigned, passed and returned has exactly the type of its target;
//! - labels are unique in their procedure and gotos lead to one of them;
//! - `break` and `continue` are in a loop.

use super::*;
use crate::layout::Cell;
use std::collections::HashSet;

/// The first violated invariant, as a sentence.
pub fn validate(program: &Program) -> Result<(), String> {
    for variable in program.shared.iter().chain(&program.thread_locals) {
        check_variable(program, variable)?;
    }
    for procedure in &program.procedures {
        let checker = Checker { program, procedure: Some(procedure) };
        checker.procedure(procedure).map_err(|m| format!("procedure `{}`: {m}", procedure.name))?;
    }
    for thread in &program.threads {
        let procedure = program.procedures.get(thread.procedure.0).ok_or("a thread runs nothing")?;
        let fits = thread.args.len() == procedure.params
            && procedure
                .locals
                .iter()
                .zip(&thread.args)
                .all(|(p, a)| p.ty.as_scalar().is_some_and(|ty| ty.contains(*a)));
        if !fits {
            return Err(format!("thread `{}` passes arguments that do not fit", thread.name));
        }
    }
    for property in &program.properties {
        if let Property::Final(_, condition, _) = property {
            Checker { program, procedure: None }.expr(condition)?;
            if !condition.is_pure_or_loads() {
                return Err("a final condition has effects".into());
            }
        }
    }
    Ok(())
}

fn check_variable(program: &Program, variable: &Variable) -> Result<(), String> {
    let layout = match variable.ty.is_unbounded() {
        true => Vec::new(),
        false => program.records.layout(&variable.ty),
    };
    let fits = |(c, cell): (&Choices, &Cell)| {
        !c.0.is_empty()
            && c.0.iter().all(|&(lo, hi)| lo <= hi && cell.ty.contains(lo) && cell.ty.contains(hi))
    };
    if variable.init.len() != layout.len() || !variable.init.iter().zip(&layout).all(fits) {
        return Err(format!("the initial values of `{}` do not fit its type", variable.name));
    }
    Ok(())
}

struct Checker<'a> {
    program: &'a Program,
    procedure: Option<&'a Procedure>,
}

impl Checker<'_> {
    fn procedure(&self, procedure: &Procedure) -> Result<(), String> {
        procedure.locals.iter().try_for_each(|l| check_variable(self.program, l))?;
        let mut labels = HashSet::new();
        let mut gotos = Vec::new();
        let mut result = Ok(());
        procedure.body.visit(&mut |stmt| match &stmt.kind {
            StmtKind::Label(name) if !labels.insert(name.clone()) => {
                result = Err(format!("label `{name}` stands twice"));
            }
            StmtKind::Goto(name) => gotos.push(name),
            _ => {}
        });
        result?;
        if let Some(missing) = gotos.iter().find(|g| !labels.contains(**g)) {
            return Err(format!("no label `{missing}`"));
        }
        self.block(&procedure.body, false)
    }

    fn block(&self, block: &Block, in_loop: bool) -> Result<(), String> {
        for stmt in &block.0 {
            self.stmt(stmt, in_loop).map_err(|m| format!("line {}: {m}", stmt.span.line))?;
        }
        Ok(())
    }

    fn stmt(&self, stmt: &Stmt, in_loop: bool) -> Result<(), String> {
        stmt.kind.expressions().into_iter().try_for_each(|e| self.expr(e))?;
        match &stmt.kind {
            StmtKind::Declare(id, Some(value)) => match self.local(*id)?.ty {
                Type::Scalar(ty) => self.same(ty, value),
                Type::Array(..) | Type::Record(_) => Err("an array is declared with one value".into()),
            },
            StmtKind::Declare(id, None) | StmtKind::Enter(id) | StmtKind::Leave(id) => {
                self.local(*id).map(|_| ())
            }
            StmtKind::Assign(place, value) => self.same(self.place(place)?, value),
            StmtKind::If(_, then, otherwise) => {
                self.block(then, in_loop)?;
                self.block(otherwise, in_loop)
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => self.block(body, true),
            StmtKind::Break | StmtKind::Continue if !in_loop => Err("outside a loop".into()),
            StmtKind::Return(value) => match (self.procedure.and_then(|p| p.result), value) {
                (Some(ty), Some(value)) => self.same(ty, value),
                (None, None) => Ok(()),
                (Some(_), None) | (None, Some(_)) => Err("return does not fit the procedure".into()),
            },
            StmtKind::Choose(blocks) => blocks.iter().try_for_each(|b| self.block(b, in_loop)),
            StmtKind::Atomic(_, body) | StmtKind::Block(_, body) => self.block(body, in_loop),
            StmtKind::Lock(place) | StmtKind::Unlock(place) => match self.place(place)? {
                Scalar::Mutex => Ok(()),
                other => Err(format!("lock of {other}")),
            },
            StmtKind::Join(place, handle) => {
                place.iter().try_for_each(|p| self.place(p).map(|_| ()))?;
                self.same(Scalar::Thread, handle)
            }
            StmtKind::Skip
            | StmtKind::Label(_)
            | StmtKind::Eval(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::AtomicBegin(_)
            | StmtKind::AtomicEnd(_)
            | StmtKind::Fence(_)
            | StmtKind::Free(_)
            | StmtKind::Exit(_)
            | StmtKind::Halt
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => Ok(()),
        }
    }

    fn local(&self, id: LocalId) -> Result<&Variable, String> {
        self.procedure.and_then(|p| p.locals.get(id.0)).ok_or_else(|| "no such local".to_string())
    }

    fn place(&self, place: &Place) -> Result<Scalar, String> {
        if let Base::Variable(variable) = place.base {
            self.program.variable(self.procedure, variable).ok_or("a place names no variable")?;
        }
        let ty = self.program.place_type(self.procedure, place);
        ty.and_then(Type::as_scalar).ok_or_else(|| "a place whose path leads to no scalar".to_string())
    }

    fn same(&self, expected: Scalar, value: &Expr) -> Result<(), String> {
        if value.ty == expected { Ok(()) } else { Err(format!("{} where {expected} is needed", value.ty)) }
    }

    fn args(&self, id: ProcedureId, args: &[Expr]) -> Result<(), String> {
        let callee = self.program.procedures.get(id.0).ok_or("no such procedure")?;
        if callee.params != args.len() {
            return Err(format!("{} arguments for `{}`", args.len(), callee.name));
        }
        callee.locals.iter().zip(args).try_for_each(|(p, a)| match p.ty {
            Type::Scalar(ty) => self.same(ty, a),
            Type::Array(..) | Type::Record(_) => Err("a parameter is no scalar".into()),
        })
    }

    fn expr(&self, expr: &Expr) -> Result<(), String> {
        let mut result = Ok(());
        expr.visit(&mut |e| {
            let checked = match &e.kind {
                ExprKind::Const(v) if !e.ty.contains(*v) => Err(format!("{v} is no value of {}", e.ty)),
                ExprKind::Read(place) => self.place(place).and_then(|ty| self.same(ty, e)),
                ExprKind::Rmw(kind, place, operands) => self.place(place).and_then(|ty| {
                    if operands.len() != kind.operands() {
                        return Err(format!("{} operands for {}", operands.len(), kind.name()));
                    }
                    operands.iter().try_for_each(|o| self.same(kind.operand_type(ty), o))
                }),
                ExprKind::Call(id, args) | ExprKind::Spawn(id, args, _) => self.args(*id, args),
                _ => Ok(()),
            };
            if result.is_ok() {
                result = checked;
            }
        });
        result
    }
}

impl Expr {
    fn is_pure_or_loads(&self) -> bool {
        let mut ok = true;
        self.visit(&mut |e| {
            ok &= !matches!(
                e.kind,
                ExprKind::Any(_)
                    | ExprKind::Rmw(..)
                    | ExprKind::Call(..)
                    | ExprKind::Spawn(..)
                    | ExprKind::Own
                    | ExprKind::Reallocate(..)
                    | ExprKind::Allocate(..)
            );
        });
        ok
    }
}
