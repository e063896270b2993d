//! Places: what can be read, assigned and pointed to.

use super::constant::constant_of;
use super::link::VariableDecl;
use super::{Checker, Result};
use crate::ast::{self, ExprKind as Ast};
use crate::hir::{
    Base, BitField, Direction, Expr, ExprKind, Length, LocalId, Place, Projection, RecordId, Type, TypeId,
};
use fencepost_ir::{Access, Span};
use fencepost_text::Diagnostic;

/// What an expression is, before it is known what it is used for.
pub enum Operand {
    Place(Place),
    Value(Expr),
    /// A function, as the pointer to it that it becomes.
    Function(Expr),
}

impl<'a> Checker<'a> {
    /// A whole variable, or what else a place begins with.
    pub fn whole(&self, base: Base, ty: TypeId, span: Span) -> Place {
        let access = self.types.qualifiers(ty).access();
        Place { base, path: Vec::new(), ty, bits: None, access, span }
    }

    pub fn local_place(&self, id: LocalId, span: Span) -> Place {
        let ty = self.body.as_ref().expect("locals are in functions").locals[id].ty;
        self.whole(Base::Local(id), ty, span)
    }

    pub fn read_local(&self, id: LocalId, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Read(Box::new(self.local_place(id, span))), ty, span }
    }

    pub fn variable_place(&mut self, decl: VariableDecl, span: Span) -> Result<Place> {
        let id = self.used_variable(decl, span)?;
        let ty = self.output.globals[id].ty;
        Ok(self.whole(Base::Global(id), ty, span))
    }

    /// The place that an expression names.
    pub fn place(&mut self, e: &'a ast::Expr) -> Result<Place> {
        // GNU C once let the last of several be assigned.
        if let Ast::Comma(first, last) = &e.kind {
            let first = self.value(first);
            let last = self.place(last)?;
            let pointer = self.address_of(last, e.span)?;
            let (ty, span) = (pointer.ty, e.span);
            let kind = ExprKind::Comma(Box::new(first?), Box::new(pointer));
            return self.pointed(Expr { kind, ty, span }, span);
        }
        match self.operand(e)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(value) if self.types.is_record(value.ty) => Ok(self.value_place(value)),
            Operand::Value(_) => self.fail(e.span, "this is a value, not a variable"),
            Operand::Function(_) => self.fail(e.span, "this is a function, not a variable"),
        }
    }

    /// The record that a value is, to take members of.
    fn value_place(&self, value: Expr) -> Place {
        let (ty, span) = (value.ty, value.span);
        Place {
            base: Base::Value(Box::new(value)),
            path: Vec::new(),
            ty,
            bits: None,
            access: Access::Plain,
            span,
        }
    }

    /// The value of what an expression is: arrays and functions become pointers.
    pub fn read(&mut self, operand: Operand) -> Result<Expr> {
        let place = match operand {
            Operand::Value(value) | Operand::Function(value) => return Ok(value),
            Operand::Place(place) => place,
        };
        let span = place.span;
        match *self.types.kind(place.ty) {
            Type::Array(..) => self.first_element(place),
            Type::Mutex if self.mode.unevaluated == 0 => {
                self.fail(span, "a mutex can only be locked and unlocked")
            }
            Type::Record(record) if self.types.layout(record).is_none() => {
                Err(self.incomplete(place.ty, span))
            }
            _ => {
                let ty = self.types.unqualified(place.ty);
                Ok(Expr { kind: ExprKind::Read(Box::new(place)), ty, span })
            }
        }
    }

    /// A pointer to an array's first element.
    fn first_element(&mut self, array: Place) -> Result<Expr> {
        let span = array.span;
        let zero = self.constant(0, self.types.distance_type(), span);
        let first = self.indexed(array, zero, span);
        self.address_of(first, span)
    }

    /// An element of an array.
    fn indexed(&mut self, array: Place, index: Expr, span: Span) -> Place {
        let element = self.types.element(array.ty).expect("an array has elements");
        let mut place = array;
        place.path.push(Projection::Index(index));
        let access = self.types.qualifiers(element).access();
        Place { ty: element, access, span, ..place }
    }

    /// A pointer to a place.
    pub fn address_of(&mut self, place: Place, span: Span) -> Result<Expr> {
        if place.bits.is_some() {
            return self.fail(span, "a bit-field has no address");
        }
        let ty = self.types.pointer_to(place.ty);
        if let Some(address) = self.constant_address(&place) {
            return Ok(self.constant(address, ty, span));
        }
        if let (Base::Local(id), 0) = (&place.base, self.mode.unevaluated) {
            self.body().locals[*id].addressed = true;
        }
        // The address of what a pointer points to is the pointer.
        if let (Base::Pointed(_), []) = (&place.base, &place.path[..]) {
            let Base::Pointed(pointer) = place.base else { panic!("just seen") };
            return Ok(Expr { ty, span, ..*pointer });
        }
        Ok(Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, span })
    }

    /// The address of a part of what a constant points to, as in `&((struct s *)0)->member`.
    fn constant_address(&self, place: &Place) -> Option<i128> {
        let Base::Pointed(pointer) = &place.base else { return None };
        let mut address = constant_of(pointer)?;
        let mut ty = self.types.element(pointer.ty)?;
        for step in &place.path {
            match step {
                Projection::Index(index) => {
                    ty = self.types.element(ty)?;
                    address += constant_of(index)? * i128::from(self.types.size(ty)?);
                }
                Projection::Member(i) => {
                    let member = &self.types.layout(self.types.record_id(ty)?)?.members[*i];
                    address += i128::from(member.offset);
                    ty = member.ty;
                }
            }
        }
        Some(address)
    }

    /// What a pointer points to.
    pub fn pointed(&mut self, pointer: Expr, span: Span) -> Result<Place> {
        let Type::Pointer(to) = *self.types.kind(pointer.ty) else {
            let message = format!("`{}` is not a pointer", self.show(pointer.ty));
            let diagnostic = match self.types.is_record(pointer.ty) {
                true => Diagnostic::new(span, message).help("use `.` for its members"),
                false => Diagnostic::new(span, message),
            };
            return Err(self.report(diagnostic));
        };
        match pointer.kind {
            // What the address of a place points to is the place.
            ExprKind::AddressOf(place) if self.types.same(place.ty, to) => {
                let access = self.types.qualifiers(to).access();
                Ok(Place { ty: to, access, span, ..*place })
            }
            _ => Ok(self.whole(Base::Pointed(Box::new(pointer)), to, span)),
        }
    }

    /// `*a`: what a pointer to a function points to is the function, which is its address again.
    pub fn deref(&mut self, pointer: &'a ast::Expr, span: Span) -> Result<Operand> {
        let pointer = self.value(pointer)?;
        let to = self.types.element(pointer.ty);
        if to.is_some_and(|to| self.types.function(to).is_some()) {
            return Ok(Operand::Function(Expr { span, ..pointer }));
        }
        self.pointed(pointer, span).map(Operand::Place)
    }

    /// `a[b]`
    pub fn index(&mut self, array: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Result<Operand> {
        let array = self.operand(array);
        let index = self.value(index);
        let (array, index) = (array?, index?);
        if let Operand::Place(place) = array {
            if let Type::Array(..) = self.types.kind(place.ty)
                && self.types.is_integer(index.ty)
            {
                let ty = self.types.distance_type();
                let index = self.converted(index, ty)?;
                return Ok(Operand::Place(self.indexed(place, index, span)));
            }
            let array = self.read(Operand::Place(place))?;
            return self.index_pointer(array, index, span);
        }
        let array = self.read(array)?;
        self.index_pointer(array, index, span)
    }

    fn index_pointer(&mut self, array: Expr, index: Expr, span: Span) -> Result<Operand> {
        let (pointer, count) = match (self.types.is_pointer(array.ty), self.types.is_pointer(index.ty)) {
            (true, false) => (array, index),
            (false, true) => (index, array),
            _ => {
                let message = format!("`{}` has no elements", self.show(array.ty));
                return self.fail(span, message);
            }
        };
        let pointer = match constant_of(&count) {
            Some(0) => pointer,
            _ => self.offset(pointer, Direction::Forwards, count, span)?,
        };
        self.pointed(pointer, span).map(Operand::Place)
    }

    /// `a.f` and `a->f`
    pub fn member_access(
        &mut self,
        record: &'a ast::Expr,
        access: ast::Access,
        name: &'a ast::Name,
        span: Span,
    ) -> Result<Operand> {
        let place = match access {
            ast::Access::Dot => match self.operand(record)? {
                Operand::Place(place) => place,
                Operand::Value(value) if self.types.is_record(value.ty) => self.value_place(value),
                Operand::Value(value) | Operand::Function(value) => {
                    return self.no_record(&value, record.span);
                }
            },
            ast::Access::Arrow => {
                let pointer = self.value(record)?;
                self.pointed(pointer, span)?
            }
        };
        self.named_member(place, name, span).map(Operand::Place)
    }

    fn named_member(&mut self, place: Place, name: &ast::Name, span: Span) -> Result<Place> {
        let Some(record) = self.types.record_id(place.ty) else {
            return self.no_members(&place, name);
        };
        if self.types.layout(record).is_none() {
            return Err(self.incomplete(place.ty, name.span));
        }
        let Some(path) = self.types.member_path(record, &name.text) else {
            return Err(self.no_member(place.ty, record, name));
        };
        let mut place = Place { span, ..place };
        for member in path {
            let record = self.types.record_id(place.ty).expect("a path goes through records");
            place = self.nth_member(place, record, member);
        }
        Ok(place)
    }

    fn no_record<T>(&mut self, value: &Expr, span: Span) -> Result<T> {
        let diagnostic = Diagnostic::new(span, "this is not a structure or union");
        let diagnostic = self.with_arrow(diagnostic, value.ty);
        Err(self.report(diagnostic))
    }

    fn no_members<T>(&mut self, place: &Place, name: &ast::Name) -> Result<T> {
        let message = format!("`{}` has no members", self.show(place.ty));
        let diagnostic = self.with_arrow(Diagnostic::new(name.span, message), place.ty);
        Err(self.report(diagnostic))
    }

    /// What to do where a pointer to a record stands for the record.
    fn with_arrow(&self, diagnostic: Diagnostic, ty: TypeId) -> Diagnostic {
        let to = self.types.element(ty).filter(|_| self.types.is_pointer(ty));
        match to.is_some_and(|to| self.types.is_record(to)) {
            true => diagnostic.help("it is a pointer: use `->`"),
            false => diagnostic,
        }
    }

    /// A member by its number, with the qualifiers of the whole.
    pub fn nth_member(&mut self, place: Place, record: RecordId, number: usize) -> Place {
        let layout = self.types.layout(record).expect("members are of complete records");
        let (ty, bits): (TypeId, Option<BitField>) = (layout.members[number].ty, layout.members[number].bits);
        let qualifiers = self.types.qualifiers(place.ty).of_parts();
        let ty = self.types.qualified(ty, qualifiers);
        let mut place = place;
        place.path.push(Projection::Member(number));
        let access = self.types.qualifiers(ty).access();
        Place { ty, bits, access, ..place }
    }

    /// Whether the type is an array, and of how many elements.
    pub fn array(&self, ty: TypeId) -> Option<(TypeId, Length)> {
        match *self.types.kind(ty) {
            Type::Array(of, length) => Some((of, length)),
            _ => None,
        }
    }
}
