//! The page of a robustness verdict: each attack with its run and its happens-before cycle, drawn and in words.

use super::{facts, not_drawn, page, run_section, sentences};
use crate::picture::svg::escape;
use crate::picture::{Frame, cycle};
use crate::robust::{Criterion, RobustVerdict, Robustness, ShownAttack, cycle_sentences, cycle_words};
use fencepost_task::Scope;
use std::fmt::Write;

/// More attacks are listed, but not drawn.
const MOST_DRAWN: usize = 20;

/// The page.
pub fn robust(answer: &Robustness<'_>) -> String {
    let (verdict, class) = match answer.verdict() {
        RobustVerdict::Robust => ("robust", "good"),
        RobustVerdict::NotRobust => ("not robust", "bad"),
        RobustVerdict::Unknown => ("unknown", "open"),
    };
    let mut body = format!(
        "<header>\n<h1><span class=\"verdict {class}\">{verdict}</span><span class=\"mono\">{}</span> against TSO</h1>\n",
        escape(answer.file)
    );
    let summary = match (&answer.attacks[..], &answer.incomplete) {
        ([], None) => match answer.scope {
            Scope::Complete => "TSO adds no behaviour: what holds under SC holds under TSO.".to_string(),
            scope => format!("TSO adds no behaviour, {scope}: there, what holds under SC holds under TSO."),
        },
        ([], Some(reason)) => reason.to_string(),
        (attacks, _) => format!(
            "TSO adds behaviour: {} of the program's loads can overtake a store so that no SC run is like it.",
            attacks.len()
        ),
    };
    let _ = write!(body, "<p>{}</p>\n</header>\n<main>\n", escape(&summary));
    if let (Some(reason), false) = (&answer.incomplete, answer.attacks.is_empty()) {
        let _ = writeln!(body, "<p>There may be more: {}.</p>", escape(&reason.to_string()));
    }
    for (number, attack) in answer.attacks.iter().enumerate() {
        body += &section(answer, attack, number);
    }
    body += "<h2>How it was found</h2>\n";
    body += &facts(&[
        ("Criterion", answer.criterion.name().to_string()),
        ("States", answer.stats.states.to_string()),
        ("Time", format!("{:.2} s", answer.seconds)),
    ]);
    body += "</main>\n";
    page(&format!("{} against TSO: {verdict}", answer.file), &body)
}

fn section(answer: &Robustness<'_>, attack: &ShownAttack, number: usize) -> String {
    let sources = &answer.program.sources;
    let mut out = format!(
        "<h2>{}. {}: the load at {} overtakes the store at {}</h2>\n",
        number + 1,
        escape(&attack.thread),
        escape(&sources.place(attack.load).to_string()),
        escape(&sources.place(attack.store).to_string())
    );
    if number >= MOST_DRAWN {
        return out;
    }
    let end = match answer.criterion {
        Criterion::Traces => "no SC run has this happens-before relation",
        Criterion::TriangularRaces => "a triangular race",
    };
    let frame = Frame { end: Some(end), legend: true, ..Frame::default() };
    let mut story = String::new();
    if let Ok(words) = cycle_words(answer, attack)
        && !attack.cycle.is_empty()
    {
        story += "<h3>What happens before itself</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
                  aria-label=\"Drawing of the cycle\">\n";
        story += &cycle(&attack.replay, &attack.cycle, &words);
        story += "</div>\n";
        story += &sentences("The cycle in words", &cycle_sentences(attack, &words));
    }
    let drawn = run_section(answer.program, &attack.replay, frame, None, &story, &answer.telling);
    out += &drawn.unwrap_or_else(|stop| not_drawn(stop, &story));
    out
}
