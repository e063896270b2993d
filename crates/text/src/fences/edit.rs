//! The text with fences at some sites, within its lines, and the way back from its places to the user's.

use super::{FenceSyntax, Shape, Site};
use fencepost_ir::tree::FenceKind;
use fencepost_ir::{FileId, Span};
use std::collections::BTreeSet;

/// Lines and columns of a text to offsets and back.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Looks for the lines.
    pub fn new(text: &'a str) -> Lines<'a> {
        // A byte order mark is not a column.
        let first = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        let starts = std::iter::once(first).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Lines { text, starts }
    }

    fn offset(&self, line: u32, column: u32) -> usize {
        let Some(&start) = self.starts.get((line as usize).saturating_sub(1)) else { return self.text.len() };
        let rest = &self.text[start..];
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let skipped = rest.char_indices().nth((column as usize).saturating_sub(1));
        start + skipped.map_or(rest.len(), |(i, _)| i)
    }

    /// Where a span starts.
    pub fn start(&self, span: Span) -> usize {
        self.offset(span.line, span.column)
    }

    /// Where it ends.
    pub fn end(&self, span: Span) -> usize {
        self.offset(span.line, span.column + span.length)
    }

    /// The line of an offset, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|s| *s <= offset).max(1) as u32
    }

    /// The column of an offset, from 1.
    pub fn column(&self, offset: usize) -> u32 {
        let start = self.starts[self.line(offset) as usize - 1].min(offset);
        self.text[start..offset].chars().count() as u32 + 1
    }

    /// The offset where the line of an offset starts.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        self.starts[self.line(offset) as usize - 1]
    }

    /// The offset where the line after the line of an offset starts, or the end of the text.
    pub fn next_line(&self, offset: usize) -> usize {
        self.starts.get(self.line(offset) as usize).copied().unwrap_or(self.text.len())
    }
}

/// A piece of new text in place of an old one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The old text that goes.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
    /// The site it belongs to, by its number in the list that was asked for.
    pub(super) site: Option<usize>,
}

/// A text that was made from another.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// Pieces, with where they start in the new text.
    pieces: Vec<(usize, Piece)>,
    old: String,
}

impl Edited {
    pub(super) fn new(old: &str, pieces: Vec<Piece>) -> Edited {
        let mut text = String::new();
        let mut placed = Vec::new();
        let mut done = 0;
        for piece in pieces {
            text += &old[done..piece.from];
            placed.push((text.len(), piece.clone()));
            text += &piece.text;
            done = piece.to;
        }
        text += &old[done..];
        Edited { text, pieces: placed, old: old.to_string() }
    }

    /// Tells the site whose fence is at a place of the new text, by its number in the list given.
    pub fn site_at(&self) -> impl Fn(Span) -> Option<usize> {
        let lines = Lines::new(&self.text);
        move |span| {
            // A label before the fence may be part of its place.
            let (start, end) = (lines.start(span), lines.end(span));
            let covers = |(at, piece): &&(usize, Piece)| {
                (*at..at + piece.text.len()).contains(&start) || (start..end).contains(at)
            };
            let is_here = span.is_some() && span.file == FileId(0);
            self.pieces.iter().find(covers).filter(|_| is_here).and_then(|(_, piece)| piece.site)
        }
    }

    /// Translates places of the new text to the old one.
    pub fn original(&self) -> impl Fn(Span) -> Span {
        let new = Lines::new(&self.text);
        let old = Lines::new(&self.old);
        move |span| {
            if !span.is_some() || span.file != FileId(0) {
                return span;
            }
            let offset = self.old_offset(new.start(span));
            Span { line: old.line(offset), column: old.column(offset), ..span }
        }
    }

    fn old_offset(&self, offset: usize) -> usize {
        let mut before = 0isize;
        for (start, piece) in &self.pieces {
            if offset < *start {
                break;
            }
            if offset < start + piece.text.len() {
                return piece.from;
            }
            before += piece.text.len() as isize - (piece.to - piece.from) as isize;
        }
        offset.saturating_add_signed(-before)
    }
}

/// Puts fences at sites, on the lines where they are.
pub fn insert(syntax: &dyn FenceSyntax, text: &str, fences: &[(&Site, FenceKind)]) -> Edited {
    let words = |kind| syntax.bare_fence(kind);
    Edited::new(text, pieces(syntax, text, fences, &words))
}

/// The pieces of [`insert`], in order.
pub(super) fn pieces<'s>(
    syntax: &dyn FenceSyntax,
    text: &str,
    fences: &[(&Site, FenceKind)],
    words: &dyn Fn(FenceKind) -> &'s str,
) -> Vec<Piece> {
    // What comes first where several pieces begin at one place: what ends inside, inner before outer; then
    // what begins, outer before inner; then what is before.
    let mut keyed: Vec<((usize, u8, isize, u8), Piece)> = Vec::new();
    let mut braces = BTreeSet::new();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    for (number, (site, kind)) in fences.iter().enumerate() {
        let word = words(*kind);
        let mut add = |at: usize, to: usize, key: (u8, isize, u8), text: String| {
            let piece = Piece { from: at, to, text, site: Some(number) };
            keyed.push(((at, key.0, key.1, key.2), piece));
        };
        match &site.shape {
            Shape::Before => add(site.at, site.at, (2, 0, 0), format!("{word} ")),
            Shape::Behind => add(site.at, site.at, (0, isize::MAX, 0), syntax.after_last(word)),
            Shape::AloneBefore(end) => {
                add(site.at, site.at, (1, -(*end as isize), 1), format!("{word} "));
                braces.insert((site.at, *end));
            }
            Shape::AloneBehind(end) => {
                add(*end, *end, (0, -(site.at as isize), 0), syntax.after_last(word));
                braces.insert((site.at, *end));
            }
            Shape::Empty(end) => add(site.at, *end, (2, 0, 1), format!("{{ {word} }}")),
            Shape::Transition { state, line, from } => {
                let fresh = fresh_state(text, number);
                let (a, b) = if *from { (state, &fresh) } else { (&fresh, state) };
                let transition = format!("transition {a} {b} {word}{newline}");
                let before = if *line == text.len() && !text.ends_with('\n') { newline } else { "" };
                add(*line, *line, (2, 0, 0), format!("{before}{transition}"));
                // The new name of the state is not a fence: it is in the user's own transition, which may be one.
                let renamed = Piece { from: site.at, to: site.at + state.len(), text: fresh, site: None };
                keyed.push(((site.at, 2, 0, 2), renamed));
            }
            Shape::Row { column, columns } => {
                let cells = (0..*columns).map(|c| if c == *column { word } else { "" });
                let row = cells.map(|c| format!(" {c:8}")).collect::<Vec<_>>().join(" |");
                add(site.at, site.at, (2, *column as isize, 0), format!("{row} ;{newline}"));
            }
        }
    }
    for (start, end) in braces {
        let piece = |at: usize, text: &str| Piece { from: at, to: at, text: text.into(), site: None };
        keyed.push(((start, 1, -(end as isize), 0), piece(start, "{ ")));
        keyed.push(((end, 0, -(start as isize), 1), piece(end, " }")));
    }
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, piece)| piece).collect()
}

/// A name for a state that the text does not have.
fn fresh_state(text: &str, number: usize) -> String {
    let mut name = format!("fence{number}");
    while text.split_whitespace().any(|word| word == name) {
        name.push('_');
    }
    name
}
