//! Bytes of objects, as pointers to them are told apart.
//!
//! A byte stands for those at the same place of all elements of the arrays that it is in, so an object has about as many
//! bytes as its type has members. In rows of bytes (text, or memory that other things live in) bytes are told apart up to
//! the distance [`CHUNK`]. Bytes of a union stand for themselves.
//!
//! Arithmetic follows C's rule that a pointer into an array stays in it: a step by a multiple of the elements' size leads to
//! the same byte. A constant step may also leave the array, to where a scalar begins (as in the step from a member
//! to its structure). What steps through an object in any other way leads to any byte of it.

use fencepost_ir::tree::{RecordKind, Records, Type};
use fencepost_ir::{Field, Record};
use std::collections::HashSet;

/// Bytes of a row are told apart up to this distance.
const CHUNK: u64 = 16;

/// More bytes of a union are not listed one by one.
const MOST_LISTED: u64 = 64;

/// Where in an object a pointer leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Byte {
    /// To this byte, or to one that it stands for.
    At(u64),
    /// To any.
    Any,
}

/// The shape of an object.
#[derive(Clone, Copy)]
pub(super) struct Shape<'p> {
    pub records: &'p Records,
    /// Of the object; of an allocated one, what it is an array of.
    pub ty: &'p Type,
    pub is_allocated: bool,
}

/// How a pointer is moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// By that many bytes.
    By(i64),
    /// By any multiple of that many bytes.
    Stride(u64),
    /// Its low bits are changed by an operator with a constant.
    Bits(Bits, i64),
    /// In any way.
    Anyhow,
}

/// Operators on the bits of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bits {
    And,
    Or,
    Xor,
}

/// An array around a byte: its first byte, the size of its elements, and how many there are at least, if that is known.
struct Around {
    start: u64,
    element: u64,
    count: Option<u64>,
}

/// What a byte is in, inside of the arrays around it.
enum Inside {
    /// A scalar, or room between members.
    Alone,
    /// A row of bytes: its first one, and how many are told apart.
    Row(u64, u64),
    /// A union: its first byte, and its size.
    Union(u64, u64),
}

impl<'p> Shape<'p> {
    fn size(&self, ty: &Type) -> u64 {
        self.records.size(ty)
    }

    /// The array without length at a record's end: its first byte, and what it is of.
    fn tail(&self) -> Option<(u64, &'p Type)> {
        let Type::Record(id) = self.ty else { return None };
        let last = self.records.get(*id).fields.last()?;
        match &last.ty {
            Type::Array(of, 0) if self.is_allocated => Some((last.offset, of)),
            _ => None,
        }
    }

    /// The byte that stands for an offset. What leads out of the object continues at its other end, as in an array of such
    /// objects.
    pub fn located(&self, offset: i64) -> u64 {
        if self.is_allocated && is_byte(self.ty) {
            return offset.rem_euclid(CHUNK as i64) as u64;
        }
        let size = self.size(self.ty).max(1);
        if let (Some((start, of)), Ok(offset)) = (self.tail(), u64::try_from(offset))
            && offset >= start
        {
            return start + self.within(of, (offset - start) % self.size(of).max(1));
        }
        self.within(self.ty, offset.rem_euclid(size as i64) as u64)
    }

    /// The byte at the same place of an array's first element.
    fn within(&self, ty: &Type, offset: u64) -> u64 {
        match ty {
            Type::Scalar(_) => offset,
            Type::Array(element, _) if is_byte(element) => offset % CHUNK,
            Type::Array(element, _) => self.within(element, offset % self.size(element).max(1)),
            Type::Record(id) => {
                let record = self.records.get(*id);
                match member(self.records, record, offset) {
                    Some(field) => field.offset + self.within(&field.ty, offset - field.offset),
                    None => offset,
                }
            }
        }
    }

    /// The arrays around a byte, the outermost first, and what it is in.
    fn around(&self, byte: u64) -> (Vec<Around>, Inside) {
        let mut arrays = Vec::new();
        let whole = self.size(self.ty);
        let count = if self.is_allocated { None } else { Some(1) };
        arrays.push(Around { start: 0, element: whole, count });
        let (mut ty, mut start) = (self.ty, 0);
        if let Some((first, of)) = self.tail()
            && byte >= first
        {
            arrays.push(Around { start: first, element: self.size(of), count: None });
            (ty, start) = (of, first);
        }
        if self.is_allocated && is_byte(ty) {
            return (arrays, Inside::Row(start, CHUNK));
        }
        loop {
            match ty {
                Type::Scalar(_) => return (arrays, Inside::Alone),
                Type::Array(element, n) if is_byte(element) => {
                    return (arrays, Inside::Row(start, CHUNK.min((*n).into())));
                }
                Type::Array(element, n) => {
                    let size = self.size(element);
                    arrays.push(Around { start, element: size, count: Some((*n).into()) });
                    ty = element;
                }
                Type::Record(id) => {
                    let record = self.records.get(*id);
                    if record.kind == RecordKind::Union {
                        return (arrays, Inside::Union(start, record.size));
                    }
                    let Some(field) = member(self.records, record, byte - start) else {
                        return (arrays, Inside::Alone);
                    };
                    (ty, start) = (&field.ty, start + field.offset);
                }
            }
        }
    }

    /// Where a pointer to a byte may lead after a step.
    pub fn moved(&self, byte: Byte, step: Step, to: &mut Vec<Byte>) {
        let (Byte::At(at), false) = (byte, step == Step::Anyhow) else {
            to.push(Byte::Any);
            return;
        };
        match step {
            Step::By(bytes) => self.stepped(at, bytes, to),
            Step::Stride(bytes) => self.strode(at, bytes, to),
            Step::Bits(op, bits) => to.push(self.with_bits(at, op, bits)),
            Step::Anyhow => to.push(Byte::Any),
        }
    }

    fn stepped(&self, at: u64, bytes: i64, to: &mut Vec<Byte>) {
        let (arrays, inside) = self.around(at);
        let landed = self.located((at as i64).wrapping_add(bytes));
        if let Inside::Row(start, count) = inside {
            let place = ((at - start) as i64).wrapping_add(bytes);
            if count == CHUNK || (0..count as i64).contains(&place) {
                to.push(Byte::At(start + place.rem_euclid(CHUNK as i64) as u64));
            }
        }
        // The first one is the whole object.
        for Around { start, element, count } in &arrays[1..] {
            let within = *element > 0
                && count.is_none_or(|n| bytes.unsigned_abs() < n.saturating_mul(*element))
                && matches!(inside, Inside::Alone | Inside::Union(..));
            if within {
                let place = (at - start) as i64;
                let place = place.wrapping_add(bytes).rem_euclid(*element as i64);
                to.push(Byte::At(self.located(*start as i64 + place)));
            }
        }
        if to.is_empty() || self.begins_scalar(landed) {
            to.push(Byte::At(landed));
        }
    }

    fn strode(&self, at: u64, bytes: u64, to: &mut Vec<Byte>) {
        let (arrays, inside) = self.around(at);
        if bytes == 0 {
            return to.push(Byte::At(at));
        }
        let divides = |a: &Around| a.element > 0 && bytes.is_multiple_of(a.element);
        match inside {
            // Rows of bytes are cut up by what steps through them.
            Inside::Row(start, count) => {
                let stride = gcd(bytes, CHUNK);
                let first = (at - start) % stride;
                to.extend((first..count).step_by(stride as usize).map(|place| Byte::At(start + place)));
            }
            Inside::Alone | Inside::Union(..) if arrays.iter().any(divides) => to.push(Byte::At(at)),
            Inside::Union(start, size) if size / bytes <= MOST_LISTED => {
                let first = (at - start) % bytes;
                to.extend((first..size).step_by(bytes as usize).map(|place| Byte::At(start + place)));
            }
            Inside::Alone | Inside::Union(..) => to.push(Byte::Any),
        }
    }

    /// What becomes of the low bits: known if the byte and all that it stands for have the same.
    fn with_bits(&self, at: u64, op: Bits, bits: i64) -> Byte {
        let changed = if op == Bits::And { !bits } else { bits };
        let Ok(most) = u64::try_from(changed) else { return Byte::Any };
        let (arrays, inside) = self.around(at);
        let period = (most + 1).next_power_of_two();
        let alike = arrays[1..].iter().all(|a| a.element.is_multiple_of(period))
            && !matches!(inside, Inside::Row(..))
            && (!self.is_allocated || arrays[0].element.is_multiple_of(period));
        if !alike {
            return Byte::Any;
        }
        let at = at as i64;
        Byte::At(self.located(match op {
            Bits::And => at & bits,
            Bits::Or => at | bits,
            Bits::Xor => at ^ bits,
        }))
    }

    /// The bytes where cells begin that have as many bytes as a word.
    pub fn words(&self) -> HashSet<u64> {
        let in_type = |start: u64, ty: &Type| {
            let cells = self.records.layout(ty).into_iter().filter(|cell| cell.ty.size() == 8);
            cells.map(move |cell| start + cell.offset)
        };
        let in_tail = self.tail().into_iter().flat_map(|(start, of)| in_type(start, of));
        in_type(0, self.ty).chain(in_tail).collect()
    }

    /// Whether a scalar begins at a byte.
    fn begins_scalar(&self, byte: u64) -> bool {
        let ty = match self.tail() {
            Some((start, of)) if byte >= start => {
                return self.begins(of, (byte - start) % self.size(of).max(1));
            }
            _ => self.ty,
        };
        self.begins(ty, byte)
    }

    fn begins(&self, ty: &Type, byte: u64) -> bool {
        match ty {
            Type::Scalar(_) => byte == 0,
            Type::Array(element, _) => self.begins(element, byte % self.size(element).max(1)),
            Type::Record(id) => self.records.get(*id).fields.iter().any(|f| {
                byte >= f.offset && byte < f.offset + self.size(&f.ty) && self.begins(&f.ty, byte - f.offset)
            }),
        }
    }

    /// Where what is held at a byte is kept by the analysis: all bytes of a row are one.
    pub fn kept(&self, byte: u64) -> u64 {
        match self.around(byte).1 {
            Inside::Row(start, _) => start,
            Inside::Alone | Inside::Union(..) => byte,
        }
    }

    /// Whether an access of a size at a byte stays in the element that the byte is in, or is of whole elements.
    pub fn fits_elements(&self, byte: u64, size: u64) -> bool {
        let (arrays, inside) = self.around(byte);
        if let Inside::Row(..) = inside {
            return true;
        }
        arrays.iter().all(|a| {
            let place = byte.saturating_sub(a.start);
            place + size <= a.element || place == 0 && a.element > 0 && size.is_multiple_of(a.element)
        })
    }
}

/// The member of a struct that a byte is in; a union is not looked into.
fn member<'r>(records: &Records, record: &'r Record, byte: u64) -> Option<&'r Field> {
    if record.kind == RecordKind::Union {
        return None;
    }
    // Members lie in order; those without size hold nothing.
    let after = record.fields.partition_point(|f| f.offset <= byte);
    let holds = |f: &&Field| byte < f.offset + records.size(&f.ty);
    record.fields[..after].iter().rev().take(4).find(holds)
}

/// Whether a type is that of memory of which nothing is known.
pub(super) fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if scalar.size() == 1)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
