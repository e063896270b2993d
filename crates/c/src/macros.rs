//! Macros behind a place: what the preprocessor makes of a macro's call is where the call is, so a message about it
//! shows the definition, too.
//!
//! The preprocessor does not tell where in a macro a token comes from. The word at the place is looked for among the
//! definitions in the program's files, and from there on the macro is followed into which the words of the message lead.

use fencepost_ir::{FileId, Sources, Span};
use fencepost_text::{Diagnostic, Related};
use std::collections::HashMap;

/// Macros that are followed into each other at most.
const MOST_NESTED: usize = 8;

/// The definitions of macros in files, by their names; the last one of a name.
pub struct Macros<'s> {
    known: HashMap<&'s str, Definition<'s>>,
}

#[derive(Clone, Copy)]
struct Definition<'s> {
    file: FileId,
    /// The line of its beginning, from 1, and its lines.
    first: u32,
    lines: &'s str,
}

impl<'s> Macros<'s> {
    pub fn of(sources: &'s Sources) -> Macros<'s> {
        let mut known = HashMap::new();
        for file in sources.files() {
            let text = sources.text(file);
            let mut line = 1;
            let mut rest = text;
            while !rest.is_empty() {
                let end = logical_line(rest);
                let (lines, after) = rest.split_at(end);
                if let Some(name) = defined(lines) {
                    known.insert(name, Definition { file, first: line, lines });
                }
                line += lines.matches('\n').count() as u32;
                rest = after;
            }
        }
        Macros { known }
    }

    /// Adds to a message the macros whose use is its place, except those of system headers.
    pub fn explain(&self, sources: &Sources, diagnostic: &mut Diagnostic, is_system: impl Fn(Span) -> bool) {
        let Some(line) = sources.line(diagnostic.span) else { return };
        let at = diagnostic.span.column.saturating_sub(1) as usize;
        let start = line.char_indices().nth(at).map_or(line.len(), |(i, _)| i);
        let Some(mut name) = words(&line[start..]).next().filter(|(place, _)| *place == 0).map(|(_, w)| w)
        else {
            return;
        };
        let wanted: Vec<&str> = diagnostic.message.split('`').skip(1).step_by(2).collect();
        for _ in 0..MOST_NESTED {
            let Some((known, definition)) = self.known.get_key_value(name) else { return };
            let (span, inner) = definition.place(known, &wanted, self);
            if is_system(span) {
                return;
            }
            let message = format!("in the macro `{known}`, defined here");
            diagnostic.also.push(Related { span, message });
            match inner {
                Some(inner) => name = inner,
                None => return,
            }
        }
    }

    /// Whether a macro's text, or that of one that it calls, has one of the words.
    fn leads_to(&self, name: &str, wanted: &[&str], depth: usize) -> bool {
        let Some(definition) = self.known.get(name).filter(|_| depth > 0) else { return false };
        words(definition.body(name))
            .any(|(_, word)| wanted.contains(&word) || word != name && self.leads_to(word, wanted, depth - 1))
    }
}

impl<'s> Definition<'s> {
    /// What comes after the macro's name.
    fn body(&self, name: &str) -> &'s str {
        let start = self.lines.find(name).map_or(0, |at| at + name.len());
        &self.lines[start..]
    }

    /// The place in the definition that a message is about, and the macro that leads further.
    fn place(&self, name: &str, wanted: &[&str], macros: &Macros<'s>) -> (Span, Option<&'s str>) {
        let body = self.body(name);
        let offset = self.lines.len() - body.len();
        let direct = words(body).find(|(_, word)| wanted.contains(word));
        if let Some((at, word)) = direct {
            return (self.span(offset + at, word), None);
        }
        let inner = words(body).find(|(_, word)| *word != name && macros.leads_to(word, wanted, MOST_NESTED));
        match inner {
            Some((at, word)) => (self.span(offset + at, word), Some(word)),
            None => (self.span(offset - name.len(), name), None),
        }
    }

    fn span(&self, at: usize, word: &str) -> Span {
        let before = &self.lines[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Span {
            file: self.file,
            line: self.first + before.matches('\n').count() as u32,
            column: before[line_start..].chars().count() as u32 + 1,
            length: word.chars().count() as u32,
        }
    }
}

/// The bytes of the first line of a text, with those that a backslash adds to it.
fn logical_line(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            break;
        }
    }
    end
}

/// The macro that a line defines.
fn defined(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    words(directive).next().map(|(_, word)| word)
}

/// The words of a text, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |n| start + n);
        at = end;
        Some((start, &text[start..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, line: u32, column: u32, message: &str) -> Vec<(u32, u32, String)> {
        let sources = Sources::single("test.c", text);
        let span = Span { file: FileId(0), line, column, length: 1 };
        let mut diagnostic = Diagnostic::new(span, message);
        Macros::of(&sources).explain(&sources, &mut diagnostic, |_| false);
        diagnostic.also.into_iter().map(|r| (r.span.line, r.span.column, r.message)).collect()
    }

    #[test]
    fn a_message_leads_through_macros() {
        let text = "#define IN(p) \\\n    (p)->gone\n#define OUT(q) (IN(q) + 1)\nint a = OUT(b);\n";
        let found = places(text, 4, 9, "there is no member `gone`");
        let shown = |name: &str| format!("in the macro `{name}`, defined here");
        assert_eq!(found, [(3, 17, shown("OUT")), (2, 10, shown("IN"))]);
    }

    #[test]
    fn what_no_macro_makes_has_no_macro() {
        assert_eq!(places("#define A 1\nint a = b;\n", 2, 9, "`b` is not declared"), []);
    }

    #[test]
    fn a_macro_that_calls_itself_is_shown_once() {
        let found = places("#define F(x) F(x)\nint a = F(b);\n", 2, 9, "`F` is not declared");
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
