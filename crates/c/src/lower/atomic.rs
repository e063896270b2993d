//! Atomic operations: loads, stores and fences. Those that read and write at once are in [`super::atomic_update`], those on
//! structures and numbers of 128 bits in [`super::atomic_record`].
//!
//! Each access carries its order; what that means on a machine is said in `memory::orders`. An order that only the run
//! knows, as in a function that is given one, is looked at when the program runs, where it makes a difference.

use super::build::{number, read_local, with_number};
use super::place::Target;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, AtomicOp, OrderOf, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Expr, Fence, Place, Stmt, StmtKind};
use fencepost_ir::{Access, Order, Scalar, Span};

/// An order, as far as it is known.
pub enum Chosen {
    Known(Order),
    /// The number that headers give it.
    Number(Expr),
}

/// What tells orders of stores and fences apart: any other number is that of an order that asks for nothing.
const ORDERING: [(i64, Order); 3] = [(3, Order::Release), (4, Order::AcqRel), (5, Order::SeqCst)];

/// What tells orders of loads apart: machines know none, but compilers may move a relaxed one.
const LOADING: [(i64, Order); 1] = [(0, Order::Relaxed)];

impl<'h> Lowerer<'h> {
    /// An atomic operation; `wanted` says whether anybody looks at its value.
    pub fn atomic(
        &mut self,
        atomic: &'h hir::Atomic,
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        match &atomic.op {
            AtomicOp::Fence => {
                let order = self.chosen(&atomic.order)?;
                self.by_order(&order, (&ORDERING, Order::Relaxed), span, |this, order| {
                    this.emit(StmtKind::Fence(Fence::Thread(order)), span);
                })?;
                Ok(Value::Void)
            }
            AtomicOp::Load(place) => self.atomic_load(place, &atomic.order, span),
            AtomicOp::Store(place, value) => self.atomic_store(place, value, &atomic.order, span),
            AtomicOp::Init(place, value) => {
                self.assign(place, value, Wanted::Nothing, span)?;
                Ok(Value::Void)
            }
            AtomicOp::Clear(place) => {
                let order = self.chosen(&atomic.order)?;
                let target = self.place(place)?;
                let zero = self.flag_value(&target, 0, span)?;
                self.store_by_order(target.place, zero, &order, span)?;
                Ok(Value::Void)
            }
            // These mean the same in every order.
            AtomicOp::SignalFence
            | AtomicOp::TestAndSet(_)
            | AtomicOp::Exchange(..)
            | AtomicOp::CompareExchange { .. }
            | AtomicOp::CompareSwap { .. }
            | AtomicOp::Fetch { .. } => {
                for order in [Some(&atomic.order), atomic.failure.as_ref()].into_iter().flatten() {
                    if let OrderOf::Computed(order) = order {
                        self.effect(order)?;
                    }
                }
                self.read_modify_write(&atomic.op, ty, wanted, span)
            }
        }
    }

    fn read_modify_write(
        &mut self,
        op: &'h AtomicOp,
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        match op {
            AtomicOp::TestAndSet(place) => self.test_and_set(place, span),
            AtomicOp::Exchange(place, value) => self.exchange(place, value, span),
            AtomicOp::CompareExchange { place, expected, desired } => {
                self.compare_exchange(place, expected, desired, span)
            }
            AtomicOp::CompareSwap { place, expected, desired, gives } => {
                self.compare_swap(place, (expected, desired), *gives, span)
            }
            AtomicOp::Fetch { place, op, operand, gives } => {
                let gives = if wanted == Wanted::Nothing { hir::Gives::Old } else { *gives };
                debug_assert!(self.hir.types.same(place.ty, ty), "it gives values of the place");
                self.fetch(place, (*op, operand), gives, span)
            }
            AtomicOp::SignalFence
            | AtomicOp::Fence
            | AtomicOp::Load(_)
            | AtomicOp::Store(..)
            | AtomicOp::Init(..)
            | AtomicOp::Clear(_) => Ok(Value::Void),
        }
    }

    /// The order of an operation; if only the run knows it, it is evaluated now.
    fn chosen(&mut self, order: &'h OrderOf) -> Result<Chosen> {
        let number = match order {
            OrderOf::Known(order) => return Ok(Chosen::Known(*order)),
            OrderOf::Computed(number) => self.scalar(number)?,
        };
        Ok(match self.fold(&number).map(|n| OrderOf::numbered(n.into())) {
            Some(known) => Chosen::Known(known.unwrap_or(Order::Relaxed)),
            None => Chosen::Number(self.keep(number)),
        })
    }

    /// Does what an order means: that of its number among `known`, or the other one.
    fn by_order(
        &mut self,
        order: &Chosen,
        (known, other): (&[(i64, Order)], Order),
        span: Span,
        mut act: impl FnMut(&mut Self, Order),
    ) -> Result<()> {
        let chosen = match order {
            Chosen::Known(order) => {
                act(self, *order);
                return Ok(());
            }
            Chosen::Number(chosen) => chosen,
        };
        let mut acted = |this: &mut Self, order| {
            this.block_of(|this| {
                act(this, order);
                Ok(())
            })
        };
        let mut chain = acted(self, other)?;
        for (n, order) in known {
            let then = acted(self, *order)?;
            let test = with_number(BinaryOp::Eq, chosen.clone(), *n, span);
            chain = Block(vec![Stmt { kind: StmtKind::If(test, then, chain), span }]);
        }
        self.append(chain);
        Ok(())
    }

    fn atomic_load(&mut self, place: &'h hir::Place, order: &'h OrderOf, span: Span) -> Result<Value> {
        let order = self.chosen(order)?;
        let mut target = self.place(place)?;
        if self.is_compound(target.ty) {
            return self.atomic_copy(target.place, target.ty, span).map(Value::Record);
        }
        if let Chosen::Known(order) = order {
            target.place.access = Access::Atomic(order);
            return self.load(target, span);
        }
        self.stabilise(&mut target.place);
        let scalar = self.scalar_type(target.ty).ok_or_else(|| self.no_values(target.ty, span))?;
        let id = self.temporary(scalar, span);
        self.by_order(&order, (&LOADING, Order::SeqCst), span, |this, order| {
            let mut place = target.place.clone();
            place.access = Access::Atomic(order);
            this.set_local(id, super::build::read(place, scalar, span), span);
        })?;
        Ok(Value::Scalar(read_local(id, scalar, span)))
    }

    fn atomic_store(
        &mut self,
        place: &'h hir::Place,
        value: &'h hir::Expr,
        order: &'h OrderOf,
        span: Span,
    ) -> Result<Value> {
        let order = self.chosen(order)?;
        let mut target = self.place(place)?;
        let mark = self.mark();
        if self.is_compound(target.ty) {
            let from = self.record_value(value)?;
            self.settle_place(&mut target.place, mark);
            self.store_record_by_order(&target, &from, &order, span)?;
            return Ok(Value::Void);
        }
        let value = self.scalar(value)?;
        self.settle_place(&mut target.place, mark);
        self.notes.keeps_numbers |= self.hir.types.is_floating(target.ty);
        self.store_by_order(target.place, value, &order, span)?;
        Ok(Value::Void)
    }

    /// Stores a scalar in an order.
    pub fn store_by_order(&mut self, place: Place, value: Expr, order: &Chosen, span: Span) -> Result<()> {
        let mut place = place;
        let value = match order {
            Chosen::Known(_) => value,
            Chosen::Number(_) => {
                self.stabilise(&mut place);
                self.keep(value)
            }
        };
        self.by_order(order, (&ORDERING, Order::Relaxed), span, |this, order| {
            let mut place = place.clone();
            place.access = Access::Atomic(order);
            this.assign_place(place, value.clone(), span);
        })
    }

    /// 0 or 1 as what a flag holds.
    pub fn flag_value(&self, target: &Target, value: i64, span: Span) -> Result<Expr> {
        match self.scalar_type(target.ty) {
            Some(scalar @ (Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. })) => {
                Ok(number(value, scalar, span))
            }
            _ => Err(self.not_atomic(target.ty, span)),
        }
    }
}
