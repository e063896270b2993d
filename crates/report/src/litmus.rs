//! What a report of litmus tests shows: of each test what each model says, and a run for each final state
//! that tells models apart.

use fencepost_certify::Replay;
use fencepost_ir::cfg::Program;
use fencepost_task::Model;

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
        /// The word.
        observation: &'static str,
        /// The final states as herd prints them.
        states: Vec<String>,
    },
    /// No answer.
    Unknown(String),
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
