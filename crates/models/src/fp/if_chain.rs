//! `if (a) b else if (c) d else ...`, as one chain.
//!
//! A short chain is what it is written as, each `if` inside of the one before. A long one would be nested too deep for
//! whoever walks the tree, so it becomes a block of `if`s side by side that jump to the block's end.

use super::ast::{Expr, Name, Stmt, StmtKind};
use super::parser::{Parser, Result};
use fencepost_ir::Span;
use fencepost_text::fences::Seen;

/// Longer chains are laid out flat.
const LONG: usize = 128;

/// An `if` of a chain.
struct Arm {
    start: Span,
    condition: Expr,
    then: Vec<Stmt>,
}

impl Parser<'_> {
    /// An `if` and all that its `else` leads to.
    pub(super) fn if_chain(&mut self) -> Result<StmtKind> {
        let mut levels = 0;
        let chain = self.arms(&mut levels);
        (0..levels).for_each(|_| self.leave());
        let (arms, mut otherwise) = chain?;
        let end = self.before();
        for arm in arms[1..].iter().rev() {
            self.seen.push(Seen::Alone(arm.start, end));
        }
        if arms.len() > LONG {
            return Ok(Self::flat(arms, otherwise, end));
        }
        let mut arms = arms.into_iter().rev().peekable();
        while let Some(Arm { start, condition, then }) = arms.next() {
            let kind = StmtKind::If(condition, then, otherwise);
            if arms.peek().is_none() {
                return Ok(kind);
            }
            otherwise = vec![Stmt { kind, span: start.to(end) }];
        }
        panic!("a chain has at least one `if`")
    }

    /// The `if`s of a chain, each a level deeper than the one before as long as they will be nested, and what the last
    /// `else` leads to.
    fn arms(&mut self, levels: &mut usize) -> Result<(Vec<Arm>, Vec<Stmt>)> {
        let mut arms = Vec::new();
        loop {
            let start = self.advance().span;
            let condition = self.parenthesised()?;
            let then = self.body()?;
            arms.push(Arm { start, condition, then });
            if !self.take_word("else") {
                return Ok((arms, Vec::new()));
            }
            if !self.is_word("if") {
                return Ok((arms, self.body()?));
            }
            if *levels < LONG {
                self.enter()?;
                *levels += 1;
            }
        }
    }

    /// The block that a long chain becomes.
    fn flat(arms: Vec<Arm>, otherwise: Vec<Stmt>, end: Span) -> StmtKind {
        let Span { line, column, .. } = arms[0].start;
        let label = Name { text: format!("__else_end_{line}_{column}"), span: end };
        let mut stmts = Vec::new();
        for Arm { start, condition, mut then } in arms {
            then.push(Stmt { kind: StmtKind::Goto(label.clone()), span: end });
            let kind = StmtKind::If(condition, then, Vec::new());
            stmts.push(Stmt { kind, span: start.to(end) });
        }
        stmts.push(Stmt { kind: StmtKind::Block(otherwise), span: end });
        stmts.push(Stmt { kind: StmtKind::Label(label), span: end });
        stmts.push(Stmt { kind: StmtKind::Skip, span: end });
        StmtKind::Block(stmts)
    }
}
