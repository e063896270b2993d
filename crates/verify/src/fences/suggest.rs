//! What is said of fences beside a violation: cheapest repairs, proved, or nothing where that takes too long; as
//! sentences, and as changes of the text.

use super::goal::{Checker, Judged};
use super::source::{Places, Source};
use super::{GoalKind, Placed};
use crate::options::Format;
use fencepost_ir::cfg::FenceKind;
use fencepost_report::results::Vocabulary;
use fencepost_report::sarif::Fix;
use fencepost_robust::fences::{Extent, Fence, Prices, Repair, synthesize};
use fencepost_task::{Bounds, Budget, EngineChoice, Model, Stats};
use std::sync::Arc;

/// What is known of a repair.
#[derive(Default)]
pub struct Suggestion {
    /// In sentences.
    pub sentences: Vec<String>,
    /// The changes of each cheapest repair that was looked for; each is proved on the text that it makes.
    pub fixes: Vec<Fix>,
}

/// The fences that repair a program. `most` is the number of cheapest sets that are looked for.
pub fn suggest(source: &Arc<Source>, model: Model, budget: Budget, most: usize) -> Suggestion {
    let Ok(places) = source.places(&budget) else { return Suggestion::default() };
    let mut goal = Checker {
        name: &source.name,
        goal: GoalKind::Safe,
        model,
        engine: EngineChoice::Auto,
        bounds: Bounds { threads: source.options.threads, ..Bounds::default() },
        budget: budget.clone(),
        progress: &|_| {},
        stats: Stats::default(),
        answered: Vec::new(),
    };
    let store_store = source.syntax.kinds().contains(&FenceKind::StoreStore);
    let prices = match model {
        Model::Pso if store_store => Prices { full: 4, store_store: Some(1) },
        Model::Sc | Model::Tso | Model::Pso => Prices { full: 1, store_store: None },
    };
    let extent = if most == 1 { Extent::One } else { Extent::All(most) };
    let found = synthesize(&places.candidates, prices, extent, &mut goal, &budget, &mut |_| {});
    let (sets, minimal) = match found {
        Repair::Repaired { sets, minimal, .. } => (sets, minimal),
        Repair::Impossible(_) => {
            let still = "With a fence at every place between statements the program is still unsafe.";
            return Suggestion { sentences: vec![still.to_string()], fixes: Vec::new() };
        }
        Repair::NotNeeded(_) | Repair::Unknown { .. } => return Suggestion::default(),
    };
    let mut suggestion = Suggestion::default();
    for set in sets {
        let Some((sentence, fix)) = proved(source, &places, &set, minimal, &mut goal) else { continue };
        if suggestion.sentences.is_empty() {
            suggestion.sentences.push(sentence);
        }
        suggestion.fixes.push(fix);
    }
    suggestion
}

/// Proves a repair on its text.
fn proved(
    source: &Arc<Source>,
    places: &Places,
    set: &[Fence],
    minimal: bool,
    goal: &mut Checker<'_>,
) -> Option<(String, Fix)> {
    let laid = source.laid_out(places, set);
    let program = source.program_of(laid.text, &goal.budget).ok()?.ok()?;
    let Judged::Holds(scope) = goal.judge(&program, None) else { return None };
    let placed = set.iter().zip(laid.places).map(|(fence, standing)| Placed {
        kind: fence.kind,
        function: places.function(fence.candidate),
        standing,
        instances: None,
    });
    let placed: Vec<Placed> = placed.collect();
    let title = match &placed[..] {
        [one] => format!("Insert fence in {} {}", one.function, one.place()),
        all => {
            let all: Vec<_> = all.iter().map(|p| format!("in {} {}", p.function, p.place())).collect();
            format!("Insert {} fences: {}", all.len(), all.join("; "))
        }
    };
    let placed: Vec<_> = placed
        .iter()
        .map(|p| {
            let words = source.syntax.fence(p.kind);
            let written = if source.format == Format::C { format!(" (`{words}`)") } else { String::new() };
            format!("a {} fence in {} {}{written}", p.kind.word(), p.function, p.place())
        })
        .collect();
    let model = goal.model.name().to_uppercase();
    let placed = placed.join(" and ");
    let least = if minimal { "; nothing cheaper does" } else { "" };
    let sentence = format!("Proved: with {placed} the program is safe under {model}, {scope}{least}.");
    let fix = Fix {
        file: source.name.clone(),
        text: source.text.clone(),
        edits: laid.edits,
        title,
        what: format!("Insert {placed}: proved to make the program safe under {model}, {scope}{least}."),
    };
    Some((sentence, fix))
}
