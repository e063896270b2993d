//! The lazy engine against the reference and against explicit search; its runs are replayed.

use fencepost_certify::replay;
use fencepost_explore::{Explicit, Finals, Reduction, Strategy};
use fencepost_ir::cfg::{Loc, Program, Property, Quantifier};
use fencepost_memory::{Machine, Sc, State, Tso, reachable};
use fencepost_robust::lazy::Lazy;
use fencepost_samples::c_pointers::CPointers;
use fencepost_samples::effort;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_samples::random::{self, Config};
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::collections::{BTreeSet, HashSet};

fn task(program: &Program) -> Task<'_> {
    Task { program, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() }
}

/// Every final state of every tiny program is asked for, and none that is not one.
#[test]
fn tiny_programs_without_loops_are_decided() {
    let mut counts = [0, 0];
    for (number, tiny) in Tiny::all(2).step_by(5).chain(Tiny::all(3).step_by(397)).enumerate() {
        let mut program = tiny.program();
        let machine = Machine::new(&program).unwrap();
        let found = reachable(&machine, &Tso, usize::MAX).unwrap();
        let finals: Vec<_> = found.states.iter().filter(|s| s.is_final()).collect();
        // A final state, and one that differs from it in its first register.
        let chosen = finals[number % finals.len()];
        let registers: Vec<i64> = chosen.threads.iter().flat_map(|t| t.registers.clone()).collect();
        for change in [0, 1] {
            let mut wanted: Vec<i64> = chosen.cells.iter().chain(&registers).copied().collect();
            if change == 1 {
                let Some(last) = wanted.last_mut() else { continue };
                *last = (*last + 1) % 3;
            }
            let is = |s: &&&fencepost_memory::State| {
                let all: Vec<i64> =
                    s.cells.iter().chain(s.threads.iter().flat_map(|t| &t.registers)).copied().collect();
                all == wanted
            };
            let expected = finals.iter().any(|s| is(&s));
            let Property::Final { observed, .. } = program.properties[0].clone() else { panic!() };
            use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Reg};
            let condition = wanted.iter().enumerate().fold(Expr::Const(1), |c, (i, v)| {
                let reg = Box::new(Expr::Reg(Reg::Local(i as u32)));
                let same = Expr::Binary(BinaryOp::Eq, Arith::Exact, reg, Box::new(Expr::Const(*v)));
                Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(c), Box::new(same))
            });
            program.properties[0] = Property::Final {
                quantifier: Quantifier::Exists,
                observed,
                condition,
                span: fencepost_ir::Span::NONE,
            };
            let answer = Lazy::default().check(&task(&program), &mut |_| {});
            match answer.verdict {
                Verdict::Safe(cleared) => {
                    assert!(cleared.is_complete());
                    assert!(!expected, "{tiny} reaches {wanted:?}");
                }
                Verdict::Unsafe { trace } => {
                    assert!(expected, "{tiny} does not reach {wanted:?}");
                    replay(&program, &trace).unwrap_or_else(|r| panic!("{tiny}: {r}"));
                }
                Verdict::Unknown { reason, .. } => panic!("{tiny} has no loops: {reason}"),
            }
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|n| *n > 100), "{counts:?}");
}

#[test]
fn random_programs_agree_with_explicit_search() {
    let seeds = effort::seeds(300);
    let mut counts = [0, 0, 0];
    for seed in 0..seeds {
        let config = Config { statements: 4, threads: 2 + seed as usize % 2, storing_loops: seed % 5 == 0 };
        let text = random::program(seed, config).to_string();
        let Ok(tree) = fencepost_models::fp::read("random.fp", &text) else { continue };
        let program = fencepost_passes::pipeline::lower(tree);
        let budget = Budget::default().within(16 << 20);
        let task = Task { budget, ..task(&program) };
        let answer = Lazy { iterations: 4 }.check(&task, &mut |_| {});
        let explicit = Explicit::default().check_quickly(&task, &mut |_| {});
        let unwound = Task { bounds: Bounds { unwind: Some(1), ..Bounds::default() }, ..task.clone() };
        match (Lazy { iterations: 4 }.check(&unwound, &mut |_| {}).verdict, &explicit.verdict) {
            (Verdict::Unsafe { trace }, _) => {
                replay(&program, &trace).unwrap_or_else(|r| panic!("unwound: {r}\n{text}"));
            }
            (Verdict::Safe(cleared), Verdict::Unsafe { .. }) if cleared.is_complete() => {
                panic!("nothing to unwind, and explicit search finds a run:\n{text}");
            }
            (Verdict::Safe { .. } | Verdict::Unknown { .. }, _) => {}
        }
        match (answer.verdict, explicit.verdict) {
            (Verdict::Unsafe { trace }, other) => {
                assert!(!matches!(other, Verdict::Safe { .. }), "lazy finds a run:\n{text}");
                replay(&program, &trace).unwrap_or_else(|r| panic!("{r}\n{text}"));
                counts[1] += 1;
            }
            (Verdict::Safe { .. }, other) => {
                assert!(!matches!(other, Verdict::Unsafe { .. }), "explicit search finds a run:\n{text}");
                counts[0] += 1;
            }
            (Verdict::Unknown { reason, .. }, _) => {
                println!("{seed}: {reason}");
                counts[2] += 1;
            }
        }
    }
    println!("{counts:?} safe, unsafe, unknown");
    assert!(counts[0] > seeds / 20 && counts[1] > seeds / 5 && counts[2] < seeds / 5, "{counts:?}");
}

/// What `out0` and `out1` can be at the end, by the reference semantics.
fn seen(program: &Program) -> Option<BTreeSet<(u32, u32)>> {
    let machine = Machine::new(program).expect("threads are spawned");
    let cells = (0..program.cell_types().len() as u32).map(Loc::cell);
    let out = |name: &str| cells.clone().find(|loc| program.cell_name(*loc).as_deref() == Some(name));
    let (Some(first), Some(second)) = (out("out0"), out("out1")) else { panic!("both are variables") };
    let reached = reachable(&machine, &Tso, 60_000)?;
    let finals = reached.states.iter().filter(|state| state.is_final());
    Some(finals.map(|state| (state.read(first) as u32, state.read(second) as u32)).collect())
}

/// Two threads access one word in several sizes: what they can see is what the reference semantics lets them see.
#[test]
fn programs_of_mixed_sizes_see_what_the_reference_semantics_does() {
    let seeds = effort::seeds(60);
    let mut counts = [0, 0];
    for seed in 0..seeds {
        let sample = MixedSizes::new(seed);
        let program = |first, second| {
            let text = sample.source(first, second);
            let tree = fencepost_c::read(&[("mixed.i", &text)], &fencepost_c::Options::default());
            let tree = tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message));
            (fencepost_passes::pipeline::lower(tree), text)
        };
        let Some(set) = seen(&program(u32::MAX, u32::MAX).0) else { continue };
        // What can be, and what could be if the threads did not know of each other.
        let firsts: BTreeSet<u32> = set.iter().map(|(first, _)| *first).collect();
        let seconds: BTreeSet<u32> = set.iter().map(|(_, second)| *second).collect();
        let pairs = firsts.iter().flat_map(|first| seconds.iter().map(move |second| (*first, *second)));
        for (first, second) in pairs.take(8) {
            let (program, text) = program(first, second);
            match Lazy::default().check(&task(&program), &mut |_| {}).verdict {
                Verdict::Safe(cleared) => {
                    assert!(cleared.is_complete(), "there are no loops:\n{text}");
                    assert!(!set.contains(&(first, second)), "the reference semantics finds a run:\n{text}");
                    counts[0] += 1;
                }
                Verdict::Unsafe { trace } => {
                    replay(&program, &trace).unwrap_or_else(|r| panic!("{r}\n{text}"));
                    assert!(set.contains(&(first, second)), "there is no such run:\n{text}");
                    counts[1] += 1;
                }
                Verdict::Unknown { reason, .. } => panic!("there are no loops: {reason}\n{text}"),
            }
        }
    }
    println!("{counts:?} safe and unsafe");
    assert!(counts[0] > seeds / 6 && counts[1] > seeds, "{counts:?}");
}

/// A C program, ready for engines.
fn c_program(text: &str) -> Program {
    let tree = fencepost_c::read(&[("random.i", text)], &fencepost_c::Options::default());
    fencepost_passes::pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

/// Two threads store, load and follow pointers, to variables and to allocated memory.
#[test]
fn programs_with_pointers_agree_with_explicit_search() {
    let seeds = effort::seeds(200);
    let (mut counts, mut delayed) = ([0, 0, 0], 0);
    for seed in 0..seeds {
        let sample = CPointers::new(seed);
        // What both can see at the end, by the reference semantics, if no run fails before.
        let set = seen(&c_program(&sample.source(-1, -1))).unwrap_or_default();
        let mut asked: Vec<(i64, i64)> = vec![(-1, -1)];
        let ends = |first: u32, second: u32| (i64::from(first as i32), i64::from(second as i32));
        asked.extend(set.iter().map(|&(first, second)| ends(first, second)).take(3));
        let other = set.first().zip(set.last()).map(|(a, b)| ends(a.0, b.1));
        asked.extend(other);
        for (first, second) in asked {
            let text = sample.source(first, second);
            let program = c_program(&text);
            let budget = Budget::default().within(64 << 20);
            let task = Task { budget, ..task(&program) };
            let explicit = Explicit::default().check_quickly(&task, &mut |_| {}).verdict;
            delayed += u32::from(fencepost_robust::lazy::extended(&task, 3).procedures != program.procedures);
            match (Lazy::default().check(&task, &mut |_| {}).verdict, explicit) {
                (Verdict::Safe(cleared), explicit) => {
                    assert!(cleared.is_complete(), "there are no loops:\n{text}");
                    assert!(matches!(explicit, Verdict::Safe { .. }), "seed {seed}: {explicit:?}\n{text}");
                    counts[0] += 1;
                }
                (Verdict::Unsafe { trace }, explicit) => {
                    replay(&program, &trace).unwrap_or_else(|r| panic!("seed {seed}: {r}\n{text}"));
                    assert!(!matches!(explicit, Verdict::Safe { .. }), "seed {seed}: no such run:\n{text}");
                    counts[1] += 1;
                }
                (Verdict::Unknown { reason, .. }, explicit) => {
                    println!(
                        "{seed}: {reason}; explicit search: {}",
                        matches!(explicit, Verdict::Unknown { .. })
                    );
                    counts[2] += 1;
                }
            }
        }
    }
    println!("{counts:?} safe, unsafe, unknown; {delayed} extended");
    assert!(u64::from(delayed) > seeds / 2 && counts[0] > seeds / 2 && counts[2] < seeds / 10, "{counts:?}");
}

const THREADS: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *malloc(unsigned long);
    void free(void *);
    int x, y, z, w, a[2], *p = &w, *g = &x;
    void *t1(void *arg) { y = 1; __sync_synchronize(); z = 1 - x; return 0; }
    void *t0(void *arg);
    int main(void) {
        pthread_t a, b;
        pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0);
        pthread_join(a, 0); pthread_join(b, 0);
        return 0;
    }
    void *t0(void *arg) { *g = 1; int r = y, t = z; int weak = t && !r;
";

/// What goes wrong only while a store waits: at a store, at a load, and not at all.
#[test]
fn errors_of_delayed_accesses_are_found() {
    let bodies = [
        ("int *q = weak ? 0 : p; *q = 3; r = *q;", true),
        ("r = a[2 * weak];", true),
        ("a[2 * weak] = 1; r = *p;", true),
        ("int *q = malloc(4); *q = 2; if (weak) free(q); r = *q;", true),
        // The value is what was stored last, through whatever pointer.
        ("*p = 5; w = 6; if (weak && *p != 6) r = *(int *)0;", false),
        ("*p = 5; a[1] = 7; if (weak && w + p[0] != 10) r = *(int *)0;", false),
        ("short *h = (short *)&a[0]; h[1] = 2; if (weak && a[0] != 0x20000) r = *(int *)0;", false),
        (
            "short *h = (short *)&a[0]; a[0] = 0x10001; h[1] = 2; if (weak && a[0] != 0x20001) r = *(int *)0;",
            false,
        ),
        ("short *h = (short *)&a[0]; h[1] = 2; a[0] = 0x10001; if (weak && h[1] != 1) r = *(int *)0;", false),
        ("short *h = (short *)&a[0]; a[0] = 0x10001; if (weak && h[0] != 1) r = *(int *)0;", false),
        (
            "short *h = (short *)&a[0]; a[0] = 0x50005; h[0] = 2; if (weak && a[0] != 0x50002) r = *(int *)0;",
            false,
        ),
        // A local variable is gone before its store reaches memory.
        (
            "for (int i = 0; i < 3; i++) { int v; int *q = &v; *q = i; r += *q; } if (weak && r != 3) r = *(int *)0;",
            false,
        ),
    ];
    for (body, is_wrong) in bodies {
        let text = format!("{THREADS}{body} return 0; }}");
        let program = c_program(&text);
        match Lazy::default().check(&task(&program), &mut |_| {}).verdict {
            Verdict::Unsafe { trace } => {
                assert!(is_wrong, "{body}");
                replay(&program, &trace).unwrap_or_else(|r| panic!("{r}: {body}"));
            }
            Verdict::Safe(cleared) => assert!(cleared.is_complete() && !is_wrong, "{body}"),
            Verdict::Unknown { reason, .. } => panic!("{reason}: {body}"),
        }
    }
}

/// Stores reach memory while their thread goes round without end.
#[test]
fn a_thread_that_goes_round_still_gives_its_stores_away() {
    let text = "
        shared int x, y, z;
        process a() { int r; x = 1; r = y; z = r + 1; while (true) { r = 0; } }
        process b() { int r; y = 1; fence; r = x; assume(z == 1); assert(r != 0); }
        start a(), b();
    ";
    let tree = fencepost_models::fp::read("round.fp", text).expect("a program");
    let program = fencepost_passes::pipeline::lower(tree);
    let answer = Lazy::default().check(&task(&program), &mut |_| {});
    assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{:?}", answer.verdict);
}

/// Lemma 1 of the paper: an extension neither adds nor removes reachable states of the original's registers and
/// memory. Compared are the states at the end, under TSO; and what the extension reaches under SC is among them.
#[test]
fn extensions_neither_add_nor_remove_states() {
    let mut extended_programs = 0;
    let mut compare = |program: &Program, text: &str| {
        let task = task(program);
        let extension = fencepost_robust::lazy::extended(&task, 3);
        if extension.procedures == program.procedures {
            return;
        }
        let registers: Vec<usize> =
            program.threads.iter().map(|t| program.procedure(t.procedure).registers.len()).collect();
        let shared = program.thread_registers.len();
        let ends = |program: &Program, model| {
            let budget = Budget::default().within(4 << 20);
            let task = Task { program, model, bounds: Bounds::default(), budget };
            let mut ends = BTreeSet::new();
            let all = Explicit { strategy: Strategy::Breadth, reduction: Reduction::Off };
            let finals = all.final_states(&task, &mut |s| {
                let kept = s.threads.iter().zip(&registers).map(|(t, n)| t.registers[..shared + n].to_vec());
                ends.insert((s.cells.clone(), kept.collect::<Vec<_>>()));
            });
            (finals == Finals::All).then_some(ends)
        };
        if let (Some(given), Some(tso), Some(sc)) =
            (ends(program, Model::Tso), ends(&extension, Model::Tso), ends(&extension, Model::Sc))
        {
            assert_eq!(given, tso, "{text}");
            assert!(sc.is_subset(&given), "{text}");
            extended_programs += 1;
        }
    };
    for tiny in Tiny::all(2).chain(Tiny::all(3).step_by(211)) {
        compare(&tiny.program(), &tiny.to_string());
    }
    for seed in 0..150 {
        let config = Config { statements: 3, threads: 2, storing_loops: false };
        let text = random::program(seed, config).to_string();
        let Ok(tree) = fencepost_models::fp::read("random.fp", &text) else { continue };
        let mut program = fencepost_passes::pipeline::lower(tree);
        // Without properties the extension continues to the last round.
        program.properties.clear();
        compare(&program, &text);
    }
    assert!(extended_programs > 50, "{extended_programs} programs were extended");
}

/// Robust programs reach the same under SC and TSO.
#[test]
fn robust_programs_reach_the_same_states() {
    let mut robust = 0;
    let mut compare = |program: &Program, text: &str| {
        if !fencepost_robust::attacks(program, &Budget::default()).is_robust() {
            return;
        }
        let machine = Machine::new(program).unwrap();
        let settled = |found: fencepost_memory::Reachable| -> HashSet<State> {
            let empty = |s: &State| s.threads.iter().all(|t| t.buffer.is_empty()) && s.section.is_none();
            found.states.into_iter().filter(empty).collect()
        };
        let (sc, tso) = (reachable(&machine, &Sc, 20_000), reachable(&machine, &Tso, 20_000));
        if let (Some(sc), Some(tso)) = (sc, tso) {
            assert!(settled(sc) == settled(tso), "{text}");
            robust += 1;
        }
    };
    for tiny in Tiny::all(2).chain(Tiny::all(3).step_by(101)) {
        compare(&tiny.program(), &tiny.to_string());
    }
    for seed in 0..200 {
        let config = Config { statements: 4, threads: 2 + seed as usize % 2, storing_loops: false };
        let text = random::program(seed, config).to_string();
        let Ok(tree) = fencepost_models::fp::read("random.fp", &text) else { continue };
        compare(&fencepost_passes::pipeline::lower(tree), &text);
    }
    assert!(robust > 1000, "{robust} robust programs");
}

/// A double word that is read at once and compared-and-swapped: the first is a section that leaves the buffer as it is, the
/// second one that stores and waits.
#[test]
fn double_words_are_compared_and_swapped() {
    let text = "
        typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        int pthread_join(pthread_t, void **);
        void __assert_fail(const char *, const char *, unsigned, const char *);
        struct pair { int *to; unsigned long count; } __attribute__((aligned(16)));
        struct pair top; int x;
        void *add(void *arg) {
            struct pair old, new;
            __atomic_load(&top, &old, 2);
            do { new.to = &x; new.count = old.count + 1; }
            while (!__atomic_compare_exchange(&top, &old, &new, 0, 4, 2));
            return 0;
        }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, add, 0);
            pthread_create(&b, 0, add, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
            if (top.count != 2 || top.to != &x) __assert_fail(\"\", \"\", 0, \"\");
            return 0;
        }";
    let program = c_program(text);
    let verdict = Lazy::default().check(&task(&program), &mut |_| {}).verdict;
    assert!(matches!(&verdict, Verdict::Safe(cleared) if cleared.is_complete()), "{verdict:?}");
}
