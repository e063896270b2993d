//! Answers that are printed at the end, in one piece: SARIF and JUnit. What is there when the user ends the work is
//! printed, too, and what was not looked at is named.

use crate::input;
use crate::options::Format;
use crate::{Exit, output};
use fencepost_report::c11::{self, FoundC11, RobustnessC11};
use fencepost_report::junit::{self, Case, Ended};
use fencepost_report::robust::{self, RobustVerdict, Robustness};
use fencepost_report::sarif::{self, Fix, Kinds, Log, Started};
use fencepost_report::text::{Detail, Style};
use fencepost_report::{Outcome, Shown, text};
use fencepost_task::AnyModel;
use fencepost_verify::InputError;
use std::time::SystemTime;

/// What becomes of an unknown verdict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unknowns {
    /// It is an error.
    Harm,
    /// The user said that it is none.
    Allowed,
}

impl Unknowns {
    pub fn new(allowed: bool) -> Unknowns {
        if allowed { Unknowns::Allowed } else { Unknowns::Harm }
    }

    /// A case without an answer.
    pub fn ended(self, reason: String) -> Ended {
        match self {
            Unknowns::Harm => Ended::Error(reason, String::new()),
            Unknowns::Allowed => Ended::Skipped(reason),
        }
    }
}

/// What was found so far.
pub enum Collected {
    /// Text and JSON are printed at once.
    Nothing,
    Sarif(Box<Log>),
    Junit(Cases),
}

/// Cases of a command.
pub struct Cases {
    command: &'static str,
    started: SystemTime,
    pub unknowns: Unknowns,
    cases: Vec<Case>,
}

impl Collected {
    /// `quiet` leaves out of SARIF what is not wrong.
    pub fn new(format: Format, command: &'static str, quiet: bool, unknowns: Unknowns) -> Collected {
        let started = SystemTime::now();
        match format {
            Format::Text | Format::Json => Collected::Nothing,
            Format::Junit => Collected::Junit(Cases { command, started, unknowns, cases: Vec::new() }),
            Format::Sarif => {
                let started = Started {
                    version: env!("CARGO_PKG_VERSION").to_string(),
                    arguments: std::env::args().skip(1).collect(),
                    folder: std::env::current_dir().unwrap_or_else(|_| "/".into()),
                    at: started,
                };
                let kinds = if quiet { Kinds::Wrong } else { Kinds::All };
                Collected::Sarif(Box::new(Log::new(started, kinds)))
            }
        }
    }

    /// An input that cannot be read.
    pub fn error(&mut self, name: &str, error: &InputError) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => match error {
                InputError::File(message) => log.no_file(name, message),
                InputError::Text(sources, diagnostics) => log.wrong_text(sources, diagnostics),
            },
            Collected::Junit(cases) => cases.error(name, error),
        }
    }

    /// A file in which an internal error happened.
    pub fn internal(&mut self, name: &str, model: Option<AnyModel>, message: &str) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => log.internal(name, message),
            Collected::Junit(cases) => cases.cases.push(broken(name, model, message)),
        }
    }

    /// A verdict of `check`.
    pub fn check(&mut self, outcome: &Outcome<'_>, fix: Option<&Fix>) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => log.check(outcome, fix),
            Collected::Junit(cases) => {
                let model = outcome.model.name().to_uppercase();
                let told = text::outcome(outcome, Style { detail: Detail::Steps, ..Style::default() });
                let (first, rest) = told.split_once('\n').unwrap_or((&told, ""));
                let (ended, output) = match &outcome.verdict {
                    Shown::Safe { .. } => (Ended::Passed, told.clone()),
                    Shown::Unknown { reason, .. } => (cases.unknowns.ended(reason.to_string()), told.clone()),
                    Shown::Unsafe(replay) => {
                        let property = replay.property(outcome.program);
                        (Ended::Failed(property, rest.to_string()), first.to_string())
                    }
                };
                let name = format!("{} under {model}", outcome.file);
                cases.add(outcome.file, name, ended, output, outcome.seconds);
            }
        }
    }

    /// A verdict of `robust`.
    pub fn robust(&mut self, answer: &Robustness<'_>) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => log.robust(answer),
            Collected::Junit(cases) => {
                let told = robust::text(answer, Style { detail: Detail::Steps, ..Style::default() });
                let (first, rest) = told.split_once('\n').unwrap_or((&told, ""));
                let (ended, output) = match (answer.verdict(), &answer.incomplete) {
                    (RobustVerdict::Robust, _) => (Ended::Passed, told.clone()),
                    (RobustVerdict::Unknown, Some(reason)) => {
                        (cases.unknowns.ended(reason.to_string()), told.clone())
                    }
                    (RobustVerdict::Unknown, None) | (RobustVerdict::NotRobust, _) => {
                        (Ended::Failed(first.to_string(), rest.to_string()), String::new())
                    }
                };
                let name = format!("{} against TSO", answer.file);
                cases.add(answer.file, name, ended, output, answer.seconds);
            }
        }
    }

    /// An answer of `robust` against C11. It has no form for code scanning.
    pub fn robust_c11(&mut self, answer: &RobustnessC11<'_>) {
        let Collected::Junit(cases) = self else { return };
        let told = c11::text(answer, Style { detail: Detail::Steps, ..Style::default() });
        let (first, rest) = told.split_once('\n').unwrap_or((&told, ""));
        let (ended, output) = match &answer.found {
            FoundC11::Robust(_) => (Ended::Passed, told.clone()),
            FoundC11::Unknown(reason) => (cases.unknowns.ended(reason.to_string()), told.clone()),
            FoundC11::Departed(_) | FoundC11::Raced(_) => {
                (Ended::Failed(first.to_string(), rest.to_string()), String::new())
            }
        };
        let name = format!("{} against C11", answer.file);
        cases.add(answer.file, name, ended, output, answer.seconds);
    }

    /// Cases that were decided side by side.
    pub fn extend(&mut self, more: Vec<Case>) {
        if let Collected::Junit(cases) = self {
            cases.cases.extend(more);
        }
    }

    /// The user ended the work before these were looked at.
    pub fn interrupted(&mut self, left: impl IntoIterator<Item = String>) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => log.interrupted(),
            Collected::Junit(cases) => {
                for name in left {
                    let ended = Ended::Skipped("interrupted before its turn".to_string());
                    cases.add(&name, name.clone(), ended, String::new(), 0.0);
                }
            }
        }
    }

    /// Prints what was collected; `exit` is what the process ends with.
    pub fn print(self, exit: Exit) {
        match self {
            Collected::Nothing => {}
            Collected::Sarif(log) => output::line(log.finish(exit as u8)),
            Collected::Junit(cases) => {
                output::text(junit::xml(cases.command, cases.started, &cases.cases));
            }
        }
    }
}

impl Cases {
    fn add(&mut self, file: &str, name: String, ended: Ended, output: String, seconds: f64) {
        self.cases.push(Case { file: file.to_string(), name, ended, output, seconds });
    }

    fn error(&mut self, name: &str, error: &InputError) {
        self.cases.push(unreadable(name, error));
    }
}

/// The case of an input that cannot be read.
pub fn unreadable(name: &str, error: &InputError) -> Case {
    let message = match error {
        InputError::File(message) => message.clone(),
        InputError::Text(_, diagnostics) => diagnostics.first().map_or(String::new(), |d| d.message.clone()),
    };
    let ended = Ended::Error(message, input::plain_message(error));
    Case { file: name.to_string(), name: name.to_string(), ended, output: String::new(), seconds: 0.0 }
}

/// The case of a file in which an internal error happened.
pub fn broken(name: &str, model: Option<AnyModel>, message: &str) -> Case {
    let case =
        model.map_or_else(|| name.to_string(), |m| format!("{name} under {}", m.name().to_uppercase()));
    let ended = Ended::Error(message.to_string(), String::new());
    Case { file: name.to_string(), name: case, ended, output: String::new(), seconds: 0.0 }
}

/// The repair of a program, in SARIF.
pub fn repair(collected: &mut Collected, repair: &sarif::Repair<'_>) {
    if let Collected::Sarif(log) = collected {
        log.repair(repair);
    }
}
