//! The steps of a run in words, with what got ahead of what: for readers that show a step at a time.

use crate::rows::{Row, rows};
use crate::spots::function;
use crate::text::Detail;
use crate::timeline::{Timeline, timeline};
use fencepost_certify::{Replay, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::Program;
use fencepost_memory::EventKind;
use fencepost_task::{Budget, Model, Stop};

/// A step of a run.
#[derive(Clone, Debug)]
pub struct ToldStep {
    /// Its number in the run, from 1.
    pub number: usize,
    /// What is shown of it.
    pub row: Row,
    /// Where it is; a flush is where its store is.
    pub span: Span,
    /// The procedure it belongs to.
    pub function: String,
    /// Who does what, and what that overtakes.
    pub words: String,
}

/// The steps of a run that concern somebody.
pub fn told(program: &Program, replay: &Replay, budget: &Budget) -> Result<Vec<ToldStep>, Stop> {
    let program = &*replay.instance(program);
    let line = timeline(replay, budget)?;
    let rows = rows(program, replay, &line, Detail::Steps, budget)?;
    let states = States::new(program, replay, budget);
    rows.into_iter().map(|row| step(program, replay, &states, &line, row)).collect()
}

fn step(
    program: &Program,
    replay: &Replay,
    states: &States<'_>,
    line: &Timeline,
    row: Row,
) -> Result<ToldStep, Stop> {
    let at = line.issued[row.step].unwrap_or(row.step);
    Ok(ToldStep {
        number: row.step + 1,
        span: replay.steps[at].event.span,
        function: function(program, replay, states, at)?,
        words: words(replay, &row),
        row,
    })
}

fn words(replay: &Replay, row: &Row) -> String {
    let mut text = format!("{}: {}", replay.threads[row.thread], row.words);
    if row.kind == EventKind::Store && replay.model != Model::Sc {
        text += match row.at_once {
            true => ", which reaches memory at once",
            false => ", which waits in the store buffer",
        };
    }
    let number = |steps: &[usize]| {
        let steps: Vec<_> = steps.iter().map(|s| (s + 1).to_string()).collect();
        let plural = if steps.len() == 1 { "step" } else { "steps" };
        format!("{plural} {}", steps.join(", "))
    };
    if !row.passes.is_empty() {
        text += &format!("; overtakes the own store of {}", number(&row.passes));
    }
    if let Some(by) = row.overtaken_by {
        text += &format!("; overtaken by {}", number(&[by]));
    }
    if !row.misses.is_empty() {
        text += &format!("; does not see the waiting store of {}", number(&row.misses));
    }
    if let Some(newer) = row.overwrites {
        text += &format!("; writes over the newer value of {}", number(&[newer]));
    }
    text
}
