//! How searches end, so that only one that has looked at everything can be taken for a proof.

use super::{Found, Search};
use fencepost_memory::Memory;
use fencepost_task::{Failure, Finished, Limit, Stats, Stop};

/// How a search ended.
pub enum End<'p, M: Memory> {
    /// A violation was found.
    Found(Found, Stats),
    /// None was found, but a step that goes over an engine limit.
    Limited(Found<Limit>, Stats),
    /// All states within the bound were looked at.
    Exhausted(Box<Exhausted<'p, M>>),
    /// It has gone as far as it was to go, and can continue.
    Paused(Box<Search<'p, M>>, Far),
    /// The budget stopped it.
    Stopped(Stop, Stats),
}

/// Which of its [`Limits`](super::Limits) a search has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Far {
    States,
    Depth,
}

/// A search that has looked at all states within its bound.
pub struct Exhausted<'p, M: Memory> {
    pub(super) search: Search<'p, M>,
    pub(super) finished: Finished,
}

impl<'p, M: Memory> Exhausted<'p, M> {
    /// Whether the bound cut anything off.
    pub fn is_cut(&self) -> bool {
        !self.search.cut.is_empty()
    }

    /// What was seen.
    pub fn search(&self) -> &Search<'p, M> {
        &self.search
    }

    /// Goes on with a larger bound, from what was cut off; and that it came to its end with this one.
    pub fn go_on(self) -> (Search<'p, M>, Finished) {
        (self.search, self.finished)
    }

    /// That it came to its end.
    pub fn finished(self) -> Finished {
        self.finished
    }
}

/// Why a step led nowhere.
pub(super) enum Halt {
    Failure(Failure),
    Stop(Stop),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failure(failure)
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}
