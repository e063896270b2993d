//! `pthread_cancel`: threads that end at the next point where they may be cancelled.
//!
//! Such points are the functions that wait; before and behind each of them a thread looks whether it has been cancelled. A
//! wait for a condition may end for no reason, so a thread that waits comes to look, holding its mutex as POSIX has it.
//! What POSIX leaves open (`printf`) is no such point here. Handlers of `pthread_cleanup_push` would have to run, and a
//! thread that may be cancelled anywhere could end anywhere: both are refused.

use super::*;

/// Functions at which a thread that has been cancelled ends.
const POINTS: &[&str] = &[
    "pthread_testcancel",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_join",
    "sem_wait",
    "sem_timedwait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "pause",
    "read",
    "write",
];

/// `PTHREAD_CANCEL_ASYNCHRONOUS`
const ASYNCHRONOUS: i128 = 1;

impl<'a> Lowerer<'a> {
    /// Notes whether threads are cancelled, and whether there is something to be done then.
    pub(super) fn note_cancellation(&mut self, unit: &'a ast::Unit) {
        crate::visit::expressions(unit, &mut |e, _| {
            if let ast::ExprKind::Identifier(name) = &e.kind {
                self.cancels |= name == "pthread_cancel";
                // The last two are glibc's.
                let cleanups = ["__fencepost_routine", "__pthread_register_cancel", "_pthread_cleanup_push"];
                self.cleans_up |= cleanups.contains(&name.as_str());
            }
        });
    }

    /// A call at which its thread may be cancelled, if it is one.
    pub(super) fn cancellable_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        if name == "pthread_cancel" && self.cleans_up {
            let message =
                "cancelling threads is not supported where there are handlers of `pthread_cleanup_push`";
            return Err(Diagnostic::new(span, message));
        }
        if let ("pthread_setcanceltype", [kind, ..]) = (name, args)
            && self.constant(kind).is_ok_and(|kind| kind == ASYNCHRONOUS)
        {
            return Err(Diagnostic::new(span, "cancelling threads at any point is not supported"));
        }
        if !POINTS.contains(&name) {
            return self.uncancelled_call(name, args, span);
        }
        self.look_for_cancellation(span)?;
        let value = match self.uncancelled_call(name, args, span)? {
            Some(Value::Scalar(value)) => {
                Some(Value::Scalar(Typed { expr: self.keep(value.expr), ty: value.ty }))
            }
            other => other,
        };
        self.look_for_cancellation(span)?;
        Ok(value)
    }

    fn look_for_cancellation(&mut self, span: Span) -> Result<()> {
        let Some(Symbol::Function(index)) = self.library.get("__fencepost_cancelled_here").cloned() else {
            panic!("the library cancels threads")
        };
        self.inline(index, Vec::new(), span).map(|_| ())
    }
}
