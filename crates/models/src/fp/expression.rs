//! Types of expressions.
//!
//! Fixed-width operands keep their type and wrap; a literal or a range value next to one is
//! converted to it; two different fixed-width types need a cast. Everything else computes on
//! integers exactly, and is checked when it is put into a variable.

use super::ast;
use super::resolve::{Global, Result, named_type, scalar_of, wrong_arity};
use super::statement::Body;
use fencepost_ir::cfg::{Loc, ObjectId};
use fencepost_ir::tree::*;
use fencepost_ir::{Access, Scalar, Span};
use fencepost_text::Diagnostic;

/// How expressions are looked at: inside code, or in a final condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Code,
    Final,
}

impl Body<'_> {
    /// An expression with the type it has by itself; `wanted` is what `any` takes its values from.
    pub(super) fn expr(&mut self, e: &ast::Expr, wanted: Option<Scalar>) -> Result<Expr> {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Number(n) => match (i64::try_from(*n), u64::try_from(*n)) {
                (Ok(value), _) => Ok(Expr::constant(value, Scalar::Integer, span)),
                (Err(_), Ok(value)) => Ok(Expr::constant(value as i64, named_type("u64"), span)),
                (Err(_), Err(_)) => Err(Diagnostic::new(span, format!("{n} does not fit 64 bits"))),
            },
            ast::ExprKind::Variable(name, indices, access) => match name.text.as_str() {
                "true" => Ok(Expr::constant(1, Scalar::Bool, span)),
                "false" => Ok(Expr::constant(0, Scalar::Bool, span)),
                "none" => Ok(Expr::constant(-1, Scalar::Thread, span)),
                text => {
                    if indices.is_empty()
                        && *access == Access::Plain
                        && self.local(text).is_none()
                        && let Some((Global::Const(value), _)) = self.resolver.globals.get(text)
                    {
                        let number = ast::Expr { kind: ast::ExprKind::Number(*value), span };
                        return self.expr(&number, wanted);
                    }
                    let (place, ty) = self.place(e)?;
                    if ty == Scalar::Mutex {
                        return Err(
                            Diagnostic::new(span, "a mutex has no value").help("use `lock` and `unlock`")
                        );
                    }
                    one_order(&place)?;
                    if let Some(order) = place.access.order().filter(|order| !order.suits_load()) {
                        return Err(Diagnostic::new(span, format!("a load cannot be `{order}`"))
                            .help("loads are `relaxed`, `acquire` or `seq_cst`"));
                    }
                    Ok(Expr { kind: ExprKind::Read(place), ty, span })
                }
            },
            ast::ExprKind::Member(thread, member) => self.observed(thread, member, span),
            ast::ExprKind::Unary(op, arg) => self.unary(*op, arg, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::Select(cond, then, otherwise) => {
                let cond = Box::new(self.truth(cond)?);
                let (then, otherwise) = (self.expr(then, wanted)?, self.expr(otherwise, wanted)?);
                let (then, otherwise, ty) = self.balance(then, otherwise, span)?;
                Ok(Expr { kind: ExprKind::Select(cond, Box::new(then), Box::new(otherwise)), ty, span })
            }
            ast::ExprKind::Cast(name, arg) => {
                let Scalar::Int(_) = named_type(&name.text) else {
                    return Err(Diagnostic::new(name.span, "a cast is to a fixed-width integer")
                        .help("other types are checked when a value is assigned, and need no cast"));
                };
                let arg = self.expr(arg, None)?;
                self.no_handle(&arg)?;
                let ty = named_type(&name.text);
                Ok(Expr { kind: ExprKind::Convert(Conversion::Wrapping, Box::new(arg)), ty, span })
            }
            ast::ExprKind::Any(ranges) => {
                self.only_in_code(span, "`any`")?;
                let ty = match wanted {
                    Some(ty) => ty,
                    None if ranges.is_empty() => {
                        return Err(Diagnostic::new(span, "any of which values?").help("write `any(0..3)`"));
                    }
                    None => Scalar::Integer,
                };
                let choices = self.resolver.choices(ranges, ty, span)?;
                Ok(Expr { kind: ExprKind::Any(choices), ty, span })
            }
            ast::ExprKind::Call(name, args) => {
                self.only_in_code(span, "a call")?;
                match RmwKind::ALL.into_iter().find(|k| k.name() == name.text) {
                    Some(kind) => self.rmw(kind, args, span),
                    None => self.call(name, args, span),
                }
            }
            ast::ExprKind::Spawn(name, args, drain) => {
                self.only_in_code(span, "`spawn`")?;
                let id = self.resolver.procedure_named(name, "process")?;
                if self.resolver.program.procedure(id).result.is_some() {
                    let message = format!("`{}` has a result and cannot be a thread", name.text);
                    return Err(Diagnostic::new(name.span, message));
                }
                let args = self.args(id, name, args)?;
                Ok(Expr { kind: ExprKind::Spawn(id, args, *drain), ty: Scalar::Thread, span })
            }
        }
    }

    fn only_in_code(&self, span: Span, what: &str) -> Result<()> {
        match self.context {
            Context::Code => Ok(()),
            Context::Final => Err(Diagnostic::new(span, format!("{what} cannot stand in a final condition"))),
        }
    }

    fn unary(&mut self, op: UnaryOp, arg: &ast::Expr, span: Span) -> Result<Expr> {
        let (arg, ty) = match op {
            UnaryOp::Not => (self.truth(arg)?, Scalar::Bool),
            UnaryOp::Neg | UnaryOp::BitNot => {
                let arg = self.expr(arg, None)?;
                self.no_handle(&arg)?;
                let ty = if let Scalar::Int(_) = arg.ty { arg.ty } else { Scalar::Integer };
                (arg, ty)
            }
        };
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(arg)), ty, span })
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Result<Expr> {
        if let BinaryOp::And | BinaryOp::Or = op {
            let (left, right) = (Box::new(self.truth(left)?), Box::new(self.truth(right)?));
            return Ok(Expr { kind: ExprKind::Binary(op, left, right), ty: Scalar::Bool, span });
        }
        let (left, right) = (self.expr(left, None)?, self.expr(right, None)?);
        let compares = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        let handles = left.ty == Scalar::Thread || right.ty == Scalar::Thread;
        if handles && !(left.ty == right.ty && matches!(op, BinaryOp::Eq | BinaryOp::Ne)) {
            return Err(Diagnostic::new(span, "thread handles can only be compared with `==` and `!=`"));
        }
        let partial = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr);
        if self.context == Context::Final && partial && !matches!(right.kind, ExprKind::Const(1..=31)) {
            return Err(Diagnostic::new(
                right.span,
                format!("`{}` in a final condition is by a constant", op.symbol()),
            )
            .help("one between 1 and 31, so that the condition always has a value"));
        }
        let (left, right, ty) = self.balance(left, right, span)?;
        let ty = if compares { Scalar::Bool } else { ty };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span })
    }

    /// Brings two operands to one arithmetic, and gives its type.
    fn balance(&mut self, left: Expr, right: Expr, span: Span) -> Result<(Expr, Expr, Scalar)> {
        match (left.ty, right.ty) {
            (l, r) if l == r && matches!(l, Scalar::Int(_) | Scalar::Bool | Scalar::Thread) => {
                let ty = if l == Scalar::Bool { Scalar::Integer } else { l };
                Ok((left, right, ty))
            }
            (Scalar::Int(l), Scalar::Int(r)) => {
                Err(Diagnostic::new(span, format!("the operands have different types, {l} and {r}"))
                    .help(format!("cast one of them, as in `({l}) ...`")))
            }
            (Scalar::Thread, _) | (_, Scalar::Thread) => {
                Err(Diagnostic::new(span, "a thread handle and a number do not mix"))
            }
            (l @ Scalar::Int(_), _) => {
                let right = self.coerce(right, l)?;
                Ok((left, right, l))
            }
            (_, r @ Scalar::Int(_)) => {
                let left = self.coerce(left, r)?;
                Ok((left, right, r))
            }
            _ => Ok((left, right, Scalar::Integer)),
        }
    }

    /// A condition: numbers count as true unless they are 0.
    pub(super) fn truth(&mut self, e: &ast::Expr) -> Result<Expr> {
        let e = self.expr(e, Some(Scalar::Bool))?;
        if e.ty == Scalar::Bool {
            return Ok(e);
        }
        self.no_handle(&e)?;
        let span = e.span;
        let zero = Box::new(Expr::constant(0, e.ty, span));
        let zero = if e.ty.contains(0) { zero } else { Box::new(Expr::constant(0, Scalar::Integer, span)) };
        Ok(Expr { kind: ExprKind::Binary(BinaryOp::Ne, Box::new(e), zero), ty: Scalar::Bool, span })
    }

    fn no_handle(&self, e: &Expr) -> Result<()> {
        match e.ty {
            Scalar::Thread => Err(Diagnostic::new(e.span, "a thread handle is not a number")),
            _ => Ok(()),
        }
    }

    /// An expression that becomes a value of the type.
    pub(super) fn expr_of(&mut self, e: &ast::Expr, ty: Scalar) -> Result<Expr> {
        let e = self.expr(e, Some(ty))?;
        self.coerce(e, ty)
    }

    /// Takes a value over into a type, checked at run time where it may not fit.
    fn coerce(&mut self, e: Expr, ty: Scalar) -> Result<Expr> {
        let span = e.span;
        if e.ty == ty {
            return Ok(e);
        }
        if matches!(e.ty, Scalar::Thread | Scalar::Mutex) || matches!(ty, Scalar::Thread | Scalar::Mutex) {
            return Err(Diagnostic::new(span, format!("this is {}, but {ty} is needed", e.ty)));
        }
        if let ExprKind::Const(value) = e.kind {
            let integer = e.ty.meaning(value);
            return match ty.value_of(integer) {
                Some(value) => Ok(Expr::constant(value, ty, span)),
                None => Err(Diagnostic::new(span, format!("{integer} is outside {ty}"))),
            };
        }
        match (e.ty, ty) {
            (Scalar::Int(from), Scalar::Int(to))
                if from.limits().0 < to.limits().0 || from.limits().1 > to.limits().1 =>
            {
                Err(Diagnostic::new(span, format!("a value of {from} may not fit {to}"))
                    .help(format!("write `({to})` in front to wrap it")))
            }
            _ => Ok(Expr { kind: ExprKind::Convert(Conversion::Checked, Box::new(e)), ty, span }),
        }
    }

    fn rmw(&mut self, kind: RmwKind, args: &[ast::Expr], span: Span) -> Result<Expr> {
        let usage = match kind.operands() {
            2 => format!("{}(variable, expected, new)", kind.name()),
            _ => format!("{}(variable, value)", kind.name()),
        };
        if args.len() != kind.operands() + 1 {
            return Err(Diagnostic::new(span, format!("`{}` is used as `{usage}`", kind.name())));
        }
        let (place, cell) = self.place(&args[0])?;
        if !matches!(place.base, Base::Variable(VarRef::Shared(_))) || cell == Scalar::Mutex {
            return Err(Diagnostic::new(
                args[0].span,
                format!("`{}` works on a shared variable", kind.name()),
            ));
        }
        if !matches!(kind, RmwKind::CompareExchange | RmwKind::CompareAndSwap) {
            one_order(&place)?;
        }
        let ty = kind.operand_type(cell);
        let operands = args[1..].iter().map(|a| self.expr_of(a, ty)).collect::<Result<Vec<_>>>()?;
        let ty = if kind == RmwKind::CompareAndSwap { Scalar::Bool } else { cell };
        Ok(Expr { kind: ExprKind::Rmw(kind, place, operands), ty, span })
    }

    fn call(&mut self, name: &ast::Name, args: &[ast::Expr], span: Span) -> Result<Expr> {
        let id = self.resolver.procedure_named(name, "function")?;
        let callee = self.resolver.program.procedure(id);
        if callee.kind == ProcedureKind::Process {
            return Err(Diagnostic::new(span, format!("`{}` is a process", name.text))
                .help(format!("start a thread with `spawn {}(...)`", name.text)));
        }
        let Some(ty) = callee.result else {
            return Err(Diagnostic::new(span, format!("`{}` has no result", name.text)));
        };
        let args = self.args(id, name, args)?;
        Ok(Expr { kind: ExprKind::Call(id, args), ty, span })
    }

    /// A call for its effect, of a function with or without result.
    pub(super) fn call_statement(
        &mut self,
        name: &ast::Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        match self.resolver.globals.get(&name.text) {
            Some((Global::Procedure(id), _)) if self.resolver.program.procedure(*id).is_void_function() => {
                let args = self.args(*id, name, args)?;
                Ok(Expr { kind: ExprKind::Call(*id, args), ty: Scalar::Integer, span })
            }
            _ => self.call(name, args, span),
        }
    }

    fn args(&mut self, id: ProcedureId, name: &ast::Name, args: &[ast::Expr]) -> Result<Vec<Expr>> {
        let callee = self.resolver.program.procedure(id);
        if callee.params != args.len() {
            return Err(wrong_arity(name, callee.params, args.len()));
        }
        let types: Vec<_> = callee.locals[..callee.params].iter().map(scalar_of).collect();
        args.iter().zip(types).map(|(a, ty)| self.expr_of(a, ty)).collect()
    }

    /// `thread.variable` in a final condition.
    fn observed(&mut self, thread: &ast::Expr, member: &ast::Name, span: Span) -> Result<Expr> {
        if self.context == Context::Code {
            return Err(Diagnostic::new(span, "a thread's variables can be seen in final conditions only"));
        }
        let Some(id) = self.resolver.thread_named(thread) else {
            return Err(Diagnostic::new(thread.span, "there is no such thread"));
        };
        let thread = &self.resolver.program.threads[id.0];
        if thread.count != Count::Times(1) {
            return Err(Diagnostic::new(span, format!("there are several threads `{}`", thread.name))
                .help("start and name them one by one"));
        }
        let locals = &self.resolver.program.procedure(thread.procedure).locals;
        let mut named = locals.iter().enumerate().filter(|(_, l)| l.name == member.text);
        let Some((local, variable)) = named.next() else {
            let message = format!("thread `{}` has no variable `{}`", thread.name, member.text);
            return Err(Diagnostic::new(member.span, message));
        };
        if named.next().is_some() {
            let message = format!("thread `{}` has several variables `{}`", thread.name, member.text);
            return Err(Diagnostic::new(member.span, message));
        }
        if variable.ty.as_scalar().is_none() {
            return Err(Diagnostic::new(member.span, "arrays cannot be observed"));
        }
        let place = Place::variable(VarRef::Observed(id, LocalId(local)), span);
        Ok(Expr { kind: ExprKind::Read(place), ty: scalar_of(variable), span })
    }

    /// A variable or element, and its type.
    pub(super) fn place(&mut self, e: &ast::Expr) -> Result<(Place, Scalar)> {
        let ast::ExprKind::Variable(name, indices, access) = &e.kind else {
            return Err(Diagnostic::new(e.span, "this is not a variable").label("expected a variable"));
        };
        let variable = match (self.local(&name.text), self.resolver.globals.get(&name.text)) {
            (Some(id), _) => VarRef::Local(id),
            (None, Some((Global::Shared(id), _))) => VarRef::Shared(*id),
            (None, Some((Global::ThreadLocal(id), _))) => VarRef::ThreadLocal(*id),
            (None, Some((Global::Const(_), _))) => {
                return Err(Diagnostic::new(e.span, format!("`{}` is a constant", name.text)));
            }
            (None, Some((Global::Procedure(_), _))) => {
                return Err(Diagnostic::new(e.span, format!("`{}` is code, not a variable", name.text)));
            }
            (None, None) => {
                return Err(Diagnostic::new(name.span, format!("there is no variable `{}`", name.text))
                    .help("declare it: `shared` for all threads, `local` for each thread, or inside the process"));
            }
        };
        if self.context == Context::Final && !matches!(variable, VarRef::Shared(_)) {
            return Err(
                Diagnostic::new(e.span, format!("whose `{}`?", name.text)).help("write `thread.variable`")
            );
        }
        if let Some(said) = access.name()
            && (self.context == Context::Final || !matches!(variable, VarRef::Shared(_)))
        {
            let message = format!("`@{said}` belongs to accesses of shared variables");
            return Err(Diagnostic::new(e.span, message));
        }
        let ty = self.type_of(variable);
        let dims = ty.dims();
        if dims.len() != indices.len() {
            let message = format!("`{}` has {} dimensions, not {}", name.text, dims.len(), indices.len());
            return Err(Diagnostic::new(e.span, message));
        }
        let mut resolved = Vec::new();
        for (index, dim) in indices.iter().zip(&dims) {
            let index = self.expr(index, None)?;
            self.no_handle(&index)?;
            if let ExprKind::Const(i) = index.kind
                && *dim != UNBOUNDED
                && !(0..i64::from(*dim)).contains(&i)
            {
                let message = format!("index {i} is out of bounds, there are {dim} elements");
                return Err(Diagnostic::new(index.span, message));
            }
            if self.context == Context::Final {
                let ExprKind::Const(address) = index.kind else {
                    return Err(Diagnostic::new(index.span, "an index in a final condition is a constant"));
                };
                if Loc::element(ObjectId(0), address).is_none() {
                    return Err(Diagnostic::new(index.span, "this index is too large"));
                }
            }
            // The largest values of u64 are kept as negative numbers, which are not indices.
            let index = if index.ty == named_type("u64") {
                self.coerce(index, Scalar::Range { lo: 0, hi: i64::MAX })?
            } else {
                index
            };
            resolved.push(index);
        }
        let scalar = ty.leaf().expect("variables of this language are scalars or arrays of them");
        Ok((Place { access: *access, ..Place::element(variable, resolved, e.span) }, scalar))
    }
}

/// Refuses an order for failure, which only a compare-exchange has.
pub(super) fn one_order(place: &Place) -> Result<()> {
    match place.access {
        Access::Plain | Access::Volatile | Access::Instruction | Access::Atomic(_) => Ok(()),
        Access::Compare { failure, .. } => Err(Diagnostic::new(
            place.span,
            format!("only a compare-exchange can fail, so `@{failure}` has no meaning here"),
        )),
    }
}
