//! Pointers as words of 64 bits: the object in the high half, the byte in it in the low half.
//!
//! So C's arithmetic on pointers, their comparison within an object and marks in their low bits are arithmetic on words. Object
//! 0 is not an object: the word 0 is the null pointer. A word just below an object belongs to it, with a negative byte, so that
//! a pointer to before an array's beginning stays with the array. Functions have numbers of their own, in the upper half of
//! the objects'.
//!
//! This is so whatever a pointer's size in C is. Where C has 4 bytes for one, a conversion to an integer
//! gives the pointer's narrow form, which has 16 bits for the object and 16 for the byte. Not every pointer has one;
//! to convert one that has none is a limit.

use crate::scalar::IntType;

/// Words as integers.
pub const WORD: IntType = IntType { bits: 64, signed: false };

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

/// Width of half a word.
const HALF: u32 = 32;

/// Width of half a narrow form.
const NARROW_HALF: u32 = 16;

/// Objects from this number on are procedures.
const FIRST_PROCEDURE: u64 = 1 << (HALF - 1);

/// The same in narrow forms.
const FIRST_NARROW_PROCEDURE: u64 = 1 << (NARROW_HALF - 1);

/// The largest number of an object, and the largest size of one.
pub const LARGEST: u64 = FIRST_PROCEDURE - 2;

/// The word that points to a byte of an object.
pub fn to_object(object: u32, offset: u64) -> i64 {
    ((u64::from(object) + 1) << HALF).wrapping_add(offset) as i64
}

/// The word that points to a procedure.
pub fn to_procedure(procedure: u32) -> i64 {
    ((FIRST_PROCEDURE + u64::from(procedure)) << HALF) as i64
}

/// The number in the high half that a word is nearest to, and how far it is from it.
fn nearest(word: u64) -> (u64, u64) {
    let number = word.wrapping_add(1 << (HALF - 1)) >> HALF;
    (number, word.wrapping_sub(number << HALF))
}

/// What a word points to.
pub fn target(word: i64) -> Target {
    match nearest(word as u64) {
        (0, _) => Target::Null,
        (n, _) if n >= FIRST_PROCEDURE => Target::Procedure((n - FIRST_PROCEDURE) as u32),
        (n, offset) => Target::Object(n as u32 - 1, offset),
    }
}

/// The narrow form of a word, if it has one.
pub fn narrow(word: i64) -> Option<u32> {
    let (number, offset) = nearest(word as u64);
    let number = match number.checked_sub(FIRST_PROCEDURE) {
        None if number < FIRST_NARROW_PROCEDURE => number,
        Some(procedure) if procedure < FIRST_NARROW_PROCEDURE => FIRST_NARROW_PROCEDURE + procedure,
        _ => return None,
    };
    let most = 1 << (NARROW_HALF - 1);
    (-most..most).contains(&(offset as i64)).then(|| (number << NARROW_HALF).wrapping_add(offset) as u32)
}

/// The word whose narrow form an integer is; every integer is one.
pub fn widen(narrow: u32) -> i64 {
    let most = 1 << (NARROW_HALF - 1);
    let moved = u64::from(narrow.wrapping_add(most));
    let (number, offset) =
        (moved >> NARROW_HALF, (moved & ((1 << NARROW_HALF) - 1)).wrapping_sub(most.into()));
    let number = match number.checked_sub(FIRST_NARROW_PROCEDURE) {
        None => number,
        Some(procedure) => FIRST_PROCEDURE + procedure,
    };
    (number << HALF).wrapping_add(offset) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        assert_eq!(target(0), Target::Null);
        assert_eq!(target(8), Target::Null);
        assert_eq!(target(to_object(0, 0)), Target::Object(0, 0));
        assert_eq!(target(to_object(7, 12)), Target::Object(7, 12));
        assert_eq!(target(to_object(32767, 160_000)), Target::Object(32767, 160_000));
        assert_eq!(target(to_object(LARGEST as u32, LARGEST)), Target::Object(LARGEST as u32, LARGEST));
        assert_eq!(target(to_procedure(3)), Target::Procedure(3));
    }

    #[test]
    fn arithmetic_stays_in_the_object() {
        let p = to_object(2, 8);
        assert_eq!(target(p + 4), Target::Object(2, 12));
        assert_eq!(target((p | 1) & !1), Target::Object(2, 8));
        assert_eq!(target(p - 12 + 12), Target::Object(2, 8));
        assert_eq!(target(p - 12), Target::Object(2, 4u64.wrapping_neg()));
    }

    #[test]
    fn narrow_forms_come_back_or_are_none() {
        for word in
            [0, 5, -1, to_object(0, 0), to_object(7, 12), to_object(3, 4u64.wrapping_neg()), to_procedure(3)]
        {
            assert_eq!(narrow(word).map(widen), Some(word), "{word:x}");
        }
        for integer in
            [0, 1, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_8000, 0x8000_0000, u32::MAX - 1, u32::MAX]
        {
            assert_eq!(narrow(widen(integer)), Some(integer), "{integer:x}");
        }
        assert_eq!(narrow(to_object(40_000, 0)), None);
        assert_eq!(narrow(to_object(2, 40_000)), None);
        assert_eq!(narrow(to_procedure(40_000)), None);
    }
}
