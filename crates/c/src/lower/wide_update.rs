//! Updates that are computed in 128 bits: of numbers that have as many, and of smaller ones by an operand that has.

use super::place::Target;
use super::wide::Wide;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, FetchOp, Gives, TypeId};
use fencepost_ir::tree::{BinaryOp, Drain, Expr, Place, StmtKind};
use fencepost_ir::{Scalar, Span};

/// What is right of `op=`.
enum Operand {
    Number(Wide),
    /// Of a shift: how far.
    Count(Expr),
}

/// What was there before an update, and what is there after it.
struct Updated {
    old: Value,
    new: Value,
}

impl<'h> Lowerer<'h> {
    /// `place op= operand`, computed in 128 bits; the place may be of a smaller type.
    pub fn wide_update(
        &mut self,
        mut target: Target,
        update: &'h hir::Update,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let mark = self.mark();
        let operand = match update.op {
            BinaryOp::Shl | BinaryOp::Shr => Operand::Count(self.shift_count(&update.operand)?),
            _ => Operand::Number(self.wide(&update.operand)?),
        };
        self.settle_place(&mut target.place, mark);
        self.stabilise(&mut target.place);
        let updated = if self.hir.types.qualifiers(target.ty).is_atomic {
            target.place.access = self.in_section();
            let (updated, block) =
                self.captured(|this| this.updated_widely(target, update, operand, wanted, span))?;
            self.emit(StmtKind::Atomic(Drain::Yes, block), span);
            updated
        } else {
            self.updated_widely(target, update, operand, wanted, span)?
        };
        Ok(match wanted {
            Wanted::Old => updated.old,
            Wanted::New => updated.new,
            Wanted::Nothing => Value::Void,
        })
    }

    fn updated_widely(
        &mut self,
        target: Target,
        update: &hir::Update,
        operand: Operand,
        wanted: Wanted,
        span: Span,
    ) -> Result<Updated> {
        let signed = self.is_wide(update.computed_in).expect("it is computed in 128 bits");
        let (old, words) = match self.is_wide(target.ty) {
            Some(signed) => {
                let words = self.words_at(target.place.clone(), span);
                (self.wanted_words(&words, signed, wanted == Wanted::Old, span), words)
            }
            None => {
                let old = self.load_scalar(target.clone(), span)?;
                let old = self.keep(old);
                (Value::Scalar(old.clone()), self.extended(old, span))
            }
        };
        let new = match operand {
            Operand::Number(operand) => self.wide_operate(update.op, words, operand, signed, span)?,
            Operand::Count(by) => self.wide_shift(update.op, words, by, signed, span),
        };
        let new = match self.is_wide(target.ty) {
            Some(signed) => {
                self.store_words(&target.place, new.clone(), span);
                self.wanted_words(&new, signed, wanted == Wanted::New, span)
            }
            None => {
                let new = self.narrowed(new, self.scalar_of(target.ty), span);
                let new = self.fitted(new, &target, span);
                let new = if wanted == Wanted::New { self.keep(new) } else { new };
                self.store(&target, new.clone(), span);
                Value::Scalar(new)
            }
        };
        Ok(Updated { old, new })
    }

    /// A number as a value, if anybody looks at it.
    fn wanted_words(&mut self, words: &Wide, signed: bool, wanted: bool, span: Span) -> Value {
        match wanted {
            true => Value::Record(self.wide_place(words.clone(), signed, span)),
            false => Value::Void,
        }
    }

    /// A number of 128 bits as a smaller one.
    pub fn narrowed(&self, value: Wide, to: Scalar, span: Span) -> Expr {
        match to {
            Scalar::Bool => self.any_bits(value, span),
            _ => self.as_scalar(value.low, to, span),
        }
    }

    /// An atomic update of a number of 128 bits, in an atomic section.
    pub fn wide_fetch(
        &mut self,
        place: Place,
        ty: TypeId,
        (op, operand): (FetchOp, Wide),
        gives: Gives,
        span: Span,
    ) -> Result<Value> {
        let signed = self.is_wide(ty).expect("the type has 128 bits");
        let mut place = Place { access: self.in_section(), ..place };
        self.stabilise(&mut place);
        let ((old, new), block) = self.captured(|this| {
            let old = this.words_at(place.clone(), span);
            let mut new = this.wide_operate(op.operator(), old.clone(), operand, signed, span)?;
            if op == FetchOp::Nand {
                new = this.wide_negated(hir::UnaryOp::BitNot, new, span);
            }
            this.store_words(&place, new.clone(), span);
            Ok((old, new))
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        let given = if gives == Gives::Old { old } else { new };
        Ok(Value::Record(self.wide_place(given, signed, span)))
    }
}
