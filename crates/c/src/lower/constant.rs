//! Constants: what an expression without variables is worth.

use super::*;
use fencepost_ir::cfg::Arith;
use fencepost_ir::{eval, pointer};

impl<'a> Lowerer<'a> {
    /// The integer that a constant expression is worth.
    pub(super) fn constant(&mut self, e: &'a ast::Expr) -> Result<i128> {
        let value = self.constant_typed(e)?;
        let worth = self.fold(&value.expr).ok_or_else(|| not_constant(e.span))?;
        Ok(value.expr.ty.meaning(worth))
    }

    /// A constant expression, lowered where nothing happens.
    pub(super) fn constant_typed(&mut self, e: &'a ast::Expr) -> Result<Typed> {
        let body = std::mem::take(&mut self.body);
        self.body.name.clone_from(&body.name);
        let value = self.scalar(e);
        let made = std::mem::replace(&mut self.body, body);
        let value = value?;
        if made.out.is_empty() { Ok(value) } else { Err(not_constant(e.span)) }
    }

    /// The value of an expression that has one whatever happens.
    pub(super) fn fold(&self, e: &Expr) -> Option<i64> {
        Some(match &e.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Unary(op, arg) => {
                let value = i128::from(self.fold(arg)?);
                match op {
                    UnaryOp::Not => i64::from(value == 0),
                    UnaryOp::Neg => wrapped(e.ty, -value),
                    UnaryOp::BitNot => wrapped(e.ty, !value),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let l = self.fold(left)?;
                match (op, l) {
                    (BinaryOp::And, 0) => return Some(0),
                    (BinaryOp::Or, 1..) => return Some(1),
                    _ => {}
                }
                eval::binary(*op, Arith::of(left.ty), l, self.fold(right)?).ok()?
            }
            ExprKind::Select(cond, then, otherwise) => {
                self.fold(if self.fold(cond)? != 0 { then } else { otherwise })?
            }
            ExprKind::Convert(Conversion::Checked, arg) => {
                let integer = arg.ty.meaning(self.fold(arg)?);
                return e.ty.value_of(integer);
            }
            ExprKind::Convert(Conversion::Wrapping, arg) => match e.ty {
                Scalar::Bool => i64::from(self.fold(arg)? != 0),
                ty => wrapped(ty, self.fold(arg)?.into()),
            },
            ExprKind::AddressOf(place) => self.fold_address(place)?,
            ExprKind::Read(_)
            | ExprKind::Any(_)
            | ExprKind::Rmw(..)
            | ExprKind::Call(..)
            | ExprKind::Spawn(..)
            | ExprKind::Own
            | ExprKind::Reallocate(..)
            | ExprKind::Allocate(..) => return None,
        })
    }

    fn fold_address(&self, place: &Place) -> Option<i64> {
        let (start, mut ty) = match &place.base {
            Base::Variable(VarRef::Shared(id)) => {
                (pointer::to_object(id.0 as u32, 0), &self.program.shared[id.0].ty)
            }
            Base::Variable(_) => return None,
            Base::Pointed(pointer, ty) => (self.fold(pointer)?, ty),
        };
        let mut word = start;
        for step in &place.path {
            let (offset, inner) = match (step, ty) {
                (Projection::Index(index), Type::Array(element, _)) => {
                    let size = self.program.records.size(element) as i64;
                    (self.fold(index)?.wrapping_mul(size), &**element)
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let field = &self.program.records.get(*id).fields[*i];
                    (field.offset as i64, &field.ty)
                }
                _ => return None,
            };
            word = word.wrapping_add(offset);
            ty = inner;
        }
        Some(word)
    }

    /// The expression, or its value where it has one.
    pub(super) fn folded(&self, e: Expr) -> Expr {
        match self.fold(&e) {
            // An address is more telling than its number.
            Some(_) if is_address(&e) => e,
            Some(value) => {
                // A converted constant stands where the constant does.
                let span = match &e.kind {
                    ExprKind::Convert(_, inner) if matches!(inner.kind, ExprKind::Const(_)) => inner.span,
                    _ => e.span,
                };
                Expr::constant(value, e.ty, span)
            }
            None => e,
        }
    }
}

/// Whether it is an address, perhaps as an integer.
fn is_address(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::AddressOf(_) => true,
        ExprKind::Convert(_, inner) => is_address(inner),
        _ => false,
    }
}

fn wrapped(ty: Scalar, value: i128) -> i64 {
    match ty {
        Scalar::Int(int) => int.wrap(value),
        Scalar::Pointer { .. } => pointer::WORD.wrap(value),
        _ => value as i64,
    }
}

pub(super) fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is not a constant")
}
