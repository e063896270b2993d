//! `sscanf` with a format that is a literal: the pieces of the format one after the other, each by a function of the
//! library that says how far it reads. A piece that does not fit ends it.
//!
//! Where the format has pieces that are not known here, or a pointer leads to something else than its piece says, any input is
//! possible, as it is for `scanf`.

use super::build::{any, anything, binary, number, read_local, truth_value, with_number};
use super::scan_format::{Directive, Piece, directives};
use super::types::WORD;
use super::{Lowerer, Result};
use crate::hir::{self, Integer, TypeId};
use fencepost_ir::tree::{BinaryOp, Block, Choices, Expr, LocalId, StmtKind};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;

/// What has been read so far: where the next piece begins, how many were assigned, and whether it continues.
struct Progress {
    text: Expr,
    at: LocalId,
    count: LocalId,
    going: LocalId,
    position: Scalar,
    number: Scalar,
}

/// Where a piece goes to.
#[derive(Clone)]
struct Goes {
    pointer: Expr,
    ty: TypeId,
}

impl<'h> Lowerer<'h> {
    /// `scanf` and its like: what the pointers lead to is any value of its type.
    pub fn any_input(&mut self, outs: &'h [hir::Expr], span: Span) -> Result<Expr> {
        for out in outs {
            let at = self.at(out.span);
            let pointer = self.scalar(out)?;
            let to = self.hir.types.element(out.ty).ok_or_else(|| self.no_values(out.ty, at))?;
            let target = self.pointed_place(pointer, to, at)?;
            let value = match self.hir.types.is_floating(to) {
                true => self.some_number(to, at)?,
                false => {
                    let scalar = self.scalar_type(to).ok_or_else(|| self.no_values(to, at))?;
                    let choices = anything(scalar).ok_or_else(|| self.no_values(to, at))?;
                    any(choices, scalar, at)
                }
            };
            self.assign_place(target, value, span);
        }
        Ok(any(Choices(vec![(-1, outs.len() as i64)]), self.int(), span))
    }

    /// `sscanf(text, format, ...)`, as `int`.
    pub fn scan(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let (text, format, outs) = (&args[0], &args[1], &args[2..]);
        let Some(directives) = self.literal(format).and_then(directives) else {
            return self.any_input(outs, span);
        };
        let assigned: Vec<&Directive> = directives.iter().filter(|directive| directive.assigned).collect();
        if assigned.len() > outs.len() {
            return Err(Diagnostic::new(span, "this format needs more arguments"));
        }
        if !assigned.iter().zip(outs).all(|(directive, out)| self.fits(&directive.piece, out)) {
            return self.any_input(outs, span);
        }
        let text = self.text_pointer(text)?;
        let text = self.keep_unless_stable(text);
        let mut targets = Vec::new();
        for out in outs {
            let pointer = self.scalar(out)?;
            let ty = self.hir.types.element(out.ty).unwrap_or(out.ty);
            targets.push(Goes { pointer: self.keep_unless_stable(pointer), ty });
        }
        self.scan_pieces(text, directives, targets, span)
    }

    /// Whether a pointer leads to what its piece gives.
    fn fits(&self, piece: &Piece, out: &hir::Expr) -> bool {
        let wanted = u64::from(self.int_type(Integer::new(piece.rank(), true)).bits / 8);
        let to = self.hir.types.element(out.ty).filter(|to| self.hir.types.is_integer(*to));
        to.and_then(|to| self.hir.types.size(to)) == Some(wanted)
    }

    fn scan_pieces(
        &mut self,
        text: Expr,
        directives: Vec<Directive>,
        targets: Vec<Goes>,
        span: Span,
    ) -> Result<Expr> {
        let (position, count) = (self.size_scalar(), self.int());
        let progress = Progress {
            text,
            at: self.counter("%at", number(0, position, span), span),
            count: self.counter("%count", number(0, count, span), span),
            going: self.counter("%going", truth_value(true, span), span),
            position,
            number: count,
        };
        let (mut targets, mut first) = (targets.into_iter(), true);
        for directive in directives {
            let target = if directive.assigned { targets.next() } else { None };
            let counts = directive.piece.counts() && directive.assigned;
            let block = self.block_of(|this| this.read_piece(&progress, directive, target, first, span))?;
            let test = read_local(progress.going, Scalar::Bool, span);
            self.emit(StmtKind::If(test, block, Block::default()), span);
            first &= !counts;
        }
        Ok(read_local(progress.count, count, span))
    }

    /// Reads one piece; `first` if none has been assigned before.
    fn read_piece(
        &mut self,
        progress: &Progress,
        directive: Directive,
        target: Option<Goes>,
        first: bool,
        span: Span,
    ) -> Result<()> {
        let text = || progress.text.clone();
        let here = read_local(progress.at, progress.position, span);
        let Directive { piece, width, .. } = directive;
        let begin = match piece {
            Piece::Space | Piece::Number { .. } | Piece::Word => {
                self.library_value("__fencepost_skip_space", vec![text(), here], span)?
            }
            Piece::Text(_) | Piece::Character | Piece::Characters | Piece::Set(_) | Piece::Count(_) => here,
        };
        let Some(end) = self.piece_end(progress, &piece, &begin, width, span)? else {
            match (piece, target) {
                (Piece::Count(_), Some(target)) => self.put_through(target, begin, span)?,
                (Piece::Count(_), None) => {}
                _ => self.set_local(progress.at, begin, span),
            }
            return Ok(());
        };
        let fits = self.block_of(|this| {
            if let Some(target) = target {
                this.assign_piece(progress, &piece, target, (&begin, &end), span)?;
                let count = read_local(progress.count, progress.number, span);
                this.set_local(progress.count, with_number(BinaryOp::Add, count, 1, span), span);
            }
            this.set_local(progress.at, end.clone(), span);
            Ok(())
        })?;
        let ends = self.block_of(|this| {
            this.set_local(progress.going, truth_value(false, span), span);
            if first {
                let args = vec![text(), begin.clone()];
                let nothing = this.library_value("__fencepost_scan_nothing", args, span)?;
                this.set_local(progress.count, nothing, span);
            }
            Ok(())
        })?;
        self.emit(StmtKind::If(binary(BinaryOp::Ne, begin, end, span), fits, ends), span);
        Ok(())
    }

    /// Where a piece ends that begins there; `None` for one that always fits.
    fn piece_end(
        &mut self,
        progress: &Progress,
        piece: &Piece,
        begin: &Expr,
        width: i64,
        span: Span,
    ) -> Result<Option<Expr>> {
        let mut args = vec![progress.text.clone(), begin.clone()];
        let width = number(width, progress.position, span);
        let name = match piece {
            Piece::Space | Piece::Count(_) => return Ok(None),
            Piece::Text(c) => {
                args.push(number(i64::from(*c), progress.number, span));
                "__fencepost_scan_text"
            }
            Piece::Number { base, .. } => {
                args.extend([width, number(*base, progress.position, span)]);
                "__fencepost_scan_number"
            }
            Piece::Word => {
                args.push(width);
                "__fencepost_scan_word"
            }
            Piece::Characters => {
                args.push(width);
                "__fencepost_scan_many"
            }
            Piece::Set(words) => {
                args.push(width);
                args.extend(words.map(|word| number(word as i64, WORD, span)));
                "__fencepost_scan_set"
            }
            Piece::Character => "__fencepost_scan_any",
        };
        self.library_value(name, args, span).map(Some)
    }

    /// What is between two places becomes a value.
    fn assign_piece(
        &mut self,
        progress: &Progress,
        piece: &Piece,
        target: Goes,
        (begin, end): (&Expr, &Expr),
        span: Span,
    ) -> Result<()> {
        let text = progress.text.clone();
        match piece {
            Piece::Number { base, signed, .. } => {
                let base = number(*base, progress.position, span);
                let limits = if *signed { [i64::MAX, i64::MIN] } else { [-1, 0] };
                let [most, least] = limits.map(|limit| number(limit, WORD, span));
                let args = vec![text, begin.clone(), end.clone(), base, most, least];
                let value = self.library_value("__fencepost_number_value", args, span)?;
                self.put_through(target, value, span)
            }
            Piece::Character => {
                let args = vec![text, begin.clone()];
                let value = self.library_value("__fencepost_scan_character", args, span)?;
                self.put_through(target, value, span)
            }
            Piece::Word | Piece::Set(_) | Piece::Characters => {
                let copy = match piece {
                    Piece::Characters => "__fencepost_scan_characters",
                    _ => "__fencepost_scan_copy",
                };
                let args = vec![target.pointer, text, begin.clone(), end.clone()];
                self.library_value(copy, args, span).map(|_| ())
            }
            Piece::Space | Piece::Text(_) | Piece::Count(_) => Ok(()),
        }
    }

    /// Assigns an integer where a pointer leads to.
    fn put_through(&mut self, target: Goes, value: Expr, span: Span) -> Result<()> {
        let place = self.pointed_place(target.pointer, target.ty, span)?;
        let scalar = self.scalar_of(target.ty);
        let value = self.as_scalar(value, scalar, span);
        self.assign_place(place, value, span);
        Ok(())
    }
}
