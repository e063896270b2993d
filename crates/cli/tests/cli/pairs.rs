//! Every two features of the modelling language together, with every engine under every model, against the reference
//! semantics: no engine panics, every violation replays, and no verdict contradicts what the plain search finds.

use super::{fencepost_args, json, scratch};
use fencepost_bmc::Bmc;
use fencepost_certify::replay;
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::{Count, Program};
use fencepost_memory::{Machine, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_robust::lazy::Lazy;
use fencepost_samples::effort::every;
use fencepost_samples::pairs::{Pair, all};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// More states are not searched plainly.
const LIMIT: usize = 6_000;

/// Of every so many pairs one is tried in full runs.
const STRIDE: usize = 7;

/// Pairs that went wrong once; they are always tried.
const KEPT: [(&str, &str); 6] = [
    ("empty atomic", "spawn of nothing"),
    ("atomic begin", "spawn"),
    ("store", "atomic end"),
    ("at most, inside", "array"),
    ("array", "at most, inside"),
    ("anything", "anything"),
];

/// A pair that the language takes, and whether it is safe under each model: `None` where the plain search does not end.
struct Known {
    pair: Pair,
    program: Program,
    safe: [Option<bool>; 3],
}

/// The pairs to be tried, with what is known of them.
fn known(offset: usize) -> Vec<Known> {
    let mut known = Vec::new();
    let stride = every(STRIDE);
    let pairs = all().into_iter().enumerate();
    let wanted = |(i, pair): &(usize, Pair)| {
        i % stride == offset % stride || KEPT.contains(&(pair.first, pair.second))
    };
    let pairs: Vec<Pair> = pairs.filter(wanted).map(|(_, pair)| pair).collect();
    let count = pairs.len();
    for pair in pairs {
        let Ok(tree) = fencepost_models::fp::read("pair.fp", &pair.text) else { continue };
        let program = pipeline::lower(tree);
        // Templates have at least the runs of two threads.
        let two: Vec<u32> =
            program.threads.iter().map(|t| if t.count == Count::Any { 2 } else { 1 }).collect();
        let instance = if program.is_parameterized() { program.instantiated(&two) } else { program.clone() };
        let machine = Machine::new(&instance).expect("no template is left");
        let safe = Model::ALL.map(|model| {
            with_memory!(model, memory => reachable(&machine, memory, LIMIT)).map(|found| found.is_safe())
        });
        known.push(Known { pair, program, safe });
    }
    assert!(known.len() * 10 > count * 9, "only {} of {count} pairs are programs", known.len());
    let decided = known.iter().filter(|k| k.safe.iter().all(Option::is_some)).count();
    assert!(decided * 10 > known.len() * 8, "only {decided} of {} pairs are small", known.len());
    known
}

/// What is wrong with an engine's answer.
fn problem(known: &Known, model: Model, safe: bool, engine: &dyn Engine) -> Option<String> {
    let task = Task { program: &known.program, model, bounds: Bounds::default(), budget: Budget::default() };
    let Ok(answer) = catch_unwind(AssertUnwindSafe(|| engine.check(&task, &mut |_| {}))) else {
        return Some("panics".into());
    };
    match answer.verdict {
        Verdict::Safe(cleared) if cleared.is_complete() => {
            (!safe).then(|| "safe, but the program is not".into())
        }
        Verdict::Safe { .. } | Verdict::Unknown { .. } => None,
        Verdict::Unsafe { trace } => match replay(&known.program, &trace) {
            Err(rejection) => Some(format!("the run does not replay: {rejection}")),
            // More than two threads may do what two cannot.
            Ok(_) => {
                (safe && !known.program.is_parameterized()).then(|| "unsafe, but the program is safe".into())
            }
        },
    }
}

#[test]
fn engines_agree_with_the_reference_on_pairs_of_features() {
    let bmc = Bmc { unwind: Some(2), rounds: Some(2), clock: Some(3), ..Bmc::default() };
    let (explicit, lazy) = (Explicit::default(), Lazy::default());
    let engines: [&dyn Engine; 4] = [&explicit, &Dual, &lazy, &bmc];
    let mut problems = Vec::new();
    for known in known(0) {
        for (model, safe) in Model::ALL.into_iter().zip(known.safe) {
            let Some(safe) = safe else { continue };
            for engine in engines {
                if let Some(problem) = problem(&known, model, safe, engine) {
                    let Pair { first, second, text } = &known.pair;
                    let name = engine.id();
                    problems.push(format!("{first}, {second}: {name} under {model:?}: {problem}\n{text}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn translations_and_auto_agree_with_the_reference_on_pairs_of_features() {
    let known = known(3);
    let names: Vec<String> = (0..known.len()).map(|i| format!("pairs/{i}.fp")).collect();
    let paths: Vec<_> =
        known.iter().zip(&names).map(|(k, name)| scratch(name, &k.pair.text).display().to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut problems = Vec::new();
    for engine in [&["rounds", "--rounds", "2"][..], &["age", "--age", "2"], &["auto"]] {
        let args = ["check", "--format", "json", "--timeout", "0.5", "--memory", "64", "--engine"];
        let ran = fencepost_args(&[&args, engine, &paths].concat());
        assert_ne!(ran.code, 101, "{engine:?}: {}", ran.stderr);
        let lines: Vec<_> = ran.stdout.lines().map(json).collect();
        assert_eq!(lines.len(), known.len(), "{engine:?}: {}", ran.stderr);
        for (known, line) in known.iter().zip(lines) {
            let Some(safe) = known.safe[1] else { continue };
            let wrong = match line["verdict"].as_str() {
                Some("unsafe") => safe && !known.program.is_parameterized(),
                Some("safe") => !safe && line["scope"] == "complete",
                Some("unknown") => false,
                _ => true,
            };
            if wrong {
                let Pair { first, second, text } = &known.pair;
                problems.push(format!("{first}, {second}: {engine:?}: {}\n{text}", line["verdict"]));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}
