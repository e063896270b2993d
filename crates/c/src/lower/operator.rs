//! Arithmetic and comparisons.

use super::build::{binary, checked, is_comparison, number};
use super::{Lowerer, Result, Value, floating};
use crate::hir::{self, TypeId};
use fencepost_ir::tree::{BinaryOp, Choices, Conversion, Expr, ExprKind, UnaryOp};
use fencepost_ir::{Scalar, Span};

impl<'h> Lowerer<'h> {
    /// Arithmetic on two operands.
    pub fn binary_value(
        &mut self,
        op: BinaryOp,
        l: &'h hir::Expr,
        r: &'h hir::Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        if let Some(signed) = self.is_wide(ty) {
            return self.wide_binary(op, l, r, signed, span).map(Value::Record);
        }
        if self.hir.types.is_floating(ty) {
            return self.floating_arithmetic(l, r, ty, span).map(Value::Scalar);
        }
        let left = self.scalar(l)?;
        let mark = self.mark();
        let right = match self.is_wide(r.ty) {
            // The right side of a shift may be as wide as it likes.
            Some(_) => self.shift_count(r)?,
            None => self.scalar(r)?,
        };
        let left = self.settle(left, mark);
        let right = self.wrapped(right, left.ty, span);
        Ok(Value::Scalar(self.arithmetic(op, left, right, span)))
    }

    /// Arithmetic on two values of one type.
    pub fn arithmetic(&mut self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        if let Some(few) = self.part_of_any(op, &l, &r) {
            return Expr { kind: ExprKind::Any(few), ty: l.ty, span };
        }
        self.operate(op, l, r, span)
    }

    /// The values of `any % n` and `any & mask`, where they are few: as good as any number is any
    /// remainder of it.
    fn part_of_any(&self, op: BinaryOp, l: &Expr, r: &Expr) -> Option<Choices> {
        let n = self.fold(r)?;
        let any = match &l.kind {
            ExprKind::Convert(Conversion::Wrapping, inner) => inner,
            _ => l,
        };
        let ExprKind::Any(choices) = &any.kind else { return None };
        let [(lo, hi)] = choices.0[..] else { return None };
        let (Scalar::Int(from), Scalar::Int(to)) = (any.ty, l.ty) else { return None };
        // Where the conversion changes a value, other remainders come of it.
        let (least, most) = to.limits();
        let kept = i128::from(lo) >= least && i128::from(hi) <= most;
        if from.bits == 64 || n <= 0 {
            return None;
        }
        match op {
            BinaryOp::Rem if kept && lo == 0 && hi >= n - 1 => Some(Choices(vec![(0, n - 1)])),
            BinaryOp::Rem if kept && lo <= 1 - n && hi >= n - 1 => Some(Choices(vec![(1 - n, n - 1)])),
            BinaryOp::BitAnd if kept && (n & (n + 1)) == 0 && lo <= 0 && hi >= n => {
                Some(Choices(vec![(0, n)]))
            }
            _ => None,
        }
    }

    /// Arithmetic on two values of one type, checked where the user looks for overflow.
    pub fn operate(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        let may_overflow = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if may_overflow && self.looks_for_overflow(l.ty) {
            return self.exactly(op, l, r, span);
        }
        self.operate_wrapping(op, l, r, span)
    }

    /// Arithmetic on two values of one type that may overflow, also where that is looked for.
    pub fn operate_wrapping(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        self.folded(binary(op, l, r, span))
    }

    /// The same of values that may be smaller than `int`, computed as C does: in `int`.
    pub fn operate_promoted(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        let (ty, int) = (l.ty, self.int());
        if ty.size() >= int.size() {
            return self.operate_wrapping(op, l, r, span);
        }
        let (l, r) = (self.wrapped(l, int, span), self.wrapped(r, int, span));
        let value = self.operate_wrapping(op, l, r, span);
        self.as_scalar(value, ty, span)
    }

    fn looks_for_overflow(&self, ty: Scalar) -> bool {
        self.asks.overflow && !self.is_inlined() && matches!(ty, Scalar::Int(int) if int.signed)
    }

    /// Arithmetic whose result has to fit.
    fn exactly(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        let ty = l.ty;
        let exact = |e: Expr| checked(e, Scalar::Integer, span);
        let result = binary(op, exact(l), exact(r), span);
        self.folded(checked(result, ty, span))
    }

    /// `-` and `~`
    pub fn negated(&self, op: UnaryOp, value: Expr, span: Span) -> Expr {
        let ty = value.ty;
        if op == UnaryOp::Neg && self.looks_for_overflow(ty) {
            return self.exactly(BinaryOp::Sub, number(0, ty, span), value, span);
        }
        self.folded(Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span })
    }

    /// A comparison, as a truth value.
    pub fn compare(&mut self, op: BinaryOp, l: &'h hir::Expr, r: &'h hir::Expr, span: Span) -> Result<Expr> {
        if self.is_wide(l.ty).is_some() {
            return self.wide_comparison(op, l, r, span);
        }
        let is_pointer = self.hir.types.is_pointer(l.ty);
        let left = self.scalar(l)?;
        let mark = self.mark();
        let right = self.scalar(r)?;
        let left = self.settle(left, mark);
        if self.hir.types.is_floating(l.ty) {
            return Err(floating::unknown_value(span));
        }
        if is_pointer && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return Ok(self.order_pointers(op, left, right, span));
        }
        Ok(self.compared(op, left, right, span))
    }

    /// A comparison of two values of one type, as a truth value.
    pub fn compared(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        debug_assert!(is_comparison(op), "only comparisons give truth values");
        self.folded(binary(op, l, r, span))
    }
}
