//! Standard output and standard error. A reader that went away (`| head`) is no reason to panic:
//! what cannot be written is dropped, and the exit code still tells the verdict.

use crate::Exit;
use fencepost_report::paint::Paint;
use fencepost_report::text::{Detail, Style};
use std::io::Write;
use std::path::Path;

/// How runs are shown: as wide as the terminal, if there is one.
pub fn style(detail: Detail) -> Style {
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    let width = terminal.map_or(Style::default().width, |(width, _)| usize::from(width.0));
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let paint = if terminal.is_some() && !refused { Paint::Ansi } else { Paint::Plain };
    Style { width, detail, paint }
}

/// Writes a file; says so where that cannot be done.
pub fn write(path: &std::path::Path, text: &str) -> Result<(), ()> {
    std::fs::write(path, text).map_err(|error| complain(format!("error: {}: {error}", path.display())))
}

/// Prints a line on standard output.
pub fn line(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints text that ends its own lines on standard output.
pub fn text(text: impl std::fmt::Display) {
    let _ = write!(std::io::stdout(), "{text}");
}

/// Prints a line on standard error.
pub fn complain(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes a program that was made of another one to a file, or to standard output.
pub fn program(source: &Path, file: Option<&Path>, made: &str) -> Exit {
    let Some(path) = file else {
        text(made);
        return Exit::Good;
    };
    if source.canonicalize().is_ok_and(|s| path.canonicalize().is_ok_and(|p| p == s)) {
        complain("error: -o would overwrite the program");
        return Exit::Wrong;
    }
    match std::fs::write(path, made) {
        Ok(()) => Exit::Good,
        Err(error) => {
            complain(format!("error: {}: {error}", path.display()));
            Exit::Wrong
        }
    }
}
