//! Random programs with allocated objects that are handed from thread to thread, with and without reductions.

use fencepost_c::{Options, read};
use fencepost_certify::replay;
use fencepost_explore::{Explicit, Reduction};
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Model, Task, Verdict};

/// Programs, unless `FENCEPOST_SEEDS` says how many.
const SEEDS: u64 = 250;

/// More states without reductions are not waited for.
const MEMORY: u64 = 24 << 20;

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *calloc(unsigned long, unsigned long);
    void free(void *);
    void __assert_fail(const char *, const char *, unsigned int, const char *);
    struct node { int v; struct node *next; };
    struct node *g, *h;
    int x, seen[2];
";

const ANY: [&str; 12] = [
    "n->v = 2;",
    "n->next = m;",
    "h = n;",
    "m = g;",
    "m = h;",
    "g = 0;",
    "if (m) m->v = 3;",
    "n = calloc(1, sizeof *n);",
    "{ struct node *t = n; n = m ? m : n; m = t; }",
    "local.v = 2; m = &local;",
    "__sync_synchronize();",
    "free(m); m = 0;",
];

/// What one that gives objects away does, and one that looks at them.
const GIVES: [&str; 7] = [
    "n->v = 1;",
    "n->v = 2; g = n;",
    "g = n;",
    "__atomic_store_n(&g, n, 5);",
    "m = __atomic_exchange_n(&g, n, 5);",
    "__sync_bool_compare_and_swap(&g, m, n);",
    "x = 1;",
];
const LOOKS: [&str; 5] =
    ["m = g;", "m = g; if (m) r = m->v;", "if (m) r = m->v;", "if (m && m->next) r = m->next->v;", "r = x;"];

fn thread(rng: &mut Rng, number: usize, length: usize) -> String {
    let usual: &[&str] = if number == 0 { &GIVES } else { &LOOKS };
    let body: Vec<_> =
        (0..length).map(|_| if rng.one_in(3) { rng.pick(&ANY) } else { rng.pick(usual) }).collect();
    format!(
        "void *t{number}(void *arg) {{ struct node local = {{ 0, 0 }}, *n = calloc(1, sizeof *n), *m = 0; int r = 9;
             {} seen[{number}] = r; return 0; }}\n",
        body.join("\n")
    )
}

fn source(rng: &mut Rng) -> String {
    // Values that were there before others are what delayed stores let a thread see.
    let wanted = [rng.pick(&["0", "1", "9", "seen[0]"]), rng.pick(&["0", "0", "2", "9"])];
    let lengths = [3 + rng.below(3), 3 + rng.below(3)];
    format!(
        "{BEGINNING}{}{}int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, t0, 0);
             pthread_create(&b, 0, t1, 0);
             pthread_join(a, 0);
             pthread_join(b, 0);
             if (seen[0] == {} && seen[1] == {}) __assert_fail(\"\", \"\", 0, \"\");
             return 0;
         }}",
        thread(rng, 0, lengths[0]),
        thread(rng, 1, lengths[1]),
        wanted[0],
        wanted[1],
    )
}

fn check(program: &Program, model: Model, reduction: Reduction) -> Option<bool> {
    let budget = Budget::default().within(MEMORY);
    let task = Task { program, model, bounds: Bounds::default(), budget };
    let explicit = Explicit { reduction, ..Explicit::default() };
    match explicit.check_quickly(&task, &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => {
            assert!(replay(program, &trace).is_ok());
            Some(false)
        }
        Verdict::Safe { .. } => Some(true),
        Verdict::Unknown { .. } => None,
    }
}

#[test]
fn reductions_keep_the_verdicts_of_programs_that_share_objects() {
    let seeds = effort::seeds(SEEDS);
    let (mut compared, mut safe) = (0, 0);
    for seed in 0..seeds {
        let text = source(&mut Rng::new(seed));
        let tree =
            read(&[("heap.i", &text)], &Options::default()).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
        let program = pipeline::lower(tree);
        for model in Model::ALL {
            let all = check(&program, model, Reduction::Off);
            let reduced = check(&program, model, Reduction::On);
            assert!(all.is_none() || reduced == all, "seed {seed}, {model:?}: {all:?} {reduced:?}\n{text}");
            compared += usize::from(all.is_some());
            safe += usize::from(all == Some(true));
        }
    }
    let runs = 3 * seeds as usize;
    assert!(compared * 10 > runs * 9, "{compared} of {runs} could be compared");
    assert!(safe * 5 > runs && safe * 5 < runs * 4, "{safe} of {runs} are safe");
}
