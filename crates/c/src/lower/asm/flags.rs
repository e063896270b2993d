//! The flags that instructions leave, and the conditions on them.

use super::Machine;
use super::mnemonic::{Condition, Test};
use crate::lower::build::{binary, not, number};
use fencepost_ir::tree::{BinaryOp, Expr};
use fencepost_ir::{IntType, Scalar};

/// What the flags say; its numbers are evaluated.
#[derive(Clone)]
pub enum Flags {
    Unknown,
    /// Of a difference, or of a number and 0.
    Compare {
        l: Expr,
        r: Expr,
        carry: bool,
    },
    /// Of a sum.
    Sum {
        old: Expr,
        new: Expr,
        carry: bool,
    },
    /// Only the zero flag is known: a truth value.
    Zero(Expr),
    /// Only the carry is.
    Carry(Expr),
}

impl Machine<'_, '_> {
    /// Whether a condition holds, as a truth value, if the flags tell it.
    pub fn condition(&mut self, condition: Condition) -> Option<Expr> {
        let span = self.span;
        let flags = self.flags.clone();
        let truth = match (condition.test, flags) {
            (Test::Zero, Flags::Zero(truth)) | (Test::Carry, Flags::Carry(truth)) => truth,
            (Test::Zero, Flags::Compare { l, r, .. }) => self.low.compared(BinaryOp::Eq, l, r, span),
            (Test::Zero, Flags::Sum { new, .. }) => not(self.low.truth(new, span), span),
            (Test::Sign, Flags::Compare { l, r, .. }) => {
                let (l, r) = (self.signed(l, true), self.signed(r, true));
                let difference = self.low.operate_promoted(BinaryOp::Sub, l, r, span);
                self.below_zero(difference)
            }
            (Test::Sign, Flags::Sum { new, .. }) => {
                let new = self.signed(new, true);
                self.below_zero(new)
            }
            (Test::Carry, Flags::Compare { l, r, carry: true }) => self.ordered(BinaryOp::Lt, l, r, false),
            (Test::Carry, Flags::Sum { old, new, carry: true }) => {
                self.ordered(BinaryOp::Lt, new, old, false)
            }
            (Test::BelowEqual, Flags::Compare { l, r, carry: true }) => {
                self.ordered(BinaryOp::Le, l, r, false)
            }
            (Test::Less, Flags::Compare { l, r, .. }) => self.ordered(BinaryOp::Lt, l, r, true),
            (Test::LessEqual, Flags::Compare { l, r, .. }) => self.ordered(BinaryOp::Le, l, r, true),
            _ => return None,
        };
        let truth = if condition.not { not(truth, span) } else { truth };
        Some(self.low.folded(truth))
    }

    fn ordered(&mut self, op: BinaryOp, l: Expr, r: Expr, signed: bool) -> Expr {
        let (l, r) = (self.signed(l, signed), self.signed(r, signed));
        self.low.folded(binary(op, l, r, self.span))
    }

    fn below_zero(&self, value: Expr) -> Expr {
        let zero = number(0, value.ty, self.span);
        self.low.folded(binary(BinaryOp::Lt, value, zero, self.span))
    }

    /// The bits of a number as one with a sign or without.
    fn signed(&mut self, value: Expr, signed: bool) -> Expr {
        let bits = value.ty.size() as u8 * 8;
        self.fit(value, Scalar::Int(IntType { bits, signed }))
    }
}
