//! Characters to pieces: where each token of a text begins and ends, and which line and column that
//! is. What the pieces mean is the lexer's business; the aligner compares only their spelling.

use super::token::SYMBOLS;

/// What a piece looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    Word,
    /// Anything that begins like a number.
    Number,
    /// With its prefix and quotes.
    Character,
    /// With its prefix and quotes.
    String,
    Symbol(&'static str),
    /// A comment, character constant or string without an end.
    Open,
    /// A character that begins no token.
    Stray,
}

/// A token's spelling and its place in the text.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub kind: PieceKind,
    pub text: &'a str,
    pub line: u32,
    pub column: u32,
    /// Whether only blanks and comments are before it on its line.
    pub is_first: bool,
}

/// A place in a text.
pub struct Scanner<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    is_first: bool,
}

impl<'a> Scanner<'a> {
    /// At the beginning of a text that begins at a line and column.
    pub fn new(text: &'a str, line: u32, column: u32) -> Scanner<'a> {
        // Some editors put a byte order mark first.
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Scanner { rest, line, column, is_first: true }
    }

    /// The line of what comes next.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column of what comes next.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Reads the rest of a directive's line, without the line end; backslashes continue it.
    pub fn directive(&mut self) -> &'a str {
        let mut end = 0;
        loop {
            end += self.rest[end..].find('\n').unwrap_or(self.rest.len() - end);
            if end == self.rest.len() || !self.rest[..end].trim_end_matches('\r').ends_with('\\') {
                break;
            }
            end += 1;
        }
        let text = &self.rest[..end];
        self.advance(end);
        text
    }

    fn advance(&mut self, bytes: usize) {
        let (text, rest) = self.rest.split_at(bytes);
        for byte in text.bytes() {
            if byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.column = 1;
                self.is_first = true;
            } else if byte & 0xc0 != 0x80 {
                // Not inside of a character's UTF-8.
                self.column = self.column.saturating_add(1);
            }
        }
        self.rest = rest;
    }

    fn piece(&mut self, kind: PieceKind, bytes: usize) -> Piece<'a> {
        let text = &self.rest[..bytes];
        let piece = Piece { kind, text, line: self.line, column: self.column, is_first: self.is_first };
        self.is_first = false;
        self.advance(bytes);
        piece
    }

    /// Skips blanks, comments and backslashes at line ends; a comment without an end is left.
    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest.bytes().take_while(|b| matches!(b, b' ' | b'\t'..=b'\r')).count();
            self.advance(blank);
            let bytes = self.rest.as_bytes();
            match bytes.first() {
                Some(b'/') if bytes.get(1) == Some(&b'/') => {
                    self.directive();
                }
                Some(b'/') if bytes.get(1) == Some(&b'*') => match self.rest[2..].find("*/") {
                    Some(end) => {
                        // A directive may follow a comment only if it begins on the comment's last line.
                        let was_first = self.is_first;
                        self.advance(end + 4);
                        self.is_first |= was_first;
                    }
                    None => return,
                },
                Some(b'\\') => {
                    let after = self.rest[1..].trim_start_matches([' ', '\t', '\r']);
                    if !after.starts_with('\n') {
                        return;
                    }
                    let was_first = self.is_first;
                    self.advance(self.rest.len() - after.len() + 1);
                    self.is_first = was_first;
                }
                _ => return,
            }
        }
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        self.skip_blanks();
        let bytes = self.rest.as_bytes();
        let first = *bytes.first()?;
        let piece = match first {
            b'/' if bytes.get(1) == Some(&b'*') => self.piece(PieceKind::Open, self.rest.len()),
            b'0'..=b'9' => self.piece(PieceKind::Number, number_length(self.rest)),
            b'.' if bytes.get(1).is_some_and(u8::is_ascii_digit) => {
                self.piece(PieceKind::Number, number_length(self.rest))
            }
            b'"' | b'\'' => self.quoted(0),
            _ => {
                let word = word_length(self.rest);
                if word > 0 {
                    let is_prefix = matches!(&self.rest[..word], "L" | "u" | "U" | "u8");
                    match bytes.get(word) {
                        Some(b'"' | b'\'') if is_prefix => self.quoted(word),
                        _ => self.piece(PieceKind::Word, word),
                    }
                } else if let Some(symbol) = SYMBOLS.iter().find(|s| self.rest.starts_with(**s)) {
                    self.piece(PieceKind::Symbol(symbol), symbol.len())
                } else {
                    let length = self.rest.chars().next().map_or(0, char::len_utf8);
                    self.piece(PieceKind::Stray, length)
                }
            }
        };
        Some(piece)
    }
}

impl<'a> Scanner<'a> {
    /// A character constant or string whose quote is after a prefix of so many bytes.
    fn quoted(&mut self, prefix: usize) -> Piece<'a> {
        let bytes = self.rest.as_bytes();
        let quote = bytes[prefix];
        let mut at = prefix + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                // The escaped character may be the quote; a line end is escaped as well.
                b'\\' if at + 1 < bytes.len() => at += 2,
                b'\n' => break,
                _ if *byte == quote => {
                    let kind = if quote == b'"' { PieceKind::String } else { PieceKind::Character };
                    return self.piece(kind, at + 1);
                }
                _ => at += 1,
            }
        }
        // `at` may be inside of a character that follows a backslash.
        let end = (at.min(bytes.len())..=bytes.len()).find(|e| self.rest.is_char_boundary(*e));
        self.piece(PieceKind::Open, end.unwrap_or(bytes.len()))
    }
}

/// The length of the word that a text begins with, 0 if it begins with none.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c.is_alphanumeric();
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

/// The length of the preprocessing number that a text begins with: exponents have signs.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hexadecimal = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let is_sign = matches!(byte, b'+' | b'-')
            && at > 0
            && match bytes[at - 1] {
                b'e' | b'E' => !is_hexadecimal,
                b'p' | b'P' => true,
                _ => false,
            };
        if !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'_') && !is_sign {
            break;
        }
        at += 1;
    }
    at
}
