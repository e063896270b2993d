//! What a person at a terminal sees: colours, lines that fit, progress; and what Ctrl-C leaves.

use crate::{root, scratch};
use fencepost_samples::programs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command in a terminal of so many columns; `None` where there is nothing to make one with.
fn in_terminal(columns: u32, environment: &str, args: &str) -> Option<String> {
    let binary = env!("CARGO_BIN_EXE_fencepost");
    let inner = format!("stty cols {columns} rows 50; {environment} '{binary}' {args}");
    if !programs::has("script") {
        return None;
    }
    let ran = Command::new("script").args(["-qec", &inner, "/dev/null"]).current_dir(root()).output();
    Some(String::from_utf8(ran.unwrap().stdout).unwrap())
}

/// Text without colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("\x1b[");
    out += parts.next().unwrap_or("");
    for part in parts {
        out += part.split_once(['m', 'K']).map_or("", |(_, rest)| rest);
    }
    out.replace('\r', "")
}

#[test]
fn lines_fit_narrow_terminals() {
    for columns in [40, 60, 80, 200] {
        for args in
            ["check examples/peterson.fp", "explain --model pso examples/mp.fp", "robust examples/sb.fp"]
        {
            let Some(text) = in_terminal(columns, "", args) else { return };
            let body: Vec<String> = plain(&text).lines().skip(1).map(str::to_string).collect();
            assert!(body.len() > 8, "{text}");
            for line in &body {
                assert!(line.chars().count() <= columns as usize, "{columns} columns, {args}: {line}");
            }
        }
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let Some(text) = in_terminal(200, "", "check examples/peterson.fp") else { return };
    assert!(text.contains("\x1b[1m\x1b[31munsafe\x1b[0m"), "{text}");
    assert!(text.contains("\x1b[31mstore turn = 1  <- overtaken by 4\x1b[0m"), "{text}");
    let without = in_terminal(100, "NO_COLOR=1", "check examples/peterson.fp").unwrap();
    assert!(!without.contains('\x1b'), "{without}");
    assert!(!crate::fencepost("check examples/peterson.fp").stdout.contains('\x1b'), "a pipe is no terminal");
}

const ENDLESS: &str = "shared u32 x, y; thread t { u32 r; while (true) { r = r + 1; x = r; r = y; } }
    thread u { u32 r; while (true) { r = r + 1; y = r; r = x; } } thread v { assert(x != 4000000000); }";

#[test]
fn long_work_shows_progress_with_an_estimate() {
    let program = scratch("terminal/endless.fp", ENDLESS);
    let args = format!("check --timeout 2 '{}'", program.display());
    let Some(text) = in_terminal(160, "", &args) else { return };
    assert!(text.contains(" states, ") && text.contains(" waiting, "), "{text}");
    assert!(text.contains("at least ") && text.contains("time limit in "), "{text}");
}

/// Buffers grow forever, and each bound is soon done with.
const STORING: &str =
    "shared bool x; thread t { while (true) { x = true; } } thread u { bool r = x; assert(r == r); }";

/// Ctrl-C ends the work with what is known, and what was asked for is written.
#[test]
fn ctrl_c_leaves_what_is_known() {
    let program = scratch("terminal/interrupted.fp", STORING);
    let page = program.with_extension("html");
    for args in [&["check", "--engine", "explicit"][..], &["explain", "--engine", "explicit"]] {
        let _ = std::fs::remove_file(&page);
        let child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .args(args)
            .args([&program, std::path::Path::new("--report"), &page])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let start = Instant::now();
        let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(interrupted.success());
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("unknown: ") && text.contains("cancelled"), "{text}");
        assert!(text.contains("no violation up to buffer"), "{text}");
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(
            page.contains("cancelled") && page.contains("no violation up to buffer"),
            "the page says so, too"
        );
    }
}
