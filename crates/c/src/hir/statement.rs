//! Statements.

use super::{Expr, Initializer, LabelId, LocalId, Place};
use fencepost_ir::Span;

/// `{ ... }`
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub items: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression for its effects.
    Expr(Expr),
    /// A local variable begins; its name is known in its own initialiser.
    Declare(LocalId, Initializer),
    Block(Block),
    /// A label before the next statement.
    Label(LabelId),
    If(Expr, Block, Block),
    Loop(Box<Loop>),
    Switch(Box<Switch>),
    /// `case` and `default` before the next statement: the number of a case of the switch around it.
    Case(usize),
    Goto(LabelId),
    /// `goto *pointer;`
    GotoComputed(Expr),
    Break,
    Continue,
    Return(Option<Expr>),
    Asm(Box<Asm>),
    /// CBMC's way to start a thread, by the name of a label: the call runs in a thread of its own.
    Start(Expr),
}

/// `while`, `do` and `for`.
#[derive(Clone, Debug)]
pub struct Loop {
    pub kind: LoopKind,
    /// Of a `for`: what comes before the loop, in a scope around it.
    pub init: Block,
    /// `None`: forever.
    pub condition: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Block,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopKind {
    While,
    DoWhile,
    For,
}

/// `switch`
#[derive(Clone, Debug)]
pub struct Switch {
    /// Promoted.
    pub value: Expr,
    pub cases: Vec<Case>,
    pub body: Block,
}

/// `case` or `default`.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// From and to, both included, in the type of the switch's value; `None` for `default`.
    pub values: Option<(i128, i128)>,
    pub span: Span,
}

/// Inline assembly.
#[derive(Clone, Debug)]
pub struct Asm {
    pub template: String,
    pub outputs: Vec<AsmOutput>,
    pub inputs: Vec<AsmInput>,
    pub clobbers: Vec<String>,
    /// Where `asm goto` may jump to.
    pub labels: Vec<LabelId>,
    pub is_goto: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct AsmOutput {
    pub name: Option<String>,
    pub constraint: String,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub struct AsmInput {
    pub name: Option<String>,
    pub constraint: String,
    /// The place itself where the constraint lets it be in memory, else its value.
    pub operand: AsmOperand,
}

#[derive(Clone, Debug)]
pub enum AsmOperand {
    Value(Expr),
    Place(Place),
}
