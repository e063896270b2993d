//! Library functions whose meaning is known, by their names: which they are, and what they take and give.

use super::library_names::{NUMBERS, WITHOUT_EFFECT};
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Callee, Expr, ExprKind, Intrinsic, Memory, Output, Outside, Rank, TypeId};
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
        "__fencepost_low_bits" => (I::Memory(Memory::LowBits), 1, Gives::Size),
        "__fencepost_blocking" => (I::Blocking, 0, Gives::Int),
        // There is no jump back: `longjmp` is not supported.
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
        "verr" | "verrx" | "exit" => (I::Exit, 0, Gives::Void),
        "err" | "errx" => (I::ExitPrinting, 2, Gives::Void),
        "error" => (I::ExitIf, 3, Gives::Void),
        "abort" | "_exit" | "_Exit" | "quick_exit" => (I::Halt, 0, Gives::Void),
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => (I::AtomicBegin, 0, Gives::Void),
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => (I::AtomicEnd, 0, Gives::Void),
        "_mm_mfence" | "__builtin_ia32_mfence" => (I::FullFence, 0, Gives::Void),
        "_mm_sfence" | "__builtin_ia32_sfence" => (I::StoreFence, 0, Gives::Void),
        "__builtin_frame_address" | "__builtin_return_address" => (I::Any, 1, Gives::Pointer),
        "sched_get_priority_max" => (I::Gives(99), 0, Gives::Int),
        "sched_get_priority_min" => (I::Gives(1), 0, Gives::Int),
        "rand" | "random" | "rand_r" | "lrand48" => (I::AnyOf(0, i32::MAX as i64), 0, Gives::Int),
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "pthread_testcancel" => {
            (I::Wait, 0, Gives::Int)
        }
        "__pthread_register_cancel" => (I::PushHandler, 0, Gives::Void),
        _ if WITHOUT_EFFECT.contains(&name) => (I::Nothing, 0, Gives::Int),
        _ => {
            let other = known_memory(name).or_else(|| known_outside(name));
            return other.or_else(|| known_output(name)).or_else(|| known_number(name));
        }
    };
    Some(Known { intrinsic, least, gives })
}

fn known_memory(name: &str) -> Option<Known> {
    use Memory as M;
    let (memory, least, gives) = match name {
        "malloc" => (M::Malloc, 1, Gives::Pointer),
        "calloc" => (M::Calloc, 2, Gives::Pointer),
        "free" => (M::Free, 1, Gives::Void),
        "realloc" => (M::Realloc, 2, Gives::Pointer),
        "reallocarray" => (M::ReallocArray, 3, Gives::Pointer),
        "aligned_alloc" | "memalign" => (M::AlignedAlloc, 2, Gives::Pointer),
        "valloc" | "pvalloc" => (M::PageAlloc, 1, Gives::Pointer),
        "posix_memalign" => (M::AlignedAllocInto, 3, Gives::Int),
        "alloca" => (M::Alloca, 1, Gives::Pointer),
        "mmap" => (M::Map, 4, Gives::Pointer),
        "munmap" => (M::Unmap, 2, Gives::Int),
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" | "___memcpy_chk" | "___memmove_chk" => {
            (M::Copy, 3, Gives::Pointer)
        }
        "bcopy" => (M::CopyFrom, 3, Gives::Void),
        "mempcpy" => (M::CopyToEnd, 3, Gives::Pointer),
        "memset" | "__memset_chk" | "___memset_chk" => (M::Fill, 3, Gives::Pointer),
        "bzero" => (M::Clear, 2, Gives::Void),
        "memcmp" | "bcmp" => (M::Compare, 3, Gives::Int),
        "qsort" => (M::Sort, 4, Gives::Void),
        "bsearch" => (M::Search, 5, Gives::Pointer),
        _ => return None,
    };
    Some(Known { intrinsic: Intrinsic::Memory(memory), least, gives })
}

fn known_outside(name: &str) -> Option<Known> {
    use Intrinsic as I;
    use Outside as O;
    let asks = I::Outside;
    let (intrinsic, least, gives) = match name {
        "time" => (asks(O::Time), 1, Gives::Long),
        "clock" | "__rdtsc" | "__builtin_ia32_rdtsc" => (asks(O::Clock), 0, Gives::Long),
        "clock_gettime" => (asks(O::ClockInto), 2, Gives::Int),
        "timespec_get" => (asks(O::TimespecInto), 2, Gives::Int),
        "gettimeofday" | "ftime" => (asks(O::TimeInto), 1, Gives::Int),
        "localtime_r" | "gmtime_r" => (asks(O::CalendarInto), 2, Gives::Pointer),
        "localtime" | "gmtime" => (asks(O::Calendar), 1, Gives::Pointer),
        "strftime" => (asks(O::FormatTime), 4, Gives::Size),
        "scanf" => (asks(O::Scan), 1, Gives::Int),
        "sscanf" => (asks(O::ScanText), 2, Gives::Int),
        "fscanf" => (asks(O::ScanFile), 2, Gives::Int),
        "getchar" | "fgetc" | "getc" => (I::AnyOf(-1, u8::MAX as i64), 0, Gives::Int),
        "strerror" | "ctime" => (asks(O::Text("error")), 1, Gives::Text),
        "setlocale" => (asks(O::Text("C")), 2, Gives::Text),
        "getenv" | "secure_getenv" => (asks(O::GetVariable), 1, Gives::Text),
        "setenv" | "putenv" => (asks(O::SetVariable), 1, Gives::Int),
        "sysconf" => (asks(O::Setting), 1, Gives::Long),
        "syscall" => (asks(O::SystemCall), 1, Gives::Long),
        // The command line has no options.
        "getopt" | "getopt_long" | "getopt_long_only" => (I::Gives(-1), 0, Gives::Int),
        "getpid" => (I::Gives(1), 0, Gives::Int),
        "get_nprocs" | "get_nprocs_conf" => (I::Gives(2), 0, Gives::Int),
        // There are two processors, as `sysconf` says.
        "sched_getcpu" => (I::AnyOf(0, 1), 0, Gives::Int),
        "isatty" | "getuid" | "geteuid" | "getgid" => (I::AnyOf(0, 1), 0, Gives::Int),
        // There may be no such file.
        "remove" | "unlink" => (I::AnyOf(-1, 0), 1, Gives::Int),
        _ => return None,
    };
    Some(Known { intrinsic, least, gives })
}

fn known_output(name: &str) -> Option<Known> {
    use Output as O;
    let (output, least, gives) = match name {
        "printf" => (O::Print(0), 1, Gives::Int),
        "fprintf" | "dprintf" => (O::Print(1), 2, Gives::Int),
        "vprintf" => (O::PrintList(0), 2, Gives::Int),
        "vfprintf" => (O::PrintList(1), 3, Gives::Int),
        "warn" | "warnx" => (O::Log(0), 1, Gives::Void),
        "syslog" => (O::Log(1), 2, Gives::Void),
        "perror" => (O::Perhaps, 1, Gives::Void),
        "snprintf" => (O::IntoSized, 3, Gives::Int),
        "sprintf" => (O::Into, 2, Gives::Int),
        "putchar" | "putchar_unlocked" => (O::Character, 1, Gives::Int),
        "putc" | "fputc" => (O::Character, 2, Gives::Int),
        "puts" => (O::Text, 1, Gives::Int),
        "fputs" | "fputs_unlocked" => (O::Text, 2, Gives::Int),
        "fwrite" => (O::Items, 4, Gives::Size),
        "write" => (O::Bytes, 3, Gives::Long),
        _ => return None,
    };
    Some(Known { intrinsic: Intrinsic::Output(output), least, gives })
}

/// Functions that give a floating-point number.
fn known_number(name: &str) -> Option<Known> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let is_function = |name: &str| NUMBERS.contains(&name) || matches!(name, "huge_val" | "inf" | "nan");
    let gives = match () {
        () if is_function(plain) || name == "__VERIFIER_nondet_double" => Gives::Double,
        () if plain.strip_suffix('f').is_some_and(is_function) => Gives::Float,
        () if plain == "strtof" || name == "__VERIFIER_nondet_float" => Gives::Float,
        () => return None,
    };
    let intrinsic = match plain {
        "strtod" | "strtof" => Intrinsic::ParseNumber,
        _ => Intrinsic::Number,
    };
    Some(Known { intrinsic, least: 0, gives })
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
        if name.starts_with("getopt") && self.options.args.iter().any(|word| word.starts_with('-')) {
            return self.fail(span, format!("`{name}` is not supported with options in --args"));
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
            "schar" | "signed_char" | "s8" | "S8" | "int8_t" => self.types.integer(Rank::Char, true),
            "uchar" | "unsigned_char" | "u8" | "U8" | "uint8_t" => self.types.integer(Rank::Char, false),
            "short" | "s16" | "S16" | "int16_t" => self.types.integer(Rank::Short, true),
            "ushort" | "unsigned_short" | "u16" | "U16" | "uint16_t" => {
                self.types.integer(Rank::Short, false)
            }
            "int" | "s32" | "S32" | "int32_t" => self.types.int(),
            "uint" | "unsigned_int" | "unsigned" | "u32" | "U32" | "uint32_t" => self.types.unsigned(),
            "long" | "ssize_t" | "ptrdiff_t" | "intptr_t" | "loff_t" | "off_t" | "time_t" => {
                self.types.long()
            }
            "ulong" | "unsigned_long" | "size_t" | "uintptr_t" => self.types.unsigned_long(),
            "longlong" | "long_long" | "s64" | "S64" | "int64_t" => self.types.integer(Rank::LongLong, true),
            "ulonglong" | "unsigned_long_long" | "u64" | "U64" | "uint64_t" => {
                self.types.integer(Rank::LongLong, false)
            }
            _ => return self.fail(span, format!("`{name}` is not supported")),
        })
    }
}
