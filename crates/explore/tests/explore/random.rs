//! Random programs: the search with and without reductions, breadth first and depth first, against
//! the reference; every run found is replayed.
//!
//! A failure is shrunk and printed; put it into `tests/kept/` as a file, where it stays.

use fencepost_certify::replay;
use fencepost_explore::{Explicit, Reduction, Strategy};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, State, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::sketch::shrink;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::collections::BTreeSet;

/// More states are not searched plainly.
const LIMIT: usize = 6_000;

/// The first disagreement; `None` if all is well. Also says whether the program was small enough.
fn disagreement(text: &str) -> (Option<String>, bool) {
    let Ok(tree) = fencepost_models::fp::read("random.fp", text) else { return (None, false) };
    let program = pipeline::lower(tree);
    let mut compared = false;
    for model in Model::ALL {
        let machine = Machine::new(&program).unwrap();
        let Some(expected) = with_memory!(model, memory => reachable(&machine, memory, LIMIT)) else {
            continue;
        };
        compared = true;
        let mut unreached = None;
        let memory = |s: &State| memory_at_the_end(&program, s);
        let ends: BTreeSet<_> = expected.states.iter().filter(|s| s.is_final()).map(memory).collect();
        for reduction in [Reduction::On, Reduction::Off] {
            for strategy in [Strategy::Breadth, Strategy::Depth] {
                let task =
                    Task { program: &program, model, bounds: Bounds::default(), budget: Budget::default() };
                let answer = Explicit { strategy, reduction }.check(&task, &mut |_| {});
                let mut found = BTreeSet::new();
                Explicit { strategy, reduction }.final_states(&task, &mut |s| {
                    found.insert(memory(s));
                });
                if found != ends {
                    let problem =
                        format!("{model:?} {reduction:?} {strategy:?}: ends in {found:?}, not {ends:?}");
                    return (Some(problem), true);
                }
                let never = unreached.get_or_insert_with(|| answer.unreached.clone());
                let problem = if *never == answer.unreached {
                    compare(&program, expected.is_safe(), answer.verdict)
                } else {
                    Some(format!("never reached are {never:?} or {:?}", answer.unreached))
                };
                if let Some(problem) = problem {
                    return (Some(format!("{model:?} {reduction:?} {strategy:?}: {problem}")), true);
                }
            }
        }
    }
    (None, compared)
}

/// What memory holds, but for mutexes, whose owners are interchangeable.
fn memory_at_the_end(program: &Program, state: &State) -> Vec<i64> {
    let cells = program.cell_types().into_iter().map(|ty| ty != Scalar::Mutex);
    state.cells.iter().zip(cells).filter(|(_, plain)| *plain).map(|(value, _)| *value).collect()
}

fn compare(program: &Program, safe: bool, verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Safe(cleared) if safe && cleared.is_complete() => None,
        Verdict::Unsafe { trace } if !safe => {
            replay(program, &trace).err().map(|r| format!("does not replay: {r}"))
        }
        other => Some(format!("expected safe = {safe}, got {other:?}")),
    }
}

fn check(text: &str, seed: u64, sketch: impl FnOnce() -> fencepost_samples::sketch::Sketch) -> bool {
    let (problem, compared) = disagreement(text);
    if let Some(problem) = problem {
        let small = shrink(sketch(), |t| disagreement(t).0.is_some());
        let small_problem = disagreement(&small.to_string()).0.unwrap_or_default();
        panic!("seed {seed}: {problem}\nshrunk: {small_problem}\n{small}");
    }
    compared
}

#[test]
fn random_programs_agree_with_the_reference() {
    let seeds = effort::seeds(600);
    let mut compared = 0;
    for seed in 0..seeds {
        let sketch = program(seed, Config::default());
        compared += u64::from(check(&sketch.to_string(), seed, || sketch.clone()));
    }
    assert!(compared * 10 >= seeds * 8, "only {compared} of {seeds} programs were small enough to compare");
}

#[test]
fn kept_failures_stay_fixed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "fp") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let (problem, compared) = disagreement(&text);
        assert!(compared, "{}: cannot be compared", path.display());
        assert_eq!(problem, None, "{}", path.display());
    }
}
