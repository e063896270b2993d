//! stub: numbers of 128 bits
use super::place::Target;
use super::{Lowerer, Result, Value};
use crate::hir;
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Expr, Place, UnaryOp};
impl<'h> Lowerer<'h> {
    /// A number of 128 bits in a variable of our own.
    pub fn wide_constant(&mut self, _value: i128, _signed: bool, _span: Span) -> Result<Place> {
        todo!()
    }
    /// `-` and `~`.
    pub fn wide_unary(&mut self, _op: UnaryOp, _place: Place, _signed: bool, _span: Span) -> Result<Place> {
        todo!()
    }
    /// Arithmetic whose result has 128 bits (operands are of that type; of a shift the right one has its own).
    pub fn wide_binary(
        &mut self,
        _op: BinaryOp,
        _l: &'h hir::Expr,
        _r: &'h hir::Expr,
        _span: Span,
    ) -> Result<Place> {
        todo!()
    }
    /// A comparison of two numbers of 128 bits.
    pub fn wide_comparison(
        &mut self,
        _op: BinaryOp,
        _l: &'h hir::Expr,
        _r: &'h hir::Expr,
        _span: Span,
    ) -> Result<Expr> {
        todo!()
    }
    /// Whether a number of 128 bits is not zero.
    pub fn wide_truth(&mut self, _place: Place, _span: Span) -> Result<Expr> {
        todo!()
    }
    /// A scalar expression as a number of 128 bits.
    pub fn widened(&mut self, _arg: &'h hir::Expr, _signed: bool, _span: Span) -> Result<Place> {
        todo!()
    }
    /// The lower word (64 bits, unsigned) of an expression of 128 bits.
    pub fn low_word(&mut self, _arg: &'h hir::Expr) -> Result<Expr> {
        todo!()
    }
    /// `place op= operand` computed in 128 bits; the place may be of a smaller type. Gives the value the update gives.
    pub fn wide_update(&mut self, _target: Target, _update: &'h hir::Update, _span: Span) -> Result<Value> {
        todo!()
    }
}
