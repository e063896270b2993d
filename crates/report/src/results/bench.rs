//! Rows of the tables that `bench` measures.

use super::Schema;
use super::word::{Vocabulary, Word};
use fencepost_task::{EngineId, Model, VerdictKind};
use serde::{Deserialize, Serialize};

/// A tool that is not installed: its results are left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MissingPeer {
    /// The version of the format.
    pub schema: Schema,
    /// The tool.
    pub missing: String,
}

/// Which table a row is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words after `bench`")]
pub enum BenchName {
    Dual,
    Explore,
    Lazy,
    Litmus,
}

/// What a tool says of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeerVerdict {
    /// A verdict.
    Answered(VerdictKind),
    /// It was stopped.
    Time,
    /// It does not take the program.
    Failed,
}

impl Vocabulary for PeerVerdict {
    const WHAT: &'static str = "verdict";

    fn all() -> Vec<PeerVerdict> {
        let answers = VerdictKind::ALL.into_iter().map(PeerVerdict::Answered);
        answers.chain([PeerVerdict::Time, PeerVerdict::Failed]).collect()
    }

    fn word(self) -> &'static str {
        match self {
            PeerVerdict::Answered(verdict) => verdict.name(),
            PeerVerdict::Time => "time",
            PeerVerdict::Failed => "failed",
        }
    }
}

/// A row of `bench auto`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AutoRow {
    /// The file.
    pub program: String,
    /// The memory model.
    pub model: Word<Model>,
    /// The verdict.
    pub verdict: Word<VerdictKind>,
    /// The engine that answered in the portfolio.
    pub auto: Word<EngineId>,
    /// Time of the portfolio.
    pub seconds: f64,
    /// The fastest engine alone.
    pub best: Option<Word<EngineId>>,
    /// Its time.
    pub best_seconds: Option<f64>,
    /// Whether the portfolio takes at most three times as long, and half a second.
    pub within: bool,
}

/// A row of `bench bmc`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BmcRow {
    /// The program and its macros.
    pub program: String,
    /// The memory model.
    pub model: Word<Model>,
    /// Who was asked.
    pub tool: String,
    /// What it says.
    pub verdict: Word<PeerVerdict>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Variables of the formula.
    pub variables: Option<u64>,
    /// Clauses of the formula.
    pub clauses: Option<u64>,
}

/// A row of `bench dual`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DualRow {
    /// The version of the format.
    pub schema: Schema,
    /// The table.
    pub bench: BenchName,
    /// The table of the paper.
    pub table: String,
    /// The program.
    pub program: String,
    /// The verdict.
    pub verdict: Word<VerdictKind>,
    /// Configurations generated.
    pub configurations: u64,
    /// Elements of the invariant.
    pub invariant: u64,
    /// Configurations in the paper.
    pub published: Option<u64>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Configurations that memorax generates.
    pub memorax: Option<u64>,
    /// Its time.
    pub memorax_seconds: Option<f64>,
}

/// A row of `bench explore`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExploreRow {
    /// The version of the format.
    pub schema: Schema,
    /// The table.
    pub bench: BenchName,
    /// The program.
    pub model: String,
    /// Whether partial-order reduction is on.
    pub reduction: OnOff,
    /// States stored.
    pub states: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Bytes for each state.
    pub bytes_per_state: f64,
    /// What spin takes.
    pub spin: Option<PeerSearch>,
}

/// Whether something is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "two words")]
pub enum OnOff {
    On,
    Off,
}

/// A search by another tool.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PeerSearch {
    /// States stored.
    pub states: u64,
    /// Wall-clock time.
    pub seconds: f64,
}

/// A row of `bench lazy`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LazyRow {
    /// The version of the format.
    pub schema: Schema,
    /// The table.
    pub bench: BenchName,
    /// The figure of the paper.
    pub figure: String,
    /// The program.
    pub program: String,
    /// The verdict of the lazy engine.
    pub verdict: Word<VerdictKind>,
    /// Its searches.
    pub queries: u64,
    /// The states it stores.
    pub states: u64,
    /// Its time.
    pub milliseconds: f64,
    /// Time in the paper.
    pub published_milliseconds: Option<u64>,
    /// Searches in the paper.
    pub published_queries: Option<u64>,
    /// Robustness of the same program.
    #[serde(flatten)]
    pub robustness: RobustColumns,
}

/// Robustness in a row of `bench lazy`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RobustColumns {
    /// Whether the program is robust.
    pub robust: bool,
    /// Whether it is known to be.
    pub expected_robust: bool,
    /// Attacks found.
    pub attacks: usize,
    /// States stored.
    pub robust_states: u64,
    /// Wall-clock time.
    pub robust_milliseconds: f64,
    /// What trencher takes.
    pub trencher_milliseconds: Option<f64>,
}

/// A row of `bench litmus`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LitmusRow {
    /// The version of the format.
    pub schema: Schema,
    /// The table.
    pub bench: BenchName,
    /// Who was asked, and how.
    pub method: String,
    /// The memory model.
    pub model: Word<Model>,
    /// Tests decided.
    pub tests: usize,
    /// Their final states.
    pub states: Option<usize>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Tests a second.
    pub tests_per_second: f64,
}

/// A row of `bench translate`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranslateRow {
    /// The program.
    pub program: String,
    /// The bound on the age of stores.
    pub age: u32,
    /// Who was asked.
    pub tool: String,
    /// What it says.
    pub verdict: Word<PeerVerdict>,
    /// Wall-clock time.
    pub seconds: f64,
    /// States stored.
    pub states: Option<u64>,
    /// Seconds in the paper.
    pub published: Published,
}

/// Seconds of the two tools of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Published {
    /// Poirot's.
    pub poirot: u32,
    /// ESBMC's, where it decides the program.
    pub esbmc: Option<u32>,
}
