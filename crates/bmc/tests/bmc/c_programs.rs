//! C programs with pointers, allocation, mutexes and joins: the same verdicts as explicit search, under all models.

use fencepost_bmc::Bmc;
use fencepost_c as c;
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Unreached, Verdict};

const HEADERS: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";

fn check(name: &str, body: &str, expected: [bool; 3]) {
    let text = format!("{HEADERS}{body}");
    let tree = c::read(&[(name, text.as_str())], &c::Options::default())
        .unwrap_or_else(|e| panic!("{name}: {:?}", e.1));
    let program = pipeline::lower(tree);
    for (model, is_unsafe) in Model::ALL.into_iter().zip(expected) {
        let task = Task { program: &program, model, bounds: Bounds::default(), budget: Budget::default() };
        let explicit = Explicit::default().check(&task, &mut |_| {}).verdict;
        assert_eq!(
            matches!(explicit, Verdict::Unsafe { .. }),
            is_unsafe,
            "{name} under {model:?}: {explicit:?}"
        );
        let engine = Bmc { unwind: Some(3), rounds: Some(3), clock: Some(3), ..Bmc::default() };
        match engine.check(&task, &mut |_| {}).verdict {
            Verdict::Unsafe { trace } => {
                replay(&program, &trace).unwrap_or_else(|r| panic!("{name} under {model:?}: {r}"));
                assert!(is_unsafe, "{name} under {model:?} is safe");
            }
            Verdict::Safe { .. } => assert!(!is_unsafe, "{name} under {model:?} is unsafe"),
            other => panic!("{name} under {model:?}: {other:?}"),
        }
    }
}

#[test]
fn a_pointer_that_is_published() {
    let body = |order: &str| {
        format!(
            "struct cell {{ int data; }};
             static struct cell *_Atomic shared;
             static void *producer(void *a) {{
                 struct cell *p = malloc(sizeof *p);
                 p->data = 7;
                 atomic_store_explicit(&shared, p, {order});
                 return a;
             }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, NULL, producer, NULL);
                 struct cell *p = atomic_load(&shared);
                 if (p) assert(p->data == 7);
                 pthread_join(t, NULL);
                 return 0;
             }}"
        )
    };
    check("published.c", &body("memory_order_release"), [false, false, false]);
    check("relaxed.c", &body("memory_order_relaxed"), [false, false, true]);
}

#[test]
fn memory_that_is_freed_too_early() {
    let body = |join_first: bool| {
        let (before, after) =
            if join_first { ("pthread_join(t, NULL);", "") } else { ("", "pthread_join(t, NULL);") };
        format!(
            "static int *p;
             static void *writer(void *a) {{ *p = 1; return a; }}
             int main(void) {{
                 p = malloc(sizeof *p);
                 pthread_t t;
                 pthread_create(&t, NULL, writer, NULL);
                 {before}
                 free(p);
                 {after}
                 return 0;
             }}"
        )
    };
    check("freed.c", &body(false), [true, true, true]);
    check("joined.c", &body(true), [false, false, false]);
}

#[test]
fn a_store_that_comes_too_late() {
    // The flag is seen only when the store to the object has left, but under PSO it may overtake it.
    let body = "static int *p; static int done;
         static void *writer(void *a) { *p = 1; done = 1; return a; }
         int main(void) {
             p = malloc(sizeof *p);
             pthread_t t;
             pthread_create(&t, NULL, writer, NULL);
             if (done) free(p);
             return 0;
         }";
    check("late.c", body, [false, false, true]);
}

/// The thread that leaves a variable's block is the only one that does, so it need not look whether the variable is gone.
#[test]
fn a_store_that_comes_too_late_for_a_local_variable() {
    let body = "struct pair { int value, done; }; static struct pair *_Atomic box;
         static void *writer(void *a) {
             struct pair *p = box;
             if (p) {
                 p->value = 1;
                 atomic_store_explicit((atomic_int *)&p->done, 1, memory_order_ORDER);
             }
             return a;
         }
         static void wait(void) {
             struct pair own = { 0, 0 };
             box = &own;
             if (!*(volatile int *)&own.done) exit(0);
         }
         int main(void) {
             pthread_t t;
             pthread_create(&t, NULL, writer, NULL);
             wait();
             return 0;
         }";
    check("late_local.c", &body.replace("ORDER", "relaxed"), [false, false, true]);
    check("late_local.c", &body.replace("ORDER", "release"), [false, false, false]);
}

#[test]
fn mutexes_and_double_frees() {
    check(
        "counter.c",
        "static pthread_mutex_t m; static int n;
         static void *add(void *a) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return a; }
         int main(void) {
             pthread_t a, b;
             pthread_create(&a, NULL, add, NULL); pthread_create(&b, NULL, add, NULL);
             pthread_join(a, NULL); pthread_join(b, NULL);
             assert(n == 2);
             return 0;
         }",
        [false; 3],
    );
    check(
        "racy.c",
        "static int n;
         static void *add(void *a) { n++; return a; }
         int main(void) {
             pthread_t a, b;
             pthread_create(&a, NULL, add, NULL); pthread_create(&b, NULL, add, NULL);
             pthread_join(a, NULL); pthread_join(b, NULL);
             assert(n == 2);
             return 0;
         }",
        [true; 3],
    );
    check(
        "twice.c",
        "static int *_Atomic p;
         static void *drop(void *a) { free(atomic_load(&p)); return a; }
         int main(void) {
             pthread_t a;
             atomic_store(&p, malloc(4));
             pthread_create(&a, NULL, drop, NULL);
             drop(NULL);
             pthread_join(a, NULL);
             return 0;
         }",
        [true; 3],
    );
    check("null.c", "int main(void) { int *p = NULL; return *p; }", [true; 3]);
    check("bounds.c", "static int a[3]; static int i = 3; int main(void) { a[i] = 1; return 0; }", [true; 3]);
}

#[test]
fn violations_of_a_cut_width_are_counted_and_not_reported() {
    let text = format!(
        "{HEADERS}static int n = 9;
         int main(void) {{ n += 1; assert(n > 0); return 0; }}"
    );
    let tree = c::read(&[("width.c", text.as_str())], &c::Options::default())
        .unwrap_or_else(|e| panic!("{:?}", e.1));
    let program = pipeline::lower(tree);
    let task =
        Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() };
    let engine = Bmc { unwind: Some(1), rounds: Some(1), clock: Some(1), width: Some(4), ..Bmc::default() };
    let answer = engine.check(&task, &mut |_| {});
    assert!(matches!(answer.verdict, Verdict::Safe { .. }), "{:?}", answer.verdict);
    assert!(answer.stats.spurious > 0, "10 is -6 in four bits");
}

/// A stack of freed nodes, popped while another thread frees what is popped and pushes what it allocates.
#[test]
fn a_stack_whose_nodes_are_freed() {
    let body = |free: &str| {
        format!(
            "struct node {{ struct node *next; }};
             static _Atomic(struct node *) top;
             static void push(struct node *n) {{
                 struct node *t = atomic_load(&top);
                 do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
             }}
             static struct node *pop(void) {{
                 struct node *t = atomic_load(&top);
                 while (t) {{
                     struct node *n = t->next;
                     if (atomic_compare_exchange_strong(&top, &t, n)) break;
                 }}
                 return t;
             }}
             static void *user(void *a) {{
                 struct node *n = pop();
                 if (n) {free};
                 push(malloc(sizeof *n));
                 return a;
             }}
             int main(void) {{
                 pthread_t t;
                 push(malloc(sizeof(struct node)));
                 pthread_create(&t, NULL, user, NULL);
                 pop();
                 pthread_join(t, NULL);
                 return 0;
             }}"
        )
    };
    check("freed_nodes.c", &body("free(n)"), [true, true, true]);
    check("kept_nodes.c", &body("n->next = 0"), [false, false, false]);
}

/// Which object is allocated first is up to the threads: whoever compares addresses may see both, and the engine does not
/// say safe, nor unsafe without a run.
#[test]
fn addresses_that_depend_on_who_allocates_first() {
    let body = |compared: &str| {
        format!(
            "static int *p;
             static void *other(void *a) {{ p = malloc(sizeof *p); return a; }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, NULL, other, NULL);
                 int *q = malloc(sizeof *q);
                 pthread_join(t, NULL);
                 assert({compared});
                 return 0;
             }}"
        )
    };
    check("named.c", &body("p != q"), [false; 3]);
    for compared in ["p < q", "p > q", "(unsigned long)p < (unsigned long)q"] {
        let text = format!("{HEADERS}{}", body(compared));
        let tree = c::read(&[("order.c", text.as_str())], &c::Options::default())
            .unwrap_or_else(|e| panic!("{compared}: {:?}", e.1));
        let program = pipeline::lower(tree);
        for model in Model::ALL {
            let task =
                Task { program: &program, model, bounds: Bounds::default(), budget: Budget::default() };
            match Bmc::default().check(&task, &mut |_| {}).verdict {
                Verdict::Unsafe { trace } => {
                    replay(&program, &trace).unwrap_or_else(|r| panic!("{compared} under {model:?}: {r}"));
                }
                Verdict::Unknown { reason, .. } => {
                    assert!(reason.to_string().contains("addresses"), "{compared}: {reason}");
                }
                Verdict::Safe { .. } => panic!("{compared} under {model:?} is not safe"),
            }
        }
    }
}

/// A run that comes to what is not modelled says nothing about the others.
#[test]
fn a_violation_beside_a_limit() {
    let text = format!(
        "{HEADERS}
         struct node {{ int key; struct node *next; }};
         static struct node *head;
         static void *push(void *a) {{
             struct node *x = malloc(sizeof *x); x->key = 1; x->next = 0; head = x;
             return a;
         }}
         static void *walk(void *a) {{
             struct node **p = &head;
             while (*p) p = &(*p)->next;
             return a;
         }}
         int main(void) {{
             pthread_t t, u;
             pthread_create(&t, NULL, push, NULL); pthread_create(&u, NULL, walk, NULL);
             pthread_join(t, NULL); pthread_join(u, NULL);
             int i = 0;
             while (i < 4) i++;
             assert(i != 4);
             return 0;
         }}"
    );
    let tree = c::read(&[("limit.c", text.as_str())], &c::Options::default()).unwrap();
    let program = pipeline::lower(tree);
    let task =
        Task { program: &program, model: Model::Pso, bounds: Bounds::default(), budget: Budget::default() };
    let check = |unwind| Bmc { unwind, ..Bmc::default() }.check(&task, &mut |_| {}).verdict;
    // The assertion is beyond two repetitions; under PSO the node may be seen before it is written.
    assert!(matches!(check(Some(2)), Verdict::Unknown { .. }), "{:?}", check(Some(2)));
    let Verdict::Unsafe { trace } = check(None) else { panic!("{:?}", check(None)) };
    replay(&program, &trace).unwrap();
}

/// Loops that are longer than the usual bounds, before what is checked.
#[test]
fn an_assertion_behind_long_loops() {
    let verdict = |expected: u32, unwind| {
        let text = format!(
            "{HEADERS}
             static int n;
             static void *add(void *a) {{ for (int i = 0; i < 40; i++) n++; return a; }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, NULL, add, NULL);
                 pthread_join(t, NULL);
                 assert(n == {expected});
                 return 0;
             }}"
        );
        let tree = c::read(&[("long.c", text.as_str())], &c::Options::default()).unwrap();
        let program = pipeline::lower(tree);
        let (bounds, budget) = (Bounds::default(), Budget::default());
        let task = Task { program: &program, model: Model::Tso, bounds, budget };
        let answer = Bmc { unwind, ..Bmc::default() }.check(&task, &mut |_| {});
        if let Verdict::Unsafe { trace } = &answer.verdict {
            replay(&program, trace).unwrap();
        }
        answer
    };
    assert!(matches!(verdict(41, None).verdict, Verdict::Unsafe { .. }));
    let proved = verdict(40, None);
    assert!(matches!(proved.verdict, Verdict::Safe { .. }) && proved.unreached.is_empty(), "{proved:?}");
    // With a bound that is too small nothing is found, and it is said that nothing was checked.
    let short = verdict(41, Some(8));
    assert!(matches!(short.verdict, Verdict::Safe { .. }), "{short:?}");
    assert!(matches!(short.unreached[..], [Unreached::Assertion(..)]), "{short:?}");
}
