//! Where fences can go in a text, and the text with fences in it.
//!
//! A *site* is a place between two statements of the user's text. The front end of its language finds it, behind
//! the trait [`FenceSyntax`]. Fences are put into the text itself ([`insert`]), which the front end then reads like any other:
//! so what is checked is what the user would write, and all else stays as it was, byte for byte. Places in
//! the changed text can be told in terms of the user's ([`Edited::original`]). [`layout()`] is for people
//! to read: a fence on a line of its own, indented like its neighbours.

mod edit;
mod layout;

pub use edit::{Edited, Lines, insert};
pub use layout::{Edit, Laid, Standing, layout, skipped};

use fencepost_ir::Span;
use fencepost_ir::tree::FenceKind;

/// How fences are written in a language, and where they can be. Each front end has one.
pub trait FenceSyntax: Send + Sync {
    /// The places of a text where a fence can go; none if it cannot be read.
    fn sites(&self, name: &str, text: &str) -> Vec<Site>;

    /// A fence as a statement, as people write it.
    fn fence(&self, kind: FenceKind) -> &str;

    /// A fence as a statement that needs no header.
    fn bare_fence(&self, kind: FenceKind) -> &str {
        self.fence(kind)
    }

    /// The kinds of fences that the language has words for.
    fn kinds(&self) -> &'static [FenceKind] {
        &[FenceKind::Full, FenceKind::StoreStore]
    }

    /// What follows the last statement of a sequence to add this fence to it.
    fn after_last(&self, fence: &str) -> String {
        format!(" {fence}")
    }

    /// The line that a text lacks to use fences of these kinds, and the offset where it goes.
    fn missing_line(&self, _text: &str, _kinds: &[FenceKind]) -> Option<(usize, &'static str)> {
        None
    }
}

/// A place where a fence can go; offsets are bytes of the text.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Site {
    /// Where.
    pub at: usize,
    /// How it gets there.
    pub shape: Shape,
}

/// How a fence gets to its place.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Shape {
    /// Before the statement or the closing brace that begins there.
    Before,
    /// Behind the last statement of a sequence that needs a separator.
    Behind,
    /// Before a statement that stands alone, which needs braces up to this offset.
    AloneBefore(usize),
    /// Behind a statement that stands alone: it begins there and ends at the offset.
    AloneBehind(usize),
    /// In place of an empty statement, which ends at the offset.
    Empty(usize),
    /// On a transition between states: the fence leads from a new state to the old one. The words from
    /// `at` on name the state, and are replaced; the transition of the fence goes on a new line at `line`.
    Transition {
        /// The state's name.
        state: String,
        /// Where the new line goes.
        line: usize,
        /// Whether the state is where the transition starts, and not where it leads.
        from: bool,
    },
    /// In a column of a row of its own, which goes where `at` is.
    Row {
        /// The column.
        column: usize,
        /// Number of columns.
        columns: usize,
    },
}

/// What a parser saw, by lines and columns; `end` is the last word of a statement that stands alone.
#[derive(Clone, Copy, Debug)]
pub enum Seen {
    /// A statement or a closing brace begins here.
    Before(Span),
    /// The last statement of a sequence ends with this word.
    Behind(Span),
    /// A statement that stands alone: its first and last words.
    Alone(Span, Span),
    /// An empty statement that stands alone.
    Empty(Span),
}

/// The sites at what a parser saw.
pub fn from_seen(text: &str, seen: &[Seen]) -> Vec<Site> {
    let lines = Lines::new(text);
    let mut sites = Vec::new();
    for seen in seen {
        let mut site = |at, shape| sites.push(Site { at, shape });
        match seen {
            Seen::Before(span) => site(lines.start(*span), Shape::Before),
            Seen::Behind(span) => site(lines.end(*span), Shape::Behind),
            Seen::Alone(first, last) => {
                let (start, end) = (lines.start(*first), lines.end(*last));
                site(start, Shape::AloneBefore(end));
                site(start, Shape::AloneBehind(end));
            }
            Seen::Empty(span) => site(lines.start(*span), Shape::Empty(lines.end(*span))),
        }
    }
    in_order(sites)
}

/// The sites in the order of the text, each once.
pub fn in_order(mut sites: Vec<Site>) -> Vec<Site> {
    sites.sort();
    sites.dedup();
    sites
}
