//! What makes a verdict mean less than it seems to: nothing is checked, no thread runs beside another, or a part of the
//! text was passed over.

use crate::program::Program;
use fencepost_ir::cfg::{self, Count, Instr};
use fencepost_ir::{Check, Claim, Remark, Span};
use fencepost_memory::{Machine, Sc};
use fencepost_task::Asked;
use std::collections::HashSet;

/// More states than this are not looked at to see whether a thread is ever spawned.
const FEW_STATES: usize = 5_000;

/// The warnings about a program of which this is asked.
pub fn warnings(program: &Program, asked: &Asked) -> Vec<Remark> {
    let graph = &program.graph;
    let mut warnings = program.tree.sources.remarks().to_vec();
    let start = graph.threads.first().map_or(Span::NONE, |thread| thread.span);
    let mut warn = |message: &str| warnings.push(Remark { span: start, message: message.to_string() });
    if checks_nothing(graph, asked) {
        warn("nothing is checked here except memory safety: there is no assertion");
    }
    match () {
        () if !is_alone(graph) => {}
        () if !edges(graph).any(|edge| matches!(edge.instr, Instr::Spawn(..))) => {
            warn("the program starts no thread, so memory models make no difference");
        }
        () if ends_alone(graph) => warn("every run ends before its first thread is spawned"),
        () => {}
    }
    warnings
}

fn edges(graph: &cfg::Program) -> impl Iterator<Item = &cfg::Edge> {
    graph.procedures.iter().flat_map(|procedure| procedure.edges())
}

/// Whether errors of memory are all that can be found. Other languages than C refuse such programs.
fn checks_nothing(graph: &cfg::Program, asked: &Asked) -> bool {
    let Asked { checks, overflow, exit, reach } = asked;
    let asserts = |edge: &cfg::Edge| {
        matches!(edge.instr, Instr::Assert(_, Claim::Assertion | Claim::Exit | Claim::Reach))
    };
    checks.reports(Check::Assertion)
        && !checks.asks_more()
        && !overflow
        && !exit
        && reach.is_empty()
        && graph.properties.is_empty()
        && !edges(graph).any(asserts)
}

/// Whether a program begins with one thread.
fn is_alone(graph: &cfg::Program) -> bool {
    matches!(&graph.threads[..], [thread] if thread.count == Count::Times(1))
}

/// Whether the first thread surely ends without spawning another. No memory model matters as long as it is alone.
fn ends_alone(graph: &cfg::Program) -> bool {
    let Ok(machine) = Machine::new(graph) else { return false };
    if !machine.initial_choices().is_empty() {
        return false;
    }
    let mut seen = HashSet::new();
    let mut work = vec![machine.initial(&[])];
    let mut steps = Vec::new();
    while let Some(state) = work.pop() {
        if state.threads.len() > 1 || seen.len() > FEW_STATES {
            return false;
        }
        steps.clear();
        machine.steps(&Sc, &state, &mut steps);
        for &step in &steps {
            let mut next = state.clone();
            if machine.apply(&Sc, &mut next, step).is_err() {
                return false;
            }
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    true
}
