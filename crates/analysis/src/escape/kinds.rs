//! Which kinds of objects that a graph allocates on a stack no thread can reach but the one that made them.
//!
//! A pointer to a variable starts where the variable is made. From there it is followed through registers, arguments
//! and results, whatever is computed from it. If it is never stored to memory, handed to a new thread or given back
//! to one that joins, only the thread that made the variable has it.

use fencepost_ir::cfg::{
    BinaryOp, Dest, Expr, HeapTypeId, Instr, ProcId, Procedure, Program, Reg, Storage, UnaryOp,
};
use std::collections::BTreeSet;

/// For each kind of allocated objects whether only their own threads can reach them.
pub struct Kept(Vec<bool>);

/// What registers may hold pointers to: for each register the kinds of objects.
struct Flow<'p> {
    /// The first register of each procedure after those of the thread.
    bases: Vec<usize>,
    held: Vec<BTreeSet<usize>>,
    escaped: Vec<bool>,
    /// For each procedure whether threads begin with it, and what it returns.
    started: Vec<bool>,
    returned: Vec<Vec<&'p Expr>>,
    changed: bool,
}

impl Kept {
    /// Analyses a program.
    pub fn new(program: &Program) -> Kept {
        let kinds = program.heap_types.len();
        let mut bases = Vec::new();
        let mut registers = program.thread_registers.len();
        for procedure in &program.procedures {
            bases.push(registers);
            registers += procedure.registers.len();
        }
        let held = vec![BTreeSet::new(); registers];
        // Nothing else is followed than local variables.
        let mut is_local = vec![false; kinds];
        let mut escaped = vec![false; kinds];
        for edge in program.procedures.iter().flat_map(Procedure::edges) {
            match &edge.instr {
                Instr::Allocate { ty, storage: Storage::Stack, .. } => is_local[ty.index()] = true,
                Instr::Allocate { ty, .. } | Instr::Reallocate { ty, .. } => escaped[ty.index()] = true,
                _ => {}
            }
        }
        let started = begun(program);
        let returned = program.procedures.iter().map(returned).collect();
        let mut flow = Flow { bases, held, escaped, started, returned, changed: kinds > 0 };
        while std::mem::take(&mut flow.changed) {
            for id in (0..program.procedures.len() as u32).map(ProcId) {
                program.procedure(id).edges().iter().for_each(|edge| flow.follow(id, &edge.instr));
            }
        }
        Kept(is_local.iter().zip(&flow.escaped).map(|(local, escaped)| *local && !escaped).collect())
    }

    /// Whether there is no such kind.
    pub fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Whether only its own thread can reach an object of the kind.
    pub fn contains(&self, kind: HeapTypeId) -> bool {
        self.0[kind.index()]
    }
}

impl Flow<'_> {
    fn follow(&mut self, id: ProcId, instr: &Instr) {
        match instr {
            Instr::Allocate { dest, ty, storage: Storage::Stack, .. } => {
                self.reach(id, dest, &BTreeSet::from([ty.index()]));
            }
            Instr::Assign(dest, value) => {
                let kinds = self.kinds(id, value);
                self.reach(id, dest, &kinds);
            }
            Instr::Call(dest, callee, args) => {
                for (slot, arg) in args.iter().enumerate() {
                    let kinds = self.kinds(id, arg);
                    self.hold(self.bases[callee.index()] + slot, &kinds);
                }
                if let Some(dest) = dest {
                    let returned = self.returned(*callee);
                    self.reach(id, dest, &returned);
                }
            }
            Instr::Return(Some(value)) if self.started[id.index()] => self.escape(id, value),
            Instr::Store(_, value) | Instr::Exit(Some(value)) => self.escape(id, value),
            Instr::Rmw(_, _, op) => op.operands().for_each(|operand| self.escape(id, operand)),
            Instr::Spawn(_, _, args, _) => args.iter().for_each(|arg| self.escape(id, arg)),
            Instr::Reallocate { pointer, .. } => self.escape(id, pointer),
            Instr::Nop
            | Instr::Choose
            | Instr::Allocate { .. }
            | Instr::Load(..)
            | Instr::Fence(_)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Havoc(..)
            | Instr::Lock(_)
            | Instr::Unlock(_)
            | Instr::Own(_)
            | Instr::Join(..)
            | Instr::Return(_)
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_)
            | Instr::Free(..)
            | Instr::Exit(None)
            | Instr::Halt => {}
        }
    }

    /// What a call may give back.
    fn returned(&self, callee: ProcId) -> BTreeSet<usize> {
        self.returned[callee.index()].iter().flat_map(|value| self.kinds(callee, value)).collect()
    }

    fn register(&self, id: ProcId, reg: Reg) -> usize {
        match reg {
            Reg::Thread(slot) => slot as usize,
            Reg::Local(slot) => self.bases[id.index()] + slot as usize,
        }
    }

    /// What a value may be computed from; what comparisons tell is no pointer.
    fn kinds(&self, id: ProcId, value: &Expr) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        self.collect(id, value, &mut all);
        all
    }

    fn collect(&self, id: ProcId, value: &Expr, all: &mut BTreeSet<usize>) {
        match value {
            Expr::Binary(
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge,
                ..,
            )
            | Expr::Unary(UnaryOp::Not, ..) => {}
            _ => value.visit(&mut |e| match e {
                Expr::Reg(reg) => all.extend(&self.held[self.register(id, *reg)]),
                Expr::At { base, len, .. } => {
                    let first = self.register(id, *base);
                    (first..first + *len as usize).for_each(|register| all.extend(&self.held[register]));
                }
                _ => {}
            }),
        }
    }

    fn reach(&mut self, id: ProcId, dest: &Dest, kinds: &BTreeSet<usize>) {
        let (base, len) = match dest {
            Dest::Reg(reg) => (*reg, 1),
            Dest::At { base, len, .. } => (*base, *len),
        };
        let first = self.register(id, base);
        (first..first + len as usize).for_each(|register| self.hold(register, kinds));
    }

    fn hold(&mut self, register: usize, kinds: &BTreeSet<usize>) {
        let before = self.held[register].len();
        self.held[register].extend(kinds);
        self.changed |= self.held[register].len() > before;
    }

    fn escape(&mut self, id: ProcId, value: &Expr) {
        let kinds = self.kinds(id, value);
        kinds.into_iter().for_each(|kind| self.escaped[kind] = true);
    }
}

/// The values that a procedure returns.
fn returned(procedure: &Procedure) -> Vec<&Expr> {
    let value = |instr| if let &Instr::Return(Some(ref value)) = instr { Some(value) } else { None };
    procedure.edges().iter().filter_map(|edge| value(&edge.instr)).collect()
}

/// For each procedure whether threads begin with it.
pub fn begun(program: &Program) -> Vec<bool> {
    let mut begun = vec![false; program.procedures.len()];
    for thread in &program.threads {
        begun[thread.procedure.index()] = true;
    }
    for edge in program.procedures.iter().flat_map(Procedure::edges) {
        if let Instr::Spawn(_, spawned, ..) = edge.instr {
            begun[spawned.index()] = true;
        }
    }
    begun
}
