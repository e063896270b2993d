//! Where fences can stand in a text, and the text with fences in it.
//!
//! A *site* is a place between two statements of the user's text, found by the parser of its language
//! ([`sites`]). Fences are put into the text itself ([`insert`]), which the front end then reads like any other:
//! so what is checked is what the user would write, and all else stays as it was, byte for byte. Places in
//! the changed text can be told in terms of the user's ([`Edited::original`]). [`layout()`] is for people
//! to read: a fence on a line of its own, indented like its neighbours.

mod c_sites;
mod edit;
mod layout;
mod litmus_sites;
mod trencher_sites;

pub use edit::{Edited, Lines, insert};
pub use layout::{Edit, Laid, Standing, layout};

use crate::{c, lexer, memorax, model};
use fencepost_ir::Span;
use fencepost_ir::tree::FenceKind;

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// The modelling language.
    Fp,
    /// C.
    C,
    /// Memorax.
    Memorax,
    /// Trencher.
    Trencher,
    /// Litmus tests.
    Litmus,
}

impl Language {
    /// The kinds of fences that it has words for.
    pub fn kinds(self) -> &'static [FenceKind] {
        match self {
            Language::Trencher => &[FenceKind::Full],
            _ => &[FenceKind::Full, FenceKind::StoreStore],
        }
    }

    /// A fence as a statement, as people write it.
    pub fn fence(self, kind: FenceKind) -> &'static str {
        match (self, kind) {
            (Language::Fp, FenceKind::Full) => "fence;",
            (Language::Fp, FenceKind::StoreStore) => "fence store_store;",
            (Language::C, FenceKind::Full) => "atomic_thread_fence(memory_order_seq_cst);",
            (Language::C, FenceKind::StoreStore) => "atomic_thread_fence(memory_order_release);",
            (Language::Memorax, FenceKind::Full) => "fence;",
            (Language::Memorax, FenceKind::StoreStore) => "ssfence;",
            (Language::Trencher, _) => "mfence",
            (Language::Litmus, FenceKind::Full) => "MFENCE",
            (Language::Litmus, FenceKind::StoreStore) => "SFENCE",
        }
    }

    /// A fence as a statement that needs no header.
    fn plain_fence(self, kind: FenceKind) -> &'static str {
        match (self, kind) {
            (Language::C, FenceKind::Full) => "__atomic_thread_fence(__ATOMIC_SEQ_CST);",
            (Language::C, FenceKind::StoreStore) => "__atomic_thread_fence(__ATOMIC_RELEASE);",
            _ => self.fence(kind),
        }
    }
}

/// A place where a fence can stand; offsets are bytes of the text.
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
pub(crate) enum Seen {
    /// A statement or a closing brace begins here.
    Before(Span),
    /// The last statement of a sequence ends with this word.
    Behind(Span),
    /// A statement that stands alone: its first and last words.
    Alone(Span, Span),
    /// An empty statement that stands alone.
    Empty(Span),
}

/// The sites of a text that can be read, in its order. `name` and `options` are for C.
pub fn sites(language: Language, name: &str, text: &str, options: &c::Options) -> Vec<Site> {
    let lines = Lines::new(text);
    let mut sites = match language {
        Language::Fp => from_seen(&lines, &model::seen(text)),
        Language::Memorax => from_seen(&lines, &memorax::seen(text)),
        Language::C => c_sites::sites(name, text, options),
        Language::Trencher => trencher_sites::sites(text),
        Language::Litmus => litmus_sites::sites(text),
    };
    sites.sort();
    sites.dedup();
    sites
}

fn from_seen(lines: &Lines<'_>, seen: &[Seen]) -> Vec<Site> {
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
    sites
}

/// The tokens of a text that can be read.
pub(crate) fn tokens(text: &str, symbols: &'static [&'static str]) -> Vec<lexer::Token> {
    lexer::lex(text, symbols).unwrap_or_default()
}
