//! The repaired text for people: a fence before a statement gets a line of its own.
//!
//! It goes right after the line where the statement before it ends, if nothing but comments and blank lines
//! is in between, and is indented like its neighbours; else it stays within its line. Directives are never
//! crossed. A line that the language needs first ([`FenceSyntax::missing_line`]) is added.

use super::edit::{Piece, pieces};
use super::{Edited, FenceSyntax, Lines, Shape, Site};
use fencepost_ir::tree::FenceKind;

/// The repaired text, and where the fences are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Laid {
    /// The text.
    pub text: String,
    /// For each fence the line of the old text that it is after, or in.
    pub places: Vec<Standing>,
    /// What makes the text of the old one, in its order; no two of them touch.
    pub edits: Vec<Edit>,
}

/// New text in place of a piece of the old one; offsets are bytes of the old text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Where the old piece starts.
    pub from: usize,
    /// Where it ends; the same place if nothing goes.
    pub to: usize,
    /// The new text.
    pub text: String,
}

/// Where a fence is, in lines of the old text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// On a line of its own after this one.
    After(u32),
    /// Within a line.
    In {
        /// The line.
        line: u32,
        /// The column where it is.
        column: u32,
    },
}

/// The text with fences at sites, for people.
pub fn layout(syntax: &dyn FenceSyntax, text: &str, fences: &[(&Site, FenceKind)]) -> Laid {
    let lines = Lines::new(text);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let within = |at| Standing::In { line: lines.line(at), column: lines.column(at) };
    let mut places = Vec::new();
    let mut own_lines = Vec::new();
    let mut inline = Vec::new();
    for (number, (site, kind)) in fences.iter().enumerate() {
        let own = match site.shape {
            Shape::Before => own_line(text, &lines, site.at),
            _ => None,
        };
        match own {
            Some(Own { at, indent, after }) => {
                let text = format!("{indent}{}{newline}", syntax.fence(*kind));
                own_lines.push(Piece { from: at, to: at, text, site: Some(number) });
                places.push(Standing::After(after));
            }
            None => {
                inline.push((*site, *kind));
                places.push(match site.shape {
                    Shape::Transition { .. } => Standing::After(lines.line(site.at)),
                    Shape::Row { .. } => Standing::After(lines.line(site.at.saturating_sub(1))),
                    Shape::AloneBehind(end) => within(end),
                    _ => within(site.at),
                });
            }
        }
    }
    let mut all = own_lines;
    all.extend(pieces(syntax, text, &inline, &|kind| syntax.fence(kind)));
    let kinds: Vec<_> = fences.iter().map(|(_, kind)| *kind).collect();
    if let Some((at, line)) = syntax.missing_line(text, &kinds) {
        all.push(Piece { from: at, to: at, text: format!("{line}{newline}"), site: None });
    }
    // The order of pieces at one place is already right within each kind.
    all.sort_by_key(|p| p.from);
    let edits = edits(&all);
    Laid { text: Edited::new(text, all).text, places, edits }
}

/// Pieces as edits, those that touch as one: editors may apply edits of one place in any order.
fn edits(pieces: &[Piece]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for Piece { from, to, text, .. } in pieces {
        match edits.last_mut() {
            Some(last) if last.to == *from => {
                last.to = *to;
                last.text += text;
            }
            _ => edits.push(Edit { from: *from, to: *to, text: text.clone() }),
        }
    }
    edits
}

struct Own {
    at: usize,
    indent: String,
    after: u32,
}

/// Where a line of its own goes for a fence before what begins at `at`; `None` if other code is
/// before it on its line.
fn own_line(text: &str, lines: &Lines<'_>, at: usize) -> Option<Own> {
    let start = lines.line_start(at);
    let own_indent = &text[start..at];
    if !own_indent.trim().is_empty() {
        return None;
    }
    let before = last_code(&text[..at])?;
    let behind = lines.next_line(before);
    let between = text.get(behind..start)?;
    // A comment may continue over the end of the line.
    let is_open = last_code(&text[..behind]) != Some(before) || ends_in_comment(&text[..behind]);
    let has_directive = between.lines().any(|l| l.trim_start().starts_with('#'));
    let place = if is_open || has_directive { start } else { behind };
    let closes = text[at..].starts_with('}');
    let indent = match closes {
        true if text[..=before].ends_with(['{', ':']) => format!("{own_indent}{}", unit(text)),
        // Like the statement before it, or deeper than the brace if that one began elsewhere.
        true => {
            let previous = &text[lines.line_start(before)..];
            let previous = &previous[..previous.len() - previous.trim_start_matches([' ', '\t']).len()];
            match previous.len() > own_indent.len() {
                true => previous.to_string(),
                false => format!("{own_indent}{}", unit(text)),
            }
        }
        false => own_indent.to_string(),
    };
    Some(Own {
        at: place,
        indent,
        after: lines.line(if place == start { start.saturating_sub(1) } else { before }),
    })
}

/// One step of indentation.
fn unit(text: &str) -> &'static str {
    if text.lines().any(|l| l.starts_with('\t')) { "\t" } else { "    " }
}

/// The offset of the last character that is neither blank nor in a comment.
fn last_code(text: &str) -> Option<usize> {
    let mut last = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let skip = skipped(rest);
        if skip > 0 {
            at += skip;
            continue;
        }
        let c = rest.chars().next()?;
        last = Some(at);
        at += match c {
            // What looks like a comment within a string is none.
            '"' => string(rest),
            c => c.len_utf8(),
        };
    }
    last
}

fn ends_in_comment(text: &str) -> bool {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") && !rest.contains("*/") {
            return true;
        }
        at += match skipped(rest) {
            0 if rest.starts_with('"') => string(rest),
            0 => rest.chars().next().map_or(1, char::len_utf8),
            n => n,
        };
    }
    false
}

/// Bytes of a string literal, or one where it does not end on its line.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return 1,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return i + 1,
            _ => {}
        }
    }
    1
}

/// Bytes of blanks and of one comment at the beginning of a text.
pub fn skipped(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix("//") {
        return 2 + rest.find('\n').unwrap_or(rest.len());
    }
    if let Some(rest) = text.strip_prefix("/*") {
        return 2 + rest.find("*/").map_or(rest.len(), |i| i + 2);
    }
    text.len() - text.trim_start().len()
}
