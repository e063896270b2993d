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
mod domains;
mod dot;
mod local;
mod model;
mod place;
mod rules;
mod search;
mod trace;

pub use automaton::{Automaton, Mark, Op, Transition, Value, Var};
pub use configuration::{ANY, Buffer, Configuration, Message, Process};
pub use dot::dot;
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
        // A proof for any number of threads is often shorter, and holds for the given number too.
        let general = any_number(&model);
        let mut spent = 0;
        if let Some((system, targets)) = &general {
            let mut search = Search::new(system);
            search.limit = Some(ANY_NUMBER_LIMIT);
            let end = search.run(targets, &task.budget, progress);
            spent = search.generated;
            if let End::Unreachable = end {
                let few = |c: &&Configuration| fits(&model.system, c);
                return Answer {
                    verdict: Verdict::Safe { scope: Scope::Complete },
                    unreached: Vec::new(),
                    stats: search.stats(),
                    certificate: Some(Box::new(certificate::certificate(&model, search.basis().filter(few)))),
                };
            }
        }
        let mut search = Search::new(&model.system);
        search.generated = spent;
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

/// Configurations that a proof for any number of threads may take before it is given up.
const ANY_NUMBER_LIMIT: u64 = 20_000;

/// The system with any number of threads where there are several alike, and targets with one of
/// each: what cannot be reached there cannot be reached with the given number. `None` where that
/// is the system already.
fn any_number(model: &model::Model) -> Option<(System, Vec<Configuration>)> {
    let several = |group: u16| model.system.groups[group as usize].count.is_some_and(|n| n > 1);
    let mut system = model.system.clone();
    for group in &mut system.groups {
        group.count = group.count.filter(|n| *n == 1);
    }
    let mut targets = model.targets.clone();
    for target in &mut targets {
        let mut seen = Vec::new();
        target.processes.retain(|p| {
            let again = several(p.group) && seen.contains(&p.group);
            seen.push(p.group);
            !again
        });
    }
    targets.sort();
    targets.dedup();
    // With two of a kind the given number is as easy.
    let many = model.system.groups.iter().any(|g| g.count.is_some_and(|n| n > 2));
    many.then_some((system, targets))
}

/// Whether a configuration has no more threads than there are.
fn fits(system: &System, configuration: &Configuration) -> bool {
    system.groups.iter().enumerate().all(|(g, group)| {
        let present = configuration.processes.iter().filter(|p| p.group as usize == g).count();
        group.count.is_none_or(|n| present <= n as usize)
    })
}
