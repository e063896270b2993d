//! Assignments.

use super::build::wrapping;
use super::place::Target;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, TypeId};
use fencepost_ir::tree::{BinaryOp, Expr, Place, UnaryOp};
use fencepost_ir::{Scalar, Span};

impl<'h> Lowerer<'h> {
    /// `place = value`
    pub fn assign(
        &mut self,
        place: &'h hir::Place,
        value: &'h hir::Expr,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let mut target = self.place(place)?;
        let mark = self.mark();
        if self.is_compound(target.ty) {
            let from = self.record_value(value)?;
            self.settle_place(&mut target.place, mark);
            return self.assign_record(&target, from, span).map(Value::Record);
        }
        let value = self.scalar(value)?;
        self.settle_place(&mut target.place, mark);
        let mut value = self.fitted(value, &target, span);
        if wanted == Wanted::Nothing {
            self.guess_allocation(&mut value, place)?;
            self.store(&target, value, span);
            return Ok(Value::Void);
        }
        let kept = self.keep(value);
        self.store(&target, kept.clone(), span);
        Ok(Value::Scalar(kept))
    }

    /// Assigns a structure; gives where its value is.
    fn assign_record(&mut self, target: &Target, from: Place, span: Span) -> Result<Place> {
        let storage = self.stored(target.ty, span)?;
        if self.hir.types.qualifiers(target.ty).is_atomic {
            let from = self.owned(&from, &storage, span)?;
            self.store_record(&target.place, &from, &storage, span)?;
            return Ok(from);
        }
        self.copy(&target.place, &from, &storage, span)?;
        Ok(target.place.clone())
    }

    /// A value of a bit-field has as many bits as that.
    pub fn fitted(&self, value: Expr, target: &Target, span: Span) -> Expr {
        match target.bits {
            Some(bits) => self.truncated(value, bits, target.ty, span),
            None => value,
        }
    }

    /// Stores a converted value.
    pub fn store(&mut self, target: &Target, value: Expr, span: Span) {
        if let Some(bits) = target.bits {
            return self.store_bits(&target.place, bits, value, span);
        }
        self.notes.keeps_numbers |= self.hir.types.is_floating(target.ty);
        self.assign_place(target.place.clone(), value, span);
    }

    /// `place op= operand`, `++` and `--`.
    pub fn update(&mut self, update: &'h hir::Update, wanted: Wanted, span: Span) -> Result<Value> {
        let mut target = self.place(&update.place)?;
        let mark = self.mark();
        if self.is_wide(update.computed_in).is_some() {
            return self.wide_update(target, update, wanted, span);
        }
        let operand = self.scalar(&update.operand)?;
        self.settle_place(&mut target.place, mark);
        self.stabilise(&mut target.place);
        if self.hir.types.qualifiers(target.ty).is_atomic {
            return self.atomic_update(target, update, operand, wanted, span);
        }
        let old = self.load_scalar(target.clone(), span)?;
        let old = if wanted == Wanted::Old { self.keep(old) } else { old };
        let new = self.updated(update, old.clone(), operand, target.ty, span)?;
        let new = self.fitted(new, &target, span);
        let new = if wanted == Wanted::New { self.keep(new) } else { new };
        self.store(&target, new.clone(), span);
        Ok(match wanted {
            Wanted::Old => Value::Scalar(old),
            Wanted::New => Value::Scalar(new),
            Wanted::Nothing => Value::Void,
        })
    }

    /// What an update makes of a value, in the type of the place.
    pub fn updated(
        &mut self,
        update: &hir::Update,
        old: Expr,
        operand: Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Expr> {
        let types = &self.hir.types;
        if types.is_floating(update.computed_in) {
            self.discard(old);
            self.discard(operand);
            return match types.is_floating(ty) {
                true => self.some_number(ty, span),
                false => Err(super::floating::unknown_value(span)),
            };
        }
        if types.is_pointer(update.computed_in) {
            let element = types.element(update.computed_in).expect("pointers lead to something");
            let size = self.byte_size(element, span)?;
            let size = match update.op {
                BinaryOp::Sub => self.negated(UnaryOp::Neg, size, span),
                _ => size,
            };
            return Ok(self.moved(old, operand, size, span));
        }
        let scalar = self.scalar_of(update.computed_in);
        let old = self.wrapped(old, scalar, span);
        let operand = self.wrapped(operand, scalar, span);
        let new = self.arithmetic(update.op, old, operand, span);
        Ok(self.as_scalar(new, self.scalar_of(ty), span))
    }

    /// An integer as one of another type.
    pub fn as_scalar(&self, value: Expr, to: Scalar, span: Span) -> Expr {
        match to {
            Scalar::Bool => self.truth(value, span),
            _ => self.folded(wrapping(value, to, span)),
        }
    }
}
