//! stub
use super::{Lowerer, Result};
use crate::hir::TypeId;
use fencepost_ir::Span;
use fencepost_ir::tree::{Place, Type};
impl<'h> Lowerer<'h> {
    /// A copy that no store of another thread comes between.
    pub fn atomic_copy(&mut self, _from: Place, _ty: TypeId, _span: Span) -> Result<Place> {
        todo!()
    }
    /// A sequentially consistent store of a structure.
    pub fn store_record(&mut self, _to: &Place, _from: &Place, _ty: &Type, _span: Span) -> Result<()> {
        todo!()
    }
}
