//! What a report of litmus tests shows: of each test what each model says, and a run for each final state
//! that tells models apart.

use fencepost_certify::Replay;
use fencepost_ir::cfg::Program;
use fencepost_task::Model;
use std::fmt;

/// A test.
pub struct ShownTest {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its condition.
    pub condition: String,
    /// For each model what it says.
    pub answers: Vec<(Model, ShownAnswer)>,
    /// What tells models apart.
    pub apart: Vec<Apart>,
}

/// What a model says of a test.
pub enum ShownAnswer {
    /// `Never`, `Sometimes` or `Always`, and the final states.
    Final {
        /// How often the condition holds.
        observation: Observation,
        /// The final states as herd prints them.
        states: Vec<String>,
    },
    /// No answer.
    Unknown(String),
}

/// What finds the final states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Search on the operational models.
    Explicit,
    /// Enumeration of executions by the axioms.
    Axiomatic,
    /// A formula, asked for one final state after the other.
    Bmc,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Explicit, Method::Axiomatic, Method::Bmc];

    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Explicit => "explicit",
            Method::Axiomatic => "axiomatic",
            Method::Bmc => "bmc",
        }
    }
}

/// In how many final states a condition holds, in herd's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Observation {
    /// In none.
    Never,
    /// In some.
    Sometimes,
    /// In all.
    Always,
}

impl Observation {
    /// All of them.
    pub const ALL: [Observation; 3] = [Observation::Never, Observation::Sometimes, Observation::Always];

    /// As herd writes it.
    pub fn name(self) -> &'static str {
        match self {
            Observation::Never => "Never",
            Observation::Sometimes => "Sometimes",
            Observation::Always => "Always",
        }
    }

    /// The observation of a word that [`Observation::name`] gives.
    pub fn from_name(name: &str) -> Option<Observation> {
        Observation::ALL.into_iter().find(|observation| observation.name() == name)
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A final state that one model has and a stronger one has not.
pub struct Apart {
    /// The final state as herd prints it.
    pub state: String,
    /// The weakest model that has it not.
    pub without: Model,
    /// The strongest model that has it.
    pub with: Model,
    /// The program and its run to that state.
    pub run: Option<(Program, Replay)>,
}
