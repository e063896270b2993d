//! Whatever a thread does, its automaton can do: the relation contains the beginning, and for each place
//! and state in it, whatever the thread can do at the place, the automaton can do in the state, and
//! the results are related again.
//!
//! A silent step may be answered by staying in the state. (If it leads to a place that a property
//! speaks of, the state then counts as being there, since `targets` looks at all places of a state.)
//! A step that fails may be answered by any operation to a state of failure that is possible whenever
//! the failing one is: no thread sees what it would have done to memory.
//!
//! Places are compared without dead registers, so what is shown to be a simulation is the relation
//! between all places that agree with a listed one on live registers.

use super::liveness::Liveness;
use super::step::{Alone, Next, alone};
use super::{Limits, Part, Unproven};
use fencepost_ir::cfg::{ProcId, Program};
use fencepost_task::Certificate;
use fencepost_task::certificate::{CertifiedGroup, CertifiedLife, CertifiedOp, CertifiedPlace};
use std::collections::{BTreeMap, HashMap, HashSet};

pub(super) fn check(
    program: &Program,
    certificate: &Certificate,
    group: &CertifiedGroup,
    limits: Limits<'_>,
) -> Result<(), Unproven> {
    let name = &program.threads[group.starts[0] as usize].name;
    let error = |m: String| Unproven::new(Part::Simulation, format!("`{name}` {m}"));
    let lone = alone(program, group);
    let thread =
        Alone::new(&lone, group, &certificate.variables).map_err(|stop| stop.of(Part::Simulation))?;
    let relation = Relation::new(program, group);
    if !relation.contains(&thread.initial(), 0) {
        return Err(error("does not begin in state 0".into()));
    }
    let mut states: BTreeMap<&CertifiedPlace, Vec<u32>> = BTreeMap::new();
    for (place, state) in &group.relation {
        states.entry(place).or_default().push(*state);
    }
    for (place, states) in states {
        limits.look()?;
        let steps = thread
            .steps(place)
            .map_err(|stop| stop.map(|m| format!("`{name}` can do what a certificate cannot say: {m}")))
            .map_err(|stop| stop.of(Part::Simulation))?;
        for (op, next) in &steps {
            if let Some(state) = states.iter().find(|s| !relation.answers(**s, op, next)) {
                let place = show(program, place);
                return Err(error(format!("at {place} has no answer in state {state} to {op:?}")));
            }
        }
    }
    Ok(())
}

fn show(program: &Program, place: &CertifiedPlace) -> String {
    let Some(top) = place.frames.last() else { return "no place".into() };
    let procedure = &program.procedures[ProcId(top.procedure).index()];
    let first = procedure.edges().iter().find(|e| e.from.0 == top.node);
    let line = first.map_or(String::new(), |e| format!(" ({})", program.sources.place(e.span)));
    format!("node {} of {}{line}", top.node, procedure.name)
}

/// The relation between places and states, and the transitions, ready to be asked.
struct Relation<'a> {
    liveness: Liveness<'a>,
    related: HashMap<CertifiedPlace, HashSet<u32>>,
    failed: HashSet<u32>,
    out: HashMap<u32, Vec<(CertifiedOp, u32)>>,
}

impl<'a> Relation<'a> {
    fn new(program: &'a Program, group: &CertifiedGroup) -> Relation<'a> {
        let liveness = Liveness::new(program, &group.starts);
        let mut related: HashMap<_, HashSet<u32>> = HashMap::new();
        let mut failed = HashSet::new();
        for (place, state) in &group.relation {
            match place.life {
                CertifiedLife::Failed => {
                    failed.insert(*state);
                }
                CertifiedLife::Running | CertifiedLife::Ended => {
                    related.entry(liveness.canonical(place)).or_default().insert(*state);
                }
            }
        }
        let mut out: HashMap<u32, Vec<_>> = HashMap::new();
        for (from, op, to) in &group.transitions {
            out.entry(*from).or_default().push((plain(op), *to));
        }
        Relation { liveness, related, failed, out }
    }

    fn contains(&self, place: &CertifiedPlace, state: u32) -> bool {
        self.related.get(&self.liveness.canonical(place)).is_some_and(|states| states.contains(&state))
    }

    fn answers(&self, state: u32, op: &CertifiedOp, next: &Next) -> bool {
        let mut out = self.out.get(&state).into_iter().flatten();
        match next {
            Next::Failure(_) => {
                self.failed.contains(&state)
                    || out.any(|(answer, to)| self.failed.contains(to) && is_possible_with(answer, op))
            }
            Next::Place(place) => {
                let none = HashSet::new();
                let related = self.related.get(&self.liveness.canonical(place)).unwrap_or(&none);
                *op == CertifiedOp::Nop && related.contains(&state)
                    || out.any(|(answer, to)| answer == op && related.contains(to))
            }
        }
    }
}

/// The operation in the form that `step` gives: cells in order, and nothing written back unchanged.
fn plain(op: &CertifiedOp) -> CertifiedOp {
    match op {
        CertifiedOp::Atomic(guard, update) => {
            let (mut guard, mut update) = (guard.clone(), update.clone());
            update.retain(|written| !guard.contains(written));
            guard.sort_unstable();
            update.sort_unstable();
            CertifiedOp::Atomic(guard, update)
        }
        CertifiedOp::Nop | CertifiedOp::Read(..) | CertifiedOp::Write(..) | CertifiedOp::Fence => op.clone(),
    }
}

/// Whether `answer` is possible wherever `op` is.
fn is_possible_with(answer: &CertifiedOp, op: &CertifiedOp) -> bool {
    match (answer, op) {
        (CertifiedOp::Nop, _) => true,
        (CertifiedOp::Fence, CertifiedOp::Fence | CertifiedOp::Atomic(..)) => true,
        (CertifiedOp::Atomic(fewer, _), CertifiedOp::Atomic(guard, _)) => {
            fewer.iter().all(|g| guard.contains(g))
        }
        (CertifiedOp::Atomic(fewer, _), CertifiedOp::Fence) => fewer.is_empty(),
        _ => answer == op,
    }
}
