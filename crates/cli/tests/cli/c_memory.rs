//! C: what programs make of memory and of values: words and bytes of other things, numbers that hold pointers, values that
//! are chosen early, and threads that others end.

use crate::c_checks::{codes, two_threads};
use crate::check;
use fencepost_samples::effort::seconds;

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
    let forever = "for (;;) { if (x) x = 0; sleep(1); }";
    assert_eq!(verdicts("cancel_loop.c", &program(forever, "r == PTHREAD_CANCELED")), "sss");
    let refusing = format!("pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); {point}");
    assert_eq!(verdicts("cancel_refused.c", &program(&refusing, "x == 2 && r == 0")), "sss");
    let handler = "pthread_cleanup_push(0, 0); sleep(1); pthread_cleanup_pop(0);";
    let ran = check("cancel_handler.c", &program(handler, "1"), &[]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("pthread_cleanup_push") || ran.stderr.contains("pthread_cleanup_push"));
}

/// Accesses of several sizes to the same memory: what explicit search says of each model, and that engines which do not
/// follow them say so.
#[test]
fn accesses_of_several_sizes() {
    let ticket = "static struct { unsigned word; } l; static int in;
        static void lock(void *p) { unsigned short mine = __atomic_fetch_add((unsigned *)p, 0x10000, 5) >> 16;
            while (__atomic_load_n((unsigned short *)p, 2) != mine) ; }
        static void unlock(void *p) { unsigned short *h = p; __atomic_store_n(h, (unsigned short)(*h + 1), 3); }";
    let critical = "lock(&l); in++; assert(in == 1); in--; unlock(&l);";
    let words = "static struct box { unsigned word; } x, y; static int a = 1, b = 1;
        static void put(void *p) { *(volatile unsigned short *)p = 1; }
        static int get(struct box *p) { return p->word; }";
    let pointer = "static struct node { int v; struct node *next; } n1, n2, *head;
        static void push(struct node *n) { unsigned long h; do { h = __atomic_load_n((unsigned long *)(void *)&head, 0);
            n->next = (struct node *)h; } while (!__sync_bool_compare_and_swap((unsigned long *)(void *)&head, h, (unsigned long)n)); }";
    let opaque = "typedef struct { void *space[4]; } sem; struct real { unsigned count; void *waiters; }; static sem gate;
        static void up(sem *o) { struct real *r = (struct real *)o; __sync_fetch_and_add(&r->count, 1); }";
    let parts = "static union { unsigned w; unsigned short h[2]; } u;";
    let row =
        "static unsigned short h[3000]; static void put(void *p) { *(volatile unsigned *)p = 0x10001; }";
    let cases = [
        ("ticket", ticket, critical, critical, "assert(l.word == 0x20002);", "sss"),
        ("buffering", words, "put(&x); a = get(&y);", "put(&y); b = get(&x);", "assert(a || b);", "suu"),
        (
            "fenced",
            words,
            "put(&x); __sync_synchronize(); a = get(&y);",
            "put(&y); __sync_synchronize(); b = get(&x);",
            "assert(a || b);",
            "sss",
        ),
        (
            "pointer",
            pointer,
            "push(&n1);",
            "push(&n2);",
            "assert(head && head->next && !head->next->next);",
            "sss",
        ),
        ("opaque", opaque, "up(&gate);", "up(&gate);", "assert(((struct real *)&gate)->count == 2);", "sss"),
        ("own", parts, "u.h[0] = 1; assert(u.w == 1); u.w = 0x20003; assert(u.h[1] == 2);", "", "", "sss"),
        (
            "row",
            row,
            "put(h); assert(h[1] == 1); h[0] = 5; assert(*(unsigned *)(void *)h == 0x10005);",
            "",
            "",
            "sss",
        ),
    ];
    for (name, declared, first, second, end, expected) in cases {
        let text = two_threads(declared, first, second, end);
        assert_eq!(verdicts(&format!("sizes_{name}.c"), &text), expected, "{name}");
        for engine in ["bmc", "lazy", "dual", "rounds", "age"] {
            let limit = seconds(5).to_string();
            let args = ["-q", "--timeout", &limit, "--engine", engine];
            let ran = check(&format!("sizes_{name}.c"), &text, &args);
            let agrees = ran.code == 3 || ran.code == i32::from(expected.as_bytes()[1] == b'u');
            assert!(agrees, "{name} by {engine}: {}{}", ran.stdout, ran.stderr);
        }
    }
}
