//! A program under a memory model to a verdict: by the engine that was asked for or by the portfolio. A run is replayed
//! and a proof checked again before anybody hears of it.

use crate::options::{CheckOptions, EngineName, InputOptions, SearchOrder};
use crate::outputs::Staged;
use crate::portfolio::{self, Choice, Setup};
use crate::translated::Translated;
use crate::{bmc, story};
use fencepost_certify::{Part, Replay, Unproven, check_certificate_within, replay_within};
use fencepost_cover::Dual;
use fencepost_explore::{Explicit, Order, Reduction};
use fencepost_ir::{Check, Checks, cfg, tree};
use fencepost_passes::pipeline;
use fencepost_report::{Shown, Took, explain};
use fencepost_robust::lazy::Lazy;
use fencepost_task::{
    Answer, Bounds, Budget, Certificate, Cleared, Engine, EngineChoice, EngineId, Model, Progress, Reason,
    Stats, Stop, Task, Trace, Verdict,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A verdict with what belongs to it.
pub struct Decided {
    pub verdict: Shown,
    pub engine: EngineChoice,
    pub engines: Vec<Took>,
    /// How weak a violating run is.
    pub order: Option<explain::Order>,
    pub stats: Stats,
    /// A proof, and whose it is.
    pub certificate: Option<(EngineId, Box<Certificate>)>,
    pub seconds: f64,
    /// What is to be said besides.
    pub notes: Vec<String>,
}

/// The program of a tree, with what is looked for in it.
pub fn prepared(options: &InputOptions, tree: tree::Program) -> cfg::Program {
    let mut program = pipeline::run(tree, pipeline::Options { threads: options.threads }, |_, _| {});
    program.checks = Checks {
        deadlock: options.deadlock,
        leaks: options.leaks,
        races: options.races,
        off: options.no_check.clone(),
    };
    if !program.checks.reports(Check::Assertion) {
        program.drop_assertions();
    }
    program
}

/// The limits of a check that begins now.
pub fn budget(options: &CheckOptions, cancelled: &Arc<AtomicBool>) -> Budget {
    limits(options.timeout, options.memory, cancelled)
}

/// Limits that begin now: seconds, megabytes (most of the machine's where none are given), Ctrl-C.
pub fn limits(seconds: Option<f64>, megabytes: Option<u64>, cancelled: &Arc<AtomicBool>) -> Budget {
    let mut budget = Budget::default().cancelled_by(cancelled.clone());
    if let Some(bytes) = megabytes.map(|mb| mb.saturating_mul(1 << 20)).or_else(default_memory) {
        budget = budget.within(bytes).within_process(bytes);
    }
    // A time beyond all times is no limit.
    match seconds.and_then(|s| Instant::now().checked_add(Duration::try_from_secs_f64(s).ok()?)) {
        Some(deadline) => budget.until(deadline),
        None => budget,
    }
}

/// Decides; or says why the options do not fit. `translated` is the engine if it is one that works on the tree.
pub fn decide(
    options: &CheckOptions,
    name: &str,
    program: &cfg::Program,
    model: Model,
    translated: Option<Translated>,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Decided, String> {
    let start = Instant::now();
    let bounds = Bounds {
        buffer: options.buffer,
        threads: options.input.threads,
        unwind: options.bmc.unwind,
        ..Bounds::default()
    };
    let task = Task { program, model, bounds, budget: budget.clone() };
    let mut setup = setup(options, model)?;
    let (dimacs, proof) = (staged(&mut setup.bmc.dimacs)?, staged(&mut setup.bmc.proof)?);
    let named = match translated {
        Some(translated) => Some(Box::new(translated) as Box<dyn Engine>),
        None => engine(options.engine, &setup),
    };
    if program.checks != Checks::default() && named.as_ref().is_some_and(|e| e.id() != EngineId::Explicit) {
        let message =
            "--deadlock, --leaks, --races and --no-check are for explicit search; give --engine explicit";
        return Err(message.to_string());
    }
    let Choice { answer, engine, engines } = match named {
        None => portfolio::check(&setup, &task, progress),
        Some(engine) => Choice::of(engine.as_ref(), &task, progress),
    };
    for staged in [dimacs, proof].into_iter().flatten() {
        finish(staged, &answer.verdict)?;
    }
    let searched = start.elapsed();
    let Answer { verdict, unreached, stats, certificate } = answer;
    let mut notes = Vec::new();
    match certificate.as_ref().map(|certificate| certify(&task, searched, certificate)) {
        None | Some(Ok(Proof::Holds)) => {}
        Some(Ok(Proof::Unfinished)) => {
            notes.push(
                "the proof was not checked again: that would have taken longer than the limits allow".into(),
            );
        }
        Some(Err(message)) => panic!(
            "internal error: the engine `{}` says that {name} is safe, and its proof is rejected ({message}). \
             This is a bug in Fencepost; please report it with the file.",
            engine
        ),
    }
    let mut order = None;
    let verdict = match verdict {
        Verdict::Safe(cleared) => Shown::Safe { scope: cleared.scope(), unreached },
        Verdict::Unknown { reason, cleared } => Shown::Unknown { reason, scope: cleared.map(Cleared::scope) },
        Verdict::Unsafe { trace } => match confirmed(&task, name, engine, &trace) {
            Ok(known) => {
                let simplest = story::simplest(&task, trace, &mut order);
                Shown::Unsafe(Box::new(simplest.unwrap_or(known)))
            }
            Err(stop) => Shown::Unknown { reason: Reason::BoundReached(unconfirmed(stop)), scope: None },
        },
    };
    let seconds = start.elapsed().as_secs_f64();
    let certificate = certificate.map(|certificate| (engine, certificate));
    let engine = EngineChoice::Only(engine);
    Ok(Decided { verdict, engine, engines, order, stats, certificate, seconds, notes })
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
pub enum Proof {
    /// It holds.
    Holds,
    /// There was no time to say.
    Unfinished,
}

/// Checks a proof again, unless that takes much longer than it took to find it.
pub fn certify(task: &Task<'_>, searched: Duration, certificate: &Certificate) -> Result<Proof, Unproven> {
    let allowed = Instant::now() + searched * 3 + Duration::from_secs(1);
    match check_certificate_within(task.program, certificate, &task.budget.until(allowed)) {
        Err(unproven) if unproven.part != Part::Unfinished => Err(unproven),
        Err(_) => Ok(Proof::Unfinished),
        Ok(()) => Ok(Proof::Holds),
    }
}

fn explicit(options: &CheckOptions) -> Explicit {
    Explicit {
        order: if options.search == SearchOrder::Dfs { Order::Depth } else { Order::Breadth },
        reduction: if options.no_reduction { Reduction::Off } else { Reduction::On },
    }
}

/// The engines as the options describe them; or why these do not fit the model.
pub fn setup(options: &CheckOptions, model: Model) -> Result<Setup, String> {
    Ok(Setup {
        explicit: explicit(options),
        lazy: Lazy { iterations: options.iterations },
        bmc: bmc::engine(&options.bmc, model)?,
        bounded: options.buffer.is_some() || bmc::is_bounded(&options.bmc),
        jobs: options.jobs,
    })
}

/// Lets an engine write beside a file's place, so that the old file stays until the new one is complete.
fn staged(file: &mut Option<PathBuf>) -> Result<Option<Staged>, String> {
    let Some(path) = file else { return Ok(None) };
    let staged = Staged::new(path).map_err(|error| format!("{}: {error}", path.display()))?;
    *path = staged.path().to_path_buf();
    Ok(Some(staged))
}

/// Puts a file that an engine has written in its place; or says why that cannot be done.
fn finish(staged: Staged, verdict: &Verdict) -> Result<(), String> {
    let (path, target) = (staged.path().display().to_string(), staged.target().display().to_string());
    if let Verdict::Unknown { reason: Reason::NotApplicable(message), .. } = verdict
        && message.contains(&path)
    {
        return Err(message.replace(&path, &target));
    }
    staged.finish().map_err(|error| format!("{target}: {error}"))
}

/// The engine that was asked for, if one was.
pub fn engine(name: EngineName, setup: &Setup) -> Option<Box<dyn Engine>> {
    match name {
        // The translating engines are made of the tree.
        EngineName::Auto | EngineName::Rounds | EngineName::Age => None,
        EngineName::Explicit => Some(Box::new(setup.explicit)),
        EngineName::Dual => Some(Box::new(Dual)),
        EngineName::Lazy => Some(Box::new(setup.lazy)),
        EngineName::Bmc => Some(Box::new(setup.bmc.clone())),
    }
}

/// 80 % of the machine's memory, where it can be found out.
pub fn default_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 10 * 8)
}
