//! Translation units, and where parsing continues after an error, so that all that is wrong with a text is told in one run.
//!
//! A name that is used like a type and is none is taken for one from then on, and what it stands in is parsed again. After any
//! other error in a function, the statement or declaration that it stands in is left out ([`BlockItem::Broken`]). Errors outside
//! of functions, and those that leave no end of a statement to be found, end the whole item. Where braces do not match,
//! what follows cannot be told from the error's consequences, and parsing ends.

use super::{Meaning, PREDEFINED, Parser, Result};
use crate::ast::{BlockItem, Item, Name};
use crate::token::{Keyword, Token, TokenKind};
use fencepost_text::Diagnostic;

/// More errors are not told.
const MOST_ERRORS: usize = 50;

/// What was wrong so far.
#[derive(Default)]
pub(super) struct Mistakes {
    errors: Vec<Diagnostic>,
    /// Names that were used like types and are none.
    unknown: Vec<String>,
}

/// A translation unit, as far as it is C.
pub struct Parsed {
    pub items: Vec<Item>,
    /// Names that are used like types and are none, which is among the errors.
    pub unknown: Vec<String>,
    /// In the order of the text.
    pub errors: Vec<Diagnostic>,
    /// Whether all items are there, so that what does not fit them is an error of its own.
    pub is_whole: bool,
}

/// Parses a translation unit.
pub fn unit(tokens: &[Token<'_>]) -> Parsed {
    let mut parser = Parser { mistakes: Some(Mistakes::default()), ..Parser::new(tokens, PREDEFINED) };
    let (mut items, mut is_whole) = (Vec::new(), true);
    while !parser.at_end() {
        let start = parser.start();
        let known = items.len();
        let Err(error) = parser.item(&mut items) else { continue };
        items.truncate(known);
        if parser.mistaken(&error) == Mistake::UnknownType {
            parser.go_back(&start);
            continue;
        }
        is_whole = false;
        if parser.has_many_mistakes() || !parser.pass_over(&start) {
            break;
        }
    }
    let Mistakes { errors, unknown } = parser.mistakes.unwrap_or_default();
    Parsed { items, unknown, errors, is_whole }
}

/// What kind of error it was.
#[derive(PartialEq, Eq)]
enum Mistake {
    /// A name that is taken for a type from now on.
    UnknownType,
    /// Any other.
    Other,
}

/// Where a piece of the text begins, and what stands around it.
struct Start {
    position: usize,
    /// How many names had been declared by then.
    names: usize,
    depth: usize,
    reach: usize,
    functions: usize,
}

impl Parser<'_, '_> {
    fn start(&self) -> Start {
        let (depth, reach, functions) = (self.depth, self.reach, self.functions);
        Start { position: self.position, names: self.undo.len(), depth, reach, functions }
    }

    fn has_many_mistakes(&self) -> bool {
        self.mistakes.as_ref().is_some_and(|mistakes| mistakes.errors.len() >= MOST_ERRORS)
    }

    /// Takes note of an error, once at a place.
    fn mistaken(&mut self, error: &Diagnostic) -> Mistake {
        let unknown = self.unknown.take();
        let mistakes = self.mistakes.get_or_insert_default();
        // A name that something else hides stays unknown however often it is looked at.
        if mistakes.errors.iter().any(|known| known.span == error.span) {
            return Mistake::Other;
        }
        mistakes.errors.push(error.clone());
        match unknown {
            Some(name) => {
                mistakes.unknown.push(name.clone());
                self.names.insert(name, Meaning::Type);
                Mistake::UnknownType
            }
            None => Mistake::Other,
        }
    }

    /// An item of a block. In a file, parsing goes on after an error in it.
    pub(super) fn item_of_block(&mut self, items: &mut Vec<BlockItem>) -> Result<()> {
        loop {
            let (start, known) = (self.start(), items.len());
            let Err(error) = self.block_item(items) else { return Ok(()) };
            if self.mistakes.is_none() || self.has_many_mistakes() {
                return Err(error);
            }
            items.truncate(known);
            let end = self.end_of_statement(&start, self.position);
            if self.mistaken(&error) == Mistake::UnknownType {
                self.go_back(&start);
                continue;
            }
            // Without an end of the statement, the error is the whole item's.
            let Some(end) = end else { return Err(error) };
            let words = self.tokens[start.position..end].iter();
            let names = words.filter(|token| token.kind == TokenKind::Identifier);
            let names = names.map(|token| Name { text: token.text.to_string(), span: token.span }).collect();
            self.leave_scopes(&start);
            self.position = end;
            items.push(BlockItem::Broken(names));
            return Ok(());
        }
    }

    /// Where a statement ends that an error stands in: after its semicolon or its block, or before the end of the block
    /// around.
    fn end_of_statement(&self, start: &Start, stopped: usize) -> Option<usize> {
        let is_for = self.tokens[start.position].kind == TokenKind::Keyword(Keyword::For);
        let (mut braces, mut parentheses) = (0, 0);
        for at in start.position..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Symbol("(") => parentheses += 1,
                TokenKind::Symbol(")") => parentheses -= 1,
                TokenKind::Symbol("{") => braces += 1,
                TokenKind::Symbol("}") if braces == 0 => return (at >= stopped).then_some(at),
                TokenKind::Symbol("}") => {
                    braces -= 1;
                    if braces == 0 && at >= stopped && parentheses <= 0 && self.may_begin_statement(at + 1) {
                        return Some(at + 1);
                    }
                }
                TokenKind::Symbol(";")
                    if braces == 0
                        && at >= stopped
                        && (!is_for || parentheses <= 0)
                        && !self.is_else(at + 1) =>
                {
                    return Some(at + 1);
                }
                TokenKind::End => return None,
                _ => {}
            }
        }
        None
    }

    fn is_else(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Keyword(Keyword::Else))
    }

    /// Whether what comes after a block cannot belong to what the block belongs to.
    fn may_begin_statement(&self, at: usize) -> bool {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(TokenKind::Symbol(symbol)) => matches!(symbol, "{" | "}" | "*" | "(" | "++" | "--"),
            Some(TokenKind::Keyword(keyword)) => keyword != Keyword::Else,
            Some(TokenKind::Identifier) => true,
            _ => false,
        }
    }

    /// Leaves all scopes that the error stands in.
    fn leave_scopes(&mut self, start: &Start) {
        (self.depth, self.reach, self.functions) = (start.depth, start.reach, start.functions);
        for (name, meaning) in self.undo.drain(start.names..).rev() {
            match meaning {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(&name),
            };
        }
        // What was taken for a type stays one.
        for name in self.mistakes.iter().flat_map(|mistakes| &mistakes.unknown) {
            self.names.entry(name.clone()).or_insert(Meaning::Type);
        }
    }

    /// Goes back to the beginning of what the error stands in.
    fn go_back(&mut self, start: &Start) {
        self.leave_scopes(start);
        self.position = start.position;
    }

    /// Goes on after the item, if its end can be told: the first semicolon outside of braces after the error, or the brace
    /// that closes the body of a function.
    fn pass_over(&mut self, start: &Start) -> bool {
        self.leave_scopes(start);
        let (mut depth, mut is_body) = (0, false);
        for at in start.position..self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Symbol("{") => {
                    if depth == 0 {
                        let before = at.checked_sub(1).map(|before| self.tokens[before].kind);
                        is_body = matches!(before, Some(TokenKind::Symbol(")" | ";")));
                    }
                    depth += 1;
                }
                TokenKind::Symbol("}") if depth == 0 => return false,
                TokenKind::Symbol("}") => {
                    depth -= 1;
                    if depth == 0 && is_body && at >= self.position {
                        self.position = at + 1;
                        return true;
                    }
                }
                TokenKind::Symbol(";") if depth == 0 && at >= self.position => {
                    self.declare_failed(start.position, at);
                    self.position = at + 1;
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// The type that a declaration was to declare, so that its uses are not errors of their own.
    fn declare_failed(&mut self, first: usize, end: usize) {
        let tokens = &self.tokens[first..end];
        if tokens.first().is_some_and(|token| token.kind == TokenKind::Keyword(Keyword::Typedef))
            && let Some(name) = tokens.iter().rfind(|token| token.kind == TokenKind::Identifier)
        {
            self.names.insert(name.text.to_string(), Meaning::Type);
        }
    }
}
