//! C11 with GNU extensions, pthreads and atomics.

mod align;
pub mod ast;
mod lexer;
mod literal;
mod origin;
mod parser;
mod scan;
mod token;

pub use origin::Origins;

use crate::Diagnostic;
use ast::{BlockItem, Parameter};
use fencepost_ir::FileId;

/// C text inside of another file: what stands between braces or parentheses.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// The text, without directives.
    pub text: &'a str,
    /// The file that it stands in.
    pub file: FileId,
    /// The line it begins in, from 1.
    pub line: u32,
    /// The column of its first character, from 1.
    pub column: u32,
    /// The names that are types.
    pub types: &'a [&'a str],
}

impl Fragment<'_> {
    /// Parses the text as what stands between a function's braces.
    pub fn statements(&self) -> Result<Vec<BlockItem>, Diagnostic> {
        parser::statements(&self.lex()?.tokens, self.types)
    }

    /// Parses the text as what stands between the parentheses of a function's parameters.
    pub fn parameters(&self) -> Result<Vec<Parameter>, Diagnostic> {
        parser::parameters(&self.lex()?.tokens, self.types)
    }

    fn lex(&self) -> Result<lexer::Lexed<'_>, Diagnostic> {
        let Fragment { file, line, column, .. } = *self;
        lexer::lex(self.text, lexer::Places::Own { file, line, column })
    }
}
