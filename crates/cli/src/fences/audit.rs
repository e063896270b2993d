//! `fencepost fences --audit`: is each fence of a program needed? Each is taken away alone, and the goal checked.
//!
//! A fence without which the goal is still met is not needed, and the check is the proof; else the run is
//! shown. Fences that are not needed one by one may be needed together, so the program without all of them
//! is checked, too.
//!
//! Counted are fence statements, and fences that come with a store: C's sequentially consistent stores, the
//! barrier before a release store under PSO. What drains as a part of something else (read-modify-writes, locks,
//! atomic sections) is no fence that could be left out.

use super::Request;
use super::goal::{Answerer, Evidence, Judged};
use super::show::{evidence, goal_name, kind_name, names, reason};
use crate::options::Format;
use crate::{Exit, output};
use fencepost_ir::Span;
use fencepost_ir::cfg::{FenceKind, Instr, ProcId, Program};
use fencepost_report::paint::{Colours, masked};
use fencepost_report::text as text_report;
use fencepost_report::text::Detail;
use fencepost_robust::fences::{Candidates, Fence, instances};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Instant;

/// A fence that is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Present {
    span: Span,
    kind: FenceKind,
    procedure: ProcId,
}

/// The fences of a program, in the order of the text.
fn present(program: &Program) -> Vec<Present> {
    let mut all: BTreeSet<Present> = BTreeSet::new();
    for (p, procedure) in program.procedures.iter().enumerate() {
        for edge in procedure.edges() {
            if let Instr::Fence(kind) = edge.instr {
                all.insert(Present { span: edge.span, kind, procedure: ProcId(p as u32) });
            }
        }
    }
    all.into_iter().collect()
}

/// Whether the fence comes with a store.
fn comes_with_store(program: &Program, fence: &Present) -> bool {
    let edges = program.procedure(fence.procedure).edges();
    edges.iter().any(|e| matches!(e.instr, Instr::Store(..)) && e.span == fence.span)
}

pub(super) fn run(request: &Request<'_>) -> Exit {
    let start = Instant::now();
    let program = &request.source.program;
    let fences = present(program);
    let number = |p: ProcId, e: &fencepost_ir::cfg::Edge| {
        let Instr::Fence(kind) = e.instr else { return None };
        fences.binary_search(&Present { span: e.span, kind, procedure: p }).ok()
    };
    let candidates = Candidates::new(program.clone(), fences.len(), number);
    let mut report =
        Report { request, candidates, fences, as_it_is: None, needs: Vec::new(), without_unneeded: None };
    let mut goal = request.goal();
    let as_it_is = goal.judge(&report.without(&[]), None);
    if let Judged::Holds(_) = as_it_is {
        for i in 0..report.fences.len() {
            let without = match goal.budget.look(0) {
                Ok(()) => goal.judge(&report.without(&[i]), None),
                Err(stop) => Judged::Unknown(stop.into()),
            };
            report.needs.push(without);
        }
        let unneeded = report.unneeded();
        if unneeded.len() > 1 {
            report.without_unneeded = Some(goal.judge(&report.without(&unneeded), None));
        }
    }
    report.as_it_is = Some(as_it_is);
    match request.options.format {
        Format::Json => output::line(report.json(start.elapsed().as_secs_f64(), &goal.answered)),
        Format::Text | Format::Sarif | Format::Junit => output::text(report.text()),
    }
    report.exit()
}

struct Report<'a> {
    request: &'a Request<'a>,
    candidates: Candidates,
    fences: Vec<Present>,
    /// The program with all its fences.
    as_it_is: Option<Judged>,
    /// For each fence the program without it; none if the goal is missed anyway.
    needs: Vec<Judged>,
    /// The program without all that are not needed, if there are several.
    without_unneeded: Option<Judged>,
}

impl Report<'_> {
    fn exit(&self) -> Exit {
        let unknown = self.needs.iter().any(|n| matches!(n, Judged::Unknown(_)));
        match &self.as_it_is {
            Some(Judged::Broken(..)) => Exit::Bad,
            Some(Judged::Holds(_)) if !unknown => Exit::Good,
            Some(Judged::Holds(_) | Judged::Unknown(_)) | None => Exit::Unknown,
        }
    }

    fn unneeded(&self) -> Vec<usize> {
        (0..self.needs.len()).filter(|&i| matches!(self.needs[i], Judged::Holds(_))).collect()
    }

    /// The program that is left without some of the fences.
    fn without(&self, left_out: &[usize]) -> Program {
        let fence = |(candidate, f): (usize, &Present)| Fence { candidate, kind: f.kind };
        let kept = self.fences.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
        self.candidates.with(&kept.map(fence).collect::<Vec<_>>())
    }

    fn text(&self) -> String {
        let telling = &self.request.budget.to_tell();
        let file = &self.request.source.name;
        let model = self.request.model.name().to_uppercase();
        let goal = goal_name(self.request.options.goal);
        let program = &self.request.source.program;
        let style = output::style(Detail::Steps);
        let mut out = String::new();
        let scope = match &self.as_it_is {
            Some(Judged::Holds(scope)) => scope,
            Some(Judged::Unknown(reason)) => return format!("unknown: {file} under {model}: {reason}\n"),
            None => return format!("unknown: {file} under {model}\n"),
            Some(Judged::Broken(_, evidence)) => {
                let fenced = self.without(&[]);
                let why = reason(&fenced, evidence);
                let _ = writeln!(out, "not {goal}: {file} under {model} with all its fences: {why}");
                if let Evidence::Violation(replay) = evidence {
                    out += &text_report::run_or_why_not(&fenced, replay, style, telling);
                }
                return out;
            }
        };
        let needed = self.needs.iter().filter(|n| matches!(n, Judged::Broken(..))).count();
        let _ = writeln!(
            out,
            "audited: {needed} of {} fences of {file} needed under {model}, {scope}",
            self.fences.len()
        );
        for (i, (fence, need)) in self.fences.iter().zip(&self.needs).enumerate() {
            let with = if comes_with_store(program, fence) { " with its store" } else { "" };
            let _ = writeln!(
                out,
                "  {} fence{with} at {} in {}",
                kind_name(fence.kind),
                program.sources.place(fence.span),
                program.procedure(fence.procedure).name
            );
            if let Some(line) = program.sources.line(fence.span) {
                let _ = writeln!(out, "    {:>4}  {}", fence.span.line, masked(line.trim(), Colours::None));
            }
            match need {
                Judged::Holds(scope) => {
                    let _ = writeln!(out, "      not needed: {goal} without it, {scope}");
                }
                Judged::Unknown(reason) => {
                    let _ = writeln!(out, "      unknown: {reason}");
                }
                Judged::Broken(_, evidence) => {
                    let rest = self.without(&[i]);
                    let _ = writeln!(out, "      needed: without it, {}", reason(&rest, evidence));
                    if let Evidence::Violation(replay) = evidence
                        && self.request.options.verbose
                    {
                        out += &text_report::run_or_why_not(&rest, replay, style, telling);
                    }
                }
            }
        }
        match &self.without_unneeded {
            None => {}
            Some(Judged::Holds(scope)) => {
                let _ = writeln!(out, "  all that are not needed can be left out together: {goal}, {scope}");
            }
            Some(Judged::Broken(..)) => out += "  not all of these can be left out together\n",
            Some(Judged::Unknown(reason)) => {
                let _ = writeln!(out, "  whether they can be left out together is unknown: {reason}");
            }
        }
        out
    }

    fn json(&self, seconds: f64, engines: &[Answerer]) -> Value {
        let telling = &self.request.budget.to_tell();
        let program = &self.request.source.program;
        let counts = instances(program, self.candidates.all());
        let mut fences = Vec::new();
        for (i, (fence, need)) in self.fences.iter().zip(&self.needs).enumerate() {
            let (needed, reason, without) = match need {
                Judged::Broken(_, why) => {
                    (json!(true), Value::Null, evidence(&self.without(&[i]), why, telling))
                }
                Judged::Holds(_) => (json!(false), Value::Null, Value::Null),
                Judged::Unknown(reason) => (Value::Null, json!(reason.to_string()), Value::Null),
            };
            fences.push(json!({
                "function": program.procedure(fence.procedure).name,
                "file": program.sources.name(fence.span.file),
                "line": fence.span.line,
                "kind": kind_name(fence.kind),
                "with_store": comes_with_store(program, fence),
                "instances": counts[i],
                "needed": needed,
                "reason": reason,
                "without": without,
            }));
        }
        let verdict = match (&self.as_it_is, self.exit()) {
            (Some(Judged::Broken(_, Evidence::Violation(_))), _) => "unsafe",
            (Some(Judged::Broken(_, Evidence::Attack(_))), _) => "not_robust",
            (_, Exit::Unknown) => "unknown",
            _ => "audited",
        };
        let reason = match &self.as_it_is {
            Some(Judged::Unknown(reason)) => json!(reason.to_string()),
            _ => Value::Null,
        };
        let together = match &self.without_unneeded {
            None | Some(Judged::Unknown(_)) => Value::Null,
            Some(judged) => json!(matches!(judged, Judged::Holds(_))),
        };
        let with_fences = match &self.as_it_is {
            Some(Judged::Broken(_, why)) => evidence(&self.without(&[]), why, telling),
            _ => Value::Null,
        };
        json!({
            "schema": 1,
            "file": self.request.source.name,
            "model": self.request.model.name(),
            "goal": goal_name(self.request.options.goal),
            "verdict": verdict,
            "engine": names(engines).join("+"),
            "fences": fences,
            "unneeded_together": together,
            "seconds": (seconds * 1e6).round() / 1e6,
            "reason": reason,
            "with_fences": with_fences,
        })
    }
}
