//! Stores reach memory when a thread looks: flushes that cannot be told from later ones are left out.
//!
//! A flush of a cell trades places with every step after it that does not touch the cell in memory: with other threads'
//! steps on other cells, and with all steps of its own thread that do not wait for the buffer, for the thread sees its own
//! stores anyway. So in every run each flush can be put off, from the last to the first, until
//! - the next step of another thread may touch the cell, or begins a section or frees memory or ends the program;
//! - another thread has a store to the cell in its buffer, so that their order matters;
//! - its own thread waits for its buffer, or for a place in it, where its length is bounded;
//! - the cell is gone, and the flush itself an error.
//!
//! The flushes that are put off until their thread waits for an empty buffer are together then, just before it continues, so
//! that one order of them is enough: one flush at a time is tried that no thread waits for.
//!
//! Flushes that none of these happens to are left out, and none of the rest is: what is searched is a part of the states that
//! are reachable, in which every thread comes to all places that it comes to. Under TSO an earlier store of the same buffer
//! goes with the later one that is wanted. Who looks at states as such, to see that nothing is possible any more, is not served.

use fencepost_ir::cfg::{Instr, Loc};
use fencepost_memory::{Entry, EntryKind, Machine, Memory, State, stores};
use fencepost_task::{Action, Model, Step};

/// Which flushes to leave out.
pub struct LateFlushes {
    /// Stores of a buffer reach memory in their order.
    in_order: bool,
}

/// What threads touch next.
#[derive(Default)]
struct Touched {
    cells: Vec<(usize, Loc)>,
    /// A thread that may touch anything.
    anything: Vec<usize>,
}

impl LateFlushes {
    /// For a program and a model; `None` where a flush can be seen otherwise.
    pub fn new(machine: &Machine<'_>, model: Model) -> Option<LateFlushes> {
        let checks = &machine.program.checks;
        let looked_at = checks.deadlock || checks.races;
        (model != Model::Sc && !looked_at).then_some(LateFlushes { in_order: model == Model::Tso })
    }

    /// Leaves out the flushes that can wait.
    pub fn leave_out<M: Memory>(
        &self,
        machine: &Machine<'_>,
        memory: &M,
        state: &State,
        bound: Option<u32>,
        steps: &mut Vec<Step>,
    ) {
        let flushes = |step: &Step| matches!(step.action, Action::Flush(_));
        if state.section.is_some() || !steps.iter().any(flushes) {
            return;
        }
        let touched = next_touches(machine, state);
        let mut wanted: Vec<Option<Wanted>> = vec![None; state.threads.len()];
        steps.retain(|step| {
            let Action::Flush(loc) = step.action else { return true };
            let thread = step.thread as usize;
            let wanted = wanted[thread]
                .get_or_insert_with(|| self.wanted(machine, memory, state, bound, &touched, thread));
            match wanted {
                Wanted::All => true,
                Wanted::Stores { first_cells, .. } if first_cells.contains(&loc) => true,
                Wanted::Stores { one_more, .. } => std::mem::take(one_more),
            }
        });
    }

    fn wanted<M: Memory>(
        &self,
        machine: &Machine<'_>,
        memory: &M,
        state: &State,
        bound: Option<u32>,
        touched: &Touched,
        index: usize,
    ) -> Wanted {
        let thread = &state.threads[index];
        let (empties, makes_place) = waits(machine, memory, state, bound, index);
        if makes_place || touched.anything.iter().any(|other| *other != index) {
            return Wanted::All;
        }
        let by_step = |loc: Loc| touched.cells.iter().any(|(other, cell)| *other != index && *cell == loc);
        let others = || state.threads.iter().enumerate().filter(|(other, _)| *other != index);
        let by_store = |loc: Loc| others().any(|(_, other)| other.buffer.iter().any(|e| waits_for(e, loc)));
        let by_others = |loc: Loc| by_step(loc) || by_store(loc) || state.is_freed(loc);
        // A store with a cell of a wanted one that is newer has to go before it.
        let mut needed: Vec<Loc> = Vec::new();
        let mut wanted: Vec<Loc> = Vec::new();
        for store in stores(&thread.buffer).rev() {
            let is_wanted = |e: &Entry| e.is_store() && (by_others(e.loc) || needed.contains(&e.loc));
            if store.iter().any(is_wanted) {
                needed.extend(store.iter().map(|e| e.loc));
                wanted.push(store[0].loc);
            }
        }
        let in_order = self.in_order || thread.buffer.iter().any(|e| e.kind == EntryKind::Barrier);
        if in_order && !wanted.is_empty() {
            return Wanted::All;
        }
        Wanted::Stores { first_cells: wanted, one_more: empties }
    }
}

/// Which of a thread's stores may reach memory now.
#[derive(Clone)]
enum Wanted {
    All,
    Stores {
        /// The first cells of those that somebody wants.
        first_cells: Vec<Loc>,
        /// And the first of the rest.
        one_more: bool,
    },
}

/// Whether an entry is a store to the cell that has not reached memory.
fn waits_for(entry: &Entry, loc: Loc) -> bool {
    entry.is_store() && entry.loc == loc
}

/// Whether the thread waits, on one way at least, for its buffer to be empty, and for a place in it.
fn waits<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    state: &State,
    bound: Option<u32>,
    index: usize,
) -> (bool, bool) {
    let thread = &state.threads[index];
    let top = thread.top();
    let ways = || machine.program.procedure(top.procedure).out(top.node).map(|(_, edge)| &edge.instr);
    let is_full = bound.is_some_and(|bound| thread.stores_waiting() >= bound as usize);
    let empties = ways().any(|instr| memory.drains(instr, thread.frames.len() == 1));
    (empties, is_full && ways().any(|instr| matches!(instr, Instr::Store(..))))
}

fn next_touches(machine: &Machine<'_>, state: &State) -> Touched {
    let mut touched = Touched::default();
    for (index, thread) in state.threads.iter().enumerate().filter(|(_, thread)| !thread.ended) {
        let top = thread.top();
        for (_, edge) in machine.program.procedure(top.procedure).out(top.node) {
            match &edge.instr {
                // A store is on its way for now.
                Instr::Store(..) => {}
                Instr::AtomicBegin(_) | Instr::Free(..) | Instr::Reallocate { .. } | Instr::Halt => {
                    touched.anything.push(index)
                }
                instr => {
                    let place = instr.address().and_then(|a| machine.resolve(state, index, a).ok());
                    touched.cells.extend(place.into_iter().flat_map(|p| p.locs()).map(|loc| (index, loc)));
                }
            }
        }
    }
    touched
}
