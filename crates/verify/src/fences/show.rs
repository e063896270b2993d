//! What `fencepost fences` found, for people and for scripts.

use super::{Answerer, Ending, Evidence, GoalKind, Outcome, Placed, Repaired};
use fencepost_certify::Replay;
use fencepost_ir::cfg::{FenceKind, Program};
use fencepost_ir::{FileId, Span};
use fencepost_report::paint::{Colours, masked};
use fencepost_report::text::{Detail, Style};
use fencepost_report::{json as json_report, text as text_report};
use fencepost_task::Budget;
use fencepost_text::fences::Standing;
use serde_json::{Value, json};
use std::fmt::Write;

/// A kind of fence in words.
pub fn kind_name(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "full",
        FenceKind::StoreStore => "store-store",
    }
}

/// A goal in a word.
pub fn goal_name(goal: GoalKind) -> &'static str {
    match goal {
        GoalKind::Safe => "safe",
        GoalKind::Robust => "robust",
    }
}

impl Placed {
    /// The line that it is in or after.
    pub fn line(&self) -> u32 {
        match self.standing {
            Standing::After(line) | Standing::In { line, .. } => line,
        }
    }

    /// Where it is, in words.
    pub fn place(&self) -> String {
        match self.standing {
            Standing::After(0) => "before line 1".to_string(),
            Standing::After(line) => format!("after line {line}"),
            Standing::In { line, column } => format!("in line {line}, before column {column}"),
        }
    }
}

/// Who answered.
pub fn names(answerers: &[Answerer]) -> Vec<&'static str> {
    answerers.iter().map(|answerer| answerer.name()).collect()
}

/// How a model's line begins, and what it cost.
fn cost(outcome: &Outcome<'_>) -> String {
    let Outcome { effort, engines, seconds, .. } = outcome;
    format!("{} checks, engine {}, {seconds:.2} s", effort.checks, names(engines).join(" and "))
}

/// How much is told.
#[derive(Clone, Copy)]
pub struct Telling {
    /// How runs are shown.
    pub style: Style,
    /// The first line only.
    pub quiet: bool,
    /// Every step of a run, and the run that each fence prevents.
    pub verbose: bool,
    /// Every cheapest set.
    pub all: bool,
}

/// For people.
pub fn text(outcome: &Outcome<'_>, telling: Telling) -> String {
    let file = &outcome.source.name;
    let model = outcome.model.name().to_uppercase();
    let mut out = String::new();
    let detail = if telling.verbose { Detail::All } else { Detail::Steps };
    let style = Style { detail, ..telling.style };
    match &outcome.result {
        Ending::NotNeeded(scope) => {
            let _ = writeln!(
                out,
                "no fences needed: {file} is {} under {model}, {scope} ({})",
                goal_name(outcome.goal),
                cost(outcome)
            );
        }
        Ending::Unknown { reason, fences, cost: price } => {
            let _ = writeln!(out, "unknown: {file} under {model}: {reason} ({})", cost(outcome));
            if *fences > 0 {
                let _ = writeln!(out, "  a repair takes at least {} (cost {price})", count(*fences));
            }
        }
        Ending::UnsafeUnderSc(program, replay) => {
            let property = replay.property(program);
            let _ = writeln!(
                out,
                "not repairable: {file} violates the {property} under SC already ({})",
                cost(outcome)
            );
            if !telling.quiet {
                out += &text_report::run_or_why_not(program, replay, style, &outcome.telling);
            }
        }
        Ending::BeyondFences(program, evidence) => {
            let _ = writeln!(
                out,
                "not repairable: {file} under {model}: with a fence at every place between statements, {} ({})",
                reason(program, evidence),
                cost(outcome)
            );
            if !telling.quiet {
                out += "  the store and what overtakes it stand in one statement, or in code that is not in this file\n";
                if let Evidence::Violation(replay) = evidence {
                    out += &text_report::run_or_why_not(program, replay, style, &outcome.telling);
                }
            }
        }
        Ending::Repaired(repaired) => {
            let set = &repaired.sets[0];
            let number =
                if outcome.source.program.is_parameterized() { " for any number of threads" } else { "" };
            let _ = writeln!(
                out,
                "repaired: {file} under {model} {} {}{number}, {} ({})",
                if repaired.minimal { "needs" } else { "with" },
                count(set.len()),
                repaired.scope,
                cost(outcome)
            );
            if !telling.quiet {
                out += &details(outcome, repaired, telling);
            }
        }
    }
    out
}

/// Why a goal is missed, in a few words.
pub fn reason(program: &Program, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Violation(replay) => {
            format!("{} in {} steps", replay.property(program), replay.steps.len())
        }
        Evidence::Attack(attack) => {
            let place = |p: &fencepost_robust::Place| {
                program.sources.place(program.procedure(p.procedure).edge(p.edge).span).to_string()
            };
            format!(
                "{} can delay its store at {} past its load at {}",
                attack.name,
                place(&attack.store),
                place(&attack.load)
            )
        }
    }
}

fn count(fences: usize) -> String {
    if fences == 1 { "1 fence".to_string() } else { format!("{fences} fences") }
}

fn details(outcome: &Outcome<'_>, repaired: &Repaired, telling: Telling) -> String {
    let mut out = String::new();
    let all = repaired.sets[0].iter().zip(&repaired.needed).zip(&repaired.stores);
    for ((fence, needed), store) in all {
        out += &line_of(outcome, fence);
        if let Some(line) = store {
            let _ = writeln!(out, "      or instead memory_order_seq_cst for the store in line {line}");
        }
        match needed {
            None => out += "      whether it is needed is unknown\n",
            Some((program, evidence)) => {
                let _ = writeln!(out, "      needed: without it, {}", reason(program, evidence));
                if let Evidence::Violation(replay) = evidence
                    && telling.verbose
                {
                    let style = Style { detail: Detail::Steps, ..telling.style };
                    out += &text_report::run_or_why_not(program, replay, style, &outcome.telling);
                }
            }
        }
    }
    let least = match (repaired.minimal, outcome.effort.clauses) {
        (false, _) => "something cheaper may repair it, too: some sets could not be decided".to_string(),
        (true, 1) => "nothing cheaper repairs it: a run found needs one of these".to_string(),
        (true, n) => format!("nothing cheaper repairs it: the {n} runs found need that many"),
    };
    let _ = writeln!(out, "  {least} (cost {})", repaired.cost);
    if telling.all {
        let (n, more) = (repaired.sets.len(), if repaired.more { " at least" } else { "" });
        let _ = writeln!(out, "  cheapest sets:{more} {n}");
        for set in &repaired.sets {
            let fences: Vec<_> = set
                .iter()
                .map(|f| format!("{} in {} {}", kind_name(f.kind), f.function, f.place()))
                .collect();
            let _ = writeln!(out, "    {}", fences.join("; "));
        }
    }
    out.push('\n');
    out += &repaired.diff;
    if let Some(path) = &repaired.written {
        let _ = writeln!(out, "\nwritten: {}", path.display());
    }
    out
}

fn line_of(outcome: &Outcome<'_>, fence: &Placed) -> String {
    let threads = match fence.instances {
        None => "any number of threads run it".to_string(),
        Some(1) => "1 thread runs it".to_string(),
        Some(n) => format!("{n} threads run it"),
    };
    let mut out =
        format!("  {} fence in {}, {}: {threads}\n", kind_name(fence.kind), fence.function, fence.place());
    let span = Span { file: FileId(0), line: fence.line(), column: 1, length: 0 };
    if let Some(source) = outcome.source.program.sources.line(span) {
        let _ = writeln!(out, "    {:>4}  {}", fence.line(), masked(source.trim(), Colours::None));
    }
    out
}

/// One JSON object.
pub fn json(outcome: &Outcome<'_>) -> Value {
    let file = &outcome.source.name;
    let fence = |f: &Placed| {
        json!({
            "function": f.function,
            "file": file,
            "line": f.line(),
            "placed": f.place(),
            "kind": kind_name(f.kind),
            "instances": f.instances,
        })
    };
    let verdict = match &outcome.result {
        Ending::NotNeeded(_) => "not_needed",
        Ending::Repaired(_) => "repaired",
        Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) => "not_repairable",
        Ending::Unknown { .. } => "unknown",
    };
    let scope = match &outcome.result {
        Ending::NotNeeded(scope) => json_report::scope(*scope),
        Ending::Repaired(repaired) => json_report::scope(repaired.scope),
        Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) => json!("complete"),
        Ending::Unknown { .. } => Value::Null,
    };
    let with_fences = match &outcome.result {
        Ending::NotNeeded(_) | Ending::Repaired(_) => goal_name(outcome.goal),
        Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) => match outcome.goal {
            GoalKind::Safe => "unsafe",
            GoalKind::Robust => "not_robust",
        },
        Ending::Unknown { .. } => "unknown",
    };
    let proved = matches!(outcome.result, Ending::NotNeeded(_) | Ending::Repaired(_));
    let minimal = match &outcome.result {
        Ending::NotNeeded(_) => true,
        Ending::Repaired(repaired) => repaired.minimal,
        Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) | Ending::Unknown { .. } => false,
    };
    let mut object = json!({
        "schema": 1,
        "file": file,
        "model": outcome.model.name(),
        "goal": goal_name(outcome.goal),
        "verdict": verdict,
        "engine": names(&outcome.engines).join("+"),
        "scope": scope,
        "any_threads": proved && outcome.source.program.is_parameterized(),
        "fences": [],
        "minimal": minimal,
        "verdict_with_fences": with_fences,
        "seconds": (outcome.seconds * 1e6).round() / 1e6,
        "stats": {
            "states": outcome.stats.states,
            "configurations": outcome.stats.configurations,
            "queries": outcome.effort.checks,
            "clauses": outcome.effort.clauses,
        },
        "reason": null,
    });
    match &outcome.result {
        Ending::NotNeeded(_) => object["cost"] = json!(0),
        Ending::Repaired(repaired) => {
            object["cost"] = json!(repaired.cost);
            object["fences"] = repaired.sets[0].iter().map(fence).collect();
            object["sets"] = repaired.sets.iter().map(|s| s.iter().map(fence).collect::<Value>()).collect();
            object["more_sets"] = json!(repaired.more);
            let needed = repaired.needed.iter().map(|n| {
                n.as_ref().map_or(Value::Null, |(program, evidence)| {
                    self::evidence(program, evidence, &outcome.telling)
                })
            });
            object["without"] = needed.collect();
            object["seq_cst_store_lines"] = json!(repaired.stores);
            object["diff"] = json!(repaired.diff);
            object["written"] = json!(repaired.written.as_ref().map(|p| p.display().to_string()));
        }
        Ending::UnsafeUnderSc(program, replay) => {
            object["reason"] = json!("the property is violated under SC already");
            object["trace_model"] = json!(replay.model.name());
            object["property"] = json!(replay.property(program));
            put_trace(&mut object, program, replay, &outcome.telling);
        }
        Ending::BeyondFences(program, evidence) => {
            object["reason"] = json!("the goal is missed with a fence at every place between statements");
            object["trace_model"] = json!(outcome.model.name());
            let shown = self::evidence(program, evidence, &outcome.telling);
            for key in ["property", "trace", "attack", "notes"] {
                if !shown[key].is_null() {
                    object[key] = shown[key].clone();
                }
            }
        }
        Ending::Unknown { reason, fences, cost } => {
            object["reason"] = json!(reason.to_string());
            object["at_least"] = json!({"fences": fences, "cost": cost});
        }
    }
    object
}

/// Adds the steps of a run; or why they are left out.
fn put_trace(object: &mut Value, program: &Program, replay: &Replay, telling: &Budget) {
    match json_report::trace(program, replay, telling) {
        Ok(trace) => object["trace"] = trace,
        Err(stop) => object["notes"] = json!([text_report::left_out(stop)]),
    }
}

/// Why a goal is missed.
pub fn evidence(program: &Program, evidence: &Evidence, telling: &Budget) -> Value {
    match evidence {
        Evidence::Violation(replay) => {
            let mut object = json!({"property": replay.property(program)});
            put_trace(&mut object, program, replay, telling);
            object
        }
        Evidence::Attack(attack) => {
            let place = |p: &fencepost_robust::Place| {
                let span = program.procedure(p.procedure).edge(p.edge).span;
                json!({"file": program.sources.name(span.file), "line": span.line})
            };
            json!({"attack": {
                "thread": attack.name,
                "store": place(&attack.store),
                "load": place(&attack.load),
            }})
        }
    }
}
