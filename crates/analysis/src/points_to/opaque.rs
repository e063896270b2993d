//! Whether a program that has addresses as integers can tell which number an object has.
//!
//! It cannot if such an integer is only kept in words, passed on, made a pointer again, moved by a number that is no address,
//! marked in the low bits that say nothing of the object, and compared for equality: all of these do the same whatever the
//! objects' numbers are. It can where the integer is ordered, shifted, multiplied, combined with another address or with
//! unknown bits, used as an index or a size, or cut into pieces. What is not followed may be anything.

use super::constraints::Constraints;
use super::solve::{NodeId, ObjectNumber};
use super::{Object, PointsTo};
use fencepost_ir::Scalar;
use fencepost_ir::tree::*;

/// What would show an object's number.
#[derive(Default)]
pub(super) struct Telling {
    /// Where a value tells if it is an address.
    values: Vec<NodeId>,
    /// Where two values tell if both are.
    pairs: Vec<(NodeId, NodeId)>,
}

impl Constraints<'_> {
    /// If this is an address, its number shows.
    pub(super) fn tells(&mut self, value: Option<NodeId>) {
        self.notes.telling.values.extend(value);
    }

    /// If both are addresses, their numbers show.
    pub(super) fn tells_of_both(&mut self, values: [Option<NodeId>; 2]) {
        if let [Some(one), Some(other)] = values {
            self.notes.telling.pairs.push((one, other));
        }
    }

    /// What an operator on bits tells of an address, where the other operand is this.
    pub(super) fn tells_by_bits(&mut self, keeps: KeptBits, address: Option<NodeId>, operand: &Expr) {
        let inner = without_conversions(operand);
        let is_low = match (&inner.kind, inner.ty) {
            (ExprKind::Const(bits), _) => u32::try_from(*bits).is_ok(),
            (_, Scalar::Bool) => true,
            (_, Scalar::Int(int)) => !int.signed && int.bits <= 32,
            _ => false,
        };
        let is_high = matches!(inner.kind, ExprKind::Const(bits) if u32::try_from(!bits).is_ok());
        let hides = match keeps {
            KeptBits::WhereOne => is_low || is_high,
            KeptBits::WhereZero => is_low,
        };
        if !hides {
            self.tells(address);
        }
    }
}

/// Which bits of one operand an operator keeps: where the other has ones, or where it has none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptBits {
    WhereOne,
    WhereZero,
}

/// An expression without the conversions around it.
pub(super) fn without_conversions(mut e: &Expr) -> &Expr {
    while let ExprKind::Convert(_, inner) = &e.kind {
        e = inner;
    }
    e
}

impl PointsTo<'_> {
    /// Whether nothing in the program depends on the numbers of objects that come and go, even where their addresses are
    /// integers.
    pub fn addresses_are_opaque(&self) -> bool {
        let telling = &self.notes.telling;
        self.solver.lost().iter().all(|(object, _)| !self.comes_and_goes(*object))
            && telling.values.iter().all(|node| !self.is_address(*node))
            && telling.pairs.iter().all(|(one, other)| !self.is_address(*one) || !self.is_address(*other))
            && (0..self.objects.len() as u32).all(|object| self.keeps_whole(ObjectNumber(object)))
    }

    /// Whether a value may be the address of an object whose number is given in the run.
    fn is_address(&self, node: NodeId) -> bool {
        self.solver.targets(node).iter().any(|(object, _)| self.comes_and_goes(*object))
    }

    fn comes_and_goes(&self, object: ObjectNumber) -> bool {
        match self.object(object) {
            Object::Variable(None, VarRef::Shared(_)) | Object::Result(_) | Object::Threads => false,
            Object::Variable(..) | Object::Site(..) | Object::Unknown => true,
            Object::Unfollowed => false,
        }
    }

    /// Whether the addresses that an object may hold are each in one of its scalars.
    fn keeps_whole(&self, holder: ObjectNumber) -> bool {
        let is_address = |node: NodeId| self.is_address(node);
        self.solver.holds_words_only(holder, &is_address)
    }
}
