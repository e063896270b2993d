//! Runs as code flows: one thread flow for each thread that does something, with the steps of the run in it. The order
//! of steps across threads is `executionOrder`, the number of the step in the run.

use super::location::Artifacts;
use crate::rows::{Row, rows};
use crate::spots::{Spot, function};
use crate::text::Detail;
use crate::timeline::{Timeline, timeline};
use crate::words::buffer;
use fencepost_certify::Replay;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{EventKind, State};
use serde_json::{Map, Value, json};

/// The code flow of a run; `None` if it has no step to show.
pub fn code_flow(artifacts: &mut Artifacts, program: &Program, replay: &Replay, what: &str) -> Option<Value> {
    let line = timeline(replay);
    let rows = rows(program, replay, &line, Detail::Steps);
    let mut flow = Flow { artifacts, program, replay, line: &line, cells: cells(replay) };
    let mut threads = Vec::new();
    for (thread, name) in replay.threads.iter().enumerate() {
        let steps: Vec<Value> =
            rows.iter().filter(|row| row.thread == thread).map(|row| flow.step(row)).collect();
        if !steps.is_empty() {
            threads.push(json!({
                "id": name,
                "message": {"text": format!("thread {name}")},
                "initialState": flow.memory(&replay.states[0]),
                "locations": steps,
            }));
        }
    }
    (!threads.is_empty()).then(|| json!({"message": {"text": what}, "threadFlows": threads}))
}

/// The cells that a run touches, in the order of their numbers.
fn cells(replay: &Replay) -> Vec<Loc> {
    let mut cells: Vec<Loc> = replay.steps.iter().filter_map(|step| step.event.loc).collect();
    cells.sort();
    cells.dedup();
    cells
}

struct Flow<'a> {
    artifacts: &'a mut Artifacts,
    program: &'a Program,
    replay: &'a Replay,
    line: &'a Timeline,
    cells: Vec<Loc>,
}

impl Flow<'_> {
    fn step(&mut self, row: &Row) -> Value {
        // A flush stands where its store does.
        let at = self.line.issued[row.step].unwrap_or(row.step);
        let span = self.replay.steps[at].event.span;
        let what = self.words(row);
        let mut location = match span.is_some() {
            true => {
                let function = Some(function(self.program, self.replay, at));
                self.artifacts.location(&self.program.sources, &Spot { span, function, what })
            }
            false => json!({"message": {"text": what}}),
        };
        if row.kind == EventKind::Flush && span.is_some() {
            // Nothing of the source is executed there.
            location["physicalLocation"]["region"]["message"] =
                json!({"text": "the store that reaches memory now"});
        }
        let after = row.state_after(self.replay);
        let mut state = self.memory(after);
        let thread = &after.threads[row.thread];
        if self.replay.model != fencepost_task::Model::Sc {
            let waiting = buffer(self.program, after, &thread.buffer);
            state.insert(
                "store buffer".into(),
                json!({"text": if waiting.is_empty() { "empty" } else { &waiting }}),
            );
        }
        let importance = if row.is_weak() { "essential" } else { "important" };
        json!({
            "executionOrder": row.step + 1,
            "kinds": kinds(row.kind),
            "importance": importance,
            "nestingLevel": thread.frames.len().saturating_sub(1),
            "location": location,
            "state": state,
        })
    }

    /// What a step does, and what got ahead of what.
    fn words(&self, row: &Row) -> String {
        let mut text = format!("{}: {}", self.replay.threads[row.thread], row.words);
        if row.kind == EventKind::Store && self.replay.model != fencepost_task::Model::Sc {
            text += if row.at_once {
                ", which reaches memory at once"
            } else {
                ", which waits in the store buffer"
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

    /// What the cells of the run hold.
    fn memory(&self, state: &State) -> Map<String, Value> {
        let mut map = Map::new();
        for loc in &self.cells {
            // Allocated later, or freed.
            let exists = loc
                .as_element()
                .is_none_or(|(object, _)| object.0 < state.first_heap || state.heap_object(object).is_some());
            if exists {
                let ty = state.cell_type(self.program, *loc);
                let value = state.show_value(self.program, ty, state.read(*loc));
                map.insert(state.cell_name(self.program, *loc), json!({"text": value}));
            }
        }
        map
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
