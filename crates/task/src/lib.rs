//! What is asked and what is answered: [`Task`], [`Verdict`], [`Trace`], [`Budget`], [`Stats`]
//! and the trait [`Engine`] that every engine implements.
//!
//! Work is done under a [`Budget`], and only a budget that nothing has stopped can say that it is [`Finished`]:
//!
//! ```
//! use fencepost_task::{Budget, Stop};
//!
//! let budget = Budget::default().within(1 << 20);
//! assert!(budget.look(1000).is_ok());
//! assert_eq!(budget.look(2 << 20), Err(Stop::Memory));
//! assert_eq!(budget.finish().err(), Some(Stop::Memory));
//! ```

mod budget;
pub mod certificate;
mod engine;
mod property;
mod resident;
mod stats;
mod trace;

use fencepost_ir::cfg::{EdgeId, ProcId, Program};
use std::fmt;

pub use budget::{Budget, Finished, Pace, Stop, Watch};
pub use certificate::Certificate;
pub use engine::{Engine, EngineChoice, EngineId};
pub use property::{Asked, Property};
pub use stats::{Progress, Stats};
pub use trace::{Action, Error, Failure, Limit, Step, Trace, Violation};

/// A memory model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
}

impl Model {
    /// All models, from the strongest to the weakest.
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }

    /// The model of a name that [`Model::name`] gives.
    pub fn from_name(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// What a program is checked under: a machine's memory model, or that of the language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum AnyModel {
    /// A machine's.
    Machine(Model),
    /// C11, as RC11 repairs it.
    C11,
}

impl AnyModel {
    /// All of them.
    pub const ALL: [AnyModel; 4] = [
        AnyModel::Machine(Model::Sc),
        AnyModel::Machine(Model::Tso),
        AnyModel::Machine(Model::Pso),
        AnyModel::C11,
    ];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            AnyModel::Machine(model) => model.name(),
            AnyModel::C11 => "c11",
        }
    }

    /// The model of a name that [`AnyModel::name`] gives.
    pub fn from_name(name: &str) -> Option<AnyModel> {
        AnyModel::ALL.into_iter().find(|m| m.name() == name)
    }
}

impl From<Model> for AnyModel {
    fn from(model: Model) -> AnyModel {
        AnyModel::Machine(model)
    }
}

/// Bounds of an analysis; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// Entries in each store buffer.
    pub buffer: Option<u32>,
    /// Instances of each template and unbounded spawn loop.
    pub threads: Option<u32>,
    /// Repetitions of each loop.
    pub unwind: Option<u32>,
    /// Rounds in which threads take turns.
    pub rounds: Option<u32>,
    /// Rounds of its thread that a store is on its way.
    pub age: Option<u32>,
    /// Times at which stores reach memory.
    pub clock: Option<u32>,
    /// Entries in each store queue of a shared-memory abstraction.
    pub queue: Option<u32>,
    /// Bits of integers.
    pub width: Option<u32>,
    /// Elements of each allocated object whose size is not known.
    pub block: Option<u32>,
    /// Times that an address of freed memory is given out again.
    pub reuse: Option<u32>,
}

impl Bounds {
    /// Names of all bounds, as JSON writes them.
    pub const NAMES: [&'static str; 10] =
        ["buffer", "threads", "unwind", "rounds", "age", "clock", "queue", "width", "block", "reuse"];

    /// The bounds in the order of their names.
    fn slots(&mut self) -> [&mut Option<u32>; 10] {
        let Bounds { buffer, threads, unwind, rounds, age, clock, queue, width, block, reuse } = self;
        [buffer, threads, unwind, rounds, age, clock, queue, width, block, reuse]
    }

    /// Names and values of the bounds that are set, as JSON writes them.
    pub fn named(mut self) -> Vec<(&'static str, u32)> {
        let all = Bounds::NAMES.into_iter().zip(self.slots());
        all.filter_map(|(name, value)| Some((name, (*value)?))).collect()
    }

    /// Sets the bound of a name that [`Bounds::named`] gives; others are ignored.
    pub fn set(&mut self, name: &str, value: u32) {
        let all = Bounds::NAMES.into_iter().zip(self.slots());
        all.filter(|(known, _)| *known == name).for_each(|(_, slot)| *slot = Some(value));
    }

    /// What is within both.
    pub fn and(self, other: Bounds) -> Bounds {
        let smaller = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        Bounds {
            buffer: smaller(self.buffer, other.buffer),
            threads: smaller(self.threads, other.threads),
            unwind: smaller(self.unwind, other.unwind),
            rounds: smaller(self.rounds, other.rounds),
            age: smaller(self.age, other.age),
            clock: smaller(self.clock, other.clock),
            queue: smaller(self.queue, other.queue),
            width: smaller(self.width, other.width),
            block: smaller(self.block, other.block),
            reuse: smaller(self.reuse, other.reuse),
        }
    }
}

/// How far a verdict reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All runs.
    Complete,
    /// All runs within bounds.
    UpTo(Bounds),
}

impl From<Bounds> for Scope {
    fn from(bounds: Bounds) -> Scope {
        if bounds == Bounds::default() { Scope::Complete } else { Scope::UpTo(bounds) }
    }
}

impl Scope {
    /// The bounds; none are set where it is complete.
    pub fn bounds(self) -> Bounds {
        match self {
            Scope::Complete => Bounds::default(),
            Scope::UpTo(bounds) => bounds,
        }
    }

    /// What is in both: what rests on two proofs holds there.
    pub fn and(self, other: Scope) -> Scope {
        self.bounds().and(other.bounds()).into()
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Complete => f.write_str("complete"),
            Scope::UpTo(bounds) => {
                let named: Vec<_> = bounds.named().iter().map(|(n, v)| format!("{n} {v}")).collect();
                write!(f, "up to {}", named.join(", "))
            }
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// The user or another engine ended the work.
    Cancelled,
    /// A bound that the user did not ask for cut off runs.
    BoundReached(String),
    /// The program or the model does not fit the engine.
    NotApplicable(String),
    /// An unbounded integer left 64 bits, at the place given.
    Overflow(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("the time limit was reached"),
            Reason::Memory => f.write_str("the memory limit was reached"),
            Reason::Cancelled => f.write_str("cancelled"),
            Reason::BoundReached(what) | Reason::NotApplicable(what) => f.write_str(what),
            Reason::Overflow(place) => write!(f, "an unbounded integer leaves 64 bits at {place}"),
        }
    }
}

/// A scope within which no run violates a property: all of it was looked at, and no limit came first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cleared {
    scope: Scope,
}

impl Cleared {
    /// What work on a task came to that was finished, within the bounds of the search and the number of threads that the
    /// user gave.
    pub fn new(task: &Task<'_>, bounds: Bounds, _: Finished) -> Cleared {
        Cleared { scope: task.scope(bounds) }
    }

    /// What was cleared.
    pub fn scope(self) -> Scope {
        self.scope
    }

    /// Whether that is all runs.
    pub fn is_complete(self) -> bool {
        self.scope == Scope::Complete
    }

    /// The same of what is left of the scope within bounds.
    pub fn up_to(self, bounds: Bounds) -> Cleared {
        Cleared { scope: self.scope.and(bounds.into()) }
    }
}

/// The answer to a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No run within the scope violates a property.
    Safe(Cleared),
    /// A run that violates a property.
    Unsafe {
        /// The run.
        trace: Trace,
    },
    /// Neither.
    Unknown {
        /// Why.
        reason: Reason,
        /// The largest scope within which there is no violation, if one was finished.
        cleared: Option<Cleared>,
    },
}

/// A verdict without what belongs to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum VerdictKind {
    /// No violation, within a scope.
    Safe,
    /// A violation.
    Unsafe,
    /// Neither.
    Unknown,
}

impl VerdictKind {
    /// All of them.
    pub const ALL: [VerdictKind; 3] = [VerdictKind::Safe, VerdictKind::Unsafe, VerdictKind::Unknown];

    /// As the command line and results write it.
    pub fn name(self) -> &'static str {
        match self {
            VerdictKind::Safe => "safe",
            VerdictKind::Unsafe => "unsafe",
            VerdictKind::Unknown => "unknown",
        }
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Verdict {
    /// Which verdict it is.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::Safe(_) => VerdictKind::Safe,
            Verdict::Unsafe { .. } => VerdictKind::Unsafe,
            Verdict::Unknown { .. } => VerdictKind::Unknown,
        }
    }

    /// No verdict, and nothing known.
    pub fn unknown(reason: impl Into<Reason>) -> Verdict {
        Verdict::Unknown { reason: reason.into(), cleared: None }
    }

    /// The scope without violations, of a verdict that has one.
    pub fn cleared(&self) -> Option<Scope> {
        match self {
            Verdict::Safe(cleared) => Some(cleared.scope()),
            Verdict::Unsafe { .. } => None,
            Verdict::Unknown { cleared, .. } => cleared.map(Cleared::scope),
        }
    }
}

/// A property that no run even came to.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Unreached {
    /// No run executes this assertion.
    Assertion(ProcId, EdgeId),
    /// No thread gets to this label of a forbidden combination.
    Label(ProcId, String),
    /// No run ends, so final conditions hold vacuously.
    End,
}

/// What an engine gives back.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Properties that were never reached; empty unless the verdict is safe.
    pub unreached: Vec<Unreached>,
    /// What it cost.
    pub stats: Stats,
    /// A proof that can be checked again, if the verdict is safe and the engine gives one.
    pub certificate: Option<Box<Certificate>>,
}

impl Answer {
    /// No verdict, nothing known, nothing more to say.
    pub fn unknown(reason: impl Into<Reason>, stats: Stats) -> Answer {
        let verdict = Verdict::unknown(reason);
        Answer { verdict, unreached: Vec::new(), stats, certificate: None }
    }
}

/// A question.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
    /// Bounds that the user gave.
    pub bounds: Bounds,
    /// Limits.
    pub budget: Budget,
}

impl Task<'_> {
    /// How far a search within bounds reaches: the program has no more threads than the user said.
    pub fn scope(&self, bounds: Bounds) -> Scope {
        bounds.and(Bounds { threads: self.bounds.threads, ..Bounds::default() }).into()
    }
}
