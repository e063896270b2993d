//! Characters to tokens, for everything in a litmus test from its init block on. (The lines before
//! it are free text and are read by [`super::header`].)
//!
//! Comments `(* *)` nest. A name may hold dots and dollars, as labels and locations of compiled code
//! do. `/\` and `\/` are symbols, so a name ends before a slash.

use fencepost_ir::{FileId, Span};
use fencepost_text::Diagnostic;
use fencepost_text::lexer::{Token, TokenKind};

/// Longest first, so that the first match is the right one.
const SYMBOLS: &[&str] = &[
    "/\\", "\\/", "=>", "==", "!=", "<>", "<=", ">=", "&&", "||", "{", "}", "[", "]", "(", ")", ";", ":",
    ",", "|", "=", "~", "*", "&", "+", "-", "$", "%", "\"", "!", "<", ">", "/", "^", "?", "#",
];

/// A place in the text while it is read.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    /// What has not been read.
    pub rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Scanner<'a> {
    /// At the beginning of a text.
    pub fn new(text: &'a str) -> Scanner<'a> {
        // Some editors put a byte order mark first.
        Scanner { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, column: 1 }
    }

    /// A span of that many characters from here on.
    pub fn here(&self, length: u32) -> Span {
        Span { file: FileId(0), line: self.line, column: self.column, length }
    }

    /// Goes on by that many bytes.
    pub fn advance(&mut self, bytes: usize) -> &'a str {
        let (read, rest) = self.rest.split_at(bytes);
        for c in read.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        read
    }

    /// The next so many bytes by themselves, at their places; continues after them.
    pub fn take(&mut self, bytes: usize) -> Scanner<'a> {
        let part = Scanner { rest: &self.rest[..bytes], ..*self };
        self.advance(bytes);
        part
    }

    /// Skips blanks and comments.
    pub fn skip_blank(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.advance(self.rest.len() - self.rest.trim_start().len());
            if !self.rest.starts_with("(*") {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    fn skip_comment(&mut self) -> Result<(), Diagnostic> {
        let start = self.here(2);
        let mut depth = 0usize;
        loop {
            if self.rest.starts_with("(*") {
                depth += 1;
                self.advance(2);
            } else if self.rest.starts_with("*)") {
                depth -= 1;
                self.advance(2);
                if depth == 0 {
                    return Ok(());
                }
            } else {
                match self.rest.chars().next() {
                    Some(c) => self.advance(c.len_utf8()),
                    None => {
                        let message = "this comment has no end";
                        return Err(Diagnostic::new(start, message).help("close it with `*)`"));
                    }
                };
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        self.skip_blank()?;
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token { kind: TokenKind::End, span: self.here(0) });
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = self.rest.find(|c: char| !word(c)).unwrap_or(self.rest.len());
        if first.is_ascii_digit() {
            let text = &self.rest[..length];
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let (digits, radix) = digits.map_or((text, 10), |d| (d, 16));
            let span = self.here(length as u32);
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return Err(Diagnostic::new(span, format!("`{text}` is not a number")));
            }
            let value = i128::from_str_radix(digits, radix).ok().filter(|v| *v <= u64::MAX.into());
            self.advance(length);
            return Ok(Token { kind: TokenKind::Number(value), span });
        }
        if word(first) {
            let span = self.here(length as u32);
            let text = self.advance(length).to_string();
            return Ok(Token { kind: TokenKind::Word(text), span });
        }
        match SYMBOLS.iter().find(|s| self.rest.starts_with(**s)) {
            Some(symbol) => {
                let span = self.here(symbol.len() as u32);
                self.advance(symbol.len());
                Ok(Token { kind: TokenKind::Symbol(symbol), span })
            }
            None => {
                let message = format!("the character `{}` has no meaning here", first.escape_default());
                Err(Diagnostic::new(self.here(1), message))
            }
        }
    }

    /// All tokens from here on, with [`TokenKind::End`] last.
    pub fn tokens(mut self) -> Result<Vec<Token>, Diagnostic> {
        let mut tokens = Vec::new();
        loop {
            let token = self.token()?;
            let last = token.kind == TokenKind::End;
            tokens.push(token);
            if last {
                return Ok(tokens);
            }
        }
    }
}
