//! Engines that look for all errors of steps and for nothing else, asked for a part of these.
//!
//! An error that is not asked for ends its run, so all runs that are looked at are runs of the program with every error
//! reported. If none of those is wrong, none of these is; and a run to an error that is asked for has met no other before.

use fencepost_ir::Checks;
use fencepost_task::{Answer, Engine, EngineId, Progress, Reason, Stats, Task, Verdict, Violation};

/// An engine that looks for all errors of steps.
pub struct AllErrors<E>(pub E);

impl<E: Engine> Engine for AllErrors<E> {
    fn id(&self) -> EngineId {
        self.0.id()
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let checks = &task.program.checks;
        if *checks == Checks::default() {
            return self.0.check(task, progress);
        }
        if checks.asks_more() {
            let reason = format!("the engine `{}` does not look for deadlocks, leaks and races", self.id());
            return Answer::unknown(Reason::NotApplicable(reason), Stats::default());
        }
        let mut program = task.program.clone();
        program.checks = Checks::default();
        let answer = self.0.check(&Task { program: &program, ..task.clone() }, progress);
        match &answer.verdict {
            Verdict::Unsafe { trace } => match trace.violation {
                Violation::Failure(error) if error.check().is_some_and(|check| !checks.reports(check)) => {
                    let reason = format!("the engine `{}` finds another error first: {error}", self.id());
                    Answer { verdict: Verdict::unknown(Reason::BoundReached(reason)), ..answer }
                }
                Violation::Failure(_) | Violation::Property(_) => answer,
            },
            Verdict::Safe(_) | Verdict::Unknown { .. } => answer,
        }
    }
}
