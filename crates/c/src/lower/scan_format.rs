//! Formats of `scanf` and its like, taken apart.

use crate::hir::Rank;

/// As good as no width.
const NO_WIDTH: i64 = 1 << 30;

/// A piece of a format.
pub enum Piece {
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

impl Piece {
    /// The rank of the integers that a pointer for it leads to.
    pub fn rank(&self) -> Rank {
        match self {
            Piece::Number { rank, .. } | Piece::Count(rank) => *rank,
            _ => Rank::Char,
        }
    }

    /// Whether it counts when it is assigned.
    pub fn counts(&self) -> bool {
        !matches!(self, Piece::Space | Piece::Text(_) | Piece::Count(_))
    }
}

/// A piece, how many characters it may take, and whether it is assigned.
pub struct Directive {
    pub piece: Piece,
    pub width: i64,
    pub assigned: bool,
}

/// The pieces of a format; `None` where one of them is not known here.
pub fn directives(units: &[u32]) -> Option<Vec<Directive>> {
    let mut all = Vec::new();
    let bytes: Option<Vec<u8>> = units.iter().map(|unit| u8::try_from(*unit).ok()).collect();
    let mut units = bytes?.into_iter().peekable();
    while let Some(unit) = units.next() {
        let plain = |piece| Directive { piece, width: NO_WIDTH, assigned: false };
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
        while let Some(length) = units.next_if(|unit| b"lhzjt".contains(unit)) {
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
        all.push(Directive { piece, width: if width == 0 { NO_WIDTH } else { width }, assigned });
    }
    Some(all)
}

/// The set after a `[`.
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
    let mut rest = &members[..];
    while let [first, ..] = rest {
        let (from, to, taken) = match rest {
            [from, b'-', to, ..] => (*from, *to, 3),
            _ => (*first, *first, 1),
        };
        if from > to {
            return None;
        }
        (from..=to).for_each(|c| bits[usize::from(c) / 64] |= 1 << (c % 64));
        rest = &rest[taken..];
    }
    Some(if others { bits.map(|word| !word) } else { bits })
}
