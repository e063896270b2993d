//! Loops of our own over the elements of memory, for elements of any type.

use super::build::{binary, number, read_local, truth_value, with_number};
use super::{Lowerer, Result};
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Block, Expr, LocalId, Place, Stmt, StmtKind, Type};

/// Which way a loop goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the first element on.
    Up,
    /// From the last one back.
    Down,
}

/// Memory that holds elements of one type.
#[derive(Clone)]
pub struct Row {
    /// Where the first element is; it can be evaluated again.
    pub first: Expr,
    pub element: Type,
}

impl Lowerer<'_> {
    /// A loop whose condition may have effects, which come before each test.
    pub fn repeat(&mut self, test: Expr, effects: Block, inner: Block, span: Span) {
        if effects.0.is_empty() {
            self.emit(StmtKind::While(test, inner), span);
            return;
        }
        let leave = Block(vec![Stmt { kind: StmtKind::Break, span }]);
        let mut whole = effects;
        whole.0.push(Stmt { kind: StmtKind::If(test, Block::default(), leave), span });
        whole.0.extend(inner.0);
        self.emit(StmtKind::While(truth_value(true, span), whole), span);
    }

    /// A variable of our own that counts elements.
    pub fn counter(&mut self, name: &str, start: Expr, span: Span) -> LocalId {
        let id = self.local(name, start.ty.into(), span);
        self.emit(StmtKind::Declare(id, Some(start)), span);
        id
    }

    /// Does something for each index below `count`, which can be evaluated again.
    pub fn for_each(
        &mut self,
        count: &Expr,
        way: Way,
        span: Span,
        inside: impl FnOnce(&mut Self, &Expr) -> Result<()>,
    ) -> Result<()> {
        let ty = count.ty;
        let start = match way {
            Way::Up => number(0, ty, span),
            Way::Down => count.clone(),
        };
        let id = self.counter("%i", start, span);
        let i = read_local(id, ty, span);
        let test = match way {
            Way::Up => binary(BinaryOp::Lt, i.clone(), count.clone(), span),
            Way::Down => with_number(BinaryOp::Gt, i.clone(), 0, span),
        };
        let block = self.block_of(|this| {
            if way == Way::Down {
                this.set_local(id, with_number(BinaryOp::Sub, i.clone(), 1, span), span);
            }
            inside(this, &i)?;
            if way == Way::Up {
                this.set_local(id, with_number(BinaryOp::Add, i.clone(), 1, span), span);
            }
            Ok(())
        })?;
        self.emit(StmtKind::While(test, block), span);
        Ok(())
    }

    /// A pointer to an element, whose index is of type `size_t`.
    pub fn element_pointer(&self, row: &Row, index: &Expr, span: Span) -> Expr {
        let scalar = self.distance_scalar();
        let index = self.wrapped(index.clone(), scalar, span);
        let size = number(self.program.records.size(&row.element) as i64, scalar, span);
        let bytes = self.operate_wrapping(BinaryOp::Mul, index, size, span);
        self.moved_by(row.first.clone(), bytes, span)
    }

    /// The element of an index that only the run knows.
    pub fn element_at(&self, row: &Row, index: &Expr, span: Span) -> Place {
        self.follow(self.element_pointer(row, index, span), row.element.clone(), span)
    }

    /// The element of an index that is known.
    pub fn nth(&self, row: &Row, index: u64, span: Span) -> Place {
        use fencepost_ir::tree::{ExprKind, Projection};
        // An element of an array that needs no pointer.
        if let ExprKind::AddressOf(place) = &row.first.kind
            && let Some(Projection::Index(Expr { kind: ExprKind::Const(first), .. })) = place.path.last()
            && self.place_type(place).as_ref() == Some(&row.element)
        {
            let mut place = place.clone();
            let index = number(first + index as i64, self.distance_scalar(), span);
            *place.path.last_mut().expect("it has an index") = Projection::Index(index);
            return Place { span, ..place };
        }
        if index == 0 {
            return self.follow(row.first.clone(), row.element.clone(), span);
        }
        self.element_at(row, &number(index as i64, self.size_scalar(), span), span)
    }
}
