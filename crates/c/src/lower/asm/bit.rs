//! Instructions on one bit: the carry is what it was.
//!
//! A bit in memory that a register counts is one of the row of all bits from that place on, before it or after it. One that
//! the instruction names, or that is in a register, is one of the word.

use super::Machine;
use super::flags::Flags;
use super::instruction::word;
use super::mnemonic::BitOperation;
use super::template::{Instruction, Operand};
use crate::lower::Result;
use crate::lower::build::{binary, number, pointed, read, with_number};
use crate::lower::types::WORD;
use crate::lower::wide::SIGNED_WORD;
use fencepost_ir::tree::{BinaryOp, Expr, Place, RmwKind};
use fencepost_ir::{Access, Scalar};

impl Machine<'_, '_> {
    pub fn bit(&mut self, instruction: &Instruction, operation: BitOperation) -> Result<Option<()>> {
        let [bit, to] = &instruction.operands[..] else { return Ok(None) };
        let only = Instruction { operands: vec![to.clone()], ..instruction.clone() };
        let bytes = self.bytes(&only).or_else(|| self.bytes(instruction)).filter(|bytes| *bytes > 1);
        let Some(bytes) = bytes else { return Ok(None) };
        let Some(count) = self.read(bit, bytes)? else { return Ok(None) };
        let count = match self.low.fold(&count) {
            Some(_) => self.fit(count, SIGNED_WORD),
            None => {
                let count = self.fit(count, signed(bytes));
                self.fit(count, SIGNED_WORD)
            }
        };
        let in_row = !matches!(bit, Operand::Constant(_));
        let Some((place, scalar)) = self.number_in_memory(to, bytes)? else {
            return self.bit_of_register(to, count, bytes, operation);
        };
        let (place, scalar, count) = match self.low.fold(&count) {
            Some(n) if !in_row || (0..bytes as i64 * 8).contains(&n) => (place, scalar, count),
            _ => {
                let count = self.low.keep(count);
                let place = self.row_word(place, &count, bytes);
                (place, word(bytes), count)
            }
        };
        let mask = self.mask(count, bytes);
        let mask = self.fit(mask, scalar);
        let mask = self.low.keep(mask);
        let (kind, operand) = match operation {
            BitOperation::Look => {
                let old = self.low.keep(read(place, scalar, self.span));
                self.carry(old, mask);
                return Ok(Some(()));
            }
            BitOperation::Set => (RmwKind::Or, mask.clone()),
            BitOperation::Reset => (RmwKind::And, self.low.complement(mask.clone(), self.span)),
            BitOperation::Complement => (RmwKind::Xor, mask.clone()),
        };
        let old = if instruction.locked {
            self.locked(kind, place, vec![operand], scalar)
        } else {
            let old = self.low.keep(read(place.clone(), scalar, self.span));
            let new = self.changed(operation, old.clone(), mask.clone());
            self.low.assign_place(place, new, self.span);
            old
        };
        self.carry(old, mask);
        Ok(Some(()))
    }

    fn bit_of_register(
        &mut self,
        to: &Operand,
        count: Expr,
        bytes: u64,
        operation: BitOperation,
    ) -> Result<Option<()>> {
        let Some(old) = self.read(to, bytes)? else { return Ok(None) };
        let old = self.fit(old, word(bytes));
        let mask = self.mask(count, bytes);
        let mask = self.low.keep(mask);
        self.carry(old.clone(), mask.clone());
        match operation {
            BitOperation::Look => Ok(Some(())),
            _ => {
                let new = self.changed(operation, old, mask);
                self.write(to, new, bytes)
            }
        }
    }

    /// A word in which the bit of that number is set.
    fn mask(&mut self, count: Expr, bytes: u64) -> Expr {
        let span = self.span;
        let count = with_number(BinaryOp::BitAnd, count, bytes as i64 * 8 - 1, span);
        let count = self.low.wrapped(count, WORD, span);
        let mask = binary(BinaryOp::Shl, number(1, WORD, span), count, span);
        self.low.wrapped(mask, word(bytes), span)
    }

    /// The word of the row of bits from a place on that the bit of that number is in.
    fn row_word(&mut self, place: Place, count: &Expr, bytes: u64) -> Place {
        let span = self.span;
        let bits = i64::from((bytes * 8).ilog2());
        let index = with_number(BinaryOp::Shr, count.clone(), bits, span);
        let distance = self.low.wrapped(index, self.low.distance_scalar(), span);
        let size = number(bytes as i64, distance.ty, span);
        let pointer = self.low.address(place, span);
        let pointer = self.low.moved(pointer, distance, size, span);
        let pointer = self.low.keep(pointer);
        let place = pointed(pointer, word(bytes), span);
        Place { access: Access::Instruction, ..place }
    }

    fn changed(&self, operation: BitOperation, old: Expr, mask: Expr) -> Expr {
        let (op, operand) = match operation {
            BitOperation::Look | BitOperation::Set => (BinaryOp::BitOr, mask),
            BitOperation::Reset => (BinaryOp::BitAnd, self.low.complement(mask, self.span)),
            BitOperation::Complement => (BinaryOp::BitXor, mask),
        };
        self.low.folded(binary(op, old, operand, self.span))
    }

    fn carry(&mut self, old: Expr, mask: Expr) {
        let was = self.low.folded(binary(BinaryOp::BitAnd, old, mask, self.span));
        self.flags = Flags::Carry(self.low.truth(was, self.span));
    }
}

/// A number with a sign of that many bytes.
fn signed(bytes: u64) -> Scalar {
    Scalar::Int(fencepost_ir::IntType { bits: bytes as u8 * 8, signed: true })
}
