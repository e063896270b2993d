//! Translated C: names of types and constants, allocated objects, unions and local variables that others see. Each
//! translation compiles without warnings and has the verdict of the original.

use crate::translate_c::compile;
use crate::{check, fencepost_args, scratch};

/// Translates with both bounds, compiles, and compares verdicts with those of explicit search and of the engines.
fn same(name: &str, text: &str, code: i32) -> String {
    let path = scratch(&format!("{name}.c"), text);
    let path = path.to_str().unwrap();
    let args = ["check", path, "--engine", "explicit", "-q"];
    let ran = fencepost_args(&args);
    assert_eq!(ran.code, code, "the original {name}: {}{}", ran.stdout, ran.stderr);
    let mut last = String::new();
    for [bound, k] in [["--rounds", "2"], ["--age", "1"]] {
        let ran = fencepost_args(&["translate", path, bound, k]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let (warnings, _) = compile(&format!("{name}_translated"), &ran.stdout, &["-O1"]);
        assert_eq!(warnings, "", "{name}: {}", ran.stdout);
        last = ran.stdout;
        let args = ["--model", "sc", "--engine", "explicit", "-q"];
        let ran = check(&format!("{name}_sc.c"), &last, &args);
        assert_eq!(ran.code, code, "{name} {bound}: {}{}\n{last}", ran.stdout, ran.stderr);
        // A run that is found is turned back and replayed.
        let engine = bound.trim_start_matches('-');
        let ran = fencepost_args(&["check", path, "--engine", engine, bound, k, "-q"]);
        assert_eq!(ran.code, code, "{name} by {engine}: {}{}", ran.stdout, ran.stderr);
    }
    last
}

fn refused(name: &str, text: &str) -> String {
    let path = scratch(&format!("{name}.c"), text);
    let ran = fencepost_args(&["translate", path.to_str().unwrap(), "--age", "1"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    ran.stderr
}

const NAMES: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define LIMIT 2

/* How far we are. */
enum state { IDLE, BUSY = 3, DONE };
typedef enum { RED, GREEN } color_t;
typedef struct node {
    int value;
    struct node *next;
} node_t;
typedef struct {
    uint32_t count;
    color_t color;
} info_t;
typedef _Atomic int counter_t;
typedef node_t *list_t;
enum { SLOTS = 3 };

static node_t only, *head = &only;
static enum state where = BUSY;
static info_t info;
static uint32_t seen[LIMIT];
static unsigned char bytes[SLOTS];
static counter_t counter;

static list_t last(list_t from)
{
    while (from->next != NULL)
        from = from->next;
    return from;
}

static void *worker(void *arg)
{
    node_t *n = arg;
    n->value = 7;
    if (where == BUSY)
        where = DONE;
    switch (where) {
    case IDLE:
        info.count++;
        break;
    case DONE:
        info.color = GREEN;
        break;
    default:
        break;
    }
    for (int i = 0; i < LIMIT; i++)
        seen[i] = i;
    bytes[1] = SLOTS;
    atomic_fetch_add(&counter, 1);
    return NULL;
}

int main(void)
{
    enum state s;
    pthread_t t;
    pthread_create(&t, NULL, worker, head);
    s = where;
    pthread_join(t, NULL);
    assert(last(head)->value == 7 && last(head) == &only);
    assert(s != IDLE);
    assert(info.color == GREEN && bytes[1] == SLOTS && counter == 1);
    return 0;
}
";

/// Types, members and constants have the user's names, and pointers what they point to.
#[test]
fn names_of_types_and_constants() {
    let text = same("names_of_types", NAMES, 0);
    for kept in [
        "#include <stdint.h>",
        "#define LIMIT 2\n",
        "/* How far we are. */\nenum state { IDLE, BUSY = 3, DONE };",
        "enum color_t { RED, GREEN };",
        "typedef enum color_t color_t;",
        "typedef struct node node_t;",
        "typedef struct info_t info_t;",
        "typedef node_t *list_t;",
        "typedef int counter_t;",
        "enum { SLOTS = 3 };",
        "struct node {\n    int value;\n    struct node *next;\n};",
        "struct info_t {\n    uint32_t count;\n    color_t color;\n};",
        "static node_t *head = ",
        "static enum state where = BUSY;",
        "static info_t info;",
        "static uint32_t seen[LIMIT];",
        "static unsigned char bytes[SLOTS];",
        "static counter_t counter;",
        "static list_t last(list_t from)",
        "from->next",
        "node_t *n = arg;",
        "&n->value, 7)",
        "== BUSY",
        "tso_store_where(DONE)",
        "case IDLE:",
        "case DONE:",
        "tso_store_info_color(GREEN)",
        "for (int i = 0; i < LIMIT; i++)",
        "tso_store_bytes(1, SLOTS)",
        "assert(s != IDLE)",
    ] {
        assert!(text.contains(kept), "{kept}:\n{text}");
    }
}

/// Names that mean different things in different places, or something else in the translation.
#[test]
fn names_that_clash() {
    let text = "\
#include <assert.h>
#include <pthread.h>
typedef long size;
typedef unsigned short uint64_t;
struct pair { size first; uint64_t second; };
static struct pair pair;
#define size_of 4
static int other(void) { enum e { A, B = 5 } x = B; typedef int *size; int y = 1; size p = &y; return x == B ? *p : A; }
static void *run(void *arg)
{
    enum e { A = 2, C } x = A;
    struct pair { int only; } mine = { C };
    char *text = arg;
    int *numbers = (int *)text;
    unsigned size = 3;
    pair.first = x + mine.only + size;
    pair.second = size_of;
    return numbers ? text : (void *)&pair;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    assert(pair.first == 8 && pair.second == 4 && other() == 1);
    return 0;
}
";
    let text = same("names_that_clash", text, 0);
    assert!(text.contains("struct pair {\n    size first;"), "{text}");
    assert!(!text.contains("stdint.h"), "this uint64_t is not the standard one:\n{text}");
}

/// Store buffering between two objects that `main` allocates.
#[test]
fn allocated_objects() {
    let text = |fence: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
typedef struct cell {{ int value, seen; }} cell_t;
static cell_t *x, *y;
static void *one(void *arg) {{ x->value = 1; {fence} x->seen = y->value; return 0; }}
static void *two(void *arg) {{ y->value = 1; {fence} y->seen = x->value; return 0; }}
int main(void)
{{
    pthread_t s, t;
    x = malloc(sizeof *x);
    y = calloc(1, sizeof(cell_t));
    x->value = 0;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert(x->seen || y->seen);
    free(x);
    free(y);
    return 0;
}}
"
        )
    };
    let translated = same("allocated_objects", &text(""), 1);
    for part in
        ["malloc(sizeof(struct cell))", "calloc(1, sizeof(struct cell))", "free(", "What main allocates"]
    {
        assert!(translated.contains(part), "{part}:\n{translated}");
    }
    same("allocated_objects_fenced", &text("__sync_synchronize();"), 0);
}

/// A place that allocates several times, in a loop that counts and in threads.
#[test]
fn several_objects_of_one_place() {
    let text = |slot: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node {{ int value; struct node *next; }};
static struct node *all[2];
static int *own[2];
static void *run(void *arg)
{{
    int *mine = malloc(2 * sizeof(int));
    struct node *n = arg;
    mine[0] = n->value;
    mine[1] = 1;
    own[{slot}] = mine;
    return 0;
}}
int main(void)
{{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {{
        all[i] = malloc(sizeof(struct node));
        all[i]->value = i;
        all[i]->next = i ? all[0] : NULL;
    }}
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, all[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(own[0] && own[1] && own[0][0] == 0 && own[1][0] == 1 && own[1][1] == 1 && all[1]->next->value == 0);
    return 0;
}}
"
        )
    };
    let translated = same("several_objects", &text("n->value"), 0);
    assert!(translated.contains("static struct node *tso_heap[2];"), "{translated}");
    same("several_objects_lost", &text("0"), 1);
}

/// What is wrong with memory in the original is wrong in the translation.
#[test]
fn misused_objects() {
    let text = |first: &str, then: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *p;
static void *run(void *arg) {{ {first} return 0; }}
int main(void)
{{
    pthread_t t;
    p = malloc(sizeof(int));
    *p = 0;
    pthread_create(&t, 0, run, 0);
    {then}
    return 0;
}}
"
        )
    };
    same("freed_early", &text("*p = 1;", "free(p); pthread_join(t, 0);"), 1);
    same("freed_late", &text("*p = 1;", "pthread_join(t, 0); free(p);"), 0);
    same("freed_twice", &text("free(p);", "pthread_join(t, 0); free(p);"), 1);
    same("beyond_the_end", &text("p[1] = 1;", "pthread_join(t, 0);"), 1);
}

/// What cannot be known says what to do.
#[test]
fn objects_that_are_not_known() {
    let text = |body: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\nint n, *p;\nint main(void) {{ {body} assert(n == 0); return 0; }}\n"
        )
    };
    for (i, (body, what, help)) in [
        ("while (n < 3) p = malloc(4);", "memory that is allocated any number of times", "static array"),
        (
            "again: p = malloc(4); if (n) goto again;",
            "memory that is allocated any number of times",
            "static",
        ),
        ("p = malloc(n * sizeof(int));", "memory whose size is no constant", "a constant number"),
        (
            "struct s { int n, data[]; } *q = malloc(sizeof *q + 3 * sizeof(int)); p = q->data;",
            "memory for an array of open length",
            "give the array a length",
        ),
        ("p = malloc(4); p = realloc(p, 8);", "memory that is made larger", "at once"),
    ]
    .into_iter()
    .enumerate()
    {
        let message = refused(&format!("unknown_objects_{i}"), &text(body));
        assert!(message.contains(what) && message.contains(help), "{body}: {message}");
        assert!(message.contains("--> "), "{message}");
    }
}

/// Members of a union are the same memory.
#[test]
fn unions() {
    let text = |fence: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
typedef union {{ int number; unsigned bits; }} word_t;
static struct {{ word_t w; int r; }} x, y;
static void *one(void *arg) {{ x.w.number = 1; {fence} x.r = y.w.bits; return 0; }}
static void *two(void *arg) {{ y.w.bits = 1u; {fence} y.r = x.w.number; return 0; }}
int main(void)
{{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert(x.r || y.r);
    return 0;
}}
"
        )
    };
    same("unions", &text(""), 1);
    same("unions_fenced", &text("__sync_synchronize();"), 0);
}

/// Variables of `main` that it gives to threads, set in a loop or never.
#[test]
fn local_variables_that_others_see() {
    let text = |set: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
struct job {{ int id; pthread_mutex_t *lock; }};
static int sum;
static void *run(void *arg)
{{
    struct job *job = arg;
    pthread_mutex_lock(job->lock);
    sum += job->id;
    pthread_mutex_unlock(job->lock);
    return 0;
}}
int main(void)
{{
    pthread_t t[2];
    pthread_mutex_t lock;
    struct job jobs[2];
    pthread_mutex_init(&lock, 0);
    for (int i = 0; i < 2; i++) {{
        {set}
        jobs[i].lock = &lock;
        pthread_create(&t[i], 0, run, &jobs[i]);
    }}
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(sum == 3);
    return 0;
}}
"
        )
    };
    same("local_variables", &text("jobs[i].id = i + 1;"), 0);
    same("local_variables_wrong", &text("jobs[i].id = i;"), 1);
}

/// Variables of a function that has returned are gone, in the translation too.
#[test]
fn local_variables_that_end() {
    let text = |wait: &str, then: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
static pthread_t t;
static int seen;
static void *run(void *arg) {{ int *p = arg; seen = *p; return 0; }}
static int start(void)
{{
    int number = 3;
    int rest[2];
    rest[1] = number;
    pthread_create(&t, 0, run, rest + 1);
    number = rest[1];
    {wait}
    return number;
}}
int main(void) {{ int n = start(); {then} assert(n == 3 && seen == 3); return 0; }}
"
        )
    };
    let join = "pthread_join(t, 0);";
    let translated = same("waits_for_the_other", &text(join, ""), 0);
    assert!(translated.contains("tso_end_rest();"), "{translated}");
    same("returns_too_early", &text("", join), 1);
}

/// The entry function need not be called `main`, and unused code is left out.
#[test]
fn another_main_and_unused_variables() {
    let text = "\
#include <assert.h>
#include <threads.h>
static int x;
static const char *unused[] = { \"a\", \"b\" };
static int run(void *arg) { x = 1; return 0; }
int user_main(int argc, char **argv)
{
    thrd_t t;
    thrd_create(&t, run, 0);
    thrd_join(t, 0);
    assert(x == 1 && sizeof unused > 1);
    return 0;
}
";
    let text = same("another_main", text, 0);
    assert!(text.contains("int main(void)"), "{text}");
}

/// A local variable that is too large for registers.
#[test]
fn large_local_variables() {
    let text = |index: &str| {
        format!(
            "\
#include <assert.h>
#include <pthread.h>
static int *shown;
static void *run(void *arg) {{ shown[{index}] = 1; return 0; }}
int main(void)
{{
    int big[3000] = {{0}};
    pthread_t t;
    shown = big;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    assert(big[2999] == 1);
    return 0;
}}
"
        )
    };
    for (index, code) in [("2999", 0), ("2998", 1)] {
        let path = scratch(&format!("large_local_{index}.c"), &text(index));
        let ran = fencepost_args(&["translate", path.to_str().unwrap(), "--age", "0"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let (warnings, _) = compile(&format!("large_local_{index}_translated"), &ran.stdout, &[]);
        assert_eq!(warnings, "", "{}", ran.stdout);
        let ran = check(&format!("large_local_{index}_sc.c"), &ran.stdout, &["--model", "sc", "-q"]);
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
    }
}

const PACKED: &str = "\
#include <assert.h>
#include <pthread.h>
#pragma pack(push, 1)
struct message {
    char tag;
    int value;
};
#pragma pack(pop)
struct padded {
    char tag;
    int value;
};
struct message message;
struct padded padded;

void *sender(void *arg)
{
    message.value = sizeof(struct message);
    padded.value = sizeof(struct padded);
    message.tag = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, sender, 0);
    if (message.tag)
        assert(message.value == 5 && padded.value == 8);
    pthread_join(thread, 0);
    return 0;
}
";

#[test]
fn packed_structures_stay_packed() {
    let text = same("packed", PACKED, 0);
    assert_eq!(text.matches("} __attribute__((packed));").count(), 1, "{text}");
}

/// A mutex takes as many bytes in the translation as in the program, so pointers mean the same elements.
#[test]
fn pointers_into_arrays_with_mutexes() {
    let text = "\
#include <assert.h>
#include <pthread.h>
struct slot { pthread_mutex_t m; int v; };
static struct slot slots[3];
static struct slot *second = &slots[1];
static int *last = &slots[2].v;
static void *run(void *arg) { struct slot *s = arg; pthread_mutex_lock(&s->m); s->v = 5; pthread_mutex_unlock(&s->m); return 0; }
int main(void)
{
    pthread_t t;
    struct slot *p = slots;
    pthread_create(&t, 0, run, p + 1);
    pthread_join(t, 0);
    assert(second->v == 5 && (p + 1)->v == 5);
    *last = 7;
    assert(slots[2].v == 7);
    return 0;
}
";
    same("arrays_with_mutexes", text, 0);
}

/// Two allocations at one place, by a macro, are two objects, also of different types.
#[test]
fn a_macro_that_allocates_twice() {
    let text = "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BOTH(a, b) ((a) = malloc(sizeof *(a)), (b) = malloc(sizeof *(b)))

int *p;
struct pair { long x, y; } *q;

void *t(void *arg)
{
    *p = 1;
    q->y = 2;
    return 0;
}

int main(void)
{
    BOTH(p, q);
    *p = 0;
    q->x = 5;
    q->y = 0;
    pthread_t a;
    pthread_create(&a, 0, t, 0);
    pthread_join(a, 0);
    assert(*p == 1 && q->x == 5 && q->y == 2);
    return 0;
}
";
    same("allocates_twice", text, 0);
    same("allocates_twice_wrongly", &text.replace("q->y == 2", "q->y == 3"), 1);
}
