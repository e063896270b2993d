//! `sprintf` and its like: the pieces of a format that is a literal one after the other, each by a function of the library.
//! Other formats are read when the program runs.

use super::build::{number, wrapping};
use super::format::{Directive, Piece, pieces};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir::{self, Integer, Rank};
use fencepost_ir::tree::{BinaryOp, Expr};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;

/// How a piece shows an argument.
enum Shown {
    Text,
    Character,
    Number { base: i64, signed: bool },
}

fn shown(directive: &Directive) -> Option<Shown> {
    if !directive.is_plain {
        return None;
    }
    let number = |base, signed| Some(Shown::Number { base, signed });
    match directive.letter {
        b's' if directive.rank == Rank::Int => Some(Shown::Text),
        b'c' if directive.rank == Rank::Int => Some(Shown::Character),
        b'd' | b'i' => number(10, true),
        b'u' => number(10, false),
        b'x' => number(16, false),
        b'o' => number(8, false),
        _ => None,
    }
}

/// Where a text goes to: memory and its size, or nowhere.
#[derive(Clone)]
pub struct Sink {
    pub to: Expr,
    pub size: Expr,
}

impl<'h> Lowerer<'h> {
    /// The memory that a text is written to.
    pub fn sink_memory(
        &mut self,
        to: &'h hir::Expr,
        size: Option<&'h hir::Expr>,
        span: Span,
    ) -> Result<Sink> {
        let to = self.text_pointer(to)?;
        let to = self.keep_unless_stable(to);
        let size = match size {
            Some(size) => self.size(size)?,
            None => number(-1, self.size_scalar(), span),
        };
        Ok(Sink { to, size: self.keep(size) })
    }

    /// No memory.
    pub fn nowhere(&self, span: Span) -> Sink {
        Sink { to: self.null(span), size: number(0, self.size_scalar(), span) }
    }

    /// A pointer to characters.
    pub fn text_pointer(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(e.span);
        let value = self.scalar(e)?;
        let pointer = self.recast(value, self.pointer(), span);
        Ok(self.folded(pointer))
    }

    /// Writes what a format says; gives how long that is, as `int`.
    pub fn formatted(
        &mut self,
        sink: Sink,
        format: &'h hir::Expr,
        args: &'h [hir::Expr],
        span: Span,
    ) -> Result<Expr> {
        let known = self.literal(format).and_then(pieces).filter(|pieces| {
            pieces.iter().all(|piece| match piece {
                Piece::Text(_) => true,
                Piece::Directive(directive) => shown(directive).is_some(),
            })
        });
        let Some(pieces) = known else { return self.formatted_at_run_time(sink, format, args, span) };
        let mut args = args.iter();
        let mut at = number(0, self.size_scalar(), span);
        for piece in pieces {
            let (name, rest) = match piece {
                Piece::Text(text) if self.fold(&sink.size) == Some(0) => {
                    let length = number(text.len() as i64, at.ty, span);
                    at = self.operate_wrapping(BinaryOp::Add, at, length, span);
                    continue;
                }
                Piece::Text(text) => ("__fencepost_put_text", vec![self.own_text(&text, span)]),
                Piece::Directive(directive) => {
                    let Some(arg) = args.next() else {
                        return Err(Diagnostic::new(span, "this format needs more arguments"));
                    };
                    let shown = shown(&directive).expect("the format is known");
                    self.put_argument(shown, directive.rank, arg, span)?
                }
            };
            let so_far = vec![sink.to.clone(), sink.size.clone(), at];
            at = self.library_value(name, [so_far, rest].concat(), span)?;
        }
        // Arguments that the format does not name are evaluated, too.
        self.evaluate(args.as_slice())?;
        self.library_value("__fencepost_put_end", vec![sink.to, sink.size, at], span)
    }

    /// The function that shows an argument, and what it is given for that.
    fn put_argument(
        &mut self,
        shown: Shown,
        rank: Rank,
        arg: &'h hir::Expr,
        span: Span,
    ) -> Result<(&'static str, Vec<Expr>)> {
        Ok(match shown {
            Shown::Text => {
                let text = self.text_pointer(arg)?;
                ("__fencepost_put_text", vec![self.keep_unless_stable(text)])
            }
            Shown::Character => {
                let c = self.number_argument(arg, self.int(), span)?;
                ("__fencepost_put_character", vec![c])
            }
            Shown::Number { base, signed } => {
                let scalar = Scalar::Int(self.int_type(Integer::new(rank, signed)));
                let value = self.number_argument(arg, scalar, span)?;
                let value = self.keep(value);
                let negative = self.compared(BinaryOp::Lt, value.clone(), number(0, scalar, span), span);
                let value = self.wrapped(value, WORD, span);
                ("__fencepost_put_number", vec![value, number(base, WORD, span), negative])
            }
        })
    }

    /// An argument that is shown as an integer of a type.
    fn number_argument(&mut self, arg: &'h hir::Expr, scalar: Scalar, span: Span) -> Result<Expr> {
        let value = self.integer_value(arg)?;
        Ok(self.folded(wrapping(value, scalar, span)))
    }

    /// The same by the function that reads the format when it runs.
    fn formatted_at_run_time(
        &mut self,
        sink: Sink,
        format: &'h hir::Expr,
        args: &'h [hir::Expr],
        span: Span,
    ) -> Result<Expr> {
        let format = self.text_pointer(format)?;
        let format = self.keep_unless_stable(format);
        let mut words = Vec::new();
        for arg in args {
            let value = self.value(arg)?;
            self.further_argument(value, arg.ty, &mut words, self.at(arg.span))?;
        }
        let list = self.further_arguments(words, span);
        self.library_value("vsnprintf", vec![sink.to, sink.size, format, list], span)
    }
}
