//! What all memory models share: control, registers, calls, threads, locks, atomic sections.
//!
//! [`Machine::steps`] lists what can happen in a state, [`Machine::apply`] does it; what it means to
//! the user is in `event.rs`. A step that fails (an assertion, a value
//! out of its range) is enabled: it is what the user wants to see.

use crate::cells::CellTypes;
use crate::heap::{Found, HeapObject, Layout, Life};
use crate::model::Memory;
use crate::property::Forbidden;
use crate::samples;
use crate::state::{Frame, Section, State, Thread};
use fencepost_ir::cfg::{
    Address, Choices, Count, Dest, Edge, EdgeId, Expr, FenceKind, Instr, Loc, ObjectId, ProcId, Program,
    StartId, Storage,
};
use fencepost_ir::eval::{element, eval, rmw};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Fault, Scalar};
use fencepost_task::{Action, Failure, Step};

/// A program with any number of threads has no states of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameterized;

/// A program ready to run.
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    pub(crate) bases: Vec<u32>,
    /// Layouts of the program's objects and of allocated ones, to follow pointers.
    pub(crate) layouts: Vec<Layout>,
    pub(crate) heap_layouts: Vec<Layout>,
    /// The types of the cells that have numbers.
    pub(crate) cell_types: CellTypes,
    /// Whether the program may notice that an address is used again.
    pub(crate) reuses_addresses: bool,
    names: Vec<String>,
    /// What is tried of a choice among too many values.
    pub(crate) constants: Vec<i64>,
    pub(crate) forbidden: Vec<Forbidden>,
}

/// More values than this are not tried one by one.
const MAX_CHOICES: u128 = 1 << 16;

/// The cells that an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The first cell.
    pub loc: Loc,
    /// How many there are, one after the other.
    pub cells: u32,
    pub(crate) view: View,
}

/// How an access sees its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    /// One cell, of the access' own type.
    Same,
    /// One cell, equally wide but for example of different sign.
    As { cell: Scalar, access: Scalar },
    /// Several cells.
    Wide { access: Scalar },
}

impl Resolved {
    fn one(loc: Loc) -> Resolved {
        Resolved { loc, cells: 1, view: View::Same }
    }

    /// The cells.
    pub fn locs(self) -> impl Iterator<Item = Loc> {
        (0..self.cells).map(move |i| self.loc.plus(i))
    }
}

impl<'p> Machine<'p> {
    /// Prepares a program.
    pub fn new(program: &'p Program) -> Result<Machine<'p>, Parameterized> {
        let mut names = Vec::new();
        for start in &program.threads {
            match start.count {
                Count::Any => return Err(Parameterized),
                Count::Times(1) => names.push(start.name.clone()),
                Count::Times(n) => names.extend((1..=n).map(|i| format!("{}#{i}", start.name))),
            }
        }
        let labels = program.label_nodes();
        let forbidden = program.properties.iter().map(|p| Forbidden::resolve(&labels, p)).collect();
        let records = &program.records;
        let layouts: Vec<_> = program.objects.iter().map(|o| Layout::of_variable(records, &o.ty)).collect();
        let heap_layouts: Vec<_> = program.heap_types.iter().map(|h| Layout::new(records, &h.ty)).collect();
        Ok(Machine {
            program,
            bases: program.cell_bases(),
            cell_types: CellTypes::new(program),
            reuses_addresses: program.notices_reuse(),
            layouts,
            heap_layouts,
            names,
            constants: samples::constants(program),
            forbidden,
        })
    }

    /// The name of a thread in reports.
    pub fn thread_name(&self, state: &State, thread: usize) -> String {
        match self.names.get(thread) {
            Some(name) => name.clone(),
            None => {
                let procedure = state.threads[thread].frames[0].procedure;
                format!("{}@{thread}", self.program.procedure(procedure).name)
            }
        }
    }

    /// The first cell of an object.
    pub fn base(&self, object: ObjectId) -> u32 {
        self.bases[object.index()]
    }

    /// The cells with several initial values, and these.
    pub fn initial_choices(&self) -> Vec<(Loc, &'p Choices)> {
        let cells = self.program.objects.iter().flat_map(|o| o.init.iter());
        let numbered = cells.enumerate().map(|(i, choices)| (Loc::cell(i as u32), choices));
        numbered.filter(|(_, choices)| choices.single().is_none()).collect()
    }

    /// The initial state in which the given cells hold the given values, and the others their
    /// (first) initial value.
    pub fn initial(&self, chosen: &[(Loc, i64)]) -> State {
        let first = |c: &Choices| c.values().next().expect("the validator asks for a value");
        let mut cells: Vec<i64> =
            self.program.objects.iter().flat_map(|o| o.init.iter()).map(first).collect();
        for &(loc, value) in chosen {
            cells[loc.index()] = value;
        }
        let mut state = State {
            cells,
            elements: Vec::new(),
            heap: Vec::new(),
            first_heap: self.program.objects.len() as u32,
            threads: Vec::new(),
            section: None,
        };
        for (i, start) in self.program.threads.iter().enumerate() {
            let Count::Times(n) = start.count else { panic!("Machine::new refuses these") };
            for _ in 0..n {
                let thread = self.new_thread(Some(StartId(i as u32)), start.procedure, &start.args);
                state.threads.push(thread);
            }
        }
        state
    }

    fn new_thread(&self, start: Option<StartId>, procedure: ProcId, args: &[i64]) -> Thread {
        let registers = self.program.thread_registers.iter().map(|r| r.init).collect();
        let (frames, buffer) = (Vec::new(), Vec::new());
        let mut thread = Thread { start, frames, registers, buffer, ended: false, joined: false, result: 0 };
        self.push_frame(&mut thread, procedure, args, None);
        thread
    }

    fn push_frame(&self, thread: &mut Thread, id: ProcId, args: &[i64], call: Option<EdgeId>) {
        let procedure = self.program.procedure(id);
        let base = thread.registers.len() as u32;
        thread.registers.extend_from_slice(args);
        thread.registers.extend(procedure.registers[args.len()..].iter().map(|r| r.init));
        thread.frames.push(Frame { procedure: id, node: procedure.entry(), base, call });
    }

    /// The edge that a step of the thread follows.
    pub fn edge(&self, thread: &Thread, id: EdgeId) -> &'p Edge {
        self.program.procedure(thread.top().procedure).edge(id)
    }

    /// The cell that an address means to a thread.
    pub fn resolve(&self, state: &State, thread: usize, address: &Address) -> Result<Resolved, Fault> {
        let registers = &state.threads[thread];
        let (object, index) = match address {
            Address::Cell { object, index } => (*object, eval(index, registers)?),
            Address::Pointed { pointer, ty } => {
                return self.follow_pointer(state, eval(pointer, registers)?, *ty);
            }
        };
        let len = self.bases[object.index() + 1] - self.bases[object.index()];
        if len == 0 && self.program.object(object).ty.is_unbounded() {
            let loc = Loc::element(object, index).ok_or(Fault::Overflow)?;
            return Ok(Resolved::one(loc));
        }
        if !(0..i64::from(len)).contains(&index) {
            return Err(Fault::OutOfBounds { index, len });
        }
        Ok(Resolved::one(Loc::cell(self.bases[object.index()] + index as u32)))
    }

    fn follow_pointer(&self, state: &State, word: i64, ty: Scalar) -> Result<Resolved, Fault> {
        let (object, offset) = match pointer::target(word) {
            Target::Null => return Err(Fault::NullPointer),
            Target::Procedure(_) => return Err(Fault::WildPointer),
            Target::Object(object, offset) => (ObjectId(object), offset),
        };
        let (loc, found) = match self.program.objects.get(object.index()) {
            Some(named) => {
                let bytes = self.program.records.size(&named.ty);
                let found = self.layouts[object.index()].find(bytes, offset, ty)?;
                (Loc::cell(self.bases[object.index()] + found.first as u32), found)
            }
            None => {
                let allocated = state.heap_object(object).ok_or(Fault::WildPointer)?;
                if allocated.life == Life::Freed {
                    return Err(Fault::UseAfterFree);
                }
                let layout = &self.heap_layouts[allocated.ty.index()];
                let found = layout.find(allocated.bytes, offset, ty)?;
                (Loc::element(object, found.first as i64).ok_or(Fault::Overflow)?, found)
            }
        };
        let Found { count, cell, mixes_pointers, .. } = found;
        if mixes_pointers && !self.program.exposes_pointers {
            return Err(Fault::MixedSize);
        }
        let view = match count {
            1 if cell == ty => View::Same,
            1 => View::As { cell, access: ty },
            _ => View::Wide { access: ty },
        };
        Ok(Resolved { loc, cells: count, view })
    }

    /// The type of a cell of an allocated object.
    pub fn heap_cell_type(&self, object: &HeapObject, number: usize) -> Scalar {
        self.heap_layouts[object.ty.index()].cell(object.bytes, number).ty
    }

    /// The type of the value that an access through the address reads or writes.
    pub(crate) fn access_type(&self, address: &Address, resolved: Option<Resolved>) -> Scalar {
        match (address, resolved) {
            (Address::Pointed { ty, .. }, _) => *ty,
            (Address::Cell { object, .. }, resolved) => match self.program.object(*object).ty.leaf() {
                Some(leaf) => leaf,
                None => {
                    let cell = resolved.and_then(|r| self.program.cell_type(r.loc));
                    cell.unwrap_or(Scalar::Integer)
                }
            },
        }
    }

    /// All steps that are possible in a state.
    pub fn steps(&self, memory: &impl Memory, state: &State, steps: &mut Vec<Step>) {
        for thread in 0..state.threads.len() {
            self.thread_steps(memory, state, thread, steps);
            self.memory_steps(memory, state, thread, steps);
        }
    }

    /// The steps of one thread, without those of its buffer.
    pub fn thread_steps(&self, memory: &impl Memory, state: &State, index: usize, steps: &mut Vec<Step>) {
        let thread = &state.threads[index];
        if thread.ended || !memory.may_step(state, index) {
            return;
        }
        let top = thread.top();
        for (id, edge) in self.program.procedure(top.procedure).out(top.node) {
            if !self.enabled(memory, state, index, &edge.instr) {
                continue;
            }
            let step = |choice| Step { thread: index as u32, action: Action::Edge(id, choice) };
            match &edge.instr {
                // A few of them may show an error; that there are more is a limit.
                Instr::Havoc(_, choices) if choices.count() > MAX_CHOICES => {
                    steps.extend(self.samples(choices).map(|v| step(Some(v))));
                    steps.push(step(None));
                }
                Instr::Havoc(_, choices) => steps.extend(choices.values().map(|v| step(Some(v)))),
                // Memory that was never written holds anything.
                Instr::Load(_, address) => match self.unwritten(state, index, address) {
                    Some(choices) if choices.count() <= MAX_CHOICES => {
                        steps.extend(choices.values().map(|v| step(Some(v))));
                    }
                    Some(choices) => {
                        steps.extend(self.samples(&choices).map(|v| step(Some(v))));
                        steps.push(step(None));
                    }
                    None => steps.push(step(None)),
                },
                // A new address, or that of an object that is gone.
                Instr::Allocate { ty, bytes, storage: Storage::Heap, .. } if self.reuses_addresses => {
                    steps.push(step(None));
                    if let Ok(bytes) = eval(bytes, thread) {
                        let gone = self.reusable(state, *ty, bytes).into_iter();
                        steps.extend(gone.map(|object| step(Some(object.0.into()))));
                    }
                }
                _ => steps.push(step(None)),
            }
        }
    }

    /// The steps of one thread's buffer.
    pub fn memory_steps(&self, memory: &impl Memory, state: &State, index: usize, steps: &mut Vec<Step>) {
        if memory.may_flush(state, index) && !state.threads[index].ended {
            memory
                .memory_steps(state, index, &mut |action| steps.push(Step { thread: index as u32, action }));
        }
    }

    /// Whether a thread that may step can execute the instruction, failing included.
    fn enabled(&self, memory: &impl Memory, state: &State, index: usize, instr: &Instr) -> bool {
        let thread = &state.threads[index];
        if memory.drains(instr, thread.frames.len() == 1) && !memory.is_drained(state, index) {
            return false;
        }
        match instr {
            Instr::Assume(condition) => eval(condition, thread) != Ok(0),
            Instr::Load(_, address) => match self.resolve(state, index, address) {
                Ok(place) => place.locs().all(|loc| memory.load(state, index, loc).is_some()),
                Err(_) => true,
            },
            Instr::Lock(address) => match self.resolve(state, index, address) {
                Ok(Resolved { loc, .. }) => state.read(loc) == 0,
                Err(_) => true,
            },
            Instr::Join(_, handle) => match eval(handle, thread) {
                Ok(handle) => {
                    usize::try_from(handle).ok().and_then(|h| state.threads.get(h)).is_none_or(|t| t.ended)
                }
                Err(_) => true,
            },
            _ => true,
        }
    }

    /// Does an enabled step. After a failure the state is that before the step.
    pub fn apply(&self, memory: &impl Memory, state: &mut State, step: Step) -> Result<(), Failure> {
        let index = step.thread as usize;
        match step.action {
            Action::Edge(id, choice) => self.follow(memory, state, index, id, choice),
            Action::Older(id, value) => self.follow_older(memory, state, index, id, value),
            Action::Flush(loc) if state.is_freed(loc) => Err(Failure::Fault(Fault::UseAfterFree)),
            action => {
                memory.memory_step(state, index, action);
                Ok(())
            }
        }
    }

    fn follow_older(
        &self,
        memory: &impl Memory,
        state: &mut State,
        index: usize,
        id: EdgeId,
        value: i64,
    ) -> Result<(), Failure> {
        let address = self.edge(&state.threads[index], id).instr.address();
        let Some(address) = address else { return self.follow(memory, state, index, id, None) };
        let loc = self.resolve(state, index, address)?.loc;
        let newest = state.read(loc);
        state.write(loc, value);
        let followed = self.follow(memory, state, index, id, None);
        state.write(loc, newest);
        followed
    }

    fn follow(
        &self,
        memory: &impl Memory,
        state: &mut State,
        index: usize,
        id: EdgeId,
        choice: Option<i64>,
    ) -> Result<(), Failure> {
        let edge = self.edge(&state.threads[index], id);
        let thread = &mut state.threads[index];
        match &edge.instr {
            Instr::Nop | Instr::Choose | Instr::Fence(FenceKind::Full) => {}
            Instr::Assign(dest, value) => {
                let value = eval(value, thread)?;
                set(thread, dest, value)?;
            }
            Instr::Load(dest, address) => {
                let slot = slot(thread, dest)?;
                let place = self.resolve(state, index, address)?;
                let value = self.load(memory, state, index, place);
                let value = value.expect("only enabled loads are applied");
                state.threads[index].registers[slot] = match self.is_known(state, index, place) {
                    true => value?,
                    false => choice.ok_or(Failure::Fault(Fault::Unwritten))?,
                };
            }
            Instr::Store(address, value) => {
                let value = eval(value, thread)?;
                let place = self.resolve(state, index, address)?;
                let parts = self.parts(state, place, value)?;
                memory.store(state, index, &parts);
            }
            Instr::Rmw(dest, address, op) => {
                let place = self.resolve(state, index, address)?;
                if !place.locs().any(|loc| state.is_written(loc)) {
                    return Err(Failure::Fault(Fault::Unwritten));
                }
                let old = self.read(state, place)?;
                let ty = self.access_type(address, Some(place));
                let thread = &mut state.threads[index];
                let new = rmw(op, ty, old, thread)?;
                if let Some(dest) = dest {
                    set(thread, dest, old)?;
                }
                if let Some(new) = new {
                    let parts = self.parts(state, place, new)?;
                    parts.iter().for_each(|&(loc, value)| state.write(loc, value));
                }
            }
            Instr::Fence(FenceKind::StoreStore) => memory.store_store_fence(state, index),
            Instr::Assume(condition) => {
                eval(condition, thread)?;
            }
            Instr::Assert(condition, claim) => {
                if eval(condition, thread)? == 0 {
                    return Err(Failure::from(*claim));
                }
            }
            Instr::Havoc(dest, choices) => {
                let value = choice.ok_or(Failure::TooManyValues(choices.count()))?;
                set(thread, dest, value)?;
            }
            Instr::Lock(address) => {
                let Resolved { loc, .. } = self.resolve(state, index, address)?;
                state.write(loc, index as i64 + 1);
            }
            Instr::Unlock(address) => {
                let Resolved { loc, .. } = self.resolve(state, index, address)?;
                if state.read(loc) != index as i64 + 1 {
                    return Err(Failure::UnlockNotHeld);
                }
                state.write(loc, 0);
            }
            Instr::Spawn(dest, procedure, args, _) => {
                let args = evaluate(args, thread)?;
                let handle = state.threads.len();
                if handle > usize::from(u16::MAX) {
                    return Err(Failure::TooManyThreads);
                }
                if let Some(dest) = dest {
                    set(&mut state.threads[index], dest, handle as i64)?;
                }
                let child = self.new_thread(None, *procedure, &args);
                state.threads.push(child);
            }
            Instr::Own(dest) => set(thread, dest, index as i64)?,
            Instr::Join(dest, handle) => {
                let handle = eval(handle, thread)?;
                let joined = usize::try_from(handle).ok().and_then(|h| state.threads.get(h));
                let Some(joined) = joined else { return Err(Failure::JoinNoThread(handle)) };
                if joined.joined {
                    return Err(Failure::JoinTwice);
                }
                let result = joined.result;
                if let Some(dest) = dest {
                    set(&mut state.threads[index], dest, result)?;
                }
                state.threads[handle as usize].joined = true;
            }
            Instr::Allocate { dest, ty, bytes, fill, storage } => {
                let bytes = eval(bytes, thread)?;
                let dest = slot(thread, dest)?;
                let object = choice.map(|number| ObjectId(number as u32));
                let word = self.allocate(state, *ty, bytes, *fill, *storage, object)?;
                state.threads[index].registers[dest] = word;
            }
            Instr::Reallocate { dest, ty, pointer, bytes } => {
                let (word, bytes) = (eval(pointer, thread)?, eval(bytes, thread)?);
                let dest = slot(thread, dest)?;
                let new = self.reallocate(state, index, word, *ty, bytes)?;
                state.threads[index].registers[dest] = new;
            }
            Instr::Free(pointer, storage) => {
                let word = eval(pointer, thread)?;
                self.free(state, index, word, *storage)?;
            }
            Instr::Exit(value) => {
                let value = value.as_ref().map(|v| eval(v, thread)).transpose()?;
                end(state, index, value);
                return Ok(());
            }
            Instr::Halt => {
                for thread in 0..state.threads.len() {
                    if !state.threads[thread].ended {
                        state.threads[thread].buffer.clear();
                        end(state, thread, None);
                    }
                }
                state.section = None;
                return Ok(());
            }
            Instr::Call(dest, procedure, args) => {
                let args = evaluate(args, thread)?;
                if let Some(dest) = dest {
                    slot(thread, dest)?;
                }
                let caller = thread.frames.last_mut().expect("a thread keeps its outermost frame");
                caller.node = edge.to;
                self.push_frame(thread, *procedure, &args, Some(id));
                return Ok(());
            }
            Instr::Return(value) => {
                let value = value.as_ref().map(|v| eval(v, thread)).transpose()?;
                if thread.frames.len() == 1 {
                    thread.frames[0].node = edge.to;
                    end(state, index, value);
                } else {
                    self.pop_frame(thread, value)?;
                }
                return Ok(());
            }
            Instr::AtomicBegin(_) => match &mut state.section {
                Some(section) => section.depth += 1,
                none => *none = Some(Section { owner: index as u32, depth: 1 }),
            },
            Instr::AtomicEnd(_) => match &mut state.section {
                Some(section) if section.depth > 1 => section.depth -= 1,
                Some(_) => state.section = None,
                None => return Err(Failure::AtomicEndOutside),
            },
        }
        let top = state.threads[index].frames.last_mut().expect("a thread keeps its outermost frame");
        top.node = edge.to;
        Ok(())
    }

    fn pop_frame(&self, thread: &mut Thread, value: Option<i64>) -> Result<(), Failure> {
        let callee = thread.frames.pop().expect("only called with two frames or more");
        thread.registers.truncate(callee.base as usize);
        let call = callee.call.expect("an inner frame knows its call");
        let Instr::Call(dest, ..) = &self.edge(thread, call).instr else {
            panic!("a frame's call edge carries a call")
        };
        if let (Some(dest), Some(value)) = (dest, value) {
            set(thread, dest, value)?;
        }
        Ok(())
    }
}

/// The thread ends with all that it has in its outermost frame.
fn end(state: &mut State, index: usize, result: Option<i64>) {
    let thread = &mut state.threads[index];
    if let Some(inner) = thread.frames.get(1) {
        thread.registers.truncate(inner.base as usize);
        thread.frames.truncate(1);
    }
    thread.ended = true;
    thread.result = result.unwrap_or(0);
    state.section = state.section.filter(|section| section.owner as usize != index);
}

fn slot(thread: &Thread, dest: &Dest) -> Result<usize, Failure> {
    Ok(match dest {
        Dest::Reg(reg) => thread.slot(*reg),
        Dest::At { base, len, index } => thread.slot(
            element(*base, *len, eval(index, thread).map_err(Failure::Fault)?).map_err(Failure::Fault)?,
        ),
    })
}

fn set(thread: &mut Thread, dest: &Dest, value: i64) -> Result<(), Failure> {
    let slot = slot(thread, dest)?;
    thread.registers[slot] = value;
    Ok(())
}

fn evaluate(exprs: &[Expr], thread: &Thread) -> Result<Vec<i64>, Failure> {
    exprs.iter().map(|e| eval(e, thread).map_err(Failure::Fault)).collect()
}
