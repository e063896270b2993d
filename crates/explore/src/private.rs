//! Which local variables in memory no other thread can ever reach, so that nobody sees when a store to them
//! leaves its buffer.
//!
//! A pointer to a variable starts where the variable is made. From there it is followed through registers, arguments
//! and results, whatever is computed from it. If it is never stored to memory, handed to a new thread or given back
//! to one that joins, only the thread that made the variable has it, and the variable is private.
//!
//! A private store may reach memory as soon as it is the first that can: its own thread reads the same before and
//! after, nobody else reads it, and everything that could happen before can still happen after. So the flush alone is
//! an ample set (`reduction.rs`), and it can be taken at once everywhere, for between two states on a cycle that
//! flushes there is a store, whose thread passes the head of a loop. Without this a loop that waits and stores what it sees
//! in such a variable has no largest buffer.

use fencepost_ir::cfg::{BinaryOp, Dest, Expr, Instr, ProcId, Procedure, Program, Reg, Storage, UnaryOp};
use fencepost_memory::State;
use fencepost_task::{Action, Step};

/// For each kind of allocated objects whether all of them are private.
pub struct Private(Vec<bool>);

/// What registers may hold pointers to: for each register the kinds of objects.
struct Flow<'p> {
    program: &'p Program,
    /// The first register of each procedure behind those of the thread.
    bases: Vec<usize>,
    held: Vec<Vec<bool>>,
    escaped: Vec<bool>,
    changed: bool,
}

impl Private {
    /// Analyses a program.
    pub fn new(program: &Program) -> Private {
        let kinds = program.heap_types.len();
        let mut bases = Vec::new();
        let mut registers = program.thread_registers.len();
        for procedure in &program.procedures {
            bases.push(registers);
            registers += procedure.registers.len();
        }
        let held = vec![vec![false; kinds]; registers];
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
        let mut flow = Flow { program, bases, held, escaped, changed: kinds > 0 };
        while std::mem::take(&mut flow.changed) {
            for id in (0..program.procedures.len() as u32).map(ProcId) {
                program.procedure(id).edges().iter().for_each(|edge| flow.follow(id, &edge.instr));
            }
        }
        Private(is_local.iter().zip(&flow.escaped).map(|(local, escaped)| *local && !escaped).collect())
    }

    /// Whether there is any such variable.
    pub fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Among the steps of a thread's buffer, one that nobody sees.
    pub fn flush(&self, state: &State, steps: &[Step]) -> Option<Step> {
        steps.iter().copied().find(|step| {
            let Action::Flush(loc) = step.action else { return false };
            let object = loc.as_element().and_then(|(object, _)| state.heap_object(object));
            object.is_some_and(|object| self.0[object.ty.index()])
        })
    }
}

impl Flow<'_> {
    fn follow(&mut self, id: ProcId, instr: &Instr) {
        match instr {
            Instr::Allocate { dest, ty, storage: Storage::Stack, .. } => {
                let mut kinds = vec![false; self.escaped.len()];
                kinds[ty.index()] = true;
                self.reach(id, dest, &kinds);
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
            Instr::Return(Some(value)) if self.is_started(id) => self.escape(id, value),
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
            | Instr::Assert(_)
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

    /// What a procedure may give back.
    fn returned(&self, callee: ProcId) -> Vec<bool> {
        let mut all = vec![false; self.escaped.len()];
        for edge in self.program.procedure(callee).edges() {
            if let Instr::Return(Some(value)) = &edge.instr {
                unite(&mut all, &self.kinds(callee, value));
            }
        }
        all
    }

    /// Whether threads begin with the procedure.
    fn is_started(&self, id: ProcId) -> bool {
        let spawns = |i: &Instr| matches!(i, Instr::Spawn(_, started, ..) if *started == id);
        self.program.threads.iter().any(|start| start.procedure == id)
            || self.program.procedures.iter().any(|p| p.edges().iter().any(|e| spawns(&e.instr)))
    }

    fn register(&self, id: ProcId, reg: Reg) -> usize {
        match reg {
            Reg::Thread(slot) => slot as usize,
            Reg::Local(slot) => self.bases[id.index()] + slot as usize,
        }
    }

    /// What a value may be computed from; what comparisons tell is no pointer.
    fn kinds(&self, id: ProcId, value: &Expr) -> Vec<bool> {
        let mut all = vec![false; self.escaped.len()];
        self.collect(id, value, &mut all);
        all
    }

    fn collect(&self, id: ProcId, value: &Expr, all: &mut [bool]) {
        match value {
            Expr::Binary(
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge,
                ..,
            )
            | Expr::Unary(UnaryOp::Not, ..) => {}
            _ => value.visit(&mut |e| match e {
                Expr::Reg(reg) => unite(all, &self.held[self.register(id, *reg)]),
                Expr::At { base, len, .. } => {
                    let first = self.register(id, *base);
                    (first..first + *len as usize).for_each(|register| unite(all, &self.held[register]));
                }
                _ => {}
            }),
        }
    }

    fn reach(&mut self, id: ProcId, dest: &Dest, kinds: &[bool]) {
        let (base, len) = match dest {
            Dest::Reg(reg) => (*reg, 1),
            Dest::At { base, len, .. } => (*base, *len),
        };
        let first = self.register(id, base);
        (first..first + len as usize).for_each(|register| self.hold(register, kinds));
    }

    fn hold(&mut self, register: usize, kinds: &[bool]) {
        self.changed |= kinds.iter().zip(&self.held[register]).any(|(new, old)| *new && !old);
        unite(&mut self.held[register], kinds);
    }

    fn escape(&mut self, id: ProcId, value: &Expr) {
        let kinds = self.kinds(id, value);
        unite(&mut self.escaped, &kinds);
    }
}

fn unite(all: &mut [bool], more: &[bool]) {
    all.iter_mut().zip(more).for_each(|(a, b)| *a |= *b);
}
