//! Pointers as machine words: the object in the high half, the byte in it in the low half.
//!
//! So C's arithmetic on pointers, their comparison within an object, their conversion to integers
//! and marks in their low bits are arithmetic on words. Object 0 is no object: the word 0 is the
//! null pointer. A word just below an object belongs to it, with a negative byte, so that a pointer to
//! before an array's beginning stays with the array. Functions have numbers of their own, in the upper half of the objects'.

/// What a word points to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// Nothing: null, or so near to it that it is null with a member's offset.
    Null,
    /// A byte of an object, by the object's number; those before it wrap.
    Object(u32, u64),
    /// A procedure, by its number.
    Procedure(u32),
}

/// Width of half a word of that many bits.
fn half(bits: u8) -> u32 {
    u32::from(bits) / 2
}

/// Objects from this number on are procedures.
fn first_procedure(bits: u8) -> u64 {
    1 << (half(bits) - 1)
}

/// The largest number of an object, and the largest size of one.
pub fn limit(bits: u8) -> u64 {
    first_procedure(bits) - 2
}

/// The word that points to a byte of an object.
pub fn to_object(object: u32, offset: u64, bits: u8) -> i64 {
    ((u64::from(object) + 1) << half(bits)).wrapping_add(offset) as i64
}

/// The word that points to a procedure.
pub fn to_procedure(procedure: u32, bits: u8) -> i64 {
    ((first_procedure(bits) + u64::from(procedure)) << half(bits)) as i64
}

/// What a word points to.
pub fn target(word: i64, bits: u8) -> Target {
    let word = if bits == 64 { word as u64 } else { word as u64 & ((1 << bits) - 1) };
    let nearest = word.wrapping_add(1 << (half(bits) - 1));
    let nearest = if bits == 64 { nearest } else { nearest & ((1 << bits) - 1) };
    let object = nearest >> half(bits);
    let offset = word.wrapping_sub(object << half(bits));
    match object {
        0 => Target::Null,
        n if n >= first_procedure(bits) => Target::Procedure((n - first_procedure(bits)) as u32),
        n => Target::Object(n as u32 - 1, offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for bits in [32, 64] {
            assert_eq!(target(0, bits), Target::Null);
            assert_eq!(target(8, bits), Target::Null);
            assert_eq!(target(to_object(0, 0, bits), bits), Target::Object(0, 0));
            assert_eq!(target(to_object(7, 12, bits), bits), Target::Object(7, 12));
            assert_eq!(target(to_procedure(3, bits), bits), Target::Procedure(3));
        }
    }

    #[test]
    fn arithmetic_stays_in_the_object() {
        let p = to_object(2, 8, 64);
        assert_eq!(target(p + 4, 64), Target::Object(2, 12));
        assert_eq!(target((p | 1) & !1, 64), Target::Object(2, 8));
        assert_eq!(target(p - 12 + 12, 64), Target::Object(2, 8));
        assert_eq!(target(p - 12, 64), Target::Object(2, 4u64.wrapping_neg()));
        assert_eq!(target(to_object(3, 4u64.wrapping_neg(), 32), 32), Target::Object(3, 4u64.wrapping_neg()));
    }
}
