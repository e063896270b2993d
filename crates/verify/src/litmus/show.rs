//! What is printed of a test: herd's block, or one JSON object.

use super::decide::{Answer, Judge, Method, NoAnswer};
use fencepost_litmus::Test;
use fencepost_report::ResultKind;
use fencepost_task::VerdictKind;
use serde_json::{Value, json};
use std::fmt::Write;

/// herd's block. With several models the first line says which one it is.
pub fn text(test: &Test, model: Option<Judge>, answer: &Result<Answer, NoAnswer>, seconds: f64) -> String {
    let mut out = String::new();
    let name = &test.name;
    if let Some(model) = model {
        let _ = writeln!(out, "Model {}", model.name());
    }
    match answer {
        Ok(answer) => {
            let _ = writeln!(out, "Test {name} {}", answer.kind());
            let _ = writeln!(out, "States {}", answer.states.len());
            for state in &answer.states {
                let _ = writeln!(out, "{state}");
            }
            let _ = writeln!(out, "{}\nWitnesses", answer.validation());
            let (positive, negative) = answer.witnesses();
            let _ = writeln!(out, "Positive: {positive} Negative: {negative}");
            if let Some([first, second]) = &answer.race {
                let _ = writeln!(out, "Flag data-race: {first} and {second}");
            }
            let _ = writeln!(out, "Condition {}", test.observation.condition());
            let (satisfying, violating) = (answer.satisfying, answer.violating);
            let _ = writeln!(out, "Observation {name} {} {satisfying} {violating}", answer.observation());
        }
        Err(NoAnswer::Unknown(reason)) => {
            let _ = writeln!(out, "Test {name} unknown: {reason}");
        }
        Err(NoAnswer::Fault(_)) => return out,
    }
    let _ = writeln!(out, "Time {name} {seconds:.2}\n");
    out
}

/// One object.
pub fn json(
    file: &str,
    test: &Test,
    model: Judge,
    method: Method,
    answer: &Result<Answer, NoAnswer>,
    seconds: f64,
) -> Value {
    let decided = answer.as_ref().ok();
    let reason = match answer {
        Ok(_) => Value::Null,
        Err(NoAnswer::Unknown(reason)) => json!(reason.to_string()),
        Err(NoAnswer::Fault(diagnostic)) => json!(diagnostic.message),
    };
    let verdict = match answer {
        Ok(answer) => answer.verdict().into(),
        Err(NoAnswer::Unknown(_)) => VerdictKind::Unknown.into(),
        Err(NoAnswer::Fault(_)) => ResultKind::Error,
    };
    let mut object = json!({
        "schema": 1,
        "file": file,
        "test": test.name,
        "model": model.name(),
        "verdict": verdict.name(),
        "engine": model.method(method).name(),
        "scope": decided.map(|_| "complete"),
        "condition": test.observation.condition(),
        "validated": decided.map(Answer::validation),
        "observation": decided.map(|a| a.observation().name()),
        "positive": decided.map(|a| a.witnesses().0),
        "negative": decided.map(|a| a.witnesses().1),
        "states": decided.map(|a| a.states.clone()),
        "seconds": (seconds * 1e6).round() / 1e6,
        "reason": reason,
    });
    if let Judge::C11(sequences) = model {
        object["release_sequences"] = json!(sequences.name());
        object["race"] = json!(decided.and_then(|a| a.race.clone()));
    }
    object
}
