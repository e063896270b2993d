//! Columns in the user's file for what the preprocessor made of it.
//!
//! Line markers give a token's line but not its column, since macros change the line. The user's line
//! is cut into tokens as well, and the two rows are aligned: equal beginnings and ends first, what
//! remains by a longest common subsequence in which words count more than symbols. A token with a
//! partner is where its partner is, so that a macro's arguments keep their own places. One
//! without a partner comes from a macro, and is at the macro's name: the first word without a
//! partner that is possible, or else the last one that was used.
//!
//! This is a guess where a macro's expansion repeats what is around it. Then a column is wrong,
//! but still in the line or macro call that the token comes from.

use super::scan::{PieceKind, Scanner};

/// How many lines a macro's call may continue for.
const MAX_LINES: usize = 64;

/// Longer rows are not compared in full: the table would be too large.
const MAX_TABLE: usize = 1 << 16;

/// A file's text, cut into tokens.
pub struct UserText {
    text: String,
    pieces: Vec<UserPiece>,
    /// By line, from 0: its first piece; one more at the end.
    lines: Vec<usize>,
}

#[derive(Clone, Copy)]
struct UserPiece {
    start: usize,
    end: usize,
    is_word: bool,
    place: Place,
}

/// A place in the user's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// In characters.
    pub length: u32,
}

impl UserText {
    /// Cuts a text.
    pub fn new(text: String) -> UserText {
        let mut pieces = Vec::new();
        let mut lines = Vec::new();
        for piece in Scanner::new(&text, 1, 1) {
            while lines.len() < piece.line as usize {
                lines.push(pieces.len());
            }
            let start = piece.text.as_ptr() as usize - text.as_ptr() as usize;
            let length = piece.text.chars().count() as u32;
            pieces.push(UserPiece {
                start,
                end: start + piece.text.len(),
                is_word: piece.kind == PieceKind::Word,
                place: Place { line: piece.line, column: piece.column, length },
            });
        }
        lines.push(pieces.len());
        UserText { text, pieces, lines }
    }

    fn spelling(&self, piece: &UserPiece) -> &str {
        &self.text[piece.start..piece.end]
    }

    /// The pieces of a line.
    fn line(&self, line: u32) -> &[UserPiece] {
        let index = (line as usize).wrapping_sub(1);
        match (self.lines.get(index), self.lines.get(index.wrapping_add(1))) {
            (Some(from), Some(to)) => &self.pieces[*from..*to],
            _ => &[],
        }
    }

    /// The pieces of a line, and of those after it until its parentheses are closed.
    fn call(&self, line: u32) -> &[UserPiece] {
        let mut depth = 0i32;
        let first = (line as usize).wrapping_sub(1);
        let from = self.lines.get(first).copied().unwrap_or(self.pieces.len());
        let mut to = from;
        for next in first.saturating_add(1)..first.saturating_add(1 + MAX_LINES).min(self.lines.len()) {
            for piece in &self.pieces[to..self.lines[next]] {
                match self.spelling(piece) {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
            }
            to = self.lines[next];
            if depth <= 0 {
                break;
            }
        }
        &self.pieces[from..to]
    }

    /// The places of tokens that the preprocessor left on a line, as far as they can be told.
    pub fn align(&self, line: u32, tokens: &[&str]) -> Vec<Option<Place>> {
        let mut user = self.line(line);
        let prefix = self.common(tokens.iter().copied(), user.iter());
        let mut partners: Vec<Option<usize>> = (0..prefix).map(Some).collect();
        partners.resize(tokens.len(), None);
        if prefix < tokens.len() {
            user = self.call(line);
            let (rest, user_rest) = (&tokens[prefix..], &user[prefix..]);
            let suffix = self.common(rest.iter().rev().copied(), user_rest.iter().rev());
            for back in 1..=suffix {
                partners[tokens.len() - back] = Some(user.len() - back);
            }
            let middle = &rest[..rest.len() - suffix];
            let user_middle = &user_rest[..user_rest.len() - suffix];
            for (token, partner) in self.subsequence(middle, user_middle) {
                partners[prefix + token] = Some(prefix + partner);
            }
        }
        places(&partners, user)
    }

    /// How many tokens are equal at the beginning of both.
    fn common<'t>(
        &self,
        tokens: impl Iterator<Item = &'t str>,
        user: impl Iterator<Item = &'t UserPiece>,
    ) -> usize {
        tokens.zip(user).take_while(|(token, piece)| *token == self.spelling(piece)).count()
    }

    /// Pairs of equal tokens in the order of both, of the largest weight in all.
    fn subsequence(&self, tokens: &[&str], user: &[UserPiece]) -> Vec<(usize, usize)> {
        let (rows, columns) = (tokens.len() + 1, user.len() + 1);
        if rows.saturating_mul(columns) > MAX_TABLE {
            return Vec::new();
        }
        // best[i][j]: of what is left from token i and piece j on.
        let mut best = vec![0u32; rows * columns];
        let weight = |i: usize, j: usize| match tokens[i] == self.spelling(&user[j]) {
            true if tokens[i].starts_with(|c: char| c.is_ascii_punctuation() && c != '_') => Some(1),
            true => Some(4),
            false => None,
        };
        for i in (0..tokens.len()).rev() {
            for j in (0..user.len()).rev() {
                let skip = best[(i + 1) * columns + j].max(best[i * columns + j + 1]);
                let take = weight(i, j).map_or(0, |w| w + best[(i + 1) * columns + j + 1]);
                best[i * columns + j] = skip.max(take);
            }
        }
        let (mut i, mut j) = (0, 0);
        let mut pairs = Vec::new();
        while i < tokens.len() && j < user.len() {
            let here = best[i * columns + j];
            if weight(i, j).is_some_and(|w| w + best[(i + 1) * columns + j + 1] == here) {
                pairs.push((i, j));
                i += 1;
                j += 1;
            } else if best[(i + 1) * columns + j] == here {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs
    }
}

/// Where tokens are, given their partners among the user's.
fn places(partners: &[Option<usize>], user: &[UserPiece]) -> Vec<Option<Place>> {
    // By token: the partner of the next token that has one.
    let mut next = vec![user.len(); partners.len() + 1];
    for (i, partner) in partners.iter().enumerate().rev() {
        next[i] = partner.unwrap_or(next[i + 1]);
    }
    let mut after = 0;
    let mut macro_name = None;
    let mut places = Vec::with_capacity(partners.len());
    for (i, partner) in partners.iter().enumerate() {
        let place = match partner {
            Some(partner) => {
                after = partner + 1;
                Some(user[*partner].place)
            }
            None => {
                let gap = &user[after.min(next[i])..next[i]];
                macro_name = gap.iter().find(|piece| piece.is_word).map(|piece| piece.place).or(macro_name);
                let neighbour = user.get(after.saturating_sub(1)).map(|piece| piece.place);
                macro_name.or(neighbour)
            }
        };
        places.push(place);
    }
    places
}
