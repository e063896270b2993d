//! stub
use super::place::Target;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, TypeId};
use fencepost_ir::Span;
use fencepost_ir::tree::Expr;
impl<'h> Lowerer<'h> {
    /// An atomic operation.
    pub fn atomic(
        &mut self,
        _atomic: &'h hir::Atomic,
        _ty: TypeId,
        _wanted: Wanted,
        _span: Span,
    ) -> Result<Value> {
        todo!()
    }
    /// `place op= operand` of an `_Atomic` variable; the place is stable, the operand is evaluated.
    pub fn atomic_update(
        &mut self,
        _target: Target,
        _update: &'h hir::Update,
        _operand: Expr,
        _wanted: Wanted,
        _span: Span,
    ) -> Result<Value> {
        todo!()
    }
}
