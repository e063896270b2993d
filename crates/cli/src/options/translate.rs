//! `translate` and `sequentialize`.

use super::{InputOptions, ModelName, SmaName};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub const TRANSLATE_EXAMPLES: &str = "\
Examples:
  fencepost translate --rounds 2 examples/peterson.fp              at most two rounds a thread
  fencepost translate --age 1 -o peterson_sc.fp examples/peterson.fp
  fencepost check --model sc peterson_sc.fp                        a bug under SC is one under TSO
  fencepost translate --age 2 --dialect cprover -o dekker_sc.c examples/dekker.c
  cbmc --no-standard-checks --no-unwinding-assertions --unwind 3 dekker_sc.c";

pub const SEQUENTIALIZE_EXAMPLES: &str = "\
Examples:
  fencepost sequentialize --model tso --rounds 2 --unwind 2 -o dekker_seq.c examples/dekker.c
  cbmc dekker_seq.c
  fencepost sequentialize --sma tso --queue 2 examples/dekker.c     store queues, as TSO is defined
  fencepost sequentialize --model pso --rounds 2 --unwind 1 --dialect verifier -o mp_seq.c mp.c
  esbmc mp_seq.c";

#[derive(Args)]
#[command(group(clap::ArgGroup::new("bound").required(true).args(["rounds", "age"])))]
pub struct TranslateOptions {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// At most this many rounds a thread: between two rounds others run
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// No store on its way for more than this many rounds of its thread
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub age: Option<u32>,
    /// Where the program goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// For C: names of assumptions, atomic sections and choices [default: verifier]
    #[arg(long, value_enum)]
    pub dialect: Option<DialectName>,
    #[command(flatten)]
    pub input: InputOptions,
}

/// Names that verifiers know.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// `__CPROVER_assume` and `__CPROVER_assert`: CBMC.
    Cprover,
    /// `__VERIFIER_assume`, `__VERIFIER_nondet_*` and `reach_error`: ESBMC and others.
    Verifier,
}

#[derive(Args)]
pub struct SequentializeOptions {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Memory model
    #[arg(long, value_enum, value_name = "MODEL", default_value = "tso")]
    pub model: ModelName,
    /// Rounds in which the threads take turns
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Repetitions of each loop
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub unwind: u32,
    /// Times at which stores reach memory; 1 is SC
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub clock: u32,
    /// Elements of each allocated object whose size is not known
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub block: u32,
    /// How memory is written down; must fit the model [default: etso for tso, epso for pso]
    #[arg(long, value_enum)]
    pub sma: Option<SmaName>,
    /// Entries of each store queue, with `--sma tso` and `--sma pso` [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub queue: Option<u32>,
    /// Whose names are used for choices, assumptions and assertions
    #[arg(long, value_enum, default_value = "cprover")]
    pub dialect: DialectName,
    /// Where the program goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputOptions,
}
