//! How the numbers of a final state are read: which bits of which cells, in which type, and whether they are addresses.

use super::expression::*;
use super::layout::{Holds, truncate};
use super::observe::Slot;
use fencepost_ir::tree::{BinaryOp, Expr, Place, Projection, VarRef};
use fencepost_ir::{IntType, Scalar, Span};
use std::collections::BTreeMap;

/// How a slot's number is read: which bits of it, and in which type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    pub slot: usize,
    pub shift: u8,
    pub bits: u8,
    /// Bits above a memory cell that never change.
    pub above: i64,
    /// `None` is the default type.
    pub ty: Option<IntType>,
    pub holds: Holds,
    /// Bits of the whole value.
    pub whole: u8,
    /// Whether its place has an index.
    pub element: Element,
    /// Bits of the cells that it is joined of, in slots one after the other; zeros where it is one.
    pub pieces: [u8; MAX_PIECES],
}

/// A value has at most 8 bytes.
pub const MAX_PIECES: usize = 8;

/// Whether a cell is one of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    Yes,
    No,
    /// A piece of a location.
    Piece,
}

impl Reading {
    /// The number as it is printed and compared.
    pub fn of(&self, values: &[i64]) -> i64 {
        if self.element == Element::Piece {
            let mut shift = 0;
            let mut whole = 0;
            for (value, bits) in values[self.slot..].iter().zip(self.pieces).take_while(|(_, bits)| *bits > 0)
            {
                whole |= value << shift;
                shift += bits;
            }
            return self.canonical(whole);
        }
        let raw = values[self.slot] as u64 >> self.shift;
        self.canonical(truncate(raw as i64, self.bits) | self.above)
    }

    fn canonical(&self, value: i64) -> i64 {
        match self.ty {
            Some(int) => int.wrap(value.into()),
            None if (value as u64) >> 32 == 0 => i64::from(value as i32),
            None => value,
        }
    }

    /// A constant as a value of this kind.
    pub fn constant(&self, value: i64) -> i64 {
        self.canonical(truncate(value, self.whole))
    }

    /// The integer that a number of this kind stands for.
    pub fn meaning(&self, value: i64) -> i128 {
        self.ty.map_or(value.into(), |int| int.meaning(value))
    }

    /// Whether 64 signed bits do not hold its numbers.
    pub fn is_u64(&self) -> bool {
        self.ty.is_some_and(|int| int.bits == 64 && !int.signed)
    }

    /// [`Reading::expr`] in a type in which its numbers are in their order.
    pub fn compared(&self, slots: &[(Slot, Scalar)], span: Span) -> Expr {
        convert(self.expr(slots, span), if self.is_u64() { unsigned(64) } else { signed(64) })
    }

    pub fn show(&self, value: i64, addresses: &BTreeMap<i64, String>) -> String {
        let address = match self.holds {
            Holds::Words | Holds::Addresses => addresses.get(&value),
            Holds::Numbers | Holds::Other => None,
        };
        match (address, self.ty) {
            (Some(address), _) => address.clone(),
            (None, Some(int)) => int.meaning(value).to_string(),
            (None, None) => value.to_string(),
        }
    }

    /// The slot's number, or that of all pieces together, as an unsigned expression.
    fn raw_expr(&self, slots: &[(Slot, Scalar)], span: Span) -> Expr {
        let place = |slot| match slot {
            Slot::Register(thread, local) => Place::variable(VarRef::Observed(thread, local), span),
            Slot::Cell(shared, index) => {
                let variable = VarRef::Shared(shared);
                match self.element {
                    Element::No => Place::variable(variable, span),
                    Element::Yes => {
                        let index = number(index.into(), Scalar::Integer, span);
                        Place::element(variable, vec![index], span)
                    }
                    Element::Piece => {
                        let path = vec![Projection::Field(index as usize)];
                        Place { path, ..Place::variable(variable, span) }
                    }
                }
            }
        };
        let (slot, ty) = slots[self.slot];
        let mut value = convert(read(place(slot), ty), unsigned(64));
        let mut shift = i64::from(self.pieces[0]);
        for (i, bits) in self.pieces.iter().enumerate().skip(1).filter(|(_, bits)| **bits > 0) {
            let (slot, ty) = slots[self.slot + i];
            let next = convert(read(place(slot), ty), unsigned(64));
            value = binary(BinaryOp::BitOr, value, with_number(BinaryOp::Shl, next, shift));
            shift += i64::from(*bits);
        }
        value
    }

    /// [`Reading::of`] as an expression, a signed 64-bit one.
    pub fn expr(&self, slots: &[(Slot, Scalar)], span: Span) -> Expr {
        let mut value = self.raw_expr(slots, span);
        let ty = slots[self.slot].1;
        if self.shift > 0 {
            value = with_number(BinaryOp::Shr, value, self.shift.into());
        }
        if self.bits < 64 && self.element != Element::Piece && ty != unsigned(self.bits) {
            value = with_number(BinaryOp::BitAnd, value, truncate(-1, self.bits));
        }
        if self.above != 0 {
            value = with_number(BinaryOp::BitOr, value, self.above);
        }
        let i64_type = signed(64);
        match self.ty {
            Some(int) => convert(convert(value, Scalar::Int(int)), i64_type),
            None => {
                let small = with_number(BinaryOp::Eq, with_number(BinaryOp::Shr, value.clone(), 32), 0);
                let as_int = convert(convert(value.clone(), signed(32)), i64_type);
                select(small, as_int, convert(value, i64_type))
            }
        }
    }
}
