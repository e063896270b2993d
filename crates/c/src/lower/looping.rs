//! Loops keep their shape where the program's loops can express them. Where a condition has effects of its own, or a
//! `continue` has to pass a `for`'s step, labels and jumps take over.

use super::build::truth_value;
use super::jump::{Jumps, To};
use super::{Lowerer, Result};
use crate::hir::{self, LoopKind};
use fencepost_ir::Span;
use fencepost_ir::tree::{Block, Stmt, StmtKind};

impl<'h> Lowerer<'h> {
    /// `while`, `do` and `for`.
    pub fn looping(&mut self, l: &'h hir::Loop, span: Span) -> Result<()> {
        match l.kind {
            LoopKind::While => self.while_loop(l, span),
            LoopKind::DoWhile => self.do_while(l, span),
            LoopKind::For => self.scoped(|this| {
                this.statements(&l.init)?;
                this.while_loop(l, span)
            }),
        }
    }

    /// The body of a loop, whose `continue` leads there.
    fn loop_body(&mut self, body: &'h hir::Block, again: To) -> Result<Block> {
        let cleanups = self.frame().cleanups.len();
        self.frame().jumps.push(Jumps { leave: To::Loop, again: Some(again), cleanups });
        let inner = self.block_of(|this| this.nested(body));
        self.frame().jumps.pop();
        inner
    }

    fn while_loop(&mut self, l: &'h hir::Loop, span: Span) -> Result<()> {
        let (test, effects) = self.captured(|this| match &l.condition {
            Some(condition) => this.condition(condition),
            None => Ok(truth_value(true, span)),
        })?;
        let again = match &l.step {
            Some(_) if has_continue(&l.body) => To::Label(self.fresh_label("next")),
            _ => To::Loop,
        };
        let mut inner = self.loop_body(&l.body, again.clone())?;
        if let Some(step) = &l.step {
            if let To::Label(label) = again {
                inner.0.push(Stmt { kind: StmtKind::Label(label), span });
            }
            let step = self.block_of(|this| this.effect(step))?;
            inner.0.extend(step.0);
        }
        let span = l.condition.as_ref().map_or(span, |condition| self.at(condition.span));
        self.repeat(test, effects, inner, span);
        Ok(())
    }

    fn do_while(&mut self, l: &'h hir::Loop, span: Span) -> Result<()> {
        let again = match has_continue(&l.body) {
            true => To::Label(self.fresh_label("next")),
            false => To::Loop,
        };
        let mut inner = self.loop_body(&l.body, again.clone())?;
        if let To::Label(label) = again {
            inner.0.push(Stmt { kind: StmtKind::Label(label), span });
        }
        let condition = l.condition.as_ref().expect("`do` has a condition");
        let (test, effects) = self.captured(|this| this.condition(condition))?;
        inner.0.extend(effects.0);
        self.emit(StmtKind::DoWhile(inner, test), self.at(condition.span));
        Ok(())
    }
}

/// Whether a block has a `continue` of the loop around it.
fn has_continue(block: &hir::Block) -> bool {
    struct Look(bool);
    impl hir::Visitor for Look {
        fn statement(&mut self, stmt: &hir::Stmt) {
            match &stmt.kind {
                hir::StmtKind::Continue => self.0 = true,
                hir::StmtKind::Loop(_) => {}
                _ => hir::walk_statement(self, stmt),
            }
        }
    }
    let mut look = Look(false);
    hir::Visitor::block(&mut look, block);
    look.0
}
