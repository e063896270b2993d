//! When a state violates a property: forbidden combinations of labels, and final conditions.

use crate::machine::Machine;
use crate::state::{State, Thread};
use fencepost_ir::cfg::{NodeId, Observable, ProcId, Property, Quantifier, Reg, Who};
use fencepost_ir::eval::{Registers, eval};
use fencepost_task::{Failure, Limit, Violation};
use std::collections::HashMap;

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
    pub(crate) fn resolve(labels: &HashMap<(ProcId, &str), NodeId>, property: &Property) -> Forbidden {
        let together = match property {
            Property::Forbid { together, .. } => together.as_slice(),
            Property::Final { .. } => &[],
        };
        let spot = |r: &fencepost_ir::cfg::Requirement| {
            let node = *labels.get(&(r.procedure, &r.label[..])).expect("the validator asks for the label");
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

/// Whether different threads meet all the requirements: a matching of requirements to threads, by augmenting paths
/// (Kuhn). Trying all ways to choose threads would take ages where many are at the same place.
fn assign(threads: &[Thread], together: &[Vec<Spot>]) -> bool {
    let meets = |requirement: usize, thread: usize| {
        together[requirement].iter().any(|spot| spot.is_met_by(&threads[thread]))
    };
    // In most states one of them is met by no thread.
    if together.len() > threads.len() || !(0..together.len()).all(|r| (0..threads.len()).any(|t| meets(r, t)))
    {
        return false;
    }
    let mut meets_for: Vec<Option<usize>> = vec![None; threads.len()];
    (0..together.len()).all(|r| augment(r, &meets, &mut vec![false; threads.len()], &mut meets_for))
}

/// Finds a thread for one more requirement, moving others to other threads where need be.
fn augment(
    requirement: usize,
    meets: &dyn Fn(usize, usize) -> bool,
    tried: &mut [bool],
    meets_for: &mut [Option<usize>],
) -> bool {
    for thread in 0..tried.len() {
        if tried[thread] || !meets(requirement, thread) {
            continue;
        }
        tried[thread] = true;
        if meets_for[thread].is_none_or(|other| augment(other, meets, tried, meets_for)) {
            meets_for[thread] = Some(requirement);
            return true;
        }
    }
    false
}

impl Machine<'_> {
    /// What is wrong with the state: the first property that it violates, or that has no value in it. An engine
    /// limit in a condition is no violation of it.
    pub fn violated(&self, state: &State) -> Option<Result<Violation, Limit>> {
        let properties = self.program.properties.iter().zip(&self.forbidden);
        properties.enumerate().find_map(|(i, (property, forbidden))| {
            let violates = match property {
                Property::Forbid { .. } => assign(&state.threads, &forbidden.together),
                Property::Final { .. } if !state.is_final() => false,
                Property::Final { quantifier, condition, observed, .. } => {
                    match (eval(condition, &Observed { state, observed }), quantifier) {
                        (Err(fault), _) => return Some(Failure::Fault(fault).violation()),
                        (Ok(value), Quantifier::Exists | Quantifier::NotExists) => value != 0,
                        (Ok(value), Quantifier::Forall) => value == 0,
                    }
                }
            };
            violates.then_some(Ok(Violation::Property(i)))
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
