//! Functions that have no body because their meaning is known: threads, locks, and the run itself. Those on memory are in
//! [`super::memory`], those that print in [`super::print`], and those that ask the world outside in [`super::outside`].

use super::build::{any, number, truth_value};
use super::heap::constant;
use super::{Lowerer, Result, Value, Wanted, floating};
use crate::hir::{self, Intrinsic, TypeId};
use fencepost_ir::Claim;
use fencepost_ir::tree::{Block, Choices, Drain, Expr, ExprKind, Fence, FenceKind, Stmt, StmtKind};
use fencepost_ir::{IntType, Scalar, Span};

const SIGNED_WORD: Scalar = Scalar::Int(IntType { bits: 64, signed: true });

impl<'h> Lowerer<'h> {
    /// A call of a function whose meaning is known; `wanted` says whether anybody looks at its value.
    pub fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: &'h [hir::Expr],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        use Intrinsic as I;
        Ok(match intrinsic {
            I::Nothing | I::PushHandler => {
                self.evaluate(args)?;
                self.zero(ty, span)
            }
            I::Wait => self.cancellable(span, |this| {
                this.evaluate(args)?;
                Ok(this.zero(ty, span))
            })?,
            I::Gives(value) => {
                self.evaluate(args)?;
                self.given(number(value, SIGNED_WORD, span), ty, span)
            }
            I::Any => {
                self.evaluate(args)?;
                self.any_result(ty, span)?
            }
            I::AnyOf(lo, hi) => {
                self.evaluate(args)?;
                self.given(any(Choices(vec![(lo, hi)]), self.int(), span), ty, span)
            }
            I::Number => {
                self.evaluate(args)?;
                Value::Scalar(self.some_number(ty, span)?)
            }
            // It also tells where the number ends, which is not known.
            I::ParseNumber if args.get(1).is_some_and(|end| constant(end) != Some(0)) => {
                return Err(floating::unknown_value(span));
            }
            I::ParseNumber => {
                self.evaluate(args)?;
                Value::Scalar(self.some_number(ty, span)?)
            }
            I::Create => self.create(&args[0], &args[2], &args[3], ty, span)?,
            I::CreateC11 => self.create(&args[0], &args[1], &args[2], ty, span)?,
            I::Join => self.cancellable(span, |this| this.join(&args[0], args.get(1), ty, span))?,
            I::Own => Value::Scalar(Expr { kind: ExprKind::Own, ty: Scalar::Thread, span }),
            I::SameThread => self.same_thread(&args[0], &args[1], span)?,
            I::Lock | I::Unlock => {
                let mutex = self.mutex(&args[0], span)?;
                self.emit(
                    if intrinsic == I::Lock { StmtKind::Lock(mutex) } else { StmtKind::Unlock(mutex) },
                    span,
                );
                self.zero(ty, span)
            }
            I::Blocking => Value::Scalar(number(i64::from(self.asks.deadlock), self.scalar_of(ty), span)),
            I::AtomicBegin => self.done(StmtKind::AtomicBegin(Drain::Yes), span),
            I::AtomicEnd => self.done(StmtKind::AtomicEnd(Drain::Yes), span),
            I::FullFence => self.done(StmtKind::Fence(Fence::Machine(FenceKind::Full)), span),
            I::StoreFence => self.done(StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)), span),
            I::Assert
            | I::Assume
            | I::Fail
            | I::Reached
            | I::Exit
            | I::ExitPrinting
            | I::Halt
            | I::ExitIf
            | I::ExitThread => self.run_intrinsic(intrinsic, args, span)?,
            I::Memory(memory) => self.memory_function(memory, args, ty, span)?,
            I::Outside(outside) => self.outside_function(outside, args, ty, span)?,
            I::Output(output) => self.output_function(output, args, ty, wanted, span)?,
        })
    }

    fn same_thread(&mut self, left: &'h hir::Expr, right: &'h hir::Expr, span: Span) -> Result<Value> {
        let left = self.thread_named(left)?;
        let mark = self.mark();
        let right = self.thread_named(right)?;
        let left = self.settle(left, mark);
        let same = self.same(&left, right, span);
        Ok(Value::Scalar(self.int_of(same)))
    }

    fn done(&mut self, kind: StmtKind, span: Span) -> Value {
        self.emit(kind, span);
        Value::Void
    }

    /// Functions that say something of the run, or end it.
    fn run_intrinsic(&mut self, intrinsic: Intrinsic, args: &'h [hir::Expr], span: Span) -> Result<Value> {
        match intrinsic {
            Intrinsic::Assert => {
                let condition = self.condition(&args[0])?;
                self.emit(StmtKind::Assert(condition, Claim::Assertion), span);
            }
            Intrinsic::Assume => {
                let condition = self.condition(&args[0])?;
                // The user's assumption ends the run, and is not waiting.
                if self.asks.deadlock && !self.is_inlined() {
                    let halt = Block(vec![Stmt { kind: StmtKind::Halt, span }]);
                    self.emit(StmtKind::If(condition, Block::default(), halt), span);
                } else {
                    self.emit(StmtKind::Assume(condition), span);
                }
            }
            Intrinsic::Fail => {
                self.emit(StmtKind::Assert(truth_value(false, span), Claim::Assertion), span);
                self.emit(StmtKind::Halt, span);
            }
            Intrinsic::Reached => self.must_not_be(span),
            Intrinsic::Exit => {
                self.exit_status(args, span)?;
                self.end_of_program(span)?;
            }
            Intrinsic::ExitPrinting => {
                self.exit_status(&args[..1], span)?;
                self.print_format(args, 1, span)?;
                self.end_of_program(span)?;
            }
            Intrinsic::ExitIf => {
                let status = self.condition(&args[0])?;
                let status = self.keep(status);
                self.print_format(&args[1..], 1, span)?;
                let end = self.block_of(|this| {
                    if this.asks.exit_status {
                        this.claim(truth_value(false, span), Claim::Exit, span);
                    }
                    this.end_of_program(span)
                })?;
                self.emit(StmtKind::If(status, end, Block::default()), span);
            }
            Intrinsic::ExitThread => {
                let value = self.scalar(&args[0])?;
                self.emit(StmtKind::Exit(Some(value)), span);
            }
            _ => {
                self.exit_status(args, span)?;
                // A harness' own assertion that fails by aborting has failed.
                let function = self.frame().function;
                if self.hir.functions[function].name == "__VERIFIER_assert" {
                    self.emit(StmtKind::Assert(truth_value(false, span), Claim::Assertion), span);
                }
                self.emit(StmtKind::Halt, span);
            }
        }
        Ok(Value::Void)
    }
}
