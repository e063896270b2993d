//! Files that a run reads and writes: no input is written over, no two results go to one file, and what cannot be written
//! is known before any work is done. What goes wrong later ends with a message and 2.

use crate::{Ran, fencepost_args, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const UNSAFE: &str = "shared bool x; shared bool y; shared bool p; shared bool q;
thread t { x = true; if (!y) { p = true; } } thread u { y = true; if (!x) { q = true; } }
final not exists (p && q);";

const LITMUS: &str = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

/// A folder of its own with a program, a test, a C file and its header.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let program = scratch(&format!("nothing_lost_{name}/x.fp"), UNSAFE);
        let folder = program.parent().unwrap().to_path_buf();
        fs::remove_dir_all(&folder).unwrap();
        let program = scratch(&format!("nothing_lost_{name}/x.fp"), UNSAFE);
        assert!(program.is_file());
        fs::write(folder.join("x.litmus"), LITMUS).unwrap();
        fs::write(folder.join("h.h"), "#define ONE 1\n").unwrap();
        let c = "#include <assert.h>\n#include \"h.h\"\nint x = ONE;\nint main(void) { assert(x == 2); }\n";
        fs::write(folder.join("x.c"), c).unwrap();
        Folder(folder)
    }

    /// Runs a command in the folder, in which `F` is the program.
    fn run(&self, command: &str) -> Ran {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        process.args(command.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        let output = process.output().unwrap();
        Ran {
            code: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn texts(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut paths: Vec<_> = fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().filter(|p| p.is_file()).map(|p| (p.clone(), fs::read(p).unwrap())).collect()
    }

    /// The command is refused before it does anything, and everything stays as it was.
    #[track_caller]
    fn refuses(&self, command: &str, message: &str) {
        let before = self.texts();
        let ran = self.run(command);
        assert_eq!(ran.code, 2, "{command}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(message), "{command}\n{}", ran.stderr);
        assert_eq!(ran.stdout, "", "{command}");
        assert_eq!(self.texts(), before, "{command}");
    }
}

#[test]
fn an_input_is_never_an_output() {
    let folder = Folder::new("inputs");
    let path = |name: &str| folder.0.join(name);
    std::os::unix::fs::symlink("x.fp", path("link.fp")).unwrap_or_default();
    let _ = fs::hard_link(path("x.fp"), path("hard.fp"));
    for name in ["x.fp", "./x.fp", "link.fp", "hard.fp", "../nothing_lost_inputs/x.fp"] {
        for option in ["--trace", "--certificate", "--report", "--svg", "--dimacs", "--proof", "--results"] {
            folder.refuses(&format!("check {option} {name} x.fp"), "would overwrite the program");
        }
        folder.refuses(&format!("explain --report {name} x.fp"), "would overwrite the program");
        folder.refuses(&format!("robust --svg {name} x.fp"), "would overwrite the program");
        folder.refuses(&format!("fences --apply -o {name} x.fp"), "would overwrite the program");
        folder.refuses(&format!("translate --rounds 1 -o {name} x.fp"), "would overwrite the program");
        folder.refuses(&format!("sequentialize -o {name} x.fp"), "would overwrite the program");
    }
    folder.refuses("litmus --report x.litmus x.litmus", "would overwrite the test");
    folder.refuses("litmus --results x.litmus .", "would overwrite the test");
    fs::write(path("@list"), "x.litmus\n").unwrap();
    folder.refuses("litmus --report @list @list", "would overwrite the list");
    fs::write(path("list"), "x.fp\n").unwrap();
    for option in ["--trace", "--report", "--svg", "--results"] {
        folder.refuses(&format!("check {option} list @list"), "would overwrite the list");
    }
    fs::write(path("tests"), "x.litmus\n").unwrap();
    folder.refuses("litmus --report tests @tests", "would overwrite the list");
    fs::write(path("known.jsonl"), "").unwrap();
    folder.refuses("litmus --expect known.jsonl --report known.jsonl x.litmus", "the recorded answers");
    folder.refuses("merge --report known.jsonl known.jsonl", "would overwrite the results");
}

/// What standard input is read from is an input, too.
#[test]
fn standard_input_is_an_input() {
    let folder = Folder::new("stdin");
    fs::write(folder.0.join("known.jsonl"), "").unwrap();
    for (command, file, message) in [
        ("check - --input-format fp --trace x.fp", "x.fp", "would overwrite the program"),
        ("robust - --input-format fp --report x.fp", "x.fp", "would overwrite the program"),
        ("fences - --input-format fp --apply -o x.fp", "x.fp", "would overwrite the program"),
        ("translate - --input-format fp --rounds 1 -o x.fp", "x.fp", "would overwrite the program"),
        ("litmus - --report x.litmus", "x.litmus", "would overwrite the"),
        ("merge --report known.jsonl -", "known.jsonl", "would overwrite the results"),
    ] {
        let before = folder.texts();
        let mut process = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        let input = fs::File::open(folder.0.join(file)).unwrap();
        process.args(command.split_whitespace()).current_dir(&folder.0).stdin(input);
        let output = process.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(stderr.contains(message), "{command}: {stderr}");
        assert_eq!(folder.texts(), before, "{command}");
    }
}

#[test]
fn a_header_is_an_input() {
    let folder = Folder::new("headers");
    for command in [
        "check --model sc --trace h.h x.c",
        "check --model sc --witness ./h.h x.c",
        "robust --report h.h x.c",
        "fences --apply -o h.h x.c",
        "translate --rounds 1 -o h.h x.c",
        "sequentialize -o h.h x.c",
    ] {
        folder.refuses(command, "h.h, which the program includes");
    }
}

#[test]
fn two_results_never_go_to_one_file() {
    let folder = Folder::new("outputs");
    folder.refuses("check --trace X --report X x.fp", "--trace and --report would write to one file");
    folder.refuses("check --trace X --report ./X x.fp", "--trace and --report would write to one file");
    folder.refuses("check --dimacs X --proof X x.fp", "--dimacs and --proof would write to one file");
    folder.refuses("robust --report X --svg X x.fp", "--report and --svg would write to one file");
    folder.refuses("check --dimacs X --model sc --model tso x.fp", "--dimacs needs one file and one model");
    std::os::unix::fs::symlink("Y", folder.0.join("to_y")).unwrap_or_default();
    folder.refuses("check --trace to_y --report Y x.fp", "--trace and --report would write to one file");
    let ran = folder.run("check --trace /dev/null --report /dev/null x.fp");
    assert_eq!(ran.code, 1, "what keeps nothing can be named twice: {}", ran.stderr);
}

#[test]
fn what_cannot_be_written_is_known_at_once() {
    let folder = Folder::new("folders");
    for (path, why) in [
        ("nodir/x.html", "there is no folder nodir"),
        ("x.fp/x.html", "x.fp is no folder"),
        (".", "it is a folder"),
        ("/proc/nothing/x", "there is no folder"),
    ] {
        for command in [
            "check --report PATH x.fp",
            "check --dimacs PATH x.fp",
            "check --results PATH x.fp",
            "litmus --report PATH x.litmus",
            "robust --report PATH x.fp",
            "fences --apply -o PATH x.fp",
            "translate --rounds 1 -o PATH x.fp",
            "sequentialize -o PATH x.fp",
        ] {
            folder.refuses(&command.replace("PATH", path), why);
        }
    }
}

#[test]
fn files_that_are_no_results_are_left_alone() {
    let folder = Folder::new("results");
    fs::write(folder.0.join("notes.txt"), "buy milk").unwrap();
    folder.refuses("check --results notes.txt x.fp", "notes.txt:1: not a result");
    folder.refuses("check --results /dev/full x.fp", "not a file of results");
    fs::write(folder.0.join("notes.json"), "{\"milk\":1}").unwrap();
    folder.refuses("check --results notes.json x.fp", "notes.json:1: not a result");
}

#[test]
fn old_files_are_replaced_as_a_whole() {
    let folder = Folder::new("replaced");
    let (trace, link) = (folder.0.join("old.json"), folder.0.join("link.json"));
    fs::write(&trace, "old").unwrap();
    std::os::unix::fs::symlink("old.json", &link).unwrap();
    assert_eq!(folder.run("check --trace link.json x.fp").code, 1);
    assert!(link.is_symlink(), "the link stays, and what it leads to is new");
    assert!(fs::read_to_string(&trace).unwrap().starts_with('{'));
    let left: Vec<_> =
        folder.texts().into_iter().filter(|(p, _)| p.display().to_string().contains("/.")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(folder.run("check --engine bmc --rounds 2 --dimacs link.json x.fp").code, 1);
    assert!(fs::read_to_string(&trace).unwrap().contains("p cnf"));
}

#[test]
fn a_full_disk_is_a_message() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new("full");
    for command in [
        "check --trace /dev/full x.fp",
        "check --report /dev/full x.fp",
        "check --engine bmc --rounds 2 --dimacs /dev/full x.fp",
        "robust --report /dev/full x.fp",
        "litmus --report /dev/full x.litmus",
        "translate --rounds 1 -o /dev/full x.fp",
        "fences --apply -o /dev/full x.fp",
    ] {
        let ran = folder.run(command);
        assert_eq!(ran.code, 2, "{command}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("No space left"), "{command}\n{}", ran.stderr);
    }
    for command in
        ["check x.fp", "check --format json x.fp", "litmus x.litmus", "robust x.fp", "--help", "man"]
    {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        process.args(command.split_whitespace()).current_dir(&folder.0).stdin(Stdio::null());
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = process.stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("error: standard output: No space left"), "{command}: {said}");
    }
}

/// Standard output is a pipe without a reader.
#[test]
fn a_closed_pipe_is_no_news() {
    let folder = Folder::new("closed");
    for command in
        ["check x.fp", "check x.fp x.fp x.fp", "litmus x.litmus", "robust x.fp", "fences x.fp", "--help"]
    {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        process.args(command.split_whitespace()).current_dir(&folder.0).stdin(Stdio::null());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = process.stdout(writer).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &said[..]), (Some(2), ""), "{command}");
    }
}

/// Nothing of the source gets to a terminal that would do something there.
#[test]
fn control_characters_of_the_source_are_masked() {
    let folder = Folder::new("masked");
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J";
    let fp = UNSAFE.replace("thread u", &format!("/* {evil} */ thread u"));
    let named = format!("e{evil}.fp").replace('/', "");
    fs::write(folder.0.join("evil.fp"), &fp).unwrap();
    fs::write(folder.0.join(&named), &fp).unwrap();
    let c = format!(
        "#include <assert.h>\nint x;\nint main(void) {{ /* {evil} */ x = 1; assert(x == 2); /* {evil} */ }}\n"
    );
    fs::write(folder.0.join("evil.c"), c).unwrap();
    let litmus = LITMUS.replace("X86 SB", &format!("X86 SB{evil}\n\"{evil}\""));
    fs::write(folder.0.join("evil.litmus"), litmus).unwrap();
    let file = named.as_str();
    let path = folder.0.join(file).display().to_string();
    let mut runs = vec![fencepost_args(&["check", &path]), fencepost_args(&["fences", &path])];
    for command in [
        "check evil.fp",
        "check -v evil.fp",
        "explain evil.fp",
        "fences evil.fp",
        "robust evil.fp",
        "check --model sc evil.c",
        "explain --model sc evil.c",
        "litmus evil.litmus",
        "check evil.litmus",
        "check --print tree evil.c",
        "check --format junit evil.c",
        "check --format json evil.c",
        "check --format sarif evil.c",
    ] {
        runs.push(folder.run(command));
    }
    for ran in runs {
        let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains(is_control), "{said:?}");
        assert_ne!(ran.code, 101, "{said}");
    }
}
