//! Recorded answers, one object a line with `file` (relative to the jsonl),
//! `observation` and `states`, and how ours differ from them.

use super::decide::Answer;
use crate::read::read_text;
use fencepost_report::litmus::Observation;
use fencepost_report::results::RecordedAnswer;
use fencepost_task::AnyModel;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// A recorded answer.
pub struct Expected {
    observation: Observation,
    states: BTreeSet<String>,
}

/// Why recorded answers cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExpectationsError {
    /// They cannot be read.
    #[error("{}: {_1}", _0.display())]
    File(PathBuf, String),
    /// A line is none.
    #[error("{}:{_1}: {_2}", _0.display())]
    Line(PathBuf, usize, String),
}

/// Recorded answers by file, and by model where the record names one.
pub struct Expectations {
    by_file: HashMap<(PathBuf, Option<AnyModel>), Expected>,
    /// The files, in the order of the records.
    pub files: Vec<PathBuf>,
}

impl Expectations {
    /// Reads recorded answers.
    pub fn read(path: &Path) -> Result<Expectations, ExpectationsError> {
        let text = read_text(path).map_err(|why| ExpectationsError::File(path.to_path_buf(), why))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut expectations = Expectations { by_file: HashMap::new(), files: Vec::new() };
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let wrong =
                |what: &str| ExpectationsError::Line(path.to_path_buf(), number + 1, what.to_string());
            let recorded: RecordedAnswer = serde_json::from_str(line).map_err(|e| wrong(&e.to_string()))?;
            let file = folder.join(recorded.file);
            let key = (same(&file), recorded.model.map(|model| model.0));
            let states = recorded.states.iter().map(|state| normal(state)).collect();
            expectations.files.push(file);
            expectations.by_file.insert(key, Expected { observation: recorded.observation.0, states });
        }
        Ok(expectations)
    }

    /// What is recorded of a file under a model.
    pub fn of(&self, file: &Path, model: AnyModel) -> Option<&Expected> {
        let file = same(file);
        let named = self.by_file.get(&(file.clone(), Some(model)));
        named.or_else(|| self.by_file.get(&(file, None)))
    }
}

/// The path that all ways to name a file have in common.
fn same(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_path_buf())
}

/// A state with one blank between its entries.
fn normal(state: &str) -> String {
    state.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Expected {
    /// How an answer differs; nothing if it does not.
    pub fn differences(&self, answer: &Answer) -> Vec<String> {
        let mut differences = Vec::new();
        if self.observation != answer.observation() {
            differences.push(format!("expected {}, got {}", self.observation, answer.observation()));
        }
        let ours: BTreeSet<String> = answer.states.iter().map(|s| normal(s)).collect();
        differences.extend(self.states.difference(&ours).map(|s| format!("missing state {s}")));
        differences.extend(ours.difference(&self.states).map(|s| format!("unexpected state {s}")));
        differences
    }
}
