//! stub
use super::{Lowerer, Result};
use crate::hir;
impl<'h> Lowerer<'h> {
    /// Inline assembly.
    pub fn asm(&mut self, _asm: &'h hir::Asm) -> Result<()> {
        todo!()
    }
}
