//! Dual TSO: decides programs with finite data under TSO, whatever their loops and however long their
//! buffers, for given threads and for any number of them (Abdulla, Atig, Bouajjani, Ngo: The Benefits of
//! Duality in Verifying Concurrent Programs under TSO, CONCUR 2016).
//!
//! Each thread becomes a finite automaton ([`mod@local`], [`mod@compile`]); what must not be reached
//! becomes target configurations ([`mod@model`]); from these the search goes backward over load
//! buffers ([`mod@rules`], [`mod@search`]) until it finds an initial configuration or nothing new. A
//! run is turned into one with store buffers and played on the reference semantics ([`mod@trace`]).
//!
//! Guarantees: safe is complete, with a certificate ([`mod@certificate`]). Unsafe comes with a run that was played. Limits: threads whose data
//! are not finite, allocation, threads that start others, atomic sections that do not drain.

mod antichain;
mod automaton;
mod certificate;
mod compile;
mod configuration;
mod local;
mod model;
mod rules;
mod search;
mod trace;

pub use automaton::{Automaton, Mark, Op, Transition, Value, Var};
pub use configuration::{ANY, Buffer, Configuration, Message, Process};
pub use model::Model as DualModel;
pub use rules::{Label, Visible, undo_joining, undo_local, undo_visible};
pub use search::{DualRun, End, Group, Search, System};

use fencepost_task::{Answer, Engine, Model, Progress, Reason, Scope, Task, Verdict};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual;

impl Engine for Dual {
    fn name(&self) -> &'static str {
        "dual"
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let unknown = |reason: String| Answer {
            verdict: Verdict::Unknown { reason: Reason::NotApplicable(reason), scope: None },
            unreached: Vec::new(),
            stats: Default::default(),
            certificate: None,
        };
        if task.model != Model::Tso {
            return unknown("dual is a TSO method".to_string());
        }
        let model = match model::Model::new(task.program) {
            Ok(model) => model,
            Err(reason) => return unknown(format!("dual needs finite threads, but {reason}")),
        };
        let mut search = Search::new(&model.system);
        let end = search.run(&model.targets, &task.budget, progress);
        let stats = search.stats();
        let mut certificate = None;
        let verdict = match end {
            End::Unreachable => {
                certificate = Some(Box::new(certificate::certificate(&model, search.basis())));
                Verdict::Safe { scope: Scope::Complete }
            }
            End::Stopped(reason) => Verdict::Unknown { reason, scope: None },
            End::Reached(run) => {
                let Some(trace) = trace::trace(task.program, &model, &run) else {
                    panic!(
                        "internal error: dual found a run that is none of the program. \
                         This is a bug in Fencepost; please report it with the file."
                    )
                };
                Verdict::Unsafe { trace }
            }
        };
        Answer { verdict, unreached: Vec::new(), stats, certificate }
    }
}
