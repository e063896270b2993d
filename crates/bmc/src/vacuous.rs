//! What no run within the bounds comes to: a safe verdict says nothing about it.
//!
//! Each question asks for a run that comes to anything that has not been come to yet, so there are no more questions
//! than things, and mostly one or two.

use crate::circuit::Lit;
use crate::property::{all_ended, meets, named};
use crate::query::{Query, Said};
use fencepost_ir::cfg::{EdgeId, Expr, Instr, ProcId, Property};
use fencepost_task::Unreached;

/// Assertions, labels and ends that no run comes to; `None` if the solver was stopped.
pub fn never_reached(query: &mut Query<'_>) -> Option<Vec<Unreached>> {
    let mut left = checked(query);
    loop {
        let any = query.code.circuit.any(left.iter().map(|(_, reached)| *reached).collect::<Vec<_>>());
        match query.ask(any) {
            Said::Stopped(_) => return None,
            Said::No => return Some(left.into_iter().map(|(what, _)| what).collect()),
            Said::Yes => {
                let nodes = query.model();
                left.retain(|(_, reached)| !reached.value(&nodes));
            }
        }
    }
}

/// What the program checks, and whether the run comes to it.
fn checked(query: &mut Query<'_>) -> Vec<(Unreached, Lit)> {
    let Query { analysis, code, rounds, .. } = query;
    let program = analysis.program;
    let mut all = Vec::new();
    for (p, procedure) in program.procedures.iter().enumerate() {
        for (e, edge) in procedure.edges().iter().enumerate() {
            // What is never to be reached is no loss.
            if !matches!(&edge.instr, Instr::Assert(condition, _) if *condition != Expr::Const(0)) {
                continue;
            }
            let (p, e) = (ProcId(p as u32), EdgeId(e as u32));
            let mut reached = Vec::new();
            for (thread, instance) in analysis.instances.iter().enumerate() {
                let here = instance
                    .code
                    .steps
                    .iter()
                    .filter(|s| s.id == e && instance.code.frames[s.frame].procedure == p);
                reached.extend(here.map(|step| rounds.reached[thread][step.from]));
            }
            all.push((Unreached::Assertion(p, e), code.circuit.any(reached)));
        }
    }
    for property in &program.properties {
        match property {
            Property::Forbid { together, .. } => {
                for wanted in named(program, together.iter().flatten()) {
                    let requirement = wanted.requirement;
                    let what = Unreached::Label(requirement.procedure, requirement.label.clone());
                    let mut reached = Vec::new();
                    for (thread, instance) in analysis.instances.iter().enumerate() {
                        let places = instance.code.places.iter().enumerate();
                        let fitting = places.filter(|(_, place)| meets(analysis, thread, place, &wanted));
                        reached.extend(fitting.map(|(place, _)| rounds.reached[thread][place]));
                    }
                    all.push((what, code.circuit.any(reached)));
                }
            }
            Property::Final { .. } => all.push((Unreached::End, all_ended(analysis, code, rounds))),
        }
    }
    merged(all, query)
}

/// The same thing only once.
fn merged(all: Vec<(Unreached, Lit)>, query: &mut Query<'_>) -> Vec<(Unreached, Lit)> {
    let mut merged: Vec<(Unreached, Lit)> = Vec::new();
    for (what, reached) in all {
        match merged.iter_mut().find(|(other, _)| *other == what) {
            Some((_, known)) => *known = query.code.circuit.or(*known, reached),
            None => merged.push((what, reached)),
        }
    }
    merged
}
