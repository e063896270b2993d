//! Assignments, increments and copies.
//!
//! Plain operators on `_Atomic` variables are sequentially consistent: an assignment is a store
//! between fences, an update one read-modify-write.

use super::*;
use crate::ast::ExprKind as Ast;

/// Larger structures are not copied.
const MOST_SCALARS: u64 = 1 << 14;

impl<'a> Lowerer<'a> {
    /// An expression for what it does, not for its value.
    pub(super) fn effect(&mut self, e: &'a ast::Expr) -> Result<()> {
        let span = e.span;
        match &e.kind {
            Ast::Assign(None, target, value) => {
                let lvalue = self.lvalue(target)?;
                let name = match &target.kind {
                    Ast::Identifier(name) => Some(name.as_str()),
                    _ => None,
                };
                self.assign_from(lvalue, name, value, span)
            }
            Ast::Assign(Some(op), target, value) => {
                let mut lvalue = self.lvalue(target)?;
                let mark = self.body.out.len();
                if self.is_wide(&lvalue.ty).is_some() {
                    let operand = self.value(value)?;
                    self.settle_place(&mut lvalue.place, mark);
                    return self.wide_update(lvalue, *op, operand, span).map(|_| ());
                }
                let operand = self.scalar(value)?;
                self.update(lvalue, mark, *op, operand, Wanted::Nothing, span).map(|_| ())
            }
            Ast::Step(op, arg) => {
                let lvalue = self.lvalue(arg)?;
                let mark = self.body.out.len();
                let one = self.int_constant(1, &CType::INT, span);
                if self.is_wide(&lvalue.ty).is_some() {
                    let one = Value::Scalar(one);
                    return self.wide_update(lvalue, step_operator(*op).0, one, span).map(|_| ());
                }
                self.update(lvalue, mark, step_operator(*op).0, one, Wanted::Nothing, span).map(|_| ())
            }
            Ast::Comma(first, second) => {
                self.effect(first)?;
                self.effect(second)
            }
            Ast::Conditional(cond, then, otherwise) => {
                let test = self.condition(cond)?;
                let (_, t) = self.captured(|this| then.as_ref().map_or(Ok(()), |then| this.effect(then)))?;
                let (_, o) = self.captured(|this| this.effect(otherwise))?;
                self.emit(StmtKind::If(test, t, o), span);
                Ok(())
            }
            Ast::Cast(ty, arg) if *self.type_name(ty)?.unqualified() == CType::Void => self.effect(arg),
            _ => {
                self.value_unused = matches!(e.kind, Ast::Call(..));
                let value = self.value(e);
                self.value_unused = false;
                match value? {
                    Value::Scalar(typed) => self.discard(typed.expr),
                    Value::Record(..) | Value::Void => {}
                }
                Ok(())
            }
        }
    }

    /// Evaluates what nobody looks at, if that does anything.
    pub(super) fn discard(&mut self, e: Expr) {
        let span = e.span;
        let mut acts = false;
        e.visit(&mut |e| {
            acts |= match &e.kind {
                ExprKind::Rmw(..)
                | ExprKind::Call(..)
                | ExprKind::Spawn(..)
                | ExprKind::Reallocate(..)
                | ExprKind::Allocate(..) => true,
                // A read can fail, and is an access.
                ExprKind::Read(place) => {
                    !matches!(place.base, Base::Variable(VarRef::Local(_) | VarRef::ThreadLocal(_)))
                        || place.indices().any(|i| !matches!(i.kind, ExprKind::Const(_)))
                }
                ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, ..) => true,
                ExprKind::Convert(Conversion::Checked, _) => true,
                _ => false,
            };
        });
        match e.kind {
            ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                self.emit(StmtKind::Eval(e), span)
            }
            _ if acts => {
                self.keep(e);
            }
            _ => {}
        }
    }

    /// `target = value` or `target op= value`, for its value.
    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let lvalue = self.lvalue(target)?;
        match op {
            None => match lvalue.ty.unqualified() {
                CType::Record(_) => {
                    let (place, ty) = (lvalue.place.clone(), lvalue.ty.clone());
                    self.assign_from(lvalue, None, value, span)?;
                    Ok(Value::Record(place, ty.unqualified().clone()))
                }
                _ => {
                    self.assignable(&lvalue, span)?;
                    let mark = self.body.out.len();
                    let value = self.scalar(value)?;
                    let mut lvalue = lvalue;
                    self.settle_place(&mut lvalue.place, mark);
                    let value = self.convert(value, &lvalue.ty, span)?;
                    let kept = Typed { expr: self.keep(value.expr), ty: value.ty };
                    self.store(&lvalue, kept.expr.clone(), span);
                    Ok(Value::Scalar(kept))
                }
            },
            Some(op) if self.is_wide(&lvalue.ty).is_some() => {
                let mut lvalue = lvalue;
                let mark = self.body.out.len();
                let operand = self.value(value)?;
                self.settle_place(&mut lvalue.place, mark);
                self.wide_update(lvalue, op, operand, span)
            }
            Some(op) => {
                let mark = self.body.out.len();
                let operand = self.scalar(value)?;
                let value = self.update(lvalue, mark, op, operand, Wanted::New, span)?;
                Ok(Value::Scalar(value.expect("a value was wanted")))
            }
        }
    }

    /// `lvalue = value`, where the lvalue may be a variable by its name.
    fn assign_from(
        &mut self,
        mut lvalue: Lvalue,
        name: Option<&str>,
        value: &'a ast::Expr,
        span: Span,
    ) -> Result<()> {
        self.assignable(&lvalue, span)?;
        let mark = self.body.out.len();
        match lvalue.ty.unqualified().clone() {
            CType::Record(id) => {
                let from = match self.value(value)? {
                    Value::Record(from, CType::Record(other)) if other == id => from,
                    number if self.is_wide(&lvalue.ty).is_some() => {
                        self.widened(number, &lvalue.ty, value.span)?
                    }
                    _ => {
                        let message =
                            format!("only a `{}` can be assigned here", self.types().show(&lvalue.ty));
                        return Err(Diagnostic::new(value.span, message));
                    }
                };
                self.settle_place(&mut lvalue.place, mark);
                if lvalue.ty.is_atomic() {
                    return self.store_structure(&lvalue.place, &from, &CType::Record(id), span);
                }
                self.copy(&lvalue.place, &from, &CType::Record(id), span)
            }
            CType::Mutex => Err(Diagnostic::new(span, "a mutex cannot be assigned")),
            _ => {
                let value = self.scalar(value)?;
                self.settle_place(&mut lvalue.place, mark);
                let mut value = self.convert(value, &lvalue.ty, span)?;
                if let Some(name) = name {
                    self.guess_allocation(&mut value.expr, name, span)?;
                }
                self.store(&lvalue, value.expr, span);
                Ok(())
            }
        }
    }

    /// What is `const` is not assigned.
    fn assignable(&self, lvalue: &Lvalue, span: Span) -> Result<()> {
        // Our own functions set what headers call constant.
        if lvalue.ty.is_const() && self.inlined == 0 {
            let message = format!("this is `{}`, which cannot be assigned", self.types().show(&lvalue.ty));
            return Err(Diagnostic::new(span, message));
        }
        Ok(())
    }

    /// Stores a converted value.
    pub(super) fn store(&mut self, lvalue: &Lvalue, value: Expr, span: Span) {
        if let Some(bits) = lvalue.ty.bits() {
            return self.store_bits(&lvalue.place, bits, value, span);
        }
        self.notes.keeps_numbers |= lvalue.ty.is_floating();
        let access = match lvalue.ty.is_atomic() {
            true => Access::SEQ_CST,
            false => lvalue.place.access,
        };
        self.emit(StmtKind::Assign(Place { access, ..lvalue.place.clone() }, value), span);
    }

    /// Copies a structure, scalar by scalar.
    pub(super) fn copy(&mut self, to: &Place, from: &Place, ty: &CType, span: Span) -> Result<()> {
        let from = self.scalars_of(from, ty, span)?;
        let to = self.scalars_of(to, ty, span)?;
        // All is read before anything is written: the two may overlap.
        let mut values = Vec::new();
        for (_, place, scalar) in from {
            values.push(self.keep(Expr { kind: ExprKind::Read(place), ty: scalar, span }));
        }
        for ((_, place, _), value) in to.into_iter().zip(values) {
            self.emit(StmtKind::Assign(place, value), span);
        }
        Ok(())
    }

    /// Refuses to take a structure apart that has more scalars than any model can follow.
    pub(super) fn few_scalars(&self, storage: &Type, span: Span) -> Result<()> {
        match self.program.records.cells(storage) {
            n if n > MOST_SCALARS => {
                Err(Diagnostic::new(span, format!("copying a structure of {n} scalars is not supported")))
            }
            _ => Ok(()),
        }
    }

    /// The scalars of a structure that a copy needs: the way to each, its place and its type.
    pub(super) fn scalars_of(
        &mut self,
        place: &Place,
        ty: &CType,
        span: Span,
    ) -> Result<Vec<(Vec<Step>, Place, Scalar)>> {
        let mut place = place.clone();
        self.stabilise(&mut place);
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        self.few_scalars(&storage, span)?;
        let paths = self.covering(&storage);
        if paths.iter().any(|(_, scalar)| *scalar == Scalar::Mutex) {
            return Err(Diagnostic::new(span, "a mutex cannot be copied"));
        }
        Ok(self.located(place, paths, span))
    }

    /// The scalars of a structure that can be set to zero: all but mutexes.
    pub(super) fn fillable(
        &mut self,
        place: &Place,
        ty: &CType,
        span: Span,
    ) -> Result<Vec<(Vec<Step>, Place, Scalar)>> {
        let mut place = place.clone();
        self.stabilise(&mut place);
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        let mut paths = self.covering(&storage);
        paths.retain(|(_, scalar)| *scalar != Scalar::Mutex);
        Ok(self.located(place, paths, span))
    }

    /// Ways to scalars that have all bytes of a type between them: of members that share bytes the
    /// widest.
    pub(super) fn covering(&self, storage: &Type) -> Vec<(Vec<Step>, Scalar)> {
        let records = &self.program.records;
        let mut all = Vec::new();
        records.scalars(storage, &mut Vec::new(), &mut |path, scalar| {
            let (offset, _) = records.offset(storage, path);
            all.push((offset, path.to_vec(), scalar));
        });
        let mut kept: Vec<usize> = Vec::new();
        if records.has_union(storage) {
            let mut order: Vec<usize> = (0..all.len()).collect();
            order.sort_by_key(|&i| std::cmp::Reverse(all[i].2.size()));
            let end = |i: usize| all[i].0 + all[i].2.size();
            for i in order {
                if !kept.iter().any(|&k| all[k].0 < end(i) && all[i].0 < end(k)) {
                    kept.push(i);
                }
            }
            kept.sort_unstable();
        } else {
            kept = (0..all.len()).collect();
        }
        kept.into_iter().map(|i| (all[i].1.clone(), all[i].2)).collect()
    }

    fn located(
        &self,
        place: Place,
        paths: Vec<(Vec<Step>, Scalar)>,
        span: Span,
    ) -> Vec<(Vec<Step>, Place, Scalar)> {
        let step = |step: &Step| match step {
            Step::Index(i) => Projection::Index(self.int_constant(i64::from(*i), &CType::LONG, span).expr),
            Step::Field(i) => Projection::Field(*i),
        };
        let located = paths.into_iter().map(|(path, scalar)| {
            let mut cell = place.clone();
            cell.path.extend(path.iter().map(step));
            (path, cell, scalar)
        });
        located.collect()
    }

    /// `++` and `--`, for their value.
    pub(super) fn step(&mut self, op: ast::StepOp, arg: &'a ast::Expr, span: Span) -> Result<Typed> {
        let lvalue = self.lvalue(arg)?;
        let mark = self.body.out.len();
        let one = self.int_constant(1, &CType::INT, span);
        let (op, wanted) = step_operator(op);
        let value = self.update(lvalue, mark, op, one, wanted, span)?;
        Ok(value.expect("a value was wanted"))
    }

    /// `lvalue = lvalue op operand`
    fn update(
        &mut self,
        mut lvalue: Lvalue,
        mark: usize,
        op: BinaryOp,
        operand: Typed,
        wanted: Wanted,
        span: Span,
    ) -> Result<Option<Typed>> {
        self.assignable(&lvalue, span)?;
        self.not_a_row(&lvalue.place, span)?;
        self.settle_place(&mut lvalue.place, mark);
        self.stabilise(&mut lvalue.place);
        if lvalue.ty.is_atomic() {
            return self.atomic_update(lvalue, op, operand, wanted, span);
        }
        let Value::Scalar(old) = self.load(lvalue.clone(), span)? else {
            return Err(Diagnostic::new(span, "a structure cannot be computed with"));
        };
        let old = match wanted {
            Wanted::Old => Typed { expr: self.keep(old.expr), ty: old.ty },
            Wanted::New | Wanted::Nothing => old,
        };
        let new = self.arithmetic(op, old.clone(), operand, span)?;
        let new = self.convert(new, &lvalue.ty, span)?;
        let new = match wanted {
            Wanted::New => Typed { expr: self.keep(new.expr), ty: new.ty },
            Wanted::Old | Wanted::Nothing => new,
        };
        self.store(&lvalue, new.expr.clone(), span);
        Ok(match wanted {
            Wanted::Old => Some(old),
            Wanted::New => Some(new),
            Wanted::Nothing => None,
        })
    }
}

/// Which value of an update is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Old,
    New,
    Nothing,
}

fn step_operator(op: ast::StepOp) -> (BinaryOp, Wanted) {
    match op {
        ast::StepOp::PreIncrement => (BinaryOp::Add, Wanted::New),
        ast::StepOp::PreDecrement => (BinaryOp::Sub, Wanted::New),
        ast::StepOp::PostIncrement => (BinaryOp::Add, Wanted::Old),
        ast::StepOp::PostDecrement => (BinaryOp::Sub, Wanted::Old),
    }
}
