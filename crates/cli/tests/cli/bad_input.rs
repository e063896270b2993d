//! Wrong input and wrong command lines: a message with its place, exit code 2, never a panic.

use crate::{check, fencepost, fencepost_args, root, scratch};
use fencepost_samples::Rng;
use fencepost_samples::effort::seeds;
use fencepost_samples::mutate::mutate;

#[test]
fn a_syntax_error_shows_file_line_column_and_the_line() {
    let ran = check("syntax.fp", "shared int x;\nthread t {\n    x = ;\n}\n", &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("syntax.fp:3:9"), "{}", ran.stderr);
    assert!(ran.stderr.contains("x = ;"), "{}", ran.stderr);
    assert!(ran.stderr.contains("expected an expression"), "{}", ran.stderr);
}

#[test]
fn json_carries_the_diagnostics() {
    let ran = check("syntax_json.fp", "shared int x;\nthread t { y = 1; }", &["--format", "json"]);
    let line = crate::json(&ran.stdout);
    assert_eq!((ran.code, line["verdict"].as_str()), (2, Some("error")));
    let diagnostic = &line["diagnostics"][0];
    assert_eq!((diagnostic["line"].as_u64(), diagnostic["column"].as_u64()), (Some(2), Some(12)));
}

#[test]
fn a_program_without_property_is_wrong_input() {
    let ran = check("nothing.fp", "shared int x; thread t { x = 1; }", &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("nothing to check"), "{}", ran.stderr);
}

#[test]
fn files_that_are_no_text() {
    let folder = scratch("unused", "");
    let binary = folder.with_file_name("binary.fp");
    std::fs::write(&binary, [0xff, 0xfe, 0x00, 0x80]).unwrap();
    for (path, message) in [
        (binary.to_str().unwrap(), "UTF-8"),
        ("docs", "there is no program in the folder"),
        ("nowhere.fp", "nowhere.fp"),
        ("Cargo.toml", "--input-format"),
    ] {
        let ran = fencepost_args(&["check", path]);
        assert_eq!(ran.code, 2, "{path}");
        assert!(ran.stderr.contains(message), "{path}: {}", ran.stderr);
    }
    assert_eq!(check("strange_name.model", "thread t { assert(false); }", &["--input-format", "fp"]).code, 1);
}

#[test]
fn wrong_command_lines() {
    for command in [
        "check",
        "check --model arm examples/sb.fp",
        "check --engine magic examples/sb.fp",
        "check --buffer 0 examples/sb.fp",
        "check --buffer many examples/sb.fp",
        "check --threads 0 examples/sb.fp",
        "check --timeout -1 examples/sb.fp",
        "check --timeout soon examples/sb.fp",
        "check --memory 0 examples/sb.fp",
        "check --format xml examples/sb.fp",
        "check --trace t.json examples/sb.fp examples/mp.fp",
        "check --trace t.json --model sc --model tso examples/sb.fp",
        "check --trace examples/sb.fp examples/sb.fp",
        "replay examples/spinlock_template.fp examples/verdicts.txt",
        "check --no-such-option examples/sb.fp",
        "conjure examples/sb.fp",
        "replay examples/sb.fp",
        "",
    ] {
        let ran = fencepost(command);
        assert_eq!(ran.code, 2, "{command}: {}", ran.stdout);
        assert!(!ran.stderr.is_empty(), "{command}");
    }
    assert!(!root().join("t.json").exists(), "nothing is written");
}

#[test]
fn help_and_version() {
    for command in ["--help", "check --help", "replay --help", "--version"] {
        let ran = fencepost(command);
        assert_eq!(ran.code, 0, "{command}");
        assert!(ran.stdout.contains("fencepost"), "{command}");
    }
}

#[test]
fn deep_and_wide_programs() {
    let deep =
        format!("thread t {{ int x = {}1{}; assert(x == 1); }}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(check("deep.fp", &deep, &[]).code, 2);
    let blocks = format!("thread t {{ {} {} assert(true); }}", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(check("blocks.fp", &blocks, &[]).code, 2);
    let long = format!("thread t {{ int x = 0{}; assert(x == 1); }}", " + 1".repeat(100_000));
    assert_eq!(check("long.fp", &long, &[]).code, 2);
    let unary = format!("thread t {{ int x = {}1; assert(x == 1); }}", "- ".repeat(100_000));
    assert_eq!(check("unary.fp", &unary, &[]).code, 2);
    let wide = format!("shared int x; thread t {{ {} assert(x == 1); }}", "x = 1; ".repeat(2_000));
    assert_eq!(check("wide.fp", &wide, &["--model", "sc"]).code, 0);
}

/// Broken examples through the whole program: always an answer or a diagnostic.
#[test]
fn mutated_examples_are_answered_or_refused() {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if let Some(extension @ ("fp" | "c")) = path.extension().and_then(|e| e.to_str()) {
            texts.push((extension.to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    texts.sort();
    let mut rng = Rng::new(11);
    let mut codes = [0; 4];
    let rounds = seeds(250) as usize;
    for round in 0..rounds {
        let (extension, text) = &texts[round % texts.len()];
        let text = mutate(text, &mut rng);
        let name = format!("mutant_{}.{extension}", round % 8);
        let ran = check(&name, &text, &["--timeout", "1", "--threads", "2"]);
        assert!((0..4).contains(&ran.code), "exit {}: {}\n{text}", ran.code, ran.stderr);
        if ran.code == 2 {
            let place = format!(".{extension}:");
            assert!(ran.stderr.contains(&place), "no place: {}\n{text}", ran.stderr);
        }
        codes[ran.code as usize] += 1;
    }
    assert!(codes[2] > rounds / 13 && codes[0] + codes[1] > rounds / 13, "{codes:?}");
}

/// What never ends is refused at 64 MB.
#[cfg(unix)]
#[test]
fn inputs_without_end_are_refused() {
    use std::process::{Command, Stdio};
    for format in ["fp", "c", "litmus"] {
        let ran = fencepost(&format!("check /dev/zero --input-format {format}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("/dev/zero: larger than 64 MB"), "{}", ran.stderr);
    }
    let mut yes = Command::new("yes").stdout(Stdio::piped()).spawn().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["check", "-"])
        .stdin(yes.stdout.take().unwrap())
        .output()
        .unwrap();
    yes.kill().unwrap();
    yes.wait().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("larger than 64 MB"), "{stderr}");
}

/// So is what a preprocessor makes without end, and what it would read without end.
#[cfg(unix)]
#[test]
fn preprocessors_without_end_are_stopped() {
    use std::os::unix::fs::PermissionsExt;
    let script = scratch("endless_cpp", "#!/bin/sh\nexec yes\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = check("endless.c", "int main(void) { return 0; }\n", &["--cpp", script.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("larger than 64 MB"), "{}", ran.stderr);
    let ran = check("zeros.c", "int x;\n#include \"/dev/zero\"\nint main(void) { return 0; }\n", &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("zeros.c:2") && ran.stderr.contains("not a file"), "{}", ran.stderr);
}
