//! What was typed. What is meant by it is made of this in the commands.

use clap::{Args, Parser, Subcommand, ValueEnum};
use fencepost_frontend::c::DataModel;
use fencepost_ir::Check;
use fencepost_task::Model;
use std::path::PathBuf;

#[derive(Parser)]
#[command(
    name = "fencepost",
    version,
    about = "Verifies concurrent programs under SC, TSO (x86) and PSO",
    arg_required_else_help = true,
    after_help = "Exit codes: 0 safe, 1 unsafe, 2 wrong input or command line, 3 unknown."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Is the property violated? Gives a verdict with a replayed run, or says why not.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckOptions),
    /// Run litmus tests: all final states, as herd prints them. Or make tests from cycles of relations.
    #[command(after_help = LITMUS_EXAMPLES)]
    Litmus(LitmusOptions),
    /// Does TSO add behaviour at all? Gives all attacks, each with a run and its happens-before cycle.
    #[command(after_help = ROBUST_EXAMPLES)]
    Robust(RobustOptions),
    /// The fewest fences that repair a program: places, and the repaired text.
    #[command(after_help = FENCES_EXAMPLES)]
    Fences(FencesOptions),
    /// The violation in sentences: which store waited, which load overtook it, what SC forces, which fence helps.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainOptions),
    /// A program whose SC behaviour is this one's TSO behaviour, within a bound.
    #[command(after_help = TRANSLATE_EXAMPLES)]
    Translate(TranslateOptions),
    /// The program within bounds as one sequential C file, for other bounded model checkers.
    #[command(after_help = SEQUENTIALIZE_EXAMPLES)]
    Sequentialize(SequentializeOptions),
    /// Step through a saved trace, checking every step on the reference semantics.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayOptions),
    /// Check a saved proof again, without the engine that found it.
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(CertifyOptions),
    /// Measure, with other tools in the same run where they are installed.
    Bench(BenchOptions),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchName {
    /// Explicit search, beside spin.
    Explore,
    /// The dual engine on the tables of its paper.
    Dual,
    /// Litmus tests, beside herd7.
    Litmus,
    /// The lazy engine and robustness on the figures of their paper, beside trencher.
    Lazy,
    /// Bounded model checking on the tables of its paper, beside cbmc.
    Bmc,
    /// `--engine auto` beside each engine, on the files given.
    Auto,
    /// Translations to SC on the table of their paper, beside cbmc.
    Translate,
}

#[derive(Args)]
pub struct BenchOptions {
    /// Which table
    #[arg(value_enum, default_value = "explore")]
    pub name: BenchName,
    /// Programs for `auto` [default: the examples]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Also the rows that take minutes
    #[arg(long)]
    pub all: bool,
    /// Output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    #[command(flatten)]
    pub input: InputOptions,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  fencepost check examples/peterson.fp                     under TSO
  fencepost check --model sc --model pso examples/*.fp     under two models
  fencepost check --threads 3 lock.fp                      three threads for each template
  fencepost check --format json examples/*.fp              for scripts
  fencepost check --trace bug.json examples/peterson.fp    saves the run
  fencepost check --report bug.html examples/peterson.fp   draws it on a page to step through
  fencepost check --engine bmc --rounds 3 examples/park.c  all runs of three rounds, by a solver
  fencepost check --engine age --age 2 examples/dekker.c   no store on its way for more than two rounds";

const LITMUS_EXAMPLES: &str = "\
Examples:
  fencepost litmus SB.litmus                               final states under TSO
  fencepost litmus --model sc --model pso tests/           a folder, under two models
  fencepost litmus --expect expected-tso.jsonl             compares with recorded answers
  fencepost litmus --compare sc,tso,pso tests/             which tests tell the models apart
  fencepost litmus --compare sc,tso,pso --report t.html tests/  with the runs that do drawn
  fencepost litmus --oracle axiomatic SB.litmus            by the axioms, without running anything
  fencepost litmus --generate 'PodWR Fre PodWR Fre'        prints the test SB
  fencepost litmus --generate-all 4 --output tests         all tests from cycles of up to 4 relations

Exit codes: 0 the run is complete, 1 an answer differs from --expect, 2 a test cannot be read, 3 unknown.";

const ROBUST_EXAMPLES: &str = "\
Examples:
  fencepost robust examples/peterson.fp                    all stores that a load can overtake with effect
  fencepost robust --criterion trf examples/clh.fp         the stricter criterion, triangular races
  fencepost robust --format json examples/*.fp             for scripts

Exit codes: 0 robust, 1 not robust, 2 wrong input, 3 unknown.";

const FENCES_EXAMPLES: &str = "\
Examples:
  fencepost fences examples/peterson.fp                    under TSO
  fencepost fences --model pso examples/mp.fp              store-store fences cost 1, full ones 4
  fencepost fences --all examples/sb.fp                    every cheapest set
  fencepost fences --goal robust examples/dekker.fp        so that TSO adds no behaviour at all
  fencepost fences --apply examples/dekker.c               writes examples/dekker_fenced.c
  fencepost fences --audit examples/dekker_fenced.c        is each of its fences needed?

Exit codes: 0 repaired or no repair needed, 1 no fences repair it, 2 wrong input or command line, 3 unknown.";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  fencepost explain examples/peterson.fp                   under TSO
  fencepost explain --model pso examples/mp.fp             stores that overtake stores
  fencepost explain --report bug.html examples/chaselev.c  a page to step through the run

Exit codes: as for check.";

const TRANSLATE_EXAMPLES: &str = "\
Examples:
  fencepost translate --rounds 2 examples/peterson.fp              at most two rounds a thread
  fencepost translate --age 1 -o peterson_sc.fp examples/peterson.fp
  fencepost check --model sc peterson_sc.fp                        a bug under SC is one under TSO
  fencepost translate --age 2 --dialect cprover -o dekker_sc.c examples/dekker.c
  cbmc --no-standard-checks --no-unwinding-assertions --unwind 3 dekker_sc.c";

const SEQUENTIALIZE_EXAMPLES: &str = "\
Examples:
  fencepost sequentialize --model tso --rounds 2 --unwind 2 -o dekker_seq.c examples/dekker.c
  cbmc dekker_seq.c
  fencepost sequentialize --model pso --rounds 2 --unwind 1 --dialect verifier -o mp_seq.c mp.c
  esbmc mp_seq.c";

const REPLAY_EXAMPLES: &str = "\
Examples:
  fencepost check --trace bug.json examples/peterson.fp
  fencepost replay examples/peterson.fp bug.json";

const CERTIFY_EXAMPLES: &str = "\
Examples:
  fencepost check --engine dual --certificate proof.json examples/peterson_fenced.fp
  fencepost certify examples/peterson_fenced.fp proof.json

Exit codes: 0 the proof holds, 1 it is rejected, 2 wrong input, 3 it is too large to say.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    Sc,
    Tso,
    Pso,
}

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Model {
        match name {
            ModelName::Sc => Model::Sc,
            ModelName::Tso => Model::Tso,
            ModelName::Pso => Model::Pso,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Choose by the program.
    Auto,
    /// Explicit-state search.
    Explicit,
    /// Backward over load buffers: TSO, complete, for any number of threads too.
    Dual,
    /// SC search, with store buffers only where robustness is attacked: TSO.
    Lazy,
    /// Translation to SC with bounded rounds, then explicit search: TSO.
    Rounds,
    /// Translation to SC with bounded store age, then explicit search: TSO.
    Age,
    /// Bounded model checking: a formula for a solver.
    Bmc,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchOrder {
    /// Breadth first: short runs.
    Bfs,
    /// Depth first: less memory.
    Dfs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// Litmus tests.
    Litmus,
    /// The modelling language.
    Fp,
    /// Memorax.
    Memorax,
    /// Trencher.
    Trencher,
    /// C, with pthreads and C11 atomics.
    C,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataModelName {
    /// long and pointers have 64 bits.
    Lp64,
    /// int, long and pointers have 32 bits.
    Ilp32,
}

impl From<DataModelName> for DataModel {
    fn from(name: DataModelName) -> DataModel {
        match name {
            DataModelName::Lp64 => DataModel::Lp64,
            DataModelName::Ilp32 => DataModel::Ilp32,
        }
    }
}

/// How a file becomes a program.
#[derive(Args)]
pub struct InputOptions {
    /// How to read the files, whatever their names
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Threads for each template `[*]`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub threads: Option<u32>,
    /// Any number of threads for each process of a Memorax or Trencher file; forbidden lines then mean
    /// "at least these"
    #[arg(long, conflicts_with = "threads")]
    pub any_threads: bool,
    /// Folder where C headers are looked for; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro for C files, 1 without a value; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// The C compiler to preprocess with, and its options [default: cc]
    #[arg(long, value_name = "CMD")]
    pub cpp: Option<String>,
    /// Widths of C's types
    #[arg(long, value_enum, value_name = "MODEL", default_value = "lp64")]
    pub data_model: DataModelName,
    /// The given C files are one program
    #[arg(long)]
    pub link: bool,
    /// Signed overflow in C is an error; else it wraps
    #[arg(long)]
    pub overflow: bool,
    /// C functions without a body do nothing and give any value
    #[arg(long)]
    pub havoc_externs: bool,
    /// Report states in which a thread waits and nothing can happen any more
    #[arg(long)]
    pub deadlock: bool,
    /// Report memory that is allocated at the end and that no variable leads to
    #[arg(long)]
    pub leaks: bool,
    /// Report two threads about to access a location in an SC run, one of them writing, and one by an access
    /// that is not atomic (C)
    #[arg(long)]
    pub races: bool,
    /// An error that is not reported but ends its run: assertion, pointer, bounds, use-after-free, free,
    /// division, shift, range, join or unlock; may be repeated
    #[arg(long = "no-check", value_name = "KIND", value_parser = check_name, value_delimiter = ',')]
    pub no_check: Vec<Check>,
}

fn check_name(text: &str) -> Result<Check, String> {
    let names = || Check::ALL.map(Check::name).join(", ");
    let found = Check::ALL.into_iter().find(|c| c.name() == text);
    found.ok_or_else(|| format!("known are {}", names()))
}

#[derive(Args)]
pub struct CheckOptions {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Memory model; may be repeated
    #[arg(long = "model", value_enum, value_name = "MODEL", default_value = "tso")]
    pub models: Vec<ModelName>,
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
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
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
#[derive(Args, Clone)]
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

/// What fences are for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GoalName {
    /// The property holds.
    Safe,
    /// TSO adds no behaviour, whatever the property.
    Robust,
}

#[derive(Args)]
pub struct FencesOptions {
    /// The program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What the fences are for
    #[arg(long, value_enum, default_value = "safe")]
    pub goal: GoalName,
    /// Memory model, `tso` or `pso`; may be repeated
    #[arg(long = "model", value_enum, value_name = "MODEL", default_value = "tso")]
    pub models: Vec<ModelName>,
    /// Method of the checks
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// What fences cost under PSO
    #[arg(long, value_name = "PRICES", default_value = "full=4,store-store=1", value_parser = prices)]
    pub price: PriceList,
    /// List every cheapest set
    #[arg(long, conflicts_with = "audit")]
    pub all: bool,
    /// Say of each fence that is there whether it is needed
    #[arg(long, conflicts_with = "apply")]
    pub audit: bool,
    /// Write the repaired program next to the original, or where -o says
    #[arg(long)]
    pub apply: bool,
    /// Where the repaired program goes
    #[arg(short, long, value_name = "FILE", requires = "apply")]
    pub output: Option<PathBuf>,
    /// Entries in each store buffer; the repair is then proved up to this bound only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub buffer: Option<u32>,
    /// Seconds for each model
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Megabytes for each check [default: 80 % of the machine's]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Exit with 0 where the answer is unknown
    #[arg(long)]
    pub allow_unknown: bool,
    /// Say nothing but the result
    #[arg(short, long)]
    pub quiet: bool,
    /// Show the run that each fence prevents
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub input: InputOptions,
}

/// Prices of fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceList {
    pub full: u32,
    pub store_store: u32,
}

fn prices(text: &str) -> Result<PriceList, String> {
    let mut list = PriceList { full: 4, store_store: 1 };
    for part in text.split(',') {
        let number = |n: &str| match n.parse::<u32>() {
            Ok(price @ 1..=1_000_000) => Ok(price),
            _ => Err(format!("`{n}` is not a price from 1 to 1000000")),
        };
        match part.split_once('=') {
            Some(("full", n)) => list.full = number(n)?,
            Some(("store-store", n)) => list.store_store = number(n)?,
            _ => return Err("expected `full=N`, `store-store=N` or both with a comma".to_string()),
        }
    }
    Ok(list)
}

/// Another way to find final states, to compare with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Oracle {
    /// Enumerate executions and accept them by axioms.
    Axiomatic,
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
    pub models: Vec<ModelName>,
    /// Method
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineName,
    /// Find the final states another way
    #[arg(long, value_enum)]
    pub oracle: Option<Oracle>,
    /// Say which tests tell these models apart, as in `sc,tso,pso`
    #[arg(long, value_enum, value_name = "MODELS", value_delimiter = ',')]
    pub compare: Vec<ModelName>,
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
    #[arg(long, value_enum, default_value = "text")]
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
}

/// What robust means.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Every TSO run has the happens-before relation of an SC run.
    Traces,
    /// No SC run has a triangular race: stricter, and enough for that.
    Trf,
}

#[derive(Args)]
pub struct RobustOptions {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Memory model; robustness is against TSO only
    #[arg(long = "model", value_enum, value_name = "MODEL", default_value = "tso")]
    pub models: Vec<ModelName>,
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
    /// Whose names are used for choices, assumptions and assertions
    #[arg(long, value_enum, default_value = "cprover")]
    pub dialect: DialectName,
    /// Where the program goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Args)]
pub struct ReplayOptions {
    /// The program
    pub file: PathBuf,
    /// The run, as `check --trace` saved it or `check --format json` printed it
    pub trace: PathBuf,
    /// Show every step
    #[arg(short, long)]
    pub verbose: bool,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Args)]
pub struct CertifyOptions {
    /// The program
    pub file: PathBuf,
    /// The proof, as `check --certificate` saved it
    pub certificate: PathBuf,
    #[command(flatten)]
    pub input: InputOptions,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s < 1e9 => Ok(s),
        _ => Err("expected a positive number of seconds".to_string()),
    }
}
