//! A file of results, one JSON object a line, that a run adds to and a later run resumes from.
//!
//! A line is written at once and only when its result is complete, so that whatever ends the process leaves whole
//! lines and at most one torn one at the end, which is cut off when the file is opened again.

use super::Question;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longer results are only written.
const MOST_REMEMBERED: usize = 1 << 20;

/// Why results cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be read or written.
    #[error("{}: {_1}", _0.display())]
    Io(PathBuf, std::io::Error),
    /// It is a folder, a device or the like.
    #[error("{}: not a file of results", _0.display())]
    NotAFile(PathBuf),
    /// It holds something else.
    #[error("{}:{line}: not a result{why}; name a file that only --results writes to", path.display())]
    NotAResult {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why, where there is more to say.
        why: String,
    },
}

/// A file of results.
pub struct Results {
    path: PathBuf,
    file: File,
    /// By file, model, program and method.
    known: HashMap<[String; 4], Value>,
    /// Files that could not be read, as they were told.
    told: HashSet<String>,
}

impl Results {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> Result<Results, ResultsError> {
        let failed = |error| ResultsError::Io(path.to_path_buf(), error);
        // It is read first, and devices may give bytes forever.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(ResultsError::NotAFile(path.to_path_buf()));
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut results =
            Results { path: path.to_path_buf(), file, known: HashMap::new(), told: HashSet::new() };
        for (number, line) in text[..whole].lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let object: Value = serde_json::from_str(line).map_err(|error| ResultsError::NotAResult {
                path: path.to_path_buf(),
                line: number + 1,
                why: format!(": {error}"),
            })?;
            results.remember(object);
        }
        let torn = &text[whole..];
        if !torn.is_empty() {
            // Only what a run began to write is cut off: no other file is changed.
            if !torn.starts_with("{\"") || serde_json::from_str::<Value>(torn).is_ok() {
                let (path, line) = (path.to_path_buf(), text.lines().count());
                return Err(ResultsError::NotAResult { path, line, why: String::new() });
            }
            results.file.set_len(whole as u64).map_err(failed)?;
            results.file.seek(SeekFrom::End(0)).map_err(failed)?;
        }
        Ok(results)
    }

    fn remember(&mut self, object: Value) {
        let key =
            ["file", "model", "program", "method"].map(|key| object[key].as_str().unwrap_or("").to_string());
        if object["verdict"] == "error" {
            self.told.insert(object.to_string());
        } else if !key[2].is_empty() {
            self.known.insert(key, object);
        }
    }

    /// The result of a question, unless a limit has made it what it is and other limits could change it: an unknown, and
    /// bounds that time kept from growing.
    pub fn known(&self, file: &str, model: &str, question: &Question) -> Option<&Value> {
        let key = [file, model, &question.program, &question.method].map(str::to_string);
        let object = self.known.get(&key)?;
        let limited = object["verdict"] == "unknown" || object["reason"].is_string();
        (!limited || object["limits"] == question.limits.as_str()).then_some(object)
    }

    /// Adds a result, a JSON object.
    pub fn append(&mut self, object: &dyn std::fmt::Display) -> Result<(), ResultsError> {
        let mut line = object.to_string();
        if self.told.contains(&line) {
            return Ok(());
        }
        // A run of very many steps is found again sooner than remembered.
        if line.len() <= MOST_REMEMBERED
            && let Ok(object) = serde_json::from_str(&line)
        {
            self.remember(object);
        }
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| ResultsError::Io(self.path.clone(), error))
    }
}
