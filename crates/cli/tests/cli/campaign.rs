//! Many files: parts, results to resume from, and their summary.

use crate::{Ran, fencepost_args, json, root, scratch};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A fresh folder.
fn folder(name: &str) -> PathBuf {
    let path = scratch(&format!("{name}/x"), "").parent().unwrap().to_path_buf();
    std::fs::remove_dir_all(&path).unwrap();
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Checks examples that take no time, with more arguments.
fn check(more: &[&str]) -> Ran {
    let files = ["examples/sb.fp", "examples/mp.fp", "examples/peterson.fp", "examples/peterson_fenced.fp"];
    let more_files = ["examples/lb.fp", "examples/iriw.fp", "examples/isa2.fp"];
    let models = ["--model", "sc", "--model", "tso", "--model", "pso", "--jobs", "1"];
    fencepost_args(&[&["check"], &models[..], more, &files, &more_files].concat())
}

/// A summary without times.
fn summary(files: &[&str]) -> (i32, Value) {
    let ran = fencepost_args(&[&["merge", "--format", "json"], files].concat());
    let mut summary = json(&ran.stdout);
    for engine in summary["engines"].as_array_mut().unwrap() {
        engine["seconds"] = Value::Null;
    }
    (ran.code, summary)
}

#[test]
fn four_parts_one_of_them_killed_and_gone_on_with_are_one_run() {
    let folder = folder("campaign");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let whole = check(&["--results", &path("whole.jsonl")]);
    assert_eq!(whole.code, 1, "{}", whole.stderr);
    let parts: Vec<String> = (1..=4).map(|i| path(&format!("part{i}.jsonl"))).collect();
    for (i, part) in parts.iter().enumerate() {
        check(&["--shard", &format!("{}/4", i + 1), "--results", part]);
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(summary(&parts), summary(&[&path("whole.jsonl")]));
    assert_eq!(summary(&parts).0, 1);

    // What a run that was ended in the middle of a line leaves.
    let text = std::fs::read_to_string(parts[1]).unwrap();
    let second = text.find('\n').unwrap() + 1;
    std::fs::write(parts[1], &text[..second + 40]).unwrap();
    let torn = fencepost_args(&[&["merge"], &parts[..]].concat());
    assert!(torn.stderr.contains("part2.jsonl:2: the last line is torn"), "{}", torn.stderr);
    assert!(torn.stdout.contains("results are missing"), "{}", torn.stdout);
    let resumed = check(&["--shard", "2/4", "--results", parts[1]]);
    assert!(resumed.stdout.lines().next().unwrap().ends_with("as recorded"), "{}", resumed.stdout);
    assert_eq!(resumed.stdout.matches("as recorded").count(), 1);
    assert_eq!(std::fs::read_to_string(parts[1]).unwrap().lines().count(), text.lines().count());
    assert_eq!(summary(&parts), summary(&[&path("whole.jsonl")]));
}

#[test]
fn a_process_that_is_killed_loses_no_result() {
    let folder = folder("campaign_killed");
    let results = folder.join("results.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["check", "--engine", "explicit", "--results"]).arg(&results);
    command.args(["examples/sb.fp", "examples/lamport3_fenced.fp"]).current_dir(root());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let first = || std::fs::read_to_string(&results).is_ok_and(|text| text.ends_with('\n'));
    while !first() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = std::fs::read_to_string(&results).unwrap();
    assert!(kept.starts_with("{\"schema\":1,\"file\":\"examples/sb.fp\""), "{kept}");
    let again = fencepost_args(&[
        "check",
        "--engine",
        "explicit",
        "--results",
        results.to_str().unwrap(),
        "examples/sb.fp",
    ]);
    assert!(again.stdout.contains("as recorded"), "{}", again.stdout);
    assert_eq!(again.code, 1);
}

#[test]
fn results_are_those_of_a_program_a_method_and_limits() {
    let folder = folder("campaign_changes");
    let results = folder.join("results.jsonl");
    let program = folder.join("a.fp");
    let write = |value: u32| {
        let text = format!("shared int x;\nthread a {{ x = {value}; }}\nfinal forall (x == 1);\n");
        std::fs::write(&program, text).unwrap();
    };
    let check = |more: &[&str]| {
        let args =
            ["check", program.to_str().unwrap(), "--format", "json", "--results", results.to_str().unwrap()];
        let ran = fencepost_args(&[&args, more].concat());
        let lines = std::fs::read_to_string(&results).map_or(0, |text| text.lines().count());
        (ran.code, lines)
    };
    write(1);
    assert_eq!(check(&[]), (0, 1));
    assert_eq!(check(&[]), (0, 1));
    assert_eq!(check(&["--timeout", "7"]), (0, 1), "a verdict does not depend on limits");
    assert_eq!(check(&["--engine", "explicit"]), (0, 2));
    write(2);
    assert_eq!(check(&[]), (1, 3));
    write(1);
    assert_eq!(check(&[]), (0, 3));
    std::fs::write(&program, "thread a { y = 1; }\n").unwrap();
    assert_eq!(check(&[]), (2, 4));
    assert_eq!(check(&[]), (2, 4), "a file that cannot be read is told once");
}

#[test]
fn an_unknown_is_tried_again_with_other_limits() {
    let folder = folder("campaign_limits");
    let results = folder.join("results.jsonl");
    // Far more states than there is time for, and time enough to read it on a busy machine.
    let counters = "shared 0..99 x, y;\nprocess p() { 0..99 c; while (c < 99) { c = c + 1; x = c; y = c; } }\n\
                    start p[3]();\nfinal not exists (x == 0);\n";
    let program = scratch("counters.fp", counters);
    let check = |timeout: &str| {
        let args = ["check", "--engine", "explicit", program.to_str().unwrap(), "--timeout", timeout];
        let ran = fencepost_args(&[&args[..], &["--results", results.to_str().unwrap()]].concat());
        (ran.code, ran.stdout.contains("as recorded"))
    };
    assert_eq!(check("0.5"), (3, false));
    assert_eq!(check("0.5"), (3, true));
    assert_eq!(check("0.6"), (3, false));
}

#[test]
fn litmus_tests_in_parts() {
    let folder = folder("campaign_litmus");
    let tests = folder.join("tests");
    let made = fencepost_args(&["litmus", "--generate-all", "4", "--output", tests.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let litmus = |more: &[&str]| {
        let ran = fencepost_args(
            &[&["litmus", "-q", "--model", "tso", "--model", "pso", tests.to_str().unwrap()], more].concat(),
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let parts: Vec<String> = (1..=3).map(|i| path(&format!("{i}.jsonl"))).collect();
    for (i, part) in parts.iter().enumerate() {
        litmus(&["--shard", &format!("{}/3", i + 1), "--results", part]);
    }
    std::fs::write(path("all.jsonl"), litmus(&["--format", "json"])).unwrap();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (code, joined) = summary(&parts);
    assert_eq!(code, 0);
    assert_eq!(joined["counts"], summary(&[&path("all.jsonl")]).1["counts"]);
    assert!(
        joined["counts"]["litmus tests"]["pso"]["Sometimes"].as_u64()
            > joined["counts"]["litmus tests"]["tso"]["Sometimes"].as_u64()
    );
    let again = litmus(&["--shard", "1/3", "--results", parts[0]]);
    assert!(again.lines().all(|line| line.ends_with("as recorded")), "{again}");
    assert_eq!(summary(&parts[..2]).0, 3, "a part is missing");
}

#[test]
fn a_summary_as_text_and_as_a_page() {
    let folder = folder("campaign_page");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    check(&["--results", &path("a.jsonl")]);
    let ran = fencepost_args(&["merge", &path("a.jsonl"), "--report", &path("a.html")]);
    assert!(ran.stdout.starts_with("21 results for 7 files\n"), "{}", ran.stdout);
    let page = std::fs::read_to_string(path("a.html")).unwrap();
    for part in
        ["<h1>21 results for 7 files</h1>", "explicit (", "<path class=\"curve\"", "examples/peterson.fp"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_is_no_campaign_is_refused() {
    for (args, words) in [
        (&["check", "--shard", "0/4", "examples/sb.fp"][..], "expected I/N"),
        (&["check", "--shard", "5/4", "examples/sb.fp"], "expected I/N"),
        (&["check", "--results", "/nowhere/at/all.jsonl", "examples/sb.fp"], "/nowhere/at/all.jsonl"),
        (&["check", "--link", "--shard", "1/2", "examples/park.c"], "no parts"),
        (
            &["check", "--results", "x.jsonl", "--trace", "t.json", "examples/sb.fp"],
            "--trace needs a run of its own",
        ),
        (&["litmus", "--results", "x.jsonl", "--compare", "sc,tso", "x.litmus"], "need a run of their own"),
        (
            &["check", "--results", "x.jsonl", "--format", "sarif", "examples/sb.fp"],
            "need a run of their own",
        ),
        (&["litmus", "--results", "x.jsonl", "--format", "junit", "x.litmus"], "need a run of their own"),
        (&["merge", "--format", "sarif", "x.jsonl"], "invalid value 'sarif'"),
        (&["check", "docs"], "there is no program in the folder"),
        (&["merge", "examples/sb.fp"], "examples/sb.fp:1: not a result"),
        (&["merge", "/nowhere.jsonl"], "/nowhere.jsonl"),
        (&["check", "--results", "examples/mp.fp", "examples/sb.fp"], "not a result"),
        (&["check", "--results", "examples/sb.fp", "examples/sb.fp"], "would overwrite the program"),
    ] {
        let ran = fencepost_args(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}
