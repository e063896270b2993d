//! Robustness against C11 for people: the step that SC does not have, or the race, and the run of SC before it.

use crate::ResultKind;
use crate::paint::{Colour, wrap};
use crate::results::Vocabulary;
use crate::robust::event_words;
use crate::text::{Detail, Style, left_out, steps};
use crate::words::RACE_CURE;
use fencepost_certify::{Because, Departed, Raced, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::Program;
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_memory::run_graph::What;
use fencepost_task::{Budget, Reason, Scope, Stats, Stop, VerdictKind};
use std::fmt::Write;

/// What was found; its run has been replayed, and the axioms have confirmed it.
pub enum FoundC11 {
    /// Every execution of C11 within the scope is one of SC, and nothing races.
    Robust(Scope),
    /// C11 has a step that SC does not have.
    Departed(Departed),
    /// Two accesses race, so C11 says nothing of what happens.
    Raced(Raced),
    /// Nothing was found, and not all was seen.
    Unknown(Reason),
}

/// The answer for a file.
pub struct RobustnessC11<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// What belongs to a release sequence.
    pub sequences: ReleaseSequences,
    /// What was found.
    pub found: FoundC11,
    /// A relaxed load and a later relaxed store that machines may swap, and RC11 not.
    pub load_buffering: Option<(Span, Span)>,
    /// What it cost.
    pub stats: Stats,
    /// Wall-clock time.
    pub seconds: f64,
    /// The limits of telling about it: what does not fit is left out, with a word.
    pub telling: Budget,
}

impl RobustnessC11<'_> {
    /// What was found, in one word.
    pub fn verdict(&self) -> ResultKind {
        match self.found {
            FoundC11::Robust(_) => ResultKind::Robust,
            FoundC11::Departed(_) => ResultKind::NotRobust,
            FoundC11::Raced(_) => ResultKind::Race,
            FoundC11::Unknown(_) => VerdictKind::Unknown.into(),
        }
    }

    /// What has to be said besides.
    pub(crate) fn note(&self) -> Option<String> {
        match self.found {
            FoundC11::Robust(_) => buffering_note(self.program, self.load_buffering),
            FoundC11::Departed(_) | FoundC11::Raced(_) | FoundC11::Unknown(_) => None,
        }
    }
}

/// What has to be said of a program that has a relaxed load and a later relaxed store that machines may swap, and RC11 not.
pub fn buffering_note(program: &Program, pair: Option<(Span, Span)>) -> Option<String> {
    let (load, store) = pair?;
    let place = |span| program.sources.place(span).to_string();
    Some(format!(
        "this holds with RC11, in which the relaxed load at {} is done before the relaxed store at {}: some machines swap such \
         two where no dependency is between them",
        place(load),
        place(store)
    ))
}

/// The verdict, and what was found.
pub fn text(answer: &RobustnessC11<'_>, style: Style) -> String {
    let RobustnessC11 { file, found, stats, seconds, .. } = answer;
    let cost = format!("{} states, {seconds:.2} s", stats.states);
    let (colour, verdict, what) = match found {
        FoundC11::Robust(scope) => (Colour::Green, "robust", format!(", {scope}")),
        FoundC11::Departed(_) => (Colour::Red, "not robust", ": a step that SC does not have".to_string()),
        FoundC11::Raced(_) => (Colour::Red, "data race", ": its behaviour is undefined".to_string()),
        FoundC11::Unknown(reason) => (Colour::Yellow, "unknown", format!(": {reason}")),
    };
    let mut out = format!("{}: {file} against C11{what} ({cost})\n", style.paint.bold(colour, verdict));
    if style.detail == Detail::Verdict {
        return out;
    }
    if let Some(note) = answer.note() {
        out += &wrap(&note, style.width, 2, 4);
    }
    let told = match found {
        FoundC11::Robust(_) | FoundC11::Unknown(_) => Ok(String::new()),
        FoundC11::Departed(departed) => departure(answer, departed, style),
        FoundC11::Raced(raced) => race(answer, raced, style),
    };
    out += &told.unwrap_or_else(|stop| format!("  {}\n", left_out(stop)));
    out
}

/// The step that SC does not have, in a line.
pub fn departure_line(program: &Program, d: &Departed) -> String {
    let place = |span: Span| program.sources.place(span);
    let cell = d.replay.last.cells_name(program, d.loc, 1);
    let ty = program.cell_type(d.loc);
    let value = ty.map_or_else(|| d.value.to_string(), |ty| d.replay.last.show_value(program, ty, d.value));
    let from = match d.older {
        None => "from the beginning".to_string(),
        Some(step) => format!("of {}", place(d.replay.steps[step].event.span)),
    };
    let newer = d.path.first().map(|link| place(d.replay.steps[link.step].event.span).to_string());
    let newer = newer.unwrap_or_default();
    let (thread, access) = (&d.thread, place(d.access));
    let line = match d.what {
        What::Read => format!("{thread}: the read of {cell} at {access} can still see {value} {from}"),
        What::Write => format!(
            "{thread}: the store to {cell} at {access} can still come right after {value} {from}, so that others see it as older"
        ),
        What::Update => {
            format!("{thread}: the read-modify-write of {cell} at {access} can still take {value} {from}")
        }
    };
    format!("{line}, although the store at {newer} is before it in a run of SC")
}

fn departure(answer: &RobustnessC11<'_>, d: &Departed, style: Style) -> Result<String, Stop> {
    let program = answer.program;
    let cell = d.replay.last.cells_name(program, d.loc, 1);
    let mut out = wrap(&departure_line(program, d), style.width, 2, 4);
    out += &steps(program, &d.replay, style, &answer.telling)?;
    let head = "what puts that store before it (po: program order, rf: is read by, mo: is overwritten by, fr: reads what is overwritten by; \
                `!` where C11 has no happens-before):";
    out += &wrap(head, style.width, 2, 4);
    let states = States::new(program, &d.replay, &answer.telling);
    let mut path = String::new();
    let mut missing = Vec::new();
    for (number, link) in d.path.iter().enumerate() {
        let thread = &d.replay.steps[link.step].thread;
        let words = event_words(program, &d.replay, &states, link.step)?;
        let mark = if link.ordered { "" } else { "!" };
        let _ = write!(path, "[{} {thread} {words}] -{}{mark}-> ", link.step + 1, link.because.name());
        if let (false, Some(next)) = (link.ordered, d.path.get(number + 1)) {
            missing.push(missing_order(link.because, link.step + 1, next.step + 1));
        }
    }
    let _ = write!(path, "[{} {} of {cell}]", d.thread, d.what.word());
    out += &wrap(&path, style.width, 4, 6);
    for sentence in missing {
        out += &wrap(&sentence, style.width, 4, 6);
    }
    Ok(out)
}

/// Why C11 does not order two steps that SC has in this order.
fn missing_order(because: Because, first: usize, second: usize) -> String {
    match because {
        Because::ReadsFrom => {
            format!(
                "{second} reads what {first} wrote; only a release store and an acquire load would order them."
            )
        }
        Because::Overwritten | Because::ReadBefore => {
            format!(
                "Only seq_cst accesses, or seq_cst fences, on both sides would order {first} and {second}."
            )
        }
        Because::ProgramOrder | Because::Thread => format!("{first} comes before {second}."),
    }
}

fn race(answer: &RobustnessC11<'_>, r: &Raced, style: Style) -> Result<String, Stop> {
    let program = answer.program;
    let states = States::new(program, &r.replay, &answer.telling);
    let access = |step: usize| -> Result<String, Stop> {
        let replayed = &r.replay.steps[step];
        let words = event_words(program, &r.replay, &states, step)?;
        let place = program.sources.place(replayed.event.span);
        Ok(format!("{}'s {words} at {place}", replayed.thread))
    };
    let line = format!(
        "{} and {}: neither happens before the other, and not both are atomic",
        access(r.first)?,
        access(r.second)?
    );
    let mut out = wrap(&line, style.width, 2, 4);
    out += &steps(program, &r.replay, style, &answer.telling)?;
    out += &wrap(RACE_CURE, style.width, 2, 4);
    Ok(out)
}
