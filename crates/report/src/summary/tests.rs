//! Joined results: order, what counts more, contradictions, what is missing, what is refused.

use super::Summary;
use crate::results::AnyResult;
use serde_json::{Value, json};

fn result(file: &str, verdict: &str, engine: &str) -> Value {
    let stats = json!({"states": 0, "transitions": 0, "depth": 0, "bytes": 0, "configurations": 0, "queries": 0,
                       "variables": 0, "clauses": 0, "spurious": 0});
    json!({"schema": 1, "file": file, "model": "tso", "verdict": verdict, "engine": engine, "scope": "complete",
           "any_threads": false, "property": null, "seconds": 0.5, "stats": stats, "reason": "why", "engines": [],
           "asked": engine, "program": "p", "method": "m"})
}

/// A result of `robust --model c11`.
fn robust(verdict: &str) -> Value {
    json!({"schema": 1, "file": "a", "model": "c11", "release_sequences": "c11", "verdict": verdict,
           "scope": "complete", "reason": null, "notes": [], "seconds": 0.5,
           "stats": {"states": 0, "transitions": 0, "bytes": 0}})
}

fn stamped(mut object: Value, shard: &str, files: usize) -> Value {
    object["campaign"] = json!({"id": "c", "shard": shard, "models": ["tso"], "files": files});
    object
}

fn summary(objects: &[Value]) -> Summary {
    let mut summary = Summary::default();
    objects.iter().for_each(|object| summary.add(&AnyResult::read(&object.to_string()).unwrap()));
    summary
}

/// The summary as scripts read it.
fn shown(objects: &[Value]) -> Value {
    serde_json::to_value(summary(objects).result()).unwrap()
}

#[test]
fn the_order_of_the_parts_does_not_matter() {
    let objects =
        [result("a", "safe", "dual"), result("b", "unsafe", "dual"), result("c", "unknown", "dual")];
    let turned: Vec<Value> = objects.iter().rev().cloned().collect();
    assert_eq!(shown(&objects), shown(&turned));
    assert_eq!(shown(&objects)["counts"]["checked"]["tso"]["unsafe"], 1);
}

#[test]
fn a_verdict_counts_more_than_an_unknown() {
    let known = [result("a", "safe", "dual"), result("a", "unknown", "dual")];
    assert_eq!(shown(&known)["counts"]["checked"]["tso"]["safe"], 1);
    assert_eq!(shown(&known)["results"], 1);
    let mut changed = result("a", "unknown", "dual");
    changed["program"] = json!("q");
    let of_another_program = [result("a", "safe", "dual"), changed];
    assert_eq!(shown(&of_another_program)["counts"]["checked"]["tso"]["unknown"], 1);
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
        let mut object = robust(verdict);
        object["release_sequences"] = json!(sequences);
        object
    };
    let both = [with("robust", "c11"), with("not_robust", "c++20")];
    assert!(summary(&both).contradictions().is_empty(), "{:?}", summary(&both).contradictions());
    assert_eq!(shown(&both)["results"], 2);
    let same = summary(&[with("robust", "c11"), with("not_robust", "c11")]);
    assert_eq!(same.contradictions().len(), 1);
}

/// Two threads may be robust where three are not.
#[test]
fn robust_up_to_bounds_contradicts_nothing() {
    let mut bounded = robust("robust");
    bounded["scope"] = json!({"threads": 2});
    let mut other = robust("not_robust");
    other["release_sequences"] = json!("c++20");
    assert!(summary(&[bounded.clone(), robust("not_robust")]).contradictions().is_empty());
    assert_eq!(shown(&[bounded, other])["counts"]["robustness"]["c11"]["robust within bounds"], 1);
}

#[test]
fn every_answer_about_robustness_is_counted() {
    for verdict in ["robust", "not_robust", "race"] {
        assert_eq!(shown(&[robust(verdict)])["counts"]["robustness"]["c11"][verdict], 1, "{verdict}");
    }
    assert_eq!(summary(&[robust("robust"), robust("race")]).contradictions().len(), 1);
    // The first that is found is the answer.
    assert!(summary(&[robust("not_robust"), robust("race")]).contradictions().is_empty());
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
    assert!(missing[0].starts_with("1 of 3 results are missing; found are 1 of shard 1/2, 1 of shard 2/2"));
    assert!(summary(&[a, b, c]).missing().is_empty());
}

#[test]
fn a_file_that_was_mended_is_no_error_any_more() {
    let error = json!({"schema": 1, "file": "a", "verdict": "error", "diagnostics": [{"message": "m"}]});
    assert_eq!(shown(std::slice::from_ref(&error))["errors"], json!(["a: m"]));
    assert_eq!(shown(&[error, result("a", "safe", "dual")])["errors"], json!([]));
}

#[test]
fn only_results_are_taken() {
    let mut later = result("a", "safe", "dual");
    later["schema"] = json!(2);
    let mut of_fences = result("a", "safe", "dual");
    of_fences["verdict"] = json!("repaired");
    for object in [json!([]), json!({"schema": 1}), later, of_fences] {
        assert!(AnyResult::read(&object.to_string()).is_err(), "{object}");
    }
}

#[test]
fn many_results_are_joined_in_no_time() {
    let many: Vec<Value> = (0..30_000).map(|i| result(&format!("{i}.c"), "safe", "dual")).collect();
    assert_eq!(shown(&many)["results"], 30_000);
}
