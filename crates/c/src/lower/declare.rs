//! Declarations of local variables.
//!
//! Large variables, and arrays whose length only the run knows, are memory of their own, new with each declaration, to
//! which a variable of our own points.

use super::body::Slot;
use super::build::{any, anything, number};
use super::initializer::Before;
use super::jump::Cleanup;
use super::{Lowerer, Result, Uninitialized};
use crate::hir::{self, Initializer, TypeId};
use fencepost_ir::tree::{Choices, Expr, ExprKind, Fill, LocalId, Place, StmtKind, Storage, Type, VarRef};
use fencepost_ir::{Scalar, Span};

/// Locals with more scalars than this are kept in memory.
const MOST_REGISTERS: u64 = 256;

impl<'h> Lowerer<'h> {
    /// A local variable begins.
    pub fn declare(&mut self, id: hir::LocalId, init: &'h Initializer, span: Span) -> Result<()> {
        let local = &self.hir_body().locals[id];
        self.declare_as(&local.name, id, init, self.at(local.span))?;
        if let Some(function) = local.cleanup {
            self.frame().cleanups.push(Cleanup { local: id, function, span });
        }
        Ok(())
    }

    /// `(T){...}`
    pub fn declare_literal(&mut self, id: hir::LocalId, init: &'h Initializer, span: Span) -> Result<()> {
        self.declare_as("%literal", id, init, span)
    }

    fn declare_as(&mut self, name: &str, id: hir::LocalId, init: &'h Initializer, span: Span) -> Result<()> {
        let ty = self.hir_body().locals[id].ty;
        if self.hir.types.is_variable(ty) {
            return self.declare_variable_length(name, id, ty, span);
        }
        let storage = self.stored(ty, span)?;
        if self.program.records.cells(&storage) > MOST_REGISTERS {
            return self.declare_large(name, id, storage, init, span);
        }
        // What the user did not write is not shown.
        let name = match name {
            "" => format!("%t{}", self.body.locals.len()),
            name if self.is_inlined() && !name.starts_with('%') => format!("%{name}"),
            name => name.to_string(),
        };
        let local = self.local(&name, storage.clone(), span);
        self.begins_with_block(local);
        self.body.locals[local.0].spelled = self.spelled_at(ty, span);
        // The name is known in its own initialiser, as in `T *p = malloc(sizeof *p)`.
        self.set_slot(id, Slot::Local(local));
        match (init, storage.as_scalar()) {
            (_, Some(Scalar::Mutex)) => self.emit(StmtKind::Declare(local, None), span),
            (Initializer::Value(e), Some(_)) => {
                let mut value = self.scalar(e)?;
                self.guess_local_allocation(&mut value, id)?;
                self.emit(StmtKind::Declare(local, Some(value)), span);
            }
            (Initializer::None, _) => self.declare_undefined(local, ty, &storage, span),
            (_, _) => {
                let place = Place::variable(VarRef::Local(local), span);
                self.initialize(&place, ty, init, Before::Anything, span)?;
            }
        }
        Ok(())
    }

    /// A variable without initialiser.
    fn declare_undefined(&mut self, local: LocalId, ty: TypeId, storage: &Type, span: Span) {
        if self.asks.uninitialized == Uninitialized::Zero {
            return;
        }
        let value = match storage.as_scalar() {
            Some(scalar) => {
                self.body.locals[local.0].fill = Fill::Undefined;
                match self.hir.types.is_floating(ty) {
                    true => Some(any(Choices::one(0), scalar, span)),
                    false => anything(scalar).map(|choices| any(choices, scalar, span)),
                }
            }
            None => {
                let layout = self.program.records.layout(storage);
                // Memory knows which integers were written, not which of their bits.
                if layout.iter().any(|cell| anything(cell.ty).is_some()) && !self.has_bits(ty) {
                    self.body.locals[local.0].fill = Fill::Undefined;
                }
                None
            }
        };
        self.emit(StmtKind::Declare(local, value), span);
    }

    /// A variable that is too large for registers.
    fn declare_large(
        &mut self,
        name: &str,
        id: hir::LocalId,
        storage: Type,
        init: &'h Initializer,
        span: Span,
    ) -> Result<()> {
        let ty = self.hir_body().locals[id].ty;
        let is_initialised = !matches!(init, Initializer::None);
        let bytes = self.program.records.size(&storage) as i64;
        let bytes = number(bytes, self.size_scalar(), span);
        let fill = if is_initialised { Fill::Zero } else { self.uninitialized(ty) };
        let pointer = self.stack_memory(format!("&{name}"), storage.clone(), bytes, fill, span);
        self.set_slot(id, Slot::Pointed(pointer, storage.clone()));
        if !is_initialised {
            return Ok(());
        }
        let place =
            super::build::pointed(super::build::read_local(pointer, self.pointer(), span), storage, span);
        self.initialize(&place, ty, init, Before::Zero, span)
    }

    /// An array whose length only the run knows.
    fn declare_variable_length(
        &mut self,
        name: &str,
        id: hir::LocalId,
        ty: TypeId,
        span: Span,
    ) -> Result<()> {
        let bytes = self.byte_size(ty, span)?;
        let bytes = self.wrapped(bytes, self.size_scalar(), span);
        let bytes = self.keep(bytes);
        let mut element = ty;
        while self.hir.types.is_variable(element) {
            element = self.hir.types.element(element).expect("arrays have elements");
        }
        let storage = self.stored(element, span)?;
        let fill = self.uninitialized(element);
        let pointer = self.stack_memory(name.to_string(), storage.clone(), bytes, fill, span);
        self.set_slot(id, Slot::Pointed(pointer, storage));
        Ok(())
    }

    /// What memory for variables of a type holds that have no initialiser.
    fn uninitialized(&mut self, ty: TypeId) -> Fill {
        let is_zero = self.asks.uninitialized == Uninitialized::Zero || self.has_bits(ty);
        if is_zero { Fill::Zero } else { Fill::Undefined }
    }

    /// Memory that is gone with the block around, and the variable that points to it.
    fn stack_memory(&mut self, name: String, ty: Type, bytes: Expr, fill: Fill, span: Span) -> LocalId {
        let pointer = self.pointer();
        let id = self.local(&name, pointer.into(), span);
        self.ends_with_block(id);
        let kind = ExprKind::Allocate(ty, Box::new(bytes), fill, Storage::Stack);
        self.emit(StmtKind::Declare(id, Some(Expr { kind, ty: pointer, span })), span);
        id
    }
}
