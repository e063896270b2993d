//! Dual TSO: a load buffer for each thread (Abdulla et al., CONCUR 2016, Figure 2). A store
//! writes memory at once and leaves an own message; memory may send the thread any cell's
//! value at any time; the oldest message may be dropped at any time; a load takes the newest
//! own message for its cell, else the oldest message, if that is one for its cell.
//!
//! It reaches the same control states as TSO (Theorem 1), which is a test.
//!
//! Deviation: "Read from buffer" as printed reads the newest message, `b(p) = (x,v)·w`. It has to
//! be the oldest, `b(p) = w·(x,v)`: as printed, the weak outcome of store buffering is
//! unreachable.
//!
//! Limits: elements of unbounded arrays are never sent. The messages of a store to several cells are dropped one by one,
//! which TSO has no match for: the dual engine refuses such programs. Load buffers grow without bound even in loop-free programs, so messages are sent only
//! while a thread's buffer holds fewer than the thread has loads to come. It could drop the
//! others at once, so nothing is lost; in loops, a given number stands for the loads to come.

use crate::model::Memory;
use crate::state::{Entry, EntryKind, State};
use fencepost_ir::cfg::{Edge, Instr, Loc, Procedure, Program};
use fencepost_task::Action;

/// TSO with load buffers.
#[derive(Clone, Debug)]
pub struct LoadBuffer {
    /// For each procedure and node the loads that may come, without those of callers.
    loads_to_come: Vec<Vec<usize>>,
}

impl LoadBuffer {
    /// The semantics for a program; `in_loops` stands for the loads to come where they have no
    /// bound.
    pub fn new(program: &Program, in_loops: usize) -> LoadBuffer {
        let is_load = |e: &Edge| usize::from(matches!(e.instr, Instr::Load(..)));
        let longest_paths = |p: &Procedure| {
            let most: usize = p.edges().iter().map(is_load).sum();
            let mut loads = vec![0; p.nodes as usize];
            let mut changed = true;
            while changed {
                changed = false;
                for edge in p.edges() {
                    let through = (loads[edge.to.index()] + is_load(edge)).min(most + 1);
                    changed |= through > loads[edge.from.index()];
                    loads[edge.from.index()] = through.max(loads[edge.from.index()]);
                }
            }
            // A path with more loads than the procedure has passes one twice.
            loads.into_iter().map(|n| if n > most { in_loops } else { n }).collect()
        };
        LoadBuffer { loads_to_come: program.procedures.iter().map(longest_paths).collect() }
    }
}

impl Memory for LoadBuffer {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        for &(loc, value) in parts {
            state.write(loc, value);
            state.threads[thread].buffer.push(Entry { kind: EntryKind::Own, loc, value });
        }
    }

    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let buffer = &state.threads[thread].buffer;
        let own = buffer.iter().rev().find(|e| e.kind == EntryKind::Own && e.loc == loc);
        let message = buffer.first().filter(|e| e.kind == EntryKind::Message && e.loc == loc);
        own.or(message).map(|e| e.value)
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        let buffer = &state.threads[thread].buffer;
        if !buffer.is_empty() {
            see(Action::Delete);
        }
        let messages = buffer.iter().filter(|e| e.kind == EntryKind::Message).count();
        let to_come = |f: &crate::state::Frame| self.loads_to_come[f.procedure.index()][f.node.index()];
        if messages < state.threads[thread].frames.iter().map(to_come).sum() {
            (0..state.cells.len()).for_each(|cell| see(Action::Propagate(Loc::cell(cell as u32))));
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        match action {
            Action::Delete => {
                state.threads[thread].buffer.remove(0);
            }
            Action::Propagate(loc) => {
                let value = state.read(loc);
                state.threads[thread].buffer.push(Entry { kind: EntryKind::Message, loc, value });
            }
            Action::Edge(..) | Action::Older(..) | Action::Flush(_) => {
                panic!("load buffers have no step {action:?}")
            }
        }
    }
}
