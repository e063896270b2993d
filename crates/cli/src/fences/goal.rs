//! "The property holds", asked of an engine; every answer is checked before it counts.

use crate::check;
use crate::options::EngineName;
use crate::progress::ProgressLine;
use fencepost_certify::{Replay, replay};
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg;
use fencepost_robust::fences::{Finding, Goal, Run};
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Stats, Task, Trace, Verdict};
use std::time::Instant;

/// Memory that explicit search may take before another engine is tried.
const FIRST_TRY: u64 = 256 << 20;

/// The property under a model.
pub struct Safe<'a> {
    pub name: &'a str,
    pub model: Model,
    pub engine: EngineName,
    pub bounds: Bounds,
    pub budget: Budget,
    pub quiet: bool,
    /// What all checks took together.
    pub stats: Stats,
    /// The engines that answered.
    pub answered: Vec<&'static str>,
}

impl Safe<'_> {
    /// The verdict on a program, and the run if it is unsafe.
    pub fn verdict(&mut self, program: &cfg::Program) -> (Verdict, Option<Replay>) {
        let (explicit, dual) = (&Explicit::default() as &dyn Engine, &Dual as &dyn Engine);
        let verdict = match self.engine {
            EngineName::Dual => self.ask(dual, program, self.budget.memory),
            EngineName::Auto if program.is_parameterized() && self.model == Model::Tso => {
                self.ask(dual, program, self.budget.memory)
            }
            EngineName::Auto if self.model == Model::Tso && self.bounds.buffer.is_none() => {
                let little = self.budget.memory.map_or(FIRST_TRY, |m| m.min(FIRST_TRY));
                match self.ask(explicit, program, Some(little)) {
                    // Buffers may grow for ever, which the dual engine does not mind.
                    Verdict::Unknown { reason: Reason::Memory, .. } => {
                        match self.ask(dual, program, self.budget.memory) {
                            Verdict::Unknown { reason: Reason::NotApplicable(_), .. } => {
                                self.ask(explicit, program, self.budget.memory)
                            }
                            verdict => verdict,
                        }
                    }
                    verdict => verdict,
                }
            }
            EngineName::Auto | EngineName::Explicit => self.ask(explicit, program, self.budget.memory),
        };
        let replayed = match &verdict {
            Verdict::Unsafe { trace } => Some(self.replayed(program, trace)),
            Verdict::Safe { .. } | Verdict::Unknown { .. } => None,
        };
        (verdict, replayed)
    }

    fn ask(&mut self, engine: &dyn Engine, program: &cfg::Program, memory: Option<u64>) -> Verdict {
        let budget = Budget { memory, ..self.budget.clone() };
        let task = Task { program, model: self.model, bounds: self.bounds, budget };
        let start = Instant::now();
        let mut line = ProgressLine::new(self.quiet);
        let answer = engine.check(&task, &mut |p| line.update(self.name, p));
        drop(line);
        if let Some(certificate) = &answer.certificate
            && let Err(message) = check::certify(&task, start.elapsed(), certificate)
        {
            panic!(
                "internal error: the engine `{}` says that {} with fences is safe, and its proof is rejected \
                 ({message}). This is a bug in Fencepost; please report it with the file.",
                engine.name(),
                self.name
            );
        }
        self.stats.states += answer.stats.states;
        self.stats.configurations += answer.stats.configurations;
        self.stats.transitions += answer.stats.transitions;
        self.stats.bytes = self.stats.bytes.max(answer.stats.bytes);
        if !self.answered.contains(&engine.name()) {
            self.answered.push(engine.name());
        }
        answer.verdict
    }

    fn replayed(&self, program: &cfg::Program, trace: &Trace) -> Replay {
        replay(program, trace).unwrap_or_else(|rejection| {
            panic!(
                "internal error: a run of {} with fences under {} does not replay ({rejection}). \
                 This is a bug in Fencepost; please report it with the file.",
                self.name,
                self.model.name()
            )
        })
    }
}

impl Goal for Safe<'_> {
    fn check(&mut self, program: &cfg::Program) -> Finding {
        match self.verdict(program).0 {
            Verdict::Safe { scope } => Finding::Holds(scope),
            Verdict::Unsafe { trace } => Finding::Broken(vec![Run::from(&trace)]),
            Verdict::Unknown { reason, .. } => Finding::Unknown(reason),
        }
    }
}
