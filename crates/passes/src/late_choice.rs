//! Graph to graph: a register that may hold any of many values gets its value when it is read.
//!
//! C's variables without initialiser hold anything, and most are assigned before they are read, though
//! no analysis of the graph alone can see that. So such a register gets a flag beside it: the choice
//! only clears the flag, an assignment sets it, and where the register is read with the flag clear,
//! the choice is made there. No thread can tell when a value was chosen before it is looked at.

use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{
    Choices, Dest, Edge, Expr, Instr, NodeId, ProcId, Procedure, ProcedureParts, Program, Reg, Register,
};
use fencepost_ir::{Access, Scalar, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer values are tried one by one where they are chosen.
const MANY: u128 = 256;

/// Puts off the choices of every procedure.
pub fn run(program: &mut Program) {
    let liveness = Liveness::new(program);
    let procedures = std::mem::take(&mut program.procedures).into_iter().enumerate();
    program.procedures = procedures.map(|(i, p)| put_off(p, ProcId(i as u32), &liveness)).collect();
}

fn put_off(procedure: Procedure, id: ProcId, liveness: &Liveness) -> Procedure {
    let mut slots = Slots::default();
    for edge in procedure.edges() {
        if let Some((slot, choices)) = chosen_slot(&edge.instr)
            && liveness.is_live(id, edge.to, slot)
        {
            slots.add(slot, choices);
        }
    }
    if slots.chosen.is_empty() {
        return procedure;
    }
    let mut parts = procedure.into_parts();
    slots.put_off(&mut parts);
    Procedure::new(parts)
}

/// Registers whose choices are put off, in the order of these.
#[derive(Default)]
struct Slots {
    chosen: Vec<(u32, Choices)>,
    /// Where each slot is in `chosen`.
    positions: BTreeMap<u32, usize>,
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

impl Slots {
    fn add(&mut self, slot: u32, choices: &Choices) {
        self.positions.entry(slot).or_insert_with(|| {
            self.chosen.push((slot, choices.clone()));
            self.chosen.len() - 1
        });
    }

    /// The positions of registers that an instruction reads, in order.
    fn read_by(&self, instr: &Instr) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut add = |base: u32, len: u32| {
            found.extend(self.positions.range(base..base + len).map(|(_, position)| *position));
        };
        instr.expressions(&mut |e| {
            e.visit(&mut |e| match e {
                Expr::Reg(Reg::Local(slot)) => add(*slot, 1),
                Expr::At { base: Reg::Local(base), len, .. } => add(*base, *len),
                _ => {}
            });
        });
        found
    }

    fn put_off(&self, parts: &mut ProcedureParts) {
        let first_flag = parts.registers.len() as u32;
        for (slot, _) in &self.chosen {
            let name = format!("%has.{}", parts.registers[*slot as usize].name);
            parts.registers.push(Register { name, ty: Scalar::Bool, init: 1 });
        }
        let flag = |position: usize| Reg::Local(first_flag + position as u32);
        let set = |position, value| Instr::Assign(Dest::Reg(flag(position)), Expr::Const(value));
        let old_nodes = parts.nodes as usize;
        let mut nodes = parts.nodes;
        let mut node = || {
            nodes += 1;
            NodeId(nodes - 1)
        };
        // What is read at each node, and where that is read first.
        let mut read: Vec<BTreeMap<usize, Span>> = vec![BTreeMap::new(); old_nodes];
        for edge in &parts.edges {
            for position in self.read_by(&edge.instr) {
                read[edge.from.index()].entry(position).or_insert(edge.span);
            }
        }
        // The node after the checks of each node.
        let mut behind: Vec<_> = (0..parts.nodes).map(NodeId).collect();
        let mut edges = Vec::new();
        for (from, read) in behind.iter_mut().zip(read) {
            for (position, span) in read {
                let (slot, choices) = &self.chosen[position];
                let ready = node();
                let (chosen, empty) = (node(), node());
                let has = Expr::Reg(flag(position));
                let step = |from, to, instr| Edge { from, to, instr, span, access: Access::Plain };
                edges.push(step(*from, ready, Instr::Assume(has.clone())));
                edges.push(step(*from, empty, Instr::Assume(has.negated())));
                let choice = Instr::Havoc(Dest::Reg(Reg::Local(*slot)), choices.clone());
                edges.push(step(empty, chosen, choice));
                edges.push(step(chosen, ready, set(position, 1)));
                *from = ready;
            }
        }
        for edge in std::mem::take(&mut parts.edges) {
            let (from, span) = (behind[edge.from.index()], edge.span);
            let written = match edge.instr.dest() {
                Some(Dest::Reg(Reg::Local(slot))) => {
                    self.positions.get(slot).map(|&position| (*slot, position))
                }
                _ => None,
            };
            let Some((slot, position)) = written else {
                edges.push(Edge { from, ..edge });
                continue;
            };
            let middle = node();
            let (instr, flagged) = match chosen_slot(&edge.instr) {
                // The old value must not tell states apart.
                Some(_) => {
                    let init = parts.registers[slot as usize].init;
                    (Instr::Assign(Dest::Reg(Reg::Local(slot)), Expr::Const(init)), 0)
                }
                None => (edge.instr, 1),
            };
            let (access, after) = (edge.access, Access::Plain);
            edges.push(Edge { from, to: middle, instr, span, access });
            let instr = set(position, flagged);
            edges.push(Edge { from: middle, to: edge.to, instr, span, access: after });
        }
        parts.nodes = nodes;
        parts.edges = edges;
    }
}
