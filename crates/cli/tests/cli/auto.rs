//! The automatic choice: who answers, what is said of the others, and that one core does the same every time.

use crate::{check, fencepost_args, json};
use serde_json::{Value, json as object};

fn engines(answer: &Value) -> Vec<(String, String)> {
    let word = |v: &Value| v.as_str().unwrap().to_string();
    let list = answer["engines"].as_array().unwrap();
    list.iter().map(|e| (word(&e["name"]), word(&e["status"]))).collect()
}

fn names(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, status)| (name.to_string(), status.to_string())).collect()
}

/// A small program is decided by the first search, and the others are named.
#[test]
fn small_programs_need_one_engine() {
    let ran = fencepost_args(&["check", "examples/peterson.fp", "--format", "json"]);
    let answer = json(&ran.stdout);
    assert_eq!(answer["engine"], "explicit");
    let expected = [("explicit", "answered"), ("lazy", "not run"), ("dual", "not run"), ("bmc", "not run")];
    assert_eq!(engines(&answer), names(&expected));
    let ran = fencepost_args(&["check", "examples/peterson.fp", "--format", "json", "--engine", "lazy"]);
    assert_eq!(engines(&json(&ran.stdout)), names(&[("lazy", "answered")]));
}

/// Buffers without end are not for the search; another engine proves it, and one core does so every time.
#[test]
fn who_can_decide_answers() {
    let decide = |jobs| {
        let args = ["check", "examples/lazy_fig12.fp", "--format", "json", "--jobs", jobs];
        let ran = fencepost_args(&args);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let mut answer = json(&ran.stdout);
        assert_eq!((&answer["verdict"], &answer["scope"]), (&object!("safe"), &object!("complete")));
        assert_eq!(answer["engine"], "dual");
        answer["seconds"] = Value::Null;
        answer
    };
    let one = decide("1");
    assert!(engines(&one).contains(&("explicit".into(), "cancelled".into())), "{one}");
    assert_eq!(decide("1"), one);
    decide("2");
}

/// With one core the run is the same every time, whoever finds it.
#[test]
fn one_core_finds_the_same_run() {
    let find = || {
        let args = ["check", "examples/fibonacci5_unsafe.c", "--format", "json", "--jobs", "1"];
        let mut answer = json(&fencepost_args(&args).stdout);
        assert_eq!(answer["verdict"], "unsafe");
        answer["seconds"] = Value::Null;
        answer
    };
    assert_eq!(find(), find());
}

/// A bound that the user did not ask for leaves the answer unknown, with what is known.
#[test]
fn bounds_of_our_own_are_no_proof() {
    let text = "shared int x = 0; shared int y = 0;\n\
                thread t { while (true) { x = x + 1; y = x; } }\nthread u { int r = y; assert(r >= 0 || r < 0); }";
    let ran = check("unbounded.fp", text, &["--format", "json", "--timeout", "2", "--model", "pso"]);
    let answer = json(&ran.stdout);
    assert_eq!((ran.code, &answer["verdict"]), (3, &object!("unknown")), "{answer}");
    assert!(answer["scope"].is_object(), "{answer}");
    assert!(answer["engines"].as_array().unwrap().len() > 1, "{answer}");
    let ran = check("unbounded.fp", text, &["--timeout", "1", "--model", "pso"]);
    assert!(ran.stdout.contains("engine explicit: unknown"), "{}", ran.stdout);
}

/// What needs other checks than assertions is for the search alone.
#[test]
fn other_checks_are_for_the_search() {
    let text = "mutex m; shared bool x = false; thread t { lock(m); lock(m); assert(!x); }";
    let ran = check("locks_twice.fp", text, &["--format", "json", "--deadlock"]);
    let answer = json(&ran.stdout);
    assert_eq!((ran.code, engines(&answer)), (1, names(&[("explicit", "answered")])), "{}", ran.stderr);
}
