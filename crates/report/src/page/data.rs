//! What the script needs of a run: for each row its words, and what it changed in memory, in the buffers, and
//! of the places of threads. The first entry is everything at the beginning.

use crate::explain::{RunFiles, place};
use crate::results::line;
use crate::rows::Row;
use crate::words::buffer_entries;
use fencepost_certify::{Replay, States};
use fencepost_ir::FileId;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::State;
use fencepost_task::{Budget, Pace, Stop};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;

/// More cells than these are not listed.
const MOST_CELLS: usize = 400;

/// What the script needs.
pub struct Data {
    /// For the script.
    pub json: String,
    /// The files that the run goes through.
    pub files: Vec<FileId>,
    /// Each row in words.
    pub sentences: Vec<String>,
}

/// What a reader looks at in a state.
#[derive(Default, PartialEq)]
struct View {
    memory: Vec<String>,
    buffers: Vec<Vec<String>>,
    places: Vec<Option<(u32, u32)>>,
}

/// Collects it.
pub fn data(program: &Program, replay: &Replay, rows: &[Row], budget: &Budget) -> Result<Data, Stop> {
    let program = &*replay.instance(program);
    let mut cells: Vec<Loc> = replay.steps.iter().flat_map(|s| s.event.locs()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.truncate(MOST_CELLS);
    let names: Vec<String> = cells.iter().map(|loc| replay.last.cell_name(program, *loc)).collect();
    let states = States::new(program, replay, budget);
    let mut pace = Pace::new(budget);
    let mut before = View::default();
    let mut changes = Vec::new();
    for number in std::iter::once(0).chain(rows.iter().map(|row| row.last + 1)) {
        pace.work((replay.threads.len() + cells.len()) as u64, || 0)?;
        let view = view(program, replay, &cells, &*states.at(number)?);
        changes.push(difference(&before, &view));
        before = view;
    }
    let mut files: Vec<FileId> =
        replay.steps.iter().map(|s| s.event.span).filter(|s| s.is_some()).map(|s| s.file).collect();
    files.sort_unstable();
    files.dedup();
    let told =
        Sentences { program, replay, states, files: RunFiles::new(replay), stores: RefCell::default() };
    let sentences: Vec<String> = rows.iter().map(|row| told.sentence(row)).collect::<Result<_, _>>()?;
    let rows = rows.iter().zip(&sentences).map(|(row, text)| RowData { thread: row.thread, text }).collect();
    let json = line(&PageData { threads: &replay.threads, cells: names, rows, changes });
    Ok(Data { json, files, sentences })
}

/// Rows in words.
struct Sentences<'a> {
    program: &'a Program,
    replay: &'a Replay,
    states: States<'a>,
    files: RunFiles,
    /// Stores that were named before: many rows have to do with one.
    stores: RefCell<HashMap<usize, String>>,
}

impl Sentences<'_> {
    /// A row in words, with what it got ahead of.
    fn sentence(&self, row: &Row) -> Result<String, Stop> {
        let replay = self.replay;
        let mut text = format!("{}: {}", replay.threads[row.thread], row.words);
        if row.span.is_some() {
            text += &place(self.program, self.files, row.span).replacen(" at ", ", ", 1);
        }
        if row.at_once {
            text += "; it is in memory at once";
        } else if row.kind == fencepost_memory::EventKind::Store && replay.model != fencepost_task::Model::Sc
        {
            text += "; it waits in the buffer";
        }
        if let Some(store) = row.passes.first() {
            text += &format!("; it overtakes {}", self.stored(*store)?);
        }
        if let Some(newer) = row.overwrites {
            text += &format!("; it writes over {}, which is newer", self.stored(newer)?);
        }
        if let Some(store) = row.misses.last() {
            let name = &replay.steps[*store].thread;
            text += &format!("; it does not see {}, which waits for {name}", self.stored(*store)?);
        }
        Ok(text)
    }

    /// The cell and the value of a store.
    fn stored(&self, step: usize) -> Result<String, Stop> {
        if let Some(known) = self.stores.borrow().get(&step) {
            return Ok(known.clone());
        }
        let done = &self.replay.steps[step];
        let shown = match (done.event.loc, done.event.value) {
            (Some(loc), Some(value)) => {
                let before = self.states.at(step)?;
                let name = before.cells_name(self.program, loc, done.event.cells);
                format!("{name}={}", before.show_value(self.program, done.value_type, value))
            }
            _ => String::new(),
        };
        self.stores.borrow_mut().insert(step, shown.clone());
        Ok(shown)
    }
}

fn view(program: &Program, replay: &Replay, cells: &[Loc], state: &State) -> View {
    let value = |loc: &Loc| {
        let exists = loc.as_element().is_none_or(|(object, _)| {
            object.index() < program.objects.len() || state.heap_object(object).is_some()
        });
        match exists {
            true => state.show_value(program, state.cell_type(program, *loc), state.read(*loc)),
            false => "–".to_string(),
        }
    };
    let buffers = (0..replay.threads.len())
        .map(|t| state.threads.get(t).map_or_else(Vec::new, |t| buffer_entries(program, state, &t.buffer)))
        .collect();
    let places = (0..replay.threads.len())
        .map(|t| {
            let thread = state.threads.get(t).filter(|t| !t.ended)?;
            // Frames of code that the user did not write have no place: the caller's counts.
            thread.frames.iter().rev().find_map(|frame| {
                let procedure = program.procedure(frame.procedure);
                let span = procedure.out(frame.node).map(|(_, e)| e.span).find(|s| s.is_some())?;
                Some((span.file.0, span.line))
            })
        })
        .collect();
    View { memory: cells.iter().map(value).collect(), buffers, places }
}

fn difference(before: &View, after: &View) -> Change {
    let memory = after.memory.iter().enumerate().filter(|(i, v)| before.memory.get(*i) != Some(v));
    let buffers = after.buffers.iter().enumerate();
    let buffers = buffers.filter(|(i, b)| before.buffers.get(*i).map_or(!b.is_empty(), |old| old != *b));
    let places = after.places.iter().enumerate().filter(|(i, p)| before.places.get(*i) != Some(p));
    Change {
        memory: memory.map(|(i, value)| (i, value.clone())).collect(),
        buffers: buffers.map(|(i, buffer)| (i, buffer.clone())).collect(),
        places: places
            .map(|(i, place)| (i, place.map(|(file, _)| file), place.map(|(_, line)| line)))
            .collect(),
    }
}

/// What the script of a page reads.
#[derive(Serialize)]
struct PageData<'a> {
    threads: &'a [String],
    cells: Vec<String>,
    rows: Vec<RowData<'a>>,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct RowData<'a> {
    thread: usize,
    text: &'a str,
}

/// What a row changes: of cells, buffers and places the number and what is there now.
#[derive(Serialize)]
struct Change {
    memory: Vec<(usize, String)>,
    buffers: Vec<(usize, Vec<String>)>,
    places: Vec<(usize, Option<u32>, Option<u32>)>,
}
