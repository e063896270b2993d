//! The command line from outside: verdicts of the examples, exit codes, JSON, traces, limits, bad
//! input. One binary for all of it.

mod after;
mod asked;
mod auto;
mod bad_input;
mod bmc;
mod browser;
mod c;
mod c11;
mod c_checks;
mod c_library;
mod c_life;
mod c_memory;
mod c_output;
mod c_pointers;
mod c_random;
mod c_threads;
mod c_verdicts;
mod campaign;
mod caps;
mod certify;
mod ci;
mod compiler_flags;
mod docs;
mod examples;
mod explain;
mod fences;
mod internal;
mod interrupted;
mod json_schema;
mod junit;
mod limits;
mod litmus;
mod long_texts;
mod lsp;
mod nothing_lost;
mod output;
mod packaging;
mod pages;
mod pairs;
mod replay;
mod robust;
mod sarif;
mod sarif_standard;
mod sequential_queues;
mod terminal;
mod test_binaries;
mod translate;
mod translate_c;
mod translate_objects;
mod translated;
mod witness;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the program gave.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `fencepost` with the words of `command` in the root of the repository.
fn fencepost(command: &str) -> Ran {
    fencepost_args(&command.split_whitespace().collect::<Vec<_>>())
}

fn fencepost_args(args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    let output = command.output().expect("the binary runs");
    let stdout = String::from_utf8(output.stdout).unwrap();
    json_schema::check_output(args, &stdout);
    Ran {
        code: output.status.code().expect("not ended by a signal"),
        stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file in a folder of this test's own: others run beside it, and may use the same names.
fn scratch(name: &str, text: &str) -> PathBuf {
    let thread = std::thread::current();
    let mut test = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(thread.name().unwrap_or("main"), &mut test);
    // Some tests look at lines that begin with the file's path.
    let number = std::hash::Hasher::finish(&test) as u32;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(format!("{number:08x}"));
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

/// Checks a program text with more arguments.
fn check(name: &str, text: &str, args: &[&str]) -> Ran {
    let path = scratch(name, text);
    fencepost_args(&[&["check", path.to_str().unwrap()], args].concat())
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))
}
