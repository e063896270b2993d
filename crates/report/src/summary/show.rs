//! A summary as text and as one JSON object.

use super::{Counts, Entry, Summary};
use crate::ResultKind;
use crate::results::{EngineTimes, Ordered, Schema, Seconds, SummaryResult, Word};
use fencepost_task::VerdictKind;
use std::collections::BTreeSet;
use std::fmt::Write;

impl Summary {
    /// For people. Times are in lines of their own.
    pub fn text(&self) -> String {
        let mut out = self.headline();
        out.push('\n');
        for table in self.counts() {
            let widths: Vec<usize> = table.heads.iter().map(|head| head.len().max(5)).collect();
            let _ = write!(out, "\n  {:<14}", table.what);
            for (head, &width) in table.heads.iter().zip(&widths) {
                let _ = write!(out, "  {:>width$}", head.replace('_', " "));
            }
            out.push('\n');
            for (model, row) in &table.rows {
                let _ = write!(out, "  {:<14}", model.name());
                for (count, &width) in row.iter().zip(&widths) {
                    let _ = write!(out, "  {count:>width$}");
                }
                out.push('\n');
            }
        }
        let series = self.series();
        if !series.is_empty() {
            let _ =
                writeln!(out, "\n  {:<14}  {:>8}  {:>9}  {:>9}", "engine", "answers", "seconds", "slowest");
        }
        for (engine, times) in &series {
            let total: f64 = times.iter().sum();
            let slowest = times.last().copied().unwrap_or(0.0);
            let _ = writeln!(out, "  {engine:<14}  {:>8}  {total:>9.2}  {slowest:>9.2}", times.len());
        }
        for (head, list) in self.lists() {
            if !list.is_empty() {
                let _ = writeln!(out, "\n{head}:");
                list.iter().for_each(|line| {
                    let _ = writeln!(out, "  {line}");
                });
            }
        }
        out
    }

    /// How many of what.
    pub fn headline(&self) -> String {
        let files: BTreeSet<&str> = self.entries().map(|e| e.file.as_str()).collect();
        let count = self.entries().count();
        let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        format!("{} for {}", plural(count, "result"), plural(files.len(), "file"))
    }

    /// What needs a look, by kind.
    pub fn lists(&self) -> Vec<(&'static str, Vec<String>)> {
        let told = |entry: &Entry| match entry.reason.is_empty() {
            true => entry.name(),
            false => format!("{}: {}", entry.name(), entry.reason),
        };
        let of = |verdict: ResultKind| self.entries().filter(|e| e.verdict == verdict).map(told).collect();
        let contradictions = self.contradictions().into_iter().map(str::to_string).collect();
        vec![
            ("contradictions, which are bugs in Fencepost; please report them", contradictions),
            ("files that could not be read", of(ResultKind::Error)),
            ("unknown", of(VerdictKind::Unknown.into())),
            ("missing", self.missing()),
        ]
    }

    /// For scripts.
    pub fn result(&self) -> SummaryResult {
        let row = |heads: &[&str], row: Vec<usize>| {
            Ordered(heads.iter().map(ToString::to_string).zip(row).collect::<Vec<_>>())
        };
        let table = |table: Counts| {
            let rows = table.rows.into_iter().map(|(model, counts)| (Word(model), row(&table.heads, counts)));
            (table.what.to_string(), Ordered(rows.collect()))
        };
        let engine = |(engine, times): (String, Vec<f64>)| EngineTimes {
            name: engine,
            answers: times.len(),
            seconds: Seconds::rounded(times.iter().sum()),
        };
        let mut lists = self.lists().into_iter().map(|(_, list)| list);
        let mut list = || lists.next().unwrap_or_else(|| unreachable!("four lists"));
        SummaryResult {
            schema: Schema,
            results: self.entries().count(),
            counts: Ordered(self.counts().into_iter().map(table).collect()),
            engines: self.series().into_iter().map(engine).collect(),
            contradictions: list(),
            errors: list(),
            unknown: list(),
            missing: list(),
        }
    }
}
