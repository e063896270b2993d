//! Every loop that can run for long looks at the budget.
//!
//! Counted are units of work, by a budget that is looked at after every one of them, against what the phase is known to
//! have done: transitions of a search, steps of a run, clauses of a formula. So looking less often is no way out. And
//! where programs are large, no engine works for long between two looks: that is measured as time of the thread itself, so
//! that a busy machine makes no difference.

use crate::stops::Subject;
use fencepost_certify::{Replay, check_certificate_within, replay, replay_cycle_within, replay_within};
use fencepost_cover::Dual;
use fencepost_explore::{Explicit, least_weak};
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::axiom;
use fencepost_passes::pipeline;
use fencepost_report::explain::explain;
use fencepost_report::nearest_sc::nearest_sc;
use fencepost_report::picture::{Form, Frame, Picture};
use fencepost_report::spots::related;
use fencepost_report::text::Style;
use fencepost_report::timeline::timeline;
use fencepost_report::told::told;
use fencepost_report::{results, text};
use fencepost_robust::c11::{self, ReleaseSequences};
use fencepost_robust::fences::{HittingSets, Run};
use fencepost_robust::{attacks, races};
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Engine, EngineId, Model, Pace, Stats, Stop, Task, Trace, Verdict};
use fencepost_translate::{Bound, run_back, translate};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A budget and the number of its looks.
fn counted() -> (Budget, Arc<AtomicU64>) {
    let looks = Arc::new(AtomicU64::new(0));
    let counter = looks.clone();
    let budget = Budget::default().watched_by(Arc::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        None
    }));
    (budget, looks)
}

/// Units of work that a phase counts; looks, where it looks without counting.
fn units<T>(phase: impl FnOnce(&Budget) -> T) -> (u64, T) {
    let (budget, looks) = counted();
    let units = Arc::new(AtomicU64::new(0));
    let result = phase(&budget.looked_at_every(1).counted_by(units.clone()));
    (units.load(Ordering::Relaxed).max(looks.load(Ordering::Relaxed)), result)
}

fn example(name: &str) -> Subject {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Subject::new(name, &std::fs::read_to_string(path).unwrap()).unwrap()
}

fn subject(text: &str) -> Subject {
    Subject::new("looks.fp", text).expect("it can be read")
}

fn task<'s>(subject: &'s Subject, model: Model, budget: &Budget) -> Task<'s> {
    Task { program: &subject.program, model, bounds: Bounds::default(), budget: budget.clone() }
}

/// A violating run, as it is found.
fn run(subject: &Subject, model: Model) -> Trace {
    match Explicit::default().check_quickly(&task(subject, model, &Budget::default()), &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => trace,
        other => panic!("a run was expected, not {other:?}"),
    }
}

#[test]
fn engines_look_as_often_as_they_work() {
    let transitions = |stats: Stats| stats.transitions + stats.configurations;
    for (name, engine, work) in [
        ("burns3_fenced.fp", EngineId::Explicit, transitions as fn(Stats) -> u64),
        ("burns3_fenced.fp", EngineId::Dual, transitions),
        ("lamport_fenced.c", EngineId::Lazy, transitions),
        ("dekker_fenced.fp", EngineId::Rounds, |stats| stats.states),
        ("dekker_fenced.fp", EngineId::Age, |stats| stats.states),
    ] {
        let (budget, looks) = counted();
        let stats = example(name).ask(engine, Model::Tso, Bounds::default(), budget).stats;
        let (looks, work) = (looks.load(Ordering::Relaxed), work(stats));
        assert!(looks > 1 && looks * Pace::PERIOD >= work, "{name} by {engine}: {looks} looks, {work}");
    }
}

/// Formulas are made clause by clause, and of unrolled loops.
#[test]
fn formulas_are_counted() {
    let subject = example("dekker_fenced.fp");
    let count = |unwind| {
        let bounds = Bounds { unwind: Some(unwind), rounds: Some(2), ..Bounds::default() };
        let (units, answer) = units(|budget| subject.ask(EngineId::Bmc, Model::Tso, bounds, budget.clone()));
        (units, answer.stats.clauses)
    };
    let (few, many) = (count(1), count(4));
    for (units, clauses) in [few, many] {
        assert!(units * 64 >= clauses && clauses > 100, "{units} units for {clauses} clauses");
    }
    assert!(many.1 > 2 * few.1 && many.0 > 2 * few.0, "{few:?}, {many:?}");
}

#[test]
fn searches_for_attacks_are_counted() {
    let subject = example("dekker_fenced.fp");
    let (worked, found) = units(|budget| attacks(&subject.program, budget));
    assert!(
        worked >= found.stats.transitions && found.stats.transitions > 100,
        "{worked}: {:?}",
        found.stats
    );
    let (worked, found) = units(|budget| races(&subject.program, budget));
    assert!(worked >= found.stats.states && found.stats.states > 100, "{worked}: {:?}", found.stats);
}

/// A search beside the states of SC is counted by its transitions, its local steps, and what its views take.
#[test]
fn searches_against_c11_are_counted() {
    let language = |text: &str| {
        let tree = fencepost_models::fp::read("looks.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}"));
        pipeline::for_language(tree, pipeline::Options::default())
    };
    let search =
        |program: &Program| units(|budget| c11::robustness(program, ReleaseSequences::Cxx20, budget));
    let counting = |n: u32| {
        language(&format!(
            "shared 0..3 x, y; thread t {{ 0..{n} i; while (i < {n}) {{ i = i + 1; }} x@release = 1; }}
             thread u {{ 0..3 r; r = x@acquire; y@release = r; }}"
        ))
    };
    let ((few, _), (many, answer)) = (search(&counting(10)), search(&counting(5000)));
    assert!(many >= few + 2 * 4990, "local steps: {few}, {many}, {:?}", answer.found);
    assert!(many >= answer.stats.transitions && answer.stats.transitions > 5, "{many}: {:?}", answer.stats);
    let cells = |n: u32| {
        language(&format!(
            "shared 0..3 a[{n}]; thread t {{ a[0]@seq_cst = 1; }} thread u {{ 0..3 r; r = a[1]@seq_cst; }}"
        ))
    };
    let ((few, _), (many, answer)) = (search(&cells(10)), search(&cells(80)));
    assert!(many >= 100 * few, "views: {few}, {many}, {:?}", answer.found);
}

/// The axioms compose relations: the work is as the cube of the number of events.
#[test]
fn axioms_are_counted_by_what_they_compose() {
    let graph = |events: usize| {
        let mut graph = axiom::c11::Graph::default();
        for id in 0..events {
            let (loc, order) = (Loc::cell(0), Some(fencepost_ir::Order::SeqCst));
            let act = axiom::c11::Act::Write { loc, order, part: axiom::c11::Part::Store };
            graph.push(axiom::c11::Event { thread: id % 2, act, span: fencepost_ir::Span::NONE });
        }
        graph.order_writes(Loc::cell(0), (0..events).collect());
        graph
    };
    let work = |events: usize| {
        let graph = graph(events);
        let (worked, consistent) = units(|budget| {
            let pace = &mut Pace::new(budget);
            axiom::c11::Rules::new(&graph, ReleaseSequences::Cxx20, pace)?.is_consistent(pace)
        });
        assert_eq!(consistent, Ok(true));
        worked
    };
    let (few, many) = (work(128), work(512));
    assert!(many >= 16 * few && many as usize >= 512 * 512 * 8 / 1024, "{few}, {many}");
    let longest = longest(|budget| {
        let (graph, pace) = (graph(2000), &mut Pace::new(budget));
        let rules = axiom::c11::Rules::new(&graph, ReleaseSequences::Cxx20, pace);
        let _ = rules.and_then(|rules| rules.is_consistent(pace));
    });
    assert!(longest < MOMENT, "{longest:?} between two looks");
    // Relations that do not fit are refused before they are there.
    let small = Budget::default().within(1 << 20);
    let large = graph(4000);
    assert!(axiom::c11::Rules::new(&large, ReleaseSequences::Cxx20, &mut Pace::new(&small)).is_err());
}

/// A store that waits while its thread continues for long, and what comes of it: a violation, and an attack.
fn waiting(n: u32) -> Subject {
    subject(&format!(
        "shared 0..1 x, y; shared 0..{n} z;
         thread t {{ 0..{n} i; x = 1; assume(y == 0); while (i < {n}) {{ i = i + 1; z = i; }} got: skip; }}
         thread u {{ y = 1; assume(x == 0); got: skip; }}
         forbid t at got and u at got;"
    ))
}

#[test]
fn runs_are_followed_in_counted_steps() {
    let subject = waiting(50);
    let trace = run(&subject, Model::Tso);
    let steps = trace.steps.len() as u64;
    assert!(steps > 100);
    let program = &subject.program;
    let (worked, replayed) = units(|budget| replay_within(program, &trace, budget));
    assert!(worked >= steps && matches!(replayed, Ok(Ok(_))), "a replay: {worked} for {steps}");
    let (worked, _) = units(|budget| replay_cycle_within(program, &trace.init, &trace.steps, budget));
    assert!(worked >= 2 * steps, "a cycle: {worked} for {steps}");
    let (worked, _) = units(|budget| least_weak(&task(&subject, Model::Tso, budget), trace.clone()));
    assert!(worked >= steps, "the least weak run: {worked} for {steps}");
    let weak: Replay = replay(program, &trace).unwrap();
    let (worked, _) = units(|budget| nearest_sc(program, &weak, budget));
    assert!(worked >= steps, "the nearest run under SC: {worked} for {steps}");
    let (worked, early) = units(|budget| Run::from(&trace).flushed_early(program, budget));
    assert!(worked >= steps && early.is_ok(), "early flushes: {worked} for {steps}");
    let (found, _) =
        units(|budget| Explicit::default().check_quickly(&task(&subject, Model::Tso, budget), &mut |_| {}));
    let (all, _) =
        units(|budget| Explicit::default().check(&task(&subject, Model::Tso, budget), &mut |_| {}));
    assert!(all >= found + 6 * steps, "a shorter run: {found}, then {all} in all for {steps}");
}

#[test]
fn runs_of_translations_are_counted() {
    let subject = waiting(10);
    let translation = translate(&subject.tree, Bound::Age(1)).unwrap();
    let translated = pipeline::lower(translation.program.clone());
    let sc =
        Task { program: &translated, model: Model::Sc, bounds: Bounds::default(), budget: Budget::default() };
    let Verdict::Unsafe { trace } = Explicit::default().check_quickly(&sc, &mut |_| {}).verdict else {
        panic!("it is unsafe under TSO")
    };
    let (worked, run) = units(|budget| run_back(&subject.program, &translated, &translation, &trace, budget));
    let steps = (trace.steps.len() + run.unwrap().unwrap().steps.len()) as u64;
    assert!(worked >= steps, "{worked} for {steps}");
}

#[test]
fn proofs_are_counted() {
    let subject = example("burns3_fenced.fp");
    let answer = Dual.check(&task(&subject, Model::Tso, &Budget::default()), &mut |_| {});
    let proof = answer.certificate.expect("it is safe");
    let places: usize = proof.groups.iter().map(|g| g.relation.len()).sum();
    let work = (proof.basis.len() + proof.invariant.len() + places / 64) as u64;
    let (worked, checked) = units(|budget| check_certificate_within(&subject.program, &proof, budget));
    assert!(checked.is_ok() && worked >= work && work > 100, "{worked} for {work}");
}

#[test]
fn executions_are_counted() {
    let text = "shared 0..9 x, y; thread t { x = 1; x = 2; x = 3; 0..9 a = y; } thread u { y = 1; y = 2; 0..9 b = x; }
        final not exists (x == 9);";
    let subject = subject(text);
    let observed: Vec<_> =
        (0..2).map(fencepost_ir::cfg::Loc::cell).map(fencepost_ir::cfg::Observable::Cell).collect();
    let (worked, outcomes) = units(|budget| axiom::outcomes(&subject.program, Model::Tso, &observed, budget));
    // Each load takes its value from any store to its cell, and the three stores to x have six orders.
    assert!(outcomes.is_ok() && worked >= 3 * 4, "{worked}: {outcomes:?}");
    // One execution of a program that is too long would take gigabytes.
    let body: String = (0..3_000).map(|i| format!("x = {}; ", i % 7)).collect();
    let long = self::subject(&format!("shared 0..9 x; thread t {{ {body} }} final not exists (x == 9);"));
    let refused = axiom::outcomes(&long.program, Model::Tso, &observed[..1], &Budget::default());
    assert!(refused.is_err_and(|reason| reason.to_string().contains("more than 2048 steps")));
}

/// What is told of a run is counted, and left out where there is no time for it.
#[test]
fn telling_is_counted() {
    let subject = waiting(300);
    let program = &subject.program;
    let weak: Replay = replay(program, &run(&subject, Model::Tso)).unwrap();
    let steps = weak.steps.len() as u64;
    let style = Style::default();
    let wide = |picture: &Picture<'_>, budget: &Budget| {
        picture.drawing(Form::Wide, Frame::default(), budget).map(|drawing| drawing.len())
    };
    type Telling<'a> = &'a dyn Fn(&Budget) -> Result<usize, Stop>;
    let phases: [(&str, Telling<'_>); 6] = [
        ("a table", &|budget| text::run(program, &weak, style, budget).map(|text| text.len())),
        ("steps in JSON", &|budget| results::steps(program, &weak, budget).map(|_| 0)),
        ("steps in words", &|budget| told(program, &weak, budget).map(|told| told.len())),
        ("a drawing", &|budget| wide(&Picture::new(program, &weak, budget)?, budget)),
        ("places", &|budget| related(program, &weak, &timeline(&weak, budget)?, budget).map(|r| r.len())),
        ("a timeline", &|budget| timeline(&weak, budget).map(|line| line.flushed.len())),
    ];
    let closed = Budget::default().within(0);
    assert!(closed.look(1).is_err());
    for (name, phase) in phases {
        let (worked, done) = units(phase);
        assert!(done.is_ok() && worked >= steps, "{name}: {worked} for {steps}");
        assert_eq!(phase(&closed), Err(Stop::Memory), "{name}");
    }
    let story = explain(program, &weak, None, &[], &closed, &closed);
    assert!(story.reordering[0].ends_with("is left out here: the memory limit was reached."), "{story:?}");
}

/// A step that allocates is as much work as what it allocates.
#[test]
fn objects_are_counted_by_their_size() {
    let text = |bytes: u32| {
        format!(
            "#include <stdlib.h>\n#include <assert.h>\nchar *q;\n\
             int main(void) {{ for (int i = 0; i < 3; i++) {{ q = malloc({bytes}); q[i] = 1; }} assert(q[2] == 2); }}"
        )
    };
    let bytes = 1 << 16;
    let subject = Subject::new("objects.c", &text(bytes)).unwrap();
    let trace = run(&subject, Model::Tso);
    // Each cell of an object takes more than eight bytes.
    let least = 3 * u64::from(bytes) * 8 / Pace::BYTES_A_UNIT;
    for engine in [EngineId::Explicit, EngineId::Lazy, EngineId::Bmc] {
        let ask = |b: &Budget| subject.ask(engine, Model::Tso, Bounds::default(), b.clone());
        let (worked, answer) = units(ask);
        assert!(worked >= least, "{engine}: {worked} for {least}, {:?}", answer.verdict);
    }
    let (worked, replayed) = units(|budget| replay_within(&subject.program, &trace, budget));
    assert!(worked >= least && matches!(replayed, Ok(Ok(_))), "{worked} for {least}");
    let (worked, _) = units(|budget| attacks(&subject.program, budget));
    assert!(worked >= u64::from(bytes) * 8 / Pace::BYTES_A_UNIT, "attacks: {worked}");
}

#[test]
fn hitting_sets_are_counted() {
    // Each of ten pairs is met by one of its two elements.
    let mut sets = HittingSets::new(vec![1; 20]);
    (0..10).for_each(|i| assert!(sets.add(vec![2 * i, 2 * i + 1])));
    let mut looks = 0;
    let mut look = || {
        looks += 1;
        Ok(())
    };
    let (found, _) = sets.all_minimum(5000, &mut look).unwrap();
    assert_eq!(found.len(), 1024);
    assert!(looks * 256 >= found.len(), "{looks} looks for {} sets", found.len());
}

/// Programs of a size: many objects, allocated and global, a large array, many threads, a long body, a long run.
fn of_size(n: usize) -> [(&'static str, Subject); 6] {
    let c = |name: &str, text: String| Subject::new(name, &text).expect("it can be read");
    let globals: String = (0..n).map(|i| format!("int g{i};")).collect();
    let written: String = (0..n).map(|i| format!("g{i} = {i};")).collect();
    let threads: String = (0..n / 20).map(|i| format!("thread t{i} {{ x = {}; }} ", i % 3)).collect();
    let body: String = (0..n).map(|i| format!("x = {}; ", i % 3)).collect();
    let head = "#include <stdlib.h>\n#include <assert.h>\n";
    [
        (
            "allocated objects",
            c(
                "a.c",
                format!(
                    "{head}int main(void) {{ for (int i = 0; i < {n}; i++) {{ int *p = malloc(4); *p = i; free(p); }} assert(0); }}"
                ),
            ),
        ),
        ("globals", c("g.c", format!("{head}{globals} int main(void) {{ {written} assert(0); }}"))),
        (
            "an array",
            c(
                "r.c",
                format!(
                    "{head}int a[{n}]; int main(void) {{ for (int i = 0; i < {n}; i++) a[i] = i; assert(0); }}"
                ),
            ),
        ),
        ("threads", subject(&format!("shared 0..3 x; {threads} thread last {{ assert(x == 3); }}"))),
        ("a body", subject(&format!("shared 0..3 x; thread t {{ {body} assert(x == 3); }}"))),
        (
            "a run",
            subject(&format!(
                "shared 0..3 x; thread t {{ 0..{n} i; while (i < {n}) {{ i = i + 1; x = 1; }} assert(x == 3); }}"
            )),
        ),
    ]
}

/// What the states of a replayed run take together, in units of work, and once more while they are thinned out.
const KEPT: u64 = 2 * (48 << 20) / 4096;

/// The graph and the run grow with the program, and a replay takes as long as the run, but for the states that it keeps.
#[test]
fn sizes_are_linear() {
    let measured = |n: usize| {
        of_size(n).map(|(name, subject)| {
            let edges: usize = subject.program.procedures.iter().map(|p| p.edges().len()).sum();
            let trace = run(&subject, Model::Sc);
            let steps = trace.steps.len() as u64;
            let (replayed, ok) = units(|budget| replay_within(&subject.program, &trace, budget));
            assert!(matches!(ok, Ok(Ok(_))), "{name}");
            assert!(replayed <= 2 * steps + KEPT, "{name}: {replayed} units to replay {steps} steps");
            (name, [edges as u64, steps])
        })
    };
    for ((name, small), (_, large)) in measured(400).into_iter().zip(measured(1600)) {
        for (small, large) in small.into_iter().zip(large) {
            assert!(large <= 6 * small + 100, "{name}: {small}, and {large} of four times the size");
        }
    }
}

/// How long this thread has run.
fn ran() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

thread_local! {
    /// When this thread looked last, by its own time.
    static LOOKED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The longest time that a thread worked between two looks. The engine is stopped after a while.
fn longest(phase: impl FnOnce(&Budget)) -> Duration {
    let most = Arc::new(AtomicU64::new(0));
    let noted = most.clone();
    let note = move || {
        let now = ran();
        let since = now.saturating_sub(LOOKED.replace(now));
        noted.fetch_max(since.as_nanos() as u64, Ordering::Relaxed);
    };
    let watch = note.clone();
    // What is taken has to be given back: with memory that grows for three seconds that would be most of it.
    let limits =
        Budget::default().until(Instant::now() + Duration::from_secs(effort::seconds(3))).within(1 << 30);
    let budget = limits.watched_by(Arc::new(move || {
        watch();
        None
    }));
    LOOKED.set(ran());
    phase(&budget);
    note();
    Duration::from_nanos(most.load(Ordering::Relaxed))
}

/// Enough for everything that is done once for each statement or cell.
const MOMENT: Duration = Duration::from_secs(1);

/// No engine works for long between two looks at a large program.
#[cfg(target_os = "linux")]
mod no_engine_works_for_long {
    use super::*;

    fn with(subject: &Subject) {
        for engine in EngineId::ALL {
            let longest = longest(|b| drop(subject.ask(engine, Model::Tso, Bounds::default(), b.clone())));
            assert!(longest < MOMENT, "{engine}: {longest:?} between two looks");
        }
        let longest =
            longest(|budget| drop((attacks(&subject.program, budget), races(&subject.program, budget))));
        assert!(longest < MOMENT, "attacks: {longest:?} between two looks");
    }

    #[test]
    fn with_a_long_thread() {
        let body: String = (0..20_000).map(|i| format!("x = {}; ", i % 7)).collect();
        with(&subject(&format!(
            "shared 0..7 x, y; thread t {{ {body} assert(y == 0); }} thread u {{ y = 1; }}"
        )));
    }

    #[test]
    fn with_many_labels() {
        let labels: String = (0..20_000).map(|i| format!("l{i}: x = {}; ", i % 7)).collect();
        with(&subject(&format!(
            "shared 0..7 x; process t() {{ {labels} }} process u() {{ m: x = 1; }} start t(), u();
             forbid t at l19999 and u at m;"
        )));
    }

    #[test]
    fn with_a_large_array() {
        with(&subject(
            "shared 0..7 a[20000];
             thread t { 0..20000 i; while (i < 20000) { a[i] = 3; i = i + 1; } assert(a[77] == 0); }",
        ));
    }

    #[test]
    fn with_many_threads() {
        let threads: String =
            (0..100).map(|i| format!("thread t{i} {{ x = {}; assert(y == 0); }}", i % 7)).collect();
        with(&subject(&format!("shared 0..7 x, y; {threads}")));
    }

    #[test]
    fn with_jumps_back() {
        let jumps: String =
            (0..6000).map(|i| format!("l{i}: x++; if (x == {i}) goto l{};", i * 7919 % 6000)).collect();
        let text =
            format!("int x; void reach_error(void); int main(void) {{ {jumps} if (x == 7) reach_error(); }}");
        with(&Subject::new("jumps.c", &text).expect("it can be read"));
    }
}
