//! Objects whose size is not known: the same verdicts as explicit search where the sizes are few, the bound in the verdict where
//! they are many.

use fencepost_bmc::{Abstraction, Bmc};
use fencepost_c as c;
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Scope, Task, Verdict};

const HEADERS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                       int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void);\n\
                       static int below(int n) { return __VERIFIER_nondet_uchar() % n; }\n";

fn program(name: &str, body: &str) -> Program {
    let text = format!("{HEADERS}{body}");
    let tree = c::read(&[(name, text.as_str())], &c::Options::default())
        .unwrap_or_else(|e| panic!("{name}: {:?}\n{text}", e.1));
    pipeline::lower(tree)
}

fn task(program: &Program, model: Model) -> Task<'_> {
    Task { program, model, bounds: Bounds::default(), budget: Budget::default() }
}

/// The verdict; a violation is replayed.
fn verdict(name: &str, program: &Program, model: Model, engine: &dyn Engine) -> Verdict {
    let verdict = engine.check(&task(program, model), &mut |_| {}).verdict;
    if let Verdict::Unsafe { trace } = &verdict {
        replay(program, trace).unwrap_or_else(|r| panic!("{name} under {model:?}: {r}"));
    }
    verdict
}

/// Both engines say the same, and bmc with both abstractions.
fn check(name: &str, body: &str, expected: [bool; 3]) {
    let program = program(name, body);
    for (model, is_unsafe) in Model::ALL.into_iter().zip(expected) {
        let said = verdict(name, &program, model, &Explicit::default());
        match is_unsafe {
            true => assert!(matches!(said, Verdict::Unsafe { .. }), "{name} under {model:?}: {said:?}"),
            false => assert_eq!(said.cleared(), Some(Scope::Complete), "{name} under {model:?}: {said:?}"),
        }
        for abstraction in [Abstraction::Stamped, Abstraction::Queues] {
            let bounds =
                Bmc { unwind: Some(4), rounds: Some(3), clock: Some(3), queue: Some(2), ..Bmc::default() };
            let engine = Bmc { block: Some(4), abstraction, ..bounds };
            let said = verdict(name, &program, model, &engine);
            match (is_unsafe, &said) {
                (true, Verdict::Unsafe { .. }) => {}
                (false, Verdict::Safe(cleared)) => match cleared.scope() {
                    Scope::Complete | Scope::UpTo(Bounds { block: None, .. }) => {}
                    scope => panic!("{name} under {model:?}, {abstraction:?}: safe, {scope}"),
                },
                _ => panic!("{name} under {model:?}, {abstraction:?}: {said:?}"),
            }
        }
    }
}

#[test]
fn an_array_ends_where_its_size_says() {
    for (index, is_unsafe) in [("n - 1", false), ("n", true), ("0", false)] {
        let body = format!(
            "int main(void) {{ int n = 1 + below(4); int *p = calloc(n, sizeof *p); assert(p[{index}] == 0); return 0; }}"
        );
        check("end.c", &body, [is_unsafe; 3]);
    }
    for (index, is_unsafe) in [("n - 1", false), ("n", true)] {
        let body = format!(
            "int main(void) {{ int n = 1 + below(3); int a[n]; a[{index}] = 7; assert(a[{index}] == 7); return 0; }}"
        );
        check("variable_length.c", &body, [is_unsafe; 3]);
    }
}

#[test]
fn the_array_at_the_end_of_a_record() {
    for (index, is_unsafe) in [("s->length - 1", false), ("s->length", true)] {
        let body = format!(
            "struct text {{ int length; short held[]; }};
             int main(void) {{
                 int n = 1 + below(4);
                 struct text *s = malloc(sizeof *s + n * sizeof s->held[0]);
                 s->length = n;
                 s->held[{index}] = 5;
                 assert(s->length == n);
                 return 0;
             }}"
        );
        check("record.c", &body, [is_unsafe; 3]);
    }
}

/// A loop by pointers compares addresses of one object, whichever that is.
#[test]
fn a_loop_from_end_to_end() {
    let body = |value: &str| {
        format!(
            "int main(void) {{
                 int n = below(4), sum = 0;
                 int *a = calloc(n + 1, sizeof *a);
                 for (int *p = a; p < a + n; p++) *p = {value};
                 for (int *p = a; p <= a + n; p++) sum += *p;
                 assert(sum == n);
                 free(a);
                 return 0;
             }}"
        )
    };
    check("by_pointers.c", &body("1"), [false; 3]);
    check("by_pointers_wrong.c", &body("2"), [true; 3]);
}

/// Two threads, one of which may see the size before the array.
#[test]
fn an_array_that_is_handed_on() {
    let body = |order: &str| {
        format!(
            "static int *_Atomic array; static atomic_int size;
             static void *reader(void *arg) {{
                 int n = atomic_load_explicit(&size, memory_order_relaxed);
                 if (n) atomic_load_explicit(&array, memory_order_relaxed)[n - 1] = 1;
                 return arg;
             }}
             int main(void) {{
                 pthread_t t;
                 int n = 1 + below(3);
                 pthread_create(&t, 0, reader, 0);
                 atomic_store_explicit(&array, malloc(n * sizeof(int)), memory_order_relaxed);
                 atomic_store_explicit(&size, n, memory_order_{order});
                 return 0;
             }}"
        )
    };
    check("handed_on.c", &body("relaxed"), [false, false, true]);
    check("handed_on_in_order.c", &body("seq_cst"), [false; 3]);
}

/// An address comes back only for an object of the same size.
#[test]
fn an_address_of_the_same_size() {
    for (test, is_unsafe) in [("p != q", true), ("p != q || n == k", false)] {
        let body = format!(
            "int main(void) {{
                 int n = 1 + below(2), k = 1 + below(2);
                 int *p = malloc(n * sizeof *p);
                 free(p);
                 int *q = malloc(k * sizeof *q);
                 assert({test});
                 return 0;
             }}"
        );
        check("again.c", &body, [is_unsafe; 3]);
    }
}

/// `realloc` takes along what was there, and what it was given is gone.
#[test]
fn what_was_there_is_taken_along() {
    let body = |before: &str, test: &str| {
        format!(
            "int main(void) {{
                 int n = 1 + below(2), *p = {before};
                 p[0] = 5;
                 int *q = realloc(p, (n + 1) * sizeof *q);
                 q[n] = 6;
                 {test}
                 return 0;
             }}"
        )
    };
    let any = "malloc(n * sizeof *p)";
    check("taken.c", &body(any, "assert(q[0] == 5 && q[n] == 6);"), [false; 3]);
    check("zero.c", &body("calloc(2, sizeof *p)", "assert(q[0] == 5 && (n == 1 || q[1] == 0));"), [false; 3]);
    check("not_all.c", &body(any, "assert(n == 1 || q[1] == 0);"), [true; 3]);
    check("gone.c", &body(any, "p[0] = 7;"), [true; 3]);
    check("freed_twice.c", &body(any, "free(p);"), [true; 3]);
    check("too_far.c", &body(any, "q[n + 1] = 7;"), [true; 3]);
    check(
        "from_null.c",
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { p = realloc(p, (i + 1) * sizeof *p); p[i] = i; }
                          assert(p[0] + p[1] + p[2] == 3); free(p); return 0; }",
        [false; 3],
    );
}

/// A list that grows under a lock, and a reader that does not take it.
#[test]
fn a_list_that_grows() {
    let body = |lock: &str| {
        format!(
            "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
             static int *list, length;
             static void *reader(void *arg) {{
                 if ({lock}) pthread_mutex_lock(&m);
                 int *seen = list;
                 if (seen) assert(seen[0] == 1);
                 if ({lock}) pthread_mutex_unlock(&m);
                 return arg;
             }}
             static void add(int value) {{
                 pthread_mutex_lock(&m);
                 list = realloc(list, (length + 1) * sizeof *list);
                 list[length++] = value;
                 pthread_mutex_unlock(&m);
             }}
             int main(void) {{
                 pthread_t t;
                 add(1);
                 pthread_create(&t, 0, reader, 0);
                 add(2);
                 assert(list[0] + list[1] == 3);
                 pthread_join(t, 0);
                 return 0;
             }}"
        )
    };
    check("list.c", &body("1"), [false; 3]);
    check("list_without_lock.c", &body("0"), [true; 3]);
}

const ANY: &str = "int main(void) {
         int n = __VERIFIER_nondet_int();
         if (n <= 0) return 0;
         int *a = calloc(n, sizeof *a);
         assert(a[n - 1] == WHAT);
         return 0;
     }";

#[test]
fn the_bound_is_in_the_verdict() {
    let good = program("any.c", &ANY.replace("WHAT", "0"));
    let bad = program("any.c", &ANY.replace("WHAT", "(n == 3)"));
    for model in Model::ALL {
        let engine = |block| Bmc { block: Some(block), ..Bmc::default() };
        match verdict("any.c", &good, model, &engine(2)) {
            Verdict::Safe(cleared) => {
                assert!(matches!(cleared.scope(), Scope::UpTo(Bounds { block: Some(2), .. })), "{cleared:?}");
            }
            other => panic!("{model:?}: {other:?}"),
        }
        let said = verdict("any.c", &bad, model, &engine(2));
        assert!(matches!(said, Verdict::Safe { .. }), "{model:?}: {said:?}");
        for found in [engine(3), Bmc::default()] {
            let said = verdict("any.c", &bad, model, &found);
            assert!(matches!(said, Verdict::Unsafe { .. }), "{model:?}: {said:?}");
        }
    }
}

/// Where the program sees to it that sizes are small, a bound that is not reached is not named.
#[test]
fn a_bound_that_is_not_reached() {
    let text = ANY.replace("n <= 0", "n <= 0 || n > 9").replace("WHAT", "0");
    let program = program("small.c", &text);
    for model in Model::ALL {
        let said = verdict("small.c", &program, model, &Bmc::default());
        assert!(matches!(said, Verdict::Safe(cleared) if cleared.is_complete()), "{model:?}: {said:?}");
    }
}

#[test]
fn a_size_that_is_no_whole_number_of_elements() {
    let text = ANY.replace("calloc(n, sizeof *a)", "malloc(n)").replace("a[n - 1] == WHAT", "n");
    let program = program("odd.c", &text);
    let said = verdict("odd.c", &program, Model::Tso, &Bmc::default());
    assert!(
        matches!(&said, Verdict::Unknown { reason: Reason::BoundReached(why), .. } if why.contains("whole number")),
        "{said:?}"
    );
}

/// What threads of random programs do with an array that they share, of a size that main chooses, or with their own.
const STATEMENTS: [&str; 12] = [
    "mine = calloc(1 + below(2), sizeof *mine); size = 1;",
    "size = 1 + below(3); mine = calloc(size, sizeof *mine);",
    "if (mine) mine[size - 1] = ME;",
    "mine = realloc(mine, (size + 1) * sizeof *mine); mine[size] = 0; size++;",
    "if (mine) { mine = realloc(mine, sizeof *mine); size = 1; seen += mine[0] == ME; }",
    "{ struct both *b = atomic_exchange(&slot, 0); if (b) { int n = b->size; b = realloc(b, sizeof *b + (n + 1) * sizeof b->cells[0]); b->size = n + 1; b->cells[n] = ME; slot = b; } }",
    "if (mine) { struct both *old = atomic_exchange(&slot, 0); if (old) old->cells[old->size - 1] += ME; }",
    "{ struct both *b = malloc(sizeof *b + size * sizeof b->cells[0]); b->size = size; b->cells[size - 1] = ME; atomic_store_explicit(&slot, b, memory_order_relaxed); }",
    "{ struct both *b = slot; if (b && b->size > 1) seen += b->cells[b->size - 2]; }",
    "{ struct both *b = slot; if (b) seen += b->cells[b->size - 1] == ME; }",
    "atomic_store_explicit(&flag, ME, memory_order_relaxed);",
    "if (flag == 3 - ME) seen = 1;",
];

const ASSERTIONS: [&str; 5] = ["!all", "all != 1", "all < 2", "!all || flag", "!all || flag != 2"];

#[test]
fn random_programs() {
    let seeds = effort::seeds(40);
    let (mut safe, mut wrong) = (0, 0);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed + 1);
        let mut thread = |me: usize| {
            let statements: Vec<_> = (0..2 + rng.below(3)).map(|_| rng.pick(&STATEMENTS)).collect();
            statements.join("\n    ").replace("ME", &me.to_string())
        };
        let (one, two) = (thread(1), thread(2));
        let assertion = rng.pick(&ASSERTIONS);
        let locals = "int size = 1, seen = 0, *mine = 0; (void)mine;";
        let body = format!(
            "struct both {{ int size; int cells[]; }};
static struct both *_Atomic slot; static atomic_int flag, all;
static void *other(void *arg) {{
    {locals}
    {two}
    all += seen;
    return arg;
}}
int main(void) {{
    {locals}
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    {one}
    all += seen;
    pthread_join(t, 0);
    assert({assertion});
    return 0;
}}"
        );
        let name = format!("seed {seed}");
        let program = program(&name, &body);
        for model in Model::ALL {
            let engine = Bmc { unwind: Some(1), rounds: Some(3), clock: Some(3), ..Bmc::default() };
            let said = verdict(&name, &program, model, &engine);
            match (verdict(&name, &program, model, &Explicit::default()), &said) {
                (Verdict::Safe(cleared), Verdict::Safe { .. }) if cleared.is_complete() => safe += 1,
                (Verdict::Unsafe { .. }, Verdict::Unsafe { .. }) => wrong += 1,
                // A run that needs more than the bounds.
                (Verdict::Unsafe { .. }, Verdict::Safe(cleared)) if !cleared.is_complete() => {}
                (Verdict::Unknown { .. }, _) => {}
                (expected, _) => panic!("{name} under {model:?}: {expected:?} but {said:?}\n{body}"),
            }
        }
    }
    assert!(
        safe > seeds / 2 && wrong > seeds / 3,
        "{safe} are safe and {wrong} are not, of {seeds} under three models"
    );
}
