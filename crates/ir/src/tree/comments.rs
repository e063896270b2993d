//! The user's comments: found in the text, and put before what they are with.
//!
//! A comment in a body belongs to the first statement on its line or after it; one before a function or a shared variable
//! to that, if nothing is between; the first one in a file, to the file. Which is a matter of looks: a comment that
//! belongs to nothing is left out.

use crate::{FileId, Sources, Span};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// A comment of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Comment {
    /// The first and the last line it is on.
    from: u32,
    to: u32,
    /// Whether nothing else is before it on its line.
    alone: bool,
    /// With its signs.
    text: String,
    given: Cell<bool>,
}

/// A file's comments, and where its blocks end.
#[derive(Default)]
struct Found {
    comments: Vec<Comment>,
    /// For the line of each `{` outside of all others, the line of its `}`.
    blocks: BTreeMap<u32, u32>,
    /// Lines with something else than comments and space.
    code: BTreeSet<u32>,
    /// Lines on which a declaration or a line for the preprocessor ends.
    ended: BTreeSet<u32>,
    /// The first line that is not about the file as a whole.
    beginning: u32,
}

/// The comments of a program's files, each given out once.
pub struct Comments<'a> {
    sources: &'a Sources,
    files: RefCell<BTreeMap<FileId, Found>>,
}

impl<'a> Comments<'a> {
    /// None is given out yet.
    pub fn new(sources: &'a Sources) -> Comments<'a> {
        Comments { sources, files: RefCell::default() }
    }

    fn take(&self, file: FileId, wanted: impl Fn(&Found, &Comment) -> bool) -> Vec<String> {
        let mut files = self.files.borrow_mut();
        let found = &*files.entry(file).or_insert_with(|| scan(self.sources.text(file)));
        let wanted = found.comments.iter().filter(|c| !c.given.get() && wanted(found, c));
        wanted.map(|c| (c.given.set(true), c.text.clone()).1).collect()
    }

    /// What is at the beginning of the file, before everything else.
    pub fn of_file(&self, file: FileId) -> Vec<String> {
        self.take(file, |found, comment| comment.to < found.beginning)
    }

    /// What is with a declaration that begins on a line: on lines right before it, or on the same.
    pub fn of_declaration(&self, span: Span) -> Vec<String> {
        if !span.is_some() {
            return Vec::new();
        }
        self.take(span.file, |found, comment| {
            let gap = comment.to + 1..span.line;
            let near = comment.alone
                && comment.to < span.line
                // Only the declaration itself may begin before its name, and other comments.
                && gap.len() < 8
                && gap.clone().all(|line| found.is_head(line) || found.is_comment(line));
            near || (!comment.alone && comment.from == span.line)
        })
    }

    /// What belongs to a statement in a body that begins on a line.
    pub fn of_statement(&self, body: Span, span: Span) -> Vec<String> {
        if !span.is_some() || span.file != body.file || span.line < body.line {
            return Vec::new();
        }
        self.take(span.file, |found, comment| {
            found.end_of(body.line).is_some_and(|end| span.line <= end)
                && comment.from >= body.line
                && comment.from <= span.line
        })
    }

    /// What is left of a body.
    pub fn of_end(&self, body: Span) -> Vec<String> {
        if !body.is_some() {
            return Vec::new();
        }
        self.take(body.file, |found, comment| {
            comment.from >= body.line && found.end_of(body.line).is_some_and(|end| comment.to <= end)
        })
    }
}

impl Found {
    /// Where the body of what begins on the line ends.
    fn end_of(&self, line: u32) -> Option<u32> {
        let (open, end) = self.blocks.range(line..).next()?;
        (*open < line + 8).then_some(*end)
    }

    fn is_comment(&self, line: u32) -> bool {
        self.comments.iter().any(|c| c.alone && (c.from..=c.to).contains(&line))
    }

    /// A line of code that ends nothing.
    fn is_head(&self, line: u32) -> bool {
        self.code.contains(&line) && !self.ended.contains(&line)
    }
}

/// Comments of a text of C or of the modelling language, which have the same ones.
fn scan(text: &str) -> Found {
    let mut found = Found::default();
    let (mut line, mut depth, mut opened) = (1u32, 0u32, 0u32);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if let Some(end) = comment_length(rest) {
            length = end;
            let inner = &rest[..end];
            let to = line + inner.matches('\n').count() as u32;
            let (alone, text) = (!found.code.contains(&line), inner.trim_end().to_string());
            // Compilers warn about some.
            let odd = text.ends_with('\\') || text.contains("??") || text[2..].contains("/*");
            found.comments.push(Comment { from: line, to, alone, text, given: Cell::new(odd) });
        } else if c == '"' || c == '\'' {
            length = quoted(rest, c);
            found.code.insert(line);
        } else if !c.is_whitespace() {
            found.code.insert(line);
        }
        match c {
            ';' | '#' => {
                found.ended.insert(line);
            }
            '{' => {
                depth += 1;
                if depth == 1 {
                    opened = line;
                }
            }
            '}' => {
                found.ended.insert(line);
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.blocks.insert(opened, line);
                }
            }
            _ => {}
        }
        line += rest[..length].matches('\n').count() as u32;
        rest = &rest[length..];
    }
    found.beginning = found.code.first().copied().unwrap_or(line + 1);
    let includes = text.lines().nth(found.beginning as usize - 1).is_some_and(|l| l.starts_with('#'));
    while !includes && found.is_comment(found.beginning - 1) {
        found.beginning -= 1;
    }
    found
}

/// How long the string or character at the beginning is; one that does not end ends with its line.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return i,
            _ if c == quote => return i + 1,
            _ => {}
        }
    }
    text.len()
}

/// How long the comment at the beginning is, if there is one.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        Some(text.find('\n').unwrap_or(text.len()))
    } else {
        let inside = text.strip_prefix("/*")?;
        Some(inside.find("*/").map_or(text.len(), |end| end + 4))
    }
}

/// A comment as lines that are at an indentation.
pub fn indented(comment: &str, indent: usize) -> Vec<String> {
    let pad = " ".repeat(indent);
    let mut lines = comment.lines();
    let first = lines.next().unwrap_or("");
    // Further lines keep what they have of the indentation of their own.
    let rest: Vec<&str> = lines.collect();
    let own = |line: &&str| line.len() - line.trim_start().len();
    let least = rest.iter().filter(|line| !line.trim().is_empty()).map(own).min().unwrap_or(0);
    let least = least.saturating_sub(usize::from(rest.iter().any(|l| l.trim_start().starts_with('*'))));
    let cut = |line: &&str| format!("{pad}{}", line.get(least..).unwrap_or("")).trim_end().to_string();
    std::iter::once(format!("{pad}{first}")).chain(rest.iter().map(cut)).collect()
}
