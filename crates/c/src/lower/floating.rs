//! Floating point, as far as no value of it is observed.
//!
//! Programs compute times and averages to print them. Such a value decides nothing that is checked here, so it is not
//! followed: a floating-point variable has its place in memory and its accesses (they may race, and their addresses may
//! be wrong), but all values are one. Where a value would decide anything (a condition, a conversion to an
//! integer, its bytes) the program is refused at that line.
//!
//! The one value is a choice that has no alternative, which tells it from integers of the same type until the whole
//! program has been looked at (`finish/numbers.rs`).

use super::build::any;
use super::{Lowerer, Result, Value};
use crate::hir::{self, TypeId};
use fencepost_ir::Span;
use fencepost_ir::tree::{Choices, Expr, VarRef};

pub(crate) use crate::finish::{is_unfollowed, settled, unknown_value};

impl<'h> Lowerer<'h> {
    /// The one value of a floating type.
    pub fn some_number(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let scalar = self.scalar_type(ty).ok_or_else(|| self.no_values(ty, span))?;
        self.notes.keeps_numbers = true;
        Ok(any(Choices::one(0), scalar, span))
    }

    /// A number that becomes one of a floating type: its accesses happen, its value is gone.
    pub fn made_floating(&mut self, value: Value, ty: TypeId, span: Span) -> Result<Expr> {
        match value {
            Value::Scalar(value) => self.discard(value),
            Value::Record(place) => {
                self.words_at(place, span);
            }
            Value::Void => {}
        }
        self.some_number(ty, span)
    }

    /// Arithmetic on floating-point numbers.
    pub fn floating_arithmetic(
        &mut self,
        l: &'h hir::Expr,
        r: &'h hir::Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Expr> {
        for operand in [l, r] {
            let value = self.scalar(operand)?;
            self.discard(value);
        }
        self.some_number(ty, span)
    }

    /// Notes where a variable with an initialiser holds such numbers.
    pub fn note_numbers(&mut self, variable: VarRef, ty: TypeId, offset: u64) {
        let hir = self.hir;
        match hir.types.kind(ty) {
            hir::Type::Floating(_) => self.notes.number_cells.push((variable, offset)),
            hir::Type::Array(of, _) => self.note_numbers(variable, *of, offset),
            hir::Type::Record(id) if self.has_floating(ty) => {
                let layout = hir.types.layout(*id).expect("variables have complete types");
                for member in &layout.members {
                    self.note_numbers(variable, member.ty, offset + member.offset);
                }
            }
            _ => {}
        }
    }

    /// Refuses pointers by which a floating-point number's bytes could be seen, or be made.
    pub fn keeps_floating(&self, from: TypeId, to: TypeId, span: Span) -> Result<()> {
        let types = &self.hir.types;
        let generic = |ty: TypeId| types.is_void(ty) || types.is_record(ty);
        if generic(from) || generic(to) || self.floats(from) == self.floats(to) {
            return Ok(());
        }
        Err(unknown_value(span))
    }

    /// Whether a type is of floating-point numbers only.
    pub fn floats(&self, ty: TypeId) -> bool {
        match self.hir.types.kind(ty) {
            hir::Type::Array(of, _) => self.floats(*of),
            kind => matches!(kind, hir::Type::Floating(_)),
        }
    }
}
