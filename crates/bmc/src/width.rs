//! Program to program: computes with fewer bits than the types have, for speed. What is found so is checked
//! at the full widths.
//!
//! Arithmetic of integers wraps at the given width; that of pointers, which are computed with like unsigned
//! integers of their size, stays as it is, and so do the layouts of memory.

use fencepost_ir::IntType;
use fencepost_ir::cfg::{Arith, Expr, Instr, Procedure, Program, RmwOp};

/// Cuts the widths of a program's arithmetic.
pub fn run(program: &Program, width: u8) -> Program {
    let mut cut = program.clone();
    let pointer_bits = program.pointer_bits;
    let procedures = std::mem::take(&mut cut.procedures).into_iter();
    let narrow = Narrow { width, pointer_bits };
    cut.procedures = procedures
        .map(|p| {
            let mut parts = p.into_parts();
            parts.edges.iter_mut().for_each(|e| narrow.instr(&mut e.instr));
            Procedure::new(parts)
        })
        .collect();
    cut
}

struct Narrow {
    width: u8,
    pointer_bits: u8,
}

impl Narrow {
    fn int(&self, int: &mut IntType) {
        // Pointers are words of 64 bits, and integers as wide as C's pointers hold addresses.
        let is_address = self.pointer_bits > 0 && [64, self.pointer_bits].contains(&int.bits);
        if int.signed || !is_address {
            int.bits = int.bits.min(self.width);
        }
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Const(_) | Expr::Reg(_) => {}
            Expr::At { index: arg, .. } | Expr::Check { arg, .. } | Expr::Index(_, arg) => self.expr(arg),
            Expr::Unary(_, arith, arg) => {
                self.arith(arith);
                self.expr(arg);
            }
            Expr::Binary(_, arith, left, right) => {
                self.arith(arith);
                self.expr(left);
                self.expr(right);
            }
            Expr::Select(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|e| self.expr(e));
            }
            Expr::Wrap(int, arg) => {
                self.int(int);
                self.expr(arg);
            }
        }
    }

    fn arith(&self, arith: &mut Arith) {
        if let Arith::Wrap(int) = arith {
            self.int(int);
        }
    }

    fn instr(&self, instr: &mut Instr) {
        if let Some(address) = instr_address(instr) {
            self.expr(address);
        }
        match instr {
            Instr::Assign(_, e)
            | Instr::Store(_, e)
            | Instr::Assume(e)
            | Instr::Assert(e, _)
            | Instr::Join(_, e)
            | Instr::Allocate { bytes: e, .. }
            | Instr::Free(e, _)
            | Instr::Exit(Some(e))
            | Instr::Return(Some(e)) => self.expr(e),
            Instr::Reallocate { pointer, bytes, .. } => {
                self.expr(pointer);
                self.expr(bytes);
            }
            Instr::Rmw(_, _, op) => match op {
                RmwOp::Exchange(e)
                | RmwOp::Add(e)
                | RmwOp::Sub(e)
                | RmwOp::And(e)
                | RmwOp::Or(e)
                | RmwOp::Xor(e) => self.expr(e),
                RmwOp::CompareExchange { expected, new } => {
                    self.expr(expected);
                    self.expr(new);
                }
            },
            Instr::Spawn(_, _, args, _) | Instr::Call(_, _, args) => {
                args.iter_mut().for_each(|e| self.expr(e));
            }
            Instr::Nop
            | Instr::Choose
            | Instr::Load(..)
            | Instr::Fence(_)
            | Instr::Havoc(..)
            | Instr::Own(_)
            | Instr::Lock(_)
            | Instr::Unlock(_)
            | Instr::Return(None)
            | Instr::Exit(None)
            | Instr::Halt
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_) => {}
        }
    }
}

fn instr_address(instr: &mut Instr) -> Option<&mut Expr> {
    match instr {
        Instr::Load(_, a) | Instr::Store(a, _) | Instr::Rmw(_, a, _) | Instr::Lock(a) | Instr::Unlock(a) => {
            Some(a.expr_mut())
        }
        _ => None,
    }
}
