//! Violations that lie beyond what can be searched, and in most long runs.

use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_models::fp::read;
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Trace, Verdict};

/// Two threads that count to 300 each, in a variable that has enough values for far too many states.
fn counters(before: &str, behind: &str) -> Program {
    let text = format!(
        "shared 0..1000 counter;\nshared 0..2 done;\nmutex m;\n
         thread t[2] {{
             0..300 i;
             0..1000 seen;
             while (i < 300) {{ {before} seen = counter; counter = seen + 1; {behind} i = i + 1; }}
             fence;
             0..2 others;
             atomic {{ others = done; done = others + 1; seen = counter; }}
             assert(others == 0 || seen == 600);
         }}"
    );
    let tree = read("counters.fp", &text).unwrap();
    pipeline::lower(tree)
}

fn found(program: &Program, model: Model, budget: Budget) -> Option<Trace> {
    let task = Task { program, model, bounds: Bounds::default(), budget };
    match Explicit::default().check(&task, &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => Some(trace),
        _ => None,
    }
}

#[test]
fn a_lost_update_is_found_among_too_many_states() {
    let program = counters("", "");
    for model in Model::ALL {
        let trace = found(&program, model, Budget::default()).expect("most runs lose an update");
        assert!(replay(&program, &trace).is_ok());
        let again = found(&program, model, Budget::default()).expect("drawn the same again");
        assert_eq!(again.steps, trace.steps, "two checks draw the same runs, under {model:?}");
    }
}

#[test]
fn nothing_is_found_where_nothing_is_lost() {
    let program = counters("lock(m);", "unlock(m);");
    for model in Model::ALL {
        assert!(found(&program, model, Budget::default().within(32 << 20)).is_none());
    }
}
