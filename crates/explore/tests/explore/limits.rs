//! Limits after a violation is found: what is claimed of its run, and that the run is followed again within the budget.

use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_models::fp::read;
use fencepost_passes::pipeline;
use fencepost_task::{Answer, Bounds, Budget, Engine, Model, Stop, Task, Trace, Verdict};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn program(text: &str) -> Program {
    pipeline::lower(read("limits.fp", text).unwrap())
}

fn task(program: &Program, budget: Budget) -> Task<'_> {
    Task { program, model: Model::Sc, bounds: Bounds::default(), budget }
}

fn run(answer: Answer) -> Trace {
    match answer.verdict {
        Verdict::Unsafe { trace } => trace,
        other => panic!("a run was expected, not {other:?}"),
    }
}

/// A run of `late` ends in a violation. In `early` fewer steps do, but with a value that is one of too many to be tried.
fn behind_a_choice(values: &str) -> Program {
    program(&format!(
        "shared bool x;
         thread early {{ {values} r; r = any; assert(r + 2 != 9); }}
         thread late {{ x = true; x = false; x = true; x = false; x = true; x = false; assert(x); }}"
    ))
}

#[test]
fn no_run_is_called_shortest_beside_an_engine_limit() {
    let few = behind_a_choice("0..15");
    let trace = run(Explicit::default().check(&task(&few, Budget::default()), &mut |_| {}));
    assert!(trace.shortest && trace.steps.len() < 7, "{trace:?}");
    let many = behind_a_choice("u32");
    let trace = run(Explicit::default().check(&task(&many, Budget::default()), &mut |_| {}));
    assert!(!trace.shortest && trace.steps.len() >= 7, "{trace:?}");
}

/// One long run.
const COUNTER: &str = "thread t { 0..5000 i; while (i < 5000) { i = i + 1; } assert(i == 0); }";

/// A budget that is looked at after every unit of work and refuses the look of that number, and its looks.
fn counted(refused: Option<u64>) -> (Budget, Arc<AtomicU64>) {
    let looks = Arc::new(AtomicU64::new(0));
    let counter = looks.clone();
    let watch = move || {
        let look = counter.fetch_add(1, Ordering::Relaxed);
        refused.is_some_and(|refused| look >= refused).then_some(Stop::Cancelled)
    };
    (Budget::default().watched_by(Arc::new(watch)).looked_at_every(1), looks)
}

#[test]
fn a_run_is_followed_again_within_the_budget() {
    let program = program(COUNTER);
    let (budget, looks) = counted(None);
    let trace = run(Explicit::default().check_quickly(&task(&program, budget), &mut |_| {}));
    let (looks, steps) = (looks.load(Ordering::Relaxed), trace.steps.len() as u64);
    assert!(steps > 10_000 && looks >= 2 * steps, "{looks} looks for {steps} steps, twice");
    let (budget, after) = counted(Some(looks - 100));
    let answer = Explicit::default().check_quickly(&task(&program, budget), &mut |_| {});
    assert!(matches!(answer.verdict, Verdict::Unknown { .. }), "{:?}", answer.verdict);
    assert!(after.load(Ordering::Relaxed) < looks);
}
