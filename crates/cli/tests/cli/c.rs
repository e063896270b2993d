//! C: every construct against the compiled program, how files become programs, and what is said
//! about those that do not.
//!
//! A file of `tests/features` has a function `test` that hands integers to `out`. Compiled by the
//! system's compiler, `out` prints them; for Fencepost it is an assertion that the value is the
//! printed one. So both have to agree on every value, and with a wrong one the check has to fail.

use crate::{check, fencepost_args, root, scratch};
use fencepost_samples::effort::every;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The constructs, by their names.
pub fn features() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    files.into_iter().map(read).collect()
}

/// What the compiled program hands to `out`, which has a file of its own: the program may print.
pub fn compiled(name: &str, text: &str) -> Vec<i64> {
    let program = format!(
        "#define _GNU_SOURCE\n#include <stdio.h>\n\
         #define out(...) dprintf(3, \"%lld\\n\", (long long)(__VA_ARGS__))\n{text}\n\
         int main(void) {{ test(); return 0; }}\n"
    );
    let source = scratch(&format!("{name}_compiled.c"), &program);
    let binary = source.with_extension("");
    let compiler = Command::new("cc")
        .args(["-std=gnu11", "-w", "-fwrapv", "-pthread", "-o"])
        .args([&binary, &source])
        .arg("-latomic")
        .arg("-lm")
        .output()
        .expect("there is a C compiler");
    assert!(compiler.status.success(), "{name}: {}", String::from_utf8_lossy(&compiler.stderr));
    let ran = Command::new("sh")
        .args(["-c", "\"$0\" 3>&1 >/dev/null 2>&1 </dev/null"])
        .arg(&binary)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{name} runs");
    let printed = String::from_utf8(ran.stdout).unwrap();
    printed.lines().map(|line| line.parse().unwrap()).collect()
}

/// The program whose assertions are the values.
pub fn asserting(text: &str, values: &[i64]) -> String {
    let list: Vec<_> = values
        .iter()
        .map(|v| if *v == i64::MIN { "-9223372036854775807-1".into() } else { format!("{v}LL") })
        .collect();
    format!(
        "#include <assert.h>\nstatic const long long expected[] = {{{}}};\nstatic int at;\n\
         #define out(...) do {{ long long value_ = (__VA_ARGS__); assert(value_ == expected[at]); at++; }} while (0)\n\
         {text}\nint main(void) {{ test(); assert(at == {}); return 0; }}\n",
        list.join(", "),
        values.len()
    )
}

#[test]
fn constructs_do_what_the_compiled_program_does() {
    let features = features();
    assert!(features.len() >= 60, "there are {} features", features.len());
    for (name, text) in features.into_iter().step_by(every(1)) {
        let mut values = compiled(&name, &text);
        assert!(!values.is_empty(), "{name} shows values");
        let ran = check(&format!("{name}.c"), &asserting(&text, &values), &["--model", "sc"]);
        assert_eq!(ran.code, 0, "{name}:\n{}{}", ran.stdout, ran.stderr);
        *values.last_mut().unwrap() ^= 1;
        let ran = check(&format!("{name}_wrong.c"), &asserting(&text, &values), &["--model", "sc", "-q"]);
        assert_eq!(ran.code, 1, "{name} with a wrong value:\n{}{}", ran.stdout, ran.stderr);
    }
}

/// The fences of a fenced example are needed: without any one of them it is unsafe.
#[test]
fn each_fence_of_a_c_example_is_needed() {
    for name in ["dekker", "peterson", "lamport", "szymanski", "spinlock", "ticketlock"] {
        let path = root().join(format!("examples/{name}_fenced.c"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let fences: Vec<_> =
            (0..lines.len()).filter(|&i| lines[i].trim_start().starts_with("atomic_thread_fence")).collect();
        assert!(!fences.is_empty(), "{name} has fences");
        for i in fences {
            let without = [&lines[..i], &lines[i + 1..]].concat().join("\n");
            let file = format!("without_{i}_{name}.c");
            let ran = check(&file, &without, &["-q", "--model", "tso", "--model", "pso"]);
            assert_eq!(ran.code, 1, "{name} without line {}:\n{}{}", i + 1, ran.stdout, ran.stderr);
        }
    }
}

/// Every thread gets to its critical section under SC, and again.
#[test]
fn each_thread_of_a_c_example_gets_to_its_critical_section_again() {
    for name in ["dekker", "peterson", "lamport", "szymanski", "spinlock", "ticketlock"] {
        let text = std::fs::read_to_string(root().join(format!("examples/{name}.c"))).unwrap();
        let threads = if name == "spinlock" { 3 } else { 2 };
        for thread in 0..threads {
            let visits = format!("static int visits; visits += me == {thread}; assert(visits < 2);");
            let watched = text.replace("assert(in_critical == 1);", &visits);
            assert_ne!(watched, text);
            let ran = check(&format!("again_{name}_{thread}.c"), &watched, &["-q", "--model", "sc"]);
            assert_eq!(ran.code, 1, "{name}, thread {thread}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

const SB: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
static void *first(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    BETWEEN;
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}
static void *second(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    BETWEEN;
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a || b);
    return 0;
}
";

#[test]
fn what_is_a_fence_and_what_is_not() {
    let path = scratch("sb.c", SB);
    let verdict = |between: &str, model: &str| {
        let define = format!("-DBETWEEN={between}");
        fencepost_args(&["check", path.to_str().unwrap(), &define, "--model", model, "-q"]).code
    };
    for between in [
        "atomic_thread_fence(memory_order_seq_cst)",
        "__sync_synchronize()",
        "__atomic_thread_fence(__ATOMIC_SEQ_CST)",
        "__asm__ __volatile__(\"mfence\" ::: \"memory\")",
        "(void)atomic_exchange_explicit(&a_third, 1, memory_order_relaxed)",
    ] {
        let between = between.replace("&a_third", "&(atomic_int){0}");
        assert_eq!(verdict(&between, "tso"), 0, "{between}");
        assert_eq!(verdict(&between, "pso"), 0, "{between}");
    }
    for between in [
        "(void)0",
        "atomic_thread_fence(memory_order_acq_rel)",
        "atomic_thread_fence(memory_order_release)",
        "atomic_thread_fence(memory_order_acquire)",
        "atomic_signal_fence(memory_order_seq_cst)",
        "__asm__ __volatile__(\"sfence\" ::: \"memory\")",
        "__asm__ __volatile__(\"lfence\" ::: \"memory\")",
        "__asm__ __volatile__(\"\" ::: \"memory\")",
    ] {
        assert_eq!(verdict(between, "sc"), 0, "{between}");
        assert_eq!(verdict(between, "tso"), 1, "{between}");
        assert_eq!(verdict(between, "pso"), 1, "{between}");
    }
}

#[test]
fn several_files_are_one_program() {
    scratch("linked.h", "int other(void);\nextern int shared_between;\n");
    let main = "#include <assert.h>\n#include \"linked.h\"\nstatic int own = 1;\nint shared_between = 5;\n\
                int main(void) { assert(other() == 8); assert(own == 1 && shared_between == 6); return 0; }\n";
    let other = "#include \"linked.h\"\nstatic int own = 2;\nint other(void) { own++; shared_between++; return own + 5; }\n";
    let (main, other) = (scratch("linked_main.c", main), scratch("linked_other.c", other));
    let files = [main.to_str().unwrap(), other.to_str().unwrap()];
    let ran = fencepost_args(&["check", "--link", files[0], files[1]]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let alone = fencepost_args(&["check", files[0]]);
    assert_eq!(alone.code, 2);
    assert!(alone.stderr.contains("`other` has no body"), "{}", alone.stderr);
    assert!(alone.stderr.contains("--link"), "{}", alone.stderr);
}

#[test]
fn a_file_without_main_gets_a_harness_that_can_be_checked() {
    let text = "#include <stdatomic.h>\ntypedef struct { atomic_int held; } lock_t;\n\
                void lock(lock_t *l) { while (atomic_exchange(&l->held, 1)) ; }\n\
                void unlock(lock_t *l) { atomic_store(&l->held, 0); }\n";
    let ran = check("nomain.c", text, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no `main`"), "{}", ran.stderr);
    assert!(ran.stdout.contains("#include \"nomain.c\""), "{}", ran.stdout);
    let harness = check("harness.c", &ran.stdout, &[]);
    assert_eq!(harness.code, 0, "{}{}", harness.stdout, harness.stderr);
}

#[test]
fn options_for_c() {
    let folder = scratch("include_here/limit.h", "#define LIMIT 3\n");
    let folder = folder.parent().unwrap().to_str().unwrap();
    let text = "#include <assert.h>\n#include <limit.h>\nint main(void) { assert(LIMIT == VALUE); assert(sizeof(long) == WORD); return 0; }\n";
    let include = format!("-I{folder}");
    let ran = check("options.c", text, &[&include, "-DVALUE=3", "-D", "WORD=8"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = check("options.c", text, &[&include, "-DVALUE=4", "-DWORD=8", "-q"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let ran = check("options.c", text, &[&include, "-DVALUE=3", "-DWORD=4", "--data-model", "ilp32"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = check("options.c", text, &["--cpp", "no-such-compiler"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no-such-compiler"), "{}", ran.stderr);
}

/// Programs for CDSChecker begin elsewhere.
#[test]
fn the_function_that_a_program_begins_with() {
    let text = "#include <model-assert.h>\n#include <threads.h>\nint x;\nstatic int thread(void *arg) { return 0; }\n\
                int user_main(int argc, char **argv) { thrd_t t; thrd_create(&t, thread, 0); thrd_join(t); MODEL_ASSERT(argc == 1 && x == VALUE); return 0; }\n";
    for (value, code) in [("VALUE=0", 0), ("VALUE=1", 1)] {
        let ran = check("user_main.c", text, &["-q", "-D", value]);
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
    }
}

/// Errors are in the user's file, at the line and column of what is wrong.
#[test]
fn errors_have_their_places() {
    let cases = [
        ("int main(void) { double d = 1; return d > 0; }", ":1:39", "floating point is not supported"),
        ("int main(void) { double d = 1; int i = d; return i; }", ":1:40", "floating point is not supported"),
        ("int main(void) { float f = 1; while (f) f--; }", ":1:38", "floating point is not supported"),
        ("int main(void) { double d; return *(long *)&d == 0; }", ":1:36", "floating point is not supported"),
        (
            "union { double d; long i; } u;\nint main(void) { u.d = 1; return u.i; }",
            ":2:18",
            "floating point",
        ),
        ("int main(void) { long double d = 1; }", ":1:34", "floating point is not supported"),
        ("int a[] = {[100000000] = 1}; int main(void) { return a[0]; }", ":1:5", "elements is not supported"),
        (
            "struct s { int a[1000000]; } v;\nint f(struct s x) { return x.a[0]; }\nint main(void) { return f(v); }",
            ":2:16",
            "scalars is not supported",
        ),
        ("void f(void) { return 1; }\nint main(void) { f(); }", ":1:23", "returns no value"),
        ("long syscall(long, ...); int main(void) { return syscall(3); }", ":1:50", "system call"),
        ("int main(void) { return missing(); }", ":1:25", "`missing` is not declared"),
        ("void f(void);\nint main(void) {\n  f();\n}", ":3:3", "`f` has no body"),
        ("struct s { int a; } v;\nint main(void) { return v.b; }", ":2:27", "has no member `b`"),
        ("int n = 3; int a[n]; int main(void) { return a[0]; }", ":1:18", "constant length"),
        ("int main(void) { int x; long x; return 0; }", ":1:30", "declared twice"),
        ("int x = 1; int x = 2; int main(void) { return x; }", ":1:16", "defined twice"),
        ("int x; long x; int main(void) { return x; }", ":1:13", "declared as `int` and as `long`"),
        ("struct s { int a, a; } v; int main(void) { return v.a; }", ":1:19", "member `a` already"),
        ("struct s { int a; }; struct s { int b; }; int main(void) { return 0; }", ":1:22", "defined twice"),
        ("enum { A, B, A }; int main(void) { return A; }", ":1:14", "declared twice"),
        ("int main(void) { switch (1) { case 1: case 1: ; } }", ":1:39", "stands twice"),
        ("int main(void) { switch (1) { default: default: ; } }", ":1:40", "`default` already"),
        ("int main(void) { int *p = 0; switch (p) { case 0: ; } }", ":1:38", "needs an integer"),
        ("int main(void) { a: ; a: ; }", ":1:23", "stands twice"),
        ("int main(void) { const int x = 1; x = 2; }", ":1:35", "cannot be assigned"),
        ("int main(void) { int v = 0; const int *p = &v; *p = 2; }", ":1:48", "cannot be assigned"),
        ("struct { unsigned f : 3; } s; int main(void) { return !&s.f; }", ":1:56", "has no address"),
        ("struct { int f : 40; } s; int main(void) { return s.f; }", ":1:18", "a bit-field has"),
        ("int main(void) { __asm__(\"cli\"); }", ":1:18", "assembly is not supported"),
        (
            "int main(void) { __asm__(\"mfence; pushf; popf\"); }",
            ":1:18",
            "assembly is not supported: `pushf`",
        ),
        ("#define TWICE(e) ((e) + nope)\nint main(void) { return TWICE(1); }", ":2:25", "`nope`"),
        ("int main(void) { int x = ; }", ":1:26", "expected"),
        ("#include \"nowhere.h\"\nint main(void) { return 0; }", ":1", "nowhere.h"),
    ];
    for (text, place, message) in cases {
        let ran = check("wrong.c", text, &[]);
        assert_eq!(ran.code, 2, "{text}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(message), "{text}\n{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("wrong.c{place}")), "{text}\n{place}\n{}", ran.stderr);
    }
}

/// What goes wrong at run time is found, and named.
#[test]
fn errors_of_programs() {
    let cases = [
        ("int *p; *p = 1;", "null pointer"),
        ("int a[2], i = 2; a[i] = 1;", "out of bounds"),
        ("int *p = malloc(8); p[2] = 1;", "access at byte 8 of an object of 8 bytes"),
        ("int *p = malloc(4); free(p); *p = 1;", "after it was freed"),
        ("int *p = malloc(4); free(p); free(p);", "double free"),
        ("int x; free(&x);", "free of what was not allocated"),
        ("int z = 0; z = 1 / z;", "division by zero"),
        ("pthread_mutex_unlock(&m);", "does not hold"),
        ("assert(0);", "assertion fails"),
    ];
    for (code, message) in cases {
        let code = code.replacen("int *p; *p", "static int *p; *p", 1);
        let text = format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\npthread_mutex_t m;\n\
             int main(void) {{\n{code}\nreturn 0; }}\n"
        );
        let ran = check("fails.c", &text, &["--model", "tso"]);
        assert_eq!(ran.code, 1, "{code}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(message), "{code}\n{}", ran.stdout);
        assert!(ran.stdout.contains("fails.c:6"), "{code}\n{}", ran.stdout);
    }
}

/// Checks a program around the given declarations, thread and body of `main`.
fn threads(name: &str, declared: &str, thread: &str, main: &str) -> i32 {
    let text = format!(
        "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <threads.h>\n\
         {declared}\nstatic int x;\nstatic void *thread(void *arg)\n{{\n{thread}\nreturn arg;\n}}\n\
         int main(void)\n{{\npthread_t a, b;\n{main}\nreturn 0;\n}}\n"
    );
    let models = ["-q", "--model", "sc", "--model", "tso", "--model", "pso"];
    let ran = check(&format!("threads_{name}.c"), &text, &models);
    let slow = check(&format!("threads_{name}.c"), &text, &[&models[..], &["--no-reduction"]].concat());
    assert_eq!(ran.code, slow.code, "{name} without reductions:\n{}{}", ran.stdout, slow.stdout);
    assert!(ran.code < 2, "{name}:\n{}{}", ran.stdout, ran.stderr);
    ran.code
}

const BOTH: &str = "pthread_create(&a, 0, thread, 0); pthread_create(&b, 0, thread, 0);\n\
                    pthread_join(a, 0); pthread_join(b, 0);";

#[test]
fn locks_of_all_kinds_exclude() {
    let locks = [
        (
            "mutex",
            "pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;",
            "",
            "pthread_mutex_lock(&l);",
            "pthread_mutex_unlock(&l);",
        ),
        (
            "recursive",
            "pthread_mutex_t l = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
            "",
            "pthread_mutex_lock(&l); pthread_mutex_lock(&l);",
            "pthread_mutex_unlock(&l); pthread_mutex_unlock(&l);",
        ),
        (
            "trylock",
            "pthread_mutex_t l;",
            "pthread_mutex_init(&l, 0);",
            "int busy = pthread_mutex_trylock(&l); assert(busy == 0 || busy == EBUSY); if (busy) return 0;",
            "pthread_mutex_unlock(&l);",
        ),
        (
            "spin",
            "pthread_spinlock_t l;",
            "pthread_spin_init(&l, 0);",
            "pthread_spin_lock(&l);",
            "pthread_spin_unlock(&l);",
        ),
        (
            "rwlock",
            "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;",
            "",
            "pthread_rwlock_wrlock(&l);",
            "pthread_rwlock_unlock(&l);",
        ),
        (
            "futex",
            "#include <linux/futex.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\n#include <unistd.h>\natomic_int l;",
            "",
            "while (atomic_exchange(&l, 1)) syscall(SYS_futex, &l, FUTEX_WAIT, 1, 0, 0, 0);",
            "atomic_store(&l, 0); syscall(SYS_futex, &l, FUTEX_WAKE, 1, 0, 0, 0);",
        ),
        (
            "named_semaphore",
            "#include <fcntl.h>\nsem_t *l;",
            "l = sem_open(\"/name\", O_CREAT, 0644, 1); assert(l != SEM_FAILED); assert(sem_open(\"/name\", 0) == l);\n\
             assert(sem_open(\"/other\", 0) == SEM_FAILED); assert(sem_unlink(\"/name\") == 0);\n\
             assert(sem_unlink(\"/name\") == -1); assert(sem_open(\"/name\", O_CREAT | O_EXCL, 0, 1) != l);",
            "sem_wait(l);",
            "sem_post(l);",
        ),
        ("semaphore", "sem_t l;", "sem_init(&l, 0, 1);", "sem_wait(&l);", "sem_post(&l);"),
        ("mtx", "mtx_t l;", "mtx_init(&l, mtx_plain);", "mtx_lock(&l);", "mtx_unlock(&l);"),
    ];
    for (name, declared, init, lock, unlock) in locks {
        let inside = "x++; assert(x == 1); x--;";
        let main = format!("{init}\n{BOTH}");
        assert_eq!(threads(name, declared, &format!("{lock}\n{inside}\n{unlock}"), &main), 0, "{name}");
        assert_eq!(threads(&format!("{name}_none"), declared, inside, &main), 1, "{name} without");
    }
    let readers = "pthread_rwlock_rdlock(&l); x++; assert(x == 1); x--; pthread_rwlock_unlock(&l);";
    assert_eq!(threads("readers", "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;", readers, BOTH), 1);
}

#[test]
fn waiting_and_waking() {
    let declared =
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;";
    let wait = |test: &str| {
        format!(
            "pthread_mutex_lock(&m); {test} (!x) pthread_cond_wait(&c, &m); assert(x); pthread_mutex_unlock(&m);"
        )
    };
    let main = "pthread_create(&a, 0, thread, 0);\n\
                pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(a, 0);";
    assert_eq!(threads("while", declared, &wait("while"), main), 0);
    assert_eq!(threads("if", declared, &wait("if"), main), 1, "a wait may end for no reason");
    let barrier = "static int done; __atomic_fetch_add(&x, 1, 5); BARRIER assert(x == 2);";
    let main = format!("pthread_barrier_init(&l, 0, 2);\n{BOTH}");
    let with = barrier.replace("BARRIER", "pthread_barrier_wait(&l);");
    assert_eq!(threads("barrier", "pthread_barrier_t l;", &with, &main), 0);
    assert_eq!(threads("no_barrier", "pthread_barrier_t l;", &barrier.replace("BARRIER", ""), &main), 1);
    let once = "pthread_once_t o = PTHREAD_ONCE_INIT; int n; void init(void) { n++; }";
    assert_eq!(threads("once", once, "pthread_once(&o, init); assert(n == 1);", BOTH), 0);
    let key = "pthread_key_t k;";
    let own = "int mine; pthread_setspecific(k, &mine); assert(pthread_getspecific(k) == &mine);";
    assert_eq!(threads("key", key, own, &format!("pthread_key_create(&k, 0);\n{BOTH}")), 0);
}

#[test]
fn handles_of_threads() {
    let own = "assert(pthread_equal(pthread_self(), pthread_self()));";
    assert_eq!(threads("self", "", own, &format!("{BOTH}\nassert(!pthread_equal(a, pthread_self()));")), 0);
    assert_eq!(
        threads("twice", "", "", "pthread_create(&a, 0, thread, 0); pthread_join(a, 0); pthread_join(a, 0);"),
        1
    );
    let endless = "for (;;) { pthread_create(&a, 0, thread, 0); pthread_join(a, 0); assert(x <= 1); }";
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *thread(void *p) {{ x = 1 - x; return p; }}\n\
         int main(void) {{ pthread_t a; {endless} }}\n"
    );
    let ran = check("create_join_loop.c", &text, &["-q"]);
    assert!(ran.stdout.contains("complete"), "threads that nobody names are forgotten: {}", ran.stdout);
}

#[test]
fn choices_among_many_values() {
    let program = |body: &str| {
        format!(
            "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\nint main(void) {{\nint x = __VERIFIER_nondet_int();\n{body}\nreturn 0;\n}}\n"
        )
    };
    let cases = [
        ("narrow", "__VERIFIER_assume(x >= 0 && x < 4); assert(x != 4);", 0),
        ("narrow_wrong", "__VERIFIER_assume(x >= 0 && x < 4); assert(x != 3);", 1),
        ("left", "if (x < 1 || x > 3) return 0; assert(x * x < 10);", 0),
        ("solved", "assert(x * 2 != 84);", 1),
        ("sample_found", "int y = x + 1; assert(y != 43);", 1),
    ];
    for (name, body, code) in cases {
        let ran = check(&format!("many_{name}.c"), &program(body), &["-q"]);
        assert_eq!(ran.code, code, "{name}:\n{}{}", ran.stdout, ran.stderr);
    }
    let ran = check("many_sampled.c", &program("assert(x * 2 != 84);"), &["-q", "--engine", "explicit"]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
}
