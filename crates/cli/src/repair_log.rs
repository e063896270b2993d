//! What `fencepost fences` found, as a result of a SARIF log: missing fences with the changes that insert them.

use crate::collect::{self, Collected};
use fencepost_ir::{FileId, Span};
use fencepost_report::results::Vocabulary;
use fencepost_report::sarif::{Fix, Repair, RepairEnd};
use fencepost_verify::fences::show::{Telling, text};
use fencepost_verify::fences::{Ending, Evidence, Outcome, Placed};

/// Adds a result to a log.
pub fn collect(outcome: &Outcome<'_>, telling: Telling, collected: &mut Collected) {
    let said = text(outcome, telling);
    let first = said.lines().next().unwrap_or_default();
    // What it cost is after the last bracket.
    let message = format!("{}.", first.rsplit_once(" (").map_or(first, |(message, _)| message));
    let fix = match &outcome.result {
        Ending::Repaired(repaired) => Fix {
            file: outcome.source.name.clone(),
            text: outcome.source.text.clone(),
            edits: repaired.edits.clone(),
            title: "Insert fences".to_string(),
            what: format!(
                "Insert the fences: proved to be enough{}.",
                if repaired.minimal { "; nothing cheaper is" } else { "" }
            ),
        },
        _ => Fix {
            file: String::new(),
            text: String::new(),
            edits: Vec::new(),
            title: String::new(),
            what: String::new(),
        },
    };
    let end = match &outcome.result {
        Ending::NotNeeded(_) => RepairEnd::NotNeeded,
        Ending::Unknown { .. } => RepairEnd::Unknown,
        Ending::Repaired(repaired) => RepairEnd::Missing(repaired.sets[0].iter().map(place).collect(), &fix),
        Ending::UnsafeUnderSc(program, replay) => RepairEnd::Impossible(Some((program, replay))),
        Ending::BeyondFences(program, Evidence::Violation(replay)) => {
            RepairEnd::Impossible(Some((program, replay)))
        }
        Ending::BeyondFences(_, Evidence::Attack(_)) => RepairEnd::Impossible(None),
    };
    let repair = Repair {
        file: &outcome.source.name,
        program: &outcome.source.program,
        model: outcome.model,
        message,
        end,
        seconds: outcome.seconds,
        telling: outcome.telling.clone(),
    };
    collect::repair(collected, &repair);
}

/// Where a fence goes, its function, and what is said there.
fn place(fence: &Placed) -> (Span, String, String) {
    let span = Span { file: FileId(0), line: fence.line().max(1), column: 1, length: 0 };
    (span, fence.function.clone(), format!("a {} fence goes {}", fence.kind.word(), fence.place()))
}
