//! Many files: parts of a run, its results, and `merge`.

use super::PlainFormat;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

pub const MERGE_EXAMPLES: &str = "\
Examples:
  fencepost check --shard 1/4 --results part1.jsonl examples/     a quarter of the files; again: goes on
  fencepost merge part*.jsonl                                     one summary
  fencepost merge --report all.html --format json part*.jsonl     as a page, and for scripts

Exit codes: as one run over all files would have given; 3 also where results are missing.";

/// One of several parts.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    /// From 1.
    pub part: u32,
    pub of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Shard { part, of }),
            _ => Err("expected I/N with I from 1 to N, as in 2/4".to_string()),
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Many files")]
pub struct CampaignOptions {
    /// Only the I-th of N parts of the files; the parts depend on the files' names alone
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Add each result to this file as a JSON line; what it holds already is not done again
    #[arg(long, visible_alias = "resume", value_name = "FILE.jsonl")]
    pub results: Option<PathBuf>,
}

#[derive(Args)]
pub struct MergeOptions {
    /// Results, as `--results` or `--format json` wrote them; `-` is standard input
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Write the summary as a page, with a cactus plot for each engine
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Output
    #[arg(long, value_enum, default_value = "text")]
    pub format: PlainFormat,
    /// Exit with 0 where answers are unknown or missing
    #[arg(long)]
    pub allow_unknown: bool,
}
