//! `fencepost robust --model c11`: whether the model of the language itself adds behaviour, and whether accesses race.

use super::detail;
use crate::collect::Collected;
use crate::options::{Criterion, Format, InputFormat, RobustOptions};
use crate::{Exit, output};
use fencepost_certify::{BeyondSc, Rejection, confirm_departure, confirm_race};
use fencepost_ir::cfg::Program;
use fencepost_ir::tree;
use fencepost_report::c11::{self, FoundC11, RobustnessC11};
use fencepost_robust::c11::{Found, ReleaseSequences, load_buffering, robustness};
use fencepost_task::{Budget, Reason, Stats};

/// An option that has no meaning for it.
pub fn refused(options: &RobustOptions) -> Option<&'static str> {
    [
        ("--report", options.report.is_some()),
        ("--svg", options.svg.is_some()),
        ("--criterion trf", options.criterion == Criterion::Trf),
        ("--format sarif", options.format == Format::Sarif),
    ]
    .into_iter()
    .find_map(|(option, is_there)| is_there.then_some(option))
}

/// Whether what a file is written in has memory orders at all.
pub fn has_orders(tree: &tree::Program, format: InputFormat) -> bool {
    match format {
        InputFormat::C | InputFormat::Fp => true,
        InputFormat::Litmus => !tree.sources.text(Default::default()).trim_start().starts_with("X86"),
        InputFormat::Memorax | InputFormat::Trencher => false,
    }
}

/// An answer that says nothing but why.
pub fn unknown<'a>(name: &'a str, program: &'a Program, reason: Reason) -> RobustnessC11<'a> {
    RobustnessC11 {
        file: name,
        program,
        found: FoundC11::Unknown(reason),
        load_buffering: None,
        stats: Stats::default(),
        seconds: 0.0,
        telling: Budget::default(),
    }
}

/// Decides a program; what is found is confirmed by the axioms.
pub fn answer<'a>(
    name: &'a str,
    program: &'a Program,
    has_orders: bool,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> RobustnessC11<'a> {
    if !has_orders {
        let message =
            "accesses in this format have no memory orders: C11 is for C and the modelling language";
        return unknown(name, program, Reason::NotApplicable(message.to_string()));
    }
    let answer = robustness(program, sequences, budget);
    let confirming = budget.to_confirm();
    let found = match answer.found {
        Found::Robust => FoundC11::Robust,
        Found::Unknown(reason) => FoundC11::Unknown(reason),
        Found::Departure(d) => {
            let claim = BeyondSc { thread: d.thread, edge: d.place.edge, what: d.what, value: d.value };
            let run = (&d.run.init[..], &d.run.steps[..]);
            match confirm_departure(program, run, claim, sequences, &confirming) {
                Ok(confirmed) => FoundC11::Departed(confirmed.unwrap_or_else(|r| rejected(name, &r))),
                Err(stop) => FoundC11::Unknown(stop.into()),
            }
        }
        Found::Race(race) => {
            let run = (&race.run.init[..], &race.run.steps[..]);
            match confirm_race(program, run, sequences, &confirming) {
                Ok(confirmed) => FoundC11::Raced(confirmed.unwrap_or_else(|r| rejected(name, &r))),
                Err(stop) => FoundC11::Unknown(stop.into()),
            }
        }
    };
    let load_buffering = load_buffering(program);
    RobustnessC11 {
        file: name,
        program,
        found,
        load_buffering,
        stats: answer.stats,
        seconds: 0.0,
        telling: Budget::default(),
    }
}

fn rejected(name: &str, rejection: &Rejection) -> ! {
    panic!(
        "internal error: what was found in {name} is rejected ({rejection}). \
         This is a bug in Fencepost; please report it with the file."
    )
}

/// Shows an answer.
pub fn show(options: &RobustOptions, answer: &RobustnessC11<'_>, collected: &mut Collected) -> Exit {
    collected.robust_c11(answer);
    match options.format {
        Format::Sarif | Format::Junit => {}
        Format::Json => output::line(c11::object(answer)),
        Format::Text => output::text(c11::text(answer, output::style(detail(options)))),
    }
    match &answer.found {
        FoundC11::Robust => Exit::Good,
        FoundC11::Departed(_) | FoundC11::Raced(_) => Exit::Bad,
        FoundC11::Unknown(_) => Exit::Unknown,
    }
}
