//! Loops, and the blocks that were a `for` or a `switch`: what comes out has the same form.

use crate::body::{Body, Result};
use crate::build;
use fencepost_ir::tree::forms::{self, For, Switch};
use fencepost_ir::tree::{Block, Expr, Form, Stmt, StmtKind};

impl<'a> Body<'a> {
    /// A loop with a test before each round; `body` adds its statements.
    pub fn while_loop(
        &mut self,
        condition: &Expr,
        whole: &Block,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let span = self.span;
        self.loops.push(None);
        let effects = self.has_effects(condition);
        let test = if effects { build::truth(true) } else { self.value(condition)? };
        let inner = self.captured(|this| {
            if effects {
                let condition = this.value(condition)?;
                let leave = Block(vec![Stmt { kind: StmtKind::Break, span }]);
                this.emit(StmtKind::If(build::negation(condition), leave, Block::default()));
            } else if !this.surely_switches(whole) {
                // A loop without an access must not keep others from running.
                this.switch();
            }
            body(this)
        })?;
        self.loops.pop();
        self.span = span;
        self.emit(StmtKind::While(test, inner));
        Ok(())
    }

    pub fn do_while(&mut self, body: &Block, condition: &Expr) -> Result<()> {
        let span = self.span;
        let effects = self.has_effects(condition);
        let target = (effects && forms::continues(&body.0)).then(|| {
            self.labels += 1;
            format!("{}continue_{}", self.translator.prefix, self.labels)
        });
        let mut test = build::truth(true);
        let inner = self.captured(|this| {
            this.loops.push(target.clone());
            // The label that the front end has for `continue` stays at the end.
            let (next, stmts) = match body.0.split_last() {
                Some((next, stmts)) if !effects && matches!(next.kind, StmtKind::Label(_)) => {
                    (Some(next), stmts)
                }
                _ => (None, &body.0[..]),
            };
            this.statements(stmts)?;
            this.loops.pop();
            this.span = span;
            if let Some(target) = target {
                this.emit(StmtKind::Label(target));
            }
            test = this.value(condition)?;
            if !effects && !this.surely_switches(body) {
                this.switch();
            }
            next.into_iter().try_for_each(|next| this.stmt(next))
        })?;
        self.emit(StmtKind::DoWhile(inner, test));
        Ok(())
    }

    pub fn formed(&mut self, form: Form, block: &Block) -> Result<()> {
        let span = self.span;
        let (form, block) = match form {
            Form::For { step } => match forms::for_loop(step, block) {
                Some(f) => self.for_loop(&f)?,
                None => (Form::Braces, self.inner(&block.0)?),
            },
            Form::Switch => match forms::switch(block) {
                Some(s) if !s.tests.iter().any(|test| self.tests_have_effects(test)) => {
                    (Form::Switch, self.captured(|this| this.switch_statement(&s))?)
                }
                _ => (Form::Braces, self.inner(&block.0)?),
            },
            Form::Braces => (Form::Braces, self.inner(&block.0)?),
        };
        self.span = span;
        self.emit(StmtKind::Block(form, block));
        Ok(())
    }

    fn for_loop(&mut self, f: &For<'_>) -> Result<(Form, Block)> {
        let mut step = 0;
        let block = self.captured(|this| {
            this.statements(f.init)?;
            this.span = f.head.span;
            this.while_loop(f.condition, f.whole, |this| {
                this.statements(&f.whole.0[..f.whole.0.len() - f.step.len()])?;
                let before = this.out.len();
                this.statements(f.step)?;
                step = this.out.len() - before;
                Ok(())
            })
        })?;
        Ok((Form::For { step }, block))
    }

    fn tests_have_effects(&self, stmt: &Stmt) -> bool {
        stmt.kind.expressions().iter().any(|e| self.has_effects(e))
    }

    /// The jumps to the cases lead forwards, and no other thread need run before them.
    fn switch_statement(&mut self, s: &Switch<'_>) -> Result<()> {
        self.statements(s.before)?;
        for test in s.tests {
            self.span = test.span;
            let kind = match &test.kind {
                StmtKind::If(condition, then, otherwise) => {
                    StmtKind::If(self.value(condition)?, then.clone(), otherwise.clone())
                }
                kind => kind.clone(),
            };
            self.emit(kind);
        }
        self.statements(s.region)?;
        self.emit(StmtKind::Label(s.end.to_string()));
        Ok(())
    }
}
