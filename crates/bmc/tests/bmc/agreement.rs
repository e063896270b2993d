//! Bounded model checking against the reference semantics: random programs with loops, locks, atomic sections
//! and choices, under all models. A violation that is found is replayed; "none", where the bounds cut
//! nothing off, must be true, and so must "none within the bounds" of programs that are safe.
//!
//! A failure is shrunk and printed.

use fencepost_bmc::Bmc;
use fencepost_certify::replay;
use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::sketch::shrink;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};

/// More states are not searched plainly.
const LIMIT: usize = 6_000;

/// How an answer compares.
#[derive(Default, Clone, Copy)]
struct Seen {
    compared: u64,
    violations: u64,
    complete: u64,
    missed: u64,
}

fn check(program: &Program, model: Model, engine: &Bmc, seen: &mut Seen) -> Option<String> {
    let machine = Machine::new(program).unwrap();
    let expected = with_memory!(model, memory => reachable(&machine, memory, LIMIT))?;
    seen.compared += 1;
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    match engine.check(&task, &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => {
            seen.violations += 1;
            if expected.is_safe() {
                return Some(format!("{model:?}: {trace:?}, but the program is safe"));
            }
            replay(program, &trace).err().map(|r| format!("{model:?}: does not replay: {r}"))
        }
        Verdict::Safe(cleared) if cleared.is_complete() => {
            seen.complete += 1;
            (!expected.is_safe()).then(|| format!("{model:?}: complete, but the program is unsafe"))
        }
        Verdict::Safe { .. } => {
            seen.missed += u64::from(!expected.is_safe());
            None
        }
        Verdict::Unknown { reason, .. } => {
            (!reason.to_string().contains("property speaks")).then(|| format!("{model:?}: unknown, {reason}"))
        }
    }
}

fn disagreement(text: &str, seen: &mut Seen) -> Option<String> {
    let tree = fencepost_models::fp::read("random.fp", text).ok()?;
    let program = pipeline::lower(tree);
    let engine = Bmc { unwind: Some(2), rounds: Some(4), clock: Some(4), ..Bmc::default() };
    Model::ALL.into_iter().find_map(|model| check(&program, model, &engine, seen))
}

#[test]
fn random_programs_agree_with_the_reference() {
    let seeds = effort::seeds(150);
    let mut seen = Seen::default();
    for seed in 0..seeds {
        let sketch = program(seed, Config::default());
        if let Some(problem) = disagreement(&sketch.to_string(), &mut seen) {
            let small = shrink(sketch, |t| disagreement(t, &mut Seen::default()).is_some());
            let small_problem = disagreement(&small.to_string(), &mut Seen::default()).unwrap_or_default();
            panic!("seed {seed}: {problem}\nshrunk: {small_problem}\n{small}");
        }
    }
    let Seen { compared, violations, complete, missed } = seen;
    println!("compared {compared}, violations {violations}, complete {complete}, missed {missed}");
    assert!(compared >= seeds * 2, "only {compared} comparisons for {seeds} programs");
    assert!(violations * 5 >= compared, "only {violations} violations in {compared}");
    assert!(complete > 0 && missed * 10 <= violations, "{complete} complete, {missed} missed");
}

/// No thread can observe what an atomic section leaves undone because the bound on repetitions cuts it off.
#[test]
fn a_section_that_is_cut_off_is_left_out() {
    let text = "shared int x; thread a { int i = 0; atomic { x = 1; while (i < 5) { i = i + 1; } x = 0; } }
        thread b { assert(x == 0); }";
    let program =
        pipeline::lower(fencepost_models::fp::read("cut.fp", text).unwrap_or_else(|e| panic!("{:?}", e.1)));
    for model in Model::ALL {
        for (unwind, complete) in [(2, false), (5, true)] {
            let engine = Bmc { unwind: Some(unwind), rounds: Some(3), clock: Some(4), ..Bmc::default() };
            let task =
                Task { program: &program, model, bounds: Bounds::default(), budget: Budget::default() };
            match engine.check(&task, &mut |_| {}).verdict {
                Verdict::Safe(cleared) => {
                    assert_eq!(cleared.is_complete(), complete, "{model:?}, {unwind}")
                }
                other => panic!("{model:?}, {unwind}: {other:?}"),
            }
        }
    }
}
