//! Translation units, and where parsing continues after an error, so that all that is wrong with a text is told in one run.
//!
//! A name that is used like a type and is none is taken for one from then on, and what it is in is parsed again. After any
//! other error the declaration or function that it is in is passed over. Where braces do not match, what follows cannot
//! be told from the error's consequences, and parsing ends.

use super::{Meaning, PREDEFINED, Parser};
use crate::ast::Item;
use crate::token::{Keyword, Token, TokenKind};
use fencepost_text::Diagnostic;

/// More errors are not told.
const MOST_ERRORS: usize = 50;

/// Parses a translation unit.
pub fn unit(tokens: &[Token<'_>]) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut parser = Parser { includes: true, ..Parser::new(tokens, PREDEFINED) };
    let (mut items, mut errors) = (Vec::new(), Vec::<Diagnostic>::new());
    while !parser.at_end() && errors.len() < MOST_ERRORS {
        let start = Start { position: parser.position, names: parser.undo.len() };
        let known = items.len();
        let Err(error) = parser.item(&mut items) else { continue };
        items.truncate(known);
        // A name that something else hides stays unknown however often it is looked at.
        let is_new = errors.last().is_none_or(|last| last.span != error.span);
        let unknown = parser.unknown.take().filter(|_| is_new);
        if is_new {
            errors.push(*error);
        }
        let goes_on = match unknown {
            Some(name) => parser.again(start, name),
            None => parser.pass_over(start),
        };
        if !goes_on {
            break;
        }
    }
    if errors.is_empty() { Ok(items) } else { Err(errors) }
}

/// Where an item begins, and how many names had been declared by then.
struct Start {
    position: usize,
    names: usize,
}

impl Parser<'_, '_> {
    /// Leaves all scopes that the error is in.
    fn leave_scopes(&mut self, start: &Start) {
        (self.depth, self.reach, self.functions) = (0, 0, 0);
        for (name, meaning) in self.undo.drain(start.names..).rev() {
            match meaning {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(&name),
            };
        }
    }

    /// Goes back to the beginning of an item, with one more type.
    fn again(&mut self, start: Start, unknown: String) -> bool {
        self.leave_scopes(&start);
        self.position = start.position;
        self.names.insert(unknown, Meaning::Type);
        true
    }

    /// Goes on after the item, if its end can be told: the first semicolon outside of braces after the error, or the brace
    /// that closes the body of a function.
    fn pass_over(&mut self, start: Start) -> bool {
        self.leave_scopes(&start);
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
