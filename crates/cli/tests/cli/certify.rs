//! Saved proofs are accepted again; changed ones, and those of other programs, are rejected.

use crate::{check, fencepost, fencepost_args, scratch};
use fencepost_samples::Rng;
use fencepost_samples::mutate::mutate;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};

/// The saved proof of an example, as text.
fn saved(example: &str, more: &[&str]) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let path = scratch(&format!("proof_{}.json", COUNT.fetch_add(1, Ordering::Relaxed)), "");
    let path = path.to_str().unwrap();
    let args = [&["check", example, "--engine", "dual", "--certificate", path], more].concat();
    let ran = fencepost_args(&args);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    std::fs::read_to_string(path).unwrap()
}

fn certify(example: &str, proof: &str, name: &str) -> (i32, String) {
    let path = scratch(name, proof);
    let ran = fencepost_args(&["certify", example, path.to_str().unwrap()]);
    (ran.code, ran.stdout + &ran.stderr)
}

const EXAMPLE: &str = "examples/peterson_fenced.fp";

#[test]
fn saved_proofs_hold() {
    for example in [
        EXAMPLE,
        "examples/sb_fenced.fp",
        "examples/dekker_fenced.fp",
        "examples/recursion.fp",
        "examples/ticket.fp",
        "examples/spinlock.fp",
    ] {
        let (code, text) = certify(example, &saved(example, &[]), "good.json");
        assert_eq!(code, 0, "{example}: {text}");
        assert!(text.starts_with(&format!("proof holds: {example} is safe under TSO, complete (")), "{text}");
    }
    for example in ["examples/spinlock_template.fp", "examples/handoff_template.fp"] {
        let (code, text) = certify(example, &saved(example, &[]), "good.json");
        assert_eq!(code, 0, "{example}: {text}");
        assert!(text.contains("for any number of threads"), "{text}");
    }
}

#[test]
fn an_element_is_a_line_and_says_what_it_is_of() {
    let example = "examples/szymanski_fenced.fp";
    let text = saved(example, &[]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let about = [&value["schema"], &value["file"], &value["model"], &value["engine"]];
    assert_eq!(about, [&json!(1), &json!(example), &json!("tso"), &json!("dual")]);
    assert_eq!(value["variables"][0]["name"], "flag[0]");
    for key in ["basis", "invariant"] {
        let elements = value[key].as_array().unwrap();
        let lines = text.lines().skip_while(|l| !l.starts_with(&format!("\"{key}\""))).skip(1);
        let lines = lines.take_while(|l| !l.starts_with(']')).map(|l| l.trim_end_matches(','));
        let read: Vec<Value> = lines.map(|l| serde_json::from_str(l).unwrap()).collect();
        assert!(elements.len() > 10);
        assert_eq!(&read, elements);
    }
}

#[test]
fn changed_proofs_and_proofs_of_other_programs_are_rejected() {
    for (example, key) in [("examples/szymanski_fenced.fp", "basis"), (EXAMPLE, "invariant")] {
        let value: Value = serde_json::from_str(&saved(example, &[])).unwrap();
        let count = value[key].as_array().unwrap().len();
        for i in (0..count).step_by(count / 8) {
            let mut changed = value.clone();
            changed[key].as_array_mut().unwrap().remove(i);
            let (code, said) = certify(example, &changed.to_string(), "changed.json");
            assert_eq!(code, 1, "without element {i} of the {key}: {said}");
            assert!(said.starts_with("rejected: "), "{said}");
        }
    }
    let text = saved(EXAMPLE, &[]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let mut other_model = value.clone();
    other_model["model"] = json!("pso");
    let (code, said) = certify(EXAMPLE, &other_model.to_string(), "changed.json");
    assert!(code == 1 && said.contains("PSO"), "{said}");
    for other in ["examples/peterson.fp", "examples/dekker_fenced.fp", "examples/sb.fp"] {
        let (code, said) = certify(other, &text, "other.json");
        assert_eq!(code, 1, "{other}: {said}");
    }
    // Proved for two threads, not for three.
    let template = "examples/spinlock_template.fp";
    let proof = saved(template, &["--threads", "2"]);
    let path = scratch("two.json", &proof);
    let path = path.to_str().unwrap();
    assert_eq!(fencepost_args(&["certify", template, path, "--threads", "2"]).code, 0);
    assert_eq!(fencepost_args(&["certify", template, path, "--threads", "3"]).code, 1);
    assert_eq!(fencepost_args(&["certify", template, path]).code, 1);
}

#[test]
fn what_is_no_proof_is_wrong_input() {
    for (name, text) in [
        ("empty.json", ""),
        ("list.json", "[]"),
        ("model.json", r#"{"model":"arm"}"#),
        ("schema.json", r#"{"schema":2,"model":"tso"}"#),
        ("no_basis.json", r#"{"model":"tso","variables":[],"groups":[]}"#),
        (
            "variable.json",
            r#"{"model":"tso","variables":[{"values":["x"],"initial":1}],"groups":[],"basis":[]}"#,
        ),
        ("group.json", r#"{"model":"tso","variables":[],"groups":[{"starts":[0]}],"basis":[]}"#),
        ("number.json", r#"{"model":"tso","variables":[],"groups":[],"basis":[[[-1],[]]]}"#),
        (
            "message.json",
            r#"{"model":"tso","variables":[],"groups":[],"basis":[[[],[[0,0,[[0,0,"mine"]]]]]]}"#,
        ),
    ] {
        let (code, said) = certify(EXAMPLE, text, name);
        assert_eq!(code, 2, "{name}: {said}");
        assert!(said.contains(name), "{said}");
    }
    assert_eq!(fencepost(&format!("certify {EXAMPLE} nowhere.json")).code, 2);
    assert_eq!(fencepost("certify nowhere.fp nowhere.json").code, 2);
}

/// The text with another number somewhere.
fn other_number(text: &str, rng: &mut Rng) -> String {
    let digits: Vec<usize> =
        text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(i, _)| i).collect();
    let Some(&at) = digits.get(rng.below(digits.len().max(1))) else { return text.to_string() };
    let number = rng.pick(&["0", "1", "2", "3", "5", "40", "4294967295", "18446744073709551616", "null"]);
    format!("{}{number}{}", &text[..at], &text[at + 1..])
}

/// Whatever is in the file: accepted, rejected or wrong, never a panic.
#[test]
fn mutated_proofs_are_never_a_panic() {
    let mut rng = Rng::new(11);
    let mut codes = [0; 3];
    for example in ["examples/sb_fenced.fp", "examples/mp.fp", "examples/spinlock_template.fp"] {
        let text = saved(example, &[]);
        for _ in 0..100 {
            let mut mutated = text.clone();
            for _ in 0..1 + rng.below(3) {
                mutated = match rng.one_in(4) {
                    true => mutate(&mutated, &mut rng),
                    false => other_number(&mutated, &mut rng),
                };
            }
            let (code, said) = certify(example, &mutated, "mutated.json");
            assert!((0..=2).contains(&code), "{code}: {said}\n{mutated}");
            codes[code as usize] += 1;
        }
    }
    assert!(codes[1] > 10 && codes[2] > 10, "{codes:?}");
}

#[test]
fn who_has_no_proof_says_so() {
    let path = scratch("none.json", "");
    std::fs::remove_file(&path).unwrap();
    let path = path.to_str().unwrap();
    let ran = fencepost_args(&["check", EXAMPLE, "--engine", "explicit", "--certificate", path]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("no certificate: the engine `explicit`"), "{}", ran.stderr);
    let ran = fencepost_args(&["check", "examples/sb.fp", "--engine", "dual", "--certificate", path]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("no certificate: the verdict is unsafe"), "{}", ran.stderr);
    assert!(!std::path::Path::new(path).exists());
    let two = format!("check {EXAMPLE} examples/sb.fp --certificate {path}");
    assert_eq!(fencepost(&two).code, 2);
    let ran = check("own.fp", "shared int x; main { assert(x == 0); }", &["--certificate"]);
    assert_eq!(ran.code, 2);
    let program = scratch("kept.fp", "shared int x;\nprocess t { assert(x == 0); }\n");
    let program = program.to_str().unwrap();
    let ran = fencepost_args(&["check", program, "--engine", "dual", "--certificate", program]);
    assert!(ran.code == 2 && ran.stderr.contains("overwrite"), "{}", ran.stderr);
}
