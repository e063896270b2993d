//! What `litmus` says of a test under a memory model, and what recorded answers say.

use super::campaign::Stamp;
use super::word::Word;
use super::{Ordered, Schema, ScopeResult, Seconds};
use crate::ResultKind;
use crate::litmus::{Method, Observation};
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_task::AnyModel;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A result of `litmus`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LitmusResult {
    /// The version of the format.
    pub schema: Schema,
    /// The file, as it was named.
    pub file: String,
    /// The name of the test.
    pub test: String,
    /// The memory model.
    pub model: Word<AnyModel>,
    /// What `check` says of the same file.
    pub verdict: Word<ResultKind>,
    /// What found the final states.
    pub engine: Word<Method>,
    /// `complete`, if there is an answer.
    pub scope: Option<ScopeResult>,
    /// The condition of the test.
    pub condition: String,
    /// Whether the condition holds with its quantifier.
    pub validated: Option<Validation>,
    /// In how many final states it holds.
    pub observation: Option<Word<Observation>>,
    /// Final states that are witnesses for the condition, as herd counts them.
    pub positive: Option<usize>,
    /// Final states that are not.
    pub negative: Option<usize>,
    /// All final states, as herd prints them.
    pub states: Option<Vec<String>>,
    /// Wall-clock time.
    pub seconds: Seconds,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// Only under C11.
    #[serde(flatten)]
    pub c11: Option<LitmusC11>,
    /// Only with `--results` or `--shard`.
    #[serde(flatten)]
    pub stamp: Stamp,
}

/// What only C11 has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LitmusC11 {
    /// What belongs to a release sequence.
    pub release_sequences: Word<ReleaseSequences>,
    /// The places of two accesses that race, which is undefined behaviour.
    pub race: Option<[String; 2]>,
}

/// herd's word for whether a condition holds: `Undef` where accesses race.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(missing_docs, reason = "herd's words")]
pub enum Validation {
    Ok,
    No,
    Undef,
}

impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Validation::Ok => "Ok",
            Validation::No => "No",
            Validation::Undef => "Undef",
        })
    }
}

/// A test that could not be read within the limits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Untold {
    /// The version of the format.
    pub schema: Schema,
    /// The file, as it was named.
    pub file: String,
    /// The memory model.
    pub model: Word<AnyModel>,
    /// Always `unknown`.
    pub verdict: Word<ResultKind>,
    /// Which limit was reached.
    pub reason: String,
    /// Only with `--results` or `--shard`.
    #[serde(flatten)]
    pub stamp: Stamp,
}

/// A result of `litmus --compare`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The version of the format.
    pub schema: Schema,
    /// The file, as it was named.
    pub file: String,
    /// The name of the test.
    pub test: String,
    /// Whether two of the models have different final states.
    pub apart: bool,
    /// For each memory model its final states.
    pub models: Ordered<Word<AnyModel>, Vec<String>>,
}

/// A line of the file that `litmus --expect` reads. A result of `litmus` is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordedAnswer {
    /// The file of the test, relative to the file of recorded answers.
    pub file: String,
    /// In how many final states the condition holds.
    pub observation: Word<Observation>,
    /// All final states.
    pub states: Vec<String>,
    /// The memory model; all of them if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Word<AnyModel>>,
}
