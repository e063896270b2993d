//! A finished search as a certificate, for others to check.

use crate::automaton::Op;
use crate::configuration::{ANY, Configuration, Message};
use crate::local::LocalGraph;
use crate::model::Model;
use crate::reach::{Element, Reach, bit};
use fencepost_task::certificate::{
    Certificate, CertifiedConfiguration, CertifiedGroup, CertifiedMessage, CertifiedOp, CertifiedPlace,
    CertifiedProcess, CertifiedReachable, CertifiedVariable,
};
use rustc_hash::FxHashSet;

/// The certificate of a model whose targets the search did not reach.
pub fn certificate<'a>(
    model: &Model,
    basis: impl Iterator<Item = &'a Configuration>,
    invariant: Option<&Reach>,
) -> Certificate {
    let variables = model.domains.values.iter().zip(&model.domains.initial);
    let variable = |(values, initial): (&Vec<i64>, &usize)| CertifiedVariable {
        values: values.clone(),
        initial: *initial as u32,
    };
    let mut basis: Vec<_> = basis.map(configuration).collect();
    basis.sort();
    Certificate {
        slots: 0,
        variables: variables.map(variable).collect(),
        groups: (0..model.threads.len()).map(|g| group(model, g)).collect(),
        basis,
        invariant: invariant.map_or(Vec::new(), |reach| self::invariant(model, reach)),
    }
}

fn invariant(model: &Model, reach: &Reach) -> Vec<CertifiedReachable> {
    let values: Vec<u16> = model.domains.values.iter().map(|values| values.len() as u16).collect();
    let reachable = |element: &Element| {
        let readable = |of_thread: &[u64]| {
            let of_cell = |(n, set): (&u16, &u64)| {
                (0..*n).filter(|v| set & bit(*v) != 0).map(u32::from).collect::<Vec<u32>>()
            };
            values.iter().zip(of_thread).map(of_cell).collect()
        };
        let threads = 0..element.states.len();
        CertifiedReachable {
            states: element.states.clone(),
            memory: element.memory.iter().map(|v| u32::from(*v)).collect(),
            readable: threads.map(|t| readable(&element.readable[t * values.len()..])).collect(),
        }
    };
    let mut invariant: Vec<_> = reach.elements.iter().map(reachable).collect();
    invariant.sort();
    invariant
}

fn op(op: &Op) -> CertifiedOp {
    let pairs = |list: &[(u16, u16)]| list.iter().map(|(x, v)| ((*x).into(), (*v).into())).collect();
    match op {
        Op::Nop => CertifiedOp::Nop,
        Op::Read(x, v) => CertifiedOp::Read((*x).into(), (*v).into()),
        Op::Write(x, v) => CertifiedOp::Write((*x).into(), (*v).into()),
        Op::Fence => CertifiedOp::Fence,
        Op::Atomic(guard, update) => CertifiedOp::Atomic(pairs(guard), pairs(update)),
    }
}

fn group(model: &Model, g: usize) -> CertifiedGroup {
    let threads = &model.threads[g];
    let automaton = &model.compiled[g].automaton;
    let marked = |place: usize| {
        let state = model.compiled[g].state_of[place];
        state.is_some_and(|s| !automaton.marks[s as usize].is_empty())
    };
    let relation = relation(&model.graphs[g], &model.compiled[g].state_of, &marked);
    let mut relation: Vec<(CertifiedPlace, u32)> = relation
        .into_iter()
        .map(|(place, state)| (model.graphs[g].places[place].certified(), state))
        .collect();
    relation.sort();
    relation.dedup();
    CertifiedGroup {
        starts: threads.starts.iter().map(|s| s.0).collect(),
        count: threads.count,
        states: automaton.states(),
        transitions: automaton.transitions.iter().map(|t| (t.from, op(&t.op), t.to)).collect(),
        relation,
    }
}

/// Each place with its state, and with the states of all places that come to it silently.
fn relation(
    graph: &LocalGraph,
    state_of: &[Option<u32>],
    marked: &dyn Fn(usize) -> bool,
) -> FxHashSet<(usize, u32)> {
    let mut silent: Vec<Vec<usize>> = vec![Vec::new(); graph.places.len()];
    for step in &graph.steps {
        if step.op == Op::Nop && !marked(step.to as usize) {
            silent[step.from as usize].push(step.to as usize);
        }
    }
    let mut pairs = FxHashSet::default();
    for (place, state) in state_of.iter().enumerate() {
        let Some(state) = *state else { continue };
        let mut work = vec![place];
        while let Some(here) = work.pop() {
            if pairs.insert((here, state)) {
                work.extend(&silent[here]);
            }
        }
    }
    pairs
}

fn configuration(configuration: &Configuration) -> CertifiedConfiguration {
    let open = |v: u16| (v != ANY).then_some(u32::from(v));
    let message = |m: &Message| CertifiedMessage { variable: m.var.into(), value: open(m.value), own: m.own };
    CertifiedConfiguration {
        processes: configuration
            .processes
            .iter()
            .map(|p| CertifiedProcess {
                group: p.group.into(),
                state: p.state,
                buffer: p.buffer.iter().map(message).collect(),
            })
            .collect(),
        memory: configuration.memory.iter().map(|v| open(*v)).collect(),
    }
}
