//! The backward search against the forward ones: on every tiny program, on random programs with loops,
//! and on the examples. Every run is replayed.

use fencepost_certify::replay;
use fencepost_cover::Dual;
use fencepost_explore::{Explicit, Reduction, Strategy};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Observable, Program, Property, Quantifier, Reg};
use fencepost_memory::{Machine, State, Tso, reachable};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Answer, Bounds, Budget, Engine, Model, Reason, Task, Verdict};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

fn task(program: &Program, milliseconds: u64) -> Task<'_> {
    let deadline = Instant::now() + Duration::from_millis(milliseconds);
    let budget = Budget::default().until(deadline);
    Task { program, model: Model::Tso, bounds: Bounds::default(), budget }
}

/// Whether it is safe, if the engine knows; a run has to replay.
fn verdict(program: &Program, answer: Answer, what: &str) -> Option<bool> {
    match answer.verdict {
        Verdict::Safe(cleared) if cleared.is_complete() => Some(true),
        Verdict::Safe(cleared) => panic!("{what}: nobody asked for {}", cleared.scope()),
        Verdict::Unsafe { trace } => {
            replay(program, &trace).unwrap_or_else(|r| panic!("{what}: does not replay: {r}"));
            Some(false)
        }
        Verdict::Unknown { .. } => None,
    }
}

/// What a final state shows: observed cells and registers.
fn observed(program: &Program) -> Vec<Observable> {
    match &program.properties[..] {
        [Property::Final { observed, .. }, ..] => observed.clone(),
        _ => panic!("tiny programs observe everything"),
    }
}

fn shown(state: &State, observed: &[Observable]) -> Vec<i64> {
    let value = |o: &Observable| match o {
        Observable::Cell(loc) => state.read(*loc),
        Observable::Register(start, reg) => {
            let thread = &state.threads[start.index()];
            thread.registers[thread.slot(*reg)]
        }
    };
    observed.iter().map(value).collect()
}

/// The program that must not end like this.
fn forbidding(program: &Program, observed: &[Observable], outcome: &[i64]) -> Program {
    let equal = |(i, v): (usize, &i64)| {
        let (left, right) = (Expr::Reg(Reg::Local(i as u32)), Expr::Const(*v));
        Expr::Binary(BinaryOp::Eq, Arith::Exact, Box::new(left), Box::new(right))
    };
    let all = outcome
        .iter()
        .enumerate()
        .map(equal)
        .reduce(|a, b| Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b)));
    let property = Property::Final {
        quantifier: Quantifier::Exists,
        observed: observed.to_vec(),
        condition: all.unwrap_or(Expr::Const(1)),
        span: Span::NONE,
    };
    Program { properties: vec![property], ..program.clone() }
}

/// Some outcomes that can be reached and some that cannot.
fn check_outcomes(tiny: &Tiny, rng: &mut Rng) -> (u32, u32) {
    let program = tiny.program();
    let observed = observed(&program);
    let machine = Machine::new(&program).unwrap();
    let found = reachable(&machine, &Tso, usize::MAX).unwrap();
    let outcomes: BTreeSet<_> =
        found.states.iter().filter(|s| s.is_final()).map(|s| shown(s, &observed)).collect();
    let mut asked: BTreeSet<Vec<i64>> = outcomes.iter().take(3).cloned().collect();
    for _ in 0..3 {
        let mut other = outcomes.iter().nth(rng.below(outcomes.len())).unwrap().clone();
        if !other.is_empty() {
            let i = rng.below(other.len());
            other[i] = rng.below(3) as i64;
        }
        asked.insert(other);
    }
    let mut counts = (0, 0);
    for outcome in asked {
        let program = forbidding(&program, &observed, &outcome);
        let answer = Dual.check(&task(&program, 60_000), &mut |_| {});
        let safe = verdict(&program, answer, &tiny.to_string());
        assert_eq!(safe, Some(!outcomes.contains(&outcome)), "{tiny} ends in {outcome:?}");
        if outcomes.contains(&outcome) { counts.0 += 1 } else { counts.1 += 1 }
    }
    counts
}

#[test]
fn tiny_programs_end_as_the_reference_says() {
    let every = effort::every(211);
    let mut rng = Rng::new(3);
    let (mut reached, mut unreachable) = (0, 0);
    for tiny in Tiny::all(2).chain(Tiny::all(3).step_by(every)) {
        let (r, u) = check_outcomes(&tiny, &mut rng);
        reached += r;
        unreachable += u;
    }
    assert!(reached > 2000 && unreachable > 1000, "{reached} {unreachable}");
}

#[test]
fn random_programs_have_the_verdict_of_explicit_search() {
    let seeds = effort::seeds(400);
    let (mut safe, mut unsafe_, mut refused) = (0, 0, 0);
    for seed in 0..seeds {
        let config = Config { storing_loops: seed % 2 == 0, ..Config::default() };
        let text = program(seed, config).to_string();
        let tree = fencepost_models::fp::read("random.fp", &text).unwrap();
        let program = pipeline::lower(tree);
        let answer = Dual.check(&task(&program, 400), &mut |_| {});
        if let Verdict::Unknown { reason: Reason::NotApplicable(_), .. } = &answer.verdict {
            refused += 1;
            continue;
        }
        let Some(dual) = verdict(&program, answer, &text) else { continue };
        let explicit = Explicit { strategy: Strategy::Breadth, reduction: Reduction::On };
        let answer = explicit.check(&task(&program, 400), &mut |_| {});
        let Some(explicit) = verdict(&program, answer, &text) else { continue };
        assert_eq!(dual, explicit, "seed {seed}: dual, then explicit search\n{text}");
        if dual { safe += 1 } else { unsafe_ += 1 }
    }
    assert!(safe > seeds / 10 && unsafe_ > seeds / 10, "{safe} safe, {unsafe_} unsafe, {refused} refused");
}

#[test]
fn examples_have_the_verdicts_of_the_manifest() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let manifest = std::fs::read_to_string(format!("{folder}/verdicts.txt")).unwrap();
    let mut decided = 0;
    for line in manifest.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, _, tso, ..] = words[..] else { panic!("a short line: {line}") };
        if !file.ends_with(".fp") || words.len() > 4 {
            continue;
        }
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        let tree = fencepost_models::fp::read(file, &text).unwrap();
        let program = pipeline::lower(tree);
        let answer = Dual.check(&task(&program, 1500), &mut |_| {});
        if let Some(safe) = verdict(&program, answer, file) {
            let expected = if safe { "safe" } else { "unsafe" };
            assert!(
                tso == expected || ["unknown", "-"].contains(&tso),
                "{file}: dual says {expected}, the manifest {tso}"
            );
            decided += 1;
        }
    }
    assert!(decided >= 40, "{decided} examples were decided");
}

/// Templates: what is reached with two or three threads is reached with any number, and what cannot be
/// reached with any number cannot be reached with two or three.
#[test]
fn templates_agree_with_their_instances() {
    let mut rng = Rng::new(17);
    let (mut safe, mut unsafe_) = (0, 0);
    for round in 0..400 {
        let text = template(&mut rng);
        let read = |threads| {
            let tree = fencepost_models::fp::read("template.fp", &text).unwrap();
            pipeline::run(tree, pipeline::Options { threads }, |_, _| {})
        };
        let program = read(None);
        let answer = Dual.check(&task(&program, 1000), &mut |_| {});
        let Some(any) = verdict(&program, answer, &text) else { continue };
        if any {
            safe += 1
        } else {
            unsafe_ += 1
        }
        for n in [1, 2, 3] {
            let instance = read(Some(n));
            let explicit = Explicit { strategy: Strategy::Breadth, reduction: Reduction::On };
            let answer = explicit.check(&task(&instance, 300), &mut |_| {});
            if let Some(given) = verdict(&instance, answer, &text) {
                assert!(given || !any, "round {round}: unsafe with {n} threads, safe with any\n{text}");
            }
        }
    }
    assert!(safe > 50 && unsafe_ > 50, "{safe} safe, {unsafe_} unsafe");
}

/// A template of a few accesses, perhaps in a loop, and a label that two may not be at.
fn template(rng: &mut Rng) -> String {
    let mut body = String::new();
    let place = 1 + rng.below(4);
    for i in 0..5 {
        if i == place {
            body += "      goal: skip;\n";
        }
        let (x, v) = (["x", "y"][rng.below(2)], rng.below(2));
        body += &match rng.below(8) {
            0..=2 => format!("        {x} = {v};\n"),
            3..=5 => format!("        r = {x}; assume(r == {v});\n"),
            6 => "        fence;\n".to_string(),
            _ => format!("        assume(cas({x}, {v}, {}));\n", 1 - v),
        };
    }
    let (head, tail) = if rng.below(2) == 0 { ("while (true) {", "}") } else { ("{", "}") };
    format!(
        "shared 0..1 x, y;\nthread t[*] {{\n    0..1 r;\n    {head}\n{body}    {tail}\n}}\n\
         forbid any at goal and any at goal;\n"
    )
}
