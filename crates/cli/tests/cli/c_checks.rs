//! C: what is looked for on request, what is a fence, and programs that came preprocessed.

use crate::{check, fencepost, fencepost_args, scratch};
use fencepost_samples::effort::every;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The exit codes under the three models.
pub fn codes(name: &str, text: &str, args: &[&str]) -> [i32; 3] {
    MODELS.map(|model| {
        let ran = check(name, text, &[&["-q", "--model", model], args].concat());
        assert!(ran.code != 2 && ran.code != 101, "{name} {args:?}:\n{}{}", ran.stdout, ran.stderr);
        ran.code
    })
}

pub fn two_threads(declared: &str, first: &str, second: &str, end: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         {declared}\nstatic void *first(void *arg) {{ {first} return 0; }}\n\
         static void *second(void *arg) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0); {end} return 0; }}\n"
    )
}

#[test]
fn deadlocks_are_found_on_request() {
    let locks = "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;";
    let take = |x: &str, y: &str| {
        format!(
            "pthread_mutex_lock(&{x}); pthread_mutex_lock(&{y}); pthread_mutex_unlock(&{y}); pthread_mutex_unlock(&{x});"
        )
    };
    let crossed = two_threads(locks, &take("a", "b"), &take("b", "a"), "");
    let ordered = two_threads(locks, &take("a", "b"), &take("a", "b"), "");
    assert_eq!(codes("crossed.c", &crossed, &["--deadlock"]), [1; 3]);
    assert_eq!(codes("crossed.c", &crossed, &["--deadlock", "--no-reduction"]), [1; 3]);
    assert_eq!(codes("crossed.c", &crossed, &[]), [0; 3]);
    assert_eq!(codes("ordered.c", &ordered, &["--deadlock"]), [0; 3]);
    assert_eq!(codes("ordered.c", &ordered, &["--deadlock", "--no-reduction"]), [0; 3]);
    let wait =
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go;";
    let waits = "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);";
    let wakes = "pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);";
    let forgets = "pthread_mutex_lock(&m); go = 1; pthread_mutex_unlock(&m);";
    assert_eq!(codes("wakes.c", &two_threads(wait, waits, wakes, ""), &["--deadlock"]), [0; 3]);
    assert_eq!(codes("forgets.c", &two_threads(wait, waits, forgets, ""), &["--deadlock"]), [1; 3]);
    let word = "#include <linux/futex.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\nlong syscall(long, ...); atomic_int w;";
    let waits = "while (!atomic_load(&w)) syscall(SYS_futex, &w, FUTEX_WAIT, 0, 0, 0, 0);";
    let wakes = "atomic_store(&w, 1); syscall(SYS_futex, &w, FUTEX_WAKE, 1, 0, 0, 0);";
    assert_eq!(codes("futex.c", &two_threads(word, waits, wakes, ""), &["--deadlock"]), [0; 3]);
    let forgets = two_threads(word, waits, "atomic_store(&w, 1);", "");
    assert_eq!(codes("futex_forgets.c", &forgets, &["--deadlock"]), [1; 3]);
    let semaphore = two_threads("sem_t s;", "sem_wait(&s);", "", "");
    assert_eq!(codes("semaphore.c", &semaphore, &["--deadlock"]), [1; 3]);
    // An assumption of the user is not waiting.
    let assumes = two_threads("int x; void __VERIFIER_assume(int);", "__VERIFIER_assume(x == 1);", "", "");
    assert_eq!(codes("assumes.c", &assumes, &["--deadlock"]), [0; 3]);
    let model = "shared int x;\nthread t {\n    assume(x == 1);\n}\n";
    let ran = check("waits.fp", model, &["-q", "--deadlock"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn leaks_are_found_on_request() {
    let program =
        |body: &str| format!("#include <stdlib.h>\nint *kept;\nint main(void) {{ {body} return 0; }}\n");
    let lost = program("int *p = malloc(4); *p = 1; kept = malloc(4); *kept = 2;");
    let freed = program("int *p = malloc(4); *p = 1; kept = malloc(4); *kept = 2; free(p);");
    assert_eq!(codes("lost.c", &lost, &["--leaks"]), [1; 3]);
    assert_eq!(codes("lost.c", &lost, &[]), [0; 3]);
    assert_eq!(codes("freed.c", &freed, &["--leaks"]), [0; 3]);
}

#[test]
fn races_are_found_on_request() {
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    let program = |ty: &str, before: &str, after: &str| {
        let declared = format!("{ty} x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;");
        two_threads(
            &declared,
            &format!("{before} x = 1; {after}"),
            &format!("{before} int r = x; {after}"),
            "",
        )
    };
    assert_eq!(codes("race.c", &program("int", "", ""), &["--races"]), [1; 3]);
    assert_eq!(codes("race.c", &program("volatile int", "", ""), &["--races"]), [1; 3]);
    assert_eq!(codes("race.c", &program("int", "", ""), &[]), [0; 3]);
    assert_eq!(codes("no_race.c", &program("atomic_int", "", ""), &["--races"]), [0; 3]);
    assert_eq!(codes("no_race.c", &program("int", lock, unlock), &["--races"]), [0; 3]);
    let noted = |text: &str| {
        check("noted.c", text, &[]).stdout.contains("reordering by the compiler is not modelled")
    };
    assert!(noted(&program("int", "", "")));
    assert!(!noted(&program("int", lock, unlock)));
    assert!(!noted(&program("atomic_int", "", "")));
}

/// All that a macro expands to is in one place; whether an access is atomic is said of each all the same.
#[test]
fn races_are_found_beside_atomic_accesses_of_the_same_macro() {
    let program = |put: &str, look: &str| {
        let declared = format!(
            "#define PUT(v) ({put})\n#define LOOK() ({look})\natomic_int flag; int data; _Atomic long other;"
        );
        two_threads(&declared, "PUT(1);", "int r = LOOK(); (void)r;", "")
    };
    let (store, load) = ("atomic_store(&flag, v)", "atomic_load_explicit(&flag, memory_order_relaxed)");
    for (put, look) in [
        (format!("{store}, data = (v)"), format!("{load} + data")),
        (format!("data = (v), {store}"), format!("data + {load}")),
        (format!("data += (v), {store}"), "(int)other + data".to_string()),
        (format!("{store}, data = flag"), format!("{load} ? data : 0")),
        ("data++, atomic_fetch_add(&flag, v)".to_string(), "data + flag".to_string()),
    ] {
        let text = program(&put, &look);
        assert_eq!(codes("race_in_macro.c", &text, &["--races"]), [1; 3], "{put}; {look}");
        let text = program(&put.replace("data", "other"), &look.replace("data", "other"));
        assert_eq!(codes("no_race_in_macro.c", &text, &["--races"]), [0; 3], "{put}; {look}");
    }
}

#[test]
fn overflow_unknown_functions_and_checks_that_are_off() {
    let overflow = "int main(int argc, char **argv) { int x = 2147483647; x = x + argc; return x < 0; }\n";
    assert_eq!(codes("overflow.c", overflow, &[]), [0; 3]);
    assert_eq!(codes("overflow.c", overflow, &["--overflow"]), [1; 3]);
    let wide = "long f(long a, long b) { return OP; }\nint main(void) { return f(1L << 62, -2) == 0; }\n";
    for (op, code) in [
        ("a + b", 0),
        ("a + a", 1),
        ("b - a", 0),
        ("b - a - a", 1),
        ("a * b", 0),
        ("a * b * b", 1),
        ("(a * b) / (b + 1)", 1),
    ] {
        let wide = wide.replace("OP", op);
        assert_eq!(codes("overflow_64.c", &wide, &[]), [0; 3], "{op}");
        for engine in ["explicit", "bmc"] {
            assert_eq!(codes("overflow_64.c", &wide, &["--overflow", "--engine", engine]), [code; 3], "{op}");
        }
    }
    let unsigned = overflow.replace("int x =", "unsigned x =");
    assert_eq!(codes("no_overflow.c", &unsigned, &["--overflow"]), [0; 3]);
    let unknown = "#include <assert.h>\nint get(void);\nvoid tell(int);\nint main(void) { int x = get(); tell(x); assert(x != 5); return 0; }\n";
    assert_eq!(check("unknown.c", unknown, &[]).code, 2);
    assert_eq!(codes("unknown.c", unknown, &["--havoc-externs"]), [1; 3]);
    let fails = |body: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\n#include <pthread.h>\npthread_mutex_t m; int zero, *null, a[2];\nint main(void) {{ {body} return 0; }}\n"
        )
    };
    for (kind, body) in [
        ("assertion", "assert(0);"),
        ("pointer", "*null = 1;"),
        ("bounds", "a[zero + 2] = 1;"),
        ("use-after-free", "int *p = malloc(4); free(p); *p = 1;"),
        ("free", "int *p = malloc(4); free(p); free(p);"),
        ("division", "a[0] = 1 / zero;"),
        ("shift", "a[0] = 1 << (zero + 40);"),
        ("unlock", "pthread_mutex_unlock(&m);"),
    ] {
        assert_eq!(codes("fails.c", &fails(body), &[]), [1; 3], "{kind}");
        assert_eq!(codes("fails.c", &fails(body), &["--no-check", kind]), [0; 3], "{kind}");
    }
    assert_eq!(check("fails.c", &fails(""), &["--no-check", "everything"]).code, 2);
}

#[test]
fn a_function_without_a_body_may_be_stored_but_not_called() {
    let text = |body: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nextern void *later(void *);\nvoid *own(void *a) {{ return a; }}\n\
             void *(*stored)(void *) = later;\nint main(void) {{ {body} return 0; }}\n"
        )
    };
    assert_eq!(codes("stored.c", &text("assert(stored == later);"), &[]), [0; 3]);
    for calls in [
        "later(0);",
        "stored(0);",
        "void *(*f)(void *) = own; if (stored) f(0);",
        "pthread_t t; pthread_create(&t, 0, later, 0);",
        "pthread_t t; pthread_create(&t, 0, stored, 0);",
    ] {
        let ran = check("called.c", &text(calls), &[]);
        assert!(ran.code == 2 && ran.stderr.contains("`later` has no body"), "{calls}: {}", ran.stderr);
    }
}

/// Store buffering, with every operation between or in place of the store.
#[test]
fn what_orders_a_store_and_a_load() {
    let text = |store: &str, between: &str, load: &str| {
        let thread = |mine: &str, other: &str, result: &str| {
            let fill = |s: &str| s.replace("MINE", mine).replace("OTHER", other);
            format!("{} {} {result} = {};", fill(store), fill(between), fill(load))
        };
        let declared = "atomic_int x, y; int a, b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; atomic_flag f; sem_t s; pthread_spinlock_t spin;";
        two_threads(declared, &thread("x", "y", "a"), &thread("y", "x", "b"), "assert(a || b);")
    };
    let relaxed = "atomic_store_explicit(&MINE, 1, memory_order_relaxed);";
    let load = "atomic_load_explicit(&OTHER, memory_order_relaxed)";
    let safe = [0, 0, 0];
    let weak = [0, 1, 1];
    let rows = [
        ("atomic_store(&MINE, 1);", "", load, safe),
        ("MINE = 1;", "", load, safe),
        ("atomic_store_explicit(&MINE, 1, memory_order_release);", "", load, weak),
        (
            "atomic_store_explicit(&MINE, 1, memory_order_release);",
            "",
            "atomic_load_explicit(&OTHER, memory_order_acquire)",
            weak,
        ),
        (relaxed, "", "atomic_load(&OTHER)", weak),
        ("atomic_exchange_explicit(&MINE, 1, memory_order_relaxed);", "", load, safe),
        ("atomic_fetch_add_explicit(&MINE, 1, memory_order_relaxed);", "", load, safe),
        (relaxed, "", "atomic_fetch_add_explicit(&OTHER, 0, memory_order_relaxed)", safe),
        (relaxed, "__sync_fetch_and_add(&b, 0);", load, safe),
        (
            relaxed,
            "int e = 7; atomic_compare_exchange_strong_explicit(&MINE, &e, 8, memory_order_relaxed, memory_order_relaxed);",
            load,
            safe,
        ),
        (relaxed, "atomic_flag_test_and_set_explicit(&f, memory_order_relaxed);", load, safe),
        (relaxed, "atomic_flag_clear_explicit(&f, memory_order_release);", load, weak),
        (relaxed, "__sync_lock_release((int *)&b);", load, weak),
        (relaxed, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", load, safe),
        (relaxed, "pthread_spin_unlock(&spin);", load, weak),
        (relaxed, "sem_post(&s);", load, safe),
        (relaxed, "pthread_self();", load, weak),
        (relaxed, "free(malloc(4));", load, safe),
        (relaxed, "__sync_synchronize();", load, safe),
        (relaxed, "__atomic_signal_fence(5);", load, weak),
        (relaxed, "__atomic_thread_fence(4);", load, weak),
        (relaxed, "__atomic_thread_fence(5);", load, safe),
        (relaxed, "__asm__ volatile(\"lock; addl $0,0(%%rsp)\" ::: \"memory\", \"cc\");", load, safe),
        (relaxed, "__asm__ volatile(\"pause\");", load, weak),
        (relaxed, "int local = 1; local++;", load, weak),
    ];
    for (store, between, load, expected) in rows {
        let found = codes("orders.c", &text(store, between, load), &[]);
        assert_eq!(found, expected, "{store} {between} {load}");
    }
}

/// The outcomes of small programs are those of the same programs in the modelling language.
#[test]
fn outcomes_are_those_of_the_modelling_language() {
    // Each thread: stores and loads in order, `Wx` and `Rx`.
    let programs: [(&str, [&[&str]; 2]); 5] = [
        ("sb", [&["Wx", "Ry"], &["Wy", "Rx"]]),
        ("mp", [&["Wx", "Wy"], &["Ry", "Rx"]]),
        ("lb", [&["Rx", "Wy"], &["Ry", "Wx"]]),
        ("own", [&["Wx", "Rx", "Ry"], &["Wy", "Rx"]]),
        ("reads", [&["Wx", "Wx", "Wy"], &["Ry", "Rx", "Rx"]]),
    ];
    for (name, threads) in programs {
        let (mut c, mut fp) = ([String::new(), String::new()], [String::new(), String::new()]);
        let mut registers = Vec::new();
        for (t, steps) in threads.iter().enumerate() {
            for (i, step) in steps.iter().enumerate() {
                let variable = &step[1..];
                if step.starts_with('W') {
                    c[t] += &format!("{variable} = {};", i + 1);
                    fp[t] += &format!(" {variable} = {};", i + 1);
                } else {
                    let register = format!("r{t}{i}");
                    c[t] += &format!("{register} = {variable};");
                    fp[t] += &format!(" {register} = {variable};");
                    registers.push(register);
                }
            }
        }
        let mut outcomes = vec![Vec::new()];
        for _ in &registers {
            outcomes = outcomes.iter().flat_map(|o| (0..4).map(move |v| [&o[..], &[v]].concat())).collect();
        }
        // As many as are tried in a moment.
        let step = if registers.len() > 2 { every(7) } else { 1 };
        for outcome in outcomes.iter().step_by(step) {
            let is: Vec<String> = registers.iter().zip(outcome).map(|(r, v)| format!("{r} == {v}")).collect();
            let is = is.join(" && ");
            let declared = format!("volatile int x, y; int {};", registers.join(", "));
            let in_c = two_threads(&declared, &c[0], &c[1], &format!("assert(!({is}));"));
            let in_fp = format!(
                "shared int x, y, {};\nthread a {{{}}}\nthread b {{{}}}\nfinal not exists ({is});\n",
                registers.join(", "),
                fp[0],
                fp[1]
            );
            let in_fp = codes(&format!("{name}.fp"), &in_fp, &[]);
            assert_eq!(codes(&format!("{name}.c"), &in_c, &[]), in_fp, "{name}: {is}");
        }
    }
}

/// Text as a preprocessor leaves it with a compiler's own headers: extensions, attributes, built-in types,
/// line markers.
#[test]
fn preprocessed_programs() {
    let text = r#"# 1 "counter.c"
# 1 "/somewhere/include/stddef.h" 1 3 4
typedef long int ptrdiff_t;
typedef long unsigned int size_t;
typedef struct {
  long long __max_align_ll __attribute__((__aligned__(__alignof__(long long))));
  long double __max_align_ld __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
# 2 "counter.c" 2
# 1 "/somewhere/include/pthread.h" 1 3 4
typedef unsigned long int pthread_t;
typedef union { struct { int __lock; unsigned __count; } __data; char __size[40]; long __align; } pthread_mutex_t;
typedef union { char __size[56]; long int __align; } pthread_attr_t;
extern int pthread_create (pthread_t *__restrict __newthread, const pthread_attr_t *__restrict __attr,
      void *(*__start_routine) (void *), void *__restrict __arg) __attribute__ ((__nothrow__)) __attribute__ ((__nonnull__ (1, 3)));
extern int pthread_join (pthread_t __th, void **__thread_return);
extern int pthread_mutex_lock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__ , __leaf__));
extern int pthread_mutex_unlock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__ , __leaf__));
extern __inline __attribute__ ((__gnu_inline__)) double __unused_math (double __x) { return __x * 2.0; }
# 3 "counter.c" 2
# 1 "/somewhere/include/assert.h" 1 3 4
extern void __assert_fail (const char *__assertion, const char *__file, unsigned int __line, const char *__function)
     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));
# 4 "counter.c" 2
static pthread_mutex_t m = { { 0, 0 } };
static __thread int mine;
static int c;
static void *add(void *p)
{
    pthread_mutex_lock(&m);
    c += 1; mine++;
    pthread_mutex_unlock(&m);
    return ((void *)0);
}
int main(void)
{
    pthread_t t;
    __auto_type n = (size_t)1;
    pthread_create(&t, ((void *)0), add, ((void *)0));
    add(&n);
    pthread_join(t, ((void *)0));
    ((void) sizeof ((c == 2) ? 1 : 0), __extension__ ({ if (c == EXPECTED && mine == 1) ; else __assert_fail ("c == 2", "counter.c", 21, __extension__ __PRETTY_FUNCTION__); }));
    return 0;
}
"#;
    let right = codes("counter.i", &text.replace("EXPECTED", "2"), &[]);
    assert_eq!(right, [0; 3]);
    let path = scratch("counter_wrong.i", &text.replace("EXPECTED", "3"));
    let ran = fencepost_args(&["check", "-q", path.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("counter.c:21"), "the place is that of the markers: {}", ran.stdout);
    let own = "int main(void) {\n  int *p = 0;\n  return *p;\n}\n";
    let ran = check("own.i", own, &["-q"]);
    assert!(ran.stdout.contains("own.i:3"), "without markers the text's own: {}", ran.stdout);
}

#[test]
fn threads_without_end_are_any_number() {
    let program = |thread: &str, main: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nint x, y;\nvoid *thread(void *arg) {{ {thread} return 0; }}\n\
             int main(void) {{ pthread_t t; {main} }}\n"
        )
    };
    let endless = "while (1) { pthread_create(&t, 0, thread, 0); }";
    let ran = check("any.c", &program("x = 1; assert(x == 1);", endless), &["-q"]);
    assert!(ran.stdout.contains("safe for any number of threads"), "{}{}", ran.stdout, ran.stderr);
    let racing = program("x = 1; x = 0; assert(x == 0);", "for (;;) pthread_create(&t, 0, thread, 0);");
    assert_eq!(codes("any_racing.c", &racing, &[]), [1; 3]);
    // Values that are too many for the search are tried by bounded model checking.
    let chosen = "int __VERIFIER_nondet_int(void); int v = __VERIFIER_nondet_int(); if (v > x) x = v;";
    let wide = program(&format!("{chosen} assert(x < 77777777);"), endless);
    assert_eq!(codes("any_wide.c", &wide, &[]), [1; 3]);
    let ran = check("any_wide_safe.c", &program(&format!("{chosen} assert(x >= 0);"), endless), &["-q"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("no violation up to threads 3"), "{}", ran.stdout);
    // What `main` did before is done when they begin.
    let begun = program("assert(y == 1);", &format!("y = 1; {endless}"));
    assert_eq!(codes("begun.c", &begun, &["--threads", "2"]), [0; 3]);
    let ran = check("begun_pso.c", &begun, &["-q", "--model", "pso", "--timeout", "2"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("no violation up to threads"), "{}", ran.stdout);
}

/// Who allocates first has the smaller address: a program that asks sees both orders.
#[test]
fn the_order_of_addresses_is_that_of_allocations() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n\
        int *_Atomic a, *_Atomic b;\n\
        void *make_a(void *x) { a = malloc(4); return x; }\n\
        void *make_b(void *x) { b = malloc(4); return x; }\n\
        int main(void) {\n\
            pthread_t p, q;\n\
            pthread_create(&p, 0, make_a, 0); pthread_create(&q, 0, make_b, 0);\n\
            pthread_join(p, 0); pthread_join(q, 0);\n\
            int first = a < b;\n\
            int *t = a, *u = b; a = 0; b = 0; a = u; b = t;\n\
            assert(first == (a > b));\n\
            assert(SIDE);\n\
            return 0;\n}\n";
    for (name, side, code) in [("first", "first", 1), ("second", "!first", 1), ("both", "first || !first", 0)]
    {
        let path = scratch(&format!("addresses_{name}.c"), &text.replace("SIDE", side));
        for engine in ["explicit", "auto"] {
            let ran = fencepost(&format!("check -q --engine {engine} --timeout 60 {}", path.display()));
            assert_eq!(ran.code, code, "{engine}, {side}: {}{}", ran.stdout, ran.stderr);
        }
        let bounded = fencepost(&format!("check -q --engine bmc --unwind 1 --rounds 2 {}", path.display()));
        assert!([code, 3].contains(&bounded.code), "bmc, {side}: {}{}", bounded.stdout, bounded.stderr);
    }
}

/// A slot is replaced if it still holds the pointer that was seen before. Meanwhile it may have been replaced twice, and the
/// old address be in use again.
#[test]
fn an_address_that_was_freed_is_given_out_again() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
        struct version { int number; };\n\
        struct version *_Atomic slot;\n\
        atomic_int replaced;\n\
        void *replacer(void *arg) {\n\
            struct version *old = slot;\n\
            slot = malloc(sizeof *slot);\n\
            FREE(old);\n\
            replaced = 1;\n\
            slot = malloc(sizeof *slot);\n\
            return arg;\n}\n\
        int main(void) {\n\
            slot = malloc(sizeof *slot);\n\
            struct version *seen = slot, *mine = malloc(sizeof *mine);\n\
            pthread_t t;\n\
            pthread_create(&t, 0, replacer, 0);\n\
            int before = replaced;\n\
            if (atomic_compare_exchange_strong(&slot, &seen, mine)) assert(!before);\n\
            return 0;\n}\n";
    for (name, free, code) in [("freed", "free", 1), ("kept", "(void)", 0)] {
        let path = scratch(&format!("aba_{name}.c"), &text.replace("FREE", free));
        for engine in ["explicit", "explicit --no-reduction", "bmc", "bmc --unwind 2 --rounds 2", "auto"] {
            let ran = fencepost(&format!("check -q --engine {engine} --timeout 60 {}", path.display()));
            assert_eq!(ran.code, code, "{engine}, {name}: {}{}", ran.stdout, ran.stderr);
            assert!(!ran.stdout.contains("reuse"), "{engine}, {name}: {}", ran.stdout);
        }
    }
    let path = scratch("aba_run.c", &text.replace("FREE", "free"));
    for engine in ["explicit", "bmc"] {
        let run = fencepost(&format!("check --engine {engine} {}", path.display()));
        let told = run.stdout.contains("version#1, an address that was freed before");
        assert!(told, "{engine}: {}", run.stdout);
    }
}

/// There is no pointer to what was freed, but the new object may come before an older one.
#[test]
fn an_address_that_is_given_out_again_may_be_smaller() {
    let text = "#include <assert.h>\n#include <stdlib.h>\n\
        int main(void) {\n\
            int *a = malloc(4), *b = malloc(4);\n\
            FREE(a);\n\
            int *c = malloc(4);\n\
            assert(b < c);\n\
            return 0;\n}\n";
    for (name, free, code) in [("freed", "free", 1), ("kept", "(void)", 0)] {
        let path = scratch(&format!("smaller_{name}.c"), &text.replace("FREE", free));
        for engine in ["explicit", "explicit --no-reduction", "bmc", "auto"] {
            let ran = fencepost(&format!("check -q --engine {engine} {}", path.display()));
            assert_eq!(ran.code, code, "{engine}, {name}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

/// Initialising an atomic variable is not an atomic access.
#[test]
fn initialising_races() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
        void *first(void *arg) { CALL; return arg; }\nvoid *second(void *arg) { return atomic_load(&x) ? arg : 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0); return 0; }\n";
    for (call, code) in [("atomic_init(&x, 1)", 1), ("atomic_store(&x, 1)", 0)] {
        let ran = check("initialising.c", &text.replace("CALL", call), &["-q", "--model", "sc", "--races"]);
        assert_eq!(ran.code, code, "{call}: {}{}", ran.stdout, ran.stderr);
    }
}
