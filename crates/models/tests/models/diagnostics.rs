//! Every message about a broken program: `bad_inputs.txt` holds the programs, each after a line
//! `==== name`, and `bad_inputs.expected` what is said of them. `UPDATE_EXPECT=1 cargo test -p
//! fencepost-models` writes the latter anew; read the difference before you commit it.

use expect_test::expect_file;
use fencepost_models::fp;
use fencepost_samples::Rng;
use fencepost_samples::mutate::mutate;
use fencepost_samples::random::{Config, program};
use std::fmt::Write;

fn said_of(text: &str) -> String {
    match fp::read("bad.fp", text) {
        Ok(_) => "accepted\n".to_string(),
        Err((_, diagnostics)) => {
            let mut out = String::new();
            for d in diagnostics {
                let _ = write!(out, "{}:{}: {}", d.span.line, d.span.column, d.message);
                if let Some(help) = d.help {
                    let _ = write!(out, " (help: {help})");
                }
                out.push('\n');
            }
            out
        }
    }
}

#[test]
fn messages_are_as_expected() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    let inputs = std::fs::read_to_string(format!("{folder}bad_inputs.txt")).unwrap();
    let mut actual = String::new();
    for case in inputs.split("==== ").skip(1) {
        let (name, text) = case.split_once('\n').unwrap();
        let _ = write!(actual, "==== {name}\n{}", said_of(text));
    }
    expect_file!["../bad_inputs.expected"].assert_eq(&actual);
    assert!(!actual.contains("accepted"), "a bad input is accepted:\n{actual}");
}

#[test]
fn mutated_programs_are_read_or_refused_with_a_place() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut texts: Vec<String> = (0..20).map(|seed| program(seed, Config::default()).to_string()).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "fp") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    let mut rng = Rng::new(7);
    let (mut read, mut refused) = (0, 0);
    for round in 0..6000 {
        let text = mutate(&texts[round % texts.len()], &mut rng);
        match fp::read("mutant.fp", &text) {
            Ok(tree) => {
                read += 1;
                // Whatever is accepted goes through all passes, which validate in debug builds.
                fencepost_passes::pipeline::lower(tree);
            }
            Err((_, diagnostics)) => {
                refused += 1;
                assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| d.span.is_some()), "{text}");
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}
