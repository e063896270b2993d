//! Atomic operations: C11's, GCC's `__atomic_*` and `__sync_*`.
//!
//! They mean what compilers make of them on x86 (`docs/memory-models.md` has the table): loads of any
//! order are loads; a sequentially consistent store is a store with a full fence behind it;
//! read-modify-writes of any order drain the buffer. For PSO a release or sequentially consistent
//! store has a store-store fence before it. A weak compare-exchange fails only for a reason, as on
//! x86.

use super::assign::Wanted;
use super::atomic_name::operation;
pub(super) use super::atomic_name::{Fetch, Operation, Order};
use super::*;

impl<'a> Lowerer<'a> {
    /// An atomic function, if it is one.
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let Some(operation) = operation(name) else { return Ok(None) };
        self.atomic_operation(operation, name, args, span).map(Some)
    }

    fn atomic_operation(
        &mut self,
        operation: Operation,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let least = match operation {
            Operation::FullFence => 0,
            Operation::Load
            | Operation::TestAndSet
            | Operation::LockRelease
            | Operation::Clear
            | Operation::ThreadFence
            | Operation::SignalFence
            | Operation::IsLockFree => 1,
            Operation::LoadInto
            | Operation::Store
            | Operation::StoreFrom
            | Operation::Init
            | Operation::Exchange
            | Operation::Fetch(..)
            | Operation::LockTestAndSet => 2,
            Operation::ExchangeInto
            | Operation::CompareExchange
            | Operation::CompareExchangeFrom
            | Operation::ValueCompareSwap
            | Operation::BoolCompareSwap => 3,
        };
        if args.len() < least {
            return Err(Diagnostic::new(span, format!("`{name}` takes {least} arguments or more")));
        }
        match operation {
            Operation::FullFence => {
                self.emit(StmtKind::Fence(FenceKind::Full), span);
                return Ok(Value::Void);
            }
            Operation::ThreadFence => {
                self.by_order(&args[0], span, |this, order| {
                    this.thread_fence(order, span);
                    Ok(())
                })?;
                return Ok(Value::Void);
            }
            Operation::SignalFence => {
                self.order(&args[0])?;
                return Ok(Value::Void);
            }
            Operation::IsLockFree => return Ok(Value::Scalar(self.int_constant(1, &CType::INT, span))),
            _ => {}
        }
        let order = |this: &mut Self, i: usize| match args.get(i) {
            Some(order) => this.order(order),
            None => Ok(Order::SeqCst),
        };
        let mut target = self.target(&args[0])?;
        if let CType::Record(_) = target.ty.unqualified() {
            let weakest = match operation {
                Operation::Store | Operation::StoreFrom => match args.get(2) {
                    None => Order::SeqCst,
                    // What only the run knows may be any of them.
                    Some(order) => match self.constant(order) {
                        Ok(number) => known_order(number, order.span)?,
                        Err(_) => Order::Relaxed,
                    },
                },
                _ => Order::SeqCst,
            };
            return self.structure_operation(operation, target, args, weakest, span);
        }
        match operation {
            Operation::Load => {
                let order = order(self, 1)?;
                target.place.access = order.access();
                self.load(Lvalue { ty: target.ty.unqualified().clone(), ..target }, span)
            }
            Operation::LoadInto => {
                let order = order(self, 2)?;
                target.place.access = order.access();
                let out = self.target(&args[1])?;
                let target = Lvalue { ty: target.ty.unqualified().clone(), ..target };
                let Value::Scalar(value) = self.load(target, span)? else { return Err(too_wide(span)) };
                self.emit(StmtKind::Assign(out.place, value.expr), span);
                Ok(Value::Void)
            }
            Operation::Store | Operation::StoreFrom | Operation::Init => {
                let mark = self.body.out.len();
                let value = if operation == Operation::StoreFrom {
                    let from = self.target(&args[1])?;
                    match self.load(from, span)? {
                        Value::Scalar(value) => value,
                        Value::Record(..) | Value::Void => return Err(too_wide(span)),
                    }
                } else {
                    self.scalar(&args[1])?
                };
                self.settle_place(&mut target.place, mark);
                let value = self.convert(value, &target.ty, span)?;
                match args.get(2).filter(|_| operation != Operation::Init) {
                    Some(order) => self.store_by_order(target.place, value.expr, order, span)?,
                    None => {
                        // Initialising is no atomic access.
                        let init = operation == Operation::Init;
                        let order = if init { Order::Relaxed } else { Order::SeqCst };
                        target.place.access = if init { Access::Plain } else { order.access() };
                        self.ordered_store(target.place, value.expr, order, span);
                    }
                }
                Ok(Value::Void)
            }
            Operation::Clear | Operation::LockRelease => {
                let zero = self.int_constant(0, &CType::INT, span);
                let zero = self.convert(zero, &target.ty, span)?;
                match args.get(1).filter(|_| operation == Operation::Clear) {
                    Some(order) => self.store_by_order(target.place, zero.expr, order, span)?,
                    None => {
                        let order =
                            if operation == Operation::Clear { Order::SeqCst } else { Order::Release };
                        target.place.access = order.access();
                        self.ordered_store(target.place, zero.expr, order, span);
                    }
                }
                Ok(Value::Void)
            }
            Operation::Exchange | Operation::LockTestAndSet => {
                let mark = self.body.out.len();
                let value = self.scalar(&args[1])?;
                self.settle_place(&mut target.place, mark);
                if operation == Operation::Exchange {
                    order(self, 2)?;
                }
                let value = self.convert(value, &target.ty, span)?;
                Ok(Value::Scalar(self.rmw(RmwKind::Exchange, target, vec![value.expr], span)))
            }
            Operation::ExchangeInto => {
                order(self, 3)?;
                let (from, out) = (self.target(&args[1])?, self.target(&args[2])?);
                let Value::Scalar(value) = self.load(from, span)? else { return Err(too_wide(span)) };
                let value = self.convert(value, &target.ty, span)?;
                let old = self.rmw(RmwKind::Exchange, target, vec![value.expr], span);
                self.emit(StmtKind::Assign(out.place, old.expr), span);
                Ok(Value::Void)
            }
            Operation::TestAndSet => {
                order(self, 1)?;
                let one = self.int_constant(1, &CType::INT, span);
                let one = self.convert(one, &target.ty, span)?;
                let old = self.rmw(RmwKind::Exchange, target, vec![one.expr], span);
                Ok(Value::Scalar(self.convert(old, &CType::Bool, span)?))
            }
            Operation::CompareExchange | Operation::CompareExchangeFrom => {
                self.compare_exchange(operation, target, args, span)
            }
            Operation::ValueCompareSwap | Operation::BoolCompareSwap => {
                let mark = self.body.out.len();
                let expected = self.scalar(&args[1])?;
                let inner = self.body.out.len();
                let new = self.scalar(&args[2])?;
                let expected = Typed { expr: self.settle(expected.expr, inner), ..expected };
                self.settle_place(&mut target.place, mark);
                let expected = self.convert(expected, &target.ty, span)?;
                let new = self.convert(new, &target.ty, span)?;
                let kind = match operation {
                    Operation::BoolCompareSwap => RmwKind::CompareAndSwap,
                    _ => RmwKind::CompareExchange,
                };
                let result = self.rmw(kind, target, vec![expected.expr, new.expr], span);
                Ok(Value::Scalar(match kind {
                    RmwKind::CompareAndSwap => Typed { ty: CType::Bool, ..result },
                    _ => result,
                }))
            }
            Operation::Fetch(fetch, wanted) => {
                let mark = self.body.out.len();
                let operand = self.scalar(&args[1])?;
                self.settle_place(&mut target.place, mark);
                if !name.starts_with("__sync") {
                    order(self, 2)?;
                }
                // C11's functions count elements where GCC's count bytes.
                let operand = match target.ty.unqualified() {
                    CType::Pointer(to) if !name.starts_with("__atomic_") && !name.starts_with("__sync_") => {
                        let size = self.types().size(to).unwrap_or(1);
                        let size = self.int_constant(size as i64, &CType::LONG, span);
                        self.arithmetic(BinaryOp::Mul, operand, size, span)?
                    }
                    _ => operand,
                };
                let value = self.fetch(fetch, target, operand, wanted, span)?;
                Ok(Value::Scalar(value))
            }
            Operation::FullFence
            | Operation::ThreadFence
            | Operation::SignalFence
            | Operation::IsLockFree => panic!("fences have no target"),
        }
    }

    /// The variable that an atomic function works on.
    fn target(&mut self, pointer: &'a ast::Expr) -> Result<Lvalue> {
        let value = self.scalar(pointer)?;
        let mut lvalue = self.pointed(value, pointer.span)?;
        // `atomic_flag` and the like are structures around one scalar.
        while let CType::Record(id) = *lvalue.ty.unqualified() {
            let [only] = &self.members[id.0 as usize][..] else { return Ok(lvalue) };
            lvalue = Lvalue { ty: only.ty.clone(), place: lvalue.place };
            lvalue.place.path.push(Projection::Field(0));
        }
        if lvalue.ty.is_floating() {
            return Err(floating::unknown_value(pointer.span));
        }
        if !lvalue.ty.is_scalar() {
            return Err(too_wide(pointer.span));
        }
        Ok(lvalue)
    }

    /// The order of an operation that means the same in every order, so that only the run needs to know it.
    fn order(&mut self, e: &'a ast::Expr) -> Result<Order> {
        match self.constant(e) {
            Ok(number) => known_order(number, e.span),
            Err(_) => self.effect(e).map(|()| Order::SeqCst),
        }
    }

    /// Does what an order means, which may be known to the run only, as in a function that is given one.
    fn by_order(
        &mut self,
        e: &'a ast::Expr,
        span: Span,
        mut act: impl FnMut(&mut Self, Order) -> Result<()>,
    ) -> Result<()> {
        if let Ok(number) = self.constant(e) {
            return act(self, known_order(number, e.span)?);
        }
        let order = self.scalar(e)?;
        let order = self.convert(order, &CType::INT, span)?;
        let order = self.keep(order.expr);
        let mut chain = self.captured(|this| act(this, Order::Relaxed))?.1;
        for (number, meant) in [(3, Order::Release), (4, Order::AcqRel), (5, Order::SeqCst)] {
            let (_, then) = self.captured(|this| act(this, meant))?;
            let number = Expr::constant(number, order.ty, span);
            let test = ExprKind::Binary(BinaryOp::Eq, Box::new(order.clone()), Box::new(number));
            let test = Expr { kind: test, ty: Scalar::Bool, span };
            chain = Block(vec![Stmt { kind: StmtKind::If(test, then, chain), span }]);
        }
        self.body.out.extend(chain.0);
        Ok(())
    }

    pub(super) fn store_by_order(
        &mut self,
        mut place: Place,
        value: Expr,
        order: &'a ast::Expr,
        span: Span,
    ) -> Result<()> {
        let value = match self.constant(order) {
            Ok(_) => value,
            Err(_) => {
                self.stabilise(&mut place);
                self.keep(value)
            }
        };
        self.by_order(order, span, |this, order| {
            let place = Place { access: order.access(), ..place.clone() };
            this.ordered_store(place, value.clone(), order, span);
            Ok(())
        })
    }

    pub(super) fn thread_fence(&mut self, order: Order, span: Span) {
        match order {
            Order::SeqCst => self.emit(StmtKind::Fence(FenceKind::Full), span),
            Order::Release | Order::AcqRel => self.emit(StmtKind::Fence(FenceKind::StoreStore), span),
            Order::Acquire | Order::Relaxed => {}
        }
    }

    /// A store of the order.
    pub(super) fn ordered_store(&mut self, place: Place, value: Expr, order: Order, span: Span) {
        let private = matches!(place.base, Base::Variable(VarRef::Local(_) | VarRef::ThreadLocal(_)));
        let ordered = !private && matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
        if ordered {
            self.emit(StmtKind::Fence(FenceKind::StoreStore), span);
        }
        self.emit(StmtKind::Assign(place, value), span);
        if ordered && order == Order::SeqCst {
            self.emit(StmtKind::Fence(FenceKind::Full), span);
        }
    }

    /// A read-modify-write that has happened when the next operand is evaluated; its result.
    pub(super) fn rmw(&mut self, kind: RmwKind, target: Lvalue, operands: Vec<Expr>, span: Span) -> Typed {
        let ty = target.ty.unqualified().clone();
        let scalar = match kind {
            RmwKind::CompareAndSwap => Scalar::Bool,
            _ => self.types().scalar(&ty).expect("targets are scalars"),
        };
        Typed { expr: Expr { kind: ExprKind::Rmw(kind, target.place, operands), ty: scalar, span }, ty }
    }

    fn compare_exchange(
        &mut self,
        operation: Operation,
        mut target: Lvalue,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let mark = self.body.out.len();
        let mut expected = self.target(&args[1])?;
        let inner = self.body.out.len();
        let desired = if operation == Operation::CompareExchangeFrom {
            let from = self.target(&args[2])?;
            match self.load(from, span)? {
                Value::Scalar(value) => value,
                Value::Record(..) | Value::Void => return Err(too_wide(span)),
            }
        } else {
            self.scalar(&args[2])?
        };
        // Orders, and for GCC's functions whether it is weak before them.
        for order in args.iter().skip(3).filter(|_| args.len() != 6) {
            self.order(order)?;
        }
        self.settle_place(&mut expected.place, inner);
        self.settle_place(&mut target.place, mark);
        self.stabilise(&mut expected.place);
        let desired = self.convert(desired, &target.ty, span)?;
        let Value::Scalar(wanted) = self.load(expected.clone(), span)? else { return Err(too_wide(span)) };
        let wanted = self.convert(wanted, &target.ty, span)?;
        let wanted = self.keep(wanted.expr);
        let (target_ty, mut place) = (target.ty.unqualified().clone(), target.place);
        self.stabilise(&mut place);
        let desired = self.keep(desired.expr);
        let target = Lvalue { place, ty: target_ty.clone() };
        let old = self.rmw(RmwKind::CompareExchange, target, vec![wanted.clone(), desired], span);
        let old = self.keep(old.expr);
        let same = ExprKind::Binary(BinaryOp::Eq, Box::new(old.clone()), Box::new(wanted));
        let same = self.keep(Expr { kind: same, ty: Scalar::Bool, span });
        let (_, failed) = self.captured(|this| {
            let old = this.convert(Typed { expr: old, ty: target_ty }, &expected.ty, span)?;
            this.emit(StmtKind::Assign(expected.place, old.expr), span);
            Ok(())
        })?;
        self.emit(StmtKind::If(same.clone(), Block::default(), failed), span);
        Ok(Value::Scalar(Typed { expr: same, ty: CType::Bool }))
    }

    fn fetch(
        &mut self,
        fetch: Fetch,
        target: Lvalue,
        operand: Typed,
        wanted: Wanted,
        span: Span,
    ) -> Result<Typed> {
        let kind = match fetch {
            Fetch::Add => RmwKind::Add,
            Fetch::Sub => RmwKind::Sub,
            Fetch::And => RmwKind::And,
            Fetch::Or => RmwKind::Or,
            Fetch::Xor => RmwKind::Xor,
            Fetch::Nand => return self.in_section(target, fetch, operand, wanted, span),
        };
        if *target.ty.unqualified() == CType::Bool {
            return self.in_section(target, fetch, operand, wanted, span);
        }
        let operand = self.convert(operand, &target.ty, span)?;
        if wanted != Wanted::New {
            return Ok(self.rmw(kind, target, vec![operand.expr], span));
        }
        let operand = Typed { expr: self.keep(operand.expr), ty: operand.ty };
        let old = self.rmw(kind, target.clone(), vec![operand.expr.clone()], span);
        let old = Typed { expr: self.keep(old.expr), ty: old.ty };
        self.combine(fetch, old, operand, &target.ty, span)
    }

    /// The new value of a fetch function, bits added to pointers as they are.
    fn combine(&mut self, fetch: Fetch, old: Typed, operand: Typed, ty: &CType, span: Span) -> Result<Typed> {
        let op = match fetch {
            Fetch::Add => BinaryOp::Add,
            Fetch::Sub => BinaryOp::Sub,
            Fetch::And | Fetch::Nand => BinaryOp::BitAnd,
            Fetch::Or => BinaryOp::BitOr,
            Fetch::Xor => BinaryOp::BitXor,
        };
        if ty.is_pointer() {
            let scalar = old.expr.ty;
            let kind = ExprKind::Binary(op, Box::new(old.expr), Box::new(operand.expr));
            return Ok(Typed { expr: Expr { kind, ty: scalar, span }, ty: old.ty });
        }
        let mut new = self.arithmetic(op, old, operand, span)?;
        if fetch == Fetch::Nand {
            new = self.negate(Some(UnaryOp::BitNot), new, span)?;
        }
        self.convert(new, ty, span)
    }

    /// An update that is no single instruction of the program: in an atomic section.
    fn in_section(
        &mut self,
        mut target: Lvalue,
        fetch: Fetch,
        operand: Typed,
        wanted: Wanted,
        span: Span,
    ) -> Result<Typed> {
        self.stabilise(&mut target.place);
        let operand = Typed { expr: self.keep(operand.expr), ty: operand.ty };
        let ty = target.ty.unqualified().clone();
        let plain = Lvalue { ty: ty.clone(), place: target.place };
        self.section(plain, wanted, span, |this, old| this.combine(fetch, old, operand, &ty, span))
    }

    fn section(
        &mut self,
        target: Lvalue,
        wanted: Wanted,
        span: Span,
        update: impl FnOnce(&mut Self, Typed) -> Result<Typed>,
    ) -> Result<Typed> {
        let scalar = self.types().scalar(&target.ty).expect("targets are scalars");
        let result = self.temporary(scalar, span);
        let place = Place::variable(VarRef::Local(result), span);
        let ty = target.ty.clone();
        let (_, block) = self.captured(|this| {
            let Value::Scalar(old) = this.load(target.clone(), span)? else { return Err(too_wide(span)) };
            let old = Typed { expr: this.keep(old.expr), ty: old.ty };
            let new = update(this, old.clone())?;
            let new = this.keep(new.expr);
            this.emit(StmtKind::Assign(target.place, new.clone()), span);
            let shown = if wanted == Wanted::New { new } else { old.expr };
            this.emit(StmtKind::Assign(place, shown), span);
            Ok(())
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(Typed { expr: read_local(result, scalar, span), ty })
    }

    /// `lvalue op= operand` of an `_Atomic` variable.
    pub(super) fn atomic_update(
        &mut self,
        lvalue: Lvalue,
        op: BinaryOp,
        operand: Typed,
        wanted: Wanted,
        span: Span,
    ) -> Result<Option<Typed>> {
        let ty = lvalue.ty.unqualified().clone();
        if ty.is_floating() || operand.ty.is_floating() {
            return Err(floating::unknown_value(span));
        }
        let fetch = match op {
            BinaryOp::Add => Some(Fetch::Add),
            BinaryOp::Sub => Some(Fetch::Sub),
            BinaryOp::BitAnd => Some(Fetch::And),
            BinaryOp::BitOr => Some(Fetch::Or),
            BinaryOp::BitXor => Some(Fetch::Xor),
            _ => None,
        };
        let narrow = ty.is_integer() && ty != CType::Bool;
        let value = match fetch {
            Some(fetch) if narrow => self.fetch(fetch, lvalue, operand, wanted, span)?,
            Some(fetch) if ty.is_pointer() => {
                let element = ty.element().and_then(|to| self.types().size(to)).unwrap_or(1);
                let size = self.int_constant(element as i64, &CType::LONG, span);
                let bytes = self.arithmetic(BinaryOp::Mul, operand, size, span)?;
                self.fetch(fetch, lvalue, bytes, wanted, span)?
            }
            _ => {
                let operand = Typed { expr: self.keep(operand.expr), ty: operand.ty };
                let plain = Lvalue { ty: ty.clone(), place: lvalue.place };
                self.section(plain, wanted, span, |this, old| {
                    let new = this.arithmetic(op, old, operand, span)?;
                    this.convert(new, &ty, span)
                })?
            }
        };
        match wanted {
            Wanted::Nothing => {
                if let ExprKind::Rmw(..) = value.expr.kind {
                    self.emit(StmtKind::Eval(value.expr), span);
                }
                Ok(None)
            }
            Wanted::Old | Wanted::New => Ok(Some(value)),
        }
    }
}

fn known_order(number: i128, span: Span) -> Result<Order> {
    // GCC's hints for lock elision are in higher bits.
    Order::from_number(number & 0xffff)
        .ok_or_else(|| Diagnostic::new(span, format!("{number} is no memory order")))
}

fn too_wide(span: Span) -> Diagnostic {
    Diagnostic::new(span, "atomic operations on structures are not supported")
        .help("use one integer or pointer")
}
