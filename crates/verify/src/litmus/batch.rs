//! Many tests side by side, each within limits of its own. Answers come as they are found, with the number of their file.

use super::Method;
use super::decide::{self, Answer, Judge, NoAnswer, Prepared};
use super::report;
use crate::files::Found;
use crate::options::Limits;
use crate::read::{InputError, read_text};
use crate::{internal, patience};
use fencepost_litmus::Test;
use fencepost_report::litmus::ShownTest;
use fencepost_task::{Budget, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// What all tests of a batch share.
pub struct Batch {
    /// The memory models.
    pub models: Vec<Judge>,
    /// What finds the final states of machines.
    pub method: Method,
    /// Time and memory for each test and model.
    pub limits: Limits,
    /// Tests at a time.
    pub jobs: usize,
    /// Only tests of these names, in which `*` stands for any text; all where there is none.
    pub only: Vec<String>,
    /// Only tests whose names contain one of these; all where there is none.
    pub filter: Vec<String>,
    /// Whether runs that tell models apart are looked for.
    pub draw: bool,
    /// Ends the work.
    pub cancelled: Arc<AtomicBool>,
}

/// What one model says of a test.
pub struct Told {
    /// The memory model.
    pub model: Judge,
    /// What it says.
    pub answer: Result<Answer, NoAnswer>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// A test with answers.
pub struct Answered {
    /// Its file.
    pub path: PathBuf,
    /// The test.
    pub test: Test,
    /// Its graphs.
    pub prepared: Prepared,
    /// What the models say that were asked. After a fault none is asked.
    pub answers: Vec<Told>,
    /// For a page, where one is wanted.
    pub shown: Option<ShownTest>,
}

/// What came of one file.
pub enum Tested {
    /// Its test was not asked for.
    Left,
    /// It cannot be read.
    Unreadable(InputError),
    /// It could not be read within the limits.
    Unread(Stop),
    /// An internal error happened.
    Broken(String),
    /// It was decided.
    Answered(Box<Answered>),
}

/// Whether the answer of a model is there already.
pub type IsKnown<'a> = dyn Fn(&str, &Test, Judge) -> bool + Sync + 'a;

impl Batch {
    /// Decides the tests of files; `each` is called for every file that was come to, with its number.
    pub fn run(
        &self,
        files: &[Found],
        is_known: &IsKnown<'_>,
        is_over: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(usize, Tested),
    ) {
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(file) = files.get(number) else { break };
                        if self.cancelled.load(Ordering::Relaxed) || is_over() {
                            break;
                        }
                        let tested = internal::guard(|| self.file(file, is_known));
                        let tested = tested.unwrap_or_else(Tested::Broken);
                        if sender.send((number, tested)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for (number, tested) in results {
                each(number, tested);
            }
        });
    }

    /// The limits of one test under one model, from now on.
    pub fn budget(&self) -> Budget {
        let budget = self.limits.budget(&self.cancelled);
        let share = budget.memory().map_or(u64::MAX, |bytes| bytes / self.jobs as u64);
        budget.within(share)
    }

    /// Reads and decides one file.
    fn file(&self, file: &Found, is_known: &IsKnown<'_>) -> Tested {
        let path = match file {
            Ok(path) => path,
            Err(message) => return Tested::Unreadable(InputError::File(message.clone())),
        };
        // The limits hold from the first byte on.
        let budget = self.budget();
        let (file, models) = (path.clone(), self.models.clone());
        let read = patience::within(&budget, move || {
            let name = file.display().to_string();
            let text = read_text(&file).map_err(|e| InputError::File(format!("{name}: {e}")))?;
            let test = fencepost_litmus::read_test(&name, &text).map_err(|(s, d)| InputError::Text(s, d))?;
            let prepared = decide::prepare(&test, &models);
            Ok::<_, InputError>((test, prepared))
        });
        // Whether a test that cannot be read was asked for is known by its file's name only.
        let all = self.only.is_empty() && self.filter.is_empty();
        let by_name = || all || path.file_stem().is_some_and(|s| self.is_wanted(&s.to_string_lossy()));
        match read {
            Ok(Ok((test, prepared))) if self.is_wanted(&test.name) => {
                Tested::Answered(Box::new(self.test(path, test, prepared, budget, is_known)))
            }
            Ok(Err(error)) if by_name() => Tested::Unreadable(error),
            Err(stop) if by_name() => Tested::Unread(stop),
            Ok(_) | Err(_) => Tested::Left,
        }
    }

    /// Whether a test was asked for.
    fn is_wanted(&self, name: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, name)))
            && (self.filter.is_empty() || self.filter.iter().any(|part| name.contains(part.as_str())))
    }

    /// Decides a test; the budget is what is left for its first model.
    fn test(
        &self,
        path: &Path,
        test: Test,
        prepared: Prepared,
        mut budget: Budget,
        is_known: &IsKnown<'_>,
    ) -> Answered {
        let name = path.display().to_string();
        internal::rehearse(&name);
        let mut answers = Vec::new();
        for &model in self.models.iter().filter(|model| !is_known(&name, &test, **model)) {
            let start = Instant::now();
            if !answers.is_empty() {
                budget = self.budget();
            }
            let answer = decide::decide(&test, &prepared, model, self.method, budget.clone());
            let is_fault = matches!(answer, Err(NoAnswer::Fault(_)));
            answers.push(Told { model, answer, seconds: start.elapsed().as_secs_f64() });
            if is_fault {
                break;
            }
        }
        let shown =
            self.draw.then(|| report::shown(&name, &test, &prepared.machine, &answers, &budget.part()));
        Answered { path: path.to_path_buf(), test, prepared, answers, shown }
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("SB", "SB", true),
            ("SB", "SB+mfences", false),
            ("SB*", "SB+mfences", true),
            ("*mfences", "SB+mfences", true),
            ("S*m*s", "SB+mfences", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("", "SB", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
