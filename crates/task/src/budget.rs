//! Limits of an analysis, and what it says of itself meanwhile.

use crate::Reason;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Called whenever an engine looks at its budget: where engines that share cores take turns.
#[derive(Clone)]
pub struct Pause(pub Arc<dyn Fn() + Send + Sync>);

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pause")
    }
}

/// Time, memory and cancellation. Engines ask [`Budget::exceeded`] every few thousand steps.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Bytes that the engine's own tables may take.
    pub memory: Option<u64>,
    /// Set by somebody else to stop the work.
    pub cancelled: Arc<AtomicBool>,
    /// Lets others work, if there are others.
    pub pause: Option<Pause>,
}

impl Budget {
    /// Why the work must stop now, if it must; `used` is the bytes that the engine's tables take.
    pub fn exceeded(&self, used: u64) -> Option<Reason> {
        if let Some(Pause(pause)) = &self.pause {
            pause();
        }
        if self.cancelled.load(Ordering::Relaxed) {
            Some(Reason::Cancelled)
        } else if self.memory.is_some_and(|limit| used > limit) {
            Some(Reason::Memory)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Reason::Timeout)
        } else {
            None
        }
    }
}

/// Counters of a finished or interrupted analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States stored.
    pub states: u64,
    /// Configurations generated, by engines that search backward.
    pub configurations: u64,
    /// Steps taken, including those to states already known.
    pub transitions: u64,
    /// Length of the longest shortest way to a state.
    pub depth: u64,
    /// Bytes of the largest tables.
    pub bytes: u64,
    /// Questions to a solver, or searches that an engine asks for.
    pub queries: u64,
    /// Variables of the largest formula.
    pub variables: u64,
    /// Clauses of the largest formula.
    pub clauses: u64,
    /// Violations that a formula with cut widths has and the program has not.
    pub spurious: u64,
    /// Whether threads were seen to race by plain or relaxed accesses.
    pub racing: bool,
}

/// Sent now and then while an engine works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Counters so far.
    pub stats: Stats,
    /// The buffer bound that is being tried, if any.
    pub buffer: Option<u32>,
    /// States that wait to be looked at.
    pub waiting: u64,
}
