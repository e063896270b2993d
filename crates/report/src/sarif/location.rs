//! Places as SARIF writes them: files as URIs relative to the folder of the run, regions by lines and columns, both from
//! 1. Columns count characters, as our spans do (`columnKind` says so).

use super::format::{
    Artifact, ArtifactChange, ArtifactLocation, Hashes, LogicalLocation, PhysicalLocation, Region,
    Replacement, SarifLocation, Text,
};
use crate::digest::sha256;
use crate::spots::Spot;
use fencepost_ir::{FileId, Sources, Span};
use fencepost_text::fences::{Edit, Lines};
use std::path::{Component, Path, PathBuf};

/// What relative URIs are relative to.
pub(super) const BASE: &str = "%SRCROOT%";

/// The files that a log speaks of.
pub(super) struct Artifacts {
    folder: PathBuf,
    names: Vec<String>,
    list: Vec<Artifact>,
}

impl Artifacts {
    /// `folder` is where the run was started.
    pub(super) fn new(folder: &Path) -> Artifacts {
        Artifacts { folder: folder.to_path_buf(), names: Vec::new(), list: Vec::new() }
    }

    /// The files, in the order of their numbers.
    pub(super) fn into_list(self) -> Vec<Artifact> {
        self.list
    }

    /// A file that could be read.
    pub(super) fn file(&mut self, name: &str, text: &str) -> ArtifactLocation {
        let number = match self.names.iter().position(|n| n == name) {
            Some(number) => number,
            None => {
                let artifact = Artifact {
                    location: self.address(name),
                    length: text.len(),
                    roles: ["analysisTarget"],
                    encoding: "utf-8",
                    hashes: Hashes { sha256: sha256(text.as_bytes()) },
                    source_language: language(name),
                };
                self.names.push(name.to_string());
                self.list.push(artifact);
                self.names.len() - 1
            }
        };
        ArtifactLocation { index: Some(number), ..self.address(name) }
    }

    /// Where a file is.
    pub(super) fn address(&self, name: &str) -> ArtifactLocation {
        let (uri, uri_base_id) = match self.relative(Path::new(name)) {
            Some(path) => (encode(&path), Some(BASE)),
            None => (file_uri(&normal(&self.folder.join(name))), None),
        };
        ArtifactLocation { uri, uri_base_id, index: None }
    }

    /// A file as a place.
    pub(super) fn whole(&self, name: &str) -> PhysicalLocation {
        PhysicalLocation { artifact_location: self.address(name), region: None }
    }

    /// A file's place below the folder of the run, if it is there.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let path = normal(&self.folder.join(path));
        let below = path.strip_prefix(normal(&self.folder)).ok()?;
        (!below.as_os_str().is_empty()).then(|| below.to_path_buf())
    }

    /// A place in a file.
    pub(super) fn physical(&mut self, sources: &Sources, span: Span) -> PhysicalLocation {
        let location = self.file(sources.name(span.file), sources.text(span.file));
        PhysicalLocation { artifact_location: location, region: Some(region(sources, span)) }
    }

    /// A place with the procedure it is in.
    pub(super) fn location(&mut self, sources: &Sources, spot: &Spot) -> SarifLocation {
        let function = |name: &String| [LogicalLocation { name: name.clone(), kind: "function" }];
        SarifLocation {
            physical_location: Some(self.physical(sources, spot.span)),
            logical_locations: spot.function.as_ref().map(function),
            message: (!spot.what.is_empty()).then(|| Text::new(&*spot.what)),
            id: None,
        }
    }

    /// New text in a file.
    pub(super) fn change(&mut self, name: &str, text: &str, edits: &[Edit]) -> ArtifactChange {
        let lines = Lines::new(text);
        let replacement = |edit: &Edit| Replacement {
            deleted_region: Region {
                start_line: lines.line(edit.from),
                start_column: Some(lines.column(edit.from)),
                end_line: Some(lines.line(edit.to)),
                end_column: Some(lines.column(edit.to)),
                ..Region::default()
            },
            inserted_content: Text::new(&*edit.text),
        };
        ArtifactChange {
            artifact_location: self.file(name, text),
            replacements: edits.iter().map(replacement).collect(),
        }
    }
}

/// A piece of a line; the whole line where nothing more is known.
fn region(sources: &Sources, span: Span) -> Region {
    let text = sources.line(span).unwrap_or("");
    let mut region = Region { start_line: span.line.max(1), ..Region::default() };
    let width = if text.is_ascii() { text.len() } else { text.chars().count() } as u32;
    if span.length > 0 && span.column > 0 && span.column <= width {
        region.start_column = Some(span.column);
        region.end_column = Some((span.column + span.length).min(width + 1));
    }
    region.snippet = sources.excerpt(span).filter(|text| !text.is_empty()).map(Text::new);
    region
}

/// The words of a line, however it is indented: what fingerprints are made of.
pub(super) fn words(sources: &Sources, span: Span) -> String {
    sources.line(span).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The file that a program begins with.
pub(super) fn main_file(sources: &Sources) -> (&str, &str) {
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
pub(super) fn file_uri_with(path: &Path, end: &str) -> String {
    let encoded = encode(path);
    let slash = if encoded.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}{end}", encoded.trim_end_matches('/'))
}

/// A path as the path of a URI.
fn encode(path: &Path) -> String {
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
            (address.uri, address.uri_base_id.is_some())
        };
        assert_eq!(uri("a.c"), ("a.c".into(), true));
        assert_eq!(uri("./src/../lock 1.c"), ("lock%201.c".into(), true));
        assert_eq!(uri("/home/me/x/ä:b.c"), ("x/%C3%A4%3Ab.c".into(), true));
        assert_eq!(uri("../you/a#.c"), ("file:///home/you/a%23.c".into(), false));
        assert_eq!(uri("/tmp/a.c"), ("file:///tmp/a.c".into(), false));
        assert_eq!(uri("-"), ("-".into(), true));
    }
}
