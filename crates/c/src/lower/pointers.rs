//! Arithmetic with pointers, and their order.

use super::build::{binary, checked, number, select, wrapping};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir::{self, Direction};
use fencepost_ir::tree::{Base, BinaryOp, Expr, ExprKind, VarRef};
use fencepost_ir::{IntType, Scalar, Span, pointer};

/// A distance in bytes that leads from every object to another: no object is that large.
const FAR: i64 = pointer::LARGEST as i64 + 2;

/// A word with sign, in which pointers are subtracted.
const SIGNED_WORD: Scalar = Scalar::Int(IntType { bits: 64, signed: true });

/// What a pointer certainly points to.
#[derive(Clone, Copy, PartialEq)]
enum Leads {
    /// Nothing, or a variable that is there from the beginning.
    Static,
    /// A local variable.
    Local,
    Anywhere,
}

impl<'h> Lowerer<'h> {
    /// `pointer + count` and `pointer - count`
    pub fn offset(
        &mut self,
        pointer: &'h hir::Expr,
        direction: Direction,
        count: &'h hir::Expr,
        span: Span,
    ) -> Result<Expr> {
        let element = self.hir.types.element(pointer.ty).expect("pointers lead to something");
        let address = self.scalar(pointer)?;
        let mark = self.mark();
        let count = self.scalar(count)?;
        let address = self.settle(address, mark);
        let size = self.byte_size(element, span)?;
        let size = match direction {
            Direction::Forwards => size,
            Direction::Backwards => self.negated(fencepost_ir::tree::UnaryOp::Neg, size, span),
        };
        Ok(self.moved(address, count, size, span))
    }

    /// `pointer + count * size`, of which the last two are of type `ptrdiff_t`.
    pub fn moved(&self, pointer: Expr, count: Expr, size: Expr, span: Span) -> Expr {
        let bytes = self.operate(BinaryOp::Mul, count, size, span);
        self.moved_by(pointer, bytes, span)
    }

    /// A pointer moved by a number of bytes.
    pub fn moved_by(&self, pointer: Expr, bytes: Expr, span: Span) -> Expr {
        let bytes = self.near(bytes, span);
        let bytes = self.wrapped(bytes, pointer.ty, span);
        self.folded(binary(BinaryOp::Add, pointer, bytes, span))
    }

    /// A distance that leads from no object to another: more is an error of the program, since no object
    /// is that large.
    fn near(&self, bytes: Expr, span: Span) -> Expr {
        let (lo, hi) = bytes.ty.limits();
        if lo >= i128::from(-FAR) && hi < i128::from(FAR) {
            return bytes;
        }
        if self.fold(&bytes).is_some_and(|n| (-FAR..FAR).contains(&n)) {
            return bytes;
        }
        let ty = bytes.ty;
        let range = Scalar::Range { lo: -FAR, hi: FAR - 1 };
        checked(checked(bytes, range, span), ty, span)
    }

    /// The distance of two pointers into one object; of others it is an error of the program. What is said of the error
    /// tells nothing of the objects' numbers, which mean nothing. The library asks whether objects are the same.
    fn within_object(&mut self, distance: Expr, span: Span) -> Expr {
        if self.is_inlined() || self.fold(&distance).is_some() {
            return distance;
        }
        let distance = self.keep(distance);
        let bound = |n| number(n, distance.ty, span);
        let low = binary(BinaryOp::Ge, distance.clone(), bound(-FAR), span);
        let high = binary(BinaryOp::Lt, distance.clone(), bound(FAR), span);
        let near = binary(BinaryOp::And, low, high, span);
        let beyond = bound(FAR);
        self.near(select(near, distance, beyond, span), span)
    }

    /// The difference of two pointers as words.
    fn words_apart(&self, l: Expr, r: Expr, span: Span) -> Expr {
        wrapping(self.folded(binary(BinaryOp::Sub, l, r, span)), SIGNED_WORD, span)
    }

    /// The distance of two pointers, in elements.
    pub fn distance(&mut self, l: &'h hir::Expr, r: &'h hir::Expr, span: Span) -> Result<Expr> {
        let element = self.hir.types.element(l.ty).expect("pointers lead to something");
        let left = self.scalar(l)?;
        let mark = self.mark();
        let right = self.scalar(r)?;
        let left = self.settle(left, mark);
        // The difference of two pointers into one object says nothing of the object's number.
        let distance = self.words_apart(left, right, span);
        let distance = self.within_object(distance, span);
        let distance = self.wrapped(distance, self.distance_scalar(), span);
        let size = self.byte_size(element, span)?;
        let size = match self.fold(&size) {
            Some(0) => number(1, size.ty, span),
            _ => size,
        };
        Ok(self.operate(BinaryOp::Div, distance, size, span))
    }

    /// `<` and its like on pointers. Which of two allocated objects comes first depends on who allocated first, so a program
    /// that asks looks at addresses as integers do. It does not where one side is null or a variable that is there from the
    /// beginning. Where one side is a local variable, the other has to lead into it, too.
    pub fn order_pointers(&mut self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        let leads = [self.leads(&l), self.leads(&r)];
        let (l, r) = if leads.contains(&Leads::Local) && !leads.contains(&Leads::Static) {
            let distance = self.words_apart(l, r, span);
            let zero = number(0, distance.ty, span);
            (self.within_object(distance, span), zero)
        } else {
            self.program.orders_pointers |= !leads.contains(&Leads::Static);
            (l, r)
        };
        self.compared(op, l, r, span)
    }

    /// Where a pointer leads, as far as its text tells.
    fn leads(&self, pointer: &Expr) -> Leads {
        match &pointer.kind {
            ExprKind::AddressOf(place) => match place.base {
                Base::Variable(VarRef::Shared(_)) => Leads::Static,
                Base::Variable(_) => Leads::Local,
                Base::Pointed(..) => Leads::Anywhere,
            },
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, pointer, _) => self.leads(pointer),
            _ if self.fold(pointer).is_some() => Leads::Static,
            _ => Leads::Anywhere,
        }
    }

    /// The low bits of a pointer, which tell its alignment and are not part of the object's number.
    pub fn low_bits(&mut self, pointer: Expr, span: Span) -> Expr {
        let ty = pointer.ty;
        let low = self.folded(binary(BinaryOp::BitAnd, pointer, number(7, ty, span), span));
        self.wrapped(wrapping(low, WORD, span), self.size_scalar(), span)
    }
}
