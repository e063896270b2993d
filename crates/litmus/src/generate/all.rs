//! All cycles up to a size, each in one turn only.
//!
//! Left out is what a shorter cycle says too: two relations in a row that are one (`Coe Coe`, `Fre Coe`,
//! `Rfe Fre`, and `Rfi Fre`), so that a thread with a single event is always a write that others read.

use super::edge::{Between, Cycle, Dir, Edge, Flow, Reach, Where};
use std::collections::BTreeSet;

/// The relations that cycles are made of.
fn vocabulary() -> Vec<Edge> {
    let mut edges = vec![
        Edge::Com(Flow::Rf, Reach::External),
        Edge::Com(Flow::Fr, Reach::External),
        Edge::Com(Flow::Co, Reach::External),
        Edge::Com(Flow::Rf, Reach::Internal),
    ];
    for between in [Between::Nothing, Between::MFence] {
        for from in [Dir::W, Dir::R] {
            for to in [Dir::W, Dir::R] {
                edges.push(Edge::Po(between, Where::Different, from, to));
            }
        }
    }
    edges
}

/// Whether a relation may be after another.
fn follows(before: Edge, edge: Edge) -> bool {
    let is_one_relation = matches!(
        (before, edge),
        (Edge::Com(Flow::Rf, _), Edge::Com(Flow::Fr, _))
            | (Edge::Com(Flow::Fr | Flow::Co, Reach::External), Edge::Com(Flow::Co, Reach::External))
    );
    before.to() == edge.from() && !is_one_relation
}

/// All cycles of up to `size` relations, shorter ones first.
pub fn all_cycles(size: usize) -> Vec<Cycle> {
    let vocabulary = vocabulary();
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for length in 2..=size {
        let mut edges = Vec::with_capacity(length);
        extend(&vocabulary, length, &mut edges, &mut |edges| {
            // Of all turns of a cycle the smallest stands for it.
            let smallest = (0..length).map(|i| [&edges[i..], &edges[..i]].concat()).min();
            if smallest.as_deref() == Some(edges)
                && let Ok(cycle) = Cycle::new(edges.to_vec())
                && known.insert(cycle.clone())
            {
                found.push(super::names::preferred(&cycle).0);
            }
        });
    }
    found
}

fn extend(vocabulary: &[Edge], length: usize, edges: &mut Vec<Edge>, see: &mut dyn FnMut(&[Edge])) {
    if edges.len() == length {
        if follows(edges[length - 1], edges[0]) {
            see(edges);
        }
        return;
    }
    for &edge in vocabulary {
        // The smallest turn starts with the smallest relation.
        if edges.last().is_some_and(|last| !follows(*last, edge)) || edges.first().is_some_and(|f| edge < *f)
        {
            continue;
        }
        edges.push(edge);
        extend(vocabulary, length, edges, see);
        edges.pop();
    }
}
