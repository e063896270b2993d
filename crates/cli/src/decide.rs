//! A program under a memory model to a verdict: by the engine that was asked for or by the portfolio. A run is replayed
//! and a proof checked again before anybody hears of it.

use crate::options::{CheckOptions, EngineName, SearchOrder};
use crate::portfolio::{self, Choice, Setup};
use crate::translated::Translated;
use crate::{bmc, story};
use fencepost_certify::{Part, Unproven, check_certificate_until, replay};
use fencepost_cover::Dual;
use fencepost_explore::{Explicit, Order, Reduction};
use fencepost_ir::{Check, Checks, cfg, tree};
use fencepost_passes::pipeline;
use fencepost_report::{Shown, Took, explain};
use fencepost_robust::lazy::Lazy;
use fencepost_task::{
    Answer, Bounds, Budget, Certificate, Engine, Model, Progress, Reason, Scope, Stats, Task, Verdict,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A verdict with what belongs to it.
pub struct Decided {
    pub verdict: Shown,
    pub engine: &'static str,
    pub engines: Vec<Took>,
    /// How weak a violating run is.
    pub order: Option<explain::Order>,
    pub stats: Stats,
    pub certificate: Option<Box<Certificate>>,
    pub seconds: f64,
}

/// The program of a tree, with what is looked for in it.
pub fn prepared(options: &CheckOptions, tree: tree::Program) -> cfg::Program {
    let mut program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
    program.checks = Checks {
        deadlock: options.input.deadlock,
        leaks: options.input.leaks,
        races: options.input.races,
        off: options.input.no_check.clone(),
    };
    if !program.checks.reports(Check::Assertion) {
        program.drop_assertions();
    }
    program
}

/// The limits of a check that begins now.
pub fn budget(options: &CheckOptions, cancelled: &Arc<AtomicBool>) -> Budget {
    Budget {
        deadline: options.timeout.map(|s| Instant::now() + Duration::from_secs_f64(s)),
        memory: options.memory.map(|mb| mb << 20).or_else(default_memory),
        cancelled: cancelled.clone(),
        pause: None,
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
    let setup = setup(options, model)?;
    let named = match translated {
        Some(translated) => Some(Box::new(translated) as Box<dyn Engine>),
        None => engine(options.engine, &setup),
    };
    if program.checks != Checks::default() && named.as_ref().is_some_and(|e| e.name() != "explicit") {
        let message =
            "--deadlock, --leaks, --races and --no-check are for explicit search; give --engine explicit";
        return Err(message.to_string());
    }
    let Choice { answer, engine, engines } = match named {
        None => portfolio::check(&setup, &task, progress),
        Some(engine) => Choice::of(engine.as_ref(), &task, progress),
    };
    let searched = start.elapsed();
    let Answer { verdict, unreached, stats, certificate } = bounded_answer(options, answer);
    if let Some(certificate) = &certificate
        && let Err(message) = certify(&task, searched, certificate)
    {
        panic!(
            "internal error: the engine `{}` says that {name} is safe, and its proof is rejected ({message}). \
             This is a bug in Fencepost; please report it with the file.",
            engine
        );
    }
    let mut order = None;
    let verdict = match verdict {
        Verdict::Safe { scope } => Shown::Safe { scope, unreached },
        Verdict::Unknown { reason, scope } => Shown::Unknown { reason, scope },
        Verdict::Unsafe { trace } => match replay(program, &story::simplest(&task, trace, &mut order)) {
            Ok(replay) => Shown::Unsafe(Box::new(replay)),
            Err(rejection) => panic!(
                "internal error: the engine `{}` found a run of {name} under {} that does not replay ({rejection}). \
                 This is a bug in Fencepost; please report it with the file.",
                engine,
                model.name()
            ),
        },
    };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Decided { verdict, engine, engines, order, stats, certificate, seconds })
}

/// Checks a proof again, unless that takes much longer than it took to find it.
pub fn certify(task: &Task<'_>, searched: Duration, certificate: &Certificate) -> Result<(), Unproven> {
    let allowed = Instant::now() + searched * 3 + Duration::from_secs(1);
    let deadline = task.budget.deadline.map_or(allowed, |deadline| deadline.min(allowed));
    match check_certificate_until(task.program, certificate, deadline) {
        Err(unproven) if unproven.part != Part::Unfinished => Err(unproven),
        Err(_) | Ok(()) => Ok(()),
    }
}

fn explicit(options: &CheckOptions) -> Explicit {
    Explicit {
        order: if options.search == SearchOrder::Dfs { Order::Depth } else { Order::Breadth },
        reduction: if options.no_reduction { Reduction::Off } else { Reduction::On },
    }
}

/// The engines as the options describe them; or why these do not fit the model.
fn setup(options: &CheckOptions, model: Model) -> Result<Setup, String> {
    Ok(Setup {
        explicit: explicit(options),
        lazy: Lazy { iterations: options.iterations },
        bmc: bmc::engine(&options.bmc, model)?,
        bounded: options.buffer.is_some() || bmc::is_bounded(&options.bmc),
        jobs: options.jobs,
    })
}

/// The engine that was asked for, if one was.
fn engine(name: EngineName, setup: &Setup) -> Option<Box<dyn Engine>> {
    match name {
        // The translating engines are made of the tree.
        EngineName::Auto | EngineName::Rounds | EngineName::Age => None,
        EngineName::Explicit => Some(Box::new(setup.explicit)),
        EngineName::Dual => Some(Box::new(Dual)),
        EngineName::Lazy => Some(Box::new(setup.lazy)),
        EngineName::Bmc => Some(Box::new(setup.bmc.clone())),
    }
}

/// What a limit means: with a bound from the user, "nothing found up to the last finished bound"
/// is safe within that scope.
fn bounded_answer(options: &CheckOptions, answer: Answer) -> Answer {
    let asked_for_bounds = options.buffer.is_some()
        || matches!(options.engine, EngineName::Bmc | EngineName::Rounds | EngineName::Age)
        || bmc::is_bounded(&options.bmc);
    match answer.verdict {
        Verdict::Unknown { reason: Reason::Timeout, scope: Some(scope @ Scope::UpTo(_)) }
            if asked_for_bounds =>
        {
            Answer { verdict: Verdict::Safe { scope }, ..answer }
        }
        _ => answer,
    }
}

/// 80 % of the machine's memory, where it can be found out.
pub fn default_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 10 * 8)
}
