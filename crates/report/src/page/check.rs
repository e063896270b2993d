//! The page of a verdict: the run and its story, or what was proved and how to check it again.

use super::{drawings, facts, not_drawn, page, run_section, sentences};
use crate::nearest_sc::{Fate, NearestSc};
use crate::picture::svg::escape;
use crate::picture::{Frame, Picture};
use crate::text::{self, caveat, everywhere, unreached};
use crate::{Outcome, Shown};
use fencepost_certify::Replay;
use fencepost_ir::Span;
use fencepost_ir::cfg::{Instr, Program, Property};
use fencepost_task::{AnyModel, Budget, EngineChoice, Pace, Reason, Scope, Stop};
use std::collections::HashSet;
use std::fmt::Write;

/// How a verdict can be checked again.
pub struct Recheck {
    /// What was proved, and by what.
    pub proof: Vec<String>,
    /// Commands.
    pub commands: Vec<String>,
}

/// The page of a verdict.
pub fn check(outcome: &Outcome<'_>, recheck: &Recheck) -> String {
    let budget = &outcome.telling;
    let model = outcome.model.name().to_uppercase();
    let title = format!("{} under {model}: {}", outcome.file, outcome.verdict.kind());
    let class = match outcome.verdict {
        Shown::Safe { .. } => "good",
        Shown::Unsafe(_) => "bad",
        Shown::Unknown { .. } => "open",
    };
    let mut body = format!(
        "<header>\n<h1><span class=\"verdict {class}\">{}</span><span class=\"mono\">{}</span> under {model}</h1>\n",
        outcome.verdict.kind(),
        escape(outcome.file)
    );
    let summary = match &outcome.verdict {
        Shown::Unsafe(replay) => replay.property(outcome.program),
        Shown::Safe { scope, .. } => safe_summary(outcome, *scope),
        Shown::Unknown { reason, .. } => reason.to_string(),
    };
    let _ = write!(body, "<p>{}</p>\n</header>\n<main>\n", escape(&summary));
    match &outcome.verdict {
        Shown::Unsafe(replay) => body += &violation(outcome, replay, budget),
        Shown::Safe { unreached: list, .. } => {
            let notes: Vec<String> = list.iter().map(|u| unreached(outcome.program, u)).collect();
            body += &sentences("What was proved", &recheck.proof);
            body += &sentences("Note", &notes);
            body += &properties(outcome.program, budget);
        }
        Shown::Unknown { scope, .. } => {
            let known =
                scope.map_or_else(|| "nothing was finished".to_string(), |s| format!("no violation {s}"));
            body += &sentences("What is known", &[known]);
            body += &properties(outcome.program, budget);
        }
    }
    let warnings: Vec<String> =
        outcome.warnings.iter().map(|w| text::warning(&outcome.program.sources, w)).collect();
    body += &sentences("Warning", &warnings);
    if let Some(caveat) = caveat(outcome) {
        body += &sentences("What this does not speak of", &[caveat]);
    }
    if !recheck.commands.is_empty() {
        let commands: Vec<String> = recheck.commands.iter().map(|c| escape(c)).collect();
        let _ = write!(body, "<h2>Check it again</h2>\n<pre>{}</pre>\n", commands.join("\n"));
    }
    body += "<h2>How it was found</h2>\n";
    body += &facts(&statistics(outcome));
    if !matches!(outcome.verdict, Shown::Unsafe(_)) {
        body += &source(outcome.program, budget);
    }
    body += "</main>\n";
    page(&title, &body)
}

fn safe_summary(outcome: &Outcome<'_>, scope: Scope) -> String {
    let number = if outcome.program.is_parameterized() { " with any number of threads" } else { "" };
    match (outcome.model, scope) {
        (AnyModel::C11, _) => {
            format!("No run violates a property, and no accesses race, {scope}{}.", everywhere(outcome))
        }
        (_, Scope::Complete) => {
            format!("No run{number} violates a property: complete, buffers of any length.")
        }
        (_, Scope::UpTo(_)) => format!("No run{number} violates a property, {scope}."),
    }
}

fn violation(outcome: &Outcome<'_>, replay: &Replay, budget: &Budget) -> String {
    let program = &*replay.instance(outcome.program);
    let nearest = outcome.explanation.as_ref().and_then(|e| e.nearest.as_ref());
    // The run itself comes first; without time for both there is nothing beside it.
    let beside = nearest.and_then(|n| sc_run(program, n, replay, budget).ok());
    let frame = Frame { legend: true, ..Frame::default() };
    let mut story = String::new();
    if let Some(explanation) = &outcome.explanation {
        story += &sentences("What happens", &explanation.reordering);
        story += &sentences("What each thread saw", &explanation.saw);
        story += &sentences("Under SC", &explanation.sc);
        story += &sentences("What forbids it", &explanation.cure);
        if let Some(order) = &explanation.order {
            let _ = writeln!(story, "<p class=\"quiet\">{}</p>", escape(order));
        }
    }
    let drawn = run_section(program, replay, frame, beside.as_deref(), &story, budget);
    drawn.unwrap_or_else(|stop| not_drawn(stop, &story))
}

/// The nearest SC run, to be beside the other one.
fn sc_run(program: &Program, nearest: &NearestSc, replay: &Replay, budget: &Budget) -> Result<String, Stop> {
    let end = match nearest.parting {
        None => "SC: the same steps in another order, and no violation".to_string(),
        Some(parting) => {
            let name = &replay.steps[parting.weak].thread;
            let fate = match nearest.fate {
                Fate::Waits => "waits",
                Fate::Stuck => "cannot go on",
                Fate::Ends => "ends",
                Fate::GoesOn => "goes on",
            };
            format!("SC: {name} {fate}, no violation")
        }
    };
    let parting = nearest.parting.and_then(|p| p.sc);
    let frame = Frame { end: Some(&end), parting, ..Frame::default() };
    let picture = Picture::new(program, &nearest.replay, budget)?;
    let drawn = drawings(&picture, frame, "Drawing of the nearest run under SC", budget)?;
    Ok(format!("<h3>The nearest SC run</h3>\n{drawn}"))
}

/// More properties than these are counted, not listed.
const MOST_PROPERTIES: usize = 500;

fn properties(program: &Program, budget: &Budget) -> String {
    let properties = program.properties.iter().map(|property| {
        let (Property::Forbid { span, .. } | Property::Final { span, .. }) = property;
        *span
    });
    let edges = program.procedures.iter().flat_map(|p| p.edges());
    let assertions = edges.filter(|e| matches!(e.instr, Instr::Assert(..))).map(|e| e.span);
    let mut seen = HashSet::new();
    let spans: Vec<Span> = properties.chain(assertions).filter(|span| seen.insert(*span)).collect();
    let mut pace = Pace::new(budget);
    let mut list: Vec<String> = Vec::new();
    for span in spans.iter().take(MOST_PROPERTIES) {
        let Some(line) = program.sources.excerpt(*span) else { continue };
        if pace.take(line.len() as u64, || 0).is_err() {
            break;
        }
        let text = format!("{}: {}", program.sources.place(*span), line.trim());
        if list.last() != Some(&text) {
            list.push(text);
        }
    }
    if spans.len() > MOST_PROPERTIES {
        list.push(format!("and {} more", spans.len() - MOST_PROPERTIES));
    }
    sentences("What was asked", &list)
}

fn statistics(outcome: &Outcome<'_>) -> Vec<(&'static str, String)> {
    let stats = &outcome.stats;
    let scope = match &outcome.verdict {
        Shown::Safe { scope, .. } => scope.to_string(),
        Shown::Unsafe(replay) => format!("one run of {} steps, replayed", replay.steps.len()),
        Shown::Unknown { scope, .. } => scope.map_or("none".to_string(), |s| s.to_string()),
    };
    let mut list = vec![
        ("Engine", outcome.engine.to_string()),
        ("Memory model", outcome.model.name().to_uppercase()),
        ("Scope", scope),
    ];
    let others: Vec<String> = outcome
        .engines
        .iter()
        .filter(|e| EngineChoice::Only(e.engine) != outcome.engine)
        .map(|e| match &e.reason {
            Some(reason) => format!("{} ({}: {reason})", e.engine, e.part.name()),
            None => format!("{} ({})", e.engine, e.part.name()),
        })
        .collect();
    if !others.is_empty() {
        list.push(("Other engines", others.join("; ")));
    }
    for (name, count) in [
        ("States", stats.states),
        ("Configurations", stats.configurations),
        ("Steps tried", stats.transitions),
        ("Questions", stats.queries),
        ("Variables", stats.variables),
        ("Clauses", stats.clauses),
    ] {
        if count > 0 {
            list.push((name, count.to_string()));
        }
    }
    if stats.bytes > 0 {
        list.push(("Memory", format!("{:.1} MB", stats.bytes as f64 / f64::from(1 << 20))));
    }
    list.push(("Time", format!("{:.2} s", outcome.seconds)));
    list
}

fn source(program: &Program, budget: &Budget) -> String {
    let file = fencepost_ir::FileId(0);
    let text = program.sources.text(file);
    if text.is_empty() {
        return String::new();
    }
    if let Err(stop) = Pace::new(budget).take(4 * text.len() as u64, || 0) {
        return format!("<p class=\"quiet\">The program is left out here: {}.</p>\n", Reason::from(stop));
    }
    format!(
        "<details><summary>The program, <span class=\"mono\">{}</span></summary>\n<pre>{}</pre></details>\n",
        escape(program.sources.name(file)),
        escape(text)
    )
}
