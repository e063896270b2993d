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

/// The orders of a read-modify-write.
pub enum UpdateOrders {
    /// Its place has them.
    OfPlace,
    /// The run knows them: if it writes, and if it does not.
    Chosen(Box<(Chosen, Option<Chosen>)>),
}

/// Numbers of orders; any other number is that of a relaxed access or fence.
const ORDERS: [(i64, Order); 5] =
    [(1, Order::Acquire), (2, Order::Acquire), (3, Order::Release), (4, Order::AcqRel), (5, Order::SeqCst)];

/// Numbers of orders of stores.
const STORING: [(i64, Order); 3] = [(3, Order::Release), (4, Order::AcqRel), (5, Order::SeqCst)];

/// Numbers of orders of loads, and of what is left of a read-modify-write that writes nothing.
const LOADING: [(i64, Order); 4] =
    [(1, Order::Acquire), (2, Order::Acquire), (4, Order::Acquire), (5, Order::SeqCst)];

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
                self.by_order(&order, &ORDERS, span, &mut |this, order| {
                    this.emit(StmtKind::Fence(Fence::Thread(order)), span);
                    Ok(())
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
            AtomicOp::SignalFence
            | AtomicOp::TestAndSet(_)
            | AtomicOp::Exchange(..)
            | AtomicOp::CompareExchange { .. }
            | AtomicOp::CompareSwap { .. }
            | AtomicOp::Fetch { .. } => {
                let orders = match (&atomic.order, &atomic.failure) {
                    (OrderOf::Known(_), None | Some(OrderOf::Known(_))) => UpdateOrders::OfPlace,
                    (success, failure) => {
                        let success = self.chosen(success)?;
                        let failure = failure.as_ref().map(|failure| self.chosen(failure)).transpose()?;
                        UpdateOrders::Chosen(Box::new((success, failure)))
                    }
                };
                self.read_modify_write(&atomic.op, ty, &orders, wanted, span)
            }
        }
    }

    fn read_modify_write(
        &mut self,
        op: &'h AtomicOp,
        ty: TypeId,
        orders: &UpdateOrders,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        match op {
            AtomicOp::TestAndSet(place) => self.test_and_set(place, orders, span),
            AtomicOp::Exchange(place, value) => self.exchange(place, value, orders, span),
            AtomicOp::CompareExchange { place, expected, desired } => {
                self.compare_exchange(place, (expected, desired), orders, span)
            }
            AtomicOp::CompareSwap { place, expected, desired, gives } => {
                self.compare_swap(place, (expected, desired), *gives, orders, span)
            }
            AtomicOp::Fetch { place, op, operand, gives } => {
                let gives = if wanted == Wanted::Nothing { hir::Gives::Old } else { *gives };
                debug_assert!(self.hir.types.same(place.ty, ty), "it gives values of the place");
                self.fetch(place, (*op, operand), gives, orders, span)
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

    /// Does what an order means: that of its number among `known`, or a relaxed one.
    pub fn by_order(
        &mut self,
        order: &Chosen,
        known: &[(i64, Order)],
        span: Span,
        act: &mut dyn FnMut(&mut Self, Order) -> Result<()>,
    ) -> Result<()> {
        let chosen = match order {
            Chosen::Known(order) => return act(self, *order),
            Chosen::Number(chosen) => chosen,
        };
        let mut chain = self.block_of(|this| act(this, Order::Relaxed))?;
        for (n, order) in known {
            let then = self.block_of(|this| act(this, *order))?;
            let test = with_number(BinaryOp::Eq, chosen.clone(), *n, span);
            chain = Block(vec![Stmt { kind: StmtKind::If(test, then, chain), span }]);
        }
        self.append(chain);
        Ok(())
    }

    /// Does what the orders of a read-modify-write mean, which the run knows.
    pub fn by_update_orders(
        &mut self,
        (success, failure): &(Chosen, Option<Chosen>),
        span: Span,
        act: &mut dyn FnMut(&mut Self, Access),
    ) -> Result<()> {
        self.by_order(success, &ORDERS, span, &mut |this, success| {
            let Some(failure) = failure else {
                act(this, Access::Atomic(success));
                return Ok(());
            };
            this.by_order(failure, &LOADING, span, &mut |this, failure| {
                act(this, Access::compare(success, failure.of_load()));
                Ok(())
            })
        })
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
        self.by_order(&order, &LOADING, span, &mut |this, order| {
            let mut place = target.place.clone();
            place.access = Access::Atomic(order);
            this.set_local(id, super::build::read(place, scalar, span), span);
            Ok(())
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
        self.by_order(order, &STORING, span, &mut |this, order| {
            let mut place = place.clone();
            place.access = Access::Atomic(order);
            this.assign_place(place, value.clone(), span);
            Ok(())
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
