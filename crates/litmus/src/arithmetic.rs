//! Arithmetic of x86 on registers and memory, and the flags that it sets.

use super::ast::*;
use super::code::{Code, Effect, Temporary, U64};
use super::expression::*;
use super::flags::Flag;
use super::register::{COUNTER, Register};
use fencepost_ir::Scalar;
use fencepost_ir::tree::{BinaryOp, Expr, RmwKind, StmtKind};
use fencepost_text::Diagnostic;

type Result<T> = std::result::Result<T, Diagnostic>;

impl Code<'_> {
    pub(super) fn binary(
        &mut self,
        op: Binary,
        dest: &Operand,
        source: &Operand,
        locked: Locked,
        width: Width,
    ) -> Result<()> {
        let kind = match op {
            Binary::Add => RmwKind::Add,
            Binary::Sub => RmwKind::Sub,
            Binary::And => RmwKind::And,
            Binary::Or => RmwKind::Or,
            Binary::Xor => RmwKind::Xor,
        };
        let result = self.temporary(Temporary::Result);
        let right = self.fetch(source, width)?;
        self.set(result, convert(right, U64));
        let right = convert(self.get(result), unsigned(width.bits()));
        let left = self.modify(dest, locked, kind, &right, width)?;
        match op {
            Binary::Add => self.add_flags(left, right),
            Binary::Sub => self.sub_flags(left, right),
            Binary::And => self.logic_flags(binary(BinaryOp::BitAnd, left, right)),
            Binary::Or => self.logic_flags(binary(BinaryOp::BitOr, left, right)),
            Binary::Xor => self.logic_flags(binary(BinaryOp::BitXor, left, right)),
        }
        Ok(())
    }

    pub(super) fn unary(&mut self, op: Unary, dest: &Operand, locked: Locked, width: Width) -> Result<()> {
        let ty = unsigned(width.bits());
        let constant = |value| number(value, ty, self.span);
        match op {
            Unary::Not => {
                let ones = constant(-1);
                self.modify(dest, locked, RmwKind::Xor, &ones, width)?;
            }
            Unary::Inc | Unary::Dec => {
                let one = constant(1);
                let kind = if op == Unary::Inc { RmwKind::Add } else { RmwKind::Sub };
                let left = self.modify(dest, locked, kind, &one, width)?;
                let carry = self.flags.take(Flag::Carry);
                if op == Unary::Inc {
                    self.add_flags(left, one)
                } else {
                    self.sub_flags(left, one)
                }
                self.flags.restore(Flag::Carry, carry);
            }
            Unary::Neg => {
                let old = self.fetch(dest, width)?;
                let operand = self.temporary(Temporary::Operand);
                self.set(operand, convert(old, U64));
                let old = convert(self.get(operand), ty);
                let negated = binary(BinaryOp::Sub, number(0, ty, self.span), old.clone());
                match (dest, locked) {
                    (Operand::Memory(memory), Locked::Yes) => {
                        self.access(memory, width, Effect::Store, &mut |code, cell| {
                            let (place, ty) = code.cell(cell, width);
                            let operands = vec![convert(old.clone(), ty), convert(negated.clone(), ty)];
                            code.push(StmtKind::Assume(rmw(RmwKind::CompareAndSwap, place, operands, ty)));
                        })
                    }
                    _ => self.put(dest, negated),
                }
                self.sub_flags(number(0, ty, self.span), old);
            }
        }
        Ok(())
    }

    pub(super) fn shift(&mut self, op: Shift, dest: &Operand, by: &Operand, width: Width) -> Result<()> {
        let bits = width.bits();
        let most = if width == Width::Quad { 63 } else { 31 };
        let old = self.fetch(dest, width)?;
        let operand = self.temporary(Temporary::Operand);
        self.set(operand, convert(old, U64));
        let wide = self.get(operand);
        let extended = convert(convert(convert(wide.clone(), unsigned(bits)), signed(bits)), signed(64));
        let (operator, value) = match op {
            Shift::Left => (BinaryOp::Shl, wide.clone()),
            Shift::Right => (BinaryOp::Shr, wide.clone()),
            Shift::Arithmetic => (BinaryOp::Shr, extended.clone()),
        };
        let Operand::Immediate(Constant::Number(count)) = by else {
            if self.flags.any() {
                let message = "flags behind a shift by `cl` are not supported";
                return Err(
                    Diagnostic::new(self.span, message).help("set the flags anew, or shift by a number")
                );
            }
            let count = convert(self.read_register(Register::low(COUNTER, Width::Byte)), value.ty);
            let count = with_number(BinaryOp::BitAnd, count, most);
            let shifted = convert(binary(operator, value, count), unsigned(bits));
            self.put(dest, shifted);
            return Ok(());
        };
        let count = (*count as i64) & most;
        if count == 0 {
            return Ok(());
        }
        let shifted = convert(with_number(operator, value, count), unsigned(bits));
        self.put(dest, shifted.clone());
        // The bit that is shifted out last.
        let bit = |e: Expr, at: i64| {
            with_number(BinaryOp::Ne, with_number(BinaryOp::BitAnd, with_number(BinaryOp::Shr, e, at), 1), 0)
        };
        let bits = i64::from(bits);
        let carry = match op {
            Shift::Left if count > bits => number(0, Scalar::Bool, self.span),
            Shift::Left => bit(wide.clone(), bits - count),
            Shift::Right => bit(wide.clone(), count - 1),
            Shift::Arithmetic => bit(extended, count - 1),
        };
        let overflow = match op {
            Shift::Left => binary(
                BinaryOp::Ne,
                bit(convert(shifted.clone(), U64), bits - 1),
                bit(wide, (bits - count).max(0)),
            ),
            Shift::Right => bit(wide, bits - 1),
            Shift::Arithmetic => number(0, Scalar::Bool, self.span),
        };
        self.result_flags(shifted);
        self.set_flag(Flag::Carry, carry);
        self.set_flag(Flag::Overflow, overflow);
        Ok(())
    }

    // Flags

    fn set_flag(&mut self, flag: Flag, value: Expr) {
        if let Some(local) = self.flags.get(flag) {
            self.set(local, value);
        }
    }

    fn sign_of(&self, value: Expr) -> Expr {
        let Scalar::Int(int) = value.ty else { panic!("registers hold integers") };
        with_number(BinaryOp::Lt, convert(value, signed(int.bits)), 0)
    }

    fn result_flags(&mut self, result: Expr) {
        self.set_flag(Flag::Zero, with_number(BinaryOp::Eq, result.clone(), 0));
        self.set_flag(Flag::Sign, self.sign_of(result));
    }

    pub(super) fn logic_flags(&mut self, result: Expr) {
        let cleared = number(0, Scalar::Bool, self.span);
        self.result_flags(result);
        self.set_flag(Flag::Carry, cleared.clone());
        self.set_flag(Flag::Overflow, cleared);
    }

    pub(super) fn add_flags(&mut self, left: Expr, right: Expr) {
        let sum = binary(BinaryOp::Add, left.clone(), right.clone());
        self.set_flag(Flag::Carry, binary(BinaryOp::Lt, sum.clone(), left.clone()));
        // Overflow: both operands have the sign that the sum has not.
        let differ = binary(
            BinaryOp::BitAnd,
            binary(BinaryOp::BitXor, left, sum.clone()),
            binary(BinaryOp::BitXor, right, sum.clone()),
        );
        self.set_flag(Flag::Overflow, self.sign_of(differ));
        self.result_flags(sum);
    }

    pub(super) fn sub_flags(&mut self, left: Expr, right: Expr) {
        let difference = binary(BinaryOp::Sub, left.clone(), right.clone());
        self.set_flag(Flag::Carry, binary(BinaryOp::Lt, left.clone(), right.clone()));
        let differ = binary(
            BinaryOp::BitAnd,
            binary(BinaryOp::BitXor, left.clone(), right),
            binary(BinaryOp::BitXor, left, difference.clone()),
        );
        self.set_flag(Flag::Overflow, self.sign_of(differ));
        self.result_flags(difference);
    }
}
