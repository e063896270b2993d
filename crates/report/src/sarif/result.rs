//! Verdicts as results.

use super::flow::code_flow;
use super::format::{CodeFlow, Fingerprints, Properties, SarifFix, SarifLocation, SarifResult, Text};
use super::location::{main_file, words};
use super::rules::{self, RULES};
use super::{Fix, Kinds, Log};
use crate::digest::sha256;
use crate::results::{ScopeResult, Seconds};
use crate::robust::{Criterion, Robustness, ShownAttack};
use crate::spots::{Spot, broken, function, related, somewhere};
use crate::text::{everywhere, left_out};
use crate::timeline::timeline;
use crate::words::conclusion;
use crate::{Outcome, Shown};
use fencepost_certify::{Replay, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::Program;
use fencepost_task::{AnyModel, Budget, Model, Scope};

/// What `fences` found, as plain data.
pub struct Repair<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
    /// What is said of it.
    pub message: String,
    /// How it ended.
    pub end: RepairEnd<'a>,
    /// Wall-clock time.
    pub seconds: f64,
    /// The limits of telling about it.
    pub telling: Budget,
}

/// How a repair ended.
pub enum RepairEnd<'a> {
    /// No fences are needed.
    NotNeeded,
    /// Fences are missing: their places, with what is said of each, and the changes that insert them.
    Missing(Vec<(Span, String, String)>, &'a Fix),
    /// Fences do not help; with the run that shows it, and its program.
    Impossible(Option<(&'a Program, &'a Replay)>),
    /// It is not known.
    Unknown,
}

/// What is told of a run.
struct Told {
    related: Vec<Spot>,
    flow: Option<CodeFlow>,
}

/// What a result is made of.
struct Draft<'a> {
    rule: &'static str,
    kind: Kind,
    message: String,
    program: &'a Program,
    model: AnyModel,
    spot: Spot,
    /// More lines that the fingerprint depends on.
    lines: Vec<Span>,
    related: Vec<Spot>,
    flow: Option<CodeFlow>,
    fix: Option<&'a Fix>,
    properties: Properties,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fail,
    Pass,
    Open,
}

impl Log {
    /// A verdict of `check`, and the fences that repair the program, if there are any.
    pub fn check(&mut self, outcome: &Outcome<'_>, fix: Option<&Fix>) {
        self.warn(&outcome.program.sources, outcome.warnings);
        let model = outcome.model.name().to_uppercase();
        let scope = match &outcome.verdict {
            Shown::Safe { scope, .. } => Some(*scope),
            Shown::Unsafe(_) => Some(Scope::Complete),
            Shown::Unknown { scope, .. } => *scope,
        };
        let safe = matches!(outcome.verdict, Shown::Safe { .. });
        let properties = Properties {
            file: outcome.file.to_string(),
            model: outcome.model.name(),
            engine: Some(outcome.engine.name()),
            seconds: Some(Seconds::rounded(outcome.seconds)),
            states: Some(outcome.stats.states),
            configurations: Some(outcome.stats.configurations),
            any_threads: Some(safe && outcome.program.is_parameterized()),
            scope: Some(scope.map(ScopeResult)),
            criterion: None,
        };
        let whole = Draft {
            rule: "safety",
            kind: Kind::Pass,
            message: String::new(),
            program: outcome.program,
            model: outcome.model,
            spot: Spot { span: somewhere(outcome.program), function: None, what: String::new() },
            lines: Vec::new(),
            related: Vec::new(),
            flow: None,
            fix,
            properties,
        };
        match &outcome.verdict {
            Shown::Safe { scope, ended, .. } => {
                let number =
                    if outcome.program.is_parameterized() { " for any number of threads" } else { "" };
                let everywhere = everywhere(outcome);
                let mut message =
                    format!("{} is safe{number} under {model}, {scope}{everywhere}.", outcome.file);
                if let Some(reason) = ended {
                    message += &format!(" Larger bounds were not finished: {reason}.");
                }
                self.add(Draft { message, ..whole });
            }
            Shown::Unknown { reason, scope } => {
                let mut message =
                    format!("Not known whether {} is safe under {model}: {reason}.", outcome.file);
                if let Some(scope) = scope {
                    message += &format!(" There is no violation {scope}.");
                }
                self.add(Draft { kind: Kind::Open, message, ..whole });
            }
            Shown::Unsafe(replay) => {
                let program = &*replay.instance(outcome.program);
                let what = conclusion(program, replay).what;
                let mut message = format!("Under {model}: {what}.");
                if let Some(told) = &outcome.explanation {
                    // How it ends has been said.
                    let reordering = told.reordering.iter().filter(|sentence| !sentence.starts_with("So: "));
                    for sentence in reordering.chain(&told.cure) {
                        message += &format!(" {sentence}");
                    }
                }
                let told = self.run(program, replay, &outcome.telling, &mut message);
                self.add(Draft {
                    rule: rules::of_violation(program, replay.violation),
                    kind: Kind::Fail,
                    message,
                    program,
                    spot: broken(program, replay, &outcome.telling),
                    related: told.related,
                    flow: told.flow,
                    ..whole
                });
            }
        }
    }

    /// What is told of a run; what is left out is said in the message.
    fn run(&mut self, program: &Program, replay: &Replay, budget: &Budget, message: &mut String) -> Told {
        let what = format!("a run under {}", replay.model.name().to_uppercase());
        let related = timeline(replay, budget).and_then(|line| related(program, replay, &line, budget));
        let flow = code_flow(&mut self.artifacts, program, replay, &what, budget);
        if let Some(stop) = related.as_ref().err().or(flow.as_ref().err()) {
            *message += &format!(" ({}.)", left_out(*stop));
        }
        Told { related: related.unwrap_or_default(), flow: flow.unwrap_or_default() }
    }

    /// Whether TSO adds behaviour: a result for each attack.
    pub fn robust(&mut self, answer: &Robustness<'_>) {
        let rule = match answer.criterion {
            Criterion::Traces => "not-robust",
            Criterion::TriangularRaces => "triangular-race",
        };
        let program = answer.program;
        let draft = |kind, message: String| Draft {
            rule,
            kind,
            message,
            program,
            model: Model::Tso.into(),
            spot: Spot { span: somewhere(program), function: None, what: String::new() },
            lines: Vec::new(),
            related: Vec::new(),
            flow: None,
            fix: None,
            properties: Properties {
                file: answer.file.to_string(),
                model: Model::Tso.name(),
                criterion: Some(answer.criterion.name()),
                seconds: Some(Seconds::rounded(answer.seconds)),
                states: Some(answer.stats.states),
                ..Properties::default()
            },
        };
        for attack in &answer.attacks {
            let draft = draft(Kind::Fail, String::new());
            let draft = self.attack(answer, attack, draft);
            self.add(draft);
        }
        match (&answer.incomplete, answer.attacks.is_empty()) {
            (None, true) => {
                let message = format!("{} is robust against TSO, {}.", answer.file, answer.scope);
                self.add(draft(Kind::Pass, message));
            }
            (None, false) => {}
            (Some(reason), none) => {
                let more = if none { "whether there are attacks" } else { "whether there are more attacks" };
                self.add(draft(Kind::Open, format!("Not known {more} on {}: {reason}.", answer.file)));
            }
        }
    }

    fn attack<'a>(&mut self, answer: &Robustness<'_>, attack: &ShownAttack, draft: Draft<'a>) -> Draft<'a> {
        let (program, budget) = (answer.program, &answer.telling);
        let sources = &program.sources;
        let states = States::new(program, &attack.replay, budget);
        let step = |span: Span| attack.replay.steps.iter().position(|s| s.event.span == span);
        let spot = |span, what: &str| Spot {
            span,
            function: step(span).and_then(|at| function(program, &attack.replay, &states, at).ok()),
            what: what.to_string(),
        };
        let mut related = vec![spot(attack.store, "the store that is overtaken")];
        let mut message = format!(
            "{}: the load at {} overtakes the store at {}",
            attack.thread,
            sources.place(attack.load),
            sources.place(attack.store)
        );
        if let Some(write) = attack.write {
            message += &format!(", beside the write at {}", sources.place(write));
            related.push(spot(write, "the write beside it"));
        }
        message += ".";
        let what = "a run with this happens-before cycle";
        let flow = code_flow(&mut self.artifacts, program, &attack.replay, what, budget);
        if let Err(stop) = flow {
            message += &format!(" ({}.)", left_out(stop));
        }
        Draft {
            message,
            spot: spot(attack.load, "the load that overtakes it"),
            lines: vec![attack.store],
            related,
            flow: flow.unwrap_or_default(),
            ..draft
        }
    }

    /// What `fences` found.
    pub fn repair(&mut self, repair: &Repair<'_>) {
        let (program, model) = (repair.program, repair.model);
        let mut draft = Draft {
            rule: "missing-fence",
            kind: Kind::Pass,
            message: repair.message.clone(),
            program,
            model: model.into(),
            spot: Spot { span: somewhere(program), function: None, what: String::new() },
            lines: Vec::new(),
            related: Vec::new(),
            flow: None,
            fix: None,
            properties: Properties {
                file: repair.file.to_string(),
                model: model.name(),
                seconds: Some(Seconds::rounded(repair.seconds)),
                ..Properties::default()
            },
        };
        match &repair.end {
            RepairEnd::NotNeeded => {}
            RepairEnd::Unknown => draft.kind = Kind::Open,
            RepairEnd::Missing(places, fix) => {
                let mut spots = places.iter().map(|(span, function, what)| Spot {
                    span: *span,
                    function: Some(function.clone()),
                    what: what.clone(),
                });
                draft.spot = spots.next().unwrap_or(draft.spot);
                draft.lines = places.iter().skip(1).map(|(span, ..)| *span).collect();
                draft.related = spots.collect();
                draft.kind = Kind::Fail;
                draft.fix = Some(fix);
            }
            RepairEnd::Impossible(run) => {
                draft.kind = Kind::Fail;
                if let Some((program, replay)) = run {
                    draft.rule = rules::of_violation(program, replay.violation);
                    draft.spot = broken(program, replay, &repair.telling);
                    let told = self.run(program, replay, &repair.telling, &mut draft.message);
                    (draft.related, draft.flow) = (told.related, told.flow);
                }
            }
        }
        self.add(draft);
    }

    fn add(&mut self, draft: Draft<'_>) {
        if self.kinds == Kinds::Wrong && draft.kind != Kind::Fail {
            return;
        }
        let sources = &draft.program.sources;
        let (name, text) = main_file(sources);
        self.artifacts.file(name, text);
        let number = rules::index(draft.rule);
        // The standard has no level for what is not a problem.
        let (kind, level) = match draft.kind {
            Kind::Fail => ("fail", RULES[number].level.name()),
            Kind::Pass => ("pass", "none"),
            Kind::Open => ("open", "none"),
        };
        let location = self.artifacts.location(sources, &draft.spot);
        let line = self.fingerprint(&draft);
        let related = draft
            .related
            .iter()
            .enumerate()
            .map(|(i, spot)| SarifLocation { id: Some(i + 1), ..self.artifacts.location(sources, spot) });
        let related = related.collect();
        let fix = draft.fix.filter(|_| draft.kind == Kind::Fail).map(|fix| SarifFix {
            description: Text::new(&*fix.what),
            artifact_changes: [self.artifacts.change(&fix.file, &fix.text, &fix.edits)],
        });
        self.results.push(SarifResult {
            rule_id: draft.rule,
            rule_index: number,
            kind,
            level,
            message: Text::new(draft.message),
            locations: [location],
            partial_fingerprints: Fingerprints { line },
            properties: draft.properties,
            related_locations: related,
            code_flows: draft.flow.map(|flow| [flow]),
            fixes: fix.map(|fix| [fix]),
        });
    }

    /// A name for a result that stays when lines are inserted elsewhere. A second result of the same name in one log is
    /// told apart by its number.
    fn fingerprint(&mut self, draft: &Draft<'_>) -> String {
        let sources = &draft.program.sources;
        let address = self.artifacts.address(sources.name(draft.spot.span.file));
        // What speaks of a program as a whole is at some line of it, which says nothing.
        let lines: Vec<String> = match draft.kind {
            Kind::Fail => {
                std::iter::once(&draft.spot.span).chain(&draft.lines).map(|s| words(sources, *s)).collect()
            }
            Kind::Pass | Kind::Open => Vec::new(),
        };
        let mut parts = vec![draft.rule, draft.model.name(), &address.uri];
        parts.extend(draft.spot.function.as_deref());
        parts.extend(lines.iter().map(String::as_str));
        let hash = sha256(parts.join("\n").as_bytes())[..32].to_string();
        let same = self.fingerprints.iter().filter(|f| **f == hash).count();
        self.fingerprints.push(hash.clone());
        format!("{hash}:{}", same + 1)
    }
}
