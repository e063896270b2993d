//! `fencepost check`: files and models to verdicts.

use crate::collect::{Collected, Unknowns};
use crate::formula::Formula;
use crate::meant::{limits_text, misfit as misfit_words};
use crate::merge::exit_of;
use crate::options::{CheckOptions, Format};
use crate::progress::ProgressLine;
use crate::{Exit, input, interrupt, output, outputs, story, warnings};
use fencepost_certify::Replay;
use fencepost_ir::{Checks, Remark, cfg};
use fencepost_report::explain::explain;
use fencepost_report::results::{self, CheckResult, ErrorResult, Lines};
use fencepost_report::text::Detail;
use fencepost_report::{Outcome, Shown, text};
use fencepost_task::{AnyModel, Budget, EngineChoice, Model, Progress, Reason, Stats, Stop};
use fencepost_verify::campaign::{self, Campaign, Known, Question};
use fencepost_verify::compiler::databases;
use fencepost_verify::fences::{Source, Suggestion, suggest};
use fencepost_verify::robust::c11::applicable;
use fencepost_verify::{
    Decided, Format as InputFormat, InputError, Program, decide, decide_c11, decide_with_races, files,
    internal, patience, read,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is said of a violation.
#[derive(Clone, Copy, PartialEq)]
pub enum Telling {
    /// The run as a table, then the story.
    Run,
    /// The story alone, with fences that were looked for in so many seconds.
    Story(f64),
}

/// Default number of seconds for fences on a page.
const FENCES_ON_PAGE: f64 = 5.0;

pub fn run(options: &CheckOptions) -> Exit {
    tell(options, Telling::Run)
}

/// The files of one program, or why there are none.
type Files = Result<Vec<PathBuf>, String>;

/// The programs that were asked for.
fn programs(options: &CheckOptions) -> Vec<Files> {
    match options.input.link {
        true => vec![Ok(options.files.clone())],
        false => {
            let found = files::collect(&options.files, campaign::is_program).into_iter();
            found.map(|file| file.map(|path| vec![path])).collect()
        }
    }
}

/// Who is told of results, beside standard output.
struct Receivers {
    files: outputs::Files,
    campaign: Campaign,
    collected: Collected,
}

impl Receivers {
    /// Keeps a result. Where that cannot be done, the run has failed.
    fn keep(&mut self, line: String) -> Exit {
        match self.campaign.keep(line) {
            Ok(()) => Exit::Good,
            Err(error) => output::refuse(error),
        }
    }
}

/// Whether results are printed at the end, in one piece.
fn is_collected(options: &CheckOptions) -> bool {
    matches!(options.format, Format::Sarif | Format::Junit)
}

/// The files that the options ask for.
fn written(options: &CheckOptions) -> [(&'static str, Option<&Path>); 8] {
    [
        ("--trace", options.trace.as_deref()),
        ("--certificate", options.certificate.as_deref()),
        ("--witness", options.witness.as_deref()),
        ("--report", options.report.as_deref()),
        ("--svg", options.svg.as_deref()),
        ("--dimacs", options.bmc.dimacs.as_deref()),
        ("--proof", options.bmc.proof.as_deref()),
        ("--results", options.campaign.results.as_deref()),
    ]
}

/// Why these options do not fit these programs.
fn misfit(options: &CheckOptions, programs: &[Files]) -> Option<String> {
    if programs.is_empty() {
        return Some(
            "there is no program in the folder; .c, .i, .fp, .litmus, .rmm and Trencher's .txt are read"
                .into(),
        );
    }
    if options.input.link && options.campaign.shard.is_some() {
        return Some("with --link the files are one program, which has no parts for --shard".into());
    }
    for (option, path) in written(options) {
        if path.is_none() || option == "--results" {
            continue;
        }
        if programs.len() > 1 || options.models().len() > 1 {
            return Some(format!("{option} needs one file and one model"));
        }
        if options.campaign.results.is_some() {
            return Some(format!("{option} needs a run of its own, without --results"));
        }
    }
    let standard_input = options.files.iter().any(|file| file.as_os_str() == "-");
    let is_sc = options.models() == [AnyModel::Machine(Model::Sc)];
    if options.witness.is_some() && (!is_sc || options.input.link || standard_input) {
        return Some("--witness needs --model sc and one C file: witnesses speak of SC only".into());
    }
    if options.print.is_some() && is_collected(options) {
        return Some("--print shows one form of a program; --format sarif and junit are of verdicts".into());
    }
    if options.campaign.results.is_some() && is_collected(options) {
        return Some("--format sarif and junit need a run of their own, without --results".into());
    }
    None
}

/// Checks, and tells of violations.
pub fn tell(options: &CheckOptions, telling: Telling) -> Exit {
    let programs = programs(options);
    if let Some(message) = misfit(options, &programs) {
        return output::refuse(message);
    }
    let read = programs.iter().flatten().flatten();
    let files = outputs::Files::default().reads("the program", read).reads("the list", &options.files);
    let files =
        files.reads("the compile commands", databases(&options.files, options.input.commands.as_deref()));
    let files = match files.writes(&written(options)) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let models = options.models();
    // Files without orders are left out of C11 unless it was named.
    let whole = !options.leaves_out();
    let named = |files: &Files| files.as_deref().map_or_else(String::clone, program_name);
    let (campaign, programs) = match Campaign::new(&options.campaign.meant(), programs, named, &models, whole)
    {
        Ok(begun) => begun,
        Err(error) => return output::refuse(error),
    };
    let cancelled = interrupt::flag();
    let mut exit = Exit::Good;
    let command = if telling == Telling::Run { "check" } else { "explain" };
    let unknowns = Unknowns::new(options.allow_unknown);
    let collected = Collected::new(options.format, command, options.quiet, unknowns);
    let mut receivers = Receivers { files, campaign, collected };
    let mut left = programs.into_iter();
    for files in left.by_ref() {
        exit = exit.and(match files {
            Ok(files) => {
                internal::guard(|| check_program(options, telling, &files, &mut receivers, &cancelled))
                    .unwrap_or_else(|message| {
                        broken(options, &program_name(&files), None, &message, &mut receivers)
                    })
            }
            Err(message) => refuse(options, "", InputError::File(message), &mut receivers),
        });
        if cancelled.load(Ordering::Relaxed) || output::has_failed() {
            break;
        }
    }
    if cancelled.load(Ordering::Relaxed) {
        let left: Vec<String> = left.map(|files| named(&files)).collect();
        if !left.is_empty() {
            exit = exit.and(Exit::Unknown);
        }
        receivers.collected.interrupted(left);
    }
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    receivers.collected.print(exit);
    exit
}

/// What a program of these files is called.
pub fn program_name(files: &[PathBuf]) -> String {
    files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join("+")
}

/// Says why a file is not checked.
fn refuse(options: &CheckOptions, name: &str, error: InputError, receivers: &mut Receivers) -> Exit {
    input::complain(&error);
    receivers.collected.error(name, &error);
    let stamp = receivers.campaign.stamp(None);
    let result = ErrorResult { stamp, ..error_result(name, &error) };
    receivers.keep(result.to_string());
    match (options.format, &error) {
        (Format::Json, _) => output::line(result),
        (Format::Text, InputError::Text(_, diagnostics)) => {
            diagnostics.iter().filter_map(|d| d.draft.as_deref()).for_each(output::line);
        }
        (Format::Text | Format::Sarif | Format::Junit, _) => {}
    }
    Exit::Wrong
}

/// Tells of an internal error; what was printed of it when it happened does not name the file.
fn broken(
    options: &CheckOptions,
    name: &str,
    model: Option<AnyModel>,
    message: &str,
    receivers: &mut Receivers,
) -> Exit {
    output::complain(format!("error: {name}: {message}"));
    receivers.collected.internal(name, model, message);
    let stamp = receivers.campaign.stamp(None);
    let result = ErrorResult { stamp, ..ErrorResult::internal(name, model, message) };
    receivers.keep(result.to_string());
    if options.format == Format::Json {
        output::line(result);
    }
    Exit::Internal
}

/// Checks a program of one file, or of several that are linked.
fn check_program(
    options: &CheckOptions,
    telling: Telling,
    files: &[PathBuf],
    receivers: &mut Receivers,
    cancelled: &Arc<AtomicBool>,
) -> Exit {
    let (name, start) = (program_name(files), Instant::now());
    // The limits hold from the first byte on.
    let limits = options.limits();
    let mut budget = limits.budget(cancelled);
    let (paths, input, unmarked) = (files.to_vec(), options.input.meant(), options.witness.is_some());
    let read = patience::within(&budget, move || match &paths[..] {
        [file] if unmarked => read::read_unmarked(file, &input),
        [file] => read::read_with_format(file, &input),
        files => read::read_linked(files, &input).map(|tree| (tree, InputFormat::C)),
    });
    let (tree, format) = match read {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return refuse(options, &name, error, receivers),
        Err(stop) => return unread(options, telling, files, stop, receivers, cancelled, start),
    };
    if let Err(message) = receivers.files.check_sources(&tree.sources) {
        return output::refuse(message);
    }
    if options.witness.is_some() && format != InputFormat::C {
        output::complain("error: --witness is for C programs");
        return Exit::Wrong;
    }
    if let Some(what) = &options.print {
        return crate::print::stage(options, tree, what);
    }
    let question = receivers.campaign.stamps().then(|| {
        let program: (&dyn std::fmt::Debug, _) = (&tree, &options.input.meant());
        let method = options.meant().method();
        Question::new(EngineChoice::from(options.engine).name(), &program, &method, limits_text(limits))
    });
    let (title, input) = (name.clone(), options.input.meant());
    let program = match patience::within(&budget, move || Program::new(&title, tree, &input)) {
        Ok(program) => program,
        Err(stop) => return unread(options, telling, files, stop, receivers, cancelled, start),
    };
    let models = options.models();
    // C11 always looks for races.
    if models != [AnyModel::C11]
        && let Err(error) = program.require_property(&options.input.meant().asked)
    {
        return refuse(options, &name, error, receivers);
    }
    let (warnings, mut exit) = warnings::warn(options, &program);
    for (number, &model) in models.iter().enumerate() {
        // What it took to read the file was of the first model's time.
        if number > 0 {
            budget = limits.budget(cancelled);
        }
        if let Some(known) = question.as_ref().and_then(|q| receivers.campaign.known(&name, model, q)) {
            exit = exit.and(take_over(options, known));
            continue;
        }
        let question = question.as_ref();
        let warnings = &warnings;
        let asked = Asked { options, telling, files, name: &name, format, warnings, question, cancelled };
        if model == AnyModel::C11
            && let Err(reason) = applicable(&program.tree, format)
        {
            if options.leaves_out() {
                output::complain(format!("note: {name} is left out of C11: {reason}"));
            } else {
                let decided = nothing_known(options, reason, start);
                exit = exit.and(show(&asked, &program.graph, model, decided, receivers, &budget));
            }
            continue;
        }
        let checked = internal::guard(|| check_model(&asked, &program, model, receivers, &budget));
        exit = exit.and(checked.unwrap_or_else(|m| broken(options, &name, Some(model), &m, receivers)));
        if cancelled.load(Ordering::Relaxed) {
            // The verdict may have come before the interrupt; the other models have none.
            return if number + 1 < models.len() { exit.and(Exit::Unknown) } else { exit };
        }
    }
    exit
}

/// Says of a program that could not be read within the limits that nothing is known of it.
fn unread(
    options: &CheckOptions,
    telling: Telling,
    files: &[PathBuf],
    stop: Stop,
    receivers: &mut Receivers,
    cancelled: &AtomicBool,
    start: Instant,
) -> Exit {
    let name = program_name(files);
    let program = cfg::Program::default();
    let format = InputFormat::C;
    let warnings = &[];
    let asked = Asked { options, telling, files, name: &name, format, warnings, question: None, cancelled };
    let mut exit = Exit::Good;
    for model in options.models() {
        let reason = format!("{} while the program was read", Reason::from(stop));
        let decided = nothing_known(options, Reason::BoundReached(reason), start);
        let shown = show(&asked, &program, model, decided, receivers, &Budget::default());
        exit = exit.and(shown);
    }
    exit
}

/// A verdict that says nothing but why.
fn nothing_known(options: &CheckOptions, reason: Reason, start: Instant) -> Decided {
    Decided {
        verdict: Shown::Unknown { reason, scope: None },
        engine: options.engine.into(),
        engines: Vec::new(),
        order: None,
        stats: Stats::default(),
        certificate: None,
        seconds: start.elapsed().as_secs_f64(),
        notes: Vec::new(),
    }
}

/// Shows a result that is there already.
fn take_over(options: &CheckOptions, known: &Known) -> Exit {
    match options.format {
        Format::Sarif | Format::Junit => unreachable!("these have no --results"),
        Format::Json => output::line(&known.line),
        Format::Text => {
            let model = known.model.name().to_uppercase();
            output::line(format!("{}: {} under {model}, as recorded", known.verdict, known.file));
        }
    }
    exit_of(known.verdict)
}

/// The result of a file that cannot be read.
pub fn error_result(name: &str, error: &InputError) -> ErrorResult {
    match error {
        InputError::Text(sources, diagnostics) => ErrorResult::of_text(name, sources, diagnostics),
        InputError::File(message) => ErrorResult::of_file(name, message),
    }
}

/// A program and what is wanted of it.
struct Asked<'a> {
    options: &'a CheckOptions,
    telling: Telling,
    files: &'a [PathBuf],
    name: &'a str,
    format: InputFormat,
    warnings: &'a [Remark],
    /// Where results are kept.
    question: Option<&'a Question>,
    cancelled: &'a AtomicBool,
}

fn check_model(
    asked: &Asked<'_>,
    program: &Program,
    model: AnyModel,
    receivers: &mut Receivers,
    budget: &Budget,
) -> Exit {
    let Asked { options, name, .. } = *asked;
    internal::rehearse(name);
    let start = Instant::now();
    let line = ProgressLine::new(options.quiet, name, budget.deadline());
    let mut progress = |p: &Progress| line.update(p);
    let mut wanted = options.meant();
    let formula = match Formula::new(&mut wanted) {
        Ok(formula) => formula,
        Err(message) => return output::refuse(message),
    };
    let looks_for_races = program.graph.checks.races && applicable(&program.tree, asked.format).is_ok();
    let language = match model {
        AnyModel::Machine(_) if !looks_for_races => None,
        AnyModel::Machine(_) | AnyModel::C11 => {
            let (title, tree, input) = (name.to_string(), program.tree.clone(), options.input.meant());
            match patience::within(budget, move || Program::for_language(&title, tree, &input)) {
                Ok(program) => Some(program),
                Err(stop) => {
                    let decided = nothing_known(options, stop.into(), start);
                    return show(asked, &program.graph, model, decided, receivers, budget);
                }
            }
        }
    };
    let decided = match (model, &language) {
        (AnyModel::Machine(model), None) => decide(program, model, &wanted, budget, &mut progress),
        (AnyModel::Machine(model), Some(language)) => {
            decide_with_races((program, language), model, &wanted, budget, &mut progress)
        }
        (AnyModel::C11, language) => {
            let language = language.as_ref().expect("it was made for this model");
            decide_c11(language, &wanted, budget, &mut progress)
        }
    };
    drop(line);
    let decided = match decided {
        Ok(decided) => decided,
        Err(why) => return output::refuse(misfit_words(why)),
    };
    // A run with a race is one of the program for the language.
    let raced = matches!(&decided.verdict, Shown::Unsafe(replay) if replay.race.is_some());
    let program = language.as_ref().filter(|_| raced || model == AnyModel::C11).unwrap_or(program);
    match formula.finish(&decided.verdict) {
        Ok(()) => show(asked, &program.graph, model, decided, receivers, budget),
        Err(message) => output::refuse(message),
    }
}

/// Shows a verdict, and writes what was asked for.
fn show(
    asked: &Asked<'_>,
    program: &cfg::Program,
    model: AnyModel,
    decided: Decided,
    receivers: &mut Receivers,
    budget: &Budget,
) -> Exit {
    let Asked { options, name, .. } = *asked;
    let Decided { verdict, engine, engines, order, stats, certificate, seconds, notes } = decided;
    let mut exit = match &verdict {
        Shown::Safe { .. } => Exit::Good,
        Shown::Unsafe(_) => Exit::Bad,
        Shown::Unknown { .. } => Exit::Unknown,
    };
    let mut fix = None;
    let explanation = match &verdict {
        Shown::Unsafe(replay) => {
            let cure = asked.cure(program, replay, budget);
            fix = cure.fixes.into_iter().next();
            let telling = budget.to_tell();
            Some(explain(program, replay, order, &cure.sentences, &budget.part(), &telling))
        }
        Shown::Safe { .. } | Shown::Unknown { .. } => None,
    };
    let telling = budget.to_tell();
    let outcome = Outcome {
        file: name,
        program,
        model,
        engine,
        engines,
        verdict,
        explanation,
        order,
        stats,
        seconds,
        warnings: asked.warnings,
        telling,
    };
    receivers.collected.check(&outcome, fix.as_ref());
    let wanted = options.format == Format::Json || options.trace.is_some() || receivers.campaign.stamps();
    let result = wanted.then(|| {
        let (notes, stamp) = (notes.clone(), receivers.campaign.stamp(asked.question));
        CheckResult { notes, stamp, ..CheckResult::new(&outcome) }
    });
    // What was broken off is for a later run.
    if let Some(result) = &result
        && receivers.campaign.stamps()
        && !(exit == Exit::Unknown && asked.cancelled.load(Ordering::Relaxed))
    {
        exit = exit.and(receivers.keep(result.to_string()));
    }
    match (options.format, &result) {
        (Format::Json, Some(result)) => output::line(result),
        (Format::Json | Format::Sarif | Format::Junit, _) => {}
        (Format::Text, _) => {
            let detail = match (options.quiet, options.verbose) {
                (true, _) => Detail::Verdict,
                (false, false) => Detail::Steps,
                (false, true) => Detail::All,
            };
            let style = output::style(detail);
            output::text(match asked.telling {
                Telling::Run => text::outcome(&outcome, style),
                Telling::Story(_) => text::story(&outcome, style),
            });
            for note in notes.iter().filter(|_| !options.quiet) {
                output::line(format!("  note: {note}"));
            }
        }
    }
    if story::write(asked.files, options, &outcome).is_err() || story::witness(options, &outcome).is_err() {
        return Exit::Wrong;
    }
    if let Some(path) = &options.trace
        && let Shown::Unsafe(_) = outcome.verdict
        && let Some(result) = result
    {
        match result.text(Lines::Many) {
            Ok(text) => {
                if outputs::write(path, &(text + "\n")).is_err() {
                    return Exit::Wrong;
                }
            }
            Err(stop) => output::complain(format!("no trace: {}", Reason::from(stop))),
        }
    }
    if let Some(path) = &options.certificate {
        match (&outcome.verdict, certificate) {
            (Shown::Safe { .. }, Some((engine, certificate))) => {
                let text = results::write_certificate(name, engine, program, &certificate);
                if outputs::write(path, &text).is_err() {
                    return Exit::Wrong;
                }
            }
            (Shown::Safe { .. }, None) => {
                output::complain(format!(
                    "no certificate: the engine `{engine}` gives none; try --engine dual"
                ));
            }
            (Shown::Unsafe(_) | Shown::Unknown { .. }, _) => {
                output::complain(format!("no certificate: the verdict is {}", outcome.verdict.kind()));
            }
        }
    }
    exit
}

impl Asked<'_> {
    /// What is known of fences, where there is time to look for them.
    fn cure(&self, program: &cfg::Program, replay: &Replay, budget: &Budget) -> Suggestion {
        let options = self.options;
        let seconds = match self.telling {
            Telling::Story(seconds) => seconds,
            Telling::Run if options.report.is_some() || options.format == Format::Sarif => FENCES_ON_PAGE,
            Telling::Run => return Suggestion::default(),
        };
        let [file] = self.files else { return Suggestion::default() };
        if replay.model == Model::Sc || file.as_os_str() == "-" || program.checks != Checks::default() {
            return Suggestion::default();
        }
        if budget.look(0).is_err() {
            return Suggestion::default();
        }
        let budget = budget.until(Instant::now() + Duration::from_secs_f64(seconds));
        let Ok(Ok(source)) = Source::read(file, &options.input.meant(), &budget) else {
            return Suggestion::default();
        };
        suggest(&source, replay.model, budget, 1)
    }
}
