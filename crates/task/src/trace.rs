//! Runs: which thread did what, and which property broke.
//!
//! A trace holds choices only. What each step read and wrote follows from the reference
//! semantics, so a trace cannot claim a value.

use crate::{Model, Reason};
use fencepost_ir::cfg::{EdgeId, Loc};
use fencepost_ir::{Check, Claim, Fault, Sources};
use std::fmt;

/// What a step is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Action {
    /// The thread follows an edge of its current procedure; a havoc takes the value.
    Edge(EdgeId, Option<i64>),
    /// C11 only: the thread follows an edge whose access takes an older write than the newest, of this value (which does not matter to a
    /// store). What it writes comes before the newest write, so memory does not change.
    Older(EdgeId, i64),
    /// The oldest buffered store of the thread to this cell reaches memory.
    Flush(Loc),
    /// Load buffers only: the cell's value is sent to the thread.
    Propagate(Loc),
    /// Load buffers only: the thread's oldest message is dropped.
    Delete,
}

/// One step of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Step {
    /// The thread's number: first those of the beginning, then in order of spawning.
    pub thread: u32,
    /// What it does.
    pub action: Action,
}

/// Why an instruction cannot be executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Failure {
    /// An assertion is false.
    Assertion,
    /// The program ends with another status than 0.
    ExitStatus,
    /// What must not be reached is reached.
    Reached,
    /// An expression has no value.
    Fault(Fault),
    /// The mutex is not held by this thread.
    UnlockNotHeld,
    /// No such thread.
    JoinNoThread(i64),
    /// Joining a thread that was joined before.
    JoinTwice,
    /// An atomic section ends that was not begun.
    AtomicEndOutside,
    /// More threads than handles.
    TooManyThreads,
    /// More values to choose from than can be tried.
    TooManyValues(u128),
    /// More states inside of one atomic section than are looked at to see whether it can be passed.
    LongSection(usize),
    /// No step fails, but nothing can happen any more, and a thread waits.
    Deadlock,
    /// No step fails, but memory is lost at the end.
    Leak,
    /// No step fails, but two threads are about to access one location without order.
    Race,
}

/// A failure that is an error of the program. Only [`Failure::error`] tells these from limits, so that a
/// [`Violation`] cannot hold a limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Error(Failure);

impl Error {
    /// Nothing can happen any more, and a thread waits.
    pub const DEADLOCK: Error = Error(Failure::Deadlock);
    /// Memory is lost at the end.
    pub const LEAK: Error = Error(Failure::Leak);
    /// Two threads are about to access one location without order.
    pub const RACE: Error = Error(Failure::Race);

    /// What fails, and how.
    pub fn failure(self) -> Failure {
        self.0
    }

    /// Whether it is the state after the last step that is wrong, and not the step.
    pub fn is_of_state(self) -> bool {
        self.0.is_of_state()
    }

    /// The check that reports it; `None` where it is always reported.
    pub fn check(self) -> Option<Check> {
        self.0.check()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A failure that is an engine limit, and no error of the program: the verdict on such a run is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limit(Failure);

impl Limit {
    /// What goes over it.
    pub fn failure(self) -> Failure {
        self.0
    }

    /// Why there is no verdict on a run that meets the limit at that place.
    pub fn reason(self, place: impl fmt::Display) -> Reason {
        match self.0 {
            Failure::Fault(Fault::Overflow) => Reason::Overflow(place.to_string()),
            failure => Reason::BoundReached(format!("{failure} at {place}")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Failure {
    /// Whether it is an error of the program or an engine limit.
    pub fn error(self) -> Result<Error, Limit> {
        match self {
            Failure::Fault(fault) if fault.is_limit() => Err(Limit(self)),
            Failure::TooManyThreads | Failure::TooManyValues(_) | Failure::LongSection(_) => Err(Limit(self)),
            Failure::Assertion
            | Failure::ExitStatus
            | Failure::Reached
            | Failure::Fault(_)
            | Failure::UnlockNotHeld
            | Failure::JoinNoThread(_)
            | Failure::JoinTwice
            | Failure::Deadlock
            | Failure::Leak
            | Failure::Race
            | Failure::AtomicEndOutside => Ok(Error(self)),
        }
    }

    /// The violation that it is, if it is no limit.
    pub fn violation(self) -> Result<Violation, Limit> {
        self.error().map(Violation::Failure)
    }

    /// Whether it is the state after the last step that is wrong, and not the step.
    pub fn is_of_state(self) -> bool {
        matches!(self, Failure::Deadlock | Failure::Leak | Failure::Race)
    }

    /// The check that reports it; `None` where it is always reported.
    pub fn check(self) -> Option<Check> {
        Some(match self {
            Failure::Assertion => Check::Assertion,
            Failure::ExitStatus => Check::Exit,
            Failure::Reached => Check::Reach,
            Failure::UnlockNotHeld => Check::Unlock,
            Failure::JoinNoThread(_) | Failure::JoinTwice => Check::Join,
            Failure::Fault(fault) => match fault {
                Fault::OutOfRange { .. } => Check::Range,
                Fault::OutOfBounds { .. } | Fault::OutsideObject { .. } => Check::Bounds,
                Fault::DivisionByZero => Check::Division,
                Fault::ShiftOutOfRange { .. } => Check::Shift,
                Fault::NullPointer | Fault::WildPointer => Check::Pointer,
                Fault::UseAfterFree => Check::UseAfterFree,
                Fault::InvalidFree | Fault::DoubleFree => Check::Free,
                Fault::Overflow | Fault::MixedSize | Fault::Unwritten | Fault::TooMuchMemory => return None,
            },
            Failure::AtomicEndOutside
            | Failure::TooManyThreads
            | Failure::TooManyValues(_)
            | Failure::LongSection(_)
            | Failure::Deadlock
            | Failure::Leak
            | Failure::Race => return None,
        })
    }
}

impl From<Claim> for Failure {
    fn from(claim: Claim) -> Failure {
        match claim {
            Claim::Assertion => Failure::Assertion,
            Claim::Exit => Failure::ExitStatus,
            Claim::Reach => Failure::Reached,
            Claim::Target => Failure::Fault(Fault::WildPointer),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Fault(fault)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Assertion => f.write_str("assertion fails"),
            Failure::ExitStatus => f.write_str("the program ends with a status that is not 0"),
            Failure::Reached => f.write_str("what must not be reached is reached"),
            Failure::Fault(fault) => write!(f, "{fault}"),
            Failure::UnlockNotHeld => f.write_str("unlock of a mutex that the thread does not hold"),
            Failure::JoinNoThread(_) => f.write_str("join of no thread"),
            Failure::JoinTwice => f.write_str("join of a thread that was joined before"),
            Failure::AtomicEndOutside => f.write_str("atomic_end outside an atomic section"),
            Failure::TooManyThreads => f.write_str("more than 65535 threads"),
            Failure::Deadlock => f.write_str("deadlock"),
            Failure::Leak => {
                f.write_str("memory is lost: it is allocated at the end, and no variable leads to it")
            }
            Failure::Race => f.write_str("data race"),
            Failure::LongSection(n) => {
                write!(
                    f,
                    "an atomic section has more than {n} states, too many to see whether it can be passed"
                )
            }
            Failure::TooManyValues(n) => write!(f, "any of {n} values is chosen, too many to try"),
        }
    }
}

/// What a trace shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Violation {
    /// The last step fails, or the state after it is in error.
    Failure(Error),
    /// The state after the last step violates this property of the program.
    Property(usize),
}

/// A run that violates a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The memory model it is a run of.
    pub model: Model,
    /// For a program with any number of threads, how many of each start it takes; else empty.
    pub instances: Vec<u32>,
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// The steps.
    pub steps: Vec<Step>,
    /// What they lead to.
    pub violation: Violation,
    /// Whether no shorter run violates any property.
    pub shortest: bool,
}

impl Violation {
    /// The property's name in reports, as in `assertion at lock.fp:31`.
    pub fn describe(
        &self,
        program: &fencepost_ir::cfg::Program,
        last: fencepost_ir::Span,
        sources: &Sources,
    ) -> String {
        use fencepost_ir::cfg::Property;
        match self {
            Violation::Failure(Error(Failure::Assertion)) => format!("assertion at {}", sources.place(last)),
            Violation::Failure(error) => format!("{error} at {}", sources.place(last)),
            Violation::Property(i) => match &program.properties[*i] {
                Property::Forbid { span, .. } => format!("forbidden combination at {}", sources.place(*span)),
                Property::Final { span, .. } => format!("final condition at {}", sources.place(*span)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::Scalar;

    #[test]
    fn no_limit_is_a_violation() {
        let limits = [Fault::Overflow, Fault::MixedSize, Fault::Unwritten, Fault::TooMuchMemory];
        let limits = limits.map(Failure::Fault).into_iter();
        for limit in limits.chain([Failure::TooManyThreads, Failure::TooManyValues(1)]) {
            assert!(limit.violation().is_err(), "{limit} is taken for a violation");
        }
        let ty = Scalar::Bool;
        let errors = [Fault::OutOfRange { value: 2, ty }, Fault::NullPointer, Fault::UseAfterFree];
        for error in errors.map(Failure::Fault).into_iter().chain([Failure::Assertion, Failure::JoinTwice]) {
            let violation = error.violation().expect("an error of the program");
            assert!(matches!(violation, Violation::Failure(e) if e.failure() == error));
        }
    }
}
