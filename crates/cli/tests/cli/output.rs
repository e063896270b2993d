//! What is printed: the verdict line, the table of a run, JSON, intermediate forms.

use crate::{check, fencepost, json, root};

const LINE_OF_STORE: &str = "store turn = 1  <- overtaken by 4";

#[test]
fn the_first_command_of_the_readme() {
    let ran = fencepost("check examples/peterson.fp");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let expected = "unsafe: examples/peterson.fp under TSO: forbidden combination at examples/peterson.fp:21";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert!(ran.stdout.contains(LINE_OF_STORE), "{}", ran.stdout);
    assert!(ran.stdout.contains("-> overtakes 3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("buffer of peterson(0)"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("peterson(0) is at `critical`, peterson(1) is at `critical`"),
        "{}",
        ran.stdout
    );
}

#[test]
fn quiet_prints_the_verdict_alone() {
    let ran = fencepost("check -q examples/peterson.fp");
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1));
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let ran = fencepost("check --format json --model sc --model tso examples/peterson.fp");
    let lines: Vec<_> = ran.stdout.lines().map(json).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["verdict"], &lines[1]["verdict"]), (&"safe".into(), &"unsafe".into()));
    for line in &lines {
        for key in [
            "schema",
            "file",
            "model",
            "engine",
            "scope",
            "any_threads",
            "property",
            "seconds",
            "stats",
            "reason",
            "engines",
        ] {
            assert!(line.get(key).is_some(), "{key}");
        }
    }
    assert_eq!(lines[1]["property"], "forbidden combination at examples/peterson.fp:21");
    let step = &lines[1]["trace"][0];
    let keys = ["step", "thread", "kind", "loc", "value", "file", "line"].map(|k| step[k].clone());
    let expected: [serde_json::Value; 7] = [
        1.into(),
        "peterson(0)".into(),
        "store".into(),
        "flag[0]".into(),
        1.into(),
        "examples/peterson.fp".into(),
        10.into(),
    ];
    assert_eq!(keys, expected);
}

#[test]
fn an_unreadable_file_does_not_end_the_batch() {
    let ran = fencepost("check --format json examples/nowhere.fp examples/sb.fp");
    let verdicts: Vec<_> = ran.stdout.lines().map(|l| json(l)["verdict"].clone()).collect();
    assert_eq!(verdicts, ["error", "unsafe"]);
    assert_eq!(ran.code, 2, "wrong input comes before unsafe");
}

#[test]
fn exit_codes_of_several_files_are_the_first_of_2_1_3_0() {
    let code = |files: &str| fencepost(&format!("check --engine explicit --format json {files}")).code;
    let (safe, unsafe_, unknown) =
        ("examples/sb_fenced.fp", "examples/sb.fp", "examples/spinlock_template.fp");
    assert_eq!(code(safe), 0);
    assert_eq!(code(&format!("{safe} {unknown}")), 3);
    assert_eq!(code(&format!("{safe} {unknown} {unsafe_}")), 1);
    assert_eq!(code(&format!("--allow-unknown {safe} {unknown}")), 0);
    assert_eq!(code(&format!("--allow-unknown {unknown} {unsafe_}")), 1);
}

#[test]
fn a_property_that_is_never_reached_is_named() {
    let text =
        "shared bool x; thread t { while (!x) {} assert(x); a: skip; } thread u { while (true) {} b: skip; }
        forbid t at a and u at b; final exists (x);";
    let ran = check("unreached.fp", text, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for note in [
        "no run comes to the assertion at",
        "no thread gets to the label `a` of `t`",
        "no thread gets to the label `b` of `u`",
        "no run ends",
    ] {
        assert!(ran.stdout.contains(note), "{note}\n{}", ran.stdout);
    }
}

#[test]
fn leaving_a_range_is_an_error_of_the_program_with_a_run() {
    let text = "shared 0..3 x = 2; thread t { x = x + 1; x = x + 1; }";
    let ran = check("range.fp", text, &["--model", "sc"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("4 is outside 0..3 at"), "{}", ran.stdout);
    for (name, text) in [
        ("index.fp", "shared int a[2]; thread t { int i = 1; while (true) { a[i] = 1; i++; } }"),
        ("division.fp", "shared int x; thread t { x = 1 / x; }"),
        ("shift.fp", "shared u8 x = 1; thread t { x <<= 8; }"),
        ("unlock.fp", "mutex m; thread t { unlock(m); }"),
        ("end.fp", "thread t { atomic_end; }"),
        ("rmw.fp", "shared 0..1 x; thread t { fetch_add(x, 1); fetch_add(x, 1); }"),
    ] {
        assert_eq!(check(name, text, &[]).code, 1, "{name}");
    }
}

#[test]
fn an_unbounded_integer_that_leaves_64_bits_is_unknown() {
    let text =
        "shared integer x = 9223372036854775807; thread t { integer r = x; r = r + 1; assert(r != 3); }";
    let ran = check("overflow.fp", text, &[]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(ran.stdout.contains("an unbounded integer leaves 64 bits at"), "{}", ran.stdout);
    let text = "shared integer x = 9223372036854775807; thread t { skip; } final exists (x + 1 > 0);";
    assert_eq!(check("overflow_at_the_end.fp", text, &[]).code, 3);
}

#[test]
fn intermediate_forms_are_printed() {
    let tree = fencepost("check --print tree examples/peterson.fp");
    assert!(
        tree.code == 0 && tree.stdout.contains("while (flag[1 - me] && turn == 1 - me) {"),
        "{}",
        tree.stdout
    );
    let graph = fencepost("check --print cfg examples/peterson.fp");
    assert!(graph.stdout.contains("store (flag me) 1"), "{}", graph.stdout);
    let lowered = fencepost("check --print after:lower examples/peterson.fp");
    assert!(lowered.stdout.lines().count() > graph.stdout.lines().count());
    let bad = fencepost("check --print after:nothing examples/peterson.fp");
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("after:compact"), "{}", bad.stderr);
}

#[test]
fn standard_input_is_a_file_too() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["check", "-", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read_to_string(root().join("examples/sb.fp")).unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn several_initial_values_are_part_of_the_run() {
    let text = "shared 0..3 x = any(1, 3); thread t { assert(x == 1); }";
    let ran = check("init.fp", text, &[]);
    assert!(ran.stdout.contains("initially x=3"), "{}", ran.stdout);
    let safe = "shared 0..3 x = any(1, 3); thread t { assert(x != 2); }";
    assert_eq!(check("init_safe.fp", safe, &[]).code, 0);
}

#[test]
fn symmetric_threads_are_told_apart_in_runs() {
    let text = "shared 0..3 x; thread w[3] { 0..3 r = x; x = r + 1; } final forall (x == 3);";
    let ran = check("symmetric.fp", text, &["--format", "json"]);
    let line = json(ran.stdout.lines().next().unwrap());
    let ends = line["trace"].as_array().unwrap().iter().filter(|e| e["kind"] == "end");
    let mut threads: Vec<_> = ends.map(|e| e["thread"].as_str().unwrap().to_string()).collect();
    threads.sort();
    assert_eq!(threads, ["w#1", "w#2", "w#3"]);
}

/// A cell that starts with anything has too many initial states to list, whoever looks for the simplest run.
#[test]
fn ranges_of_initial_values_are_not_laid_out() {
    for (ty, engines) in
        [("u32", &["auto", "bmc", "rounds", "age"][..]), ("i64", &["auto", "bmc"]), ("u64", &["auto", "bmc"])]
    {
        let text = format!("shared {ty} x = any, y[2] = any; thread a {{ assert(x != 0 || y[1] != 7); }}");
        for engine in engines {
            let ran = check("any_value.fp", &text, &["--engine", engine, "--timeout", "20"]);
            assert_eq!(ran.code, 1, "{ty}, {engine}: {}{}", ran.stdout, ran.stderr);
        }
        for engine in ["explicit", "dual", "lazy"] {
            let ran = check("any_value.fp", &text, &["--engine", engine]);
            assert_eq!(ran.code, 3, "{ty}, {engine}: {}{}", ran.stdout, ran.stderr);
        }
    }
}
