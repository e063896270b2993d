//! Arithmetic on numbers of 128 bits, by their words. Where a step's result is used more than once, it is done in a
//! variable of our own.

use super::build::{binary, number, select, with_number, wrapping};
use super::types::WORD;
use super::wide::{SIGNED_WORD, Wide};
use super::{Lowerer, Result, Value};
use crate::{hir, runtime};
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Expr, UnaryOp};

impl Lowerer<'_> {
    /// Arithmetic on words, done now.
    pub fn word(&mut self, op: BinaryOp, l: &Expr, r: &Expr, span: Span) -> Expr {
        let r = self.wrapped(r.clone(), WORD, span);
        let value = self.folded(binary(op, l.clone(), r, span));
        self.keep(value)
    }

    /// Arithmetic; shifts are [`Lowerer::wide_shift`].
    pub fn wide_operate(&mut self, op: BinaryOp, l: Wide, r: Wide, signed: bool, span: Span) -> Result<Wide> {
        Ok(match op {
            BinaryOp::Add => {
                let low = self.word(op, &l.low, &r.low, span);
                let carry = self.compared(BinaryOp::Lt, low.clone(), l.low, span);
                let high = self.word(op, &l.high, &r.high, span);
                Wide { low, high: self.word(op, &high, &carry, span) }
            }
            BinaryOp::Sub => {
                let borrow = self.compared(BinaryOp::Lt, l.low.clone(), r.low.clone(), span);
                let low = self.word(op, &l.low, &r.low, span);
                let high = self.word(op, &l.high, &r.high, span);
                Wide { low, high: self.word(op, &high, &borrow, span) }
            }
            BinaryOp::Mul => {
                let Wide { low, high } = self.product(&l.low, &r.low, span);
                let first = self.word(op, &l.low, &r.high, span);
                let second = self.word(op, &l.high, &r.low, span);
                let high = self.word(BinaryOp::Add, &high, &first, span);
                Wide { low, high: self.word(BinaryOp::Add, &high, &second, span) }
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let words = vec![l.high, l.low, r.high, r.low];
                match self.library_function(runtime::wide_division(op, signed), words, span)? {
                    Value::Record(place) => self.words_at(place, span),
                    Value::Scalar(_) | Value::Void => panic!("what is divided has 128 bits"),
                }
            }
            _ => {
                Wide { low: self.word(op, &l.low, &r.low, span), high: self.word(op, &l.high, &r.high, span) }
            }
        })
    }

    /// `-` and `~`.
    pub fn wide_negated(&mut self, op: hir::UnaryOp, value: Wide, span: Span) -> Wide {
        let not = |word| self.complement(word, span);
        match op {
            hir::UnaryOp::BitNot => Wide { low: not(value.low), high: not(value.high) },
            hir::UnaryOp::Minus => {
                let none = with_number(BinaryOp::Eq, value.low.clone(), 0, span);
                let low = self.negated_word(value.low, span);
                let high = not(value.high);
                // Only of what ends in zeros is there a carry.
                Wide { low, high: self.word(BinaryOp::Add, &high, &self.folded(none), span) }
            }
        }
    }

    fn negated_word(&self, word: Expr, span: Span) -> Expr {
        let kind = fencepost_ir::tree::ExprKind::Unary(UnaryOp::Neg, Box::new(word));
        self.folded(Expr { kind, ty: WORD, span })
    }

    /// A comparison, as a truth value: where the upper words are the same, the lower ones decide.
    pub fn wide_compared(&self, op: BinaryOp, l: Wide, r: Wide, signed: bool, span: Span) -> Expr {
        let same = self.compared(BinaryOp::Eq, l.high.clone(), r.high.clone(), span);
        let low = self.compared(op, l.low, r.low, span);
        let top = |word| match signed {
            true => self.wrapped(word, SIGNED_WORD, span),
            false => word,
        };
        let high = self.compared(op, top(l.high), top(r.high), span);
        self.folded(select(same, low, high, span))
    }

    /// A shift by a word. As of smaller numbers, a shift by as many bits as there are is an error of the program.
    pub fn wide_shift(&mut self, op: BinaryOp, value: Wide, by: Expr, signed: bool, span: Span) -> Wide {
        if let Some(by @ 0..128) = self.fold(&by) {
            return self.shifted_by(op, value, by, signed, span);
        }
        let within = with_number(BinaryOp::Lt, by.clone(), 128, span);
        let beyond = select(within, number(0, WORD, span), by.clone(), span);
        let shift = binary(BinaryOp::Shl, number(1, WORD, span), beyond, span);
        self.discard(shift);
        // In each word, and by a whole word where that is needed.
        let bits = self.keep(with_number(BinaryOp::BitAnd, by.clone(), 63, span));
        let spare = self.keep(binary(BinaryOp::Sub, number(63, WORD, span), bits.clone(), span));
        let whole = self.keep(with_number(BinaryOp::Ge, by, 64, span));
        let Wide { low, high } = value;
        let zero = number(0, WORD, span);
        let choose = |this: &Self, then: Expr, otherwise: Expr| {
            this.folded(select(whole.clone(), then, otherwise, span))
        };
        match op {
            BinaryOp::Shl => {
                let over = with_number(BinaryOp::Shr, low.clone(), 1, span);
                let over = binary(BinaryOp::Shr, over, spare, span);
                let moved = binary(BinaryOp::Shl, high, bits.clone(), span);
                let high = self.word(BinaryOp::BitOr, &moved, &over, span);
                let low = self.word(op, &low, &bits, span);
                Wide { low: choose(self, zero, low.clone()), high: choose(self, low, high) }
            }
            _ => {
                let over = with_number(BinaryOp::Shl, high.clone(), 1, span);
                let over = binary(BinaryOp::Shl, over, spare, span);
                let moved = binary(BinaryOp::Shr, low, bits.clone(), span);
                let low = self.word(BinaryOp::BitOr, &moved, &over, span);
                let fill = if signed { self.sign_of(high.clone(), span) } else { zero };
                let high = self.shifted_top(high, bits, signed, span);
                let high = self.keep(high);
                Wide { low: choose(self, high.clone(), low), high: choose(self, fill, high) }
            }
        }
    }

    /// The upper word moved down: what comes in from the left of a number with a sign is its sign.
    fn shifted_top(&self, high: Expr, by: Expr, signed: bool, span: Span) -> Expr {
        let top = if signed { wrapping(high, SIGNED_WORD, span) } else { high };
        let by = wrapping(by, top.ty, span);
        self.wrapped(binary(BinaryOp::Shr, top, by, span), WORD, span)
    }

    fn shifted_by(&mut self, op: BinaryOp, value: Wide, by: i64, signed: bool, span: Span) -> Wide {
        let Wide { low, high } = value;
        let zero = number(0, WORD, span);
        let moved =
            |this: &Self, op, word: &Expr, by: i64| this.folded(with_number(op, word.clone(), by, span));
        let top = |this: &Self, by: i64| this.shifted_top(high.clone(), number(by, WORD, span), signed, span);
        match (op, by) {
            (_, 0) => Wide { low, high },
            (BinaryOp::Shl, 64..) => Wide { low: zero, high: moved(self, op, &low, by - 64) },
            (BinaryOp::Shl, _) => {
                let over = moved(self, BinaryOp::Shr, &low, 64 - by);
                let rest = moved(self, op, &high, by);
                Wide { low: moved(self, op, &low, by), high: self.word(BinaryOp::BitOr, &rest, &over, span) }
            }
            (_, 64..) => {
                let fill = if signed { self.sign_of(high.clone(), span) } else { zero };
                Wide { low: top(self, by - 64), high: fill }
            }
            _ => {
                let over = moved(self, BinaryOp::Shl, &high, 64 - by);
                let rest = moved(self, op, &low, by);
                let high = top(self, by);
                Wide { low: self.word(BinaryOp::BitOr, &rest, &over, span), high }
            }
        }
    }

    /// The whole product of two words, by their halves.
    pub fn product(&mut self, l: &Expr, r: &Expr, span: Span) -> Wide {
        let low = self.word(BinaryOp::Mul, l, r, span);
        Wide { low, high: self.upper_product(l, r, span) }
    }

    fn upper_product(&mut self, l: &Expr, r: &Expr, span: Span) -> Expr {
        let half = number(32, WORD, span);
        let mask = number(0xffff_ffff, WORD, span);
        let low = |this: &mut Self, word: &Expr| this.word(BinaryOp::BitAnd, word, &mask, span);
        let high = |this: &mut Self, word: &Expr| this.word(BinaryOp::Shr, word, &half, span);
        let (l0, l1) = (low(self, l), high(self, l));
        let (r0, r1) = (low(self, r), high(self, r));
        let lowest = self.word(BinaryOp::Mul, &l0, &r0, span);
        let carry = high(self, &lowest);
        let first = self.word(BinaryOp::Mul, &l1, &r0, span);
        let first = self.word(BinaryOp::Add, &first, &carry, span);
        let (first_low, first_high) = (low(self, &first), high(self, &first));
        let second = self.word(BinaryOp::Mul, &l0, &r1, span);
        let second = self.word(BinaryOp::Add, &second, &first_low, span);
        let second_high = high(self, &second);
        let product = self.word(BinaryOp::Mul, &l1, &r1, span);
        let product = self.word(BinaryOp::Add, &product, &first_high, span);
        self.word(BinaryOp::Add, &product, &second_high, span)
    }
}
