//! Messages about litmus tests that cannot be read: `bad_litmus.txt` holds the tests, each after a line
//! `==== name`, and `bad_litmus.expected` what is said of them (`UPDATE_EXPECT=1` writes it anew).
//! Mutated tests never panic (`FENCEPOST_SEEDS=N` takes more of them). Generated tests are text that is read.

use expect_test::expect_file;
use fencepost_litmus::generate::{Cycle, all_cycles, test};
use fencepost_litmus::{Arch, read_test};
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_samples::mutate::mutate;
use std::fmt::Write;

fn cases(name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let case = |case: &str| case.split_once('\n').map(|(n, t)| (n.to_string(), t.to_string()));
    text.split("==== ").skip(1).filter_map(case).collect()
}

#[test]
fn messages_are_as_expected() {
    let mut actual = String::new();
    for (name, text) in cases("tests/bad_litmus.txt") {
        let _ = writeln!(actual, "==== {name}");
        match read_test("bad.litmus", &text) {
            Ok(_) => actual.push_str("accepted\n"),
            Err((_, diagnostics)) => {
                for d in diagnostics {
                    let _ = write!(actual, "{}:{}: {}", d.span.line, d.span.column, d.message);
                    if let Some(help) = d.help {
                        let _ = write!(actual, " (help: {help})");
                    }
                    actual.push('\n');
                }
            }
        }
    }
    expect_file!["bad_litmus.expected"].assert_eq(&actual);
    assert!(!actual.contains("accepted"), "a bad test is accepted:\n{actual}");
}

#[test]
fn mutated_tests_are_read_or_refused_with_a_place() {
    let texts: Vec<String> =
        cases("../explore/tests/litmus/hand_written.txt").into_iter().map(|(_, text)| text).collect();
    let mut rng = Rng::new(11);
    let (mut read, mut refused) = (0, 0);
    let rounds = effort::seeds(8000) as usize;
    for round in 0..rounds {
        let text = mutate(&texts[round % texts.len()], &mut rng);
        match read_test("mutant.litmus", &text) {
            Ok(test) => {
                read += 1;
                // Whatever is accepted goes through all passes, which validate in debug builds.
                fencepost_passes::pipeline::lower(test.program);
            }
            Err((_, diagnostics)) => {
                refused += 1;
                assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| d.span.is_some()), "{text}");
            }
        }
    }
    assert!(read > rounds / 16 && refused > rounds / 16, "{read} read, {refused} refused");
}

#[test]
fn every_generated_test_is_read() {
    for cycle in all_cycles(5) {
        for arch in [Arch::X86, Arch::X86_64] {
            let generated = test(&cycle, arch).unwrap();
            let read = read_test("made.litmus", &generated.text)
                .unwrap_or_else(|(_, d)| panic!("{d:?}\n{}", generated.text));
            assert_eq!(read.name, generated.name);
            assert!(read.observation.condition().starts_with("exists ("));
        }
    }
}

#[test]
fn cycles_that_are_none_are_refused_with_the_reason() {
    for (cycle, reason) in [
        ("PodWR Fre", "leads from thread to thread at least twice"),
        ("PodWR Fre Rfe Fre", "a single relation between different locations"),
        ("PodWR Rfe PodWR Fre", "PodWR leads to a read, and Rfe starts at a write"),
        ("PodWX Fre", "`PodWX` is no relation"),
        ("", "at least twice"),
    ] {
        let said = Cycle::parse(cycle).unwrap_err();
        assert!(said.contains(reason), "{cycle}: {said}");
    }
}
