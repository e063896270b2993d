//! Blocks of the user's text. The library's are not noted: its functions are inlined, and keep their variables to themselves.

use super::*;

impl Lowerer<'_> {
    /// A block begins; where, among the statements.
    pub(super) fn open_block(&mut self) -> Option<usize> {
        if self.inlined > 0 || self.unit == self.library_unit {
            return None;
        }
        self.body.blocks.open();
        Some(self.body.out.len())
    }

    /// It ends.
    pub(super) fn close_block(&mut self, start: Option<usize>) {
        let Some(start) = start else { return };
        let ends = self.body.blocks.close(&self.body.locals);
        let start = start.min(self.body.out.len());
        self.body.out.splice(start..start, ends.enter);
        self.body.out.extend(ends.leave);
    }

    /// A local variable lives as long as the block around.
    pub(super) fn begins_with_block(&mut self, id: LocalId) {
        if self.inlined == 0 {
            self.body.blocks.begins_with_block(id);
        }
    }

    /// The memory that a local points to is gone when the block around ends.
    pub(super) fn ends_with_block(&mut self, id: LocalId) {
        if self.inlined == 0 {
            self.body.blocks.ends_with_block(id);
        }
    }

    /// The value of a block that is an expression, which is used after it; the block and those in it are counted from
    /// `first` on.
    pub(super) fn outlives_block(&mut self, value: &Value, first: usize) {
        // It is read after the block, though it may be a variable of the block, or in one.
        if let Value::Record(..) = value {
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
