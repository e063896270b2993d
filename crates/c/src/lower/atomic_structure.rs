//! Atomic operations on structures: atomic sections that copy their members.
//!
//! A load leaves the own buffer as it is. All others wait for it, which is what compilers make of
//! read-modify-writes, of sequentially consistent stores, and of everything on more than eight bytes; a weaker
//! store of fewer bytes is one entry of the buffer, and so of a word that shares the structure's bytes.

use super::atomic::Operation;
use super::*;

impl<'a> Lowerer<'a> {
    pub(super) fn structure_operation(
        &mut self,
        operation: Operation,
        mut target: Lvalue,
        args: &'a [ast::Expr],
        order: Order,
        span: Span,
    ) -> Result<Value> {
        let ty = target.ty.unqualified().clone();
        match operation {
            Operation::Load => self.atomic_copy(target, span),
            Operation::LoadInto | Operation::StoreFrom | Operation::Store | Operation::Init => {
                let (into, from) = match operation {
                    Operation::LoadInto => {
                        let Value::Record(from, _) = self.atomic_copy(target, span)? else {
                            panic!("a structure is a record")
                        };
                        (self.structure(&args[1])?, from)
                    }
                    Operation::StoreFrom => {
                        let from = self.structure(&args[1])?;
                        (target, self.copied(&from.place, &ty, span)?)
                    }
                    _ => {
                        let mark = self.body.out.len();
                        let from = self.record_value(&args[1], &ty)?;
                        self.settle_place(&mut target.place, mark);
                        (target, self.copied(&from, &ty, span)?)
                    }
                };
                match operation {
                    Operation::Store | Operation::StoreFrom => {
                        let size = self.types().size(&ty).unwrap_or(0);
                        if order != Order::SeqCst
                            && size <= 8
                            && let Some(order) = args.get(2)
                        {
                            self.store_word(&into.place, &from, &ty, order, span)?;
                            return Ok(Value::Void);
                        }
                        self.store_structure(&into.place, &from, &ty, span)?;
                    }
                    _ => self.copy(&into.place, &from, &ty, span)?,
                }
                Ok(Value::Void)
            }
            Operation::Exchange | Operation::ExchangeInto => {
                let mark = self.body.out.len();
                let from = match operation {
                    Operation::Exchange => self.record_value(&args[1], &ty)?,
                    _ => self.structure(&args[1])?.place,
                };
                self.settle_place(&mut target.place, mark);
                let from = self.copied(&from, &ty, span)?;
                self.stabilise(&mut target.place);
                let old = self.record_local(&ty, span)?;
                let (_, block) = self.captured(|this| {
                    this.copy(&old, &target.place, &ty, span)?;
                    this.copy(&target.place, &from, &ty, span)
                })?;
                self.emit(StmtKind::Atomic(Drain::Yes, block), span);
                if operation == Operation::Exchange {
                    return Ok(Value::Record(old, ty));
                }
                let out = self.structure(&args[2])?;
                self.copy(&out.place, &old, &ty, span)?;
                Ok(Value::Void)
            }
            Operation::CompareExchange | Operation::CompareExchangeFrom => {
                let mark = self.body.out.len();
                let mut expected = self.structure(&args[1])?;
                let inner = self.body.out.len();
                let desired = match operation {
                    Operation::CompareExchange => self.record_value(&args[2], &ty)?,
                    _ => self.structure(&args[2])?.place,
                };
                self.settle_place(&mut expected.place, inner);
                self.settle_place(&mut target.place, mark);
                self.stabilise(&mut expected.place);
                self.stabilise(&mut target.place);
                let desired = self.copied(&desired, &ty, span)?;
                let wanted = self.copied(&expected.place, &ty, span)?;
                self.compare_structures(target.place, expected.place, wanted, desired, &ty, span)
            }
            Operation::ValueCompareSwap | Operation::BoolCompareSwap => {
                let mark = self.body.out.len();
                let expected = self.record_value(&args[1], &ty)?;
                let expected = self.copied(&expected, &ty, span)?;
                let desired = self.record_value(&args[2], &ty)?;
                self.settle_place(&mut target.place, mark);
                self.stabilise(&mut target.place);
                let desired = self.copied(&desired, &ty, span)?;
                let wanted = self.copied(&expected, &ty, span)?;
                let found = expected.clone();
                let same = self.compare_structures(target.place, expected, wanted, desired, &ty, span)?;
                Ok(match operation {
                    Operation::BoolCompareSwap => same,
                    _ => Value::Record(found, ty),
                })
            }
            _ => Err(Diagnostic::new(span, "this atomic operation does not apply to structures")),
        }
    }

    fn compare_structures(
        &mut self,
        target: Place,
        expected: Place,
        wanted: Place,
        desired: Place,
        ty: &CType,
        span: Span,
    ) -> Result<Value> {
        let old = self.record_local(ty, span)?;
        let same = self.temporary(Scalar::Bool, span);
        let same_place = Place::variable(VarRef::Local(same), span);
        let (_, block) = self.captured(|this| {
            this.copy(&old, &target, ty, span)?;
            let mut equal = Expr::constant(1, Scalar::Bool, span);
            let wanted = this.scalars_of(&wanted, ty, span)?;
            for ((_, l, scalar), (_, r, _)) in this.scalars_of(&old, ty, span)?.into_iter().zip(wanted) {
                let read = |place| Box::new(Expr { kind: ExprKind::Read(place), ty: scalar, span });
                let eq = ExprKind::Binary(BinaryOp::Eq, read(l), read(r));
                let eq = Expr { kind: eq, ty: Scalar::Bool, span };
                let both = ExprKind::Binary(BinaryOp::And, Box::new(equal), Box::new(eq));
                equal = Expr { kind: both, ty: Scalar::Bool, span };
            }
            this.emit(StmtKind::Assign(same_place, equal), span);
            let (_, then) = this.captured(|this| this.copy(&target, &desired, ty, span))?;
            let test = read_local(same, Scalar::Bool, span);
            this.emit(StmtKind::If(test, then, Block::default()), span);
            Ok(())
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        let (_, failed) = self.captured(|this| this.copy(&expected, &old, ty, span))?;
        let test = read_local(same, Scalar::Bool, span);
        self.emit(StmtKind::If(test.clone(), Block::default(), failed), span);
        Ok(Value::Scalar(Typed { expr: test, ty: CType::Bool }))
    }

    /// A sequentially consistent store.
    pub(super) fn store_structure(&mut self, to: &Place, from: &Place, ty: &CType, span: Span) -> Result<()> {
        let mut to = to.clone();
        self.stabilise(&mut to);
        let (_, block) = self.captured(|this| this.copy(&to, from, ty, span))?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(())
    }

    /// A store of no more than a word: one entry of the buffer. What is stored to becomes a union with the word.
    fn store_word(
        &mut self,
        to: &Place,
        from: &Place,
        ty: &CType,
        order: &'a ast::Expr,
        span: Span,
    ) -> Result<()> {
        use crate::types::Rank;
        let rank = match self.types().size(ty) {
            Some(1) => Rank::Char,
            Some(2) => Rank::Short,
            Some(4) => Rank::Int,
            Some(8) => Rank::LongLong,
            _ => {
                let message =
                    "a store of a structure of this size that is weaker than seq_cst is not supported";
                return Err(Diagnostic::new(span, message));
            }
        };
        let word = CType::integer(rank, false);
        let scalar = self.types().scalar(&word).expect("integers are scalars");
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        let union = self.new_record(RecordKind::Union, "word");
        let field = |ty: Type| fencepost_ir::Field { name: String::new(), ty, offset: 0 };
        let record = &mut self.program.records.0[union.0 as usize];
        record.fields = vec![field(storage), field(scalar.into())];
        record.size = scalar.size();
        self.complete[union.0 as usize] = true;
        let both = Place::variable(VarRef::Local(self.local("%word", Type::Record(union), span)), span);
        let [mut parts, mut whole] = [both.clone(), both];
        parts.path.push(Projection::Field(0));
        whole.path.push(Projection::Field(1));
        self.copy(&parts, from, ty, span)?;
        let value = self.keep(Expr { kind: ExprKind::Read(whole), ty: scalar, span });
        let pointer = self.address_of(Lvalue { place: to.clone(), ty: word.clone() }, span)?;
        self.copies.insert(span);
        let target = Place {
            base: Base::Pointed(Box::new(pointer.expr), scalar.into()),
            path: Vec::new(),
            span,
            access: Access::Plain,
        };
        self.store_by_order(target, value, order, span)
    }

    /// A copy that no store of another thread comes between.
    pub(super) fn atomic_copy(&mut self, mut from: Lvalue, span: Span) -> Result<Value> {
        let ty = from.ty.unqualified().clone();
        self.stabilise(&mut from.place);
        let to = self.record_local(&ty, span)?;
        let (_, block) = self.captured(|this| this.copy(&to, &from.place, &ty, span))?;
        self.emit(StmtKind::Atomic(Drain::No, block), span);
        Ok(Value::Record(to, ty))
    }

    /// What a pointer to a structure points to.
    fn structure(&mut self, pointer: &'a ast::Expr) -> Result<Lvalue> {
        let value = self.scalar(pointer)?;
        self.pointed(value, pointer.span)
    }

    fn record_value(&mut self, e: &'a ast::Expr, ty: &CType) -> Result<Place> {
        match self.value(e)? {
            Value::Record(place, from) if from == *ty => Ok(place),
            number if self.is_wide(ty).is_some() => self.widened(number, ty, e.span),
            _ => {
                let message = format!("this is not a `{}`", self.types().show(ty));
                Err(Diagnostic::new(e.span, message))
            }
        }
    }

    fn record_local(&mut self, ty: &CType, span: Span) -> Result<Place> {
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        let id = self.local("%record", storage, span);
        Ok(Place::variable(VarRef::Local(id), span))
    }

    fn copied(&mut self, from: &Place, ty: &CType, span: Span) -> Result<Place> {
        let to = self.record_local(ty, span)?;
        self.copy(&to, from, ty, span)?;
        Ok(to)
    }
}
