//! `fencepost bench explore`: explicit search on Lamport's fast mutex and Peterson's filter lock
//! under SC, with and without reductions; beside it spin's compiled verifier on the same graph, step
//! for step, where `spin` and a C compiler are on the PATH. Without reductions both have to store
//! the same number of states.

use super::promela::promela;
use crate::{Format, Options};
use fencepost_explore::{Explicit, Reduction, Strategy};
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_report::results::{BenchName, ExploreRow, OnOff, PeerSearch, Schema};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const LAMPORT: &str = include_str!("models/lamport.fp");
const FILTER: &str = include_str!("models/filter.fp");

/// One search.
struct Measured {
    states: u64,
    seconds: f64,
    bytes: u64,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.states as f64 / self.seconds
    }
}

pub fn run(options: &Options) -> Result<(), String> {
    let models = [
        ("lamport 3", model(LAMPORT, "lamport", 3, 1)?),
        ("filter 2", model(FILTER, "filter", 2, 0)?),
        ("filter 3", model(FILTER, "filter", 3, 0)?),
        ("lamport 4", model(LAMPORT, "lamport", 4, 1)?),
    ];
    if options.format == Format::Text {
        options.print(format!(
            "{:10}  {:9}  {:>10}  {:>9}  {:>12}  {:>11}  {:>10}  {:>12}  {:>6}",
            "model", "reduction", "states", "seconds", "states/s", "bytes/state", "spin", "spin/s", "ratio"
        ));
    }
    for (name, program) in &models {
        for reduction in [Reduction::Off, Reduction::On] {
            // The largest model without reductions takes minutes and says nothing new.
            if *name == "lamport 4" && reduction == Reduction::Off && !options.all {
                continue;
            }
            let ours = search(program, reduction)?;
            let spin = spin(program, reduction)?;
            if let (Some(spin), Reduction::Off) = (&spin, reduction)
                && spin.states != ours.states
            {
                return Err(format!("{name}: spin stores {} states, we {}", spin.states, ours.states));
            }
            report(options, name, reduction, &ours, spin.as_ref());
        }
    }
    Ok(())
}

fn report(options: &Options, name: &str, reduction: Reduction, ours: &Measured, spin: Option<&Measured>) {
    let per_state = ours.bytes as f64 / ours.states as f64;
    if options.format == Format::Json {
        options.row(&ExploreRow {
            schema: Schema,
            bench: BenchName::Explore,
            model: name.to_string(),
            reduction: if reduction == Reduction::On { OnOff::On } else { OnOff::Off },
            states: ours.states,
            seconds: ours.seconds,
            bytes_per_state: per_state,
            spin: spin.map(|s| PeerSearch { states: s.states, seconds: s.seconds }),
        });
        return;
    }
    let reduction = if reduction == Reduction::On { "on" } else { "off" };
    let spin_columns = match spin {
        Some(s) if s.seconds < 0.05 => format!("{:>10}  {:>12}", s.states, "too short"),
        Some(s) => format!("{:>10}  {:>12.0}  {:>6.2}", s.states, s.rate(), ours.rate() / s.rate()),
        None => format!("{:>10}", "-"),
    };
    options.print(format!(
        "{name:10}  {reduction:9}  {:>10}  {:>9.3}  {:>12.0}  {per_state:>11.1}  {spin_columns}",
        ours.states,
        ours.seconds,
        ours.rate()
    ));
}

/// The model with `n` threads, whose arguments count from `first`.
fn model(text: &str, process: &str, n: usize, first: usize) -> Result<Program, String> {
    let threads: Vec<_> = (first..first + n).map(|i| format!("{process}({i})")).collect();
    let text = text.replace("const N = 3;", &format!("const N = {n};"))
        + &format!("start {};\n", threads.join(", "));
    match fencepost_models::fp::read(process, &text) {
        Ok(tree) => Ok(pipeline::run(tree, pipeline::Options::default(), |_, _| {})),
        Err((_, diagnostics)) => Err(format!("the model {process} is wrong: {diagnostics:?}")),
    }
}

fn search(program: &Program, reduction: Reduction) -> Result<Measured, String> {
    let task = Task { program, model: Model::Sc, bounds: Bounds::default(), budget: Budget::default() };
    let start = Instant::now();
    let answer = Explicit { strategy: Strategy::Breadth, reduction }.check(&task, &mut |_| {});
    let seconds = start.elapsed().as_secs_f64();
    match answer.verdict {
        Verdict::Safe { .. } => {
            Ok(Measured { states: answer.stats.states, seconds, bytes: answer.stats.bytes })
        }
        other => Err(format!("the model should be safe: {other:?}")),
    }
}

/// What spin's verifier says; `None` where it cannot be made.
fn spin(program: &Program, reduction: Reduction) -> Result<Option<Measured>, String> {
    if Command::new("spin").arg("-V").output().is_err()
        || Command::new("cc").arg("--version").output().is_err()
    {
        return Ok(None);
    }
    let folder = std::env::temp_dir().join(format!("fencepost-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let measured = spin_in(&folder, program, reduction);
    let _ = std::fs::remove_dir_all(&folder);
    measured.map(Some)
}

fn spin_in(folder: &Path, program: &Program, reduction: Reduction) -> Result<Measured, String> {
    let text = promela(program).map_err(|what| format!("Promela cannot say {what}"))?;
    std::fs::write(folder.join("model.pml"), text).map_err(|e| e.to_string())?;
    let run = |command: &str, args: &[&str]| {
        let output = Command::new(command).args(args).current_dir(folder).output();
        let output = output.map_err(|e| format!("{command}: {e}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    match reduction {
        // No data-flow optimisation, dead-variable elimination or merging of statements.
        Reduction::Off => run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"])?,
        Reduction::On => run("spin", &["-a", "model.pml"])?,
    };
    let mut flags = vec!["-O2", "-w", "-DSAFETY", "-DMEMLIM=16000", "-o", "pan", "pan.c"];
    if reduction == Reduction::Off {
        flags.insert(0, "-DNOREDUCE");
    }
    run("cc", &flags)?;
    let pan = folder.join("pan");
    let said = run(pan.to_str().ok_or("a folder without a name")?, &["-m20000000", "-n", "-w24"])?;
    let line = said.lines().find(|l| l.contains("states, stored"));
    let states = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok());
    // Its own clock leaves out setting up the tables; it counts hundredths of a second.
    let clock = said.lines().find_map(|l| l.strip_prefix("pan: elapsed time "));
    let seconds = clock.and_then(|c| c.split_whitespace().next()).and_then(|s| s.parse().ok());
    match (states, seconds) {
        (Some(states), Some(seconds)) => Ok(Measured { states, seconds, bytes: 0 }),
        _ => Err(format!("spin's verifier said:\n{said}")),
    }
}
