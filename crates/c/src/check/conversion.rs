//! Conversions: promotions, the usual arithmetic conversions, assignments and casts.

use super::constant::{constant_of, converted_constant};
use super::literal::number_value;
use super::{Checker, Reported, Result};
use crate::hir::{
    Base, Conversion, Expr, ExprKind, Floating, Initializer, Integer, Part, PartValue, Place, Rank, Step,
    Type, TypeId,
};
use fencepost_ir::{Access, Span};
use fencepost_text::Diagnostic;

impl Checker<'_> {
    /// The value as one of another type, as an assignment, an argument or an operator wants it.
    pub fn converted(&mut self, value: Expr, to: TypeId) -> Result<Expr> {
        self.convert(value, to, Conversion::Implicit)
    }

    /// The value as one of another type.
    pub fn convert(&mut self, value: Expr, to: TypeId, how: Conversion) -> Result<Expr> {
        let to = self.types.unqualified(to);
        if self.types.same(value.ty, to) {
            return Ok(Expr { ty: to, ..value });
        }
        if self.types.is_void(to) && how == Conversion::Cast {
            return Ok(Expr { span: value.span, kind: ExprKind::Convert(how, Box::new(value)), ty: to });
        }
        if let Some(whole) = self.union_of(&value, to, how) {
            return Ok(whole);
        }
        if !self.converts(value.ty, to) {
            return Err(self.does_not_convert(value.ty, to, value.span));
        }
        if how == Conversion::Implicit && self.mode.is_test {
            self.same_kind(&value, to)?;
        }
        Ok(self.conversion(value, to, how))
    }

    /// A conversion that is known to be right.
    pub fn conversion(&self, value: Expr, to: TypeId, how: Conversion) -> Expr {
        let span = value.span;
        if let Some(number) = constant_of(&value)
            && !self.types.is_floating(to)
        {
            let kind = converted_constant(&value, self.convert_constant(number, to));
            return Expr { kind, ty: to, span };
        }
        if let ExprKind::Number(text) = &value.kind
            && let Some(number) = number_value(text)
            && self.types.is_integer(to)
        {
            let number = match self.types.kind(to) {
                Type::Bool => i128::from(number != 0.0),
                _ => number as i128,
            };
            return Expr { kind: ExprKind::Const(self.convert_constant(number, to)), ty: to, span };
        }
        Expr { kind: ExprKind::Convert(how, Box::new(value)), ty: to, span }
    }

    /// Reports a pointer that becomes an integer, or the other way round.
    fn same_kind(&mut self, value: &Expr, to: TypeId) -> Result<()> {
        let is_number = |ty| self.types.is_integer(ty) && !matches!(self.types.kind(ty), Type::Bool);
        let diagnostic = match (self.types.is_pointer(value.ty), self.types.is_pointer(to)) {
            (true, false) if is_number(to) => {
                let diagnostic = Diagnostic::new(value.span, "a pointer is no number");
                let diagnostic = diagnostic.label(self.show(value.ty));
                match self.body {
                    Some(_) => diagnostic.help("`*` in front of it is what it points to"),
                    None => diagnostic,
                }
            }
            (false, true) if is_number(value.ty) && !self.is_null(value) => {
                let message = format!("a number is no pointer of type `{}`", self.show(to));
                Diagnostic::new(value.span, message).label(self.show(value.ty))
            }
            _ => return Ok(()),
        };
        Err(self.report(diagnostic))
    }

    /// Whether there is a conversion between two types that differ.
    fn converts(&self, from: TypeId, to: TypeId) -> bool {
        let is_word =
            |ty| self.types.is_integer(ty) || matches!(self.types.kind(ty), Type::Pointer(_) | Type::Thread);
        let is_list = |ty| matches!(self.types.kind(ty), Type::Pointer(_) | Type::VaList);
        is_word(from) && is_word(to)
            || self.types.is_arithmetic(from) && self.types.is_arithmetic(to)
            || is_list(from) && is_list(to)
    }

    pub fn does_not_convert(&mut self, from: TypeId, to: TypeId, span: Span) -> Reported {
        for ty in [from, to] {
            if let Type::Opaque(..) = self.types.kind(ty) {
                return self.incomplete(ty, span);
            }
        }
        let message = match self.types.is_void(from) {
            true => "this is `void`, which has no value".to_string(),
            false => format!("`{}` does not convert to `{}`", self.show(from), self.show(to)),
        };
        self.report(Diagnostic::new(span, message))
    }

    /// A value that becomes a union with a member of its type, by a cast or because the union is transparent.
    fn union_of(&mut self, value: &Expr, to: TypeId, how: Conversion) -> Option<Expr> {
        let layout = self.types.layout(self.types.record_id(to)?)?;
        if how == Conversion::Implicit && !layout.transparent || self.body.is_none() {
            return None;
        }
        let is_pointer = self.types.is_pointer(value.ty) || constant_of(value) == Some(0);
        let same = layout.members.iter().position(|m| self.types.same(value.ty, m.ty));
        let fits = |ty| layout.transparent && is_pointer && self.types.is_pointer(ty);
        let member = same.or_else(|| layout.members.iter().position(|m| fits(m.ty)))?;
        let ty = layout.members[member].ty;
        let span = value.span;
        let value = match same {
            Some(_) => value.clone(),
            None => self.conversion(value.clone(), ty, Conversion::Implicit),
        };
        let value = PartValue::Value(value);
        let init = Initializer::Parts(vec![Part { path: vec![Step::Member(member)], value }]);
        let local = self.new_local("", to, span);
        let base = Base::Literal(local, Box::new(init));
        let place = Place { base, path: Vec::new(), ty: to, bits: None, access: Access::Plain, span };
        Some(Expr { kind: ExprKind::Read(Box::new(place)), ty: to, span })
    }

    /// The type of a value after integer promotion: what is smaller than `int` becomes `int`.
    pub fn promoted(&self, ty: TypeId) -> TypeId {
        match (self.types.kind(ty), self.types.as_integer(ty)) {
            (Type::Bool, _) => self.types.int(),
            (_, Some(integer)) if integer.rank < Rank::Int => self.types.int(),
            (Type::Enum(id), _) => self.types.enums[*id].underlying,
            _ => ty,
        }
    }

    /// The type of a value after integer promotion. All values of a bit-field with fewer bits than `int` are values of
    /// `int`.
    pub fn promoted_type(&self, value: &Expr) -> TypeId {
        let bits = match &value.kind {
            ExprKind::Read(place) => place.bits,
            _ => None,
        };
        let narrow = bits.is_some_and(|bits| bits.width < 32);
        if narrow { self.types.int() } else { self.promoted(value.ty) }
    }

    /// The value after integer promotion.
    pub fn promote(&mut self, value: Expr) -> Result<Expr> {
        let ty = self.promoted_type(&value);
        self.converted(value, ty)
    }

    /// The usual arithmetic conversions: the type in which two promoted operands are computed.
    pub fn common(&mut self, left: TypeId, right: TypeId) -> TypeId {
        let floating = |ty| match self.types.kind(ty) {
            Type::Floating(floating) => Some(*floating),
            _ => None,
        };
        if let Some(floating) = floating(left).max(floating(right)) {
            return self.floating_type(floating);
        }
        let (left, right) = (self.promoted(left), self.promoted(right));
        let (Some(l), Some(r)) = (self.types.as_integer(left), self.types.as_integer(right)) else {
            return left;
        };
        if l.signed == r.signed {
            return if l.rank >= r.rank { left } else { right };
        }
        let ((unsigned, of), (signed, other)) = match l.signed {
            true => ((r, right), (l, left)),
            false => ((l, left), (r, right)),
        };
        if unsigned.rank >= signed.rank {
            of
        } else if self.types.bits(signed) > self.types.bits(unsigned) {
            other
        } else {
            self.types.intern(Type::Integer(Integer { signed: false, ..signed }))
        }
    }

    fn floating_type(&mut self, floating: Floating) -> TypeId {
        self.types.intern(Type::Floating(floating))
    }

    /// An argument that no parameter gives a type: small integers become `int`, and `float` becomes `double`.
    pub fn default_promoted(&mut self, value: Expr) -> Result<Expr> {
        match self.types.kind(value.ty) {
            Type::Floating(Floating::Half | Floating::Float) => {
                let double = self.types.double();
                self.converted(value, double)
            }
            Type::Bool | Type::Integer(_) | Type::Enum(_) => self.promote(value),
            Type::Void => self.fail(value.span, "this is `void`, which has no value"),
            _ => Ok(value),
        }
    }

    /// A value that is compared with 0.
    pub fn condition(&mut self, value: Expr) -> Result<Expr> {
        match self.types.kind(value.ty) {
            _ if self.types.is_scalar(value.ty) => Ok(value),
            Type::Void => self.fail(value.span, "this is `void`, which has no value"),
            Type::Opaque(..) => Err(self.incomplete(value.ty, value.span)),
            _ => {
                let message = format!("`{}` cannot be used as a number", self.show(value.ty));
                self.fail(value.span, message)
            }
        }
    }

    /// Whether a value is a null pointer constant: 0, or 0 as a pointer to nothing in particular.
    pub fn is_null(&self, value: &Expr) -> bool {
        constant_of(value) == Some(0)
            && (self.types.is_integer(value.ty)
                || self.types.element(value.ty).is_some_and(|to| self.types.is_void(to)))
    }
}
