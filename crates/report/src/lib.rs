//! Answers for people and for other programs: text, JSON, SARIF, JUnit, diagnostics, drawings, pages.
//!
//! ```
//! use fencepost_ir::{Sources, Span};
//! use fencepost_text::Diagnostic;
//!
//! let sources = Sources::single("one.fp", "shared int x = ;");
//! let place = Span { line: 1, column: 16, length: 1, ..Span::NONE };
//! let wrong = [Diagnostic::new(place, "expected a value")];
//! let error = fencepost_report::results::ErrorResult::of_text("one.fp", &sources, &wrong);
//! assert!(error.to_string().starts_with(r#"{"schema":1,"file":"one.fp","verdict":"error""#));
//! ```

pub mod c11;
mod clock;
pub mod diagnostics;
pub mod diff;
pub mod digest;
pub mod explain;
pub mod junit;
mod kind;
pub mod litmus;
pub mod nearest_sc;
pub mod page;
pub mod paint;
pub mod picture;
pub mod proof;
pub mod results;
pub mod robust;
mod rows;
pub mod sarif;
pub mod spots;
pub mod summary;
pub mod text;
pub mod timeline;
pub mod told;
pub mod witness;
pub mod words;

pub use kind::ResultKind;

use explain::{Explanation, RunWeakness};
use fencepost_certify::Replay;
use fencepost_ir::Remark;
use fencepost_ir::cfg::Program;
use fencepost_task::{
    AnyModel, Budget, EngineChoice, EngineId, Reason, Scope, Stats, Unreached, VerdictKind,
};

/// How a file's check ended, ready to be shown: every run in it has been replayed.
pub struct Outcome<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: AnyModel,
    /// The engine that answered; where none did, what was asked for.
    pub engine: EngineChoice,
    /// The engines that took part.
    pub engines: Vec<Took>,
    /// The verdict.
    pub verdict: Shown,
    /// The violation in sentences, if there is one.
    pub explanation: Option<Explanation>,
    /// How weak its run is.
    pub order: Option<RunWeakness>,
    /// What it cost.
    pub stats: Stats,
    /// Wall-clock time.
    pub seconds: f64,
    /// What makes the verdict mean less than it seems to.
    pub warnings: &'a [Remark],
    /// The limits of telling about it: what does not fit is left out, with a word.
    pub telling: Budget,
}

/// An engine that could have answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Took {
    /// Which one.
    pub engine: EngineId,
    /// What became of it.
    pub part: TookPart,
    /// Why it did not answer, if it said so.
    pub reason: Option<String>,
}

/// What became of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TookPart {
    /// It gave the answer.
    Answered,
    /// It gave up.
    Unknown,
    /// The program or the model is not for it.
    NotApplicable,
    /// Another one was faster, or the user ended the work.
    Cancelled,
    /// There was an answer before its turn.
    NotRun,
}

impl TookPart {
    /// All of them.
    pub const ALL: [TookPart; 5] = [
        TookPart::Answered,
        TookPart::Unknown,
        TookPart::NotApplicable,
        TookPart::Cancelled,
        TookPart::NotRun,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            TookPart::Answered => "answered",
            TookPart::Unknown => "unknown",
            TookPart::NotApplicable => "not applicable",
            TookPart::Cancelled => "cancelled",
            TookPart::NotRun => "not run",
        }
    }
}

/// A verdict with what is shown of it.
pub enum Shown {
    /// No violation within the scope.
    Safe {
        /// How far that reaches.
        scope: Scope,
        /// Properties that no run came to.
        unreached: Vec<Unreached>,
        /// What ended the growth of the bounds, where they would have grown on.
        ended: Option<Reason>,
    },
    /// A replayed violation.
    Unsafe(Box<Replay>),
    /// Neither.
    Unknown {
        /// Why.
        reason: Reason,
        /// The largest scope that was finished.
        scope: Option<Scope>,
    },
}

impl Shown {
    /// Which verdict it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Shown::Safe { .. } => VerdictKind::Safe,
            Shown::Unsafe(_) => VerdictKind::Unsafe,
            Shown::Unknown { .. } => VerdictKind::Unknown,
        }
    }
}
