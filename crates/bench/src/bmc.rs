//! `fencepost bench bmc`: Table I of Tomasco et al., FMCAD 2016, row by row at its bounds, and fenced mutual exclusion
//! with two entries for each thread, under SC, TSO and PSO; beside them, where it is on the PATH, cbmc with its own memory
//! models on the same files and repetitions (`cbmc`), and cbmc on our sequentialization of them at the same bounds
//! (`cbmc-seq`). With `--all`, the smallest bounds of Table II's safestack.
//!
//! Textbook versions of the programs in the style of the table's (ordinary variables, which is what cbmc's memory
//! models are for: atomic accesses are sequentially consistent to it), not the authors' files. Integers keep their full
//! widths. cbmc bounds no rounds.

use super::peer;
use crate::{Format, Options};
use fencepost_bmc::Bmc;
use fencepost_bmc::c::{Dialect, Sequentialization, sequentialize};
use fencepost_c as c;
use fencepost_certify::replay;
use fencepost_ir::cfg;
use fencepost_passes::pipeline;
use fencepost_report::results::{BmcRow, PeerVerdict, Vocabulary, Word};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict, VerdictKind};
use std::time::{Duration, Instant};

struct Row {
    file: &'static str,
    text: &'static str,
    defines: &'static [&'static str],
    /// Repetitions, rounds, clock.
    bounds: (u32, u32, u32),
    /// The models under which it is unsafe.
    is_unsafe: &'static [Model],
}

const WEAK: &[Model] = &[Model::Tso, Model::Pso];
const ALL: &[Model] = &[Model::Sc, Model::Tso, Model::Pso];
const FENCED_TWICE: &[&str] = &["FENCES", "ENTRIES=2"];

macro_rules! row {
    ($file:literal, $bounds:expr, $is_unsafe:expr) => {
        row!($file, &[], $bounds, $is_unsafe)
    };
    ($file:literal, $defines:expr, $bounds:expr, $is_unsafe:expr) => {
        Row {
            file: $file,
            text: include_str!(concat!("examples/", $file)),
            defines: $defines,
            bounds: $bounds,
            is_unsafe: $is_unsafe,
        }
    };
}

const ROWS: [Row; 12] = [
    row!("bmc/dekker.c", (1, 2, 2), WEAK),
    row!("bmc/lamport.c", (1, 2, 2), WEAK),
    row!("bmc/peterson.c", (1, 2, 2), WEAK),
    row!("bmc/szymanski.c", (1, 2, 3), WEAK),
    row!("fibonacci6_unsafe.c", (6, 6, 2), ALL),
    row!("fibonacci6_safe.c", (6, 6, 2), &[]),
    row!("bmc/parker.c", (1, 2, 3), WEAK),
    row!("bmc/stack_unsafe.c", (2, 2, 2), ALL),
    row!("bmc/dekker.c", FENCED_TWICE, (2, 2, 3), &[]),
    row!("bmc/peterson.c", FENCED_TWICE, (2, 2, 3), &[]),
    row!("bmc/szymanski.c", FENCED_TWICE, (2, 2, 3), &[]),
    row!("bmc/lamport.c", FENCED_TWICE, (2, 2, 3), &[]),
];

/// With a clock of 1 stores would never wait.
const SAFESTACK: Row = row!("bmc/safestack.c", (1, 4, 2), ALL);

impl Row {
    fn name(&self) -> String {
        let defines = self.defines.iter().map(|define| format!(" -D{define}"));
        format!("{}{}", self.file, defines.collect::<String>())
    }
}

/// How long cbmc may take for a row; with `--all` ten times as long.
const LIMIT: Duration = Duration::from_secs(60);

pub fn run(options: &Options) -> Result<(), String> {
    if options.format == Format::Text {
        options.print(format!(
            "{:38}  {:5}  {:8}  {:>7}  {:>8}  {:>9}  {:>8}",
            "program", "model", "tool", "verdict", "seconds", "variables", "clauses"
        ));
    }
    let cbmc = peer::is_installed("cbmc");
    let more = if options.all { Some(&SAFESTACK) } else { None };
    for row in ROWS.iter().chain(more) {
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let program = read(row)?;
            ours(options, row, model, &program)?;
            if cbmc {
                cbmc_alone(options, row, model)?;
                cbmc_on_ours(options, row, model, &program)?;
            }
        }
    }
    Ok(())
}

/// cbmc with its own memory models. Its checks of pointers and the like are ours only in part, and refuse threads
/// that have pointers; that a loop may continue is not an error to us either.
fn cbmc_alone(options: &Options, row: &Row, model: Model) -> Result<(), String> {
    // cbmc counts the last test of a loop's condition too.
    let unwind = (row.bounds.0 + 1).to_string();
    let mut arguments = vec!["--mm", model.name(), "--unwind", &unwind];
    arguments.extend(["--no-standard-checks", "--no-unwinding-assertions"]);
    let defines: Vec<String> = row.defines.iter().map(|define| format!("-D{define}")).collect();
    arguments.extend(defines.iter().map(String::as_str));
    theirs(options, row, model, "cbmc", row.text, &arguments)
}

/// cbmc on the sequential program.
fn cbmc_on_ours(options: &Options, row: &Row, model: Model, program: &cfg::Program) -> Result<(), String> {
    let (unwind, rounds, clock) = row.bounds;
    let wanted = Sequentialization {
        model,
        unwind,
        rounds,
        clock,
        block: unwind,
        queue: None,
        dialect: Dialect::Cprover,
    };
    let sequential = sequentialize(program, &wanted).map_err(|e| format!("{}: {e}", row.file))?;
    theirs(options, row, model, "cbmc-seq", &sequential, &[])
}

fn read(row: &Row) -> Result<cfg::Program, String> {
    let defines = row.defines.iter().map(ToString::to_string).collect();
    let read = c::read(&[(row.file, row.text)], &c::Options { defines, ..c::Options::default() });
    let tree = read.map_err(|(_, diagnostics)| format!("{}: {diagnostics:?}", row.file))?;
    Ok(pipeline::lower(tree))
}

fn ours(options: &Options, row: &Row, model: Model, program: &cfg::Program) -> Result<(), String> {
    let start = Instant::now();
    let (unwind, rounds, clock) = row.bounds;
    let engine = Bmc { unwind: Some(unwind), rounds: Some(rounds), clock: Some(clock), ..Bmc::default() };
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let answer = engine.check(&task, &mut |_| {});
    let verdict = match &answer.verdict {
        Verdict::Unsafe { trace } => {
            replay(program, trace).map_err(|r| format!("{}: {r}", row.file))?;
            VerdictKind::Unsafe
        }
        Verdict::Safe { .. } | Verdict::Unknown { .. } => answer.verdict.kind(),
    };
    let expected = if row.is_unsafe.contains(&model) { VerdictKind::Unsafe } else { VerdictKind::Safe };
    if verdict != expected {
        return Err(format!("{} under {}: {verdict}", row.name(), model.name()));
    }
    let size = Some((answer.stats.variables, answer.stats.clauses));
    report(options, row, model, "ours", PeerVerdict::Answered(verdict), start.elapsed().as_secs_f64(), size);
    Ok(())
}

fn theirs(
    options: &Options,
    row: &Row,
    model: Model,
    tool: &str,
    text: &str,
    arguments: &[&str],
) -> Result<(), String> {
    let limit = if options.all { LIMIT * 10 } else { LIMIT };
    let (verdict, seconds) = peer::cbmc(text, arguments, limit)?;
    report(options, row, model, tool, verdict, seconds, None);
    Ok(())
}

fn report(
    options: &Options,
    row: &Row,
    model: Model,
    tool: &str,
    verdict: PeerVerdict,
    seconds: f64,
    size: Option<(u64, u64)>,
) {
    let (variables, clauses) = (size.map(|s| s.0), size.map(|s| s.1));
    match options.format {
        Format::Json => options.row(&BmcRow {
            program: row.name(),
            model: Word(model),
            tool: tool.to_string(),
            verdict: Word(verdict),
            seconds,
            variables,
            clauses,
        }),
        Format::Text => {
            let show = |n: Option<u64>| n.map_or(String::from("-"), |n| n.to_string());
            options.print(format!(
                "{:38}  {:5}  {:8}  {:>7}  {:>8.2}  {:>9}  {:>8}",
                row.name(),
                model.name(),
                tool,
                verdict.word(),
                seconds,
                show(variables),
                show(clauses)
            ));
        }
    }
}
