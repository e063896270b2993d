//! Bit-fields: parts of an integer in memory, their unit.
//!
//! Reading one reads the whole integer, assigning one reads and writes it, as compilers do.

use super::build::{binary, read, with_number, wrapping};
use super::{Lowerer, Result};
use crate::hir::{BitField, TypeId};
use fencepost_ir::tree::{BinaryOp, Expr, Place};
use fencepost_ir::{IntType, Scalar, Span};

/// The integer that a bit-field is part of.
fn unit(bits: BitField) -> IntType {
    IntType { bits: bits.unit * 8, signed: false }
}

/// As many low bits as the field has.
fn low_mask(bits: BitField) -> i128 {
    (1 << bits.width) - 1
}

/// A unit in which a field has a value, for units that are known.
pub fn placed_constant(bits: BitField, value: i64, others: i64) -> i64 {
    let (value, mask) = (i128::from(value) & low_mask(bits), low_mask(bits) << bits.shift);
    unit(bits).wrap(unit(bits).meaning(others) & !mask | value << bits.shift)
}

impl Lowerer<'_> {
    /// The value of a bit-field whose unit is at a place, in its declared type.
    pub fn load_bits(&mut self, place: Place, bits: BitField, ty: TypeId, span: Span) -> Result<Expr> {
        let unit = read(place, Scalar::Int(unit(bits)), span);
        let shifted = with_number(BinaryOp::Shr, unit, i64::from(bits.shift), span);
        Ok(self.truncated(shifted, bits, ty, span))
    }

    /// A value cut to the width of a bit-field, in its declared type.
    pub fn truncated(&self, value: Expr, bits: BitField, ty: TypeId, span: Span) -> Expr {
        let declared = self.scalar_of(ty);
        if value.ty == declared && declared == Scalar::Bool {
            return value;
        }
        let Scalar::Int(int) = declared else {
            let low = with_number(BinaryOp::BitAnd, value, 1, span);
            return self.folded(with_number(BinaryOp::Ne, low, 0, span));
        };
        let value = wrapping(value, declared, span);
        let spare = i64::from(int.bits - bits.width);
        let up = with_number(BinaryOp::Shl, value, spare, span);
        self.folded(with_number(BinaryOp::Shr, up, spare, span))
    }

    /// Assigns a bit-field a value of its declared type.
    pub fn store_bits(&mut self, place: &Place, bits: BitField, value: Expr, span: Span) {
        let mut place = place.clone();
        self.stabilise(&mut place);
        let old = read(place.clone(), Scalar::Int(unit(bits)), span);
        let new = self.placed_bits(bits, value, Some(old), span);
        self.assign_place(place, new, span);
    }

    /// A unit in which one bit-field has a value and the others what they had.
    pub fn placed_bits(&self, bits: BitField, value: Expr, others: Option<Expr>, span: Span) -> Expr {
        let int = unit(bits);
        let value = wrapping(value, Scalar::Int(int), span);
        let cut = with_number(BinaryOp::BitAnd, value, int.wrap(low_mask(bits)), span);
        let placed = self.folded(with_number(BinaryOp::Shl, cut, i64::from(bits.shift), span));
        let Some(others) = others else { return placed };
        let rest = with_number(BinaryOp::BitAnd, others, int.wrap(!(low_mask(bits) << bits.shift)), span);
        self.folded(binary(BinaryOp::BitOr, rest, placed, span))
    }
}
