//! States to bytes and back.
//!
//! What the program fixes is not stored: which procedure a thread started with, where frames
//! begin, buffers under SC, sections without atomics. Small types take one byte, others a
//! variable number; registers that are dead at a frame's node take none and come back with their
//! initial value, if dead registers are to be forgotten.

use fencepost_analysis::liveness::{LiveSlots, Liveness};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{
    EdgeId, HeapTypeId, Instr, Loc, NodeId, ObjectId, ProcId, Program, Register, StartId, Storage,
};
use fencepost_memory::{Entry, EntryKind, Frame, HeapObject, Life, Section, State, Thread};
use fencepost_task::Model;

/// How a value is written.
#[derive(Clone, Copy)]
enum Shape {
    /// One byte, counted from the smallest value.
    Byte(i64),
    /// As many bytes as it needs.
    Variable,
    /// Object and offset, which are both small, in as many bytes as they need.
    Pointer,
}

impl Shape {
    fn of(ty: Scalar) -> Shape {
        let (lo, hi) = ty.limits();
        if let Scalar::Pointer { .. } = ty {
            return Shape::Pointer;
        }
        if hi - lo < 256 { Shape::Byte(lo as i64) } else { Shape::Variable }
    }
}

/// How several values are written.
struct Shapes {
    /// Empty, where the next says it all.
    each: Vec<Shape>,
    /// The smallest value of each, where each takes one byte: the case to be fast in.
    lowest: Option<Vec<i64>>,
}

impl Shapes {
    fn new(each: Vec<Shape>) -> Shapes {
        let lowest = each.iter().map(|shape| match shape {
            Shape::Byte(lo) => Some(*lo),
            Shape::Variable | Shape::Pointer => None,
        });
        match lowest.collect() {
            Some(lowest) => Shapes { lowest: Some(lowest), each: Vec::new() },
            None => Shapes { lowest: None, each },
        }
    }

    fn len(&self) -> usize {
        self.lowest.as_ref().map_or(self.each.len(), Vec::len)
    }

    fn at(&self, number: usize) -> Shape {
        self.lowest.as_ref().map_or_else(|| self.each[number], |lowest| Shape::Byte(lowest[number]))
    }

    fn put(&self, out: &mut Vec<u8>, values: &[i64]) {
        match &self.lowest {
            Some(lowest) => {
                out.extend(values.iter().zip(lowest).map(|(value, lo)| value.wrapping_sub(*lo) as u8));
            }
            None => values.iter().zip(&self.each).for_each(|(value, shape)| put(out, *value, *shape)),
        }
    }

    fn take(&self, input: &mut &[u8], values: &mut Vec<i64>) {
        match &self.lowest {
            Some(lowest) => {
                let (bytes, rest) = input.split_at(lowest.len());
                values.extend(bytes.iter().zip(lowest).map(|(byte, lo)| lo + i64::from(*byte)));
                *input = rest;
            }
            None => values.extend(self.each.iter().map(|&shape| take(input, shape))),
        }
    }
}

fn shapes(registers: &[Register]) -> Shapes {
    Shapes::new(registers.iter().map(|r| Shape::of(r.ty)).collect())
}

/// Packs and unpacks the states of one program.
pub struct Codec<'p> {
    program: &'p Program,
    cells: Shapes,
    thread_registers: Shapes,
    registers: Vec<Shapes>,
    /// The slots to keep, where not all are kept.
    live: Option<Liveness>,
    starts: Vec<StartId>,
    buffers: bool,
    unbounded: bool,
    heap: bool,
    results: bool,
    spawns: bool,
    calls: bool,
    sections: bool,
}

impl<'p> Codec<'p> {
    /// A codec for states of the program under the model.
    pub fn new(program: &'p Program, model: Model, liveness: Option<Liveness>) -> Codec<'p> {
        let uses = |test: fn(&Instr) -> bool| {
            program.procedures.iter().any(|p| p.edges().iter().any(|e| test(&e.instr)))
        };
        let mut starts = Vec::new();
        for (i, start) in program.threads.iter().enumerate() {
            if let fencepost_ir::cfg::Count::Times(n) = start.count {
                starts.extend((0..n).map(|_| StartId(i as u32)));
            }
        }
        let cells = program.each_cell_type().map(Shape::of);
        Codec {
            program,
            cells: Shapes::new(cells.collect()),
            thread_registers: shapes(&program.thread_registers),
            registers: program.procedures.iter().map(|p| shapes(&p.registers)).collect(),
            live: liveness,
            starts,
            buffers: model != Model::Sc,
            unbounded: program.objects.iter().any(|o| o.ty.is_unbounded()),
            heap: !program.heap_types.is_empty(),
            results: uses(|i| matches!(i, Instr::Join(Some(_), _))),
            spawns: uses(|i| matches!(i, Instr::Spawn(..))),
            calls: uses(|i| matches!(i, Instr::Call(..))),
            sections: uses(|i| matches!(i, Instr::AtomicBegin(_))),
        }
    }

    fn shape(&self, loc: Loc) -> Shape {
        if loc.as_element().is_some() { Shape::Variable } else { self.cells.at(loc.index()) }
    }

    /// The slots of a frame that are kept; `None` for all.
    fn live(&self, frame: &Frame) -> Option<&LiveSlots> {
        self.live.as_ref().map(|live| live.live(frame.procedure, frame.node))
    }

    /// Sets the registers that are not stored to what [`Codec::decode`] gives.
    pub fn forget_dead(&self, state: &mut State) {
        for thread in &mut state.threads {
            for frame in &thread.frames {
                let Some(live) = self.live(frame) else { continue };
                let registers = &self.program.procedure(frame.procedure).registers;
                for slot in live.dead(registers.len() as u32) {
                    thread.registers[(frame.base + slot) as usize] = registers[slot as usize].init;
                }
            }
        }
    }

    /// Appends a state's bytes.
    pub fn encode(&self, state: &State, out: &mut Vec<u8>) {
        self.cells.put(out, &state.cells);
        if self.unbounded {
            put_number(out, state.elements.len() as u64);
            for &(loc, value) in &state.elements {
                put_loc(out, loc);
                put(out, value, Shape::Variable);
            }
        }
        if self.heap {
            put_number(out, state.heap.len() as u64);
            state.heap.iter().for_each(|object| encode_object(object, out));
        }
        if self.sections {
            let section = state.section.map_or((0, 0), |s| (s.owner + 1, s.depth));
            put_number(out, section.0.into());
            if section.0 > 0 {
                put_number(out, section.1.into());
            }
        }
        if self.spawns {
            put_number(out, state.threads.len() as u64);
        }
        for (i, thread) in state.threads.iter().enumerate() {
            if i >= self.starts.len() {
                put_number(out, thread.frames[0].procedure.0.into());
            }
            self.encode_thread(thread, out);
        }
    }

    fn encode_thread(&self, thread: &Thread, out: &mut Vec<u8>) {
        if self.calls {
            put_number(out, thread.frames.len() as u64);
        }
        if self.results {
            put(out, thread.result, Shape::Variable);
        }
        self.thread_registers.put(out, &thread.registers[..self.thread_registers.len()]);
        for (depth, frame) in thread.frames.iter().enumerate() {
            if depth > 0 {
                put_number(out, frame.call.expect("an inner frame knows its call").0.into());
            }
            let flags = u64::from(thread.ended) | u64::from(thread.joined) << 1;
            put_number(out, u64::from(frame.node.0) << 2 | flags);
            let shapes = &self.registers[frame.procedure.index()];
            let values = &thread.registers[frame.base as usize..][..shapes.len()];
            match self.live(frame) {
                None => shapes.put(out, values),
                Some(live) => {
                    live.iter().for_each(|slot| put(out, values[slot as usize], shapes.at(slot as usize)));
                }
            }
        }
        if self.buffers {
            put_number(out, thread.buffer.len() as u64);
            for entry in &thread.buffer {
                match entry.kind {
                    EntryKind::Barrier => put_number(out, BARRIER),
                    // It has the cell after the one before it.
                    EntryKind::Part => {
                        put_number(out, PART);
                        put(out, entry.value, self.shape(entry.loc));
                    }
                    _ => {
                        put_loc(out, entry.loc);
                        put(out, entry.value, self.shape(entry.loc));
                    }
                }
            }
        }
    }

    /// Unpacks a state over an old one.
    pub fn decode(&self, bytes: &[u8], state: &mut State) {
        let mut input = bytes;
        let input = &mut input;
        state.cells.clear();
        self.cells.take(input, &mut state.cells);
        state.elements.clear();
        if self.unbounded {
            for _ in 0..take_number(input) {
                let loc = take_loc(input);
                state.elements.push((loc, take(input, Shape::Variable)));
            }
        }
        state.heap.clear();
        state.first_heap = self.program.objects.len() as u32;
        if self.heap {
            for _ in 0..take_number(input) {
                state.heap.push(decode_object(input));
            }
        }
        state.section = None;
        if self.sections
            && let owner @ 1.. = take_number(input)
        {
            state.section = Some(Section { owner: owner as u32 - 1, depth: take_number(input) as u32 });
        }
        let threads = if self.spawns { take_number(input) as usize } else { self.starts.len() };
        state.threads.truncate(threads);
        for i in 0..threads {
            if i == state.threads.len() {
                state.threads.push(Thread {
                    start: None,
                    frames: Vec::new(),
                    registers: Vec::new(),
                    buffer: Vec::new(),
                    ended: false,
                    joined: false,
                    result: 0,
                });
            }
            let start = self.starts.get(i).copied();
            let procedure = match start {
                Some(start) => self.program.threads[start.index()].procedure,
                None => ProcId(take_number(input) as u32),
            };
            state.threads[i].start = start;
            self.decode_thread(input, procedure, &mut state.threads[i]);
        }
        debug_assert!(input.is_empty(), "a state is decoded to its end");
    }

    fn decode_thread(&self, input: &mut &[u8], procedure: ProcId, thread: &mut Thread) {
        let frames = if self.calls { take_number(input) } else { 1 };
        thread.result = if self.results { take(input, Shape::Variable) } else { 0 };
        thread.registers.clear();
        self.thread_registers.take(input, &mut thread.registers);
        thread.frames.clear();
        for depth in 0..frames {
            let (procedure, call) = if depth == 0 {
                (procedure, None)
            } else {
                let call = EdgeId(take_number(input) as u32);
                let caller = self.program.procedure(thread.top().procedure);
                match caller.edge(call).instr {
                    Instr::Call(_, callee, _) => (callee, Some(call)),
                    _ => panic!("a frame's call edge carries a call"),
                }
            };
            let node = take_number(input);
            thread.ended = node & 1 == 1;
            thread.joined = node & 2 == 2;
            let frame = Frame {
                procedure,
                node: NodeId((node >> 2) as u32),
                base: thread.registers.len() as u32,
                call,
            };
            let registers = &self.program.procedure(procedure).registers;
            let shapes = &self.registers[procedure.index()];
            match self.live(&frame) {
                None => shapes.take(input, &mut thread.registers),
                Some(live) => {
                    thread.registers.extend(registers.iter().map(|r| r.init));
                    for slot in live.iter() {
                        let value = take(input, shapes.at(slot as usize));
                        thread.registers[(frame.base + slot) as usize] = value;
                    }
                }
            }
            thread.frames.push(frame);
        }
        thread.buffer.clear();
        if self.buffers {
            for _ in 0..take_number(input) {
                let (kind, loc) = match take_number(input) {
                    BARRIER => (EntryKind::Barrier, Loc::cell(0)),
                    PART => {
                        let before = thread.buffer.last().expect("a part stands behind a store");
                        (EntryKind::Part, before.loc.plus(1))
                    }
                    head => (EntryKind::Store, loc_from(head, input)),
                };
                let value = if kind == EntryKind::Barrier { 0 } else { take(input, self.shape(loc)) };
                thread.buffer.push(Entry { kind, loc, value });
            }
        }
    }
}

fn encode_object(object: &HeapObject, out: &mut Vec<u8>) {
    let life = match object.life {
        Life::Live => 0,
        Life::Freed => 1,
        Life::Vacant => 2,
    };
    let flags = life << 1 | u64::from(object.storage == Storage::Stack);
    put_number(out, u64::from(object.ty.0) << 3 | flags);
    put_number(out, object.bytes);
    put_number(out, object.cells.len() as u64);
    for chunk in object.cells.chunks(8) {
        let written = chunk.iter().enumerate().map(|(i, cell)| u8::from(cell.is_some()) << i);
        out.push(written.sum());
        chunk.iter().flatten().for_each(|value| put(out, *value, Shape::Variable));
    }
}

fn decode_object(input: &mut &[u8]) -> HeapObject {
    let head = take_number(input);
    let bytes = take_number(input);
    let count = take_number(input) as usize;
    let mut cells = Vec::with_capacity(count);
    while cells.len() < count {
        let written = input[0];
        *input = &input[1..];
        for i in 0..(count - cells.len()).min(8) {
            cells.push((written >> i & 1 == 1).then(|| take(input, Shape::Variable)));
        }
    }
    HeapObject {
        ty: HeapTypeId((head >> 3) as u32),
        bytes,
        cells,
        life: match head >> 1 & 3 {
            0 => Life::Live,
            1 => Life::Freed,
            _ => Life::Vacant,
        },
        storage: if head & 1 == 1 { Storage::Stack } else { Storage::Heap },
    }
}

fn put(out: &mut Vec<u8>, value: i64, shape: Shape) {
    match shape {
        Shape::Byte(lo) => out.push(value.wrapping_sub(lo) as u8),
        // Small negative numbers become small positive ones.
        Shape::Variable => put_number(out, ((value << 1) ^ (value >> 63)) as u64),
        Shape::Pointer => {
            put_number(out, value as u64 >> 32);
            put_number(out, value as u64 & u64::from(u32::MAX));
        }
    }
}

/// What stands for entries of a buffer that are not stores of their own; no cell is put as these.
const BARRIER: u64 = 0;
const PART: u64 = 2;
const FIRST_CELL: u64 = 2;

/// Cells by their number, elements of unbounded arrays by array and address. 0 is left for a
/// barrier.
pub fn put_loc(out: &mut Vec<u8>, loc: Loc) {
    match loc.as_element() {
        None => put_number(out, (loc.index() as u64 + FIRST_CELL) << 1),
        Some((object, address)) => {
            put_number(out, u64::from(object.0) << 1 | 1);
            put(out, address, Shape::Variable);
        }
    }
}

/// Takes what [`put_loc`] put.
pub fn take_loc(input: &mut &[u8]) -> Loc {
    let head = take_number(input);
    loc_from(head, input)
}

/// Takes what [`put_loc`] put, after its first number.
fn loc_from(head: u64, input: &mut &[u8]) -> Loc {
    if head & 1 == 1 {
        let loc = Loc::element(ObjectId((head >> 1) as u32), take(input, Shape::Variable));
        return loc.expect("what was put is an element");
    }
    Loc::cell(((head >> 1) - FIRST_CELL) as u32)
}

/// Appends a number in as many bytes as it needs.
pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(input: &mut &[u8], shape: Shape) -> i64 {
    match shape {
        Shape::Byte(lo) => {
            let byte = input[0];
            *input = &input[1..];
            lo + i64::from(byte)
        }
        Shape::Variable => {
            let number = take_number(input);
            (number >> 1) as i64 ^ -((number & 1) as i64)
        }
        Shape::Pointer => (take_number(input) << 32 | take_number(input)) as i64,
    }
}

/// Takes what [`put_number`] put.
pub fn take_number(input: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = input[0];
        *input = &input[1..];
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return number;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN, 1 << 40] {
            let mut out = Vec::new();
            put(&mut out, value, Shape::Variable);
            let mut input = &out[..];
            assert_eq!(take(&mut input, Shape::Variable), value);
            assert!(input.is_empty());
        }
        for value in [-3, 0, 252] {
            let mut out = Vec::new();
            put(&mut out, value, Shape::Byte(-3));
            assert_eq!(out.len(), 1);
            assert_eq!(take(&mut &out[..], Shape::Byte(-3)), value);
        }
    }
}
