//! What `robust` says of a file, against TSO and against C11.

use super::word::Word;
use super::{Schema, ScopeResult, Seconds, Steps, steps};
use crate::ResultKind;
use crate::c11::{FoundC11, RobustnessC11};
use crate::robust::{Criterion, RobustVerdict, Robustness, ShownAttack};
use crate::text::left_out;
use fencepost_certify::{Because, Departed, Link, Raced, Relation, Replay};
use fencepost_ir::cfg::Program;
use fencepost_ir::{Sources, Span};
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_memory::run_graph::What;
use fencepost_task::{AnyModel, Budget, Model, Scope, Stats};
use serde::{Deserialize, Serialize};

/// A result of `robust`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RobustResult {
    /// The version of the format.
    pub schema: Schema,
    /// The file, as it was named.
    pub file: String,
    /// Always `tso`.
    pub model: Word<AnyModel>,
    /// What was asked.
    pub criterion: Word<Criterion>,
    /// `robust`, `not_robust` or `unknown`.
    pub verdict: Word<ResultKind>,
    /// How far the verdict reaches.
    #[serde(default)]
    pub scope: Option<ScopeResult>,
    /// The attacks, or the triangular races.
    pub attacks: Vec<Attack>,
    /// Whether these are all.
    pub complete: bool,
    /// Why there may be more.
    pub reason: Option<String>,
    /// Wall-clock time.
    pub seconds: Seconds,
    /// What it cost.
    pub stats: RobustStats,
}

/// Counters of a search for attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RobustStats {
    /// States stored.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Bytes of the largest tables.
    pub bytes: u64,
}

impl From<Stats> for RobustStats {
    fn from(stats: Stats) -> RobustStats {
        RobustStats { states: stats.states, transitions: stats.transitions, bytes: stats.bytes }
    }
}

/// An attack on robustness, or a triangular race.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attack {
    /// The thread whose load overtakes its store.
    pub thread: String,
    /// The store.
    pub store: SourceLine,
    /// The load.
    pub load: SourceLine,
    /// Of a triangular race, the write of another thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<SourceLine>,
    /// Of an attack, the cycle of its run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<CycleStep>,
    /// The steps of its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Steps<'static>>,
    /// Why the run is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl SourceLine {
    /// Where a piece of a program stands.
    pub fn new(sources: &Sources, span: Span) -> SourceLine {
        SourceLine { file: sources.name(span.file).to_string(), line: span.line }
    }
}

/// A step of a happens-before cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CycleStep {
    /// Its number in the trace.
    pub step: usize,
    /// Why it happens before the next one: program order (`po`) or conflict (`cf`).
    pub next: Word<Relation>,
}

impl RobustResult {
    /// The result of an answer.
    pub fn new(answer: &Robustness<'_>) -> RobustResult {
        RobustResult {
            schema: Schema,
            file: answer.file.to_string(),
            model: Model::Tso.into(),
            criterion: Word(answer.criterion),
            verdict: Word(answer.verdict().into()),
            scope: match answer.verdict() {
                RobustVerdict::Robust => Some(ScopeResult(answer.scope)),
                RobustVerdict::NotRobust => Some(ScopeResult(Scope::Complete)),
                RobustVerdict::Unknown => None,
            },
            attacks: answer.attacks.iter().map(|attack| Attack::new(answer, attack)).collect(),
            complete: answer.incomplete.is_none(),
            reason: answer.incomplete.as_ref().map(ToString::to_string),
            seconds: Seconds::rounded(answer.seconds),
            stats: answer.stats.into(),
        }
    }
}

impl Attack {
    fn new(answer: &Robustness<'_>, attack: &ShownAttack) -> Attack {
        let place = |span| SourceLine::new(&answer.program.sources, span);
        let cycle = attack.cycle.iter();
        let cycle = cycle
            .map(|(step, relation)| CycleStep { step: shown(&attack.replay, *step), next: Word(*relation) });
        let (trace, notes) = listed(answer.program, &attack.replay, &answer.telling);
        Attack {
            thread: attack.thread.clone(),
            store: place(attack.store),
            load: place(attack.load),
            write: attack.write.map(place),
            cycle: cycle.collect(),
            trace,
            notes,
        }
    }
}

/// The steps of a run; or a note why they are left out.
pub(super) fn listed(
    program: &Program,
    replay: &Replay,
    telling: &Budget,
) -> (Option<Steps<'static>>, Vec<String>) {
    match steps(program, replay, telling) {
        Ok(steps) => (Some(steps), Vec::new()),
        Err(stop) => (None, vec![left_out(stop)]),
    }
}

/// The number of a step in the trace, where initial values come first.
fn shown(replay: &Replay, step: usize) -> usize {
    replay.init.len() + step + 1
}

/// A result of `robust --model c11`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RobustC11Result {
    /// The version of the format.
    pub schema: Schema,
    /// The file, as it was named.
    pub file: String,
    /// Always `c11`.
    pub model: Word<AnyModel>,
    /// What belongs to a release sequence.
    pub release_sequences: Word<ReleaseSequences>,
    /// `robust`, `not_robust`, `race` or `unknown`.
    pub verdict: Word<ResultKind>,
    /// How far the verdict reaches.
    #[serde(default)]
    pub scope: Option<ScopeResult>,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Wall-clock time.
    pub seconds: Seconds,
    /// What it cost.
    pub stats: RobustStats,
    /// Only with `not_robust`: the step that SC does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure: Option<Departure>,
    /// Only with `race`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
}

/// A step that SC does not have, after a run of SC.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Departure {
    /// The thread.
    pub thread: String,
    /// Where its access stands.
    pub access: SourceLine,
    /// What the access does.
    pub does: Word<What>,
    /// The cell.
    pub cell: String,
    /// The value of the older write that it reads, or comes directly after.
    pub value: i64,
    /// The step of that write in the trace; none for the initial value.
    pub older: Option<usize>,
    /// What orders the newest write before the access under SC.
    pub path: Vec<PathStep>,
    /// The steps of the run before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Steps<'static>>,
    /// Why the run is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A step of a path in the order of SC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PathStep {
    /// Its number in the trace.
    pub step: usize,
    /// Why it comes before the next one.
    pub next: Word<Because>,
    /// Whether it happens before the next one in C11, too.
    pub happens_before: bool,
}

/// A data race.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Race {
    /// The accesses.
    pub accesses: [RaceAccess; 2],
    /// The steps of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Steps<'static>>,
    /// Why the run is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An access that races.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceAccess {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The thread.
    pub thread: String,
    /// Its number in the trace.
    pub step: usize,
}

impl RobustC11Result {
    /// The result of an answer.
    pub fn new(answer: &RobustnessC11<'_>) -> RobustC11Result {
        let (mut reason, mut departure, mut race) = (None, None, None);
        match &answer.found {
            FoundC11::Robust(_) => {}
            FoundC11::Unknown(why) => reason = Some(why.to_string()),
            FoundC11::Departed(departed) => departure = Some(Departure::new(answer, departed)),
            FoundC11::Raced(raced) => race = Some(Race::new(answer, raced)),
        }
        RobustC11Result {
            schema: Schema,
            file: answer.file.to_string(),
            model: Word(AnyModel::C11),
            release_sequences: Word(answer.sequences),
            verdict: Word(answer.verdict()),
            scope: match &answer.found {
                FoundC11::Robust(scope) => Some(ScopeResult(*scope)),
                FoundC11::Departed(_) | FoundC11::Raced(_) => Some(ScopeResult(Scope::Complete)),
                FoundC11::Unknown(_) => None,
            },
            reason,
            notes: answer.note().into_iter().collect(),
            seconds: Seconds::rounded(answer.seconds),
            stats: answer.stats.into(),
            departure,
            race,
        }
    }
}

impl Departure {
    fn new(answer: &RobustnessC11<'_>, departed: &Departed) -> Departure {
        let replay = &departed.replay;
        let step = |link: &Link| PathStep {
            step: shown(replay, link.step),
            next: Word(link.because),
            happens_before: link.ordered,
        };
        let (trace, notes) = listed(answer.program, replay, &answer.telling);
        Departure {
            thread: departed.thread.clone(),
            access: SourceLine::new(&answer.program.sources, departed.access),
            does: Word(departed.what),
            cell: replay.last.cells_name(answer.program, departed.loc, 1),
            value: departed.value,
            older: departed.older.map(|step| shown(replay, step)),
            path: departed.path.iter().map(step).collect(),
            trace,
            notes,
        }
    }
}

impl Race {
    fn new(answer: &RobustnessC11<'_>, raced: &Raced) -> Race {
        let access = |step: usize| {
            let replayed = &raced.replay.steps[step];
            let SourceLine { file, line } = SourceLine::new(&answer.program.sources, replayed.event.span);
            RaceAccess { file, line, thread: replayed.thread.clone(), step: shown(&raced.replay, step) }
        };
        let (trace, notes) = listed(answer.program, &raced.replay, &answer.telling);
        Race { accesses: [access(raced.first), access(raced.second)], trace, notes }
    }
}
