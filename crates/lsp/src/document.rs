//! The texts that the editor has open, and what is known of them.

use super::position::Positions;
use fencepost_verify::Format;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A text that is open.
pub struct Document {
    pub text: Arc<String>,
    pub version: Value,
    pub format: Format,
    /// The check that is running, if one is.
    pub running: Option<Running>,
    /// What the last check found.
    pub checked: Option<Checked>,
}

/// A check that is running.
pub struct Running {
    pub number: u64,
    pub cancelled: Arc<AtomicBool>,
}

/// What a check found.
#[derive(Default)]
pub struct Checked {
    /// The text that was checked.
    pub text: Arc<String>,
    /// As published.
    pub diagnostics: Vec<Value>,
    /// Changes that put something right: the number of the diagnostic, a title, and edits.
    pub fixes: Vec<(usize, String, Value)>,
}

impl Document {
    /// Applies the changes of a notification; `None` if they make no sense.
    pub fn change(&mut self, changes: &[Value]) -> Option<()> {
        let mut text = self.text.to_string();
        for change in changes {
            let new = change["text"].as_str()?;
            match change.get("range") {
                None | Some(Value::Null) => text = new.to_string(),
                Some(range) => {
                    let positions = Positions::new(&text);
                    let from = positions.offset(&range["start"])?;
                    let to = positions.offset(&range["end"])?;
                    if from > to {
                        return None;
                    }
                    text.replace_range(from..to, new);
                }
            }
        }
        self.text = Arc::new(text);
        Some(())
    }
}

/// How a document is read: by its name, or as the editor says.
pub fn format(uri: &str, language: &str) -> Option<Format> {
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
pub fn path(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else { return PathBuf::from(uri) };
    // What is before the path is the machine, which is this one.
    let path = rest.find('/').map_or(rest, |slash| &rest[slash..]);
    PathBuf::from(decoded(path))
}

/// The address of a file.
pub fn uri(name: &str) -> String {
    let path = std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
    fencepost_report::sarif::file_uri(&path)
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
    use serde_json::json;
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
            version: json!(1),
            format: Format::C,
            running: None,
            checked: None,
        };
        let range = |a: u32, b: u32, c: u32, d: u32| json!({"start": {"line": a, "character": b}, "end": {"line": c, "character": d}});
        let changes = [
            json!({"range": range(0, 4, 0, 5), "text": "𝕏"}),
            json!({"range": range(0, 6, 1, 0), "text": "; "}),
        ];
        assert_eq!(document.change(&changes), Some(()));
        assert_eq!(*document.text, "int 𝕏; int b;\n");
        assert_eq!(document.change(&[json!({"range": range(1, 0, 0, 0), "text": ""})]), None);
        assert_eq!(document.change(&[json!({"text": "all"})]), Some(()));
        assert_eq!(*document.text, "all");
        assert_eq!(document.change(&[json!({})]), None);
    }
}
