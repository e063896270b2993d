//! Statements.

use super::{Expr, Form, LocalId, Place};
use crate::access::Order;
use crate::cfg::{Drain, FenceKind};
use crate::checks::Claim;
use crate::source::Span;

/// A fence, as the program has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Fence {
    /// One that machines have.
    Machine(FenceKind),
    /// C11's thread fence. The pass `orders` makes the machine's of it.
    Thread(Order),
}

/// Statements in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block(pub Vec<Stmt>);

impl Block {
    /// The statements up to the last one of the user's, and those that passes have added after it.
    pub fn with_added(&self) -> (&[Stmt], &[Stmt]) {
        self.0.split_at(self.0.iter().rposition(|stmt| stmt.span.is_some()).map_or(0, |last| last + 1))
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place in the source.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Nothing, but a step.
    Skip,
    /// Names the place before the next statement.
    Label(String),
    /// Declares a local; without a value it gets its default.
    Declare(LocalId, Option<Expr>),
    /// `place = value`; a store if shared. The index is evaluated before the value.
    Assign(Place, Expr),
    /// A call, spawn or read-modify-write whose result is not used.
    Eval(Expr),
    /// `if`.
    If(Expr, Block, Block),
    /// `while`.
    While(Expr, Block),
    /// `do ... while`.
    DoWhile(Block, Expr),
    /// Leaves the innermost loop.
    Break,
    /// Next round of the innermost loop.
    Continue,
    /// Jumps to a label of the same procedure.
    Goto(String),
    /// Returns; in a process, ends the thread.
    Return(Option<Expr>),
    /// Runs one of the blocks.
    Choose(Vec<Block>),
    /// Runs the block with no other thread in between.
    Atomic(Drain, Block),
    /// Opens an atomic section.
    AtomicBegin(Drain),
    /// Closes it.
    AtomicEnd(Drain),
    /// A fence.
    Fence(Fence),
    /// Passes only if true.
    Assume(Expr),
    /// Must be true, for the reason given.
    Assert(Expr, Claim),
    /// Waits for a mutex and takes it.
    Lock(Place),
    /// Gives a mutex back.
    Unlock(Place),
    /// Waits for the end of a thread; its result goes to the place.
    Join(Option<Place>, Expr),
    /// Gives allocated memory back.
    Free(Expr),
    /// The local's block is entered: it is a new object from here on. Front ends put it where the text of the block begins;
    /// the pass `lifetime` removes those that no thread can observe, and adds those on other ways in.
    Enter(LocalId),
    /// The local's block is left: its object is gone. Of a local that is not entered, the memory that its declaration has
    /// allocated on the stack. As for [`StmtKind::Enter`], the pass adds those on other ways out.
    Leave(LocalId),
    /// Ends the thread, with a result.
    Exit(Option<Expr>),
    /// Ends the program.
    Halt,
    /// Statements with a scope of their own, and how C writes them.
    Block(Form, Block),
}
