//! The command line: arguments to tasks, tasks to answers, answers to exit codes.
//!
//! Exit codes: 0 safe, 1 unsafe, 2 wrong input or command line, 3 unknown, 101 an internal error; of several, the first
//! that occurs of 101, 2, 1, 3, 0.

mod bench;
mod certify;
mod check;
mod collect;
mod compiler;
mod explain;
mod fences;
mod formula;
mod input;
mod internal;
mod interrupt;
mod litmus;
mod lsp;
mod meant;
mod merge;
mod options;
mod output;
mod outputs;
mod print;
mod progress;
mod repair_log;
mod replay;
mod robust;
mod sequentialize;
mod shell;
mod story;
mod translate;
mod warnings;

use clap::Parser;
use options::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    internal::ask_for_reports();
    // Other bytes than text are clap's to complain of.
    let args: Option<Vec<String>> = std::env::args_os().map(|arg| arg.into_string().ok()).collect();
    let parsed = match args {
        Some(args) => Cli::try_parse_from(compiler::translated(args)),
        None => Cli::try_parse(),
    };
    let cli = match parsed {
        Ok(cli) => cli,
        Err(told) => return output::usage(&told),
    };
    let exit = match cli.command {
        Command::Check(options) => check::run(&options),
        Command::Litmus(options) => litmus::run(&options),
        Command::Robust(options) => robust::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Fences(options) => fences::run(&options),
        Command::Translate(options) => translate::run(&options),
        Command::Sequentialize(options) => sequentialize::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Certify(options) => certify::run(&options),
        Command::Merge(options) => merge::run(&options),
        Command::Completions(options) => shell::completions(&options),
        Command::Man(options) => shell::man(&options),
        Command::Lsp(_) => lsp::run(),
        Command::Bench(options) => bench::run(&options),
    };
    let exit = if output::has_failed() { exit.and(Exit::Wrong) } else { exit };
    ExitCode::from(exit as u8)
}

/// What the process ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// Safe, or robust, or the trace replays, or the proof holds.
    Good = 0,
    /// Unsafe, or not robust, or the trace or proof is rejected.
    Bad = 1,
    /// The input or the command line is wrong.
    Wrong = 2,
    /// No verdict.
    Unknown = 3,
    /// A bug in Fencepost.
    Internal = 101,
}

impl Exit {
    /// The code of two results together.
    fn and(self, other: Exit) -> Exit {
        let order = [Exit::Internal, Exit::Wrong, Exit::Bad, Exit::Unknown, Exit::Good];
        order.into_iter().find(|e| *e == self || *e == other).unwrap_or(Exit::Good)
    }
}
