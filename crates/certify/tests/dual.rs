//! Certificates of the dual engine are accepted; certificates that somebody has changed are not.

use fencepost_certify::check_certificate;
use fencepost_cover::Dual;
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_samples::random::{Config, program};
use fencepost_task::{Bounds, Budget, Certificate, Engine, Model, Task, Verdict};
use std::time::{Duration, Instant};

fn read(name: &str, text: &str) -> Program {
    let tree = fencepost_frontend::model::read(name, text).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}"));
    pipeline::lower(tree)
}

/// The certificate, if the engine finds the program safe in time.
fn certificate(program: &Program, milliseconds: u64) -> Option<Certificate> {
    let deadline = Instant::now() + Duration::from_millis(milliseconds);
    let budget = Budget { deadline: Some(deadline), ..Budget::default() };
    let task = Task { program, model: Model::Tso, bounds: Bounds::default(), budget };
    let answer = Dual.check(&task, &mut |_| {});
    match answer.verdict {
        Verdict::Safe { .. } => Some(*answer.certificate.expect("a safe verdict has a certificate")),
        Verdict::Unsafe { .. } | Verdict::Unknown { .. } => None,
    }
}

fn example(name: &str) -> Program {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    read(name, &std::fs::read_to_string(path).unwrap())
}

#[test]
fn certificates_of_the_examples_are_accepted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".fp"))
        .collect();
    names.sort();
    let mut accepted = 0;
    let mut failures = Vec::new();
    for name in names {
        let program = example(&name);
        let began = Instant::now();
        let Some(certificate) = certificate(&program, 5_000) else { continue };
        let searched = began.elapsed();
        let began = Instant::now();
        let result = check_certificate(&program, &certificate);
        let (n, t) = (certificate.basis.len(), began.elapsed());
        println!("{name}: {n} elements, search {searched:?}, check {t:?}");
        match result {
            Ok(()) => accepted += 1,
            Err(unproven) => failures.push(format!("{name}: {unproven}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(accepted >= 30, "{accepted} certificates");
}

#[test]
fn certificates_of_random_programs_are_accepted() {
    let seeds = std::env::var("FENCEPOST_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let mut accepted = 0;
    for seed in 0..seeds {
        let config = Config { storing_loops: seed % 2 == 0, ..Config::default() };
        let text = program(seed, config).to_string();
        let program = read("random.fp", &text);
        let Some(certificate) = certificate(&program, 400) else { continue };
        if let Err(unproven) = check_certificate(&program, &certificate) {
            panic!("seed {seed}: {unproven}\n{text}");
        }
        accepted += 1;
    }
    println!("{accepted} certificates");
    assert!(accepted > seeds / 10, "{accepted}");
}
