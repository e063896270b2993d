//! Addresses as integers, and integers as addresses.
//!
//! A pointer is a word of 64 bits, and where C gives it as many, a conversion keeps the word. Where C gives it 32, the
//! integer is the pointer's narrow form ([`fencepost_ir::pointer`]). A pointer that has none cannot be
//! converted: the run ends in a limit.

use super::Lowerer;
use super::build::{select as choose, wrapping};
use super::types::WORD;
use fencepost_ir::tree::{BinaryOp, Conversion, Expr, ExprKind};
use fencepost_ir::{IntType, Scalar, Span, pointer};

const NARROW: Scalar = Scalar::Int(IntType { bits: 32, signed: false });

/// The smallest number of a procedure, in words and in narrow forms.
const FIRST: i64 = 1 << 31;
const FIRST_NARROW: i64 = 1 << 15;

fn number(value: i64, span: Span) -> Expr {
    Expr::constant(value, WORD, span)
}

fn binary(op: BinaryOp, l: &Expr, r: Expr) -> Expr {
    let ty = match op {
        BinaryOp::Lt | BinaryOp::And => Scalar::Bool,
        _ => WORD,
    };
    Expr { kind: ExprKind::Binary(op, Box::new(l.clone()), Box::new(r)), ty, span: l.span }
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let span = then.span;
    choose(condition, then, otherwise, span)
}

impl Lowerer<'_> {
    /// The integer that a conversion makes of a pointer.
    pub fn address_as_integer(&mut self, address: Expr, to: Scalar, span: Span) -> Expr {
        if self.program.pointer_bits == 64 {
            return wrapping(address, to, span);
        }
        // Narrow forms are not followed as pointers are.
        self.program.exposes_pointers |= self.fold(&address) != Some(0);
        if let Some(narrow) = self.fold(&address).and_then(pointer::narrow) {
            return wrapping(Expr::constant(narrow.into(), NARROW, span), to, span);
        }
        let word = self.keep(wrapping(address, WORD, span));
        let moved = binary(BinaryOp::Add, &word, number(FIRST, span));
        let object = self.keep(binary(BinaryOp::Shr, &moved, number(32, span)));
        let start = binary(BinaryOp::Shl, &object, number(32, span));
        let offset = self.keep(binary(BinaryOp::Sub, &word, start));
        let is_object = binary(BinaryOp::Lt, &object, number(FIRST_NARROW, span));
        // An object that is neither known nor a procedure wraps, and is far beyond.
        let procedure = binary(BinaryOp::Sub, &object, number(FIRST, span));
        let procedure = self.keep(procedure);
        let is_procedure = binary(BinaryOp::Lt, &procedure, number(FIRST_NARROW, span));
        let shown = binary(BinaryOp::Add, &procedure, number(FIRST_NARROW, span));
        let form = |object: Expr| {
            binary(BinaryOp::Add, &binary(BinaryOp::Shl, &object, number(16, span)), offset.clone())
        };
        let of_procedure = select(is_procedure, form(shown), no_narrow_form(span));
        let forms = select(is_object, form(object), of_procedure);
        let moved = binary(BinaryOp::Add, &offset, number(1 << 15, span));
        let is_near = binary(BinaryOp::Lt, &moved, number(1 << 16, span));
        let form = select(is_near, forms, no_narrow_form(span));
        wrapping(wrapping(form, NARROW, span), to, span)
    }

    /// The pointer that a conversion makes of an integer.
    pub fn integer_as_address(&mut self, integer: Expr, to: Scalar, span: Span) -> Expr {
        if self.program.pointer_bits == 64 {
            return wrapping(integer, to, span);
        }
        let narrow = wrapping(integer, NARROW, span);
        if let Some(value) = self.fold(&narrow) {
            return Expr::constant(pointer::widen(value as u32), to, span);
        }
        let narrow = binary(BinaryOp::Add, &wrapping(narrow, WORD, span), number(1 << 15, span));
        let moved = self.keep(binary(BinaryOp::BitAnd, &narrow, number(u32::MAX.into(), span)));
        let object = self.keep(binary(BinaryOp::Shr, &moved, number(16, span)));
        let low = binary(BinaryOp::BitAnd, &moved, number((1 << 16) - 1, span));
        let offset = binary(BinaryOp::Sub, &low, number(1 << 15, span));
        let is_object = binary(BinaryOp::Lt, &object, number(FIRST_NARROW, span));
        let procedure = binary(BinaryOp::Add, &object, number(FIRST - FIRST_NARROW, span));
        let object = select(is_object, object, procedure);
        let word = binary(BinaryOp::Add, &binary(BinaryOp::Shl, &object, number(32, span)), offset);
        wrapping(word, to, span)
    }
}

/// What has no value, and that by a limit and by no error of the program.
fn no_narrow_form(span: Span) -> Expr {
    let kind = ExprKind::Convert(Conversion::Checked, Box::new(number(-1, span)));
    let beyond = Expr { kind, ty: Scalar::Integer, span };
    wrapping(beyond, WORD, span)
}
