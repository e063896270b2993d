//! One JSON object a line, as the command line's contract lays down. Readers ignore keys and
//! kinds that they do not know.

use crate::explain::Known;
use crate::{Outcome, Shown, Took};
use fencepost_certify::{Claim, Replay, States};
use fencepost_ir::cfg::Program;
use fencepost_ir::{Remark, Sources};
use fencepost_task::{Action, AnyModel, Budget, Pace, Scope, Stop};
use fencepost_text::Diagnostic;
use serde_json::{Map, Value, json};
use std::fmt;

/// How far a verdict reaches.
pub fn scope(scope: Scope) -> Value {
    match scope {
        Scope::Complete => json!("complete"),
        Scope::UpTo(bounds) => Value::Object(
            bounds.named().into_iter().map(|(name, value)| (name.to_string(), json!(value))).collect(),
        ),
    }
}

/// An integer as JSON; every value of a program fits 64 bits.
fn integer(value: i128) -> Value {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(v), _) => json!(v),
        (_, Ok(v)) => json!(v),
        _ => json!(value.to_string()),
    }
}

/// The object of one file and model. A run may have very many steps, so they are made while they are written; they come last.
pub struct Object<'a> {
    /// All but the steps.
    pub head: Value,
    run: Option<(&'a Program, &'a Replay)>,
    telling: &'a Budget,
}

/// How JSON is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// On one line.
    One,
    /// Indented, on many.
    Many,
}

impl Object<'_> {
    /// The whole of it; or why the steps cannot be written.
    pub fn text(&self, lines: Lines) -> Result<String, Stop> {
        let mut out = match lines {
            Lines::One => self.head.to_string(),
            Lines::Many => format!("{:#}", self.head),
        };
        let Some((program, replay)) = self.run else { return Ok(out) };
        let head = out.strip_suffix('}').expect("an object ends in a brace").trim_end().len();
        out.truncate(head);
        out += if lines == Lines::Many { ",\n  \"trace\": [" } else { ",\"trace\":[" };
        let mut first = true;
        let mut pace = Pace::new(self.telling);
        steps(program, replay, self.telling, &mut |event| {
            out += if std::mem::take(&mut first) { "" } else { "," };
            let before = out.len();
            match lines {
                Lines::One => out += &event.to_string(),
                Lines::Many => format!("{event:#}").lines().for_each(|line| {
                    out += "\n    ";
                    out += line;
                }),
            }
            pace.take((out.len() - before) as u64, || out.len() as u64)
        })?;
        out += if lines == Lines::Many { "\n  ]\n}" } else { "]}" };
        Ok(out)
    }
}

impl fmt::Display for Object<'_> {
    /// On one line, without the steps where they cannot be written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text(Lines::One) {
            Ok(text) => f.write_str(&text),
            Err(stop) => {
                let mut head = self.head.clone();
                let mut notes = head["notes"].as_array().cloned().unwrap_or_default();
                notes.push(json!(crate::text::left_out(stop)));
                head["notes"] = json!(notes);
                write!(f, "{head}")
            }
        }
    }
}

/// The object of one file and model.
pub fn outcome<'a>(outcome: &'a Outcome<'_>) -> Object<'a> {
    let run = match &outcome.verdict {
        Shown::Unsafe(replay) => Some((outcome.program, &**replay)),
        Shown::Safe { .. } | Shown::Unknown { .. } => None,
    };
    Object { head: head(outcome), run, telling: &outcome.telling }
}

fn head(outcome: &Outcome<'_>) -> Value {
    let property = match &outcome.verdict {
        Shown::Unsafe(replay) => json!(replay.property(outcome.program)),
        _ => Value::Null,
    };
    let (scope, reason) = match &outcome.verdict {
        Shown::Safe { scope: s, ended, .. } => (scope(*s), json!(ended.as_ref().map(ToString::to_string))),
        Shown::Unsafe(_) => (json!("complete"), Value::Null),
        Shown::Unknown { scope: s, reason } => (s.map_or(Value::Null, scope), json!(reason.to_string())),
    };
    let mut object = json!({
        "schema": 1,
        "file": outcome.file,
        "model": outcome.model.name(),
        "verdict": outcome.verdict.kind().name(),
        "engine": outcome.engine.name(),
        "scope": scope,
        "any_threads": matches!(outcome.verdict, Shown::Safe { .. }) && outcome.program.is_parameterized(),
        "property": property,
        "seconds": (outcome.seconds * 1e6).round() / 1e6,
        "stats": {
            "states": outcome.stats.states,
            "transitions": outcome.stats.transitions,
            "depth": outcome.stats.depth,
            "bytes": outcome.stats.bytes,
            "configurations": outcome.stats.configurations,
            "queries": outcome.stats.queries,
            "variables": outcome.stats.variables,
            "clauses": outcome.stats.clauses,
            "spurious": outcome.stats.spurious,
        },
        "reason": reason,
        "engines": outcome.engines.iter().map(engine).collect::<Vec<_>>(),
    });
    if let Value::Object(map) = &mut object {
        if !outcome.warnings.is_empty() {
            let place = |w: &Remark| {
                json!({
                    "file": outcome.program.sources.name(w.span.file), "line": w.span.line, "message": w.message,
                })
            };
            map.insert("warnings".into(), outcome.warnings.iter().map(place).collect());
        }
        if let Some(caveat) = crate::text::caveat(outcome) {
            map.insert("caveat".into(), json!(caveat));
        }
        match &outcome.verdict {
            Shown::Unsafe(replay) => {
                map.insert("shortest".into(), json!(replay.shortest));
                if let Some(order) = outcome.order {
                    map.insert("delayed_stores".into(), json!(order.delayed));
                    map.insert("context_switches".into(), json!(order.switches));
                    map.insert("least_weak".into(), json!(order.known != Known::No));
                }
                if let Some(told) = &outcome.explanation {
                    let explanation = json!({
                        "reordering": told.reordering,
                        "saw": told.saw,
                        "sc": told.sc,
                        "cure": told.cure,
                    });
                    map.insert("explanation".into(), explanation);
                }
                if !replay.instances.is_empty() {
                    map.insert("instances".into(), json!(replay.instances));
                }
            }
            Shown::Safe { unreached, .. } => {
                let unreached: Vec<_> =
                    unreached.iter().map(|u| crate::text::unreached(outcome.program, u)).collect();
                map.insert("unreached".into(), json!(unreached));
            }
            Shown::Unknown { .. } => {}
        }
    }
    object
}

fn engine(took: &Took) -> Value {
    json!({"name": took.engine.name(), "status": took.part.name(), "reason": took.reason})
}

/// The steps of a replayed run.
pub fn trace(program: &Program, replay: &Replay, budget: &Budget) -> Result<Value, Stop> {
    let mut events = Vec::new();
    steps(program, replay, budget, &mut |event| {
        events.push(event);
        Ok(())
    })?;
    Ok(Value::Array(events))
}

fn steps(
    program: &Program,
    replay: &Replay,
    budget: &Budget,
    see: &mut dyn FnMut(Value) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let program = &*replay.instance(program);
    let mut number = 0;
    let mut push = |fields: Map<String, Value>| {
        number += 1;
        let mut event = Map::new();
        event.insert("step".into(), json!(number));
        event.extend(fields);
        see(Value::Object(event))
    };
    for (loc, value) in &replay.init {
        let ty = replay.first().cell_type(program, *loc);
        let mut event = Map::new();
        event.insert("kind".into(), json!("init"));
        event.insert("loc".into(), json!(program.cell_name(*loc)));
        event.insert("value".into(), integer(ty.meaning(*value)));
        push(event)?;
    }
    let states = States::new(program, replay, budget);
    for (number, step) in replay.steps.iter().enumerate() {
        let before = states.at(number)?;
        let mut event = Map::new();
        event.insert("thread".into(), json!(step.thread));
        event.insert("kind".into(), json!(step.event.kind.name()));
        if let Some(loc) = step.event.loc {
            event.insert("loc".into(), json!(before.cells_name(program, loc, step.event.cells)));
        }
        if let Some(value) = step.event.value {
            event.insert("value".into(), integer(step.value_type.meaning(value)));
        }
        if let Some(old) = step.event.old {
            event.insert("old".into(), integer(step.value_type.meaning(old)));
        }
        if step.event.span.is_some() {
            event.insert("file".into(), json!(program.sources.name(step.event.span.file)));
            event.insert("line".into(), json!(step.event.span.line));
        }
        if let Action::Edge(edge, _) | Action::Older(edge, _) = step.step.action {
            event.insert("edge".into(), json!(edge.0));
        }
        if let Action::Older(_, value) = step.step.action {
            event.insert("older".into(), json!(value));
        }
        push(event)?;
    }
    Ok(())
}

/// The object of a file that cannot be read.
pub fn error(file: &str, sources: &Sources, diagnostics: &[Diagnostic]) -> Value {
    let diagnostics: Vec<_> = diagnostics
        .iter()
        .map(|d| {
            let also = d.also.iter().map(|related| {
                json!({
                    "file": sources.name(related.span.file),
                    "line": related.span.line,
                    "column": related.span.column,
                    "message": related.message,
                })
            });
            json!({
                "file": sources.name(d.span.file),
                "line": d.span.line,
                "column": d.span.column,
                "message": d.message,
                "help": d.help,
                "also": also.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"schema": 1, "file": file, "verdict": "error", "diagnostics": diagnostics})
}

/// A saved trace: its model, the property it claims to violate, and what it says of each step.
#[derive(Clone, Debug, Default)]
pub struct SavedTrace {
    /// The memory model.
    pub model: Option<AnyModel>,
    /// The property.
    pub property: Option<String>,
    /// Whether it says to be a shortest one.
    pub shortest: bool,
    /// For a program with any number of threads, how many of each start.
    pub instances: Vec<u32>,
    /// Initial values by name.
    pub init: Vec<(String, i128)>,
    /// Steps.
    pub claims: Vec<Claim>,
}

/// Reads a trace that `check` saved or printed.
pub fn read_trace(text: &str) -> Result<SavedTrace, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not a JSON object: {e}"))?;
    if value.get("schema").is_some_and(|schema| *schema != 1) {
        return Err("this trace has another schema than 1".to_string());
    }
    let model = value.get("model").and_then(Value::as_str);
    let model = model
        .and_then(AnyModel::from_name)
        .ok_or("no memory model: the key `model` is `sc`, `tso`, `pso` or `c11`")?;
    let events =
        value.get("trace").and_then(Value::as_array).ok_or("no run: the key `trace` is a list of steps")?;
    let property = value.get("property").and_then(Value::as_str).map(str::to_string);
    let shortest = value.get("shortest").and_then(Value::as_bool).unwrap_or(false);
    let counts = value.get("instances").and_then(Value::as_array);
    let counts = counts.into_iter().flatten().filter_map(|n| u32::try_from(n.as_u64()?).ok());
    let instances = counts.collect();
    let mut saved = SavedTrace { model: Some(model), property, shortest, instances, ..SavedTrace::default() };
    for (i, event) in events.iter().enumerate() {
        let text = |key: &str| event.get(key).and_then(Value::as_str).map(str::to_string);
        let number = |key: &str| event.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let value = match event.get("value") {
            None | Some(Value::Null) => None,
            Some(v) => {
                let v = v.as_i64().map(i128::from).or_else(|| v.as_u64().map(i128::from));
                Some(v.ok_or_else(|| format!("step {}: the value is not an integer", i + 1))?)
            }
        };
        let kind = text("kind").ok_or_else(|| format!("step {}: no key `kind`", i + 1))?;
        if kind == "init" {
            match (text("loc"), value) {
                (Some(loc), Some(value)) => saved.init.push((loc, value)),
                _ => return Err(format!("step {}: an init needs `loc` and `value`", i + 1)),
            }
            continue;
        }
        let thread = text("thread").ok_or_else(|| format!("step {}: no key `thread`", i + 1))?;
        saved.claims.push(Claim {
            thread,
            kind,
            edge: number("edge"),
            loc: text("loc"),
            value,
            line: number("line"),
            older: event.get("older").and_then(Value::as_i64),
        });
    }
    Ok(saved)
}
