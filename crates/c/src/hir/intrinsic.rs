//! Library functions whose meaning is known, so that they need no body.

/// What a function does that has no body. Where several functions differ only in what they are given, the names tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Waits, prints or hints: the operands are evaluated, and the result is 0.
    Nothing,
    /// The operands are evaluated, and the result is this.
    Gives(i64),
    /// The operands are evaluated, and the result is any value of its type.
    Any,
    /// The same, from this to that.
    AnyOf(i64, i64),
    /// A computation with floating-point numbers.
    Number,

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
    /// `exit`: handlers run.
    Exit,
    /// `abort`, `_exit`: nothing else runs.
    Halt,
    /// `error(status, ...)`: as `exit` if the status is not 0.
    ExitIf,

    // Memory.
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
    /// `qsort`
    Sort,
    /// `bsearch`
    Search,
    /// The bits of a pointer that tell its alignment.
    LowBits,

    // The world outside.
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
    /// `strftime`
    FormatTime,
    /// `scanf(format, ...)`
    Scan,
    /// `fscanf(file, format, ...)`
    ScanFile,
    /// `sscanf(text, format, ...)`
    ScanText,
    /// `snprintf(to, size, format, ...)`
    PrintInto,
    /// `sprintf(to, format, ...)`
    PrintIntoAll,
    /// `strerror(number)`: some text.
    Text,
    /// `syscall(number, ...)`
    SystemCall,
}
