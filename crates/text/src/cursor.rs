//! A place in a list of tokens: what the parsers of C-like formats share.

use crate::Diagnostic;
use crate::fences::Seen;
use crate::lexer::{Token, TokenKind};
use fencepost_ir::{Span, wanted};

/// Deeper nesting, and longer rows of operators, are refused, so that no input overflows the stack
/// here or in anything that walks the tree later.
const MAX_DEPTH: usize = 400;

/// Tokens with [`TokenKind::End`] last, and how far they have been read.
pub struct Cursor<'a> {
    tokens: &'a [Token],
    position: usize,
    depth: usize,
    /// Places between statements that were passed.
    pub seen: Vec<Seen>,
}

impl<'a> Cursor<'a> {
    /// At the first token.
    pub fn new(tokens: &'a [Token]) -> Cursor<'a> {
        Cursor { tokens, position: 0, depth: 0, seen: Vec::new() }
    }

    /// The next token.
    pub fn peek(&self) -> &'a Token {
        self.peek_at(0)
    }

    /// The token after so many others.
    pub fn peek_at(&self, ahead: usize) -> &'a Token {
        &self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    /// Where the next token is.
    pub fn here(&self) -> Span {
        self.peek().span
    }

    /// Where the last token that was read is.
    pub fn before(&self) -> Span {
        self.tokens[self.position.saturating_sub(1)].span
    }

    /// Reads a token.
    pub fn advance(&mut self) -> &'a Token {
        wanted::point();
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether all has been read.
    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Whether the next token is the symbol.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(s) if s == symbol)
    }

    /// Whether the next token is the word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Word(w) if w == word)
    }

    /// Reads the symbol if it is next.
    pub fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Reads the word if it is next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Reads the symbol, which has to be next.
    pub fn expect_symbol(&mut self, symbol: &str) -> Result<Span, Diagnostic> {
        if self.is_symbol(symbol) {
            Ok(self.advance().span)
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    /// Reads the word, which has to be next.
    pub fn expect_word(&mut self, word: &str) -> Result<Span, Diagnostic> {
        if self.is_word(word) { Ok(self.advance().span) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Says that something else was expected here.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match &self.peek().kind {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(Some(n)) => format!("`{n}`"),
            TokenKind::Number(None) => "a number".to_string(),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::End => "the end of the file".to_string(),
        };
        Diagnostic::new(self.here(), format!("expected {expected}, found {found}"))
            .label(format!("expected {expected}"))
    }

    /// Goes one level deeper; [`Cursor::leave`] comes back.
    pub fn enter(&mut self) -> Result<(), Diagnostic> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::new(self.here(), message).help("split it into smaller parts"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from a deeper level.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Refuses a row of operators that would nest too deep.
    pub fn check_row(&self, operators: usize) -> Result<(), Diagnostic> {
        if self.depth + operators > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} operators in a row");
            return Err(Diagnostic::new(self.here(), message).help("use a variable for a part of it"));
        }
        Ok(())
    }
}
