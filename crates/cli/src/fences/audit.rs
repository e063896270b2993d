//! `fencepost fences --audit`: is each fence of a program needed?
//!
//! Counted are fence statements, and fences that come with a store: C's sequentially consistent stores, the
//! barrier before a release store under PSO. What drains as a part of something else (read-modify-writes, locks,
//! atomic sections) is no fence that could be left out.

use super::Request;
use super::show::{goal_name, kind_name};
use crate::options::Format;
use crate::{Exit, output};
use fencepost_certify::replay;
use fencepost_ir::Span;
use fencepost_ir::cfg::{FenceKind, Instr, ProcId, Program};
use fencepost_report::text::Detail;
use fencepost_report::{json as json_report, text as text_report};
use fencepost_robust::fences::{Audited, Candidates, Fence, Finding, Need, Run, audit, instances};
use fencepost_task::Trace;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Instant;

/// A fence that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Present {
    procedure: ProcId,
    span: Span,
    kind: FenceKind,
}

/// The fences of a program, in the order of the text.
fn present(program: &Program) -> Vec<Present> {
    let mut all: Vec<Present> = Vec::new();
    for (p, procedure) in program.procedures.iter().enumerate() {
        for edge in procedure.edges() {
            if let Instr::Fence(kind) = edge.instr {
                let fence = Present { procedure: ProcId(p as u32), span: edge.span, kind };
                if !all.contains(&fence) {
                    all.push(fence);
                }
            }
        }
    }
    all.sort_by_key(|f| (f.span, f.kind));
    all
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
        fences.iter().position(|f| *f == Present { procedure: p, span: e.span, kind })
    };
    let candidates = Candidates::new(program.clone(), fences.len(), number);
    let kinds: Vec<FenceKind> = fences.iter().map(|f| f.kind).collect();
    let mut goal = request.goal();
    let audited = audit(&candidates, &kinds, &mut goal);
    let report = Report { request, candidates, fences, audited };
    let exit = report.exit();
    match request.options.format {
        Format::Json => output::line(report.json(start.elapsed().as_secs_f64(), &goal.answered)),
        Format::Text => output::text(report.text()),
    }
    exit
}

struct Report<'a> {
    request: &'a Request<'a>,
    candidates: Candidates,
    fences: Vec<Present>,
    audited: Audited,
}

impl Report<'_> {
    fn exit(&self) -> Exit {
        let unknown = self.audited.fences.iter().any(|n| matches!(n, Need::Unknown(_)));
        match &self.audited.as_it_is {
            Finding::Broken(_) => Exit::Bad,
            Finding::Unknown(_) => Exit::Unknown,
            Finding::Holds(_) if unknown => Exit::Unknown,
            Finding::Holds(_) => Exit::Good,
        }
    }

    /// The program that is left without one of the fences, or with all of them.
    fn without(&self, left_out: Option<usize>) -> Program {
        let fence = |(candidate, f): (usize, &Present)| Fence { candidate, kind: f.kind };
        let kept = self.fences.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
        self.candidates.with(&kept.map(fence).collect::<Vec<_>>())
    }

    fn replayed(&self, program: &Program, run: &Run) -> fencepost_certify::Replay {
        let trace = Trace {
            model: run.model,
            instances: run.instances.clone(),
            init: run.init.clone(),
            steps: run.steps.clone(),
            violation: run.violation.expect("a run of an unsafe program ends in a violation"),
            shortest: false,
        };
        replay(program, &trace).unwrap_or_else(|r| panic!("internal error: a run does not replay ({r})"))
    }

    fn text(&self) -> String {
        let file = &self.request.source.name;
        let model = self.request.model.name().to_uppercase();
        let program = &self.request.source.program;
        let style = output::style(Detail::Steps);
        let mut out = String::new();
        let scope = match &self.audited.as_it_is {
            Finding::Holds(scope) => scope,
            Finding::Unknown(reason) => return format!("unknown: {file} under {model}: {reason}\n"),
            Finding::Broken(runs) => {
                let fenced = self.without(None);
                let replay = self.replayed(&fenced, &runs[0]);
                let property = replay.property(&fenced);
                let _ = writeln!(out, "unsafe: {file} under {model} with all its fences: {property}");
                return out + &text_report::run(&fenced, &replay, style);
            }
        };
        let needed = self.audited.fences.iter().filter(|n| matches!(n, Need::Needed(_))).count();
        let _ = writeln!(
            out,
            "audited: {needed} of {} fences of {file} needed under {model}, {scope}",
            self.fences.len()
        );
        for (i, (fence, need)) in self.fences.iter().zip(&self.audited.fences).enumerate() {
            let with = if comes_with_store(program, fence) { " with its store" } else { "" };
            let _ = writeln!(
                out,
                "  {} fence{with} at {} in {}",
                kind_name(fence.kind),
                program.sources.place(fence.span),
                program.procedure(fence.procedure).name
            );
            if let Some(line) = program.sources.line(fence.span) {
                let _ = writeln!(out, "    {:>4}  {}", fence.span.line, line.trim());
            }
            match need {
                Need::NotNeeded(scope) => {
                    let _ = writeln!(out, "      not needed: safe without it, {scope}");
                }
                Need::Unknown(reason) => {
                    let _ = writeln!(out, "      unknown: {reason}");
                }
                Need::Needed(run) => {
                    let rest = self.without(Some(i));
                    let replay = self.replayed(&rest, run);
                    let _ = writeln!(
                        out,
                        "      needed: without it, {} in {} steps",
                        replay.property(&rest),
                        replay.steps.len()
                    );
                    if self.request.options.verbose {
                        out += &text_report::run(&rest, &replay, style);
                    }
                }
            }
        }
        match &self.audited.without_unneeded {
            None => {}
            Some(Finding::Holds(scope)) => {
                let _ = writeln!(out, "  all that are not needed can be left out together: safe, {scope}");
            }
            Some(Finding::Broken(_)) => out += "  not all of these can be left out together\n",
            Some(Finding::Unknown(reason)) => {
                let _ = writeln!(out, "  whether they can be left out together is unknown: {reason}");
            }
        }
        out
    }

    fn json(&self, seconds: f64, engines: &[&str]) -> Value {
        let program = &self.request.source.program;
        let counts = instances(program, self.candidates.all());
        let mut fences = Vec::new();
        for (i, (fence, need)) in self.fences.iter().zip(&self.audited.fences).enumerate() {
            let (needed, reason) = match need {
                Need::Needed(_) => (json!(true), Value::Null),
                Need::NotNeeded(_) => (json!(false), Value::Null),
                Need::Unknown(reason) => (Value::Null, json!(reason.to_string())),
            };
            let mut object = json!({
                "function": program.procedure(fence.procedure).name,
                "file": program.sources.name(fence.span.file),
                "line": fence.span.line,
                "kind": kind_name(fence.kind),
                "with_store": comes_with_store(program, fence),
                "instances": counts[i],
                "needed": needed,
                "reason": reason,
            });
            if let Need::Needed(run) = need {
                let rest = self.without(Some(i));
                let replay = self.replayed(&rest, run);
                object["property"] = json!(replay.property(&rest));
                object["trace"] = json_report::trace(&rest, &replay);
            }
            fences.push(object);
        }
        let verdict = match (&self.audited.as_it_is, self.exit()) {
            (Finding::Broken(_), _) => "unsafe",
            (_, Exit::Unknown) => "unknown",
            _ => "audited",
        };
        let reason = match &self.audited.as_it_is {
            Finding::Unknown(reason) => json!(reason.to_string()),
            Finding::Holds(_) | Finding::Broken(_) => Value::Null,
        };
        let together = match &self.audited.without_unneeded {
            None | Some(Finding::Unknown(_)) => Value::Null,
            Some(finding) => json!(matches!(finding, Finding::Holds(_))),
        };
        let mut object = json!({
            "schema": 1,
            "file": self.request.source.name,
            "model": self.request.model.name(),
            "goal": goal_name(self.request.options.goal),
            "verdict": verdict,
            "engine": engines.join("+"),
            "fences": fences,
            "unneeded_together": together,
            "seconds": (seconds * 1e6).round() / 1e6,
            "reason": reason,
        });
        if let Finding::Broken(runs) = &self.audited.as_it_is {
            let fenced = self.without(None);
            let replay = self.replayed(&fenced, &runs[0]);
            object["property"] = json!(replay.property(&fenced));
            object["trace"] = json_report::trace(&fenced, &replay);
        }
        object
    }
}
