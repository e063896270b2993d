//! What is printed and written: it is read, goes nowhere, and always succeeds; what the function gives back is its length or
//! the character. Literals are not read: that does nothing.

use super::build::{any, number, read, select};
use super::counted::{Row, Way};
use super::format::{Directive, Piece, Precision, pieces};
use super::operands::{Few, Operands};
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, Output, Rank, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Choices, Expr, StmtKind};
use fencepost_ir::{IntType, Scalar, Span};

const BYTE: Scalar = Scalar::Int(IntType { bits: 8, signed: false });

/// The most that `vprintf` gives where arguments are not followed to it.
const SOME_LENGTH: i64 = 255;

/// A text that is printed, and how many characters of it at most.
struct Text {
    pointer: Expr,
    most: Option<Expr>,
}

impl<'h> Lowerer<'h> {
    /// A function that prints or writes.
    pub fn output_function(
        &mut self,
        output: Output,
        args: &'h [hir::Expr],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let value = match output {
            Output::Print(before) if wanted == Wanted::Nothing => {
                self.print_format(args, usize::from(before), span)?;
                return Ok(self.zero(ty, span));
            }
            Output::Print(before) => {
                let (before, rest) = args.split_at(usize::from(before));
                self.evaluate(before)?;
                self.formatted(self.nowhere(span), &rest[0], &rest[1..], span)?
            }
            Output::Log(before) => {
                self.print_format(args, usize::from(before), span)?;
                return Ok(self.zero(ty, span));
            }
            Output::PrintList(before) => self.print_list(args, usize::from(before), wanted, span)?,
            Output::Perhaps => {
                self.print_text(&args[0], Missing::Allowed, span)?;
                return Ok(self.zero(ty, span));
            }
            Output::IntoSized => {
                let sink = self.sink_memory(&args[0], Some(&args[1]), span)?;
                self.formatted(sink, &args[2], &args[3..], span)?
            }
            Output::Into => {
                let sink = self.sink_memory(&args[0], None, span)?;
                self.formatted(sink, &args[1], &args[2..], span)?
            }
            Output::Character => {
                let c = self.integer_value(&args[0])?;
                let c = self.wrapped(c, BYTE, span);
                let c = self.keep(c);
                self.evaluate(&args[1..])?;
                c
            }
            // Any number that is not negative would do.
            Output::Text => {
                self.evaluate(&args[1..])?;
                self.print_text(&args[0], Missing::Wrong, span)?;
                any(Choices(vec![(0, 1)]), self.int(), span)
            }
            Output::Items => self.write_items(args, span)?,
            Output::Bytes => return self.cancellable(span, |this| this.write_bytes(args, ty, span)),
        };
        Ok(self.given(value, ty, span))
    }

    /// Reads what `printf` and its like print, with so many operands before the format.
    pub fn print_format(&mut self, args: &'h [hir::Expr], before: usize, span: Span) -> Result<()> {
        let (before, rest) = args.split_at(before);
        let (format, rest) = (&rest[0], &rest[1..]);
        self.evaluate(before)?;
        let Some(literal) = self.literal(format) else {
            let text = self.text_pointer(format)?;
            let text = self.keep_unless_stable(text);
            self.evaluate(rest)?;
            if self.fold(&text) != Some(0) && !self.is_literal(format) {
                self.read_text(text, None, span);
            }
            return Ok(());
        };
        let Some(pieces) = pieces(literal) else { return self.evaluate(rest) };
        let directives: Vec<Directive> = pieces.into_iter().filter_map(directive).collect();
        // It writes.
        if directives.iter().any(|directive| directive.letter == b'n') {
            self.formatted(self.nowhere(span), format, rest, span)?;
            return Ok(());
        }
        let (mut texts, mut rest) = (Vec::new(), rest.iter());
        for directive in directives {
            self.print_argument(&directive, &mut rest, &mut texts)?;
        }
        self.evaluate(rest.as_slice())?;
        for Text { pointer, most } in texts {
            self.read_text(pointer, most, span);
        }
        Ok(())
    }

    /// Evaluates what a directive shows; a text is read later, when all arguments are evaluated.
    fn print_argument(
        &mut self,
        directive: &Directive,
        args: &mut std::slice::Iter<'h, hir::Expr>,
        texts: &mut Vec<Text>,
    ) -> Result<()> {
        if directive.takes_width
            && let Some(width) = args.next()
        {
            self.effect(width)?;
        }
        let most = match directive.precision {
            Precision::None => None,
            Precision::Known(n) => Some(number(n as i64, self.size_scalar(), Span::NONE)),
            Precision::Taken => match args.next() {
                Some(precision) => {
                    let precision = self.integer_value(precision)?;
                    Some(self.keep(precision))
                }
                None => None,
            },
        };
        let is_text = directive.letter == b's' && directive.rank == Rank::Int;
        // The text of an error is not an argument.
        let shown = if directive.letter == b'm' { None } else { args.next() };
        match shown {
            None => {}
            Some(arg) if is_text && self.hir.types.is_pointer(arg.ty) && !self.is_literal(arg) => {
                let pointer = self.text_pointer(arg)?;
                texts.push(Text { pointer: self.keep_unless_stable(pointer), most });
            }
            Some(arg) => self.evaluate(std::slice::from_ref(arg))?,
        }
        Ok(())
    }

    /// `vprintf` and its like. Arguments are followed to there if the program looks at such anywhere.
    fn print_list(
        &mut self,
        args: &'h [hir::Expr],
        before: usize,
        wanted: Wanted,
        span: Span,
    ) -> Result<Expr> {
        if wanted == Wanted::Nothing || !self.facts.looks_at_arguments {
            self.evaluate(args)?;
            return Ok(any(Choices(vec![(0, SOME_LENGTH)]), self.int(), span));
        }
        self.evaluate(&args[..before])?;
        let format = self.text_pointer(&args[before])?;
        let format = self.keep_unless_stable(format);
        let list = self.scalar(&args[before + 1])?;
        let list = self.keep(list);
        let sink = self.nowhere(span);
        self.library_value("vsnprintf", vec![sink.to, sink.size, format, list], span)
    }

    /// Reads a text that is printed as it is.
    fn print_text(&mut self, text: &'h hir::Expr, missing: Missing, span: Span) -> Result<()> {
        if self.is_literal(text) {
            return self.evaluate(std::slice::from_ref(text));
        }
        let pointer = self.text_pointer(text)?;
        let pointer = self.keep_unless_stable(pointer);
        match (missing, self.fold(&pointer)) {
            (Missing::Allowed, Some(0)) => {}
            (Missing::Allowed, None) => {
                let reads = self.block_of(|this| {
                    this.read_text(pointer.clone(), None, span);
                    Ok(())
                })?;
                let test = self.truth(pointer, span);
                self.emit(StmtKind::If(test, reads, Block::default()), span);
            }
            _ => self.read_text(pointer, None, span),
        }
        Ok(())
    }

    /// `fwrite(data, size, count, file)`
    fn write_items(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let data = self.printed_memory(&args[0], span)?;
        let size = self.size(&args[1])?;
        let size = self.keep(size);
        let count = self.size(&args[2])?;
        let count = self.keep(count);
        self.evaluate(&args[3..])?;
        if let Some((row, ty)) = data {
            let bytes = self.operate_wrapping(BinaryOp::Mul, size.clone(), count.clone(), span);
            let bytes = self.keep(bytes);
            self.read_memory(row, ty, bytes, span)?;
        }
        let some = self.truth(size, span);
        let none = number(0, count.ty, span);
        Ok(self.folded(select(some, count, none, span)))
    }

    /// `write(file, data, bytes)`
    fn write_bytes(&mut self, args: &'h [hir::Expr], ty: TypeId, span: Span) -> Result<Value> {
        self.evaluate(&args[..1])?;
        let data = self.printed_memory(&args[1], span)?;
        let bytes = self.size(&args[2])?;
        let bytes = self.keep(bytes);
        if let Some((row, ty)) = data {
            self.read_memory(row, ty, bytes.clone(), span)?;
        }
        Ok(self.given(bytes, ty, span))
    }

    /// Memory that is written, if its type tells what is there. What is known by its address only is not read.
    fn printed_memory(&mut self, data: &'h hir::Expr, span: Span) -> Result<Option<(Row, TypeId)>> {
        let types = &self.hir.types;
        let to = types.element(self.before_cast(data).ty).filter(|to| !types.is_void(*to));
        let Some(to) = to.filter(|_| !self.is_literal(data)) else {
            self.evaluate(std::slice::from_ref(data))?;
            return Ok(None);
        };
        let (pointer, _) = self.typed_pointer(data)?;
        let ty = self.innermost(to);
        let element = self.stored(ty, span)?;
        Ok(Some((Row { first: self.keep_unless_stable(pointer), element }, ty)))
    }

    /// Reads bytes for nothing but the accesses.
    fn read_memory(&mut self, row: Row, ty: TypeId, bytes: Expr, span: Span) -> Result<()> {
        let operands = Operands { rows: [row.clone(), row.clone()], bytes, ty, is_untyped: false };
        if let Some(few) = self.few(&operands) {
            for i in 0..few.elements() {
                let place = self.nth(&row, i, span);
                self.read_element(&row, &few, place, span);
            }
            return Ok(());
        }
        let count = self.whole_elements(&operands, span);
        self.for_each(&count, Way::Up, span, |this, i| {
            let place = this.element_at(&row, i, span);
            this.read_element(&row, &Few::Elements(1), place, span);
            Ok(())
        })
    }

    fn read_element(&mut self, row: &Row, few: &Few, place: fencepost_ir::tree::Place, span: Span) {
        for (path, place, scalar) in self.fillable(&place, &row.element, span) {
            if few.has(&path) {
                self.keep(read(place, scalar, span));
            }
        }
    }
}

/// Whether a text may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Allowed,
    Wrong,
}

fn directive(piece: Piece) -> Option<Directive> {
    match piece {
        Piece::Text(_) => None,
        Piece::Directive(directive) => Some(directive),
    }
}
