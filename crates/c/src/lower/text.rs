//! Texts: string literals of the program, texts of our own, and reading what is only printed.

use super::Lowerer;
use super::build::{binary, number, read, read_local, select, with_number};
use super::counted::Row;
use crate::hir::{self, Base, ExprKind as Hir, Initializer, PartValue, Projection};
use fencepost_ir::Span;
use fencepost_ir::tree::{
    BinaryOp, Block, Choices, Expr, ExprKind, Place, Projection as Step, Stmt, StmtKind, Type, VarRef,
};

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
    pub fn read_text(&mut self, text: Expr, most: Option<Expr>, span: Span) {
        let size = self.size_scalar();
        let id = self.counter("%n", number(0, size, span), span);
        let n = read_local(id, size, span);
        let element = self.scalar_of(self.hir.types.char());
        let row = Row { first: text, element: element.into() };
        let c = read(self.element_at(&row, &n, span), element, span);
        let goes_on = with_number(BinaryOp::Ne, c, 0, span);
        let test = match most {
            None => goes_on,
            Some(most) => {
                let is_none = binary(BinaryOp::Lt, most.clone(), number(0, most.ty, span), span);
                let unbounded = number(-1, size, span);
                let most = self.wrapped(most, size, span);
                let most = self.folded(select(is_none, unbounded, most, span));
                let most = self.keep(most);
                binary(BinaryOp::And, binary(BinaryOp::Lt, n.clone(), most, span), goes_on, span)
            }
        };
        let place = Place::variable(VarRef::Local(id), span);
        let next = StmtKind::Assign(place, with_number(BinaryOp::Add, n, 1, span));
        self.emit(StmtKind::While(test, Block(vec![Stmt { kind: next, span }])), span);
        self.body.printed.push(id);
    }
}
