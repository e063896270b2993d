//! Expressions about types: `_Generic`, `sizeof`, `_Alignof`, `offsetof` and their like.

use super::{Checker, Result};
use crate::ast;
use crate::hir::{Expr, FunctionType, Length, Type, TypeId};
use fencepost_ir::Span;

impl<'a> Checker<'a> {
    /// `sizeof`
    pub fn sizeof(&mut self, of: &'a ast::TypeOrExpr, span: Span) -> Result<Expr> {
        let ty = self.type_or_expr(of)?;
        let bytes = self.size_of(ty, span)?;
        Ok(self.after_lengths(bytes))
    }

    /// `_Alignof`
    pub fn alignof(&mut self, of: &'a ast::TypeOrExpr, span: Span) -> Result<Expr> {
        let ty = self.type_or_expr(of)?;
        let align = i128::from(self.types.align(ty));
        Ok(self.constant(align, self.types.size_type(), span))
    }

    /// The alternative of `_Generic` that fits.
    pub fn generic(&mut self, generic: &'a ast::Generic, span: Span) -> Result<&'a ast::Expr> {
        let control = match &generic.control {
            ast::TypeOrExpr::Type(name) => self.type_name(name)?,
            ast::TypeOrExpr::Expr(e) => self.unevaluated(|this| this.value(e))?.ty,
        };
        let mut default = None;
        for (ty, e) in &generic.associations {
            let Some(ty) = ty else {
                default = Some(e);
                continue;
            };
            let ty = self.type_name(ty)?;
            let qualifiers = self.types.qualifiers(ty) == self.types.qualifiers(control);
            if qualifiers && self.compatible(ty, control) {
                return Ok(e);
            }
        }
        match default {
            Some(e) => Ok(e),
            None => self.fail(span, format!("no alternative is for `{}`", self.show(control))),
        }
    }

    /// `__builtin_types_compatible_p(T, U)`
    pub fn types_compatible(
        &mut self,
        left: &'a ast::TypeName,
        right: &'a ast::TypeName,
        span: Span,
    ) -> Result<Expr> {
        let (l, r) = (self.type_name(left)?, self.type_name(right)?);
        let truth = self.compatible(l, r);
        Ok(self.constant(i128::from(truth), self.types.int(), span))
    }

    /// Whether two types are compatible; qualifiers at the outside do not count.
    pub fn compatible(&self, l: TypeId, r: TypeId) -> bool {
        if self.types.same(l, r) {
            return true;
        }
        match (self.types.kind(l), self.types.kind(r)) {
            (Type::Enum(e), Type::Integer(_)) => self.types.same(self.types.enums[*e].underlying, r),
            (Type::Integer(_), Type::Enum(e)) => self.types.same(self.types.enums[*e].underlying, l),
            (Type::Pointer(l), Type::Pointer(r)) => self.interchangeable(*l, *r),
            (Type::Array(l, m), Type::Array(r, n)) => {
                let lengths = match (m, n) {
                    (Length::Known(m), Length::Known(n)) => m == n,
                    _ => true,
                };
                lengths && self.interchangeable(*l, *r)
            }
            (Type::Function(l), Type::Function(r)) => self.compatible_functions(l, r),
            _ => false,
        }
    }

    /// Whether they are compatible and qualified alike.
    fn interchangeable(&self, l: TypeId, r: TypeId) -> bool {
        self.types.qualifiers(l) == self.types.qualifiers(r) && self.compatible(l, r)
    }

    fn compatible_functions(&self, l: &FunctionType, r: &FunctionType) -> bool {
        let params = match (&l.params, &r.params) {
            (Some(l_params), Some(r_params)) => {
                l.variadic == r.variadic
                    && l_params.len() == r_params.len()
                    && l_params.iter().zip(r_params).all(|(l, r)| self.compatible(*l, *r))
            }
            _ => true,
        };
        params && self.compatible(l.result, r.result)
    }

    /// `__builtin_offsetof(type, path)`
    pub fn offset_of(
        &mut self,
        ty: &'a ast::TypeName,
        steps: &'a [ast::OffsetofStep],
        span: Span,
    ) -> Result<Expr> {
        let mut ty = self.type_name(ty)?;
        let size = self.types.size_type();
        let mut offset = self.constant(0, size, span);
        for step in steps {
            let (inner, bytes) = match step {
                ast::OffsetofStep::Field(name) => self.member_offset(ty, name)?,
                ast::OffsetofStep::Index(index) => self.element_offset(ty, index)?,
            };
            let bytes = self.converted(bytes, size)?;
            offset = self.binary(fencepost_ir::tree::BinaryOp::Add, offset, bytes, size, span);
            ty = inner;
        }
        Ok(offset)
    }

    fn member_offset(&mut self, ty: TypeId, name: &'a ast::Name) -> Result<(TypeId, Expr)> {
        let Some(record) = self.types.record_id(ty) else {
            let message = format!("`{}` has no member `{}`", self.show(ty), name.text);
            return self.fail(name.span, message);
        };
        let Some(path) = self.types.member_path(record, &name.text) else {
            return Err(self.no_member(ty, record, name));
        };
        let (mut ty, mut offset) = (ty, 0);
        for number in path {
            let record = self.types.record_id(ty).expect("a path goes through records");
            let member = &self.types.layout(record).expect("a path is in complete records").members[number];
            if member.bits.is_some() {
                return self.fail(name.span, "a bit-field has no offset");
            }
            offset += member.offset;
            ty = member.ty;
        }
        Ok((ty, self.constant(i128::from(offset), self.types.size_type(), name.span)))
    }

    fn element_offset(&mut self, ty: TypeId, index: &'a ast::Expr) -> Result<(TypeId, Expr)> {
        let Some((of, _)) = self.array(ty) else {
            return self.fail(index.span, "this is not an array");
        };
        let value = self.value(index)?;
        let size = self.types.size_type();
        let value = self.converted(value, size)?;
        let bytes = self.size_of(of, index.span)?;
        let offset = self.binary(fencepost_ir::tree::BinaryOp::Mul, value, bytes, size, index.span);
        Ok((of, offset))
    }
}
