//! `sprintf` and `snprintf` with a format that is a literal: the pieces of the format one after the other,
//! each by a function of the library.

use super::*;
use crate::ast::ExprKind as Ast;
use crate::types::Rank;

/// A piece of a format.
enum Piece {
    Text(Vec<u32>),
    String,
    Character,
    /// The base, whether it is signed, and its rank.
    Number(i64, bool, Rank),
}

/// The pieces of a format; `None` where one of them is not known here.
fn pieces(units: &[u32]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut units = units.iter().map(|&u| u8::try_from(u).unwrap_or(b'?')).peekable();
    while let Some(unit) = units.next() {
        if unit != b'%' {
            text.push(u32::from(unit));
            continue;
        }
        let mut rank = Rank::Int;
        let mut next = units.next()?;
        while matches!(next, b'l' | b'h' | b'z' | b'j' | b't') {
            rank = match (next, rank) {
                (b'l', Rank::Long) => Rank::LongLong,
                (b'h', Rank::Short) => Rank::Char,
                (b'h', _) => Rank::Short,
                (b'j', _) => Rank::LongLong,
                _ => Rank::Long,
            };
            next = units.next()?;
        }
        if next == b'%' {
            text.push(u32::from(next));
            continue;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(match next {
            b's' if rank == Rank::Int => Piece::String,
            b'c' if rank == Rank::Int => Piece::Character,
            b'd' | b'i' => Piece::Number(10, true, rank),
            b'u' => Piece::Number(10, false, rank),
            b'x' => Piece::Number(16, false, rank),
            b'o' => Piece::Number(8, false, rank),
            _ => return None,
        });
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Some(pieces)
}

impl<'a> Lowerer<'a> {
    /// Writes to memory what the format says; gives how long that is.
    pub(super) fn format(
        &mut self,
        to: &'a ast::Expr,
        size: Option<&'a ast::Expr>,
        format: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let to = self.scalar(to)?;
        let to = self.convert(to, &CType::CHAR.pointer_to(), span)?;
        let to = self.keep(to.expr);
        let size = match size {
            Some(size) => self.scalar(size)?,
            None => self.int_constant(-1, &CType::UNSIGNED_LONG, span),
        };
        let size = self.convert(size, &CType::UNSIGNED_LONG, span)?;
        let size = self.keep(size.expr);
        self.formatted([to, size], format, args, span)
    }

    /// How long a formatted text is, wherever it goes.
    pub(super) fn length(
        &mut self,
        format: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let nowhere = self.nowhere(span)?;
        self.formatted(nowhere, format, args, span)
    }

    /// No memory, and its size.
    pub(super) fn nowhere(&mut self, span: Span) -> Result<[Expr; 2]> {
        let zero = self.int_constant(0, &CType::INT, span);
        let to = self.convert(zero, &CType::CHAR.pointer_to(), span)?;
        Ok([to.expr, self.int_constant(0, &CType::UNSIGNED_LONG, span).expr])
    }

    fn formatted(
        &mut self,
        [to, size]: [Expr; 2],
        format: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let pieces = match &format.kind {
            Ast::String(literal) => pieces(&literal.units),
            _ => None,
        };
        let Some(pieces) = pieces else { return self.format_at_run_time([to, size], format, args, span) };
        let mut args = args.iter();
        let mut next =
            || args.next().ok_or_else(|| Diagnostic::new(span, "this format needs more arguments"));
        let mut at = self.int_constant(0, &CType::UNSIGNED_LONG, span).expr;
        for piece in pieces {
            let so_far = vec![to.clone(), size.clone(), at];
            let (name, rest) = match piece {
                Piece::Text(units) => {
                    let literal = ast::StringLiteral { units, encoding: ast::Encoding::Plain };
                    let text = self.string(&literal, span)?;
                    let Value::Scalar(text) = self.load(text, span)? else { panic!("a string is an array") };
                    ("__fencepost_put_text", vec![text.expr])
                }
                Piece::String => {
                    let text = self.scalar(next()?)?;
                    let text = self.convert(text, &CType::CHAR.pointer_to(), span)?;
                    ("__fencepost_put_text", vec![self.keep(text.expr)])
                }
                Piece::Character => {
                    let c = self.scalar(next()?)?;
                    ("__fencepost_put_character", vec![self.convert(c, &CType::INT, span)?.expr])
                }
                Piece::Number(base, signed, rank) => {
                    let value = self.scalar(next()?)?;
                    let value = self.convert(value, &CType::integer(rank, signed), span)?;
                    let value = Typed { expr: self.keep(value.expr), ..value };
                    let zero = self.int_constant(0, &value.ty.clone(), span);
                    let negative = self.arithmetic(BinaryOp::Lt, value.clone(), zero, span)?;
                    let negative = self.truth(negative, span);
                    let widest = self.widest();
                    let value = self.convert(value, &widest, span)?;
                    let base = self.int_constant(base, &widest, span);
                    ("__fencepost_put_number", vec![value.expr, base.expr, negative])
                }
            };
            at = self.put(name, [so_far, rest].concat(), span)?.expr;
        }
        // Arguments that the format does not name are evaluated, too.
        for arg in args {
            self.effect(arg)?;
        }
        self.put("__fencepost_put_end", vec![to, size, at], span).map(Value::Scalar)
    }

    /// The same by the function that reads the format when it runs.
    fn format_at_run_time(
        &mut self,
        [to, size]: [Expr; 2],
        format: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let text = CType::CHAR.pointer_to();
        let format = self.scalar(format)?;
        let format = self.convert(format, &text, span)?;
        let format = self.keep(format.expr);
        let mut words = Vec::new();
        for arg in args {
            let value = self.value(arg)?;
            self.further_argument(value, &mut words, arg.span)?;
        }
        let list = self.further_arguments(words, span);
        self.put("vsnprintf", vec![to, size, format, list], span).map(Value::Scalar)
    }

    /// A value that a function of the library gives.
    pub(super) fn put(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Result<Typed> {
        let Some(Symbol::Function(index)) = self.library.get(name).cloned() else {
            panic!("the library has `{name}`")
        };
        match self.inline(index, args, span)? {
            Value::Scalar(value) => Ok(Typed { expr: self.keep(value.expr), ..value }),
            Value::Record(..) | Value::Void => panic!("`{name}` gives a number"),
        }
    }
}
