//! Places as SARIF writes them: files as URIs relative to the folder of the run, regions by lines and columns, both from
//! 1. Columns count characters, as our spans do (`columnKind` says so).

use crate::digest::sha256;
use crate::spots::Spot;
use fencepost_ir::{FileId, Sources, Span};
use fencepost_text::fences::{Edit, Lines};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// What relative URIs are relative to.
pub const BASE: &str = "%SRCROOT%";

/// The files that a log speaks of.
pub struct Artifacts {
    folder: PathBuf,
    names: Vec<String>,
    list: Vec<Value>,
}

impl Artifacts {
    /// `folder` is where the run was started.
    pub fn new(folder: &Path) -> Artifacts {
        Artifacts { folder: folder.to_path_buf(), names: Vec::new(), list: Vec::new() }
    }

    /// The files, in the order of their numbers.
    pub fn into_list(self) -> Vec<Value> {
        self.list
    }

    /// A file that could be read.
    pub fn file(&mut self, name: &str, text: &str) -> Value {
        let number = match self.names.iter().position(|n| n == name) {
            Some(number) => number,
            None => {
                let mut artifact = json!({
                    "location": self.address(name),
                    "length": text.len(),
                    "roles": ["analysisTarget"],
                    "encoding": "utf-8",
                    "hashes": {"sha-256": sha256(text.as_bytes())},
                });
                if let Some(language) = language(name) {
                    artifact["sourceLanguage"] = json!(language);
                }
                self.names.push(name.to_string());
                self.list.push(artifact);
                self.names.len() - 1
            }
        };
        let mut location = self.address(name);
        location["index"] = json!(number);
        location
    }

    /// Where a file is.
    pub fn address(&self, name: &str) -> Value {
        match self.relative(Path::new(name)) {
            Some(path) => json!({"uri": encode(&path), "uriBaseId": BASE}),
            None => json!({"uri": file_uri(&normal(&self.folder.join(name)))}),
        }
    }

    /// A file's place below the folder of the run, if it is there.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let path = normal(&self.folder.join(path));
        let below = path.strip_prefix(normal(&self.folder)).ok()?;
        (!below.as_os_str().is_empty()).then(|| below.to_path_buf())
    }

    /// A place in a file.
    pub fn physical(&mut self, sources: &Sources, span: Span) -> Value {
        let location = self.file(sources.name(span.file), sources.text(span.file));
        json!({"artifactLocation": location, "region": region(sources, span)})
    }

    /// A place with the procedure it is in.
    pub fn location(&mut self, sources: &Sources, spot: &Spot) -> Value {
        let mut location = json!({"physicalLocation": self.physical(sources, spot.span)});
        if let Some(function) = &spot.function {
            location["logicalLocations"] = json!([{"name": function, "kind": "function"}]);
        }
        if !spot.what.is_empty() {
            location["message"] = json!({"text": spot.what});
        }
        location
    }

    /// New text in a file.
    pub fn change(&mut self, name: &str, text: &str, edits: &[Edit]) -> Value {
        let lines = Lines::new(text);
        let replacement = |edit: &Edit| {
            json!({
                "deletedRegion": {
                    "startLine": lines.line(edit.from),
                    "startColumn": lines.column(edit.from),
                    "endLine": lines.line(edit.to),
                    "endColumn": lines.column(edit.to),
                },
                "insertedContent": {"text": edit.text},
            })
        };
        json!({
            "artifactLocation": self.file(name, text),
            "replacements": edits.iter().map(replacement).collect::<Vec<_>>(),
        })
    }
}

/// A piece of a line; the whole line where nothing more is known.
fn region(sources: &Sources, span: Span) -> Value {
    let text = sources.line(span).unwrap_or("");
    let mut region = json!({"startLine": span.line.max(1)});
    let width = if text.is_ascii() { text.len() } else { text.chars().count() } as u32;
    if span.length > 0 && span.column > 0 && span.column <= width {
        region["startColumn"] = json!(span.column);
        region["endColumn"] = json!((span.column + span.length).min(width + 1));
    }
    if let Some(text) = sources.excerpt(span).filter(|text| !text.is_empty()) {
        region["snippet"] = json!({"text": text});
    }
    region
}

/// The words of a line, however it is indented: what fingerprints are made of.
pub fn words(sources: &Sources, span: Span) -> String {
    sources.line(span).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The file that a program begins with.
pub fn main_file(sources: &Sources) -> (&str, &str) {
    (sources.name(FileId(0)), sources.text(FileId(0)))
}

fn language(name: &str) -> Option<&'static str> {
    match Path::new(name).extension()?.to_str()? {
        "c" | "i" | "h" => Some("c"),
        _ => None,
    }
}

/// A path without `.` and `..`, as far as it can be said without looking.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// An absolute path as a URI.
pub fn file_uri(path: &Path) -> String {
    file_uri_with(path, "")
}

/// An absolute path as a URI that ends with something.
pub fn file_uri_with(path: &Path, end: &str) -> String {
    let encoded = encode(path);
    let slash = if encoded.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}{end}", encoded.trim_end_matches('/'))
}

/// A path as the path of a URI.
pub fn encode(path: &Path) -> String {
    let mut out = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Artifacts;
    use std::path::Path;

    #[test]
    fn addresses() {
        let artifacts = Artifacts::new(Path::new("/home/me"));
        let uri = |name| {
            let address = artifacts.address(name);
            (address["uri"].as_str().unwrap().to_string(), address["uriBaseId"].is_string())
        };
        assert_eq!(uri("a.c"), ("a.c".into(), true));
        assert_eq!(uri("./src/../lock 1.c"), ("lock%201.c".into(), true));
        assert_eq!(uri("/home/me/x/ä:b.c"), ("x/%C3%A4%3Ab.c".into(), true));
        assert_eq!(uri("../you/a#.c"), ("file:///home/you/a%23.c".into(), false));
        assert_eq!(uri("/tmp/a.c"), ("file:///tmp/a.c".into(), false));
        assert_eq!(uri("-"), ("-".into(), true));
    }
}
