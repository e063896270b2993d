//! Locations that are accessed in several sizes: which pieces they are cut into.
//!
//! A location is cut where an access to it begins or ends, so that every access covers whole pieces, and an array also
//! between its elements. The program has a struct for it with a member for each piece; an access to one piece is an access to
//! the member, an access to several goes through a pointer to the first, and is one event.

use super::ast::Width;
use super::expression::unsigned;
use super::layout::{Access, Layout, Place, Target, declared_bits};
use fencepost_ir::tree::{self, Base, Expr, ExprKind, Projection, SharedId, Type, VarRef};
use fencepost_ir::{Field, Record, RecordKind, Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::BTreeSet;

/// A location without a type has no more: the widest access takes all.
const MOST_BYTES: u32 = 8;

/// A cell of a location that is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its first byte in the location.
    pub offset: u32,
    pub bits: u8,
}

impl Piece {
    fn end(self) -> u32 {
        self.offset + u32::from(self.bits) / 8
    }
}

/// The pieces that these accesses, all to the location, cut it into.
pub fn cut(place: &Place, word: Width, accesses: &[&Access]) -> Result<Vec<Piece>, Diagnostic> {
    let element = place.element_bytes(word) as u32;
    let ends = accesses.iter().map(|a| a.offset() + u32::from(a.width.bits()) / 8);
    let fixed = place.elements.is_some() || declared_bits(place.ty, word).is_some();
    // Without a type it is an `int`, or as large as what accesses it.
    let size = if fixed { element * place.init.len() as u32 } else { ends.fold(element, u32::max) };
    let most = if fixed { size } else { MOST_BYTES };
    let mut borders = BTreeSet::from([0, size]);
    if place.elements.is_some() {
        borders.extend((0..place.init.len() as u32).map(|i| i * element));
    }
    for access in accesses {
        let (start, end) = (access.offset(), access.offset() + u32::from(access.width.bits()) / 8);
        if end > most {
            let message =
                format!("this access of {} bits reaches beyond `{}`", access.width.bits(), place.name);
            return Err(Diagnostic::new(access.span, message)
                .help("declare an array in the init block, as in `int64_t t[2];`"));
        }
        borders.extend([start, end]);
    }
    let borders: Vec<u32> = borders.into_iter().collect();
    Ok(borders.windows(2).map(|b| Piece { offset: b[0], bits: ((b[1] - b[0]) * 8) as u8 }).collect())
}

impl Access {
    /// The first byte that it touches of its location.
    pub fn offset(&self) -> u32 {
        match self.target {
            Target::Cell((_, offset)) => offset,
            Target::Computed => 0,
        }
    }
}

impl Place {
    /// What a piece holds at first.
    pub fn piece_init(&self, piece: Piece, word: Width) -> i64 {
        let element = self.element_bytes(word) as u32;
        let index = if self.elements.is_some() { piece.offset / element } else { 0 };
        let shift = (piece.offset - index * element) * 8;
        super::layout::truncate((self.init[index as usize] as u64 >> shift) as i64, piece.bits)
    }

    /// The numbers of the pieces of so many bytes from an offset on, if they are whole ones.
    pub fn row(&self, offset: u32, bytes: u32) -> Option<std::ops::Range<usize>> {
        let first = self.pieces.iter().position(|p| p.offset == offset)?;
        let last = self.pieces.iter().position(|p| p.end() == offset + bytes)?;
        (first <= last).then_some(first..last + 1)
    }

    /// The struct that stands for it.
    pub fn record(&self) -> Record {
        let member = |p: &Piece| Field {
            name: format!("at{}", p.offset),
            ty: unsigned(p.bits).into(),
            offset: p.offset.into(),
        };
        let size = self.pieces.last().map_or(0, |p| p.end()).into();
        let fields = self.pieces.iter().map(member).collect();
        Record { name: self.name.clone(), kind: RecordKind::Struct, fields, size }
    }
}

impl Layout {
    /// An access to a location that is cut: a place of the tree.
    pub fn part(&self, place: usize, offset: u32, width: Width, span: Span) -> tree::Place {
        let row = self.places[place].row(offset, u32::from(width.bits()) / 8);
        let row = row.expect("locations are cut where accesses begin and end");
        let variable = tree::Place::variable(VarRef::Shared(SharedId(place)), span);
        let first = tree::Place { path: vec![Projection::Field(row.start)], ..variable.clone() };
        if row.len() == 1 {
            return first;
        }
        let (kind, ty) = (ExprKind::AddressOf(first), Scalar::Pointer { bits: self.word.bits() });
        let pointer = Box::new(Expr { kind, ty, span });
        let base = Base::Pointed(pointer, Type::Scalar(unsigned(width.bits())));
        tree::Place { base, path: Vec::new(), ..variable }
    }
}
