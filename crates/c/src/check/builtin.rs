//! Functions that compilers have built in and that are no other name for one of the C library.

use super::constant::constant_of;
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Builtin, Expr, ExprKind, Rank, Stored, Type};
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;

/// An overflow function: the operation, the type that the name fixes, and whether it only looks.
struct Overflow {
    op: BinaryOp,
    fixed: Option<(Rank, bool)>,
    stored: Stored,
}

/// The overflow function of a name: `__builtin_add_overflow`, `__builtin_uaddl_overflow`, `__builtin_mul_overflow_p`.
fn overflow(name: &str) -> Option<Overflow> {
    let rest = name.strip_prefix("__builtin_")?;
    let generic = ["add", "sub", "mul"].iter().any(|op| rest.starts_with(op));
    let (signed, rest) = match generic {
        true => (None, rest),
        false => (Some(rest.starts_with('s')), rest.strip_prefix(['s', 'u'])?),
    };
    let ops = [("add", BinaryOp::Add), ("sub", BinaryOp::Sub), ("mul", BinaryOp::Mul)];
    let (op, tail) = ops.iter().find_map(|(word, op)| Some((*op, rest.strip_prefix(word)?)))?;
    let rank = match tail {
        "_overflow" | "_overflow_p" => Rank::Int,
        "l_overflow" => Rank::Long,
        "ll_overflow" => Rank::LongLong,
        _ => return None,
    };
    let stored = if tail.ends_with("_p") { Stored::No } else { Stored::Yes };
    Some(Overflow { op, fixed: signed.map(|signed| (rank, signed)), stored })
}

impl<'a> Checker<'a> {
    /// A call of a builtin function, if it is one.
    pub fn builtin_call(&mut self, name: &'a str, args: &'a [ast::Expr], span: Span) -> Result<Option<Expr>> {
        if let Some(overflow) = overflow(name) {
            return self.overflowing(overflow, name, args, span).map(Some);
        }
        let (builtin, least) = match name {
            "__builtin_va_start" => (Builtin::VaStart, 1),
            "__builtin_va_end" => (Builtin::VaEnd, 1),
            "__builtin_va_copy" => (Builtin::VaCopy, 2),
            "__builtin_constant_p" => {
                let [arg, ..] = args else { return self.takes(name, 1, args.len(), span) };
                let value = self.attempt(|this| this.unevaluated(|this| this.value(arg)));
                let known = value.is_some_and(|value| constant_of(&value).is_some());
                return Ok(Some(self.constant(i128::from(known), self.types.int(), span)));
            }
            "__builtin_object_size" | "__builtin_dynamic_object_size" => {
                // It is unknown.
                return Ok(Some(self.constant(-1, self.types.size_type(), span)));
            }
            "__builtin_expect" | "__builtin_expect_with_probability" => {
                let [arg, _, ..] = args else { return self.takes(name, 2, args.len(), span) };
                let long = self.types.long();
                let value = self.value(arg)?;
                return self.converted(value, long).map(Some);
            }
            "__builtin_assume_aligned" => {
                let [arg, ..] = args else { return self.takes(name, 1, args.len(), span) };
                return self.value(arg).map(Some);
            }
            _ => return Ok(None),
        };
        if args.len() < least {
            return self.takes(name, least, args.len(), span);
        }
        let list = self.va_list(&args[0])?;
        let mut operands = vec![list];
        if builtin == Builtin::VaCopy {
            operands.push(self.value(&args[1])?);
        }
        let ty = self.types.void();
        Ok(Some(Expr { kind: ExprKind::Builtin(builtin, operands), ty, span }))
    }

    fn takes<T>(&mut self, name: &str, least: usize, given: usize, span: Span) -> Result<T> {
        let count = if least == 1 { "1 argument".into() } else { format!("{least} arguments") };
        self.fail(span, format!("`{name}` takes {count}, not {given}"))
    }

    /// The address of a list of arguments.
    fn va_list(&mut self, list: &'a ast::Expr) -> Result<Expr> {
        let place = self.place(list)?;
        let place = self.list_place(place, list.span)?;
        self.address_of(place, list.span)
    }

    fn list_place(&mut self, place: crate::hir::Place, span: Span) -> Result<crate::hir::Place> {
        match self.types.kind(place.ty) {
            Type::VaList => Ok(place),
            _ => {
                let message = format!("this is `{}`, not a `va_list`", self.show(place.ty));
                self.fail(span, message)
            }
        }
    }

    /// `__builtin_va_arg(list, type)`
    pub fn va_arg(&mut self, list: &'a ast::Expr, ty: &'a ast::TypeName, span: Span) -> Result<Expr> {
        let place = self.place(list);
        let ty = self.type_name(ty)?;
        let place = self.list_place(place?, list.span)?;
        if self.types.size(ty).is_none() {
            return Err(self.incomplete(ty, span));
        }
        let ty = self.types.unqualified(ty);
        Ok(Expr { kind: ExprKind::VaArg(Box::new(place)), ty, span })
    }

    /// `__builtin_add_overflow(a, b, &result)` and its like.
    fn overflowing(
        &mut self,
        overflow: Overflow,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        let [l, r, out] = args else { return self.takes(name, 3, args.len(), span) };
        let (l, r, out) = (self.value(l), self.value(r), self.value(out));
        let (mut l, mut r, out) = (l?, r?, out?);
        if let Some((rank, signed)) = overflow.fixed {
            let ty = self.types.integer(rank, signed);
            (l, r) = (self.converted(l, ty)?, self.converted(r, ty)?);
        }
        let result = match overflow.stored {
            Stored::Yes => self.pointed(out.clone(), out.span)?.ty,
            Stored::No => out.ty,
        };
        for ty in [l.ty, r.ty, result] {
            if !self.types.is_integer(ty) {
                return self.fail(span, format!("`{}` is no integer", self.show(ty)));
            }
        }
        let kind = ExprKind::Builtin(Builtin::Overflow(overflow.op, overflow.stored), vec![l, r, out]);
        Ok(Expr { kind, ty: self.types.bool(), span })
    }
}
