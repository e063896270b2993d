//! Where things are in the user's files: file names, texts, and spans by line and column.
//!
//! Spans hold lines and columns, not byte offsets, because text that went through a preprocessor
//! knows the user's lines but not the user's bytes.

use std::fmt;

/// A file of a [`Sources`] table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A piece of one line of a source file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file it is in.
    pub file: FileId,
    /// Line, from 1; 0 when there is no place in the source.
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// Number of characters.
    pub length: u32,
}

impl Span {
    /// The span of something that no line of the source stands for.
    pub const NONE: Span = Span { file: FileId(0), line: 0, column: 0, length: 0 };

    /// Whether this points into a source file.
    pub fn is_some(self) -> bool {
        self.line > 0
    }

    /// The span from the start of `self` to the end of `end`, or to the end of `self` when `end`
    /// is on another line.
    pub fn to(self, end: Span) -> Span {
        if self.file == end.file && self.line == end.line && end.column >= self.column {
            Span { length: end.column + end.length - self.column, ..self }
        } else {
            self
        }
    }
}

/// The files a program was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<SourceFile>,
    remarks: Vec<Remark>,
}

/// Something about a text that a verdict does not show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Where.
    pub span: Span,
    /// What, in a sentence.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SourceFile {
    name: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl SourceFile {
    fn new(name: String, text: String) -> SourceFile {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let lines = [0].into_iter().chain(ends).filter(|start| *start < text.len()).collect();
        SourceFile { name, text, lines }
    }
}

/// Bytes of a line that is shown whole.
const LONG_LINE: usize = 400;

impl Sources {
    /// A table with one file.
    pub fn single(name: impl Into<String>, text: impl Into<String>) -> Sources {
        let mut sources = Sources::default();
        sources.add(name, text);
        sources
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// Takes note of something that was passed over, or that has no meaning of its own.
    pub fn remark(&mut self, span: Span, message: impl Into<String>) {
        let remark = Remark { span, message: message.into() };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// What was noted about the texts.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// The name a file was given as; `?` for a file that is not in the table.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("?", |f| &f.name)
    }

    /// The text of a file; empty for a file that is not in the table.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |f| &f.text)
    }

    /// One line of a file, without its line end.
    pub fn line(&self, span: Span) -> Option<&str> {
        let number = (span.line as usize).checked_sub(1)?;
        let file = self.files.get(span.file.0 as usize)?;
        let start = *file.lines.get(number)?;
        let end = file.lines.get(number + 1).copied().unwrap_or(file.text.len());
        file.text[start..end].lines().next()
    }

    /// The line as it is shown beside a step: of one that is very long, the piece around the place.
    pub fn excerpt(&self, span: Span) -> Option<&str> {
        let line = self.line(span)?;
        if line.len() <= LONG_LINE {
            return Some(line);
        }
        let column = (span.column as usize).saturating_sub(1);
        let at = match line.is_ascii() {
            true => column.min(line.len()),
            false => line.char_indices().nth(column).map_or(line.len(), |(at, _)| at),
        };
        let boundary = |near: usize| (0..=near.min(line.len())).rev().find(|i| line.is_char_boundary(*i));
        let from = boundary(at.saturating_sub(LONG_LINE / 4))?;
        line.get(from..boundary(from + LONG_LINE)?)
    }

    /// `file:line` as messages print it.
    pub fn place(&self, span: Span) -> Place<'_> {
        Place { sources: self, span }
    }
}

/// Prints as `file:line`, or just the file where the line is unknown.
pub struct Place<'a> {
    sources: &'a Sources,
    span: Span,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.sources.name(self.span.file);
        if self.span.is_some() { write!(f, "{name}:{}", self.span.line) } else { f.write_str(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_a_piece_is_shown() {
        for letter in ["a", "ü"] {
            let text = format!("short\n{}HERE{}\n", letter.repeat(5000), letter.repeat(5000));
            let sources = Sources::single("file", text);
            let shown = |line, column| sources.excerpt(Span { line, column, ..Span::NONE });
            assert_eq!(shown(1, 1), Some("short"));
            assert!(shown(2, 5001).is_some_and(|s| s.contains("HERE") && s.len() <= LONG_LINE));
            assert_eq!(shown(2, 20_000).map(|s| s.contains("HERE")), Some(false));
            assert_eq!(shown(9, 1), None);
        }
    }

    #[test]
    fn lines_are_those_of_the_text() {
        for text in ["", "a", "a\n", "\n", "a\r\nb\n\nc", "\n\nx\n\n", "a\rb\nc\r"] {
            let sources = Sources::single("file", text);
            let line = |line| sources.line(Span { line, ..Span::NONE });
            let expected: Vec<_> = text.lines().collect();
            let found: Vec<_> = (1..).map_while(line).collect();
            assert_eq!(found, expected, "{text:?}");
            assert_eq!(line(0), None);
        }
    }
}
