//! Scalar types and their values.
//!
//! Every value is an `i64`. Invariant: a value of type `t` satisfies `t.contains(v)`; unsigned
//! 64-bit values are held by their bit pattern. Who makes a value ([`crate::eval`], initialisers)
//! establishes it, and no other code has to check.

use crate::pointer;
use std::fmt;

/// A fixed-width two's-complement integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct IntType {
    /// 1, 8, 16, 32 or 64; or 24, 40, 48 or 56 for integers that C's bit-fields are parts of.
    pub bits: u8,
    /// Whether the top bit is a sign.
    pub signed: bool,
}

impl IntType {
    /// Wraps any integer to this type.
    pub fn wrap(self, value: i128) -> i64 {
        let low = value as u64;
        if self.bits == 64 {
            return low as i64;
        }
        let mask = (1u64 << self.bits) - 1;
        let cut = low & mask;
        if self.signed && cut >> (self.bits - 1) == 1 { (cut | !mask) as i64 } else { cut as i64 }
    }

    /// The integer that a value of this type stands for.
    pub fn meaning(self, value: i64) -> i128 {
        if self.bits == 64 && !self.signed { i128::from(value as u64) } else { i128::from(value) }
    }

    /// Smallest and largest integer of this type.
    pub fn limits(self) -> (i128, i128) {
        match self.signed {
            true => (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1),
            false => (0, (1i128 << self.bits) - 1),
        }
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

/// The type of a register or of a memory cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// 0 or 1, printed as `false` and `true`.
    Bool,
    /// A fixed-width integer; arithmetic on it wraps.
    Int(IntType),
    /// `lo..hi`, both included; leaving it is an error of the program.
    Range {
        /// Smallest value.
        lo: i64,
        /// Largest value.
        hi: i64,
    },
    /// An integer without bounds, kept in 64 bits; leaving those ends in unknown.
    Integer,
    /// A thread handle: -1 for none, else the thread's number.
    Thread,
    /// A mutex: 0 when free, else one more than the owner's number.
    Mutex,
    /// A word of 32 or 64 bits that points to something, see [`crate::pointer`].
    Pointer {
        /// Its width.
        bits: u8,
    },
}

impl Scalar {
    /// `int` of the modelling language.
    pub const I32: Scalar = Scalar::Int(IntType { bits: 32, signed: true });

    /// Smallest and largest integer of the type.
    pub fn limits(self) -> (i128, i128) {
        match self {
            Scalar::Bool => (0, 1),
            Scalar::Int(int) => int.limits(),
            Scalar::Range { lo, hi } => (lo.into(), hi.into()),
            Scalar::Integer => (i64::MIN.into(), i64::MAX.into()),
            Scalar::Thread => (-1, i64::from(u16::MAX).into()),
            Scalar::Mutex => (0, i64::from(u16::MAX).into()),
            Scalar::Pointer { .. } => pointer::WORD.limits(),
        }
    }

    /// Bytes that it takes in memory.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(int) => u64::from(int.bits.max(8)) / 8,
            Scalar::Range { .. } | Scalar::Integer | Scalar::Thread => 8,
            Scalar::Pointer { bits } => u64::from(bits) / 8,
            // As much as pthread_mutex_t has on common machines.
            Scalar::Mutex => 40,
        }
    }

    /// Whether values are bits that other types can see: not those of mutexes, handles and exact integers.
    pub fn has_bits(self) -> bool {
        matches!(self, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. })
    }

    /// The bits of a value, in as many bytes as it has. `None` where bits are not values, or a pointer of 4 bytes has no
    /// narrow form.
    pub fn to_bits(self, value: i64) -> Option<u64> {
        let bits = match self {
            Scalar::Pointer { bits: 32 } => pointer::narrow(value)?.into(),
            _ if self.has_bits() => value as u64,
            _ => return None,
        };
        Some(bits & low_bytes(self.size()))
    }

    /// The value that bits are.
    pub fn from_bits(self, bits: u64) -> Option<i64> {
        let bits = bits & low_bytes(self.size());
        match self {
            Scalar::Int(int) => Some(int.wrap(bits.into())),
            Scalar::Pointer { bits: 32 } => Some(pointer::widen(bits as u32)),
            Scalar::Pointer { .. } => Some(bits as i64),
            _ => (self.has_bits() && self.contains(bits as i64)).then_some(bits as i64),
        }
    }

    /// A value seen through another type of the same size: the same bits. `None` where bits are no
    /// values, as in mutexes.
    pub fn same_bits(self, value: i64, to: Scalar) -> Option<i64> {
        if self == to {
            return Some(value);
        }
        if self.size() != to.size() {
            return None;
        }
        to.from_bits(self.to_bits(value)?)
    }

    /// The integer that a value of this type stands for.
    pub fn meaning(self, value: i64) -> i128 {
        match self {
            Scalar::Int(int) => int.meaning(value),
            Scalar::Pointer { .. } => pointer::WORD.meaning(value),
            _ => value.into(),
        }
    }

    /// Whether the integer belongs to the type.
    pub fn contains_integer(self, integer: i128) -> bool {
        let (lo, hi) = self.limits();
        lo <= integer && integer <= hi
    }

    /// Whether `value` is a proper value of the type.
    pub fn contains(self, value: i64) -> bool {
        self.contains_integer(self.meaning(value))
    }

    /// The value of an integer that the type contains.
    pub fn value_of(self, integer: i128) -> Option<i64> {
        self.contains_integer(integer).then_some(integer as i64)
    }

    /// What a variable without initialiser holds: 0, or the value nearest to it.
    pub fn default_value(self) -> i64 {
        match self {
            Scalar::Thread => -1,
            Scalar::Range { lo, hi } => 0.clamp(lo, hi),
            Scalar::Bool | Scalar::Int(_) | Scalar::Integer | Scalar::Mutex | Scalar::Pointer { .. } => 0,
        }
    }

    /// Number of values.
    pub fn cardinality(self) -> u128 {
        let (lo, hi) = self.limits();
        (hi - lo + 1) as u128
    }

    /// A value as the user writes it.
    pub fn show(self, value: i64) -> String {
        match self {
            Scalar::Bool => (if value == 0 { "false" } else { "true" }).to_string(),
            Scalar::Thread if value < 0 => "none".to_string(),
            Scalar::Mutex if value == 0 => "free".to_string(),
            Scalar::Pointer { .. } if value == 0 => "null".to_string(),
            _ => self.meaning(value).to_string(),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => f.write_str("bool"),
            Scalar::Int(int) => write!(f, "{int}"),
            Scalar::Range { lo, hi } => write!(f, "{lo}..{hi}"),
            Scalar::Integer => f.write_str("integer"),
            Scalar::Thread => f.write_str("thread_id"),
            Scalar::Mutex => f.write_str("mutex"),
            Scalar::Pointer { bits } => write!(f, "pointer{bits}"),
        }
    }
}

/// Ones in that many bytes.
pub fn low_bytes(bytes: u64) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_agrees_with_rust() {
        for v in [-70000i128, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 1 << 40] {
            assert_eq!(IntType { bits: 8, signed: true }.wrap(v), i64::from(v as i8));
            assert_eq!(IntType { bits: 8, signed: false }.wrap(v), i64::from(v as u8));
            assert_eq!(IntType { bits: 16, signed: true }.wrap(v), i64::from(v as i16));
            assert_eq!(IntType { bits: 32, signed: false }.wrap(v), i64::from(v as u32));
            assert_eq!(IntType { bits: 64, signed: false }.wrap(v), v as u64 as i64);
        }
        assert_eq!(IntType { bits: 1, signed: false }.wrap(3), 1);
        assert_eq!(IntType { bits: 1, signed: true }.wrap(1), -1);
    }

    #[test]
    fn a_wrapped_value_belongs_to_its_type() {
        for bits in [1, 8, 16, 32, 64] {
            for signed in [true, false] {
                let int = IntType { bits, signed };
                for v in [i128::MIN, -3, -1, 0, 1, 200, 1 << 31, 1 << 63, i128::MAX] {
                    assert!(Scalar::Int(int).contains(int.wrap(v)), "{int} {v}");
                }
            }
        }
    }

    #[test]
    fn u64_means_its_bit_pattern() {
        let u64_type = Scalar::Int(IntType { bits: 64, signed: false });
        assert_eq!(u64_type.meaning(-1), u128::from(u64::MAX) as i128);
        assert_eq!(u64_type.show(-1), u64::MAX.to_string());
        assert_eq!(u64_type.value_of(u64::MAX.into()), Some(-1));
    }
}
