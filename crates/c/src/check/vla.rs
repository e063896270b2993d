//! Arrays whose length only the run knows.
//!
//! Where such a type is written in a function, its length is evaluated into a local of its own, which the type names
//! ([`Length::Variable`]); the statements that do so are collected, and come before what uses the type. In a prototype
//! the length says nothing; elsewhere it has to be a constant.

use super::constant::constant_of;
use super::{Checker, Result};
use crate::ast::{self, Derived};
use crate::hir::{Block, Expr, ExprKind, Initializer, Length, Stmt, StmtKind, Type, TypeId};
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;
use fencepost_text::Diagnostic;

impl<'a> Checker<'a> {
    /// The length of an array.
    pub fn length(&mut self, size: &'a ast::Expr) -> Result<Length> {
        let in_prototype = self.body.as_ref().is_none_or(|body| body.in_prototype);
        let is_prototype = in_prototype && !self.scopes.is_file_scope();
        let value = match is_prototype {
            true => match self.attempt(|this| this.unevaluated(|this| this.value(size))) {
                Some(value) => value,
                None => return Ok(Length::Unknown),
            },
            false => self.value(size)?,
        };
        if !self.types.is_integer(value.ty) {
            return self.fail(size.span, "an array's length is an integer");
        }
        match constant_of(&value) {
            Some(n) => match u64::try_from(n) {
                Ok(n) => Ok(Length::Known(n)),
                Err(_) => self.fail(size.span, format!("an array cannot have {n} elements")),
            },
            None if is_prototype => Ok(Length::Unknown),
            None if self.body.is_none() => Err(self.report(
                Diagnostic::new(size.span, "an array outside of functions has a constant length")
                    .help("use a constant, an enumeration or a macro"),
            )),
            None => self.variable_length(value),
        }
    }

    /// A local that holds a length from now on.
    fn variable_length(&mut self, value: Expr) -> Result<Length> {
        let span = value.span;
        let ty = self.types.size_type();
        let value = self.converted(value, ty)?;
        let local = self.new_local("", ty, span);
        let kind = StmtKind::Declare(local, Initializer::Value(value));
        self.body().lengths.push(Stmt { kind, span });
        Ok(Length::Variable(local))
    }

    /// A parameter's type in a prototype, where lengths may name other parameters and say nothing.
    pub fn prototype_parameter(&mut self, base: TypeId, steps: &'a [Derived]) -> Result<TypeId> {
        let outer = self.body.as_mut().map(|body| std::mem::replace(&mut body.in_prototype, true));
        let ty = self.parameter_type(base, steps);
        if let (Some(body), Some(outer)) = (&mut self.body, outer) {
            body.in_prototype = outer;
        }
        ty
    }

    /// The value with the lengths before it that its types have been found to need.
    pub fn after_lengths(&mut self, value: Expr) -> Expr {
        let Some(body) = &mut self.body else { return value };
        let lengths = std::mem::take(&mut body.lengths);
        if lengths.is_empty() {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let block = Box::new(Block { items: lengths });
        Expr { kind: ExprKind::Statements(block, Some(Box::new(value))), ty, span }
    }

    /// The bytes of a type, which may be known to the run only.
    pub fn size_of(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let size = self.types.size_type();
        if let Some(bytes) = self.types.size(ty) {
            return Ok(Expr { kind: ExprKind::SizeOf(ty, i128::from(bytes)), ty: size, span });
        }
        let Type::Array(of, length) = *self.types.kind(ty) else { return Err(self.incomplete(ty, span)) };
        let count = match length {
            Length::Known(n) => self.constant(i128::from(n), size, span),
            Length::Variable(local) => self.read_local(local, size, span),
            Length::Unknown => return Err(self.incomplete(ty, span)),
        };
        let element = self.size_of(of, span)?;
        Ok(self.binary(BinaryOp::Mul, count, element, size, span))
    }
}
