//! How a program begins and ends: constructors, `main`, handlers of `atexit`, destructors.

use super::build::read_local;
use super::{Lowerer, Result};
use crate::hir::FunctionId;
use fencepost_ir::tree::{
    Block, Expr, ExprKind, LocalId, Procedure, ProcedureId, ProcedureKind, Stmt, StmtKind,
};
use fencepost_ir::{Scalar, Span};

impl Lowerer<'_> {
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
        let call = Stmt { kind: StmtKind::Eval(call), span };
        let end = self.block_of(|this| this.end_of_program(span))?;
        Ok(self.new_procedure(Procedure {
            name,
            kind: ProcedureKind::Function,
            params,
            result: None,
            locals,
            body: Block([vec![call], end.0].concat()),
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
