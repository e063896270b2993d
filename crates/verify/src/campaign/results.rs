//! A file of results, one JSON object a line, that a run adds to and a later run resumes from.
//!
//! A line is written at once and only when its result is complete, so that whatever ends the process leaves whole
//! lines and at most one torn one at the end, which is cut off when the file is opened again.

use super::Question;
use fencepost_report::ResultKind;
use fencepost_report::litmus::Observation;
use fencepost_report::results::AnyResult;
use fencepost_task::{AnyModel, VerdictKind};
use serde::de::IgnoredAny;
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

/// A result that is there already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// As it was written.
    pub line: String,
    /// The file.
    pub file: String,
    /// The litmus test, if it is of one.
    pub test: Option<String>,
    /// The memory model.
    pub model: AnyModel,
    /// The verdict.
    pub verdict: ResultKind,
    /// Of a litmus test, in how many final states its condition holds.
    pub observation: Option<Observation>,
    limits: Option<String>,
    /// Whether it says that a limit made it what it is.
    limited: bool,
}

/// What a result is known by: file, model, program and method.
type Key = (String, AnyModel, String, String);

/// A file of results.
pub struct Results {
    path: PathBuf,
    file: File,
    known: HashMap<Key, Known>,
    /// Lines of files that could not be read.
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
            let result = AnyResult::read(line).map_err(|error| ResultsError::NotAResult {
                path: path.to_path_buf(),
                line: number + 1,
                why: format!(": {error}"),
            })?;
            results.remember(line, &result);
        }
        let torn = &text[whole..];
        if !torn.is_empty() {
            // Only what a run began to write is cut off: no other file is changed.
            if !torn.starts_with("{\"") || serde_json::from_str::<IgnoredAny>(torn).is_ok() {
                let (path, line) = (path.to_path_buf(), text.lines().count());
                return Err(ResultsError::NotAResult { path, line, why: String::new() });
            }
            results.file.set_len(whole as u64).map_err(failed)?;
            results.file.seek(SeekFrom::End(0)).map_err(failed)?;
        }
        Ok(results)
    }

    fn remember(&mut self, line: &str, result: &AnyResult) {
        let stamp = result.stamp();
        let program = stamp.and_then(|stamp| Some((stamp.program.clone()?, stamp.method.clone()?)));
        if result.verdict() == ResultKind::Error {
            self.told.insert(line.to_string());
        } else if let (Some((program, method)), Some(model)) = (program, result.model()) {
            let known = Known {
                line: line.to_string(),
                file: result.file().to_string(),
                test: result.test().map(str::to_string),
                model,
                verdict: result.verdict(),
                observation: result.observation(),
                limits: stamp.and_then(|stamp| stamp.limits.clone()),
                limited: result.reason().is_some(),
            };
            self.known.insert((result.file().to_string(), model, program, method), known);
        }
    }

    /// The result of a question, unless it is an unknown that other limits could change.
    pub fn known(&self, file: &str, model: AnyModel, question: &Question) -> Option<&Known> {
        let key = (file.to_string(), model, question.program.clone(), question.method.clone());
        let known = self.known.get(&key)?;
        let limited = known.verdict == ResultKind::Checked(VerdictKind::Unknown) || known.limited;
        (!limited || known.limits.as_ref() == Some(&question.limits)).then_some(known)
    }

    /// Adds the line of a result.
    pub fn append(&mut self, mut line: String) -> Result<(), ResultsError> {
        if self.told.contains(&line) {
            return Ok(());
        }
        // A run of very many steps is found again sooner than remembered.
        if line.len() <= MOST_REMEMBERED
            && let Ok(result) = AnyResult::read(&line)
        {
            self.remember(&line, &result);
        }
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| ResultsError::Io(self.path.clone(), error))
    }
}
