//! RC11 by its axioms: published answers, all outcomes of random programs as another implementation has them, laws between the models.
//!
//! The other implementation is in Python and lies beside the repository, in `../shared/oracles/c11`, where it is at all. Its answers for
//! some programs are kept in `golden.txt`, so that they are compared with everywhere; with `UPDATE_EXPECT=1` it writes them
//! anew. `FENCEPOST_SEEDS=N` takes more programs.

mod oracle;

use fencepost_ir::cfg::{Loc, Observable, Program, Reg, StartId};
use fencepost_memory::axiom;
use fencepost_memory::axiom::c11::{self, Outcomes, ReleaseSequences};
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::effort::seeds;
use fencepost_samples::ordered::{CELLS, Known, Op, Ordered, Profile, cycle, known, neighbour, random};
use fencepost_task::{Budget, Model};
use std::collections::BTreeSet;

fn lowered(program: &Ordered) -> Program {
    let source = program.source();
    let tree = fp::read("ordered.fp", &source).unwrap_or_else(|(_, d)| panic!("{}\n{source}", d[0].message));
    pipeline::for_language(tree, pipeline::Options::default())
}

/// All cells, then all registers of each thread.
fn observed(program: &Ordered) -> Vec<Observable> {
    let mut observed: Vec<Observable> =
        (0..program.cells() as u32).map(|c| Observable::Cell(Loc::cell(c))).collect();
    // Threads are declared last to first.
    let threads = program.threads.len() as u32;
    for (t, ops) in (0..).zip(&program.threads) {
        let register = |r: u32| Observable::Register(StartId(threads - 1 - t), Reg::Local(r));
        observed.extend((0..ops.len() as u32).map(register));
    }
    observed
}

fn outcomes(program: &Ordered, sequences: ReleaseSequences) -> Outcomes {
    let found = c11::outcomes(&lowered(program), sequences, &observed(program), &Budget::default());
    found.unwrap_or_else(|reason| panic!("refused: {reason}\n{program}"))
}

/// Whether a final state fits an outcome such as `1:r0=1 x=2`.
fn fits(program: &Ordered, outcome: &str, values: &[i64]) -> bool {
    outcome.split_whitespace().all(|part| {
        let (place, value) = part.split_once('=').expect("an equation");
        let index = match place.split_once(":r") {
            None => CELLS.iter().position(|c| *c == place).expect("a cell"),
            Some((thread, register)) => {
                let thread: usize = thread.parse().expect("a thread");
                let before: usize = program.threads[..thread].iter().map(Vec::len).sum();
                program.cells() + before + register.parse::<usize>().expect("a register")
            }
        };
        values[index] == value.parse::<i64>().expect("a value")
    })
}

#[test]
fn published_answers() {
    let known = known();
    known.iter().for_each(check_known);
    assert_eq!(known.len(), 48);
}

fn check_known(Known { name, program, outcome, allowed }: &Known) {
    for sequences in [ReleaseSequences::Cxx20, ReleaseSequences::C11] {
        let found = outcomes(program, sequences);
        let has = found.finals.iter().any(|values| fits(program, outcome, values));
        assert_eq!(has, *allowed, "{name} with {sequences:?}");
        assert_eq!(found.race, None, "{name}");
    }
}

#[test]
fn a_store_of_the_same_thread_is_in_the_older_release_sequences_only() {
    let program: Ordered = "W x 1 rlx; W y 1 rel; W y 2 rlx || R y acq; R x rlx".parse().unwrap();
    let stale = |sequences| {
        outcomes(&program, sequences).finals.iter().any(|values| fits(&program, "1:r0=2 1:r1=0", values))
    };
    assert!(stale(ReleaseSequences::Cxx20));
    assert!(!stale(ReleaseSequences::C11));
}

#[test]
fn races() {
    for (program, races) in [
        ("W x 1 na || R x na", true),
        ("W x 1 na || R x rlx", true),
        ("W x 1 rlx || R x rlx", false),
        ("R x na || R x na", false),
        ("W x 1 na; W y 1 rel || R y acq; if r0 = 1; R x na", false),
        ("W x 1 na; W y 1 rlx || R y acq; if r0 = 1; R x na", true),
        ("W x 1 na; W y 1 rel || R y rlx; if r0 = 1; R x na", true),
        ("W x 1 na; F rel; W y 1 rlx || R y rlx; F acq; if r0 = 1; R x na", false),
        ("W x 1 na; A y 1 rel || A y 1 acq; if r0 = 1; R x na", false),
        ("W x 1 na; W y 1 rel || C y 1 2 acq rlx; if r0 = 1; R x na", false),
        ("W x 1 na; W y 1 rel || C y 0 2 rlx acq; if r0 = 1; R x na", false),
        ("W x 1 na; W y 1 rel || C y 0 2 acq rlx; if r0 = 1; R x na", true),
        // Only under weak memory: both flags are read as 0.
        ("W x 1 sc; R y sc; if r1 = 0; W z 1 na || W y 1 sc; R x sc; if r1 = 0; W z 2 na", false),
        ("W x 1 rel; R y acq; if r1 = 0; W z 1 na || W y 1 rel; R x acq; if r1 = 0; W z 2 na", true),
    ] {
        let program: Ordered = program.parse().unwrap();
        assert_eq!(outcomes(&program, ReleaseSequences::Cxx20).race.is_some(), races, "{program}");
    }
}

#[test]
fn a_race_is_found_in_an_execution_that_does_not_end() {
    let source = "shared int x; shared int y;\n\
        thread a { x = 1; int r; r = y@acquire; assume(r == 1); }\nthread b { int r = x; }\n";
    let program = pipeline::for_language(fp::read("p.fp", source).unwrap(), pipeline::Options::default());
    let found = c11::outcomes(&program, ReleaseSequences::Cxx20, &[], &Budget::default()).unwrap();
    assert!(found.finals.is_empty());
    let (first, second) = found.race.expect("x is accessed by both");
    assert_eq!((first.line, second.line), (2, 3));
}

#[test]
fn what_is_not_for_it_is_refused_with_the_reason() {
    let refused = |text: &str| {
        let program = pipeline::for_language(fp::read("p.fp", text).unwrap(), pipeline::Options::default());
        c11::outcomes(&program, ReleaseSequences::Cxx20, &[], &Budget::default()).unwrap_err().to_string()
    };
    assert_eq!(
        refused("shared int x;\nthread t {\nx = 1; fence store_store;\n}"),
        "the axiomatic oracle does not take store-store fences, which C11 has not, as at p.fp:3"
    );
    assert_eq!(
        refused("shared int x;\nthread t {\nwhile (x == 0) { }\n}"),
        "the axiomatic oracle does not take loops, as at p.fp:3"
    );
}

#[test]
fn a_thread_that_fails_has_no_final_state() {
    // What is stored first is seen first if the second store is a release: then nothing fails.
    let asked = |store: &str, check: &str| {
        let text = format!(
            "shared int x; shared int y;\nthread a {{ x@relaxed = 1; y@{store} = 1; }}\n\
             thread b {{ int r; int s; r = y@acquire; if (r == 1) {{ s = x@relaxed;\n{check}; }} }}\n"
        );
        let program = pipeline::for_language(fp::read("p.fp", &text).unwrap(), pipeline::Options::default());
        c11::outcomes(&program, ReleaseSequences::Cxx20, &[], &Budget::default()).map_err(|e| e.to_string())
    };
    let failing = "the axiomatic oracle does not take threads that fail, as at p.fp:4".to_string();
    for check in ["assert(s == 1)", "r = 1 / s"] {
        assert_eq!(asked("relaxed", check), Err(failing.clone()), "{check}");
        assert_eq!(asked("release", check).unwrap().finals.len(), 1, "{check}");
    }
}

/// Random programs of all kinds.
fn programs(seeds: std::ops::Range<u64>) -> Vec<Ordered> {
    let known: Vec<Ordered> = known().into_iter().map(|k| k.program).collect();
    let kind = |seed: u64| match seed % 8 {
        0 | 1 => cycle(seed),
        2 => neighbour(seed, &known),
        n => random(seed, Profile::ALL[(seed / 8 + n) as usize % Profile::ALL.len()]),
    };
    seeds.map(kind).collect()
}

#[test]
fn sc_is_stronger_and_stronger_orders_have_fewer_outcomes() {
    let mut weaker = 0;
    for program in programs(0..seeds(3000)) {
        let relaxed = outcomes(&program, ReleaseSequences::Cxx20);
        let older = outcomes(&program, ReleaseSequences::C11);
        assert!(older.finals.is_subset(&relaxed.finals), "{program}");
        let sc = axiom::outcomes(&lowered(&program), Model::Sc, &observed(&program), &Budget::default());
        let sc: BTreeSet<Vec<i64>> = sc.expect("the same programs are taken");
        assert!(sc.is_subset(&older.finals), "{program}");
        weaker += usize::from(sc != relaxed.finals);
        // With seq_cst everywhere there is nothing but SC.
        let strongest = strengthened(&program);
        assert_eq!(outcomes(&strongest, ReleaseSequences::Cxx20).finals, sc, "{strongest}");
    }
    assert!(weaker > 50, "only {weaker} programs have weak behaviour");
}

/// The program with all accesses seq_cst.
fn strengthened(program: &Ordered) -> Ordered {
    use fencepost_ir::Order::SeqCst;
    let strong = |op: &Op| match *op {
        Op::Load(x, _) => Op::Load(x, Some(SeqCst)),
        Op::Store(x, v, _) => Op::Store(x, v, Some(SeqCst)),
        Op::Exchange(x, v, _) => Op::Exchange(x, v, SeqCst),
        Op::Add(x, v, _) => Op::Add(x, v, SeqCst),
        Op::Compare(x, e, n, ..) => Op::Compare(x, e, n, SeqCst, SeqCst),
        other => other,
    };
    Ordered { threads: program.threads.iter().map(|ops| ops.iter().map(strong).collect()).collect() }
}

/// A line of `golden.txt`: program, release sequences, whether there is a race, outcomes.
fn line(program: &Ordered, sequences: ReleaseSequences, answer: &oracle::Answer) -> String {
    let values = |v: &Vec<i64>| v.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let finals: Vec<String> = answer.finals.iter().map(values).collect();
    let race = if answer.races { "race" } else { "none" };
    let sequences = match sequences {
        ReleaseSequences::Cxx20 => "c++20",
        ReleaseSequences::C11 => "c11",
    };
    format!("{program} | {sequences} | {race} | {}", finals.join(" "))
}

fn check(program: &Ordered, sequences: ReleaseSequences, expected: &oracle::Answer) {
    let found = outcomes(program, sequences);
    let found = oracle::Answer { races: found.race.is_some(), finals: found.finals };
    assert_eq!(found, *expected, "{program} with {sequences:?}");
}

#[test]
fn answers_of_another_implementation_that_are_kept() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/memory/c11/golden.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let asked = asked(programs(0..400));
        let answers = oracle::ask(&asked).expect("the other implementation is beside the repository");
        let lines =
            asked.iter().zip(&answers).filter_map(|((p, s), a)| Some(line(p, *s, a.as_ref()?) + "\n"));
        std::fs::write(path, lines.collect::<String>()).unwrap();
    }
    let mut checked = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let [program, sequences, race, finals] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let sequences = match sequences {
            "c++20" => ReleaseSequences::Cxx20,
            _ => ReleaseSequences::C11,
        };
        let values = |text: &str| text.split(',').map(|v| v.parse().expect("a value")).collect();
        let finals = finals.split_whitespace().map(values).collect();
        check(&program.parse().unwrap(), sequences, &oracle::Answer { races: race == "race", finals });
        checked += 1;
    }
    assert!(checked > 350, "only {checked} answers");
}

#[test]
fn answers_of_another_implementation() {
    let asked = asked(programs(1000..1000 + seeds(2000)));
    let Some(answers) = oracle::ask(&asked) else { return };
    let mut checked = 0;
    for ((program, sequences), answer) in asked.iter().zip(&answers) {
        // None where there are too many executions for it.
        let Some(answer) = answer else { continue };
        check(program, *sequences, answer);
        checked += 1;
    }
    assert!(checked * 10 > asked.len() * 9, "only {checked} of {} answered", asked.len());
}

/// Release sequences of both kinds take turns.
fn asked(programs: Vec<Ordered>) -> Vec<(Ordered, ReleaseSequences)> {
    let kinds = [ReleaseSequences::Cxx20, ReleaseSequences::Cxx20, ReleaseSequences::C11];
    programs.into_iter().enumerate().map(|(i, p)| (p, kinds[i % 3])).collect()
}
