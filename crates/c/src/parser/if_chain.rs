//! `if (a) b else if (c) d else ...`, as one chain.
//!
//! A short chain is what it is written as, each `if` inside of the one before. A long one would be nested too deep for
//! whoever walks the tree, so it becomes a block of `if`s side by side that jump to the block's end.

use super::*;
use crate::ast::{Block, Expr, Label, LabelKind, Stmt, StmtKind};

/// Longer chains are laid out flat.
const LONG: usize = 128;

/// Shorter ones never are, however deep they are.
const SHORT: usize = 8;

/// Levels that the conditions and branches of a chain can count on.
const ROOM: usize = 64;

/// An `if` of a chain.
pub(super) struct Arm {
    pub(super) start: Span,
    pub(super) condition: Expr,
    pub(super) then: Box<Stmt>,
}

impl Parser<'_, '_> {
    /// An `if` and all that its `else` leads to.
    pub(super) fn if_chain(&mut self) -> Result<StmtKind> {
        let depth = self.depth;
        let chain = self.arms();
        self.depth = depth;
        let (arms, otherwise) = chain?;
        let end = self.before();
        if arms.len() > LONG || arms.len() > SHORT && depth + arms.len() > MAX_NESTING - ROOM {
            return Ok(StmtKind::Block(self.flat(arms, otherwise, end)));
        }
        let mut otherwise = otherwise;
        let mut arms = arms.into_iter().rev().peekable();
        while let Some(Arm { start, condition, then }) = arms.next() {
            let kind = StmtKind::If(condition, then, otherwise);
            if arms.peek().is_none() {
                return Ok(kind);
            }
            otherwise = Some(Box::new(Stmt { kind, span: start.to(end) }));
        }
        panic!("a chain has at least one `if`")
    }

    /// The `if`s of a chain, each a level deeper than the one before as long as they will be nested, and what the last
    /// `else` leads to.
    fn arms(&mut self) -> Result<(Vec<Arm>, Option<Box<Stmt>>)> {
        let mut arms = Vec::new();
        loop {
            let start = self.advance().span;
            let condition = self.condition()?;
            let then = self.inner()?;
            arms.push(Arm { start, condition, then });
            if !self.take_word(Keyword::Else) {
                return Ok((arms, None));
            }
            if !self.is_word(Keyword::If) {
                return Ok((arms, Some(self.inner()?)));
            }
            if arms.len() < LONG && self.depth < MAX_NESTING - ROOM {
                self.depth += 1;
            }
        }
    }

    /// The block that a long chain becomes.
    pub(super) fn flat(&mut self, arms: Vec<Arm>, otherwise: Option<Box<Stmt>>, end: Span) -> Block {
        self.chains += 1;
        let label = Name { text: format!("__else_end_{}", self.chains), span: end };
        let span = arms[0].start;
        let mut items = Vec::new();
        for Arm { start, condition, then } in arms {
            let jump = Stmt { kind: StmtKind::Goto(label.clone()), span: end };
            let items_of = vec![BlockItem::Statement(*then), BlockItem::Statement(jump)];
            let branch = Block { labels: Vec::new(), items: items_of, span: start, end };
            let branch = Box::new(Stmt { kind: StmtKind::Block(branch), span: start });
            let kind = StmtKind::If(condition, branch, None);
            items.push(BlockItem::Statement(Stmt { kind, span: start.to(end) }));
        }
        items.extend(otherwise.map(|stmt| BlockItem::Statement(*stmt)));
        let empty = Box::new(Stmt { kind: StmtKind::Empty, span: end });
        let place = Label { kind: LabelKind::Name(label.text), span: end };
        let last = Stmt { kind: StmtKind::Labeled(vec![place], empty), span: end };
        items.push(BlockItem::Statement(last));
        Block { labels: Vec::new(), items, span, end }
    }
}
