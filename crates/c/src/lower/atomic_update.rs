//! Atomic operations that read and write at once: one instruction of the program where it has one, else an atomic section.
//!
//! A section waits for the own buffer, as the instructions do. What is accessed in it is ordered by the section itself. A weak
//! compare-exchange fails only for a reason, as on x86.

use super::atomic::UpdateOrders;
use super::build::{binary, read_local};
use super::place::Target;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, FetchOp, Gives, Swapped, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Drain, Expr, ExprKind, Place, RmwKind, StmtKind};
use fencepost_ir::{Access, Order, Scalar, Span};
use fencepost_text::Diagnostic;

impl FetchOp {
    /// The operator; of `nand` what comes of it is turned round.
    pub fn operator(self) -> BinaryOp {
        match self {
            FetchOp::Add => BinaryOp::Add,
            FetchOp::Sub => BinaryOp::Sub,
            FetchOp::And | FetchOp::Nand => BinaryOp::BitAnd,
            FetchOp::Or => BinaryOp::BitOr,
            FetchOp::Xor => BinaryOp::BitXor,
        }
    }

    /// The instruction of the program, if it has one.
    fn instruction(self) -> Option<RmwKind> {
        match self {
            FetchOp::Add => Some(RmwKind::Add),
            FetchOp::Sub => Some(RmwKind::Sub),
            FetchOp::And => Some(RmwKind::And),
            FetchOp::Or => Some(RmwKind::Or),
            FetchOp::Xor => Some(RmwKind::Xor),
            FetchOp::Nand => None,
        }
    }

    /// The update that `op=` does, if it is one of these.
    fn of(op: BinaryOp) -> Option<FetchOp> {
        match op {
            BinaryOp::Add => Some(FetchOp::Add),
            BinaryOp::Sub => Some(FetchOp::Sub),
            BinaryOp::BitAnd => Some(FetchOp::And),
            BinaryOp::BitOr => Some(FetchOp::Or),
            BinaryOp::BitXor => Some(FetchOp::Xor),
            _ => None,
        }
    }
}

impl<'h> Lowerer<'h> {
    /// What accesses in an atomic section are.
    pub fn in_section(&self) -> Access {
        Access::Atomic(Order::Relaxed)
    }

    /// What is said of an operation that a type does not have.
    pub fn not_atomic(&self, ty: TypeId, span: Span) -> Diagnostic {
        match self.is_compound(ty) {
            true => Diagnostic::new(span, "this atomic operation does not apply to structures"),
            false => self.no_values(ty, span),
        }
    }

    /// A read-modify-write of a scalar, which has happened when the next operand is evaluated.
    fn rmw(
        &mut self,
        kind: RmwKind,
        target: Target,
        operands: Vec<Expr>,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Expr> {
        let ty = match kind {
            RmwKind::CompareAndSwap => Scalar::Bool,
            _ => self.scalar_of(target.ty),
        };
        let mut place = target.place;
        let update = |place, operands| Expr { kind: ExprKind::Rmw(kind, place, operands), ty, span };
        let UpdateOrders::Chosen(chosen) = orders else { return Ok(update(place, operands)) };
        self.stabilise(&mut place);
        let operands: Vec<Expr> = operands.into_iter().map(|operand| self.keep(operand)).collect();
        let id = self.temporary(ty, span);
        self.by_update_orders(chosen, span, &mut |this, access| {
            let value = update(Place { access, ..place.clone() }, operands.clone());
            this.set_local(id, value, span);
        })?;
        Ok(read_local(id, ty, span))
    }

    pub fn test_and_set(
        &mut self,
        place: &'h hir::Place,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Value> {
        let target = self.place(place)?;
        let one = self.flag_value(&target, 1, span)?;
        let old = self.rmw(RmwKind::Exchange, target, vec![one], orders, span)?;
        Ok(Value::Scalar(self.truth(old, span)))
    }

    pub fn exchange(
        &mut self,
        place: &'h hir::Place,
        value: &'h hir::Expr,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Value> {
        let mut target = self.place(place)?;
        let mark = self.mark();
        if self.is_compound(target.ty) {
            let value = self.record_value(value)?;
            self.settle_place(&mut target.place, mark);
            return self.exchange_record(target, &value, span).map(Value::Record);
        }
        let value = self.scalar(value)?;
        self.settle_place(&mut target.place, mark);
        self.notes.keeps_numbers |= self.hir.types.is_floating(target.ty);
        self.rmw(RmwKind::Exchange, target, vec![value], orders, span).map(Value::Scalar)
    }

    /// C11's compare-exchange: if it fails, what was found is put where the expected value is.
    pub fn compare_exchange(
        &mut self,
        place: &'h hir::Place,
        (expected, desired): (&'h hir::Place, &'h hir::Expr),
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Value> {
        let mut target = self.place(place)?;
        let mark = self.mark();
        let mut expected = self.place(expected)?;
        let inner = self.mark();
        if self.is_compound(target.ty) {
            let desired = self.record_value(desired)?;
            self.settle_place(&mut expected.place, inner);
            self.settle_place(&mut target.place, mark);
            return self.compare_exchange_records(target, expected, &desired, span).map(Value::Scalar);
        }
        let desired = self.scalar(desired)?;
        self.settle_place(&mut expected.place, inner);
        self.settle_place(&mut target.place, mark);
        self.decides(target.ty, span)?;
        let scalar = self.scalar_of(target.ty);
        self.stabilise(&mut expected.place);
        let wanted = self.load_scalar(expected.clone(), span)?;
        let wanted = self.held_as(wanted, scalar, span);
        let wanted = self.keep(wanted);
        self.stabilise(&mut target.place);
        let desired = self.keep(desired);
        let old = self.rmw(RmwKind::CompareExchange, target, vec![wanted.clone(), desired], orders, span)?;
        let old = self.keep(old);
        let same = self.keep(binary(BinaryOp::Eq, old.clone(), wanted, span));
        let found = self.scalar_of(expected.ty);
        let failed = self.block_of(|this| {
            let old = this.held_as(old, found, span);
            this.store(&expected, old, span);
            Ok(())
        })?;
        self.emit(StmtKind::If(same.clone(), Block::default(), failed), span);
        Ok(Value::Scalar(same))
    }

    /// GCC's compare-and-swap, whose expected value is a value.
    pub fn compare_swap(
        &mut self,
        place: &'h hir::Place,
        (expected, desired): (&'h hir::Expr, &'h hir::Expr),
        gives: Swapped,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Value> {
        let mut target = self.place(place)?;
        let mark = self.mark();
        if self.is_compound(target.ty) {
            let storage = self.stored(target.ty, span)?;
            let expected = self.record_value(expected)?;
            let expected = self.copied(&expected, &storage, span)?;
            let desired = self.record_value(desired)?;
            self.settle_place(&mut target.place, mark);
            return self.swap_records(target, expected, &desired, gives, span);
        }
        let expected = self.scalar(expected)?;
        let inner = self.mark();
        let desired = self.scalar(desired)?;
        let expected = self.settle(expected, inner);
        self.settle_place(&mut target.place, mark);
        self.decides(target.ty, span)?;
        let kind = match gives {
            Swapped::Success => RmwKind::CompareAndSwap,
            Swapped::Old => RmwKind::CompareExchange,
        };
        self.rmw(kind, target, vec![expected, desired], orders, span).map(Value::Scalar)
    }

    /// Refuses to compare what is not followed.
    fn decides(&self, ty: TypeId, span: Span) -> Result<()> {
        match self.hir.types.is_floating(ty) {
            true => Err(super::floating::unknown_value(span)),
            false => Ok(()),
        }
    }

    /// A value as one of another scalar type.
    fn held_as(&mut self, value: Expr, to: Scalar, span: Span) -> Expr {
        match to {
            Scalar::Bool => self.truth(value, span),
            _ => self.recast(value, to, span),
        }
    }

    /// `atomic_fetch_add` and its like.
    pub fn fetch(
        &mut self,
        place: &'h hir::Place,
        (op, operand): (FetchOp, &'h hir::Expr),
        gives: Gives,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Value> {
        let mut target = self.place(place)?;
        let mark = self.mark();
        if self.is_wide(target.ty).is_some() {
            let operand = self.wide(operand)?;
            self.settle_place(&mut target.place, mark);
            return self.wide_fetch(target.place, target.ty, (op, operand), gives, span);
        }
        let operand = self.scalar(operand)?;
        self.settle_place(&mut target.place, mark);
        let operand = self.wrapped(operand, self.scalar_of(target.ty), span);
        self.fetch_scalar(target, (op, operand), gives, orders, span).map(Value::Scalar)
    }

    /// The same on a scalar, with an operand of its type.
    fn fetch_scalar(
        &mut self,
        target: Target,
        (op, operand): (FetchOp, Expr),
        gives: Gives,
        orders: &UpdateOrders,
        span: Span,
    ) -> Result<Expr> {
        let kind = op.instruction().filter(|_| self.scalar_of(target.ty) != Scalar::Bool);
        let Some(kind) = kind else {
            let operand = self.keep(operand);
            return self.section(target, gives, span, |this, old| Ok(this.fetched(op, old, operand, span)));
        };
        if gives == Gives::Old {
            return self.rmw(kind, target, vec![operand], orders, span);
        }
        let operand = self.keep(operand);
        let old = self.rmw(kind, target, vec![operand.clone()], orders, span)?;
        let old = self.keep(old);
        Ok(self.fetched(op, old, operand, span))
    }

    /// What an update makes of a value, in its own type: it wraps.
    fn fetched(&self, op: FetchOp, old: Expr, operand: Expr, span: Span) -> Expr {
        let ty = old.ty;
        let new = self.operate_promoted(op.operator(), old, operand, span);
        match op {
            FetchOp::Nand => {
                let computed = if ty.size() < self.int().size() { self.int() } else { ty };
                let new = self.complement(self.wrapped(new, computed, span), span);
                self.as_scalar(new, ty, span)
            }
            _ => new,
        }
    }

    /// An update that is not an instruction of the program, in an atomic section; what was there before or after.
    fn section(
        &mut self,
        mut target: Target,
        gives: Gives,
        span: Span,
        update: impl FnOnce(&mut Self, Expr) -> Result<Expr>,
    ) -> Result<Expr> {
        let scalar = self.scalar_of(target.ty);
        self.stabilise(&mut target.place);
        target.place.access = self.in_section();
        let result = self.temporary(scalar, span);
        let block = self.block_of(|this| {
            let old = this.load_scalar(target.clone(), span)?;
            let old = this.keep(old);
            let new = update(this, old.clone())?;
            let new = this.keep(new);
            this.store(&target, new.clone(), span);
            this.set_local(result, if gives == Gives::New { new } else { old }, span);
            Ok(())
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(read_local(result, scalar, span))
    }

    /// `place op= operand` of an `_Atomic` variable; the place is stable, the operand is evaluated.
    pub fn atomic_update(
        &mut self,
        target: Target,
        update: &'h hir::Update,
        operand: Expr,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let types = &self.hir.types;
        let gives = if wanted == Wanted::New { Gives::New } else { Gives::Old };
        let is_number = types.is_integer(update.computed_in) && self.scalar_of(target.ty) != Scalar::Bool;
        let value = match FetchOp::of(update.op) {
            // Whatever it is computed in, the lower bits are the same.
            Some(op) if is_number => {
                let operand = self.wrapped(operand, self.scalar_of(target.ty), span);
                self.fetch_scalar(target, (op, operand), gives, &UpdateOrders::OfPlace, span)?
            }
            Some(op) if types.is_pointer(update.computed_in) => {
                let element = types.element(update.computed_in).expect("pointers lead to something");
                let size = self.byte_size(element, span)?;
                let bytes = self.operate(BinaryOp::Mul, operand, size, span);
                let bytes = self.wrapped(bytes, self.scalar_of(target.ty), span);
                self.fetch_scalar(target, (op, bytes), gives, &UpdateOrders::OfPlace, span)?
            }
            _ => {
                let operand = self.keep(operand);
                let ty = target.ty;
                self.section(target, gives, span, |this, old| this.updated(update, old, operand, ty, span))?
            }
        };
        Ok(Value::Scalar(value))
    }
}
