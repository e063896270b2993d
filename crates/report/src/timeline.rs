//! Which store was overtaken by what, and who did not see it: pairs each store with the flush that brings it
//! to memory, and finds the loads (and under PSO the flushes) that got ahead of it, and the loads of other
//! threads that found the old value meanwhile.

use fencepost_certify::Replay;
use fencepost_ir::cfg::Loc;
use fencepost_memory::{Event, EventKind};
use fencepost_task::{Budget, Model, Pace, Stop};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What happened to the steps of a run. Steps are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// For each store the step that flushed it, if one did.
    pub flushed: Vec<Option<usize>>,
    /// For each flush the store it brings to memory.
    pub issued: Vec<Option<usize>>,
    /// For each step the oldest store of its thread that it got ahead of.
    pub overtakes: Vec<Option<usize>>,
    /// For each store the first step that got ahead of it.
    pub overtaken_by: Vec<Option<usize>>,
    /// For each step the stores of its thread that it got ahead of, oldest first; of many, the oldest and the newest
    /// ([`MOST_LISTED`]).
    pub passes: Vec<Vec<usize>>,
    /// For each load of memory the stores of other threads to its cell that were waiting; of many, so many.
    pub misses: Vec<Vec<usize>>,
    /// For each load that its own thread's buffer answered, that store.
    pub forwarded: Vec<Option<usize>>,
    /// For each flush the last write of another thread to its cell while the store was waiting, which it
    /// writes over: a store, or a read-modify-write.
    pub overwrites: Vec<Option<usize>>,
    /// The stores that never reached memory.
    pub unflushed: Vec<usize>,
}

/// No more stores than these are listed of one step.
const MOST_LISTED: usize = 16;

/// Stores that wait in buffers, by their steps.
#[derive(Default)]
struct Waiting {
    /// Of each thread.
    threads: BTreeMap<u32, BTreeSet<usize>>,
    /// Of each thread those that touch a cell.
    own: HashMap<(u32, Loc), BTreeSet<usize>>,
    /// Of all threads those that touch a cell, each with its thread.
    cells: HashMap<Loc, BTreeMap<usize, u32>>,
}

impl Waiting {
    fn add(&mut self, thread: u32, step: usize, event: &Event) {
        self.threads.entry(thread).or_default().insert(step);
        for loc in event.locs() {
            self.own.entry((thread, loc)).or_default().insert(step);
            self.cells.entry(loc).or_default().insert(step, thread);
        }
    }

    /// The thread's stores to a cell, oldest first.
    fn to(&self, thread: u32, loc: Loc) -> impl DoubleEndedIterator<Item = usize> {
        self.own.get(&(thread, loc)).into_iter().flatten().copied()
    }

    /// The thread's stores before a step: the first of them and the last.
    fn before(&self, thread: u32, step: usize) -> Vec<usize> {
        self.threads.get(&thread).map_or_else(Vec::new, |stores| listed(stores.range(..step).copied()))
    }

    /// Stores of other threads to cells of an event: the first of them and the last.
    fn missed(&self, thread: u32, event: &Event) -> Vec<usize> {
        let mut missed = BTreeSet::new();
        for stores in event.locs().filter_map(|loc| self.cells.get(&loc)) {
            let others = stores.iter().filter(|(_, other)| **other != thread).map(|(step, _)| *step);
            missed.extend(listed(others));
        }
        listed(missed.into_iter())
    }

    fn remove(&mut self, thread: u32, step: usize, event: &Event) {
        if let Some(stores) = self.threads.get_mut(&thread) {
            stores.remove(&step);
        }
        for loc in event.locs() {
            if let Some(stores) = self.own.get_mut(&(thread, loc)) {
                stores.remove(&step);
            }
            if let Some(stores) = self.cells.get_mut(&loc) {
                stores.remove(&step);
            }
        }
    }
}

/// A write to memory: when, and by which store or read-modify-write.
#[derive(Clone, Copy)]
struct Write {
    at: usize,
    by: usize,
    thread: u32,
}

/// The last writes to each cell: the last of all, and the last of another thread than that one's.
#[derive(Default)]
struct Written(HashMap<Loc, (Write, Option<Write>)>);

impl Written {
    fn add(&mut self, event: &Event, write: Write) {
        for loc in event.locs() {
            let other = self.0.get(&loc).and_then(|(last, other)| match last.thread == write.thread {
                true => *other,
                false => Some(*last),
            });
            self.0.insert(loc, (write, other));
        }
    }

    /// The last write of another thread to cells of an event, since a step.
    fn by_others(&self, thread: u32, event: &Event, since: usize) -> Option<usize> {
        let last = event.locs().filter_map(|loc| {
            let (last, other) = self.0.get(&loc)?;
            if last.thread != thread { Some(*last) } else { *other }
        });
        last.filter(|write| write.at > since).max_by_key(|write| write.at).map(|write| write.by)
    }
}

/// Looks at a run.
pub fn timeline(replay: &Replay, budget: &Budget) -> Result<Timeline, Stop> {
    let mut pace = Pace::new(budget);
    let n = replay.steps.len();
    let mut line = Timeline {
        flushed: vec![None; n],
        issued: vec![None; n],
        overtakes: vec![None; n],
        overtaken_by: vec![None; n],
        passes: vec![Vec::new(); n],
        misses: vec![Vec::new(); n],
        forwarded: vec![None; n],
        overwrites: vec![None; n],
        unflushed: Vec::new(),
    };
    let mut waiting = Waiting::default();
    let mut written = Written::default();
    for (i, step) in replay.steps.iter().enumerate() {
        let (thread, event) = (step.step.thread, &step.event);
        pace.work(1, || 0)?;
        if event.loc.is_none() {
            continue;
        }
        match event.kind {
            EventKind::Store if replay.model != Model::Sc => waiting.add(thread, i, event),
            EventKind::Load | EventKind::Rmw => {
                // A load of cells that all wait in the own buffer reads them there and passes nothing.
                let newest = |loc| waiting.to(thread, loc).next_back();
                if event.locs().all(|loc| newest(loc).is_some()) {
                    line.forwarded[i] = event.locs().filter_map(newest).max();
                } else {
                    line.passes[i] = waiting.before(thread, i);
                    line.misses[i] = waiting.missed(thread, event);
                }
                if event.kind == EventKind::Rmw {
                    written.add(event, Write { at: i, by: i, thread });
                }
            }
            EventKind::Flush => {
                let is_flushed = |store: &usize| replay.steps[*store].event.loc == event.loc;
                let first = event.loc.and_then(|loc| waiting.to(thread, loc).find(is_flushed));
                if let Some(store) = first {
                    waiting.remove(thread, store, &replay.steps[store].event);
                    line.issued[i] = Some(store);
                    line.flushed[store] = Some(i);
                    line.passes[i] = waiting.before(thread, store);
                    line.overwrites[i] = written.by_others(thread, event, store);
                    written.add(event, Write { at: i, by: store, thread });
                }
            }
            _ => {}
        }
        line.overtakes[i] = line.passes[i].first().copied();
        if let Some(store) = line.overtakes[i] {
            line.overtaken_by[store].get_or_insert(i);
        }
    }
    line.unflushed = waiting.threads.into_values().flatten().collect();
    line.unflushed.sort_unstable();
    Ok(line)
}

/// The first of them and the last.
fn listed(mut stores: impl DoubleEndedIterator<Item = usize>) -> Vec<usize> {
    let mut listed: Vec<usize> = stores.by_ref().take(MOST_LISTED - 1).collect();
    listed.extend(stores.next_back());
    listed
}

impl Timeline {
    /// Whether the store reaches memory before anything else happens.
    pub fn is_at_once(&self, store: usize) -> bool {
        self.flushed[store] == Some(store + 1)
    }

    /// The stores that something got ahead of, that a load did not see, or that came too late, in order.
    pub fn delayed(&self) -> Vec<usize> {
        let mut stores: Vec<usize> = self.passes.iter().chain(&self.misses).flatten().copied().collect();
        stores.extend(
            (0..self.issued.len()).filter(|i| self.overwrites[*i].is_some()).filter_map(|i| self.issued[i]),
        );
        stores.sort_unstable();
        stores.dedup();
        stores
    }
}
