//! Which registers of a frame can still be read, by backward data flow.
//!
//! A register that is dead at a node can be set to zero there without changing what follows.
//! Registers that final conditions observe are always live; the threads' own registers are not
//! looked at, since any procedure may read them.

use fencepost_ir::cfg::{Dest, Expr, Instr, NodeId, Observable, ProcId, Procedure, Program, Property, Reg};

/// Live slots for each procedure and node.
pub struct Liveness {
    live: Vec<Vec<Vec<bool>>>,
}

impl Liveness {
    /// Analyses a program.
    pub fn new(program: &Program) -> Liveness {
        let live = (0..program.procedures.len()).map(|i| analyse(program, ProcId(i as u32))).collect();
        Liveness { live }
    }

    /// For each slot of the procedure's frame whether it is live when control is at the node.
    pub fn at(&self, procedure: ProcId, node: NodeId) -> &[bool] {
        &self.live[procedure.index()][node.index()]
    }
}

fn analyse(program: &Program, id: ProcId) -> Vec<Vec<bool>> {
    let procedure = program.procedure(id);
    let mut always = vec![false; procedure.registers.len()];
    for property in &program.properties {
        let Property::Final { observed, .. } = property else { continue };
        for observable in observed {
            if let Observable::Register(start, Reg::Local(slot)) = observable
                && program.threads[start.index()].procedure == id
            {
                always[*slot as usize] = true;
            }
        }
    }
    let mut live = vec![always; procedure.nodes as usize];
    // The element that a call's result goes to is found when the call returns, behind the edge.
    for edge in procedure.edges() {
        if let Instr::Call(Some(Dest::At { index, .. }), ..) = &edge.instr {
            read_expr(index, &mut live[edge.to.index()]);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in procedure.edges().iter().rev() {
            let mut before = live[edge.to.index()].clone();
            if let Some(Dest::Reg(Reg::Local(slot))) = edge.instr.dest() {
                before[*slot as usize] = false;
            }
            read_slots(procedure, &edge.instr, &mut before);
            for (slot, is_live) in before.into_iter().enumerate() {
                if is_live && !live[edge.from.index()][slot] {
                    live[edge.from.index()][slot] = true;
                    changed = true;
                }
            }
        }
    }
    live
}

fn read_slots(procedure: &Procedure, instr: &Instr, live: &mut [bool]) {
    instr.expressions(&mut |e| read_expr(e, live));
    debug_assert_eq!(live.len(), procedure.registers.len());
}

fn read_expr(e: &Expr, live: &mut [bool]) {
    let mut mark = |base: Reg, len: u32| {
        if let Reg::Local(slot) = base {
            live[slot as usize..(slot + len) as usize].fill(true);
        }
    };
    e.visit(&mut |e| match e {
        Expr::Reg(reg) => mark(*reg, 1),
        Expr::At { base, len, .. } => mark(*base, *len),
        _ => {}
    });
}
