//! What fences are for, asked of an engine or of the robustness oracle; every answer is checked before it
//! counts.

use super::GoalKind;
use crate::decide;
use fencepost_bmc::Bmc;
use fencepost_certify::{Replay, replay_within};
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg;
use fencepost_robust::fences::{Finding, Goal, Run};
use fencepost_robust::lazy::Lazy;
use fencepost_robust::{Attack, attacks};
use fencepost_task::{
    Bounds, Budget, Engine, EngineChoice, EngineId, Model, Progress, Reason, Scope, Stats, Stop, Task, Trace,
    Verdict,
};
use std::time::Instant;

/// Memory that explicit search may take before another engine is tried.
const FIRST_TRY: u64 = 256 << 20;

/// A goal under a model.
pub struct Checker<'a> {
    pub name: &'a str,
    pub goal: GoalKind,
    pub model: Model,
    pub engine: EngineChoice,
    pub bounds: Bounds,
    pub budget: Budget,
    /// Who is told where the work is.
    pub progress: &'a dyn Fn(&Progress),
    /// What all checks took together.
    pub stats: Stats,
    /// The engines that answered.
    pub answered: Vec<Answerer>,
}

/// Who answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    /// An engine.
    Engine(EngineId),
    /// The search for attacks on robustness.
    Attacks,
}

impl Answerer {
    /// As results write it.
    pub fn name(self) -> &'static str {
        match self {
            Answerer::Engine(engine) => engine.name(),
            Answerer::Attacks => "attacks",
        }
    }
}

/// What was found of a program.
pub enum Judged {
    Holds(Scope),
    /// Runs that show that the goal is missed, and the first of them to be shown.
    Broken(Vec<Run>, Evidence),
    Unknown(Reason),
}

/// Why a goal is missed.
pub enum Evidence {
    /// A replayed violation.
    Violation(Box<Replay>),
    /// A store that is delayed past a load.
    Attack(Box<Attack>),
}

impl Checker<'_> {
    /// Whether the program meets the goal.
    pub fn judge(&mut self, program: &cfg::Program, memory: Option<u64>) -> Judged {
        match self.goal {
            GoalKind::Safe => match self.verdict(program, memory) {
                Verdict::Safe(cleared) => Judged::Holds(cleared.scope()),
                Verdict::Unknown { reason, .. } => Judged::Unknown(reason),
                Verdict::Unsafe { trace } => match confirmed(program, &trace, self.name, &self.budget) {
                    Ok(replay) => {
                        Judged::Broken(vec![Run::from(&trace)], Evidence::Violation(Box::new(replay)))
                    }
                    Err(stop) => Judged::Unknown(stop.into()),
                },
            },
            GoalKind::Robust => self.robust(program, memory),
        }
    }

    /// Whether a scope has bounds that the user did not give.
    pub fn is_narrowed(&self, scope: Scope) -> bool {
        let given = Scope::from(self.bounds);
        scope.and(given) != given
    }

    fn robust(&mut self, program: &cfg::Program, memory: Option<u64>) -> Judged {
        let found = attacks(program, &self.share(memory));
        self.count(Answerer::Attacks, found.stats);
        let scope = Scope::from(Bounds { threads: self.bounds.threads, ..Bounds::default() });
        let mut runs: Vec<Run> = Vec::new();
        for run in found.found.iter().map(Run::from) {
            // The first is the answer; the others spare later checks.
            let limits = if runs.is_empty() { self.budget.to_confirm() } else { self.budget.part() };
            match run.is_run_within(program, &limits) {
                Ok(true) => runs.push(run),
                Ok(false) => panic!(
                    "internal error: an attack on {} does not replay. This is a bug in Fencepost; please report it \
                     with the file.",
                    self.name
                ),
                Err(stop) if runs.is_empty() => return Judged::Unknown(stop.into()),
                Err(_) => break,
            }
        }
        match (found.found.into_iter().next(), found.incomplete) {
            (Some(first), _) => Judged::Broken(runs, Evidence::Attack(Box::new(first))),
            (None, Some(reason)) => Judged::Unknown(reason),
            (None, None) => Judged::Holds(scope),
        }
    }

    fn verdict(&mut self, program: &cfg::Program, memory: Option<u64>) -> Verdict {
        let (explicit, dual) = (&Explicit::default() as &dyn Engine, &Dual as &dyn Engine);
        match self.engine {
            EngineChoice::Only(EngineId::Dual) => self.ask(dual, program, memory),
            EngineChoice::Only(EngineId::Lazy) => self.ask(&Lazy::default(), program, memory),
            EngineChoice::Only(EngineId::Bmc) => self.ask(&Bmc::default(), program, memory),
            EngineChoice::Only(EngineId::Rounds | EngineId::Age) => {
                let reason = "translations have bounds, and a repair must hold without".to_string();
                Verdict::unknown(Reason::NotApplicable(reason))
            }
            EngineChoice::Auto if program.is_parameterized() && self.model == Model::Tso => {
                self.ask(dual, program, memory)
            }
            EngineChoice::Auto if self.model == Model::Tso && self.bounds.buffer.is_none() => {
                let little = memory.map_or(FIRST_TRY, |m| m.min(FIRST_TRY));
                let is_all = self.budget.memory().is_some_and(|all| all <= little) || memory == Some(little);
                match self.ask(explicit, program, Some(little)) {
                    // Buffers may grow forever, which the dual engine does not mind.
                    Verdict::Unknown { reason: Reason::Memory, .. } => {
                        match self.ask(dual, program, memory) {
                            Verdict::Unknown { .. } if !is_all => self.ask(explicit, program, memory),
                            Verdict::Unknown { .. } => Verdict::unknown(Reason::Memory),
                            verdict => verdict,
                        }
                    }
                    verdict => verdict,
                }
            }
            EngineChoice::Auto | EngineChoice::Only(EngineId::Explicit) => {
                self.ask(explicit, program, memory)
            }
        }
    }

    /// So much of the budget for one check.
    fn share(&self, memory: Option<u64>) -> Budget {
        memory.map_or_else(|| self.budget.part(), |bytes| self.budget.within(bytes))
    }

    fn count(&mut self, answerer: Answerer, stats: Stats) {
        self.stats.states += stats.states;
        self.stats.configurations += stats.configurations;
        self.stats.transitions += stats.transitions;
        self.stats.bytes = self.stats.bytes.max(stats.bytes);
        if !self.answered.contains(&answerer) {
            self.answered.push(answerer);
        }
    }

    fn ask(&mut self, engine: &dyn Engine, program: &cfg::Program, memory: Option<u64>) -> Verdict {
        let budget = self.share(memory);
        let task = Task { program, model: self.model, bounds: self.bounds, budget };
        let start = Instant::now();
        let answer = engine.check(&task, &mut |p| (self.progress)(p));
        if let Some(certificate) = &answer.certificate
            && let Err(message) = decide::certify(&task, start.elapsed(), certificate)
        {
            panic!(
                "internal error: the engine `{}` says that {} with fences is safe, and its proof is rejected \
                 ({message}). This is a bug in Fencepost; please report it with the file.",
                engine.id(),
                self.name
            );
        }
        self.count(Answerer::Engine(engine.id()), answer.stats);
        answer.verdict
    }
}

/// A run that an engine found, replayed, unless that takes much longer than the limits allow.
pub fn confirmed(program: &cfg::Program, trace: &Trace, name: &str, budget: &Budget) -> Result<Replay, Stop> {
    let replayed = replay_within(program, trace, &budget.to_confirm())?;
    Ok(replayed.unwrap_or_else(|rejection| {
        panic!(
            "internal error: a run of {name} with fences under {} does not replay ({rejection}). \
             This is a bug in Fencepost; please report it with the file.",
            trace.model.name()
        )
    }))
}

impl Goal for Checker<'_> {
    fn check(&mut self, program: &cfg::Program, memory: Option<u64>) -> Finding {
        match self.judge(program, memory) {
            Judged::Holds(scope) => Finding::Holds(scope),
            Judged::Broken(runs, _) => Finding::Broken(runs),
            Judged::Unknown(reason) => Finding::Unknown(reason),
        }
    }
}
