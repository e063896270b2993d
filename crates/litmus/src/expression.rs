//! Shorthands for expressions of the tree over unsigned integers.

use fencepost_ir::tree::*;
use fencepost_ir::{IntType, Scalar, Span};

/// An unsigned type of so many bits.
pub fn unsigned(bits: u8) -> Scalar {
    Scalar::Int(IntType { bits, signed: false })
}

/// A signed type of so many bits.
pub fn signed(bits: u8) -> Scalar {
    Scalar::Int(IntType { bits, signed: true })
}

/// A number, wrapped to a type.
pub fn number(value: i64, ty: Scalar, span: Span) -> Expr {
    let value = if let Scalar::Int(int) = ty { int.wrap(value.into()) } else { value };
    Expr::constant(value, ty, span)
}

/// The value of a place.
pub fn read(place: Place, ty: Scalar) -> Expr {
    let span = place.span;
    Expr { kind: ExprKind::Read(place), ty, span }
}

/// An expression in another type, with its lowest bits; unsigned values are extended by zeros.
pub fn convert(e: Expr, ty: Scalar) -> Expr {
    if e.ty == ty {
        return e;
    }
    if let ExprKind::Const(value) = e.kind {
        return number(value, ty, e.span);
    }
    let span = e.span;
    Expr { kind: ExprKind::Convert(Conversion::Wrapping, Box::new(e)), ty, span }
}

/// Two operands of one type, and the type of the result.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let ty = match op {
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Scalar::Bool,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => left.ty,
    };
    let span = left.span;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

/// An operator and a number of the other operand's type.
pub fn with_number(op: BinaryOp, left: Expr, right: i64) -> Expr {
    let right = number(right, left.ty, left.span);
    binary(op, left, right)
}

/// Whether a value is not another.
pub fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(e)), ty: Scalar::Bool, span }
}

/// One of two values.
pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, span) = (then.ty, condition.span);
    Expr { kind: ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span }
}

/// A read-modify-write; it gives the old value, [`RmwKind::CompareAndSwap`] whether it succeeded.
pub fn rmw(kind: RmwKind, place: Place, operands: Vec<Expr>, cell: Scalar) -> Expr {
    let span = place.span;
    let ty = if kind == RmwKind::CompareAndSwap { Scalar::Bool } else { cell };
    Expr { kind: ExprKind::Rmw(kind, place, operands), ty, span }
}

/// A variable that is not an array.
pub fn simple(variable: VarRef, span: Span) -> Place {
    Place::variable(variable, span)
}
