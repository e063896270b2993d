//! `qsort` and `bsearch`. Sorting is by insertion and stable, which no program may rely on.

use super::build::{binary, number, read_local, with_number};
use super::counted::Row;
use super::{Lowerer, Result};
use crate::hir;
use fencepost_ir::tree::{BinaryOp, Block, Expr, LocalId, StmtKind};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;

/// What is sorted or searched: elements of a type that the pointer tells, how many, and what compares them.
struct Sorted {
    row: Row,
    count: Expr,
    compare: Expr,
}

impl<'h> Lowerer<'h> {
    fn sorted(
        &mut self,
        base: &'h hir::Expr,
        count: &'h hir::Expr,
        compare: &'h hir::Expr,
        span: Span,
    ) -> Result<Sorted> {
        let (pointer, known) = self.typed_pointer(base)?;
        let types = &self.hir.types;
        let written = types.element(self.before_cast(base).ty).filter(|to| !types.is_void(*to));
        let element = known.or(written).ok_or_else(|| {
            let at = self.at(base.span);
            Diagnostic::new(at, "what this points to has no known type, so it cannot be sorted here")
        })?;
        let element = self.stored(element, span)?;
        let row = Row { first: self.keep_unless_stable(pointer), element };
        let count = self.size(count)?;
        let count = self.keep(count);
        let compare = self.scalar(compare)?;
        let compare = self.keep(compare);
        Ok(Sorted { row, count, compare })
    }

    /// `qsort(base, count, bytes, compare)`
    pub fn sort(&mut self, args: &'h [hir::Expr], span: Span) -> Result<()> {
        let sorted = self.sorted(&args[0], &args[1], &args[3], span)?;
        let size = sorted.count.ty;
        let outer = self.counter("%i", number(1, size, span), span);
        let i = read_local(outer, size, span);
        let block = self.block_of(|this| {
            let inner = this.counter("%j", i.clone(), span);
            this.sink(&sorted, inner, span)?;
            this.set_local(outer, with_number(BinaryOp::Add, i.clone(), 1, span), span);
            Ok(())
        })?;
        let test = binary(BinaryOp::Lt, i, sorted.count, span);
        self.emit(StmtKind::While(test, block), span);
        Ok(())
    }

    /// Exchanges an element with the one before it until that is not larger.
    fn sink(&mut self, sorted: &Sorted, at: LocalId, span: Span) -> Result<()> {
        let j = read_local(at, sorted.count.ty, span);
        let before = with_number(BinaryOp::Sub, j.clone(), 1, span);
        let (test, effects) = self.captured(|this| {
            let is_inside = with_number(BinaryOp::Gt, j.clone(), 0, span);
            let (is_larger, effects) = this.captured(|this| {
                let pair = [&before, &j].map(|i| this.element_pointer(&sorted.row, i, span));
                let order = this.call_address(&sorted.compare, pair.to_vec(), this.int(), span)?;
                Ok(with_number(BinaryOp::Gt, order, 0, span))
            })?;
            Ok(this.both(is_inside, is_larger, effects, span))
        })?;
        let exchange = self.block_of(|this| {
            let [left, right] = [&before, &j].map(|i| this.element_at(&sorted.row, i, span));
            let later = this.scalars_of(&right, &sorted.row.element, span)?;
            let later = this.kept_scalars(later, span);
            this.copy(&right, &left, &sorted.row.element, span)?;
            let targets = this.scalars_of(&left, &sorted.row.element, span)?;
            for ((_, place, _), value) in targets.into_iter().zip(later) {
                this.assign_place(place, value, span);
            }
            this.set_local(at, before, span);
            Ok(())
        })?;
        self.repeat(test, effects, exchange, span);
        Ok(())
    }

    /// Whether both hold, where the right side is evaluated only if the left one holds.
    fn both(&mut self, left: Expr, right: Expr, effects: Block, span: Span) -> Expr {
        if effects.0.is_empty() {
            return binary(BinaryOp::And, left, right, span);
        }
        let id = self.temporary(Scalar::Bool, span);
        self.emit(StmtKind::Declare(id, Some(left)), span);
        let mut then = effects;
        let place = fencepost_ir::tree::Place::variable(fencepost_ir::tree::VarRef::Local(id), span);
        then.0.push(fencepost_ir::tree::Stmt { kind: StmtKind::Assign(place, right), span });
        let known = read_local(id, Scalar::Bool, span);
        self.emit(StmtKind::If(known.clone(), then, Block::default()), span);
        known
    }

    /// `bsearch(key, base, count, bytes, compare)`
    pub fn search(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let (key, _) = self.typed_pointer(&args[0])?;
        let key = self.keep_unless_stable(key);
        let sorted = self.sorted(&args[1], &args[2], &args[4], span)?;
        let size = sorted.count.ty;
        let low = self.counter("%low", number(0, size, span), span);
        let high = self.counter("%high", sorted.count.clone(), span);
        let found = self.counter("%found", number(0, self.pointer(), span), span);
        let (l, h) = (read_local(low, size, span), read_local(high, size, span));
        let block = self.block_of(|this| {
            let distance = binary(BinaryOp::Sub, h.clone(), l.clone(), span);
            let half = with_number(BinaryOp::Div, distance, 2, span);
            let middle = this.counter("%middle", binary(BinaryOp::Add, l.clone(), half, span), span);
            let middle = read_local(middle, size, span);
            let element = this.element_pointer(&sorted.row, &middle, span);
            let order = this.call_address(&sorted.compare, vec![key, element.clone()], this.int(), span)?;
            let order = this.keep(order);
            let equal = this.block_of(|this| {
                this.set_local(found, element, span);
                this.set_local(low, h.clone(), span);
                Ok(())
            })?;
            let less = this.block_of(|this| {
                this.set_local(high, middle.clone(), span);
                Ok(())
            })?;
            let more = this.block_of(|this| {
                this.set_local(low, with_number(BinaryOp::Add, middle, 1, span), span);
                Ok(())
            })?;
            let other = this.block_of(|this| {
                let is_less = with_number(BinaryOp::Lt, order.clone(), 0, span);
                this.emit(StmtKind::If(is_less, less, more), span);
                Ok(())
            })?;
            this.emit(StmtKind::If(with_number(BinaryOp::Eq, order, 0, span), equal, other), span);
            Ok(())
        })?;
        self.emit(StmtKind::While(binary(BinaryOp::Lt, l, h, span), block), span);
        Ok(read_local(found, self.pointer(), span))
    }
}
