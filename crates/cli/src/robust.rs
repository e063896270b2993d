//! `fencepost robust`: whether TSO, or the model of the language itself, adds behaviour at all, and where.

mod c11;

use crate::collect::{Collected, Unknowns};
use crate::options::{self, Format, RobustModel, RobustOptions};
use crate::progress::ProgressLine;
use crate::{Exit, check, input, interrupt, output, outputs};
use fencepost_ir::cfg::Program;
use fencepost_report::results::{self, ErrorResult, RobustResult};
use fencepost_report::robust::{self, Criterion, RobustVerdict, Robustness};
use fencepost_report::text::Detail;
use fencepost_report::{page, picture};
use fencepost_task::{Reason, Stop};
use fencepost_verify::compiler::databases;
use fencepost_verify::robust::{self as verify, robustness};
use fencepost_verify::{self as library, Limits, internal, lower, patience, read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub fn run(options: &RobustOptions) -> Exit {
    if options.models.contains(&RobustModel::C11)
        && let Some(option) = c11::refused(options)
    {
        return output::refuse(format!("{option} is for robustness against TSO: leave out --model c11"));
    }
    let several = !options.input.link && options.files.len() > 1;
    for (option, path) in [("--report", &options.report), ("--svg", &options.svg)] {
        if path.is_some() && several {
            output::complain(format!("error: {option} needs one file"));
            return Exit::Wrong;
        }
    }
    let written = [("--report", options.report.as_deref()), ("--svg", options.svg.as_deref())];
    let declared = outputs::Files::default()
        .reads("the program", &options.files)
        .reads("the compile commands", databases(&options.files, options.input.commands.as_deref()));
    let outputs = match declared.writes(&written) {
        Ok(outputs) => outputs,
        Err(message) => return output::refuse(message),
    };
    let cancelled = interrupt::flag();
    let mut exit = Exit::Good;
    let programs: Vec<&[PathBuf]> = match options.input.link {
        true => vec![&options.files[..]],
        false => options.files.iter().map(std::slice::from_ref).collect(),
    };
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, "robust", options.quiet, unknowns);
    let mut left = programs.into_iter();
    for files in left.by_ref() {
        for model in &options.models {
            let answered =
                internal::guard(|| answer(options, *model, files, &outputs, &mut collected, &cancelled));
            exit =
                exit.and(answered.unwrap_or_else(|message| broken(options, files, &message, &mut collected)));
        }
        if cancelled.load(Ordering::Relaxed) || output::has_failed() {
            break;
        }
    }
    if cancelled.load(Ordering::Relaxed) {
        let left: Vec<String> = left.map(check::program_name).collect();
        if !left.is_empty() {
            exit = exit.and(Exit::Unknown);
        }
        collected.interrupted(left);
    }
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

/// Tells of an internal error.
fn broken(options: &RobustOptions, files: &[PathBuf], message: &str, collected: &mut Collected) -> Exit {
    let name = check::program_name(files);
    output::complain(format!("error: {name}: {message}"));
    collected.internal(&name, None, message);
    if options.format == Format::Json {
        output::line(ErrorResult::internal(&name, None, message));
    }
    Exit::Internal
}

fn answer(
    options: &RobustOptions,
    model: RobustModel,
    files: &[PathBuf],
    outputs: &outputs::Files,
    collected: &mut Collected,
    cancelled: &Arc<AtomicBool>,
) -> Exit {
    let name = check::program_name(files);
    let start = Instant::now();
    // The limits hold from the first byte on.
    let limits = Limits { seconds: options.timeout, megabytes: options.memory };
    let budget = limits.budget(cancelled);
    let (paths, input) = (files.to_vec(), options.input.meant());
    let read = patience::within(&budget, move || match &paths[..] {
        [file] => read::read_with_format(file, &input),
        files => read::read_linked(files, &input).map(|tree| (tree, library::Format::C)),
    });
    let (tree, format) = match read {
        Ok(Ok(read)) => read,
        Err(stop) => return unread(options, model, &name, stop, collected),
        Ok(Err(error)) => {
            input::complain(&error);
            collected.error(&name, &error);
            if options.format == Format::Json {
                output::line(check::error_result(&name, &error));
            }
            return Exit::Wrong;
        }
    };
    if let Err(message) = outputs.check_sources(&tree.sources) {
        return output::refuse(message);
    }
    if model == RobustModel::C11 {
        return c11::answer(options, &name, (tree, format), (&budget, start), collected);
    }
    let input = options.input.meant();
    let program = match patience::within(&budget, move || lower(tree, &input)) {
        Ok(program) => program,
        Err(stop) => return unread(options, model, &name, stop, collected),
    };
    internal::rehearse(&name);
    let line = ProgressLine::new(options.quiet, &name, budget.deadline());
    let criterion = match options.criterion {
        options::Criterion::Traces => Criterion::Traces,
        options::Criterion::Trf => Criterion::TriangularRaces,
    };
    let answer = robustness(&name, &program, options.input.threads, criterion, &budget);
    drop(line);
    let answer = Robustness { seconds: start.elapsed().as_secs_f64(), ..answer };
    show(options, answer, collected)
}

/// Tells that nothing is known of a program that could not be read within the limits.
fn unread(
    options: &RobustOptions,
    model: RobustModel,
    name: &str,
    stop: Stop,
    collected: &mut Collected,
) -> Exit {
    let program = Program::default();
    match model {
        RobustModel::Tso => show(options, verify::unread(name, &program, stop), collected),
        RobustModel::C11 => {
            let sequences = options.release_sequences.into();
            c11::show(options, &verify::c11::unread(name, &program, sequences, stop), collected)
        }
    }
}

/// Shows an answer, and writes what was asked for.
fn show(options: &RobustOptions, answer: Robustness<'_>, collected: &mut Collected) -> Exit {
    collected.robust(&answer);
    match options.format {
        Format::Sarif | Format::Junit => {}
        Format::Json => output::line(results::line(&RobustResult::new(&answer))),
        Format::Text => output::text(robust::text(&answer, output::style(detail(options)))),
    }
    if write(options, &answer).is_err() {
        return Exit::Wrong;
    }
    match answer.verdict() {
        RobustVerdict::Robust => Exit::Good,
        RobustVerdict::Unknown => Exit::Unknown,
        RobustVerdict::NotRobust => Exit::Bad,
    }
}

/// How much is told.
fn detail(options: &RobustOptions) -> Detail {
    match (options.quiet, options.verbose) {
        (true, _) => Detail::Verdict,
        (false, false) => Detail::Steps,
        (false, true) => Detail::All,
    }
}

/// Writes the page and the drawing that were asked for.
fn write(options: &RobustOptions, answer: &Robustness<'_>) -> Result<(), ()> {
    if let Some(path) = &options.report {
        outputs::write(path, &page::robust(answer))?;
    }
    let Some(path) = &options.svg else { return Ok(()) };
    let Some(attack) = answer.attacks.iter().find(|a| !a.cycle.is_empty()) else {
        output::complain("no drawing: there is no happens-before cycle");
        return Ok(());
    };
    match robust::cycle_words(answer, attack) {
        Ok(words) => {
            let drawn = picture::cycle(&attack.replay, &attack.cycle, &words);
            outputs::write(path, &picture::document(&drawn))
        }
        Err(stop) => {
            output::complain(format!("no drawing: {}", Reason::from(stop)));
            Ok(())
        }
    }
}
