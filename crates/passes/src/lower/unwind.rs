//! Threads that end in a called procedure: the lives of the callers' locals end, too.
//!
//! `Exit` ends a thread in whatever procedure it is. The objects of that procedure's own locals end just before it. Those
//! of the callers can only end in the callers, so where some caller has such locals, the procedure returns
//! instead: it keeps the result, sets a register of the thread, and each call on the way up looks at that register, ends the
//! locals of its procedure and returns in turn. The first procedure above which nothing has to end executes the `Exit`.

use super::Lowering;
use super::local::Home;
use fencepost_ir::cfg::{self, Dest, Instr, Reg, Register};
use fencepost_ir::tree::*;
use fencepost_ir::{IntType, Scalar, Span};
use std::collections::HashSet;

/// How a program's threads end in called procedures.
pub(super) struct Unwinding {
    /// For each procedure whether it returns where it ends the thread.
    returns: Vec<bool>,
    /// For each procedure whether it is a thread's outermost one somewhere.
    starts: Vec<bool>,
    /// The register that says that the thread is ending, and with which kind of result, from 1 on.
    flag: u32,
    /// For each kind of result its type and the register that keeps it.
    results: Vec<Option<(Scalar, u32)>>,
}

impl Unwinding {
    /// Looks at a program, and adds the registers of threads that are needed, if any are.
    pub(super) fn new(program: &Program, registers: &mut Vec<Register>) -> Unwinding {
        let count = program.procedures.len();
        let mut calls: Vec<HashSet<usize>> = vec![HashSet::new(); count];
        let mut starts = vec![false; count];
        let mut exits = vec![false; count];
        let mut types: Vec<Option<Scalar>> = Vec::new();
        for thread in &program.threads {
            starts[thread.procedure.0] = true;
        }
        for (p, procedure) in program.procedures.iter().enumerate() {
            procedure.body.visit(&mut |stmt| {
                if let StmtKind::Exit(value) = &stmt.kind {
                    exits[p] = true;
                    let ty = value.as_ref().map(|v| v.ty);
                    if !types.contains(&ty) {
                        types.push(ty);
                    }
                }
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| match &e.kind {
                        ExprKind::Call(callee, _) => {
                            calls[p].insert(callee.0);
                        }
                        ExprKind::Spawn(procedure, ..) => starts[procedure.0] = true,
                        _ => {}
                    });
                }
            });
        }
        let mut unwinding = Unwinding { returns: vec![false; count], starts, flag: 0, results: Vec::new() };
        if !exits.contains(&true) {
            return unwinding;
        }
        // Below these procedures something has to end.
        let mut above: Vec<bool> = (0..count).map(|p| ends_locals(program, ProcedureId(p))).collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (caller, called) in calls.iter().enumerate() {
            called.iter().for_each(|&callee| callers[callee].push(caller));
        }
        spread(&mut exits, |p| callers[p].iter().copied());
        spread(&mut above, |p| calls[p].iter().copied());
        for p in 0..count {
            unwinding.returns[p] = exits[p] && callers[p].iter().any(|&caller| above[caller]);
        }
        if unwinding.returns.contains(&true) {
            unwinding.flag = add(registers, "%ending", Scalar::Int(IntType { bits: 32, signed: true }));
            let mut keep = |ty: &Option<Scalar>| ty.map(|ty| (ty, add(registers, "%result", ty)));
            unwinding.results = types.iter().map(&mut keep).collect();
        }
        unwinding
    }

    fn kind(&self, ty: Option<Scalar>) -> usize {
        let kind = self.results.iter().position(|result| result.map(|(ty, _)| ty) == ty);
        kind.expect("every way to end a thread was looked at")
    }
}

/// Adds a register of threads, under a name that is not taken.
fn add(registers: &mut Vec<Register>, name: &str, ty: Scalar) -> u32 {
    let mut unique = name.to_string();
    let mut copy = 1;
    while registers.iter().any(|r| r.name == unique) {
        copy += 1;
        unique = format!("{name}.{copy}");
    }
    registers.push(Register { name: unique, ty, init: ty.default_value() });
    registers.len() as u32 - 1
}

/// Makes true what follows from what is true.
fn spread<I: Iterator<Item = usize>>(facts: &mut [bool], following: impl Fn(usize) -> I) {
    let mut work: Vec<usize> = (0..facts.len()).filter(|&p| facts[p]).collect();
    while let Some(p) = work.pop() {
        for next in following(p) {
            if !std::mem::replace(&mut facts[next], true) {
                work.push(next);
            }
        }
    }
}

/// Whether locals end with a procedure: not those of a thread that is there from the beginning.
fn ends_locals(program: &Program, id: ProcedureId) -> bool {
    if program.threads.iter().any(|thread| thread.procedure == id) {
        return false;
    }
    let procedure = program.procedure(id);
    let mut ends = procedure.locals.iter().any(|local| local.kept != Kept::Private);
    procedure.body.visit(&mut |stmt| ends |= matches!(stmt.kind, StmtKind::Leave(_)));
    ends
}

impl Lowering<'_> {
    /// Whether the procedure returns where it ends the thread, and calls may leave it in the middle of its blocks.
    pub(super) fn may_unwind(&self) -> bool {
        !self.unwinding.results.is_empty()
    }

    /// The thread ends here.
    pub(super) fn exit_thread(&mut self, value: Option<&Expr>, span: Span) {
        let result = value.map(|v| self.expr(v));
        if !self.unwinding.returns[self.id.0] {
            self.leave_locals(span);
            self.end_thread(result, span);
            return;
        }
        let kind = self.unwinding.kind(value.map(|v| v.ty));
        if let (Some((_, slot)), Some(result)) = (self.unwinding.results[kind], result) {
            self.graph.emit(Instr::Assign(Dest::Reg(Reg::Thread(slot)), result), span);
        }
        let flag = Dest::Reg(Reg::Thread(self.unwinding.flag));
        self.graph.emit(Instr::Assign(flag, cfg::Expr::Const(kind as i64 + 1)), span);
        self.leave_locals(span);
        self.unwound(kind, span);
    }

    /// What comes after a call: if the thread is ending, this procedure ends, too.
    pub(super) fn after_call(&mut self, callee: ProcedureId, span: Span) {
        if !self.unwinding.returns[callee.0] {
            return;
        }
        let called = self.graph.current;
        for kind in 0..self.unwinding.results.len() {
            self.graph.current = called;
            self.graph.emit(Instr::Assume(self.is_ending(kind as i64 + 1)), span);
            self.leave_all(span);
            match self.unwinding.returns[self.id.0] {
                true => self.unwound(kind, span),
                false => {
                    let result = self.unwinding.results[kind];
                    self.end_thread(result.map(|(_, slot)| cfg::Expr::Reg(Reg::Thread(slot))), span);
                }
            }
        }
        self.graph.current = called;
        self.graph.emit(Instr::Assume(self.is_ending(0)), span);
    }

    fn is_ending(&self, how: i64) -> cfg::Expr {
        let flag = cfg::Expr::Reg(Reg::Thread(self.unwinding.flag));
        let (flag, how) = (Box::new(flag), Box::new(cfg::Expr::Const(how)));
        cfg::Expr::Binary(cfg::BinaryOp::Eq, cfg::Arith::Exact, flag, how)
    }

    /// Returns to the caller, who ends in turn. If there is none, the thread ends with its result.
    fn unwound(&mut self, kind: usize, span: Span) {
        let value = self.code.result.map(|ty| match self.unwinding.results[kind] {
            Some((of, slot)) if of == ty && self.unwinding.starts[self.id.0] => {
                cfg::Expr::Reg(Reg::Thread(slot))
            }
            _ => cfg::Expr::Const(ty.default_value()),
        });
        self.graph.leave_by(Instr::Return(value), span);
    }

    /// All locals that have objects end, also those of blocks around the call; what is null has ended.
    fn leave_all(&mut self, span: Span) {
        if self.program.threads.iter().any(|thread| thread.procedure == self.id) {
            return;
        }
        let mut left = HashSet::new();
        self.code.body.visit(&mut |stmt| {
            if let StmtKind::Leave(id) = stmt.kind {
                left.insert(id);
            }
        });
        for id in (0..self.code.locals.len()).map(LocalId) {
            if matches!(self.homes[id.0], Home::Pointed(_)) || left.contains(&id) {
                self.leave(id, span);
            }
        }
    }
}
