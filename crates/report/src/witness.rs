//! Violations as witnesses in the YAML format of SV-COMP, version 2.2: a `violation_sequence` whose waypoints are passed by
//! the run in their order, each with the thread that passes it.
//!
//! - Where a thread is started there is a `function_enter` at the closing bracket of the call; threads are numbered by
//!   these, and the first thread is 0, as in our runs.
//! - Where a statement touches shared memory there is an `assumption` at its beginning. Its condition says what the
//!   variables that the statement reads hold there, in our run: so the run passes it, whatever other threads do
//!   before the statement is done.
//! - A chosen value is a `function_return` at the closing bracket of the call that gives it; or an `assumption` on the
//!   variable that got it, where our run chooses later.
//! - The last segment is the `target`: the statement that breaks, or both accesses of a data race.
//!
//! A statement is passed once for each time that it begins: what continues after a call in it is not a new waypoint.

use crate::clock::utc;
use crate::digest::sha256;
use fencepost_c::outline::{Begin, Outline};
use fencepost_certify::{Replay, States};
use fencepost_ir::cfg::{Dest, Program, Reg};
use fencepost_ir::{FileId, Span};
use fencepost_memory::{Event, EventKind, Machine, Sc, State};
use fencepost_task::{Action, Budget, Error, Failure, Reason, Stop, Violation};
use fencepost_text::fences::Lines;
use serde_json::json;
use std::fmt::Write;
use std::time::SystemTime;

/// What a witness says of where it comes from.
pub struct Provenance<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// The SHA-256 hash of the file.
    pub hash: String,
    /// What was typed.
    pub command: String,
    /// When the witness is made.
    pub at: SystemTime,
    /// `LP64` or `ILP32`.
    pub data_model: &'a str,
}

/// A waypoint of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Waypoint {
    kind: &'static str,
    thread: u32,
    line: u32,
    column: u32,
    function: String,
    /// A condition, and its language.
    constraint: Option<(String, &'static str)>,
}

/// The witness of a violation; or why there is none.
pub fn witness(
    program: &Program,
    replay: &Replay,
    outline: &Outline,
    from: &Provenance<'_>,
    budget: &Budget,
) -> Result<String, String> {
    let specification = specification(replay.violation)?;
    let states = States::new(program, replay, budget);
    let text = program.sources.text(FileId(0));
    let run = Run { program, replay, states, outline, text, lines: Lines::new(text) };
    let waypoints = run.waypoints().map_err(|stop| Reason::from(stop).to_string())?;
    let mut segments: Vec<Vec<Waypoint>> = waypoints.into_iter().map(|w| vec![w]).collect();
    segments.push(run.targets()?);
    let name = program.sources.name(FileId(0));
    let hash = &from.hash;
    let time = utc(from.at);
    let mut out = String::from("- entry_type: \"violation_sequence\"\n  metadata:\n");
    let mut field = |indent: usize, key: &str, value: &str| {
        let _ = writeln!(out, "{:indent$}{key}: {}", "", json!(value));
    };
    field(4, "format_version", "2.2");
    field(4, "uuid", &uuid(&format!("{hash}\n{time}\n{}\n{segments:?}", from.command)));
    field(4, "creation_time", &time);
    out += "    producer:\n";
    let mut field = |indent: usize, key: &str, value: &str| {
        let _ = writeln!(out, "{:indent$}{key}: {}", "", json!(value));
    };
    field(6, "name", "Fencepost");
    field(6, "version", from.version);
    field(6, "command_line", &from.command);
    let _ = write!(
        out,
        "    task:\n      input_files:\n        - {name}\n      input_file_hashes:\n        {name}: {hash}\n      \
         specification: {specification}\n      data_model: {model}\n      language: \"C\"\n  content:\n",
        name = json!(name),
        hash = json!(hash),
        specification = json!(specification),
        model = json!(from.data_model),
    );
    for segment in &segments {
        out += "    - segment:\n";
        segment.iter().for_each(|waypoint| write_waypoint(&mut out, name, waypoint));
    }
    Ok(out)
}

fn write_waypoint(out: &mut String, file: &str, waypoint: &Waypoint) {
    let Waypoint { kind, thread, line, column, function, constraint } = waypoint;
    let _ = write!(
        out,
        "        - waypoint:\n            type: \"{kind}\"\n            action: \"follow\"\n            thread_id: {thread}\n"
    );
    if let Some((value, format)) = constraint {
        let value = json!(value);
        let _ = write!(
            out,
            "            constraint:\n              value: {value}\n              format: \"{format}\"\n"
        );
    }
    let _ = write!(
        out,
        "            location:\n              file_name: {}\n              line: {line}\n              \
         column: {column}\n              function: {}\n",
        json!(file),
        json!(function)
    );
}

/// The property of SV-COMP that a violation violates.
fn specification(violation: Violation) -> Result<&'static str, String> {
    let none = |what: String| Err(format!("SV-COMP has no property for this: {what}"));
    let failure = match violation {
        Violation::Failure(error) => error.failure(),
        Violation::Property(_) => return none("a condition of another language than C".to_string()),
    };
    use fencepost_ir::Check;
    match (failure, failure.check()) {
        (Failure::Race, _) => Ok("G ! data-race"),
        (Failure::Leak, _) => Ok("G valid-memtrack"),
        (_, Some(Check::Assertion | Check::Reach)) => Ok("G ! call(reach_error())"),
        (_, Some(Check::Pointer | Check::Bounds | Check::UseAfterFree)) => Ok("G valid-deref"),
        (_, Some(Check::Free)) => Ok("G valid-free"),
        (_, Some(Check::Range)) => Ok("G ! overflow"),
        (_, Some(Check::Division | Check::Shift | Check::Join | Check::Unlock | Check::Exit) | None) => {
            none(failure.to_string())
        }
    }
}

/// A name for a witness, in the form of a version 8 UUID (RFC 9562), made of what it says.
fn uuid(content: &str) -> String {
    let hash = sha256(content.as_bytes());
    format!("{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}

struct Run<'a> {
    program: &'a Program,
    replay: &'a Replay,
    states: States<'a>,
    outline: &'a Outline,
    text: &'a str,
    lines: Lines<'a>,
}

/// Where a value is chosen.
enum Chosen {
    /// In the statement, with a waypoint of its own.
    There(Waypoint),
    /// Before the statement, which begins with this condition.
    Before(String),
}

/// A statement that a thread has begun.
struct Begun<'a> {
    begin: Begin<'a>,
    thread: u32,
    /// Its first step.
    step: usize,
    /// What variables hold at its beginning.
    conditions: Vec<String>,
    touches: bool,
}

impl<'a> Run<'a> {
    fn waypoints(&self) -> Result<Vec<Waypoint>, Stop> {
        // For each thread and each of its frames the statement it is in, by its number.
        let mut current: Vec<Vec<Option<usize>>> = Vec::new();
        let mut begun: Vec<Begun<'a>> = Vec::new();
        let mut all: Vec<(usize, Waypoint)> = Vec::new();
        for (number, step) in self.replay.steps.iter().enumerate() {
            let thread = step.step.thread as usize;
            let depth = self.states.at(number)?.threads[thread].frames.len();
            let Some(begin) = self.outline.statement(step.event.span) else { continue };
            current.resize(current.len().max(thread + 1), Vec::new());
            let frames = &mut current[thread];
            frames.resize(depth, None);
            let same = frames[depth - 1].filter(|b| begun[*b].begin == begin);
            let statement = same.unwrap_or_else(|| {
                let thread = step.step.thread;
                begun.push(Begun { begin, thread, step: number, conditions: Vec::new(), touches: false });
                begun.len() - 1
            });
            frames[depth - 1] = Some(statement);
            match step.event.kind {
                EventKind::Load | EventKind::Rmw => {
                    let start = begun[statement].step;
                    let condition = match step.event.loc {
                        Some(loc) => self.holds(loc, start)?,
                        None => None,
                    };
                    let known = &mut begun[statement].conditions;
                    known.extend(condition.filter(|c| !known.contains(c)));
                    begun[statement].touches = true;
                }
                EventKind::Spawn => {
                    let call = self.lines.start(step.event.span);
                    if let Some(waypoint) = self.at_call("function_enter", number, call, begin, None) {
                        all.push((number, waypoint));
                    }
                }
                EventKind::Havoc => match self.chosen(number, begin, &*self.states.at(number)?) {
                    Some(Chosen::There(waypoint)) => all.push((number, waypoint)),
                    Some(Chosen::Before(condition)) => {
                        begun[statement].conditions.push(condition);
                        begun[statement].touches = true;
                    }
                    None => {}
                },
                EventKind::Store
                | EventKind::Lock
                | EventKind::Unlock
                | EventKind::Join
                | EventKind::Free => {
                    begun[statement].touches = true;
                }
                _ => {}
            }
        }
        for statement in begun.iter().filter(|s| s.touches) {
            let value = match statement.conditions.is_empty() {
                true => "1".to_string(),
                false => statement.conditions.join(" && "),
            };
            let Begin { line, column, function } = statement.begin;
            let (kind, function, thread) = ("assumption", function.to_string(), statement.thread);
            let constraint = Some((value, "c_expression"));
            all.push((statement.step, Waypoint { kind, thread, line, column, function, constraint }));
        }
        // What a statement begins with comes before what happens in it.
        all.sort_by_key(|(step, waypoint)| (*step, waypoint.kind != "assumption"));
        Ok(all.into_iter().map(|(_, waypoint)| waypoint).collect())
    }

    /// What a variable that everybody sees holds before a step, as C.
    fn holds(&self, loc: fencepost_ir::cfg::Loc, step: usize) -> Result<Option<String>, Stop> {
        let state = self.states.at(step)?;
        let Some(name) = self.program.cell_name(loc) else { return Ok(None) };
        let variable = name.split(['[', '.']).next().unwrap_or_default();
        let ty = state.cell_type(self.program, loc);
        let value = state.show_value(self.program, ty, state.read(loc));
        let plain = self.outline.is_global(variable) && value.parse::<i128>().is_ok();
        Ok(plain.then(|| format!("{name} == {value}")))
    }

    /// A choice of a value.
    fn chosen(&self, number: usize, begin: Begin<'_>, before: &State) -> Option<Chosen> {
        let step = &self.replay.steps[number];
        let value = before.show_value(self.program, step.value_type, step.event.value?);
        value.parse::<i128>().ok()?;
        let Action::Edge(edge, _) = step.step.action else { return None };
        let procedure = self.program.procedure(before.threads[step.step.thread as usize].top().procedure);
        let Some(Dest::Reg(Reg::Local(slot))) = procedure.edge(edge).instr.dest() else { return None };
        let name = &procedure.registers[*slot as usize].name;
        if name.starts_with('%') {
            // What has no name is the value of a call in the statement.
            let start = self.lines.start(Span { line: begin.line, column: begin.column, ..Span::NONE });
            let statement = self.text.get(start..)?.split([';', '{']).next()?;
            let mut calls = statement.match_indices("__VERIFIER_nondet_");
            let (Some((at, _)), None) = (calls.next(), calls.next()) else { return None };
            let constraint = (format!("\\result == {value}"), "acsl_expression");
            return self
                .at_call("function_return", number, start + at, begin, Some(constraint))
                .map(Chosen::There);
        }
        // The variable of that name is the one that the statement uses, if it got its value before.
        let line = self.text.lines().nth(step.event.span.line as usize - 1)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let used = line.split(|c| !is_word(c)).any(|word| word == name);
        let before = !line.contains("__VERIFIER_nondet_") && begin.line == step.event.span.line;
        (used && before).then(|| Chosen::Before(format!("{name} == {value}")))
    }

    /// A waypoint at the closing bracket of the call that begins at an offset of the text.
    fn at_call(
        &self,
        kind: &'static str,
        number: usize,
        start: usize,
        begin: Begin<'_>,
        constraint: Option<(String, &'static str)>,
    ) -> Option<Waypoint> {
        let step = &self.replay.steps[number];
        let lines = &self.lines;
        let close = start + closing_bracket(self.text.get(start..)?)?;
        Some(Waypoint {
            kind,
            thread: step.step.thread,
            line: lines.line(close),
            column: lines.column(close),
            function: begin.function.to_string(),
            constraint,
        })
    }

    /// Where the run breaks.
    fn targets(&self) -> Result<Vec<Waypoint>, String> {
        let target = |thread: u32, span: Span| {
            let Begin { line, column, function } = self.outline.statement(span)?;
            let (kind, function) = ("target", function.to_string());
            Some(Waypoint { kind, thread, line, column, function, constraint: None })
        };
        let nowhere = || "the place that breaks is in no statement of the file".to_string();
        let state = &self.replay.last;
        match self.replay.violation {
            Violation::Failure(Error::RACE) => {
                let (a, b) = self.racing(state).ok_or_else(nowhere)?;
                let both = [a, b].into_iter().filter_map(|(thread, span)| target(thread, span));
                let both: Vec<_> = both.collect();
                if both.len() < 2 { Err(nowhere()) } else { Ok(both) }
            }
            _ => {
                let last =
                    self.replay.steps.iter().rev().find(|s| s.event.span.is_some()).ok_or_else(nowhere)?;
                target(last.step.thread, last.event.span).map(|w| vec![w]).ok_or_else(nowhere)
            }
        }
    }
}

impl Run<'_> {
    /// Two threads that are about to access one cell, one of them to write it, and where.
    fn racing(&self, state: &State) -> Option<((u32, Span), (u32, Span))> {
        let machine = Machine::new(self.program).ok()?;
        let mut steps = Vec::new();
        machine.steps(&Sc, state, &mut steps);
        let events: Vec<_> =
            steps.iter().map(|step| (step.thread, machine.event(&Sc, state, *step))).collect();
        let access = |e: &Event| matches!(e.kind, EventKind::Load | EventKind::Store | EventKind::Rmw);
        for (i, (thread, one)) in events.iter().enumerate().filter(|(_, (_, e))| access(e)) {
            let races = |(other, two): &&(u32, Event)| {
                access(two)
                    && other != thread
                    && one.meets(two)
                    && (one.kind != EventKind::Load || two.kind != EventKind::Load)
            };
            if let Some((other, two)) = events[i + 1..].iter().find(races) {
                return Some(((*thread, one.span), (*other, two.span)));
            }
        }
        None
    }
}

/// The offset of the bracket that closes the first one of a text, which is C.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quoted, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), c) if c == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth <= 0 {
                    return (depth == 0).then_some(at);
                }
            }
            (None, ';') if depth == 0 => return None,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{closing_bracket, uuid};

    #[test]
    fn brackets() {
        assert_eq!(closing_bracket("f(a, g(b), \")\")) + 1;"), Some(14));
        assert_eq!(closing_bracket("f; g()"), None);
        assert_eq!(closing_bracket("f(a"), None);
    }

    #[test]
    fn names_of_witnesses() {
        let name = uuid("x");
        assert_eq!(name.len(), 36);
        assert_eq!((&name[14..15], &name[19..20]), ("8", "a"));
        assert_ne!(name, uuid("y"));
    }
}
