//! Robustness for people: the attacks, the run of each, and its happens-before cycle.

use crate::ResultKind;
use crate::paint::{Colour, wrap};
use crate::text::{Detail, Style, left_out, steps};
use fencepost_certify::{Cycle, Relation, Replay, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::Program;
use fencepost_memory::EventKind;
use fencepost_task::{Budget, Reason, Scope, Stats, Stop, VerdictKind};
use std::fmt::Write;

/// What was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// The same happens-before relations as under SC.
    Traces,
    /// No triangular race.
    TriangularRaces,
}

impl Criterion {
    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Traces => "traces",
            Criterion::TriangularRaces => "trf",
        }
    }
}

/// Whether TSO adds behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RobustVerdict {
    /// It adds none.
    Robust,
    /// It adds some.
    NotRobust,
    /// It may.
    Unknown,
}

impl From<RobustVerdict> for ResultKind {
    fn from(verdict: RobustVerdict) -> ResultKind {
        match verdict {
            RobustVerdict::Robust => ResultKind::Robust,
            RobustVerdict::NotRobust => ResultKind::NotRobust,
            RobustVerdict::Unknown => ResultKind::Checked(VerdictKind::Unknown),
        }
    }
}

/// An attack, or a triangular race, whose run has been replayed.
pub struct ShownAttack {
    /// The thread.
    pub thread: String,
    /// The store.
    pub store: Span,
    /// The load that overtakes it.
    pub load: Span,
    /// Of a race, what the other thread is about to do.
    pub write: Option<Span>,
    /// The run.
    pub replay: Replay,
    /// What happens before itself in it; empty for a race.
    pub cycle: Cycle,
}

/// The answer for a file.
pub struct Robustness<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// What was asked.
    pub criterion: Criterion,
    /// The attacks.
    pub attacks: Vec<ShownAttack>,
    /// Why there may be more.
    pub incomplete: Option<Reason>,
    /// How far it reaches that there are no more: where the user gave a number of threads, to these.
    pub scope: Scope,
    /// What it cost.
    pub stats: Stats,
    /// Wall-clock time.
    pub seconds: f64,
    /// The limits of telling about it: what does not fit is left out, with a word.
    pub telling: Budget,
}

impl Robustness<'_> {
    /// What was found: one attack is enough, however incomplete the search.
    pub fn verdict(&self) -> RobustVerdict {
        match (&self.attacks[..], &self.incomplete) {
            ([], None) => RobustVerdict::Robust,
            ([], Some(_)) => RobustVerdict::Unknown,
            ([_, ..], _) => RobustVerdict::NotRobust,
        }
    }
}

/// The verdict, the attacks, and runs: of the first attack, or of all.
pub fn text(answer: &Robustness<'_>, style: Style) -> String {
    let Robustness { file, program, attacks, incomplete, scope, stats, seconds, .. } = answer;
    let place = |span: Span| program.sources.place(span);
    let cost = format!("{} states, {seconds:.2} s", stats.states);
    let mut out = String::new();
    let races = answer.criterion == Criterion::TriangularRaces;
    match (&attacks[..], incomplete) {
        ([], None) => {
            let what = if races { "robust, without triangular races" } else { "robust" };
            let what = style.paint.bold(Colour::Green, what);
            let _ = writeln!(out, "{what}: {file} against TSO, {scope} ({cost})");
        }
        ([], Some(reason)) => {
            let unknown = style.paint.bold(Colour::Yellow, "unknown");
            let _ = writeln!(out, "{unknown}: {file} against TSO: {reason} ({cost})");
        }
        (attacks, _) => {
            let number = attacks.len();
            let what = match (races, number) {
                (false, 1) => "attack",
                (false, _) => "attacks",
                (true, 1) => "triangular race",
                (true, _) => "triangular races",
            };
            let verdict = if races { "may be not robust" } else { "not robust" };
            let verdict = style.paint.bold(Colour::Red, verdict);
            let _ = writeln!(out, "{verdict}: {file} against TSO: {number} {what} ({cost})");
        }
    }
    for a in attacks.iter().filter(|_| style.detail != Detail::Verdict) {
        let mut line =
            format!("{}: the load at {} overtakes the store at {}", a.thread, place(a.load), place(a.store));
        if let Some(write) = a.write {
            let _ = write!(line, ", beside the write at {}", place(write));
        }
        out += &wrap(&line, style.width, 2, 4);
    }
    if let (Some(reason), false) = (incomplete, attacks.is_empty()) {
        let _ = writeln!(out, "  there may be more: {reason}");
    }
    let shown = match style.detail {
        Detail::Verdict => 0,
        Detail::Steps => 1,
        Detail::All => attacks.len(),
    };
    for a in attacks.iter().take(shown) {
        out += &attack_text(answer, a, style).unwrap_or_else(|stop| format!("  {}\n", left_out(stop)));
    }
    out
}

/// The run of an attack, and its cycle.
fn attack_text(answer: &Robustness<'_>, a: &ShownAttack, style: Style) -> Result<String, Stop> {
    let mut out = steps(answer.program, &a.replay, style, &answer.telling)?;
    if !a.cycle.is_empty() {
        let head = "what happens before itself (po: program order, cf: conflict):";
        out += &wrap(head, style.width, 2, 4);
        let words = cycle_words(answer, a)?;
        out += &wrap(&cycle(a, &words), style.width, 4, 6);
        for sentence in cycle_sentences(a, &words) {
            out += &wrap(&sentence, style.width, 4, 6);
        }
    }
    Ok(out)
}

/// The events of a cycle in a few words each.
pub fn cycle_words(answer: &Robustness<'_>, attack: &ShownAttack) -> Result<Vec<String>, Stop> {
    let states = States::new(answer.program, &attack.replay, &answer.telling);
    let words = |number: usize| event_words(answer.program, &attack.replay, &states, number);
    attack.cycle.iter().map(|(number, _)| words(*number)).collect()
}

/// What a step of a run does, in a few words.
pub(crate) fn event_words(
    program: &Program,
    replay: &Replay,
    states: &States<'_>,
    number: usize,
) -> Result<String, Stop> {
    let step = &replay.steps[number];
    let before = states.at(number)?;
    Ok(match (step.event.kind, step.event.loc) {
        (EventKind::Begin, _) => "atomic section".to_string(),
        (EventKind::Load | EventKind::Store, Some(loc)) => {
            let value = step.event.value.map(|v| before.show_value(program, step.value_type, v));
            let sign = if step.event.kind == EventKind::Load { ":" } else { " =" };
            let value = value.map_or_else(String::new, |v| format!("{sign} {v}"));
            format!("{} {}{value}", step.event.kind.name(), before.cells_name(program, loc, step.event.cells))
        }
        (kind, Some(loc)) => format!("{} {}", kind.name(), before.cells_name(program, loc, step.event.cells)),
        (kind, None) => kind.name().to_string(),
    })
}

/// The cycle in sentences: why each event happens before the next. `words` are its events.
pub fn cycle_sentences(attack: &ShownAttack, words: &[String]) -> Vec<String> {
    let replay = &attack.replay;
    let event = |place: usize| {
        let step = &replay.steps[attack.cycle[place].0];
        let line = if step.event.span.is_some() {
            format!(" (line {})", step.event.span.line)
        } else {
            String::new()
        };
        format!("{}'s {}{line}", step.thread, words[place])
    };
    let mut out = Vec::new();
    for (from, &(number, relation)) in attack.cycle.iter().enumerate() {
        let to = (from + 1) % attack.cycle.len();
        let kind = |number: usize| replay.steps[number].event.kind;
        let (first, second) = (event(from), event(to));
        out.push(match (relation, kind(number), kind(attack.cycle[to].0)) {
            (Relation::ProgramOrder, ..) => format!("{first} comes before {second} in the program."),
            (Relation::Conflict, EventKind::Load, EventKind::Store) => {
                format!("{first} sees what memory held before {second}.")
            }
            (Relation::Conflict, EventKind::Store, EventKind::Load) => {
                format!("{first} is in memory when {second} looks.")
            }
            (Relation::Conflict, EventKind::Store, EventKind::Store) => {
                format!("{first} reaches memory before {second}.")
            }
            (Relation::Conflict, ..) => format!("{first} takes effect before {second}."),
        });
    }
    out.push("So each happens before itself, which no SC run can do.".to_string());
    out
}

fn cycle(attack: &ShownAttack, words: &[String]) -> String {
    let event = |place: usize| {
        let number = attack.cycle[place].0;
        format!("{} {} {}", number + 1, attack.replay.steps[number].thread, words[place])
    };
    let mut out = String::new();
    for (place, (_, relation)) in attack.cycle.iter().enumerate() {
        let _ = write!(out, "[{}] -{}-> ", event(place), relation.name());
    }
    let _ = write!(out, "[{}]", event(0));
    out
}
