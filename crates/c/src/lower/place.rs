//! Places: variables, what pointers lead to, and parts of them.
//!
//! An array whose length only the run knows is memory that its declaration allocates; an element of it is found by the
//! sizes, which may be known to the run only, too.

use super::body::Slot;
use super::build::{number, pointed, read_local};
use super::{Lowerer, Result, Value};
use crate::hir::{self, BitField, Length, TypeId};
use fencepost_ir::tree::{Base, BinaryOp, Expr, ExprKind, Place, Projection, Type, VarRef};
use fencepost_ir::{Access, Span};

/// A place, and what C says of it.
#[derive(Clone, Debug)]
pub struct Target {
    pub place: Place,
    pub ty: TypeId,
    /// Which bits of the place are meant, if it is the unit of bit-fields.
    pub bits: Option<BitField>,
}

/// Where a place has been followed to.
enum At {
    Place(Place),
    /// The address of an array of a length that only the run knows.
    Address(Expr),
}

impl<'h> Lowerer<'h> {
    /// The place that an expression names.
    pub fn place(&mut self, place: &'h hir::Place) -> Result<Target> {
        let span = self.at(place.span);
        let (mut at, mut ty) = self.base(place, span)?;
        for step in &place.path {
            at = match step {
                hir::Projection::Index(index) => self.element(at, ty, index, span)?,
                hir::Projection::Member(member) => {
                    let record = self.hir.types.record_id(ty).expect("members are of records");
                    self.enter_record(record, span)?;
                    let field = self.field(record, *member);
                    self.reached(at, ty, span)?.with(Projection::Field(field))
                }
            };
            ty = match step {
                hir::Projection::Index(_) => self.hir.types.element(ty).expect("elements are of arrays"),
                hir::Projection::Member(member) => self.member_type(ty, *member),
            };
        }
        let mut made = match at {
            At::Place(place) => place,
            At::Address(address) => {
                // An array that is only pointed to: its first element stands for it.
                let inner = self.innermost(place.ty);
                let storage = self.stored(inner, span)?;
                pointed(address, storage, span)
            }
        };
        made.span = span;
        made.access = self.seen_as(place.access);
        Ok(Target { place: made, ty: place.ty, bits: place.bits })
    }

    fn member_type(&self, ty: TypeId, member: usize) -> TypeId {
        let record = self.hir.types.record_id(ty).expect("members are of records");
        self.hir.types.layout(record).expect("members are of complete records").members[member].ty
    }

    /// Where a place begins, and its type there.
    fn base(&mut self, place: &'h hir::Place, span: Span) -> Result<(At, TypeId)> {
        let plain = |variable| At::Place(Place::variable(variable, span));
        Ok(match &place.base {
            hir::Base::Local(id) => {
                let ty = self.hir_body().locals[*id].ty;
                (self.local_base(*id, ty, span), ty)
            }
            hir::Base::Global(id) => {
                let ty = self.hir.globals[*id].ty;
                (plain(self.global(*id)?), ty)
            }
            hir::Base::Pointed(pointer) => {
                let ty = self.hir.types.element(pointer.ty).expect("pointers lead to something");
                let address = self.scalar(pointer)?;
                match self.hir.types.is_variable(ty) {
                    true => (At::Address(address), ty),
                    false => (At::Place(self.pointed_place(address, ty, span)?), ty),
                }
            }
            hir::Base::Literal(id, init) => {
                let ty = self.hir_body().locals[*id].ty;
                self.declare_literal(*id, init, span)?;
                (self.local_base(*id, ty, span), ty)
            }
            hir::Base::Value(value) => match self.value(value)? {
                Value::Record(place) => (At::Place(place), value.ty),
                Value::Scalar(_) | Value::Void => panic!("only records are places by their value"),
            },
        })
    }

    fn local_base(&mut self, id: hir::LocalId, ty: TypeId, span: Span) -> At {
        let known = self.slot(id).cloned();
        match known
            .unwrap_or_else(|| panic!("`{}` is declared before it is used", self.hir_body().locals[id].name))
        {
            Slot::Local(id) => At::Place(Place::variable(VarRef::Local(id), span)),
            Slot::Pointed(id, storage) => {
                let address = read_local(id, self.pointer(), span);
                match self.hir.types.is_variable(ty) {
                    true => At::Address(address),
                    false => At::Place(pointed(address, storage, span)),
                }
            }
            Slot::Alias(_) => panic!("the library's functions only read their parameters"),
        }
    }

    /// What a pointer points to, as a value of a type.
    pub fn pointed_place(&mut self, pointer: Expr, ty: TypeId, span: Span) -> Result<Place> {
        let storage = self.stored(ty, span)?;
        Ok(self.follow(pointer, storage, span))
    }

    /// What a pointer points to, as a value of a type of the program.
    pub fn follow(&self, pointer: Expr, storage: Type, span: Span) -> Place {
        // What an address points to is the place itself.
        if let ExprKind::AddressOf(place) = &pointer.kind
            && self.place_type(place).as_ref() == Some(&storage)
        {
            return Place { access: Access::Plain, span, ..place.clone() };
        }
        pointed(pointer, storage, span)
    }

    /// The type of a place in the procedure that is being made.
    pub fn place_type(&self, place: &Place) -> Option<Type> {
        let mut ty = match &place.base {
            Base::Variable(VarRef::Local(id)) => &self.body.locals.get(id.0)?.ty,
            Base::Variable(variable) => &self.program.variable(None, *variable)?.ty,
            Base::Pointed(_, ty) => ty,
        };
        for step in &place.path {
            ty = match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => element,
                (Projection::Field(i), Type::Record(id)) => &self.program.records.get(*id).fields[*i].ty,
                _ => return None,
            };
        }
        Some(ty.clone())
    }

    /// The place that has been come to, where its type has a known size.
    fn reached(&mut self, at: At, ty: TypeId, span: Span) -> Result<Place> {
        match at {
            At::Place(place) => Ok(place),
            At::Address(address) => self.pointed_place(address, ty, span),
        }
    }

    /// An element of an array.
    fn element(&mut self, at: At, array: TypeId, index: &'h hir::Expr, span: Span) -> Result<At> {
        let element = self.hir.types.element(array).expect("elements are of arrays");
        let mark = self.mark();
        let index = self.scalar(index)?;
        match at {
            At::Place(mut place) => {
                self.settle_place(&mut place, mark);
                Ok(place.with(Projection::Index(index)))
            }
            At::Address(address) => {
                let address = self.settle(address, mark);
                let size = self.byte_size(element, span)?;
                let moved = self.moved(address, index, size, span);
                match self.hir.types.is_variable(element) {
                    true => Ok(At::Address(moved)),
                    false => Ok(At::Place(self.pointed_place(moved, element, span)?)),
                }
            }
        }
    }

    /// The bytes of a type, which may be known to the run only, as `ptrdiff_t`.
    pub fn byte_size(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        let scalar = self.distance_scalar();
        if let Some(bytes) = self.hir.types.size(ty) {
            return Ok(number(bytes as i64, scalar, span));
        }
        let hir::Type::Array(of, length) = *self.hir.types.kind(ty) else {
            return Err(self.no_values(ty, span));
        };
        let count = match length {
            Length::Known(n) => number(n as i64, scalar, span),
            Length::Variable(local) => self.read_length(local, span),
            Length::Unknown => return Err(self.no_values(ty, span)),
        };
        let size = self.byte_size(of, span)?;
        Ok(self.operate(BinaryOp::Mul, count, size, span))
    }

    /// The length that a declaration has evaluated, as `ptrdiff_t`.
    fn read_length(&mut self, local: hir::LocalId, span: Span) -> Expr {
        let Some(Slot::Local(id)) = self.slot(local) else {
            panic!("lengths are declared before they are used")
        };
        let length = read_local(*id, self.size_scalar(), span);
        self.wrapped(length, self.distance_scalar(), span)
    }

    /// A pointer to a place.
    pub fn address_of(&mut self, place: &'h hir::Place, span: Span) -> Result<Expr> {
        let Target { place, .. } = self.place(place)?;
        Ok(self.address(place, span))
    }

    /// A pointer to a place of the program.
    pub fn address(&self, place: Place, span: Span) -> Expr {
        // The address of what a pointer points to is the pointer.
        if let (Base::Pointed(pointer, _), []) = (&place.base, &place.path[..]) {
            return (**pointer).clone();
        }
        let place = Place { access: Access::Plain, ..place };
        Expr { kind: ExprKind::AddressOf(place), ty: self.pointer(), span }
    }
}

/// A place with a step more.
trait With {
    fn with(self, step: Projection) -> At;
}

impl With for Place {
    fn with(mut self, step: Projection) -> At {
        self.path.push(step);
        At::Place(self)
    }
}
