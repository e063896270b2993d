//! Joined results: order, what counts more, contradictions, what is missing, what is refused.

use super::Summary;
use serde_json::{Value, json};

fn result(file: &str, verdict: &str, engine: &str) -> Value {
    json!({"schema": 1, "file": file, "model": "tso", "verdict": verdict, "engine": engine, "scope": "complete",
           "seconds": 0.5, "asked": engine, "program": "p", "reason": "why"})
}

fn stamped(mut object: Value, shard: &str, files: usize) -> Value {
    object["campaign"] = json!({"id": "c", "shard": shard, "models": ["tso"], "files": files});
    object
}

fn summary(objects: &[Value]) -> Summary {
    let mut summary = Summary::default();
    objects.iter().for_each(|object| summary.add(object).unwrap());
    summary
}

#[test]
fn the_order_of_the_parts_does_not_matter() {
    let objects =
        [result("a", "safe", "dual"), result("b", "unsafe", "dual"), result("c", "unknown", "dual")];
    let turned: Vec<Value> = objects.iter().rev().cloned().collect();
    assert_eq!(summary(&objects).json(), summary(&turned).json());
    assert_eq!(summary(&objects).json()["counts"]["checked"]["tso"]["unsafe"], 1);
}

#[test]
fn a_verdict_counts_more_than_an_unknown() {
    let known = [result("a", "safe", "dual"), result("a", "unknown", "dual")];
    assert_eq!(summary(&known).json()["counts"]["checked"]["tso"]["safe"], 1);
    assert_eq!(summary(&known).json()["results"], 1);
    let mut changed = result("a", "unknown", "dual");
    changed["program"] = json!("q");
    let of_another_program = [result("a", "safe", "dual"), changed];
    assert_eq!(summary(&of_another_program).json()["counts"]["checked"]["tso"]["unknown"], 1);
}

#[test]
fn opposite_verdicts_are_told() {
    let both = [result("a", "safe", "dual"), result("a", "unsafe", "explicit")];
    assert_eq!(summary(&both).contradictions(), ["a under tso: safe by dual and unsafe by explicit"]);
    let mut bounded = result("a", "safe", "bmc");
    bounded["scope"] = json!({"rounds": 2});
    assert!(summary(&[bounded, result("a", "unsafe", "explicit")]).contradictions().is_empty());
    let mut other = result("a", "unsafe", "explicit");
    other["program"] = json!("q");
    assert!(summary(&[result("a", "safe", "dual"), other]).contradictions().is_empty());
}

/// A release sequence of C++20 is shorter than one of C11, so the same program has more behaviour with it.
#[test]
fn other_release_sequences_are_another_question() {
    let with = |verdict: &str, sequences: &str| {
        let mut object = result("a", verdict, "");
        object["model"] = json!("c11");
        object["release_sequences"] = json!(sequences);
        object
    };
    let both = summary(&[with("robust", "c11"), with("not_robust", "c++20")]);
    assert!(both.contradictions().is_empty(), "{:?}", both.contradictions());
    assert_eq!(both.json()["results"], 2);
    let same = summary(&[with("robust", "c11"), with("not_robust", "c11")]);
    assert_eq!(same.contradictions().len(), 1);
}

/// Two threads may be robust where three are not.
#[test]
fn robust_up_to_bounds_contradicts_nothing() {
    let mut bounded = result("a", "robust", "x");
    bounded["scope"] = json!({"threads": 2});
    let both = summary(&[bounded, result("a", "not_robust", "y")]);
    assert!(both.contradictions().is_empty(), "{:?}", both.contradictions());
    assert_eq!(both.json()["counts"]["robustness"]["tso"]["robust within bounds"], 1);
}

#[test]
fn every_answer_about_robustness_is_counted() {
    for verdict in ["robust", "not_robust", "race"] {
        assert_eq!(
            summary(&[result("a", verdict, "")]).json()["counts"]["robustness"]["tso"][verdict],
            1,
            "{verdict}"
        );
    }
    assert_eq!(summary(&[result("a", "robust", "x"), result("a", "race", "y")]).contradictions().len(), 1);
    // The first that is found is the answer.
    assert!(summary(&[result("a", "not_robust", "x"), result("a", "race", "y")]).contradictions().is_empty());
}

#[test]
fn what_is_missing_is_told() {
    let a = stamped(result("a", "safe", "dual"), "1/2", 3);
    let b = stamped(
        json!({"schema": 1, "file": "b", "verdict": "error", "diagnostics": [{"message": "m"}]}),
        "2/2",
        3,
    );
    let c = stamped(result("c", "unknown", "dual"), "1/2", 3);
    let missing = summary(&[a.clone(), b.clone()]).missing();
    assert_eq!(missing.len(), 1);
    assert!(missing[0].starts_with("1 of 3 results are not there; found are 1 of shard 1/2, 1 of shard 2/2"));
    assert!(summary(&[a, b, c]).missing().is_empty());
}

#[test]
fn a_file_that_was_mended_is_no_error_any_more() {
    let error = json!({"schema": 1, "file": "a", "verdict": "error", "diagnostics": [{"message": "m"}]});
    assert_eq!(summary(std::slice::from_ref(&error)).json()["errors"], json!(["a: m"]));
    assert_eq!(summary(&[error, result("a", "safe", "dual")]).json()["errors"], json!([]));
}

#[test]
fn only_results_are_taken() {
    for object in [json!([]), json!({"schema": 1}), json!({"schema": 2, "file": "a", "verdict": "safe"})] {
        assert!(Summary::default().add(&object).is_err());
    }
}

#[test]
fn many_results_are_joined_in_no_time() {
    let mut summary = Summary::default();
    for i in 0..30_000 {
        summary.add(&result(&format!("{i}.c"), "safe", "dual")).unwrap();
    }
    assert_eq!(summary.json()["results"], 30_000);
}
