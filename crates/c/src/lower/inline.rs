//! Calls of library functions that are C of our own: the body is lowered where the call is.
//!
//! Parameters are names of the arguments' values; the functions assign none of them and return at their end only.

use super::body::{Frame, Slot};
use super::heap::constant;
use super::{Lowerer, Result, Value};
use crate::hir::{self, FunctionId};
use fencepost_ir::tree::Expr;
use fencepost_ir::{Access, Order, Span};
use fencepost_text::Diagnostic;

/// How functions begin that work on objects of thread libraries, whose accesses race with nothing.
const ORDERING: [&str; 9] = [
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "tss_",
    "call_once",
    "__fencepost_futex",
    "__fencepost_sem_open",
    "__fencepost_cancelled_here",
];

/// Functions at which a thread that has been cancelled ends.
const CANCELLATION_POINTS: [&str; 4] =
    ["pthread_cond_wait", "pthread_cond_timedwait", "sem_wait", "sem_timedwait"];

/// `PTHREAD_CANCEL_ASYNCHRONOUS`
const ASYNCHRONOUS: i128 = 1;

impl<'h> Lowerer<'h> {
    /// A call of a function of the library.
    pub fn library_call(&mut self, function: FunctionId, args: &'h [hir::Expr], span: Span) -> Result<Value> {
        let name = self.hir.functions[function].name.as_str();
        self.can_be_cancelled(name, args, span)?;
        let args = self.arguments(function, args, span)?;
        match CANCELLATION_POINTS.contains(&name) {
            true => self.cancellable(span, |this| this.inline(function, args, span)),
            false => self.inline(function, args, span),
        }
    }

    /// Refuses what would let threads end anywhere, or run handlers as they end.
    fn can_be_cancelled(&self, name: &str, args: &[hir::Expr], span: Span) -> Result<()> {
        let message = match name {
            "pthread_cancel" if self.facts.has_cleanup_handlers => {
                "cancelling threads is not supported where there are handlers of `pthread_cleanup_push`"
            }
            "pthread_setcanceltype" if self.facts.cancels && constant(&args[0]) == Some(ASYNCHRONOUS) => {
                "cancelling threads at any point is not supported"
            }
            _ => return Ok(()),
        };
        Err(Diagnostic::new(span, message))
    }

    /// The function's body with these arguments.
    pub fn inline(&mut self, function: FunctionId, args: Vec<Expr>, span: Span) -> Result<Value> {
        let hir::Function { name, body, .. } = &self.hir.functions[function];
        let body = body.as_ref().expect("library functions have bodies");
        let args: Vec<Expr> = args.into_iter().map(|arg| self.keep_unless_stable(arg)).collect();
        // An access that is not said to be atomic is one, and orders nothing.
        let access = match ORDERING.iter().any(|start| name.starts_with(start)) {
            true => Access::Atomic(Order::Relaxed),
            false => self.seen_as(Access::Plain),
        };
        let frame = Frame::new(function, body, Some((self.at(span), access)));
        self.body.frames.push(frame);
        for (i, arg) in args.into_iter().enumerate() {
            self.set_slot(hir::LocalId::from_usize(i), Slot::Alias(arg));
        }
        let value = self.inlined_body(&body.block);
        self.body.frames.pop();
        value.map_err(|d| Diagnostic { span, ..d })
    }

    fn inlined_body(&mut self, block: &'h hir::Block) -> Result<Value> {
        let (last, rest) = match block.items.split_last() {
            Some((hir::Stmt { kind: hir::StmtKind::Return(Some(e)), .. }, rest)) => (Some(e), rest),
            _ => (None, &block.items[..]),
        };
        for stmt in rest {
            self.statement(stmt)?;
        }
        last.map_or(Ok(Value::Void), |e| self.value(e))
    }

    /// A function of the library by its name, which gives a scalar; it is done now.
    pub fn library_value(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Expr> {
        match self.library_function(name, args, span)? {
            Value::Scalar(value) => Ok(self.keep(value)),
            Value::Record(_) | Value::Void => panic!("`{name}` gives a number"),
        }
    }

    /// A function of the library by its name.
    pub fn library_function(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Value> {
        let function = self.hir.support.get(name).unwrap_or_else(|| panic!("the library has `{name}`"));
        self.inline(*function, args, span)
    }

    /// A call at which its thread may be cancelled: before and after it a thread looks whether it has been.
    pub fn cancellable(
        &mut self,
        span: Span,
        call: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        if !self.facts.cancels || self.is_inlined() {
            return call(self);
        }
        self.library_function("__fencepost_cancelled_here", Vec::new(), span)?;
        let value = match call(self)? {
            Value::Scalar(value) => Value::Scalar(self.keep(value)),
            other => other,
        };
        self.library_function("__fencepost_cancelled_here", Vec::new(), span)?;
        Ok(value)
    }
}
