//! `check` and `explain`, and bounded model checking.

use super::{CampaignOptions, EngineName, Format, InputOptions, SearchOrder, SequencesName, seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub const CHECK_EXAMPLES: &str = "\
Examples:
  fencepost check examples/peterson.fp                     under TSO
  fencepost check --model sc --model pso examples/*.fp     under two models
  fencepost check --model all examples/treiber.c           under all models, that of the language among them
  fencepost check --threads 3 lock.fp                      three threads for each template
  fencepost check --format json examples/*.fp              for scripts
  fencepost check --format sarif examples/*.c              one log with code flows and fixes, for code scanning
  fencepost check --format junit examples/*.c              one test report, for CI servers
  fencepost check --trace bug.json examples/peterson.fp    saves the run
  fencepost check --report bug.html examples/peterson.fp   draws it on a page to step through
  fencepost check --engine bmc --rounds 3 examples/park.c  all runs of three rounds, by a solver
  fencepost check --engine age --age 2 examples/dekker.c   no store on its way for more than two rounds";

pub const EXPLAIN_EXAMPLES: &str = "\
Examples:
  fencepost explain examples/peterson.fp                   under TSO
  fencepost explain --model pso examples/mp.fp             stores that overtake stores
  fencepost explain --report bug.html examples/chaselev.c  a page to step through the run

Exit codes: as for check.";

/// What a program is checked under.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckModel {
    Sc,
    Tso,
    Pso,
    /// The language's own model: what is safe there is safe on every machine
    C11,
    /// All of them; files whose accesses have no memory orders are left out of c11
    All,
}

#[derive(Args)]
pub struct CheckOptions {
    /// Programs, folders with programs, and lists of them (`@list`); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Memory models, separated by commas; may be repeated
    #[arg(
        long = "model",
        value_enum,
        value_name = "MODEL",
        default_value = "tso",
        value_delimiter = ',',
        ignore_case = true
    )]
    pub models: Vec<CheckModel>,
    /// What belongs to a release sequence under c11
    #[arg(long, value_enum, value_name = "STANDARD", default_value = "c++20")]
    pub release_sequences: SequencesName,
    /// Method
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Entries in each store buffer; a safe verdict then holds up to this bound only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub buffer: Option<u32>,
    /// Rounds of its thread that a store may be on its way (age) [default: grown]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub age: Option<u32>,
    /// Extensions that the lazy engine tries
    #[arg(long, value_name = "N", default_value_t = fencepost_robust::lazy::DEFAULT_ITERATIONS,
          value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub iterations: u32,
    /// Seconds for each file and model
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Megabytes for each file and model [default: 80 % of the machine's]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Cores for engines side by side [default: all]; with 1, the same file gives the same run every time
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Order of the explicit search
    #[arg(long, value_enum, default_value = "bfs")]
    pub search: SearchOrder,
    /// Search without reductions, for comparison
    #[arg(long)]
    pub no_reduction: bool,
    /// Output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Save the violating run (one file and one model)
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
    /// Save the proof of a safe verdict, if the engine gives one (one file and one model)
    #[arg(long, value_name = "FILE.json")]
    pub certificate: Option<PathBuf>,
    /// Save the violation of a C program under SC as a witness for SV-COMP (one file, `--model sc`)
    #[arg(long, value_name = "FILE.yml")]
    pub witness: Option<PathBuf>,
    /// Write the verdict as a page, with the run drawn (one file and one model)
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write a drawing of the run (one file and one model)
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Show an intermediate form instead of checking: `tree`, `cfg`, `automata` (DOT), `extended` (the lazy
    /// engine's last program) or `after:PASS`; bmc's passes are `inline`, `unroll`, `number`, `sequentialize`
    #[arg(long, value_name = "WHAT")]
    pub print: Option<String>,
    /// Exit with 2 where there is a warning: nothing is checked, no thread is started, a pragma is ignored
    #[arg(long)]
    pub strict: bool,
    /// Exit with 0 where the answer is unknown
    #[arg(long)]
    pub allow_unknown: bool,
    /// Say nothing but the verdicts
    #[arg(short, long)]
    pub quiet: bool,
    /// Show every step of a run
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub campaign: CampaignOptions,
    #[command(flatten)]
    pub bmc: BmcOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Args)]
pub struct ExplainOptions {
    /// Seconds for the search for fences
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub fence_time: f64,
    #[command(flatten)]
    pub check: CheckOptions,
}

/// Shared-memory abstractions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SmaName {
    /// No buffers: SC.
    Sc,
    /// Queues: TSO, the reference.
    Tso,
    /// Queues: PSO, the reference.
    Pso,
    /// Stamped stores: TSO.
    Etso,
    /// Stamped stores: PSO.
    Epso,
}

/// Bounds and files of bounded model checking.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Bounded model checking")]
pub struct BmcOptions {
    /// Repetitions of each loop, for bmc and lazy; a safe verdict then holds up to this bound only [default: grown]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub unwind: Option<u32>,
    /// Rounds in which the threads take turns (bmc), or rounds of each thread (rounds) [default: grown]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Times at which stores reach memory; 1 is SC [default: grown]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub clock: Option<u32>,
    /// Entries of each store queue, with `--sma tso` and `--sma pso` [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub queue: Option<u32>,
    /// Bits of integers; what is found is checked at full width [default: full]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(2..=64))]
    pub width: Option<u8>,
    /// Elements of each allocated object whose size is not known [default: grown]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub block: Option<u32>,
    /// How memory is encoded; must fit the model [default: etso for tso, epso for pso]
    #[arg(long, value_enum)]
    pub sma: Option<SmaName>,
    /// Write the formula of the last bounds
    #[arg(long, value_name = "FILE.cnf")]
    pub dimacs: Option<PathBuf>,
    /// Write the solver's proof that it has no model (DRAT)
    #[arg(long, value_name = "FILE.drat")]
    pub proof: Option<PathBuf>,
}
