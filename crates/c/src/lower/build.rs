//! Expressions of the program, put together.

use super::floating::is_unfollowed;
use fencepost_ir::tree::{BinaryOp, Choices, Conversion, Expr, ExprKind, LocalId, Place, UnaryOp, VarRef};
use fencepost_ir::{Access, Scalar, Span};

/// A number, cut to the type.
pub fn number(value: i64, ty: Scalar, span: Span) -> Expr {
    let value = match ty {
        Scalar::Int(int) => int.wrap(value.into()),
        _ => value,
    };
    Expr::constant(value, ty, span)
}

/// A truth value.
pub fn truth_value(value: bool, span: Span) -> Expr {
    Expr::constant(i64::from(value), Scalar::Bool, span)
}

/// A local's value.
pub fn read_local(id: LocalId, ty: Scalar, span: Span) -> Expr {
    read(Place::variable(VarRef::Local(id), span), ty, span)
}

/// A place's value.
pub fn read(place: Place, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Read(place), ty, span }
}

/// Arithmetic on operands of one type.
pub fn binary(op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
    let ty =
        if is_comparison(op) || matches!(op, BinaryOp::And | BinaryOp::Or) { Scalar::Bool } else { l.ty };
    Expr { kind: ExprKind::Binary(op, Box::new(l), Box::new(r)), ty, span }
}

/// An operator with a number on the right.
pub fn with_number(op: BinaryOp, l: Expr, r: i64, span: Span) -> Expr {
    let r = number(r, l.ty, span);
    binary(op, l, r, span)
}

/// The opposite of a truth value.
pub fn not(truth: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(truth)), ty: Scalar::Bool, span }
}

/// One of two values.
pub fn select(condition: Expr, then: Expr, otherwise: Expr, span: Span) -> Expr {
    let ty = then.ty;
    let kind = ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr { kind, ty, span }
}

/// The value wrapped to another scalar type.
pub fn wrapping(e: Expr, ty: Scalar, span: Span) -> Expr {
    if e.ty == ty {
        return e;
    }
    Expr { kind: ExprKind::Convert(Conversion::Wrapping, Box::new(e)), ty, span }
}

/// The value, which must fit another scalar type.
pub fn checked(e: Expr, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Convert(Conversion::Checked, Box::new(e)), ty, span }
}

/// Any of these values.
pub fn any(choices: Choices, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Any(choices), ty, span }
}

/// A place that a pointer leads to.
pub fn pointed(pointer: Expr, ty: impl Into<fencepost_ir::Type>, span: Span) -> Place {
    let base = fencepost_ir::tree::Base::Pointed(Box::new(pointer), ty.into());
    Place { base, path: Vec::new(), span, access: Access::Plain }
}

pub fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// What a scalar without initialiser may hold; `None` for what starts with one value.
pub fn anything(scalar: Scalar) -> Option<Choices> {
    match scalar {
        Scalar::Bool => Some(Choices(vec![(0, 1)])),
        Scalar::Int(int) => {
            let (lo, hi) = if int.bits == 64 { (i64::MIN.into(), i64::MAX.into()) } else { int.limits() };
            Some(Choices(vec![(lo as i64, hi as i64)]))
        }
        Scalar::Pointer { .. } => Some(Choices(vec![(i64::MIN, i64::MAX)])),
        Scalar::Range { .. } | Scalar::Integer | Scalar::Thread | Scalar::Mutex => None,
    }
}

/// Whether an expression is one value, known now.
pub fn is_constant(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(_)) || is_unfollowed(e)
}

/// Whether an expression means the same wherever it is, and costs nothing.
pub fn is_stable(e: &Expr) -> bool {
    match &e.kind {
        _ if is_constant(e) => true,
        ExprKind::AddressOf(place) => {
            matches!(place.base, fencepost_ir::tree::Base::Variable(_))
                && place.indices().all(|index| matches!(index.kind, ExprKind::Const(_)))
        }
        _ => false,
    }
}
