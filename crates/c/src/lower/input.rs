//! `sscanf` with a format that is a literal: the pieces of the format one after the other, each by a function of the
//! library that says how far it reads. A piece that does not fit ends it.
//!
//! Formats with pieces that are not known here, and pointers to something else than their format says, are left to the
//! caller, for whom any input is possible.

use super::*;
use crate::ast::ExprKind as Ast;
use crate::types::Rank;

/// As good as no width.
const NO_WIDTH: i64 = 1 << 30;

/// A piece of a format.
enum Piece {
    Space,
    Text(u8),
    Number {
        base: i64,
        signed: bool,
        rank: Rank,
    },
    Word,
    Character,
    /// So many characters as the width says.
    Characters,
    /// Characters of a set, with a bit for each.
    Set([u64; 4]),
    /// How much has been read.
    Count(Rank),
}

/// A piece, how many characters it may take, and whether it is assigned.
struct Conversion {
    piece: Piece,
    width: i64,
    assigned: bool,
}

fn pieces(units: &[u32]) -> Option<Vec<Conversion>> {
    let mut all = Vec::new();
    let bytes: Option<Vec<u8>> = units.iter().map(|u| u8::try_from(*u).ok()).collect();
    let mut units = bytes?.into_iter().peekable();
    while let Some(unit) = units.next() {
        let plain = |piece| Conversion { piece, width: NO_WIDTH, assigned: false };
        if unit.is_ascii_whitespace() || unit == 0x0b {
            all.push(plain(Piece::Space));
            continue;
        }
        if unit != b'%' {
            all.push(plain(Piece::Text(unit)));
            continue;
        }
        let assigned = units.next_if_eq(&b'*').is_none();
        let mut width = 0i64;
        while let Some(digit) = units.next_if(u8::is_ascii_digit) {
            width = (width * 10 + i64::from(digit - b'0')).min(NO_WIDTH);
        }
        let mut rank = Rank::Int;
        while let Some(length) = units.next_if(|u| matches!(u, b'l' | b'h' | b'z' | b'j' | b't')) {
            rank = match (length, rank) {
                (b'l', Rank::Long) | (b'j', _) => Rank::LongLong,
                (b'h', Rank::Short) => Rank::Char,
                (b'h', _) => Rank::Short,
                _ => Rank::Long,
            };
        }
        let number = |base, signed| Piece::Number { base, signed, rank };
        let piece = match units.next()? {
            b'd' => number(10, true),
            b'i' => number(0, true),
            b'u' => number(10, false),
            b'x' | b'X' => number(16, false),
            b'o' => number(8, false),
            b's' if rank == Rank::Int => Piece::Word,
            b'c' if rank == Rank::Int && width <= 1 => Piece::Character,
            b'c' if rank == Rank::Int => Piece::Characters,
            b'[' if rank == Rank::Int => Piece::Set(set(&mut units)?),
            b'n' => Piece::Count(rank),
            b'%' => {
                all.push(plain(Piece::Space));
                all.push(plain(Piece::Text(b'%')));
                continue;
            }
            _ => return None,
        };
        all.push(Conversion { piece, width: if width == 0 { NO_WIDTH } else { width }, assigned });
    }
    Some(all)
}

/// The set behind a `[`.
fn set(units: &mut impl Iterator<Item = u8>) -> Option<[u64; 4]> {
    let mut members = Vec::new();
    let mut next = units.next()?;
    let others = next == b'^';
    if others {
        next = units.next()?;
    }
    // A bracket that comes first is a member.
    loop {
        members.push(next);
        next = units.next()?;
        if next == b']' {
            break;
        }
    }
    let mut bits = [0u64; 4];
    let mut at = 0;
    while at < members.len() {
        let (from, to) = match members[at..] {
            [from, b'-', to, ..] => (from, to),
            [one, ..] => (one, one),
            [] => break,
        };
        if from > to {
            return None;
        }
        at += if members[at + 1..].len() >= 2 && members[at + 1] == b'-' { 3 } else { 1 };
        (from..=to).for_each(|c| bits[usize::from(c) / 64] |= 1 << (c % 64));
    }
    Some(if others { bits.map(|word| !word) } else { bits })
}

/// What has been read so far: where the next piece begins, how many were assigned, and whether it goes on.
struct Progress {
    text: Expr,
    at: LocalId,
    count: LocalId,
    going: LocalId,
    position: Scalar,
    number: Scalar,
}

impl<'a> Lowerer<'a> {
    /// Reads a text as a literal format says; `None` where that is not known.
    pub(super) fn scan(
        &mut self,
        text: &'a ast::Expr,
        format: &'a ast::Expr,
        outs: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let Ast::String(literal) = &format.kind else { return Ok(None) };
        let Some(pieces) = pieces(&literal.units) else { return Ok(None) };
        let mut targets = outs.iter();
        for conversion in pieces.iter().filter(|c| c.assigned) {
            let Some(out) = targets.next() else {
                return Err(Diagnostic::new(span, "this format needs more arguments"));
            };
            let rank = match conversion.piece {
                Piece::Number { rank, .. } | Piece::Count(rank) => rank,
                _ => Rank::Char,
            };
            let wanted = self.types().size(&CType::integer(rank, true));
            let ty = declare::adjusted(self.type_of(out)?.unqualified().clone());
            let element = ty.element().filter(|of| of.is_integer());
            if element.and_then(|of| self.types().size(of)) != wanted {
                return Ok(None);
            }
        }
        let text = self.scalar(text)?;
        let text = self.convert(text, &CType::CHAR.pointer_to(), span)?;
        let text = self.keep(text.expr);
        let mut pointers = Vec::new();
        for out in outs {
            let pointer = self.scalar(out)?;
            pointers.push(Typed { expr: self.keep(pointer.expr), ty: pointer.ty });
        }
        let mut pointers = pointers.into_iter();
        let scalar = |this: &Self, ty: &CType| this.types().scalar(ty).expect("integers are scalars");
        let (position, number) = (scalar(self, &CType::UNSIGNED_LONG), scalar(self, &CType::INT));
        let at = self.temporary(position, span);
        let count = self.temporary(number, span);
        let going = self.temporary(Scalar::Bool, span);
        for (id, value, ty) in [(at, 0, position), (count, 0, number), (going, 1, Scalar::Bool)] {
            self.emit(StmtKind::Declare(id, Some(Expr::constant(value, ty, span))), span);
        }
        let progress = Progress { text, at, count, going, position, number };
        let mut first = true;
        for conversion in pieces {
            let target = if conversion.assigned { pointers.next() } else { None };
            let assigns = !matches!(conversion.piece, Piece::Space | Piece::Text(_) | Piece::Count(_))
                && conversion.assigned;
            let (_, block) =
                self.captured(|this| this.read_piece(&progress, conversion, target, first, span))?;
            let test = read_local(going, Scalar::Bool, span);
            self.emit(StmtKind::If(test, block, Block::default()), span);
            first &= !assigns;
        }
        Ok(Some(Value::Scalar(Typed { expr: read_local(count, number, span), ty: CType::INT })))
    }

    /// Reads one piece; `first` if none has been assigned before.
    fn read_piece(
        &mut self,
        progress: &Progress,
        conversion: Conversion,
        target: Option<Typed>,
        first: bool,
        span: Span,
    ) -> Result<()> {
        let Progress { text, at, .. } = progress;
        let text = || text.clone();
        let here = || read_local(*at, progress.position, span);
        let long = |value: i64| Expr::constant(value, progress.position, span);
        let Conversion { piece, width, .. } = conversion;
        let begin = match piece {
            Piece::Space | Piece::Number { .. } | Piece::Word => {
                self.put("__fencepost_skip_space", vec![text(), here()], span)?.expr
            }
            Piece::Text(_) | Piece::Character | Piece::Characters | Piece::Set(_) | Piece::Count(_) => here(),
        };
        let end = match &piece {
            Piece::Space => {
                self.set_local(*at, begin, span);
                return Ok(());
            }
            Piece::Count(_) => {
                if let Some(target) = target {
                    let value = Typed { expr: here(), ty: CType::UNSIGNED_LONG };
                    self.put_through(target, value, span)?;
                }
                return Ok(());
            }
            Piece::Text(c) => {
                let c = Expr::constant(i64::from(*c), progress.number, span);
                self.put("__fencepost_scan_text", vec![text(), begin.clone(), c], span)?
            }
            Piece::Number { base, .. } => {
                let args = vec![text(), begin.clone(), long(width), long(*base)];
                self.put("__fencepost_scan_number", args, span)?
            }
            Piece::Word => {
                self.put("__fencepost_scan_word", vec![text(), begin.clone(), long(width)], span)?
            }
            Piece::Characters => {
                self.put("__fencepost_scan_many", vec![text(), begin.clone(), long(width)], span)?
            }
            Piece::Set(words) => {
                let widest = self.widest();
                let words = words.map(|word| self.int_constant(word as i64, &widest, span).expr);
                let args = [vec![text(), begin.clone(), long(width)], words.to_vec()].concat();
                self.put("__fencepost_scan_set", args, span)?
            }
            Piece::Character => self.put("__fencepost_scan_any", vec![text(), begin.clone()], span)?,
        };
        let end = end.expr;
        let (_, fits) = self.captured(|this| {
            if let Some(target) = target {
                this.assign_piece(progress, &piece, target, (&begin, &end), span)?;
                let one = Expr::constant(1, progress.number, span);
                let count = Box::new(read_local(progress.count, progress.number, span));
                let more = ExprKind::Binary(BinaryOp::Add, count, Box::new(one));
                this.set_local(progress.count, Expr { kind: more, ty: progress.number, span }, span);
            }
            this.set_local(*at, end.clone(), span);
            Ok(())
        })?;
        let (_, ends) = self.captured(|this| {
            this.set_local(progress.going, Expr::constant(0, Scalar::Bool, span), span);
            if first {
                let nothing = this.put("__fencepost_scan_nothing", vec![text(), begin.clone()], span)?;
                this.set_local(progress.count, nothing.expr, span);
            }
            Ok(())
        })?;
        let moved = ExprKind::Binary(BinaryOp::Ne, Box::new(begin), Box::new(end));
        self.emit(StmtKind::If(Expr { kind: moved, ty: Scalar::Bool, span }, fits, ends), span);
        Ok(())
    }

    /// What stands between two places becomes a value.
    fn assign_piece(
        &mut self,
        progress: &Progress,
        piece: &Piece,
        target: Typed,
        (begin, end): (&Expr, &Expr),
        span: Span,
    ) -> Result<()> {
        let text = progress.text.clone();
        match piece {
            Piece::Number { base, signed, .. } => {
                let widest = self.widest();
                let base = Expr::constant(*base, progress.position, span);
                let limits = if *signed { [i64::MAX, i64::MIN] } else { [-1, 0] };
                let [most, least] = limits.map(|limit| self.int_constant(limit, &widest, span).expr);
                let args = vec![text, begin.clone(), end.clone(), base, most, least];
                let value = self.put("__fencepost_number_value", args, span)?;
                self.put_through(target, value, span)
            }
            Piece::Character => {
                let value = self.put("__fencepost_scan_character", vec![text, begin.clone()], span)?;
                self.put_through(target, value, span)
            }
            Piece::Word | Piece::Set(_) | Piece::Characters => {
                let to = self.convert(target, &CType::CHAR.pointer_to(), span)?;
                let copy = match piece {
                    Piece::Characters => "__fencepost_scan_characters",
                    _ => "__fencepost_scan_copy",
                };
                self.put(copy, vec![to.expr, text, begin.clone(), end.clone()], span)?;
                Ok(())
            }
            Piece::Space | Piece::Text(_) | Piece::Count(_) => Ok(()),
        }
    }

    fn put_through(&mut self, pointer: Typed, value: Typed, span: Span) -> Result<()> {
        let target = self.pointed(pointer, span)?;
        let value = self.convert(value, &target.ty, span)?;
        self.store(&target, value.expr, span);
        Ok(())
    }

    fn set_local(&mut self, id: LocalId, value: Expr, span: Span) {
        self.emit(StmtKind::Assign(Place::variable(VarRef::Local(id), span), value), span);
    }
}
