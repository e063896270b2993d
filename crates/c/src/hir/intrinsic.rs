//! Library functions whose meaning is known, so that they need no body.

use std::fmt;

/// What a function does that has no body. Where several functions differ only in what they are given, the names tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Hints, or asks what always succeeds: the operands are evaluated, and the result is 0.
    Nothing,
    /// The operands are evaluated, and the result is this.
    Gives(i64),
    /// The operands are evaluated, and the result is any value of its type.
    Any,
    /// The same, from this to that.
    AnyOf(i64, i64),
    /// A computation with floating-point numbers.
    Number,
    /// `strtod(text, end)`
    ParseNumber,

    // Threads.
    /// `pthread_create(handle, attributes, function, argument)`
    Create,
    /// `thrd_create(handle, function, argument)`
    CreateC11,
    /// `pthread_join(thread, result)`; the result may be missing.
    Join,
    /// `pthread_exit(value)`
    ExitThread,
    /// The calling thread.
    Own,
    /// `pthread_equal(a, b)`
    SameThread,
    /// `sleep` and its like: time passes, and a thread that has been cancelled ends there.
    Wait,
    /// glibc's part of `pthread_cleanup_push`: nothing happens as long as no thread is cancelled.
    PushHandler,
    /// `__fencepost_lock(lock)`
    Lock,
    /// `__fencepost_unlock(lock)`
    Unlock,
    /// Whether waiting has to be seen as such, which the user asks for with `--deadlock`.
    Blocking,
    AtomicBegin,
    AtomicEnd,
    /// A machine's full fence, whatever C's orders say: `__sync_synchronize`, `_mm_mfence`.
    FullFence,
    /// `_mm_sfence`
    StoreFence,

    // The run itself.
    Assert,
    Assume,
    /// An assertion that has failed.
    Fail,
    /// What must not be reached is reached.
    Reached,
    /// `exit`: handlers run.
    Exit,
    /// `err(status, format, ...)`: prints, then as `exit`.
    ExitPrinting,
    /// `abort`, `_exit`: nothing else runs.
    Halt,
    /// `error(status, number, format, ...)`: prints, then as `exit` if the status is not 0.
    ExitIf,

    /// Allocates, copies, compares or sorts memory.
    Memory(Memory),
    /// Asks the world outside.
    Outside(Outside),
    /// Prints or writes.
    Output(Output),
}

/// Functions on memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    Malloc,
    Calloc,
    Free,
    Realloc,
    ReallocArray,
    /// `aligned_alloc(alignment, bytes)`
    AlignedAlloc,
    /// `valloc(bytes)`
    PageAlloc,
    /// `posix_memalign(out, alignment, bytes)`
    AlignedAllocInto,
    /// `alloca(bytes)`
    Alloca,
    /// `mmap`
    Map,
    /// `munmap`
    Unmap,
    /// `memcpy(to, from, bytes)`, `memmove`
    Copy,
    /// `bcopy(from, to, bytes)`
    CopyFrom,
    /// `mempcpy(to, from, bytes)`: gives the end.
    CopyToEnd,
    /// `memset(to, byte, bytes)`
    Fill,
    /// `bzero(to, bytes)`
    Clear,
    /// `memcmp(a, b, bytes)`
    Compare,
    /// `qsort(base, count, bytes, compare)`
    Sort,
    /// `bsearch(key, base, count, bytes, compare)`
    Search,
    /// The bits of a pointer that tell its alignment.
    LowBits,
}

/// Functions that ask the world outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outside {
    /// `time(out)`
    Time,
    /// `clock()`
    Clock,
    /// `clock_gettime(clock, out)`
    ClockInto,
    /// `timespec_get(out, base)`: gives the base.
    TimespecInto,
    /// `gettimeofday(out, ...)`
    TimeInto,
    /// `localtime_r(time, out)`
    CalendarInto,
    /// `localtime(time)`
    Calendar,
    /// `strftime(to, size, format, date)`
    FormatTime,
    /// `scanf(format, ...)`
    Scan,
    /// `fscanf(file, format, ...)`
    ScanFile,
    /// `sscanf(text, format, ...)`
    ScanText,
    /// Gives this text.
    Text(&'static str),
    /// `getenv(name)`
    GetVariable,
    /// `setenv`, `putenv`
    SetVariable,
    /// `sysconf(setting)`
    Setting,
    /// `syscall(number, ...)`
    SystemCall,
}

/// Functions that print and write. What they are given is read, and goes nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// `printf` and its like, with so many operands before the format; gives the length.
    Print(u8),
    /// `vprintf` and its like; gives the length.
    PrintList(u8),
    /// `syslog` and its like; gives nothing.
    Log(u8),
    /// `perror(text)`; the text may be missing.
    Perhaps,
    /// `snprintf(to, size, format, ...)`
    IntoSized,
    /// `sprintf(to, format, ...)`
    Into,
    /// `putchar(c)`, `putc(c, file)`
    Character,
    /// `puts(text)`, `fputs(text, file)`
    Text,
    /// `fwrite(data, size, count, file)`
    Items,
    /// `write(file, data, bytes)`
    Bytes,
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Intrinsic::Memory(memory) => write!(f, "{memory:?}"),
            Intrinsic::Outside(outside) => write!(f, "{outside:?}"),
            Intrinsic::Output(output) => write!(f, "{output:?}"),
            other => write!(f, "{other:?}"),
        }
    }
}
