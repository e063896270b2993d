//! C: what runs after `main`, attributes that are refused, and local variables that no other thread can reach.

use crate::{check, scratch};

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The exit codes under the three models.
fn codes(name: &str, text: &str, args: &[&str]) -> [i32; 3] {
    MODELS.map(|model| {
        let ran = check(name, text, &[&["-q", "--model", model], args].concat());
        assert!(ran.code != 2 && ran.code != 101, "{name} {args:?}:\n{}{}", ran.stdout, ran.stderr);
        ran.code
    })
}

#[test]
fn handlers_run_where_the_program_ends() {
    let head = "#include <assert.h>\n#include <stdlib.h>\nstatic int n;\n\
        static void last(void) { assert(n == 2); n = 3; }\nstatic void one(void) { assert(n == 1); n = 2; }\n";
    let by = |end: &str| format!("{head}int main(void) {{ atexit(last); atexit(one); n = 1; {end} }}\n");
    assert_eq!(codes("handlers.c", &by("return 0;"), &[]), [0; 3]);
    assert_eq!(codes("handlers.c", &by("exit(0);"), &[]), [0; 3]);
    assert_eq!(codes("handlers.c", &by(""), &[]), [0; 3]);
    assert_eq!(codes("handlers.c", &by("n = 5; return 0;"), &[]), [1; 3]);
    assert_eq!(codes("handlers.c", &by("n = 5; abort();"), &[]), [0; 3], "abort runs none");
    assert_eq!(codes("handlers.c", &by("n = 5; _Exit(1);"), &[]), [0; 3], "_Exit runs none");
    let destructor = "#include <assert.h>\nstatic int n = 1;\n\
        __attribute__((destructor)) static void behind(void) { assert(n == 0); }\nint main(void) { n = END; return 0; }\n";
    assert_eq!(codes("destructor.c", &destructor.replace("END", "0"), &[]), [0; 3]);
    assert_eq!(codes("destructor.c", &destructor.replace("END", "1"), &[]), [1; 3]);
    // Other threads still run.
    let beside = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstatic int n;\n\
        static void last(void) { assert(n == 0); }\nstatic void *t(void *arg) { n = 1; return arg; }\n\
        int main(void) { pthread_t other; atexit(last); pthread_create(&other, 0, t, 0); return 0; }\n";
    assert_eq!(codes("beside.c", beside, &[]), [1; 3]);
}

#[test]
fn attributes_that_are_not_followed_are_refused() {
    for (attribute, declared) in [
        ("alias", "\nint g(void) __attribute__((alias(\"main\"))); int main(void) { return 0; }\n"),
        ("vector_size", "\nint v __attribute__((vector_size(16))); int main(void) { return 0; }\n"),
        ("naked", "\n__attribute__((naked)) void g(void) { } int main(void) { return 0; }\n"),
    ] {
        let path = scratch(&format!("attribute_{attribute}.c"), &format!("void f(int *p) {{ }} {declared}"));
        let ran = crate::fencepost_args(&["check", path.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{attribute}: {}", ran.stdout);
        let message = format!("the attribute `{attribute}` is not supported");
        assert!(ran.stderr.contains(&message), "{attribute}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("attribute_{attribute}.c:2:")), "{attribute}: {}", ran.stderr);
    }
}

fn polling(published: &str, reader: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         static atomic_int ready; static int data; static int *volatile shown;\n\
         static void poll(int *out) {{ *out = atomic_load_explicit(&ready, memory_order_acquire); }}\n\
         static void *writer(void *arg) {{ data = 5; atomic_store_explicit(&ready, 1, memory_order_release); return arg; }}\n\
         static void *waits(void *arg) {{ {reader} return arg; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, writer, 0); pthread_create(&t, 0, waits, 0);\n\
         {published} pthread_join(s, 0); pthread_join(t, 0); return 0; }}\n"
    )
}

/// A loop that keeps what it sees in a variable of its own has a largest buffer.
#[test]
fn stores_that_nobody_sees_need_no_buffer() {
    for reader in [
        "int seen = 0; while (!seen) poll(&seen); assert(data == 5);",
        "struct { int a, b; } s; do { s.a = 0; poll(&s.b); } while (!s.b); assert(data == 5);",
        "union { int word; short half[2]; } u; do poll(&u.word); while (!u.half[0]); assert(data == 5);",
        "static _Thread_local int seen; while (!seen) poll(&seen); assert(data == 5);",
    ] {
        assert_eq!(codes("polling.c", &polling("", reader), &["--timeout", "60"]), [0; 3], "{reader}");
        let wrong = reader.replace("data == 5", "data != 5");
        assert_eq!(codes("polling.c", &polling("", &wrong), &["--timeout", "60"]), [1; 3], "{reader}");
    }
}

/// A variable that is shown to another thread is none of these: under PSO the pointer may overtake what it points to.
#[test]
fn stores_to_variables_that_are_shown_are_seen_late() {
    let reader = "int mine = 1; mine = 2; shown = &mine; while (shown) ;";
    let shows = "int *p = shown; if (p) { assert(*p == 2); shown = 0; }";
    let text = polling(shows, reader);
    let expected = [0, 0, 1];
    assert_eq!(codes("shown.c", &text, &["--buffer", "3"]), expected);
    assert_eq!(codes("shown.c", &text, &["--buffer", "3", "--no-reduction"]), expected);
}

/// CBMC's labels start threads.
#[test]
fn labels_of_cbmc_start_threads() {
    let text = "void __CPROVER_assert(_Bool, const char *);\nint x, y, a, b, done;\n\
        void first(void) { x = 1; BETWEEN a = y; done |= 1; }\nvoid second(int one) { y = one; BETWEEN b = x; done |= 2; }\n\
        int main(void) { __CPROVER_ASYNC_1: first(); __CPROVER_ASYNC_2: second(1);\n\
        __CPROVER_assume(done == 3); __CPROVER_assert(a || b, \"one is first\"); return 0; }\n";
    assert_eq!(codes("async.c", &text.replace("BETWEEN", ""), &[]), [0, 1, 1]);
    // Under PSO the last stores may still overtake each other.
    assert_eq!(codes("async.c", &text.replace("BETWEEN", "__sync_synchronize();"), &[]), [0, 0, 1]);
    let ran = check("async.c", "int x;\nint main(void) {\n__CPROVER_ASYNC_1: x = 1; return 0; }\n", &["-q"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("async.c:3:20"), "{}", ran.stderr);
}

/// Two choices whose tests come later are choices among few values.
#[test]
fn choices_wait_for_their_tests() {
    let text = "#include <assert.h>\nint __VERIFIER_nondet_int(void); void __VERIFIER_assume(int);\nint n;\n\
        int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); n = 1;\n\
        __VERIFIER_assume(a >= 0 && a < 3); __VERIFIER_assume(b >= 0 && b < 3);\n\
        int c = __VERIFIER_nondet_int() ? 1 : 0; assert(a + b + c <= MOST); return 0; }\n";
    assert_eq!(codes("choices.c", &text.replace("MOST", "5"), &["--engine", "explicit"]), [0; 3]);
    assert_eq!(codes("choices.c", &text.replace("MOST", "4"), &["--engine", "explicit"]), [1; 3]);
}

/// What is gone when `main` has returned, and when a thread has ended.
#[test]
fn variables_of_main_and_of_threads_end_with_them() {
    let handler = "#include <assert.h>\n#include <stdlib.h>\nstatic int *p; static void last(void) { assert(*p == 1); }\n\
        int main(void) { KIND int x = 1; p = &x; atexit(last); END }\n";
    let by = |kind: &str, end: &str| handler.replace("KIND", kind).replace("END", end);
    assert_eq!(codes("end_of_main.c", &by("", "return 0;"), &[]), [1; 3]);
    assert_eq!(codes("end_of_main.c", &by("", ""), &[]), [1; 3]);
    assert_eq!(codes("end_of_main.c", &by("", "exit(0);"), &[]), [0; 3], "main is still there");
    assert_eq!(codes("end_of_main.c", &by("static", "return 0;"), &[]), [0; 3]);
    let thread = "#include <assert.h>\n#include <pthread.h>\nstatic _Thread_local int t = 5; static int *p;\n\
        static void leave(void) { pthread_exit(0); }\n\
        static void *show(void *arg) { p = &t; assert(*p == 5); t = 6; assert(*p == 6); END return arg; }\n\
        int main(void) { pthread_t other; pthread_create(&other, 0, show, 0); JOIN assert(t == 5); return USE; }\n";
    for end in ["", "leave();", "pthread_exit(arg);"] {
        let by = |used: &str| {
            thread.replace("END", end).replace("JOIN", "pthread_join(other, 0);").replace("USE", used)
        };
        assert_eq!(codes("end_of_thread.c", &by("*p"), &[]), [1; 3], "{end}");
        assert_eq!(codes("end_of_thread.c", &by("0"), &[]), [0; 3], "{end}");
    }
    // A function that a thread starts with may be called, too.
    let called = thread.replace("END", "t = 5;").replace("JOIN", "show(0); show(0);").replace("USE", "0");
    assert_eq!(codes("called.c", &called.replace("pthread_create(&other, 0, show, 0);", ""), &[]), [0; 3]);
}

#[test]
fn main_can_be_called() {
    let text = "#include <assert.h>\nint n;\nint main(int argc, char **argv)\n{\n    if (argc < 4) {\n        int below = main(argc + 1, argv);\n\
        assert(below == (argc == 3 ? 7 : 8)); n++; assert(n < MOST); return 8;\n    }\n    assert(n == 0);\n    return 7;\n}\n";
    assert_eq!(codes("main_called.c", &text.replace("MOST", "4"), &[]), [0; 3]);
    assert_eq!(codes("main_called.c", &text.replace("MOST", "3"), &[]), [1; 3]);
}
