//! States: memory cells, threads with their frames and registers, buffers.

use crate::heap::{HeapObject, Life};
use fencepost_ir::cfg::{EdgeId, Loc, NodeId, ObjectId, ProcId, Reg, StartId};
use fencepost_ir::eval::Registers;
use fencepost_task::Pace;

/// What a buffer entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum EntryKind {
    /// A store that has not reached memory.
    Store,
    /// Another cell of the store before it: they reach memory together.
    Part,
    /// PSO: stores after it wait for those before it.
    Barrier,
    /// Load buffers: a store of the thread itself, already in memory.
    Own,
    /// Load buffers: a value that memory held when the message was sent.
    Message,
}

/// An entry of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// The cell; 0 for a barrier.
    pub loc: Loc,
    /// The value; 0 for a barrier.
    pub value: i64,
}

impl Entry {
    /// Whether it is a store that has not reached memory, or a part of one.
    pub fn is_store(&self) -> bool {
        matches!(self.kind, EntryKind::Store | EntryKind::Part)
    }
}

/// The entries of a buffer, those of one store together.
pub fn stores(buffer: &[Entry]) -> impl DoubleEndedIterator<Item = &[Entry]> {
    buffer.chunk_by(|_, next| next.kind == EntryKind::Part)
}

/// A store's entries in a buffer.
pub(crate) fn entries(parts: &[(Loc, i64)]) -> impl Iterator<Item = Entry> {
    let kinds = std::iter::once(EntryKind::Store).chain(std::iter::repeat(EntryKind::Part));
    kinds.zip(parts).map(|(kind, &(loc, value))| Entry { kind, loc, value })
}

/// A procedure that has been entered and not left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The procedure.
    pub procedure: ProcId,
    /// Where control is; in a caller, where it continues after the call.
    pub node: NodeId,
    /// Its first slot in the thread's registers.
    pub base: u32,
    /// The edge of the caller that called it.
    pub call: Option<EdgeId>,
}

/// A thread.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Which start it comes from; `None` if it was spawned.
    pub start: Option<StartId>,
    /// Outermost frame first.
    pub frames: Vec<Frame>,
    /// The thread's own slots, then those of each frame.
    pub registers: Vec<i64>,
    /// Oldest entry first.
    pub buffer: Vec<Entry>,
    /// Whether it has returned from its outermost frame, which is kept for final conditions.
    pub ended: bool,
    /// Whether somebody has joined it.
    pub joined: bool,
    /// What it returned or exited with.
    pub result: i64,
}

impl Thread {
    /// The innermost frame.
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a thread keeps its outermost frame")
    }

    /// The slot of a register seen from the innermost frame.
    pub fn slot(&self, reg: Reg) -> usize {
        match reg {
            Reg::Local(slot) => (self.top().base + slot) as usize,
            Reg::Thread(slot) => slot as usize,
        }
    }
}

impl Thread {
    /// How many stores have not reached memory.
    pub fn stores_waiting(&self) -> usize {
        self.buffer.iter().filter(|e| e.kind == EntryKind::Store).count()
    }

    /// Removes the buffered stores to an object, and barriers that separate nothing any more.
    pub(crate) fn forget_stores(&mut self, object: ObjectId) {
        let to_object = |e: &Entry| e.is_store() && e.loc.as_element().is_some_and(|(o, _)| o == object);
        self.buffer.retain(|e| !to_object(e));
        let mut after_store = false;
        self.buffer.retain(|e| {
            let keep = e.kind != EntryKind::Barrier || after_store;
            after_store = e.kind != EntryKind::Barrier;
            keep
        });
    }
}

impl Registers for Thread {
    fn get(&self, reg: Reg) -> i64 {
        self.registers[self.slot(reg)]
    }
}

impl Clone for Thread {
    fn clone(&self) -> Thread {
        Thread {
            start: self.start,
            frames: self.frames.clone(),
            registers: self.registers.clone(),
            buffer: self.buffer.clone(),
            ended: self.ended,
            joined: self.joined,
            result: self.result,
        }
    }

    /// Keeps the allocations: searches copy states over old ones all the time.
    fn clone_from(&mut self, source: &Thread) {
        self.start = source.start;
        self.frames.clone_from(&source.frames);
        self.registers.clone_from(&source.registers);
        self.buffer.clone_from(&source.buffer);
        self.ended = source.ended;
        self.joined = source.joined;
        self.result = source.result;
    }
}

/// An open atomic section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Section {
    /// The thread inside.
    pub owner: u32,
    /// How many begins are open.
    pub depth: u32,
}

/// A state of a program.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Memory: the cells that have numbers.
    pub cells: Vec<i64>,
    /// The elements of unbounded arrays that are not 0, sorted.
    pub elements: Vec<(Loc, i64)>,
    /// Allocated objects, in the order of their numbers, which follow those of the program's
    /// objects.
    pub heap: Vec<HeapObject>,
    /// Number of the first allocated object: how many objects the program has.
    pub first_heap: u32,
    /// Threads: those of the beginning, then in order of spawning.
    pub threads: Vec<Thread>,
    /// The atomic section that is open, if one is.
    pub section: Option<Section>,
}

/// Bytes of a cell of an allocated object.
pub(crate) const BYTES_A_CELL: usize = size_of::<Option<i64>>();

impl State {
    /// Bytes that it takes, roughly.
    pub fn bytes(&self) -> usize {
        // Fields are listed, so that a new one is counted.
        let threads = self.threads.iter().map(|thread| {
            let Thread { frames, registers, buffer, start: _, ended: _, joined: _, result: _ } = thread;
            size_of::<Thread>()
                + size_of::<Frame>() * frames.len()
                + 8 * registers.len()
                + size_of::<Entry>() * buffer.len()
        });
        let objects = self.heap.iter().map(|object| 80 + BYTES_A_CELL * object.cells.len());
        size_of::<State>()
            + 8 * self.cells.len()
            + 16 * self.elements.len()
            + threads.sum::<usize>()
            + objects.sum::<usize>()
    }

    /// Units of work that a copy of it takes, as `task::Pace` counts them.
    pub fn units(&self) -> u64 {
        1 + self.bytes() as u64 / Pace::BYTES_A_UNIT
    }

    /// The allocated object of that number.
    pub fn heap_object(&self, object: ObjectId) -> Option<&HeapObject> {
        let object = self.heap.get(object.0.checked_sub(self.first_heap)? as usize);
        object.filter(|object| object.life != Life::Vacant)
    }

    /// The number of the next object that is allocated, unless it takes the place of one that is gone.
    pub fn next_object(&self) -> ObjectId {
        let vacant = self.heap.iter().position(|object| object.life == Life::Vacant);
        ObjectId(self.first_heap + vacant.unwrap_or(self.heap.len()) as u32)
    }

    /// Whether the cell's object is gone.
    pub fn is_freed(&self, loc: Loc) -> bool {
        let object = loc.as_element().and_then(|(object, _)| self.heap_object(object));
        object.is_some_and(|object| object.life == Life::Freed)
    }

    /// What a cell holds; 0 in one that was never written.
    pub fn read(&self, loc: Loc) -> i64 {
        let Some((object, number)) = loc.as_element() else { return self.cells[loc.index()] };
        if let Some(object) = self.heap_object(object) {
            return object.cells.get(number as usize).copied().flatten().unwrap_or(0);
        }
        let found = self.elements.binary_search_by_key(&loc, |e| e.0);
        found.map_or(0, |i| self.elements[i].1)
    }

    /// Whether somebody has written the cell, or it started with a value.
    pub fn is_written(&self, loc: Loc) -> bool {
        let cell =
            loc.as_element().and_then(|(object, n)| Some(self.heap_object(object)?.cells.get(n as usize)));
        cell.is_none_or(|cell| cell.is_some_and(Option::is_some))
    }

    /// Sets a cell.
    pub fn write(&mut self, loc: Loc, value: i64) {
        let Some((object, number)) = loc.as_element() else {
            self.cells[loc.index()] = value;
            return;
        };
        if let Some(index) = object.0.checked_sub(self.first_heap)
            && let Some(object) = self.heap.get_mut(index as usize)
        {
            object.cells[number as usize] = Some(value);
            return;
        }
        match (self.elements.binary_search_by_key(&loc, |e| e.0), value) {
            (Ok(i), 0) => {
                self.elements.remove(i);
            }
            (Ok(i), _) => self.elements[i].1 = value,
            (Err(_), 0) => {}
            (Err(i), _) => self.elements.insert(i, (loc, value)),
        }
    }

    /// Whether all threads have ended. All buffers are empty then.
    pub fn is_final(&self) -> bool {
        self.threads.iter().all(|t| t.ended)
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            cells: self.cells.clone(),
            elements: self.elements.clone(),
            heap: self.heap.clone(),
            first_heap: self.first_heap,
            threads: self.threads.clone(),
            section: self.section,
        }
    }

    fn clone_from(&mut self, source: &State) {
        self.cells.clone_from(&source.cells);
        self.elements.clone_from(&source.elements);
        self.heap.clone_from(&source.heap);
        self.first_heap = source.first_heap;
        self.threads.clone_from(&source.threads);
        self.section = source.section;
    }
}
