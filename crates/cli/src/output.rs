//! Standard output and standard error. What cannot be printed ends the process with 2: without a word where the reader
//! went away (`| head`), with a message where the disk is full. Control characters never get to a terminal.

use crate::{Exit, outputs};
use fencepost_report::paint::{Colours, Paint, masked};
use fencepost_report::text::{Detail, Style};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// How runs are shown: as wide as the terminal, if there is one.
pub fn style(detail: Detail) -> Style {
    let terminal = terminal_size::terminal_size_of(std::io::stdout());
    let width = terminal.map_or(Style::default().width, |(width, _)| usize::from(width.0));
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let paint = if terminal.is_some() && !refused { Paint::Ansi } else { Paint::Plain };
    Style { width, detail, paint }
}

/// Whether standard output takes nothing any more.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Whether something could not be printed. There is no use in finding out more, and the process ends with 2.
pub fn has_failed() -> bool {
    if let Err(error) = std::io::stdout().flush() {
        failed(&error);
    }
    FAILED.load(Ordering::Relaxed)
}

/// A reader that went away knows it; whoever fills a disk may not.
fn failed(error: &std::io::Error) {
    if !FAILED.swap(true, Ordering::Relaxed) && error.kind() != ErrorKind::BrokenPipe {
        complain(format!("error: standard output: {error}"));
    }
}

fn print(text: &str) {
    if !FAILED.load(Ordering::Relaxed)
        && let Err(error) = std::io::stdout().write_all(text.as_bytes())
    {
        failed(&error);
    }
}

/// Writes to standard output what a file would have got.
pub fn bytes(bytes: &[u8]) -> std::io::Result<()> {
    let mut stdout = std::io::stdout();
    stdout.write_all(bytes).and_then(|()| stdout.flush())
}

/// Prints a line on standard output.
pub fn line(line: impl std::fmt::Display) {
    text(format_args!("{line}\n"));
}

/// Prints text that ends its own lines on standard output. It may have pieces of the source in it.
pub fn text(text: impl std::fmt::Display) {
    print(&masked(&text.to_string(), colours(std::io::stdout().is_terminal())));
}

/// Prints a program on standard output: as it is, unless people look at it.
fn program_text(text: &str) {
    match std::io::stdout().is_terminal() {
        true => print(&masked(text, Colours::None)),
        false => print(text),
    }
}

/// Prints a line on standard error.
pub fn complain(text: impl std::fmt::Display) {
    let text = masked(&text.to_string(), colours(std::io::stderr().is_terminal())).into_owned();
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says why nothing is done.
pub fn refuse(message: impl std::fmt::Display) -> Exit {
    complain(format_args!("error: {message}"));
    Exit::Wrong
}

fn colours(is_terminal: bool) -> Colours {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    if is_terminal && !refused { Colours::Ours } else { Colours::None }
}

/// What clap has to say: help and the version on standard output, or what is wrong on standard error.
pub fn usage(told: &clap::Error) -> ExitCode {
    let printed = told.print().and_then(|()| std::io::stdout().flush());
    if let Err(error) = printed {
        failed(&error);
        return ExitCode::from(Exit::Wrong as u8);
    }
    ExitCode::from(told.exit_code() as u8)
}

/// Writes a program that was made of another one to a file, or to standard output.
pub fn program(file: Option<&Path>, made: &str) -> Exit {
    let Some(path) = file else {
        program_text(made);
        return Exit::Good;
    };
    outputs::write(path, made).map_or(Exit::Wrong, |()| Exit::Good)
}
