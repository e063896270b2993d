//! Fencepost's own headers, which stand in for a C library's: nothing but what a program needs to be
//! understood.
//!
//! Library functions are prototypes that the front end knows by name. Locks and the like are types that
//! it knows by their typedef names. What is generic is a builtin: `assert` is `__fencepost_assert`, and
//! the functions of `stdatomic.h` are `__c11_atomic_...`. Prototypes have no parameter names, which a
//! program's macros could replace.

use std::path::Path;

/// Writes the headers into a folder.
pub fn write(folder: &Path) -> std::io::Result<()> {
    ["arpa", "linux", "netinet", "sys", "valgrind"]
        .iter()
        .try_for_each(|inner| std::fs::create_dir(folder.join(inner)))?;
    HEADERS.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

/// The header that a program includes to have a function, type or macro of this name.
pub fn declaring(name: &str) -> Option<&'static str> {
    // Those of other tools have no names that programs lack by mistake.
    let tools = ["dat3m.h", "genmc.h", "goblint.h", "librace.h", "model-assert.h"];
    let all = HEADERS.iter().filter(|(header, _)| !tools.contains(header));
    let mut found = all.filter(|(_, text)| text.lines().any(|line| declares(line, name)));
    found.next().map(|(header, _)| match *header {
        "__fencepost_types.h" => "sys/types.h",
        header => header,
    })
}

/// Whether a line of a header declares a name.
fn declares(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut places = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
    places.any(|(before, after)| {
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        let is_type = (before.starts_with("typedef") || before.trim() == "}") && after.starts_with(';');
        let is_function = before.starts_with(|c: char| c.is_ascii_alphabetic()) && after.starts_with('(');
        let is_macro = before.trim_end() == "#define";
        is_word && (is_type || is_macro || is_function && !before.starts_with("static"))
    })
}

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        /// The headers by their names.
        pub const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("headers/", $name)))),*];
    };
}

headers![
    "__fencepost_types.h",
    "alloca.h",
    "arpa/inet.h",
    "assert.h",
    "byteswap.h",
    "ctype.h",
    "dat3m.h",
    "dirent.h",
    "emmintrin.h",
    "endian.h",
    "err.h",
    "errno.h",
    "error.h",
    "fcntl.h",
    "features.h",
    "fenv.h",
    "float.h",
    "genmc.h",
    "getopt.h",
    "goblint.h",
    "immintrin.h",
    "inttypes.h",
    "iso646.h",
    "libgen.h",
    "librace.h",
    "limits.h",
    "linux/futex.h",
    "linux/membarrier.h",
    "linux/types.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "model-assert.h",
    "netinet/in.h",
    "poll.h",
    "pthread.h",
    "sched.h",
    "semaphore.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "strings.h",
    "sys/cdefs.h",
    "sys/eventfd.h",
    "sys/ioctl.h",
    "sys/mman.h",
    "sys/param.h",
    "sys/prctl.h",
    "sys/queue.h",
    "sys/random.h",
    "sys/resource.h",
    "sys/select.h",
    "sys/socket.h",
    "sys/stat.h",
    "sys/syscall.h",
    "sys/sysinfo.h",
    "sys/time.h",
    "sys/times.h",
    "sys/types.h",
    "sys/uio.h",
    "sys/wait.h",
    "syscall.h",
    "sysexits.h",
    "syslog.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "unistd.h",
    "valgrind/drd.h",
    "valgrind/helgrind.h",
    "valgrind/valgrind.h",
    "wchar.h",
    "wctype.h",
    "x86intrin.h",
    "xmmintrin.h",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_headers() {
        let of = |name| declaring(name);
        assert_eq!((of("printf"), of("malloc")), (Some("stdio.h"), Some("stdlib.h")));
        assert_eq!((of("uint32_t"), of("pthread_mutex_t")), (Some("stdint.h"), Some("pthread.h")));
        assert_eq!((of("assert"), of("atomic_load")), (Some("assert.h"), Some("stdatomic.h")));
        assert_eq!((of("counter"), of("int"), of("f")), (None, None, None));
    }
}
