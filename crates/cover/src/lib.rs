//! Dual TSO: decides programs with finite data under TSO, whatever their loops and however long their
//! buffers, for given threads and for any number of them (Abdulla, Atig, Bouajjani, Ngo: The Benefits of
//! Duality in Verifying Concurrent Programs under TSO, CONCUR 2016).
//!
//! Each thread becomes a finite automaton ([`mod@local`], [`mod@compile`]); what must not be reached
//! becomes target configurations ([`mod@model`]); from these the search goes backward over load
//! buffers ([`mod@rules`], [`mod@search`]) until it finds an initial configuration or nothing new, and
//! leaves out what an invariant ([`mod@reach`]) shows to be unreachable. A run is turned into one with store
//! buffers and played on the reference semantics ([`mod@trace`]).
//!
//! Guarantees: safe is complete, with a certificate ([`mod@certificate`]), and holds under SC too, whose runs are TSO
//! runs. Unsafe comes with a run that was
//! played. Limits: threads whose data are not finite, allocation, threads
//! that start others unless it is one thread and it starts few ([`mod@spawned`]), atomic sections that do not drain.
//!
//! ```
//! use fencepost_cover::Dual;
//! use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
//!
//! let text = "shared int x, y; thread a { x = 1; y = 1; } thread b { int r = y; assert(r == 0 || x == 1); }";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("mp.fp", text).expect("it is a model"));
//! let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() };
//! assert!(matches!(Dual::default().check(&task, &mut |_| {}).verdict, Verdict::Safe(_)));
//! ```

mod antichain;
mod automaton;
mod certificate;
mod compile;
mod configuration;
mod copies;
mod domains;
mod dot;
mod local;
mod model;
mod place;
mod reach;
mod rules;
mod search;
mod spawned;
mod trace;

pub use automaton::{Automaton, Mark, Op, Transition, Value, Var};
pub use configuration::{ANY, Buffer, Configuration, Message, Process};
pub use domains::Values;
pub use dot::dot;
pub use model::Model as DualModel;
pub use reach::Reach;
pub use rules::{Label, Visible, undo_joining, undo_local, undo_visible};
pub use search::{DualRun, End, Group, Search, System};

use fencepost_passes::static_threads::starts_threads;
use fencepost_task::{
    Answer, Bounds, Certificate, Cleared, Engine, EngineId, Finished, Model, Progress, Reason, Stats, Task,
    Verdict,
};
use reach::Index;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual;

impl Engine for Dual {
    fn id(&self) -> EngineId {
        EngineId::Dual
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let unknown = |why: &str, stats| Answer::unknown(Reason::NotApplicable(why.to_string()), stats);
        if task.model == Model::Pso {
            return unknown("dual is a TSO method", Stats::default());
        }
        let under_tso = Task { model: Model::Tso, ..task.clone() };
        let found = match starts_threads(task.program) {
            true => spawned::check(&under_tso, progress),
            false => self.check_static(&under_tso, progress),
        };
        match &found.verdict {
            // Every SC run is a TSO run, but not the other way round.
            Verdict::Unsafe { .. } if task.model == Model::Sc => {
                unknown("dual is a TSO method, and under TSO there is a violation", found.stats)
            }
            _ => found,
        }
    }
}

impl Dual {
    /// Checks a program all of whose threads are there from the beginning.
    fn check_static(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let mut generated = 0;
        for values in Values::TRIED {
            let model = match model::Model::new(task.program, &task.budget, values) {
                Ok(model) => model,
                Err(Reason::NotApplicable(_)) if values == Values::Few => continue,
                Err(reason) => {
                    let stats = Stats { configurations: generated, ..Stats::default() };
                    return Answer::unknown(reason, stats);
                }
            };
            if let Some(answer) = self.search(task, &model, &mut generated, progress) {
                return answer;
            }
        }
        unreachable!("nothing is stored outside closed sets, which come last")
    }

    /// Searches a model; nothing comes of it if variables can hold more values than it was made for.
    fn search(
        &self,
        task: &Task<'_>,
        model: &model::Model,
        total: &mut u64,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<Answer> {
        let mut generated = *total;
        if let Some(collapsed) = copies::collapse(model) {
            for system in [&collapsed.any, &collapsed.few] {
                let mut search = Search::new(system);
                search.generated = generated;
                search.limit = Some(generated + COLLAPSED_LIMIT);
                match search.run(&collapsed.targets, &task.budget, progress) {
                    End::Unreachable(finished) if std::ptr::eq(system, &collapsed.any) => {
                        let few = |c: &&Configuration| fits(&model.system, c);
                        let certificate = certificate::certificate(model, search.basis().filter(few), None);
                        return Some(safe(task, certificate, finished, search.stats()));
                    }
                    End::Reached(run) => {
                        if let Some(run) = collapsed.replicate(&run, &model.system) {
                            *total = search.generated;
                            return reached(task, model, &run, search.stats());
                        }
                    }
                    End::Unreachable(_) | End::Enough => {}
                    End::Stopped(stop) => return Some(Answer::unknown(stop, search.stats())),
                }
                generated = search.generated;
            }
        }
        let mut search = Search::new(&model.system);
        search.generated = generated;
        search.reach = match Reach::new(&model.system, &task.budget) {
            Ok(reach) => reach.map(Index::new),
            Err(stop) => return Some(Answer::unknown(stop, search.stats())),
        };
        let end = search.run(&model.targets, &task.budget, progress);
        *total = search.generated;
        match end {
            End::Unreachable(finished) => {
                let certificate = certificate::certificate(model, search.basis(), search.invariant());
                Some(safe(task, certificate, finished, search.stats()))
            }
            End::Reached(run) => reached(task, model, &run, search.stats()),
            End::Stopped(stop) => Some(Answer::unknown(stop, search.stats())),
            End::Enough => unreachable!("this search has no limit but the budget"),
        }
    }
}

fn answer(verdict: Verdict, stats: Stats) -> Answer {
    Answer { verdict, unreached: Vec::new(), stats, certificate: None }
}

fn safe(task: &Task<'_>, certificate: Certificate, finished: Finished, stats: Stats) -> Answer {
    let certificate = Some(Box::new(certificate));
    let verdict = Verdict::Safe(Cleared::new(task, Bounds::default(), finished));
    Answer { certificate, ..answer(verdict, stats) }
}

/// The run, unless it only shows that a variable can hold another value.
fn reached(task: &Task<'_>, model: &model::Model, run: &DualRun, stats: Stats) -> Option<Answer> {
    if model.is_escape(run.target) {
        return None;
    }
    let Some(trace) = trace::trace(task.program, model, run) else {
        panic!(
            "internal error: dual found a run that is none of the program. \
             This is a bug in Fencepost; please report it with the file."
        )
    };
    let verdict = match trace {
        Ok(trace) => Verdict::Unsafe { trace },
        Err(limit) => Verdict::unknown(limit.reason("the end of a run")),
    };
    Some(answer(verdict, stats))
}

/// Configurations that a search for smaller targets may take before it is given up.
const COLLAPSED_LIMIT: u64 = 20_000;

/// Whether a configuration has no more threads than there are.
fn fits(system: &System, configuration: &Configuration) -> bool {
    system.groups.iter().enumerate().all(|(g, group)| {
        let present = configuration.processes.iter().filter(|p| p.group as usize == g).count();
        group.count.is_none_or(|n| present <= n as usize)
    })
}
