//! Which files are meant: files, folders with all files below them that can be read, and lists. A list is a file
//! whose name begins with `@`; it holds one path a line, relative to its own folder, and `#` comments.

use std::path::{Path, PathBuf};

/// Lists in lists in lists are a mistake.
const MAX_LISTS: usize = 16;

/// A path, or why there is none.
pub type Found = Result<PathBuf, String>;

/// The files of all arguments, in order; of folders those whose names `wanted` accepts. What could not be read is
/// an error with its path.
pub fn collect(paths: &[PathBuf], wanted: fn(&Path) -> bool) -> Vec<Found> {
    let mut collected = Collected { files: Vec::new(), wanted };
    for path in paths {
        collected.add(path, 0);
    }
    collected.files
}

struct Collected {
    files: Vec<Found>,
    wanted: fn(&Path) -> bool,
}

impl Collected {
    fn add(&mut self, path: &Path, depth: usize) {
        let is_list = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('@'));
        if path.as_os_str() == "-" {
            self.files.push(Ok(path.to_path_buf()));
        } else if path.is_dir() {
            self.folder(path);
        } else if is_list {
            self.list(path, depth);
        } else {
            self.files.push(Ok(path.to_path_buf()));
        }
    }

    fn folder(&mut self, path: &Path) {
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                self.files.push(Err(format!("{}: {error}", path.display())));
                return;
            }
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
        paths.sort();
        for path in paths {
            // A link to a folder above would never end.
            if path.is_dir() && !path.is_symlink() {
                self.folder(&path);
            } else if (self.wanted)(&path) {
                self.files.push(Ok(path));
            }
        }
    }

    fn list(&mut self, path: &Path, depth: usize) {
        // herd's way to say it: `@all` is the list `all` where no file is called `@all`.
        let bare = path.file_name().map(|n| path.with_file_name(n.to_string_lossy().trim_start_matches('@')));
        let path = match bare {
            Some(bare) if !path.exists() && bare.exists() => bare,
            _ => path.to_path_buf(),
        };
        if depth >= MAX_LISTS {
            self.files.push(Err(format!("{}: lists name each other too deep", path.display())));
            return;
        }
        let text = match crate::read::read_text(&path) {
            Ok(text) => text,
            Err(error) => {
                self.files.push(Err(format!("{}: {error}", path.display())));
                return;
            }
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() {
                self.add(&folder.join(line), depth + 1);
            }
        }
    }
}
