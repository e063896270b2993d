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
//! Guarantees: safe is complete, with a certificate ([`mod@certificate`]). Unsafe comes with a run that was
//! played. Limits: threads whose data are not finite, allocation, threads
//! that start others unless it is one thread and it starts few ([`mod@spawned`]), atomic sections that do not drain.

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
use fencepost_task::{Answer, Certificate, Engine, Model, Progress, Reason, Scope, Stats, Task, Verdict};
use reach::Index;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual;

impl Engine for Dual {
    fn name(&self) -> &'static str {
        "dual"
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        if task.model != Model::Tso {
            let reason = Reason::NotApplicable("dual is a TSO method".to_string());
            return answer(Verdict::Unknown { reason, scope: None }, Stats::default());
        }
        match starts_threads(task.program) {
            true => spawned::check(task, progress),
            false => self.check_static(task, progress),
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
                    return answer(Verdict::Unknown { reason, scope: None }, stats);
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
                    End::Unreachable if std::ptr::eq(system, &collapsed.any) => {
                        let few = |c: &&Configuration| fits(&model.system, c);
                        let certificate = certificate::certificate(model, search.basis().filter(few), None);
                        return Some(safe(certificate, search.stats()));
                    }
                    End::Reached(run) => {
                        if let Some(run) = collapsed.replicate(&run, &model.system) {
                            *total = search.generated;
                            return reached(task, model, &run, search.stats());
                        }
                    }
                    End::Unreachable | End::Stopped(_) => {}
                }
                generated = search.generated;
            }
        }
        let mut search = Search::new(&model.system);
        search.generated = generated;
        search.reach = Reach::new(&model.system, &task.budget).map(Index::new);
        let end = search.run(&model.targets, &task.budget, progress);
        *total = search.generated;
        match end {
            End::Unreachable => {
                let certificate = certificate::certificate(model, search.basis(), search.invariant());
                Some(safe(certificate, search.stats()))
            }
            End::Reached(run) => reached(task, model, &run, search.stats()),
            End::Stopped(reason) => Some(answer(Verdict::Unknown { reason, scope: None }, search.stats())),
        }
    }
}

fn answer(verdict: Verdict, stats: Stats) -> Answer {
    Answer { verdict, unreached: Vec::new(), stats, certificate: None }
}

fn safe(certificate: Certificate, stats: Stats) -> Answer {
    let certificate = Some(Box::new(certificate));
    Answer { certificate, ..answer(Verdict::Safe { scope: Scope::Complete }, stats) }
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
    Some(answer(Verdict::Unsafe { trace }, stats))
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
