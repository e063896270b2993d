//! Whether the model of the language itself, C11, adds behaviour, and whether accesses race. What is found is replayed, and
//! confirmed by the axioms, before anybody hears of it.

use crate::options::Format;
use fencepost_certify::{BeyondSc, Rejection, confirm_departure, confirm_race};
use fencepost_ir::cfg::Program;
use fencepost_ir::tree;
use fencepost_report::c11::{FoundC11, RobustnessC11};
use fencepost_robust::c11::{self, Departure, Found, Race, ReleaseSequences, load_buffering};
use fencepost_task::{Bounds, Budget, Reason, Stats, Stop};
use std::time::Instant;

/// Whether what a program is written in has memory orders at all; or that it has none.
pub fn applicable(tree: &tree::Program, format: Format) -> Result<(), Reason> {
    let has_orders = match format {
        Format::C | Format::Fp => true,
        Format::Litmus => !tree.sources.text(Default::default()).trim_start().starts_with("X86"),
        Format::Memorax | Format::Trencher => false,
    };
    match has_orders {
        true => Ok(()),
        false => Err(Reason::NotApplicable(
            "accesses in this format have no memory orders: C11 is for C and the modelling language"
                .to_string(),
        )),
    }
}

/// Decides whether a program is robust against C11. Its graph is one for the language's own model
/// ([`crate::lower_for_language`]), with so many
/// threads for each template.
pub fn robustness<'a>(
    name: &'a str,
    program: &'a Program,
    threads: Option<u32>,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> RobustnessC11<'a> {
    let start = Instant::now();
    let answer = c11::robustness(program, sequences, budget);
    let found = confirmed(name, program, threads, answer.found, sequences, &budget.to_confirm());
    RobustnessC11 {
        file: name,
        program,
        sequences,
        found,
        load_buffering: load_buffering(program),
        stats: answer.stats,
        seconds: start.elapsed().as_secs_f64(),
        telling: budget.to_tell(),
    }
}

/// What was found, after the axioms have said the same; with so many threads for each template.
pub(crate) fn confirmed(
    name: &str,
    program: &Program,
    threads: Option<u32>,
    found: Found,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> FoundC11 {
    match found {
        Found::Robust => FoundC11::Robust(Bounds { threads, ..Bounds::default() }.into()),
        Found::Unknown(reason) => FoundC11::Unknown(reason),
        Found::Departure(departure) => departed(name, program, &departure, sequences, budget),
        Found::Race(race) => raced(name, program, &race, sequences, budget),
    }
}

/// A step beyond SC, after the axioms have said the same.
fn departed(
    name: &str,
    program: &Program,
    d: &Departure,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> FoundC11 {
    let claim = BeyondSc { thread: d.thread, edge: d.place.edge, what: d.what, value: d.value };
    let run = (&d.run.init[..], &d.run.steps[..]);
    match confirm_departure(program, run, claim, sequences, budget) {
        Ok(confirmed) => FoundC11::Departed(confirmed.unwrap_or_else(|r| rejected(name, &r))),
        Err(stop) => FoundC11::Unknown(stop.into()),
    }
}

/// A race, after the axioms have said the same.
fn raced(
    name: &str,
    program: &Program,
    race: &Race,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> FoundC11 {
    let run = (&race.run.init[..], &race.run.steps[..]);
    match confirm_race(program, run, sequences, budget) {
        Ok(confirmed) => FoundC11::Raced(confirmed.unwrap_or_else(|r| rejected(name, &r))),
        Err(stop) => FoundC11::Unknown(stop.into()),
    }
}

/// An answer that says nothing but why.
pub fn unknown<'a>(
    name: &'a str,
    program: &'a Program,
    sequences: ReleaseSequences,
    reason: Reason,
) -> RobustnessC11<'a> {
    RobustnessC11 {
        file: name,
        program,
        sequences,
        found: FoundC11::Unknown(reason),
        load_buffering: None,
        stats: Stats::default(),
        seconds: 0.0,
        telling: Budget::default(),
    }
}

/// Nothing is known of a program that could not be read within the limits.
pub fn unread<'a>(
    name: &'a str,
    program: &'a Program,
    sequences: ReleaseSequences,
    stop: Stop,
) -> RobustnessC11<'a> {
    let reason = format!("{} while the program was read", Reason::from(stop));
    unknown(name, program, sequences, Reason::BoundReached(reason))
}

fn rejected(name: &str, rejection: &Rejection) -> ! {
    panic!(
        "internal error: what was found in {name} is rejected ({rejection}). \
         This is a bug in Fencepost; please report it with the file."
    )
}
