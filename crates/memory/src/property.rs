//! When a state violates a property: forbidden combinations of labels, and final conditions.

use crate::machine::Machine;
use crate::state::{State, Thread};
use fencepost_ir::cfg::{NodeId, Observable, ProcId, Program, Property, Quantifier, Reg, Who};
use fencepost_ir::eval::{Registers, eval};

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
    /// The first property that the state violates.
    pub fn violated(&self, state: &State) -> Option<usize> {
        let properties = self.program.properties.iter().zip(&self.forbidden);
        properties.into_iter().position(|(property, forbidden)| match property {
            Property::Forbid { .. } => assign(&state.threads, &forbidden.together, &mut Vec::new()),
            Property::Final { quantifier, condition, observed, .. } => {
                // A condition without a value (a division by zero) does not hold.
                let holds = || eval(condition, &Observed { state, observed }).is_ok_and(|v| v != 0);
                state.is_final()
                    && match quantifier {
                        Quantifier::Exists | Quantifier::NotExists => holds(),
                        Quantifier::Forall => !holds(),
                    }
            }
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
