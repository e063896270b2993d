//! `a ? b : c` and `a ?: c`.

use super::constant::constant_of;
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Conversion, Expr, ExprKind, TypeId};
use fencepost_ir::Span;

impl<'a> Checker<'a> {
    /// `a ? b : c`. The branch that a constant leaves out has a say in the type, and that is all: it need not make sense.
    pub fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let test = self.value(condition).and_then(|test| self.condition(test));
        match test.as_ref().ok().and_then(constant_of) {
            Some(0) => self.decided(otherwise, then, span),
            Some(_) => self.decided(then, otherwise, span),
            None => {
                let (t, o) = (self.value(then), self.value(otherwise));
                let (test, t, o) = (test?, t?, o?);
                let ty = self.branch_type(&t, &o, span)?;
                let (t, o) = (self.branch(t, ty)?, self.branch(o, ty)?);
                let kind = ExprKind::Conditional(Box::new(test), Box::new(t), Box::new(o));
                Ok(Expr { kind, ty, span })
            }
        }
    }

    fn decided(&mut self, taken: &'a ast::Expr, left: &'a ast::Expr, span: Span) -> Result<Expr> {
        let value = self.value(taken)?;
        let left = self.attempt(|this| this.unevaluated(|this| this.value(left)));
        let Some(left) = left else { return Ok(value) };
        let ty = self.branch_type(&value, &left, span)?;
        let value = self.branch(value, ty)?;
        Ok(Expr { span, ..value })
    }

    /// `a ?: c`
    pub fn elvis(&mut self, first: &'a ast::Expr, otherwise: &'a ast::Expr, span: Span) -> Result<Expr> {
        let first = self.value(first).and_then(|first| self.condition(first));
        let known = first.as_ref().ok().and_then(constant_of);
        let other = match known {
            Some(n) if n != 0 => self.unevaluated(|this| this.value(otherwise)),
            _ => self.value(otherwise),
        };
        let (first, other) = (first?, other?);
        let ty = self.branch_type(&first, &other, span)?;
        match known {
            Some(0) => self.branch(other, ty),
            Some(_) => self.branch(first, ty),
            None => {
                let (first, other) = (self.branch(first, ty)?, self.branch(other, ty)?);
                Ok(Expr { kind: ExprKind::Elvis(Box::new(first), Box::new(other)), ty, span })
            }
        }
    }

    /// A branch in the type of the whole.
    fn branch(&mut self, value: Expr, ty: TypeId) -> Result<Expr> {
        match self.types.is_void(ty) {
            true => self.convert(value, ty, Conversion::Cast),
            false => self.converted(value, ty),
        }
    }

    /// The type of both branches.
    fn branch_type(&mut self, t: &Expr, o: &Expr, span: Span) -> Result<TypeId> {
        if self.types.is_void(t.ty) || self.types.is_void(o.ty) {
            return Ok(self.types.void());
        }
        if self.types.is_arithmetic(t.ty) && self.types.is_arithmetic(o.ty) {
            let (t, o) = (self.promoted_type(t), self.promoted_type(o));
            return Ok(self.common(t, o));
        }
        match (self.types.is_pointer(t.ty), self.types.is_pointer(o.ty)) {
            (true, true) if self.is_null(t) => Ok(o.ty),
            (true, true) if self.is_null(o) => Ok(t.ty),
            (true, true) => Ok(self.common_pointer(t.ty, o.ty)),
            (true, false) if self.types.is_integer(o.ty) => Ok(t.ty),
            (false, true) if self.types.is_integer(t.ty) => Ok(o.ty),
            _ if self.types.same(t.ty, o.ty) => Ok(t.ty),
            _ => {
                let message =
                    format!("one of `{}` and `{}` cannot be chosen", self.show(t.ty), self.show(o.ty));
                self.fail(span, message)
            }
        }
    }

    /// A pointer to what both point to, with the qualifiers of both; to nothing in particular if one of them does.
    fn common_pointer(&mut self, t: TypeId, o: TypeId) -> TypeId {
        let (to, other) = (self.types.element(t), self.types.element(o));
        let (Some(to), Some(other)) = (to, other) else { return t };
        let qualifiers = self.types.qualifiers(to).and(self.types.qualifiers(other));
        let element = match self.types.is_void(other) {
            true => other,
            false => to,
        };
        let element = self.types.qualified(element, qualifiers);
        self.types.pointer_to(element)
    }
}
