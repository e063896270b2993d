//! What is printed of a test: herd's block, or one result.

use super::Method;
use super::decide::{Answer, Judge, NoAnswer};
use fencepost_litmus::Test;
use fencepost_report::ResultKind;
use fencepost_report::results::{LitmusC11, LitmusResult, Schema, ScopeResult, Seconds, Stamp, Word};
use fencepost_task::{Scope, VerdictKind};
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

/// The result.
pub fn result(
    file: &str,
    test: &Test,
    model: Judge,
    method: Method,
    answer: &Result<Answer, NoAnswer>,
    seconds: f64,
) -> LitmusResult {
    let decided = answer.as_ref().ok();
    let (verdict, reason) = match answer {
        Ok(answer) => (answer.verdict().into(), None),
        Err(NoAnswer::Unknown(reason)) => (VerdictKind::Unknown.into(), Some(reason.to_string())),
        Err(NoAnswer::Fault(diagnostic)) => (ResultKind::Error, Some(diagnostic.message.to_string())),
    };
    LitmusResult {
        schema: Schema,
        file: file.to_string(),
        test: test.name.clone(),
        model: Word(model.into()),
        verdict: Word(verdict),
        engine: Word(model.method(method)),
        scope: decided.map(|_| ScopeResult(Scope::Complete)),
        condition: test.observation.condition().to_string(),
        validated: decided.map(Answer::validation),
        observation: decided.map(|a| Word(a.observation())),
        positive: decided.map(|a| a.witnesses().0),
        negative: decided.map(|a| a.witnesses().1),
        states: decided.map(|a| a.states.clone()),
        seconds: Seconds::rounded(seconds),
        reason,
        c11: match model {
            Judge::C11(sequences) => Some(LitmusC11 {
                release_sequences: Word(sequences),
                race: decided.and_then(|a| a.race.clone()),
            }),
            Judge::Machine(_) => None,
        },
        stamp: Stamp::default(),
    }
}
