//! Tokens to the tree: recursive descent, with precedence climbing for expressions.
//!
//! C can only be parsed by one who knows which names are types, so the parser keeps the typedef names
//! of each scope, and what hides them.
//!
//! An error ends what it is in; `recover.rs` says where parsing continues. Nesting is counted, so that no input overflows
//! the stack.

mod attribute;
mod declaration;
mod declarator;
mod expression;
mod if_chain;
mod recover;
mod row;
mod specifier;
mod statement;

use super::ast::{BlockItem, Item, Name, StringLiteral, TypeName};
use super::nearest::nearest;
use super::token::{Keyword, Token, TokenKind};
use super::{headers, literal};
use fencepost_ir::{Span, wanted};
use fencepost_text::Diagnostic;
use std::collections::HashMap;

use recover::Mistakes;
pub use recover::{Parsed, unit};

/// The error is boxed: results are on the stack at every level of recursion.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

fn refused<T>(diagnostic: Diagnostic) -> Result<T> {
    Err(Box::new(diagnostic))
}

/// How deep things may be nested: a level costs up to 4 KiB of the stack, and threads have 2 MiB.
const MAX_NESTING: usize = 256;

/// The tree's height, which long rows of operators make larger than the nesting.
const MAX_HEIGHT: usize = 400;

/// The types that GCC knows without a declaration.
const PREDEFINED: [&str; 2] = ["__int128_t", "__uint128_t"];

/// What a name means where it is looked up. A name that never was a type is not kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Type,
    /// A variable, function or constant hides the type of that name.
    Hidden,
}

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    position: usize,
    /// The levels above what is parsed.
    depth: usize,
    /// The deepest level of the row of operators that is parsed, as [`Parser::row`] says.
    reach: usize,
    names: HashMap<String, Meaning>,
    /// What names meant before they were declared, to be restored at the ends of scopes.
    undo: Vec<(String, Option<Meaning>)>,
    /// How many chains of `else if` were laid out flat.
    chains: usize,
    /// How many parts of long rows were put aside.
    asides: usize,
    /// The bodies of functions around what is parsed.
    functions: usize,
    /// The name that was used like a type and is none, if that was the error.
    unknown: Option<String>,
    /// What was wrong so far, in a text where parsing goes on after errors: a whole file, which can include headers.
    mistakes: Option<Mistakes>,
}

/// Pieces of a translation unit that are parsed one after the other. What is wrong with one leaves the others as they are.
#[derive(Clone)]
pub struct Pieces {
    names: HashMap<String, Meaning>,
}

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces { names: PREDEFINED.map(|name| (name.to_string(), Meaning::Type)).into() }
    }
}

impl Pieces {
    /// Parses what is outside of functions; the types that it declares are known from then on.
    pub fn items(&mut self, tokens: &[Token<'_>]) -> Result<Vec<Item>> {
        self.parse(tokens, |parser| {
            let mut items = Vec::new();
            while !parser.at_end() {
                parser.item(&mut items)?;
            }
            Ok(items)
        })
    }

    /// Parses a type.
    pub fn type_name(&mut self, tokens: &[Token<'_>]) -> Result<TypeName> {
        self.parse(tokens, |parser| {
            let name = parser.type_name()?;
            if parser.at_end() { Ok(*name) } else { Err(parser.unexpected("the end of the type")) }
        })
    }

    fn parse<T>(
        &mut self,
        tokens: &[Token<'_>],
        parse: impl FnOnce(&mut Parser<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let names = std::mem::take(&mut self.names);
        let mut parser = Parser { names, ..Parser::new(tokens, []) };
        let result = parse(&mut parser);
        self.names = parser.names;
        result
    }
}

/// Parses what may be between a function's braces.
pub fn statements(tokens: &[Token<'_>], types: &[&str]) -> Result<Vec<BlockItem>> {
    let mut parser = Parser::new(tokens, types.iter().copied().chain(PREDEFINED));
    let mut items = Vec::new();
    while !parser.at_end() {
        parser.block_item(&mut items)?;
    }
    Ok(items)
}

impl<'t, 'a> Parser<'t, 'a> {
    fn new<'n>(tokens: &'t [Token<'a>], types: impl IntoIterator<Item = &'n str>) -> Parser<'t, 'a> {
        let names = types.into_iter().map(|name| (name.to_string(), Meaning::Type)).collect();
        Parser {
            tokens,
            position: 0,
            depth: 0,
            reach: 0,
            names,
            undo: Vec::new(),
            chains: 0,
            asides: 0,
            functions: 0,
            unknown: None,
            mistakes: None,
        }
    }

    // Tokens

    fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.position + ahead).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Where the next token is.
    fn here(&self) -> Span {
        self.peek().span
    }

    /// Where the last token that was read is.
    fn before(&self) -> Span {
        self.tokens[self.position.saturating_sub(1)].span
    }

    /// From a place to the last token that was read.
    fn since(&self, start: Span) -> Span {
        start.to(self.before())
    }

    fn advance(&mut self) -> Token<'a> {
        wanted::point();
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    fn at_end(&self) -> bool {
        self.kind() == TokenKind::End
    }

    fn is(&self, symbol: &str) -> bool {
        self.is_at(0, symbol)
    }

    fn is_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Symbol(s) if s == symbol)
    }

    fn is_word(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, keyword: Keyword) -> bool {
        let found = self.is_word(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<Span> {
        if self.is(symbol) { Ok(self.advance().span) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn expect_word(&mut self, keyword: Keyword, spelling: &str) -> Result<Span> {
        if self.is_word(keyword) {
            Ok(self.advance().span)
        } else {
            Err(self.unexpected(&format!("`{spelling}`")))
        }
    }

    /// Reads a name.
    fn name(&mut self, what: &str) -> Result<Name> {
        match self.kind() {
            TokenKind::Identifier => {
                let token = self.advance();
                Ok(Name { text: token.text.to_string(), span: token.span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Reads a string, and those that follow it.
    fn string(&mut self) -> Result<StringLiteral> {
        let first = self.position;
        let span = self.here();
        while self.kind() == TokenKind::String {
            self.advance();
        }
        if self.position == first {
            return Err(self.unexpected("a string"));
        }
        let texts = self.tokens[first..self.position].iter().map(|token| token.text);
        literal::string(texts).map_err(|message| Box::new(Diagnostic::new(span, message)))
    }

    // Errors

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::String => "a string".to_string(),
            TokenKind::Identifier
            | TokenKind::Keyword(_)
            | TokenKind::Integer(_)
            | TokenKind::Float
            | TokenKind::Character(_)
            | TokenKind::Symbol(_) => format!("`{}`", token.text),
        };
        let message = format!("expected {expected}, found {found}");
        Box::new(Diagnostic::new(token.span, message).label(format!("expected {expected}")))
    }

    /// Says that the next token is used like a type, but is none.
    fn unknown_type(&mut self) -> Box<Diagnostic> {
        let token = self.peek();
        let diagnostic = Diagnostic::new(token.span, format!("`{}` is not known as a type", token.text));
        let types = self.names.iter().filter(|(_, meaning)| **meaning == Meaning::Type);
        let near = || nearest(token.text, types.map(|(name, _)| &name[..]));
        let header = headers::declaring(token.text).filter(|_| self.mistakes.is_some());
        let help = match (header, near()) {
            (Some(header), _) => format!("include <{header}>"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => "declare it with `typedef`, or include the header that does".to_string(),
        };
        self.unknown = Some(token.text.to_string());
        Box::new(diagnostic.label("not a type").help(help))
    }

    // Nesting

    /// Parses one level deeper.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return refused(Diagnostic::new(self.here(), message).help("split it into smaller parts"));
        }
        self.depth += 1;
        self.reach = self.reach.max(self.depth);
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses a row of left-associative operators. Each of them puts all that is left of it one
    /// level deeper than it was parsed, which [`Parser::beside`] keeps account of.
    fn row<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let around = std::mem::replace(&mut self.reach, self.depth);
        let result = parse(self)?;
        self.reach = self.reach.max(around);
        Ok(result)
    }

    /// Parses what an operator of a row has on its right.
    fn beside<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let left = self.reach + 1;
        self.check_height(left)?;
        self.reach = self.depth;
        let result = self.deeper(parse)?;
        self.reach = self.reach.max(left);
        Ok(result)
    }

    fn check_height(&self, height: usize) -> Result<()> {
        if height > MAX_HEIGHT {
            let message = format!("more than {MAX_HEIGHT} operators on top of each other");
            return refused(Diagnostic::new(self.here(), message).help("use a variable for a part of it"));
        }
        Ok(())
    }

    // Names

    fn is_type(&self, name: &str) -> bool {
        self.names.get(name) == Some(&Meaning::Type)
    }

    fn declare(&mut self, name: &str, meaning: Meaning) {
        let old = self.names.get(name).copied();
        // What is not a type anyway has nothing to hide.
        if old == Some(meaning) || (old.is_none() && meaning == Meaning::Hidden) {
            return;
        }
        self.undo.push((name.to_string(), old));
        self.names.insert(name.to_string(), meaning);
    }

    /// Parses with a scope around it.
    fn scoped<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mark = self.undo.len();
        let result = parse(self)?;
        for (name, meaning) in self.undo.drain(mark..).rev() {
            match meaning {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(&name),
            };
        }
        Ok(result)
    }
}
