//! Programs that keep addresses in integers: objects are renumbered and forgotten all the same, and no run is lost or gained by
//! that. The reference semantics numbers objects in the order of their allocation and forgets none.

use fencepost_c::{Options, read};
use fencepost_explore::{Explicit, Finals};
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{Machine, State, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::collections::BTreeSet;

/// Programs, unless `FENCEPOST_SEEDS` says how many.
const SEEDS: u64 = 150;

/// More states of the reference semantics are not waited for.
const MOST_STATES: usize = 40_000;

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *calloc(unsigned long, unsigned long);
    void free(void *);
    struct node { int v; struct node *next; };
    unsigned long g, h, packed;
    struct node *p;
    int seen[2];
";

/// `w` is an address, perhaps with a mark, or 0; `number` looks like one and is none.
const ANY: [&str; 18] = [
    "g = (unsigned long)n;",
    "g = (unsigned long)n | 1;",
    "h = w;",
    "w = g;",
    "w = h;",
    "p = n;",
    "n = p ? p : n;",
    "w = __atomic_exchange_n(&g, (unsigned long)n, 5);",
    "w = __sync_val_compare_and_swap(&g, w, (unsigned long)n);",
    "if (w == g) r = r * 2 % 64;",
    "if (w == (unsigned long)p) r = r + 1;",
    "if (w & 1) r = r + 4;",
    "if (w & ~1UL) ((struct node *)(w & ~1UL))->v = 4;",
    "if (w & ~1UL) r = ((struct node *)(w & ~1UL))->v;",
    "n = calloc(1, sizeof *n); n->v = 2;",
    "{ struct node *t = calloc(1, sizeof *t); t->v = r; r = t->v + 1; free(t); }",
    "packed = number;",
    "if (packed && packed % 16 != 8) r = 63;",
];

fn thread(rng: &mut Rng, me: usize, length: usize) -> String {
    let body: Vec<_> = (0..length).map(|_| rng.pick(&ANY)).collect();
    let number = format!("({}UL << 32) + 8", 1 + rng.below(9));
    format!(
        "void *t{me}(void *arg) {{ struct node *n = calloc(1, sizeof *n); unsigned long w = 0, number = {number}; int r = {};
             {} if (number != {number}) r = 62; seen[{me}] = r; return 0; }}\n",
        me + 1,
        body.join("\n")
    )
}

fn source(rng: &mut Rng) -> String {
    let lengths = [2 + rng.below(3), 2 + rng.below(3)];
    format!(
        "{BEGINNING}{}{}int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, t0, 0);
             pthread_create(&b, 0, t1, 0);
             pthread_join(a, 0);
             pthread_join(b, 0);
             return 0;
         }}",
        thread(rng, 0, lengths[0]),
        thread(rng, 1, lengths[1]),
    )
}

fn program(text: &str) -> Program {
    let tree = read(&[("addresses.i", text)], &Options::default());
    pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

/// What both threads have seen.
fn outcome(program: &Program, state: &State) -> Vec<i64> {
    let cells = (0..program.cell_types().len() as u32).map(Loc::cell);
    let is_seen = |loc: &Loc| program.cell_name(*loc).is_some_and(|name| name.starts_with("seen"));
    cells.filter(is_seen).map(|loc| state.read(loc)).collect()
}

fn task(program: &Program, model: Model) -> Task<'_> {
    Task { program, model, bounds: Bounds::default(), budget: Budget::default().within(1 << 30) }
}

#[test]
fn renumbered_objects_keep_every_outcome() {
    let (mut compared, mut opaque) = (0, 0);
    for seed in 0..effort::seeds(SEEDS) {
        let text = source(&mut Rng::new(seed));
        let program = program(&text);
        opaque += u64::from(program.exposes_pointers && program.opaque_addresses);
        let machine = Machine::new(&program).expect("threads are spawned");
        for model in Model::ALL {
            let Some(all) = with_memory!(model, memory => reachable(&machine, memory, MOST_STATES)) else {
                continue;
            };
            let finals = all.states.iter().filter(|state| state.is_final());
            let expected: BTreeSet<_> = finals.map(|state| outcome(&program, state)).collect();
            let mut found = BTreeSet::new();
            let see = &mut |state: &State| {
                found.insert(outcome(&program, state));
            };
            assert_eq!(Explicit::default().final_states(&task(&program, model), see), Finals::All, "{text}");
            assert_eq!(found, expected, "seed {seed}, {model:?}\n{text}");
            compared += 1;
        }
    }
    assert!(compared > effort::seeds(SEEDS), "{compared} were compared");
    assert!(opaque * 2 > effort::seeds(SEEDS), "{opaque} have addresses in integers that mean nothing");
}

/// Where a program computes with an address, its objects keep their numbers.
#[test]
fn addresses_that_are_computed_with_are_not_opaque() {
    let with = |use_of: &str| {
        let body =
            format!("struct node *n = calloc(1, sizeof *n); unsigned long w = (unsigned long)n; {use_of}");
        program(&format!("{BEGINNING}int main(void) {{ {body} g = w; return (int)g; }}")).opaque_addresses
    };
    for kept in [
        "w |= 1;",
        "w &= ~7UL;",
        "w += 8;",
        "if (w == h) g = 1;",
        "if (w & 3) g = 1;",
        "p = (struct node *)w;",
    ] {
        assert!(with(kept), "{kept}");
    }
    for computed in [
        "w >>= 4;",
        "w = w % 8;",
        "w *= 3;",
        "w = ~w;",
        "if (w < h) g = 1;",
        "w |= h;",
        "w += (unsigned long)n;",
        "w -= (unsigned long)&h; w = h - (unsigned long)n;",
        "seen[w]++;",
        "h = w; seen[0] = ((unsigned *)&h)[1];",
    ] {
        assert!(!with(computed), "{computed}");
    }
}

/// Loops that try again until something is there, in the ways of libraries: locals that are passed by address, in an integer or
/// in bytes, and nodes that are made for each try. All states can be visited, though the runs have no end.
#[test]
fn loops_that_retry_have_finitely_many_states() {
    let waiting = [
        "while (!take(&item)) ;",
        "do { unsigned long at = (unsigned long)&item; ok = take((long *)at); } while (!ok);",
        "do { long copy = 0; ok = take(&copy); memcpy((void *)&item, (void *)&copy, size); } while (!ok);",
        "do { struct node *n = calloc(1, sizeof *n); word = (unsigned long)n; ok = take(&n->v); item = n->v; free(n); } while (!ok);",
        "do { struct node *n = calloc(1, sizeof *n), *m = n; n->m = m; __atomic_exchange_n(&g, (unsigned long)m, 5); ok = take(&m->v); item = m->v; } while (!ok);",
    ];
    for wait in waiting {
        let text = format!(
            "typedef unsigned long pthread_t;
             int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
             int pthread_join(pthread_t, void **);
             void *calloc(unsigned long, unsigned long);
             void free(void *);
             void *memcpy(void *, const void *, unsigned long);
             void __assert_fail(const char *, const char *, unsigned int, const char *);
             struct node {{ long v; struct node *m; }};
             long slot, full; unsigned long g, word, size = sizeof(long);
             static int take(long *to) {{ if (!full) return 0; *to = slot; return 1; }}
             void *give(void *arg) {{ slot = 7; full = 1; return 0; }}
             void *wait(void *arg) {{ long item; int ok; {wait}
                 if (item != 7) __assert_fail(\"\", \"\", 0, \"\"); return 0; }}
             int main(void) {{ pthread_t a, b, c;
                 pthread_create(&a, 0, give, 0); pthread_create(&b, 0, wait, 0); pthread_create(&c, 0, wait, 0);
                 pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0); return 0; }}"
        );
        let program = program(&text);
        let answer = Explicit::default().check(&task(&program, Model::Tso), &mut |_| {});
        match answer.verdict {
            Verdict::Safe(cleared) => assert!(cleared.is_complete(), "{wait}"),
            other => panic!("{wait}: {other:?}"),
        }
        assert!(answer.stats.states < 20_000, "{wait}: {} states", answer.stats.states);
    }
}
