//! Each crate has one binary of integration tests, because every binary links the whole crate again; and every file of
//! tests is a module of one, because a file that no module names is never compiled.

use crate::root;
use std::path::{Path, PathBuf};

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Files of a folder of tests that its `main.rs` or `mod.rs` does not name, and so on in the folders that it does name.
fn unnamed(folder: &Path, root: &str) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(folder.join(root)).unwrap();
    let mut unnamed = Vec::new();
    for path in entries(folder) {
        let module = path.is_dir() && path.join("mod.rs").exists();
        if path.ends_with(root) || !module && !is_rust(&path) {
            continue;
        }
        let declared = format!("mod {};", path.file_stem().unwrap().to_string_lossy());
        if !text.lines().any(|line| line.trim_start_matches("pub ").trim_end() == declared) {
            unnamed.push(path);
        } else if module {
            unnamed.extend(self::unnamed(&path, "mod.rs"));
        }
    }
    unnamed
}

#[test]
fn each_crate_has_one_and_every_file_is_in_it() {
    let mut binaries = 0;
    for folder in entries(&root().join("crates")) {
        let is_binary = |path: &PathBuf| is_rust(path) || path.join("main.rs").exists();
        let found: Vec<PathBuf> = entries(&folder.join("tests")).into_iter().filter(is_binary).collect();
        assert!(found.len() <= 1, "one binary for all of them: {found:?}");
        for binary in found.iter().filter(|path| path.is_dir()) {
            assert_eq!(unnamed(binary, "main.rs"), [""; 0].map(PathBuf::from), "add `mod` lines");
        }
        binaries += found.len();
    }
    assert!(binaries > 10, "{binaries} binaries of tests");
}
