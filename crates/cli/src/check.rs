//! `fencepost check`: files and models to verdicts.

use crate::collect::{Collected, Unknowns};
use crate::fences::{Source, Suggestion, suggest};
use crate::options::{CheckOptions, EngineName, Format, InputFormat, ModelName, SearchOrder};
use crate::portfolio::{self, Choice, Setup};
use crate::progress::ProgressLine;
use crate::translated::Translated;
use crate::{Exit, bmc, input, interrupt, output, story};
use fencepost_certify::{Part, Replay, Unproven, check_certificate_until, replay};
use fencepost_cover::Dual;
use fencepost_explore::{Explicit, Order, Reduction};
use fencepost_frontend::Diagnostic;
use fencepost_ir::{Check, Checks, Span, cfg, tree};
use fencepost_passes::pipeline::{self, Stage};
use fencepost_report::explain::explain;
use fencepost_report::text::Detail;
use fencepost_report::{Outcome, Shown, certificate, json, text};
use fencepost_robust::lazy::{self, Lazy};
use fencepost_task::{
    Answer, Bounds, Budget, Certificate, Engine, Model, Progress, Reason, Scope, Task, Verdict,
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

/// Seconds for fences on a page, where nobody said more.
const FENCES_ON_PAGE: f64 = 5.0;

pub fn run(options: &CheckOptions) -> Exit {
    tell(options, Telling::Run)
}

/// Whether two paths lead to one file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Checks, and tells of violations.
pub fn tell(options: &CheckOptions, telling: Telling) -> Exit {
    let programs = if options.input.link { 1 } else { options.files.len() };
    for (option, path) in [
        ("--trace", &options.trace),
        ("--certificate", &options.certificate),
        ("--witness", &options.witness),
        ("--report", &options.report),
        ("--svg", &options.svg),
    ] {
        let Some(path) = path else { continue };
        if programs > 1 || options.models.len() > 1 {
            output::complain(format!("error: {option} needs one file and one model"));
            return Exit::Wrong;
        }
        if options.files.iter().any(|file| same_file(file, path)) {
            output::complain(format!("error: {option} would overwrite the program"));
            return Exit::Wrong;
        }
    }
    let standard_input = options.files.iter().any(|file| file.as_os_str() == "-");
    if options.witness.is_some()
        && (options.models != [ModelName::Sc] || options.input.link || standard_input)
    {
        output::complain("error: --witness needs --model sc and one C file: witnesses speak of SC only");
        return Exit::Wrong;
    }
    if options.print.is_some() && matches!(options.format, Format::Sarif | Format::Junit) {
        output::complain(
            "error: --print shows one form of a program; --format sarif and junit are of verdicts",
        );
        return Exit::Wrong;
    }
    let cancelled = interrupt::flag();
    let mut exit = Exit::Good;
    let programs = match options.input.link {
        true => vec![&options.files[..]],
        false => options.files.iter().map(std::slice::from_ref).collect(),
    };
    let command = if telling == Telling::Run { "check" } else { "explain" };
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, command, options.quiet, unknowns);
    let mut left = programs.into_iter();
    for files in left.by_ref() {
        exit = exit.and(check_program(options, telling, files, &mut collected, &cancelled));
        if cancelled.load(Ordering::Relaxed) {
            break;
        }
    }
    if cancelled.load(Ordering::Relaxed) {
        collected.interrupted(left.map(program_name));
    }
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

/// What a program of these files is called.
pub fn program_name(files: &[PathBuf]) -> String {
    files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join("+")
}

/// Checks a program of one file, or of several that are linked.
fn check_program(
    options: &CheckOptions,
    telling: Telling,
    files: &[PathBuf],
    collected: &mut Collected,
    cancelled: &Arc<AtomicBool>,
) -> Exit {
    let name = program_name(files);
    let read = match files {
        [file] if options.witness.is_some() => input::read_unmarked(file, &options.input),
        [file] => input::read_with_format(file, &options.input),
        files => input::read_linked(files, &options.input).map(|tree| (tree, InputFormat::C)),
    };
    let (tree, format) = match read {
        Ok(read) => read,
        Err(error) => {
            input::complain(&error);
            collected.error(&name, &error);
            match (options.format, &error) {
                (Format::Json, _) => output::line(error_object(&name, &error)),
                (Format::Text, input::InputError::Text(_, diagnostics)) => {
                    diagnostics.iter().filter_map(|d| d.draft.as_deref()).for_each(output::line);
                }
                (Format::Text | Format::Sarif | Format::Junit, _) => {}
            }
            return Exit::Wrong;
        }
    };
    if options.witness.is_some() && format != InputFormat::C {
        output::complain("error: --witness is for C programs");
        return Exit::Wrong;
    }
    if let Some(what) = &options.print {
        return print_stage(options, tree, what);
    }
    let translates = matches!(options.engine, EngineName::Rounds | EngineName::Age);
    let source = translates.then(|| tree.clone());
    let mut program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
    program.checks = Checks {
        deadlock: options.input.deadlock,
        leaks: options.input.leaks,
        races: options.input.races,
        off: options.input.no_check.clone(),
    };
    if !program.checks.reports(Check::Assertion) {
        program.drop_assertions();
    }
    if !program.has_property() {
        let error = nothing_to_check(&program);
        input::complain(&error);
        collected.error(&name, &error);
        if options.format == Format::Json {
            output::line(error_object(&name, &error));
        }
        return Exit::Wrong;
    }
    let mut exit = Exit::Good;
    for &model in &options.models {
        let translated = source.as_ref().map(|tree| Translated::new(options, tree, format));
        let asked = Asked { options, telling, files, name: &name };
        exit = exit.and(check_model(&asked, &program, model.into(), translated, collected, cancelled));
        if cancelled.load(Ordering::Relaxed) {
            break;
        }
    }
    exit
}

/// What is said of a program without any property.
pub fn nothing_to_check(program: &cfg::Program) -> input::InputError {
    let span = program.threads.first().map_or(Span { line: 1, column: 1, ..Span::NONE }, |t| t.span);
    let diagnostic = Diagnostic::new(span, "there is nothing to check").help(
        "a property is an `assert`, `forbid`, `at most` or `final` condition; in Memorax files a `forbidden` line, \
         in Trencher files a `final` state in every thread",
    );
    input::InputError::Text(program.sources.clone(), vec![diagnostic])
}

/// The object of a file that cannot be read.
pub fn error_object(name: &str, error: &input::InputError) -> serde_json::Value {
    match error {
        input::InputError::Text(sources, diagnostics) => json::error(name, sources, diagnostics),
        input::InputError::File(message) => {
            serde_json::json!({"schema": 1, "file": name, "verdict": "error", "diagnostics": [{"message": message}]})
        }
    }
}

/// A program and what is wanted of it.
struct Asked<'a> {
    options: &'a CheckOptions,
    telling: Telling,
    files: &'a [PathBuf],
    name: &'a str,
}

fn check_model(
    asked: &Asked<'_>,
    program: &cfg::Program,
    model: Model,
    translated: Option<Translated>,
    collected: &mut Collected,
    cancelled: &Arc<AtomicBool>,
) -> Exit {
    let Asked { options, name, .. } = *asked;
    let start = Instant::now();
    let budget = Budget {
        deadline: options.timeout.map(|s| start + Duration::from_secs_f64(s)),
        memory: options.memory.map(|mb| mb << 20).or_else(default_memory),
        cancelled: cancelled.clone(),
        pause: None,
    };
    let bounds = Bounds {
        buffer: options.buffer,
        threads: options.input.threads,
        unwind: options.bmc.unwind,
        ..Bounds::default()
    };
    let task = Task { program, model, bounds, budget };
    let notes = translated.as_ref().map(|t| t.notes.clone()).unwrap_or_default();
    let setup = match setup(options, model) {
        Ok(setup) => setup,
        Err(message) => {
            output::complain(format!("error: {message}"));
            return Exit::Wrong;
        }
    };
    let named = match translated {
        Some(translated) => Some(Box::new(translated) as Box<dyn Engine>),
        None => engine(options.engine, &setup),
    };
    if program.checks != Checks::default() && named.as_ref().is_some_and(|e| e.name() != "explicit") {
        let message =
            "--deadlock, --leaks, --races and --no-check are for explicit search; give --engine explicit";
        output::complain(format!("error: {message}"));
        return Exit::Wrong;
    }
    let line = ProgressLine::new(options.quiet, name, task.budget.deadline);
    let mut progress = |p: &Progress| line.update(p);
    let Choice { answer, engine, engines } = match named {
        None => portfolio::check(&setup, &task, &mut progress),
        Some(engine) => Choice::of(engine.as_ref(), &task, &mut progress),
    };
    drop(line);
    let searched = start.elapsed();
    let Answer { verdict, unreached, stats, certificate } = bounded_answer(options, answer);
    if let Some(certificate) = &certificate
        && let Err(message) = certify(&task, searched, certificate)
    {
        panic!(
            "internal error: the engine `{}` says that {name} is safe, and its proof is rejected ({message}). \
             This is a bug in Fencepost; please report it with the file.",
            engine
        );
    }
    let mut order = None;
    let (verdict, exit) = match verdict {
        Verdict::Safe { scope } => (Shown::Safe { scope, unreached }, Exit::Good),
        Verdict::Unknown { reason, scope } => (Shown::Unknown { reason, scope }, Exit::Unknown),
        Verdict::Unsafe { trace } => match replay(program, &story::simplest(&task, trace, &mut order)) {
            Ok(replay) => (Shown::Unsafe(Box::new(replay)), Exit::Bad),
            Err(rejection) => panic!(
                "internal error: the engine `{}` found a run of {name} under {} that does not replay ({rejection}). \
                 This is a bug in Fencepost; please report it with the file.",
                engine,
                model.name()
            ),
        },
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut fix = None;
    let explanation = match &verdict {
        Shown::Unsafe(replay) => {
            let cure = asked.cure(program, replay, cancelled);
            fix = cure.fixes.into_iter().next();
            Some(explain(program, replay, order, &cure.sentences))
        }
        Shown::Safe { .. } | Shown::Unknown { .. } => None,
    };
    let outcome =
        Outcome { file: name, program, model, engine, engines, verdict, explanation, order, stats, seconds };
    collected.check(&outcome, fix.as_ref());
    let mut object = json::outcome(&outcome);
    let notes = notes.take();
    if !notes.is_empty() {
        object["notes"] = notes.clone().into();
    }
    match options.format {
        Format::Sarif | Format::Junit => {}
        Format::Json => output::line(&object),
        Format::Text => {
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
        && let Err(error) = std::fs::write(path, format!("{object:#}\n"))
    {
        output::complain(format!("error: {}: {error}", path.display()));
        return Exit::Wrong;
    }
    if let Some(path) = &options.certificate {
        match (&outcome.verdict, certificate) {
            (Shown::Safe { .. }, Some(certificate)) => {
                let text = certificate::write(name, engine, program, &certificate);
                if let Err(error) = std::fs::write(path, text) {
                    output::complain(format!("error: {}: {error}", path.display()));
                    return Exit::Wrong;
                }
            }
            (Shown::Safe { .. }, None) => {
                output::complain(format!(
                    "no certificate: the engine `{engine}` gives none; try --engine dual"
                ));
            }
            (Shown::Unsafe(_) | Shown::Unknown { .. }, _) => {
                output::complain(format!("no certificate: the verdict is {}", outcome.verdict.name()));
            }
        }
    }
    exit
}

impl Asked<'_> {
    /// What is known of fences, where there is time to look for them.
    fn cure(&self, program: &cfg::Program, replay: &Replay, cancelled: &Arc<AtomicBool>) -> Suggestion {
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
        let Ok(source) = Source::read(file, &options.input) else { return Suggestion::default() };
        let deadline = Some(Instant::now() + Duration::from_secs_f64(seconds));
        let budget = Budget { deadline, memory: default_memory(), cancelled: cancelled.clone(), pause: None };
        suggest(&source, replay.model, budget, 1)
    }
}

/// Checks a proof again, unless that takes much longer than it took to find it.
pub fn certify(task: &Task<'_>, searched: Duration, certificate: &Certificate) -> Result<(), Unproven> {
    let allowed = Instant::now() + searched * 3 + Duration::from_secs(1);
    let deadline = task.budget.deadline.map_or(allowed, |deadline| deadline.min(allowed));
    match check_certificate_until(task.program, certificate, deadline) {
        Err(unproven) if unproven.part != Part::Unfinished => Err(unproven),
        Err(_) | Ok(()) => Ok(()),
    }
}

fn explicit(options: &CheckOptions) -> Explicit {
    Explicit {
        order: if options.search == SearchOrder::Dfs { Order::Depth } else { Order::Breadth },
        reduction: if options.no_reduction { Reduction::Off } else { Reduction::On },
    }
}

/// The engines as the options describe them; or why these do not fit the model.
fn setup(options: &CheckOptions, model: Model) -> Result<Setup, String> {
    Ok(Setup {
        explicit: explicit(options),
        lazy: Lazy { iterations: options.iterations },
        bmc: bmc::engine(&options.bmc, model)?,
        bounded: options.buffer.is_some() || bmc::is_bounded(&options.bmc),
        jobs: options.jobs,
    })
}

/// The engine that was asked for, if one was.
fn engine(name: EngineName, setup: &Setup) -> Option<Box<dyn Engine>> {
    match name {
        // The translating engines are made of the tree.
        EngineName::Auto | EngineName::Rounds | EngineName::Age => None,
        EngineName::Explicit => Some(Box::new(setup.explicit)),
        EngineName::Dual => Some(Box::new(Dual)),
        EngineName::Lazy => Some(Box::new(setup.lazy)),
        EngineName::Bmc => Some(Box::new(setup.bmc.clone())),
    }
}

/// What a limit means: with a bound from the user, "nothing found up to the last finished bound"
/// is safe within that scope.
fn bounded_answer(options: &CheckOptions, answer: Answer) -> Answer {
    let asked_for_bounds = options.buffer.is_some()
        || matches!(options.engine, EngineName::Bmc | EngineName::Rounds | EngineName::Age)
        || bmc::is_bounded(&options.bmc);
    match answer.verdict {
        Verdict::Unknown { reason: Reason::Timeout, scope: Some(scope @ Scope::UpTo(_)) }
            if asked_for_bounds =>
        {
            Answer { verdict: Verdict::Safe { scope }, ..answer }
        }
        _ => answer,
    }
}

/// 80 % of the machine's memory, where it can be found out.
pub fn default_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 10 * 8)
}

fn print_stage(options: &CheckOptions, tree: tree::Program, what: &str) -> Exit {
    if what == "tree" {
        output::text(&tree);
        return Exit::Good;
    }
    if what == "automata" {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        return match fencepost_cover::dot(&program) {
            Ok(picture) => {
                output::text(picture);
                Exit::Good
            }
            Err(reason) => {
                output::complain(format!("no automata: {reason}"));
                Exit::Unknown
            }
        };
    }
    if what == "extended" {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        let budget = Budget { memory: default_memory(), ..Budget::default() };
        let bounds = Bounds { unwind: options.bmc.unwind, ..Bounds::default() };
        let task = Task { program: &program, model: Model::Tso, bounds, budget };
        output::text(lazy::extended(&task, options.iterations));
        return Exit::Good;
    }
    if let Some(pass) = what.strip_prefix("after:").filter(|pass| fencepost_bmc::show::PASSES.contains(pass))
    {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        return match fencepost_bmc::show::after(&program, pass, &bmc::sequentialization(options)) {
            Ok(text) => {
                output::text(text);
                Exit::Good
            }
            Err(refusal) => {
                output::complain(format!("nothing after {pass}: {refusal}"));
                Exit::Unknown
            }
        };
    }
    let pass = match what {
        "cfg" => "compact",
        _ => match what.strip_prefix("after:") {
            Some(pass) if pipeline::PASSES.contains(&pass) => pass,
            _ => {
                let passes = pipeline::PASSES.iter().chain(&fencepost_bmc::show::PASSES);
                let passes: Vec<_> = passes.map(|p| format!("after:{p}")).collect();
                let passes = passes.join(", ");
                output::complain(format!(
                    "error: --print takes tree, cfg, automata, extended, {passes}; not `{what}`"
                ));
                return Exit::Wrong;
            }
        },
    };
    pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |name, stage| {
        if name == pass {
            match stage {
                Stage::Tree(program) => output::text(program),
                Stage::Cfg(program) => output::text(program),
            }
        }
    });
    Exit::Good
}
