//! The modelling language, `.fp`: small, C-like; `docs/language.md` is its reference.
//!
//! Text goes through [`lexer`], [`parser`] (to [`ast`]) and [`resolve`] (names and types, to the
//! tree).

mod ast;
mod expression;
mod lexer;
mod parser;
mod resolve;
mod statement;

use crate::Diagnostic;
use fencepost_ir::{Sources, tree};

/// Reads a program. `name` is the file's name in messages.
pub fn read(name: &str, text: &str) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    let sources = Sources::single(name, text);
    let parsed = lexer::lex(text).and_then(|tokens| parser::parse(&tokens));
    let resolved = parsed.map_err(|d| vec![d]).and_then(|items| resolve::resolve(&items));
    match resolved {
        Ok(mut program) => {
            program.sources = sources;
            debug_assert_eq!(tree::validate(&program), Ok(()), "the resolver makes valid trees");
            Ok(program)
        }
        Err(diagnostics) => Err((sources, diagnostics)),
    }
}
