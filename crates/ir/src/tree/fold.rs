//! What an expression is worth that has one value whatever happens.

use super::*;
use crate::cfg::Arith;
use crate::{eval, pointer};

impl Program {
    /// The value of an expression that has one whatever happens.
    pub fn fold(&self, e: &Expr) -> Option<i64> {
        fold(self, e)
    }
}

fn fold(program: &Program, e: &Expr) -> Option<i64> {
    Some(match &e.kind {
        ExprKind::Const(value) => *value,
        ExprKind::Unary(op, arg) => {
            let value = i128::from(fold(program, arg)?);
            match op {
                UnaryOp::Not => i64::from(value == 0),
                UnaryOp::Neg => wrapped(e.ty, -value),
                UnaryOp::BitNot => wrapped(e.ty, !value),
            }
        }
        ExprKind::Binary(op, left, right) => {
            let l = fold(program, left)?;
            match (op, l) {
                (BinaryOp::And, 0) => return Some(0),
                (BinaryOp::Or, 1..) => return Some(1),
                _ => {}
            }
            eval::binary(*op, Arith::of(left.ty), l, fold(program, right)?).ok()?
        }
        ExprKind::Select(cond, then, otherwise) => {
            fold(program, if fold(program, cond)? != 0 { then } else { otherwise })?
        }
        ExprKind::Convert(Conversion::Checked, arg) => {
            let integer = arg.ty.meaning(fold(program, arg)?);
            return e.ty.value_of(integer);
        }
        ExprKind::Convert(Conversion::Wrapping, arg) => match e.ty {
            Scalar::Bool => i64::from(fold(program, arg)? != 0),
            ty => wrapped(ty, fold(program, arg)?.into()),
        },
        ExprKind::AddressOf(place) => fold_address(program, place)?,
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

fn fold_address(program: &Program, place: &Place) -> Option<i64> {
    let (start, mut ty) = match &place.base {
        Base::Variable(VarRef::Shared(id)) => (pointer::to_object(id.0 as u32, 0), &program.shared[id.0].ty),
        Base::Variable(_) => return None,
        Base::Pointed(pointer, ty) => (fold(program, pointer)?, ty),
    };
    let mut word = start;
    for step in &place.path {
        let (offset, inner) = match (step, ty) {
            (Projection::Index(index), Type::Array(element, _)) => {
                let size = program.records.size(element) as i64;
                (fold(program, index)?.wrapping_mul(size), &**element)
            }
            (Projection::Field(i), Type::Record(id)) => {
                let field = &program.records.get(*id).fields[*i];
                (field.offset as i64, &field.ty)
            }
            _ => return None,
        };
        word = word.wrapping_add(offset);
        ty = inner;
    }
    Some(word)
}

fn wrapped(ty: Scalar, value: i128) -> i64 {
    match ty {
        Scalar::Int(int) => int.wrap(value),
        Scalar::Pointer { .. } => pointer::WORD.wrap(value),
        _ => value as i64,
    }
}
