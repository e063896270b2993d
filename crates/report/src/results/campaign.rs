//! What results say of the run that they are of, and results of any command, read back.

use super::check::{CheckResult, ErrorResult};
use super::litmus::{LitmusResult, Untold};
use super::robust::{RobustC11Result, RobustResult};
use super::word::Word;
use super::{Schema, ScopeResult};
use crate::ResultKind;
use crate::litmus::Observation;
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_task::{AnyModel, Scope};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// What a result is of, beside its file: only with `--results` or `--shard`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stamp {
    /// The run over many files that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<CampaignStamp>,
    /// The method that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// A digest of the method and its bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// A digest of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The limits of time and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
}

/// A run over many files.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CampaignStamp {
    /// A digest of the files and models.
    pub id: String,
    /// The part of it that the result is of, as in `2/4`.
    pub shard: String,
    /// The memory models.
    pub models: Vec<Word<AnyModel>>,
    /// How many files there are in all parts; unknown where some files have no result.
    pub files: Option<usize>,
}

/// A result of `check`, `explain`, `litmus` or `robust`.
#[derive(Clone, Debug)]
pub enum AnyResult {
    /// Of `check` or `explain`.
    Check(Box<CheckResult<'static>>),
    /// Of `litmus`.
    Litmus(Box<LitmusResult>),
    /// Of `litmus`, for a test that could not be read in time.
    Untold(Box<Untold>),
    /// Of `robust`.
    Robust(Box<RobustResult>),
    /// Of `robust --model c11`.
    RobustC11(Box<RobustC11Result>),
    /// Of a file that could not be read.
    Error(Box<ErrorResult>),
}

/// Why a text is no result.
#[derive(Debug, thiserror::Error)]
pub enum NotAResult {
    /// It is something else.
    #[error("not a result: {0}")]
    Other(serde_json::Error),
    /// It is the result of another command.
    #[error("not a result of check, litmus or robust: its verdict is `{0}`")]
    OtherCommand(String),
}

/// The keys that tell kinds of results apart.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "schema")]
    _schema: Schema,
    verdict: String,
    #[serde(rename = "file")]
    _file: IgnoredAny,
    test: Option<IgnoredAny>,
    criterion: Option<IgnoredAny>,
    engine: Option<IgnoredAny>,
    seconds: Option<IgnoredAny>,
}

impl AnyResult {
    /// Reads a result.
    pub fn read(text: &str) -> Result<AnyResult, NotAResult> {
        let head: Head = serde_json::from_str(text).map_err(NotAResult::Other)?;
        let Some(verdict) = ResultKind::from_name(&head.verdict) else {
            return Err(NotAResult::OtherCommand(head.verdict));
        };
        let read = match head {
            _ if verdict == ResultKind::Error => serde_json::from_str(text).map(AnyResult::Error),
            Head { test: Some(_), .. } => serde_json::from_str(text).map(AnyResult::Litmus),
            Head { criterion: Some(_), .. } => serde_json::from_str(text).map(AnyResult::Robust),
            Head { engine: Some(_), .. } => serde_json::from_str(text).map(AnyResult::Check),
            Head { seconds: Some(_), .. } => serde_json::from_str(text).map(AnyResult::RobustC11),
            _ => serde_json::from_str(text).map(AnyResult::Untold),
        };
        read.map_err(NotAResult::Other)
    }

    /// The file.
    pub fn file(&self) -> &str {
        match self {
            AnyResult::Check(result) => &result.file,
            AnyResult::Litmus(result) => &result.file,
            AnyResult::Untold(result) => &result.file,
            AnyResult::Robust(result) => &result.file,
            AnyResult::RobustC11(result) => &result.file,
            AnyResult::Error(result) => &result.file,
        }
    }

    /// The memory model; none of a file that could not be read.
    pub fn model(&self) -> Option<AnyModel> {
        match self {
            AnyResult::Check(result) => Some(result.model.0),
            AnyResult::Litmus(result) => Some(result.model.0),
            AnyResult::Untold(result) => Some(result.model.0),
            AnyResult::Robust(result) => Some(result.model.0),
            AnyResult::RobustC11(result) => Some(result.model.0),
            AnyResult::Error(result) => result.model.map(|model| model.0),
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> ResultKind {
        match self {
            AnyResult::Check(result) => result.verdict.0,
            AnyResult::Litmus(result) => result.verdict.0,
            AnyResult::Untold(result) => result.verdict.0,
            AnyResult::Robust(result) => result.verdict.0,
            AnyResult::RobustC11(result) => result.verdict.0,
            AnyResult::Error(_) => ResultKind::Error,
        }
    }

    /// What it is of.
    pub fn stamp(&self) -> Option<&Stamp> {
        match self {
            AnyResult::Check(result) => Some(&result.stamp),
            AnyResult::Litmus(result) => Some(&result.stamp),
            AnyResult::Untold(result) => Some(&result.stamp),
            AnyResult::Error(result) => Some(&result.stamp),
            AnyResult::Robust(_) | AnyResult::RobustC11(_) => None,
        }
    }

    /// The litmus test, if it is of one.
    pub fn test(&self) -> Option<&str> {
        match self {
            AnyResult::Litmus(result) => Some(&result.test),
            AnyResult::Check(_)
            | AnyResult::Untold(_)
            | AnyResult::Robust(_)
            | AnyResult::RobustC11(_)
            | AnyResult::Error(_) => None,
        }
    }

    /// In how many final states the condition of a litmus test holds.
    pub fn observation(&self) -> Option<Observation> {
        match self {
            AnyResult::Litmus(result) => result.observation.map(|word| word.0),
            AnyResult::Check(_)
            | AnyResult::Untold(_)
            | AnyResult::Robust(_)
            | AnyResult::RobustC11(_)
            | AnyResult::Error(_) => None,
        }
    }

    /// Under C11, what belongs to a release sequence.
    pub fn release_sequences(&self) -> Option<ReleaseSequences> {
        match self {
            AnyResult::Litmus(result) => result.c11.as_ref().map(|c11| c11.release_sequences.0),
            AnyResult::RobustC11(result) => Some(result.release_sequences.0),
            AnyResult::Check(_) | AnyResult::Untold(_) | AnyResult::Robust(_) | AnyResult::Error(_) => None,
        }
    }

    /// Whether it holds within bounds only.
    pub fn is_bounded(&self) -> bool {
        let scope = match self {
            AnyResult::Check(result) => result.scope,
            AnyResult::Litmus(result) => result.scope,
            AnyResult::Robust(result) => result.scope,
            AnyResult::RobustC11(result) => result.scope,
            AnyResult::Untold(_) | AnyResult::Error(_) => None,
        };
        matches!(scope, Some(ScopeResult(Scope::UpTo(_))))
    }

    /// Who answered; empty where that is not said.
    pub fn engine(&self) -> &str {
        match self {
            AnyResult::Check(result) => result.engine.0.name(),
            AnyResult::Litmus(result) => result.engine.0.name(),
            AnyResult::Untold(_) | AnyResult::Robust(_) | AnyResult::RobustC11(_) | AnyResult::Error(_) => "",
        }
    }

    /// Wall-clock time.
    pub fn seconds(&self) -> f64 {
        match self {
            AnyResult::Check(result) => result.seconds.0,
            AnyResult::Litmus(result) => result.seconds.0,
            AnyResult::Robust(result) => result.seconds.0,
            AnyResult::RobustC11(result) => result.seconds.0,
            AnyResult::Untold(_) | AnyResult::Error(_) => 0.0,
        }
    }

    /// Why there is no verdict.
    pub fn reason(&self) -> Option<&str> {
        match self {
            AnyResult::Check(result) => result.reason.as_deref(),
            AnyResult::Litmus(result) => result.reason.as_deref(),
            AnyResult::Untold(result) => Some(&result.reason),
            AnyResult::Robust(result) => result.reason.as_deref(),
            AnyResult::RobustC11(result) => result.reason.as_deref(),
            AnyResult::Error(result) => result.diagnostics.first().map(|problem| problem.message.as_str()),
        }
    }
}
