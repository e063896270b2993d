//! Loops keep their shape where the program's loops can express them. Where a condition has effects of its own, or a
//! `continue` has to pass a `for`'s step, labels and jumps take over. What was a `for` says so ([`Form`]), for trees that are
//! printed as C.

use super::build::truth_value;
use super::jump::{Jumps, To};
use super::{Lowerer, Result};
use crate::hir::{self, LoopKind};
use fencepost_ir::Span;
use fencepost_ir::tree::{Block, Form, Stmt, StmtKind, forms};

impl<'h> Lowerer<'h> {
    /// `while`, `do` and `for`.
    pub fn looping(&mut self, l: &'h hir::Loop, span: Span) -> Result<()> {
        match l.kind {
            LoopKind::While => self.while_loop(l, span).map(drop),
            LoopKind::DoWhile => self.do_while(l, span),
            LoopKind::For => self.scoped(|this| {
                let start = this.mark();
                this.statements(&l.init)?;
                let begun = this.mark();
                let step = this.while_loop(l, span)?;
                // Only one statement has room in the head.
                let init = this.body.out[start..begun].last().is_some_and(sets_local);
                let whole = Block(this.body.out.split_off(begun - usize::from(init)));
                match forms::for_loop(step, &whole).is_some_and(|f| f.step.iter().all(is_step)) {
                    true => this.emit_formed(Form::For { step }, whole),
                    false => this.append(whole),
                }
                Ok(())
            }),
        }
    }

    /// Emits statements as a block that C writes in a way of its own.
    pub fn emit_formed(&mut self, form: Form, block: Block) {
        let span = block.0.first().expect("what has a form is not empty").span;
        self.emit(StmtKind::Block(form, block), span);
    }

    /// The body of a loop, whose `continue` leads there.
    fn loop_body(&mut self, body: &'h hir::Block, again: To) -> Result<Block> {
        let cleanups = self.frame().cleanups.len();
        self.frame().jumps.push(Jumps { leave: To::Loop, again: Some(again), cleanups });
        let inner = self.block_of(|this| this.nested(body));
        self.frame().jumps.pop();
        inner
    }

    /// A loop with its test before each round. Gives the number of statements that its step has, at the end of its body.
    fn while_loop(&mut self, l: &'h hir::Loop, span: Span) -> Result<usize> {
        let (test, effects) = self.captured(|this| match &l.condition {
            Some(condition) => this.condition(condition),
            None => Ok(truth_value(true, span)),
        })?;
        let again = match &l.step {
            Some(_) if has_continue(&l.body) => To::Label(self.fresh_label("next")),
            _ => To::Loop,
        };
        let mut inner = self.loop_body(&l.body, again.clone())?;
        let mut steps = 0;
        if let Some(step) = &l.step {
            if let To::Label(label) = again {
                inner.0.push(Stmt { kind: StmtKind::Label(label), span });
            }
            let step = self.block_of(|this| this.effect(step))?;
            steps = step.0.len();
            inner.0.extend(step.0);
        }
        let span = l.condition.as_ref().map_or(span, |condition| self.at(condition.span));
        self.repeat(test, effects, inner, span);
        Ok(steps)
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

/// Whether a statement only sets a local variable that is there already, so that it has room in the head of a `for`.
fn is_step(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign(place, value) => {
            place.local().is_some() && place.path.is_empty() && value.only_computes()
        }
        _ => false,
    }
}

/// Whether a statement only sets a local variable, which it may declare.
fn sets_local(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Declare(_, Some(value)) if value.only_computes()) || is_step(stmt)
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
