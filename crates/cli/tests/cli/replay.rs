//! Saved traces replay; tampered ones are rejected with the first step that does not fit.

use crate::{fencepost_args, scratch};
use serde_json::{Value, json};

/// The saved trace of an example.
fn saved(example: &str, model: &str) -> Value {
    let path = scratch(&format!("{}_{model}.json", example.replace('/', "_")), "");
    let path = path.to_str().unwrap();
    let ran = fencepost_args(&["check", example, "--model", model, "--trace", path]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn replay(example: &str, trace: &Value, name: &str) -> (i32, String) {
    let path = scratch(name, &trace.to_string());
    let ran = fencepost_args(&["replay", example, path.to_str().unwrap()]);
    (ran.code, ran.stdout + &ran.stderr)
}

const EXAMPLE: &str = "examples/peterson.fp";

#[test]
fn a_saved_trace_replays() {
    for (example, model) in [
        (EXAMPLE, "tso"),
        ("examples/mp.fp", "pso"),
        ("examples/spawn_racy.fp", "sc"),
        ("examples/recursion_broken.fp", "tso"),
        ("examples/dekker.fp", "pso"),
    ] {
        let (code, text) = replay(example, &saved(example, model), &format!("good_{model}.json"));
        assert_eq!(code, 0, "{text}");
        assert!(text.starts_with("replayed: "), "{text}");
    }
}

/// Changes each event in each way that should matter.
#[test]
fn every_tampered_step_is_rejected() {
    let trace = saved(EXAMPLE, "tso");
    let events = trace["trace"].as_array().unwrap().len();
    let mut rejected = 0;
    for i in 0..events {
        let changes: [(&str, Value); 6] = [
            ("thread", json!("nobody")),
            ("kind", json!("fence")),
            ("loc", json!("flag[7]")),
            ("value", json!(77)),
            ("line", json!(1)),
            ("edge", json!(9999)),
        ];
        for (key, value) in changes {
            let mut tampered = trace.clone();
            tampered["trace"][i][key] = value;
            let (code, text) = replay(EXAMPLE, &tampered, &format!("tampered_{i}_{key}.json"));
            assert_eq!(code, 1, "step {} with another {key} is accepted: {text}", i + 1);
            assert!(text.contains(&format!("step {}:", i + 1)), "{text}");
            rejected += 1;
        }
    }
    assert_eq!(rejected, 6 * events);
}

#[test]
fn dropped_doubled_and_swapped_steps_are_rejected() {
    let trace = saved(EXAMPLE, "tso");
    let events = trace["trace"].as_array().unwrap().clone();
    let mut variants = Vec::new();
    for i in 0..events.len() {
        let mut dropped = events.clone();
        dropped.remove(i);
        variants.push(dropped);
        let mut doubled = events.clone();
        doubled.insert(i, events[i].clone());
        variants.push(doubled);
    }
    variants.push(Vec::new());
    for (i, events) in variants.into_iter().enumerate() {
        let mut tampered = trace.clone();
        tampered["trace"] = Value::Array(events);
        let (code, text) = replay(EXAMPLE, &tampered, &format!("variant_{i}.json"));
        assert_eq!(code, 1, "{text}");
    }
}

#[test]
fn another_model_program_or_property_is_rejected() {
    let trace = saved(EXAMPLE, "tso");
    let mut sc = trace.clone();
    sc["model"] = json!("sc");
    assert_eq!(replay(EXAMPLE, &sc, "as_sc.json").0, 1);
    let mut property = trace.clone();
    property["property"] = json!("assertion at examples/peterson.fp:3");
    assert_eq!(replay(EXAMPLE, &property, "as_assertion.json").0, 1);
    assert_eq!(replay("examples/peterson_fenced.fp", &trace, "as_fenced.json").0, 1);
}

#[test]
fn what_is_no_trace_is_wrong_input() {
    for (name, text) in [
        ("empty.json", ""),
        ("list.json", "[]"),
        ("model.json", r#"{"model":"arm","trace":[]}"#),
        ("schema.json", r#"{"schema":99,"model":"tso","trace":[]}"#),
        ("no_trace.json", r#"{"model":"tso"}"#),
        ("no_kind.json", r#"{"model":"tso","trace":[{"thread":"t"}]}"#),
        ("no_thread.json", r#"{"model":"tso","trace":[{"kind":"store"}]}"#),
        ("value.json", r#"{"model":"tso","trace":[{"kind":"store","thread":"t","value":"x"}]}"#),
    ] {
        let path = scratch(name, text);
        let ran = fencepost_args(&["replay", EXAMPLE, path.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stdout);
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    assert_eq!(fencepost_args(&["replay", EXAMPLE, "nowhere.json"]).code, 2);
}
