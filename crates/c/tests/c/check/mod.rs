//! The typed program: what `check` makes of C, and what it says of wrong C.

mod atomics;
mod conversions;
mod corpus;
mod declarations;
mod errors;
mod expressions;
mod gcc;
mod gcc_initializers;
mod initializers;
mod programs;
mod robust;
mod statements;

use fencepost_c::{Options, hir_text};
use fencepost_ir::Sources;
use fencepost_text::Diagnostic;

/// The typed program of a text, or what is said of it: line, column and message of each error.
fn typed(text: &str) -> String {
    typed_with(text, &Options::default())
}

fn typed_with(text: &str, options: &Options) -> String {
    show(hir_text(&[("test.i", text)], options))
}

fn show(typed: Result<String, (Sources, Vec<Diagnostic>)>) -> String {
    let (_, diagnostics) = match typed {
        Ok(program) => return program,
        Err(errors) => errors,
    };
    let show = |d: &Diagnostic| {
        let label = if d.label.is_empty() { String::new() } else { format!(" ({})", d.label) };
        let help = d.help.as_ref().map_or(String::new(), |help| format!(" [{help}]"));
        format!("{}:{}: {}{label}{help}\n", d.span.line, d.span.column, d.message)
    };
    diagnostics.iter().map(show).collect()
}
