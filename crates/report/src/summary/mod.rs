//! Many results as one: counts per model, times per engine, what is unknown, wrong, missing or contradictory.
//!
//! A result is known by its file, test, model (of C11 with its release sequences) and method. Of two that differ only in what they found, the later one
//! counts where the program has changed; else a verdict counts more than an unknown. The order of the entries is
//! that of their names, so that parts in any order give the summary that one run gives.

mod show;

use crate::ResultKind;
use crate::litmus::Observation;
use crate::results::{AnyResult, CampaignStamp};
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_task::{AnyModel, VerdictKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a result is known by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Key {
    file: String,
    test: String,
    model: Option<AnyModel>,
    sequences: Option<&'static str>,
    method: String,
}

/// One result.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file.
    pub file: String,
    /// The memory model; none for a file that could not be read.
    pub model: Option<AnyModel>,
    /// What belongs to a release sequence of C11; none for other models.
    pub sequences: Option<ReleaseSequences>,
    /// The verdict.
    pub verdict: ResultKind,
    /// For a litmus test, in how many final states its condition holds.
    pub observation: Option<Observation>,
    /// Whether that it is safe or robust holds up to bounds only.
    pub bounded: bool,
    /// The engine that answered.
    pub engine: String,
    /// The method that was asked for.
    pub asked: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Why there is no verdict.
    pub reason: String,
    /// The program that it is of, where that is told.
    program: String,
    campaign: Option<CampaignStamp>,
}

impl Entry {
    /// Whether there is a verdict.
    pub fn is_decided(&self) -> bool {
        match self.verdict {
            ResultKind::Checked(VerdictKind::Unknown) | ResultKind::Error => false,
            ResultKind::Checked(VerdictKind::Safe | VerdictKind::Unsafe)
            | ResultKind::Robust
            | ResultKind::NotRobust
            | ResultKind::Race => true,
        }
    }

    fn is_error(&self) -> bool {
        self.verdict == ResultKind::Error
    }

    /// A file and a model as they are named in lists.
    pub fn name(&self) -> String {
        let Some(model) = self.model else { return self.file.clone() };
        let of = |s: ReleaseSequences| format!(" (release sequences of {})", s.name());
        format!("{} under {}{}", self.file, model.name(), self.sequences.map_or_else(String::new, of))
    }

    /// Whether both cannot be true.
    fn contradicts(&self, other: &Entry) -> bool {
        let same = self.file == other.file
            && self.model == other.model
            && self.sequences == other.sequences
            && self.program == other.program;
        let opposite = |a: &Entry, b: &Entry| match (a.verdict, b.verdict) {
            (ResultKind::Checked(VerdictKind::Safe), ResultKind::Checked(VerdictKind::Unsafe)) => !a.bounded,
            (ResultKind::Robust, ResultKind::NotRobust | ResultKind::Race) => !a.bounded,
            _ => false,
        };
        let observed = self.observation.is_some() && other.observation.is_some();
        let differs = observed && self.observation != other.observation;
        same && (opposite(self, other) || opposite(other, self) || differs)
    }
}

/// Results, by what they are of.
#[derive(Default)]
pub struct Summary {
    entries: BTreeMap<Key, Entry>,
    contradictions: BTreeSet<String>,
}

/// Engines and the times of their answers, shortest first.
pub type Series = BTreeMap<String, Vec<f64>>;

impl Summary {
    /// Adds a result of `check`, `litmus` or `robust`.
    pub fn add(&mut self, result: &AnyResult) {
        let stamp = result.stamp();
        let stamped = |text: Option<&String>| text.cloned().unwrap_or_default();
        let entry = Entry {
            file: result.file().to_string(),
            model: result.model(),
            sequences: result.release_sequences(),
            verdict: result.verdict(),
            observation: result.observation(),
            bounded: result.is_bounded(),
            engine: result.engine().to_string(),
            asked: stamped(stamp.and_then(|stamp| stamp.asked.as_ref())),
            seconds: result.seconds(),
            reason: result.reason().unwrap_or_default().to_string(),
            program: stamped(stamp.and_then(|stamp| stamp.program.as_ref())),
            campaign: stamp.and_then(|stamp| stamp.campaign.clone()),
        };
        let method = if entry.asked.is_empty() { &entry.engine } else { &entry.asked };
        let method = format!("{method} {}", stamped(stamp.and_then(|stamp| stamp.method.as_ref())));
        let test = result.test().unwrap_or_default().to_string();
        let sequences = entry.sequences.map(ReleaseSequences::name);
        let key = Key { file: entry.file.clone(), test, model: entry.model, sequences, method };
        self.insert(key, entry);
    }

    fn insert(&mut self, key: Key, entry: Entry) {
        let first = Key { file: key.file.clone(), ..Key::default() };
        let of_file = self.entries.range(first..).take_while(|(k, _)| k.file == key.file);
        for k in of_file.map(|(k, _)| k.clone()).collect::<Vec<_>>() {
            let other = &self.entries[&k];
            if other.is_error() != entry.is_error() {
                // A file that could not be read may have been changed since, and the other way round.
                self.entries.remove(&k);
            } else if other.contradicts(&entry) {
                let mut both = [said(other), said(&entry)];
                both.sort();
                self.contradictions.insert(format!("{}: {}", entry.name(), both.join(" and ")));
            }
        }
        let kept = self.entries.get(&key);
        if kept.is_none_or(|kept| kept.program != entry.program || !kept.is_decided() || entry.is_decided()) {
            self.entries.insert(key, entry);
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All results, by name.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Verdicts on the same program that cannot both be true.
    pub fn contradictions(&self) -> Vec<&str> {
        self.contradictions.iter().map(String::as_str).collect()
    }

    /// Campaigns of which results are not there.
    pub fn missing(&self) -> Vec<String> {
        let mut groups: BTreeMap<(&str, &str), Group> = BTreeMap::new();
        let errors: Vec<&Entry> = self.entries().filter(|e| e.is_error()).collect();
        for (key, entry) in self.entries.iter().filter(|(_, e)| !e.is_error()) {
            let Some(campaign) = &entry.campaign else { continue };
            groups.entry((&campaign.id, &key.method)).or_insert_with(|| Group::of(campaign)).add(campaign, 1);
        }
        for error in errors {
            let Some(campaign) = &error.campaign else { continue };
            let mut counted = false;
            for (_, group) in groups.iter_mut().filter(|((id, _), _)| *id == campaign.id) {
                group.add(campaign, campaign.models.len());
                counted = true;
            }
            if !counted {
                groups
                    .entry((&campaign.id, ""))
                    .or_insert_with(|| Group::of(campaign))
                    .add(campaign, campaign.models.len());
            }
        }
        groups.values().filter_map(Group::missing).collect()
    }

    /// For each engine the times of its answers, and for each method that chooses among engines those of all of
    /// them.
    pub fn series(&self) -> Series {
        let mut series = Series::new();
        for entry in self.entries().filter(|e| e.is_decided()) {
            series.entry(entry.engine.clone()).or_default().push(entry.seconds);
            if !entry.asked.is_empty() && entry.asked != entry.engine {
                series.entry(entry.asked.clone()).or_default().push(entry.seconds);
            }
        }
        series.values_mut().for_each(|times| times.sort_by(f64::total_cmp));
        series
    }

    /// Rows of counts: a model, and under each head how many.
    pub fn counts(&self) -> Vec<Counts> {
        let mut tables: Vec<Counts> = Vec::new();
        for (what, heads) in [
            ("checked", vec!["safe", "safe within bounds", "unsafe", "unknown"]),
            ("litmus tests", vec!["Never", "Sometimes", "Always", "unknown"]),
            ("robustness", vec!["robust", "robust within bounds", "not_robust", "race", "unknown"]),
        ] {
            let mut rows: BTreeMap<&str, (AnyModel, Vec<usize>)> = BTreeMap::new();
            for (entry, head) in
                self.entries().filter_map(|e| column(e).filter(|(t, _)| *t == what).map(|(_, h)| (e, h)))
            {
                let Some(model) = entry.model else { continue };
                let (_, row) = rows.entry(model.name()).or_insert_with(|| (model, vec![0; heads.len()]));
                if let Some(i) = heads.iter().position(|h| *h == head) {
                    row[i] += 1;
                }
            }
            if !rows.is_empty() {
                let rows = rows.into_values().collect();
                tables.push(Counts { what, heads, rows });
            }
        }
        tables
    }
}

/// How many results of each kind there are under each model.
pub struct Counts {
    /// What kind of results.
    pub what: &'static str,
    /// Names of the columns.
    pub heads: Vec<&'static str>,
    /// Model and counts.
    pub rows: Vec<(AnyModel, Vec<usize>)>,
}

/// The table and the column that a result is counted in; none for files that cannot be read.
fn column(entry: &Entry) -> Option<(&'static str, &'static str)> {
    match (entry.verdict, entry.observation) {
        (ResultKind::Error, _) => None,
        (_, Some(observation)) => Some(("litmus tests", observation.name())),
        (ResultKind::Robust, None) if entry.bounded => Some(("robustness", "robust within bounds")),
        (verdict @ (ResultKind::Robust | ResultKind::NotRobust | ResultKind::Race), None) => {
            Some(("robustness", verdict.name()))
        }
        (ResultKind::Checked(VerdictKind::Safe), None) if entry.bounded => {
            Some(("checked", "safe within bounds"))
        }
        (ResultKind::Checked(verdict), None) => Some(("checked", verdict.name())),
    }
}

/// A verdict and who gave it.
fn said(entry: &Entry) -> String {
    let verdict = entry.observation.map_or(entry.verdict.name(), Observation::name);
    format!("{verdict} by {}", entry.engine)
}

/// The results of one campaign by one method.
struct Group {
    models: usize,
    files: Option<usize>,
    found: usize,
    shards: BTreeMap<String, usize>,
}

impl Group {
    fn of(campaign: &CampaignStamp) -> Group {
        Group { models: campaign.models.len(), files: campaign.files, found: 0, shards: BTreeMap::new() }
    }

    fn add(&mut self, campaign: &CampaignStamp, results: usize) {
        self.found += results;
        *self.shards.entry(campaign.shard.clone()).or_default() += results;
    }

    /// What is to be said, if not all results are there.
    fn missing(&self) -> Option<String> {
        let all = self.files? * self.models;
        if self.found >= all {
            return None;
        }
        let shards: Vec<_> = self.shards.iter().map(|(shard, n)| format!("{n} of shard {shard}")).collect();
        Some(format!(
            "{} of {all} results are missing; found are {}. Rerun the same command with the same --results to resume",
            all - self.found,
            shards.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests;
