//! `fencepost bench litmus`: tests a second on all generated tests up to size 6, under each model, by search
//! and by the axioms; beside them herd7 on the same files, where it is on the PATH.

use crate::peer::is_installed;
use crate::{Format, Options};
use fencepost_litmus::generate::{Generated, all_cycles};
use fencepost_litmus::{Arch, read_test};
use fencepost_report::results::{BenchName, LitmusRow, Schema, Word};
use fencepost_task::{Budget, Model};
use fencepost_verify::litmus::{Judge, Method, decide, named, prepare};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

pub fn run(options: &Options) -> Result<(), String> {
    let size = if options.all { 7 } else { 6 };
    let tests = named(&all_cycles(size), Arch::X86_64)?;
    if options.format == Format::Text {
        options.print(format!(
            "{:16}  {:5}  {:>6}  {:>10}  {:>8}  {:>10}",
            "method", "model", "tests", "states", "seconds", "tests/s"
        ));
    }
    for method in [Method::Explicit, Method::Axiomatic] {
        for model in Model::ALL {
            let start = Instant::now();
            let states = ours(&tests, method, model)?;
            report(options, method.name(), model, tests.len(), Some(states), start.elapsed().as_secs_f64());
        }
    }
    if is_installed("herd7") {
        let folder = std::env::temp_dir().join(format!("fencepost-bench-{}", std::process::id()));
        let measured = herd(&folder, &tests);
        let _ = std::fs::remove_dir_all(&folder);
        report(options, "herd7", Model::Tso, tests.len(), None, measured?);
    }
    Ok(())
}

/// Reads and decides all tests on one core; gives the number of final states.
fn ours(tests: &[Generated], method: Method, model: Model) -> Result<usize, String> {
    let mut states = 0;
    for test in tests {
        let read = read_test(&test.name, &test.text).map_err(|(_, d)| format!("{}: {d:?}", test.name))?;
        let program = prepare(&read, &[]);
        let answer = decide(&read, &program, Judge::Machine(model), method, Budget::default());
        states += answer.map_err(|e| format!("{}: {e:?}", test.name))?.states.len();
    }
    Ok(states)
}

fn herd(folder: &Path, tests: &[Generated]) -> Result<f64, String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let mut list = String::new();
    for test in tests {
        let path = folder.join(format!("{}.litmus", test.name));
        std::fs::write(&path, &test.text).map_err(|e| e.to_string())?;
        list += &format!("{}.litmus\n", test.name);
    }
    std::fs::write(folder.join("@all"), list).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let output = Command::new("herd7").arg("@all").current_dir(folder).output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).matches("Observation ").count();
    if said != tests.len() {
        return Err(format!("herd7 decides {said} of {} tests", tests.len()));
    }
    Ok(start.elapsed().as_secs_f64())
}

fn report(options: &Options, method: &str, model: Model, tests: usize, states: Option<usize>, seconds: f64) {
    let rate = tests as f64 / seconds;
    if options.format == Format::Json {
        options.row(&LitmusRow {
            schema: Schema,
            bench: BenchName::Litmus,
            method: method.to_string(),
            model: Word(model),
            tests,
            states,
            seconds,
            tests_per_second: rate,
        });
        return;
    }
    let states = states.map_or("-".to_string(), |s| s.to_string());
    let model = model.name();
    options.print(format!("{method:16}  {model:5}  {tests:>6}  {states:>10}  {seconds:>8.3}  {rate:>10.0}"));
}
