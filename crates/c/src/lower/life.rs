//! How a program begins and ends: constructors, `main`, handlers of `atexit`, destructors.

use super::build::{binary, number, read_local, truth_value};
use super::{Lowerer, Result};
use crate::hir::{self, FunctionId};
use fencepost_ir::tree::{
    BinaryOp, Expr, ExprKind, LocalId, Procedure, ProcedureId, ProcedureKind, Stmt, StmtKind,
};
use fencepost_ir::{Claim, Scalar, Span};

impl<'h> Lowerer<'h> {
    /// Something that must hold.
    pub fn claim(&mut self, condition: Expr, claim: Claim, span: Span) {
        self.emit(StmtKind::Assert(condition, claim), span);
    }

    /// What must not be reached is reached.
    pub fn must_not_be(&mut self, span: Span) {
        self.claim(truth_value(false, span), Claim::Reach, span);
    }

    /// The arguments of a function that ends the program: the first is its status, and one that takes none aborts.
    pub fn exit_status(&mut self, args: &'h [hir::Expr], span: Span) -> Result<()> {
        match args {
            _ if !self.asks.exit_status => self.evaluate(args),
            [] => {
                self.claim(truth_value(false, span), Claim::Exit, span);
                Ok(())
            }
            [status, others @ ..] => {
                let status = self.scalar(status)?;
                self.evaluate(others)?;
                self.status_is_zero(status, span);
                Ok(())
            }
        }
    }

    /// The program's status must be 0, of which the system keeps eight bits.
    fn status_is_zero(&mut self, status: Expr, span: Span) {
        let ty = status.ty;
        let kept = binary(BinaryOp::BitAnd, status, number(0xff, ty, span), span);
        let holds = self.folded(binary(BinaryOp::Eq, kept, number(0, ty, span), span));
        self.claim(holds, Claim::Exit, span);
    }

    /// `return` in `main`, where it ends the program.
    pub fn status_of_main(&mut self, value: Option<&'h hir::Expr>, span: Span) -> Result<()> {
        match value {
            Some(value) => self.exit_status(std::slice::from_ref(value), span),
            None => Ok(()),
        }
    }

    /// The program ends as by `exit`.
    pub fn end_of_program(&mut self, span: Span) -> Result<()> {
        if self.facts.has_handlers {
            let handlers = self.exit_procedure()?;
            let call = Expr { kind: ExprKind::Call(handlers, Vec::new()), ty: Scalar::Integer, span };
            self.emit(StmtKind::Eval(call), span);
        }
        self.emit(StmtKind::Halt, span);
        Ok(())
    }

    /// What the first thread runs. `main` itself ends the program where it returns. If something runs after it, or if
    /// the program calls it, it is a function as any other, with variables that are gone, and a procedure of our own
    /// calls it and ends the program.
    pub fn around_main(&mut self, main: ProcedureId) -> Result<ProcedureId> {
        if !self.facts.has_handlers && !self.facts.calls_main {
            return Ok(main);
        }
        let Procedure { name, params, result, locals, span, .. } = self.program.procedure(main);
        let (name, params, result, span) = (name.clone(), *params, *result, *span);
        let locals = locals[..params].to_vec();
        let args = locals.iter().enumerate().map(|(i, local)| {
            let scalar = local.ty.as_scalar().expect("parameters are scalars");
            read_local(LocalId(i), scalar, span)
        });
        let ty = result.unwrap_or(Scalar::Integer);
        let call = Expr { kind: ExprKind::Call(main, args.collect()), ty, span };
        let end = self.block_of(|this| {
            match result {
                Some(_) if this.asks.exit_status => this.status_is_zero(call, span),
                _ => this.emit(StmtKind::Eval(call), span),
            }
            this.end_of_program(span)
        })?;
        Ok(self.new_procedure(Procedure {
            name,
            kind: ProcedureKind::Function,
            params,
            result: None,
            locals,
            body: end,
            span,
            spelled: None,
        }))
    }

    fn exit_procedure(&mut self) -> Result<ProcedureId> {
        let handlers = self.hir.support["__fencepost_run_handlers"];
        self.procedure(handlers)
    }

    /// Puts constructors before what the first thread runs, and destructors after the handlers.
    pub fn run_hooks(&mut self, first: ProcedureId) -> Result<()> {
        let hir = self.hir;
        let before = self.hook_calls(&hir.constructors)?;
        let after = self.hook_calls(&hir.destructors)?;
        let exit = if after.is_empty() { None } else { Some(self.exit_procedure()?) };
        self.lower_waiting();
        self.program.procedures[first.0].body.0.splice(0..0, before);
        if let Some(exit) = exit {
            self.program.procedures[exit.0].body.0.extend(after);
        }
        Ok(())
    }

    fn hook_calls(&mut self, hooks: &[FunctionId]) -> Result<Vec<Stmt>> {
        let mut calls = Vec::new();
        for hook in hooks {
            let span = self.hir.functions[*hook].span;
            let procedure = self.procedure(*hook)?;
            let ty = self.program.procedure(procedure).result.unwrap_or(Scalar::Integer);
            let call = Expr { kind: ExprKind::Call(procedure, Vec::new()), ty, span };
            calls.push(Stmt { kind: StmtKind::Eval(call), span });
        }
        Ok(calls)
    }
}
