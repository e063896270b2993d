//! Moves, arithmetic, comparisons, and what looks at flags.
//!
//! Instructions give `None` where they are not known with these operands.

use super::Machine;
use super::flags::Flags;
use super::mnemonic::{Arithmetic, Condition};
use super::template::{Instruction, Operand};
use crate::lower::Result;
use crate::lower::build::{binary, number, read, select};
use fencepost_ir::tree::{BinaryOp, Drain, Expr, ExprKind, Place, RmwKind, StmtKind};
use fencepost_ir::{IntType, Scalar};

impl Arithmetic {
    /// The operator, and the right operand where the instruction has one of its own; numbers are negated as 0 less them.
    fn operator(self) -> (BinaryOp, Option<i64>) {
        match self {
            Arithmetic::Add => (BinaryOp::Add, None),
            Arithmetic::Sub => (BinaryOp::Sub, None),
            Arithmetic::And => (BinaryOp::BitAnd, None),
            Arithmetic::Or => (BinaryOp::BitOr, None),
            Arithmetic::Xor => (BinaryOp::BitXor, None),
            Arithmetic::Increment => (BinaryOp::Add, Some(1)),
            Arithmetic::Decrement => (BinaryOp::Sub, Some(1)),
            Arithmetic::Negate => (BinaryOp::Sub, Some(0)),
            Arithmetic::Complement => (BinaryOp::BitXor, Some(-1)),
        }
    }

    /// The program's instruction for it, if it has one.
    fn rmw(self) -> Option<RmwKind> {
        match self {
            Arithmetic::Add | Arithmetic::Increment => Some(RmwKind::Add),
            Arithmetic::Sub | Arithmetic::Decrement => Some(RmwKind::Sub),
            Arithmetic::And => Some(RmwKind::And),
            Arithmetic::Or => Some(RmwKind::Or),
            Arithmetic::Xor | Arithmetic::Complement => Some(RmwKind::Xor),
            Arithmetic::Negate => None,
        }
    }
}

/// An unsigned number of that many bytes.
pub fn word(bytes: u64) -> Scalar {
    Scalar::Int(IntType { bits: bytes as u8 * 8, signed: false })
}

impl Machine<'_, '_> {
    pub fn moved(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [from, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        if let (8, Some(from), Some(to)) = (bytes, self.register_of(from), self.register_of(to))
            && self.copy_unknown(from, to)
        {
            return Ok(Some(()));
        }
        match self.read(from, bytes)? {
            Some(value) => self.write(to, value, bytes),
            None => Ok(None),
        }
    }

    /// A move that fills what it does not read with zeros or the sign.
    pub fn extended(
        &mut self,
        instruction: &Instruction,
        from_bytes: Option<u64>,
        signed: bool,
    ) -> Result<Option<()>> {
        let [from, to] = &instruction.operands[..] else { return Ok(None) };
        let only = |operand: &Operand| Instruction {
            operands: vec![operand.clone()],
            bytes: None,
            ..instruction.clone()
        };
        let from_bytes = from_bytes.or_else(|| self.bytes(&only(from)));
        let to_bytes = instruction.bytes.or_else(|| self.bytes(&only(to)));
        let (Some(from_bytes), Some(to_bytes)) = (from_bytes, to_bytes) else { return Ok(None) };
        let Some(value) = self.read(from, from_bytes)? else { return Ok(None) };
        let value = self.fit(value, Scalar::Int(IntType { bits: from_bytes as u8 * 8, signed }));
        let value = self.fit(value, word(to_bytes));
        self.write(to, value, to_bytes)
    }

    pub fn moved_if(&mut self, instruction: &Instruction, condition: Condition) -> Result<Option<()>> {
        let [from, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let (Some(new), Some(old)) = (self.read(from, bytes)?, self.read(to, bytes)?) else {
            return Ok(None);
        };
        let Some(truth) = self.condition(condition) else { return Ok(None) };
        let new = self.fit(new, old.ty);
        let value = self.low.folded(select(truth, new, old, self.span));
        self.write(to, value, bytes)
    }

    pub fn arithmetic(&mut self, instruction: &Instruction, arithmetic: Arithmetic) -> Result<Option<()>> {
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let (_, own) = arithmetic.operator();
        let (operand, to) = match (&instruction.operands[..], own) {
            ([to], Some(own)) => (Some(self.constant(own, bytes)), to),
            // A register and itself: 0, whatever it holds.
            ([from, to], None) if from == to && matches!(arithmetic, Arithmetic::Xor | Arithmetic::Sub) => {
                let zero = self.constant(0, bytes);
                self.flags = Flags::Compare { l: zero.clone(), r: zero.clone(), carry: true };
                return self.write(to, zero, bytes);
            }
            ([from, to], None) => (self.read(from, bytes)?, to),
            _ => return Ok(None),
        };
        let Some(operand) = operand else { return Ok(None) };
        if let Some((place, scalar)) = self.number_in_memory(to, bytes)? {
            let operand = self.fit(operand, scalar);
            let operand = self.low.keep(operand);
            let old = match (instruction.locked, arithmetic.rmw()) {
                (true, Some(kind)) => self.locked(kind, place, vec![operand.clone()], scalar),
                (true, None) => self.in_section(arithmetic, place, scalar, &operand)?,
                (false, _) => {
                    let old = self.low.keep(read(place.clone(), scalar, self.span));
                    let new = self.computed(arithmetic, &old, &operand);
                    self.low.assign_place(place, new, self.span);
                    old
                }
            };
            self.set_flags(arithmetic, old, operand);
            return Ok(Some(()));
        }
        let Some(old) = self.read(to, bytes)? else { return Ok(None) };
        let (old, operand) = (self.fit(old, word(bytes)), self.fit(operand, word(bytes)));
        let new = self.computed(arithmetic, &old, &operand);
        self.set_flags(arithmetic, old, operand);
        self.write(to, new, bytes)
    }

    /// The same as [`Machine::memory`], as a number or address.
    pub fn number_in_memory(&mut self, operand: &Operand, bytes: u64) -> Result<Option<(Place, Scalar)>> {
        Ok(match self.memory(operand, bytes)? {
            Some((place, Scalar::Bool)) => {
                let pointer = self.low.address(place.clone(), self.span);
                let access = place.access;
                let place = crate::lower::build::pointed(pointer, word(1), self.span);
                Some((Place { access, ..place }, word(1)))
            }
            other => other,
        })
    }

    /// A read-modify-write, done now; gives what was there.
    pub fn locked(&mut self, kind: RmwKind, place: Place, operands: Vec<Expr>, scalar: Scalar) -> Expr {
        let kind = ExprKind::Rmw(kind, place, operands);
        self.low.keep(Expr { kind, ty: scalar, span: self.span })
    }

    /// Arithmetic for which the program has no read-modify-write.
    fn in_section(
        &mut self,
        arithmetic: Arithmetic,
        place: Place,
        scalar: Scalar,
        operand: &Expr,
    ) -> Result<Expr> {
        let span = self.span;
        let old = self.low.temporary(scalar, span);
        let value = crate::lower::build::read_local(old, scalar, span);
        let new = self.computed(arithmetic, &value, operand);
        let block = self.low.block_of(|low| {
            low.set_local(old, read(place.clone(), scalar, span), span);
            low.assign_place(place, new, span);
            Ok(())
        })?;
        self.low.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(value)
    }

    /// What arithmetic makes of two numbers of one type.
    fn computed(&self, arithmetic: Arithmetic, old: &Expr, operand: &Expr) -> Expr {
        let (op, _) = arithmetic.operator();
        let (l, r) = match arithmetic {
            Arithmetic::Negate => (operand, old),
            _ => (old, operand),
        };
        self.low.operate_promoted(op, l.clone(), r.clone(), self.span)
    }

    /// The flags that arithmetic leaves, if anything looks at them.
    fn set_flags(&mut self, arithmetic: Arithmetic, old: Expr, operand: Expr) {
        if !self.needs_flags {
            return;
        }
        self.flags = match arithmetic {
            Arithmetic::Add | Arithmetic::Increment => {
                let new = self.computed(arithmetic, &old, &operand);
                Flags::Sum { new, old, carry: arithmetic == Arithmetic::Add }
            }
            Arithmetic::Sub | Arithmetic::Decrement => {
                Flags::Compare { l: old, r: operand, carry: arithmetic == Arithmetic::Sub }
            }
            Arithmetic::Negate => Flags::Compare { l: operand, r: old, carry: true },
            Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => {
                let new = self.computed(arithmetic, &old, &operand);
                let zero = number(0, new.ty, self.span);
                Flags::Compare { l: new, r: zero, carry: true }
            }
            // It leaves them as they are.
            Arithmetic::Complement => return,
        };
    }

    /// Two operands of one size: the second, and the first as one of its type.
    fn pair(&mut self, instruction: &Instruction) -> Result<Option<(Expr, Expr)>> {
        let [r, l] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let (Some(r), Some(l)) = (self.read(r, bytes)?, self.read(l, bytes)?) else { return Ok(None) };
        let scalar = if l.ty.size() == bytes && l.ty != Scalar::Bool { l.ty } else { word(bytes) };
        Ok(Some((self.fit(l, scalar), self.fit(r, scalar))))
    }

    pub fn compare(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let Some((l, r)) = self.pair(instruction)? else { return Ok(None) };
        self.flags = Flags::Compare { l, r, carry: true };
        Ok(Some(()))
    }

    pub fn test(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let Some((l, r)) = self.pair(instruction)? else { return Ok(None) };
        let both = if l == r { l } else { self.low.folded(binary(BinaryOp::BitAnd, l, r, self.span)) };
        let zero = number(0, both.ty, self.span);
        self.flags = Flags::Compare { l: both, r: zero, carry: true };
        Ok(Some(()))
    }

    pub fn set(&mut self, instruction: &Instruction, condition: Condition) -> Result<Option<()>> {
        let [to] = &instruction.operands[..] else { return Ok(None) };
        match self.condition(condition) {
            Some(truth) => self.write(to, truth, 1),
            None => Ok(None),
        }
    }

    /// `sbb` of a register with itself.
    pub fn spread(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [from, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction).filter(|_| from == to) else { return Ok(None) };
        let carry = Condition { test: super::mnemonic::Test::Carry, not: false };
        let Some(carry) = self.condition(carry) else { return Ok(None) };
        let value = select(carry.clone(), self.constant(-1, bytes), self.constant(0, bytes), self.span);
        self.flags = Flags::Carry(carry);
        self.write(to, self.low.folded(value), bytes)
    }
}
