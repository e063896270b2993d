//! Programs with any number of threads that no engine decides: one thread of each template, then two, and so
//! on. A violation among so many threads is one of the program; that there is none says nothing of more. Where the
//! search has to give up, because too many values may be chosen, bounded model checking tries.

use fencepost_bmc::Bmc;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Count;
use fencepost_task::{Answer, Bounds, Cleared, Engine, EngineId, Progress, Reason, Task, Verdict};

/// More threads of each template than this are not tried.
const MOST: u32 = 8;

/// After so many states one more thread of each template is not tried: it would take many times as many.
const ENOUGH_STATES: u64 = 50_000;

/// Bytes that the search for each number may take: buffers may grow without end.
const ENOUGH_BYTES: u64 = 64 << 20;

/// As many threads, rounds and repetitions of loops bounded model checking tries.
const MOST_BOUNDED: u32 = 3;

/// Explicit search with a growing number of threads, and then bounded model checking.
pub struct FewThreads {
    /// The search.
    pub explicit: Explicit,
    /// What tries where the search cannot.
    pub bmc: Bmc,
}

impl Engine for FewThreads {
    fn id(&self) -> EngineId {
        self.explicit.id()
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let answer = search(&self.explicit, task, progress);
        match &answer.verdict {
            Verdict::Unknown {
                reason: Reason::BoundReached(_) | Reason::NotApplicable(_),
                cleared: None,
            } => bounded(&self.bmc, task, progress).unwrap_or(answer),
            _ => answer,
        }
    }
}

/// The threads of each start, with so many for each template.
fn counts(task: &Task<'_>, threads: u32) -> Vec<u32> {
    let count = |count: &Count| match count {
        Count::Any => threads,
        Count::Times(n) => *n,
    };
    task.program.threads.iter().map(|start| count(&start.count)).collect()
}

/// What bounded model checking finds among few threads; nothing where it does not apply.
fn bounded(bmc: &Bmc, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Option<Answer> {
    let small = Some(MOST_BOUNDED);
    let bmc = Bmc { unwind: bmc.unwind.or(small), rounds: bmc.rounds.or(small), ..bmc.clone() };
    let mut last = None;
    for threads in 1..=MOST_BOUNDED {
        let counts = counts(task, threads);
        let program = task.program.instantiated(&counts);
        let answer = bmc.check(&Task { program: &program, ..task.clone() }, progress);
        match answer.verdict {
            Verdict::Unsafe { mut trace } => {
                trace.instances = counts;
                return Some(Answer { verdict: Verdict::Unsafe { trace }, ..answer });
            }
            Verdict::Safe(cleared) => {
                let bounds = Bounds { threads: Some(threads), ..Bounds::default() };
                let reason =
                    Reason::BoundReached("there may be violations beyond the bounds that were tried".into());
                let verdict = Verdict::Unknown { reason, cleared: Some(cleared.up_to(bounds)) };
                last = Some(Answer { verdict, unreached: Vec::new(), certificate: None, ..answer });
            }
            Verdict::Unknown { .. } => break,
        }
    }
    last
}

fn search(explicit: &Explicit, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
    let mut stats = fencepost_task::Stats::default();
    let mut finished: Option<(u32, Cleared)> = None;
    let mut stopped = None;
    for threads in 1..=MOST {
        let counts = counts(task, threads);
        let program = task.program.instantiated(&counts);
        let budget = task.budget.within(ENOUGH_BYTES);
        let answer = explicit.check(&Task { program: &program, budget, ..task.clone() }, progress);
        stats = answer.stats;
        match answer.verdict {
            Verdict::Unsafe { mut trace } => {
                trace.instances = counts;
                return Answer { verdict: Verdict::Unsafe { trace }, ..answer };
            }
            Verdict::Safe(cleared) => {
                let bounds = Bounds { threads: Some(threads), ..Bounds::default() };
                finished = Some((threads, cleared.up_to(bounds)));
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
    let reason = stopped.unwrap_or_else(|| {
        let tried = finished.map_or(0, |(threads, _)| threads);
        Reason::BoundReached(format!(
            "any number of threads is not decided; up to {tried} of each were tried"
        ))
    });
    let cleared = finished.map(|(_, cleared)| cleared);
    Answer { verdict: Verdict::Unknown { reason, cleared }, unreached: Vec::new(), stats, certificate: None }
}
