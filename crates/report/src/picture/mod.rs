//! A run as a drawing: a lane for each thread, time going down, one row for each step.
//!
//! In a lane a thread's steps are on the left, memory is the line on the right, and what waits in the store
//! buffer is between the two, as it is in the machine: a store is a bar from the row of its issue to that of
//! its flush. A load comes from memory and passes under the bars of its own thread's stores, which is
//! how it overtakes them. A load of another thread that would have seen a waiting store is joined to its bar
//! by a broken line. Only one thing happens in a row, so lines that go across meet nothing but bars.
//!
//! The same drawing comes in two forms, for wide screens and for narrow ones. Colours are in a style sheet with
//! literal values, so that programs that know little of CSS show them, too.

mod cactus;
mod cycle;
mod layout;
pub mod svg;

pub use cactus::cactus;
pub use cycle::cycle;

use crate::rows::{Row, rows};
use crate::text::Detail;
use crate::timeline::{Timeline, timeline};
use crate::words::conclusion;
use fencepost_certify::Replay;
use fencepost_ir::cfg::Program;
use fencepost_memory::EventKind;
use fencepost_task::{Budget, Pace, Stop};
use layout::{Bar, Layout};
use std::collections::HashSet;
use std::fmt::Write;
use svg::{Canvas, Toward, cut, escape};

/// The colours of a drawing.
pub const STYLE: &str = include_str!("../../assets/drawing.css");

/// Width of a character of a title.
const TITLE_CHARACTER: f64 = 8.5;

/// For which screens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Wide ones: a line for each step.
    Wide,
    /// Narrow ones: what a step does on one line, with what on the next.
    Narrow,
}

/// What is drawn besides the run.
#[derive(Clone, Copy, Default)]
pub struct Frame<'a> {
    /// A line above it.
    pub title: Option<&'a str>,
    /// What the run ends in; the violation, if nothing is given.
    pub end: Option<&'a str>,
    /// The first step that is not as in the run that it is compared with.
    pub parting: Option<usize>,
    /// Whether what the lines mean is explained below.
    pub legend: bool,
}

/// What drawings of a run show, found out once for all of them.
pub struct Picture<'a> {
    program: &'a Program,
    replay: &'a Replay,
    line: Timeline,
    /// The rows.
    pub rows: Vec<Row>,
    /// Stores that a load of another thread did not see.
    missed: HashSet<usize>,
}

impl<'a> Picture<'a> {
    /// Looks at a run, as long as a budget allows. `program` is what it is a run of, with the instances it takes.
    pub fn new(program: &'a Program, replay: &'a Replay, budget: &Budget) -> Result<Picture<'a>, Stop> {
        let line = timeline(replay, budget)?;
        let mut rows = rows(program, replay, &line, Detail::Steps, budget)?;
        let last = replay.steps.len().checked_sub(1);
        rows.retain(|row| Some(row.last) == last && row.kind != EventKind::End || concerns_others(row.kind));
        let missed = line.misses.iter().flatten().copied().collect();
        Ok(Picture { program, replay, line, rows, missed })
    }
}

/// Whether other threads can be concerned.
fn concerns_others(kind: EventKind) -> bool {
    match kind {
        EventKind::Load
        | EventKind::Store
        | EventKind::Flush
        | EventKind::Rmw
        | EventKind::Fence
        | EventKind::Lock
        | EventKind::Unlock
        | EventKind::Spawn
        | EventKind::Join
        | EventKind::Assert
        | EventKind::Havoc
        | EventKind::Begin
        | EventKind::AtomicEnd
        | EventKind::Alloc
        | EventKind::Free => true,
        EventKind::Local | EventKind::Choose | EventKind::Call | EventKind::Return | EventKind::End => false,
    }
}

impl Picture<'_> {
    /// An SVG element. Standing alone it needs [`document`].
    pub fn drawing(&self, form: Form, frame: Frame<'_>, budget: &Budget) -> Result<String, Stop> {
        let Picture { program, replay, .. } = *self;
        let layout = Layout::new(replay, &self.line, &self.rows, form, frame.title.is_some());
        let mut drawing =
            Drawing { picture: self, layout: &layout, canvas: Canvas::default(), pace: Pace::new(budget) };
        drawing.lanes(frame)?;
        drawing.wires()?;
        drawing.bars()?;
        drawing.chips(frame)?;
        let end = match frame.end {
            Some(end) => end.to_string(),
            None => {
                let conclusion = conclusion(program, replay);
                match conclusion.details.first() {
                    Some(source) => format!("{}\n{source}", conclusion.what),
                    None => conclusion.what,
                }
            }
        };
        let bottom = drawing.below(&end, frame);
        let threads: Vec<&str> = layout.lanes.iter().map(|l| replay.threads[l.thread].as_str()).collect();
        let label = format!(
            "A run of {} steps of {} under {}, one lane for each thread, time going down. It ends so: {end}",
            replay.steps.len(),
            threads.join(", "),
            replay.model.name().to_uppercase()
        );
        let class = if form == Form::Wide { "wide" } else { "narrow" };
        let (width, height) = (layout.width, bottom);
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing {class}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n\
             <rect class=\"ground\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}</svg>\n",
            escape(&label),
            drawing.canvas.finish()
        ))
    }

    /// The names of a drawing's threads as HTML, to be above it and stay in sight while it scrolls.
    pub fn heads(&self, form: Form) -> String {
        let layout = Layout::new(self.replay, &self.line, &self.rows, form, false);
        let class = if form == Form::Wide { "wide" } else { "narrow" };
        let mut out = format!(
            "<div class=\"heads {class}\" aria-hidden=\"true\" style=\"width:{:.0}px\">",
            layout.width
        );
        for lane in &layout.lanes {
            let most = ((lane.edge - lane.left) / layout.form.character) as usize;
            let name = cut(&self.replay.threads[lane.thread], most);
            let _ = write!(out, "<span style=\"left:{:.0}px\">{}</span>", lane.left, escape(&name));
        }
        out + "</div>\n"
    }
}

/// A drawing as a file of its own.
pub fn document(drawing: &str) -> String {
    let styled = drawing.replacen(">\n", &format!(">\n<style>\n{STYLE}</style>\n"), 1);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{styled}")
}

struct Drawing<'a> {
    picture: &'a Picture<'a>,
    layout: &'a Layout,
    canvas: Canvas,
    pace: Pace,
}

impl Drawing<'_> {
    /// What lies below everything: lanes, their names, memory, and a thin line for each row.
    fn lanes(&mut self, frame: Frame<'_>) -> Result<(), Stop> {
        let layout = self.layout;
        if let Some(title) = frame.title {
            let most = ((layout.width - 16.0) / TITLE_CHARACTER) as usize;
            self.canvas.text("title", (8.0, 20.0), &cut(title, most));
        }
        let bottom = layout.bottom();
        for lane in &layout.lanes {
            let width = lane.edge - lane.left + 5.0;
            self.canvas.rect(
                "lane",
                (lane.left - 6.0, layout.top - 8.0),
                (width + 6.0, bottom - layout.top + 12.0),
                6.0,
            );
        }
        for row in 0..self.picture.rows.len() {
            self.pace.work(1, || 0)?;
            let y = layout.y(row) + layout.form.row / 2.0;
            self.canvas.line("hair", (4.0, y), (layout.width - 4.0, y));
        }
        for lane in &layout.lanes {
            let name = &self.picture.replay.threads[lane.thread];
            let most = ((lane.edge - lane.left) / layout.form.character) as usize;
            self.canvas.text("name", (lane.left, layout.top - 32.0), &cut(name, most));
            self.canvas.line("edge", (lane.edge, layout.top - 8.0), (lane.edge, bottom + 4.0));
            self.canvas.text("caption end", (lane.edge, layout.top - 14.0), "memory");
            if lane.tracks > 0 && layout.form.captions {
                self.canvas.text("caption", (lane.buffer - 8.0, layout.top - 14.0), "buffer");
            }
        }
        if layout.form.captions {
            self.canvas.text("caption end", (layout.form.gutter - 12.0, layout.top - 14.0), "line");
        }
        Ok(())
    }

    /// Between steps and memory: what is drawn below the bars.
    fn wires(&mut self) -> Result<(), Stop> {
        let picture = self.picture;
        for (i, row) in picture.rows.iter().enumerate() {
            self.pace.work(1 + (self.layout.bars.len() * (1 + row.misses.len())) as u64 / 64, || 0)?;
            let Some(lane) = self.layout.lane(row.thread) else { continue };
            let (right, edge, y) = (lane.left + lane.chip, lane.edge, self.layout.y(i));
            let (wire, head) = match row.passes.is_empty() {
                true => ("wire", "head"),
                false => ("wire weak", "head weak"),
            };
            self.canvas.open(&format!("data-row=\"{i}\""));
            match row.kind {
                EventKind::Load => match self.picture.line.forwarded[row.step] {
                    Some(store) => {
                        let bar = self.layout.bars.iter().find(|b| b.store == store);
                        let from = bar.map_or(edge, |b| b.x);
                        self.canvas.line("wire own", (from, y), (right, y));
                        self.canvas.head("head", (right, y), Toward::Left);
                    }
                    None => {
                        self.canvas.line(wire, (edge, y), (right + 5.0, y));
                        self.canvas.head(head, (right, y), Toward::Left);
                    }
                },
                EventKind::Store if row.at_once || self.picture.replay.model == fencepost_task::Model::Sc => {
                    self.canvas.line(wire, (right, y), (edge - 5.0, y));
                    self.canvas.head(head, (edge, y), Toward::Right);
                }
                EventKind::Rmw | EventKind::Lock | EventKind::Unlock => {
                    self.canvas.line(wire, (right + 5.0, y), (edge - 5.0, y));
                    self.canvas.head(head, (right, y), Toward::Left);
                    self.canvas.head(head, (edge, y), Toward::Right);
                }
                EventKind::Fence => self.canvas.line("fence", (right, y), (edge, y)),
                _ => {}
            }
            for store in &row.misses {
                self.missed(i, *store);
            }
            self.canvas.close();
        }
        Ok(())
    }

    /// From a load to the bar of a store that it does not see.
    fn missed(&mut self, row: usize, store: usize) {
        let layout = self.layout;
        let Some(lane) = layout.lane(self.picture.rows[row].thread) else { return };
        let Some(bar) = layout.bars.iter().find(|b| b.store == store) else { return };
        let y = layout.y(row);
        let from = if bar.x < lane.left { lane.left } else { lane.edge };
        self.canvas.line("missed", (from, y), (bar.x, y));
    }

    /// Stores from issue to flush.
    fn bars(&mut self) -> Result<(), Stop> {
        let (form, picture) = (self.layout.form, self.picture);
        for bar in &self.layout.bars {
            self.pace.work(1 + picture.rows.len() as u64 / 16, || 0)?;
            let Bar { store, lane, x, from, until, .. } = *bar;
            let lane = &self.layout.lanes[lane];
            let (top, right) = (self.layout.y(from), lane.left + lane.chip);
            let weak = match picture.line.overtaken_by[store].is_some() || picture.missed.contains(&store) {
                true => " weak",
                false => "",
            };
            self.canvas.open(&format!("class=\"waiting\" data-row=\"{from}\" data-store=\"{}\"", store + 1));
            let words = self.label(store);
            self.canvas.title(&match until {
                Some(until) => {
                    format!(
                        "{words} waits from step {} to step {}",
                        store + 1,
                        self.picture.rows[until].step + 1
                    )
                }
                None => format!("{words} waits from step {} to the end", store + 1),
            });
            self.canvas.line(&format!("stub{weak}"), (right, top), (x, top));
            let bottom = until.map_or(self.layout.bottom() - 2.0, |row| self.layout.y(row));
            let half = form.bar / 2.0;
            self.canvas.rect(
                &format!("bar{weak}"),
                (x - half, top - half),
                (form.bar, bottom - top + form.bar),
                half,
            );
            if let Some(row) = until {
                let y = self.layout.y(row);
                let class = if self.picture.rows[row].is_weak() { " weak" } else { "" };
                self.canvas.line(&format!("wire{class}"), (x + half, y), (lane.edge - 5.0, y));
                self.canvas.head(&format!("head{class}"), (lane.edge, y), Toward::Right);
            }
            let (low, high) = self.free_of_crosses(store, top, bottom);
            let room = ((high - low) / form.small) as usize;
            if words.chars().count() <= room {
                self.canvas.upward(&format!("inside{weak}"), (x + 3.8, (low + high) / 2.0), &words);
            }
            self.canvas.close();
        }
        for (i, row) in picture.rows.iter().enumerate() {
            self.pace.work(1 + (self.layout.bars.len() * row.misses.len()) as u64 / 64, || 0)?;
            for store in &row.misses {
                let Some(bar) = self.layout.bars.iter().find(|b| b.store == *store) else { continue };
                self.canvas.open(&format!("data-row=\"{i}\""));
                self.canvas.cross("cross", (bar.x, self.layout.y(i)));
                self.canvas.close();
            }
        }
        Ok(())
    }

    /// The longest part of a bar without a cross on it.
    fn free_of_crosses(&self, store: usize, top: f64, bottom: f64) -> (f64, f64) {
        let crossed = self.picture.rows.iter().enumerate().filter(|(_, r)| r.misses.contains(&store));
        let mut ends: Vec<f64> = crossed.map(|(i, _)| self.layout.y(i)).collect();
        ends.insert(0, top - 6.0);
        ends.push(bottom + 6.0);
        let parts = ends.windows(2).map(|w| (w[0] + 8.0, w[1] - 8.0));
        parts.max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))).unwrap_or((top, bottom))
    }

    /// The cell and the value of a store.
    fn label(&self, store: usize) -> String {
        let row = self.picture.rows.iter().find(|r| r.step == store);
        row.map_or_else(String::new, |r| r.words.trim_start_matches("store ").to_string())
    }

    /// Steps, above everything.
    fn chips(&mut self, frame: Frame<'_>) -> Result<(), Stop> {
        let (layout, picture) = (self.layout, self.picture);
        for (i, row) in picture.rows.iter().enumerate() {
            self.pace.work(4 + (layout.bars.len() + layout.lanes.len()) as u64 / 64, || 0)?;
            let y = layout.y(i);
            let parting = frame.parting.is_some_and(|step| row.step == step);
            let beyond = frame.parting.is_some_and(|step| row.step >= step);
            let kind = match row.kind {
                EventKind::Store => "store",
                EventKind::Load => "load",
                EventKind::Flush => "flush",
                EventKind::Rmw | EventKind::Fence | EventKind::Lock | EventKind::Unlock => "strong",
                _ => "other",
            };
            let mut class = format!("chip {kind}");
            if row.is_weak() {
                class += " weak";
            }
            if beyond {
                class += " otherwise";
            }
            self.canvas.open(&format!("class=\"step\" data-row=\"{i}\" data-step=\"{}\"", row.step + 1));
            let mut title =
                format!("step {}: {} {}", row.step + 1, self.picture.replay.threads[row.thread], row.words);
            if let Some(source) = self.picture.program.sources.excerpt(row.span) {
                let _ = write!(title, "\nline {}: {}", row.span.line, source.trim());
            }
            self.canvas.title(&title);
            if row.span.is_some() {
                let number = row.span.line.to_string();
                self.canvas.text("number end", (layout.form.gutter - 12.0, y + 4.0), &number);
            }
            let Some(lane) = layout.lane(row.thread) else { continue };
            let height = layout.form.chip_height;
            self.canvas.rect(&class, (lane.left, y - height / 2.0), (lane.chip, height), 5.0);
            let (first, second) = layout.form.label(row);
            let most = ((lane.chip - 12.0) / layout.form.character) as usize;
            match second {
                None => self.canvas.text("words", (lane.left + 8.0, y + 4.5), &cut(&first, most)),
                Some(second) => {
                    self.canvas.text("verb", (lane.left + 7.0, y - 3.5), &cut(&first, most));
                    self.canvas.text("words", (lane.left + 7.0, y + 11.5), &cut(&second, most));
                }
            }
            if parting {
                self.part(i, row.thread);
            }
            if let (Some(store), true) = (row.misses.first(), layout.form.captions) {
                let left = layout.bars.iter().any(|b| b.store == *store && b.x < lane.left);
                let (class, x) = if left { ("note end", lane.left - 4.0) } else { ("note", lane.edge + 4.0) };
                self.canvas.text(class, (x, y - 5.0), "not seen");
            }
            if let Some(newer) = row.overwrites {
                self.late(i, newer);
            }
            self.canvas.close();
        }
        Ok(())
    }

    /// Beside a flush, in the lanes of others, where nothing else is in this row: what it writes over.
    fn late(&mut self, row: usize, newer: usize) {
        let layout = self.layout;
        let Some(place) = layout.lanes.iter().position(|l| l.thread == self.picture.rows[row].thread) else {
            return;
        };
        let lane = &layout.lanes[place];
        let before = place > 0 && place + 1 == layout.lanes.len();
        let (class, x, room) = match before {
            true => ("note end", lane.left - 10.0, lane.left - 10.0 - layout.form.gutter),
            false => ("note", lane.edge + 8.0, layout.width - lane.edge - 16.0),
        };
        let most = (room / (layout.form.small + 0.2)) as usize;
        let mut note = format!("writes over newer {}", self.label(newer));
        if note.chars().count() > most {
            note = format!("over newer {}", self.label(newer));
        }
        self.canvas.text(class, (x, layout.y(row) + 4.0), &cut(&note, most));
    }

    /// A line across where the run parts from the one that it is compared with. Nothing else is in this row.
    fn part(&mut self, row: usize, thread: usize) {
        let layout = self.layout;
        let y = layout.y(row) - layout.form.row / 2.0;
        self.canvas.line("parting", (4.0, y), (layout.width - 4.0, y));
        let free = layout.lanes.iter().find(|l| l.thread != thread);
        let x = free.map_or(layout.form.gutter, |l| l.left);
        self.canvas.text("part", (x, y + 14.0), "here the runs part");
    }

    /// What the run ends in, and what the lines mean. Gives the height of all.
    fn below(&mut self, end: &str, frame: Frame<'_>) -> f64 {
        let layout = self.layout;
        let mut y = layout.bottom() + 22.0;
        let width = layout.width - 16.0;
        let most = ((width - 24.0) / layout.form.character).max(12.0) as usize;
        let lines: String = end.lines().map(|l| crate::paint::wrap(l, most, 0, 2)).collect();
        let lines: Vec<String> = lines.lines().map(|l| cut(l, most)).collect();
        let class = if frame.end.is_some() { "end plain" } else { "end" };
        self.canvas.open("class=\"conclusion\"");
        self.canvas.rect(class, (8.0, y - 8.0), (width, 20.0 * lines.len() as f64 + 12.0), 6.0);
        for (i, line) in lines.iter().enumerate() {
            let class = if i == 0 { "endwords" } else { "endmore" };
            self.canvas.text(class, (20.0, y + 12.0), line);
            y += 20.0;
        }
        self.canvas.close();
        y += 14.0;
        if frame.legend {
            y = self.legend(y + 14.0);
        }
        y + 4.0
    }

    fn legend(&mut self, mut y: f64) -> f64 {
        let mut x = 16.0;
        let has_bars = !self.layout.bars.is_empty();
        let passes = self.picture.rows.iter().any(|r| !r.passes.is_empty());
        let misses = self.picture.rows.iter().any(|r| !r.misses.is_empty());
        let items = [
            (has_bars, "bar weak", "store waiting in the buffer"),
            (passes, "wire weak", "passes under it: overtakes"),
            (misses, "missed", "would see it under SC"),
        ];
        for (_, class, words) in items.into_iter().filter(|(shown, ..)| *shown) {
            let length = 40.0 + words.chars().count() as f64 * self.layout.form.small;
            if x > 16.0 && x + length > self.layout.width {
                x = 16.0;
                y += 20.0;
            }
            match class {
                "bar weak" => self.canvas.rect(class, (x, y - 10.0), (24.0, 12.0), 6.0),
                _ => self.canvas.line(class, (x, y - 4.0), (x + 24.0, y - 4.0)),
            }
            self.canvas.text("caption", (x + 30.0, y), words);
            x += length + 14.0;
        }
        y + 8.0
    }
}
