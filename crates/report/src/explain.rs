//! A violation in sentences: which store was still in whose buffer when which load ran, what each thread saw,
//! what SC would have forced instead, and the fence that forbids it.
//!
//! Every sentence is read off the replayed run: the buffers of its states, the values of its loads, and the
//! nearest run under SC, which is replayed too. Of the loads that got ahead of a store those are named that
//! matter: cells that another thread wrote while the store was waiting, so that a load after the store could
//! have seen more.

use crate::nearest_sc::{Fate, NearestSc, nearest_sc};
use crate::paint::{Colour, wrap};
use crate::text::Style;
use crate::timeline::{Timeline, timeline};
use crate::words::{RACE_CURE, conclusion};
use fencepost_certify::{Replay, States};
use fencepost_ir::cfg::{Edge, Loc, Program};
use fencepost_ir::{FileId, Span};
use fencepost_memory::EventKind;
use fencepost_task::{Action, Budget, Reason, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// No more loads than these are named of each store.
const MOST_LOADS: usize = 3;

/// No more delayed stores than these are told of: the last ones, which are nearest to the violation.
const MOST_STORES: usize = 8;

/// No more loads than these are named that did not see a waiting store: the last ones.
const MOST_MISSES: usize = 24;

/// How weak a run is: the fewer of these, the easier it is to understand, the first counting most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunWeakness {
    /// Stores that did not reach memory at once.
    pub delayed: u32,
    /// How often another thread went on.
    pub switches: u32,
    /// Steps.
    pub steps: u32,
    /// What is known of other runs.
    pub known: Known,
}

/// What is known of other runs to a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// None is less weak.
    All,
    /// None has fewer delayed stores, and none with as few has fewer switches.
    ButSteps,
    /// The search for one was cut off.
    No,
}

impl RunWeakness {
    /// As a sentence.
    pub fn sentence(&self) -> String {
        let RunWeakness { delayed, switches, steps, known } = self;
        let plural = |n: u32, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let delayed = plural(*delayed, "delayed store", "delayed stores");
        let switches = plural(*switches, "switch between threads", "switches between threads");
        let steps = plural(*steps, "step", "steps");
        match known {
            Known::All => format!(
                "Of all violating runs this one has the fewest delayed stores, then the fewest switches, then the \
                 fewest steps: {delayed}, {switches}, {steps}."
            ),
            Known::ButSteps => format!(
                "No violating run has fewer delayed stores, and none with as few has fewer switches: {delayed}, \
                 {switches}. There may be one with fewer than {steps}."
            ),
            Known::No => format!(
                "The search for a simpler run was cut off: this one has {delayed}, {switches} and {steps}; there \
                 may be one with fewer."
            ),
        }
    }
}

/// A violation in sentences.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The reordering that matters.
    pub reordering: Vec<String>,
    /// What each thread saw.
    pub saw: Vec<String>,
    /// What the run ends in.
    pub end: String,
    /// What SC would have forced.
    pub sc: Vec<String>,
    /// What forbids the run.
    pub cure: Vec<String>,
    /// Whether there may be a simpler run.
    pub order: Option<String>,
    /// The nearest run under SC; `None` where the run is one itself.
    pub nearest: Option<NearestSc>,
}

impl Explanation {
    /// For terminals.
    pub fn text(&self, style: Style) -> String {
        let mut out = String::new();
        let mut part = |head: &str, sentences: &[String]| {
            if sentences.is_empty() {
                return;
            }
            let _ = writeln!(out, "  {}", style.paint.bold(Colour::None, head));
            for sentence in sentences {
                out += &wrap(sentence, style.width.min(110), 4, 6);
            }
        };
        part("What happens", &self.reordering);
        part("What each thread saw", &self.saw);
        part("Under SC", &self.sc);
        part("What forbids it", &self.cure);
        if let Some(order) = &self.order {
            out += &wrap(&format!("({order})"), style.width.min(110), 2, 3);
        }
        out
    }
}

/// Explains a run. `cure` is what is known of fences beyond what the run itself tells. The nearest run under SC is looked for
/// within `search`, and the story told within `telling`; where that is not enough, it says so.
pub fn explain(
    program: &Program,
    replay: &Replay,
    order: Option<RunWeakness>,
    cure: &[String],
    search: &Budget,
    telling: &Budget,
) -> Explanation {
    let program = &*replay.instance(program);
    let order = order.map(|o| o.sentence());
    story(program, replay, order.clone(), cure, search, telling).unwrap_or_else(|stop| Explanation {
        reordering: vec![
            format!("What else happens is left out here: {}.", Reason::from(stop)),
            format!("So: {}.", conclusion(program, replay).what),
        ],
        saw: Vec::new(),
        end: conclusion(program, replay).what,
        sc: Vec::new(),
        cure: cure.to_vec(),
        order,
        nearest: None,
    })
}

fn story(
    program: &Program,
    replay: &Replay,
    order: Option<String>,
    cure: &[String],
    search: &Budget,
    telling: &Budget,
) -> Result<Explanation, Stop> {
    let line = timeline(replay, telling)?;
    let states = States::new(program, replay, telling);
    let mut delayed = line.delayed();
    let left_out = delayed.len().saturating_sub(MOST_STORES);
    delayed.drain(..left_out);
    let story = Story { program, replay, states, delayed, line, files: RunFiles::new(replay) };
    let nearest = if story.delayed.is_empty() { None } else { nearest_sc(program, replay, search) };
    let mut all = story.cure()?;
    all.extend_from_slice(cure);
    Ok(Explanation {
        reordering: left_out_sentence(left_out).into_iter().chain(story.reordering()?).collect(),
        saw: story.saw()?,
        end: conclusion(program, replay).what,
        sc: story.under_sc(nearest.as_ref())?,
        cure: all,
        order,
        nearest,
    })
}

/// What is said of delayed stores that are not told of.
fn left_out_sentence(stores: usize) -> Option<String> {
    match stores {
        0 => None,
        1 => Some("One earlier store is delayed, too; it is left out here.".to_string()),
        n => Some(format!("{n} earlier stores are delayed, too; they are left out here.")),
    }
}

/// A run being looked at.
struct Story<'a> {
    program: &'a Program,
    replay: &'a Replay,
    states: States<'a>,
    line: Timeline,
    /// Stores that something got ahead of.
    delayed: Vec<usize>,
    files: RunFiles,
}

impl Story<'_> {
    fn thread(&self, step: usize) -> &str {
        &self.replay.steps[step].thread
    }

    /// The cell of a step and its value.
    fn value(&self, step: usize) -> Result<String, Stop> {
        let (done, before) = (&self.replay.steps[step], self.states.at(step)?);
        Ok(match (done.event.loc, done.event.old.or(done.event.value)) {
            (Some(loc), Some(value)) => {
                let shown = before.show_value(self.program, done.value_type, value);
                format!("{} = {shown}", before.cells_name(self.program, loc, done.event.cells))
            }
            _ => String::new(),
        })
    }

    fn cell(&self, step: usize) -> Result<String, Stop> {
        let event = &self.replay.steps[step].event;
        let before = self.states.at(step)?;
        let name = |loc| before.cells_name(self.program, loc, event.cells);
        Ok(event.loc.map_or_else(String::new, name))
    }

    /// What a load saw.
    fn seen(&self, step: usize) -> Result<String, Stop> {
        let (done, before) = (&self.replay.steps[step], self.states.at(step)?);
        let value = done.event.old.or(done.event.value);
        Ok(value.map_or("?".to_string(), |v| before.show_value(self.program, done.value_type, v)))
    }

    fn verb(&self, step: usize) -> &'static str {
        if self.replay.steps[step].event.kind == EventKind::Rmw { "reads" } else { "loads" }
    }

    /// ` at line 10`, with the file where there are several.
    fn at(&self, step: usize) -> String {
        place(self.program, self.files, self.replay.steps[step].event.span)
    }

    /// What happened, in the order in which it did.
    fn reordering(&self) -> Result<Vec<String>, Stop> {
        let mut told: Vec<(usize, String)> = Vec::new();
        for (i, &store) in self.delayed.iter().enumerate() {
            told.push((store, self.waiting(store, &self.delayed[..i])?));
            for pass in self.passes_that_matter(store) {
                // Of the stores that it passes the first tells of it.
                let told_of = self.line.passes[pass].iter().find(|s| self.delayed.contains(s));
                if told_of == Some(&store) {
                    told.push((pass, self.pass(self.thread(store), store, pass)?));
                }
            }
            if let Some(flush) = self.line.flushed[store]
                && let Some(newer) = self.line.overwrites[flush]
            {
                told.push((flush, self.late(store, newer)?));
                told.extend(self.sees_late(store, flush)?);
            }
        }
        let missing = (0..self.replay.steps.len()).rev().filter(|load| !self.line.misses[*load].is_empty());
        for load in missing.take(MOST_MISSES) {
            if let Some(&store) = self.line.misses[load].last() {
                let sentence = format!(
                    "{} {} {}{} and sees {}, because {} still waits in the buffer of {}.",
                    self.thread(load),
                    self.verb(load),
                    self.cell(load)?,
                    self.at(load),
                    self.seen(load)?,
                    self.value(store)?,
                    self.thread(store)
                );
                told.push((load, sentence));
            }
        }
        told.sort_by_key(|(step, _)| *step);
        let mut out: Vec<String> = Vec::new();
        for (_, sentence) in told {
            if !out.contains(&sentence) {
                out.push(sentence);
            }
        }
        let older = self.older();
        if self.delayed.is_empty() && older.is_empty() {
            out.push("Every store of this run is in memory at once: SC has this run, too.".to_string());
        }
        out.extend(older);
        out.push(format!("So: {}.", conclusion(self.program, self.replay).what));
        Ok(out)
    }

    /// A store stays in the buffer, perhaps after others.
    fn waiting(&self, store: usize, earlier: &[usize]) -> Result<String, Stop> {
        let name = self.thread(store);
        let is_before = |s: &&usize| {
            self.replay.steps[**s].step.thread == self.replay.steps[store].step.thread
                && self.line.flushed[**s].is_none_or(|f| f > store)
        };
        Ok(match earlier.iter().rfind(is_before) {
            Some(first) if self.replay.model == fencepost_task::Model::Tso => format!(
                "{name}'s store {}{} waits behind that to {}.",
                self.value(store)?,
                self.at(store),
                self.cell(*first)?
            ),
            _ => {
                let until = if self.line.flushed[store].is_some() { "" } else { " to the end" };
                format!(
                    "{name} stores {}{}, but the store stays in its buffer{until}.",
                    self.value(store)?,
                    self.at(store)
                )
            }
        })
    }

    /// A store reaches memory after a newer write.
    fn late(&self, store: usize, newer: usize) -> Result<String, Stop> {
        Ok(format!(
            "Only now {}'s {} reaches memory, and writes over {}'s newer {}{}.",
            self.thread(store),
            self.value(store)?,
            self.thread(newer),
            self.written(newer)?,
            self.at(newer)
        ))
    }

    /// The first load of another thread that sees a store that came late.
    fn sees_late(&self, store: usize, flush: usize) -> Result<Option<(usize, String)>, Stop> {
        let (event, thread) = (&self.replay.steps[store].event, self.replay.steps[store].step.thread);
        let after = (flush + 1..self.replay.steps.len()).find(|i| {
            let step = &self.replay.steps[*i];
            step.event.meets(event)
                && step.step.thread != thread
                && matches!(step.event.kind, EventKind::Load | EventKind::Rmw | EventKind::Flush)
        });
        let Some(after) = after.filter(|i| self.replay.steps[*i].event.kind != EventKind::Flush) else {
            return Ok(None);
        };
        let sentence = format!(
            "{} {} {}{} and sees {}.",
            self.thread(after),
            self.verb(after),
            self.cell(after)?,
            self.at(after),
            self.seen(after)?
        );
        Ok(Some((after, sentence)))
    }

    /// The cell of a write and what it wrote.
    fn written(&self, step: usize) -> Result<String, Stop> {
        let (done, before) = (&self.replay.steps[step], self.states.at(step)?);
        let value =
            done.event.value.map_or("?".to_string(), |v| before.show_value(self.program, done.value_type, v));
        Ok(format!("{} = {value}", self.cell(step)?))
    }

    fn pass(&self, name: &str, store: usize, pass: usize) -> Result<String, Stop> {
        Ok(match self.line.issued[pass] {
            Some(later) => format!(
                "{name}'s later store {}{} reaches memory first: it overtakes the store to {}.",
                self.value(later)?,
                self.at(later),
                self.cell(store)?
            ),
            None => format!(
                "Meanwhile {name} {} {}{} and sees {}: the load overtakes the store to {}.",
                self.verb(pass),
                self.cell(pass)?,
                self.at(pass),
                self.seen(pass)?,
                self.cell(store)?
            ),
        })
    }

    /// The steps that got ahead of a store and make a difference; the first that did, if that cannot be told.
    fn passes_that_matter(&self, store: usize) -> Vec<usize> {
        let steps = &self.replay.steps;
        let thread = steps[store].step.thread;
        let until = self.line.flushed[store].unwrap_or(steps.len());
        // The cells that other threads write from a step on, going backward.
        let mut written: BTreeSet<Loc> = BTreeSet::new();
        let mut matter = Vec::new();
        let mut first = None;
        for i in (store + 1..until).rev() {
            let step = &steps[i];
            let writes = matches!(step.event.kind, EventKind::Store | EventKind::Flush | EventKind::Rmw);
            if step.step.thread != thread && writes {
                written.extend(step.event.locs());
            }
            // Whatever passes an older store of the thread passes this one, if it waits by then.
            let is_own = step.step.thread == thread && !self.line.passes[i].is_empty();
            if is_own && self.line.issued[i].is_none_or(|newer| newer > store) {
                first = Some(i);
                if self.line.issued[i].is_some() || step.event.locs().any(|loc| written.contains(&loc)) {
                    matter.push(i);
                }
            }
        }
        matter.reverse();
        if matter.is_empty() {
            matter.extend(first);
        }
        matter.truncate(MOST_LOADS);
        matter
    }

    /// For each thread the last that it saw of each cell that matters.
    fn saw(&self) -> Result<Vec<String>, Stop> {
        let steps = &self.replay.steps;
        let mut cells: BTreeSet<Loc> = self.delayed.iter().flat_map(|s| steps[*s].event.locs()).collect();
        for &store in &self.delayed {
            cells.extend(self.passes_that_matter(store).iter().flat_map(|p| steps[*p].event.locs()));
        }
        // The last of each thread and cell, in the order of the steps.
        let mut last: BTreeMap<(u32, Loc), usize> = BTreeMap::new();
        for (i, step) in steps.iter().enumerate() {
            let is_read = matches!(step.event.kind, EventKind::Load | EventKind::Rmw);
            if let Some(loc) = step.event.loc.filter(|_| is_read)
                && step.event.locs().any(|l| cells.contains(&l))
            {
                last.insert((step.step.thread, loc), i);
            }
        }
        let mut saw: Vec<(u32, usize)> = last.into_iter().map(|((thread, _), step)| (thread, step)).collect();
        saw.sort_unstable();
        let mut out = Vec::new();
        for of_thread in saw.chunk_by(|a, b| a.0 == b.0) {
            let mut seen = Vec::new();
            for &(_, step) in of_thread {
                seen.push(format!("{} = {}", self.cell(step)?, self.seen(step)?));
            }
            let name = &self.replay.threads[of_thread[0].0 as usize];
            out.push(format!("{name} saw {}.", seen.join(", ")));
        }
        Ok(out)
    }

    fn under_sc(&self, nearest: Option<&NearestSc>) -> Result<Vec<String>, Stop> {
        let Some(nearest) = nearest else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        let agrees = nearest.agrees;
        match nearest.parting {
            None => out.push(
                "SC can take the same steps in another order, with each store in memory at once; they do not \
                 lead here."
                    .to_string(),
            ),
            Some(parting) => {
                let name = self.thread(parting.weak);
                let done = match parting.sc {
                    Some(sc) => {
                        let step = &nearest.replay.steps[sc];
                        let value = step.event.old.or(step.event.value);
                        // It is as short as the run, and all its states are kept.
                        let before = States::new(self.program, &nearest.replay, &Budget::default()).at(sc)?;
                        let shown = value.map_or("?".to_string(), |v| {
                            before.show_value(self.program, step.value_type, v)
                        });
                        format!(
                            "{name} {} {}{} and sees {shown} instead of {}",
                            self.verb(parting.weak),
                            self.cell(parting.weak)?,
                            self.at(parting.weak),
                            self.seen(parting.weak)?
                        )
                    }
                    None => format!("{name} cannot take its step{}", self.at(parting.weak)),
                };
                let fate = match nearest.fate {
                    Fate::Waits => ", and waits there as long as nobody else goes on",
                    Fate::Stuck => ", and cannot go on",
                    Fate::Ends => ", and ends",
                    Fate::GoesOn => "",
                };
                out.push(format!(
                    "There every store is in memory at once. The nearest SC run does the same in {agrees} steps; then \
                     {done}{fate}."
                ));
            }
        }
        if !nearest.nearest {
            out.push("(The search for the nearest SC run was cut off: another may be nearer.)".to_string());
        }
        Ok(out)
    }

    /// The fences that the run itself asks for.
    /// The steps that take older writes.
    fn older(&self) -> Vec<String> {
        let mut out = Vec::new();
        for step in self.replay.steps.iter().filter(|s| matches!(s.step.action, Action::Older(..))) {
            let place = self.program.sources.place(step.event.span);
            let what = match step.event.kind {
                EventKind::Store => "comes before a newer store to the same variable, for all threads",
                EventKind::Rmw => "takes an older value than the newest",
                _ => "sees an older value than the newest",
            };
            out.push(format!(
                "{}'s {} at {place} {what}: nothing orders the newest one before it.",
                step.thread,
                step.event.kind.name()
            ));
        }
        out
    }

    fn cure(&self) -> Result<Vec<String>, Stop> {
        if self.replay.race.is_some() {
            return Ok(vec![format!("{RACE_CURE}.")]);
        }
        if self.replay.steps.iter().any(|s| matches!(s.step.action, Action::Older(..))) {
            return Ok(vec![
                "Release stores and acquire loads, or seq_cst accesses or fences, would order them."
                    .to_string(),
            ]);
        }
        let mut out = Vec::new();
        for &store in &self.delayed {
            for pass in self.passes_that_matter(store) {
                // The nearest of the stores that it passes: one fence there is after all of them.
                let nearest = self.line.passes[pass].last().copied().unwrap_or(store);
                let thread = self.replay.steps[nearest].step.thread as usize;
                let procedure = self.states.at(nearest)?.threads[thread].top().procedure;
                let function = &self.program.procedure(procedure).name;
                let sentence = match self.line.issued[pass] {
                    Some(later) => format!(
                        "A store-store fence in {function} between the store to {}{} and the store to {}{} forbids \
                         this run{}.",
                        self.cell(nearest)?,
                        self.at(nearest),
                        self.cell(later)?,
                        self.at(later),
                        self.atomic(later, "memory_order_release")
                    ),
                    None => format!(
                        "A full fence in {function} between the store to {}{} and the load of {}{} forbids this \
                         run{}.",
                        self.cell(nearest)?,
                        self.at(nearest),
                        self.cell(pass)?,
                        self.at(pass),
                        self.atomic(nearest, "memory_order_seq_cst")
                    ),
                };
                if !out.contains(&sentence) {
                    out.push(sentence);
                }
            }
        }
        if self.delayed.is_empty() {
            out.push("No fence does: the run has no delayed store.".to_string());
        }
        Ok(out)
    }

    /// What a C programmer can write instead, where the store is an atomic one.
    fn atomic(&self, store: usize, order: &str) -> String {
        let span = self.replay.steps[store].event.span;
        let mut edges = self.program.procedures.iter().flat_map(|p| p.edges());
        let is_here = |e: &Edge| (e.span.file, e.span.line) == (span.file, span.line);
        match edges.any(|e| e.access.is_atomic() && is_here(e)) {
            true => format!("; so does {order} for the store at line {}", span.line),
            false => String::new(),
        }
    }
}

/// The files that a run goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunFiles {
    /// None: no step has a place.
    None,
    /// One.
    One(FileId),
    /// Several.
    Several,
}

impl RunFiles {
    /// Of a run.
    pub fn new(replay: &Replay) -> RunFiles {
        let mut files = replay.steps.iter().map(|s| s.event.span).filter(|s| s.is_some()).map(|s| s.file);
        match files.next() {
            None => RunFiles::None,
            Some(first) if files.all(|file| file == first) => RunFiles::One(first),
            Some(_) => RunFiles::Several,
        }
    }
}

/// ` at line 10`, with the file where the run is of several; nothing where there is no place.
pub fn place(program: &Program, files: RunFiles, span: Span) -> String {
    let elsewhere = match files {
        RunFiles::None => false,
        RunFiles::One(file) => file != span.file,
        RunFiles::Several => true,
    };
    match (span.is_some(), elsewhere) {
        (false, _) => String::new(),
        (true, false) => format!(" at line {}", span.line),
        (true, true) => format!(" at {}", program.sources.place(span)),
    }
}
