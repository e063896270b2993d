//! What is looked for besides the properties of a program: errors that can be switched off, and questions
//! that are asked only on request.

/// What an assertion in a program stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Claim {
    /// What the user asserts.
    Assertion,
    /// A program ends with status 0.
    Exit,
    /// A function or label that must not be reached is not.
    Reach,
    /// A function pointer leads to a function that can be called so.
    Target,
}

impl Claim {
    const ALL: [Claim; 4] = [Claim::Assertion, Claim::Exit, Claim::Reach, Claim::Target];

    /// As text forms write it.
    pub fn name(self) -> &'static str {
        match self {
            Claim::Assertion => "assertion",
            Claim::Exit => "exit",
            Claim::Reach => "reach",
            Claim::Target => "target",
        }
    }

    /// The claim of a name that [`Claim::name`] gives.
    pub fn from_name(name: &str) -> Option<Claim> {
        Claim::ALL.into_iter().find(|claim| claim.name() == name)
    }

    /// The check that reports that it does not hold.
    pub fn check(self) -> Check {
        match self {
            Claim::Assertion => Check::Assertion,
            Claim::Exit => Check::Exit,
            Claim::Reach => Check::Reach,
            Claim::Target => Check::Pointer,
        }
    }
}

/// An error of programs that is looked for unless the user says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Check {
    /// A false assertion.
    Assertion,
    /// A null or wild pointer is followed.
    Pointer,
    /// An access outside of its array or object.
    Bounds,
    /// An access to an object that is gone.
    UseAfterFree,
    /// What is freed is gone, or was never allocated.
    Free,
    /// Division by zero.
    Division,
    /// A shift by the width or more.
    Shift,
    /// A value leaves its range.
    Range,
    /// Joining a thread twice, or none.
    Join,
    /// Unlocking a mutex that is not held.
    Unlock,
    /// The program ends with another status than 0.
    Exit,
    /// What must not be reached is reached.
    Reach,
}

impl Check {
    /// Every one.
    pub const ALL: [Check; 12] = [
        Check::Assertion,
        Check::Pointer,
        Check::Bounds,
        Check::UseAfterFree,
        Check::Free,
        Check::Division,
        Check::Shift,
        Check::Range,
        Check::Join,
        Check::Unlock,
        Check::Exit,
        Check::Reach,
    ];

    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Check::Assertion => "assertion",
            Check::Pointer => "pointer",
            Check::Bounds => "bounds",
            Check::UseAfterFree => "use-after-free",
            Check::Free => "free",
            Check::Division => "division",
            Check::Shift => "shift",
            Check::Range => "range",
            Check::Join => "join",
            Check::Unlock => "unlock",
            Check::Exit => "exit",
            Check::Reach => "reach",
        }
    }
}

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// States in which some thread waits and none can step.
    pub deadlock: bool,
    /// Memory that is neither freed nor reachable from the program's variables at the end.
    pub leaks: bool,
    /// Two threads about to access a location, one to write it, and one of the accesses not atomic.
    pub races: bool,
    /// Errors that end their run without being reported.
    pub off: Vec<Check>,
}

impl Checks {
    /// Whether something is looked for that is no error of a step.
    pub fn asks_more(&self) -> bool {
        let Checks { deadlock, leaks, races, off: _ } = self;
        *deadlock || *leaks || *races
    }

    /// Whether an error is reported.
    pub fn reports(&self, check: Check) -> bool {
        !self.off.contains(&check)
    }
}
