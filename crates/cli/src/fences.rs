//! `fencepost fences`: where to put fences, proved to be enough and as few as can be.

use crate::collect::{Collected, Unknowns};
use crate::options::{FencesOptions, Format, GoalName, ModelName};
use crate::progress::ProgressLine;
use crate::{Exit, check, input, interrupt, output, outputs, repair_log};
use fencepost_report::results::{self, ErrorResult};
use fencepost_report::text::Detail;
use fencepost_task::{AnyModel, Budget, Model, Progress, Reason, Stop};
use fencepost_verify::compiler::databases;
use fencepost_verify::fences::show::{self, Telling};
use fencepost_verify::fences::{Audit, AuditVerdict, Ending, FenceOptions, Outcome, Request, Source};
use fencepost_verify::{InputError, Limits, internal, nothing_to_check};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub fn run(options: &FencesOptions) -> Exit {
    if let Some(message) = misfit(options) {
        return output::refuse(message);
    }
    let target = match options.apply.then(|| target(options)).transpose() {
        Ok(target) => target,
        Err(message) => return output::refuse(message),
    };
    let read = std::slice::from_ref(&options.file);
    let files = outputs::Files::default()
        .reads("the program", read)
        .reads("the compile commands", databases(read, options.input.commands.as_deref()));
    let files = match files.writes(&[("-o", target.as_deref())]) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, "fences", options.quiet, unknowns);
    let complain = |name: &str, error: InputError, mut collected: Collected| {
        input::complain(&error);
        collected.error(name, &error);
        collected.print(Exit::Wrong);
        if options.format == Format::Json {
            output::line(check::error_result(name, &error));
        }
        Exit::Wrong
    };
    let (cancelled, start) = (interrupt::flag(), Instant::now());
    // The limits hold from the first byte on.
    let limits = Limits { seconds: options.timeout, megabytes: options.memory };
    let mut input = options.input.meant();
    input.c.fence.clone_from(&options.fence);
    let mut budget = limits.budget(&cancelled);
    let source = match Source::read(&options.file, &input, &budget) {
        Ok(Ok(source)) => source,
        Ok(Err(error)) => return complain(&options.file.display().to_string(), error, collected),
        Err(stop) => {
            let source = Source::unread(options.file.display().to_string(), &input);
            return unread(options, &Arc::new(source), stop, "the program was read", collected, start);
        }
    };
    if let Err(message) = files.check_sources(&source.program.sources) {
        return output::refuse(message);
    }
    if options.goal == GoalName::Robust && options.models.contains(&ModelName::Pso) {
        return output::refuse("robustness is against TSO; --goal robust has no --model pso");
    }
    if options.goal == GoalName::Safe && !source.program.has_property() {
        return complain(&source.name, nothing_to_check(&source.program), collected);
    }
    let broken = |model: Option<AnyModel>, message: String, collected: &mut Collected| {
        output::complain(format!("error: {}: {message}", source.name));
        collected.internal(&source.name, model, &message);
        if options.format == Format::Json {
            output::line(ErrorResult::internal(&source.name, model, &message));
        }
        Exit::Internal
    };
    let places = match internal::guard(|| (!options.audit).then(|| source.places(&budget)).transpose()) {
        Ok(Ok(places)) => places,
        Ok(Err(stop)) => {
            return unread(options, &source, stop, "places for fences were looked for", collected, start);
        }
        Err(message) => {
            let exit = broken(None, message, &mut collected);
            collected.print(exit);
            return exit;
        }
    };
    let mut exit = Exit::Good;
    for (number, &model) in options.models.iter().enumerate() {
        // What it took to read the file was of the first model's time.
        if number > 0 {
            budget = limits.budget(&cancelled);
        }
        let answered = internal::guard(|| {
            internal::rehearse(&source.name);
            let line = ProgressLine::new(options.quiet, &source.name, budget.deadline());
            let progress = |p: &Progress| line.update(p);
            let request = Request {
                options: wanted(options, model),
                source: &source,
                budget: budget.clone(),
                progress: &progress,
            };
            match &places {
                None => {
                    let audit = request.audit();
                    line.end();
                    audited(options, &audit)
                }
                Some(places) => {
                    let outcome = request.repair(places, target.as_deref());
                    line.end();
                    repaired(options, &outcome, &mut collected)
                }
            }
        });
        exit =
            exit.and(answered.unwrap_or_else(|m| broken(Some(Model::from(model).into()), m, &mut collected)));
        if cancelled.load(Ordering::Relaxed) {
            collected.interrupted([]);
            if number + 1 < options.models.len() {
                exit = exit.and(Exit::Unknown);
            }
            break;
        }
    }
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

/// Says that nothing is known, where the limits were reached before a check began.
fn unread(
    options: &FencesOptions,
    source: &Arc<Source>,
    stop: Stop,
    when: &str,
    mut collected: Collected,
    start: Instant,
) -> Exit {
    for &model in &options.models {
        let reason = Reason::BoundReached(format!("{} while {when}", Reason::from(stop)));
        let options_of_model = wanted(options, model);
        let budget = Budget::default();
        let request = Request { options: options_of_model, source, budget, progress: &|_| {} };
        let result = Ending::Unknown { reason, fences: 0, cost: 0 };
        let outcome = request.outcome(result, Vec::new(), start.elapsed().as_secs_f64());
        show(options, &outcome, &mut collected);
    }
    let exit = if options.allow_unknown { Exit::Good } else { Exit::Unknown };
    collected.print(exit);
    exit
}

/// Why these options do not fit together.
fn misfit(options: &FencesOptions) -> Option<&'static str> {
    if options.models.contains(&ModelName::Sc) {
        return Some("under SC fences do nothing; --model is tso or pso");
    }
    if options.audit && options.format == Format::Sarif {
        return Some("--audit is about fences that are there; --format sarif is for those that are missing");
    }
    (options.apply && options.models.len() > 1).then_some("--apply needs one model")
}

/// Where the repaired program goes.
fn target(options: &FencesOptions) -> Result<PathBuf, String> {
    if let Some(path) = &options.output {
        return Ok(path.clone());
    }
    let file = &options.file;
    let (Some(stem), true) = (file.file_stem(), file.as_os_str() != "-") else {
        return Err("--apply of standard input needs -o FILE".to_string());
    };
    let mut name = stem.to_os_string();
    name.push("_fenced");
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    let path = file.with_file_name(name);
    match path.exists() {
        true => Err(format!("{} is there already; say where to write with -o FILE", path.display())),
        false => Ok(path),
    }
}

/// Which fences are wanted under a model.
fn wanted(options: &FencesOptions, model: ModelName) -> FenceOptions {
    FenceOptions {
        goal: options.goal.into(),
        model: model.into(),
        engine: options.engine.into(),
        price: options.price,
        all: options.all,
        buffer: options.buffer,
    }
}

/// Shows what was found of missing fences, and writes the repaired program.
fn repaired(options: &FencesOptions, outcome: &Outcome<'_>, collected: &mut Collected) -> Exit {
    show(options, outcome, collected);
    match &outcome.result {
        Ending::Repaired(repaired) => match &repaired.written {
            Some(path) => outputs::write(path, &repaired.text).map_or(Exit::Wrong, |()| Exit::Good),
            None => Exit::Good,
        },
        Ending::NotNeeded(_) => Exit::Good,
        Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) => Exit::Bad,
        Ending::Unknown { .. } => Exit::Unknown,
    }
}

fn show(options: &FencesOptions, outcome: &Outcome<'_>, collected: &mut Collected) {
    let FencesOptions { quiet, verbose, all, .. } = *options;
    let telling = Telling { style: output::style(Detail::Steps), quiet, verbose, all };
    match options.format {
        Format::Json => output::line(results::line(&show::result(outcome))),
        Format::Text => output::text(show::text(outcome, telling)),
        Format::Sarif | Format::Junit => repair_log::collect(outcome, telling, collected),
    }
}

/// Shows what was found of the fences that are there.
fn audited(options: &FencesOptions, audit: &Audit<'_>) -> Exit {
    match options.format {
        Format::Json => output::line(results::line(&audit.result())),
        Format::Text | Format::Sarif | Format::Junit => {
            output::text(audit.text(output::style(Detail::Steps), options.verbose));
        }
    }
    match audit.verdict() {
        AuditVerdict::Audited => Exit::Good,
        AuditVerdict::Missed => Exit::Bad,
        AuditVerdict::Unknown => Exit::Unknown,
    }
}
