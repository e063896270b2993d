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
        match value {
            Value::Scalar(Typed { expr: Expr { kind: ExprKind::Read(place), .. }, .. }) => {
                if let Base::Variable(VarRef::Local(id)) = place.base {
                    self.body.blocks.note(id);
                }
            }
            // It is read after the block, though it may be a variable of the block, or in one.
            Value::Record(..) => self.body.blocks.outlived(first),
            Value::Scalar(_) | Value::Void => {}
        }
    }
}
