//! `fencepost bench bmc`: Table I of Tomasco et al., FMCAD 2016, row by row at its bounds, and fenced mutual exclusion
//! with two entries for each thread; beside them, where it is on the PATH, cbmc with its own memory models on the same files
//! and repetitions (`cbmc`), and cbmc on our sequentialization of them at the same bounds (`cbmc-seq`). With `--all`, the smallest bounds of Table II's safestack.
//!
//! Textbook versions of the programs, not the authors' files: where they start their threads in a loop, one repetition
//! more than in the table is needed. Integers keep their full widths.

use crate::options::{BenchOptions, PlainFormat};
use crate::output;
use fencepost_bmc::Bmc;
use fencepost_bmc::c::{Dialect, Sequentialization, sequentialize};
use fencepost_certify::replay;
use fencepost_frontend::c;
use fencepost_ir::cfg;
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::process::Command;
use std::time::Instant;

struct Row {
    name: &'static str,
    text: &'static str,
    /// Repetitions, rounds, clock.
    bounds: (u32, u32, u32),
    /// Whether it is unsafe under TSO and PSO.
    is_unsafe: bool,
}

macro_rules! row {
    ($file:literal, $bounds:expr, $is_unsafe:expr) => {
        Row {
            name: $file,
            text: include_str!(concat!("../../../../examples/", $file)),
            bounds: $bounds,
            is_unsafe: $is_unsafe,
        }
    };
}

const ROWS: [Row; 11] = [
    row!("dekker.c", (2, 2, 2), true),
    row!("lamport.c", (2, 2, 2), true),
    row!("peterson.c", (2, 2, 2), true),
    row!("szymanski.c", (2, 2, 3), true),
    row!("fibonacci6_unsafe.c", (6, 6, 2), true),
    row!("fibonacci6_safe.c", (6, 6, 2), false),
    row!("park.c", (1, 2, 3), true),
    row!("bmc/stack_unsafe.c", (2, 2, 2), true),
    row!("dekker_fenced.c", (2, 2, 3), false),
    row!("szymanski_fenced.c", (2, 2, 3), false),
    row!("lamport_fenced.c", (2, 2, 3), false),
];

const SAFESTACK: Row = row!("bmc/safestack.c", (1, 4, 1), true);

pub fn run(options: &BenchOptions) -> Result<(), String> {
    if options.format == PlainFormat::Text {
        output::line(format!(
            "{:26}  {:5}  {:8}  {:>7}  {:>8}  {:>9}  {:>8}",
            "program", "model", "tool", "verdict", "seconds", "variables", "clauses"
        ));
    }
    let cbmc = Command::new("cbmc").arg("--version").output().is_ok();
    let more = if options.all { Some(&SAFESTACK) } else { None };
    for row in ROWS.iter().chain(more) {
        for model in [Model::Tso, Model::Pso] {
            let program = read(row)?;
            ours(options, row, model, &program)?;
            if cbmc {
                // cbmc counts the last test of a loop's condition too.
                let unwind = (row.bounds.0 + 1).to_string();
                let own = ["--mm", model.name(), "--unwind", &unwind];
                theirs(options, row, model, "cbmc", row.text, &own)?;
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
                let sequential =
                    sequentialize(&program, &wanted).map_err(|e| format!("{}: {e}", row.name))?;
                theirs(options, row, model, "cbmc-seq", &sequential, &[])?;
            }
        }
    }
    Ok(())
}

fn read(row: &Row) -> Result<cfg::Program, String> {
    let read = c::read(&[(row.name, row.text)], &c::Options::default());
    let tree = read.map_err(|(_, diagnostics)| format!("{}: {diagnostics:?}", row.name))?;
    Ok(pipeline::lower(tree))
}

fn ours(options: &BenchOptions, row: &Row, model: Model, program: &cfg::Program) -> Result<(), String> {
    let start = Instant::now();
    let (unwind, rounds, clock) = row.bounds;
    let engine = Bmc { unwind: Some(unwind), rounds: Some(rounds), clock: Some(clock), ..Bmc::default() };
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let answer = engine.check(&task, &mut |_| {});
    let verdict = match &answer.verdict {
        Verdict::Unsafe { trace } => {
            replay(program, trace).map_err(|r| format!("{}: {r}", row.name))?;
            "unsafe"
        }
        Verdict::Safe { .. } => "safe",
        Verdict::Unknown { .. } => "unknown",
    };
    if (verdict == "unsafe") != row.is_unsafe || verdict == "unknown" {
        return Err(format!("{} under {}: {verdict}", row.name, model.name()));
    }
    let size = Some((answer.stats.variables, answer.stats.clauses));
    report(options, row, model, "ours", verdict, start.elapsed().as_secs_f64(), size);
    Ok(())
}

fn theirs(
    options: &BenchOptions,
    row: &Row,
    model: Model,
    tool: &str,
    text: &str,
    arguments: &[&str],
) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("fencepost-bench-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let run = Command::new("cbmc").args(arguments).arg(&file).output();
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    let verdict = match run.map_err(|e| e.to_string())?.status.code() {
        Some(0) => "safe",
        Some(10) => "unsafe",
        _ => "failed",
    };
    report(options, row, model, tool, verdict, seconds, None);
    Ok(())
}

fn report(
    options: &BenchOptions,
    row: &Row,
    model: Model,
    tool: &str,
    verdict: &str,
    seconds: f64,
    size: Option<(u64, u64)>,
) {
    let (variables, clauses) = (size.map(|s| s.0), size.map(|s| s.1));
    match options.format {
        PlainFormat::Json => output::line(serde_json::json!({
            "program": row.name, "model": model.name(), "tool": tool, "verdict": verdict,
            "seconds": seconds, "variables": variables, "clauses": clauses,
        })),
        PlainFormat::Text => {
            let show = |n: Option<u64>| n.map_or(String::from("-"), |n| n.to_string());
            output::line(format!(
                "{:26}  {:5}  {:8}  {:>7}  {:>8.2}  {:>9}  {:>8}",
                row.name,
                model.name(),
                tool,
                verdict,
                seconds,
                show(variables),
                show(clauses)
            ));
        }
    }
}
