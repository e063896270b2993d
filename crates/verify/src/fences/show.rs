//! What `fencepost fences` found, for people and for scripts.

use super::{Answerer, Ending, Evidence, GoalKind, Outcome, Placed, Repaired};
use fencepost_ir::cfg::Program;
use fencepost_ir::{FileId, Span};
use fencepost_report::paint::{Colours, masked};
use fencepost_report::results::{
    self, AtLeast, AttackPlaces, FenceResult, FencedVerdict, FencesResult, FencesStats, FencesVerdict,
    Missed, RepairResult, Schema, ScopeResult, Seconds, SourceLine, Vocabulary, Word,
};
use fencepost_report::text as text_report;
use fencepost_report::text::{Detail, Style};
use fencepost_task::{Budget, Scope};
use fencepost_text::fences::Standing;
use std::fmt::Write;

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
                outcome.goal.name(),
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
            let fences: Vec<_> =
                set.iter().map(|f| format!("{} in {} {}", f.kind.word(), f.function, f.place())).collect();
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
        format!("  {} fence in {}, {}: {threads}\n", fence.kind.word(), fence.function, fence.place());
    let span = Span { file: FileId(0), line: fence.line(), column: 1, length: 0 };
    if let Some(source) = outcome.source.program.sources.line(span) {
        let _ = writeln!(out, "    {:>4}  {}", fence.line(), masked(source.trim(), Colours::None));
    }
    out
}

/// The result.
pub fn result(outcome: &Outcome<'_>) -> FencesResult {
    let (mut result, telling) = (untold(outcome), &outcome.telling);
    match &outcome.result {
        Ending::NotNeeded(_) => result.cost = Some(0),
        Ending::Repaired(repaired) => {
            let fences = |set: &Vec<Placed>| set.iter().map(|f| fence_result(outcome, f)).collect();
            let needed = repaired.needed.iter();
            let needed =
                needed.map(|n| n.as_ref().map(|(program, evidence)| shown(program, evidence, telling)));
            result.cost = Some(repaired.cost);
            result.fences = fences(&repaired.sets[0]);
            result.repair = Some(RepairResult {
                sets: repaired.sets.iter().map(fences).collect(),
                more_sets: repaired.more,
                without: needed.collect(),
                seq_cst_store_lines: repaired.stores.clone(),
                diff: repaired.diff.clone(),
                written: repaired.written.as_ref().map(|p| p.display().to_string()),
            });
        }
        Ending::UnsafeUnderSc(program, replay) => {
            result.reason = Some("the property is violated under SC already".to_string());
            let evidence = results::Evidence::violation(program, replay, telling);
            result.missed = Some(Missed { trace_model: replay.model.into(), evidence });
        }
        Ending::BeyondFences(program, evidence) => {
            let reason = "the goal is missed with a fence at every place between statements";
            result.reason = Some(reason.to_string());
            let evidence = shown(program, evidence, telling);
            result.missed = Some(Missed { trace_model: outcome.model.into(), evidence });
        }
        Ending::Unknown { reason, fences, cost } => {
            result.reason = Some(reason.to_string());
            result.at_least = Some(AtLeast { fences: *fences, cost: *cost });
        }
    }
    result
}

/// What every ending has.
fn untold(outcome: &Outcome<'_>) -> FencesResult {
    let (verdict, with_fences, scope) = match (&outcome.result, outcome.goal) {
        (Ending::NotNeeded(scope), goal) => (FencesVerdict::NotNeeded, met(goal), Some(*scope)),
        (Ending::Repaired(repaired), goal) => (FencesVerdict::Repaired, met(goal), Some(repaired.scope)),
        (Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..), GoalKind::Safe) => {
            (FencesVerdict::NotRepairable, FencedVerdict::Unsafe, Some(Scope::Complete))
        }
        (Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..), GoalKind::Robust) => {
            (FencesVerdict::NotRepairable, FencedVerdict::NotRobust, Some(Scope::Complete))
        }
        (Ending::Unknown { .. }, _) => (FencesVerdict::Unknown, FencedVerdict::Unknown, None),
    };
    let proved = matches!(outcome.result, Ending::NotNeeded(_) | Ending::Repaired(_));
    FencesResult {
        schema: Schema,
        file: outcome.source.name.clone(),
        model: outcome.model.into(),
        goal: outcome.goal,
        verdict,
        engine: names(&outcome.engines).join("+"),
        scope: scope.map(ScopeResult),
        any_threads: proved && outcome.source.program.is_parameterized(),
        fences: Vec::new(),
        minimal: match &outcome.result {
            Ending::NotNeeded(_) => true,
            Ending::Repaired(repaired) => repaired.minimal,
            Ending::UnsafeUnderSc(..) | Ending::BeyondFences(..) | Ending::Unknown { .. } => false,
        },
        verdict_with_fences: with_fences,
        seconds: Seconds::rounded(outcome.seconds),
        stats: FencesStats {
            states: outcome.stats.states,
            configurations: outcome.stats.configurations,
            queries: outcome.effort.checks,
            clauses: outcome.effort.clauses,
        },
        reason: None,
        cost: None,
        repair: None,
        missed: None,
        at_least: None,
    }
}

/// A goal that is met.
fn met(goal: GoalKind) -> FencedVerdict {
    match goal {
        GoalKind::Safe => FencedVerdict::Safe,
        GoalKind::Robust => FencedVerdict::Robust,
    }
}

fn fence_result(outcome: &Outcome<'_>, fence: &Placed) -> FenceResult {
    FenceResult {
        function: fence.function.clone(),
        file: outcome.source.name.clone(),
        line: fence.line(),
        placed: fence.place(),
        kind: Word(fence.kind),
        instances: fence.instances,
    }
}

/// Why a goal is missed.
pub(super) fn shown(program: &Program, evidence: &Evidence, telling: &Budget) -> results::Evidence {
    match evidence {
        Evidence::Violation(replay) => results::Evidence::violation(program, replay, telling),
        Evidence::Attack(attack) => {
            let place = |p: &fencepost_robust::Place| {
                SourceLine::new(&program.sources, program.procedure(p.procedure).edge(p.edge).span)
            };
            let attack = AttackPlaces {
                thread: attack.name.clone(),
                store: place(&attack.store),
                load: place(&attack.load),
            };
            results::Evidence { attack: Some(attack), ..results::Evidence::default() }
        }
    }
}
