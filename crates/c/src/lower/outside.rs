//! What comes from outside the program: clocks, input, variables of the environment, the kernel.

use super::build::{any, number};
use super::heap::constant;
use super::{Lowerer, Result, Value};
use crate::hir::{self, Outside, TypeId};
use crate::preprocess::DataModel;
use fencepost_ir::Span;
use fencepost_ir::tree::{Choices, Expr};
use fencepost_text::Diagnostic;

/// How many processors there are.
const PROCESSORS: i64 = 2;

/// What `sysconf` knows, by Linux' numbers.
const SC_CLK_TCK: i128 = 2;
const SC_PAGESIZE: i128 = 30;
const SC_NPROCESSORS_CONF: i128 = 83;
const SC_NPROCESSORS_ONLN: i128 = 84;

/// Numbers of system calls.
struct Calls {
    futex: i128,
    thread: i128,
    barrier: i128,
}

impl<'h> Lowerer<'h> {
    /// A function that asks the world.
    pub fn outside_function(
        &mut self,
        outside: Outside,
        args: &'h [hir::Expr],
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let value = match outside {
            Outside::Time => self.time(&args[0], span)?,
            Outside::Clock => self.now(span)?,
            Outside::ClockInto => {
                self.effect(&args[0])?;
                self.set_time(&args[1], span)?;
                return Ok(self.zero(ty, span));
            }
            Outside::TimespecInto => {
                self.set_time(&args[0], span)?;
                self.scalar(&args[1])?
            }
            Outside::TimeInto => {
                self.set_time(&args[0], span)?;
                self.evaluate(&args[1..])?;
                return Ok(self.zero(ty, span));
            }
            Outside::CalendarInto => self.calendar_into(&args[0], &args[1], span)?,
            Outside::Calendar => self.calendar(&args[0], ty, span)?,
            Outside::FormatTime => self.date_text(args, span)?,
            Outside::Scan => self.any_input(&args[1..], span)?,
            Outside::ScanFile => self.any_input(&args[2..], span)?,
            Outside::ScanText => self.scan(args, span)?,
            Outside::Text(text) => {
                self.evaluate(args)?;
                self.own_text(text.as_bytes(), span)
            }
            Outside::GetVariable if self.facts.sets_variables => {
                let message = "`getenv` is not supported in a program that sets such variables";
                return Err(Diagnostic::new(span, message));
            }
            Outside::GetVariable | Outside::SetVariable => {
                self.evaluate(args)?;
                return Ok(self.zero(ty, span));
            }
            Outside::Setting => self.setting(&args[0], span)?,
            Outside::SystemCall => self.system_call(&args[0], &args[1..], span)?,
        };
        Ok(self.given(value, ty, span))
    }

    /// `sysconf(setting)`, as `long`.
    fn setting(&mut self, setting: &'h hir::Expr, span: Span) -> Result<Expr> {
        let long = self.scalar_of(self.hir.types.long());
        Ok(match constant(setting) {
            Some(SC_PAGESIZE) => number(4096, long, span),
            Some(SC_NPROCESSORS_CONF | SC_NPROCESSORS_ONLN) => number(PROCESSORS, long, span),
            Some(SC_CLK_TCK) => number(100, long, span),
            _ => {
                self.effect(setting)?;
                any(Choices(vec![(-1, i32::MAX.into())]), long, span)
            }
        })
    }

    /// A call of the kernel by its number: futexes, and what else has a function of its own.
    fn system_call(&mut self, number: &'h hir::Expr, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let calls = match self.hir.types.data_model {
            DataModel::Lp64 => Calls { futex: 202, thread: 186, barrier: 324 },
            DataModel::Ilp32 => Calls { futex: 240, thread: 224, barrier: 375 },
        };
        match (constant(number), args) {
            (Some(n), []) if n == calls.thread => self.library_value("gettid", Vec::new(), span),
            (Some(n), [word, operation, value, rest @ ..]) if n == calls.futex => {
                let word = self.scalar(word)?;
                let word = self.recast(word, self.pointer(), span);
                let mut given = vec![self.keep_unless_stable(word)];
                for arg in [operation, value] {
                    let arg = self.integer_value(arg)?;
                    let arg = self.wrapped(arg, self.int(), span);
                    given.push(self.keep(arg));
                }
                self.evaluate(rest)?;
                self.library_value("__fencepost_futex", given, span)
            }
            (Some(n), _) if n == calls.barrier => {
                let message = "`membarrier`, a fence that one thread sets for all, is not supported";
                let help = "let the other threads have a fence of their own, `atomic_thread_fence(memory_order_seq_cst)`";
                Err(Diagnostic::new(span, message).help(help))
            }
            _ => Err(Diagnostic::new(span, "this system call is not supported").help("futexes are")),
        }
    }
}
