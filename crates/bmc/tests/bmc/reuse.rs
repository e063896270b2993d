//! `malloc` may give out the address of a freed object again: the same verdicts as explicit search, under all models, on
//! programs that notice it and on random ones.

use fencepost_bmc::{Abstraction, Bmc};
use fencepost_c as c;
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Engine, Model, Scope, Task, Verdict};

const HEADERS: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";

fn program(name: &str, body: &str) -> Program {
    let text = format!("{HEADERS}{body}");
    let tree = c::read(&[(name, text.as_str())], &c::Options::default())
        .unwrap_or_else(|e| panic!("{name}: {:?}", e.1));
    pipeline::lower(tree)
}

fn task(program: &Program, model: Model) -> Task<'_> {
    Task { program, model, bounds: Bounds::default(), budget: Budget::default() }
}

/// What the engine says: whether there is a violation, which is replayed, and up to what there is none.
fn bounded(name: &str, program: &Program, model: Model, engine: &Bmc) -> Option<(bool, Option<Scope>)> {
    match engine.check(&task(program, model), &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => {
            replay(program, &trace).unwrap_or_else(|r| panic!("{name} under {model:?}: {r}"));
            Some((true, None))
        }
        Verdict::Safe(cleared) => Some((false, Some(cleared.scope()))),
        Verdict::Unknown { .. } => None,
    }
}

fn explicit(program: &Program, model: Model) -> Option<bool> {
    match Explicit::default().check(&task(program, model), &mut |_| {}).verdict {
        Verdict::Unsafe { .. } => Some(true),
        Verdict::Safe { .. } => Some(false),
        Verdict::Unknown { .. } => None,
    }
}

/// Checks a program of known verdicts with stamps and with queues; safe ones are so with all addresses.
fn check(name: &str, body: &str, expected: [bool; 3]) {
    let program = program(name, body);
    for (model, is_unsafe) in Model::ALL.into_iter().zip(expected) {
        assert_eq!(explicit(&program, model), Some(is_unsafe), "{name} under {model:?}");
        for abstraction in [Abstraction::Stamped, Abstraction::Queues] {
            let engine = Bmc {
                unwind: Some(1),
                rounds: Some(3),
                clock: Some(3),
                queue: Some(2),
                abstraction,
                ..Bmc::default()
            };
            let said = bounded(name, &program, model, &engine);
            let (found, scope) = said.unwrap_or_else(|| panic!("{name} under {model:?}: unknown"));
            assert_eq!(found, is_unsafe, "{name} under {model:?}, {abstraction:?}");
            if let Some(Scope::UpTo(bounds)) = scope {
                assert_eq!(bounds.reuse, None, "{name} under {model:?}");
            }
        }
    }
}

#[test]
fn an_address_may_be_new_or_not() {
    for (test, is_unsafe) in [("p != q", true), ("p == q", true), ("p != q || p == q", false)] {
        let body = format!(
            "int main(void) {{ int *p = malloc(4); free(p); int *q = malloc(4); assert({test}); return 0; }}"
        );
        check("same.c", &body, [is_unsafe; 3]);
    }
    // Only what is gone, and only where size and type are the same.
    for before in ["int *p = malloc(4);", "int *p = malloc(8); free(p);", "char *p = malloc(4); free(p);"] {
        let body = format!(
            "int main(void) {{ {before} int *q = malloc(4); assert((void *)p != (void *)q); free(q); return 0; }}"
        );
        check("other.c", &body, [false; 3]);
    }
}

#[test]
fn an_object_comes_back_as_new() {
    let body = |first: &str, second: &str, test: &str| {
        format!(
            "int main(void) {{
                 int *p = {first};
                 *p = 5;
                 free(p);
                 int *q = {second};
                 if (p == q) {{ int held = *q; assert({test}); }}
                 return 0;
             }}"
        )
    };
    let (zero, any) = ("calloc(1, sizeof *p)", "malloc(sizeof *p)");
    check("zero_zero.c", &body(zero, zero, "held == 0"), [false; 3]);
    check("any_zero.c", &body(any, zero, "held == 0"), [false; 3]);
    check("zero_any.c", &body(zero, any, "held == 0"), [true; 3]);
    check("any_any.c", &body(any, any, "held != 77"), [true; 3]);
    check("again.c", &body(zero, zero, "(free(q), malloc(sizeof *p) != p)"), [true; 3]);
}

/// A slot is replaced if it still holds the pointer that was seen before. Meanwhile it may have been replaced twice.
#[test]
fn a_slot_that_was_replaced_twice() {
    let body = |free: &str| {
        format!(
            "struct version {{ int number; }};
             static struct version *_Atomic slot;
             static atomic_int replaced;
             static void *replacer(void *arg) {{
                 struct version *old = slot;
                 slot = malloc(sizeof *slot);
                 {free}(old);
                 replaced = 1;
                 slot = malloc(sizeof *slot);
                 return arg;
             }}
             int main(void) {{
                 slot = malloc(sizeof *slot);
                 struct version *seen = slot, *mine = malloc(sizeof *mine);
                 pthread_t t;
                 pthread_create(&t, 0, replacer, 0);
                 int before = replaced;
                 if (atomic_compare_exchange_strong(&slot, &seen, mine)) assert(!before);
                 return 0;
             }}"
        )
    };
    check("freed.c", &body("free"), [true; 3]);
    check("kept.c", &body("(void)"), [false; 3]);
}

const STACK: &str = "struct node { struct node *_Atomic next; };
     static struct node *_Atomic top;
     static void push(struct node *n) {
         struct node *t = top;
         do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
     }
     static struct node *pop(void) {
         struct node *t = top;
         while (t && !atomic_compare_exchange_strong(&top, &t, t->next));
         return t;
     }";

/// Treiber's stack: a pop that has read `next` when another thread takes two nodes and puts a new one in the first one's place.
/// Had the node been kept, nothing would have happened.
#[test]
fn a_pop_that_finds_the_same_address() {
    let body = |free: &str| {
        format!(
            "{STACK}
             static struct node *_Atomic second;
             static void *other(void *arg) {{
                 struct node *first = pop();
                 if (!first) return arg;
                 second = pop();
                 {free}(first);
                 push(malloc(sizeof *first));
                 return arg;
             }}
             int main(void) {{
                 push(malloc(sizeof(struct node)));
                 push(malloc(sizeof(struct node)));
                 struct node *t = top, *next = t->next;
                 pthread_t thread;
                 pthread_create(&thread, 0, other, 0);
                 if (atomic_compare_exchange_strong(&top, &t, next)) assert(second != next || !second);
                 return 0;
             }}"
        )
    };
    check("pop_freed.c", &body("free"), [true; 3]);
    check("pop_kept.c", &body("(void)"), [false; 3]);
}

/// A push does not care: what it has put its node before is the first node, whichever that is.
#[test]
fn a_push_that_finds_the_same_address() {
    let body = format!(
        "{STACK}
         static void *other(void *arg) {{
             struct node *all = atomic_exchange(&top, 0);
             free(all);
             push(calloc(1, sizeof *all));
             return arg;
         }}
         int main(void) {{
             struct node *mine = malloc(sizeof *mine);
             push(malloc(sizeof *mine));
             pthread_t thread;
             pthread_create(&thread, 0, other, 0);
             struct node *t = top;
             mine->next = t;
             if (atomic_compare_exchange_strong(&top, &t, mine)) {{
                 pthread_join(thread, 0);
                 assert(top);
             }}
             return 0;
         }}"
    );
    check("push.c", &body, [false; 3]);
}

/// The pointer and a counter in one word: the same address, but not the same word. The numbers of objects are seen by
/// whoever computes with them; violations are found all the same.
#[test]
fn a_pointer_with_a_counter() {
    let body = |counter: &str| {
        format!(
            "struct node {{ int data; }};
             static _Atomic unsigned long top;
             static unsigned long word(struct node *p, unsigned long counter) {{
                 return (unsigned long)p << 16 | counter;
             }}
             static atomic_int replaced;
             static void *other(void *arg) {{
                 unsigned long old = top;
                 struct node *first = (struct node *)(old >> 16);
                 top = word(0, {counter});
                 free(first);
                 replaced = 1;
                 top = word(malloc(sizeof *first), {counter});
                 return arg;
             }}
             int main(void) {{
                 top = word(malloc(sizeof(struct node)), 0);
                 unsigned long seen = top;
                 pthread_t t;
                 pthread_create(&t, 0, other, 0);
                 int before = replaced;
                 if (atomic_compare_exchange_strong(&top, &seen, 0)) assert(!before);
                 return 0;
             }}"
        )
    };
    for (counter, is_unsafe) in [("0", true), ("(old & 65535) + 1", false)] {
        let program = program("counter.c", &body(counter));
        for model in Model::ALL {
            assert_eq!(explicit(&program, model), Some(is_unsafe), "{counter} under {model:?}");
            let engine = Bmc { unwind: Some(1), rounds: Some(3), ..Bmc::default() };
            let said = bounded("counter.c", &program, model, &engine);
            // Two threads allocate: which of the objects is the first is not known.
            assert_eq!(said, is_unsafe.then_some((true, None)), "{counter} under {model:?}");
        }
    }
}

/// One thread allocates: the formula's numbers are right as long as no address is used again, and no more is said.
#[test]
fn a_pointer_with_a_counter_in_one_thread() {
    for (counter, is_unsafe) in [("0", true), ("1", false)] {
        let body = format!(
            "static _Atomic unsigned long top;
             int main(void) {{
                 int *p = malloc(sizeof *p);
                 top = (unsigned long)p << 16;
                 free(p);
                 int *q = malloc(sizeof *q);
                 unsigned long word = (unsigned long)q << 16 | {counter};
                 assert(!atomic_compare_exchange_strong(&top, &word, 0));
                 return 0;
             }}"
        );
        let program = program("one.c", &body);
        for model in Model::ALL {
            assert_eq!(explicit(&program, model), Some(is_unsafe), "{counter} under {model:?}");
            match bounded("one.c", &program, model, &Bmc::default()) {
                Some((true, None)) => assert!(is_unsafe, "{counter} under {model:?}"),
                Some((false, Some(Scope::UpTo(Bounds { reuse: Some(0), .. })))) => assert!(!is_unsafe),
                other => panic!("{counter} under {model:?}: {other:?}"),
            }
        }
    }
}

/// What threads of random programs do.
const STATEMENTS: [&str; 10] = [
    "mine = malloc(sizeof *mine);",
    "mine = calloc(1, sizeof *mine);",
    "if (mine) mine->held = ME;",
    "seen = atomic_load(&slot);",
    "{ struct node *old = atomic_exchange(&slot, mine); mine = 0; free(old); }",
    "{ seen = mine; free(mine); mine = malloc(sizeof *mine); }",
    "{ struct node *e = seen; if (mine && atomic_compare_exchange_strong(&slot, &e, mine)) { mine = 0; won += ME; } }",
    "if (seen && seen == mine) same += ME;",
    "atomic_store_explicit(&flag, ME, memory_order_relaxed);",
    "if (flag == 3 - ME) seen = slot;",
];

const ASSERTIONS: [&str; 6] = ["!same", "same != 2", "!won", "won < 2", "!won || !same", "flag != 1 || !won"];

#[test]
fn random_programs() {
    let seeds = effort::seeds(40);
    let (mut safe, mut wrong, mut by_reuse) = (0, 0, 0);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed + 1);
        let mut thread = |me: usize| {
            let statements: Vec<_> = (0..3 + rng.below(4)).map(|_| rng.pick(&STATEMENTS)).collect();
            statements.join("\n    ").replace("ME", &me.to_string())
        };
        let (one, two) = (thread(1), thread(2));
        let first = rng.pick(&["0", "malloc(sizeof *mine)", "calloc(1, sizeof *mine)"]);
        let assertion = rng.pick(&ASSERTIONS);
        let body = format!(
            "struct node {{ int held; }};
static struct node *_Atomic slot; static atomic_int flag, won, same;
static void *other(void *arg) {{
    struct node *seen = slot, *mine = malloc(sizeof *mine);
    {two}
    return arg;
}}
int main(void) {{
    struct node *mine = malloc(sizeof *mine), *seen;
    slot = {first};
    seen = slot;
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    {one}
    pthread_join(t, 0);
    assert({assertion});
    return 0;
}}"
        );
        let kept = program("kept.c", &body.replace("free(", "(void)("));
        let program = program("random.c", &body);
        for model in Model::ALL {
            let engine = Bmc { unwind: Some(1), rounds: Some(4), clock: Some(3), ..Bmc::default() };
            let said = bounded(&body, &program, model, &engine).map(|(found, _)| found);
            let expected = explicit(&program, model);
            if let (Some(said), Some(expected)) = (said, expected) {
                assert_eq!(said, expected, "seed {seed} under {model:?}:\n{body}");
                *(if said { &mut wrong } else { &mut safe }) += 1;
                by_reuse += u64::from(said && explicit(&kept, model) == Some(false));
            }
        }
    }
    println!("{safe} are safe, {wrong} are not, {by_reuse} of them because memory is freed");
    assert!(safe.min(wrong) >= seeds / 2, "{safe} are safe and {wrong} are not");
    assert!(by_reuse >= seeds / 8, "{by_reuse} are wrong because memory is freed");
}
