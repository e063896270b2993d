//! Where in the source a violation is: the place that breaks, and the places that have to do with it.

use crate::timeline::Timeline;
use crate::words::buffer;
use fencepost_certify::{Replay, States};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Program, Property};
use fencepost_memory::State;
use fencepost_task::{Budget, Stop, Violation};
use std::collections::HashSet;

/// A place, and what is there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Spot {
    /// Where.
    pub span: Span,
    /// The procedure it is in, if it does.
    pub function: Option<String>,
    /// In a few words.
    pub what: String,
}

/// The place that breaks. It has a line, unless the program has none at all.
pub fn broken(program: &Program, replay: &Replay, budget: &Budget) -> Spot {
    let spot = match replay.violation {
        Violation::Property(i) => {
            let (Property::Forbid { span, .. } | Property::Final { span, .. }) = program.properties[i];
            Spot { span, function: None, what: replay.property(program) }
        }
        Violation::Failure(failure) if failure.is_of_state() => {
            let waiting = standing(program, replay);
            let first = waiting.into_iter().find(|spot| spot.span.is_some());
            let spot = first.unwrap_or_else(|| last_step(program, replay, budget));
            Spot { what: failure.to_string(), ..spot }
        }
        Violation::Failure(failure) => {
            Spot { what: failure.to_string(), ..last_step(program, replay, budget) }
        }
    };
    match spot.span.is_some() {
        true => spot,
        // Better a thread's beginning than nothing.
        false => Spot { span: somewhere(program), ..spot },
    }
}

/// A line of a program, for what speaks of all of it.
pub fn somewhere(program: &Program) -> Span {
    let found = program.threads.iter().map(|t| t.span).find(|span| span.is_some());
    found.unwrap_or(Span { line: 1, column: 1, ..Span::NONE })
}

fn last_step(program: &Program, replay: &Replay, budget: &Budget) -> Spot {
    let program = &*replay.instance(program);
    let at = replay.steps.iter().rposition(|step| step.event.span.is_some());
    match at {
        Some(at) => Spot {
            span: replay.steps[at].event.span,
            // Where there is no time to find out, it has no name.
            function: function(program, replay, &States::new(program, replay, budget), at).ok(),
            what: String::new(),
        },
        None => Spot { span: Span::NONE, function: None, what: String::new() },
    }
}

/// The procedure that a step belongs to.
pub fn function(
    program: &Program,
    replay: &Replay,
    states: &States<'_>,
    step: usize,
) -> Result<String, Stop> {
    let procedure = states.at(step)?.threads[replay.steps[step].step.thread as usize].top().procedure;
    Ok(program.procedure(procedure).name.clone())
}

/// Where each thread that has not ended is at the end of a run.
pub fn standing(program: &Program, replay: &Replay) -> Vec<Spot> {
    let threads = replay.threads.iter().zip(&replay.last.threads).filter(|(_, t)| !t.ended);
    let spots = threads.filter_map(|(name, thread)| {
        let top = thread.top();
        let procedure = program.procedure(top.procedure);
        let (_, edge) = procedure.out(top.node).next()?;
        let what = format!("{name} is here");
        edge.span.is_some().then(|| Spot { span: edge.span, function: Some(procedure.name.clone()), what })
    });
    spots.collect()
}

/// Of more steps that got ahead of stores, the last are named: those nearest to the violation.
const MOST_PASSES: usize = 64;

/// What else has to do with a violation: stores that were overtaken with what got ahead of them; where the other
/// threads are, if it is they that are wrong together.
pub fn related(
    program: &Program,
    replay: &Replay,
    line: &Timeline,
    budget: &Budget,
) -> Result<Vec<Spot>, Stop> {
    let program = &*replay.instance(program);
    let mut spots = Vec::new();
    let states = States::new(program, replay, budget);
    let passing: Vec<usize> = (0..line.passes.len()).filter(|step| !line.passes[*step].is_empty()).collect();
    for &step in &passing[passing.len().saturating_sub(MOST_PASSES)..] {
        for &store in &line.passes[step] {
            let over = describe_store(program, &*states.at(store + 1)?, replay, store);
            let spot = |at: usize, what: String| -> Result<Spot, Stop> {
                let function = Some(function(program, replay, &states, at)?);
                Ok(Spot { span: replay.steps[at].event.span, function, what })
            };
            // A flush is where its store is.
            let by = line.issued[step].unwrap_or(step);
            let thread = &replay.steps[store].thread;
            spots.push(spot(store, format!("{thread}: {over} is overtaken here"))?);
            spots.push(spot(by, format!("{thread}: this gets ahead of {over}"))?);
        }
    }
    let together = match replay.violation {
        Violation::Failure(error) => error.is_of_state(),
        Violation::Property(i) => matches!(program.properties[i], Property::Forbid { .. }),
    };
    if together {
        spots.extend(standing(program, replay));
    }
    spots.retain(|spot| spot.span.is_some());
    let mut seen = HashSet::new();
    spots.retain(|spot| seen.insert(spot.clone()));
    Ok(spots)
}

/// A store in a few words, as in `the store x=1`.
fn describe_store(program: &Program, after: &State, replay: &Replay, store: usize) -> String {
    let thread = replay.steps[store].step.thread as usize;
    let entry = after.threads.get(thread).and_then(|t| t.buffer.last());
    entry.map_or("the store".to_string(), |e| format!("the store {}", buffer(program, after, &[*e])))
}
