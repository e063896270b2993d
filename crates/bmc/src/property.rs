//! When a run that was encoded violates a property, comes to an engine limit, or to the bound on repetitions.

use crate::circuit::{Circuit, Lit};
use crate::code::Code;
use crate::expression::{Evaluation, Faults};
use crate::rounds::Rounds;
use crate::sharing::{Home, Sharing};
use crate::word::Word;
use fencepost_analysis::bounded::{Bounded, Place};
use fencepost_ir::cfg::{NodeId, Observable, ProcId, Program, Property, Quantifier, Reg, Requirement, Who};
use std::collections::HashMap;

/// What a run can come to.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// A violation.
    pub violation: Lit,
    /// More than we can model.
    pub limit: Lit,
    /// The bound on repetitions.
    pub cut: Lit,
    /// The bound on the sizes of objects.
    pub outsized: Lit,
}

/// What runs of the rounds so far come to.
pub fn ends(analysis: &Bounded<'_>, sharing: &Sharing, code: &mut Code, rounds: &Rounds) -> Ends {
    let (mut violation, mut limit, mut cut, mut outsized) = (Lit::FALSE, Lit::FALSE, Lit::FALSE, Lit::FALSE);
    for (thread, instance) in analysis.instances.iter().enumerate() {
        for (number, step) in code.threads[thread].steps.iter().enumerate() {
            let Some(step) = step else { continue };
            let from = instance.code.steps[number].from;
            let c = &mut code.circuit;
            let tried = c.and(rounds.reached[thread][from], step.chosen);
            let taken = rounds.taken[thread][number];
            let too_large = c.and(tried, step.outsized);
            outsized = c.or(outsized, too_large);
            for (faults, when) in [(step.early, tried), (step.late, taken)] {
                let error = c.and(when, faults.error);
                violation = c.or(violation, error);
                let beyond = c.and(when, faults.limit);
                limit = c.or(limit, beyond);
            }
        }
        for (place, kind) in instance.code.places.iter().enumerate() {
            if *kind == Place::Cut {
                cut = code.circuit.or(cut, rounds.reached[thread][place]);
            }
        }
    }
    for property in &analysis.program.properties {
        let (error, beyond) = match property {
            Property::Forbid { together, .. } => (forbidden(analysis, code, rounds, together), Lit::FALSE),
            Property::Final { quantifier, observed, condition, .. } => {
                let ended = all_ended(analysis, code, rounds);
                let words: Vec<_> = observed.iter().map(|o| observe(analysis, sharing, code, o)).collect();
                let registers = |reg: Reg| match reg {
                    Reg::Local(i) => words[i as usize].clone(),
                    Reg::Thread(_) => panic!("final conditions read what they observe"),
                };
                let c = &mut code.circuit;
                let mut evaluation = Evaluation { circuit: c, registers: &registers, faults: Faults::NONE };
                let holds = evaluation.value(condition);
                let faults = evaluation.faults;
                let holds = holds.is_nonzero(c);
                let wrong = match quantifier {
                    Quantifier::Exists | Quantifier::NotExists => holds,
                    Quantifier::Forall => !holds,
                };
                let fine = faults.absent(c);
                let wrong = c.and(fine, wrong);
                let wrong = c.or(wrong, faults.error);
                (c.and(ended, wrong), c.and(ended, faults.limit))
            }
        };
        violation = code.circuit.or(violation, error);
        limit = code.circuit.or(limit, beyond);
    }
    Ends { violation, limit, cut, outsized }
}

/// Where a requirement of a property is met.
pub struct Named<'p> {
    /// The requirement.
    pub requirement: &'p Requirement,
    node: Option<NodeId>,
}

/// Requirements with the nodes of their labels.
pub fn named<'p>(
    program: &'p Program,
    requirements: impl IntoIterator<Item = &'p Requirement>,
) -> Vec<Named<'p>> {
    let node = |r: &Requirement| program.procedure(r.procedure).label(&r.label);
    requirements.into_iter().map(|requirement| Named { requirement, node: node(requirement) }).collect()
}

/// For each thread the places where it may rest: those that a property names.
pub fn resting_places(analysis: &Bounded<'_>) -> Vec<Vec<bool>> {
    let program = analysis.program;
    let requirements = program.properties.iter().flat_map(|p| match p {
        Property::Forbid { together, .. } => together.as_slice(),
        Property::Final { .. } => &[],
    });
    let mut at: HashMap<(ProcId, NodeId), Vec<Named<'_>>> = HashMap::new();
    for named in named(program, requirements.flatten()) {
        if let Some(node) = named.node {
            at.entry((named.requirement.procedure, node)).or_default().push(named);
        }
    }
    let mut rests = Vec::new();
    for (thread, instance) in analysis.instances.iter().enumerate() {
        let rests_at = |place: &Place| {
            let Place::At { frame, node } = *place else { return false };
            let there = at.get(&(instance.code.frames[frame].procedure, node));
            there.is_some_and(|there| there.iter().any(|r| meets(analysis, thread, place, r)))
        };
        rests.push(instance.code.places.iter().map(rests_at).collect());
    }
    rests
}

/// Whether a thread that is at a place meets a requirement.
pub fn meets(analysis: &Bounded<'_>, thread: usize, place: &Place, named: &Named<'_>) -> bool {
    let instance = &analysis.instances[thread];
    let Place::At { frame, node } = *place else { return false };
    instance.code.frames[frame].procedure == named.requirement.procedure
        && named.node == Some(node)
        && match named.requirement.who {
            Who::Any => true,
            Who::Runs(outermost) => instance.procedure == outermost,
            Who::Start(start) => instance.start == Some(start),
        }
}

/// Whether different threads rest at all the places at once.
fn forbidden(analysis: &Bounded<'_>, code: &mut Code, rounds: &Rounds, together: &[Vec<Requirement>]) -> Lit {
    // For each requirement and thread, whether the thread meets it.
    let mut met = vec![vec![Lit::FALSE; analysis.instances.len()]; together.len()];
    let together: Vec<_> = together.iter().map(|one| named(analysis.program, one)).collect();
    for (thread, instance) in analysis.instances.iter().enumerate() {
        for (place, kind) in instance.code.places.iter().enumerate() {
            let is_met = |i: usize| together[i].iter().any(|r| meets(analysis, thread, kind, r));
            let fitting: Vec<_> = (0..together.len()).filter(|i| is_met(*i)).collect();
            if fitting.is_empty() {
                continue;
            }
            let mut rests = rounds.reached[thread][place];
            for step in instance.code.out(place) {
                rests = code.circuit.and(rests, !rounds.taken[thread][step]);
            }
            for i in fitting {
                met[i][thread] = code.circuit.or(met[i][thread], rests);
            }
        }
    }
    assign(&mut code.circuit, &met, &mut Vec::new())
}

/// Whether different threads that are not taken meet all requirements.
fn assign(c: &mut Circuit, met: &[Vec<Lit>], taken: &mut Vec<usize>) -> Lit {
    let Some((first, rest)) = met.split_first() else { return Lit::TRUE };
    let mut any = Lit::FALSE;
    for (thread, here) in first.iter().enumerate() {
        if *here == Lit::FALSE || taken.contains(&thread) {
            continue;
        }
        taken.push(thread);
        let others = assign(c, rest, taken);
        taken.pop();
        let all = c.and(*here, others);
        any = c.or(any, all);
    }
    any
}

/// Whether all threads that were started have ended.
pub(crate) fn all_ended(analysis: &Bounded<'_>, code: &mut Code, rounds: &Rounds) -> Lit {
    let mut all = Lit::TRUE;
    for (thread, instance) in analysis.instances.iter().enumerate() {
        let end = instance.code.places.iter().position(|p| *p == Place::End);
        let ended = end.map_or(Lit::FALSE, |end| rounds.reached[thread][end]);
        let started = match instance.parent {
            None => Lit::TRUE,
            Some((parent, step)) => rounds.taken[parent][step],
        };
        let fine = code.circuit.or(!started, ended);
        all = code.circuit.and(all, fine);
    }
    all
}

/// What is observed at the end.
pub(crate) fn observe(
    analysis: &Bounded<'_>,
    sharing: &Sharing,
    code: &mut Code,
    observed: &Observable,
) -> Word {
    match observed {
        Observable::Cell(loc) => {
            let lodging = sharing.cells[loc];
            let Home::Shared(number) = lodging.home else { panic!("observed cells are shared") };
            let word = code.memory.value(&mut code.circuit, number);
            match lodging.tagged {
                true => Word::from_bits(word.bits()[1..].to_vec()),
                false => word,
            }
        }
        Observable::Register(start, reg) => {
            let thread = analysis.instances.iter().position(|i| i.start == Some(*start));
            let thread = thread.expect("a final condition names a thread of the beginning");
            let index = match reg {
                Reg::Thread(slot) => *slot as usize,
                Reg::Local(slot) => analysis.program.thread_registers.len() + *slot as usize,
            };
            let registers = &code.threads[thread].final_registers;
            registers.get(index).cloned().unwrap_or(Word::constant(0))
        }
    }
}
