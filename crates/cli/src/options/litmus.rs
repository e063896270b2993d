//! `litmus`.

use super::{CampaignOptions, EngineName, Format, seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub const LITMUS_EXAMPLES: &str = "\
Examples:
  fencepost litmus SB.litmus                               final states under TSO
  fencepost litmus --model sc --model pso tests/           a folder, under two models
  fencepost litmus --expect expected-tso.jsonl             compares with recorded answers
  fencepost litmus --compare sc,tso,pso tests/             which tests tell the models apart
  fencepost litmus --compare sc,tso,pso --report t.html tests/  with the runs that do drawn
  fencepost litmus --model c11 MP.litmus                   a test in C, under the model of the language
  fencepost litmus --oracle axiomatic SB.litmus            by the axioms, without running anything
  fencepost litmus --generate 'PodWR Fre PodWR Fre'        prints the test SB
  fencepost litmus --generate-all 4 --output tests         all tests from cycles of up to 4 relations

Exit codes: 0 the run is complete, 1 an answer differs from --expect, 2 a test cannot be read, 3 unknown.";

/// Another way to find final states, to compare with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Oracle {
    /// Enumerate executions and accept them by axioms.
    Axiomatic,
}

/// What a test is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LitmusModel {
    Sc,
    Tso,
    Pso,
    /// The language's own model: for tests in C
    C11,
}

/// What belongs to a release sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SequencesName {
    /// A release store and read-modify-writes; C23 has the same
    #[value(name = "c++20")]
    Cxx20,
    /// Also later stores of the same thread, as in C11 and C17
    C11,
}

/// The kinds of tests that are made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestArch {
    /// 32 bits, destination first.
    #[value(name = "X86", alias = "x86")]
    X86,
    /// 64 bits, destination last.
    #[value(name = "X86_64", alias = "x86_64")]
    X86_64,
}

#[derive(Args)]
pub struct LitmusOptions {
    /// Tests, folders with tests, and lists of tests (`@list`); `-` is standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Memory model; may be repeated
    #[arg(long = "model", value_enum, value_name = "MODEL", default_value = "tso")]
    pub models: Vec<LitmusModel>,
    /// Method
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Find the final states another way
    #[arg(long, value_enum)]
    pub oracle: Option<Oracle>,
    /// Say which tests tell these models apart, as in `sc,tso,pso`
    #[arg(long, value_enum, value_name = "MODELS", value_delimiter = ',')]
    pub compare: Vec<LitmusModel>,
    /// What belongs to a release sequence under `c11`
    #[arg(long, value_enum, value_name = "STANDARD", default_value = "c++20")]
    pub release_sequences: SequencesName,
    /// Compare with recorded answers; without PATH, on the tests that they are of
    #[arg(long, value_name = "FILE.jsonl")]
    pub expect: Option<PathBuf>,
    /// Only the tests of this name; `*` stands for any text; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Only tests whose names contain this; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub filter: Vec<String>,
    /// Tests at a time [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Seconds for each test and model
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Megabytes for each test and model [default: 80 % of the machine's]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Write a page with a table of tests and models, and the runs that tell models apart drawn
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Output
    #[arg(long, value_parser = Format::among(&[Format::Text, Format::Json, Format::Junit]), default_value = "text")]
    pub format: Format,
    /// Make the test of a cycle of relations, as in 'PodWR Fre PodWR Fre'
    #[arg(long, value_name = "CYCLE", num_args = 1.., conflicts_with_all = ["paths", "expect", "compare"])]
    pub generate: Vec<String>,
    /// Make the tests of all cycles of up to so many relations
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(2..=8),
          conflicts_with_all = ["paths", "expect", "compare", "generate"])]
    pub generate_all: Option<u32>,
    /// What made tests are written for
    #[arg(long, value_enum, value_name = "ARCH", default_value = "X86_64")]
    pub arch: TestArch,
    /// Write made tests into this folder instead of printing them
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Exit with 0 where the answer is unknown
    #[arg(long)]
    pub allow_unknown: bool,
    /// No summary and no progress
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub campaign: CampaignOptions,
}
