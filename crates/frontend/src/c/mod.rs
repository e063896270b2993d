//! C11 with GNU extensions, pthreads and atomics.
//!
//! Text goes through [`preprocess`] (the system's preprocessor with our own [`headers`]), [`lexer`] (to
//! tokens that stand where the user wrote them), [`parser`] (to [`ast`]) and [`lower`] (names and types,
//! to the tree of the program).

mod align;
pub mod ast;
mod headers;
mod lexer;
mod literal;
mod lower;
mod origin;
mod parser;
mod preprocess;
mod scan;
mod token;
mod types;
mod visit;

pub use origin::Origins;
pub use preprocess::{DataModel, Options};

use crate::Diagnostic;
use ast::{BlockItem, Parameter, Unit};
use fencepost_ir::{FileId, Sources, tree};
use lexer::{Files, Lexed, Places};

/// Reads a program. The name is a path, as for [`parse`].
pub fn read(name: &str, text: &str, options: &Options) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    let (unit, sources) = parse(name, text, options)?;
    let units = [unit];
    match lower::lower(&units, options.data_model) {
        Ok(mut program) => {
            program.sources = sources;
            debug_assert_eq!(tree::validate(&program), Ok(()), "lowering makes valid trees");
            Ok(program)
        }
        Err(mut diagnostic) => {
            // Blame the user's line, not the header's.
            diagnostic.span = units.iter().fold(diagnostic.span, |span, u| u.origins.in_user_file(span));
            Err((sources, vec![diagnostic]))
        }
    }
}

/// Parses a file. `name` is its path, or any name for a text that is in no file.
///
/// A file that is preprocessed already is taken as it is: one named `.i`, or one that begins with a line
/// marker. Its places are in the text itself, not in the files that its line markers name.
pub fn parse(
    name: &str,
    text: &str,
    options: &Options,
) -> Result<(Unit, Sources), (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::single(name, text);
    let parsed = if is_preprocessed(name, text) {
        lexer::lex(text, Places::Own { file: FileId(0), line: 1, column: 1 })
            .and_then(unit)
            .map_err(|d| vec![d])
    } else {
        preprocess::preprocess(&mut sources, options).and_then(|preprocessed| {
            let files = Files::new(&mut sources, &preprocessed.main, preprocessed.headers.path());
            lexer::lex(&preprocessed.text, Places::Marked(files)).and_then(unit).map_err(|d| vec![d])
        })
    };
    match parsed {
        Ok(unit) => Ok((unit, sources)),
        Err(diagnostics) => Err((sources, diagnostics)),
    }
}

fn unit(lexed: Lexed<'_>) -> Result<Unit, Diagnostic> {
    let items = parser::unit(&lexed.tokens).map_err(|d| *d)?;
    Ok(Unit { items, pragmas: lexed.pragmas, origins: lexed.origins })
}

/// Whether a preprocessor has been at work.
fn is_preprocessed(name: &str, text: &str) -> bool {
    let begins_with_marker = || {
        let first = text.trim_start().strip_prefix('#').map(str::trim_start);
        first.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    name.ends_with(".i") || begins_with_marker()
}

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
        parser::statements(&self.lex()?.tokens, self.types).map_err(|d| *d)
    }

    /// Parses the text as what stands between the parentheses of a function's parameters.
    pub fn parameters(&self) -> Result<Vec<Parameter>, Diagnostic> {
        parser::parameters(&self.lex()?.tokens, self.types).map_err(|d| *d)
    }

    fn lex(&self) -> Result<Lexed<'_>, Diagnostic> {
        let Fragment { file, line, column, .. } = *self;
        lexer::lex(self.text, Places::Own { file, line, column })
    }
}
