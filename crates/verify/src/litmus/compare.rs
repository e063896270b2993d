//! Which tests tell memory models apart.

use super::batch::Told;
use super::decide::{Judge, NoAnswer};
use fencepost_litmus::Test;
use fencepost_report::results::{self, Ordered, Schema, Word};
use fencepost_task::Reason;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What models say of a test, side by side.
pub struct Comparison<'a> {
    sets: Vec<(Judge, BTreeSet<&'a str>)>,
}

/// Why a test cannot be compared.
pub enum NoComparison<'a> {
    /// A model gives no answer.
    Unknown(Judge, &'a Reason),
    /// The test is wrong.
    Fault,
}

/// Compares what models say.
pub fn compare(answers: &[Told]) -> Result<Comparison<'_>, NoComparison<'_>> {
    let mut sets = Vec::new();
    for Told { model, answer, .. } in answers {
        match answer {
            Ok(answer) => sets.push((*model, answer.states.iter().map(String::as_str).collect())),
            Err(NoAnswer::Unknown(reason)) => return Err(NoComparison::Unknown(*model, reason)),
            Err(NoAnswer::Fault(_)) => return Err(NoComparison::Fault),
        }
    }
    Ok(Comparison { sets })
}

impl Comparison<'_> {
    /// Whether the test tells two of the models apart.
    pub fn is_apart(&self) -> bool {
        self.sets.windows(2).any(|pair| pair[0].1 != pair[1].1)
    }

    /// The result.
    pub fn result(&self, file: &str, test: &Test) -> results::Comparison {
        let states = |states: &BTreeSet<&str>| states.iter().map(ToString::to_string).collect();
        let models = self.sets.iter().map(|(judge, set)| (Word((*judge).into()), states(set)));
        results::Comparison {
            schema: Schema,
            file: file.to_string(),
            test: test.name.clone(),
            apart: self.is_apart(),
            models: Ordered(models.collect()),
        }
    }

    /// What one model allows and the next does not.
    pub fn text(&self, file: &str, test: &Test) -> String {
        let mut out = String::new();
        let counts: Vec<_> = self.sets.iter().map(|(m, s)| format!("{} {}", m.name(), s.len())).collect();
        let _ = writeln!(out, "{} ({file}): states {}", test.name, counts.join(", "));
        for pair in self.sets.windows(2) {
            let [(stronger, few), (weaker, many)] = pair else { unreachable!("windows of two") };
            for state in many.difference(few) {
                let _ = writeln!(out, "  {} allows, {} does not: {state}", weaker.name(), stronger.name());
            }
            for state in few.difference(many) {
                let _ = writeln!(out, "  {} allows, {} does not: {state}", stronger.name(), weaker.name());
            }
        }
        out
    }
}
