//! What a result says, in one word: the `verdict` of every JSON object that `check`, `litmus` and `robust` write. The
//! words are written and read here.

use fencepost_task::VerdictKind;
use std::fmt;

/// What a result says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ResultKind {
    /// A property was checked.
    Checked(VerdictKind),
    /// The model adds no behaviour to SC.
    Robust,
    /// The model adds behaviour.
    NotRobust,
    /// Accesses race, which leaves the behaviour undefined.
    Race,
    /// The file could not be read.
    Error,
}

impl ResultKind {
    /// All of them.
    pub const ALL: [ResultKind; 7] = [
        ResultKind::Checked(VerdictKind::Safe),
        ResultKind::Checked(VerdictKind::Unsafe),
        ResultKind::Checked(VerdictKind::Unknown),
        ResultKind::Robust,
        ResultKind::NotRobust,
        ResultKind::Race,
        ResultKind::Error,
    ];

    /// As results write it.
    pub fn name(self) -> &'static str {
        match self {
            ResultKind::Checked(verdict) => verdict.name(),
            ResultKind::Robust => "robust",
            ResultKind::NotRobust => "not_robust",
            ResultKind::Race => "race",
            ResultKind::Error => "error",
        }
    }

    /// The result of a word that [`ResultKind::name`] gives.
    pub fn from_name(name: &str) -> Option<ResultKind> {
        ResultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ResultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<VerdictKind> for ResultKind {
    fn from(verdict: VerdictKind) -> ResultKind {
        ResultKind::Checked(verdict)
    }
}
