//! Random calls of library functions against the system's own library: every value that they give is the same.

use crate::c::{asserting, compiled};
use crate::check;
use fencepost_c::{self as c, HEADERS, Options};
use fencepost_samples::c_library::{self, Widths};
use fencepost_samples::effort::seeds;
use std::collections::{BTreeMap, BTreeSet};

/// Programs of so many seeds against what they give when they are compiled.
fn agree(seeds: u64, widths: Widths, data_model: &str) {
    let mut different = Vec::new();
    for seed in 0..seeds {
        let text = c_library::program(seed, widths);
        let name = format!("library_{data_model}_{seed}");
        let mut values = compiled(&name, &text);
        let options = ["--model", "sc", "-q", "--engine", "explicit", "--data-model", data_model];
        let ran = check(&format!("{name}.c"), &asserting(&text, &values), &options);
        if ran.code != 0 {
            different.push(format!("{name}:\n{}{}", ran.stdout, ran.stderr));
            continue;
        }
        if seed % 10 == 0 {
            *values.last_mut().expect("a program shows values") ^= 1;
            let ran = check(&format!("{name}_wrong.c"), &asserting(&text, &values), &options);
            assert_eq!(ran.code, 1, "{name} with a wrong value:\n{}{}", ran.stdout, ran.stderr);
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn library_functions_do_what_the_system_s_do() {
    agree(c_library::round().max(seeds(60)), Widths::OfLong, "lp64");
}

#[test]
fn library_functions_do_the_same_with_32_bits() {
    agree(seeds(20), Widths::Any, "ilp32");
}

/// Functions that are known and not compared, and why.
const NOT_COMPARED: &[(&str, &[&str])] = &[
    (
        "ends the program or the thread",
        &["abort", "exit", "_Exit", "_exit", "quick_exit", "atexit", "err", "errx", "error"],
    ),
    (
        "says what is to be checked",
        &[
            "__assert_fail",
            "__VERIFIER_assume",
            "__VERIFIER_loop_begin",
            "__VERIFIER_loop_bound",
            "__VERIFIER_nondet_bool",
            "__VERIFIER_nondet_int",
            "__VERIFIER_nondet_uint",
            "__VERIFIER_spin_end",
            "__VERIFIER_spin_start",
            "__goblint_assert",
            "__goblint_assume",
            "__goblint_check",
            "__goblint_split_begin",
            "__goblint_split_end",
        ],
    ),
    (
        "called by a macro that is compared",
        &[
            "__errno_location",
            "__fencepost_cpu_clear",
            "__fencepost_cpu_count",
            "__fencepost_cpu_isset",
            "__fencepost_cpu_set",
            "__fencepost_cpu_zero",
        ],
    ),
    (
        "orders memory, or hints at something",
        &["_mm_lfence", "_mm_mfence", "_mm_pause", "_mm_sfence", "mprotect"],
    ),
    (
        "needs other threads",
        &[
            "cnd_timedwait",
            "cnd_wait",
            "pthread_atfork",
            "pthread_cancel",
            "pthread_cond_clockwait",
            "pthread_cond_timedwait",
            "pthread_cond_wait",
            "pthread_create",
            "pthread_detach",
            "pthread_exit",
            "pthread_join",
            "pthread_kill",
            "pthread_mutex_consistent",
            "pthread_testcancel",
            "pthread_yield",
            "thrd_create",
            "thrd_detach",
            "thrd_exit",
            "thrd_join",
            "thrd_yield",
        ],
    ),
    (
        "only the scheduler sees it",
        &[
            "nice",
            "pthread_attr_setaffinity_np",
            "pthread_attr_setinheritsched",
            "pthread_attr_setschedparam",
            "pthread_attr_setschedpolicy",
            "pthread_attr_setscope",
            "pthread_setaffinity_np",
            "pthread_setconcurrency",
            "pthread_setname_np",
            "pthread_setschedparam",
            "sched_getcpu",
            "sched_setaffinity",
            "sched_setparam",
            "sched_setscheduler",
        ],
    ),
    (
        "attributes without an effect here",
        &[
            "pthread_barrierattr_destroy",
            "pthread_barrierattr_init",
            "pthread_barrierattr_setpshared",
            "pthread_condattr_destroy",
            "pthread_condattr_init",
            "pthread_condattr_setclock",
            "pthread_condattr_setpshared",
            "pthread_mutexattr_setprotocol",
            "pthread_mutexattr_setrobust",
            "pthread_rwlockattr_destroy",
            "pthread_rwlockattr_init",
            "pthread_rwlockattr_setpshared",
        ],
    ),
    ("any number", &["drand48", "lrand48", "rand", "rand_r", "random", "srand", "srand48", "srandom"]),
    (
        "any time",
        &[
            "__rdtsc",
            "alarm",
            "clock",
            "clock_gettime",
            "clock_nanosleep",
            "ctime",
            "gettimeofday",
            "nanosleep",
            "sleep",
            "thrd_sleep",
            "time",
            "timespec_get",
            "usleep",
        ],
    ),
    ("any input", &["feof", "ferror", "fgetc", "fgets", "fopen", "fscanf", "getc", "getchar", "scanf"]),
    (
        "files and descriptors",
        &[
            "clearerr",
            "close",
            "flockfile",
            "fsync",
            "funlockfile",
            "isatty",
            "mmap",
            "munmap",
            "remove",
            "rewind",
            "sem_close",
            "sem_open",
            "sem_unlink",
            "setbuf",
            "unlink",
        ],
    ),
    (
        "the system and its settings",
        &[
            "get_nprocs",
            "get_nprocs_conf",
            "getenv",
            "geteuid",
            "getgid",
            "getopt",
            "getopt_long",
            "getpid",
            "gettid",
            "getuid",
            "prctl",
            "putenv",
            "syscall",
            "sysconf",
            "unsetenv",
        ],
    ),
    (
        "messages, whose text is open",
        &["closelog", "openlog", "strerror", "syslog", "vsyslog", "warn", "warnx"],
    ),
    (
        "signals and jumps never come",
        &[
            "_setjmp",
            "setjmp",
            "sigaction",
            "sigaddset",
            "sigdelset",
            "sigemptyset",
            "sigfillset",
            "signal",
            "sigprocmask",
            "sigsetjmp",
            "pthread_sigmask",
        ],
    ),
    ("floating point is not followed", &["atof", "difftime", "strtod", "strtof"]),
];

/// The functions that our headers declare, and how many parameters each has.
fn declared() -> BTreeMap<String, usize> {
    let mut functions = BTreeMap::new();
    for (_, text) in HEADERS {
        // Comments and macros have no prototypes in them.
        let code: String = text.split("/*").flat_map(|part| part.rsplit("*/").next()).collect();
        let code = code.replace("\\\n", " ");
        let code: Vec<_> = code.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        for declaration in outside_braces(&code.join(" ")).split([';', '}']) {
            let Some((before, parameters)) = declaration.split_once('(') else { continue };
            let name = before.trim_end().rsplit([' ', '*']).next().unwrap_or_default();
            if name.is_empty() || name == "void" || before.contains("typedef") {
                continue;
            }
            // A parameter that is a function has its own, which do not count.
            let mut depth = 0;
            let commas = parameters.chars().filter(|c| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                *c == ',' && depth == 0
            });
            let count = if parameters.starts_with("void)") { 0 } else { commas.count() + 1 };
            functions.insert(name.to_string(), count);
        }
    }
    functions
}

/// The text without what is in braces; the last of them stays.
fn outside_braces(code: &str) -> String {
    let mut depth = 0;
    let is_kept = |c: &char| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0
    };
    code.chars().filter(is_kept).collect()
}

/// Whether a call of a function is refused because the front end does not know it.
fn is_refused(name: &str, parameters: usize) -> bool {
    let zeros = vec!["0"; parameters].join(", ");
    let text = format!("int {name}(); int main(void) {{ {name}({zeros}); return 0; }}");
    let (_, diagnostics) = match c::read(&[("call.i", &text)], &Options::default()) {
        Ok(_) => return false,
        Err(diagnostics) => diagnostics,
    };
    let message = &diagnostics[0].message;
    message == &format!("the function `{name}` has no body")
        || message.starts_with(&format!("`{name}` is not supported"))
}

#[test]
fn every_function_of_our_headers_is_compared_or_refused_or_has_a_reason() {
    let programs: String =
        (0..c_library::round()).map(|seed| c_library::program(seed, Widths::OfLong)).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let compared: BTreeSet<&str> =
        programs.split('(').filter_map(|before| before.rsplit(|c| !is_part(c)).next()).collect();
    let reasons: BTreeSet<&str> = NOT_COMPARED.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let declared = declared();
    assert!(declared.len() > 600, "{} functions are declared", declared.len());
    // Nothing is known of what the functions of `math.h` give; where it decides something, it is refused.
    let mathematics = HEADERS.iter().find(|(name, _)| *name == "math.h").expect("there is mathematics").1;
    let mut wrong = Vec::new();
    for (name, &parameters) in declared.iter().filter(|(name, _)| !mathematics.contains(&format!(" {name}(")))
    {
        let ways = [compared.contains(&name[..]), reasons.contains(&name[..]), is_refused(name, parameters)];
        if ways.into_iter().filter(|way| *way).count() != 1 {
            wrong.push(format!("{name}: compared, with a reason, refused: {ways:?}"));
        }
    }
    wrong.extend(
        reasons
            .iter()
            .filter(|name| !declared.contains_key(**name))
            .map(|name| format!("{name}: not declared")),
    );
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), declared.len(), wrong.join("\n"));
}
