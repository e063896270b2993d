//! Functions of the C library, of thread libraries and of verifiers, by their names.
//!
//! A function that is not known here and has no body is an error at its call.

use super::*;
use crate::ast::ExprKind as Ast;
use crate::types::Rank;

/// Functions that only wait, print or hint: their arguments are evaluated, and the result is 0.
const WITHOUT_EFFECT: &[&str] = &[
    "fflush",
    "perror",
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "sleep",
    "usleep",
    "nanosleep",
    "thrd_sleep",
    "pthread_attr_destroy",
    "pthread_attr_setscope",
    "pthread_setconcurrency",
    "pthread_setname_np",
    "pthread_attr_setinheritsched",
    "pthread_attr_setschedpolicy",
    "pthread_attr_setschedparam",
    "pthread_detach",
    "thrd_detach",
    "pthread_testcancel",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setrobust",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_condattr_setclock",
    "pthread_condattr_setpshared",
    "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy",
    "pthread_rwlockattr_setpshared",
    "pthread_barrierattr_init",
    "pthread_barrierattr_destroy",
    "pthread_barrierattr_setpshared",
    "signal",
    "sigaction",
    "sigemptyset",
    "sigfillset",
    "sigaddset",
    "sigdelset",
    "sigprocmask",
    "pthread_sigmask",
    "pthread_setaffinity_np",
    "pthread_attr_setaffinity_np",
    "pthread_attr_setguardsize",
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "pthread_setschedparam",
    "pthread_kill",
    "pthread_rwlockattr_setkind_np",
    "prctl",
    "_mm_prefetch",
    "madvise",
    "mprotect",
    "mlockall",
    "pthread_mutex_consistent",
    "pthread_atfork",
    "setenv",
    "unsetenv",
    "putenv",
    "close",
    "fsync",
    "clearerr",
    "rewind",
    "flockfile",
    "funlockfile",
    "nice",
    "vsyslog",
    "syslog",
    "openlog",
    "closelog",
    "clock_nanosleep",
    "setbuf",
    "setvbuf",
    "fclose",
    "srandom",
    "srand48",
    "sem_close",
    "warn",
    "warnx",
    "vwarn",
    "vwarnx",
    "alarm",
    "srand",
    "__VERIFIER_loop_begin",
    "__VERIFIER_loop_bound",
    "__VERIFIER_spin_start",
    "__VERIFIER_spin_end",
    "__goblint_split_begin",
    "__goblint_split_end",
    "__pthread_register_cancel",
    "__pthread_unregister_cancel",
    "__pthread_unwind_next",
    "__builtin_prefetch",
    "__builtin_ia32_pause",
    "__builtin_ia32_lfence",
    "_mm_pause",
    "_mm_lfence",
];

impl<'a> Lowerer<'a> {
    /// A library function, if it is one.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        if let Some(value) = self.atomic_call(name, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.memory_call(name, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.environment_call(name, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.floating_call(name, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.output_call(name, args, span)? {
            return Ok(Some(value));
        }
        if WITHOUT_EFFECT.contains(&name) {
            self.evaluate(args)?;
            return Ok(Some(self.zero(span)));
        }
        if let Some(suffix) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.nondeterministic(suffix, name, span).map(Some);
        }
        let takes = |n: usize| {
            if args.len() < n {
                return Err(Diagnostic::new(span, format!("`{name}` takes {n} arguments")));
            }
            Ok(())
        };
        let value = match name {
            "pthread_create" => {
                takes(4)?;
                self.create(&args[0], &args[2], &args[3], span)?
            }
            "thrd_create" => {
                takes(3)?;
                self.create(&args[0], &args[1], &args[2], span)?
            }
            "pthread_join" | "thrd_join" => {
                // CDSChecker's `thrd_join` gives no result.
                takes(if name == "thrd_join" { 1 } else { 2 })?;
                self.join(&args[0], args.get(1), span)?
            }
            "pthread_exit" | "thrd_exit" => {
                takes(1)?;
                if self.lookup("__fencepost_routine").is_some() {
                    let message = "ending a thread behind `pthread_cleanup_push` is not supported";
                    return Err(Diagnostic::new(span, message));
                }
                let value = self.scalar(&args[0])?;
                self.emit(StmtKind::Exit(Some(value.expr)), span);
                Value::Void
            }
            "__fencepost_lock" => {
                takes(1)?;
                let mutex = self.mutex(&args[0])?;
                self.emit(StmtKind::Lock(mutex), span);
                self.zero(span)
            }
            "__fencepost_unlock" => {
                takes(1)?;
                let mutex = self.mutex(&args[0])?;
                self.emit(StmtKind::Unlock(mutex), span);
                self.zero(span)
            }
            "__fencepost_self" | "pthread_self" | "thrd_current" => {
                let expr = Expr { kind: ExprKind::Own, ty: Scalar::Thread, span };
                Value::Scalar(Typed { expr, ty: CType::Thread })
            }
            // Nobody jumps back: `longjmp` is not supported.
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "__sigsetjmp_cancel" => self.zero(span),
            // How a pointer is aligned, which is no part of the object's number.
            "__fencepost_low_bits" => {
                takes(1)?;
                let pointer = self.scalar(&args[0])?;
                let long = CType::UNSIGNED_LONG;
                let scalar = self.types().scalar(&long).expect("integers are scalars");
                let (ty, low) = (pointer.expr.ty, Expr::constant(7, pointer.expr.ty, span));
                let kind = ExprKind::Binary(BinaryOp::BitAnd, Box::new(pointer.expr), Box::new(low));
                let low = self.folded(Expr { kind, ty, span });
                Value::Scalar(Typed { expr: convert::wrapping(low, scalar, span), ty: long })
            }
            // Whether waiting has to be seen as such.
            "__fencepost_blocking" => {
                Value::Scalar(self.int_constant(i64::from(self.deadlock), &CType::INT, span))
            }
            "pthread_equal" | "thrd_equal" => {
                takes(2)?;
                let l = self.scalar(&args[0])?;
                let mark = self.body.out.len();
                let r = self.scalar(&args[1])?;
                let l = Typed { expr: self.settle(l.expr, mark), ..l };
                Value::Scalar(self.arithmetic(BinaryOp::Eq, l, r, span)?)
            }
            "__errno_location" => {
                let Some(Symbol::Global(index)) = self.library.get("__fencepost_errno").cloned() else {
                    panic!("the library has a place for errors")
                };
                let place = Place::variable(self.global(index, span)?, span);
                self.address_of(Lvalue { place, ty: CType::INT }, span).map(Value::Scalar)?
            }
            "__fencepost_assert" | "__VERIFIER_assert" | "__CPROVER_assert" | "__goblint_check"
            | "__goblint_assert" => {
                takes(1)?;
                let condition = self.condition(&args[0])?;
                self.emit(StmtKind::Assert(condition), span);
                Value::Void
            }
            "assume_abort_if_not"
            | "__VERIFIER_assume"
            | "__CPROVER_assume"
            | "__builtin_assume"
            | "__goblint_assume" => {
                takes(1)?;
                let condition = self.condition(&args[0])?;
                // The user's assumption ends the run, and is no waiting.
                if self.deadlock && self.inlined == 0 {
                    let halt = Block(vec![Stmt { kind: StmtKind::Halt, span }]);
                    self.emit(StmtKind::If(condition, Block::default(), halt), span);
                } else {
                    self.emit(StmtKind::Assume(condition), span);
                }
                Value::Void
            }
            "__assert_fail"
            | "__assert"
            | "__assert_rtn"
            | "__VERIFIER_error"
            | "reach_error"
            | "__builtin_unreachable"
            | "__builtin_trap" => {
                self.emit(StmtKind::Assert(Expr::constant(0, Scalar::Bool, span)), span);
                self.emit(StmtKind::Halt, span);
                Value::Void
            }
            "err" | "errx" | "verr" | "verrx" => {
                self.evaluate(args)?;
                self.end_of_program(span)?;
                Value::Void
            }
            "error" => {
                takes(3)?;
                let status = self.condition(&args[0])?;
                self.evaluate(&args[1..])?;
                let (_, end) = self.captured(|this| this.end_of_program(span))?;
                self.emit(StmtKind::If(status, end, Block::default()), span);
                Value::Void
            }
            "exit" | "__builtin_exit" => {
                self.evaluate(args)?;
                self.end_of_program(span)?;
                Value::Void
            }
            "abort" | "_exit" | "_Exit" | "quick_exit" | "__builtin_abort" => {
                self.evaluate(args)?;
                // A harness' own assertion that fails by aborting has failed.
                if self.body.name == "__VERIFIER_assert" {
                    self.emit(StmtKind::Assert(Expr::constant(0, Scalar::Bool, span)), span);
                }
                self.emit(StmtKind::Halt, span);
                Value::Void
            }
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => {
                self.emit(StmtKind::AtomicBegin(Drain::Yes), span);
                Value::Void
            }
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => {
                self.emit(StmtKind::AtomicEnd(Drain::Yes), span);
                Value::Void
            }
            "_mm_mfence" | "__builtin_ia32_mfence" => {
                self.emit(StmtKind::Fence(Fence::Machine(FenceKind::Full)), span);
                Value::Void
            }
            "_mm_sfence" | "__builtin_ia32_sfence" => {
                self.emit(StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)), span);
                Value::Void
            }
            "malloc" | "__builtin_malloc" => {
                takes(1)?;
                let bytes = self.scalar(&args[0])?;
                self.allocate(bytes, &args[0], Fill::Undefined, span)?
            }
            "calloc" | "__builtin_calloc" => {
                takes(2)?;
                let count = self.scalar(&args[0])?;
                let mark = self.body.out.len();
                let size = self.scalar(&args[1])?;
                let count = Typed { expr: self.settle(count.expr, mark), ..count };
                let count = self.convert(count, &CType::UNSIGNED_LONG, span)?;
                if self.overflows(&count, &size) {
                    return self.null(span).map(Some);
                }
                let bytes = self.arithmetic(BinaryOp::Mul, count, size, span)?;
                self.allocate(bytes, &args[1], Fill::Zero, span)?
            }
            "free" | "__builtin_free" => {
                takes(1)?;
                let pointer = self.scalar(&args[0])?;
                let void = CType::Void.pointer_to();
                let pointer = self.convert(pointer, &void, span)?;
                self.emit(StmtKind::Free(pointer.expr), span);
                Value::Void
            }
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                takes(2)?;
                let value = self.scalar(&args[0])?;
                Value::Scalar(self.convert(value, &CType::LONG, span)?)
            }
            _ if overflow::operator(name).is_some() => {
                takes(3)?;
                let (op, _) = overflow::operator(name).expect("just seen");
                self.overflowing(op, args, name.ends_with("_p"), span)?
            }
            "__builtin_assume_aligned" => {
                takes(1)?;
                Value::Scalar(self.scalar(&args[0])?)
            }
            "sched_get_priority_max" | "sched_get_priority_min" => {
                self.evaluate(args)?;
                let most = if name.ends_with("max") { 99 } else { 1 };
                Value::Scalar(self.int_constant(most, &CType::INT, span))
            }
            "__builtin_object_size" => {
                takes(2)?;
                Value::Scalar(self.int_constant(-1, &CType::UNSIGNED_LONG, span))
            }
            "__builtin_constant_p" => {
                takes(1)?;
                let known = self.constant(&args[0]).is_ok();
                Value::Scalar(self.int_constant(i64::from(known), &CType::INT, span))
            }
            "rand" | "random" | "rand_r" | "lrand48" => {
                self.evaluate(args)?;
                let scalar = self.types().scalar(&CType::INT).expect("int is a scalar");
                let any = Choices(vec![(0, i32::MAX.into())]);
                let expr = Expr { kind: ExprKind::Any(any), ty: scalar, span };
                Value::Scalar(Typed { expr, ty: CType::INT })
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    pub(super) fn zero(&self, span: Span) -> Value {
        Value::Scalar(self.int_constant(0, &CType::INT, span))
    }

    /// Arguments for what they do; strings do nothing.
    pub(super) fn evaluate(&mut self, args: &'a [ast::Expr]) -> Result<()> {
        for arg in args {
            match &arg.kind {
                Ast::String(_) => {}
                // `stdout` and its like are nowhere.
                Ast::Identifier(name) if matches!(name.as_str(), "stdout" | "stderr" | "stdin") => {}
                _ => self.effect(arg)?,
            }
        }
        Ok(())
    }

    fn nondeterministic(&mut self, suffix: &str, name: &str, span: Span) -> Result<Value> {
        let ty = match suffix {
            "bool" | "_Bool" => CType::Bool,
            "char" => CType::CHAR,
            "uchar" | "unsigned_char" | "u8" => CType::integer(Rank::Char, false),
            "short" | "s16" => CType::integer(Rank::Short, true),
            "ushort" | "unsigned_short" | "u16" => CType::integer(Rank::Short, false),
            "int" | "s32" => CType::INT,
            "uint" | "unsigned_int" | "unsigned" | "u32" => CType::UNSIGNED,
            "long" => CType::LONG,
            "ulong" | "unsigned_long" | "size_t" => CType::UNSIGNED_LONG,
            "longlong" | "s64" => CType::integer(Rank::LongLong, true),
            "ulonglong" | "u64" => CType::integer(Rank::LongLong, false),
            _ => return Err(Diagnostic::new(span, format!("`{name}` is not supported"))),
        };
        let scalar = self.types().scalar(&ty).expect("integers are scalars");
        let any = statement::anything(scalar).expect("integers hold anything");
        let expr = Expr { kind: ExprKind::Any(any), ty: scalar, span };
        Ok(Value::Scalar(Typed { expr, ty }))
    }

    fn mutex(&mut self, pointer: &'a ast::Expr) -> Result<Place> {
        let value = self.scalar(pointer)?;
        let lvalue = self.pointed(value, pointer.span)?;
        match lvalue.ty.unqualified() {
            CType::Mutex => Ok(lvalue.place),
            ty => {
                let message = format!("this points to `{}`, not to a mutex", self.types().show(ty));
                Err(Diagnostic::new(pointer.span, message))
            }
        }
    }

    fn create(
        &mut self,
        handle: &'a ast::Expr,
        function: &'a ast::Expr,
        arg: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let pointer = self.scalar(handle)?;
        if !pointer.ty.element().is_some_and(|ty| matches!(ty.unqualified(), CType::Thread)) {
            let message =
                format!("expected a pointer to `pthread_t`, not `{}`", self.types().show(&pointer.ty));
            return Err(Diagnostic::new(handle.span, message));
        }
        let handle = self.pointed(pointer, span)?;
        let mut place = handle.place;
        let mark = self.body.out.len();
        let pointer = self.scalar(function)?;
        if !expression::is_function_pointer(&pointer.ty) && !pointer.ty.is_pointer() {
            return Err(Diagnostic::new(function.span, "this is not a function"));
        }
        let arg_mark = self.body.out.len();
        let arg = self.scalar(arg)?;
        let pointer = Typed { expr: self.settle(pointer.expr, arg_mark), ..pointer };
        self.settle_place(&mut place, mark);
        let generic = CType::Void.pointer_to();
        let arg = self.convert(arg, &generic, span)?;
        // A function that is named is the only one.
        if let Some(word) = self.fold(&pointer.expr) {
            let target = fencepost_ir::pointer::target(word);
            let fencepost_ir::pointer::Target::Procedure(procedure) = target else {
                return Err(Diagnostic::new(function.span, "this is not a function"));
            };
            let spawn = self.spawn(ProcedureId(procedure as usize), arg.expr, span)?;
            self.emit(StmtKind::Assign(place, spawn), span);
            return Ok(self.zero(span));
        }
        let pointer = self.keep(pointer.expr);
        let arg = self.keep(arg.expr);
        self.stabilise(&mut place);
        let ty = FunctionType { result: generic.clone(), params: Some(vec![generic]), variadic: false };
        let mut chain = self.wild_call(span);
        for candidate in self.candidates(&ty).into_iter().rev() {
            let procedure = self.procedure(candidate, span)?;
            let address = self.function_address(candidate, span)?;
            let spawn = self.spawn(procedure, arg.clone(), span)?;
            let block = Block(vec![Stmt { kind: StmtKind::Assign(place.clone(), spawn), span }]);
            let test = ExprKind::Binary(BinaryOp::Eq, Box::new(pointer.clone()), Box::new(address.expr));
            let test = Expr { kind: test, ty: Scalar::Bool, span };
            chain = Block(vec![Stmt { kind: StmtKind::If(test, block, chain), span }]);
        }
        self.body.out.extend(chain.0);
        Ok(self.zero(span))
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

    fn join(&mut self, handle: &'a ast::Expr, result: Option<&'a ast::Expr>, span: Span) -> Result<Value> {
        let handle = self.scalar(handle)?;
        let handle = self.convert(handle, &CType::Thread, span)?;
        let mark = self.body.out.len();
        let target = result.map(|result| self.scalar(result)).transpose()?;
        let handle = self.settle(handle.expr, mark);
        let place = match target {
            Some(target) if self.fold(&target.expr) != Some(0) => Some(self.pointed_result(target, span)?),
            _ => None,
        };
        self.emit(StmtKind::Join(place, handle), span);
        Ok(self.zero(span))
    }

    /// Where a thread's result goes to, which may be known as `void *` only.
    fn pointed_result(&mut self, target: Typed, span: Span) -> Result<Place> {
        let nothing_known = target.ty.element().is_some_and(|ty| *ty.unqualified() == CType::Void);
        let target = match nothing_known {
            true => {
                let of = match &target.expr.kind {
                    ExprKind::AddressOf(place) => self.place_type(place).and_then(|ty| ty.as_scalar()),
                    _ => None,
                };
                self.program.exposes_pointers |= matches!(of, Some(Scalar::Int(_)));
                Typed { ty: CType::Void.pointer_to().pointer_to(), ..target }
            }
            false => target,
        };
        Ok(self.pointed(target, span)?.place)
    }
}
