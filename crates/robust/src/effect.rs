//! What an event reads and writes, as far as other threads can tell.
//!
//! An event is one instruction, or a whole atomic section: nobody steps in between, so all that a section
//! touches is touched at once. Taking a mutex or giving it back writes it. A compare-and-swap that
//! fails only reads. Freeing an object writes all its cells: whoever accesses one of them does so before
//! the free, or fails. A load whose thread has a part of what it reads in its buffer reads the rest.

use crate::marks::Cells;
use fencepost_ir::cfg::{EdgeId, Instr, Loc, ObjectId, RmwOp};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{EventKind, Machine, Memory, State};
use fencepost_task::{Action, Step};

/// What an event does to what threads share.
#[derive(Clone, Default, Debug)]
pub struct Effect {
    /// Cells it reads, sorted; for a thread with a buffer those that it does not find there.
    pub reads: Vec<Loc>,
    /// Cells it writes, sorted.
    pub writes: Vec<Loc>,
    /// Threads that it starts.
    pub starts: Vec<u32>,
    /// Threads whose end it has waited for.
    pub joins: Vec<u32>,
    /// The first instruction that reads memory, or starts a thread, by its place.
    pub reader: Option<(u32, EdgeId)>,
    /// Whether the program ends.
    pub halts: bool,
}

impl Effect {
    /// As if nothing had been done.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.starts.clear();
        self.joins.clear();
        self.reader = None;
        self.halts = false;
    }

    /// Whether it touches one of the cells.
    pub fn touches(&self, cells: Cells) -> bool {
        cells.each().any(|loc| self.reads.contains(&loc) || self.writes.contains(&loc))
    }

    fn read(&mut self, locs: impl IntoIterator<Item = Loc>) {
        locs.into_iter().for_each(|loc| insert(&mut self.reads, loc));
    }

    fn write(&mut self, locs: impl IntoIterator<Item = Loc>) {
        locs.into_iter().for_each(|loc| insert(&mut self.writes, loc));
    }

    /// Adds what a step does that is about to be taken in `state`.
    pub fn add(&mut self, machine: &Machine<'_>, memory: &impl Memory, state: &State, step: Step) {
        let Action::Edge(id, _) = step.action else { return };
        let index = step.thread as usize;
        let thread = &state.threads[index];
        let edge = machine.edge(thread, id);
        let place = edge.instr.address().and_then(|a| machine.resolve(state, index, a).ok());
        let procedure = thread.top().procedure;
        match &edge.instr {
            Instr::Load(..) => {
                let Some(place) = place else { return };
                let own = |loc: Loc| thread.buffer.iter().any(|e| e.loc == loc);
                if !place.locs().all(own) {
                    self.read(place.locs().filter(|loc| !own(*loc)));
                    self.reader.get_or_insert((procedure.0, id));
                }
            }
            Instr::Store(..) | Instr::Lock(_) | Instr::Unlock(_) => {
                let Some(place) = place else { return };
                self.write(place.locs());
            }
            Instr::Rmw(_, _, op) => {
                let Some(place) = place else { return };
                let event = machine.event(memory, state, step);
                debug_assert_eq!(event.kind, EventKind::Rmw, "a read-modify-write is one");
                let failed = match op {
                    RmwOp::CompareExchange { expected, .. } => event.old != eval(expected, thread).ok(),
                    _ => false,
                };
                match failed {
                    true => self.read(place.locs()),
                    false => self.write(place.locs()),
                }
            }
            Instr::Free(pointer, _) | Instr::Reallocate { pointer, .. } => {
                let word = eval(pointer, thread).unwrap_or(0);
                if let Target::Object(number, _) = pointer::target(word) {
                    let cells = state.heap_object(ObjectId(number)).map_or(0, |o| o.cells.len());
                    let cell = |n: usize| Loc::element(ObjectId(number), n as i64);
                    self.write((0..cells).filter_map(cell));
                }
            }
            Instr::Spawn(..) => {
                self.starts.push(state.threads.len() as u32);
                self.reader.get_or_insert((procedure.0, id));
            }
            Instr::Join(_, handle) => {
                let handle = eval(handle, thread).ok().and_then(|h| u32::try_from(h).ok());
                self.joins.extend(handle);
            }
            Instr::Halt => self.halts = true,
            Instr::Nop
            | Instr::Choose
            | Instr::Assign(..)
            | Instr::Fence(_)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Havoc(..)
            | Instr::Own(_)
            | Instr::Call(..)
            | Instr::Return(_)
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_)
            | Instr::Allocate { .. }
            | Instr::Exit(_) => {}
        }
    }
}

/// Adds a cell to a sorted list.
fn insert(cells: &mut Vec<Loc>, loc: Loc) {
    if let Err(at) = cells.binary_search(&loc) {
        cells.insert(at, loc);
    }
}
