//! Conversions between C's types.

use super::build::{checked, number, wrapping};
use super::{Lowerer, Result, Value, floating};
use crate::hir::{self, TypeId};
use fencepost_ir::tree::{BinaryOp, Expr, ExprKind, UnaryOp};
use fencepost_ir::{IntType, Scalar, Span};

const SIGNED_WORD: Scalar = Scalar::Int(IntType { bits: 64, signed: true });

/// What conversions tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Integer,
    Wide,
    Floating,
    Pointer,
    Thread,
}

impl<'h> Lowerer<'h> {
    fn conversion_kind(&self, ty: TypeId) -> Option<Kind> {
        Some(match self.hir.types.kind(ty) {
            hir::Type::Bool => Kind::Bool,
            hir::Type::Integer(_) | hir::Type::Enum(_) if self.is_wide(ty).is_some() => Kind::Wide,
            hir::Type::Integer(_) | hir::Type::Enum(_) => Kind::Integer,
            hir::Type::Floating(_) => Kind::Floating,
            hir::Type::Pointer(_) | hir::Type::VaList => Kind::Pointer,
            hir::Type::Thread => Kind::Thread,
            _ => return None,
        })
    }

    /// The value of an expression in another type.
    pub fn convert(&mut self, arg: &'h hir::Expr, to: TypeId, span: Span) -> Result<Value> {
        if self.hir.types.is_void(to) {
            self.effect(arg)?;
            return Ok(Value::Void);
        }
        let (Some(from_kind), Some(to_kind)) = (self.conversion_kind(arg.ty), self.conversion_kind(to))
        else {
            return Err(self.no_values(to, span));
        };
        let value = match (from_kind, to_kind) {
            (_, Kind::Bool) => self.condition(arg)?,
            (Kind::Floating, Kind::Floating) => {
                let value = self.value(arg)?;
                self.made_floating(value, to, span)?
            }
            (_, Kind::Floating) => {
                let value = self.value(arg)?;
                self.made_floating(value, to, span)?
            }
            (Kind::Floating, _) => {
                self.value(arg)?;
                return Err(floating::unknown_value(span));
            }
            (_, Kind::Wide) => {
                let signed = self.is_wide(to).unwrap_or(false);
                return self.widened(arg, signed, span).map(Value::Record);
            }
            (Kind::Wide, _) => {
                let low = self.low_word(arg)?;
                self.word_as(low, to_kind, to, span)
            }
            _ => {
                let value = self.scalar(arg)?;
                self.converted(value, (arg.ty, from_kind), (to, to_kind), span)?
            }
        };
        Ok(Value::Scalar(self.folded(value)))
    }

    /// A word of 64 bits as a value of another type.
    fn word_as(&mut self, word: Expr, kind: Kind, to: TypeId, span: Span) -> Expr {
        let scalar = self.scalar_of(to);
        match kind {
            Kind::Pointer => self.integer_as_address(word, scalar, span),
            Kind::Thread => self.numbered_thread(word, span),
            Kind::Bool | Kind::Integer | Kind::Wide | Kind::Floating => wrapping(word, scalar, span),
        }
    }

    fn converted(
        &mut self,
        value: Expr,
        (from, from_kind): (TypeId, Kind),
        (to, to_kind): (TypeId, Kind),
        span: Span,
    ) -> Result<Expr> {
        let scalar = self.scalar_of(to);
        Ok(match (from_kind, to_kind) {
            (Kind::Pointer, Kind::Pointer) => self.convert_pointer(value, from, to, span)?,
            (Kind::Thread, Kind::Thread) => value,
            (_, Kind::Thread) if self.fold(&value) == Some(0) => {
                Expr::constant(scalar.default_value(), scalar, span)
            }
            (Kind::Bool | Kind::Integer, Kind::Thread) => self.numbered_thread(value, span),
            // A handle that was carried as a pointer.
            (Kind::Pointer, Kind::Thread) => {
                let word = self.address_as_integer(value, self.size_scalar(), span);
                self.numbered_thread(word, span)
            }
            (Kind::Pointer, _) => self.address_as_integer(value, scalar, span),
            (Kind::Thread, Kind::Pointer) => {
                let number = self.thread_number(value, span);
                self.integer_as_address(number, scalar, span)
            }
            (Kind::Thread, _) => {
                let number = self.thread_number(value, span);
                wrapping(number, scalar, span)
            }
            (_, Kind::Pointer) => self.integer_as_address(value, scalar, span),
            _ => wrapping(value, scalar, span),
        })
    }

    /// The value of an expression as an integer, of the type that holds it.
    pub fn integer_value(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(e.span);
        let kind = self.conversion_kind(e.ty).ok_or_else(|| self.no_values(e.ty, span))?;
        if kind == Kind::Wide {
            return self.low_word(e);
        }
        let value = self.scalar(e)?;
        match kind {
            Kind::Bool | Kind::Integer | Kind::Wide => Ok(value),
            Kind::Floating => Err(floating::unknown_value(span)),
            Kind::Pointer => Ok(self.address_as_integer(value, self.size_scalar(), span)),
            Kind::Thread => Ok(self.thread_number(value, span)),
        }
    }

    /// A pointer to something as a pointer to something else.
    fn convert_pointer(&mut self, value: Expr, from: TypeId, to: TypeId, span: Span) -> Result<Expr> {
        let (Some(source), Some(target)) = (self.hir.types.element(from), self.hir.types.element(to)) else {
            return Ok(value);
        };
        self.keeps_floating(source, target, span)?;
        self.expose_words(source, target);
        let mut value = value;
        self.retype_allocation(&mut value, target)?;
        Ok(value)
    }

    /// A pointer will be looked at as an integer, or an integer's place holds one.
    fn expose_words(&mut self, from: TypeId, to: TypeId) {
        let types = &self.hir.types;
        let integer = match (types.is_pointer(from), types.is_pointer(to)) {
            (true, false) if types.is_integer(to) => to,
            (false, true) if types.is_integer(from) => from,
            _ => return,
        };
        let bits = types.size(integer).unwrap_or(0) * 8;
        self.program.exposes_pointers |= bits == u64::from(self.program.pointer_bits);
    }

    /// A thread as an integer: they are counted from 1, and 0 is none.
    pub fn thread_number(&mut self, thread: Expr, span: Span) -> Expr {
        let index = wrapping(thread, SIGNED_WORD, span);
        self.operate(BinaryOp::Add, index, number(1, SIGNED_WORD, span), span)
    }

    /// The thread of a number.
    fn numbered_thread(&mut self, word: Expr, span: Span) -> Expr {
        let word = wrapping(word, SIGNED_WORD, span);
        let index = self.operate(BinaryOp::Sub, word, number(1, SIGNED_WORD, span), span);
        checked(index, Scalar::Thread, span)
    }

    /// A thread that an expression names, also where nothing says that it is one.
    pub fn thread_named(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(e.span);
        let value = self.scalar(e)?;
        Ok(match self.conversion_kind(e.ty) {
            Some(Kind::Thread) => value,
            _ if self.fold(&value) == Some(0) => {
                Expr::constant(Scalar::Thread.default_value(), Scalar::Thread, span)
            }
            Some(Kind::Pointer) => {
                let word = self.address_as_integer(value, self.size_scalar(), span);
                self.numbered_thread(word, span)
            }
            _ => self.numbered_thread(value, span),
        })
    }

    /// A value as one of another scalar type, where pointers may be called integers or the other way round.
    pub fn recast(&mut self, value: Expr, to: Scalar, span: Span) -> Expr {
        match (value.ty, to) {
            (Scalar::Pointer { .. }, Scalar::Int(_)) => self.address_as_integer(value, to, span),
            (Scalar::Int(_), Scalar::Pointer { .. }) => self.integer_as_address(value, to, span),
            _ => wrapping(value, to, span),
        }
    }

    /// The opposite of all bits.
    pub fn complement(&self, value: Expr, span: Span) -> Expr {
        let ty = value.ty;
        self.folded(Expr { kind: ExprKind::Unary(UnaryOp::BitNot, Box::new(value)), ty, span })
    }
}
