//! `--compare sc,tso,pso`: which tests tell the models apart.

use super::Done;
use super::decide::{Answer, Judge, NoAnswer};
use crate::options::Format;
use fencepost_litmus::Test;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A line for a test that tells two of the models apart; with JSON an object for every test.
pub fn show(
    done: &mut Done,
    format: Format,
    file: &str,
    test: &Test,
    answers: &[(Judge, Result<Answer, NoAnswer>, f64)],
) {
    let mut sets: Vec<(Judge, BTreeSet<&str>)> = Vec::new();
    for (model, answer, _) in answers {
        match answer {
            Ok(answer) => sets.push((*model, answer.states.iter().map(String::as_str).collect())),
            Err(NoAnswer::Unknown(reason)) => {
                let _ = writeln!(done.stderr, "{file}: unknown under {}: {reason}", model.name());
                return;
            }
            Err(NoAnswer::Fault(_)) => return,
        }
    }
    let apart = sets.windows(2).any(|pair| pair[0].1 != pair[1].1);
    done.count.apart += usize::from(apart);
    if format == Format::Json {
        let models: serde_json::Map<_, _> =
            sets.iter().map(|(m, states)| (m.name().to_string(), json!(states))).collect();
        let object = json!({
            "schema": 1, "file": file, "test": test.name, "apart": apart, "models": models,
        });
        let _ = writeln!(done.stdout, "{object}");
        return;
    }
    if !apart {
        return;
    }
    let counts: Vec<_> = sets.iter().map(|(m, s)| format!("{} {}", m.name(), s.len())).collect();
    let _ = writeln!(done.stdout, "{} ({file}): states {}", test.name, counts.join(", "));
    for pair in sets.windows(2) {
        let [(stronger, few), (weaker, many)] = pair else { unreachable!("windows of two") };
        for state in many.difference(few) {
            let _ =
                writeln!(done.stdout, "  {} allows, {} does not: {state}", weaker.name(), stronger.name());
        }
        for state in few.difference(many) {
            let _ =
                writeln!(done.stdout, "  {} allows, {} does not: {state}", stronger.name(), weaker.name());
        }
    }
}
