//! Programs with any number of threads that no engine decides: one thread of each template, then two, and so
//! on. A violation among so many threads is one of the program; that there is none says nothing of more.

use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Count;
use fencepost_task::{Answer, Bounds, Budget, Engine, Progress, Reason, Scope, Task, Verdict};
use std::sync::mpsc;
use std::time::Instant;

/// More threads of each template than this are not tried.
const MOST: u32 = 8;

/// After so many states one more thread of each template is not tried: it would take many times as many.
const ENOUGH_STATES: u64 = 50_000;

/// The dual engine with half of the time that there is. It looks at the clock only when it has automata, so
/// it is left behind when it does not come back.
pub fn dual(task: &Task<'_>) -> Answer {
    let Some(deadline) = task.budget.deadline else { return Dual.check(task, &mut |_| {}) };
    let half = deadline.saturating_duration_since(Instant::now()) / 2;
    let (program, model, bounds, budget) =
        (task.program.clone(), task.model, task.bounds, task.budget.clone());
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let budget = Budget { deadline: Some(Instant::now() + half), ..budget };
        let task = Task { program: &program, model, bounds, budget };
        // Nobody may be listening any more.
        let _ = send.send(Dual.check(&task, &mut |_| {}));
    });
    receive.recv_timeout(half).unwrap_or_else(|_| {
        let verdict = Verdict::Unknown { reason: Reason::Timeout, scope: None };
        Answer { verdict, unreached: Vec::new(), stats: Default::default(), certificate: None }
    })
}

/// Explicit search with a growing number of threads.
pub fn check(explicit: &Explicit, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
    let mut stats = fencepost_task::Stats::default();
    let mut finished = None;
    let mut stopped = None;
    for threads in 1..=MOST {
        let counts: Vec<u32> = task
            .program
            .threads
            .iter()
            .map(|start| match start.count {
                Count::Any => threads,
                Count::Times(n) => n,
            })
            .collect();
        let program = task.program.instantiated(&counts);
        let answer = explicit.check(&Task { program: &program, ..task.clone() }, progress);
        stats = answer.stats;
        match answer.verdict {
            Verdict::Unsafe { mut trace } => {
                trace.instances = counts;
                return Answer { verdict: Verdict::Unsafe { trace }, ..answer };
            }
            Verdict::Safe { .. } => {
                finished = Some(threads);
                if answer.stats.states > ENOUGH_STATES {
                    break;
                }
            }
            Verdict::Unknown { reason, .. } => {
                stopped = Some(reason);
                break;
            }
        }
    }
    let scope = finished.map(|threads| Scope::UpTo(Bounds { threads: Some(threads), ..task.bounds }));
    let reason = stopped.unwrap_or_else(|| {
        let tried = finished.unwrap_or(0);
        Reason::BoundReached(format!(
            "no method here decides any number of threads under this model; up to {tried} of each were tried"
        ))
    });
    Answer { verdict: Verdict::Unknown { reason, scope }, unreached: Vec::new(), stats, certificate: None }
}
