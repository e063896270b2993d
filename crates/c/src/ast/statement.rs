//! Statements.

use super::{Declaration, Expr, Name, StaticAssert, StringLiteral};
use fencepost_ir::Span;

/// `{ ... }`
#[derive(Clone, Debug)]
pub struct Block {
    /// `__label__ a, b;`: labels that are this block's own.
    pub labels: Vec<Name>,
    /// In the order of the text.
    pub items: Vec<BlockItem>,
    /// `{`
    pub span: Span,
    /// `}`
    pub end: Span,
}

/// Part of a block.
#[derive(Clone, Debug)]
pub enum BlockItem {
    /// Variables, prototypes, types.
    Declaration(Declaration),
    /// `_Static_assert(...);`
    StaticAssert(StaticAssert),
    /// A statement.
    Statement(Stmt),
    /// A piece that is no C, which has been reported, with the names in it.
    Broken(Vec<Name>),
}

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Content.
    pub kind: StmtKind,
    /// From the first token, to the last if it is on the same line.
    pub span: Span,
}

/// A statement's content.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `a;`
    Expr(Expr),
    /// `{ ... }`
    Block(Block),
    /// Labels before a statement: at least one. Before `}` or a declaration, where there is no
    /// statement, they label [`StmtKind::Empty`].
    Labeled(Vec<Label>, Box<Stmt>),
    /// `if (a) b else c`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `switch (a) b`
    Switch(Expr, Box<Stmt>),
    /// `while (a) b`
    While(Expr, Box<Stmt>),
    /// `do a while (b);`
    DoWhile(Box<Stmt>, Expr),
    /// `for (a; b; c) d`
    For(Box<For>),
    /// `goto a;`
    Goto(Name),
    /// `goto *a;`
    GotoComputed(Expr),
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return a;`
    Return(Option<Expr>),
    /// `asm(...);`
    Asm(Box<Asm>),
}

/// `for (init; condition; step) body`
#[derive(Clone, Debug)]
pub struct For {
    /// Before the loop.
    pub init: ForInit,
    /// Holds forever if not given.
    pub condition: Option<Expr>,
    /// After each round.
    pub step: Option<Expr>,
    /// The body.
    pub body: Stmt,
}

/// What a `for` begins with.
#[derive(Clone, Debug)]
pub enum ForInit {
    /// Nothing.
    Empty,
    /// An expression.
    Expr(Expr),
    /// Variables of the loop.
    Declaration(Declaration),
}

/// A label and its place.
#[derive(Clone, Debug)]
pub struct Label {
    /// Content.
    pub kind: LabelKind,
    /// Place.
    pub span: Span,
}

/// A label's content.
#[derive(Clone, Debug)]
pub enum LabelKind {
    /// `name:`
    Name(String),
    /// `case a:`
    Case(Expr),
    /// `case a ... b:`, both included.
    Range(Expr, Expr),
    /// `default:`
    Default,
}

/// `asm volatile (template : outputs : inputs : clobbers : labels)`
#[derive(Clone, Debug)]
pub struct Asm {
    /// `volatile`; without outputs it is meant anyway.
    pub is_volatile: bool,
    /// `goto`
    pub is_goto: bool,
    /// The instructions.
    pub template: StringLiteral,
    /// What it writes.
    pub outputs: Vec<AsmOperand>,
    /// What it reads.
    pub inputs: Vec<AsmOperand>,
    /// Registers, and `memory`, `cc`.
    pub clobbers: Vec<String>,
    /// Where `asm goto` may jump to.
    pub labels: Vec<Name>,
    /// From the keyword.
    pub span: Span,
}

/// `[name] "constraint" (expr)`
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// The name for the template.
    pub name: Option<Name>,
    /// Where it has to be.
    pub constraint: String,
    /// The C side.
    pub expr: Expr,
}
