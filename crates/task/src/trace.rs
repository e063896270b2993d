//! Runs: which thread did what, and which property broke.
//!
//! A trace holds choices only. What each step read and wrote follows from the reference
//! semantics, so a trace cannot claim a value.

use crate::Model;
use fencepost_ir::cfg::{EdgeId, Loc};
use fencepost_ir::{Check, Fault, Sources};
use std::fmt;

/// What a step is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Action {
    /// The thread follows an edge of its current procedure; a havoc takes the value.
    Edge(EdgeId, Option<i64>),
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
    /// No step fails, but nothing can happen any more, and a thread waits.
    Deadlock,
    /// No step fails, but memory is lost at the end.
    Leak,
    /// No step fails, but two threads are about to access one location without order.
    Race,
}

impl Failure {
    /// Whether this says something of our limits and not of the program.
    pub fn is_limit(self) -> bool {
        match self {
            Failure::Fault(fault) => fault.is_limit(),
            Failure::TooManyThreads | Failure::TooManyValues(_) => true,
            Failure::Assertion
            | Failure::UnlockNotHeld
            | Failure::JoinNoThread(_)
            | Failure::JoinTwice
            | Failure::Deadlock
            | Failure::Leak
            | Failure::Race
            | Failure::AtomicEndOutside => false,
        }
    }

    /// Whether it is the state after the last step that is wrong, and not the step.
    pub fn is_of_state(self) -> bool {
        matches!(self, Failure::Deadlock | Failure::Leak | Failure::Race)
    }

    /// The check that reports it; `None` where it is always reported.
    pub fn check(self) -> Option<Check> {
        Some(match self {
            Failure::Assertion => Check::Assertion,
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
            | Failure::Deadlock
            | Failure::Leak
            | Failure::Race => return None,
        })
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
            Failure::TooManyValues(n) => write!(f, "any of {n} values is chosen, too many to try"),
        }
    }
}

/// What a trace shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Violation {
    /// The last step fails.
    Failure(Failure),
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
            Violation::Failure(Failure::Assertion) => format!("assertion at {}", sources.place(last)),
            Violation::Failure(failure) => format!("{failure} at {}", sources.place(last)),
            Violation::Property(i) => match &program.properties[*i] {
                Property::Forbid { span, .. } => format!("forbidden combination at {}", sources.place(*span)),
                Property::Final { span, .. } => format!("final condition at {}", sources.place(*span)),
            },
        }
    }
}
