//! stub
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, Intrinsic, TypeId};
use fencepost_ir::Span;
impl<'h> Lowerer<'h> {
    /// A function on memory, or one that asks the world outside.
    pub fn memory_intrinsic(
        &mut self,
        _intrinsic: Intrinsic,
        _args: &'h [hir::Expr],
        _ty: TypeId,
        _wanted: Wanted,
        _span: Span,
    ) -> Result<Value> {
        todo!()
    }
}
