//! The monitor against the axioms, point by point: at every graph of SC that a small program has, and for each thread, the steps away from
//! the newest write that the monitor lists are those that RC11 has, with the same values; the thread knows the newest write only where SC
//! has none of them; a step races for the monitor exactly if it does for the axioms; and the views depend on the graph alone.
//!
//! Verdicts of whole programs hardly notice a wrong rule of seq_cst, this does: each rule that is left out is noticed.
//! `FENCEPOST_SEEDS=N` takes more programs.

use super::monitor::{Choice, Monitor};
use super::rules::{Rule, Rules};
use super::search::{Broken, Watched, successors};
use super::views::Views;
use super::{Found, races, robustness, synchronises};
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_memory::axiom::c11::{self, Act, ReleaseSequences, Source};
use fencepost_memory::run_graph::{Record, What};
use fencepost_memory::{Machine, State};
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::effort::{Effort, effort, seeds};
use fencepost_samples::ordered::{
    Ordered, Profile, cycle, decisive, known, neighbour, random, threaded, tiny,
};
use fencepost_task::{Action, Bounds, Budget, Model, Pace, Stop, Task, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Graphs of one program that are looked at.
const MAX_GRAPHS: usize = 3000;

type Steps = BTreeMap<What, BTreeSet<i64>>;

/// What was counted.
#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    points: usize,
    /// Points with a step away from the newest write.
    weak: usize,
    /// Steps that race.
    races: usize,
    /// Programs all of whose atomic accesses synchronise.
    synchronising: usize,
    /// Programs with an execution that SC does not have.
    weak_programs: usize,
    /// How often leaving a rule out was noticed.
    noticed: HashMap<String, usize>,
}

/// An event as its thread numbers it.
type Name = (usize, usize);

/// A graph, however its events were numbered.
fn key(record: &Record) -> Vec<(Name, String)> {
    let graph = record.graph();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut names: Vec<Name> = Vec::new();
    for event in graph.events() {
        let count = counts.entry(event.thread).or_default();
        names.push((event.thread, *count));
        *count += 1;
    }
    let name = |source: Source| match source {
        Source::Initial => None,
        Source::Event(id) => Some(names[id]),
    };
    let mut key: Vec<(Name, String)> = Vec::new();
    for (id, event) in graph.events().iter().enumerate() {
        let text = match event.act {
            Act::Read { loc, order, source } => format!("R {loc:?} {order:?} {:?}", name(source)),
            Act::Write { loc, order, part } => {
                let position = graph.writes(loc).iter().position(|w| *w == id);
                format!("W {loc:?} {order:?} {part:?} {position:?}")
            }
            other => format!("{other:?}"),
        };
        key.push((names[id], text));
    }
    key.sort();
    key
}

/// A graph and what the monitors say of it.
struct Point {
    state: State,
    record: Record,
    views: Vec<Views>,
}

/// The graph of a program.
fn lowered(program: &Ordered) -> Program {
    let source = program.source();
    let tree = fp::read("ordered.fp", &source).unwrap_or_else(|(_, d)| panic!("{}\n{source}", d[0].message));
    pipeline::for_language(tree, pipeline::Options::default())
}

/// Compares all points of a program; the first of the monitors has all rules.
fn compare(program: &Ordered, sequences: ReleaseSequences, left_out: &[Rule], tally: &mut Tally) {
    let graph = lowered(program);
    let machine = Machine::new(&graph).expect("no templates");
    let rules = Rules::new(sequences);
    let all = [rules].into_iter().chain(left_out.iter().map(|rule| rules.without(*rule)));
    let monitors: Vec<Monitor> =
        all.map(|rules| Monitor::new(&graph, rules, sequences).comparing_all()).collect();
    let state = machine.initial(&[]);
    let views = monitors.iter().map(|m| m.first(&state)).collect();
    let first = Point { state, record: Record::default(), views };
    let mut seen: HashMap<Vec<(Name, String)>, Views> = HashMap::new();
    let mut work = vec![first];
    let mut departs = vec![false; monitors.len()];
    let (mut is_weak, mut has_race) = (false, false);
    let mut pace = Pace::new(&Budget::default());
    tally.programs += 1;
    while let Some(point) = work.pop() {
        if seen.len() > MAX_GRAPHS {
            return;
        }
        let watch = (&Watched::default(), &mut Broken::default(), &mut pace);
        successors(&machine, &point.state, watch, &mut |successor, pace| {
            let thread = successor.step.thread as usize;
            let Action::Edge(edge, _) = successor.step.action else { unreachable!("SC has no other steps") };
            let span = machine.edge(&point.state.threads[thread], edge).span;
            let (has, beyond) = by_axioms(&point, thread, successor.act, span, sequences)?;
            tally.points += 1;
            tally.weak += usize::from(!has.is_empty());
            is_weak |= !beyond.is_empty();
            for (i, (monitor, views)) in monitors.iter().zip(&point.views).enumerate() {
                let choices = monitor.choices(views, thread, successor.act).expect("few values");
                let mut listed = Steps::new();
                for choice in &choices {
                    let loc = point_loc(successor.act);
                    listed.insert(choice.what, monitor.values(loc, choice.values).into_iter().collect());
                }
                departs[i] |= choices.iter().any(|c| c.departs);
                let known = |c: &Choice| beyond.get(&c.what) == has.get(&c.what);
                let knows_rightly = choices.iter().filter(|c| c.departs).all(known);
                if i > 0 {
                    note(tally, left_out[i - 1], listed != has || !knows_rightly);
                    continue;
                }
                assert_eq!(
                    listed,
                    has,
                    "{program} with {sequences:?}: thread {thread}, {:?}\n{:?}",
                    successor.act,
                    point.record.graph()
                );
                assert!(knows_rightly, "{program}: {thread} {:?}", successor.act);
            }
            let mut record = point.record.clone();
            record.follow((&point.state, &*successor.after), thread, successor.act, span);
            let is_race = c11::Rules::new(record.graph(), sequences, pace)?.race(pace)?.is_some();
            tally.races += usize::from(is_race);
            has_race |= is_race;
            let mut next = point.views.clone();
            for (i, (monitor, views)) in monitors.iter().zip(&mut next).enumerate() {
                let states = (&point.state, &*successor.after);
                let races = monitor.follow(views, states, thread, successor.act, pace)?;
                match i {
                    0 => assert_eq!(
                        races, is_race,
                        "{program} with {sequences:?}: race of {thread} {:?}",
                        successor.act
                    ),
                    _ => note(tally, left_out[i - 1], races != is_race),
                }
            }
            if is_race {
                return Ok(());
            }
            // States differ where the graph is the same only by local steps, which are taken at once.
            match seen.get(&key(&record)) {
                Some(known) => {
                    assert_eq!(*known, next[0], "{program}: the views depend on the order of steps")
                }
                None => {
                    seen.insert(key(&record), next[0].clone());
                    work.push(Point { state: successor.after.clone(), record, views: next });
                }
            }
            Ok(())
        })
        .expect("nothing is refused");
    }
    // An execution that SC does not have leaves SC somewhere, by a step after a graph of SC.
    assert_eq!(departs[0], is_weak, "{program} with {sequences:?}");
    left_out.iter().zip(&departs[1..]).for_each(|(rule, departs)| note(tally, *rule, *departs != is_weak));
    tally.weak_programs += usize::from(is_weak);
    let answer = robustness(&graph, sequences, &Budget::default());
    let right = match answer.found {
        Found::Robust => !is_weak && !has_race,
        Found::Departure(_) => is_weak,
        Found::Race(_) => has_race,
        Found::Unknown(_) => false,
    };
    assert!(right, "{program} with {sequences:?}: {is_weak} {has_race} {:?}", answer.found);
    let races = match races(&graph, sequences, &Budget::default()).found {
        Found::Race(_) => true,
        Found::Robust => false,
        other => panic!("{program} with {sequences:?}: {other:?}"),
    };
    assert_eq!(races, has_race, "{program} with {sequences:?}: races by happens-before");
    if synchronises(&graph) {
        tally.synchronising += 1;
        assert_eq!(side_by_side(&graph), has_race, "{program} with {sequences:?}: accesses side by side");
    }
}

/// Whether two threads can do accesses next that race, in some state of SC.
fn side_by_side(graph: &Program) -> bool {
    let mut program = graph.clone();
    program.properties.clear();
    program.checks.races = true;
    let task =
        Task { program: &program, model: Model::Sc, bounds: Bounds::default(), budget: Budget::default() };
    match Explicit::default().check_quickly(&task, &mut |_| {}).verdict {
        Verdict::Unsafe { .. } => true,
        Verdict::Safe(_) => false,
        Verdict::Unknown { reason, .. } => panic!("{reason}"),
    }
}

fn note(tally: &mut Tally, rule: Rule, differs: bool) {
    *tally.noticed.entry(format!("{rule:?}")).or_default() += usize::from(differs);
}

fn point_loc(act: fencepost_memory::run_graph::Act) -> fencepost_ir::cfg::Loc {
    use fencepost_memory::run_graph::Act;
    match act {
        Act::Read(loc, _) | Act::Write(loc, _) | Act::Update(loc, _) | Act::Compare { loc, .. } => loc,
        other => panic!("{other:?} has no choices"),
    }
}

/// The steps away from the newest write that RC11 has, and those of them that SC has not.
fn by_axioms(
    point: &Point,
    thread: usize,
    act: fencepost_memory::run_graph::Act,
    span: fencepost_ir::Span,
    sequences: ReleaseSequences,
) -> Result<(Steps, Steps), Stop> {
    let (mut has, mut beyond) = (Steps::new(), Steps::new());
    let pace = &mut Pace::new(&Budget::default());
    for extension in point.record.extensions(&point.state, thread, act, span) {
        if extension.is_consistent(sequences, pace)? {
            has.entry(extension.what).or_default().insert(extension.value);
            if extension.departs(sequences, pace)? {
                beyond.entry(extension.what).or_default().insert(extension.value);
            }
        }
    }
    Ok((has, beyond))
}

const BOTH: [ReleaseSequences; 2] = [ReleaseSequences::Cxx20, ReleaseSequences::C11];

#[test]
fn decisive_and_published_programs() {
    let mut tally = Tally::default();
    for sequences in BOTH {
        let known = known().into_iter().map(|k| k.program);
        decisive().into_iter().chain(known).for_each(|p| compare(&p, sequences, &[], &mut tally));
    }
    println!("{tally:?}");
    assert!(tally.weak > 500, "{tally:?}");
}

#[test]
fn random_programs() {
    let programs = decisive();
    let mut tally = Tally::default();
    for seed in 0..seeds(1500) {
        let program = match seed % 4 {
            0 => cycle(seed),
            1 => neighbour(seed, &programs),
            2 => threaded(seed, &programs),
            _ => random(seed, Profile::ALL[(seed / 4) as usize % Profile::ALL.len()]),
        };
        compare(&program, BOTH[(seed / 3) as usize % 2], &[], &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.weak * 20 > tally.points, "{tally:?}");
}

#[test]
fn every_rule_that_is_left_out_is_noticed() {
    let programs = decisive();
    let mut tally = Tally::default();
    for sequences in BOTH {
        for program in &programs {
            compare(program, sequences, &Rule::ALL, &mut tally);
        }
    }
    for seed in 0..60 {
        compare(&cycle(seed), BOTH[0], &Rule::ALL, &mut tally);
    }
    println!("{tally:?}");
    for rule in Rule::ALL {
        assert!(tally.noticed[&format!("{rule:?}")] > 0, "nobody notices that {rule:?} is left out");
    }
}

#[test]
fn tiny_programs() {
    let all = effort() == Effort::All;
    let mut tally = Tally::default();
    for (length, step) in [(1, 1), (2, if all { 1 } else { 401 }), (3, if all { 9_973 } else { 999_983 })] {
        for program in tiny(length, step) {
            compare(&program, BOTH[0], &[], &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.weak_programs * 50 > tally.programs, "{tally:?}");
}
