//! What `merge` says of many results.

use super::word::Word;
use super::{Ordered, Schema, Seconds};
use fencepost_task::AnyModel;
use serde::{Deserialize, Serialize};

/// A summary of results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryResult {
    /// The version of the format.
    pub schema: Schema,
    /// How many results there are.
    pub results: usize,
    /// For each kind of result and each memory model, how many there are of each verdict.
    pub counts: Ordered<String, Ordered<Word<AnyModel>, Ordered<String, usize>>>,
    /// For each engine, and each method that chooses among engines, its answers.
    pub engines: Vec<EngineTimes>,
    /// Verdicts on the same program that cannot both be true.
    pub contradictions: Vec<String>,
    /// Files that could not be read.
    pub errors: Vec<String>,
    /// What has no verdict, and why.
    pub unknown: Vec<String>,
    /// Campaigns of which results are missing.
    pub missing: Vec<String>,
}

/// The answers of an engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineTimes {
    /// The engine.
    pub name: String,
    /// How many.
    pub answers: usize,
    /// The time of all of them.
    pub seconds: Seconds,
}
