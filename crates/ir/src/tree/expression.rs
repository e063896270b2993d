//! Expressions, typed.

use super::{LocalId, Place, ProcedureId, VarRef};
use crate::cfg::{BinaryOp, Choices, Drain, Fill, Storage, UnaryOp};
use crate::layout::Type;
use crate::scalar::Scalar;
use crate::source::Span;

/// How a value is taken over into another type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Conversion {
    /// It must fit; else an error of the program.
    Checked,
    /// It wraps.
    Wrapping,
}

/// What a read-modify-write does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum RmwKind {
    /// One operand: the new value.
    Exchange,
    /// One operand, added.
    Add,
    /// One operand, subtracted.
    Sub,
    /// One operand, bitwise and.
    And,
    /// One operand, bitwise or.
    Or,
    /// One operand, bitwise exclusive or.
    Xor,
    /// Two operands: expected and new value; gives the old value.
    CompareExchange,
    /// Two operands: expected and new value; gives whether it succeeded.
    CompareAndSwap,
}

impl RmwKind {
    /// Every kind.
    pub const ALL: [RmwKind; 8] = [
        RmwKind::Exchange,
        RmwKind::Add,
        RmwKind::Sub,
        RmwKind::And,
        RmwKind::Or,
        RmwKind::Xor,
        RmwKind::CompareExchange,
        RmwKind::CompareAndSwap,
    ];

    /// The name in the modelling language.
    pub fn name(self) -> &'static str {
        match self {
            RmwKind::Exchange => "exchange",
            RmwKind::Add => "fetch_add",
            RmwKind::Sub => "fetch_sub",
            RmwKind::And => "fetch_and",
            RmwKind::Or => "fetch_or",
            RmwKind::Xor => "fetch_xor",
            RmwKind::CompareExchange => "compare_exchange",
            RmwKind::CompareAndSwap => "cas",
        }
    }

    /// Type of the operands for a cell of type `cell`.
    pub fn operand_type(self, cell: Scalar) -> Scalar {
        match (self, cell) {
            (RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap, _) => cell,
            (_, Scalar::Int(_) | Scalar::Pointer { .. }) => cell,
            _ => Scalar::Integer,
        }
    }

    /// Number of operands besides the place.
    pub fn operands(self) -> usize {
        match self {
            RmwKind::CompareExchange | RmwKind::CompareAndSwap => 2,
            _ => 1,
        }
    }
}

/// A typed expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Type of its value. Fixed-width arithmetic wraps, all other arithmetic is exact.
    pub ty: Scalar,
    /// Its place in the source.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A value of the expression's type.
    Const(i64),
    /// A variable's value; a load if it is shared.
    Read(Place),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands of the same arithmetic; `&&` and `||` evaluate the right one only if needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `cond ? then : otherwise`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand in the expression's type.
    Convert(Conversion, Box<Expr>),
    /// Any of these values.
    Any(Choices),
    /// An atomic read-modify-write.
    Rmw(RmwKind, Place, Vec<Expr>),
    /// A call.
    Call(ProcedureId, Vec<Expr>),
    /// Starts a thread and gives its handle.
    Spawn(ProcedureId, Vec<Expr>, Drain),
    /// The handle of the thread that evaluates it.
    Own,
    /// A pointer to a place in memory.
    AddressOf(Place),
    /// A pointer to new memory of that many bytes, to hold values of the type.
    Allocate(Type, Box<Expr>, Fill, Storage),
    /// The same with what an allocated object held, which is freed; the type counts where there is none.
    Reallocate(Type, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// A value.
    pub fn constant(value: i64, ty: Scalar, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, span }
    }

    /// Whether it calls a procedure, which may change the thread's own variables.
    pub fn calls(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= matches!(e.kind, ExprKind::Call(..)));
        found
    }
}

/// The value of a local variable.
pub fn read_local(id: LocalId, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Read(Place::variable(VarRef::Local(id), span)), ty, span }
}
