//! A panic on one file of many: it is that file's result, the others have theirs, and the process ends with 101.

use crate::{Ran, json, root, scratch};
use std::process::{Command, Stdio};

const SAFE: &str = "shared int x; thread t { x = 1; assert(x == 1); }";

/// Runs a command that panics on files with `panics` in their names.
fn rehearsed(command: &str, files: &[&str]) -> Ran {
    let mut process = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    process.args(command.split_whitespace()).args(files).current_dir(root()).stdin(Stdio::null());
    let output = process.env("FENCEPOST_PANIC_ON", "panics").output().unwrap();
    Ran {
        code: output.status.code().expect("not ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn file(name: &str, text: &str) -> String {
    scratch(&format!("internal/{name}"), text).display().to_string()
}

#[test]
fn the_others_go_on() {
    let sb = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let programs = [file("a.fp", SAFE), file("panics.fp", SAFE), file("z.fp", SAFE)];
    let tests = [file("a.litmus", sb), file("panics.litmus", sb), file("z.litmus", sb)];
    for (command, files) in [
        ("check", &programs),
        ("check --model sc --model tso", &programs),
        ("explain", &programs),
        ("robust", &programs),
        ("litmus", &tests),
        ("litmus --jobs 1", &tests),
    ] {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let ran = rehearsed(&format!("{command} --format json"), &files);
        assert_eq!(ran.code, 101, "{command}\n{}", ran.stderr);
        let lines: Vec<_> = ran.stdout.lines().map(json).collect();
        let models = if command.contains("sc") { 2 } else { 1 };
        assert_eq!(lines.len(), 3 * models, "{command}\n{}", ran.stdout);
        for line in &lines {
            let panicked = line["file"].as_str().unwrap().contains("panics");
            assert_eq!(line["verdict"] == "error", panicked, "{line}");
            assert_eq!(line["internal"] == true, panicked, "{line}");
            if panicked {
                let message = line["diagnostics"][0]["message"].as_str().unwrap();
                assert!(message.contains("bug in Fencepost; please report it with the file"), "{message}");
            }
        }
        let text = rehearsed(command, &files);
        assert_eq!(text.code, 101);
        assert!(
            text.stderr.contains("panics.") && text.stderr.contains("please report it"),
            "{}",
            text.stderr
        );
        let junit = rehearsed(&format!("{command} --format junit"), &files);
        assert_eq!(junit.code, 101);
        assert!(
            junit.stdout.contains("<error type=\"no-answer\" message=\"internal error: "),
            "{}",
            junit.stdout
        );
        assert!(junit.stdout.contains(&format!("tests=\"{}\"", 3 * models)), "{}", junit.stdout);
        if !command.starts_with("litmus") {
            let sarif = rehearsed(&format!("{command} --format sarif"), &files);
            assert_eq!(sarif.code, 101);
            let log = json(&sarif.stdout);
            let run = &log["runs"][0]["invocations"][0];
            assert_eq!(run["exitCode"], 101, "{run}");
            let mut told = run["toolExecutionNotifications"].as_array().unwrap().iter();
            assert!(told.any(|notification| notification["descriptor"]["id"] == "internal"), "{run}");
        }
    }
}

#[test]
fn fences_too() {
    let program = file("fences_panics.fp", SAFE);
    let ran = rehearsed("fences --format json --model tso --model pso", &[&program]);
    assert_eq!(ran.code, 101, "{}", ran.stderr);
    let lines: Vec<_> = ran.stdout.lines().map(json).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|l| l["internal"] == true && l["verdict"] == "error"), "{}", ran.stdout);
}

/// 101 comes before 2, 1, 3 and 0.
#[test]
fn an_internal_error_comes_first() {
    let panics = file("panics_first.fp", SAFE);
    let wrong = file("wrong.fp", "thread");
    let ran = rehearsed("check", &[&wrong, &panics, "examples/sb.fp"]);
    assert_eq!(ran.code, 101, "{}", ran.stderr);
    assert!(ran.stdout.contains("unsafe: examples/sb.fp"), "{}", ran.stdout);
}
