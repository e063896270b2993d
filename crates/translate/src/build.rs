//! Small trees.

use fencepost_ir::tree::{
    BinaryOp, Block, Choices, Conversion, Expr, ExprKind, LocalId, Place, ProcedureId, Stmt, StmtKind,
    UnaryOp, VarRef,
};
use fencepost_ir::{Scalar, Span};

/// A variable.
pub fn variable(variable: VarRef) -> Place {
    Place::variable(variable, Span::NONE)
}

/// An element of a variable.
pub fn element(variable: VarRef, indices: impl IntoIterator<Item = Expr>) -> Place {
    Place::element(variable, indices.into_iter().collect(), Span::NONE)
}

/// What is in a place.
pub fn read(place: Place, ty: Scalar) -> Expr {
    let span = place.span;
    Expr { kind: ExprKind::Read(place), ty, span }
}

/// The value of a local variable.
pub fn read_local(id: LocalId, ty: Scalar, span: Span) -> Expr {
    read(Place::variable(VarRef::Local(id), span), ty)
}

/// A number.
pub fn number(value: i64) -> Expr {
    Expr::constant(value, Scalar::Integer, Span::NONE)
}

/// A truth value.
pub fn truth(value: bool) -> Expr {
    Expr::constant(i64::from(value), Scalar::Bool, Span::NONE)
}

/// True or false.
pub fn any_truth() -> Expr {
    Expr { kind: ExprKind::Any(Choices(vec![(0, 1)])), ty: Scalar::Bool, span: Span::NONE }
}

/// Two operands.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Scalar) -> Expr {
    let span = left.span;
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

/// A comparison or a conjunction.
pub fn test(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    binary(op, left, right, Scalar::Bool)
}

/// Whether it is false.
pub fn negation(condition: Expr) -> Expr {
    let span = condition.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)), ty: Scalar::Bool, span }
}

/// The value in another type.
pub fn convert(how: Conversion, e: Expr, ty: Scalar) -> Expr {
    if e.ty == ty {
        return e;
    }
    let span = e.span;
    Expr { kind: ExprKind::Convert(how, Box::new(e)), ty, span }
}

/// A value that is one of the type.
pub fn fitting(e: Expr, ty: Scalar) -> Expr {
    if let ExprKind::Const(value) = e.kind
        && let Some(value) = ty.value_of(e.ty.meaning(value))
    {
        return Expr::constant(value, ty, e.span);
    }
    convert(Conversion::Checked, e, ty)
}

/// An index, as a number.
pub fn index(e: Expr) -> Expr {
    match e.kind {
        // A wider type has the same values.
        ExprKind::Convert(Conversion::Wrapping, inner) if is_wider(inner.ty, e.ty) => {
            fitting(*inner, Scalar::Integer)
        }
        _ => fitting(e, Scalar::Integer),
    }
}

fn is_wider(from: Scalar, to: Scalar) -> bool {
    let (from, to) = (from.limits(), to.limits());
    to.0 <= from.0 && from.1 <= to.1
}

/// A call.
pub fn call(id: ProcedureId, args: Vec<Expr>, ty: Scalar) -> Expr {
    Expr { kind: ExprKind::Call(id, args), ty, span: Span::NONE }
}

/// A statement of a procedure that is added.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::NONE }
}

/// `place = value`.
pub fn assign(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place, value))
}

/// `if`, without `else`.
pub fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If(condition, Block(then), Block::default()))
}

/// `while`.
pub fn repeat(condition: Expr, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::While(condition, Block(body)))
}
