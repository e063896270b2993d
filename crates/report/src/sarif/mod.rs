//! One log for a run of the command line, in the Static Analysis Results Interchange Format (SARIF), version 2.1.0, for
//! code scanning and for viewers.
//!
//! What is wrong is a result of kind `fail`, with the replayed run as its code flow and the fences that repair it as a
//! fix; what is proved is one of kind `pass`, what is not known of kind `open`. Inputs that cannot be read are
//! notifications of the run. Fingerprints are made of the rule, the memory model, the function and the words of the line,
//! never of line numbers, so that they stay when something else is inserted above.

mod flow;
mod format;
mod location;
mod result;
mod rules;

use crate::clock::utc;
use crate::results::Ordered;
use fencepost_ir::{Remark, Sources};
use fencepost_text::Diagnostic;
use fencepost_text::fences::Edit;
use format::{
    ArtifactLocation, BaseLocation, DescriptorReference, Driver, Invocation, Notification,
    NotificationDescriptor, PhysicalLocation, SarifLocation, SarifLog, SarifResult, SarifRun, Text, Tool,
};
use location::{Artifacts, BASE, file_uri_with};
use std::path::PathBuf;
use std::time::SystemTime;

pub use location::file_uri;
pub use result::{Repair, RepairEnd};
pub use rules::of_violation as rule_of;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What was started.
#[derive(Clone, Debug)]
pub struct Started {
    /// The version of the program.
    pub version: String,
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Where.
    pub folder: PathBuf,
    /// When.
    pub at: SystemTime,
}

/// Which results a log has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinds {
    /// All.
    All,
    /// What is wrong only: some readers take every result for a problem.
    Wrong,
}

/// Changes of a file that put something right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The file as the user named it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What changes.
    pub edits: Vec<Edit>,
    /// In a few words, for a menu.
    pub title: String,
    /// What that does, in a sentence.
    pub what: String,
}

/// A log that is being written.
pub struct Log {
    started: Started,
    kinds: Kinds,
    artifacts: Artifacts,
    results: Vec<SarifResult>,
    fingerprints: Vec<String>,
    notifications: Vec<Notification>,
    /// Whether something could not be done.
    failed: bool,
}

/// What notifications are about; a number is the place in this list.
const NOTIFICATIONS: [(&str, &str); 4] = [
    ("input", "An input cannot be read, or has nothing to check."),
    ("internal", "A bug in Fencepost: the file has no result."),
    ("interrupted", "The run was ended before all was done."),
    ("warning", "Something makes the verdict mean less than it seems to."),
];

impl Log {
    /// An empty log.
    pub fn new(started: Started, kinds: Kinds) -> Log {
        let artifacts = Artifacts::new(&started.folder);
        Log {
            started,
            kinds,
            artifacts,
            results: Vec::new(),
            fingerprints: Vec::new(),
            notifications: Vec::new(),
            failed: false,
        }
    }

    /// An input whose text is wrong.
    pub fn wrong_text(&mut self, sources: &Sources, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let physical = self.artifacts.physical(sources, diagnostic.span);
            let text = match &diagnostic.help {
                Some(help) => format!("{}. {help}", diagnostic.message),
                None => diagnostic.message.clone(),
            };
            self.notify("input", &text, Some(physical));
        }
    }

    /// An input that cannot be read at all.
    pub fn no_file(&mut self, name: &str, message: &str) {
        let physical = self.artifacts.whole(name);
        self.notify("input", message, Some(physical));
    }

    /// An internal error happened on this file.
    pub fn internal(&mut self, name: &str, message: &str) {
        let physical = self.artifacts.whole(name);
        self.notify("internal", message, Some(physical));
    }

    /// The user ended the run.
    pub fn interrupted(&mut self) {
        self.notify("interrupted", "interrupted: not everything was looked at", None);
    }

    /// What makes verdicts on a program mean less than they seem to.
    pub fn warn(&mut self, sources: &Sources, warnings: &[Remark]) {
        for warning in warnings {
            let physical = self.artifacts.physical(sources, warning.span);
            let notification = notification("warning", "warning", &warning.message, Some(physical));
            // Every model has the same.
            if !self.notifications.contains(&notification) {
                self.notifications.push(notification);
            }
        }
    }

    fn notify(&mut self, id: &'static str, text: &str, physical: Option<PhysicalLocation>) {
        self.failed = true;
        self.notifications.push(notification(id, "error", text, physical));
    }

    /// The log as text, with the code that the process ends with.
    pub fn finish(self, exit: u8) -> String {
        let Started { version, arguments, folder, at } = self.started;
        let root = file_uri_with(&folder, "/");
        let command = std::iter::once("fencepost").chain(arguments.iter().map(String::as_str));
        let command = command.collect::<Vec<_>>().join(" ");
        let described = |(id, text): &(&'static str, &str)| NotificationDescriptor {
            id,
            short_description: Text::new(*text),
        };
        let base = BaseLocation {
            uri: root.clone(),
            description: Text::new("The folder in which Fencepost was started."),
        };
        let driver = Driver {
            name: "Fencepost",
            semantic_version: version.clone(),
            version,
            short_description: Text::new(
                "Verifies concurrent programs under the memory models SC, TSO (x86) and PSO.",
            ),
            language: "en-US",
            rules: rules::descriptors(),
            notifications: NOTIFICATIONS.iter().map(described).collect(),
        };
        let invocation = Invocation {
            execution_successful: !self.failed,
            exit_code: exit,
            command_line: command,
            arguments,
            working_directory: ArtifactLocation { uri: root, uri_base_id: None, index: None },
            start_time_utc: utc(at),
            end_time_utc: utc(SystemTime::now()),
            tool_execution_notifications: self.notifications,
        };
        let run = SarifRun {
            tool: Tool { driver },
            language: "en-US",
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: Ordered(vec![(BASE, base)]),
            invocations: [invocation],
            artifacts: self.artifacts.into_list(),
            results: self.results,
        };
        let log = SarifLog { schema: SCHEMA, version: "2.1.0", runs: [run] };
        serde_json::to_string_pretty(&log).unwrap_or_else(|error| panic!("logs have texts as keys: {error}"))
    }
}

fn notification(
    id: &'static str,
    level: &'static str,
    text: &str,
    physical: Option<PhysicalLocation>,
) -> Notification {
    let index = NOTIFICATIONS.iter().position(|(name, _)| *name == id);
    let index = index.unwrap_or_else(|| panic!("there is a notification `{id}`"));
    let location =
        |physical| [SarifLocation { physical_location: Some(physical), ..SarifLocation::default() }];
    Notification {
        descriptor: DescriptorReference { id, index },
        level,
        message: Text::new(text),
        locations: physical.map(location),
    }
}
