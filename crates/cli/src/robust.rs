//! `fencepost robust`: whether TSO, or the model of the language itself, adds behaviour at all, and where.

mod c11;

use crate::collect::{Collected, Unknowns};
use crate::options::{self, Format, InputFormat, RobustModel, RobustOptions};
use crate::progress::ProgressLine;
use crate::{Exit, check, compiler, decide, input, internal, interrupt, output, outputs, patience};
use fencepost_certify::{replay_cycle_within, replay_run};
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_report::c11::RobustnessC11;
use fencepost_report::robust::{self, Criterion, Robustness, ShownAttack};
use fencepost_report::text::Detail;
use fencepost_report::{page, picture};
use fencepost_robust::{Place, attacks, races};
use fencepost_task::{Budget, Model, Reason, Stats, Stop};
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
        .reads("the compile commands", compiler::databases(&options.files, &options.input));
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
        collected.interrupted(left.map(check::program_name));
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
        output::line(internal::object(&name, None, message));
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
    let budget = decide::limits(options.timeout, options.memory, cancelled);
    let (paths, input) = (files.to_vec(), options.input.clone());
    let read = patience::within(&budget, move || match &paths[..] {
        [file] => input::read_with_format(file, &input),
        files => input::read_linked(files, &input).map(|tree| (tree, InputFormat::C)),
    });
    let (tree, format) = match read {
        Ok(Ok(read)) => read,
        Err(stop) => return unread(options, model, &name, stop, collected),
        Ok(Err(error)) => {
            input::complain(&error);
            collected.error(&name, &error);
            if options.format == Format::Json {
                output::line(check::error_object(&name, &error));
            }
            return Exit::Wrong;
        }
    };
    if let Err(message) = outputs.check_sources(&tree.sources) {
        return output::refuse(message);
    }
    let threads = options.input.threads;
    let has_orders = c11::has_orders(&tree, format);
    let lower = move || match model {
        RobustModel::Tso => pipeline::run(tree, pipeline::Options { threads }, |_, _| {}),
        RobustModel::C11 => pipeline::for_language(tree, pipeline::Options { threads }),
    };
    let program = match patience::within(&budget, lower) {
        Ok(program) => program,
        Err(stop) => return unread(options, model, &name, stop, collected),
    };
    internal::rehearse(&name);
    let line = ProgressLine::new(options.quiet, &name, budget.deadline());
    if model == RobustModel::C11 {
        let answer = c11::answer(&name, &program, has_orders, options.release_sequences.into(), &budget);
        drop(line);
        let seconds = start.elapsed().as_secs_f64();
        let answer = RobustnessC11 { seconds, telling: budget.to_tell(), ..answer };
        return c11::show(options, &answer, collected);
    }
    let answer = match options.criterion {
        options::Criterion::Traces => by_traces(&name, &program, &budget),
        options::Criterion::Trf => by_races(&name, &program, &budget),
    };
    drop(line);
    let seconds = start.elapsed().as_secs_f64();
    let answer = Robustness { seconds, telling: budget.to_tell(), ..answer };
    show(options, answer, collected)
}

/// Nothing is known of a program that could not be read within the limits.
fn unread(
    options: &RobustOptions,
    model: RobustModel,
    name: &str,
    stop: Stop,
    collected: &mut Collected,
) -> Exit {
    let reason = Reason::BoundReached(format!("{} while the program was read", Reason::from(stop)));
    let program = &Program::default();
    match model {
        RobustModel::C11 => c11::show(options, &c11::unknown(name, program, reason), collected),
        RobustModel::Tso => {
            let answer = Robustness {
                file: name,
                program,
                criterion: Criterion::Traces,
                attacks: Vec::new(),
                incomplete: Some(reason),
                stats: Stats::default(),
                seconds: 0.0,
                telling: Budget::default(),
            };
            show(options, answer, collected)
        }
    }
}

/// Shows an answer, and writes what was asked for.
fn show(options: &RobustOptions, answer: Robustness<'_>, collected: &mut Collected) -> Exit {
    collected.robust(&answer);
    match options.format {
        Format::Sarif | Format::Junit => {}
        Format::Json => output::line(robust::object(&answer)),
        Format::Text => output::text(robust::text(&answer, output::style(detail(options)))),
    }
    if write(options, &answer).is_err() {
        return Exit::Wrong;
    }
    match answer.verdict() {
        "robust" => Exit::Good,
        "unknown" => Exit::Unknown,
        _ => Exit::Bad,
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

fn by_traces<'a>(name: &'a str, program: &'a Program, budget: &Budget) -> Robustness<'a> {
    let found = attacks(program, budget);
    let span = |place: Place| program.procedure(place.procedure).edge(place.edge).span;
    let mut incomplete = found.incomplete;
    let mut shown = Vec::new();
    for attack in found.found {
        // The first is the answer, the others are shown as long as there is time.
        let limits = if shown.is_empty() { budget.to_confirm() } else { budget.clone() };
        let witness = &attack.witness;
        let (replay, cycle) = match replay_cycle_within(program, &witness.init, &witness.steps, &limits) {
            Ok(checked) => checked.unwrap_or_else(|rejection| rejected(name, &rejection)),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        };
        let (store, load) = (span(attack.store), span(attack.load));
        shown.push(ShownAttack { thread: attack.name, store, load, write: None, replay, cycle });
    }
    Robustness {
        file: name,
        program,
        criterion: Criterion::Traces,
        attacks: shown,
        incomplete,
        stats: found.stats,
        seconds: 0.0,
        telling: Budget::default(),
    }
}

fn by_races<'a>(name: &'a str, program: &'a Program, budget: &Budget) -> Robustness<'a> {
    let found = races(program, budget);
    let span = |place: Place| program.procedure(place.procedure).edge(place.edge).span;
    let mut incomplete = found.incomplete;
    let mut shown = Vec::new();
    for race in found.found {
        let limits = if shown.is_empty() { budget.to_confirm() } else { budget.clone() };
        let replay = match replay_run(program, Model::Sc, &race.init, &race.steps, &limits) {
            Ok(replayed) => replayed.unwrap_or_else(|rejection| rejected(name, &rejection)),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        };
        let (store, load, write) = (span(race.store), span(race.load), Some(span(race.write)));
        shown.push(ShownAttack { thread: race.name, store, load, write, replay, cycle: Vec::new() });
    }
    Robustness {
        file: name,
        program,
        criterion: Criterion::TriangularRaces,
        attacks: shown,
        incomplete,
        stats: found.stats,
        seconds: 0.0,
        telling: Budget::default(),
    }
}

fn rejected(name: &str, rejection: &fencepost_certify::Rejection) -> ! {
    panic!(
        "internal error: an attack on {name} was found whose run is rejected ({rejection}). \
         This is a bug in Fencepost; please report it with the file."
    )
}
