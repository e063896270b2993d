//! `memcpy` and its like, on values of known types. A few elements are copied one by one; more, or a number that only the
//! run knows, by a loop. Where nothing is known of the type, or a scalar is cut, a loop of the library copies words or bytes, as
//! their number and places allow; the pass `cells` makes memory show these.

use super::build::{binary, with_number, wrapping};
use super::counted::Way;
use super::operands::{Few, Operands};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir;
use fencepost_ir::tree::{BinaryOp, Expr, StmtKind};
use fencepost_ir::{IntType, Scalar, Span, pointer};

/// More words than this are copied by a loop.
const MOST_WORDS: u64 = 8;

impl<'h> Lowerer<'h> {
    /// Copies bytes; gives where they went, and how many they are.
    pub fn copy_memory(
        &mut self,
        to: &'h hir::Expr,
        from: &'h hir::Expr,
        bytes: &'h hir::Expr,
        span: Span,
    ) -> Result<(Expr, Expr)> {
        let operands = self.operands([to, from], bytes, span)?;
        let [to, from] = &operands.rows;
        let result = (to.first.clone(), operands.bytes.clone());
        let few = self.few(&operands);
        if operands.is_untyped && self.copy_words(&operands, span) {
            return Ok(result);
        }
        if operands.is_untyped || few.is_none() && self.cuts_element(&operands) {
            let args = vec![to.first.clone(), from.first.clone(), operands.bytes.clone()];
            self.library_function("__fencepost_copy_raw", args, span)?;
            return Ok(result);
        }
        match few {
            Some(few) => self.copy_few(&operands, &few, span)?,
            None => self.copy_many(&operands, span)?,
        }
        Ok(result)
    }

    /// Copies memory of which only the size is known, if it is a scalar's or that of a few words. Compilers do the same.
    fn copy_words(&mut self, operands: &Operands, span: Span) -> bool {
        let Some(bytes) = self.fold(&operands.bytes).and_then(|bytes| u64::try_from(bytes).ok()) else {
            return false;
        };
        let size = match bytes {
            1 | 2 | 4 => bytes,
            _ if bytes.is_multiple_of(8) && (1..=MOST_WORDS).contains(&(bytes / 8)) => 8,
            _ => return false,
        };
        let scalar = Scalar::Int(IntType { bits: 8 * size as u8, signed: false });
        let place = |this: &Self, first: &Expr, i: u64| {
            let moved = || with_number(BinaryOp::Add, first.clone(), (i * size) as i64, span);
            let pointer = if i == 0 { first.clone() } else { this.folded(moved()) };
            this.follow(pointer, scalar.into(), span)
        };
        let [to, from] = &operands.rows;
        let values: Vec<_> = (0..bytes / size)
            .map(|i| super::build::read(place(self, &from.first, i), scalar, span))
            .collect();
        let values: Vec<_> = values.into_iter().map(|value| self.keep(value)).collect();
        for (i, value) in (0..).zip(values) {
            let target = place(self, &to.first, i);
            self.assign_place(target, value, span);
        }
        true
    }

    /// All is read before anything is written: the two may overlap.
    fn copy_few(&mut self, operands: &Operands, few: &Few, span: Span) -> Result<()> {
        let [to, from] = &operands.rows;
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        for i in 0..few.elements() {
            let (source, target) = (self.nth(from, i, span), self.nth(to, i, span));
            let mut sources = self.scalars_of(&source, &from.element, span)?;
            let parts = self.scalars_of(&target, &to.element, span)?;
            sources.retain(|(path, ..)| few.has(path));
            values.extend(self.kept_scalars(sources, span));
            targets.extend(parts.into_iter().filter(|(path, ..)| few.has(path)));
        }
        for ((_, place, _), value) in targets.into_iter().zip(values) {
            self.assign_place(place, value, span);
        }
        Ok(())
    }

    /// Backwards where the target begins in the source.
    fn copy_many(&mut self, operands: &Operands, span: Span) -> Result<()> {
        let count = self.whole_elements(operands, span);
        let overlaps = self.begins_inside(operands, span);
        match self.fold(&overlaps) {
            Some(0) => self.copy_loop(operands, &count, Way::Up, span)?,
            Some(_) => self.copy_loop(operands, &count, Way::Down, span)?,
            None => {
                let down = self.block_of(|this| this.copy_loop(operands, &count, Way::Down, span))?;
                let up = self.block_of(|this| this.copy_loop(operands, &count, Way::Up, span))?;
                self.emit(StmtKind::If(overlaps, down, up), span);
            }
        }
        self.only_whole_elements(operands, span)
    }

    fn copy_loop(&mut self, operands: &Operands, count: &Expr, way: Way, span: Span) -> Result<()> {
        let [to, from] = &operands.rows;
        self.for_each(count, way, span, |this, i| {
            let (source, target) = (this.element_at(from, i, span), this.element_at(to, i, span));
            match to.element.as_scalar() {
                Some(scalar) => {
                    this.assign_place(target, super::build::read(source, scalar, span), span);
                    Ok(())
                }
                None => this.copy(&target, &source, &to.element, span),
            }
        })
    }

    /// Whether the target begins inside of the source, as a truth value.
    fn begins_inside(&self, operands: &Operands, span: Span) -> Expr {
        let [to, from] = [0, 1].map(|i| operands.rows[i].first.clone());
        let distance = wrapping(self.folded(binary(BinaryOp::Sub, to, from, span)), WORD, span);
        // Other objects are farther away than any object is large.
        if let Some(distance) = self.fold(&distance)
            && distance as u64 > pointer::LARGEST
        {
            return super::build::truth_value(false, span);
        }
        let bytes = self.wrapped(operands.bytes.clone(), WORD, span);
        self.folded(binary(BinaryOp::Lt, distance, bytes, span))
    }
}
