//! Operators on values.

use super::constant::constant_of;
use super::{Checker, Reported, Result};
use crate::ast;
use crate::hir::{Direction, Expr, ExprKind, Logical, Type, TypeId, UnaryOp};
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;
use fencepost_text::Diagnostic;

pub fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

impl<'a> Checker<'a> {
    fn wrong_operands(&mut self, op: BinaryOp, span: Span, l: TypeId, r: TypeId) -> Reported {
        for ty in [l, r] {
            if let Type::Opaque(..) = self.types.kind(ty) {
                return self.incomplete(ty, span);
            }
        }
        let (l, r) = (self.show(l), self.show(r));
        self.report(Diagnostic::new(span, format!("`{}` does not apply to `{l}` and `{r}`", op.symbol())))
    }

    /// `a op b`; errors on both sides are reported.
    pub fn binary_operator(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        if let BinaryOp::And | BinaryOp::Or = op {
            return self.logical(op, left, right, span);
        }
        let (l, r) = (self.value(left), self.value(right));
        self.arithmetic(op, l?, r?, span)
    }

    /// Arithmetic and comparisons on two values.
    pub fn arithmetic(&mut self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Result<Expr> {
        if is_comparison(op) {
            return self.compare(op, l, r, span);
        }
        match (op, self.types.is_pointer(l.ty), self.types.is_pointer(r.ty)) {
            (BinaryOp::Add, true, false) => return self.offset(l, Direction::Forwards, r, span),
            (BinaryOp::Add, false, true) => return self.offset(r, Direction::Forwards, l, span),
            (BinaryOp::Sub, true, false) => return self.offset(l, Direction::Backwards, r, span),
            (BinaryOp::Sub, true, true) => return self.distance(l, r, span),
            _ => {}
        }
        let fits = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                self.types.is_arithmetic(l.ty) && self.types.is_arithmetic(r.ty)
            }
            _ => self.types.is_integer(l.ty) && self.types.is_integer(r.ty),
        };
        if !fits {
            return Err(self.wrong_operands(op, span, l.ty, r.ty));
        }
        let (l, r) = (self.promote(l)?, self.promote(r)?);
        // The right side of a shift has no say in the type.
        if let BinaryOp::Shl | BinaryOp::Shr = op {
            let ty = l.ty;
            return Ok(self.binary(op, l, r, ty, span));
        }
        let ty = self.common(l.ty, r.ty);
        let (l, r) = (self.converted(l, ty)?, self.converted(r, ty)?);
        let value = self.binary(op, l, r, ty, span);
        self.support_division(&value);
        Ok(value)
    }

    fn compare(&mut self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Result<Expr> {
        let is = |this: &Self, ty, test: fn(&Type) -> bool| test(this.types.kind(ty));
        let is_thread = |ty: &Type| matches!(ty, Type::Thread);
        let is_pointer = |ty: &Type| matches!(ty, Type::Pointer(_) | Type::VaList);
        let ty = match () {
            () if is(self, l.ty, is_thread) => l.ty,
            () if is(self, r.ty, is_thread) => r.ty,
            // `void *` on one side says nothing of what the other points to.
            () if is(self, l.ty, is_pointer) && is(self, r.ty, is_pointer) => {
                let generic = self.types.element(l.ty).is_some_and(|to| self.types.is_void(to));
                if generic { r.ty } else { l.ty }
            }
            () if is(self, l.ty, is_pointer) => l.ty,
            () if is(self, r.ty, is_pointer) => r.ty,
            () if self.types.is_arithmetic(l.ty) && self.types.is_arithmetic(r.ty) => {
                let (l, r) = (self.promote(l)?, self.promote(r)?);
                let ty = self.common(l.ty, r.ty);
                let (l, r) = (self.converted(l, ty)?, self.converted(r, ty)?);
                return Ok(self.comparison(op, l, r, span));
            }
            () => return Err(self.wrong_operands(op, span, l.ty, r.ty)),
        };
        let (from, with) = (l.ty, r.ty);
        let both = (self.attempt(|this| this.converted(l, ty)), self.attempt(|this| this.converted(r, ty)));
        match both {
            (Some(l), Some(r)) => Ok(self.comparison(op, l, r, span)),
            _ => Err(self.wrong_operands(op, span, from, with)),
        }
    }

    /// A pointer moved by a count of elements.
    pub fn offset(&mut self, pointer: Expr, direction: Direction, count: Expr, span: Span) -> Result<Expr> {
        if !self.types.is_integer(count.ty) {
            let op = match direction {
                Direction::Forwards => BinaryOp::Add,
                Direction::Backwards => BinaryOp::Sub,
            };
            return Err(self.wrong_operands(op, span, pointer.ty, count.ty));
        }
        let size = self.element_size(&pointer, span)?;
        let ty = self.types.distance_type();
        let count = self.converted(count, ty)?;
        let to = pointer.ty;
        if let (Some(address), Some(count), Some(size)) = (constant_of(&pointer), constant_of(&count), size) {
            let bytes = count * i128::from(size);
            let moved = match direction {
                Direction::Forwards => address + bytes,
                Direction::Backwards => address - bytes,
            };
            return Ok(self.constant(moved, to, span));
        }
        Ok(Expr { kind: ExprKind::Offset(Box::new(pointer), direction, Box::new(count)), ty: to, span })
    }

    /// The bytes of what a pointer points to, which has to be complete; `None` if only the run knows them.
    fn element_size(&mut self, pointer: &Expr, span: Span) -> Result<Option<u64>> {
        let element = self.types.element(pointer.ty).expect("a pointer");
        match self.types.size(element) {
            None if !self.types.is_variable(element) => Err(self.incomplete(element, span)),
            size => Ok(size),
        }
    }

    fn distance(&mut self, l: Expr, r: Expr, span: Span) -> Result<Expr> {
        let ty = self.types.distance_type();
        let size = self.element_size(&l, span)?;
        if let (Some(a), Some(b), Some(size @ 1..)) = (constant_of(&l), constant_of(&r), size) {
            return Ok(self.constant((a - b) / i128::from(size), ty, span));
        }
        let r = self.converted(r, l.ty)?;
        Ok(Expr { kind: ExprKind::Distance(Box::new(l), Box::new(r)), ty, span })
    }

    /// `&&` and `||`. What a constant on the left leaves out is not needed.
    fn logical(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let l = self.value(left).and_then(|l| self.condition(l));
        let known = l.as_ref().ok().and_then(constant_of).map(|value| value != 0);
        let decides = known == Some(op == BinaryOp::Or);
        let side = |this: &mut Self| this.value(right).and_then(|r| this.condition(r));
        let r = if decides { self.unevaluated(side) } else { side(self) };
        let (l, r) = (l?, r?);
        let ty = self.types.int();
        let right = constant_of(&r).map(|value| value != 0);
        let value = match (known, right) {
            (Some(known), _) if decides => Some(known),
            (Some(_), Some(right)) => Some(right),
            _ => None,
        };
        if let Some(value) = value {
            return Ok(self.constant(i128::from(value), ty, span));
        }
        let op = if op == BinaryOp::And { Logical::And } else { Logical::Or };
        Ok(Expr { kind: ExprKind::Logical(op, Box::new(l), Box::new(r)), ty, span })
    }

    /// `+`, `-`, `~` and `!`.
    pub fn unary_operator(&mut self, op: ast::UnaryOp, arg: &'a ast::Expr, span: Span) -> Result<Expr> {
        let value = self.value(arg)?;
        let fits = match op {
            ast::UnaryOp::Not => {
                let value = self.condition(value)?;
                let ty = self.types.int();
                return Ok(match constant_of(&value) {
                    Some(number) => self.constant(i128::from(number == 0), ty, span),
                    None => Expr { kind: ExprKind::Not(Box::new(value)), ty, span },
                });
            }
            ast::UnaryOp::BitNot => self.types.is_integer(value.ty),
            _ => self.types.is_arithmetic(value.ty),
        };
        if !fits {
            if let Type::Opaque(..) = self.types.kind(value.ty) {
                return Err(self.incomplete(value.ty, span));
            }
            let message = format!("this needs an integer, not `{}`", self.show(value.ty));
            return self.fail(span, message);
        }
        let value = self.promote(value)?;
        Ok(match op {
            ast::UnaryOp::Minus => self.unary(UnaryOp::Minus, value, span),
            ast::UnaryOp::BitNot => self.unary(UnaryOp::BitNot, value, span),
            _ => Expr { span, ..value },
        })
    }
}
