//! Which files are meant: files, folders with all `.litmus` files below them, and lists. A list is a file
//! whose name begins with `@`; it holds one path a line, relative to its own folder, and `#` comments.

use std::path::{Path, PathBuf};

/// Lists in lists in lists are a mistake.
const MAX_LISTS: usize = 16;

/// The files of all arguments, in order; what could not be read is an error with its path.
pub fn collect(paths: &[PathBuf]) -> Vec<Result<PathBuf, String>> {
    let mut files = Vec::new();
    for path in paths {
        add(path, 0, &mut files);
    }
    files
}

fn add(path: &Path, depth: usize, files: &mut Vec<Result<PathBuf, String>>) {
    let is_list = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('@'));
    if path.as_os_str() == "-" {
        files.push(Ok(path.to_path_buf()));
    } else if path.is_dir() {
        folder(path, files);
    } else if is_list {
        list(path, depth, files);
    } else {
        files.push(Ok(path.to_path_buf()));
    }
}

fn folder(path: &Path, files: &mut Vec<Result<PathBuf, String>>) {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => {
            files.push(Err(format!("{}: {error}", path.display())));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    for path in paths {
        // A link to a folder above would never end.
        if path.is_dir() && !path.is_symlink() {
            folder(&path, files);
        } else if path.extension().is_some_and(|e| e == "litmus") {
            files.push(Ok(path));
        }
    }
}

fn list(path: &Path, depth: usize, files: &mut Vec<Result<PathBuf, String>>) {
    // herd's way to say it: `@all` is the list `all` where no file is called `@all`.
    let bare = path.file_name().map(|n| path.with_file_name(n.to_string_lossy().trim_start_matches('@')));
    let path = match bare {
        Some(bare) if !path.exists() && bare.exists() => bare,
        _ => path.to_path_buf(),
    };
    if depth >= MAX_LISTS {
        files.push(Err(format!("{}: lists name each other too deep", path.display())));
        return;
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            files.push(Err(format!("{}: {error}", path.display())));
            return;
        }
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            add(&folder.join(line), depth + 1, files);
        }
    }
}
