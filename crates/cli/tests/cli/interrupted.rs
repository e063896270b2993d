//! Ctrl-C before everything was looked at never ends with 0: not all files or models have a verdict.
//!
//! So that the interrupt comes after a good verdict and before the last one, nobody reads what is printed: once the pipe is full, the
//! run waits in the middle of a result. Then comes the interrupt, and only then is the rest read.

use crate::{root, scratch};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Ends a run that waits for its reader; its exit code and how many lines it printed.
fn interrupted(args: &[String]) -> (Option<i32>, usize) {
    let child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until_asleep(child.id());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(300));
    let output = child.wait_with_output().unwrap();
    (output.status.code(), output.stdout.iter().filter(|byte| **byte == b'\n').count())
}

/// Waits until a process takes no more time: its main thread waits for the pipe.
fn wait_until_asleep(process: u32) {
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        assert_ne!(fields[0], "Z", "it should wait for its reader");
        (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap(), fields[0] == "S")
    };
    let mut before = ticks();
    for _ in 0..120 {
        std::thread::sleep(Duration::from_millis(500));
        let now = ticks();
        if now == before && now.1 && now.0 > 0 {
            return;
        }
        before = now;
    }
    panic!("the run goes on without its reader");
}

/// Many files of the same text.
fn files(name: &str, extension: &str, text: &str) -> Vec<String> {
    let file = |i: usize| -> PathBuf { scratch(&format!("{name}_{i}.{extension}"), text) };
    (0..500).map(|i| file(i).display().to_string()).collect()
}

#[track_caller]
fn is_unknown(command: &str, files: &[String], results: usize) {
    let args: Vec<String> = command.split(' ').map(str::to_string).chain(files.iter().cloned()).collect();
    let (code, lines) = interrupted(&args);
    assert!(lines < results, "{command}: {lines} lines, the pipe was not full");
    assert_eq!(code, Some(3), "{command}: {lines} lines");
}

const SAFE: &str =
    "shared bool x; thread t { x@release = true; assert(x); } thread u { bool r; r = x@acquire; }";

#[test]
#[cfg(target_os = "linux")]
fn files_and_models_that_are_left_out_are_unknown() {
    let programs = files("left", "fp", SAFE);
    is_unknown("check --format json", &programs, 500);
    is_unknown("check --format json --model sc --model tso --model pso", &programs, 1500);
    is_unknown("robust --format json", &programs, 500);
    is_unknown("robust --format json --model tso --model c11", &programs, 1000);
    let test = "X86 T\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n";
    is_unknown("litmus --format json --jobs 1", &files("left", "litmus", test), 500);
}

/// The runs that its fence prevents are long, so that the result of the first model fills the pipe.
#[test]
#[cfg(target_os = "linux")]
fn a_model_without_fences_is_unknown() {
    let text = "shared 0..1 x, y;
        thread t { 0..700 i; while (i < 700) { i = i + 1; } x = 1; assume(y == 0); got: skip; }
        thread u { y = 1; assume(x == 0); got: skip; }
        forbid t at got and u at got;";
    let file = scratch("left_fences.fp", text).display().to_string();
    is_unknown("fences --format json --model tso --model pso", &[file], 2);
}
