//! `fences`.

use super::{EngineName, Format, InputOptions, ModelName, seconds};
use clap::{Args, ValueEnum};
use fencepost_c::FenceWord;
use fencepost_verify::fences::PriceList;
use std::path::PathBuf;

pub const FENCES_EXAMPLES: &str = "\
Examples:
  fencepost fences examples/peterson.fp                    under TSO
  fencepost fences --model pso examples/mp.fp              store-store fences cost 1, full ones 4
  fencepost fences --all examples/sb.fp                    every cheapest set
  fencepost fences --goal robust examples/dekker.fp        so that TSO adds no behaviour at all
  fencepost fences --apply examples/dekker.c               writes examples/dekker_fenced.c
  fencepost fences --audit examples/dekker_fenced.c        is each of its fences needed?

Exit codes: 0 repaired or no repair needed, 1 no fences repair it, 2 wrong input or command line, 3 unknown.";

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
    /// A function, macro or call of the program that is a fence, to put in where fences are needed; may be repeated
    /// [default: the program's own words for it, or C11's]
    #[arg(long, value_name = "NAME[=full|store-store]")]
    pub fence: Vec<FenceWord>,
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
    #[arg(long, value_parser = Format::among(&[Format::Text, Format::Json, Format::Sarif]), default_value = "text")]
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

fn prices(text: &str) -> Result<PriceList, String> {
    let mut list = PriceList::default();
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
