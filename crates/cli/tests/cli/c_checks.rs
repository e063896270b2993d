//! C: what is looked for on request, what is a fence, and programs that came preprocessed.

use crate::{check, fencepost, fencepost_args, scratch};

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The exit codes under the three models.
fn codes(name: &str, text: &str, args: &[&str]) -> [i32; 3] {
    MODELS.map(|model| {
        let ran = check(name, text, &[&["-q", "--model", model], args].concat());
        assert!(ran.code != 2 && ran.code != 101, "{name} {args:?}:\n{}{}", ran.stdout, ran.stderr);
        ran.code
    })
}

fn two_threads(declared: &str, first: &str, second: &str, end: &str) -> String {
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
    // An assumption of the user is no waiting.
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

#[test]
fn overflow_unknown_functions_and_checks_that_are_off() {
    let overflow = "int main(int argc, char **argv) { int x = 2147483647; x = x + argc; return x < 0; }\n";
    assert_eq!(codes("overflow.c", overflow, &[]), [0; 3]);
    assert_eq!(codes("overflow.c", overflow, &["--overflow"]), [1; 3]);
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
        for outcome in outcomes.iter().step_by(if registers.len() > 2 { 7 } else { 1 }) {
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

/// A program of two threads, its verdicts by model: `s` for safe, `u` for unsafe.
fn verdicts(name: &str, text: &str) -> String {
    codes(name, text, &["--timeout", "60"]).map(|code| ["s", "u", "2", "?"][code as usize]).concat()
}

/// Words of two pointers or of a pointer and a tag are compared and swapped at once.
#[test]
fn double_words_are_swapped_at_once() {
    let types =
        "typedef struct { void *p; unsigned long tag; } __attribute__((aligned(16))) pair; static int node;";
    let wide = format!(
        "{types} static union {{ pair s; unsigned __int128 w; }} head;\n\
         static void push(void) {{ __typeof__(head) o, n; do {{ o.w = head.w; n.s.p = &node; n.s.tag = o.s.tag + 1; }}\n\
         while (!__sync_bool_compare_and_swap(&head.w, o.w, n.w)); }}"
    );
    let assembly = format!(
        "{types} static struct {{ pair s; }} head;\n\
         static int cas(pair *at, pair *o, pair n) {{ char ok; __asm__ volatile(\"lock cmpxchg16b %1\\n\\tsetz %0\"\n\
         : \"=q\"(ok), \"+m\"(*at), \"+a\"(o->p), \"+d\"(o->tag) : \"b\"(n.p), \"c\"(n.tag) : \"memory\"); return ok; }}\n\
         static void push(void) {{ pair o = {{ 0, 0 }}, n; do {{ n.p = &node; n.tag = o.tag + 1; }} while (!cas(&head.s, &o, n)); }}"
    );
    let torn = format!(
        "{types} static struct {{ pair s; }} head;\n\
         static void push(void) {{ pair o = head.s; o.tag++; o.p = &node; head.s = o; }}"
    );
    for (name, declared, expected) in
        [("wide.c", wide, "sss"), ("cmpxchg16b.c", assembly, "sss"), ("torn.c", torn, "uuu")]
    {
        let text =
            two_threads(&declared, "push();", "push();", "assert(head.s.tag == 2 && head.s.p == &node);");
        assert_eq!(verdicts(name, &text), expected, "{name}");
    }
}

/// An order that a function is given means what it says.
#[test]
fn orders_may_be_arguments() {
    let declared = "static atomic_int x, y; static int a, b;\n\
        static void put(atomic_int *at, memory_order order) { atomic_store_explicit(at, 1, order); }\n\
        static void fence(memory_order order) { atomic_thread_fence(order); }";
    let buffered = |order: &str, fence: &str| {
        let side = |mine: &str, other: &str, seen: &str| {
            format!(
                "put(&{mine}, memory_order_{order}); fence(memory_order_{fence}); \
                 {seen} = atomic_load_explicit(&{other}, memory_order_acquire);"
            )
        };
        two_threads(declared, &side("x", "y", "a"), &side("y", "x", "b"), "assert(a || b);")
    };
    assert_eq!(verdicts("order_release.c", &buffered("release", "acq_rel")), "suu");
    assert_eq!(verdicts("order_seq_cst.c", &buffered("seq_cst", "relaxed")), "sss");
    assert_eq!(verdicts("order_fence.c", &buffered("relaxed", "seq_cst")), "sss");
    let passed = |order: &str, fence: &str| {
        let first = format!("a = 1; fence(memory_order_{fence}); put(&x, memory_order_{order});");
        two_threads(declared, &first, "if (atomic_load(&x)) assert(a == 1);", "")
    };
    assert_eq!(verdicts("passed_relaxed.c", &passed("relaxed", "acquire")), "ssu");
    assert_eq!(verdicts("passed_release.c", &passed("release", "relaxed")), "sss");
    assert_eq!(verdicts("passed_fence.c", &passed("relaxed", "release")), "sss");
}

/// A small structure is stored at once, also where the store waits in a buffer.
#[test]
fn structures_are_stored_as_words() {
    let declared = "typedef struct { short a, b; } pair; static _Atomic pair p; static int x, y;\n\
        static void put(short n) { pair v = { n, n }; atomic_store_explicit(&p, v, memory_order_ORDER); }";
    let program = |order: &str, first: &str, second: &str, end: &str| {
        two_threads(&declared.replace("ORDER", order), first, second, end)
    };
    let look = "pair v = atomic_load_explicit(&p, memory_order_relaxed); assert(v.a == v.b);";
    assert_eq!(verdicts("word_whole.c", &program("relaxed", "put(1); put(2);", look, "")), "sss");
    let seen = "pair v = atomic_load_explicit(&p, memory_order_relaxed); if (v.b == 1) assert(x == 1);";
    assert_eq!(verdicts("word_relaxed.c", &program("relaxed", "x = 1; put(1);", seen, "")), "ssu");
    assert_eq!(verdicts("word_release.c", &program("release", "x = 1; put(1);", seen, "")), "sss");
    let own = "put(1); pair v = atomic_load(&p); assert(v.a == 1);";
    assert_eq!(verdicts("word_own.c", &program("relaxed", own, "", "")), "sss");
    let crossed =
        "x = 1; atomic_thread_fence(memory_order_seq_cst); pair v = atomic_load(&p); y |= v.a == 0;";
    let other = "put(1); y |= 2 * (x == 0);";
    assert_eq!(verdicts("word_buffered.c", &program("release", crossed, other, "assert(y != 3);")), "suu");
}

/// Memory that is known as bytes only: what threads put there by way of `void *`.
#[test]
fn memory_without_type_is_shared() {
    let arena = |lock: &str, unlock: &str| {
        format!(
            "static unsigned char arena[64]; static unsigned long top; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             static void *take(unsigned long n) {{ {lock} void *p = &arena[top]; top += (n + 15) & ~15ul; {unlock} return p; }}\n\
             struct node {{ int value; struct node *next; }};"
        )
    };
    let use_it = |value: u32| {
        format!(
            "struct node *n = take(sizeof *n); n->value = {value}; n->next = n; assert(n->next->value == {value});"
        )
    };
    let locked = arena("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);");
    let text = two_threads(&locked, &use_it(1), &use_it(2), "");
    assert_eq!(verdicts("arena.c", &text), "sss");
    let text = two_threads(&arena("", ""), &use_it(1), &use_it(2), "");
    assert_eq!(verdicts("arena_open.c", &text), "uuu");
    let ring = "#include <string.h>\n\
        static struct ring { char *slots; unsigned long size; atomic_ulong first, last; } r;\n\
        static void put(const void *e) { unsigned long at = atomic_load(&r.last); memcpy(r.slots + at * r.size, e, r.size); STORE; }\n\
        static void get(void *e) { unsigned long at = atomic_load(&r.first); while (at == atomic_load(&r.last)) ;\n\
            memcpy(e, r.slots + at * r.size, r.size); atomic_store(&r.first, at + 1); }";
    let program = |store: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n{}\n\
             struct point {{ int x; long y; }};\n\
             static void *sender(void *unused) {{ struct point p = {{ 1, 2 }}; put(&p); return unused; }}\n\
             int main(void) {{ r.size = sizeof(struct point); r.slots = malloc(2 * r.size); pthread_t t; struct point p;\n\
             pthread_create(&t, 0, sender, 0); get(&p); assert(p.x == 1 && p.y == 2); pthread_join(t, 0); return 0; }}\n",
            ring.replace("STORE", store)
        )
    };
    assert_eq!(verdicts("ring.c", &program("atomic_store(&r.last, at + 1)")), "sss");
    let relaxed = "atomic_store_explicit(&r.last, at + 1, memory_order_relaxed)";
    assert_eq!(verdicts("ring_relaxed.c", &program(relaxed)), "ssu");
}

/// A union in which a pointer is a number as well, on the heap.
#[test]
fn pointers_in_unions_are_followed() {
    let text = two_threads(
        "struct value { int tag; union { long i; int *p; } u; }; static struct value *box;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void renew(void) { pthread_mutex_lock(&m); if (!box) { box = malloc(sizeof *box); box->u.p = calloc(1, sizeof(int)); }\n\
         int *old = box->u.p; box->u.p = malloc(sizeof(int)); *box->u.p = *old + 1; free(old); pthread_mutex_unlock(&m); }",
        "renew();",
        "renew();",
        "assert(*box->u.p == 2); box->u.i = 5; assert(box->u.i == 5);",
    );
    assert_eq!(verdicts("boxed.c", &text), "sss");
}

/// What is assumed of a global variable before threads begin narrows the choice of its value, and only there.
#[test]
fn early_choices_are_narrowed() {
    let text = |before: &str, assumed: &str, after: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
             extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n\
             static int n = 1, sum; static void *count(void *unused) {{ assert(n > 0 && n < 4); for (int i = 0; i < n; i++) sum++; return unused; }}\n\
             int main(void) {{ pthread_t t; {before} n = __VERIFIER_nondet_int(); {assumed} {after} pthread_join(t, 0);\n\
             assert(sum == n); return 0; }}\n"
        )
    };
    let start = "pthread_create(&t, 0, count, 0);";
    let few = "__VERIFIER_assume(n > 0); if (n >= 4) abort();";
    assert_eq!(verdicts("early.c", &text("", few, start)), "sss");
    assert_eq!(verdicts("early_more.c", &text("", "__VERIFIER_assume(n > 0 && n < 5);", start)), "uuu");
    // The thread that is there already sees values that are refused later.
    assert_eq!(verdicts("early_late.c", &text(start, few, "")), "uuu");
}

/// Copies between objects, distances across them, and what is gone with its thread.
#[test]
fn objects_of_their_own() {
    let one = |body: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nstatic int *a, *b;\n\
             static void *other(void *unused) {{ a = malloc(8); return unused; }}\n\
             static void *leaves(void *unused) {{ int local = 1; pthread_exit(&local); }}\n\
             int main(void) {{ pthread_t t; void *p; {body} return 0; }}\n"
        )
    };
    let copied = "char x[4] = \"abc\"; unsigned long n = strlen(x); char *y = malloc(n + 1); memcpy(y, x, n + 1); assert(y[2] == 'c');";
    assert_eq!(verdicts("copied.c", &one(copied)), "sss");
    let across = "pthread_create(&t, 0, other, 0); b = malloc(8); pthread_join(t, &p); long d = a - b; assert(d != 1);";
    assert_eq!(verdicts("across.c", &one(across)), "uuu");
    let processors = "cpu_set_t set; CPU_ZERO(&set); CPU_SET(3, &set); CPU_SET(70, &set); CPU_CLR(3, &set);\n\
        assert(CPU_ISSET(70, &set) && !CPU_ISSET(3, &set) && CPU_COUNT(&set) == 1);";
    assert_eq!(verdicts("processors.c", &format!("#include <sched.h>\n{}", one(processors))), "sss");
    let gone = "pthread_create(&t, 0, leaves, 0); pthread_join(t, &p); return *(int *)p;";
    assert_eq!(verdicts("gone.c", &one(gone)), "uuu");
}

/// A thread that is cancelled ends at functions that wait, unless it has said no.
#[test]
fn cancelled_threads_end() {
    let program = |thread: &str, end: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>\nstatic int x;\n\
             static void *thread(void *unused) {{ int old; {thread} return unused; }}\n\
             int main(void) {{ pthread_t t; void *r; pthread_create(&t, 0, thread, 0); pthread_cancel(t);\n\
             pthread_join(t, &r); assert({end}); return 0; }}\n"
        )
    };
    let point = "x = 1; pthread_testcancel(); x = 2;";
    assert_eq!(verdicts("cancel_first.c", &program(point, "x == 1")), "uuu");
    assert_eq!(verdicts("cancel_second.c", &program(point, "x == 2")), "uuu");
    assert_eq!(
        verdicts("cancel_either.c", &program(point, "x == 1 && r == PTHREAD_CANCELED || x == 2 && r == 0")),
        "sss"
    );
    let forever = "for (;;) { x = 1; sleep(1); }";
    assert_eq!(verdicts("cancel_loop.c", &program(forever, "r == PTHREAD_CANCELED")), "sss");
    let refusing = format!("pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); {point}");
    assert_eq!(verdicts("cancel_refused.c", &program(&refusing, "x == 2 && r == 0")), "sss");
    let handler = "pthread_cleanup_push(0, 0); sleep(1); pthread_cleanup_pop(0);";
    let ran = check("cancel_handler.c", &program(handler, "1"), &[]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("pthread_cleanup_push") || ran.stderr.contains("pthread_cleanup_push"));
}
