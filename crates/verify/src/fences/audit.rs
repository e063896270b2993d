//! `fencepost fences --audit`: is each fence of a program needed? Each is taken away alone, and the goal checked.
//!
//! A fence without which the goal is still met is not needed, and the check is the proof; else the run is
//! shown. Fences that are not needed one by one may be needed together, so the program without all of them
//! is checked, too.
//!
//! Counted are fence statements, and fences that come with a store: C's sequentially consistent stores, the
//! barrier before a release store under PSO. What drains as a part of something else (read-modify-writes, locks,
//! atomic sections) is not a fence that could be left out.

use super::Request;
use super::goal::{Answerer, Evidence, Judged};
use super::show::{names, reason, shown};
use fencepost_ir::Span;
use fencepost_ir::cfg::{FenceKind, Instr, ProcId, Program};
use fencepost_report::paint::{Colours, masked};
use fencepost_report::results::{
    AuditResult, AuditedFence, AuditedVerdict, Schema, ScopeResult, Seconds, Vocabulary, Word,
};
use fencepost_report::text as text_report;
use fencepost_report::text::{Detail, Style};
use fencepost_robust::fences::{Candidates, Fence, instances};
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

/// The fences of a program, each as a candidate.
struct There {
    candidates: Candidates,
    fences: Vec<Present>,
}

impl There {
    fn new(program: &Program) -> There {
        let fences = present(program);
        let number = |p: ProcId, e: &fencepost_ir::cfg::Edge| {
            let Instr::Fence(kind) = e.instr else { return None };
            fences.binary_search(&Present { span: e.span, kind, procedure: p }).ok()
        };
        let candidates = Candidates::new(program.clone(), fences.len(), number);
        There { candidates, fences }
    }

    /// The program that is left without some of the fences.
    fn without(&self, left_out: &[usize]) -> Program {
        let fence = |(candidate, f): (usize, &Present)| Fence { candidate, kind: f.kind };
        let kept = self.fences.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
        self.candidates.with(&kept.map(fence).collect::<Vec<_>>())
    }
}

/// Audits.
pub(super) fn audit<'a>(request: &'a Request<'a>) -> Audit<'a> {
    let start = Instant::now();
    let there = There::new(&request.source.program);
    let mut goal = request.goal();
    let as_it_is = goal.judge(&there.without(&[]), None);
    let (mut needs, mut without_unneeded) = (Vec::new(), None);
    if let Judged::Holds(_) = as_it_is {
        for i in 0..there.fences.len() {
            needs.push(match goal.budget.look(0) {
                Ok(()) => goal.judge(&there.without(&[i]), None),
                Err(stop) => Judged::Unknown(stop.into()),
            });
        }
        let unneeded: Vec<usize> =
            (0..needs.len()).filter(|&i| matches!(needs[i], Judged::Holds(_))).collect();
        if unneeded.len() > 1 {
            without_unneeded = Some(goal.judge(&there.without(&unneeded), None));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Audit { request, there, as_it_is, needs, without_unneeded, answered: goal.answered, seconds }
}

/// How far it was proved that the goal is met.
fn scope_of(judged: &Judged) -> Option<ScopeResult> {
    match judged {
        Judged::Holds(scope) => Some(ScopeResult(*scope)),
        Judged::Broken(..) | Judged::Unknown(_) => None,
    }
}

/// What an audit came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuditVerdict {
    /// It is known of each fence whether it is needed.
    Audited,
    /// The goal is missed with all fences.
    Missed,
    /// Something could not be decided.
    Unknown,
}

/// What is known of the fences of a program.
pub struct Audit<'a> {
    request: &'a Request<'a>,
    there: There,
    /// The program with all its fences.
    as_it_is: Judged,
    /// For each fence the program without it; none if the goal is missed anyway.
    needs: Vec<Judged>,
    /// The program without all that are not needed, if there are several.
    without_unneeded: Option<Judged>,
    answered: Vec<Answerer>,
    seconds: f64,
}

impl Audit<'_> {
    /// What it came to.
    pub fn verdict(&self) -> AuditVerdict {
        let unknown = self.needs.iter().any(|n| matches!(n, Judged::Unknown(_)));
        match &self.as_it_is {
            Judged::Broken(..) => AuditVerdict::Missed,
            Judged::Holds(_) if !unknown => AuditVerdict::Audited,
            Judged::Holds(_) | Judged::Unknown(_) => AuditVerdict::Unknown,
        }
    }

    /// For people.
    pub fn text(&self, style: Style, verbose: bool) -> String {
        let telling = &self.request.budget.to_tell();
        let file = &self.request.source.name;
        let model = self.request.options.model.name().to_uppercase();
        let goal = self.request.options.goal.name();
        let program = &self.request.source.program;
        let style = Style { detail: Detail::Steps, ..style };
        let mut out = String::new();
        let scope = match &self.as_it_is {
            Judged::Holds(scope) => scope,
            Judged::Unknown(reason) => return format!("unknown: {file} under {model}: {reason}\n"),
            Judged::Broken(_, evidence) => {
                let fenced = self.there.without(&[]);
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
            self.there.fences.len()
        );
        for (i, (fence, need)) in self.there.fences.iter().zip(&self.needs).enumerate() {
            let with = if comes_with_store(program, fence) { " with its store" } else { "" };
            let _ = writeln!(
                out,
                "  {} fence{with} at {} in {}",
                fence.kind.word(),
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
                    let rest = self.there.without(&[i]);
                    let _ = writeln!(out, "      needed: without it, {}", reason(&rest, evidence));
                    if let Evidence::Violation(replay) = evidence
                        && verbose
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

    /// The result.
    pub fn result(&self) -> AuditResult {
        let telling = &self.request.budget.to_tell();
        let program = &self.request.source.program;
        let counts = instances(program, self.there.candidates.all());
        let fence = |(i, (fence, need)): (usize, (&Present, &Judged))| {
            let (needed, reason, without) = match need {
                Judged::Broken(_, why) => {
                    (Some(true), None, Some(shown(&self.there.without(&[i]), why, telling)))
                }
                Judged::Holds(_) => (Some(false), None, None),
                Judged::Unknown(reason) => (None, Some(reason.to_string()), None),
            };
            AuditedFence {
                function: program.procedure(fence.procedure).name.clone(),
                file: program.sources.name(fence.span.file).to_string(),
                line: fence.span.line,
                kind: Word(fence.kind),
                with_store: comes_with_store(program, fence),
                instances: counts[i],
                needed,
                scope: scope_of(need),
                reason,
                without,
            }
        };
        AuditResult {
            schema: Schema,
            file: self.request.source.name.clone(),
            model: self.request.options.model.into(),
            goal: self.request.options.goal,
            verdict: match (&self.as_it_is, self.verdict()) {
                (Judged::Broken(_, Evidence::Violation(_)), _) => AuditedVerdict::Unsafe,
                (Judged::Broken(_, Evidence::Attack(_)), _) => AuditedVerdict::NotRobust,
                (_, AuditVerdict::Unknown) => AuditedVerdict::Unknown,
                (_, AuditVerdict::Audited | AuditVerdict::Missed) => AuditedVerdict::Audited,
            },
            engine: names(&self.answered).join("+"),
            scope: scope_of(&self.as_it_is),
            fences: self.there.fences.iter().zip(&self.needs).enumerate().map(fence).collect(),
            unneeded_together: match &self.without_unneeded {
                None | Some(Judged::Unknown(_)) => None,
                Some(judged) => Some(matches!(judged, Judged::Holds(_))),
            },
            seconds: Seconds::rounded(self.seconds),
            reason: match &self.as_it_is {
                Judged::Unknown(reason) => Some(reason.to_string()),
                Judged::Holds(_) | Judged::Broken(..) => None,
            },
            with_fences: match &self.as_it_is {
                Judged::Broken(_, why) => Some(shown(&self.there.without(&[]), why, telling)),
                Judged::Holds(_) | Judged::Unknown(_) => None,
            },
        }
    }
}
