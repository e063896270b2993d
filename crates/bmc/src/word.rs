//! Integers as circuits: two's complement of any width, the last bit the sign.
//!
//! A word has as few bits as its gates show it to need, so small values stay small whatever their types;
//! nothing overflows, words grow instead. Types come in where a value is wrapped or checked
//! (`expression.rs`).

use crate::circuit::{Circuit, Lit};
use fencepost_analysis::values::Values;

/// An integer: bits from the lowest on; the last one continues forever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word(Vec<Lit>);

/// Quotient and remainder, as of Rust's `/` and `%`.
pub struct Division {
    /// Rounded towards zero.
    pub quotient: Word,
    /// With the sign of the dividend.
    pub remainder: Word,
}

impl Word {
    /// A number.
    pub fn constant(value: i128) -> Word {
        Word::from_bits((0..128).map(|i| Lit::constant(value >> i & 1 == 1)).collect())
    }

    /// 0 or 1.
    pub fn from_lit(lit: Lit) -> Word {
        Word::from_bits(vec![lit, Lit::FALSE])
    }

    /// Two's complement.
    pub fn from_bits(mut bits: Vec<Lit>) -> Word {
        while let [.., below, sign] = bits[..]
            && below == sign
        {
            bits.pop();
        }
        Word(bits)
    }

    /// A word with new inputs that can be any of the values.
    pub fn one_of(values: &Values, c: &mut Circuit) -> Word {
        match values {
            Values::Few(values) if values.is_empty() => Word::constant(0),
            // Bits that are equal, or opposite, in all values are one input.
            Values::Few(values) => {
                let mut seen: Vec<(u64, Lit)> = Vec::new();
                let all = if values.len() == 64 { u64::MAX } else { (1 << values.len()) - 1 };
                let mut bits = Vec::new();
                for bit in 0..64 {
                    let column: u64 = values
                        .iter()
                        .enumerate()
                        .map(|(i, v)| (*v as u64 >> bit & 1) << i)
                        .fold(0, |a, b| a | b);
                    let lit = match column {
                        0 => Lit::FALSE,
                        full if full == all => Lit::TRUE,
                        column => match seen.iter().find(|(s, _)| *s == column || *s == all & !column) {
                            Some((s, lit)) => {
                                if *s == column {
                                    *lit
                                } else {
                                    !*lit
                                }
                            }
                            None => {
                                let input = c.input();
                                seen.push((column, input));
                                input
                            }
                        },
                    };
                    bits.push(lit);
                }
                Word::from_bits(bits)
            }
            Values::Range(lo, hi) => {
                let bits = |v: i64| 64 - (if v < 0 { !v } else { v }).leading_zeros();
                let width = bits(*lo).max(bits(*hi)) as usize;
                let mut word: Vec<_> = (0..width).map(|_| c.input()).collect();
                word.push(if *lo >= 0 {
                    Lit::FALSE
                } else if *hi < 0 {
                    Lit::TRUE
                } else {
                    c.input()
                });
                Word::from_bits(word)
            }
        }
    }

    /// The number, if all bits are constant.
    pub fn as_constant(&self) -> Option<i128> {
        let mut value = if self.sign().as_constant()? { -1 } else { 0 };
        for bit in self.0.iter().rev() {
            value = value << 1 | i128::from(bit.as_constant()?);
        }
        Some(value)
    }

    /// Number of bits, the sign included.
    pub fn width(&self) -> usize {
        self.0.len()
    }

    /// The bits.
    pub fn bits(&self) -> &[Lit] {
        &self.0
    }

    /// The sign.
    pub fn sign(&self) -> Lit {
        self.0[self.0.len() - 1]
    }

    /// A bit; those after the last are the sign.
    pub fn bit(&self, i: usize) -> Lit {
        self.0.get(i).copied().unwrap_or(self.sign())
    }

    /// The lowest bits, as a signed number of that width.
    pub fn signed(&self, width: usize) -> Word {
        if self.width() <= width {
            return self.clone();
        }
        Word::from_bits(self.0[..width].to_vec())
    }

    /// The lowest bits, as an unsigned number of that width.
    pub fn unsigned(&self, width: usize) -> Word {
        if self.width() <= width && self.sign() == Lit::FALSE {
            return self.clone();
        }
        Word::from_bits((0..width).map(|i| self.bit(i)).chain([Lit::FALSE]).collect())
    }

    /// Whether it is not 0.
    pub fn is_nonzero(&self, c: &mut Circuit) -> Lit {
        c.any(self.0.iter().copied())
    }

    /// Bit by bit.
    pub fn zip(&self, other: &Word, c: &mut Circuit, gate: impl Fn(&mut Circuit, Lit, Lit) -> Lit) -> Word {
        let width = self.width().max(other.width());
        Word::from_bits((0..width).map(|i| gate(c, self.bit(i), other.bit(i))).collect())
    }

    /// `!self`
    pub fn complement(&self) -> Word {
        Word(self.0.iter().map(|bit| !*bit).collect())
    }

    /// One of two.
    pub fn choose(condition: Lit, then: &Word, otherwise: &Word, c: &mut Circuit) -> Word {
        match condition.as_constant() {
            Some(true) => then.clone(),
            Some(false) => otherwise.clone(),
            None if then == otherwise => then.clone(),
            None => then.zip(otherwise, c, |c, t, e| c.choose(condition, t, e)),
        }
    }

    /// `self + other + carry`
    pub fn add_carry(&self, other: &Word, mut carry: Lit, c: &mut Circuit) -> Word {
        let width = self.width().max(other.width()) + 1;
        let mut sum = Vec::with_capacity(width);
        for i in 0..width {
            let (a, b) = (self.bit(i), other.bit(i));
            sum.push(c.odd(a, b, carry));
            carry = c.majority(a, b, carry);
        }
        Word::from_bits(sum)
    }

    /// `self + other`
    pub fn add(&self, other: &Word, c: &mut Circuit) -> Word {
        self.add_carry(other, Lit::FALSE, c)
    }

    /// `self - other`
    pub fn sub(&self, other: &Word, c: &mut Circuit) -> Word {
        self.add_carry(&other.complement(), Lit::TRUE, c)
    }

    /// `-self`
    pub fn neg(&self, c: &mut Circuit) -> Word {
        Word::constant(0).sub(self, c)
    }

    /// `self << by`
    pub fn shifted(&self, by: usize) -> Word {
        Word::from_bits(std::iter::repeat_n(Lit::FALSE, by).chain(self.0.iter().copied()).collect())
    }

    /// The low `limit` bits of `self * other`, right in all of them; signed.
    pub fn mul(&self, other: &Word, limit: usize, c: &mut Circuit) -> Word {
        // The sign's weight is negative: the last summand is subtracted.
        let (few, many) = if self.width() <= other.width() { (self, other) } else { (other, self) };
        let mut sum = Word::constant(0);
        for (i, &bit) in few.0.iter().enumerate() {
            if i >= limit || bit == Lit::FALSE {
                continue;
            }
            let part = Word::from_bits(many.0.iter().map(|&m| c.and(m, bit)).collect()).shifted(i);
            let part = part.signed(limit);
            sum = if i + 1 == few.width() { sum.sub(&part, c) } else { sum.add(&part, c) };
            sum = sum.signed(limit);
        }
        sum
    }

    /// The number without its sign.
    fn magnitude(&self, c: &mut Circuit) -> Word {
        let negated = self.neg(c);
        let magnitude = Word::choose(self.sign(), &negated, self, c);
        magnitude.unsigned(magnitude.width())
    }

    /// Division by what is not 0; by 0 it is nonsense.
    pub fn divide(&self, by: &Word, c: &mut Circuit) -> Division {
        let (dividend, divisor) = (self.magnitude(c), by.magnitude(c));
        let mut rest = Word::constant(0);
        let mut quotient = vec![Lit::FALSE; dividend.width()];
        for i in (0..dividend.width()).rev() {
            let mut bits = vec![dividend.bit(i)];
            bits.extend_from_slice(&rest.0);
            rest = Word::from_bits(bits);
            let less = rest.sub(&divisor, c);
            quotient[i] = !less.sign();
            rest = Word::choose(less.sign(), &rest, &less, c);
            rest = rest.unsigned(divisor.width().max(1));
        }
        quotient.push(Lit::FALSE);
        let quotient = Word::from_bits(quotient);
        let signs_differ = c.xor(self.sign(), by.sign());
        let negative = (quotient.neg(c), rest.neg(c));
        Division {
            quotient: Word::choose(signs_differ, &negative.0, &quotient, c),
            remainder: Word::choose(self.sign(), &negative.1, &rest, c),
        }
    }

    /// `self << by`, for `by` from 0 to 63.
    pub fn shift_left(&self, by: &Word, c: &mut Circuit) -> Word {
        (0..6).fold(self.clone(), |word, i| Word::choose(by.bit(i), &word.shifted(1 << i), &word, c))
    }

    /// `self >> by`, rounded down, for `by` from 0 to 63.
    pub fn shift_right(&self, by: &Word, c: &mut Circuit) -> Word {
        (0..6).fold(self.clone(), |word, i| {
            let far = (1 << i).min(word.width() - 1);
            let shifted = Word(word.0[far..].to_vec());
            Word::choose(by.bit(i), &shifted, &word, c)
        })
    }

    /// Whether the numbers are the same.
    pub fn equals(&self, other: &Word, c: &mut Circuit) -> Lit {
        let width = self.width().max(other.width());
        let mut equal = Lit::TRUE;
        for i in 0..width {
            let same = c.equal(self.bit(i), other.bit(i));
            equal = c.and(equal, same);
        }
        equal
    }

    /// `self < other`
    pub fn less(&self, other: &Word, c: &mut Circuit) -> Lit {
        // The highest bit that differs decides; at the sign the other way round.
        let width = self.width().max(other.width());
        let mut less = Lit::FALSE;
        for i in 0..width {
            let (a, b) = (self.bit(i), other.bit(i));
            let differ = c.xor(a, b);
            let here = if i + 1 == width { a } else { b };
            less = c.choose(differ, here, less);
        }
        less
    }

    /// Whether the number lies between the two, both included.
    pub fn within(&self, lo: i128, hi: i128, c: &mut Circuit) -> Lit {
        let below = self.less(&Word::constant(lo), c);
        let above = Word::constant(hi).less(self, c);
        c.and(!below, !above)
    }
}
