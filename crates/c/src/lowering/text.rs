//! Texts: string literals of the program, texts of our own, and reading what is only printed.

use super::build::{binary, number, select};
use super::{Lowerer, Result};
use crate::hir::{self, Base, ExprKind as Hir, Initializer, PartValue, Projection};
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Choices, Expr, ExprKind, Place, Projection as Step, Type};

impl<'h> Lowerer<'h> {
    /// The characters of a string literal, without the 0 at its end.
    pub fn literal(&self, e: &'h hir::Expr) -> Option<&'h [u32]> {
        let place = match &e.kind {
            Hir::Convert(_, inner) if self.hir.types.is_pointer(e.ty) => return self.literal(inner),
            Hir::AddressOf(place) => place,
            _ => return None,
        };
        let (Base::Global(id), [Projection::Index(first)]) = (&place.base, &place.path[..]) else {
            return None;
        };
        let global = &self.hir.globals[*id];
        let is_first = matches!(first.kind, Hir::Const(0));
        let is_text = global.name.is_empty() && self.hir.types.size(place.ty) == Some(1);
        match &global.init {
            Initializer::Parts(parts) if is_first && is_text => match &parts[..] {
                [hir::Part { value: PartValue::Units(units), .. }] => units.strip_suffix(&[0]),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a text is a literal, or one of several.
    pub fn is_literal(&self, e: &'h hir::Expr) -> bool {
        match &e.kind {
            Hir::Convert(_, inner) if self.hir.types.is_pointer(e.ty) => self.is_literal(inner),
            Hir::Conditional(_, then, otherwise) => self.is_literal(then) && self.is_literal(otherwise),
            _ => self.literal(e).is_some(),
        }
    }

    /// A pointer to a text of our own.
    pub fn own_text(&mut self, text: &[u8], span: Span) -> Expr {
        let variable = match self.globals.texts.get(text) {
            Some(variable) => *variable,
            None => {
                let element = self.scalar_of(self.hir.types.char());
                let units = text.iter().chain(&[0]);
                let init = units.map(|byte| Choices::one(i64::from(*byte as i8))).collect();
                let ty = Type::with_dims(element, &[text.len() as u32 + 1]);
                let variable = self.string_variable(ty, init, span);
                self.globals.texts.insert(text.to_vec(), variable);
                variable
            }
        };
        let first = number(0, self.distance_scalar(), span);
        let place = Place { path: vec![Step::Index(first)], ..Place::variable(variable, span) };
        Expr { kind: ExprKind::AddressOf(place), ty: self.pointer(), span }
    }

    /// Reads a text, up to so many characters if `most` says that, for nothing but the accesses.
    pub fn read_text(&mut self, text: Expr, most: Option<Expr>, span: Span) -> Result<()> {
        let Some(most) = most else {
            return self.library_function("strlen", vec![text], span).map(|_| ());
        };
        let is_none = binary(BinaryOp::Lt, most.clone(), number(0, most.ty, span), span);
        let unbounded = number(-1, self.size_scalar(), span);
        let most = self.wrapped(most, self.size_scalar(), span);
        let most = self.folded(select(is_none, unbounded, most, span));
        self.library_function("strnlen", vec![text, most], span).map(|_| ())
    }
}
