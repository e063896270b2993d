//! Memorax's input, `.rmm`: processes over shared memory with finite or unbounded domains.
//!
//! Text goes through macros ([`macros`]), [`parser`] (to [`ast`]) and [`lower`] (to the tree).
//!
//! What differs from the modelling language: an instruction whose value leaves its target's domain
//! is not an error but not enabled; `read: m = e` and `cas` wait until they hold; variables of
//! processes are named relative to the process that names them.

mod ast;
mod fences;
mod lower;
mod macros;
mod parser;

pub use fences::Fences;

use fencepost_ir::{Sources, tree};
use fencepost_text::fences::Seen;
use fencepost_text::{Diagnostic, lexer};

/// Longest first, so that the first match is the right one.
const SYMBOLS: &[&str] = &[
    ":=", "&&", "||", "!=", "<=", ">=", "==", "=", "<", ">", "+", "-", "*", "$", ":", ";", ",", "(", ")",
    "[", "]", "{", "}", "!",
];

/// The places between the statements of a text that can be read.
fn seen(text: &str) -> Vec<Seen> {
    let tokens = macros::expand(lexer::lex(text, SYMBOLS).unwrap_or_default()).unwrap_or_default();
    let parsed = (!tokens.is_empty()).then(|| parser::parse_seen(&tokens));
    parsed.and_then(Result::ok).map_or(Vec::new(), |(_, seen)| seen)
}

/// Reads a program.
pub fn read(name: &str, text: &str) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    let sources = Sources::single(name, text);
    let read = || {
        let tokens = macros::expand(lexer::lex(text, SYMBOLS)?)?;
        lower::lower(&parser::parse(&tokens)?)
    };
    match read() {
        Ok(mut program) => {
            program.sources = sources;
            debug_assert_eq!(tree::validate(&program), Ok(()), "the reader makes valid trees");
            Ok(program)
        }
        Err(diagnostic) => Err((sources, vec![diagnostic])),
    }
}
