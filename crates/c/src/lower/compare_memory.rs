//! `memcmp`: which of two pieces of memory comes first, by their bytes. Elements are compared as wholes; the first two that
//! differ decide.

use super::build::{any, binary, number, read, read_local, with_number, wrapping};
use super::operands::{Few, Operands};
use super::types::WORD;
use super::{Lowerer, Result, floating};
use crate::hir;
use fencepost_ir::tree::{BinaryOp, Block, Choices, Expr, LocalId, Place, StmtKind};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;

impl<'h> Lowerer<'h> {
    /// Compares bytes; gives `int`.
    pub fn compare_memory(
        &mut self,
        left: &'h hir::Expr,
        right: &'h hir::Expr,
        bytes: &'h hir::Expr,
        span: Span,
    ) -> Result<Expr> {
        let operands = self.operands([left, right], bytes, span)?;
        if self.has_floating(operands.ty) {
            return Err(floating::unknown_value(span));
        }
        let int = self.int();
        let order = self.temporary(int, span);
        self.emit(StmtKind::Declare(order, Some(number(0, int, span))), span);
        match (operands.rows[0].element.as_scalar(), self.few(&operands)) {
            (Some(scalar), _) => self.compare_scalars(&operands, scalar, order, span)?,
            (None, Some(few)) => self.compare_structures(&operands, &few, order, span)?,
            (None, None) => {
                return Err(Diagnostic::new(span, "comparing that many structures is not supported"));
            }
        }
        Ok(read_local(order, int, span))
    }

    /// Goes to the first two scalars that differ.
    fn compare_scalars(
        &mut self,
        operands: &Operands,
        scalar: Scalar,
        order: LocalId,
        span: Span,
    ) -> Result<()> {
        let size = operands.bytes.ty;
        let count = self.whole_elements(operands, span);
        let id = self.counter("%i", number(0, size, span), span);
        let i = read_local(id, size, span);
        let pair = operands.rows.each_ref().map(|row| read(self.element_at(row, &i, span), scalar, span));
        let is_inside = binary(BinaryOp::Lt, i.clone(), count, span);
        let [l, r] = pair.clone();
        let are_equal = binary(BinaryOp::Eq, l, r, span);
        let test = binary(BinaryOp::And, is_inside.clone(), are_equal, span);
        let next = self.block_of(|this| {
            this.set_local(id, with_number(BinaryOp::Add, i, 1, span), span);
            Ok(())
        })?;
        self.emit(StmtKind::While(test, next), span);
        let decides = self.block_of(|this| {
            let [l, r] = pair.map(|e| this.keep(e));
            let found = this.order_of(&l, &r, span)?;
            this.set_local(order, found, span);
            Ok(())
        })?;
        let equal = self.block_of(|this| this.only_whole_elements(operands, span))?;
        self.emit(StmtKind::If(is_inside, decides, equal), span);
        Ok(())
    }

    fn compare_structures(
        &mut self,
        operands: &Operands,
        few: &Few,
        order: LocalId,
        span: Span,
    ) -> Result<()> {
        for i in 0..few.elements() {
            let [left, right] = [0, 1].map(|row| self.nth(&operands.rows[row], i, span));
            let left = self.scalars_of(&left, &operands.rows[0].element, span)?;
            let right = self.scalars_of(&right, &operands.rows[1].element, span)?;
            for ((path, l, scalar), (_, r, _)) in left.into_iter().zip(right) {
                if few.has(&path) {
                    self.compare_pair(l, r, scalar, order, span)?;
                }
            }
        }
        Ok(())
    }

    /// Lets two scalars decide, if none before them has.
    fn compare_pair(&mut self, l: Place, r: Place, scalar: Scalar, order: LocalId, span: Span) -> Result<()> {
        let (l, r) = (self.keep(read(l, scalar, span)), self.keep(read(r, scalar, span)));
        let decides = self.block_of(|this| {
            let found = this.order_of(&l, &r, span)?;
            this.set_local(order, found, span);
            Ok(())
        })?;
        let open = with_number(BinaryOp::Eq, read_local(order, self.int(), span), 0, span);
        let test = binary(BinaryOp::And, open, binary(BinaryOp::Ne, l, r, span), span);
        self.emit(StmtKind::If(test, decides, Block::default()), span);
        Ok(())
    }

    /// Which of two different scalars comes first, by its bytes; of pointers either may.
    fn order_of(&mut self, l: &Expr, r: &Expr, span: Span) -> Result<Expr> {
        if !matches!(l.ty, Scalar::Int(_) | Scalar::Bool) {
            return Ok(any(Choices(vec![(-1, -1), (1, 1)]), self.int(), span));
        }
        let args = [l, r].map(|e| wrapping(e.clone(), WORD, span)).to_vec();
        self.library_value("__fencepost_order", args, span)
    }
}
