//! Threads that have ended and that can no longer be named are forgotten, and the others move up.
//!
//! A spawned thread is known by its handle only. When it has ended and no handle of it is left in a
//! variable, a register that is still read, a buffer or a mutex, no thread can join it, and its number
//! means nothing; without this a program that creates and joins threads in a loop would have no end
//! of states. It does not apply to programs that compute with handles.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{BinaryOp, Dest, Expr, Instr, Loc, Procedure, Program, Reg};
use fencepost_memory::{EntryKind, Machine, State};

/// Renumbers the spawned threads of states.
pub struct ThreadOrder {
    /// How many threads run from the beginning.
    first: usize,
    /// The program's own cells, thread registers and slots that hold handles.
    cells: Vec<(usize, Scalar)>,
    thread_registers: Vec<usize>,
    slots: Vec<Vec<usize>>,
}

fn names_threads(ty: Scalar) -> bool {
    matches!(ty, Scalar::Thread | Scalar::Mutex)
}

fn handles(types: impl Iterator<Item = Scalar>) -> Vec<usize> {
    types.enumerate().filter(|(_, ty)| *ty == Scalar::Thread).map(|(i, _)| i).collect()
}

impl ThreadOrder {
    /// For a program that spawns threads and does not compute with handles.
    pub fn new(program: &Program, first: usize) -> Option<ThreadOrder> {
        let instrs = || program.procedures.iter().flat_map(|p| p.edges().iter().map(move |e| (p, &e.instr)));
        let spawns = instrs().any(|(_, i)| matches!(i, Instr::Spawn(..)));
        let computes = instrs().any(|(p, i)| computes_with_handles(program, p, i));
        let results = program.procedures.iter().any(|p| p.result == Some(Scalar::Thread));
        let types = || program.each_cell_type().enumerate();
        (spawns && !computes && !results).then(|| ThreadOrder {
            first,
            cells: types().filter(|(_, ty)| names_threads(*ty)).collect(),
            thread_registers: handles(program.thread_registers.iter().map(|r| r.ty)),
            slots: program.procedures.iter().map(|p| handles(p.registers.iter().map(|r| r.ty))).collect(),
        })
    }

    /// Forgets what can be forgotten. Gives the old number of each thread that is left, or `None` if all
    /// stay.
    pub fn sort(&self, machine: &Machine<'_>, state: &mut State) -> Option<Vec<u32>> {
        let mut stays: Vec<_> = state.threads.iter().map(|t| !t.ended).collect();
        stays[..self.first].fill(true);
        if stays.iter().all(|s| *s) {
            return None;
        }
        if let Some(section) = state.section {
            stays[section.owner as usize] = true;
        }
        self.each_handle(machine, state, &mut |value, ty| {
            let number = if ty == Scalar::Mutex { *value - 1 } else { *value };
            if let Some(stays) = usize::try_from(number).ok().and_then(|n| stays.get_mut(n)) {
                *stays = true;
            }
        });
        if stays.iter().all(|s| *s) {
            return None;
        }
        let left: Vec<u32> = (0..stays.len() as u32).filter(|i| stays[*i as usize]).collect();
        let place = |old: usize| left.binary_search(&(old as u32)).ok();
        self.each_handle(machine, state, &mut |value, ty| {
            let one = i64::from(ty == Scalar::Mutex);
            if let Some(new) = usize::try_from(*value - one).ok().and_then(place) {
                *value = new as i64 + one;
            }
        });
        if let Some(section) = &mut state.section {
            section.owner = place(section.owner as usize).expect("an open section's thread stays") as u32;
        }
        let mut stays = stays.into_iter();
        state.threads.retain(|_| stays.next().expect("one for each thread"));
        Some(left)
    }

    /// Calls `see` with every handle and mutex of a state, and which of the two it is.
    fn each_handle(&self, machine: &Machine<'_>, state: &mut State, see: &mut impl FnMut(&mut i64, Scalar)) {
        for &(cell, ty) in &self.cells {
            see(&mut state.cells[cell], ty);
        }
        for object in &mut state.heap {
            let types: Vec<_> = (0..object.cells.len()).map(|n| machine.heap_cell_type(object, n)).collect();
            for (value, ty) in object.cells.iter_mut().zip(types) {
                if let (Some(value), true) = (value, names_threads(ty)) {
                    see(value, ty);
                }
            }
        }
        for thread in 0..state.threads.len() {
            let buffer = std::mem::take(&mut state.threads[thread].buffer);
            let buffer = buffer.into_iter().map(|mut entry| {
                if entry.kind != EntryKind::Barrier && self.holds_handle(machine, state, entry.loc) {
                    see(&mut entry.value, Scalar::Thread);
                }
                entry
            });
            let buffer = buffer.collect();
            let thread = &mut state.threads[thread];
            thread.buffer = buffer;
            for &slot in &self.thread_registers {
                see(&mut thread.registers[slot], Scalar::Thread);
            }
            for frame in &thread.frames {
                for &slot in &self.slots[frame.procedure.index()] {
                    see(&mut thread.registers[frame.base as usize + slot], Scalar::Thread);
                }
            }
        }
    }

    fn holds_handle(&self, machine: &Machine<'_>, state: &State, loc: Loc) -> bool {
        match loc.as_element() {
            None => self.cells.iter().any(|(cell, ty)| *cell == loc.index() && *ty == Scalar::Thread),
            Some((object, number)) => state
                .heap_object(object)
                .is_some_and(|o| machine.heap_cell_type(o, number as usize) == Scalar::Thread),
        }
    }
}

/// Whether an instruction does more with handles than to keep, pass and compare them.
fn computes_with_handles(program: &Program, procedure: &Procedure, instr: &Instr) -> bool {
    let ty = |reg: Reg| match reg {
        Reg::Local(slot) => procedure.registers[slot as usize].ty,
        Reg::Thread(slot) => program.thread_registers[slot as usize].ty,
    };
    let is_handle = |e: &Expr| match e {
        Expr::Reg(reg) => ty(*reg) == Scalar::Thread,
        Expr::At { base, .. } => ty(*base) == Scalar::Thread,
        _ => false,
    };
    let mut computes = false;
    instr.expressions(&mut |e| {
        let mut handles = 0;
        let mut compared = 0;
        e.visit(&mut |e| {
            handles += u32::from(is_handle(e));
            if let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, _, l, r) = e {
                let constant = |e: &Expr| matches!(e, Expr::Const(-1));
                if (is_handle(l) || constant(l)) && (is_handle(r) || constant(r)) {
                    compared += u32::from(is_handle(l)) + u32::from(is_handle(r));
                }
            }
        });
        computes |= handles > compared && !is_handle(e);
    });
    let copies_elsewhere = match (instr, instr.dest()) {
        (Instr::Assign(_, e), Some(Dest::Reg(reg) | Dest::At { base: reg, .. })) => {
            is_handle(e) && ty(*reg) != Scalar::Thread
        }
        _ => false,
    };
    computes || copies_elsewhere
}
