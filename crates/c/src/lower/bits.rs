//! Bit-fields: parts of an integer in memory.
//!
//! Reading one reads the whole integer, assigning one reads and writes it, as compilers do.

use super::*;
use crate::types::{BitField, Rank};

impl Lowerer<'_> {
    /// The value of a bit-field whose unit is at a place, promoted.
    pub(super) fn load_bits(&mut self, place: Place, bits: &BitField, span: Span) -> Result<Typed> {
        let unit = Expr { kind: ExprKind::Read(place), ty: Scalar::Int(bits.unit), span };
        let shifted = binary(BinaryOp::Shr, unit, i64::from(bits.shift), span);
        let ty = bits.declared.unqualified().clone();
        let value = self.truncated(shifted, bits, span);
        let value = Typed { expr: value, ty };
        // All values of one with fewer bits than `int` are values of `int`.
        let narrow = bits.width < 32 && matches!(&value.ty, CType::Integer(i) if i.rank <= Rank::Int);
        if narrow { self.convert(value, &CType::INT, span) } else { Ok(value) }
    }

    /// Whether a variable of the type has bit-fields. Memory knows which integers were written, not which
    /// of their bits, so they start with zero.
    pub(super) fn has_bits(&self, ty: &Type) -> bool {
        match ty {
            Type::Scalar(_) => false,
            Type::Array(element, _) => self.has_bits(element),
            Type::Record(id) => {
                let fields = &self.program.records.get(*id).fields;
                self.bit_fields.contains(id) || fields.iter().any(|f| self.has_bits(&f.ty))
            }
        }
    }

    /// A value cut to the width of a bit-field, in its declared type.
    pub(super) fn truncated(&self, value: Expr, bits: &BitField, span: Span) -> Expr {
        let declared = self.types().scalar(&bits.declared).expect("bit-fields are integers");
        if value.ty == declared && declared == Scalar::Bool {
            return value;
        }
        let Scalar::Int(int) = declared else {
            let low = binary(BinaryOp::BitAnd, value, 1, span);
            let zero = Expr::constant(0, low.ty, span);
            let test = ExprKind::Binary(BinaryOp::Ne, Box::new(low), Box::new(zero));
            return self.folded(Expr { kind: test, ty: declared, span });
        };
        let value = convert::wrapping(value, declared, span);
        let spare = i64::from(int.bits - bits.width);
        let up = binary(BinaryOp::Shl, value, spare, span);
        self.folded(binary(BinaryOp::Shr, up, spare, span))
    }

    /// Assigns a bit-field a value of its declared type.
    pub(super) fn store_bits(&mut self, place: &Place, bits: &BitField, value: Expr, span: Span) {
        let mut place = place.clone();
        self.stabilise(&mut place);
        let old = Expr { kind: ExprKind::Read(place.clone()), ty: Scalar::Int(bits.unit), span };
        let new = self.placed_bits(bits, value, Some(old), span);
        self.emit(StmtKind::Assign(place, new), span);
    }

    /// A unit in which one bit-field has a value and the others what they had.
    pub(super) fn placed_bits(&self, bits: &BitField, value: Expr, others: Option<Expr>, span: Span) -> Expr {
        let value = convert::wrapping(value, Scalar::Int(bits.unit), span);
        let cut = binary(BinaryOp::BitAnd, value, bits.unit.wrap(bits.low_mask()), span);
        let placed = self.folded(binary(BinaryOp::Shl, cut, i64::from(bits.shift), span));
        let Some(others) = others else { return placed };
        let rest = binary(BinaryOp::BitAnd, others, bits.unit.wrap(!(bits.low_mask() << bits.shift)), span);
        let ty = Scalar::Int(bits.unit);
        let kind = ExprKind::Binary(BinaryOp::BitOr, Box::new(rest), Box::new(placed));
        self.folded(Expr { kind, ty, span })
    }
}

/// An operator with a constant on the right.
fn binary(op: BinaryOp, left: Expr, right: i64, span: Span) -> Expr {
    let ty = left.ty;
    let right = Expr::constant(right, ty, span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}
