//! Statements.

use super::{Lowerer, Result, Value};
use crate::hir::{self, StmtKind as Hir};
use fencepost_ir::Scalar;
use fencepost_ir::Span;
use fencepost_ir::tree::{Drain, Expr, ExprKind, StmtKind};

impl<'h> Lowerer<'h> {
    /// The statements of a block; its scope is the caller's.
    pub fn statements(&mut self, block: &'h hir::Block) -> Result<()> {
        for stmt in &block.items {
            let result = self.statement(stmt);
            // In the library nothing is wrong by itself: the call is.
            if self.is_inlined() {
                result?;
            } else {
                self.recover(result);
            }
        }
        Ok(())
    }

    /// A block with a scope of its own.
    pub fn nested(&mut self, block: &'h hir::Block) -> Result<()> {
        self.scoped(|this| this.statements(block))
    }

    pub fn statement(&mut self, stmt: &'h hir::Stmt) -> Result<()> {
        fencepost_ir::wanted::point();
        let span = self.at(stmt.span);
        match &stmt.kind {
            Hir::Expr(e) => self.effect(e),
            Hir::Declare(id, init) => self.declare(*id, init, span),
            Hir::Block(block) => self.nested(block),
            Hir::Label(label) => {
                let name = self.label_name(*label);
                self.emit(StmtKind::Label(name), span);
                Ok(())
            }
            Hir::If(test, then, otherwise) => {
                let test_span = self.at(test.span);
                let test = self.condition(test)?;
                let then = self.block_of(|this| this.nested(then))?;
                let otherwise = self.block_of(|this| this.nested(otherwise))?;
                self.emit(StmtKind::If(test, then, otherwise), test_span);
                Ok(())
            }
            Hir::Loop(l) => self.looping(l, span),
            Hir::Switch(switch) => self.switch(switch, span),
            Hir::Case(number) => {
                let switch = self.frame().switches.last().expect("cases stand in switches");
                let label = switch[*number].clone();
                self.emit(StmtKind::Label(label), span);
                Ok(())
            }
            Hir::Goto(label) => {
                let name = self.label_name(*label);
                self.emit(StmtKind::Goto(name), span);
                Ok(())
            }
            Hir::GotoComputed(target) => self.computed_goto(target, span),
            Hir::Break => self.break_out(span),
            Hir::Continue => self.continue_on(span),
            Hir::Return(value) => self.return_statement(value.as_ref(), span),
            Hir::Asm(asm) => self.asm(asm),
            Hir::Start(call) => self.start(call, span),
        }
    }

    fn return_statement(&mut self, value: Option<&'h hir::Expr>, span: Span) -> Result<()> {
        if self.body.is_main && !self.is_inlined() {
            self.status_of_main(value, span)?;
            self.clean_up(0)?;
            return self.end_of_program(span);
        }
        let function = self.frame().function;
        let ty = self.hir.types.function(self.hir.functions[function].ty).map(|ty| ty.result);
        let ty = ty.expect("functions have function types");
        let value = match value {
            // The value of a function that returns none is not used.
            None => self.scalar_type(ty).map(|ty| Expr::constant(ty.default_value(), ty, span)),
            Some(e) => match self.value(e)? {
                Value::Scalar(value) => Some(value),
                Value::Void => None,
                Value::Record(place) => {
                    self.return_record(function, ty, &place, span)?;
                    None
                }
            },
        };
        let value = match value {
            Some(value) if !self.frame().cleanups.is_empty() => Some(self.keep(value)),
            value => value,
        };
        self.clean_up(0)?;
        self.emit(StmtKind::Return(value), span);
        Ok(())
    }

    /// CBMC's way to start a thread: a call that runs in a thread of its own.
    fn start(&mut self, call: &'h hir::Expr, span: Span) -> Result<()> {
        let hir::ExprKind::Call(hir::Callee::Function(function), args) = &call.kind else {
            panic!("only calls of functions are started")
        };
        let procedure = self.procedure(*function)?;
        let args = self.arguments(*function, args, span)?;
        let kind = ExprKind::Spawn(procedure, args, Drain::Yes);
        self.emit(StmtKind::Eval(Expr { kind, ty: Scalar::Thread, span }), span);
        Ok(())
    }
}
