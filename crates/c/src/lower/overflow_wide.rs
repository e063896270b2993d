//! Overflow of numbers for which 64 bits do not suffice: the exact result in as many words as it needs, cut, and compared
//! with what was cut off.

use super::build::{binary, number, with_number};
use super::overflow::{Goal, Operand};
use super::types::WORD;
use super::wide::Wide;
use super::{Lowerer, Result};
use fencepost_ir::tree::{BinaryOp, Expr};
use fencepost_ir::{Scalar, Span};

/// An exact number: its words from the lowest on, the last of which has the sign of the whole.
type Words = [Expr; 3];

impl Lowerer<'_> {
    /// Operands of any two types, and a result of any type.
    pub fn overflowing_widely(
        &mut self,
        op: BinaryOp,
        operands: [Operand; 2],
        goal: Goal,
        span: Span,
    ) -> Result<Expr> {
        let is_narrow = operands.iter().all(|operand| matches!(operand, Operand::Scalar(_)));
        let (exact, beyond) = if is_narrow {
            // Of 64 bits come 128. The product of two numbers without sign may need all of them, and has no sign then.
            let has_sign = |operand: &Operand| match operand {
                Operand::Scalar(e) => matches!(e.ty, Scalar::Int(int) if int.signed),
                Operand::Wide(_, signed) => *signed,
            };
            let unsigned = op == BinaryOp::Mul && !operands.iter().any(has_sign);
            let [l, r] = operands.map(|operand| self.words_of(operand, span));
            let [low, high, _] = l;
            let l = Wide { low, high };
            let [low, high, _] = r;
            let exact = self.wide_operate(op, l, Wide { low, high }, true, span)?;
            let sign = if unsigned { number(0, WORD, span) } else { self.sign_of(exact.high.clone(), span) };
            ([exact.low, exact.high, sign], None)
        } else {
            let [l, r] = operands.map(|operand| self.words_of(operand, span));
            match op {
                BinaryOp::Add => (self.sum(l, r, span), None),
                BinaryOp::Sub => (self.difference(l, r, span), None),
                _ => {
                    let (product, beyond) = self.signed_product(l, r, span);
                    (product, Some(beyond))
                }
            }
        };
        let cut_off = self.cut(exact, goal, span);
        Ok(match beyond {
            Some(beyond) => self.folded(binary(BinaryOp::Or, beyond, cut_off, span)),
            None => cut_off,
        })
    }

    /// An operand as three words.
    fn words_of(&mut self, operand: Operand, span: Span) -> Words {
        let (Wide { low, high }, signed) = match operand {
            Operand::Scalar(value) => (self.extended(value, span), true),
            Operand::Wide(words, signed) => (words, signed),
        };
        let sign = if signed { self.sign_of(high.clone(), span) } else { number(0, WORD, span) };
        [low, high, sign]
    }

    /// Stores a number where it goes; gives whether it is another one there.
    fn cut(&mut self, exact: Words, goal: Goal, span: Span) -> Expr {
        let [low, high, sign] = exact;
        let zero = number(0, WORD, span);
        let Some(scalar) = self.scalar_type(goal.ty) else {
            let signed = self.is_wide(goal.ty).unwrap_or(false);
            let rest = if signed { self.sign_of(high.clone(), span) } else { zero };
            if let Some(target) = goal.target {
                self.store_words(&target.place, Wide { low, high }, span);
            }
            return self.compared(BinaryOp::Ne, sign, rest, span);
        };
        let cut = self.narrowed(Wide { low: low.clone(), high: high.clone() }, scalar, span);
        let cut = self.keep(cut);
        self.store_result(goal, cut.clone(), span);
        let back = self.extended(cut, span);
        let rest = self.sign_of(back.high.clone(), span);
        let pairs = [(low, back.low), (high, back.high), (sign, rest)];
        let differ = pairs.map(|(l, r)| self.folded(binary(BinaryOp::BitXor, l, r, span)));
        let [first, second, third] = differ;
        let some = binary(BinaryOp::BitOr, binary(BinaryOp::BitOr, first, second, span), third, span);
        self.truth(self.folded(some), span)
    }

    /// A sum of words with a carry, which is 0 or 1, and the carry that comes of it.
    fn carried(&mut self, l: &Expr, r: &Expr, carry: Expr, span: Span) -> (Expr, Expr) {
        let sum = self.word(BinaryOp::Add, l, r, span);
        let over = self.compared(BinaryOp::Lt, sum.clone(), l.clone(), span);
        let whole = self.word(BinaryOp::Add, &sum, &carry, span);
        let again = self.compared(BinaryOp::Lt, whole.clone(), sum, span);
        let carry = self.folded(binary(BinaryOp::Or, over, again, span));
        (whole, self.wrapped(carry, WORD, span))
    }

    fn sum(&mut self, l: Words, r: Words, span: Span) -> Words {
        self.sum_and_carry(l, r, number(0, WORD, span), span)
    }

    fn sum_and_carry(&mut self, l: Words, r: Words, carry: Expr, span: Span) -> Words {
        let (low, carry) = self.carried(&l[0], &r[0], carry, span);
        let (high, carry) = self.carried(&l[1], &r[1], carry, span);
        let (sign, _) = self.carried(&l[2], &r[2], carry, span);
        [low, high, sign]
    }

    /// `l - r`, which is `l + ~r + 1`.
    fn difference(&mut self, l: Words, r: Words, span: Span) -> Words {
        let r = r.map(|word| self.complement(word, span));
        self.sum_and_carry(l, r, number(1, WORD, span), span)
    }

    /// The number, or its opposite where the sign is that of a negative one: both have the same words otherwise.
    fn with_sign(&mut self, value: Words, sign: &Expr, span: Span) -> Words {
        let turned = value.map(|word| self.word(BinaryOp::BitXor, &word, sign, span));
        let one = self.folded(with_number(BinaryOp::BitAnd, sign.clone(), 1, span));
        let zeros = [0; 3].map(|zero| number(zero, WORD, span));
        self.sum_and_carry(turned, zeros, one, span)
    }

    /// The product of two numbers, and whether it has more than 128 bits besides its sign: computed without signs.
    fn signed_product(&mut self, l: Words, r: Words, span: Span) -> (Words, Expr) {
        let sign = self.word(BinaryOp::BitXor, &l[2], &r[2], span);
        let (l_sign, r_sign) = (l[2].clone(), r[2].clone());
        let [l0, l1, _] = self.with_sign(l, &l_sign, span);
        let [r0, r1, _] = self.with_sign(r, &r_sign, span);
        let Wide { low, high } = self.product(&l0, &r0, span);
        let (first, second) = (self.product(&l0, &r1, span), self.product(&l1, &r0, span));
        let zero = number(0, WORD, span);
        let (high, carry) = self.carried(&high, &first.low, zero.clone(), span);
        let (high, again) = self.carried(&high, &second.low, zero.clone(), span);
        let some = |e: Expr| self.compared(BinaryOp::Ne, e, zero.clone(), span);
        let both = binary(BinaryOp::And, some(l1), some(r1), span);
        let beyond = [first.high, second.high, carry, again];
        let beyond = beyond.into_iter().fold(both, |all, e| binary(BinaryOp::Or, all, some(e), span));
        let beyond = self.keep(self.folded(beyond));
        (self.with_sign([low, high, zero], &sign, span), beyond)
    }
}
