//! `robust`.

use super::{Format, InputOptions, SequencesName, seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub const ROBUST_EXAMPLES: &str = "\
Examples:
  fencepost robust examples/peterson.fp                    all stores that a load can overtake with effect
  fencepost robust --criterion trf examples/clh.fp         the stricter criterion, triangular races
  fencepost robust --model c11 examples/treiber.c          against the language's own model, with its data races
  fencepost robust --format json examples/*.fp             for scripts
  fencepost robust --format sarif src/*.c                  for code scanning

Exit codes: 0 robust, 1 not robust or a data race, 2 wrong input, 3 unknown.";

/// What robust means.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Every TSO run has the happens-before relation of an SC run.
    Traces,
    /// No SC run has a triangular race: stricter, and enough for that.
    Trf,
}

/// What a program is robust against.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RobustModel {
    /// Store buffers
    Tso,
    /// The language's own model
    C11,
}

#[derive(Args)]
pub struct RobustOptions {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What it is robust against; may be repeated
    #[arg(long = "model", value_enum, value_name = "MODEL", default_value = "tso")]
    pub models: Vec<RobustModel>,
    /// What belongs to a release sequence under c11
    #[arg(long, value_enum, value_name = "STANDARD", default_value = "c++20")]
    pub release_sequences: SequencesName,
    /// What robust means
    #[arg(long, value_enum, default_value = "traces")]
    pub criterion: Criterion,
    /// Seconds for each file
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Megabytes for each file [default: 80 % of the machine's]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Write the attacks as a page, with runs and cycles drawn (one file)
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write a drawing of the first attack's happens-before cycle (one file)
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Exit with 0 where the answer is unknown
    #[arg(long)]
    pub allow_unknown: bool,
    /// Say nothing but the verdicts
    #[arg(short, long)]
    pub quiet: bool,
    /// Show the run of every attack, and every step of it
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub input: InputOptions,
}
