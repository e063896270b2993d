//! Assignments.

use super::{Checker, Result};
use crate::ast::{self, StepOp};
use crate::hir::{Base, Expr, ExprKind, Gives, Place, Type, Update};
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;

impl<'a> Checker<'a> {
    /// `a = b`
    pub fn assign(&mut self, target: &'a ast::Expr, value: &'a ast::Expr, span: Span) -> Result<Expr> {
        let place = self.place(target).and_then(|place| self.assignable(place, target.span));
        let value = self.value(value);
        let (place, value) = (place?, value?);
        let value = self.assigned(value, &place)?;
        let ty = self.types.unqualified(place.ty);
        Ok(Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, span })
    }

    /// The value as one of the place's type.
    fn assigned(&mut self, value: Expr, place: &Place) -> Result<Expr> {
        match self.types.kind(place.ty) {
            Type::Record(_) if !self.types.same(value.ty, place.ty) => {
                let message = format!("only a `{}` can be assigned here", self.show(place.ty));
                self.fail(value.span, message)
            }
            _ => self.converted(value, place.ty),
        }
    }

    /// The place, if it can be assigned.
    fn assignable(&mut self, place: Place, span: Span) -> Result<Place> {
        match self.types.kind(place.ty) {
            Type::Mutex => return self.fail(span, "a mutex cannot be assigned"),
            Type::Array(..) => return self.fail(span, "an array cannot be assigned, only its elements"),
            _ => {}
        }
        if self.types.qualifiers(place.ty).is_const {
            let message = format!("this is `{}`, which cannot be assigned", self.show(place.ty));
            return self.fail(span, message);
        }
        Ok(place)
    }

    /// `a op= b`
    pub fn update(
        &mut self,
        op: BinaryOp,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let place = self.place(target).and_then(|place| self.assignable(place, target.span));
        let operand = self.value(value);
        self.updated(op, place?, operand?, Gives::New, span)
    }

    /// `++a`, `a--` and their like.
    pub fn step(&mut self, op: StepOp, target: &'a ast::Expr, span: Span) -> Result<Expr> {
        let place = self.place(target).and_then(|place| self.assignable(place, target.span))?;
        let one = self.constant(1, self.types.int(), span);
        let (op, gives) = match op {
            StepOp::PreIncrement => (BinaryOp::Add, Gives::New),
            StepOp::PreDecrement => (BinaryOp::Sub, Gives::New),
            StepOp::PostIncrement => (BinaryOp::Add, Gives::Old),
            StepOp::PostDecrement => (BinaryOp::Sub, Gives::Old),
        };
        self.updated(op, place, one, gives, span)
    }

    /// An update: the types are those of `a op b`, found by a value of the place that is not evaluated.
    fn updated(
        &mut self,
        op: BinaryOp,
        place: Place,
        operand: Expr,
        gives: Gives,
        span: Span,
    ) -> Result<Expr> {
        let ty = self.types.unqualified(place.ty);
        if self.types.is_record(ty) {
            return self.fail(span, "a structure cannot be computed with");
        }
        if self.types.is_pointer(operand.ty) {
            let (l, r) = (self.show(ty), self.show(operand.ty));
            return self.fail(span, format!("`{}=` does not apply to `{l}` and `{r}`", op.symbol()));
        }
        let bits = place.bits;
        let stand_in = self.whole(Base::Pointed(Box::new(self.error(span))), ty, span);
        let stand_in = Place { bits, ..stand_in };
        let old = Expr { kind: ExprKind::Read(Box::new(stand_in)), ty, span };
        let computed = self.arithmetic(op, old, operand, span)?;
        let (computed_in, operand) = match computed.kind {
            ExprKind::Binary(_, _, r) => (computed.ty, *r),
            ExprKind::Offset(_, _, count) => (computed.ty, *count),
            _ => {
                let message = format!("`{}` does not apply to `{}`", op.symbol(), self.show(ty));
                return self.fail(span, message);
            }
        };
        let kind = ExprKind::Update(Box::new(Update { place, op, computed_in, operand, gives }));
        Ok(Expr { kind, ty, span })
    }
}
