//! Whether a program may notice that an allocator gives out the address of a freed object again.
//!
//! Whoever follows a pointer to a freed object errs, whatever has become of its memory. So what is left to notice is that two
//! pointers are equal, one to an object that is gone and one to a new object in its place: the ABA problem; or that a new object
//! comes before an older one. A program that frees nothing, or compares pointers with null only, does not. Where pointers become integers, to be marked or counted,
//! compare-and-swap of integers may be that too; other comparisons of integers are not taken for one.

use super::{BinaryOp, Expr, Instr, Procedure, Program, Reg, RmwOp, Storage};
use crate::scalar::Scalar;

impl Program {
    /// Whether the numbers of allocated objects mean something, or their order.
    pub fn shows_addresses(&self) -> bool {
        self.exposes_pointers && !self.opaque_addresses || self.orders_pointers
    }

    /// Whether it matters that addresses are used again.
    pub fn notices_reuse(&self) -> bool {
        let instrs = || self.procedures.iter().flat_map(|p| p.edges().iter().map(move |e| (p, &e.instr)));
        let frees = instrs().any(|(_, instr)| matches!(instr, Instr::Free(_, Storage::Heap)));
        frees && (self.orders_pointers || instrs().any(|(p, instr)| self.compares_pointers(p, instr)))
    }

    fn compares_pointers(&self, procedure: &Procedure, instr: &Instr) -> bool {
        if let Instr::Rmw(_, _, RmwOp::CompareExchange { expected, .. }) = instr
            && (self.is_pointer(procedure, expected) || self.may_be_address(expected))
        {
            return true;
        }
        let mut compares = false;
        instr.expressions(&mut |expr| {
            expr.visit(&mut |part| {
                if let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, _, left, right) = part {
                    compares |= self.is_pointer(procedure, left) && self.is_pointer(procedure, right);
                }
            });
        });
        compares
    }

    /// Whether an expected value may be a pointer with marks in an integer.
    fn may_be_address(&self, expected: &Expr) -> bool {
        self.exposes_pointers && !matches!(expected, Expr::Const(_))
    }

    /// Whether an expression is made of a register that holds a pointer.
    fn is_pointer(&self, procedure: &Procedure, expr: &Expr) -> bool {
        let is_pointer = |reg: &Reg| {
            let register = match reg {
                Reg::Local(slot) => &procedure.registers[*slot as usize],
                Reg::Thread(slot) => &self.thread_registers[*slot as usize],
            };
            matches!(register.ty, Scalar::Pointer { .. })
        };
        let mut found = false;
        expr.visit(&mut |part| match part {
            Expr::Reg(reg) | Expr::At { base: reg, .. } => found |= is_pointer(reg),
            _ => {}
        });
        found
    }
}
