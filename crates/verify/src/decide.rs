//! A program under a memory model to a verdict: by the engine that was asked for or by the portfolio. A run is replayed
//! and a proof checked again before anybody hears of it.

use crate::options::{CheckOptions, Misfit};
use crate::portfolio::{self, AllErrors, Choice, Setup};
use crate::program::Program;
use crate::simplest::simplest;
use crate::translated::{Growing, Translated};
use fencepost_certify::{Part, Replay, Unproven, check_certificate_within, replay_within};
use fencepost_cover::Dual;
use fencepost_report::{Shown, Took, explain};
use fencepost_task::{
    Answer, Bounds, Budget, Certificate, Cleared, EngineChoice, EngineId, Model, Progress, Reason, Stats,
    Stop, Task, Trace, Verdict,
};
use std::time::{Duration, Instant};

/// A verdict with what belongs to it.
pub struct Decided {
    /// The verdict; a run in it has been replayed.
    pub verdict: Shown,
    /// The engine that answered; where none did, what was asked for.
    pub engine: EngineChoice,
    /// The engines that took part.
    pub engines: Vec<Took>,
    /// How weak a violating run is.
    pub order: Option<explain::RunWeakness>,
    /// What it cost.
    pub stats: Stats,
    /// A proof, and whose it is.
    pub certificate: Option<(EngineId, Box<Certificate>)>,
    /// Wall-clock time.
    pub seconds: f64,
    /// What is to be said besides.
    pub notes: Vec<String>,
}

/// Decides; or says why the options do not fit.
pub fn decide(
    program: &Program,
    model: Model,
    options: &CheckOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Decided, Misfit> {
    let start = Instant::now();
    // Rounds, ages and what else bounds one engine is said to that engine only.
    let bounds = Bounds {
        buffer: options.bounds.buffer,
        threads: program.threads,
        unwind: options.bounds.unwind,
        ..Bounds::default()
    };
    let graph = &program.graph;
    let task = Task { program: graph, model, bounds, budget: budget.clone() };
    let setup = setup(options, model)?;
    let mut notes = Vec::new();
    let Choice { answer, engine, engines } = match options.engine {
        EngineChoice::Auto => portfolio::check(&setup, &task, progress),
        EngineChoice::Only(EngineId::Explicit) => Choice::of(&setup.explicit, &task, progress),
        EngineChoice::Only(EngineId::Dual) => Choice::of(&AllErrors(Dual), &task, progress),
        EngineChoice::Only(EngineId::Lazy) => Choice::of(&AllErrors(setup.lazy), &task, progress),
        EngineChoice::Only(EngineId::Bmc) => Choice::of(&AllErrors(setup.bmc.clone()), &task, progress),
        EngineChoice::Only(EngineId::Rounds) => {
            translated(program, Growing::Rounds(options.bounds.rounds), &task, progress, &mut notes)
        }
        EngineChoice::Only(EngineId::Age) => {
            translated(program, Growing::Age(options.bounds.age), &task, progress, &mut notes)
        }
    };
    let searched = start.elapsed();
    let Answer { verdict, unreached, stats, certificate } = answer;
    match certificate.as_ref().map(|certificate| certify(&task, searched, certificate)) {
        None | Some(Ok(Proof::Holds)) => {}
        Some(Ok(Proof::Unfinished)) => {
            notes.push(
                "the proof was not checked again: that would have taken longer than the limits allow".into(),
            );
        }
        Some(Err(message)) => panic!(
            "internal error: the engine `{}` says that {} is safe, and its proof is rejected ({message}). \
             This is a bug in Fencepost; please report it with the file.",
            engine, program.name
        ),
    }
    let mut order = None;
    let (verdict, ended) = finished(verdict, options);
    let verdict = match verdict {
        Verdict::Safe(cleared) => Shown::Safe { scope: cleared.scope(), unreached, ended },
        Verdict::Unknown { reason, cleared } => Shown::Unknown { reason, scope: cleared.map(Cleared::scope) },
        Verdict::Unsafe { trace } => match confirmed(&task, &program.name, engine, &trace) {
            Ok(known) => {
                let found = simplest(&task, trace, &mut order);
                Shown::Unsafe(Box::new(found.unwrap_or(known)))
            }
            Err(stop) => Shown::Unknown { reason: Reason::BoundReached(unconfirmed(stop)), scope: None },
        },
    };
    let seconds = start.elapsed().as_secs_f64();
    let certificate = certificate.map(|certificate| (engine, certificate));
    let engine = EngineChoice::Only(engine);
    Ok(Decided { verdict, engine, engines, order, stats, certificate, seconds, notes })
}

/// With bounds asked for, what was finished before the time limit ended their growth is the answer, and the limit a remark. It
/// is a proof like any other: a [`Cleared`] is made of a search that came to its end, and not of the one that was stopped.
pub(crate) fn finished(verdict: Verdict, options: &CheckOptions) -> (Verdict, Option<Reason>) {
    match verdict {
        Verdict::Unknown { reason: reason @ Reason::Timeout, cleared: Some(cleared) }
            if options.asks_for_bounds() =>
        {
            (Verdict::Safe(cleared), Some(reason))
        }
        verdict => (verdict, None),
    }
}

/// The run that an engine found, replayed: from then on the violation is known, and limits end only what is made of it.
fn confirmed(task: &Task<'_>, name: &str, engine: EngineId, trace: &Trace) -> Result<Replay, Stop> {
    let replayed = replay_within(task.program, trace, &task.budget.to_confirm())?;
    Ok(replayed.unwrap_or_else(|rejection| {
        panic!(
            "internal error: the engine `{engine}` found a run of {name} under {} that does not replay ({rejection}). \
             This is a bug in Fencepost; please report it with the file.",
            task.model.name()
        )
    }))
}

/// What is said of a run that could not be replayed within the limits.
fn unconfirmed(stop: Stop) -> String {
    format!("a violating run was found, but {} before it was replayed", Reason::from(stop))
}

/// What a second look at a proof came to.
pub(crate) enum Proof {
    /// It holds.
    Holds,
    /// There was no time to say.
    Unfinished,
}

/// Checks a proof again, unless that takes much longer than it took to find it.
pub(crate) fn certify(
    task: &Task<'_>,
    searched: Duration,
    certificate: &Certificate,
) -> Result<Proof, Unproven> {
    let allowed = Instant::now() + searched * 3 + Duration::from_secs(1);
    match check_certificate_within(task.program, certificate, &task.budget.until(allowed)) {
        Err(unproven) if unproven.part != Part::Unfinished => Err(unproven),
        Err(_) => Ok(Proof::Unfinished),
        Ok(()) => Ok(Proof::Holds),
    }
}

/// The engines as the options describe them; or why these do not fit the model.
pub(crate) fn setup(options: &CheckOptions, model: Model) -> Result<Setup, Misfit> {
    Ok(Setup {
        explicit: options.explicit(),
        lazy: options.lazy(),
        bmc: options.bmc(model)?,
        bounded: options.is_bounded(),
        jobs: options.jobs,
    })
}

/// The answer of an engine that works on the tree.
fn translated(
    program: &Program,
    bound: Growing,
    task: &Task<'_>,
    progress: &mut dyn FnMut(&Progress),
    notes: &mut Vec<String>,
) -> Choice {
    let engine = AllErrors(Translated::new(&program.tree, program.threads, bound));
    let choice = Choice::of(&engine, task, progress);
    notes.extend(engine.0.notes.take());
    choice
}
