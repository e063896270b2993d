//! The sequential C programs against CBMC itself, where it is on the PATH: it takes them as they are, and says of each what
//! the engine says at the same bounds.
//!
//! `FENCEPOST_TESTS=all FENCEPOST_SEEDS=500 cargo test --release -p fencepost-bmc --test bmc cbmc` for more programs.

use fencepost_bmc::Bmc;
use fencepost_bmc::c::{Dialect, Sequentialization, sequentialize};
use fencepost_c as c;
use fencepost_ir::cfg::Program;
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::programs;
use fencepost_samples::random::{Config, program};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many programs CBMC and the engine both say something of.
#[derive(Default, Debug)]
struct Counts {
    holds: usize,
    fails: usize,
}

fn compare(name: &str, program: &Program, model: Model, bounds: (u32, u32, u32), counts: &mut Counts) {
    let (unwind, rounds, clock) = bounds;
    let dialect = Dialect::Cprover;
    let wanted = Sequentialization { model, unwind, rounds, clock, block: unwind, queue: None, dialect };
    let Ok(text) = sequentialize(program, &wanted) else { return };
    let engine = Bmc { unwind: Some(unwind), rounds: Some(rounds), clock: Some(clock), ..Bmc::default() };
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let expected = match engine.check(&task, &mut |_| {}).verdict {
        Verdict::Unsafe { .. } => 10,
        Verdict::Safe { .. } => 0,
        Verdict::Unknown { .. } => return,
    };
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("fencepost-cbmc-{}-{number}.c", std::process::id()));
    std::fs::write(&file, &text).unwrap();
    let run = Command::new("cbmc").arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(expected), "{name} under {model:?}\n{text}\n{said}");
    std::fs::remove_file(&file).unwrap();
    match expected {
        0 => counts.holds += 1,
        _ => counts.fails += 1,
    }
}

#[test]
fn random_programs() {
    if !programs::has("cbmc") {
        return;
    }
    let seeds = effort::seeds(40);
    let mut counts = Counts::default();
    for seed in 0..seeds {
        let text = program(seed, Config::default()).to_string();
        let Ok(tree) = fp::read("random.fp", &text) else { continue };
        let program = pipeline::lower(tree);
        let model = Model::ALL[seed as usize % 3];
        compare(&format!("seed {seed}\n{text}"), &program, model, (1, 2, 2), &mut counts);
    }
    println!("{counts:?} of {seeds}");
    assert!(counts.fails * 5 > seeds as usize && counts.holds * 12 > seeds as usize, "{counts:?} of {seeds}");
}

/// Small C programs with their verdicts, and the examples of bounded model checking.
#[test]
fn c_programs() {
    if !programs::has("cbmc") {
        return;
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for file in files(&crates.join("cli/tests/c_verdicts")) {
        let all = std::fs::read_to_string(file).unwrap();
        let programs = all.split("//// ").skip(1).map(|part| part.split_once('\n').unwrap());
        texts.extend(programs.map(|(name, text)| (name.to_string(), text.to_string())));
    }
    texts = texts.into_iter().step_by(effort::every(6)).collect();
    for file in files(&crates.join("../examples/bmc")) {
        let name = file.file_name().unwrap().to_str().unwrap().to_string();
        if !name.starts_with("safestack") {
            texts.push((name, std::fs::read_to_string(file).unwrap()));
        }
    }
    let mut counts = Counts::default();
    for (i, (name, text)) in texts.iter().enumerate() {
        let Ok(tree) = c::read(&[("test.c", text.as_str())], &c::Options::default()) else { continue };
        let program = pipeline::lower(tree);
        compare(name, &program, Model::ALL[i % 3], (1, 2, 3), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.fails > 5 && counts.holds > 5, "{counts:?}");
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
}
