//! Numbers of 128 bits: two words, the lower one first.
//!
//! In memory a number is a structure (see [`super::types`]), so it is kept, copied, passed and compared-and-swapped as
//! structures are, and in a union it shares the words of a pointer with its tag, which is what lock-free programs use it
//! for. It is read and written word by word, as compilers do. What is computed with are the words themselves
//! ([`super::wide_arithmetic`]).

use super::build::{binary, number, read, select, with_number, wrapping};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir::{self, ExprKind as Hir};
use fencepost_ir::tree::{BinaryOp, Expr, Place, Projection, Type, VarRef};
use fencepost_ir::{IntType, Scalar, Span};

/// A word with sign.
pub const SIGNED_WORD: Scalar = Scalar::Int(IntType { bits: 64, signed: true });

/// The words of a number, evaluated: they mean the same wherever they are.
#[derive(Clone, Debug)]
pub struct Wide {
    pub low: Expr,
    pub high: Expr,
}

impl Wide {
    /// A number that is known, or its bits.
    pub fn number(value: i128, span: Span) -> Wide {
        let word = |bits: i128| number(bits as i64, WORD, span);
        Wide { low: word(value), high: word(value >> 64) }
    }
}

/// One of the words of a number in memory.
fn word_at(place: &Place, field: usize, span: Span) -> Place {
    let mut place = Place { span, ..place.clone() };
    place.path.push(Projection::Field(field));
    place
}

impl<'h> Lowerer<'h> {
    /// The words of an expression of 128 bits.
    pub fn wide(&mut self, e: &'h hir::Expr) -> Result<Wide> {
        let span = self.at(e.span);
        let signed = self.is_wide(e.ty).expect("the type has 128 bits");
        match &e.kind {
            Hir::Const(value) | Hir::SizeOf(_, value) => Ok(Wide::number(*value, span)),
            Hir::Convert(_, arg) => self.widened_words(arg, span),
            Hir::Unary(op, arg) => {
                let value = self.wide(arg)?;
                Ok(self.wide_negated(*op, value, span))
            }
            Hir::Binary(op, l, r) => self.wide_operation(*op, l, r, signed, span),
            _ => {
                let place = self.record_value(e)?;
                Ok(self.words_at(place, span))
            }
        }
    }

    /// The words of a number in memory, read now.
    pub fn words_at(&mut self, mut place: Place, span: Span) -> Wide {
        self.stabilise(&mut place);
        let [low, high] = [0, 1].map(|field| self.keep(read(word_at(&place, field, span), WORD, span)));
        Wide { low, high }
    }

    /// Puts words where a number of 128 bits is.
    pub fn store_words(&mut self, place: &Place, value: Wide, span: Span) {
        for (field, word) in [value.low, value.high].into_iter().enumerate() {
            self.assign_place(word_at(place, field, span), word, span);
        }
    }

    /// A variable of our own that holds a number of 128 bits.
    pub fn wide_place(&mut self, value: Wide, signed: bool, span: Span) -> Place {
        let storage = Type::Record(self.wide_record(signed));
        let id = self.local("%wide", storage, span);
        let place = Place::variable(VarRef::Local(id), span);
        self.store_words(&place, value, span);
        place
    }

    /// A number of 128 bits in a variable of our own.
    pub fn wide_constant(&mut self, value: i128, signed: bool, span: Span) -> Place {
        self.wide_place(Wide::number(value, span), signed, span)
    }

    /// A scalar as a number of 128 bits: one with a sign keeps it.
    pub fn extended(&mut self, value: Expr, span: Span) -> Wide {
        let signed = matches!(value.ty, Scalar::Int(int) if int.signed);
        let value = match value.ty {
            Scalar::Pointer { .. } => self.address_as_integer(value, WORD, span),
            Scalar::Thread => self.thread_number(value, span),
            _ => value,
        };
        let low = self.keep(value);
        let low = self.wrapped(low, WORD, span);
        let high = match signed {
            true => self.sign_of(low.clone(), span),
            false => number(0, WORD, span),
        };
        Wide { low, high }
    }

    /// As many bits as a word has, all as its highest one.
    pub fn sign_of(&self, word: Expr, span: Span) -> Expr {
        let signed = wrapping(word, SIGNED_WORD, span);
        let sign = with_number(BinaryOp::Shr, signed, 63, span);
        self.wrapped(sign, WORD, span)
    }

    /// The words of an expression of any type, as one of 128 bits.
    fn widened_words(&mut self, arg: &'h hir::Expr, span: Span) -> Result<Wide> {
        if self.is_wide(arg.ty).is_some() {
            return self.wide(arg);
        }
        if self.hir.types.is_floating(arg.ty) {
            self.value(arg)?;
            return Err(super::floating::unknown_value(span));
        }
        let value = self.scalar(arg)?;
        Ok(self.extended(value, span))
    }

    /// An expression as a number of 128 bits.
    pub fn widened(&mut self, arg: &'h hir::Expr, signed: bool, span: Span) -> Result<Place> {
        // With a sign or without, the words are the same.
        if self.is_wide(arg.ty).is_some() {
            return self.record_value(arg);
        }
        let words = self.widened_words(arg, span)?;
        Ok(self.wide_place(words, signed, span))
    }

    /// The lower word of an expression of 128 bits.
    pub fn low_word(&mut self, arg: &'h hir::Expr) -> Result<Expr> {
        if let Hir::Read(_) = arg.kind {
            let span = self.at(arg.span);
            let place = self.record_value(arg)?;
            return Ok(read(word_at(&place, 0, span), WORD, span));
        }
        self.wide(arg).map(|words| words.low)
    }

    /// Whether a number of 128 bits in memory is not zero.
    pub fn wide_truth(&mut self, place: Place, span: Span) -> Expr {
        let words = self.words_at(place, span);
        self.any_bits(words, span)
    }

    /// Whether a number is not zero.
    pub fn any_bits(&self, value: Wide, span: Span) -> Expr {
        let both = binary(BinaryOp::BitOr, value.low, value.high, span);
        self.truth(self.folded(both), span)
    }

    /// `-` and `~`.
    pub fn wide_unary(
        &mut self,
        op: hir::UnaryOp,
        arg: &'h hir::Expr,
        signed: bool,
        span: Span,
    ) -> Result<Place> {
        let value = self.wide(arg)?;
        let value = self.wide_negated(op, value, span);
        Ok(self.wide_place(value, signed, span))
    }

    /// Arithmetic whose result has 128 bits.
    pub fn wide_binary(
        &mut self,
        op: BinaryOp,
        l: &'h hir::Expr,
        r: &'h hir::Expr,
        signed: bool,
        span: Span,
    ) -> Result<Place> {
        let value = self.wide_operation(op, l, r, signed, span)?;
        Ok(self.wide_place(value, signed, span))
    }

    /// A comparison of two numbers of 128 bits.
    pub fn wide_comparison(
        &mut self,
        op: BinaryOp,
        l: &'h hir::Expr,
        r: &'h hir::Expr,
        span: Span,
    ) -> Result<Expr> {
        let signed = self.is_wide(l.ty).unwrap_or(false);
        let (l, r) = (self.wide(l)?, self.wide(r)?);
        Ok(self.wide_compared(op, l, r, signed, span))
    }

    /// The operands of arithmetic, and what comes of them.
    fn wide_operation(
        &mut self,
        op: BinaryOp,
        l: &'h hir::Expr,
        r: &'h hir::Expr,
        signed: bool,
        span: Span,
    ) -> Result<Wide> {
        let l = self.wide(l)?;
        if let BinaryOp::Shl | BinaryOp::Shr = op {
            let by = self.shift_count(r)?;
            return Ok(self.wide_shift(op, l, by, signed, span));
        }
        let r = self.wide(r)?;
        self.wide_operate(op, l, r, signed, span)
    }

    /// How far something is shifted, as a word, which may have any type; what does not fit a word is too much.
    pub fn shift_count(&mut self, r: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(r.span);
        if self.is_wide(r.ty).is_none() {
            let by = self.scalar(r)?;
            let by = self.wrapped(by, WORD, span);
            return Ok(self.keep(by));
        }
        let Wide { low, high } = self.wide(r)?;
        let none = with_number(BinaryOp::Eq, high, 0, span);
        let by = select(none, low, number(-1, WORD, span), span);
        Ok(self.keep(self.folded(by)))
    }
}
