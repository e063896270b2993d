//! The rules: one for each kind of thing that can be wrong with a program, and one for programs as a whole. Their
//! numbers are places in [`RULES`], which all logs carry whole, so that a rule can be looked up where nothing breaks it.

use super::format::{Configuration, Help, RuleDescriptor, RuleProperties, Text};
use fencepost_ir::cfg::{Program, Property};
use fencepost_task::{Failure, Violation};

/// How bad it is if a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The program is wrong.
    Error,
    /// It may be.
    Warning,
}

impl Level {
    /// As SARIF writes it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its id, which does not change.
    pub id: &'static str,
    name: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Numbers of the Common Weakness Enumeration.
    weaknesses: &'static [u32],
}

const READ_THE_RUN: &str = "The code flow is a run that has been replayed step by step: one thread flow for each thread, \
    with the values and the store buffer after each step. If a fix is offered, its fences have been proved to be enough.";

macro_rules! rule {
    ($id:literal, $name:literal, $level:ident, $weaknesses:expr, $short:literal, $full:literal, $help:expr) => {
        Rule {
            id: $id,
            name: $name,
            short: $short,
            full: $full,
            help: $help,
            level: Level::$level,
            weaknesses: &$weaknesses,
        }
    };
}

/// All rules.
pub const RULES: [Rule; 22] = [
    rule!(
        "safety",
        "ProgramIsSafe",
        Error,
        [],
        "The program is safe under a memory model.",
        "No run of the program violates any of its properties under the memory model that is named.",
        "A result of kind `pass` says that this is proved, within the scope that its message gives. A result of kind \
         `open` says that it is not known, and why: give more time or memory, another engine, or bounds."
    ),
    rule!(
        "assertion",
        "AssertionHolds",
        Error,
        [617],
        "An assertion fails.",
        "There is a run in which the condition of an assertion is false.",
        READ_THE_RUN
    ),
    rule!(
        "forbidden",
        "ForbiddenCombinationIsUnreachable",
        Error,
        [362],
        "Threads meet where they must not.",
        "There is a run in which threads are at labels that a property forbids together: mutual exclusion is broken.",
        READ_THE_RUN
    ),
    rule!(
        "final",
        "FinalConditionHolds",
        Error,
        [],
        "The final condition is violated.",
        "There is a run to the end whose values are not those that the final condition allows.",
        READ_THE_RUN
    ),
    rule!(
        "pointer",
        "PointerIsValid",
        Error,
        [476],
        "A null or wild pointer is followed.",
        "There is a run in which the null pointer, or one that points to no object, is followed.",
        READ_THE_RUN
    ),
    rule!(
        "bounds",
        "AccessIsWithinBounds",
        Error,
        [125, 787],
        "An access outside of its array or object.",
        "There is a run in which an index or a pointer leaves its array or object.",
        READ_THE_RUN
    ),
    rule!(
        "use-after-free",
        "ObjectIsAlive",
        Error,
        [416],
        "An object is used that is gone.",
        "There is a run in which memory is accessed after it was freed, or after its function has returned.",
        READ_THE_RUN
    ),
    rule!(
        "free",
        "FreeIsValid",
        Error,
        [415, 590],
        "What is freed was not allocated, or is gone.",
        "There is a run in which memory is freed twice, or which was never allocated.",
        READ_THE_RUN
    ),
    rule!(
        "division",
        "DivisorIsNotZero",
        Error,
        [369],
        "Division by zero.",
        "There is a run in which the divisor of a division or a remainder is zero.",
        READ_THE_RUN
    ),
    rule!(
        "shift",
        "ShiftIsWithinWidth",
        Error,
        [1335],
        "A shift by the width or more.",
        "There is a run in which a value is shifted by a negative number, or by its width or more.",
        READ_THE_RUN
    ),
    rule!(
        "range",
        "ValueIsInRange",
        Error,
        [190],
        "A value leaves its range.",
        "There is a run in which a value leaves the range of its type.",
        READ_THE_RUN
    ),
    rule!(
        "join",
        "JoinIsValid",
        Error,
        [],
        "A thread is joined twice, or there is none.",
        "There is a run in which a thread is waited for that has been joined before, or that never was.",
        READ_THE_RUN
    ),
    rule!(
        "unlock",
        "UnlockIsByTheHolder",
        Error,
        [832],
        "A mutex is unlocked that is not held.",
        "There is a run in which a thread unlocks a mutex that it does not hold.",
        READ_THE_RUN
    ),
    rule!(
        "atomic-section",
        "AtomicSectionIsOpen",
        Error,
        [],
        "An atomic section ends that was not begun.",
        "There is a run in which the end of an atomic section is reached outside of one.",
        READ_THE_RUN
    ),
    rule!(
        "deadlock",
        "SomeThreadCanGoOn",
        Error,
        [833],
        "Deadlock.",
        "There is a run after which nothing can happen any more, while a thread still waits.",
        READ_THE_RUN
    ),
    rule!(
        "leak",
        "MemoryIsNotLost",
        Warning,
        [401],
        "Memory is lost.",
        "There is a run at whose end memory is allocated that no variable leads to.",
        READ_THE_RUN
    ),
    rule!(
        "race",
        "AccessesAreOrdered",
        Error,
        [362],
        "Data race.",
        "There is a run under SC in which two threads are about to access a location, one of them to write it, and \
         one by an access that is not atomic.",
        READ_THE_RUN
    ),
    rule!(
        "not-robust",
        "ProgramIsRobust",
        Warning,
        [],
        "TSO adds behaviour.",
        "A load can overtake a store of its thread such that the happens-before relation of the run is that of no SC \
         run. This need not break a property.",
        "The code flow is a run with that happens-before cycle. A full fence between the store and the load forbids it: \
         `fencepost fences --goal robust` finds the fewest that are enough."
    ),
    rule!(
        "exit",
        "ProgramEndsWithStatusZero",
        Error,
        [],
        "The program ends with a status that is not 0.",
        "A run comes to the end of the program with a status other than 0, or aborts. This is looked for with `--exit-status`.",
        "The run shows what leads there."
    ),
    rule!(
        "reach",
        "PlaceIsUnreachable",
        Error,
        [],
        "A function or label is reached that must not be.",
        "A run calls the function, or gets to the label, that `--property reach=NAME` names.",
        "The run shows what leads there."
    ),
    rule!(
        "triangular-race",
        "ProgramHasNoTriangularRace",
        Warning,
        [],
        "Triangular race.",
        "An SC run has a store, then a load of the same thread, beside a write of another thread to the location that is \
         read. Without such races TSO adds no behaviour.",
        "This is a stricter criterion than robustness. A full fence between the store and the load removes the race."
    ),
    rule!(
        "missing-fence",
        "FencesAreEnough",
        Error,
        [362],
        "Fences are missing.",
        "With fences at these places the program is safe, or robust, and without them it is not.",
        "The fix inserts the fences. They have been proved to be enough; the message says whether fewer could be."
    ),
];

/// The number of a rule.
pub fn index(id: &str) -> usize {
    RULES.iter().position(|rule| rule.id == id).unwrap_or_else(|| panic!("there is a rule `{id}`"))
}

/// The rule that a violation breaks.
pub fn of_violation(program: &Program, violation: Violation) -> &'static str {
    match violation {
        Violation::Property(i) => match program.properties[i] {
            Property::Forbid { .. } => "forbidden",
            Property::Final { .. } => "final",
        },
        Violation::Failure(failure) => match (failure.failure(), failure.check()) {
            // Checks have the names that `--no-check` takes, and so have their rules.
            (_, Some(check)) => check.name(),
            (Failure::Deadlock, None) => "deadlock",
            (Failure::Leak, None) => "leak",
            (Failure::Race, None) => "race",
            (Failure::AtomicEndOutside, None) => "atomic-section",
            // Limits are not violations, and are never shown as such.
            _ => "safety",
        },
    }
}

/// The rules for a log.
pub(super) fn descriptors() -> Vec<RuleDescriptor> {
    RULES.iter().map(descriptor).collect()
}

fn descriptor(rule: &Rule) -> RuleDescriptor {
    let weaknesses = rule.weaknesses.iter().map(|n| format!("external/cwe/cwe-{n:03}"));
    let tags: Vec<_> =
        ["concurrency".to_string(), "memory-model".to_string()].into_iter().chain(weaknesses).collect();
    RuleDescriptor {
        id: rule.id,
        name: rule.name,
        short_description: Text::new(rule.short),
        full_description: Text::new(rule.full),
        help: Help { text: rule.help, markdown: rule.help },
        default_configuration: Configuration { level: rule.level.name() },
        properties: RuleProperties { tags, precision: "very-high" },
    }
}

#[cfg(test)]
mod tests {
    use super::{RULES, index};
    use fencepost_ir::Check;

    #[test]
    fn every_check_has_a_rule_and_ids_are_unique() {
        for check in Check::ALL {
            assert_eq!(RULES[index(check.name())].id, check.name());
        }
        for (i, rule) in RULES.iter().enumerate() {
            assert_eq!(index(rule.id), i);
        }
    }
}
