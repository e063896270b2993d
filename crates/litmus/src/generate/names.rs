//! The names of tests: what the literature calls the shape (Alglave, Maranget, Sarkar, Sewell; diy's
//! documentation), and after it what is in each thread.
//!
//! The shape is the ends of each thread and how the threads communicate. Threads with nothing but `po` in
//! them are not mentioned where all are so; where all have the same, it is named once in the plural:
//! `SB+mfences`. A shape without a name of its own is called by the ends of its threads, as in
//! `W+RW+RR+WR`.

use super::edge::{Cycle, Edge, Flow};

/// Shapes by name. A thread is its first and last event, or its only one.
const SHAPES: &[(&str, &str)] = &[
    ("SB", "WR Fr WR Fr"),
    ("MP", "WW Rf RR Fr"),
    ("LB", "RW Rf RW Rf"),
    ("S", "WW Rf RW Co"),
    ("R", "WW Co WR Fr"),
    ("2+2W", "WW Co WW Co"),
    ("WRC", "W Rf RW Rf RR Fr"),
    ("WWC", "W Rf RW Rf RW Co"),
    ("RWC", "W Rf RR Fr WR Fr"),
    ("WRW+WR", "W Rf RW Co WR Fr"),
    ("WRR+2W", "W Rf RR Fr WW Co"),
    ("WRW+2W", "W Rf RW Co WW Co"),
    ("ISA2", "WW Rf RW Rf RR Fr"),
    ("W+RWC", "WW Rf RR Fr WR Fr"),
    ("Z6.0", "WW Rf RW Co WR Fr"),
    ("Z6.1", "WW Co WW Rf RW Co"),
    ("Z6.2", "WW Rf RW Rf RW Co"),
    ("Z6.3", "WW Co WW Rf RR Fr"),
    ("Z6.4", "WW Co WR Fr WR Fr"),
    ("Z6.5", "WW Co WW Co WR Fr"),
    ("3.SB", "WR Fr WR Fr WR Fr"),
    ("3.LB", "RW Rf RW Rf RW Rf"),
    ("3.2W", "WW Co WW Co WW Co"),
    ("IRIW", "W Rf RR Fr W Rf RR Fr"),
    ("IRRWIW", "W Rf RR Fr W Rf RW Co"),
    ("IRWIW", "W Rf RW Co W Rf RW Co"),
    ("4.SB", "WR Fr WR Fr WR Fr WR Fr"),
    ("4.LB", "RW Rf RW Rf RW Rf RW Rf"),
    ("4.2W", "WW Co WW Co WW Co WW Co"),
];

/// Names of shapes at a single location, whose only place is `pos`.
const COHERENCE: &[(&str, &str)] =
    &[("CoRR", "W Rf RR Fr"), ("CoRW2", "W Rf RW Co"), ("CoWR", "WR Fr W Co"), ("CoRW", "RW Co W Rf")];

/// The cycle in the turn that its name describes, and the name. A cycle that is given in such a turn stays
/// as it is.
pub fn name(cycle: &Cycle) -> (Cycle, String) {
    let (rotation, family) = match family(cycle) {
        Some(family) => (cycle.clone(), Some(family)),
        None => preferred(cycle),
    };
    let name = match family {
        Some(family) if COHERENCE.iter().any(|(f, _)| *f == family) => family.to_string(),
        Some(family) => format!("{family}{}", suffix(&rotation)),
        None => format!("{}{}", ends(&rotation).join("+"), suffix(&rotation)),
    };
    (rotation, name)
}

/// The turn in which a cycle is listed, and its family if it has one.
pub fn preferred(cycle: &Cycle) -> (Cycle, Option<&'static str>) {
    let rotations = cycle.rotations();
    let named = rotations.iter().filter_map(|r| Some((r, family(r)?)));
    if let Some((rotation, family)) = named.min_by_key(|(r, _)| preference(r)) {
        return (rotation.clone(), Some(family));
    }
    let first = rotations.into_iter().min_by_key(|r| {
        let ranks: Vec<usize> = ends(r).iter().map(|e| rank(e)).collect();
        (ranks, preference(r))
    });
    (first.expect("a cycle ends with another thread at least twice"), None)
}

/// The name of a cycle's shape, if it has one in this turn.
fn family(cycle: &Cycle) -> Option<&'static str> {
    let shape = shape(cycle);
    let at_one_location = annotations(cycle) == ["pos"];
    let table = if at_one_location { COHERENCE } else { SHAPES };
    table.iter().find(|(_, s)| *s == shape).map(|(family, _)| *family)
}

/// Of several turns with one shape, threads with few relations come first.
fn preference(cycle: &Cycle) -> (Vec<(usize, String)>, Vec<Edge>) {
    let short_first = annotations(cycle).into_iter().map(|a| (a.split('-').count(), a)).collect();
    (short_first, cycle.edges().to_vec())
}

/// Shapes begin with a single write, or with two.
fn rank(ends: &str) -> usize {
    ["W", "WW", "RR", "RW", "WR", "R"].iter().position(|e| *e == ends).unwrap_or(usize::MAX)
}

/// First and last event of each thread.
fn ends(cycle: &Cycle) -> Vec<String> {
    let thread = |(inner, out): (&[Edge], Edge)| match inner.first() {
        Some(first) => format!("{}{}", first.from(), out.from()),
        None => out.from().to_string(),
    };
    cycle.threads().into_iter().map(thread).collect()
}

fn shape(cycle: &Cycle) -> String {
    let threads = cycle.threads();
    let parts = ends(cycle).into_iter().zip(&threads).flat_map(|(ends, (_, out))| {
        let flow = match out {
            Edge::Com(Flow::Rf, _) => "Rf",
            Edge::Com(Flow::Fr, _) => "Fr",
            Edge::Com(Flow::Co, _) => "Co",
            Edge::Po(..) => panic!("program order stays in its thread"),
        };
        [ends, flow.to_string()]
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// What is in each thread that has more than one event.
fn annotations(cycle: &Cycle) -> Vec<String> {
    let threads = cycle.threads().into_iter().filter(|(inner, _)| !inner.is_empty());
    threads.map(|(inner, _)| inner.iter().map(|e| e.short_name()).collect::<Vec<_>>().join("-")).collect()
}

fn suffix(cycle: &Cycle) -> String {
    let annotations = annotations(cycle);
    match &annotations[..] {
        [] => String::new(),
        all if all.iter().all(|a| a == "po") => String::new(),
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|a| a == first) => format!("+{first}s"),
        all => format!("+{}", all.join("+")),
    }
}
