//! What `explain` says of fences: a cheapest repair, proved, or nothing where that takes too long.

use super::Placed;
use super::goal::{Checker, Judged};
use super::show::kind_name;
use super::source::Source;
use crate::options::{EngineName, GoalName, InputOptions};
use fencepost_frontend::fences::Language;
use fencepost_ir::cfg::FenceKind;
use fencepost_robust::fences::{Extent, Prices, Repair, synthesize};
use fencepost_task::{Bounds, Budget, Model, Stats};
use std::path::Path;

/// Sentences about the fences that repair a program, proved on its text with them.
pub fn suggest(file: &Path, input: &InputOptions, model: Model, budget: Budget) -> Vec<String> {
    repair(file, input, model, budget).unwrap_or_default()
}

fn repair(file: &Path, input: &InputOptions, model: Model, budget: Budget) -> Option<Vec<String>> {
    let source = Source::read(file, input).ok()?;
    let places = source.places();
    let mut goal = Checker {
        name: &source.name,
        goal: GoalName::Safe,
        model,
        engine: EngineName::Auto,
        bounds: Bounds { threads: input.threads, ..Bounds::default() },
        budget: budget.clone(),
        quiet: true,
        stats: Stats::default(),
        answered: Vec::new(),
    };
    let store_store = source.language.kinds().contains(&FenceKind::StoreStore);
    let prices = match model {
        Model::Pso if store_store => Prices { full: 4, store_store: Some(1) },
        Model::Sc | Model::Tso | Model::Pso => Prices { full: 1, store_store: None },
    };
    let found = synthesize(&places.candidates, prices, Extent::One, &mut goal, &budget, &mut |_| {});
    let (set, minimal) = match found {
        Repair::Repaired { sets, minimal, .. } => (sets.into_iter().next()?, minimal),
        Repair::Impossible(_) => {
            return Some(vec![
                "With a fence at every place between statements the program is still unsafe.".to_string(),
            ]);
        }
        Repair::NotNeeded(_) | Repair::Unknown { .. } => return None,
    };
    let laid = source.laid_out(&places, &set);
    let program = source.program_of(&laid.text).ok()?;
    let Judged::Holds(scope) = goal.judge(&program, None) else { return None };
    let placed = set.iter().zip(laid.places).map(|(fence, standing)| Placed {
        kind: fence.kind,
        function: places.function(fence.candidate),
        standing,
        instances: None,
    });
    let placed: Vec<_> = placed
        .map(|p| {
            let words = source.language.fence(p.kind);
            let written =
                if source.language == Language::C { format!(" (`{words}`)") } else { String::new() };
            format!("a {} fence in {} {}{written}", kind_name(p.kind), p.function, p.place())
        })
        .collect();
    let least = if minimal { "; nothing cheaper does" } else { "" };
    Some(vec![format!(
        "Proved: with {} the program is safe under {}, {scope}{least}.",
        placed.join(" and "),
        model.name().to_uppercase()
    )])
}
