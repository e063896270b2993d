//! Which store was overtaken by what: pairs each store with the flush that brings it to memory,
//! and finds the loads (and under PSO the flushes) that got ahead of it.

use fencepost_certify::Replay;
use fencepost_ir::cfg::Loc;
use fencepost_memory::EventKind;

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
}

struct Pending {
    step: usize,
    thread: u32,
    loc: Loc,
}

/// Looks at a run.
pub fn timeline(replay: &Replay) -> Timeline {
    let n = replay.steps.len();
    let mut line = Timeline {
        flushed: vec![None; n],
        issued: vec![None; n],
        overtakes: vec![None; n],
        overtaken_by: vec![None; n],
    };
    let mut pending: Vec<Pending> = Vec::new();
    for (i, step) in replay.steps.iter().enumerate() {
        let thread = step.step.thread;
        let Some(loc) = step.event.loc else { continue };
        let mut own = pending.iter().filter(|p| p.thread == thread);
        match step.event.kind {
            EventKind::Store if replay.model != fencepost_task::Model::Sc => {
                pending.push(Pending { step: i, thread, loc });
            }
            // A load of a cell that waits in the own buffer reads it there and passes nothing.
            EventKind::Load if own.clone().all(|p| p.loc != loc) => {
                line.overtakes[i] = own.next().map(|p| p.step);
            }
            EventKind::Flush => {
                let oldest = own.next().map(|p| p.step);
                let position = pending.iter().position(|p| p.thread == thread && p.loc == loc);
                if let Some(position) = position {
                    let store = pending.remove(position).step;
                    line.issued[i] = Some(store);
                    line.flushed[store] = Some(i);
                    line.overtakes[i] = oldest.filter(|&o| o != store);
                }
            }
            _ => {}
        }
        if let Some(store) = line.overtakes[i] {
            line.overtaken_by[store].get_or_insert(i);
        }
    }
    line
}
