//! Results for scripts: what `--format json`, `--trace`, `--results`, `--certificate` and `bench` write, and what `replay`, `certify`,
//! `merge` and a resumed campaign read. One type for each kind of object, with `serde`; nothing else in Fencepost makes or
//! takes such objects apart.
//!
//! The order of fields is the order of keys. A key that does not apply is left out where the field says so, and is `null`
//! elsewhere. Readers ignore keys that they do not know. `docs/json.md` and `docs/result.schema.json` are made from the
//! documentation and the types of these fields by the test in `reference.rs`.

mod bench;
mod campaign;
mod certificate;
mod check;
mod fences;
mod litmus;
#[cfg(test)]
mod reference;
mod robust;
mod scalar;
mod summary;
mod trace;
mod word;

pub use bench::{
    AutoRow, BenchName, BmcRow, DualRow, ExploreRow, LazyRow, LitmusRow, MissingPeer, OnOff, PeerSearch,
    PeerVerdict, Published, RobustColumns, TranslateRow,
};
pub use campaign::{AnyResult, CampaignStamp, NotAResult, Stamp};
pub use certificate::{CertificateResult, SavedCertificate, read_certificate, write_certificate};
pub use check::{
    CheckResult, CheckStats, Details, EngineResult, ErrorResult, ErrorVerdict, ExplanationResult, Position,
    Problem, Remark, ViolationResult, Warning,
};
pub use fences::{
    AtLeast, AttackPlaces, AuditResult, AuditedFence, AuditedVerdict, Evidence, FenceResult, FencedVerdict,
    FencesResult, FencesStats, FencesVerdict, GoalKind, Missed, RepairResult,
};
pub use litmus::{Comparison, LitmusC11, LitmusResult, RecordedAnswer, Untold, Validation};
pub use robust::{
    Attack, CycleStep, Departure, PathStep, Race, RaceAccess, RobustC11Result, RobustResult, RobustStats,
    SourceLine,
};
pub use scalar::{Integer, Ordered, Schema, ScopeResult, Seconds};
pub use summary::{EngineTimes, SummaryResult};
pub use trace::{NotARun, SavedRun, Step, StepKind, Steps, read_run, steps};
pub use word::{Vocabulary, Word};

use fencepost_task::{Budget, Pace, Stop};
use serde::Serialize;
use std::io;

/// How JSON is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// On one line.
    One,
    /// Indented, on many.
    Many,
}

/// An object as one line, without its end.
pub fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).unwrap_or_else(|error| panic!("results have texts as keys: {error}"))
}

/// An object whose runs are made while they are written, as text; or why it cannot be written.
pub fn text(object: &impl Serialize, lines: Lines, budget: &Budget) -> Result<String, Stop> {
    let mut out = Limited { bytes: Vec::new(), pace: Pace::new(budget), stop: None };
    let written = match lines {
        Lines::One => serde_json::to_writer(&mut out, object),
        Lines::Many => serde_json::to_writer_pretty(&mut out, object),
    };
    match (written, out.stop) {
        (Ok(()), _) => Ok(String::from_utf8(out.bytes).expect("JSON is UTF-8")),
        (Err(_), Some(stop)) => Err(stop),
        // A run that cannot be replayed within the limits closes its budget.
        (Err(error), None) => match budget.look(0) {
            Err(stop) => Err(stop),
            Ok(()) => panic!("results have texts as keys: {error}"),
        },
    }
}

/// Bytes in memory, as many as the budget allows.
struct Limited {
    bytes: Vec<u8>,
    pace: Pace,
    stop: Option<Stop>,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Pieces are a few bytes long; a look for each 64 bytes is often enough.
        let (before, after) = (self.bytes.len() / 64, (self.bytes.len() + bytes.len()) / 64);
        if after > before
            && let Err(stop) = self.pace.take(bytes.len() as u64, || self.bytes.len() as u64)
        {
            self.stop = Some(stop);
            return Err(io::Error::other("a limit was reached"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
