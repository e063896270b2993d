//! What is shown of a run, row by row: the steps that concern somebody. A store that reaches memory before
//! anything else happens is one row with its flush.

use crate::text::Detail;
use crate::timeline::Timeline;
use crate::words::describe;
use fencepost_certify::{Replay, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::Program;
use fencepost_memory::EventKind;
use fencepost_task::{Budget, Stop};
use std::ops::Range;

/// A row. Steps are numbered from 0.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its step; the first, if it stands for a store and its flush.
    pub step: usize,
    /// Its last step.
    pub last: usize,
    /// The thread.
    pub thread: usize,
    /// Its place in the source.
    pub span: Span,
    /// What it is.
    pub kind: EventKind,
    /// In a few words.
    pub words: String,
    /// Whether it is a store that reaches memory at once.
    pub at_once: bool,
    /// The stores of its thread that it got ahead of.
    pub passes: Vec<usize>,
    /// The first step that got ahead of it.
    pub overtaken_by: Option<usize>,
    /// Of a flush, the newer write of another thread that it writes over.
    pub overwrites: Option<usize>,
    /// The waiting stores of other threads that it did not see.
    pub misses: Vec<usize>,
}

impl Row {
    /// Whether SC has no such thing.
    pub fn is_weak(&self) -> bool {
        !self.passes.is_empty()
            || self.overtaken_by.is_some()
            || !self.misses.is_empty()
            || self.overwrites.is_some()
    }
}

/// Of a run with more steps than this, the first and the last ones are shown.
const MOST_STEPS: usize = 2_000;
const FIRST_STEPS: usize = 200;

/// The steps of a long run that have no rows.
pub fn left_out(replay: &Replay) -> Range<usize> {
    match replay.steps.len() {
        n if n > MOST_STEPS => FIRST_STEPS..n - (MOST_STEPS - FIRST_STEPS),
        _ => 0..0,
    }
}

/// The rows of a run, but for what is [`left_out`].
pub fn rows(
    program: &Program,
    replay: &Replay,
    line: &Timeline,
    detail: Detail,
    budget: &Budget,
) -> Result<Vec<Row>, Stop> {
    let program = &*replay.instance(program);
    let mut rows = Vec::new();
    let states = States::new(program, replay, budget);
    let left_out = left_out(replay);
    for (i, step) in replay.steps.iter().enumerate().filter(|(i, _)| !left_out.contains(i)) {
        if line.issued[i].is_some_and(|store| line.is_at_once(store)) {
            continue;
        }
        let Some(words) = describe(program, replay, &*states.at(i)?, step, detail) else { continue };
        let at_once = line.is_at_once(i);
        let last = if at_once { i + 1 } else { i };
        rows.push(Row {
            step: i,
            last,
            thread: step.step.thread as usize,
            span: step.event.span,
            kind: step.event.kind,
            words,
            at_once,
            passes: line.passes[last].clone(),
            overtaken_by: line.overtaken_by[i],
            overwrites: line.overwrites[last],
            misses: line.misses[i].clone(),
        });
    }
    Ok(rows)
}
