//! The steps of a run. Those that are written are made while they are written: a run may have very many.

use super::word::{Vocabulary, Word};
use super::{CheckResult, Integer};
use crate::ResultKind;
use fencepost_certify::{Claim, Replay, States};
use fencepost_ir::cfg::Program;
use fencepost_memory::EventKind;
use fencepost_task::{Action, AnyModel, Budget, Stop};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, SerializeSeq, Serializer};

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// Its number, from 1. Initial values come first.
    pub step: usize,
    /// The thread; none for an initial value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What happens.
    pub kind: Word<StepKind>,
    /// The cell, or cells, that it touches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loc: Option<String>,
    /// The value that is read, written or chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Integer>,
    /// The value that a read-modify-write reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Integer>,
    /// The source file, where the step has a place in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The number of the instruction in the thread's control-flow graph; none for a flush.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<u32>,
    /// Under C11, where the step is one that SC does not have: the value of the older write that it reads, or comes after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<i64>,
}

/// What a step does: the initial value of a cell (`init`), or the kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// An initial value.
    Init,
    /// An event.
    Event(EventKind),
}

impl Vocabulary for StepKind {
    const WHAT: &'static str = "kind of step";

    fn all() -> Vec<StepKind> {
        std::iter::once(StepKind::Init).chain(EventKind::ALL.into_iter().map(StepKind::Event)).collect()
    }

    fn word(self) -> &'static str {
        match self {
            StepKind::Init => "init",
            StepKind::Event(kind) => kind.name(),
        }
    }
}

/// The steps of a run: read, or of a replayed run that is gone through when they are written.
#[derive(Clone, Debug)]
pub enum Steps<'a> {
    /// In memory.
    Listed(Vec<Step>),
    /// Of a run of a program. Where the budget ends first, writing fails.
    Replayed(&'a Program, &'a Replay, &'a Budget),
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Steps::Listed(steps) => steps.serialize(serializer),
            Steps::Replayed(program, replay, budget) => {
                let mut list = serializer.serialize_seq(Some(replay.init.len() + replay.steps.len()))?;
                let mut failed = None;
                let walked = walk(program, replay, budget, &mut |step| match list.serialize_element(&step) {
                    Ok(()) => Ok(()),
                    Err(error) => {
                        failed = Some(error);
                        Err(Stop::Cancelled)
                    }
                });
                match (failed, walked) {
                    (Some(error), _) => Err(error),
                    (None, Err(_)) => Err(S::Error::custom("a limit was reached")),
                    (None, Ok(())) => list.end(),
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Steps<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Steps::Listed)
    }
}

/// The steps of a replayed run.
pub fn steps(program: &Program, replay: &Replay, budget: &Budget) -> Result<Steps<'static>, Stop> {
    let mut steps = Vec::new();
    walk(program, replay, budget, &mut |step| {
        steps.push(step);
        Ok(())
    })?;
    Ok(Steps::Listed(steps))
}

/// Hands out the steps of a replayed run, one by one.
fn walk(
    program: &Program,
    replay: &Replay,
    budget: &Budget,
    see: &mut dyn FnMut(Step) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let program = &*replay.instance(program);
    for (number, (loc, value)) in replay.init.iter().enumerate() {
        let ty = replay.first().cell_type(program, *loc);
        see(Step {
            step: number + 1,
            thread: None,
            kind: Word(StepKind::Init),
            loc: program.cell_name(*loc),
            value: Some(Integer(ty.meaning(*value))),
            old: None,
            file: None,
            line: None,
            edge: None,
            older: None,
        })?;
    }
    let states = States::new(program, replay, budget);
    for (number, step) in replay.steps.iter().enumerate() {
        let before = states.at(number)?;
        let event = &step.event;
        let meaning = |value| Integer(step.value_type.meaning(value));
        let placed = event.span.is_some();
        see(Step {
            step: replay.init.len() + number + 1,
            thread: Some(step.thread.clone()),
            kind: Word(StepKind::Event(event.kind)),
            loc: event.loc.map(|loc| before.cells_name(program, loc, event.cells)),
            value: event.value.map(meaning),
            old: event.old.map(meaning),
            file: placed.then(|| program.sources.name(event.span.file).to_string()),
            line: placed.then_some(event.span.line),
            edge: match step.step.action {
                Action::Edge(edge, _) | Action::Older(edge, _) => Some(edge.0),
                Action::Flush(_) | Action::Propagate(_) | Action::Delete => None,
            },
            older: match step.step.action {
                Action::Older(_, value) => Some(value),
                Action::Edge(..) | Action::Flush(_) | Action::Propagate(_) | Action::Delete => None,
            },
        })?;
    }
    Ok(())
}

/// A saved run: its model, the property it claims to violate, and what it says of each step.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// The memory model.
    pub model: AnyModel,
    /// The property.
    pub property: Option<String>,
    /// Whether it claims to be a shortest one.
    pub shortest: bool,
    /// For a program with any number of threads, how many of each start.
    pub instances: Vec<u32>,
    /// Initial values by name.
    pub init: Vec<(String, i128)>,
    /// Steps.
    pub claims: Vec<Claim>,
}

/// Why a text is no saved run.
#[derive(Debug, thiserror::Error)]
pub enum NotARun {
    /// It is no result of `check`.
    #[error("not a saved run: {0}")]
    Other(#[from] serde_json::Error),
    /// It is one without a run.
    #[error("no run: the verdict is `{0}`")]
    NoTrace(ResultKind),
    /// A step lacks something.
    #[error("step {0}: no key `{1}`")]
    Incomplete(usize, &'static str),
}

/// Reads a run that `check` saved or printed.
pub fn read_run(text: &str) -> Result<SavedRun, NotARun> {
    let result: CheckResult<'_> = serde_json::from_str(text)?;
    let Some(Steps::Listed(steps)) = result.trace else { return Err(NotARun::NoTrace(result.verdict.0)) };
    let violation = result.violation;
    let mut run = SavedRun {
        model: result.model.0,
        property: result.property,
        shortest: violation.as_ref().is_some_and(|violation| violation.shortest),
        instances: violation.map_or_else(Vec::new, |violation| violation.instances),
        init: Vec::new(),
        claims: Vec::new(),
    };
    for (number, step) in steps.into_iter().enumerate() {
        let lacks = |key| NotARun::Incomplete(number + 1, key);
        let value = step.value.map(|value| value.0);
        match step.kind.0 {
            StepKind::Init => {
                run.init.push((step.loc.ok_or(lacks("loc"))?, value.ok_or(lacks("value"))?));
            }
            StepKind::Event(kind) => run.claims.push(Claim {
                thread: step.thread.ok_or(lacks("thread"))?,
                kind,
                edge: step.edge,
                loc: step.loc,
                value,
                line: step.line,
                older: step.older,
            }),
        }
    }
    Ok(run)
}
