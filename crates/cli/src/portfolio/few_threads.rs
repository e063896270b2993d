//! Programs with any number of threads that no engine decides: one thread of each template, then two, and so
//! on. A violation among so many threads is one of the program; that there is none says nothing of more.

use fencepost_explore::Explicit;
use fencepost_ir::cfg::Count;
use fencepost_task::{Answer, Bounds, Budget, Engine, Progress, Reason, Scope, Task, Verdict};

/// More threads of each template than this are not tried.
const MOST: u32 = 8;

/// After so many states one more thread of each template is not tried: it would take many times as many.
const ENOUGH_STATES: u64 = 50_000;

/// Bytes that the search for each number may take: buffers may grow without end.
const ENOUGH_BYTES: u64 = 64 << 20;

/// Explicit search with a growing number of threads.
pub struct FewThreads(pub Explicit);

impl Engine for FewThreads {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        check(&self.0, task, progress)
    }
}

fn check(explicit: &Explicit, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
    let mut stats = fencepost_task::Stats::default();
    let mut finished = None;
    let mut stopped = None;
    let most = task.budget.memory.map_or(ENOUGH_BYTES, |bytes| bytes.min(ENOUGH_BYTES));
    let budget = Budget { memory: Some(most), ..task.budget.clone() };
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
        let answer =
            explicit.check(&Task { program: &program, budget: budget.clone(), ..task.clone() }, progress);
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
            Verdict::Unknown { reason: Reason::Memory, .. } => break,
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
            "any number of threads is not decided; up to {tried} of each were tried"
        ))
    });
    Answer { verdict: Verdict::Unknown { reason, scope }, unreached: Vec::new(), stats, certificate: None }
}
