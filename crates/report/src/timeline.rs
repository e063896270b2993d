//! Which store was overtaken by what, and who did not see it: pairs each store with the flush that brings it
//! to memory, and finds the loads (and under PSO the flushes) that got ahead of it, and the loads of other
//! threads that found the old value meanwhile.

use fencepost_certify::Replay;
use fencepost_memory::EventKind;
use fencepost_task::Model;

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

struct Pending {
    step: usize,
    thread: u32,
}

/// A write to memory: when, and by which store or read-modify-write.
struct Write {
    at: usize,
    by: usize,
    thread: u32,
}

/// Looks at a run.
pub fn timeline(replay: &Replay) -> Timeline {
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
    let mut pending: Vec<Pending> = Vec::new();
    let mut writes: Vec<Write> = Vec::new();
    for (i, step) in replay.steps.iter().enumerate() {
        let thread = step.step.thread;
        if step.event.loc.is_none() {
            continue;
        }
        let event = |step: usize| &replay.steps[step].event;
        let meets = |other: usize| event(other).meets(&step.event);
        let own = |p: &&Pending| p.thread == thread;
        match step.event.kind {
            EventKind::Store if replay.model != Model::Sc => {
                pending.push(Pending { step: i, thread });
            }
            EventKind::Load | EventKind::Rmw => {
                // A load of cells that all wait in the own buffer reads them there and passes nothing.
                let waits = |loc| pending.iter().filter(own).any(|p| event(p.step).touches(loc));
                if step.event.locs().all(waits) {
                    line.forwarded[i] = pending.iter().filter(own).rfind(|p| meets(p.step)).map(|p| p.step);
                } else {
                    line.passes[i] = listed(pending.iter().filter(own).map(|p| p.step));
                    let others = pending.iter().filter(|p| p.thread != thread && meets(p.step));
                    line.misses[i] = listed(others.map(|p| p.step));
                }
                if step.event.kind == EventKind::Rmw {
                    writes.push(Write { at: i, by: i, thread });
                }
            }
            EventKind::Flush => {
                let position =
                    pending.iter().position(|p| p.thread == thread && event(p.step).loc == step.event.loc);
                if let Some(position) = position {
                    let store = pending.remove(position).step;
                    line.issued[i] = Some(store);
                    line.flushed[store] = Some(i);
                    let older = pending.iter().filter(own).filter(|p| p.step < store);
                    line.passes[i] = listed(older.map(|p| p.step));
                    let mut newer = writes.iter().rev().take_while(|w| w.at > store);
                    let newer = newer.find(|w| w.thread != thread && meets(w.by));
                    line.overwrites[i] = newer.map(|w| w.by);
                    writes.push(Write { at: i, by: store, thread });
                }
            }
            _ => {}
        }
        line.overtakes[i] = line.passes[i].first().copied();
        if let Some(store) = line.overtakes[i] {
            line.overtaken_by[store].get_or_insert(i);
        }
    }
    line.unflushed = pending.iter().map(|p| p.step).collect();
    line
}

/// The first of them and the last.
fn listed(stores: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut listed = Vec::new();
    for store in stores {
        if listed.len() == MOST_LISTED {
            listed.pop();
        }
        listed.push(store);
    }
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
