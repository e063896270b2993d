//! Automata as pictures: DOT, as Graphviz draws it.

use crate::automaton::{Mark, Op};
use crate::domains::Values;
use crate::model::Model;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_task::Budget;
use std::fmt::Write;

/// The automata of all threads of a program, or why there are none.
pub fn dot(program: &Program) -> Result<String, String> {
    let model = Model::new(program, &Budget::default(), Values::All).map_err(|reason| reason.to_string())?;
    let mut out = String::from("digraph automata {\n  rankdir=LR;\n  node [shape=circle];\n");
    for (g, threads) in model.threads.iter().enumerate() {
        let names: Vec<_> = threads.starts.iter().map(|s| program.threads[s.index()].name.as_str()).collect();
        let count = threads.count.map_or("*".to_string(), |n| n.to_string());
        let automaton = &model.compiled[g].automaton;
        let _ = writeln!(out, "  subgraph cluster_{g} {{");
        let _ = writeln!(out, "    label=\"{} [{count}], {} states\";", names.join(", "), automaton.states());
        for state in 0..automaton.states() {
            let marks: Vec<_> = automaton.marks[state as usize].iter().map(|m| mark(program, m)).collect();
            let shape = if marks.is_empty() { "" } else { ", shape=doublecircle" };
            let label = [vec![state.to_string()], marks].concat().join("\\n");
            let _ = writeln!(out, "    s{g}_{state} [label=\"{label}\"{shape}];");
        }
        let _ = writeln!(out, "    start{g} [shape=point];\n    start{g} -> s{g}_0;");
        for t in &automaton.transitions {
            let label = show(program, &model, &t.op);
            let _ = writeln!(out, "    s{g}_{} -> s{g}_{} [label=\"{label}\"];", t.from, t.to);
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    Ok(out)
}

fn mark(program: &Program, mark: &Mark) -> String {
    match mark {
        Mark::At(p, node) => {
            let labels = program.procedure(*p).labels.iter().filter(|(_, n)| n == node);
            labels.map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ")
        }
        Mark::Failed => "failed".to_string(),
        Mark::Escaped => "another value".to_string(),
        Mark::Ended(_) => "ended".to_string(),
    }
}

fn show(program: &Program, model: &Model, op: &Op) -> String {
    let cell = |x: u16, v: u16| {
        let loc = Loc::cell(x.into());
        let value = model.domains.values[x as usize][v as usize];
        let shown = program.cell_type(loc).map_or_else(|| value.to_string(), |ty| ty.show(value));
        (program.cell_name(loc).unwrap_or_default(), shown)
    };
    let list = |pairs: &[(u16, u16)], sign: &str| {
        let parts = pairs.iter().map(|(x, v)| {
            let (name, value) = cell(*x, *v);
            format!("{name} {sign} {value}")
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    match op {
        Op::Nop => String::new(),
        Op::Fence => "fence".to_string(),
        Op::Read(x, v) => format!("read {}", list(&[(*x, *v)], "==")),
        Op::Write(x, v) => format!("write {}", list(&[(*x, *v)], "=")),
        Op::Atomic(guard, update) => {
            format!("atomic {} / {}", list(guard, "=="), list(update, "="))
        }
    }
}
