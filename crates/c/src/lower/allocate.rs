//! New memory, and which type its values have.
//!
//! An object's cells are those of one type, and C's `malloc` names none. It is taken, in this order, from
//! the pointer type that the result is converted to, from a `sizeof` in the argument, and from the conversions of
//! the variable that it is assigned to. A function that gives back what it allocates as `void *` is lowered
//! once for each type that its result is converted to.

use super::facts::Conversions;
use super::procedure::Version;
use super::types::is_bytes;
use super::{Lowerer, Result};
use crate::hir::{self, FunctionId, TypeId, Visitor};
use fencepost_ir::Span;
use fencepost_ir::tree::{Expr, ExprKind, Fill, Storage, Type};

impl<'h> Lowerer<'h> {
    /// New memory of that many bytes, for values of the type whose size is asked for until a conversion says more.
    pub fn allocate(&mut self, bytes: Expr, hint: Option<TypeId>, fill: Fill, span: Span) -> Expr {
        let hinted = hint.and_then(|ty| self.storage(ty));
        let ty = hinted.or_else(|| self.body.allocated.clone()).unwrap_or_else(|| self.byte_type());
        let has_bits = hint.is_some_and(|ty| self.has_bits(ty));
        let fill = if has_bits { Fill::Zero } else { fill };
        let kind = ExprKind::Allocate(ty, Box::new(bytes), fill, Storage::Heap);
        Expr { kind, ty: self.pointer(), span }
    }

    /// The type of memory of which nothing is known.
    pub fn byte_type(&self) -> Type {
        self.scalar_of(self.hir.types.char()).into()
    }

    /// Gives an object that is being made the type of what a pointer to it points to.
    pub fn retype_allocation(&mut self, value: &mut Expr, target: TypeId) -> Result<()> {
        if self.hir.types.is_void(target) {
            return Ok(());
        }
        let Some(storage) = self.storage(target).filter(|storage| !is_bytes(storage)) else { return Ok(()) };
        let has_bits = self.has_bits(target);
        self.retype(value, &storage, has_bits)
    }

    fn retype(&mut self, value: &mut Expr, storage: &Type, has_bits: bool) -> Result<()> {
        match &mut value.kind {
            ExprKind::Allocate(ty, _, fill, _) => {
                *ty = storage.clone();
                if has_bits {
                    *fill = Fill::Zero;
                }
            }
            ExprKind::Reallocate(ty, ..) => *ty = storage.clone(),
            ExprKind::Call(procedure, _) => {
                if let Some(version) = self.procedures.version(*procedure)
                    && self.facts.allocators.contains(&version.function)
                {
                    let function = version.function;
                    *procedure = self.version(Version { function, allocates: Some(storage.clone()) })?;
                }
            }
            ExprKind::Select(_, then, otherwise) => {
                self.retype(then, storage, has_bits)?;
                self.retype(otherwise, storage, has_bits)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// What an allocating function is told of the type by its caller.
    pub fn allocation_type(&mut self, function: FunctionId, args: &[hir::Expr]) -> Option<Type> {
        if !self.facts.allocators.contains(&function) {
            return None;
        }
        let hint = args.iter().find_map(size_hint).and_then(|ty| self.storage(ty));
        hint.or_else(|| self.body.allocated.clone())
    }

    /// Gives memory that is assigned to a variable the type of what the variable is converted to.
    pub fn guess_allocation(&mut self, value: &mut Expr, place: &hir::Place) -> Result<()> {
        if !place.path.is_empty() || !self.is_open(value) {
            return Ok(());
        }
        let conversions = self.conversions();
        let found = match place.base {
            hir::Base::Local(id) => conversions.locals.get(&id),
            hir::Base::Global(id) => conversions.globals.get(&id),
            _ => None,
        };
        let found = found.cloned().unwrap_or_default();
        self.guess(value, &found)
    }

    /// The same for a local variable that begins with it.
    pub fn guess_local_allocation(&mut self, value: &mut Expr, local: hir::LocalId) -> Result<()> {
        if !self.is_open(value) {
            return Ok(());
        }
        let found = self.conversions().locals.get(&local).cloned().unwrap_or_default();
        self.guess(value, &found)
    }

    /// Whether a value is new memory of which nothing is known.
    fn is_open(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Allocate(ty, ..) => is_bytes(ty),
            ExprKind::Call(procedure, _) => self.procedures.version(*procedure).is_some_and(|version| {
                version.allocates.is_none() && self.facts.allocators.contains(&version.function)
            }),
            _ => false,
        }
    }

    fn conversions(&self) -> Conversions {
        let mut conversions = Conversions::default();
        conversions.block(&self.hir_body().block);
        conversions
    }

    /// The type that a variable's value is converted to in the function, if only one is.
    fn guess(&mut self, value: &mut Expr, found: &[TypeId]) -> Result<()> {
        let mut types = Vec::new();
        for ty in found {
            let Some(to) = self.hir.types.element(*ty) else { continue };
            types.extend(self.storage(to).filter(|storage| !is_bytes(storage)).map(|storage| (storage, to)));
        }
        let Some((storage, to)) = types.first().cloned() else { return Ok(()) };
        match types.iter().all(|(ty, _)| *ty == storage) {
            true => {
                let has_bits = self.has_bits(to);
                self.retype(value, &storage, has_bits)
            }
            false => Ok(()),
        }
    }
}

/// The type in a `sizeof` of an expression.
pub fn size_hint(e: &hir::Expr) -> Option<TypeId> {
    match &e.kind {
        hir::ExprKind::SizeOf(ty, _) => Some(*ty),
        hir::ExprKind::Binary(_, l, r) => size_hint(l).or_else(|| size_hint(r)),
        hir::ExprKind::Convert(_, arg) => size_hint(arg),
        _ => None,
    }
}
