//! Every C file of the repository that the front end in use takes is checked without an error.

use fencepost_c::{Options, hir_text, read};
use std::path::{Path, PathBuf};

/// The C files in a folder and those below it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "c") {
            found.push(path);
        }
    }
}

#[test]
fn what_was_taken_is_taken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["../../examples", "../cli/tests", "../bench", "../verify"] {
        let folder = root.join(folder);
        if folder.exists() {
            files(&folder, &mut found);
        }
    }
    found.sort();
    let (mut checked, mut wrong) = (0, String::new());
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        let whole = match text.contains("main(") {
            true => text,
            false => {
                format!("#define out(...) ((void)(__VA_ARGS__))\n{text}\nint main(void) {{ test(); }}\n")
            }
        };
        let name = path.to_str().unwrap();
        let options =
            Options { include_dirs: vec![path.parent().unwrap().to_path_buf()], ..Options::default() };
        match hir_text(&[(name, &whole)], &options) {
            Ok(_) => checked += 1,
            Err((_, diagnostics)) => {
                if read(&[(name, &whole)], &options).is_ok() {
                    wrong += &format!("{}: {diagnostics:?}\n", path.display());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked > 150, "{checked} of {} files", found.len());
}
