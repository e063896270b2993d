//! Time, memory, cancellation and bounds: an answer in time, and never more than is known.

use crate::{check, fencepost, json};
use std::time::{Duration, Instant};

/// Unbounded buffers, endless states.
const ENDLESS: &str = "shared u32 x, y; thread t { u32 r; while (true) { r = r + 1; x = r; r = y; } }
    thread u { u32 r; while (true) { r = r + 1; y = r; r = x; } } thread v { assert(x != 4000000000); }";

#[test]
fn the_time_limit_ends_in_unknown() {
    for engine in ["auto", "explicit"] {
        let start = Instant::now();
        let options = ["--timeout", "1", "--format", "json", "--engine", engine];
        let ran = check("endless_time.fp", ENDLESS, &options);
        assert!(start.elapsed() < Duration::from_secs(4), "{engine}: {:?}", start.elapsed());
        assert_eq!(ran.code, 3);
        let line = json(ran.stdout.lines().next().unwrap());
        let of_search = line["engines"].as_array().unwrap().iter().find(|e| e["name"] == "explicit").unwrap();
        assert_eq!(of_search["reason"], "the time limit was reached", "{line}");
        assert!(engine == "auto" || line["stats"]["states"].as_u64().unwrap() > 1000, "{line}");
    }
}

#[test]
fn the_memory_limit_ends_in_unknown() {
    let options = ["--memory", "20", "--timeout", "60", "--format", "json", "--engine", "explicit"];
    let ran = check("endless_memory.fp", ENDLESS, &options);
    assert_eq!(ran.code, 3);
    let line = json(ran.stdout.lines().next().unwrap());
    assert_eq!(line["reason"], "the memory limit was reached");
    let bytes = line["stats"]["bytes"].as_u64().unwrap();
    assert!(bytes > 10 << 20 && bytes < 60 << 20, "{bytes}");
}

/// Stores in a loop: complete under no bound, safe up to each.
const STORING: &str =
    "shared bool x; thread t { while (true) { x = true; } } thread u { bool r = x; assert(r == r); }";

#[test]
fn a_given_bound_makes_a_bounded_verdict() {
    let ran = check("storing.fp", STORING, &["--buffer", "3", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(json(ran.stdout.lines().next().unwrap())["scope"], serde_json::json!({"buffer": 3}));
    let sc = check("storing.fp", STORING, &["--buffer", "3", "--model", "sc", "--format", "json"]);
    assert_eq!(json(sc.stdout.lines().next().unwrap())["scope"], "complete");
}

#[test]
fn a_bound_that_cuts_nothing_off_leaves_the_verdict_complete() {
    let text = "shared bool x; thread t { x = true; assert(x); }";
    let ran = check("short.fp", text, &["--buffer", "1", "--format", "json"]);
    assert_eq!(json(ran.stdout.lines().next().unwrap())["scope"], "complete");
}

#[test]
fn without_a_bound_nobody_is_told_safe() {
    assert_eq!(check("storing_growing.fp", STORING, &[]).code, 0, "dual needs no bound");
    let options = ["--timeout", "1", "--format", "json", "--engine", "explicit"];
    let ran = check("storing_growing.fp", STORING, &options);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let line = json(ran.stdout.lines().next().unwrap());
    assert!(line["scope"]["buffer"].as_u64().unwrap() >= 2, "{line}");
}

#[test]
fn a_number_of_threads_is_part_of_the_scope() {
    let text =
        "shared bool x; thread t[*] { while (exchange(x, true)) {} c: skip; x = false; } at most 1 at c;";
    let ran = check("template.fp", text, &["--format", "json"]);
    let answer = json(&ran.stdout);
    assert_eq!((ran.code, answer["scope"].clone()), (0, serde_json::json!("complete")));
    assert_eq!(answer["any_threads"], true);
    let ran = check("template.fp", text, &["--format", "json", "--engine", "explicit"]);
    assert_eq!(ran.code, 3);
    assert!(json(&ran.stdout)["reason"].as_str().unwrap().contains("--threads N"), "{}", ran.stdout);
    for engine in ["auto", "explicit", "lazy", "dual"] {
        let ran = check("template.fp", text, &["--threads", "2", "--format", "json", "--engine", engine]);
        let scope = json(&ran.stdout)["scope"].clone();
        assert_eq!((ran.code, scope), (0, serde_json::json!({"threads": 2})), "{engine}");
    }
}

/// Two threads are robust, or safe with any engine, where three are not: what is said of two names the number.
#[test]
fn what_holds_of_few_threads_says_how_many() {
    // Only the third of three to come passes its store over the load.
    let text = "shared 0..3 n; shared bool x, y; shared bool p, q;
        thread t[*] { 0..3 k = 0; atomic { k = n; if (n < 3) { n = n + 1; } }
            if (k == 0) { x = true; fence; if (!y) { p = true; } }
            if (k == 2) { y = true; if (!x) { q = true; } } }
        thread u { }
        final not exists (p && q);";
    let path = crate::scratch("few.fp", text);
    let file = path.to_str().unwrap();
    for engine in ["auto", "dual"] {
        let ran = check("few.fp", text, &["--threads", "2", "--format", "json", "--engine", engine]);
        let scope = json(&ran.stdout)["scope"].clone();
        assert_eq!((ran.code, scope), (0, serde_json::json!({"threads": 2})), "{engine}: {}", ran.stdout);
    }
    for criterion in ["traces", "trf"] {
        let ran = fencepost(&format!("robust --threads 2 --criterion {criterion} {file}"));
        assert!(ran.code == 0 && ran.stdout.contains("against TSO, up to threads 2"), "{}", ran.stdout);
        let ran = fencepost(&format!("robust --threads 2 --format json --criterion {criterion} {file}"));
        assert_eq!(json(&ran.stdout)["scope"], serde_json::json!({"threads": 2}), "{}", ran.stdout);
        let ran = fencepost(&format!("robust --threads 3 --format json --criterion {criterion} {file}"));
        assert_eq!((ran.code, &json(&ran.stdout)["verdict"]), (1, &"not_robust".into()), "{}", ran.stdout);
    }
    let ran = fencepost(&format!("fences --goal robust --threads 2 --format json {file}"));
    assert_eq!(json(&ran.stdout)["scope"], serde_json::json!({"threads": 2}), "{}", ran.stdout);
    let ran = fencepost(&format!("robust --threads 2 --format sarif {file}"));
    assert!(ran.stdout.contains("is robust against TSO, up to threads 2."), "{}", ran.stdout);
    let proof = crate::scratch("few.json", "");
    let proof = proof.to_str().unwrap();
    let ran = fencepost(&format!("check --threads 2 --engine dual --certificate {proof} {file}"));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let ran = fencepost(&format!("certify --threads 2 {file} {proof}"));
    assert!(ran.code == 0 && ran.stdout.contains("under TSO, up to threads 2 ("), "{}", ran.stdout);
    let ordered = "shared bool x; thread t[*] { bool r; r = x@acquire; x@release = true; }";
    let path = crate::scratch("few_ordered.fp", ordered);
    let ran = fencepost(&format!("robust --model c11 --threads 1 {}", path.display()));
    assert!(ran.code == 0 && ran.stdout.contains("against C11, up to threads 1"), "{}", ran.stdout);
    let ran = fencepost(&format!("robust --model c11 --threads 1 --format json {}", path.display()));
    assert_eq!(json(&ran.stdout)["scope"], serde_json::json!({"threads": 1}), "{}", ran.stdout);
}

/// `--any-threads` makes templates of a Memorax file's processes.
#[test]
fn any_threads_of_a_memorax_file() {
    let text = "forbidden\n  CS CS\ndata\n  l = 0 : [0:1]\nprocess(2)\nregisters\ntext\n  L0: cas(l, 0, 1);\n  \
                CS: nop;\n  write: l := 0;\n  goto L0\n";
    let given = check("lock.rmm", text, &["--format", "json"]);
    assert_eq!(
        (given.code, json(&given.stdout)["any_threads"].clone()),
        (0, false.into()),
        "{}",
        given.stderr
    );
    let any = check("lock.rmm", text, &["--format", "json", "--any-threads"]);
    assert_eq!((any.code, json(&any.stdout)["any_threads"].clone()), (0, true.into()), "{}", any.stdout);
    let broken = text.replace("cas(l, 0, 1)", "read: l = 0; write: l := 1");
    let any = check("broken.rmm", &broken, &["--format", "json", "--any-threads"]);
    assert_eq!(any.code, 1, "{}{}", any.stdout, any.stderr);
    let both = check("lock.rmm", text, &["--any-threads", "--threads", "2"]);
    assert_eq!(both.code, 2, "{}", both.stdout);
}

/// A run of a program with any number of threads says how many it takes, and replays.
#[test]
fn a_run_of_a_template_replays() {
    let trace = crate::scratch("template_trace.json", "");
    let trace = trace.to_str().unwrap();
    let ran = fencepost(&format!("check examples/sb_template.fp --trace {trace}"));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let saved = std::fs::read_to_string(trace).unwrap();
    assert_eq!(json(&saved)["instances"], serde_json::json!([1, 1]));
    let replayed = fencepost(&format!("replay examples/sb_template.fp {trace}"));
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn too_many_choices_are_unknown_with_the_place() {
    let text = "shared int x; thread t { x = any; assert(x * 2 != 10); }";
    assert_eq!(check("choices.fp", text, &[]).code, 1, "a solver finds 5");
    let ran = check("choices.fp", text, &["--engine", "explicit"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.contains("choices.fp:1"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_is_known() {
    use std::process::{Command, Stdio};
    let path = crate::scratch("endless_ctrl_c.fp", ENDLESS);
    let child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["check", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stdout}");
    assert!(stdout.contains("cancelled"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_panic() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["check", "--format", "json"])
        .args(std::iter::repeat_n("examples/peterson.fp", 50))
        .current_dir(crate::root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Reading takes much longer than the limit.
#[test]
fn reading_ends_with_the_time_limit() {
    let stores: String = (0..60_000).map(|i| format!("x = {};\n", i % 7)).collect();
    let program =
        format!("shared 0..7 x, y;\nthread t {{\n{stores}assert(y == 0); }}\nthread u {{ y = 1; }}");
    let file = crate::scratch("long_to_read.fp", &program);
    let rows: String = (0..60_000).map(|i| format!(" MOV [x],${} | MOV [y],$1 ;\n", i % 7)).collect();
    let test = format!("X86 long\n{{x=0;y=0;}}\n P0 | P1 ;\n{rows}exists (x=1)\n");
    let litmus = crate::scratch("long_to_read.litmus", &test);
    for (command, file) in [
        (&["check"][..], &file),
        (&["explain"], &file),
        (&["robust"], &file),
        (&["fences"], &file),
        (&["fences", "--audit"], &file),
        (&["litmus"], &litmus),
    ] {
        let words = [command, &["--timeout", "0.02", "--format", "json", file.to_str().unwrap()]].concat();
        let ran = crate::fencepost_args(&words);
        assert_eq!(ran.code, 3, "{command:?}: {}{}", ran.stdout, ran.stderr);
        let reason = json(ran.stdout.lines().next().unwrap())["reason"].clone();
        let reason = reason.as_str().unwrap_or_default().to_string();
        assert!(reason.ends_with("was read"), "{command:?}: {reason}");
    }
}

/// Macros that expand for hours: the preprocessor is not left behind.
#[test]
#[cfg(target_os = "linux")]
fn a_preprocessor_ends_with_the_check() {
    let powers: String = (1..40).map(|i| format!("#define A{i}(x) A{}(A{}(x))\n", i - 1, i - 1)).collect();
    let text = format!("#define A0(x) (x + 1)\n{powers}int main(void) {{ return A39(0); }}\n");
    let file = crate::scratch("expands_for_hours.c", &text);
    let ran = crate::fencepost_args(&["check", "--timeout", "0.5", file.to_str().unwrap()]);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    let is_left = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
        lines.any(|line| String::from_utf8_lossy(&line).contains("expands_for_hours.c"))
    };
    let start = Instant::now();
    while is_left() {
        assert!(start.elapsed() < Duration::from_secs(5), "a preprocessor is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}
