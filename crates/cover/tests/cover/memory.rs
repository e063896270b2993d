//! Everything that the search keeps counts against its memory.

use fencepost_cover::Dual;
use fencepost_models::fp::read;
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Task, Verdict};

/// Few configurations, but of each the many processes that it can have been before local steps.
#[test]
fn closures_count() {
    let loads = "r = x; ".repeat(1500);
    let text = format!("shared bool x; thread t {{ bool r; {loads} got: skip; }} at most 0 at got;");
    let program = pipeline::lower(read("closures.fp", &text).unwrap());
    let check = |budget| {
        let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget };
        Dual.check(&task, &mut |_| {})
    };
    let answer = check(Budget::default());
    assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{:?}", answer.verdict);
    assert!(answer.stats.bytes > 8 << 20, "{:?}", answer.stats);
    // Configurations alone stay below the limit.
    assert!(answer.stats.configurations * 400 < 1 << 20, "{:?}", answer.stats);
    let stopped = check(Budget::default().within(1 << 20)).verdict;
    assert!(matches!(stopped, Verdict::Unknown { reason: Reason::Memory, .. }), "{stopped:?}");
}
