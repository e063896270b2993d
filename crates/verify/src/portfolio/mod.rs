//! `--engine auto`: which engines a program gets, and whose answer counts.
//!
//! The engines that fit run side by side ([`mod@race`]): those that can be complete, a search for violations that need
//! no delayed store, and bounded model checking. Explicit search has a head start: it decides most programs, with a short
//! run or a complete verdict, before the others begin. The choice rests on what the program has and the model asks for;
//! whatever else an engine cannot do, it says itself at once. The first definite answer counts. All
//! answers are right, so which is first changes the run that is shown and not the verdict.

mod all_errors;
mod few_threads;
pub mod race;
pub mod turns;

pub use all_errors::AllErrors;
use fencepost_bmc::Bmc;
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_memory::without_delay;
use fencepost_report::{Took, TookPart};
use fencepost_robust::lazy::Lazy;
use fencepost_task::{Answer, Engine, EngineId, Model, Progress, Reason, Task, Verdict};
use few_threads::FewThreads;
use std::time::Duration;
use turns::HeadStart;

/// Time for what is easy; more would be lost where search is of no use.
const HEAD_START: HeadStart = HeadStart { time: Duration::from_millis(200), looks: 48 };

/// What the engines are like.
#[derive(Clone)]
pub struct Setup {
    /// The search.
    pub explicit: Explicit,
    /// Search under SC, and robustness.
    pub lazy: Lazy,
    /// Bounded model checking.
    pub bmc: Bmc,
    /// Whether the user gave bounds: safe up to them is then an answer.
    pub bounded: bool,
    /// Cores; all by default.
    pub jobs: Option<u32>,
}

/// What the portfolio says.
pub struct Choice {
    /// The answer that counts.
    pub answer: Answer,
    /// Whose it is.
    pub engine: EngineId,
    /// Who took part.
    pub engines: Vec<Took>,
}

impl Choice {
    /// The answer of an engine that was asked for by name.
    pub fn of(engine: &dyn Engine, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Choice {
        let answer = engine.check(task, progress);
        Choice { engines: vec![took(engine.id(), &answer)], engine: engine.id(), answer }
    }
}

/// Looks for violations that need no delayed store: an SC run is a run under every model.
struct ScHunt(Explicit);

impl Engine for ScHunt {
    fn id(&self) -> EngineId {
        self.0.id()
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let answer = self.0.check(&Task { model: Model::Sc, ..task.clone() }, progress);
        let verdict = match answer.verdict {
            Verdict::Unsafe { trace } => {
                match without_delay(task.program, &trace, task.model, &task.budget.to_confirm()) {
                    Ok(Some(trace)) => Verdict::Unsafe { trace },
                    Ok(None) => panic!("internal error: a run under SC is none of the program"),
                    Err(stop) => Verdict::unknown(stop),
                }
            }
            Verdict::Safe { .. } => {
                let reason = Reason::BoundReached("SC runs alone violate nothing".to_string());
                Verdict::unknown(reason)
            }
            unknown @ Verdict::Unknown { .. } => unknown,
        };
        Answer { verdict, unreached: Vec::new(), ..answer }
    }
}

/// The engines that fit, those first that are tried first.
fn engines(setup: &Setup, task: &Task<'_>) -> Vec<Box<dyn Engine + Sync>> {
    let explicit = setup.explicit;
    let mut engines: Vec<Box<dyn Engine + Sync>> = Vec::new();
    let plain = !task.program.checks.asks_more();
    if task.program.is_parameterized() {
        if plain && task.model != Model::Pso {
            engines.push(Box::new(AllErrors(Dual)));
        }
        engines.push(Box::new(FewThreads { explicit, bmc: setup.bmc.clone() }));
        return engines;
    }
    engines.push(Box::new(explicit));
    // Deadlocks, leaks, races, and a bound for buffers, are for this engine alone.
    if !plain || task.bounds.buffer.is_some() {
        return engines;
    }
    match task.model {
        Model::Sc => {}
        Model::Tso => {
            engines.push(Box::new(AllErrors(setup.lazy)));
            engines.push(Box::new(AllErrors(Dual)));
        }
        Model::Pso => engines.push(Box::new(ScHunt(explicit))),
    }
    engines.push(Box::new(AllErrors(setup.bmc.clone())));
    engines
}

/// Answers with the engines that fit.
pub fn check(setup: &Setup, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Choice {
    let bounded = setup.bounded;
    let engines = engines(setup, task);
    let ids: Vec<_> = engines.iter().map(|e| e.id()).collect();
    if let [only] = &engines[..] {
        return Choice::of(only.as_ref(), task, progress);
    }
    let cores = setup.jobs.map_or_else(
        || std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        |jobs| jobs as usize,
    );
    let race::Finish { winner, answers } = race::race(&engines, task, bounded, cores, HEAD_START, progress);
    let mut answers: Vec<_> =
        answers.into_iter().map(|a| a.map(|answer| without_bounds_of_ours(answer, bounded))).collect();
    let not_run = |engine| Took { engine, part: TookPart::NotRun, reason: None };
    let took = |(engine, answer): (_, &Option<_>)| {
        answer.as_ref().map_or_else(|| not_run(engine), |a| took(engine, a))
    };
    let engines: Vec<_> = ids.iter().copied().zip(&answers).map(took).collect();
    let chosen = winner.unwrap_or_else(|| best(&answers));
    let answer =
        answers.swap_remove(chosen).expect("the first engine has begun, and so has one that answers");
    Choice { answer, engine: ids[chosen], engines }
}

/// Of answers that are all unknown, the first that knows something up to a bound, or the first.
fn best(answers: &[Option<Answer>]) -> usize {
    let knows = |answer: &Option<Answer>| {
        answer.as_ref().is_some_and(|answer| match &answer.verdict {
            Verdict::Unsafe { .. } | Verdict::Safe { .. } => true,
            Verdict::Unknown { cleared, .. } => cleared.is_some(),
        })
    };
    answers.iter().position(knows).unwrap_or(0)
}

/// The user did not ask for a bound, so the answer is not safe up to one.
fn without_bounds_of_ours(answer: Answer, bounded: bool) -> Answer {
    match answer.verdict {
        Verdict::Safe(cleared) if !race::is_definite(&answer, bounded) => {
            let reason =
                Reason::BoundReached("there may be violations beyond the bounds that were tried".into());
            Answer { verdict: Verdict::Unknown { reason, cleared: Some(cleared) }, ..answer }
        }
        _ => answer,
    }
}

fn took(engine: EngineId, answer: &Answer) -> Took {
    let (part, reason) = match &answer.verdict {
        Verdict::Unsafe { .. } | Verdict::Safe { .. } => (TookPart::Answered, None),
        Verdict::Unknown { reason: Reason::Cancelled, .. } => (TookPart::Cancelled, None),
        Verdict::Unknown { reason: reason @ Reason::NotApplicable(_), .. } => {
            (TookPart::NotApplicable, Some(reason.to_string()))
        }
        Verdict::Unknown { reason, .. } => (TookPart::Unknown, Some(reason.to_string())),
    };
    Took { engine, part, reason }
}
