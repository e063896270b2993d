//! Engines: what they are called, and what each can do.

use crate::{Answer, Progress, Task};
use std::fmt;

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum EngineId {
    /// Explicit-state search.
    Explicit,
    /// Backward search over load buffers.
    Dual,
    /// Search under SC, with store buffers only where robustness is attacked.
    Lazy,
    /// Translation to SC with bounded rounds.
    Rounds,
    /// Translation to SC with bounded store age.
    Age,
    /// Bounded model checking.
    Bmc,
}

impl EngineId {
    /// All engines.
    pub const ALL: [EngineId; 6] =
        [EngineId::Explicit, EngineId::Dual, EngineId::Lazy, EngineId::Rounds, EngineId::Age, EngineId::Bmc];

    /// As the command line and results write it.
    pub fn name(self) -> &'static str {
        match self {
            EngineId::Explicit => "explicit",
            EngineId::Dual => "dual",
            EngineId::Lazy => "lazy",
            EngineId::Rounds => "rounds",
            EngineId::Age => "age",
            EngineId::Bmc => "bmc",
        }
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who is to answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EngineChoice {
    /// Whoever fits, side by side.
    #[default]
    Auto,
    /// One engine.
    Only(EngineId),
}

impl EngineChoice {
    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Only(engine) => engine.name(),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A method that answers tasks.
pub trait Engine {
    /// Which engine it is.
    fn id(&self) -> EngineId;

    /// Answers. Never overclaims: a bound that cut something off is in the scope.
    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer;
}
