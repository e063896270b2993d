//! Atomic operations on structures and numbers of 128 bits: atomic sections that copy their scalars.
//!
//! A load leaves the own buffer as it is. All others wait for it, which is what compilers make of read-modify-writes, of
//! sequentially consistent stores, and of everything that does not fit a word; a weaker store of a word is one entry of
//! the buffer, by an access that covers all scalars of the structure.

use super::atomic::Chosen;
use super::build::{binary, pointed, read, read_local, truth_value};
use super::place::Target;
use super::{Lowerer, Result, Value};
use crate::hir::{Swapped, TypeId};
use fencepost_ir::tree::{Base, BinaryOp, Block, Drain, Expr, Place, Projection, StmtKind, Type, VarRef};
use fencepost_ir::{Field, IntType, Order, Record, RecordKind, Scalar, Span};

impl Lowerer<'_> {
    /// A copy that no store of another thread comes between.
    pub fn atomic_copy(&mut self, from: Place, ty: TypeId, span: Span) -> Result<Place> {
        let storage = self.stored(ty, span)?;
        let from = self.for_section(from);
        let to = self.temporary_record(storage.clone(), span);
        let block = self.block_of(|this| this.copy(&to, &from, &storage, span))?;
        self.emit(StmtKind::Atomic(Drain::No, block), span);
        Ok(to)
    }

    /// A sequentially consistent store of a structure.
    pub fn store_record(&mut self, to: &Place, from: &Place, ty: &Type, span: Span) -> Result<()> {
        let from = self.owned(from, ty, span)?;
        let to = self.for_section(to.clone());
        let block = self.block_of(|this| this.copy(&to, &from, ty, span))?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(())
    }

    /// A place as it is accessed in an atomic section.
    fn for_section(&mut self, place: Place) -> Place {
        let mut place = Place { access: self.in_section(), ..place };
        self.stabilise(&mut place);
        place
    }

    /// A structure in a variable of our own: what is not atomic is read outside of sections.
    pub fn owned(&mut self, from: &Place, ty: &Type, span: Span) -> Result<Place> {
        match from.base {
            Base::Variable(VarRef::Local(id)) if self.body.locals[id.0].name.starts_with('%') => {
                Ok(from.clone())
            }
            _ => self.copied(from, ty, span),
        }
    }

    /// A store of a structure in an order.
    pub fn store_record_by_order(
        &mut self,
        target: &Target,
        from: &Place,
        order: &Chosen,
        span: Span,
    ) -> Result<()> {
        let storage = self.stored(target.ty, span)?;
        let from = self.owned(from, &storage, span)?;
        let is_strong = matches!(order, Chosen::Known(Order::SeqCst));
        match self.program.records.size(&storage) {
            bytes @ (1 | 2 | 4 | 8) if !is_strong => {
                let word = IntType { bits: bytes as u8 * 8, signed: false };
                self.store_word(&target.place, &from, &storage, Scalar::Int(word), order, span)
            }
            _ => self.store_record(&target.place, &from, &storage, span),
        }
    }

    /// A store of a structure as a word: one entry of the buffer.
    fn store_word(
        &mut self,
        to: &Place,
        from: &Place,
        storage: &Type,
        word: Scalar,
        order: &Chosen,
        span: Span,
    ) -> Result<()> {
        let field = |ty: Type| Field { name: String::new(), ty, offset: 0 };
        let fields = vec![field(storage.clone()), field(word.into())];
        let union = Record { name: "word".to_string(), kind: RecordKind::Union, fields, size: word.size() };
        let union = self.new_record(union);
        let id = self.local("%word", Type::Record(union), span);
        let part = |field| Place {
            path: vec![Projection::Field(field)],
            ..Place::variable(VarRef::Local(id), span)
        };
        self.copy(&part(0), from, storage, span)?;
        let value = self.keep(read(part(1), word, span));
        let pointer = self.address(to.clone(), span);
        self.store_by_order(pointed(pointer, word, span), value, order, span)
    }

    /// Stores a structure and gives what was there.
    pub fn exchange_record(&mut self, target: Target, value: &Place, span: Span) -> Result<Place> {
        let storage = self.stored(target.ty, span)?;
        let from = self.owned(value, &storage, span)?;
        let place = self.for_section(target.place);
        let old = self.temporary_record(storage.clone(), span);
        let block = self.block_of(|this| {
            this.copy(&old, &place, &storage, span)?;
            this.copy(&place, &from, &storage, span)
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(old)
    }

    /// C11's compare-exchange: if it fails, what was found is put where the expected value is.
    pub fn compare_exchange_records(
        &mut self,
        target: Target,
        expected: Target,
        desired: &Place,
        span: Span,
    ) -> Result<Expr> {
        let storage = self.stored(target.ty, span)?;
        let mut expected = match self.hir.types.same(target.ty, expected.ty) {
            true => expected.place,
            // It has as many bytes, by another name.
            false => {
                let pointer = self.address(expected.place, span);
                pointed(pointer, storage.clone(), span)
            }
        };
        self.stabilise(&mut expected);
        let desired = self.owned(desired, &storage, span)?;
        let wanted = self.copied(&expected, &storage, span)?;
        let (old, same) = self.compare_records(target.place, &wanted, &desired, &storage, span)?;
        let failed = self.block_of(|this| this.copy(&expected, &old, &storage, span))?;
        self.emit(StmtKind::If(same.clone(), Block::default(), failed), span);
        Ok(same)
    }

    /// GCC's compare-and-swap; what is expected is in a variable of our own.
    pub fn swap_records(
        &mut self,
        target: Target,
        expected: Place,
        desired: &Place,
        gives: Swapped,
        span: Span,
    ) -> Result<Value> {
        let storage = self.stored(target.ty, span)?;
        let desired = self.owned(desired, &storage, span)?;
        let (old, same) = self.compare_records(target.place, &expected, &desired, &storage, span)?;
        Ok(match gives {
            Swapped::Success => Value::Scalar(same),
            Swapped::Old => Value::Record(old),
        })
    }

    /// What was there, and whether it was what is expected, so that the new value is there now.
    fn compare_records(
        &mut self,
        target: Place,
        expected: &Place,
        desired: &Place,
        storage: &Type,
        span: Span,
    ) -> Result<(Place, Expr)> {
        let target = self.for_section(target);
        let old = self.temporary_record(storage.clone(), span);
        let same = self.temporary(Scalar::Bool, span);
        let is_same = read_local(same, Scalar::Bool, span);
        let block = self.block_of(|this| {
            this.copy(&old, &target, storage, span)?;
            let expected = this.scalars_of(expected, storage, span)?;
            let found = this.scalars_of(&old, storage, span)?;
            let equal = found.into_iter().zip(expected).fold(truth_value(true, span), |all, (l, r)| {
                let (_, l, scalar) = l;
                let eq = binary(BinaryOp::Eq, read(l, scalar, span), read(r.1, scalar, span), span);
                this.folded(binary(BinaryOp::And, all, eq, span))
            });
            this.set_local(same, equal, span);
            let then = this.block_of(|this| this.copy(&target, desired, storage, span))?;
            this.emit(StmtKind::If(is_same.clone(), then, Block::default()), span);
            Ok(())
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok((old, is_same))
    }
}
