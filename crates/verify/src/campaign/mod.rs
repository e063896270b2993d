//! Work over many files: which part of them is done here, and what was done before.
//!
//! A campaign is a command over a set of files. Its parts are taken by rank in the sorted names, so that they
//! depend on the set alone; every result says of which campaign it is, so that the parts can be joined and what is
//! missing is seen. A result is that of a program, of a method and of limits: a verdict is taken over where program
//! and method are the same, an unknown only where the limits are, too.

mod results;

use crate::read::{is_trencher, read_text};
use fencepost_report::digest::sha256;
use fencepost_report::results::{CampaignStamp, Stamp, Word};
use fencepost_task::AnyModel;
use results::Results;
pub use results::{Known, ResultsError};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One of several parts of a set of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// From 1.
    pub part: u32,
    /// How many there are.
    pub of: u32,
}

/// A text does not name a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected I/N with I from 1 to N, as in 2/4")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let numbers =
            text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Shard { part, of }),
            _ => Err(NoShard),
        }
    }
}

/// Which part of a campaign is done, and where its results are kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CampaignOptions {
    /// Only this part.
    pub shard: Option<Shard>,
    /// Where results are added; what is there already is not done again.
    pub results: Option<PathBuf>,
}

/// A run over files.
pub struct Campaign {
    /// What every result says; nothing unless asked for.
    stamp: Option<CampaignStamp>,
    results: Option<Results>,
}

/// What a result is of, beside its file.
pub struct Question {
    /// The method that was asked for.
    asked: &'static str,
    /// The method with its bounds.
    method: String,
    /// The program, and how it is read.
    program: String,
    /// Time and memory.
    limits: String,
}

impl Question {
    /// The question of a program and a method, whose differences their debug texts show.
    pub fn new(asked: &'static str, program: &dyn Debug, method: &str, limits: String) -> Question {
        let method = digest(&format!("{} {method}", env!("CARGO_PKG_VERSION")));
        Question { asked, method, program: digest(&format!("{program:?}")), limits }
    }
}

impl Campaign {
    /// The campaign of a command over files, and the part of them to be done here.
    ///
    /// `whole` says that every file will have a result under every model.
    pub fn new<T>(
        options: &CampaignOptions,
        files: Vec<T>,
        name: impl Fn(&T) -> String,
        models: &[AnyModel],
        whole: bool,
    ) -> Result<(Campaign, Vec<T>), ResultsError> {
        if options.shard.is_none() && options.results.is_none() {
            return Ok((Campaign { stamp: None, results: None }, files));
        }
        let names: BTreeSet<String> = files.iter().map(&name).collect();
        let Shard { part, of } = options.shard.unwrap_or(Shard { part: 1, of: 1 });
        let mine: BTreeSet<&String> = names.iter().skip(part as usize - 1).step_by(of as usize).collect();
        let model_names: Vec<&str> = models.iter().map(|model| model.name()).collect();
        let stamp = CampaignStamp {
            id: digest(&format!("{model_names:?} {names:?}")),
            shard: format!("{part}/{of}"),
            models: models.iter().copied().map(Word).collect(),
            files: whole.then_some(names.len()),
        };
        let files = files.into_iter().filter(|file| mine.contains(&name(file))).collect();
        let results = options.results.as_deref().map(Results::open).transpose()?;
        Ok((Campaign { stamp: Some(stamp), results }, files))
    }

    /// Whether results say what they are of.
    pub fn stamps(&self) -> bool {
        self.stamp.is_some()
    }

    /// The result that is there already.
    pub fn known(&self, file: &str, model: AnyModel, question: &Question) -> Option<&Known> {
        self.results.as_ref()?.known(file, model, question)
    }

    /// What results say they are of.
    pub fn stamp(&self, question: Option<&Question>) -> Stamp {
        let Some(campaign) = self.stamp.clone() else { return Stamp::default() };
        Stamp {
            campaign: Some(campaign),
            asked: question.map(|question| question.asked.to_string()),
            method: question.map(|question| question.method.clone()),
            program: question.map(|question| question.program.clone()),
            limits: question.map(|question| question.limits.clone()),
        }
    }

    /// Keeps a result. Where that cannot be done, the run has failed.
    pub fn keep(&mut self, line: String) -> Result<(), ResultsError> {
        match &mut self.results {
            Some(results) => results.append(line),
            None => Ok(()),
        }
    }
}

/// Files that a program can be read from, by their names and, for Trencher's, by their first word.
pub fn is_program(path: &Path) -> bool {
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i" | "fp" | "litmus" | "rmm") => true,
        Some("txt") => read_text(path).is_ok_and(|text| is_trencher(&text)),
        _ => false,
    }
}

/// A short name for a text.
fn digest(text: &str) -> String {
    sha256(text.as_bytes())[..16].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(part: u32, of: u32, files: &[&str]) -> Vec<String> {
        let options = CampaignOptions { shard: Some(Shard { part, of }), results: None };
        let files = files.iter().map(|f| f.to_string()).collect();
        Campaign::new(&options, files, String::clone, &[AnyModel::Machine(fencepost_task::Model::Tso)], true)
            .unwrap()
            .1
    }

    #[test]
    fn parts_are_a_partition_that_does_not_depend_on_the_order() {
        let files = ["d", "a", "c", "b", "e", "a"];
        assert_eq!(part(1, 2, &files), ["a", "c", "e", "a"]);
        assert_eq!(part(2, 2, &files), ["d", "b"]);
        let turned = ["a", "e", "b", "c", "a", "d"];
        assert_eq!(part(2, 2, &turned), ["b", "d"]);
        let all: usize = (1..=4).map(|i| part(i, 4, &files).len()).sum();
        assert_eq!(all, files.len());
        assert!(part(7, 7, &files).is_empty());
    }
}
