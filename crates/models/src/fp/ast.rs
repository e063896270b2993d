//! What the parser makes: names not yet looked up, types not yet checked.

use fencepost_ir::tree::{BinaryOp, Drain, Fence, Quantifier, UnaryOp};
use fencepost_ir::{Access, Span};

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub enum TypeExpr {
    /// `bool`, `int`, `u8`, ...
    Named(Name),
    /// `lo..hi`
    Range(Expr, Expr),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i128),
    /// A variable or constant, with indices, and `@order`.
    Variable(Name, Vec<Expr>, Access),
    /// A call, read-modify-write or, in final conditions, a thread.
    Call(Name, Vec<Expr>),
    /// `thread.local`
    Member(Box<Expr>, Name),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Name, Box<Expr>),
    /// `any` or `any(0, 2..3)`
    Any(Vec<(Expr, Expr)>),
    Spawn(Name, Vec<Expr>, Drain),
}

/// `= value`, `= {values}`
#[derive(Clone, Debug)]
pub enum Init {
    Value(Expr),
    List(Vec<Init>, Span),
}

/// `[n]`, or `[*]` for an array without end.
#[derive(Clone, Debug)]
pub enum Dimension {
    Size(Expr),
    Unbounded(Span),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub ty: TypeExpr,
    pub name: Name,
    pub dims: Vec<Dimension>,
    pub init: Option<Init>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Skip,
    Label(Name),
    Declare(Vec<Declaration>),
    /// Several targets get their values at once.
    Assign(Vec<Expr>, Vec<Expr>),
    /// `place op= value`
    Update(Expr, BinaryOp, Expr),
    Eval(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Expr),
    Break,
    Continue,
    Goto(Name),
    Return(Option<Expr>),
    Choose(Vec<Vec<Stmt>>),
    Atomic(Drain, Vec<Stmt>),
    AtomicBegin(Drain),
    AtomicEnd(Drain),
    Fence(Fence),
    Assume(Expr),
    Assert(Expr),
    Lock(Expr),
    Unlock(Expr),
    Join(Expr),
    Block(Vec<Stmt>),
}

/// How often a thread is started.
#[derive(Clone, Debug)]
pub enum CountExpr {
    Once,
    Times(Expr),
    Any,
}

#[derive(Clone, Debug)]
pub enum ProcedureKind {
    /// `process p(...)`
    Process,
    /// `thread t`, started that often.
    Thread(CountExpr),
    /// A function with its result; `None` is `void`.
    Function(Option<TypeExpr>),
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub kind: ProcedureKind,
    pub name: Name,
    pub params: Vec<(TypeExpr, Name)>,
    pub body: Vec<Stmt>,
}

/// `name = process[count](args)`
#[derive(Clone, Debug)]
pub struct Start {
    pub name: Option<Name>,
    pub process: Name,
    pub count: CountExpr,
    pub args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Shared(Vec<Declaration>),
    Local(Vec<Declaration>),
    Const(Name, Expr),
    Procedure(Procedure),
    Start(Vec<Start>),
    /// Threads (`any`, a process, a thread with arguments) at labels.
    Forbid(Vec<(Expr, Name)>, Span),
    AtMost(Expr, Name, Span),
    Final(Quantifier, Expr, Span),
}
