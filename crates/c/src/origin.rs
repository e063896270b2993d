//! Which places of a program are the user's and which are in system headers.

use fencepost_ir::{FileId, Span};

/// Where files come from, as the preprocessor's line markers tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins {
    /// By [`FileId`]; a file that is not listed is the user's.
    files: Vec<Origin>,
    /// Lines that stem from system headers in a file that came preprocessed: first and last, in order.
    system_lines: Vec<(u32, u32)>,
    preprocessed: FileId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Origin {
    is_system: bool,
    /// The directive that brought the file in.
    included: Span,
}

impl Origins {
    /// Notes how a file came in first.
    pub(super) fn add_file(&mut self, file: FileId, kind: FileKind, included: Span) {
        let index = file.0 as usize;
        if self.files.len() <= index {
            self.files.resize(index + 1, Origin { is_system: false, included: Span::NONE });
        }
        self.files[index] = Origin { is_system: kind == FileKind::System, included };
    }

    /// Notes lines of a file that came preprocessed which stem from a system header.
    pub(super) fn add_system_lines(&mut self, file: FileId, first: u32, last: u32) {
        self.preprocessed = file;
        if first <= last {
            self.system_lines.push((first, last));
        }
    }

    /// Whether a place is in a system header or one of Fencepost's own.
    pub fn is_system(&self, span: Span) -> bool {
        if let Some(origin) = self.files.get(span.file.0 as usize)
            && origin.is_system
        {
            return true;
        }
        let after = self.system_lines.partition_point(|(first, _)| *first <= span.line);
        span.file == self.preprocessed && after > 0 && span.line <= self.system_lines[after - 1].1
    }

    /// The place itself, or for one in a system header the user's `#include` that brought it in, if
    /// that is known.
    pub fn in_user_file(&self, span: Span) -> Span {
        let mut place = span;
        // A file is included by one that was known before it, so this ends.
        while let Some(origin) = self.files.get(place.file.0 as usize)
            && origin.is_system
            && origin.included.is_some()
        {
            place = origin.included;
        }
        place
    }
}

/// Whose a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// The user's.
    User,
    /// A system header, or one of Fencepost's own.
    System,
}
