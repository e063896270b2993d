//! The C parser: every construct by the tree it becomes, every error by its message and place.
//!
//! `UPDATE_EXPECT=1 cargo test -p fencepost-c --test c syntax` writes the expectations anew; read
//! the difference before you commit it.

mod declarations;
mod dump;
mod errors;
mod expressions;
mod places;
mod robust;
mod statements;
mod system;

use expect_test::Expect;
use fencepost_c::ast::Unit;
use fencepost_c::{Fragment, Options};
use fencepost_ir::{FileId, Sources};
use fencepost_text::Diagnostic;

/// Parses a file with sources of its own.
fn parse(name: &str, text: &str, options: &Options) -> Result<(Unit, Sources), (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::default();
    match fencepost_c::parse(name, text, options, &mut sources) {
        Ok(unit) => Ok((unit, sources)),
        Err(diagnostics) => Err((sources, diagnostics)),
    }
}

/// The names that are types in fragments.
const TYPES: &[&str] = &["T", "U"];

fn fragment(text: &str) -> Fragment<'_> {
    Fragment { text, file: FileId(0), line: 1, column: 1 }
}

fn said(d: &Diagnostic) -> String {
    let help = d.help.as_ref().map_or(String::new(), |help| format!(" (help: {help})"));
    format!("{}:{}: {}{help}", d.span.line, d.span.column, d.message)
}

fn joined(parts: Result<Vec<String>, Diagnostic>) -> String {
    parts.map_or_else(|d| said(&d), |parts| parts.join("\n"))
}

/// Each line is an expression, in which `T` and `U` are types.
#[track_caller]
fn expressions(lines: &str, expected: Expect) {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let items = fragment(&format!("{line};")).statements(TYPES);
        out += &joined(items.map(|items| items.iter().map(dump::block_item).collect()));
        out.push('\n');
    }
    expected.assert_eq(&out);
}

/// Statements, in which `T` and `U` are types.
#[track_caller]
fn statements(text: &str, expected: Expect) {
    let items = fragment(text).statements(TYPES);
    expected.assert_eq(&joined(items.map(|items| items.iter().map(dump::block_item).collect())));
}

/// A translation unit that needs no preprocessor.
#[track_caller]
fn unit(text: &str, expected: Expect) {
    let unit = parse("unit.i", text, &Options::default());
    let items = unit.map_err(|(_, mut diagnostics)| diagnostics.remove(0));
    expected.assert_eq(&joined(items.map(|(unit, _)| unit.items.iter().map(dump::item).collect())));
}
