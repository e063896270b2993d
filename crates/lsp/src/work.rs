//! A check in the background: a text to diagnostics, and to the changes that put it right.

use super::document::QuickFix;
use super::position::Positions;
use super::settings::Settings;
use fencepost_ir::cfg;
use fencepost_ir::{Checks, Sources, Span};
use fencepost_report::Shown;
use fencepost_report::explain::explain;
use fencepost_report::sarif::rule_of;
use fencepost_report::spots::{broken, related, somewhere};
use fencepost_report::timeline::timeline;
use fencepost_report::told::told;
use fencepost_report::words::conclusion;
use fencepost_robust::attacks;
use fencepost_task::{Budget, Model, Progress};
use fencepost_text::Diagnostic;
use fencepost_text::fences::Edit;
use fencepost_verify::fences::{Source, suggest};
use fencepost_verify::{Decided, Format, InputError, Limits, Program, decide, read};
use lsp_types::{
    Diagnostic as Problem, DiagnosticRelatedInformation as Related, DiagnosticSeverity as Severity, Location,
    NumberOrString, TextEdit, Uri,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Cheapest repairs that are offered.
const MOST_FIXES: usize = 4;

/// Seconds for the story of a violation.
const EXPLAIN_TIME: f64 = 2.0;

/// Time for attacks on robustness.
const ATTACK_TIME: Duration = Duration::from_secs(1);

/// What is to be checked.
pub(crate) struct Work {
    pub(crate) uri: Uri,
    /// The file as messages name it.
    pub(crate) name: String,
    pub(crate) text: Arc<String>,
    pub(crate) format: Format,
    pub(crate) settings: Settings,
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// What is told while the work goes on.
pub(crate) enum Told {
    /// Everything that is wrong so far.
    Diagnostics(Vec<Problem>),
    /// A repair.
    Fix(QuickFix),
    /// Where the work is.
    Progress(String),
}

/// A violation that fences may repair.
struct Unsafe {
    diagnostic: usize,
    model: Model,
}

impl Work {
    /// Checks the text.
    pub(crate) fn run(&self, tell: &mut dyn FnMut(Told)) {
        let options = &self.settings.options;
        let read = read::parse(self.format, &self.name, &self.text, &options.read);
        let read = read.map(|tree| Program::new(&self.name, tree, &options.read));
        let checkable =
            read.and_then(|program| program.require_property(&options.read.asked).map(|()| program));
        let program = match checkable {
            Ok(program) => program,
            Err(error) => return tell(Told::Diagnostics(self.unreadable(&error))),
        };
        let graph = &program.graph;
        let mut diagnostics = Vec::new();
        let mut violations = Vec::new();
        for &model in &options.models {
            let budget = options.limits.budget(&self.cancelled);
            let upper = model.name().to_uppercase();
            let mut progress = |p: &Progress| {
                tell(Told::Progress(format!("{upper}: {} states, {} waiting", p.stats.states, p.waiting)));
            };
            let decided = decide(&program, model, &options.check, &budget, &mut progress);
            if self.cancelled.load(Ordering::Relaxed) {
                return;
            }
            match decided {
                Ok(decided) => {
                    if let Shown::Unsafe(_) = decided.verdict {
                        violations.push(Unsafe { diagnostic: diagnostics.len(), model });
                    }
                    diagnostics.extend(self.verdict(graph, model, &decided));
                }
                Err(why) => {
                    let (place, why) = (somewhere(graph), why.to_string());
                    diagnostics.push(self.diagnostic(&graph.sources, place, Severity::INFORMATION, &why));
                }
            }
            tell(Told::Diagnostics(diagnostics.clone()));
        }
        if self.settings.robustness && violations.is_empty() {
            diagnostics.extend(self.attacks(graph));
        }
        tell(Told::Diagnostics(diagnostics));
        self.fixes(graph, &violations, tell);
    }

    /// What is said of a verdict; nothing of a safe one.
    fn verdict(&self, program: &cfg::Program, model: Model, decided: &Decided) -> Option<Problem> {
        let upper = model.name().to_uppercase();
        match &decided.verdict {
            Shown::Safe { .. } => None,
            Shown::Unknown { reason, scope } => {
                let mut message = format!("Not known whether this is safe under {upper}: {reason}.");
                if let Some(scope) = scope {
                    message += &format!(" There is no violation {scope}.");
                }
                Some(self.diagnostic(&program.sources, somewhere(program), Severity::INFORMATION, &message))
            }
            Shown::Unsafe(replay) => {
                let program = &*replay.instance(program);
                let sources = &program.sources;
                let mut message = format!("Under {upper}: {}.", conclusion(program, replay).what);
                let budget = &self.budget(EXPLAIN_TIME);
                let explanation = explain(program, replay, decided.order, &[], budget, budget);
                for sentence in
                    explanation.reordering.iter().filter(|s| !s.starts_with("So: ")).chain(&explanation.cure)
                {
                    message += &format!("\n{sentence}");
                }
                let spot = broken(program, replay, budget);
                let mut diagnostic = self.diagnostic(sources, spot.span, Severity::ERROR, &message);
                diagnostic.code =
                    Some(NumberOrString::String(rule_of(program, replay.violation).to_string()));
                let steps = told(program, replay, budget)
                    .unwrap_or_default()
                    .into_iter()
                    .filter(|step| step.span.is_some());
                let run = steps.filter_map(|step| {
                    self.related(sources, step.span, &format!("{}. {}", step.number, step.words))
                });
                let places = timeline(replay, budget)
                    .and_then(|line| related(program, replay, &line, budget))
                    .unwrap_or_default();
                let places = places.iter().filter_map(|spot| self.related(sources, spot.span, &spot.what));
                diagnostic.related_information = Some(run.chain(places).collect());
                Some(diagnostic)
            }
        }
    }

    /// Stores that a load can overtake with effect, as hints.
    fn attacks(&self, program: &cfg::Program) -> Vec<Problem> {
        let budget = self.budget(ATTACK_TIME.as_secs_f64());
        let place = |at: fencepost_robust::Place| program.procedure(at.procedure).edge(at.edge).span;
        let found = attacks(program, &budget).found;
        let hint = found.iter().map(|attack| {
            let message = format!("{}: under TSO this load can overtake a store with effect", attack.name);
            let mut hint = self.diagnostic(&program.sources, place(attack.load), Severity::HINT, &message);
            hint.code = Some(NumberOrString::String("not-robust".to_string()));
            let store = self.related(&program.sources, place(attack.store), "the store that is overtaken");
            hint.related_information = Some(store.into_iter().collect());
            hint
        });
        hint.collect()
    }

    fn budget(&self, seconds: f64) -> Budget {
        Limits::seconds(seconds).budget(&self.cancelled)
    }

    /// Looks for fences.
    fn fixes(&self, program: &cfg::Program, violations: &[Unsafe], tell: &mut dyn FnMut(Told)) {
        if program.checks != Checks::default() {
            return;
        }
        for Unsafe { diagnostic, model } in violations.iter().filter(|v| v.model != Model::Sc) {
            let upper = model.name().to_uppercase();
            tell(Told::Progress(format!("{upper}: looking for fences")));
            let input = &self.settings.options.read;
            let budget = self.budget(self.settings.fence_time);
            let source = Source::of(self.name.clone(), self.text.to_string(), self.format, input, &budget);
            let Ok(Ok(source)) = source else { return };
            let mut offered = Vec::new();
            // One first: the search for all may not come to an end.
            for most in [1, MOST_FIXES] {
                for fix in suggest(&source, *model, budget.clone(), most).fixes {
                    if !offered.contains(&fix.edits) {
                        let title = format!("{} (safe under {upper})", fix.title);
                        let edits = self.edits(&fix.edits);
                        tell(Told::Fix(QuickFix { diagnostic: *diagnostic, title, edits }));
                        offered.push(fix.edits);
                    }
                }
            }
        }
    }

    fn edits(&self, edits: &[Edit]) -> Vec<TextEdit> {
        let positions = Positions::new(&self.text);
        edits.iter().map(|e| TextEdit::new(positions.range(e.from, e.to), e.text.clone())).collect()
    }

    /// Why there is no program.
    fn unreadable(&self, error: &InputError) -> Vec<Problem> {
        match error {
            InputError::File(message) => {
                let sources = Sources::single(&self.name[..], &self.text[..]);
                let first = Span { line: 1, column: 1, ..Span::NONE };
                vec![self.diagnostic(&sources, first, Severity::ERROR, message)]
            }
            InputError::Text(sources, diagnostics) => {
                diagnostics.iter().map(|d| self.problem(sources, d)).collect()
            }
        }
    }

    fn problem(&self, sources: &Sources, problem: &Diagnostic) -> Problem {
        let message = match &problem.help {
            Some(help) => format!("{}\n{help}", problem.message),
            None => problem.message.clone(),
        };
        // A part of a larger program has nothing wrong with it.
        let part = problem.draft.is_some() || problem.message == "there is nothing to check";
        let severity = if part { Severity::INFORMATION } else { Severity::ERROR };
        self.diagnostic(sources, problem.span, severity, &message)
    }

    /// A diagnostic of this text. What is in another file is told at the first line, with its place.
    fn diagnostic(&self, sources: &Sources, span: Span, severity: Severity, message: &str) -> Problem {
        let here = sources.name(span.file) == self.name;
        let positions = Positions::new(&self.text);
        let first = Span { line: 1, column: 1, ..Span::NONE };
        let elsewhere = (!here).then(|| self.related(sources, span, message).into_iter().collect());
        Problem {
            range: positions.span(if here && span.is_some() { span } else { first }),
            severity: Some(severity),
            source: Some("fencepost".to_string()),
            message: message.to_string(),
            related_information: elsewhere,
            ..Problem::default()
        }
    }

    /// A place with a word; none in a file that no address leads to.
    fn related(&self, sources: &Sources, span: Span, message: &str) -> Option<Related> {
        let name = sources.name(span.file);
        let (uri, range) = match name == self.name {
            true => (self.uri.clone(), Positions::new(&self.text).span(span)),
            false => (super::document::uri(name)?, Positions::new(sources.text(span.file)).span(span)),
        };
        Some(Related { location: Location { uri, range }, message: message.to_string() })
    }
}
