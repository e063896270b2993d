//! What the parser makes of an `.rmm` file.

use fencepost_ir::tree::{BinaryOp, FenceKind};
use fencepost_ir::{Scalar, Span};

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `name = value : domain`; no value is `*`.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: Name,
    pub init: Option<i64>,
    pub domain: Scalar,
}

/// A memory location.
#[derive(Clone, Debug)]
pub enum Memory {
    Global(Name),
    /// `x[my]`
    Own(Name),
    /// `x[i]`, counted without the process that says it.
    Other(Name, usize),
    /// `[e]`
    Pointer(Expr),
}

/// Arithmetic and boolean expressions over registers.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(i64, Span),
    Register(Name),
    Negated(Box<Expr>),
    Not(Box<Expr>),
    Truth(bool, Span),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// How a write reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteKind {
    Plain,
    /// Waits for the own buffer and writes memory at once.
    Locked,
    /// Behind a store-store fence.
    StoreLocked,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub label: Option<Name>,
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Nop,
    /// Waits until the location has the value.
    ReadEqual(Memory, Expr),
    Read(Name, Memory),
    Write(WriteKind, Memory, Expr),
    Cas(Memory, Expr, Expr),
    Fence(FenceKind),
    Assign(Name, Expr),
    Assume(Expr),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Goto(Name),
    Either(Vec<Vec<Stmt>>),
    Locked(Vec<Vec<Stmt>>),
    Block(Vec<Stmt>),
}

#[derive(Clone, Debug)]
pub struct Process {
    pub count: usize,
    pub data: Vec<Declaration>,
    pub registers: Vec<Declaration>,
    pub text: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct File {
    /// A label for each process, `None` for any place.
    pub forbidden: Vec<(Vec<Option<Name>>, Span)>,
    pub data: Vec<Declaration>,
    pub processes: Vec<Process>,
}
