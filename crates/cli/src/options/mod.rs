//! What was typed. What is meant by it is made of this in the commands.

mod campaign;
mod check;
mod fences;
mod litmus;
mod robust;
mod shell;
mod translate;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use fencepost_ir::Check;
use fencepost_task::Property;
use std::path::PathBuf;

pub use campaign::{CampaignOptions, MergeOptions};
pub use check::{BmcOptions, CheckModel, CheckOptions, ExplainOptions, SmaName};
pub use fences::{FencesOptions, GoalName};
pub use litmus::{LitmusModel, LitmusOptions, SequencesName, TestArch};
pub use robust::{Criterion, RobustModel, RobustOptions};
pub use shell::{CompletionsOptions, ManOptions};
pub use translate::{DialectName, SequentializeOptions, TranslateOptions};

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
    #[command(after_help = check::CHECK_EXAMPLES)]
    Check(CheckOptions),
    /// Run litmus tests: all final states, as herd prints them. Or make tests from cycles of relations.
    #[command(after_help = litmus::LITMUS_EXAMPLES)]
    Litmus(LitmusOptions),
    /// Does TSO add behaviour at all? Gives all attacks, each with a run and its happens-before cycle.
    #[command(after_help = robust::ROBUST_EXAMPLES)]
    Robust(RobustOptions),
    /// The fewest fences that repair a program: places, and the repaired text.
    #[command(after_help = fences::FENCES_EXAMPLES)]
    Fences(FencesOptions),
    /// The violation in sentences: which store waited, which load overtook it, what SC forces, which fence helps.
    #[command(after_help = check::EXPLAIN_EXAMPLES)]
    Explain(ExplainOptions),
    /// A program whose SC behaviour is this one's TSO behaviour, within a bound.
    #[command(after_help = translate::TRANSLATE_EXAMPLES)]
    Translate(TranslateOptions),
    /// The program within bounds as one sequential C file, for other bounded model checkers.
    #[command(after_help = translate::SEQUENTIALIZE_EXAMPLES)]
    Sequentialize(SequentializeOptions),
    /// Step through a saved trace, checking every step on the reference semantics.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayOptions),
    /// Check a saved proof again, without the engine that found it.
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(CertifyOptions),
    /// One summary of results that were found in parts.
    #[command(after_help = campaign::MERGE_EXAMPLES)]
    Merge(MergeOptions),
    /// Prints the completions of a shell.
    #[command(after_help = shell::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsOptions),
    /// Prints the manual page, or writes those of all commands into a folder.
    #[command(after_help = shell::MAN_EXAMPLES)]
    Man(ManOptions),
    /// Language server over standard input and output: checks on save, the run beside it, fences as quick fixes.
    #[command(after_help = LSP_HELP)]
    Lsp(LspOptions),
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
    pub format: PlainFormat,
    #[command(flatten)]
    pub input: InputOptions,
}

const LSP_HELP: &str = "\
Started by editors; docs/editor.md says how to set them up.

Settings (initializationOptions, or the section `fencepost` of the editor's configuration):
  model        sc, tso or pso, or a list of them [default: tso]
  engine       as for check [default: auto]
  timeout      seconds for each file and model [default: 10]
  fenceTime    seconds for the search for fences [default: 10]
  checkOnOpen  whether files are checked when they are opened, too [default: true]
  robustness   whether to hint at stores that a load can overtake where nothing breaks [default: false]
  arguments    more options of check, as a list of words";

#[derive(Args)]
pub struct LspOptions {
    /// Speak over standard input and output, which is what it does anyway: some editors say so
    #[arg(long)]
    pub stdio: bool,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  fencepost check --trace bug.json examples/peterson.fp
  fencepost replay examples/peterson.fp bug.json";

const CERTIFY_EXAMPLES: &str = "\
Examples:
  fencepost check --engine dual --certificate proof.json examples/peterson_fenced.fp
  fencepost certify examples/peterson_fenced.fp proof.json

Exit codes: 0 the proof holds, 1 it is rejected, 2 wrong input, 3 it is too large to say.";

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ModelName {
    Sc,
    Tso,
    Pso,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
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
    /// One SARIF 2.1.0 log, at the end; `--quiet` leaves out what is not wrong.
    Sarif,
    /// JUnit's XML, at the end.
    Junit,
}

/// The formats of what is not a verdict.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Format {
    /// The formats that a command has; others are refused, and its help does not name them.
    fn among(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
        let values = formats.iter().filter_map(Format::to_possible_value);
        PossibleValuesParser::new(values).map(|name| {
            <Format as ValueEnum>::from_str(&name, false).expect("only names of formats are let through")
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DataModelName {
    /// long and pointers have 64 bits.
    Lp64,
    /// int, long and pointers have 32 bits.
    Ilp32,
}

/// How a file becomes a program.
#[derive(Args, Clone, Debug)]
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
    /// Folder of a compile_commands.json, whose flags count for the C files in it [default: the file's own]
    #[arg(short = 'p', value_name = "DIR")]
    pub commands: Option<PathBuf>,
    /// A flag for the preprocessor
    #[arg(long = "c-flag", hide = true, allow_hyphen_values = true)]
    pub c_flag: Vec<String>,
    /// The C compiler to preprocess with, and its options [default: cc]
    #[arg(long, value_name = "CMD")]
    pub cpp: Option<String>,
    /// Widths of C's types
    #[arg(long, value_enum, value_name = "MODEL", default_value = "lp64")]
    pub data_model: DataModelName,
    /// The given C files are one program
    #[arg(long)]
    pub link: bool,
    /// What is asked: assert, memory, races, deadlock, leaks, exit, overflow or reach=NAME (a function or label
    /// that must not be reached), and nothing else; may be repeated [default: assert, memory and other errors]
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    pub property: Vec<Property>,
    /// Signed overflow in C is an error, else it wraps: adds `--property overflow`
    #[arg(long)]
    pub overflow: bool,
    /// A C program that ends with another status than 0 is an error: adds `--property exit`
    #[arg(long)]
    pub exit_status: bool,
    /// Words of a C program's command line: all that follow
    #[arg(long, value_name = "ARG", num_args = 0.., allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// C functions without a body do nothing and give any value
    #[arg(long)]
    pub havoc_externs: bool,
    /// Report states in which a thread waits and nothing can happen any more: adds `--property deadlock`
    #[arg(long)]
    pub deadlock: bool,
    /// Report memory that is allocated at the end and that no variable leads to: adds `--property leaks`
    #[arg(long)]
    pub leaks: bool,
    /// Report accesses of two threads to a location in an SC run, one of them writing, and one not atomic, neither of
    /// which happens before the other: adds `--property races`
    #[arg(long)]
    pub races: bool,
    /// An error that is not reported but ends its run: assertion, pointer, bounds, use-after-free, free,
    /// division, shift, range, join, unlock, exit or reach; may be repeated
    #[arg(long = "no-check", value_name = "KIND", value_parser = check_name, value_delimiter = ',')]
    pub no_check: Vec<Check>,
}

fn check_name(text: &str) -> Result<Check, String> {
    let names = || Check::ALL.map(Check::name).join(", ");
    let found = Check::ALL.into_iter().find(|c| c.name() == text);
    found.ok_or_else(|| format!("known are {}", names()))
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
