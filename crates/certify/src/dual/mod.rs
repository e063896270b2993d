//! Decides whether a certificate proves that a program violates no property under TSO, with buffers
//! of any length and, where the program says so, with any number of threads.
//!
//! The rules are those of Abdulla et al., CONCUR 2016 (Figure 2, sections 4 to 6), read anew: nothing
//! here comes from the engine that makes certificates. One correction: "read from buffer" takes the
//! oldest message. Why an accepted certificate is a proof, in six steps, a file each:
//!
//! 1. `shape`: the certificate speaks of this program: of its cells, its initial values, its threads.
//! 2. `simulation`: whatever a thread does, its automaton can do. So each run of the program under TSO
//!    is one of the automata with the same memory and the same store buffers, in which every thread's
//!    place is related to its automaton's state. Atomic sections are single steps there: while one is
//!    open no other thread steps, and no property mentions a place inside one (else it is rejected), so
//!    whatever is violated during a section is violated before it began, or by its owner failing.
//!    A store of a value that is not in the cell's list counts as a failure: before the first one, all values that
//!    can be read are listed, and that there is no first one is proved with the other failures.
//! 3. From store buffers to load buffers (Theorem 1): let a store happen when it is flushed, any other
//!    step when all earlier stores of its thread have been flushed, and send a value to the thread at
//!    the moment when the load of the original run saw it in memory. That is a run with load buffers,
//!    it has the same memory at all times, and it ends in the same states when everything has been
//!    flushed. So if a violation is reachable, then a configuration with these states, and for final
//!    conditions this memory, is reachable in which all load buffers are empty, since messages may
//!    be deleted.
//! 4. `invariant`: the certificate's set of configurations contains all that can be reached, so what it
//!    excludes needs no proof. It may be empty: then it excludes nothing.
//! 5. `targets`: each such configuration is above an element of the basis.
//! 6. `closure`: the basis, with what threads by themselves (`local`) lead to it from, is closed under
//!    undoing steps and contains no initial configuration. So, by induction over a run, no reachable
//!    configuration is above an element.
//!
//! The order (`order`): an element stands for all configurations that have its threads among theirs, in
//! the same states, with the same memory where it is not open, and with load buffers that are above
//! its own. A load buffer is above another if both have the same newest own messages, in the
//! same order (values may be open in the lower one), and the other messages between these are a subword.
//!
//! A program that starts threads is first made into one whose threads wait from the beginning (a pass that has
//! its own tests); the certificate says how many.
//!
//! Limits: what the format has no words for is rejected with a reason: spawn and join beyond that, allocation,
//! unbounded arrays, sections that do not wait for an empty buffer, values beyond 64 bits.

mod closure;
#[cfg(test)]
mod forward;
mod invariant;
mod liveness;
mod local;
mod order;
mod shape;
mod simulation;
mod step;
mod targets;

use fencepost_ir::cfg::Program;
use fencepost_passes::static_threads::static_threads;
use fencepost_task::certificate::CertifiedConfiguration;
use fencepost_task::{Budget, Certificate, Reason};
use std::fmt;

/// The part of a proof that does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It does not speak of this program.
    Shape,
    /// A thread can do what its automaton cannot.
    Simulation,
    /// A violation is not in the basis.
    Targets,
    /// Its invariant is none.
    Invariant,
    /// Something leads into the basis from outside.
    Closure,
    /// The program may start inside the basis.
    Start,
    /// It was not looked at to the end: there was no time, or it is too large.
    Unfinished,
}

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unproven {
    /// The part that does not hold.
    pub part: Part,
    /// What is wrong with it.
    pub reason: String,
}

impl Unproven {
    fn new(part: Part, reason: impl Into<String>) -> Unproven {
        Unproven { part, reason: reason.into() }
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.part {
            Part::Shape => "it is not about this program: ",
            Part::Simulation => "an automaton does not stand for its thread: ",
            Part::Targets => "a violation is left out: ",
            Part::Invariant => "its invariant does not hold: ",
            Part::Closure => "the basis is not closed: ",
            Part::Start => "the basis contains a beginning: ",
            Part::Unfinished => "not checked to the end: ",
        })?;
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unproven {}

/// Why a part of the check stops.
enum Stop {
    /// The certificate is wrong.
    Wrong(String),
    /// It is too large to say.
    TooLarge(&'static str),
}

impl Stop {
    fn map(self, change: impl FnOnce(String) -> String) -> Stop {
        match self {
            Stop::Wrong(reason) => Stop::Wrong(change(reason)),
            Stop::TooLarge(_) => self,
        }
    }

    /// As what is wrong with that part.
    fn of(self, part: Part) -> Unproven {
        match self {
            Stop::Wrong(reason) => Unproven::new(part, reason),
            Stop::TooLarge(what) => Unproven::new(Part::Unfinished, what),
        }
    }
}

impl From<String> for Stop {
    fn from(reason: String) -> Stop {
        Stop::Wrong(reason)
    }
}

impl From<&str> for Stop {
    fn from(reason: &str) -> Stop {
        Stop::Wrong(reason.to_string())
    }
}

/// The limits within which a certificate may be looked at.
#[derive(Clone, Copy)]
struct Limits<'b>(&'b Budget);

impl Limits<'_> {
    fn look(self) -> Result<(), Unproven> {
        self.0.look(0).map_err(|stop| Unproven::new(Part::Unfinished, Reason::from(stop).to_string()))
    }
}

/// Configurations that nothing more is asked of.
struct Settled<'a> {
    basis: order::Basis<'a>,
    invariant: invariant::Invariant<'a>,
}

impl<'a> Settled<'a> {
    fn new(certificate: &'a Certificate, limits: Limits<'_>) -> Result<Settled<'a>, Unproven> {
        let invariant = invariant::Invariant::new(certificate, limits)?;
        Ok(Settled { basis: order::Basis::new(&certificate.basis), invariant })
    }

    /// Whether it is above the basis, or unreachable.
    fn contains(&self, configuration: &CertifiedConfiguration) -> bool {
        self.basis.is_below(configuration) || self.invariant.excludes(configuration)
    }
}

/// Accepts a certificate only if it proves that the program violates no property under TSO.
pub fn check_certificate(program: &Program, certificate: &Certificate) -> Result<(), Unproven> {
    check_certificate_within(program, certificate, &Budget::default())
}

/// The same, but gives up with [`Part::Unfinished`] where the budget is used up.
pub fn check_certificate_within(
    program: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Unproven> {
    check(program, certificate, Limits(budget))
}

/// More threads than this are started by no certificate.
const MAX_SLOTS: u32 = 1024;

fn check(program: &Program, certificate: &Certificate, limits: Limits<'_>) -> Result<(), Unproven> {
    if certificate.slots == 0 {
        return check_static(program, certificate, limits);
    }
    if certificate.slots > MAX_SLOTS {
        return Err(Unproven::new(Part::Shape, "too many threads are started"));
    }
    let fixed = static_threads(program, certificate.slots).map_err(|why| Unproven::new(Part::Shape, why))?;
    check_static(&fixed.program, certificate, limits)
}

/// The check for a program all of whose threads are there from the beginning.
fn check_static(program: &Program, certificate: &Certificate, limits: Limits<'_>) -> Result<(), Unproven> {
    shape::check(program, certificate).map_err(|r| Unproven::new(Part::Shape, r))?;
    for group in &certificate.groups {
        simulation::check(program, certificate, group, limits)?;
    }
    let settled = Settled::new(certificate, limits)?;
    targets::check(program, certificate, &settled).map_err(|stop| stop.of(Part::Targets))?;
    closure::check(certificate, &settled, limits)
}
