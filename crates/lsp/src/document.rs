//! The texts that the editor has open, and what is known of them.

use super::position::Positions;
use fencepost_verify::Format;
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent, TextEdit, Uri};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A text that is open.
pub(crate) struct Document {
    pub(crate) text: Arc<String>,
    pub(crate) version: i32,
    pub(crate) format: Format,
    /// The check that is running, if one is.
    pub(crate) running: Option<Running>,
    /// What the last check found.
    pub(crate) checked: Option<Checked>,
}

/// A check that is running.
pub(crate) struct Running {
    pub(crate) number: u64,
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// What a check found.
#[derive(Default)]
pub(crate) struct Checked {
    /// The text that was checked.
    pub(crate) text: Arc<String>,
    /// As published.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Changes that put something right.
    pub(crate) fixes: Vec<QuickFix>,
}

/// Edits that put something right.
#[derive(Clone)]
pub(crate) struct QuickFix {
    /// The number of the diagnostic.
    pub(crate) diagnostic: usize,
    pub(crate) title: String,
    pub(crate) edits: Vec<TextEdit>,
}

impl Document {
    /// Applies the changes of a notification; or says why they make no sense.
    pub(crate) fn change(
        &mut self,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Result<(), &'static str> {
        let mut text = self.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let positions = Positions::new(&text);
                    let (from, to) = (positions.offset(range.start), positions.offset(range.end));
                    if from > to {
                        return Err("a range ends before it begins");
                    }
                    text.replace_range(from..to, &change.text);
                }
            }
        }
        self.text = Arc::new(text);
        Ok(())
    }
}

/// How a document is read: by its name, or as the editor says.
pub(crate) fn format(uri: &str, language: &str) -> Option<Format> {
    let end = Path::new(uri).extension().and_then(|e| e.to_str());
    match (end, language) {
        (Some("c" | "i"), _) => Some(Format::C),
        (Some("fp"), _) => Some(Format::Fp),
        (Some("litmus"), _) => Some(Format::Litmus),
        (Some("rmm"), _) => Some(Format::Memorax),
        (_, "c") => Some(Format::C),
        (_, "fencepost" | "fp") => Some(Format::Fp),
        (_, "litmus") => Some(Format::Litmus),
        _ => None,
    }
}

/// The path of a document; of one that is in no file, its name.
pub(crate) fn path(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else { return PathBuf::from(uri) };
    // What is before the path is the machine, which is this one.
    let path = rest.find('/').map_or(rest, |slash| &rest[slash..]);
    PathBuf::from(decoded(path))
}

/// The address of a file.
pub(crate) fn uri(name: &str) -> Option<Uri> {
    let path = std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
    fencepost_report::sarif::file_uri(&path).parse().ok()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *byte == b'%') {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Document, format, path};
    use fencepost_verify::Format;
    use lsp_types::{Position, Range, TextDocumentContentChangeEvent};
    use std::path::PathBuf;
    use std::sync::Arc;

    #[test]
    fn uris() {
        assert_eq!(path("file:///home/me/a%20b%C3%A4.c"), PathBuf::from("/home/me/a bä.c"));
        assert_eq!(path("file://localhost/a%.c"), PathBuf::from("/a%.c"));
        assert_eq!(path("untitled:Untitled-1"), PathBuf::from("untitled:Untitled-1"));
        assert_eq!(format("file:///a.i", "cpp"), Some(Format::C));
        assert_eq!(format("untitled:1", "c"), Some(Format::C));
        assert_eq!(format("file:///a.rs", "rust"), None);
    }

    #[test]
    fn changes() {
        let mut document = Document {
            text: Arc::new("int ä;\nint b;\n".to_string()),
            version: 1,
            format: Format::C,
            running: None,
            checked: None,
        };
        let all = |text: &str| TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: text.to_string(),
        };
        let part = |a: u32, b: u32, c: u32, d: u32, text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(a, b), Position::new(c, d))),
            ..all(text)
        };
        let changes = vec![part(0, 4, 0, 5, "𝕏"), part(0, 6, 1, 0, "; ")];
        assert_eq!(document.change(changes), Ok(()));
        assert_eq!(*document.text, "int 𝕏; int b;\n");
        assert!(document.change(vec![part(1, 0, 0, 0, "")]).is_err());
        assert_eq!(document.change(vec![all("all")]), Ok(()));
        assert_eq!(*document.text, "all");
    }
}
