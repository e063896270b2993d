//! Characters to tokens, for the formats that look like C: names, numbers, symbols, and comments
//! `//` to the end of the line and `/* */`.

use crate::Diagnostic;
use fencepost_ir::{FileId, Span, wanted};

/// A token's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a word of the language.
    Word(String),
    /// A number; too large for 64 bits is kept as `None`.
    Number(Option<i128>),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Content.
    pub kind: TokenKind,
    /// Place.
    pub span: Span,
}

/// Symbols of the modelling language; longest first, so that the first match is the right one.
pub const MODEL_SYMBOLS: &[&str] = &[
    "<<=", ">>=", "..", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "++", "--", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";",
    ",", ".", "(", ")", "[", "]", "{", "}", "#", "@",
];

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    tokens: Vec<Token>,
    symbols: &'static [&'static str],
}

/// All tokens of a text, with [`TokenKind::End`] last. Of the symbols the first that fits is taken.
pub fn lex(text: &str, symbols: &'static [&'static str]) -> Result<Vec<Token>, Diagnostic> {
    // Some editors put a byte order mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lexer = Lexer { rest: text, line: 1, column: 1, tokens: Vec::new(), symbols };
    while lexer.token()? {
        wanted::point();
    }
    Ok(lexer.tokens)
}

impl Lexer<'_> {
    fn here(&self, length: u32) -> Span {
        Span { file: FileId(0), line: self.line, column: self.column, length }
    }

    fn advance(&mut self, bytes: usize) {
        for c in self.rest[..bytes].chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = &self.rest[bytes..];
    }

    fn push(&mut self, kind: TokenKind, bytes: usize) {
        let span = self.here(self.rest[..bytes].chars().count() as u32);
        self.tokens.push(Token { kind, span });
        self.advance(bytes);
    }

    /// Reads one token; false after the last.
    fn token(&mut self) -> Result<bool, Diagnostic> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let Some(end) = self.rest[2..].find("*/") else {
                    return Err(
                        Diagnostic::new(self.here(2), "this comment has no end").help("close it with `*/`")
                    );
                };
                self.advance(end + 4);
            } else {
                break;
            }
        }
        let Some(first) = self.rest.chars().next() else {
            self.push(TokenKind::End, 0);
            return Ok(false);
        };
        let word_length =
            || self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        if first.is_ascii_digit() {
            let bytes = word_length();
            let text = &self.rest[..bytes];
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let (digits, radix) = digits.map_or((text, 10), |d| (d, 16));
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                let message = format!("`{text}` is not a number");
                return Err(Diagnostic::new(self.here(bytes as u32), message));
            }
            let value = i128::from_str_radix(digits, radix).ok().filter(|v| *v <= u64::MAX.into());
            self.push(TokenKind::Number(value), bytes);
        } else if first.is_ascii_alphabetic() || first == '_' {
            let bytes = word_length();
            self.push(TokenKind::Word(self.rest[..bytes].to_string()), bytes);
        } else if let Some(symbol) = self.symbols.iter().find(|s| self.rest.starts_with(**s)) {
            self.push(TokenKind::Symbol(symbol), symbol.len());
        } else {
            let message = format!("the character `{}` has no meaning here", first.escape_default());
            return Err(Diagnostic::new(self.here(1), message));
        }
        Ok(true)
    }
}
