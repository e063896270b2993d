//! Atomic operations: C11's, GCC's `__atomic_*` and `__sync_*`. All of them work on what a pointer points to, of whatever
//! type that is.

use super::atomic_name::{Operation, operation};
use super::constant::constant_of;
use super::{Checker, Result};
use crate::ast;
use crate::hir::{
    Atomic, AtomicOp, Callee, Conversion, Expr, ExprKind, FetchOp, Gives, Intrinsic, OrderOf, Place, Swapped,
    TypeId,
};
use fencepost_ir::tree::BinaryOp;
use fencepost_ir::{Access, Order, Span};
use fencepost_text::Diagnostic;

impl<'a> Checker<'a> {
    /// An atomic function, if it is one.
    pub fn atomic_call(&mut self, name: &'a str, args: &'a [ast::Expr], span: Span) -> Result<Option<Expr>> {
        let Some(operation) = operation(name) else { return Ok(None) };
        let least = operation.least();
        if args.len() < least {
            let count = if least == 1 { "1 argument".into() } else { format!("{least} arguments") };
            return self.fail(span, format!("`{name}` takes {count} or more, not {}", args.len()));
        }
        let value = match operation {
            Operation::FullFence => {
                let kind = ExprKind::Call(Callee::Intrinsic(Intrinsic::FullFence), Vec::new());
                Expr { kind, ty: self.types.void(), span }
            }
            Operation::ThreadFence => self.fence(AtomicOp::Fence, &args[0], span)?,
            Operation::SignalFence => self.fence(AtomicOp::SignalFence, &args[0], span)?,
            Operation::IsLockFree => self.constant(1, self.types.int(), span),
            Operation::CompareExchange | Operation::CompareExchangeFrom => {
                self.compare_exchange(operation, args, span)?
            }
            Operation::ValueCompareSwap | Operation::BoolCompareSwap | Operation::CompareSwap => {
                self.compare_swap(operation, args, span)?
            }
            Operation::Fetch(op, gives) => self.fetch(name, (op, gives), args, span)?,
            _ => self.access(operation, args, span)?,
        };
        Ok(Some(value))
    }

    fn fence(&mut self, op: AtomicOp, order: &'a ast::Expr, span: Span) -> Result<Expr> {
        let order = self.order(Some(order))?;
        let kind = ExprKind::Atomic(Box::new(Atomic { op, order, failure: None }));
        Ok(Expr { kind, ty: self.types.void(), span })
    }

    /// Loads, stores and exchanges.
    fn access(&mut self, operation: Operation, args: &'a [ast::Expr], span: Span) -> Result<Expr> {
        let target = self.target(&args[0]);
        let second = match operation {
            Operation::StoreFrom | Operation::ExchangeInto => Some(self.pointed_value(&args[1])),
            Operation::Store | Operation::Init | Operation::Exchange | Operation::LockTestAndSet => {
                Some(self.value(&args[1]))
            }
            _ => None,
        };
        let out = match operation {
            Operation::LoadInto => Some(self.target(&args[1])),
            Operation::ExchangeInto => Some(self.target(&args[2])),
            _ => None,
        };
        let order = self.access_order(operation, args);
        let (mut target, order) = (target?, order?);
        let value = second.transpose()?;
        target = match &value {
            Some(value) if self.types.same(value.ty, target.ty) => target,
            None if matches!(operation, Operation::Load | Operation::LoadInto) => target,
            _ => self.only_member(target),
        };
        let value = value.map(|value| self.converted(value, target.ty)).transpose()?;
        let ty = self.types.unqualified(target.ty);
        let (op, ty) = match (operation, value) {
            (Operation::Store | Operation::StoreFrom, Some(value)) => {
                (AtomicOp::Store(target, value), self.types.void())
            }
            (Operation::Init, Some(value)) => (AtomicOp::Init(target, value), self.types.void()),
            (_, Some(value)) => (AtomicOp::Exchange(target, value), ty),
            (Operation::TestAndSet, None) => (AtomicOp::TestAndSet(target), self.types.bool()),
            (Operation::Clear | Operation::LockRelease, None) => (AtomicOp::Clear(target), self.types.void()),
            (_, None) => (AtomicOp::Load(target), ty),
        };
        let value = self.atomic(op, order, None, ty, span);
        match out {
            Some(out) => self.stored(out?, value, span),
            None => Ok(value),
        }
    }

    /// The order of a load, a store or an exchange: the last argument, or what the name says.
    fn access_order(&mut self, operation: Operation, args: &'a [ast::Expr]) -> Result<OrderOf> {
        let at = match operation {
            Operation::LockTestAndSet => return Ok(OrderOf::Known(Order::Acquire)),
            Operation::LockRelease => return Ok(OrderOf::Known(Order::Release)),
            Operation::Init => return Ok(OrderOf::Known(Order::Relaxed)),
            Operation::Load | Operation::TestAndSet | Operation::Clear => 1,
            Operation::ExchangeInto => 3,
            _ => 2,
        };
        self.order(args.get(at))
    }

    /// An operation whose place has the order, where that is known.
    fn atomic(
        &mut self,
        mut op: AtomicOp,
        order: OrderOf,
        failure: Option<OrderOf>,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        let access = match (&op, &order, &failure) {
            (AtomicOp::Init(..), _, _) => Access::Plain,
            (_, OrderOf::Known(order), None) => Access::Atomic(*order),
            (_, OrderOf::Known(order), Some(OrderOf::Known(failure))) => {
                // It only loads: a compiler that takes another order makes the part of it that loads have.
                Access::compare(*order, failure.of_load())
            }
            (_, OrderOf::Computed(_), _) | (_, _, Some(OrderOf::Computed(_))) => Access::SEQ_CST,
        };
        match &mut op {
            AtomicOp::Load(place)
            | AtomicOp::Store(place, _)
            | AtomicOp::Init(place, _)
            | AtomicOp::Exchange(place, _)
            | AtomicOp::CompareExchange { place, .. }
            | AtomicOp::CompareSwap { place, .. }
            | AtomicOp::Fetch { place, .. }
            | AtomicOp::TestAndSet(place)
            | AtomicOp::Clear(place) => place.access = access,
            AtomicOp::Fence | AtomicOp::SignalFence => {}
        }
        Expr { kind: ExprKind::Atomic(Box::new(Atomic { op, order, failure })), ty, span }
    }

    /// The value of an operation, stored where the caller wants it.
    fn stored(&mut self, out: Place, value: Expr, span: Span) -> Result<Expr> {
        let value = self.converted(value, out.ty)?;
        let ty = value.ty;
        let assigned = Expr { kind: ExprKind::Assign(Box::new(out), Box::new(value)), ty, span };
        let void = self.types.void();
        self.convert(assigned, void, Conversion::Cast)
    }

    fn compare_exchange(&mut self, operation: Operation, args: &'a [ast::Expr], span: Span) -> Result<Expr> {
        let target = self.target(&args[0]);
        let expected = self.target(&args[1]);
        let desired = match operation {
            Operation::CompareExchangeFrom => self.pointed_value(&args[2]),
            _ => self.value(&args[2]),
        };
        // Orders, and for GCC's functions whether it is weak before them.
        let orders = match args.len() {
            6 => &args[4..],
            _ => args.get(3..).unwrap_or_default(),
        };
        let order = self.order(orders.first())?;
        let failure = self.order(orders.get(1))?;
        let (place, expected, desired) = (target?, expected?, desired?);
        let place = match self.types.same(desired.ty, place.ty) {
            true => place,
            false => self.only_member(place),
        };
        let desired = self.converted(desired, place.ty)?;
        let op = AtomicOp::CompareExchange { place, expected, desired };
        Ok(self.atomic(op, order, Some(failure), self.types.bool(), span))
    }

    fn compare_swap(&mut self, operation: Operation, args: &'a [ast::Expr], span: Span) -> Result<Expr> {
        let target = self.target(&args[0]);
        let (expected, desired) = (self.value(&args[1]), self.value(&args[2]));
        let place = self.only_member(target?);
        let expected = self.converted(expected?, place.ty)?;
        let desired = self.converted(desired?, place.ty)?;
        let (ty, gives) = match operation {
            Operation::BoolCompareSwap => (self.types.bool(), Swapped::Success),
            _ => (self.types.unqualified(place.ty), Swapped::Old),
        };
        let order = match operation {
            Operation::CompareSwap => self.order(args.get(3))?,
            _ => OrderOf::Known(Order::SeqCst),
        };
        let op = AtomicOp::CompareSwap { place, expected, desired, gives };
        Ok(self.atomic(op, order, None, ty, span))
    }

    fn fetch(
        &mut self,
        name: &str,
        (op, gives): (FetchOp, Gives),
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        let target = self.target(&args[0]);
        let operand = self.value(&args[1]);
        let order = match name.starts_with("__sync") {
            true => OrderOf::Known(Order::SeqCst),
            false => self.order(args.get(2))?,
        };
        let place = self.only_member(target?);
        let operand = operand?;
        let counts_bytes = name.starts_with("__atomic_") || name.starts_with("__sync_");
        let operand = match self.types.element(place.ty).filter(|_| self.types.is_pointer(place.ty)) {
            Some(element) => self.bytes(operand, element, counts_bytes, span)?,
            None if self.types.is_integer(place.ty) => self.converted(operand, place.ty)?,
            None => {
                let message = "atomic arithmetic is for integers and pointers";
                let diagnostic = Diagnostic::new(span, message).label(self.show(place.ty));
                return Err(self.report(diagnostic));
            }
        };
        let ty = self.types.unqualified(place.ty);
        let op = AtomicOp::Fetch { place, op, operand, gives };
        Ok(self.atomic(op, order, None, ty, span))
    }

    /// How many bytes a pointer is moved by. C11's functions count elements where GCC's count bytes.
    fn bytes(&mut self, count: Expr, element: TypeId, counts_bytes: bool, span: Span) -> Result<Expr> {
        let ty = self.types.distance_type();
        let count = self.converted(count, ty)?;
        if counts_bytes {
            return Ok(count);
        }
        let size = self.size_of(element, span)?;
        let size = self.converted(size, ty)?;
        Ok(self.binary(BinaryOp::Mul, count, size, ty, span))
    }

    /// The variable that an atomic function works on; what a `void *` points to is a byte.
    fn target(&mut self, pointer: &'a ast::Expr) -> Result<Place> {
        let mut value = self.value(pointer)?;
        if self.types.element(value.ty).is_some_and(|to| self.types.is_void(to)) {
            let byte = self.types.pointer_to(self.types.bool());
            value = self.converted(value, byte)?;
        }
        let place = self.pointed(value, pointer.span)?;
        if self.types.size(place.ty).is_none() {
            return Err(self.incomplete(place.ty, pointer.span));
        }
        Ok(place)
    }

    /// What a pointer points to, as a value.
    fn pointed_value(&mut self, pointer: &'a ast::Expr) -> Result<Expr> {
        let place = self.target(pointer)?;
        self.read(super::place::Operand::Place(place))
    }

    /// `atomic_flag` and the like are structures around one scalar, which is meant.
    fn only_member(&mut self, place: Place) -> Place {
        let mut place = place;
        while let Some(record) = self.types.record_id(place.ty)
            && self.types.layout(record).is_some_and(|layout| layout.members.len() == 1)
        {
            place = self.nth_member(place, record, 0);
        }
        place
    }

    /// A memory order; the strongest where none is given.
    fn order(&mut self, order: Option<&'a ast::Expr>) -> Result<OrderOf> {
        let Some(e) = order else { return Ok(OrderOf::Known(Order::SeqCst)) };
        let value = self.value(e)?;
        let Some(number) = constant_of(&value) else {
            let int = self.types.int();
            return self.converted(value, int).map(OrderOf::Computed);
        };
        match OrderOf::numbered(number) {
            Some(order) => Ok(OrderOf::Known(order)),
            None => self.fail(e.span, format!("{number} is no memory order")),
        }
    }
}
