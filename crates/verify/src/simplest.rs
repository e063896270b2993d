//! The simplest run to a violation: people read it.

use fencepost_certify::{Replay, replay_within};
use fencepost_explore::{Least, least_weak};
use fencepost_report::explain::{Known, RunWeakness};
use fencepost_task::{Error, Task, Trace, Violation};

/// The least weak run to a violation that can be found quickly, and how weak it is; none where the given one is as good, or
/// limits come first.
pub fn simplest(task: &Task<'_>, trace: Trace, order: &mut Option<RunWeakness>) -> Option<Replay> {
    // A race is what SC has: there is no weaker run to be avoided.
    if trace.model != task.model || trace.violation == Violation::Failure(Error::RACE) {
        return None;
    }
    let found = least_weak(task, trace).ok()?;
    let replayed = replay_within(task.program, &found.trace, &task.budget).ok()?;
    let replay = replayed.unwrap_or_else(|rejection| {
        panic!(
            "internal error: a simpler run does not replay ({rejection}). This is a bug in Fencepost; please report it with \
             the file."
        )
    });
    let known = match found.least {
        Least::Proved => Known::All,
        Least::ButSteps => Known::ButSteps,
        Least::Unknown => Known::No,
    };
    let weakness = found.weakness;
    *order = Some(RunWeakness {
        delayed: weakness.delayed,
        switches: weakness.switches,
        steps: weakness.steps,
        known,
    });
    Some(replay)
}
