//! Many files: parts of a run, its results, and `merge`.

use super::PlainFormat;
use clap::Args;
use fencepost_verify::campaign::Shard;
use std::path::PathBuf;

pub const MERGE_EXAMPLES: &str = "\
Examples:
  fencepost check --shard 1/4 --results part1.jsonl examples/     a quarter of the files; again: goes on
  fencepost merge part*.jsonl                                     one summary
  fencepost merge --report all.html --format json part*.jsonl     as a page, and for scripts

Exit codes: as one run over all files would have given; 3 also where results are missing.";

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
