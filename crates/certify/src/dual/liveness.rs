//! Which registers of a place can still be read. Two places that differ in the others only can do the
//! same forever, so the relation need hold one of them.
//!
//! Backward data flow in each procedure by itself. In a caller's frame a register is live if it is
//! after the call, or if the element that the result goes to is computed from it. The threads' own
//! registers are always live, and so is what final conditions observe; of a thread that has ended,
//! nothing else is.

use fencepost_ir::cfg::{
    Dest, Edge, EdgeId, Expr, Instr, NodeId, Observable, ProcId, Program, Property, Reg,
};
use fencepost_task::certificate::{CertifiedLife, CertifiedPlace};

pub(super) struct Liveness<'p> {
    program: &'p Program,
    /// For each procedure and node, for each slot.
    live: Vec<Vec<Vec<bool>>>,
    /// What final conditions observe of the threads in question.
    observed: Vec<Reg>,
}

impl<'p> Liveness<'p> {
    /// For threads of these starts.
    pub(super) fn new(program: &'p Program, starts: &[u32]) -> Liveness<'p> {
        let live = (0..program.procedures.len()).map(|i| analyse(program, ProcId(i as u32))).collect();
        let mut observed = Vec::new();
        for property in &program.properties {
            match property {
                Property::Final { observed: list, .. } => {
                    observed.extend(list.iter().filter_map(|o| match o {
                        Observable::Register(start, reg) if starts.contains(&start.0) => Some(*reg),
                        Observable::Register(..) | Observable::Cell(_) => None,
                    }));
                }
                Property::Forbid { .. } => {}
            }
        }
        Liveness { program, live, observed }
    }

    /// The place with its dead registers set to their initial values.
    pub(super) fn canonical(&self, place: &CertifiedPlace) -> CertifiedPlace {
        let own = &self.program.thread_registers;
        let running = place.life == CertifiedLife::Running;
        let mut registers: Vec<i64> = own.iter().map(|r| r.init).collect();
        if running {
            registers.copy_from_slice(&place.registers[..own.len()]);
        }
        for (depth, frame) in place.frames.iter().enumerate() {
            let procedure = self.program.procedure(ProcId(frame.procedure));
            let base = registers.len();
            let values = &place.registers[base..base + procedure.registers.len()];
            let mut live = self.live[frame.procedure as usize][frame.node as usize].clone();
            if let Some(call) = place.frames.get(depth + 1).and_then(|callee| callee.call)
                && let Instr::Call(Some(Dest::At { index, .. }), ..) = &procedure.edge(EdgeId(call)).instr
            {
                mark(index, &mut live);
            }
            let kept = |slot: usize, init| if running && live[slot] { values[slot] } else { init };
            registers.extend(procedure.registers.iter().enumerate().map(|(slot, r)| kept(slot, r.init)));
        }
        for reg in &self.observed {
            let slot = match reg {
                Reg::Thread(slot) => *slot as usize,
                Reg::Local(slot) => own.len() + *slot as usize,
            };
            registers[slot] = place.registers[slot];
        }
        CertifiedPlace { registers, ..place.clone() }
    }
}

fn analyse(program: &Program, id: ProcId) -> Vec<Vec<bool>> {
    let procedure = program.procedure(id);
    let mut live = vec![vec![false; procedure.registers.len()]; procedure.nodes as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in procedure.edges().iter().rev() {
            let mut before = match edge.instr {
                Instr::Return(_) | Instr::Exit(_) | Instr::Halt => vec![false; procedure.registers.len()],
                _ => live[edge.to.index()].clone(),
            };
            if let Some(slot) = overwritten(program, edge) {
                before[slot as usize] = false;
            }
            edge.instr.expressions(&mut |e| mark(e, &mut before));
            let NodeId(from) = edge.from;
            for (now, before) in live[from as usize].iter_mut().zip(before) {
                changed |= before && !*now;
                *now |= before;
            }
        }
    }
    live
}

/// The slot that surely gets a new value; a procedure may return without giving one.
fn overwritten(program: &Program, edge: &Edge) -> Option<u32> {
    let Some(Dest::Reg(Reg::Local(slot))) = edge.instr.dest() else { return None };
    match &edge.instr {
        Instr::Call(_, callee, _) => {
            let edges = program.procedure(*callee).edges();
            edges.iter().all(|e| e.instr != Instr::Return(None)).then_some(*slot)
        }
        _ => Some(*slot),
    }
}

fn mark(e: &Expr, live: &mut [bool]) {
    e.visit(&mut |e| match e {
        Expr::Reg(Reg::Local(slot)) => live[*slot as usize] = true,
        Expr::At { base: Reg::Local(slot), len, .. } => {
            live[*slot as usize..(*slot + *len) as usize].fill(true);
        }
        Expr::Reg(Reg::Thread(_))
        | Expr::At { base: Reg::Thread(_), .. }
        | Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Check { .. }
        | Expr::Wrap(..)
        | Expr::Index(..) => {}
    });
}
