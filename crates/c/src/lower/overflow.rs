//! `__builtin_add_overflow` and its like.
//!
//! What comes of 32 bits is exact in 64. The operands of 64 bits have to be values of the result's type; then the wrapped
//! result tells: it is on the wrong side of an operand, or dividing it does not lead back.

use super::*;
use crate::types::Rank;

/// The operator of `__builtin_add_overflow` and its like.
pub(super) fn operator(name: &str) -> Option<(BinaryOp, &str)> {
    let rest = name.strip_prefix("__builtin_")?;
    let rest = rest.strip_prefix('s').filter(|r| !r.starts_with("ub_")).unwrap_or(rest);
    let rest = rest.strip_prefix('u').unwrap_or(rest);
    let ops = [("add", BinaryOp::Add), ("sub", BinaryOp::Sub), ("mul", BinaryOp::Mul)];
    ops.into_iter().find_map(|(word, op)| {
        let tail = rest.strip_prefix(word)?;
        matches!(tail, "_overflow" | "_overflow_p" | "l_overflow" | "ll_overflow").then_some((op, tail))
    })
}

impl<'a> Lowerer<'a> {
    /// `__builtin_add_overflow(a, b, &result)` and its like: the exact result, and whether it fits.
    pub(super) fn overflowing(
        &mut self,
        op: BinaryOp,
        args: &'a [ast::Expr],
        only_asks: bool,
        span: Span,
    ) -> Result<Value> {
        let l = self.scalar(&args[0])?;
        let l = Typed { expr: self.keep(l.expr), ty: l.ty };
        let r = self.scalar(&args[1])?;
        let r = Typed { expr: self.keep(r.expr), ty: r.ty };
        let target = match only_asks {
            true => None,
            false => {
                let pointer = self.scalar(&args[2])?;
                Some(self.pointed(pointer, span)?)
            }
        };
        let ty = match &target {
            Some(target) => target.ty.unqualified().clone(),
            None => self.scalar(&args[2])?.ty.unqualified().clone(),
        };
        let wide = |ty: &CType| self.types().size(ty).unwrap_or(8);
        if [&ty, &l.ty, &r.ty].iter().any(|ty| !ty.is_integer()) {
            return Err(Diagnostic::new(span, format!("`{}` is no integer", self.types().show(&ty))));
        }
        if [&ty, &l.ty, &r.ty].iter().any(|ty| wide(ty) > 4) {
            return self.overflowing_wide(op, (l, r), &ty, target, span);
        }
        // 64 bits hold what comes of 32.
        let long = CType::integer(Rank::LongLong, true);
        let (l, r) = (self.convert(l, &long, span)?, self.convert(r, &long, span)?);
        let exact = self.arithmetic(op, l, r, span)?;
        let exact = Typed { expr: self.keep(exact.expr), ty: exact.ty };
        let cut = self.convert(exact.clone(), &ty, span)?;
        let cut = Typed { expr: self.keep(cut.expr), ty: cut.ty };
        if let Some(target) = target {
            self.emit(StmtKind::Assign(target.place, cut.expr.clone()), span);
        }
        let back = self.convert(cut, &long, span)?;
        let differ = self.arithmetic(BinaryOp::Ne, back, exact, span)?;
        let truth = self.truth(differ, span);
        Ok(Value::Scalar(Typed { expr: truth, ty: CType::Bool }))
    }

    /// The same in 64 bits: whether the result is right is seen by computing back.
    fn overflowing_wide(
        &mut self,
        op: BinaryOp,
        (l, r): (Typed, Typed),
        ty: &CType,
        target: Option<Lvalue>,
        span: Span,
    ) -> Result<Value> {
        let Some(Scalar::Int(int)) = self.types().scalar(ty).filter(|s| s.size() == 8) else {
            return Err(Diagnostic::new(
                span,
                "overflow of 64-bit integers into smaller ones is not supported",
            ));
        };
        // Operands that the result's type does not hold would have to be computed with in more bits.
        for operand in [&l, &r] {
            let (lo, hi) = int.limits();
            let fits = match (self.fold(&operand.expr), operand.expr.ty) {
                (Some(value), scalar) => (lo..=hi).contains(&scalar.meaning(value)),
                (None, scalar) => scalar.limits().0 >= lo && scalar.limits().1 <= hi,
            };
            if !fits {
                return Err(Diagnostic::new(
                    span,
                    "overflow of operands of different signs is not supported",
                ));
            }
        }
        let (l, r) = (self.convert(l, ty, span)?, self.convert(r, ty, span)?);
        let wrapped = self.wrapping_arithmetic(op, l.clone(), r.clone(), span)?;
        let result = Typed { expr: self.keep(wrapped.expr), ty: ty.clone() };
        if let Some(target) = target {
            self.emit(StmtKind::Assign(target.place, result.expr.clone()), span);
        }
        let zero = self.int_constant(0, ty, span);
        let is = |this: &mut Self, op, l: &Typed, r: &Typed| {
            let test = this.arithmetic(op, l.clone(), r.clone(), span)?;
            Ok::<Expr, Diagnostic>(this.truth(test, span))
        };
        let join = |op, l: Expr, r: Expr| Expr {
            kind: ExprKind::Binary(op, Box::new(l), Box::new(r)),
            ty: Scalar::Bool,
            span,
        };
        let wrong = match (op, int.signed) {
            (BinaryOp::Add, false) => is(self, BinaryOp::Lt, &result, &l)?,
            (BinaryOp::Sub, false) => is(self, BinaryOp::Lt, &l, &r)?,
            // The result lies on the side of the left operand that the right one says.
            (BinaryOp::Add, true) => {
                let below = is(self, BinaryOp::Lt, &r, &zero)?;
                let less = is(self, BinaryOp::Lt, &result, &l)?;
                join(BinaryOp::Ne, below, less)
            }
            (BinaryOp::Sub, true) => {
                let above = is(self, BinaryOp::Gt, &r, &zero)?;
                let less = is(self, BinaryOp::Lt, &result, &l)?;
                join(BinaryOp::Ne, above, less)
            }
            _ => {
                let mut some = is(self, BinaryOp::Ne, &r, &zero)?;
                let mut least_by_minus = None;
                if int.signed {
                    // Machines do not like the least number divided by -1.
                    let least = self.int_constant(i64::MIN, ty, span);
                    let minus = self.int_constant(-1, ty, span);
                    some = join(BinaryOp::And, some, is(self, BinaryOp::Ne, &r, &minus)?);
                    let (l_least, r_minus) =
                        (is(self, BinaryOp::Eq, &l, &least)?, is(self, BinaryOp::Eq, &r, &minus)?);
                    least_by_minus = Some(join(BinaryOp::And, l_least, r_minus));
                }
                let one = self.int_constant(1, ty, span);
                let kind =
                    ExprKind::Select(Box::new(some.clone()), Box::new(r.expr.clone()), Box::new(one.expr));
                let divisor = Typed { expr: Expr { kind, ty: r.expr.ty, span }, ty: ty.clone() };
                let back = self.wrapping_arithmetic(BinaryOp::Div, result.clone(), divisor, span)?;
                let differs = is(self, BinaryOp::Ne, &back, &l)?;
                let wrong = join(BinaryOp::And, some, differs);
                match least_by_minus {
                    Some(other) => join(BinaryOp::Or, wrong, other),
                    None => wrong,
                }
            }
        };
        Ok(Value::Scalar(Typed { expr: wrong, ty: CType::Bool }))
    }
}
