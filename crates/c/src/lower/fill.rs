//! `memset` and its like.

use super::body::Slot;
use super::build::{number, read_local, wrapping};
use super::counted::Way;
use super::floating::is_unfollowed;
use super::operands::{Few, Operands};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir;
use fencepost_ir::tree::{Base, BinaryOp, Block, Expr, ExprKind, Fill, Place, StmtKind, VarRef};
use fencepost_ir::{IntType, Scalar, Span};

const BYTE: Scalar = Scalar::Int(IntType { bits: 8, signed: false });

impl<'h> Lowerer<'h> {
    /// Sets bytes, to zero where none is given; gives where they are.
    pub fn fill_memory(
        &mut self,
        to: &'h hir::Expr,
        byte: Option<&'h hir::Expr>,
        bytes: &'h hir::Expr,
        span: Span,
    ) -> Result<Expr> {
        let byte = match byte {
            Some(byte) => self.scalar(byte)?,
            None => number(0, BYTE, span),
        };
        if self.fold(&byte) == Some(0)
            && let Some(pointer) = self.clears_new_memory(to, bytes, span)?
        {
            return Ok(pointer);
        }
        let byte = self.keep(byte);
        let operands = self.operands([to, to], bytes, span)?;
        let result = operands.rows[0].first.clone();
        let word = self.wrapped(self.wrapped(byte, BYTE, span), WORD, span);
        let ones = number(0x0101_0101_0101_0101, WORD, span);
        let word = self.operate_wrapping(BinaryOp::Mul, word, ones, span);
        let word = self.keep(word);
        let few = self.few(&operands);
        if operands.is_untyped || few.is_none() && self.cuts_element(&operands) {
            let args = vec![result.clone(), word, operands.bytes];
            self.library_function("__fencepost_fill_raw", args, span)?;
            return Ok(result);
        }
        match few {
            Some(few) => self.fill_few(&operands, &few, &word, span),
            None => {
                let count = self.whole_elements(&operands, span);
                let row = &operands.rows[0];
                self.for_each(&count, Way::Up, span, |this, i| {
                    let target = this.element_at(row, i, span);
                    this.fill_element(&operands, &Few::Elements(1), target, &word, span);
                    Ok(())
                })?;
                self.only_whole_elements(&operands, span)?;
            }
        }
        Ok(result)
    }

    fn fill_few(&mut self, operands: &Operands, few: &Few, word: &Expr, span: Span) {
        for i in 0..few.elements() {
            let target = self.nth(&operands.rows[0], i, span);
            self.fill_element(operands, few, target, word, span);
        }
    }

    /// Sets the scalars of an element; mutexes stay as they are.
    fn fill_element(&mut self, operands: &Operands, few: &Few, target: Place, word: &Expr, span: Span) {
        for (path, place, scalar) in self.fillable(&target, &operands.rows[0].element, span) {
            if few.has(&path) {
                let value = self.filled(word, scalar, span);
                self.assign_place(place, value, span);
            }
        }
    }

    /// A scalar all of whose bytes are those of a word.
    fn filled(&mut self, word: &Expr, scalar: Scalar, span: Span) -> Expr {
        match scalar {
            Scalar::Thread => Expr::constant(scalar.default_value(), scalar, span),
            Scalar::Bool => self.truth(word.clone(), span),
            Scalar::Pointer { .. } => {
                let address = self.integer_as_address(word.clone(), scalar, span);
                self.folded(address)
            }
            _ => self.folded(wrapping(word.clone(), scalar, span)),
        }
    }

    /// `p = malloc(n)` and then `memset(p, 0, n)`, perhaps with a test of `p` between them, is memory that starts with
    /// zeros, whatever its type.
    fn clears_new_memory(
        &mut self,
        to: &'h hir::Expr,
        bytes: &'h hir::Expr,
        span: Span,
    ) -> Result<Option<Expr>> {
        let hir::ExprKind::Read(place) = &self.before_cast(to).kind else { return Ok(None) };
        let (hir::Base::Local(id), []) = (&place.base, &place.path[..]) else { return Ok(None) };
        let Some(Slot::Local(id)) = self.slot(*id).cloned() else { return Ok(None) };
        let (bytes, effects) = self.captured(|this| this.size(bytes))?;
        if !effects.0.is_empty() {
            return Ok(None);
        }
        let pointer = self.pointer();
        for stmt in self.body.out.iter_mut().rev() {
            let made = match &mut stmt.kind {
                StmtKind::Declare(made, Some(value)) if *made == id => value,
                StmtKind::Assign(Place { base: Base::Variable(VarRef::Local(made)), path, .. }, value)
                    if *made == id && path.is_empty() =>
                {
                    value
                }
                StmtKind::Declare(_, None) | StmtKind::Skip => continue,
                StmtKind::If(_, then, otherwise) if leaves_memory(then) && leaves_memory(otherwise) => {
                    continue;
                }
                _ => return Ok(None),
            };
            return Ok(match &mut made.kind {
                ExprKind::Allocate(_, size, fill, _) if same_value(size, &bytes) => {
                    *fill = Fill::Zero;
                    Some(read_local(id, pointer, span))
                }
                _ => None,
            });
        }
        Ok(None)
    }
}

/// Whether what comes after a block finds memory as it was before it: the block is empty, or never comes to its end.
fn leaves_memory(Block(stmts): &Block) -> bool {
    let Some((last, rest)) = stmts.split_last() else { return true };
    matches!(last.kind, StmtKind::Halt | StmtKind::Return(_) | StmtKind::Exit(_))
        && rest.iter().all(|stmt| matches!(stmt.kind, StmtKind::Eval(_) | StmtKind::Skip))
}

/// Whether two expressions without effects are the same, wherever they are.
fn same_value(a: &Expr, b: &Expr) -> bool {
    let plain = |place: &Place| match place.base {
        Base::Variable(VarRef::Local(id)) if place.path.is_empty() => Some(id),
        _ => None,
    };
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
            (ExprKind::Any(_), ExprKind::Any(_)) => is_unfollowed(a) && is_unfollowed(b),
            (ExprKind::Read(a), ExprKind::Read(b)) => plain(a).is_some() && plain(a) == plain(b),
            (ExprKind::Convert(c, a), ExprKind::Convert(d, b)) => c == d && same_value(a, b),
            (ExprKind::Binary(o, a, b), ExprKind::Binary(p, c, d)) => {
                o == p && same_value(a, c) && same_value(b, d)
            }
            _ => false,
        }
}
