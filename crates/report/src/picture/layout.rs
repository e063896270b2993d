//! Where everything goes: lanes, rows, and a track for each store that waits at the same time as another.

use super::Form;
use crate::rows::Row;
use crate::timeline::Timeline;
use fencepost_certify::Replay;
use fencepost_memory::EventKind;
use std::collections::HashMap;

/// Sizes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Height of a row.
    pub row: f64,
    /// Height of a step.
    pub chip_height: f64,
    /// Width of a character.
    pub character: f64,
    /// Width of a small character.
    pub small: f64,
    /// What is left of the lanes.
    pub gutter: f64,
    /// Between lanes.
    pub gap: f64,
    /// From bar to bar.
    pub track: f64,
    /// Width of a bar.
    pub bar: f64,
    /// Least distance from a step to memory.
    pub reach: f64,
    /// Most characters of a step.
    pub characters: usize,
    /// Whether there is room for small words everywhere.
    pub captions: bool,
    two_lines: bool,
}

const WIDE: Sizes = Sizes {
    row: 36.0,
    chip_height: 26.0,
    character: 7.9,
    small: 6.5,
    gutter: 52.0,
    gap: 46.0,
    track: 22.0,
    bar: 15.0,
    reach: 60.0,
    characters: 36,
    captions: true,
    two_lines: false,
};

const NARROW: Sizes = Sizes {
    row: 44.0,
    chip_height: 36.0,
    character: 7.25,
    small: 6.2,
    gutter: 34.0,
    gap: 16.0,
    track: 17.0,
    bar: 13.0,
    reach: 34.0,
    characters: 14,
    captions: false,
    two_lines: true,
};

impl Sizes {
    /// What is on a step: one line, or two.
    pub fn label(&self, row: &Row) -> (String, Option<String>) {
        if !self.two_lines {
            return (row.words.clone(), None);
        }
        let words = match (row.kind, row.words.split_once(" = load ")) {
            (EventKind::Load, Some((_, rest))) => format!("load {rest}"),
            _ => row.words.clone(),
        };
        match words.split_once(' ') {
            Some((first, rest)) => (first.to_string(), Some(rest.to_string())),
            None => (words, None),
        }
    }
}

/// A thread's part of the drawing.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The thread's number.
    pub thread: usize,
    /// Where its steps begin.
    pub left: f64,
    /// Width of its steps.
    pub chip: f64,
    /// Where its first bar is.
    pub buffer: f64,
    /// Bars beside each other.
    pub tracks: usize,
    /// Where memory is.
    pub edge: f64,
}

/// A store that waits.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Its step.
    pub store: usize,
    /// The place of its lane in the list.
    pub lane: usize,
    /// Its middle.
    pub x: f64,
    /// The row where it is issued.
    pub from: usize,
    /// The row where it is flushed.
    pub until: Option<usize>,
    track: usize,
}

/// Where everything goes.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Sizes.
    pub form: Sizes,
    /// Threads that do something.
    pub lanes: Vec<Lane>,
    /// Stores that wait.
    pub bars: Vec<Bar>,
    /// Where the rows begin.
    pub top: f64,
    /// Width of all.
    pub width: f64,
    rows: usize,
}

impl Layout {
    /// Finds places for a run's rows.
    pub fn new(replay: &Replay, line: &Timeline, rows: &[Row], form: Form, has_title: bool) -> Layout {
        let sizes = if form == Form::Wide { WIDE } else { NARROW };
        let threads: Vec<usize> =
            (0..replay.threads.len()).filter(|t| rows.iter().any(|r| r.thread == *t)).collect();
        let mut bars = bars(line, rows, &threads, replay.model != fencepost_task::Model::Sc);
        let mut left = sizes.gutter;
        let mut lanes = Vec::new();
        for (place, &thread) in threads.iter().enumerate() {
            let tracks = bars.iter().filter(|b| b.lane == place).map(|b| b.track + 1).max().unwrap_or(0);
            let longest = rows
                .iter()
                .filter(|r| r.thread == thread)
                .map(|r| {
                    let (first, second) = sizes.label(r);
                    first.chars().count().max(second.map_or(0, |s| s.chars().count()))
                })
                .max()
                .unwrap_or(0);
            let chip = 14.0 + sizes.character * longest.clamp(8, sizes.characters) as f64;
            let buffer = left + chip + sizes.track * 0.5;
            let captions = if sizes.captions && tracks > 0 { 44.0 } else { 0.0 };
            let edge = (buffer + sizes.track * tracks as f64 + 4.0).max(left + chip + sizes.reach + captions);
            lanes.push(Lane { thread, left, chip, buffer, tracks, edge });
            left = edge + sizes.gap;
        }
        for bar in &mut bars {
            let lane = &lanes[bar.lane];
            // In the middle between step and memory, where there is room.
            let room = lane.edge - lane.buffer - sizes.track * lane.tracks as f64;
            bar.x = lane.buffer + room * 0.4 + sizes.track * (bar.track as f64 + 0.5) - 2.0;
        }
        let title = if has_title { 26.0 } else { 0.0 };
        let least = if form == Form::Wide { 420.0 } else { 330.0 };
        let width = lanes.last().map_or(0.0, |l| l.edge + 14.0).max(least);
        Layout { form: sizes, lanes, bars, top: 52.0 + title, width, rows: rows.len() }
    }

    /// The middle of a row.
    pub fn y(&self, row: usize) -> f64 {
        self.top + self.form.row * (row as f64 + 0.5)
    }

    /// Where the rows end.
    pub fn bottom(&self) -> f64 {
        self.top + self.form.row * self.rows as f64
    }

    /// The lane of a thread.
    pub fn lane(&self, thread: usize) -> Option<&Lane> {
        self.lanes.iter().find(|l| l.thread == thread)
    }
}

/// The stores that wait, each in the first track of its lane that is free.
fn bars(line: &Timeline, rows: &[Row], threads: &[usize], buffers: bool) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    // For each lane and track the row up to which it is taken; `None` is the end.
    let mut taken: Vec<Vec<Option<usize>>> = vec![Vec::new(); threads.len()];
    let rows_of: HashMap<usize, usize> = rows.iter().enumerate().map(|(i, row)| (row.step, i)).collect();
    for (from, row) in rows.iter().enumerate() {
        if row.kind != EventKind::Store || row.at_once || !buffers {
            continue;
        }
        // A failing store is not in the buffer: nothing comes after it.
        let Some(lane) = threads.iter().position(|t| *t == row.thread) else { continue };
        let until = line.flushed[row.step].and_then(|flush| rows_of.get(&flush).copied());
        let tracks = &mut taken[lane];
        let free = tracks.iter().position(|end| end.is_some_and(|end| end < from));
        let track = free.unwrap_or_else(|| {
            tracks.push(None);
            tracks.len() - 1
        });
        tracks[track] = until;
        bars.push(Bar { store: row.step, lane, x: 0.0, from, until, track });
    }
    bars
}
