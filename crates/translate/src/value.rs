//! Expressions. One that reads or changes memory is taken apart: a round may end before each access, so each becomes
//! a statement with a variable for its result.

use crate::body::{Body, Result, indices};
use crate::support::Helper;
use crate::{Unsupported, build};
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Choices, Conversion, Drain, Expr, ExprKind, LocalId, Place, Projection, SharedId,
    StmtKind, Storage, VarRef,
};
use fencepost_ir::{Scalar, Span};

/// How a place is accessed.
pub enum Access {
    /// Directly: others do not see it, or it never changes.
    Direct,
    /// Through what stands for the buffer.
    Delayed(usize),
    /// Through a pointer that may mean something delayed.
    Pointer(Scalar),
}

impl Body<'_> {
    /// How a place is accessed.
    pub fn access(&self, place: &Place) -> Access {
        match &place.base {
            Base::Variable(VarRef::Shared(id)) => match self.translator.delayed_at(*id, &place.path) {
                Some(x) => Access::Delayed(x),
                None => Access::Direct,
            },
            Base::Variable(_) => Access::Direct,
            Base::Pointed(..) => match self.translator.scalar_at(&self.procedure, place) {
                Some(ty) if self.translator.pointed(ty).next().is_some() => Access::Pointer(ty),
                _ => Access::Direct,
            },
        }
    }

    /// Whether an access to the place is no step that others could run before.
    pub fn is_unseen(&self, place: &Place) -> bool {
        matches!(self.access(place), Access::Direct)
    }

    /// Whether evaluating it takes more than reading the thread's own variables.
    pub fn has_effects(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            found |= match &e.kind {
                ExprKind::Read(place) => !self.is_unseen(place),
                ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) | ExprKind::Allocate(..) => true,
                ExprKind::Any(choices) => is_restricted(choices, e.ty),
                _ => false,
            }
        });
        found
    }

    /// Operands from left to right; what is left of a call is kept.
    pub fn operands(&mut self, operands: &[&Expr]) -> Result<Vec<Expr>> {
        let mut values = Vec::new();
        for (i, operand) in operands.iter().enumerate() {
            let mut value = self.value(operand)?;
            if operands[i + 1..].iter().any(|later| later.calls()) {
                value = self.keep(value);
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A place whose pointer and indices take no access.
    pub fn place(&mut self, place: &Place, later: &[&Expr]) -> Result<(Place, Vec<Expr>)> {
        let inner: Vec<&Expr> = place.expressions().collect();
        let count = inner.len();
        let all: Vec<&Expr> = inner.into_iter().chain(later.iter().copied()).collect();
        let mut values = self.operands(&all)?;
        let rest = values.split_off(count);
        let mut values = values.into_iter();
        let mut next = || values.next().expect("there is a value for each expression");
        let base = match &place.base {
            Base::Pointed(_, ty) => Base::Pointed(Box::new(next()), ty.clone()),
            Base::Variable(variable) => Base::Variable(*variable),
        };
        let path = place.path.iter().map(|step| match step {
            Projection::Index(_) => Projection::Index(next()),
            Projection::Field(i) => Projection::Field(*i),
        });
        let place = Place { base, path: path.collect(), span: place.span, access: place.access };
        Ok((self.translator.outside(place), rest))
    }

    /// An expression for the value that takes no access.
    pub fn value(&mut self, e: &Expr) -> Result<Expr> {
        let with = |kind| Expr { kind, ty: e.ty, span: e.span };
        Ok(match &e.kind {
            // Not all languages have words for it inside of expressions.
            ExprKind::Any(choices) if is_restricted(choices, e.ty) => self.keep(e.clone()),
            ExprKind::Any(_) | ExprKind::Const(_) | ExprKind::Own => e.clone(),
            ExprKind::Read(place) if self.is_unseen(place) => with(ExprKind::Read(self.place(place, &[])?.0)),
            ExprKind::Read(place) => {
                let loaded = self.load(place, e.span)?;
                self.keep(loaded)
            }
            ExprKind::Unary(op, arg) => with(ExprKind::Unary(*op, Box::new(self.value(arg)?))),
            ExprKind::Convert(how, arg) => with(ExprKind::Convert(*how, Box::new(self.value(arg)?))),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if self.has_effects(right) => {
                let id = self.temporary(Scalar::Bool);
                let left = self.value(left)?;
                self.assign(id, as_truth(left));
                let so_far = build::read_local(id, Scalar::Bool, e.span);
                let more =
                    if *op == BinaryOp::And { so_far.clone() } else { build::negation(so_far.clone()) };
                let then = self.captured(|this| {
                    let right = this.value(right)?;
                    this.assign(id, as_truth(right));
                    Ok(())
                })?;
                self.emit(StmtKind::If(more, then, Block::default()));
                so_far
            }
            ExprKind::Binary(op, left, right) => {
                let [left, right] = self.pair(left, right)?;
                with(ExprKind::Binary(*op, left, right))
            }
            ExprKind::Select(condition, then, otherwise)
                if self.has_effects(then) || self.has_effects(otherwise) =>
            {
                let id = self.temporary(e.ty);
                let condition = self.value(condition)?;
                let (then, otherwise) = (self.arm(id, then)?, self.arm(id, otherwise)?);
                self.emit(StmtKind::If(condition, then, otherwise));
                build::read_local(id, e.ty, e.span)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = Box::new(self.value(condition)?);
                let [then, otherwise] = self.pair(then, otherwise)?;
                with(ExprKind::Select(condition, then, otherwise))
            }
            ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                let id = self.temporary(e.ty);
                self.action(e, Some(id))?;
                build::read_local(id, e.ty, e.span)
            }
            ExprKind::AddressOf(place) => with(ExprKind::AddressOf(self.place(place, &[])?.0)),
            ExprKind::Allocate(..) => {
                let id = self.temporary(e.ty);
                self.allocate(e, id)?;
                build::read_local(id, e.ty, e.span)
            }
            ExprKind::Reallocate(..) => {
                return Err(Unsupported::new(e.span, "memory that is made larger or smaller"));
            }
        })
    }

    /// A load that others see, and before it a place where a round may end.
    fn load(&mut self, place: &Place, span: Span) -> Result<Expr> {
        let access = self.access(place);
        let own = self.translator.scalar_at(&self.procedure, place);
        let (place, _) = self.place(place, &[])?;
        let (helper, args, ty) = match access {
            Access::Direct => panic!("what others do not see is read where it stands"),
            Access::Delayed(x) => (Helper::Load(x), indices(&place), self.translator.delayed[x].ty),
            Access::Pointer(ty) => (Helper::Read(ty), vec![self.translator.address(place)], ty),
        };
        self.switch();
        let loaded = Expr { span, ..build::call(self.translator.helper(helper), args, ty) };
        // Members of unions may have another type than what is delayed of them.
        Ok(build::convert(Conversion::Wrapping, loaded, own.unwrap_or(ty)))
    }

    /// A value that is all that is assigned: a load needs no variable of its own.
    pub fn whole_value(&mut self, e: &Expr) -> Result<Expr> {
        match &e.kind {
            ExprKind::Read(place) if !self.is_unseen(place) => self.load(place, e.span),
            ExprKind::Any(_) => Ok(e.clone()),
            _ => self.value(e),
        }
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Result<[Box<Expr>; 2]> {
        let values = self.operands(&[left, right])?;
        let [left, right] = <[Expr; 2]>::try_from(values).expect("two operands have two values");
        Ok([Box::new(left), Box::new(right)])
    }

    fn arm(&mut self, id: LocalId, e: &Expr) -> Result<Block> {
        self.captured(|this| {
            let value = this.value(e)?;
            this.assign(id, value);
            Ok(())
        })
    }

    /// A call, spawn or read-modify-write; its result goes to the variable. What it waits for is before it.
    pub fn action(&mut self, e: &Expr, result: Option<LocalId>) -> Result<()> {
        let kind = match &e.kind {
            ExprKind::Call(id, args) => ExprKind::Call(*id, self.operands(&args.iter().collect::<Vec<_>>())?),
            ExprKind::Spawn(id, args, drain) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>())?;
                self.switch();
                if *drain == Drain::Yes {
                    self.call(Helper::Fence);
                }
                ExprKind::Spawn(self.translator.process_of[id.0], args, *drain)
            }
            ExprKind::Rmw(kind, place, operands) => {
                let later: Vec<&Expr> = operands.iter().collect();
                let (place, operands) = self.place(place, &later)?;
                self.switch();
                self.call(Helper::Fence);
                ExprKind::Rmw(*kind, place, operands)
            }
            _ => return Err(Unsupported::new(e.span, "an expression without effect as a statement")),
        };
        let action = Expr { kind, ty: e.ty, span: e.span };
        match result {
            Some(id) => self.assign(id, action),
            None => self.emit(StmtKind::Eval(action)),
        }
        Ok(())
    }

    /// Allocates one of the objects of a place, and notes that it is there.
    fn allocate(&mut self, e: &Expr, result: LocalId) -> Result<()> {
        let ExprKind::Allocate(ty, bytes, fill, storage) = &e.kind else { panic!("it allocates") };
        let Some(id) = self.sites.number(e).and_then(|n| self.translator.heap.at((self.id, n))) else {
            return Err(Unsupported::new(e.span, "allocated memory"));
        };
        let bytes = Box::new(self.value(bytes)?);
        let kind = ExprKind::Allocate(ty.clone(), bytes, *fill, *storage);
        self.assign(result, Expr { kind, ty: e.ty, span: e.span });
        self.note_object(id, build::read_local(result, e.ty, e.span));
        Ok(())
    }

    /// Allocates those of the procedure's variables that are to be.
    pub fn first_objects(&mut self) {
        let (translator, own) = (self.translator, self.id);
        for moved in translator.heap.moved.iter().filter(|m| m.procedure == own) {
            let objects = &translator.heap.objects[&moved.shared];
            let program = &translator.program;
            let bytes = program.records.size(&objects.one());
            let size = Scalar::Int(fencepost_ir::IntType { bits: program.pointer_bits, signed: false });
            let bytes = Box::new(Expr::constant(bytes as i64, size, Span::NONE));
            let kind = ExprKind::Allocate(objects.element.clone(), bytes, objects.fill, Storage::Heap);
            let ty = Scalar::Pointer { bits: program.pointer_bits };
            self.note_object(moved.shared, Expr { kind, ty, span: Span::NONE });
        }
    }

    /// Whether variables of the procedure are gone when it returns.
    pub fn has_last_objects(&self) -> bool {
        self.translator.heap.moved.iter().any(|m| m.procedure == self.id && m.ends)
    }

    /// The procedure's variables are gone.
    pub fn last_objects(&mut self) {
        let (translator, own) = (self.translator, self.id);
        for moved in translator.heap.moved.iter().filter(|m| m.procedure == own && m.ends) {
            self.call(Helper::Forget(moved.shared.0));
        }
    }

    /// Notes that an object is there.
    fn note_object(&mut self, id: SharedId, value: Expr) {
        let base = VarRef::Shared(id);
        match self.translator.heap.counters.get(&id) {
            None => self.emit(StmtKind::Assign(build::variable(base), value)),
            Some((counter, ty)) => {
                let counter = build::variable(VarRef::Shared(*counter));
                let used = build::read(counter.clone(), *ty);
                self.emit(StmtKind::Assign(build::element(base, [used.clone()]), value));
                let more = build::binary(BinaryOp::Add, used, build::number(1), Scalar::Integer);
                self.emit(StmtKind::Assign(counter, build::fitting(more, *ty)));
            }
        }
    }
}

/// The value as a condition.
fn as_truth(e: Expr) -> Expr {
    match e.ty {
        Scalar::Bool => e,
        ty => build::test(BinaryOp::Ne, e, Expr::constant(0, ty, Span::NONE)),
    }
}

/// Whether not all values of a type are chosen from.
pub fn is_restricted(choices: &Choices, ty: Scalar) -> bool {
    let (lo, hi) = ty.limits();
    !matches!(choices.0[..], [(a, b)]
        if (ty.meaning(a) <= lo && ty.meaning(b) >= hi) || (a, b) == (i64::MIN, i64::MAX))
}
