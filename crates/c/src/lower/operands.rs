//! What functions on memory are given: pointers, which are `void *` to them, and numbers of bytes.
//!
//! The type is that of what the pointers point to, before they become `void *`, or else the one whose size is asked for. So
//! whole scalars are copied, and memory never sees half of one.

use super::allocate::size_hint;
use super::build::number;
use super::counted::Row;
use super::{Lowerer, Result, floating};
use crate::hir::{self, Rank, Type as C, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Expr, StmtKind};
use fencepost_ir::{Span, Step};
use fencepost_text::Diagnostic;

/// More scalars than this are gone through by a loop.
const MOST_UNROLLED: u64 = 32;

/// Two pieces of memory of one type, and how many bytes of them are meant.
pub struct Operands {
    pub rows: [Row; 2],
    pub bytes: Expr,
    /// What the memory is of.
    pub ty: TypeId,
    /// Nothing is known of what is there.
    pub is_untyped: bool,
}

/// How much of memory is meant, where that is known and little.
pub enum Few {
    /// So many elements.
    Elements(u64),
    /// The scalars in the first bytes of one element.
    Prefix(Vec<Vec<Step>>),
}

impl Few {
    pub fn elements(&self) -> u64 {
        match self {
            Few::Elements(n) => *n,
            Few::Prefix(_) => 1,
        }
    }

    /// Whether a scalar of an element is meant.
    pub fn has(&self, path: &Vec<Step>) -> bool {
        match self {
            Few::Elements(_) => true,
            Few::Prefix(inside) => inside.contains(path),
        }
    }
}

impl<'h> Lowerer<'h> {
    /// Whether a type says nothing of what is there.
    pub fn is_raw(&self, ty: TypeId) -> bool {
        match self.hir.types.kind(ty) {
            C::Void => true,
            C::Integer(integer) => integer.rank == Rank::Char,
            _ => false,
        }
    }

    /// A pointer before it became one to `void` or bytes.
    pub fn before_cast(&self, e: &'h hir::Expr) -> &'h hir::Expr {
        let types = &self.hir.types;
        match &e.kind {
            hir::ExprKind::Convert(_, inner)
                if types.is_pointer(e.ty)
                    && types.is_pointer(inner.ty)
                    && types.element(e.ty).is_some_and(|to| self.is_raw(to)) =>
            {
                self.before_cast(inner)
            }
            _ => e,
        }
    }

    /// What a pointer points to, if that says anything.
    fn pointed_type(&self, pointer: &hir::Expr) -> Option<TypeId> {
        let to = self.hir.types.element(pointer.ty)?;
        let has_size = self.hir.types.size(to).is_some_and(|size| size > 0);
        (has_size && !self.is_raw(to)).then_some(to)
    }

    /// A pointer, and what it points to before any conversion to `void *` or `char *`, if that says anything.
    pub fn typed_pointer(&mut self, e: &'h hir::Expr) -> Result<(Expr, Option<TypeId>)> {
        let e = self.before_cast(e);
        let value = self.scalar(e)?;
        let span = self.at(e.span);
        if !self.hir.types.is_pointer(e.ty) && self.fold(&value) != Some(0) {
            return Err(Diagnostic::new(span, "this is not a pointer"));
        }
        let pointer = self.recast(value, self.pointer(), span);
        Ok((self.folded(pointer), self.pointed_type(e)))
    }

    /// A number of bytes or elements, as `size_t`.
    pub fn size(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(e.span);
        let value = self.scalar(e)?;
        let value = self.with_known_parameters(value);
        Ok(self.wrapped(value, self.size_scalar(), span))
    }

    /// What arrays of arrays are of.
    pub fn innermost(&self, ty: TypeId) -> TypeId {
        match *self.hir.types.kind(ty) {
            C::Array(of, _) => self.innermost(of),
            _ => ty,
        }
    }

    /// Two pointers of one type, the one that is told best, and how many bytes are meant.
    pub fn operands(
        &mut self,
        pointers: [&'h hir::Expr; 2],
        bytes: &'h hir::Expr,
        span: Span,
    ) -> Result<Operands> {
        let [first, second] = pointers;
        let (left, left_ty) = self.typed_pointer(first)?;
        let left = self.keep_unless_stable(left);
        let (right, right_ty) = match std::ptr::eq(first, second) {
            true => (left.clone(), left_ty),
            false => self.typed_pointer(second)?,
        };
        let right = self.keep_unless_stable(right);
        let hint = size_hint(bytes);
        let bytes = self.size(bytes)?;
        let bytes = self.keep(bytes);
        let known = [left_ty, right_ty, hint].into_iter().flatten().map(|ty| self.innermost(ty));
        let known: Vec<TypeId> = known.filter(|ty| !self.is_raw(*ty)).collect();
        let types = &self.hir.types;
        let points_to = pointers.map(|e| types.element(self.before_cast(e).ty));
        let is_void = |to: &Option<TypeId>| to.is_none_or(|to| types.is_void(to));
        let is_untyped = known.is_empty() && points_to.iter().any(is_void);
        // A structure that is larger than what is copied begins with something smaller.
        let fits = |ty: &&TypeId| match (self.fold(&bytes), types.size(**ty)) {
            (Some(n), Some(size)) => (n as u64).is_multiple_of(size),
            _ => true,
        };
        let ty = known.iter().find(fits).or(known.first()).copied().unwrap_or(types.char());
        for to in points_to.into_iter().flatten().filter(|to| !types.is_void(*to)) {
            if self.has_floating(to) != self.has_floating(ty) {
                return Err(floating::unknown_value(span));
            }
        }
        let element = self.stored(ty, span)?;
        let rows = [left, right].map(|first| Row { first, element: element.clone() });
        Ok(Operands { rows, bytes, ty, is_untyped })
    }

    /// The bytes that are meant, if they are few and no scalar is cut.
    pub fn few(&self, operands: &Operands) -> Option<Few> {
        let n = self.fold(&operands.bytes)? as u64;
        let (element, records) = (&operands.rows[0].element, &self.program.records);
        let size = records.size(element).max(1);
        if n < size && element.as_scalar().is_none() && !records.has_union(element) {
            return self.prefix(operands, n);
        }
        let count = n / size;
        let is_few = count.saturating_mul(records.cells(element)) <= MOST_UNROLLED;
        (n.is_multiple_of(size) && is_few).then_some(Few::Elements(count))
    }

    /// Whether the bytes that are meant are known, and no whole elements.
    pub fn cuts_element(&self, operands: &Operands) -> bool {
        let size = self.program.records.size(&operands.rows[0].element).max(1);
        self.fold(&operands.bytes).is_some_and(|n| !(n as u64).is_multiple_of(size))
    }

    /// The scalars in the first bytes of one element, if none is cut.
    fn prefix(&self, operands: &Operands, bytes: u64) -> Option<Few> {
        let element = &operands.rows[0].element;
        let mut inside = Vec::new();
        for (path, scalar) in self.covering(element) {
            let (offset, _) = self.program.records.offset(element, &path);
            match (offset < bytes, offset + scalar.size() <= bytes) {
                (true, true) => inside.push(path),
                (true, false) => return None,
                (false, _) => {}
            }
        }
        Some(Few::Prefix(inside))
    }

    /// How many whole elements are meant.
    pub fn whole_elements(&mut self, operands: &Operands, span: Span) -> Expr {
        let size = self.program.records.size(&operands.rows[0].element).max(1);
        let size = number(size as i64, operands.bytes.ty, span);
        let count = self.operate_wrapping(BinaryOp::Div, operands.bytes.clone(), size, span);
        self.keep(count)
    }

    /// Ends a run in which the bytes accessed are not a whole element: those are not modelled.
    pub fn only_whole_elements(&mut self, operands: &Operands, span: Span) -> Result<()> {
        let size = self.program.records.size(&operands.rows[0].element).max(1);
        let size = number(size as i64, operands.bytes.ty, span);
        let rest = self.operate_wrapping(BinaryOp::Rem, operands.bytes.clone(), size, span);
        let is_cut = self.truth(rest, span);
        if self.fold(&is_cut) == Some(0) {
            return Ok(());
        }
        let name = "__fencepost_not_whole";
        let cut = self.block_of(|this| this.library_function(name, Vec::new(), span).map(|_| ()))?;
        self.emit(StmtKind::If(is_cut, cut, Block::default()), span);
        Ok(())
    }
}
