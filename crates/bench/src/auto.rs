//! `fencepost bench auto FILE...`: what the choice of engines costs. Each file under each model by `--engine auto`, then
//! by each engine alone for as long as auto took: whoever needs more is not better.
//!
//! Auto is to take at most three times the best single engine and half a second; rows beyond that say so.

use crate::{Format, Options};
use fencepost_bmc::Bmc;
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_report::results::{AutoRow, Word};
use fencepost_robust::lazy::Lazy;
use fencepost_task::{Bounds, Budget, Engine, EngineId, Model, Task, Verdict, VerdictKind};
use fencepost_verify::portfolio::{self, Choice, Setup};
use fencepost_verify::{lower, read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// For auto on each file and model.
const TIMEOUT: Duration = Duration::from_secs(20);

/// What auto may take beside three times the best.
const ALLOWANCE: f64 = 0.5;

struct Measured {
    engine: EngineId,
    verdict: VerdictKind,
    seconds: f64,
}

pub fn run(options: &Options) -> Result<(), String> {
    let files = if options.files.is_empty() { examples()? } else { options.files.clone() };
    if options.format == Format::Text {
        options.print(format!(
            "{:34}  {:5}  {:8}  {:8}  {:>7}  {:8}  {:>7}  {:>5}",
            "program", "model", "verdict", "auto", "seconds", "best", "seconds", "ratio"
        ));
    }
    let mut beyond = 0;
    let mut rows = 0;
    for file in &files {
        let tree = read::read(file, &options.read).map_err(|error| error.to_string())?;
        let program = lower(tree, &options.read);
        if !program.has_property() {
            continue;
        }
        for model in Model::ALL {
            beyond += usize::from(!row(options, file, &program, model)?);
            rows += 1;
        }
    }
    if options.format == Format::Text {
        let rule = "three times the best engine and 0.5 s";
        options.print(format!("{beyond} of {rows} rows take more than {rule}"));
    }
    Ok(())
}

/// The examples below the current folder.
fn examples() -> Result<Vec<PathBuf>, String> {
    let folder = std::fs::read_dir("examples").map_err(|e| format!("examples: {e}; give the files"))?;
    let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "fp" || e == "c"));
    files.sort();
    Ok(files)
}

fn setup() -> Setup {
    let (explicit, lazy, bmc) = (Explicit::default(), Lazy::default(), Bmc::default());
    Setup { explicit, lazy, bmc, bounded: false, jobs: None }
}

/// Measures; whether auto is as fast as it is to be. Engines that disagree are an error.
fn row(options: &Options, file: &Path, program: &Program, model: Model) -> Result<bool, String> {
    let setup = setup();
    let task = |deadline| {
        let budget = Budget::default().until(Instant::now() + deadline);
        Task { program, model, bounds: Bounds { threads: options.read.threads, ..Bounds::default() }, budget }
    };
    let start = Instant::now();
    let Choice { answer, engine, .. } = portfolio::check(&setup, &task(TIMEOUT), &mut |_| {});
    let auto = Measured { engine, verdict: kind(&answer.verdict), seconds: start.elapsed().as_secs_f64() };
    let engines: [Box<dyn Engine>; 4] =
        [Box::new(setup.explicit), Box::new(setup.lazy), Box::new(Dual), Box::new(setup.bmc.clone())];
    let mut best: Option<Measured> = None;
    for engine in engines {
        // Shorter ones cannot be told from noise, and are within the allowance anyway.
        let deadline = Duration::from_secs_f64(auto.seconds.max(ALLOWANCE / 5.0));
        let start = Instant::now();
        let answer = engine.check(&task(deadline), &mut |_| {});
        let alone = Measured {
            engine: engine.id(),
            verdict: kind(&answer.verdict),
            seconds: start.elapsed().as_secs_f64(),
        };
        if alone.verdict == VerdictKind::Unknown {
            continue;
        }
        if auto.verdict != VerdictKind::Unknown && auto.verdict != alone.verdict {
            return Err(format!(
                "{}: auto says {}, {} {}",
                file.display(),
                auto.verdict,
                alone.engine,
                alone.verdict
            ));
        }
        if best.as_ref().is_none_or(|b| alone.seconds < b.seconds) {
            best = Some(alone);
        }
    }
    let within = best
        .as_ref()
        .is_none_or(|b| auto.verdict != VerdictKind::Unknown && auto.seconds <= 3.0 * b.seconds + ALLOWANCE);
    show(options, file, model, &auto, best.as_ref(), within);
    Ok(within)
}

/// A verdict without bounds.
fn kind(verdict: &Verdict) -> VerdictKind {
    match verdict {
        Verdict::Safe(cleared) if !cleared.is_complete() => VerdictKind::Unknown,
        verdict => verdict.kind(),
    }
}

fn show(
    options: &Options,
    file: &Path,
    model: Model,
    auto: &Measured,
    best: Option<&Measured>,
    within: bool,
) {
    let file = file.display().to_string();
    match options.format {
        Format::Json => options.row(&AutoRow {
            program: file,
            model: Word(model),
            verdict: Word(auto.verdict),
            auto: Word(auto.engine),
            seconds: auto.seconds,
            best: best.map(|b| Word(b.engine)),
            best_seconds: best.map(|b| b.seconds),
            within,
        }),
        Format::Text => {
            let (engine, seconds, ratio) = match best {
                Some(b) => {
                    (b.engine.name(), format!("{:.2}", b.seconds), format!("{:.1}", auto.seconds / b.seconds))
                }
                None => ("-", "-".to_string(), "-".to_string()),
            };
            let beyond = if within { "" } else { "  beyond" };
            options.print(format!(
                "{file:34}  {:5}  {:8}  {:8}  {:>7.2}  {engine:8}  {seconds:>7}  {ratio:>5}{beyond}",
                model.name(),
                auto.verdict,
                auto.engine,
                auto.seconds,
            ));
        }
    }
}
