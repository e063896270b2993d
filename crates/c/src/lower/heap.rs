//! Functions that allocate memory and give it back. Allocating always succeeds; objects begin where every alignment does.

use super::allocate::size_hint;
use super::build::number;
use super::{Lowerer, Result};
use crate::hir;
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Expr, ExprKind, Fill, StmtKind, Storage};
use fencepost_text::Diagnostic;

/// The error of a wrong argument.
const EINVAL: i64 = 22;

/// `MAP_ANONYMOUS`
const ANONYMOUS: i128 = 32;

impl<'h> Lowerer<'h> {
    /// `free(pointer)`, `munmap(pointer, bytes)`
    pub fn free(&mut self, args: &'h [hir::Expr], span: Span) -> Result<()> {
        let pointer = self.scalar(&args[0])?;
        let mark = self.mark();
        self.evaluate(&args[1..])?;
        let pointer = self.settle(pointer, mark);
        let pointer = self.recast(pointer, self.pointer(), span);
        self.emit(StmtKind::Free(pointer), span);
        Ok(())
    }

    /// New memory of so many bytes.
    pub fn new_memory(&mut self, bytes: &'h hir::Expr, fill: Fill, span: Span) -> Result<Expr> {
        let size = self.size(bytes)?;
        Ok(self.allocate(size, size_hint(bytes), fill, span))
    }

    /// What `alloca` returns lives longer than it should, and is never freed.
    pub fn stack_allocation(&mut self, bytes: &'h hir::Expr, span: Span) -> Result<Expr> {
        let mut value = self.new_memory(bytes, Fill::Undefined, span)?;
        if let ExprKind::Allocate(.., storage) = &mut value.kind {
            *storage = Storage::Stack;
        }
        Ok(value)
    }

    pub fn calloc(&mut self, count: &'h hir::Expr, size: &'h hir::Expr, span: Span) -> Result<Expr> {
        let hint = size_hint(size).or_else(|| size_hint(count));
        let number = self.size(count)?;
        let mark = self.mark();
        let bytes = self.size(size)?;
        let number = self.settle(number, mark);
        if self.is_too_much(&number, &bytes) {
            return Ok(self.null(span));
        }
        let bytes = self.operate(BinaryOp::Mul, number, bytes, span);
        Ok(self.allocate(bytes, hint, Fill::Zero, span))
    }

    /// Whether a number of bytes is known to be larger than its type can say.
    fn is_too_much(&self, count: &Expr, size: &Expr) -> bool {
        let known = |value: &Expr| self.fold(value).map(|n| n as u64 as u128);
        let bits = self.program.pointer_bits;
        known(count).zip(known(size)).is_some_and(|(count, size)| (count * size) >> bits != 0)
    }

    /// A pointer to nothing.
    pub fn null(&self, span: Span) -> Expr {
        number(0, self.pointer(), span)
    }

    pub fn reallocate(
        &mut self,
        pointer: &'h hir::Expr,
        bytes: &'h hir::Expr,
        count: Option<&'h hir::Expr>,
        span: Span,
    ) -> Result<Expr> {
        let (old, known) = self.typed_pointer(pointer)?;
        let old = self.keep(old);
        let hint = size_hint(bytes);
        let mut size = self.size(bytes)?;
        if let Some(count) = count {
            let mark = self.mark();
            let count = self.size(count)?;
            size = self.settle(size, mark);
            if self.is_too_much(&count, &size) {
                return Ok(self.null(span));
            }
            size = self.operate(BinaryOp::Mul, size, count, span);
        }
        let ty = known.or(hint).and_then(|ty| self.storage(ty)).unwrap_or_else(|| self.byte_type());
        let kind = ExprKind::Reallocate(ty, Box::new(old), Box::new(size));
        Ok(Expr { kind, ty: self.pointer(), span })
    }

    /// `posix_memalign(out, alignment, bytes)`; gives an error's number, as `int`.
    pub fn allocate_into(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let [out, alignment, bytes, ..] = args else { panic!("it takes three operands") };
        if constant(alignment).is_some_and(|n| !self.is_alignment(n)) {
            self.evaluate(args)?;
            return Ok(number(EINVAL, self.int(), span));
        }
        let (pointer, known) = self.typed_pointer(out)?;
        let mark = self.mark();
        self.effect(alignment)?;
        let mut memory = self.new_memory(bytes, Fill::Undefined, span)?;
        let pointer = self.settle(pointer, mark);
        if let Some(to) = known.and_then(|ty| self.hir.types.element(ty)) {
            self.retype_allocation(&mut memory, to)?;
        }
        let target = self.follow(pointer, self.pointer().into(), span);
        self.assign_place(target, memory, span);
        Ok(number(0, self.int(), span))
    }

    /// Whether `posix_memalign` takes an alignment.
    fn is_alignment(&self, n: i128) -> bool {
        let pointer = i128::from(self.program.pointer_bits / 8);
        n > 0 && n & (n - 1) == 0 && n % pointer == 0
    }

    /// `mmap`; of files nothing is known.
    pub fn map(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        if constant(&args[3]).is_none_or(|flags| flags & ANONYMOUS == 0) {
            return Err(Diagnostic::new(span, "mapping files is not supported"));
        }
        self.new_memory(&args[1], Fill::Zero, span)
    }
}

/// The number that an expression is.
pub fn constant(e: &hir::Expr) -> Option<i128> {
    match &e.kind {
        hir::ExprKind::Const(value) | hir::ExprKind::SizeOf(_, value) => Some(*value),
        _ => None,
    }
}
