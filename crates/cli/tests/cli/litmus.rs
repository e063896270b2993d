//! `fencepost litmus` from outside: herd's block, JSON, batches with errors, recorded answers, comparing,
//! making tests.

use super::{fencepost, fencepost_args, json, root, scratch};
use std::path::PathBuf;

const SB: &str = "X86_64 SB
{ uint64_t x; uint64_t y; }
 P0            | P1            ;
 movq $1,(x)   | movq $1,(y)   ;
 movq (y),%rax | movq (x),%rax ;
exists (0:rax=0 /\\ 1:rax=0)
";

const MP: &str = "X86 MP
{ x=0; y=0; }
 P0         | P1          ;
 MOV [x],$1 | MOV EAX,[y] ;
 MOV [y],$1 | MOV EBX,[x] ;
~exists (1:EAX=1 /\\ 1:EBX=0)
";

const WAITS: &str = "X86_64 WAITS
{ }
 P0          | P1              ;
 movq $1,(x) | L0: movq (x),%rax ;
             | testq %rax,%rax ;
             | je L0           ;
forall (1:rax=1)
";

/// A folder of this test's own with SB, MP and a test that cannot be read.
fn folder(name: &str) -> PathBuf {
    let folder = scratch("made", "").with_file_name(format!("litmus-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join("SB.litmus"), SB).unwrap();
    std::fs::write(folder.join("inner/MP.litmus"), MP).unwrap();
    std::fs::write(folder.join("broken.litmus"), "X86_64 broken\n{ }\n P0 ;\n halt ;\n").unwrap();
    std::fs::write(folder.join("@list"), "# two of them\nSB.litmus\ninner/MP.litmus # here\n").unwrap();
    folder
}

#[test]
fn the_block_is_herds() {
    let file = scratch("block.litmus", SB);
    let ran = fencepost_args(&["litmus", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = "Test SB Allowed
States 4
0:rax=0; 1:rax=0;
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
0:rax=1; 1:rax=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:rax=0 /\\ 1:rax=0)
Observation SB Sometimes 1 3
Time SB 0.0";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn witnesses_of_a_forbidden_outcome_are_the_states_without_it() {
    let file = scratch("forbidden.litmus", MP);
    let ran = fencepost_args(&["litmus", file.to_str().unwrap()]);
    assert!(ran.stdout.starts_with("Test MP Forbidden\nStates 3\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Ok\nWitnesses\nPositive: 3 Negative: 0\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Observation MP Never 0 3\n"), "{}", ran.stdout);
}

#[test]
fn json_has_the_contracts_keys() {
    let file = scratch("keys.litmus", SB);
    let ran = fencepost_args(&["litmus", "--format", "json", "--model", "sc", file.to_str().unwrap()]);
    let object = json(ran.stdout.trim());
    assert_eq!(object["schema"], 1);
    assert_eq!(object["test"], "SB");
    assert_eq!(object["model"], "sc");
    assert_eq!(object["verdict"], "safe");
    assert_eq!(object["validated"], "No");
    assert_eq!(object["observation"], "Never");
    assert_eq!((object["positive"].as_u64(), object["negative"].as_u64()), (Some(0), Some(3)));
    assert_eq!(object["condition"], "exists (0:rax=0 /\\ 1:rax=0)");
    let states = ["0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;", "0:rax=1; 1:rax=1;"];
    assert_eq!(object["states"], serde_json::json!(states));
    assert_eq!(object["engine"], "explicit");
    assert_eq!(object["scope"], "complete");
}

#[test]
fn a_batch_goes_on_behind_an_error() {
    let folder = folder("batch");
    let path = folder.to_str().unwrap();
    for jobs in ["1", "4"] {
        let ran = fencepost_args(&["litmus", "--jobs", jobs, path]);
        assert_eq!(ran.code, 2);
        let tests: Vec<&str> = ran.stdout.lines().filter(|l| l.starts_with("Test ")).collect();
        assert_eq!(tests, ["Test SB Allowed", "Test MP Forbidden"], "in order");
        assert!(ran.stderr.contains("the instruction `halt` is not supported"), "{}", ran.stderr);
        assert!(ran.stderr.contains("broken.litmus:4:2"), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("3 tests under tso: Never 1, Sometimes 1, Always 0, errors 1; "),
            "{}",
            ran.stderr
        );
    }
    let ran = fencepost_args(&["litmus", "--format", "json", path]);
    let objects: Vec<_> = ran.stdout.lines().map(json).collect();
    assert_eq!(objects.len(), 3);
    assert!(objects.iter().any(|o| o["verdict"] == "error" && o["diagnostics"][0]["line"] == 4));
}

#[test]
fn lists_and_names_choose_tests() {
    let folder = folder("names");
    let list = folder.join("@list");
    let run = |args: &[&str]| {
        let ran = fencepost_args(&[&["litmus", "-q"], args].concat());
        let names = ran.stdout.lines().filter_map(|l| l.strip_prefix("Test ")).map(str::to_string);
        (ran.code, names.collect::<Vec<_>>())
    };
    let path = folder.to_str().unwrap();
    assert_eq!(run(&[list.to_str().unwrap()]), (0, vec!["SB Allowed".into(), "MP Forbidden".into()]));
    assert_eq!(run(&["--only", "SB", path]), (0, vec!["SB Allowed".into()]));
    assert_eq!(run(&["--only", "M*", path]), (0, vec!["MP Forbidden".into()]));
    assert_eq!(run(&["--filter", "P", path]), (0, vec!["MP Forbidden".into()]));
    assert_eq!(run(&["--only", "broken", path]), (2, vec![]));
    assert_eq!(run(&[folder.join("@none").to_str().unwrap()]).0, 2);
    assert_eq!(run(&[folder.join("none.litmus").to_str().unwrap()]).0, 2);
}

#[test]
fn several_models_say_which_is_which() {
    let file = scratch("models.litmus", SB);
    let ran = fencepost_args(&["litmus", "--model", "sc", "--model", "tso", file.to_str().unwrap()]);
    let lines: Vec<&str> =
        ran.stdout.lines().filter(|l| l.starts_with("Model") || l.starts_with("Observation")).collect();
    assert_eq!(lines, ["Model sc", "Observation SB Never 0 3", "Model tso", "Observation SB Sometimes 1 3"]);
}

#[test]
fn recorded_answers_are_compared() {
    let folder = folder("expect");
    let good = r#"{"file": "SB.litmus", "observation": "Sometimes", "states": ["0:rax=0; 1:rax=0;", "0:rax=0; 1:rax=1;", "0:rax=1; 1:rax=0;", "0:rax=1; 1:rax=1;"]}
"#;
    let path = folder.join("good.jsonl");
    std::fs::write(&path, good).unwrap();
    let ran = fencepost_args(&["litmus", "--expect", path.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 compared, 0 different"), "{}", ran.stderr);
    // The tests may also be named; others are not compared.
    let sb = folder.join("SB.litmus");
    let ran = fencepost_args(&["litmus", "--expect", path.to_str().unwrap(), sb.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    let ran = fencepost_args(&["litmus", "--model", "sc", "--expect", path.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("SB.litmus under sc: expected Sometimes, got Never\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("under sc: missing state 0:rax=0; 1:rax=0;\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 compared, 1 different"), "{}", ran.stderr);
    let path = folder.join("bad.jsonl");
    std::fs::write(&path, "{\"file\": \"SB.litmus\"}\n").unwrap();
    let ran = fencepost_args(&["litmus", "--expect", path.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("bad.jsonl:1: missing field `observation`"), "{}", ran.stderr);
}

#[test]
fn recorded_answers_of_herd() {
    let folder = root().join("../shared/litmus");
    for model in ["sc", "tso"] {
        let path = folder.join(format!("expected-{model}.jsonl"));
        if !path.exists() {
            println!("skipped: no recorded answers at ../shared/litmus");
            return;
        }
        for oracle in [&[][..], &["--oracle", "axiomatic"][..]] {
            let args = ["litmus", "--model", model, "--expect", path.to_str().unwrap()];
            let ran = fencepost_args(&[&args, oracle].concat());
            assert_eq!(ran.code, 0, "{}", ran.stdout);
            assert!(ran.stderr.contains("239 compared, 0 different"), "{}", ran.stderr);
        }
    }
}

#[test]
fn comparing_models_names_the_tests_that_tell_them_apart() {
    let folder = folder("compare");
    let list = folder.join("@list");
    let ran = fencepost_args(&["litmus", "--compare", "sc,tso,pso", list.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("SB ("), "{}", ran.stdout);
    assert!(ran.stdout.contains("states sc 3, tso 4, pso 4\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  tso allows, sc does not: 0:rax=0; 1:rax=0;\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  pso allows, tso does not: 1:EAX=1; 1:EBX=0;\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("2 tell the models apart"), "{}", ran.stderr);
    let ran = fencepost_args(&["litmus", "--compare", "tso", list.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
}

#[test]
fn the_oracle_says_what_it_cannot_take() {
    let file = scratch("waits.litmus", WAITS);
    let path = file.to_str().unwrap();
    let ran = fencepost_args(&["litmus", path]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("Observation WAITS Always 1 0"), "{}", ran.stdout);
    let ran = fencepost_args(&["litmus", "--oracle", "axiomatic", path]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stdout.contains("Test WAITS unknown: the axiomatic oracle does not take loops"),
        "{}",
        ran.stdout
    );
    let ran = fencepost_args(&["litmus", "--allow-unknown", "--oracle", "axiomatic", path]);
    assert_eq!(ran.code, 0);
}

#[test]
fn an_engine_that_lists_no_states_says_so() {
    let file = scratch("dual.litmus", SB);
    let ran = fencepost_args(&["litmus", "--engine", "dual", file.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("does not list final states"), "{}", ran.stderr);
}

#[test]
fn an_access_to_no_location_is_an_error_of_the_test() {
    let text = "X86_64 WILD\n{ p=x; }\n P0 | P1 ;\n movq $0,(p) | movq (p),%rax ;\n  | movq (%rax),%rbx ;\n";
    let file = scratch("wild.litmus", text);
    let ran = fencepost_args(&["litmus", file.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("P1 accesses memory where there is no location"), "{}", ran.stderr);
    assert!(ran.stderr.contains("wild.litmus:5"), "{}", ran.stderr);
    let ran = fencepost_args(&["check", file.to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
}

/// A location in C that one thread sees as bytes: conditions look at all of it.
const BYTE: &str = "C BYTE
{ int x = 0x01020304; }
P0 (int* x) {
  ((unsigned char *)x)[1] = 9;
  int r0 = *x;
}
P1 (int* x) { *x = 0x11111111; }
exists (0:r0=0x01020904 /\\ x=0x11110911)
";

#[test]
fn a_run_that_c_forbids_is_an_error_of_the_test() {
    let null = "C NULL\n{ int *p; }\nP0 (int* x, int** p) { *p = x; }\nP1 (int** p) {\n  int r0 = **p;\n}\n";
    let bounds = "C BOUNDS\n{ int t[2]; }\nP0 (int* i) { *i = 2; }\nP1 (int* i, int* t) {\n  t[*i] = 1;\n}\n";
    let divided = "C DIVIDED\n{ x=1; }\nP0 (int* x) { *x = 0; }\nP1 (int* x) {\n  int r0 = 6 / *x;\n}\n";
    for (name, text, what) in [
        ("null.litmus", null, "null pointer dereference"),
        ("bounds.litmus", bounds, "byte 8 of an object of 8 bytes"),
        ("divided.litmus", divided, "division by zero"),
    ] {
        let file = scratch(name, text);
        for method in [&["--oracle", "axiomatic"][..], &[]] {
            let ran = fencepost_args(&[&["litmus", file.to_str().unwrap()], method].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
            assert!(ran.stderr.contains("P1 fails in a run under tso"), "{}", ran.stderr);
            assert!(ran.stderr.contains(what) && ran.stderr.contains(&format!("{name}:5")), "{}", ran.stderr);
        }
    }
    // What is unreachable is not an error.
    let guarded = "C GUARDED\n{ int *p; }\nP0 (int* x, int** p) { *p = x; }\nP1 (int** p) {\n  int *q = *p;\n  int r0 = q ? *q : 2;\n}\nexists (1:r0=2)\n";
    let file = scratch("guarded.litmus", guarded);
    let ran = fencepost_args(&["litmus", file.to_str().unwrap()]);
    assert!(ran.stdout.contains("Observation GUARDED Sometimes 1 1"), "{}", ran.stdout);
}

#[test]
fn all_mistakes_of_a_test_in_c_are_told() {
    let text = "C WRONG\n{ }\nP0 (int* x) { *x = y; }\nP1 (int* x) { x->a = 1; }\n";
    let file = scratch("wrong.litmus", text);
    let ran = fencepost_args(&["litmus", file.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("wrong.litmus:3:20"), "{}", ran.stderr);
    assert!(ran.stderr.contains("wrong.litmus:4:18"), "{}", ran.stderr);
}

#[test]
fn check_takes_litmus_tests() {
    for (name, text, model, code) in [
        ("check-sb.litmus", SB, "tso", 1),
        ("check-sb.litmus", SB, "sc", 0),
        ("check-mp.litmus", MP, "tso", 0),
        ("check-mp.litmus", MP, "pso", 1),
        ("check-waits.litmus", WAITS, "pso", 0),
        ("check-byte.litmus", BYTE, "sc", 0),
        ("check-byte.litmus", BYTE, "tso", 1),
    ] {
        let file = scratch(name, text);
        let ran = fencepost_args(&["check", "--model", model, file.to_str().unwrap()]);
        assert_eq!(ran.code, code, "{name} under {model}: {}", ran.stdout);
    }
    let file = scratch("named.txt", SB);
    let ran = fencepost_args(&["check", "--input-format", "litmus", file.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
}

#[test]
fn tests_are_made_from_cycles() {
    let ran = fencepost("litmus --generate PodWR Fre PodWR Fre");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("X86_64 SB\n\"PodWR Fre PodWR Fre\"\n"), "{}", ran.stdout);
    let ran = fencepost_args(&[
        "litmus",
        "--arch",
        "X86",
        "--generate",
        "PodWW Rfe PodRR Fre",
        "PodRW Rfe PodRW Rfe",
    ]);
    assert!(ran.stdout.contains("X86 MP\n") && ran.stdout.contains("X86 LB\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" MOV [x],$1 | MOV EAX,[y] ;\n"), "{}", ran.stdout);
    let ran = fencepost("litmus --generate PodWR Rfe");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("PodWR leads to a read, and Rfe starts at a write"), "{}", ran.stderr);
    let ran = fencepost("litmus --generate-all 4 --generate Rfe");
    assert_eq!(ran.code, 2);
}

#[test]
fn all_tests_are_made_and_run() {
    let folder = scratch("made", "").with_file_name("litmus-all");
    let _ = std::fs::remove_dir_all(&folder);
    let path = folder.to_str().unwrap();
    let ran = fencepost_args(&["litmus", "--generate-all", "5", "--output", path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("301 tests in "), "{}", ran.stderr);
    for paths in [path.to_string(), format!("{path}/@all")] {
        let ran = fencepost_args(&["litmus", "--model", "sc", &paths]);
        assert_eq!(ran.code, 0);
        assert!(ran.stderr.starts_with("301 tests under sc: Never 301, "), "{}", ran.stderr);
    }
}

#[test]
fn standard_input_and_no_input() {
    let ran = fencepost("litmus");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no tests"), "{}", ran.stderr);
    let ran = fencepost("litmus -");
    assert_eq!(ran.code, 2, "nothing is no test");
}

#[test]
fn locked_increments_in_many_threads_are_fast() {
    let heads: Vec<String> = (0..8).map(|i| format!("P{i}")).collect();
    let code = ["lock incl (x)"; 8];
    let text = format!(
        "X86_64 INC8\n{{ int x; }}\n {} ;\n {} ;\nforall [x]=8\n",
        heads.join(" | "),
        code.join(" | ")
    );
    let file = scratch("inc8.litmus", &text);
    let ran = fencepost_args(&["litmus", "--timeout", "5", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("Observation INC8 Always 1 0"), "{}", ran.stdout);
}

/// Message passing in C; the orders of the flag's store and load are left open.
const PUBLICATION: &str = "C MP
{ }
P0 (int* data, atomic_int* flag) {
  *data = 1;
  atomic_store_explicit(flag, 1, STORE);
}
P1 (int* data, atomic_int* flag) {
  int r0 = atomic_load_explicit(flag, LOAD);
  int r1 = 2;
  if (r0) r1 = *data;
}
~exists (1:r0=1 /\\ 1:r1=0)
";

#[test]
fn tests_in_c_under_the_model_of_the_language() {
    let asked = |name: &str, store: &str, load: &str, more: &[&str]| {
        let text = PUBLICATION.replace("STORE", store).replace("LOAD", load);
        let file = scratch(name, &text);
        let mut args = vec!["litmus", "--model", "c11", "--format", "json", file.to_str().unwrap()];
        args.extend(more);
        json(&fencepost_args(&args).stdout)
    };
    let right = asked("c11-right.litmus", "memory_order_release", "memory_order_acquire", &[]);
    assert_eq!(right["verdict"], "safe");
    assert_eq!(right["model"], "c11");
    assert_eq!(right["engine"], "axiomatic");
    assert_eq!(right["race"], serde_json::Value::Null);
    assert_eq!(right["states"].as_array().unwrap().len(), 2);
    let wrong = asked("c11-wrong.litmus", "memory_order_relaxed", "memory_order_acquire", &[]);
    assert_eq!(wrong["verdict"], "unsafe");
    assert_eq!(wrong["validated"], "Undef");
    let places = wrong["race"].as_array().unwrap();
    assert!(places[0].as_str().unwrap().ends_with(":4") && places[1].as_str().unwrap().ends_with(":10"));
    // A second store is in the release sequence of old only.
    let store = "memory_order_release); atomic_store_explicit(flag, 1, memory_order_relaxed";
    let newer = asked("c11-newer.litmus", store, "memory_order_acquire", &[]);
    assert_eq!(newer["verdict"], "unsafe");
    let older = asked("c11-older.litmus", store, "memory_order_acquire", &["--release-sequences", "c11"]);
    assert_eq!(older["verdict"], "safe");
}

#[test]
fn tests_for_x86_have_no_orders() {
    let file = scratch("no-orders.litmus", SB);
    let ran = fencepost_args(&["litmus", "--model", "c11", file.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    let expected = "Test SB unknown: instructions of x86 have no memory orders: C11 is for tests in C\n";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let ran = fencepost_args(&["litmus", "--model", "c11", "--report", "r.html", file.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("leave out c11"), "{}", ran.stderr);
}
