//! Programs preprocessed with the headers of the system's C library, as `.i` files are.

use super::parse;
use fencepost_c::Options;
use fencepost_samples::programs;
use std::process::Command;

/// What programs include, in the order of the alphabet.
const HEADERS: [&str; 23] = [
    "assert.h",
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "pthread.h",
    "sched.h",
    "semaphore.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/time.h",
    "threads.h",
    "time.h",
    "unistd.h",
];

const PROGRAM: &str = "
atomic_int flag = ATOMIC_VAR_INIT(0);
atomic_flag busy = ATOMIC_FLAG_INIT;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t semaphore;
static void *run(void *argument) {
    int expected = 0;
    pthread_mutex_lock(&mutex);
    atomic_store_explicit(&flag, 1, memory_order_release);
    while (!atomic_compare_exchange_strong(&flag, &expected, 2)) expected = atomic_load(&flag);
    atomic_fetch_add(&flag, 3);
    while (atomic_flag_test_and_set(&busy)) sched_yield();
    atomic_thread_fence(memory_order_seq_cst);
    pthread_mutex_unlock(&mutex);
    assert(argument != NULL && expected == 0);
    pthread_cleanup_push(free, argument);
    pthread_cleanup_pop(1);
    errno = isalpha('x') + (int)strlen(\"text\") + offsetof(struct timespec, tv_nsec) + INT64_C(3);
    return (void *)(intptr_t)putchar(10);
}
int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    if (pthread_create(&thread, NULL, run, malloc(4)) != 0) { perror(\"thread\"); exit(EXIT_FAILURE); }
    return pthread_join(thread, NULL);
}
";

/// Preprocesses with the system's own headers; none if it has no compiler or not all headers.
fn preprocessed(headers: &[&str], options: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("input.c");
    let includes: String = headers.iter().map(|header| format!("#include <{header}>\n")).collect();
    std::fs::write(&path, format!("{includes}{PROGRAM}")).ok()?;
    let output = Command::new("cc").arg("-E").args(options).arg(&path).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_systems_headers_are_understood() {
    let ways: [&[&str]; 5] =
        [&[], &["-D_GNU_SOURCE"], &["-O2", "-D_FORTIFY_SOURCE=2"], &["-std=c11"], &["-std=gnu89", "-P"]];
    for options in ways {
        let Some(text) = preprocessed(&HEADERS, options) else {
            println!("skipped {options:?}: no compiler, or not all headers");
            continue;
        };
        let (unit, sources) = match parse("input.i", &text, &Options::default()) {
            Ok(read) => read,
            Err((sources, diagnostics)) => {
                let line = sources.line(diagnostics[0].span).unwrap_or("");
                panic!("{options:?}: {}\n{line}", super::said(&diagnostics[0]));
            }
        };
        println!(
            "{options:?}: {} lines, {} items",
            sources.text(Default::default()).lines().count(),
            unit.items.len()
        );
        assert!(unit.items.len() > 500, "{}", unit.items.len());
    }
}

#[test]
fn our_headers_are_understood() {
    if !programs::has("cc") {
        return;
    }
    let includes: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    let rest = "#include <malloc.h>\n#include <immintrin.h>\n#include <x86intrin.h>\n#include <sys/wait.h>\n";
    for define in ["_GNU_SOURCE", "NDEBUG"] {
        let options = Options { defines: vec![define.to_string()], ..Options::default() };
        let text = format!("{includes}{rest}{PROGRAM}");
        if let Err((sources, diagnostics)) = parse("input.c", &text, &options) {
            let d = &diagnostics[0];
            panic!("{}: {}", sources.name(d.span.file), super::said(d));
        }
    }
}
