//! The modelling language, `.fp`: small, C-like; `docs/language.md` is its reference.
//!
//! Text goes through [`fencepost_text::lexer`], [`parser`] (to [`ast`]) and [`resolve`] (names and types, to the
//! tree).

mod ast;
mod expression;
mod fences;
mod if_chain;
mod parse_expression;
mod parser;
mod resolve;
mod statement;

pub use fences::Fences;

use fencepost_ir::{Sources, tree};
use fencepost_text::fences::Seen;
use fencepost_text::{Diagnostic, lexer};

fn read_tree(text: &str) -> Result<tree::Program, Vec<Diagnostic>> {
    let tokens = lexer::lex(text, lexer::MODEL_SYMBOLS).map_err(|d| vec![d])?;
    let items = parser::parse(&tokens).map_err(|d| vec![d])?;
    let words = tokens.into_iter().filter_map(|t| match t.kind {
        lexer::TokenKind::Word(word) => Some(word),
        _ => None,
    });
    resolve::resolve(&items, words.collect())
}

/// The places between the statements of a text that can be read.
fn seen(text: &str) -> Vec<Seen> {
    let tokens = lexer::lex(text, lexer::MODEL_SYMBOLS).unwrap_or_default();
    let parsed = (!tokens.is_empty()).then(|| parser::parse_seen(&tokens));
    parsed.and_then(Result::ok).map_or(Vec::new(), |(_, seen)| seen)
}

/// Whether a word is one of the language, and so cannot be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    parser::RESERVED.contains(&word)
        || parser::TYPES.contains(&word)
        || tree::RmwKind::ALL.iter().any(|k| k.name() == word)
}

/// Reads a program. `name` is the file's name in messages.
pub fn read(name: &str, text: &str) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    let sources = Sources::single(name, text);
    match read_tree(text) {
        Ok(mut program) => {
            program.sources = sources;
            debug_assert_eq!(tree::validate(&program), Ok(()), "the resolver makes valid trees");
            Ok(program)
        }
        Err(diagnostics) => Err((sources, diagnostics)),
    }
}
