//! C11 with GNU extensions, pthreads and atomics.
//!
//! Text goes through [`preprocess`] (the system's preprocessor with our own [`headers`]), [`lexer`] (to
//! tokens that are where the user wrote them), [`parser`] (to [`ast`]), [`check`] (names and types, to the typed program [`hir`])
//! and [`lower`] (to the tree of the program).
//!
//! ```
//! use fencepost_c::{Options, read};
//!
//! let text = "int x; int main(void) { x = 1; return x - 1; }";
//! let program = read(&[("one.c", text)], &Options::default()).expect("it is C");
//! assert_eq!(program.shared[0].name, "x");
//!
//! let (_, errors) = read(&[("two.c", "int main(void) { return y; }")], &Options::default()).unwrap_err();
//! assert_eq!(errors[0].span.line, 1);
//! ```

mod align;
pub mod ast;
mod check;
mod constants;
mod define;
mod fence_words;
mod fences;
mod finish;
mod headers;
mod hir;
mod lexer;
mod literal;
mod lower;
mod macros;
mod nearest;
mod origin;
pub mod outline;
mod parser;
mod preprocess;
mod running;
mod runtime;
mod scan;
pub mod threads;
mod token;

pub use fence_words::FenceWord;
pub use fences::Fences;
pub use headers::HEADERS;
pub use origin::Origins;
pub use preprocess::{DataModel, Options};
pub use running::end_preprocessor;

use ast::{BlockItem, Unit};
use fencepost_ir::{FileId, Sources, Span, tree};
use fencepost_text::Diagnostic;
use lexer::{Files, Lexed, Places};
use std::path::Path;

/// Reads a program: one file, or several that are linked, by name and text. Names are paths, as for
/// [`parse`].
pub fn read(files: &[(&str, &str)], options: &Options) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::default();
    let read = parse_all(files, options, &mut sources);
    if read.errors.is_empty() {
        passed_over(&read.units, &mut sources);
    }
    let library = runtime::library(&read.units);
    let is_system =
        |span: Span| span.file == runtime::FILE || read.units.iter().any(|unit| unit.origins.is_system(span));
    let typed = read.checked(&library, files, options, &sources);
    let lowered = typed.and_then(|typed| {
        let lowered = lower::lower(&typed, options, &sources, &is_system);
        let program = lowered.map_err(|found| blamed(found, &read.units, files, &sources))?;
        typed.remarks.into_iter().for_each(|remark| sources.remark(remark.span, remark.message));
        Ok(program)
    });
    match lowered {
        Ok(mut program) => {
            program.sources = sources;
            constants::name(&mut program);
            debug_assert_eq!(tree::validate(&program), Ok(()), "lowering makes valid trees");
            Ok(program)
        }
        Err(found) => Err((sources, found)),
    }
}

/// Takes note of what is not read although it changes the meaning.
fn passed_over(units: &[Unit], sources: &mut Sources) {
    for pragma in units.iter().flat_map(|unit| &unit.pragmas) {
        if pragma.text.split_whitespace().next() == Some("omp") {
            let message = format!("`#pragma {}` is ignored: OpenMP is not read", pragma.text.trim());
            sources.remark(pragma.span, message);
        }
    }
}

/// The typed program of files, as text: for tests.
#[doc(hidden)]
pub fn hir_text(files: &[(&str, &str)], options: &Options) -> Result<String, (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::default();
    let read = parse_all(files, options, &mut sources);
    let library = runtime::library(&read.units);
    match read.checked(&library, files, options, &sources) {
        Ok(program) => Ok(program.to_string()),
        Err(found) => Err((sources, found)),
    }
}

/// The files of a program, as far as they are C.
struct Parsed {
    units: Vec<Unit>,
    errors: Vec<Diagnostic>,
    /// Whether nothing outside of functions is missing, so that what does not fit together is an error of its own.
    is_whole: bool,
}

/// Parses all files; what is wrong with any of them is told.
fn parse_all(files: &[(&str, &str)], options: &Options, sources: &mut Sources) -> Parsed {
    let mut all = Parsed { units: Vec::new(), errors: Vec::new(), is_whole: true };
    for (name, text) in files {
        match parse_on(name, text, options, sources) {
            Ok((unit, errors, is_whole)) => {
                all.units.push(unit);
                all.errors.extend(errors);
                all.is_whole &= is_whole;
            }
            Err(found) => {
                all.errors.extend(found);
                all.is_whole = false;
            }
        }
    }
    all
}

impl Parsed {
    /// The typed program, or all that is wrong with it, in the order of the text.
    fn checked(
        &self,
        library: &Unit,
        files: &[(&str, &str)],
        options: &Options,
        sources: &Sources,
    ) -> Result<hir::Program, Vec<Diagnostic>> {
        let blamed = |found| blamed(found, &self.units, files, sources);
        if self.errors.is_empty() {
            return check::check(&self.units, library, options).map_err(blamed);
        }
        let mut errors = self.errors.clone();
        if self.is_whole {
            errors.extend(blamed(check::further_errors(&self.units, library, options)));
            errors.sort_by_key(|error| error.span);
        }
        Err(errors)
    }
}

/// Diagnostics at the user's lines, not at a header's, with the macros that they are about, and with whole harnesses.
fn blamed(
    mut diagnostics: Vec<Diagnostic>,
    units: &[Unit],
    files: &[(&str, &str)],
    sources: &Sources,
) -> Vec<Diagnostic> {
    let macros = macros::Macros::of(sources);
    for diagnostic in &mut diagnostics {
        let is_system = |span| units.iter().any(|unit| unit.origins.is_system(span));
        macros.explain(sources, diagnostic, is_system);
        diagnostic.span = units.iter().fold(diagnostic.span, |span, u| u.origins.in_user_file(span));
        if let Some(harness) = &mut diagnostic.draft {
            *harness = format!("{}{harness}", includes(files)).into();
        }
    }
    diagnostics
}

/// The first lines of a harness around files.
fn includes(files: &[(&str, &str)]) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n");
    for (name, _) in files {
        let name = Path::new(name).file_name().unwrap_or(name.as_ref());
        text += &format!("#include \"{}\"\n", name.display());
    }
    text + "\n"
}

/// Parses a file, and adds it to the sources with the headers it brings in. `name` is its path, or any
/// name for a text that is in no file.
///
/// A file that is preprocessed already is taken as it is: one named `.i`, or one that begins with a line
/// marker. Its places are in the files that its line markers name, or, where it has none, in the text
/// itself.
pub fn parse(
    name: &str,
    text: &str,
    options: &Options,
    sources: &mut Sources,
) -> Result<Unit, Vec<Diagnostic>> {
    without_errors(parse_on(name, text, options, sources)?)
}

/// What was parsed of a file, what is wrong with it, and whether all that stands outside of functions is there.
type ParsedFile = (Unit, Vec<Diagnostic>, bool);

fn without_errors((unit, errors, _): ParsedFile) -> Result<Unit, Vec<Diagnostic>> {
    if errors.is_empty() { Ok(unit) } else { Err(errors) }
}

/// Parses a file, and goes on after errors where that makes sense.
fn parse_on(
    name: &str,
    text: &str,
    options: &Options,
    sources: &mut Sources,
) -> Result<ParsedFile, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    if is_preprocessed(name, text) && has_marker(text) {
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        let files = Files::marked(sources, file, folder);
        let lexed = lexer::lex(text, Places::Marked(files)).map_err(|d| vec![d])?;
        return Ok(unit(lexed, sources));
    }
    if is_preprocessed(name, text) {
        let lexed = lexer::lex(text, Places::Own { file, line: 1, column: 1 }).map_err(|d| vec![d])?;
        return Ok(unit(lexed, sources));
    }
    let preprocessed = preprocess::preprocess(sources, file, options)?;
    let files = Files::new(sources, file, &preprocessed.main, preprocessed.headers.path());
    let lexed = lexer::lex(&preprocessed.text, Places::Marked(files)).map_err(|d| vec![d])?;
    Ok(unit(lexed, sources))
}

fn unit(mut lexed: Lexed<'_>, sources: &Sources) -> ParsedFile {
    token::with_new_keywords(&mut lexed.tokens);
    let origins = lexed.origins;
    let parser::Parsed { items, unknown, mut errors, is_whole } = parser::unit(&lexed.tokens);
    if !errors.is_empty() {
        let macros = macros::Macros::of(sources);
        for diagnostic in &mut errors {
            macros.explain(sources, diagnostic, |span| origins.is_system(span));
            // A declaration that the user did not end is blamed where the header begins to be read.
            diagnostic.span = origins.in_user_file(diagnostic.span);
        }
    }
    (Unit { items, pragmas: lexed.pragmas, origins, unknown }, errors, is_whole)
}

/// Whether a line of the text is a line marker.
fn has_marker(text: &str) -> bool {
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        directive.is_some_and(|d| d.starts_with(|c: char| c.is_ascii_digit()) || d.starts_with("line "))
    })
}

/// Whether a preprocessor has been at work.
fn is_preprocessed(name: &str, text: &str) -> bool {
    let begins_with_marker = || {
        let first = text.trim_start().strip_prefix('#').map(str::trim_start);
        first.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    name.ends_with(".i") || begins_with_marker()
}

/// C text inside of another file.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// The text, without directives.
    pub text: &'a str,
    /// The file that it is in.
    pub file: FileId,
    /// The line it begins in, from 1.
    pub line: u32,
    /// The column of its first character, from 1.
    pub column: u32,
}

impl<'a> Fragment<'a> {
    /// Parses the text as what is between a function's braces; these names are types.
    pub fn statements(&self, types: &[&str]) -> Result<Vec<BlockItem>, Diagnostic> {
        parser::statements(&self.lex()?.tokens, types).map_err(|d| *d)
    }

    fn lex(&self) -> Result<Lexed<'a>, Diagnostic> {
        let Fragment { file, line, column, .. } = *self;
        lexer::lex(self.text, Places::Own { file, line, column })
    }
}
