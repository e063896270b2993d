//! Threads: how they are created, joined and ended, and the program's own lock.

use super::jump::wild_call;
use super::{Lowerer, Result, Value};
use crate::hir::{self, TypeId};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::tree::{Block, Drain, Expr, ExprKind, Place, ProcedureId, Stmt, StmtKind};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;

impl<'h> Lowerer<'h> {
    /// `pthread_create(handle, ..., function, argument)`
    pub fn create(
        &mut self,
        handle: &'h hir::Expr,
        function: &'h hir::Expr,
        arg: &'h hir::Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let mut place = self.handle(handle, span)?;
        let mark = self.mark();
        let pointer = self.scalar(function)?;
        let arg_mark = self.mark();
        let arg = self.scalar(arg)?;
        let pointer = self.settle(pointer, arg_mark);
        self.settle_place(&mut place, mark);
        let arg = self.recast(arg, self.pointer(), span);
        let arg = self.folded(arg);
        // A function that is named is the only one.
        if let Some(word) = self.fold(&pointer) {
            let Target::Procedure(procedure) = pointer::target(word) else {
                return Err(Diagnostic::new(self.at(function.span), "this is not a function"));
            };
            let procedure = ProcedureId(procedure as usize);
            if let Some(version) = self.procedures.version(procedure) {
                self.has_body(version.function, span)?;
            }
            let spawn = self.spawn(procedure, arg, span)?;
            self.assign_place(place, spawn, span);
            return Ok(self.zero(ty, span));
        }
        let pointer = self.keep(pointer);
        let arg = self.keep(arg);
        self.stabilise(&mut place);
        let mut chain = wild_call(span);
        for candidate in self.candidates(Some(1), false, span)?.into_iter().rev() {
            let procedure = self.procedure(candidate)?;
            let address = self.function_address(candidate, span)?;
            let spawn = self.block_of(|this| {
                let spawn = this.spawn(procedure, arg.clone(), span)?;
                this.assign_place(place.clone(), spawn, span);
                Ok(())
            })?;
            let test = self.same(&pointer, address, span);
            chain = Block(vec![Stmt { kind: StmtKind::If(test, spawn, chain), span }]);
        }
        self.append(chain);
        Ok(self.zero(ty, span))
    }

    /// Where the handle of a new thread goes.
    fn handle(&mut self, handle: &'h hir::Expr, span: Span) -> Result<Place> {
        let to = self.hir.types.element(handle.ty);
        let is_handle = to.is_some_and(|to| matches!(self.hir.types.kind(to), hir::Type::Thread));
        if !is_handle {
            let message =
                format!("expected a pointer to `pthread_t`, not `{}`", self.hir.types.show(handle.ty));
            return Err(Diagnostic::new(self.at(handle.span), message));
        }
        let pointer = self.scalar(handle)?;
        Ok(self.follow(pointer, Scalar::Thread.into(), span))
    }

    fn spawn(&mut self, procedure: ProcedureId, arg: Expr, span: Span) -> Result<Expr> {
        let code = self.program.procedure(procedure);
        let args = match &code.locals[..code.params] {
            [] => Vec::new(),
            [param] => {
                let scalar = param.ty.as_scalar().unwrap_or(arg.ty);
                vec![self.recast(arg, scalar, span)]
            }
            _ => {
                let message = format!("`{}` takes more than one argument", code.name);
                return Err(Diagnostic::new(span, message));
            }
        };
        Ok(Expr { kind: ExprKind::Spawn(procedure, args, Drain::Yes), ty: Scalar::Thread, span })
    }

    /// `pthread_join(thread, result)`; the result may be missing.
    pub fn join(
        &mut self,
        handle: &'h hir::Expr,
        result: Option<&'h hir::Expr>,
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let handle = self.thread_named(handle)?;
        let mark = self.mark();
        let target = match result {
            Some(result) => Some((self.scalar(result)?, result.ty)),
            None => None,
        };
        let handle = self.settle(handle, mark);
        let place = match target {
            Some((target, ty)) if self.fold(&target) != Some(0) => Some(self.joined(target, ty, span)?),
            _ => None,
        };
        self.emit(StmtKind::Join(place, handle), span);
        Ok(self.zero(ty, span))
    }

    /// Where a thread's result goes to, which may be known as `void *` only.
    fn joined(&mut self, target: Expr, ty: TypeId, span: Span) -> Result<Place> {
        let to = self.hir.types.element(ty).expect("results go where a pointer leads");
        if !self.hir.types.is_void(to) {
            return self.pointed_place(target, to, span);
        }
        let of = match &target.kind {
            ExprKind::AddressOf(place) => self.place_type(place).and_then(|ty| ty.as_scalar()),
            _ => None,
        };
        self.program.exposes_pointers |= matches!(of, Some(Scalar::Int(_)));
        let pointer = self.pointer();
        Ok(self.follow(target, pointer.into(), span))
    }

    /// The lock that a pointer leads to.
    pub fn mutex(&mut self, pointer: &'h hir::Expr, span: Span) -> Result<Place> {
        let to = self.hir.types.element(pointer.ty);
        if !to.is_some_and(|to| matches!(self.hir.types.kind(to), hir::Type::Mutex)) {
            let message = format!("this points to `{}`, not to a mutex", self.hir.types.show(pointer.ty));
            return Err(Diagnostic::new(span, message));
        }
        let value = self.scalar(pointer)?;
        Ok(self.follow(value, Scalar::Mutex.into(), span))
    }
}
