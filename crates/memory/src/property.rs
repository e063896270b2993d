//! When a state violates a property: forbidden combinations of labels, and final conditions.

use crate::machine::Machine;
use crate::state::{State, Thread};
use fencepost_ir::cfg::{NodeId, Observable, ProcId, Program, Property, Quantifier, Reg, Who};
use fencepost_ir::eval::{Registers, eval};
use fencepost_task::{Failure, Violation};

/// The places of a forbidden combination, found by their labels once.
pub(crate) struct Forbidden {
    /// For each of the threads the places that count, any one of them.
    together: Vec<Vec<Spot>>,
}

struct Spot {
    who: Who,
    procedure: ProcId,
    node: NodeId,
}

impl Forbidden {
    pub(crate) fn resolve(program: &Program, property: &Property) -> Forbidden {
        let together = match property {
            Property::Forbid { together, .. } => together.as_slice(),
            Property::Final { .. } => &[],
        };
        let spot = |r: &fencepost_ir::cfg::Requirement| {
            let node =
                program.procedure(r.procedure).label(&r.label).expect("the validator asks for the label");
            Spot { who: r.who, procedure: r.procedure, node }
        };
        Forbidden { together: together.iter().map(|a| a.iter().map(spot).collect()).collect() }
    }
}

impl Spot {
    fn is_met_by(&self, thread: &Thread) -> bool {
        let top = thread.top();
        top.node == self.node
            && top.procedure == self.procedure
            && !thread.ended
            && match self.who {
                Who::Any => true,
                Who::Runs(procedure) => thread.frames[0].procedure == procedure,
                Who::Start(start) => thread.start == Some(start),
            }
    }
}

/// Whether different threads that are not taken meet all the requirements.
fn assign(threads: &[Thread], together: &[Vec<Spot>], taken: &mut Vec<usize>) -> bool {
    let Some((alternatives, rest)) = together.split_first() else { return true };
    for (i, thread) in threads.iter().enumerate() {
        if taken.contains(&i) || !alternatives.iter().any(|spot| spot.is_met_by(thread)) {
            continue;
        }
        taken.push(i);
        if assign(threads, rest, taken) {
            return true;
        }
        taken.pop();
    }
    false
}

impl Machine<'_> {
    /// What is wrong with the state: the first property that it violates, or that has no value in it.
    pub fn violated(&self, state: &State) -> Option<Violation> {
        let properties = self.program.properties.iter().zip(&self.forbidden);
        properties.enumerate().find_map(|(i, (property, forbidden))| {
            let violates = match property {
                Property::Forbid { .. } => assign(&state.threads, &forbidden.together, &mut Vec::new()),
                Property::Final { .. } if !state.is_final() => false,
                Property::Final { quantifier, condition, observed, .. } => {
                    match (eval(condition, &Observed { state, observed }), quantifier) {
                        (Err(fault), _) => return Some(Violation::Failure(Failure::Fault(fault))),
                        (Ok(value), Quantifier::Exists | Quantifier::NotExists) => value != 0,
                        (Ok(value), Quantifier::Forall) => value == 0,
                    }
                }
            };
            violates.then_some(Violation::Property(i))
        })
    }
}

struct Observed<'a> {
    state: &'a State,
    observed: &'a [Observable],
}

impl Registers for Observed<'_> {
    fn get(&self, reg: Reg) -> i64 {
        let Reg::Local(i) = reg else { panic!("final conditions read what they observe") };
        match self.observed[i as usize] {
            Observable::Cell(loc) => self.state.read(loc),
            Observable::Register(start, reg) => {
                let thread = self.state.threads.iter().find(|t| t.start == Some(start));
                thread.expect("a final condition names a thread of the beginning").get(reg)
            }
        }
    }
}
