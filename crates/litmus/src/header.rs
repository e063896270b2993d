//! The lines before the init block: the architecture and the test's name, then documentation in
//! quotes and lines `KEY=VALUE`, which say nothing about the test's meaning. As in herd, more text may follow the
//! name, such as a name for typesetting: `X86 MP (MP) "doc";`.

use super::ast::Arch;
use super::lexer::Scanner;
use fencepost_text::Diagnostic;

/// What the header says. The scanner is left at the `{` of the init block.
pub fn read(scanner: &mut Scanner<'_>) -> Result<(Arch, String), Diagnostic> {
    scanner.skip_blank()?;
    let word = scanner.rest.find(char::is_whitespace).unwrap_or(scanner.rest.len());
    let span = scanner.here(scanner.rest[..word].chars().count() as u32);
    let arch = match scanner.advance(word) {
        "X86" => Arch::X86,
        "X86_64" => Arch::X86_64,
        "C" => Arch::C,
        "" => {
            return Err(Diagnostic::new(span, "this litmus test is empty")
                .help("it begins with the architecture and the name, as in `X86_64 SB`"));
        }
        other => {
            let message = format!("tests for `{}` cannot be read", other.escape_default());
            return Err(Diagnostic::new(span, message)
                .label("expected `X86`, `X86_64` or `C`")
                .help("a litmus test begins with the architecture and the name, as in `X86_64 SB`"));
        }
    };
    let line = scanner.rest.find('\n').unwrap_or(scanner.rest.len());
    let blank = scanner.rest[..line].len() - scanner.rest[..line].trim_start().len();
    scanner.advance(blank);
    let ends = |c: char| c.is_whitespace() || ['(', '"', '{'].contains(&c);
    let end = scanner.rest.find(ends).unwrap_or(scanner.rest.len());
    let first_line = scanner.here(0).line;
    let name = scanner.advance(end.min(line - blank)).to_string();
    if name.is_empty() {
        return Err(Diagnostic::new(scanner.here(1), "the test has no name")
            .help("the name stands behind the architecture, as in `X86_64 SB`"));
    }
    loop {
        scanner.skip_blank()?;
        let line = scanner.rest.lines().next().unwrap_or("");
        if scanner.rest.starts_with('{') {
            return Ok((arch, name));
        } else if scanner.rest.starts_with('"') {
            let start = scanner.here(1);
            let Some(end) = scanner.rest[1..].find('"') else {
                return Err(
                    Diagnostic::new(start, "this documentation has no end").help("close it with `\"`")
                );
            };
            scanner.advance(end + 2);
        } else if scanner.rest.starts_with(';') {
            scanner.advance(1);
        } else if scanner.here(0).line == first_line && !line.is_empty() {
            let first = line.chars().next().map_or(0, char::len_utf8);
            let stops = ["{", "\"", "(*"].iter().filter_map(|stop| line[first..].find(stop));
            scanner.advance(stops.min().map_or(line.len(), |stop| stop + first));
        } else if is_key_value(line) {
            scanner.advance(line.len());
        } else {
            let span = scanner.here(line.trim_end().chars().count().max(1) as u32);
            let message = if line.is_empty() {
                "the test ends before its init block"
            } else {
                "expected the init block `{ ... }`, a line `KEY=VALUE` or documentation in quotes"
            };
            return Err(Diagnostic::new(span, message));
        }
    }
}

fn is_key_value(line: &str) -> bool {
    let Some((key, _)) = line.split_once('=') else { return false };
    let key = key.trim_end();
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
