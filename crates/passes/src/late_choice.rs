//! Graph to graph: a register that may hold any of many values gets its value when it is read.
//!
//! C's variables without initialiser hold anything, and most are assigned before they are read, though
//! no analysis of the graph alone can see that. So such a register gets a flag beside it: the choice
//! only clears the flag, an assignment sets it, and where the register is read with the flag clear,
//! the choice is made there. Nobody can tell when a value was chosen that nobody had looked at.

use crate::liveness::Liveness;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{
    Choices, Dest, Edge, Expr, Instr, NodeId, ProcId, Procedure, ProcedureParts, Program, Reg, Register,
};

/// Fewer values are tried one by one where they are chosen.
const MANY: u128 = 256;

/// Puts off the choices of every procedure.
pub fn run(program: &mut Program) {
    let liveness = Liveness::new(program);
    let procedures = std::mem::take(&mut program.procedures).into_iter().enumerate();
    program.procedures = procedures.map(|(i, p)| put_off(p, ProcId(i as u32), &liveness)).collect();
}

fn put_off(procedure: Procedure, id: ProcId, liveness: &Liveness) -> Procedure {
    let mut slots: Vec<(u32, Choices)> = Vec::new();
    for edge in procedure.edges() {
        if let Some((slot, choices)) = chosen_slot(&edge.instr)
            && liveness.at(id, edge.to)[slot as usize]
            && !slots.iter().any(|(s, _)| *s == slot)
        {
            slots.push((slot, choices.clone()));
        }
    }
    if slots.is_empty() {
        return procedure;
    }
    let mut parts = procedure.into_parts();
    for (slot, choices) in slots {
        put_off_slot(&mut parts, slot, &choices);
    }
    Procedure::new(parts)
}

/// The register that an instruction gives any of many values.
fn chosen_slot(instr: &Instr) -> Option<(u32, &Choices)> {
    match instr {
        Instr::Havoc(Dest::Reg(Reg::Local(slot)), choices) if choices.count() > MANY => {
            Some((*slot, choices))
        }
        _ => None,
    }
}

fn put_off_slot(parts: &mut ProcedureParts, slot: u32, choices: &Choices) {
    let name = format!("%has.{}", parts.registers[slot as usize].name);
    let flag = parts.registers.len() as u32;
    parts.registers.push(Register { name, ty: Scalar::Bool, init: 1 });
    let flag_dest = || Dest::Reg(Reg::Local(flag));
    let set = |value| Instr::Assign(flag_dest(), Expr::Const(value));
    let init = parts.registers[slot as usize].init;
    let mut edges = Vec::new();
    let mut nodes = parts.nodes;
    let mut node = || {
        nodes += 1;
        NodeId(nodes - 1)
    };
    // The node behind the check, for each node where the register is read.
    let mut behind: Vec<Option<NodeId>> = vec![None; parts.nodes as usize];
    for edge in &parts.edges {
        if reads(&edge.instr, slot) && behind[edge.from.index()].is_none() {
            let ready = node();
            let (chosen, empty) = (node(), node());
            let has = Expr::Reg(Reg::Local(flag));
            let span = edge.span;
            let step = |from, to, instr| Edge { from, to, instr, span };
            edges.push(step(edge.from, ready, Instr::Assume(has.clone())));
            edges.push(step(edge.from, empty, Instr::Assume(has.negated())));
            edges.push(step(empty, chosen, Instr::Havoc(Dest::Reg(Reg::Local(slot)), choices.clone())));
            edges.push(step(chosen, ready, set(1)));
            behind[edge.from.index()] = Some(ready);
        }
    }
    for edge in std::mem::take(&mut parts.edges) {
        let from = behind[edge.from.index()].unwrap_or(edge.from);
        let span = edge.span;
        if chosen_slot(&edge.instr).is_some_and(|(s, _)| s == slot) {
            // The old value must not tell states apart.
            let middle = node();
            let forget = Instr::Assign(Dest::Reg(Reg::Local(slot)), Expr::Const(init));
            edges.push(Edge { from, to: middle, instr: forget, span });
            edges.push(Edge { from: middle, to: edge.to, instr: set(0), span });
        } else if matches!(edge.instr.dest(), Some(Dest::Reg(Reg::Local(s))) if *s == slot) {
            let middle = node();
            edges.push(Edge { from, to: middle, ..edge.clone() });
            edges.push(Edge { from: middle, to: edge.to, instr: set(1), span });
        } else {
            edges.push(Edge { from, ..edge });
        }
    }
    parts.nodes = nodes;
    parts.edges = edges;
}

fn reads(instr: &Instr, slot: u32) -> bool {
    let mut found = false;
    instr.expressions(&mut |e| {
        e.visit(&mut |e| {
            found |= match e {
                Expr::Reg(Reg::Local(s)) => *s == slot,
                Expr::At { base: Reg::Local(base), len, .. } => (*base..base + len).contains(&slot),
                _ => false,
            };
        });
    });
    found
}
