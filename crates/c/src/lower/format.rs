//! Formats of `printf` and its like, taken apart.

use crate::hir::Rank;

/// A piece of a format.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    Text(Vec<u8>),
    Directive(Directive),
}

/// What shows an argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive {
    /// Whether there are flags, a width or a precision.
    pub is_plain: bool,
    /// Whether an argument before it tells the width.
    pub takes_width: bool,
    pub precision: Precision,
    /// What a length says of the argument's type.
    pub rank: Rank,
    /// The letter at its end.
    pub letter: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    None,
    Known(u64),
    /// An argument before it tells.
    Taken,
}

/// The pieces of a format; `None` where one of them is not known here.
pub fn pieces(units: &[u32]) -> Option<Vec<Piece>> {
    let (mut pieces, mut text) = (Vec::new(), Vec::new());
    let mut units = units.iter().map(|unit| u8::try_from(*unit).unwrap_or(b'?')).peekable();
    while let Some(unit) = units.next() {
        if unit != b'%' {
            text.push(unit);
            continue;
        }
        let directive = directive(&mut units)?;
        if directive.letter == b'%' {
            text.push(b'%');
            continue;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Directive(directive));
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Some(pieces)
}

/// The directive after a `%`.
fn directive(units: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Option<Directive> {
    let mut is_plain = true;
    while units.next_if(|unit| b"-+ #0'".contains(unit)).is_some() {
        is_plain = false;
    }
    let takes_width = units.next_if_eq(&b'*').is_some();
    let width = number(units);
    let mut precision = Precision::None;
    if units.next_if_eq(&b'.').is_some() {
        precision = match units.next_if_eq(&b'*') {
            Some(_) => Precision::Taken,
            None => Precision::Known(number(units).unwrap_or(0)),
        };
    }
    is_plain &= !takes_width && width.is_none() && precision == Precision::None;
    let mut rank = Rank::Int;
    while let Some(length) = units.next_if(|unit| b"lhzjt".contains(unit)) {
        rank = match (length, rank) {
            (b'l', Rank::Long) | (b'j', _) => Rank::LongLong,
            (b'h', Rank::Short) => Rank::Char,
            (b'h', _) => Rank::Short,
            _ => Rank::Long,
        };
    }
    // `L` goes with numbers that are not followed.
    units.next_if_eq(&b'L');
    let letter = units.next().filter(|unit| b"%sSdiuxXocCfFeEgGaApnm".contains(unit))?;
    Some(Directive { is_plain, takes_width, precision, rank, letter })
}

fn number(units: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Option<u64> {
    let mut value = None;
    while let Some(digit) = units.next_if(u8::is_ascii_digit) {
        value = Some(value.unwrap_or(0u64).saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Vec<Piece>> {
        pieces(&text.bytes().map(u32::from).collect::<Vec<_>>())
    }

    fn plain(letter: u8, rank: Rank) -> Piece {
        let precision = Precision::None;
        Piece::Directive(Directive { is_plain: true, takes_width: false, precision, rank, letter })
    }

    #[test]
    fn formats_are_taken_apart() {
        assert_eq!(of("a%%b"), Some(vec![Piece::Text(b"a%b".to_vec())]));
        assert_eq!(
            of("%d%hhu%lld"),
            Some(vec![plain(b'd', Rank::Int), plain(b'u', Rank::Char), plain(b'd', Rank::LongLong),])
        );
        let sized = |takes_width, precision| {
            Piece::Directive(Directive {
                is_plain: false,
                takes_width,
                precision,
                rank: Rank::Int,
                letter: b's',
            })
        };
        assert_eq!(of("%-5.3s"), Some(vec![sized(false, Precision::Known(3))]));
        assert_eq!(of("%*.*s"), Some(vec![sized(true, Precision::Taken)]));
        assert_eq!(of("%.s"), Some(vec![sized(false, Precision::Known(0))]));
        assert_eq!(of("%1$s"), None, "by its position");
        assert_eq!(of("%"), None);
    }
}
