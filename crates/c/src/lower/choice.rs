//! Operators that evaluate one operand or the other: `&&`, `||`, `?:`.

use super::build::{binary, read_local, select};
use super::{Lowerer, Result, Value};
use crate::hir::{self, Logical, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Expr, Place, Stmt, StmtKind, VarRef};
use fencepost_ir::{Scalar, Span};

impl<'h> Lowerer<'h> {
    /// `&&` and `||`, as a truth value.
    pub fn logical(
        &mut self,
        op: Logical,
        left: &'h hir::Expr,
        right: &'h hir::Expr,
        span: Span,
    ) -> Result<Expr> {
        let l = self.condition(left)?;
        let (r, effects) = self.captured(|this| this.condition(right))?;
        if effects.0.is_empty() {
            let op = match op {
                Logical::And => BinaryOp::And,
                Logical::Or => BinaryOp::Or,
            };
            return Ok(self.folded(binary(op, l, r, span)));
        }
        let id = self.temporary(Scalar::Bool, span);
        self.emit(StmtKind::Declare(id, Some(l)), span);
        let mut block = effects;
        block.0.push(assignment(id_place(id, span), r, span));
        let known = read_local(id, Scalar::Bool, span);
        let (then, otherwise) = match op {
            Logical::And => (block, Block::default()),
            Logical::Or => (Block::default(), block),
        };
        self.emit(StmtKind::If(known.clone(), then, otherwise), span);
        Ok(known)
    }

    /// `a ? b : c`
    pub fn conditional(
        &mut self,
        test: &'h hir::Expr,
        then: &'h hir::Expr,
        otherwise: &'h hir::Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let test = self.condition(test)?;
        // What cannot run need not make sense.
        if let Some(known) = self.fold(&test) {
            return self.value(if known != 0 { then } else { otherwise });
        }
        let then = self.captured(|this| this.value(then))?;
        let otherwise = self.captured(|this| this.value(otherwise))?;
        self.choose(test, then, otherwise, ty, span)
    }

    /// `a ?: c`
    pub fn elvis(&mut self, first: &'h hir::Expr, otherwise: &'h hir::Expr, span: Span) -> Result<Value> {
        let ty = first.ty;
        if self.hir.types.is_floating(ty) {
            return Err(super::floating::unknown_value(span));
        }
        let (test, first) = match self.value(first)? {
            Value::Scalar(value) => {
                let kept = self.keep(value);
                (self.truth(kept.clone(), span), Value::Scalar(kept))
            }
            Value::Record(place) => {
                let storage = self.stored(ty, span)?;
                let kept = self.copied(&place, &storage, span)?;
                (self.wide_truth(kept.clone(), span), Value::Record(kept))
            }
            Value::Void => return Err(self.no_values(ty, span)),
        };
        let otherwise = self.captured(|this| this.value(otherwise))?;
        self.choose(test, (first, Block::default()), otherwise, ty, span)
    }

    fn choose(
        &mut self,
        test: Expr,
        (t, mut then): (Value, Block),
        (o, mut otherwise): (Value, Block),
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        Ok(match (t, o) {
            (Value::Scalar(t), Value::Scalar(o)) => {
                if then.0.is_empty() && otherwise.0.is_empty() {
                    return Ok(Value::Scalar(self.folded(select(test, t, o, span))));
                }
                let scalar = t.ty;
                let id = self.temporary(scalar, span);
                then.0.push(assignment(id_place(id, span), t, span));
                otherwise.0.push(assignment(id_place(id, span), o, span));
                self.emit(StmtKind::If(test, then, otherwise), span);
                Value::Scalar(read_local(id, scalar, span))
            }
            (Value::Record(t), Value::Record(o)) => {
                let storage = self.stored(ty, span)?;
                let target = self.temporary_record(storage.clone(), span);
                let copy = self.block_of(|this| this.copy(&target, &t, &storage, span))?;
                then.0.extend(copy.0);
                let copy = self.block_of(|this| this.copy(&target, &o, &storage, span))?;
                otherwise.0.extend(copy.0);
                self.emit(StmtKind::If(test, then, otherwise), span);
                Value::Record(target)
            }
            _ => {
                self.emit(StmtKind::If(test, then, otherwise), span);
                Value::Void
            }
        })
    }
}

fn id_place(id: fencepost_ir::tree::LocalId, span: Span) -> Place {
    Place::variable(VarRef::Local(id), span)
}

fn assignment(place: Place, value: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(place, value), span }
}
