//! `__builtin_add_overflow` and its like: the exact result cut to a type, and whether it did not fit.
//!
//! What comes of 32 bits is exact in 64. Of 64 bits the wrapped result tells, where the operands are values of the
//! result's type: it is on the wrong side of an operand, or dividing it does not lead back. All else is computed in more
//! words ([`super::overflow_wide`]).

use super::build::{binary, number, select};
use super::place::Target;
use super::wide::{SIGNED_WORD, Wide};
use super::{Lowerer, Result, Value};
use crate::hir::{self, Builtin, Stored, TypeId};
use fencepost_ir::tree::{BinaryOp, Expr};
use fencepost_ir::{IntType, Scalar, Span};

/// An operand, evaluated.
pub enum Operand {
    Scalar(Expr),
    /// A number of 128 bits, and whether it has a sign.
    Wide(Wide, bool),
}

/// What the result has to fit, and where it goes, if anywhere.
pub struct Goal {
    pub ty: TypeId,
    pub target: Option<Target>,
}

impl<'h> Lowerer<'h> {
    /// A function of the compiler's own.
    pub fn builtin(&mut self, builtin: Builtin, args: &'h [hir::Expr], span: Span) -> Result<Value> {
        match builtin {
            Builtin::Overflow(op, stored) => self.overflowing(op, stored, args, span).map(Value::Scalar),
            Builtin::VaStart | Builtin::VaEnd | Builtin::VaCopy => self.argument_list(builtin, args, span),
        }
    }

    fn overflowing(
        &mut self,
        op: BinaryOp,
        stored: Stored,
        args: &'h [hir::Expr],
        span: Span,
    ) -> Result<Expr> {
        let [l, r, out] = args else { panic!("there are two operands and a place or type for the result") };
        let (l, r) = (self.overflow_operand(l)?, self.overflow_operand(r)?);
        let goal = match stored {
            Stored::Yes => {
                let ty = self.hir.types.element(out.ty).expect("pointers lead to something");
                let pointer = self.scalar(out)?;
                let mut place = self.pointed_place(pointer, ty, span)?;
                place.access = self.seen_as(self.hir.types.qualifiers(ty).access());
                Goal { ty, target: Some(Target { place, ty, bits: None }) }
            }
            Stored::No => {
                self.effect(out)?;
                Goal { ty: out.ty, target: None }
            }
        };
        let (Operand::Scalar(left), Operand::Scalar(right), Some(to)) = (&l, &r, self.scalar_type(goal.ty))
        else {
            return self.overflowing_widely(op, [l, r], goal, span);
        };
        if [left.ty, right.ty, to].iter().all(|scalar| scalar.size() <= 4) {
            return Ok(self.overflowing_narrowly(op, (left, right), (goal, to), span));
        }
        match to {
            Scalar::Int(int) if int.bits == 64 && self.all_fit(&[left, right], int) => {
                Ok(self.overflowing_word(op, (left, right), (goal, int), span))
            }
            _ => self.overflowing_widely(op, [l, r], goal, span),
        }
    }

    fn overflow_operand(&mut self, e: &'h hir::Expr) -> Result<Operand> {
        Ok(match self.is_wide(e.ty) {
            Some(signed) => Operand::Wide(self.wide(e)?, signed),
            None => {
                let value = self.scalar(e)?;
                Operand::Scalar(self.keep(value))
            }
        })
    }

    /// Whether operands are values of a type, whatever they are.
    fn all_fit(&self, operands: &[&Expr], int: IntType) -> bool {
        let (lo, hi) = int.limits();
        operands.iter().all(|operand| match (self.fold(operand), operand.ty) {
            (Some(value), scalar) => (lo..=hi).contains(&scalar.meaning(value)),
            (None, scalar) => scalar.limits().0 >= lo && scalar.limits().1 <= hi,
        })
    }

    /// Puts the result where it goes.
    pub fn store_result(&mut self, goal: Goal, value: Expr, span: Span) {
        if let Some(target) = goal.target {
            self.store(&target, value, span);
        }
    }

    /// Numbers of at most 32 bits.
    fn overflowing_narrowly(
        &mut self,
        op: BinaryOp,
        (l, r): (&Expr, &Expr),
        (goal, to): (Goal, Scalar),
        span: Span,
    ) -> Expr {
        let [l, r] = [l, r].map(|operand| self.wrapped(operand.clone(), SIGNED_WORD, span));
        let exact = self.operate_wrapping(op, l, r, span);
        let exact = self.keep(exact);
        let cut = self.as_scalar(exact.clone(), to, span);
        let cut = self.keep(cut);
        self.store_result(goal, cut.clone(), span);
        let back = self.wrapped(cut, SIGNED_WORD, span);
        self.compared(BinaryOp::Ne, back, exact, span)
    }

    /// A result of 64 bits, of whose type the operands are values.
    fn overflowing_word(
        &mut self,
        op: BinaryOp,
        (l, r): (&Expr, &Expr),
        (goal, int): (Goal, IntType),
        span: Span,
    ) -> Expr {
        let ty = Scalar::Int(int);
        let [l, r] = [l, r].map(|operand| self.wrapped(operand.clone(), ty, span));
        let wrapped = self.operate_wrapping(op, l.clone(), r.clone(), span);
        let result = self.keep(wrapped);
        self.store_result(goal, result.clone(), span);
        let zero = number(0, ty, span);
        let is = |op, l: &Expr, r: &Expr| self.compared(op, l.clone(), r.clone(), span);
        match (op, int.signed) {
            (BinaryOp::Add, false) => is(BinaryOp::Lt, &result, &l),
            (BinaryOp::Sub, false) => is(BinaryOp::Lt, &l, &r),
            // The result lies on the side of the left operand that the right one says.
            (BinaryOp::Add, true) => {
                let (below, less) = (is(BinaryOp::Lt, &r, &zero), is(BinaryOp::Lt, &result, &l));
                self.folded(binary(BinaryOp::Ne, below, less, span))
            }
            (BinaryOp::Sub, true) => {
                let (above, less) = (is(BinaryOp::Gt, &r, &zero), is(BinaryOp::Lt, &result, &l));
                self.folded(binary(BinaryOp::Ne, above, less, span))
            }
            _ => self.product_is_wrong([&l, &r], &result, int, span),
        }
    }

    /// Whether a wrapped product is not the exact one: dividing it does not lead back.
    fn product_is_wrong(&self, [l, r]: [&Expr; 2], result: &Expr, int: IntType, span: Span) -> Expr {
        let ty = Scalar::Int(int);
        let is = |op, l: &Expr, r: i64| self.compared(op, l.clone(), number(r, ty, span), span);
        let join = |op, l: Expr, r: Expr| self.folded(binary(op, l, r, span));
        let mut divides = is(BinaryOp::Ne, r, 0);
        if int.signed {
            // Machines do not like the least number divided by -1.
            divides = join(BinaryOp::And, divides, is(BinaryOp::Ne, r, -1));
        }
        let divisor = self.folded(select(divides.clone(), r.clone(), number(1, ty, span), span));
        let back = self.operate_wrapping(BinaryOp::Div, result.clone(), divisor, span);
        let differs = self.compared(BinaryOp::Ne, back, l.clone(), span);
        let wrong = join(BinaryOp::And, divides, differs);
        if !int.signed {
            return wrong;
        }
        let least = join(BinaryOp::And, is(BinaryOp::Eq, l, i64::MIN), is(BinaryOp::Eq, r, -1));
        join(BinaryOp::Or, wrong, least)
    }
}
