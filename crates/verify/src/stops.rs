//! A stop is never a proof: every engine, stopped at any look at its budget, says what it says without limits, or that it does
//! not know, or, where bounds grow, that there is no violation up to bounds that were finished; and what it claims up to bounds
//! holds up to these bounds, which the engine is asked once more for, without limits.
//!
//! Looks are made to come at every unit of work, so that every place where an engine can be stopped is tried, with
//! the time limit (which ends everything) and with the memory limit (which ends what looked).

use crate::decide::finished;
use crate::litmus::{Judge, Method, decide, prepare};
use crate::options::CheckOptions;
use crate::translated::{Growing, Translated};
use fencepost_certify::{replay, replay_cycle};
use fencepost_cover::Dual;
use fencepost_ir::{cfg, tree};
use fencepost_passes::pipeline;
use fencepost_robust::c11::{self, Found, ReleaseSequences};
use fencepost_robust::{attacks, races};
use fencepost_samples::effort::{self, Effort, effort};
use fencepost_samples::{Rng, labelled, random};
use fencepost_task::{
    Answer, Bounds, Budget, Cleared, Engine, EngineChoice, EngineId, Model, Progress, Reason, Scope, Stop,
    Task, Verdict,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An engine that has more work than this with a program is stopped there.
const MOST_UNITS: u64 = 20_000;

/// Units of work from look to look. Engines that search beside a solver take turns at looks, so theirs are not as close.
fn period(engine: EngineId) -> u64 {
    match engine {
        EngineId::Rounds | EngineId::Age => 256,
        EngineId::Explicit | EngineId::Dual | EngineId::Lazy | EngineId::Bmc => 1,
    }
}

/// How many looks of a run are tried, of all that there are.
fn tried_looks() -> usize {
    match effort() {
        Effort::Quick => 3,
        Effort::Full => 6,
        Effort::All => 40,
    }
}

/// A program and what is known of it.
pub struct Subject {
    name: String,
    pub tree: tree::Program,
    pub program: cfg::Program,
}

impl Subject {
    pub fn new(name: &str, text: &str) -> Option<Subject> {
        let tree = match Path::new(name).extension().and_then(|e| e.to_str()) {
            Some("c") => {
                let options = fencepost_c::Options::default();
                fencepost_c::read(&[(name, text)], &options).ok()?
            }
            _ => fencepost_models::fp::read(name, text).ok()?,
        };
        let program = pipeline::lower(tree.clone());
        Some(Subject { name: name.to_string(), tree, program })
    }

    pub fn ask(&self, engine: EngineId, model: Model, bounds: Bounds, budget: Budget) -> Answer {
        let task = Task { program: &self.program, model, bounds, budget };
        let options = CheckOptions { bounds, ..CheckOptions::default() };
        let translated = |bound| Translated::new(&self.tree, bounds.threads, bound);
        let progress = &mut |_: &Progress| {};
        match engine {
            EngineId::Explicit => options.explicit().check(&task, progress),
            EngineId::Dual => Dual.check(&task, progress),
            EngineId::Lazy => options.lazy().check(&task, progress),
            EngineId::Rounds => translated(Growing::Rounds(bounds.rounds)).check(&task, progress),
            EngineId::Age => translated(Growing::Age(bounds.age)).check(&task, progress),
            EngineId::Bmc => options.bmc(model).expect("the options fit").check(&task, progress),
        }
    }
}

/// A budget that counts looks, and stops the work at one of them.
fn stopping(engine: EngineId, at: Option<(u64, Stop)>) -> (Budget, Arc<AtomicU64>) {
    let most = MOST_UNITS / period(engine);
    let looks = Arc::new(AtomicU64::new(0));
    let counter = looks.clone();
    let watch = move || {
        let look = counter.fetch_add(1, Ordering::Relaxed);
        match at {
            // Time that is up stays up; memory is whoever's looks.
            Some((k, Stop::Memory)) if look == k => Some(Stop::Memory),
            Some((_, Stop::Memory)) => (look >= most).then_some(Stop::Timeout),
            Some((k, stop)) => (look >= k).then_some(stop),
            None => (look >= most).then_some(Stop::Timeout),
        }
    };
    (Budget::default().watched_by(Arc::new(watch)).looked_at_every(period(engine)), looks)
}

/// What is wrong with an answer of an engine that was stopped, where the program is known to be safe or not.
fn objection(
    subject: &Subject,
    engine: EngineId,
    model: Model,
    is_safe: bool,
    answer: &Answer,
) -> Option<String> {
    let cleared = match &answer.verdict {
        Verdict::Unsafe { .. } if is_safe => return Some("a violation of a safe program".into()),
        Verdict::Unsafe { trace } => {
            return replay(&subject.program, trace).err().map(|r| format!("a run that does not replay: {r}"));
        }
        Verdict::Safe(cleared) => Some(*cleared),
        Verdict::Unknown { cleared, .. } => *cleared,
    };
    match cleared.map(Cleared::scope)? {
        _ if is_safe => None,
        Scope::Complete => Some("safe, complete, and it is unsafe".into()),
        Scope::UpTo(bounds) => {
            let again = subject.ask(engine, model, bounds, stopping(engine, None).0);
            matches!(again.verdict, Verdict::Unsafe { .. })
                .then(|| format!("cleared {}, and it is unsafe within these bounds", Scope::UpTo(bounds)))
        }
    }
}

/// What a limit made of a verdict: it is the one without the limit, or unknown. Where an engine gives up without limits, it may
/// say something with one: another part of it has its turn. Bounds that time kept from growing are smaller than the others.
fn limited(unlimited: &Verdict, with_limit: &Verdict, ended: Option<&Reason>) -> Option<&'static str> {
    match (unlimited, with_limit) {
        (Verdict::Safe(all), Verdict::Safe(some)) if ended.is_some() => {
            let within = some.scope().and(all.scope()) == some.scope();
            (!within).then_some("safe beyond what is finished without the limit:")
        }
        // What is within the bounds that were finished is looked at by `objection`.
        (Verdict::Unsafe { .. }, Verdict::Safe(some)) if ended.is_some() && !some.is_complete() => None,
        (Verdict::Unsafe { .. }, Verdict::Safe(_)) => Some("safe, and without the limit unsafe:"),
        (Verdict::Safe(all), Verdict::Safe(some)) if all.scope() != some.scope() => {
            Some("safe in another scope than without the limit:")
        }
        _ => None,
    }
}

/// Whether a program is safe, if it is decided without limits.
fn truth(subject: &Subject, model: Model) -> Option<bool> {
    [EngineId::Explicit, EngineId::Dual].into_iter().find_map(|engine| {
        match subject.ask(engine, model, Bounds::default(), stopping(engine, None).0).verdict {
            Verdict::Unsafe { .. } => Some(false),
            Verdict::Safe(cleared) => cleared.is_complete().then_some(true),
            Verdict::Unknown { .. } => None,
        }
    })
}

/// Stops every engine at looks of its run; gives the number of stops that were tried.
fn stop_everywhere(subject: &Subject, model: Model, rng: &mut Rng) -> usize {
    let Some(is_safe) = truth(subject, model) else { return 0 };
    let mut tried = 0;
    for engine in EngineId::ALL {
        let (budget, looks) = stopping(engine, None);
        let unlimited = subject.ask(engine, model, Bounds::default(), budget);
        let objects = |answer: &Answer| objection(subject, engine, model, is_safe, answer);
        let said =
            |answer: &Answer| format!("{} under {model:?} by {engine}: {:?}", subject.name, answer.verdict);
        assert_eq!(objects(&unlimited), None, "{}", said(&unlimited));
        let looks = looks.load(Ordering::Relaxed).min(MOST_UNITS / period(engine));
        let few = looks as usize <= tried_looks();
        let some = (0..tried_looks()).map(|_| rng.below(looks as usize) as u64);
        let at: Vec<u64> = if few { (0..looks).collect() } else { some.chain([0, looks - 1]).collect() };
        for k in at {
            for stop in [Stop::Timeout, Stop::Memory] {
                let mut answer =
                    subject.ask(engine, model, Bounds::default(), stopping(engine, Some((k, stop))).0);
                let options = CheckOptions { engine: EngineChoice::Only(engine), ..CheckOptions::default() };
                let ended;
                (answer.verdict, ended) = finished(answer.verdict, &options);
                let at = format!("{stop:?} at look {k} of {looks}");
                assert_eq!(objects(&answer), None, "{}, {at}", said(&answer));
                let limited = limited(&unlimited.verdict, &answer.verdict, ended.as_ref());
                assert!(limited.is_none(), "{}, {at}: {limited:?} {:?}", said(&answer), unlimited.verdict);
                tried += 1;
            }
        }
    }
    tried
}

/// The lazy engine has a small limit of its own, and t3 and t4 take it over that limit.
const OVER_THE_LAZY_LIMIT: &str = "
    shared 0..3 x; shared 0..1 y; shared 0..1 u, v;
    process t1() { 0..3 c; while (c < 3) { c = c + 1; x = c; } assume(y == 0); got: skip; }
    process t2() { y = 1; fence; assume(x == 0); got2: skip; }
    process t3() { 0..1 r; while (true) { choose { u = 1 - r; } or { r = v; } } }
    process t4() { 0..1 r; while (true) { choose { v = 1 - r; } or { r = u; } } }
    start t1(), t2(), t3(), t4();
    forbid t1 at got and t2 at got2;";

#[test]
fn a_limit_of_the_engine_itself_is_no_proof() {
    let subject = Subject::new("limit.fp", OVER_THE_LAZY_LIMIT).unwrap();
    let answer =
        subject.ask(EngineId::Lazy, Model::Tso, Bounds::default(), Budget::default().within(64 << 20));
    assert!(!matches!(answer.verdict, Verdict::Safe(_)), "{:?}", answer.verdict);
    let answer = subject.ask(EngineId::Explicit, Model::Tso, Bounds::default(), Budget::default());
    assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{:?}", answer.verdict);
}

#[test]
fn examples_are_stopped_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut tried = 0;
    let mut rng = Rng::new(1);
    for name in ["peterson.fp", "dekker_fenced.fp", "lazy_fig7.fp", "mcs.fp", "peterson.c", "park.c"] {
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else { continue };
        let subject = Subject::new(name, &text).expect("examples can be read");
        for model in Model::ALL {
            tried += stop_everywhere(&subject, model, &mut rng);
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn random_programs_are_stopped_everywhere() {
    let seeds = effort::seeds(24);
    let mut tried = 0;
    let mut rng = Rng::new(2);
    for seed in 0..seeds {
        let text = match seed % 2 {
            0 => random::program(seed, random::Config { storing_loops: true, ..Default::default() })
                .to_string(),
            _ => labelled::program(seed, labelled::Shape::ALL[seed as usize % 3]).to_string(),
        };
        let Some(subject) = Subject::new(&format!("seed{seed}.fp"), &text) else { continue };
        let model = Model::ALL[seed as usize % 3];
        tried += stop_everywhere(&subject, model, &mut rng);
    }
    assert!(tried > 100, "{tried}");
}

/// What an engine that takes a stop for the end would say is objected to.
#[test]
fn a_stop_taken_for_the_end_is_noticed() {
    let subject = Subject::new("limit.fp", OVER_THE_LAZY_LIMIT).unwrap();
    let (model, bounds, budget) = (Model::Tso, Bounds::default(), Budget::default());
    let task = Task { program: &subject.program, model, bounds, budget };
    let verdict = Verdict::Safe(Cleared::new(&task, bounds, task.budget.finish().unwrap()));
    let answer = Answer { verdict, unreached: Vec::new(), stats: Default::default(), certificate: None };
    assert!(objection(&subject, EngineId::Lazy, Model::Tso, false, &answer).is_some());
    let bounds = Bounds { buffer: Some(4), ..Bounds::default() };
    let verdict = Verdict::Safe(Cleared::new(&task, bounds, task.budget.finish().unwrap()));
    let answer = Answer { verdict, ..answer };
    assert!(objection(&subject, EngineId::Explicit, Model::Tso, false, &answer).is_some());
}

/// A search for attacks that is stopped proves nothing, and the attacks that it has found are runs.
#[test]
fn searches_for_attacks_are_stopped_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut rng = Rng::new(3);
    let mut tried = 0;
    for name in ["peterson.fp", "dekker_fenced.fp", "lazy_fig8.fp", "park.c"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let program = Subject::new(name, &text).expect("examples can be read").program;
        for units in [1, 7, 100] {
            let limited = |at| {
                let (budget, looks) = stopping(EngineId::Lazy, at);
                (attacks(&program, &budget.looked_at_every(units)), looks.load(Ordering::Relaxed))
            };
            let (all, looks) = limited(None);
            for _ in 0..20 {
                let k = rng.below(looks as usize) as u64;
                let (some, _) = limited(Some((k, Stop::Timeout)));
                assert!(!some.is_robust() || all.is_robust(), "{name}: stopped at look {k} of {looks}");
                for attack in &some.found {
                    let replayed = replay_cycle(&program, &attack.witness.init, &attack.witness.steps);
                    assert!(replayed.is_ok(), "{name}: {attack:?} at look {k} of {looks}");
                }
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 240);
}

/// A finished smaller bound is an answer where the user asked for bounds, and only there.
#[test]
fn finished_bounds_are_an_answer_where_bounds_are_asked_for() {
    let subject = Subject::new("limit.fp", OVER_THE_LAZY_LIMIT).unwrap();
    let (model, bounds, budget) = (Model::Tso, Bounds::default(), Budget::default());
    let task = Task { program: &subject.program, model, bounds, budget };
    let bounds = Bounds { rounds: Some(1), ..Bounds::default() };
    let cleared = Some(Cleared::new(&task, bounds, task.budget.finish().unwrap()));
    let asked = |engine: EngineChoice, bounds: Bounds, reason: Reason| {
        let options = CheckOptions { engine, bounds, ..CheckOptions::default() };
        matches!(finished(Verdict::Unknown { reason, cleared }, &options).0, Verdict::Safe(_))
    };
    let (none, some) = (Bounds::default(), Bounds { rounds: Some(3), ..Bounds::default() });
    assert!(asked(EngineChoice::Only(EngineId::Rounds), none, Reason::Timeout));
    assert!(asked(EngineChoice::Auto, some, Reason::Timeout));
    assert!(!asked(EngineChoice::Auto, none, Reason::Timeout));
    assert!(!asked(EngineChoice::Only(EngineId::Explicit), none, Reason::Timeout));
    for reason in [Reason::Memory, Reason::Cancelled, Reason::NotApplicable(String::new())] {
        assert!(!asked(EngineChoice::Only(EngineId::Rounds), some, reason));
    }
}

/// Stops some work at looks: at all of them where they are few. Gives the number of stops.
fn stop_work<T: std::fmt::Debug>(
    name: &str,
    rng: &mut Rng,
    work: impl Fn(&Budget) -> T,
    is_unknown: impl Fn(&T) -> bool,
) -> usize {
    let (budget, looks) = stopping(EngineId::Lazy, None);
    let all = work(&budget);
    let looks = looks.load(Ordering::Relaxed).min(MOST_UNITS);
    if is_unknown(&all) {
        return 0;
    }
    let every = looks <= 60 * tried_looks() as u64;
    let some = (0..20 * tried_looks()).map(|_| rng.below(looks as usize) as u64).chain([looks - 1]);
    let at: Vec<u64> = if every { (0..looks).collect() } else { some.collect() };
    for &k in &at {
        for stop in [Stop::Timeout, Stop::Memory] {
            let answer = work(&stopping(EngineId::Lazy, Some((k, stop))).0);
            assert!(is_unknown(&answer), "{name}: {stop:?} at look {k} of {looks}: {answer:?}, and {all:?}");
        }
    }
    at.len()
}

/// Robust, not robust and racy programs in C11's words.
const ORDERED: [(&str, &str); 5] = [
    (
        "mp_robust",
        "shared 0..1 d, f; thread t { d@relaxed = 1; f@release = 1; }
         thread u { 0..1 r; 0..1 s; r = f@acquire; if (r == 1) { s = d@relaxed; } }",
    ),
    (
        "sb",
        "shared 0..1 x, y; thread t { 0..1 r; x@release = 1; r = y@acquire; }
         thread u { 0..1 r; y@release = 1; r = x@acquire; }",
    ),
    (
        "sb_seq_cst",
        "shared 0..1 x, y; thread t { 0..1 r; x@seq_cst = 1; r = y@seq_cst; }
         thread u { 0..1 r; y@seq_cst = 1; r = x@seq_cst; }",
    ),
    (
        "race",
        "shared 0..1 d, f; thread t { d = 1; f@relaxed = 1; }
         thread u { 0..1 r; 0..1 s; r = f@relaxed; if (r == 1) { s = d; } }",
    ),
    (
        "waiting",
        "shared 0..5 x; shared 0..1 f;
         thread t { 0..5 i; while (i < 5) { i = i + 1; x@relaxed = i; } f@release = 1; }
         thread u { 0..1 r; 0..5 s; r = f@acquire; while (r == 0) { r = f@acquire; } s = x@relaxed; }",
    ),
];

/// A search for steps beyond SC that is stopped says that it was, and nothing else.
#[test]
fn searches_against_c11_are_stopped_everywhere() {
    let mut rng = Rng::new(4);
    let mut tried = 0;
    for (name, text) in ORDERED {
        let tree = fencepost_models::fp::read(name, text).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}"));
        let program = pipeline::for_language(tree, pipeline::Options::default());
        for sequences in [ReleaseSequences::Cxx20, ReleaseSequences::C11] {
            let work = |budget: &Budget| c11::robustness(&program, sequences, budget).found;
            let stops = stop_work(name, &mut rng, work, |found| matches!(found, Found::Unknown(_)));
            assert!(stops > 10, "{name}: {stops}");
            tried += stops;
        }
    }
    assert!(tried > 500, "{tried}");
}

/// A search for triangular races that is stopped proves nothing.
#[test]
fn searches_for_races_are_stopped_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut rng = Rng::new(5);
    for name in ["peterson_fenced.fp", "dekker_fenced.fp"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let program = Subject::new(name, &text).expect("examples can be read").program;
        let unknown = |found: &fencepost_robust::Races| found.incomplete.is_some();
        assert!(stop_work(name, &mut rng, |budget| races(&program, budget), unknown) > 10, "{name}");
    }
}

/// Final states are all there, or there is no answer: every method, every model.
#[test]
fn litmus_tests_are_stopped_everywhere() {
    let mut rng = Rng::new(6);
    let x86 = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
               exists (0:EAX=0 /\\ 1:EAX=0)\n";
    let c = "C MP\n{}\nP0(atomic_int *x, atomic_int *y) { atomic_store_explicit(x, 1, memory_order_relaxed); \
             atomic_store_explicit(y, 1, memory_order_release); }\n\
             P1(atomic_int *x, atomic_int *y) { int r0 = atomic_load_explicit(y, memory_order_acquire); \
             int r1 = atomic_load_explicit(x, memory_order_seq_cst); }\n\
             exists (1:r0=1 /\\ 1:r1=0)\n";
    for (name, text) in [("sb.litmus", x86), ("mp.litmus", c)] {
        let test = fencepost_litmus::read_test(name, text).unwrap_or_else(|_| panic!("{name} can be read"));
        let machines = Model::ALL.map(Judge::Machine).into_iter();
        let language = [ReleaseSequences::Cxx20, ReleaseSequences::C11].map(Judge::C11);
        let judges: Vec<Judge> =
            machines.chain(language.into_iter().filter(|_| name == "mp.litmus")).collect();
        let prepared = prepare(&test, &judges);
        for judge in judges {
            for method in [Method::Explicit, Method::Axiomatic, Method::Bmc] {
                let work = |budget: &Budget| decide(&test, &prepared, judge, method, budget.clone());
                let name = format!("{name} under {} by {}", judge.name(), method.name());
                assert!(stop_work(&name, &mut rng, work, Result::is_err) > 3, "{name}");
            }
        }
    }
}
