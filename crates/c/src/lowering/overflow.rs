//! stub
use super::{Lowerer, Result, Value};
use crate::hir::{self, Builtin};
use fencepost_ir::Span;
impl<'h> Lowerer<'h> {
    /// A function of the compiler's own.
    pub fn builtin(&mut self, builtin: Builtin, args: &'h [hir::Expr], span: Span) -> Result<Value> {
        match builtin {
            Builtin::Overflow(..) => todo!(),
            Builtin::VaStart | Builtin::VaEnd | Builtin::VaCopy => self.argument_list(builtin, args, span),
        }
    }
}
