//! Library functions whose meaning is known, by their names: which they are, and what they take and give.

use super::library_names::{NUMBERS, WITHOUT_EFFECT};
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Callee, Expr, ExprKind, Intrinsic, Rank, TypeId};
use fencepost_ir::Span;

/// What a function gives that the program does not declare.
#[derive(Clone, Copy)]
enum Gives {
    Void,
    Int,
    Long,
    Size,
    Pointer,
    Text,
    Thread,
    Float,
    Double,
}

/// A function whose meaning is known: how many arguments it takes at least.
struct Known {
    intrinsic: Intrinsic,
    least: usize,
    gives: Gives,
}

fn known(name: &str) -> Option<Known> {
    use Intrinsic as I;
    let (intrinsic, least, gives) = match name {
        "pthread_create" => (I::Create, 4, Gives::Int),
        "thrd_create" => (I::CreateC11, 3, Gives::Int),
        "pthread_join" => (I::Join, 2, Gives::Int),
        // CDSChecker's gives no result.
        "thrd_join" => (I::Join, 1, Gives::Int),
        "pthread_exit" | "thrd_exit" => (I::ExitThread, 1, Gives::Void),
        "__fencepost_lock" => (I::Lock, 1, Gives::Int),
        "__fencepost_unlock" => (I::Unlock, 1, Gives::Int),
        "__fencepost_self" | "pthread_self" | "thrd_current" => (I::Own, 0, Gives::Thread),
        "pthread_equal" | "thrd_equal" => (I::SameThread, 2, Gives::Int),
        "__fencepost_low_bits" => (I::LowBits, 1, Gives::Size),
        "__fencepost_blocking" => (I::Blocking, 0, Gives::Int),
        // Nobody jumps back: `longjmp` is not supported.
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "__sigsetjmp_cancel" => {
            (I::Nothing, 0, Gives::Int)
        }
        "__fencepost_assert" | "__VERIFIER_assert" | "__CPROVER_assert" | "__goblint_check"
        | "__goblint_assert" => (I::Assert, 1, Gives::Void),
        "assume_abort_if_not"
        | "__VERIFIER_assume"
        | "__CPROVER_assume"
        | "__builtin_assume"
        | "__goblint_assume" => (I::Assume, 1, Gives::Void),
        "__assert_fail"
        | "__assert"
        | "__assert_rtn"
        | "__VERIFIER_error"
        | "reach_error"
        | "__builtin_unreachable"
        | "__builtin_trap" => (I::Fail, 0, Gives::Void),
        "err" | "errx" | "verr" | "verrx" | "exit" | "__builtin_exit" => (I::Exit, 0, Gives::Void),
        "error" => (I::ExitIf, 3, Gives::Void),
        "abort" | "_exit" | "_Exit" | "quick_exit" | "__builtin_abort" => (I::Halt, 0, Gives::Void),
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => (I::AtomicBegin, 0, Gives::Void),
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => (I::AtomicEnd, 0, Gives::Void),
        "_mm_mfence" | "__builtin_ia32_mfence" => (I::FullFence, 0, Gives::Void),
        "_mm_sfence" | "__builtin_ia32_sfence" => (I::StoreFence, 0, Gives::Void),
        "__builtin_frame_address" | "__builtin_return_address" => (I::Any, 1, Gives::Pointer),
        "sched_get_priority_max" => (I::Gives(99), 0, Gives::Int),
        "sched_get_priority_min" => (I::Gives(1), 0, Gives::Int),
        "rand" | "random" | "rand_r" | "lrand48" => (I::AnyOf(0, i32::MAX as i64), 0, Gives::Int),
        _ => return known_memory(name).or_else(|| known_outside(name)).or_else(|| known_number(name)),
    };
    Some(Known { intrinsic, least, gives })
}

fn known_memory(name: &str) -> Option<Known> {
    use Intrinsic as I;
    let (intrinsic, least, gives) = match name.strip_prefix("__builtin_").unwrap_or(name) {
        "malloc" => (I::Malloc, 1, Gives::Pointer),
        "calloc" => (I::Calloc, 2, Gives::Pointer),
        "free" => (I::Free, 1, Gives::Void),
        "realloc" => (I::Realloc, 2, Gives::Pointer),
        "reallocarray" => (I::ReallocArray, 3, Gives::Pointer),
        "aligned_alloc" | "memalign" => (I::AlignedAlloc, 2, Gives::Pointer),
        "valloc" | "pvalloc" => (I::PageAlloc, 1, Gives::Pointer),
        "posix_memalign" => (I::AlignedAllocInto, 3, Gives::Int),
        "alloca" => (I::Alloca, 1, Gives::Pointer),
        "mmap" => (I::Map, 4, Gives::Pointer),
        "munmap" => (I::Unmap, 2, Gives::Int),
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" | "___memcpy_chk" | "___memmove_chk" => {
            (I::Copy, 3, Gives::Pointer)
        }
        "bcopy" => (I::CopyFrom, 3, Gives::Void),
        "mempcpy" => (I::CopyToEnd, 3, Gives::Pointer),
        "memset" | "__memset_chk" | "___memset_chk" => (I::Fill, 3, Gives::Pointer),
        "bzero" => (I::Clear, 2, Gives::Void),
        "memcmp" | "bcmp" => (I::Compare, 3, Gives::Int),
        "qsort" => (I::Sort, 4, Gives::Void),
        "bsearch" => (I::Search, 5, Gives::Pointer),
        _ => return None,
    };
    Some(Known { intrinsic, least, gives })
}

fn known_outside(name: &str) -> Option<Known> {
    use Intrinsic as I;
    let (intrinsic, least, gives) = match name {
        "time" => (I::Time, 1, Gives::Long),
        "clock" | "__rdtsc" | "__builtin_ia32_rdtsc" => (I::Clock, 0, Gives::Long),
        "clock_gettime" => (I::ClockInto, 2, Gives::Int),
        "timespec_get" => (I::TimespecInto, 2, Gives::Int),
        "gettimeofday" | "ftime" => (I::TimeInto, 1, Gives::Int),
        "scanf" => (I::Scan, 1, Gives::Int),
        "sscanf" => (I::ScanText, 2, Gives::Int),
        "fscanf" => (I::ScanFile, 2, Gives::Int),
        "getchar" | "fgetc" | "getc" => (I::AnyOf(-1, u8::MAX as i64), 0, Gives::Int),
        // The command line has no options.
        "getopt" | "getopt_long" | "getopt_long_only" => (I::Gives(-1), 0, Gives::Int),
        "getenv" | "secure_getenv" => (I::Gives(0), 1, Gives::Text),
        "strerror" | "ctime" => (I::Text, 1, Gives::Text),
        "localtime_r" | "gmtime_r" => (I::CalendarInto, 2, Gives::Pointer),
        "localtime" | "gmtime" => (I::Calendar, 1, Gives::Pointer),
        "strftime" => (I::FormatTime, 2, Gives::Size),
        "syscall" => (I::SystemCall, 1, Gives::Long),
        "getpid" | "gettid" => (I::Gives(1), 0, Gives::Int),
        "sysconf" | "get_nprocs" | "get_nprocs_conf" => (I::Gives(2), 0, Gives::Long),
        // There are two processors, as `sysconf` says.
        "sched_getcpu" => (I::AnyOf(0, 1), 0, Gives::Int),
        "snprintf" | "__builtin_snprintf" => (I::PrintInto, 3, Gives::Int),
        "sprintf" | "__builtin_sprintf" => (I::PrintIntoAll, 2, Gives::Int),
        _ if WITHOUT_EFFECT.contains(&name) => (I::Nothing, 0, Gives::Int),
        _ => return None,
    };
    Some(Known { intrinsic, least, gives })
}

/// Functions that give a floating-point number.
fn known_number(name: &str) -> Option<Known> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let is_function = |name: &str| NUMBERS.contains(&name) || matches!(name, "huge_val" | "inf" | "nan");
    let gives = match () {
        () if is_function(plain) || name == "__VERIFIER_nondet_double" => Gives::Double,
        () if plain.strip_suffix('f').is_some_and(is_function) => Gives::Float,
        () if name == "__VERIFIER_nondet_float" => Gives::Float,
        () => return None,
    };
    Some(Known { intrinsic: Intrinsic::Number, least: 0, gives })
}

impl<'a> Checker<'a> {
    /// A call of a function whose meaning is known, if it is one.
    pub fn intrinsic_call(
        &mut self,
        name: &'a str,
        declared: Option<TypeId>,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Expr>> {
        if let Some(suffix) = name.strip_prefix("__VERIFIER_nondet_")
            && !matches!(suffix, "float" | "double")
        {
            let ty = self.any_type(suffix, name, span)?;
            let kind = ExprKind::Call(Callee::Intrinsic(Intrinsic::Any), Vec::new());
            return Ok(Some(Expr { kind, ty, span }));
        }
        if name == "__errno_location" {
            return self.error_place(span).map(Some);
        }
        if name == "sem_open" && args.len() >= 2 {
            let values = self.arguments(&[], args)?;
            let ty = declared.and_then(|ty| self.types.function(ty)).map(|ty| ty.result);
            let ty = ty.unwrap_or_else(|| self.types.void_pointer());
            return self.open_semaphore(values, ty, span).map(Some);
        }
        let plain = || name.strip_prefix("__builtin_").and_then(known);
        let Some(Known { intrinsic, least, gives }) = known(name).or_else(plain) else { return Ok(None) };
        if args.len() < least {
            let count = if least == 1 { "1 argument".into() } else { format!("{least} arguments") };
            return self.fail(span, format!("`{name}` takes {count}, not {}", args.len()));
        }
        if intrinsic == Intrinsic::ExitThread && self.scopes.lookup("__fencepost_routine").is_some() {
            return self.fail(span, "ending a thread behind `pthread_cleanup_push` is not supported");
        }
        let declared = declared.and_then(|ty| self.types.function(ty)).cloned();
        let params = declared.as_ref().and_then(|ty| ty.params.clone()).unwrap_or_default();
        let args = self.arguments(&params, args)?;
        let ty = match declared {
            Some(ty) => self.types.unqualified(ty.result),
            None => self.given(gives),
        };
        self.support(intrinsic);
        let callee = Callee::Intrinsic(intrinsic);
        Ok(Some(Expr { kind: ExprKind::Call(callee, args), ty, span }))
    }

    fn given(&mut self, gives: Gives) -> TypeId {
        match gives {
            Gives::Void => self.types.void(),
            Gives::Int => self.types.int(),
            Gives::Long => self.types.long(),
            Gives::Size => self.types.size_type(),
            Gives::Pointer => self.types.void_pointer(),
            Gives::Text => self.types.pointer_to(self.types.char()),
            Gives::Thread => self.types.intern(crate::hir::Type::Thread),
            Gives::Float => self.types.float(),
            Gives::Double => self.types.double(),
        }
    }

    /// The type that `__VERIFIER_nondet_` gives any value of.
    fn any_type(&mut self, suffix: &str, name: &str, span: Span) -> Result<TypeId> {
        Ok(match suffix {
            "bool" | "_Bool" => self.types.bool(),
            "char" => self.types.char(),
            "uchar" | "unsigned_char" | "u8" => self.types.integer(Rank::Char, false),
            "short" | "s16" => self.types.integer(Rank::Short, true),
            "ushort" | "unsigned_short" | "u16" => self.types.integer(Rank::Short, false),
            "int" | "s32" => self.types.int(),
            "uint" | "unsigned_int" | "unsigned" | "u32" => self.types.unsigned(),
            "long" => self.types.long(),
            "ulong" | "unsigned_long" | "size_t" => self.types.unsigned_long(),
            "longlong" | "s64" => self.types.integer(Rank::LongLong, true),
            "ulonglong" | "u64" => self.types.integer(Rank::LongLong, false),
            _ => return self.fail(span, format!("`{name}` is not supported")),
        })
    }
}
