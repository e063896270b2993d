//! What an analysis says of itself: while it works, and at its end.

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
