//! Blocks of the user's text, and how long what is declared in them lives. The library's blocks are not noted: its functions
//! are inlined, and keep their variables to themselves.

use super::{Lowerer, Result, Value};
use crate::hir::Origin;
use fencepost_ir::tree::{Block, LocalId, StmtKind};

impl<'h> Lowerer<'h> {
    fn is_users_text(&self) -> bool {
        let frame = self.body.frames.last().expect("blocks stand in functions");
        !self.is_inlined() && self.hir.functions[frame.function].origin == Origin::User
    }

    /// Runs `inside` in a block of its own.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let cleanups = self.frame().cleanups.len();
        let start = self.is_users_text().then(|| {
            self.body.blocks.open();
            self.body.out.len()
        });
        let result = inside(self);
        let result = match result {
            Ok(value) => self.clean_up(cleanups).map(|()| value),
            Err(diagnostic) => Err(diagnostic),
        };
        if let Some(start) = start {
            let ends = self.body.blocks.close(&self.body.locals);
            let start = start.min(self.body.out.len());
            self.body.out.splice(start..start, ends.enter);
            self.body.out.extend(ends.leave);
        }
        self.frame().cleanups.truncate(cleanups);
        result
    }

    /// A local variable lives as long as the block around.
    pub fn begins_with_block(&mut self, id: LocalId) {
        if !self.is_inlined() {
            self.body.blocks.begins_with_block(id);
        }
    }

    /// The memory that a local points to is gone when the block around ends.
    pub fn ends_with_block(&mut self, id: LocalId) {
        if !self.is_inlined() {
            self.body.blocks.ends_with_block(id);
        }
    }

    /// The value of a block that is an expression, which is used after it; the block and those in it are counted from
    /// `first` on.
    pub fn outlives_block(&mut self, value: &Value, first: usize) {
        // It is read after the block, though it may be a variable of the block, or in one.
        if let Value::Record(_) = value {
            let living = self.body.blocks.outlived(first);
            let mut out = Block(std::mem::take(&mut self.body.out));
            out.retain(&|stmt| match &stmt.kind {
                StmtKind::Enter(id) | StmtKind::Leave(id) => !living.contains(id),
                _ => true,
            });
            self.body.out = out.0;
        }
    }
}
