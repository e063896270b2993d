//! `fencepost robust --model c11`: whether the model of the language itself adds behaviour, and whether accesses race.

use super::{detail, unread};
use crate::collect::Collected;
use crate::options::{Criterion, Format, RobustModel, RobustOptions};
use crate::progress::ProgressLine;
use crate::{Exit, output};
use fencepost_ir::cfg::Program;
use fencepost_ir::tree;
use fencepost_report::c11::{self, FoundC11, RobustnessC11};
use fencepost_report::results::{self, RobustC11Result};
use fencepost_task::Budget;
use fencepost_verify::robust::c11::{applicable, robustness, unknown};
use fencepost_verify::{self as verify, internal, lower_for_language, patience};
use std::time::Instant;

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

/// Decides a program that has been read, and shows the answer.
pub fn answer(
    options: &RobustOptions,
    name: &str,
    (tree, format): (tree::Program, verify::Format),
    (budget, start): (&Budget, Instant),
    collected: &mut Collected,
) -> Exit {
    if let Err(reason) = applicable(&tree, format) {
        let program = Program::default();
        return show(options, &unknown(name, &program, options.release_sequences.into(), reason), collected);
    }
    let input = options.input.meant();
    let program = match patience::within(budget, move || lower_for_language(tree, &input)) {
        Ok(program) => program,
        Err(stop) => return unread(options, RobustModel::C11, name, stop, collected),
    };
    internal::rehearse(name);
    let line = ProgressLine::new(options.quiet, name, budget.deadline());
    let answer = robustness(name, &program, options.input.threads, options.release_sequences.into(), budget);
    drop(line);
    show(options, &RobustnessC11 { seconds: start.elapsed().as_secs_f64(), ..answer }, collected)
}

/// Shows an answer.
pub fn show(options: &RobustOptions, answer: &RobustnessC11<'_>, collected: &mut Collected) -> Exit {
    collected.robust_c11(answer);
    match options.format {
        Format::Sarif | Format::Junit => {}
        Format::Json => output::line(results::line(&RobustC11Result::new(answer))),
        Format::Text => output::text(c11::text(answer, output::style(detail(options)))),
    }
    match &answer.found {
        FoundC11::Robust(_) => Exit::Good,
        FoundC11::Departed(_) | FoundC11::Raced(_) => Exit::Bad,
        FoundC11::Unknown(_) => Exit::Unknown,
    }
}
