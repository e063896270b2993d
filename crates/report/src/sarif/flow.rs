//! Runs as code flows: one thread flow for each thread that does something, with the steps of the run in it. The order
//! of steps across threads is `executionOrder`, the number of the step in the run.
//!
//! Each step has the memory after it. Where a run touches many cells, that is those which the step touches itself: all of
//! them at every step would be quadratic.

use super::format::{CodeFlow, FlowStep, SarifLocation, Text, ThreadFlow, Values};
use super::location::Artifacts;
use crate::results::Ordered;
use crate::spots::Spot;
use crate::told::{ToldStep, told};
use crate::words::buffer;
use fencepost_certify::{Replay, States};
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{EventKind, State};
use fencepost_task::{Budget, Pace, Stop};
use std::ops::RangeInclusive;

/// The code flow of a run; `None` if it has no step to show.
pub(super) fn code_flow(
    artifacts: &mut Artifacts,
    program: &Program,
    replay: &Replay,
    what: &str,
    budget: &Budget,
) -> Result<Option<CodeFlow>, Stop> {
    let program = &*replay.instance(program);
    let told = told(program, replay, budget)?;
    let states = States::new(program, replay, budget);
    let mut flow = Flow { artifacts, program, replay, states, cells: cells(replay) };
    let mut threads = Vec::new();
    let mut pace = Pace::new(budget);
    for (thread, name) in replay.threads.iter().enumerate() {
        pace.work(1 + told.len() as u64 / 64, || 0)?;
        let own = told.iter().filter(|step| step.row.thread == thread);
        let steps: Vec<FlowStep> = own.map(|step| flow.step(step)).collect::<Result<_, _>>()?;
        if !steps.is_empty() {
            threads.push(ThreadFlow {
                id: name.clone(),
                message: Text::new(format!("thread {name}")),
                initial_state: flow.memory(replay.first(), None),
                locations: steps,
            });
        }
    }
    Ok((!threads.is_empty()).then(|| CodeFlow { message: Text::new(what), thread_flows: threads }))
}

/// The cells that a run touches, in the order of their numbers.
fn cells(replay: &Replay) -> Vec<Loc> {
    let mut cells: Vec<Loc> = replay.steps.iter().flat_map(|step| step.event.locs()).collect();
    cells.sort();
    cells.dedup();
    cells
}

/// More cells than this are not shown at every step.
const MANY_CELLS: usize = 64;

struct Flow<'a> {
    artifacts: &'a mut Artifacts,
    program: &'a Program,
    replay: &'a Replay,
    states: States<'a>,
    cells: Vec<Loc>,
}

impl Flow<'_> {
    fn step(&mut self, step: &ToldStep) -> Result<FlowStep, Stop> {
        let ToldStep { number, row, span, function, words } = step;
        let (span, what) = (*span, words.clone());
        let mut location = match span.is_some() {
            true => {
                let function = Some(function.clone());
                self.artifacts.location(&self.program.sources, &Spot { span, function, what })
            }
            false => SarifLocation { message: Some(Text::new(what)), ..SarifLocation::default() },
        };
        let region = location.physical_location.as_mut().and_then(|place| place.region.as_mut());
        if let (EventKind::Flush, Some(region)) = (row.kind, region) {
            // Nothing of the source is executed there.
            region.message = Some(Text::new("the store that reaches memory now"));
        }
        let after = self.states.at(row.last + 1)?;
        let mut state = self.memory(&after, Some(row.step..=row.last));
        let thread = &after.threads[row.thread];
        if self.replay.model != fencepost_task::Model::Sc {
            let waiting = buffer(self.program, &after, &thread.buffer);
            let waiting = if waiting.is_empty() { "empty" } else { &waiting };
            state.0.push(("store buffer".to_string(), Text::new(waiting)));
        }
        let importance = if row.is_weak() { "essential" } else { "important" };
        Ok(FlowStep {
            execution_order: *number,
            kinds: kinds(row.kind),
            importance,
            nesting_level: thread.frames.len().saturating_sub(1),
            location,
            state,
        })
    }

    /// What the cells of the run hold; of many, those which these steps touch.
    fn memory(&self, state: &State, steps: Option<RangeInclusive<usize>>) -> Values {
        let mut values: Vec<(String, Text)> = Vec::new();
        let touched: Vec<Loc> = steps.map_or(Vec::new(), |steps| {
            self.replay.steps[steps].iter().filter_map(|step| step.event.loc).collect()
        });
        let shown = if self.cells.len() > MANY_CELLS { &touched } else { &self.cells };
        for loc in shown {
            // Allocated later, or freed.
            let exists = loc
                .as_element()
                .is_none_or(|(object, _)| object.0 < state.first_heap || state.heap_object(object).is_some());
            if exists {
                let ty = state.cell_type(self.program, *loc);
                let value = state.show_value(self.program, ty, state.read(*loc));
                let name = state.cell_name(self.program, *loc);
                // Steps that touch a cell twice name it once.
                values.retain(|(known, _)| *known != name);
                values.push((name, Text::new(value)));
            }
        }
        Ordered(values)
    }
}

/// Words that the standard has for steps.
fn kinds(kind: EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::Load | EventKind::Store | EventKind::Flush | EventKind::Rmw => &["memory"],
        EventKind::Fence | EventKind::Begin | EventKind::AtomicEnd => &["memory", "scope"],
        EventKind::Lock => &["lock", "acquire"],
        EventKind::Unlock => &["lock", "release"],
        EventKind::Spawn | EventKind::Call => &["call", "function"],
        EventKind::Join | EventKind::Return | EventKind::End => &["return", "function"],
        EventKind::Alloc => &["memory", "acquire"],
        EventKind::Free => &["memory", "release"],
        EventKind::Assert => &["value", "danger"],
        EventKind::Local | EventKind::Havoc => &["value"],
        EventKind::Choose => &["branch"],
    }
}
