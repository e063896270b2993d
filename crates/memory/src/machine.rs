//! What all memory models share: control, registers, calls, threads, locks, atomic sections.
//!
//! [`Machine::steps`] lists what can happen in a state, [`Machine::apply`] does it,
//! [`Machine::event`] says what it means to the user. A step that fails (an assertion, a value
//! out of its range) is enabled: it is what the user wants to see.

use crate::model::Memory;
use crate::property::Forbidden;
use crate::state::{Frame, Section, State, Thread};
use fencepost_ir::cfg::{
    Address, Choices, Count, Dest, Edge, EdgeId, Expr, FenceKind, Instr, Loc, ObjectId, ProcId, Program, Reg,
    StartId,
};
use fencepost_ir::eval::{element, eval, rmw};
use fencepost_ir::{Fault, Scalar, Span};
use fencepost_task::{Action, Failure, Step};

/// A program with any number of threads has no states of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameterized;

/// A program ready to run.
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    bases: Vec<u32>,
    names: Vec<String>,
    pub(crate) forbidden: Vec<Forbidden>,
}

/// What happened, in the words of reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// A load.
    Load,
    /// A store; it may stay in the buffer.
    Store,
    /// A buffered store reaches memory.
    Flush,
    /// A read-modify-write.
    Rmw,
    /// A fence.
    Fence,
    /// A mutex is taken.
    Lock,
    /// A mutex is given back.
    Unlock,
    /// A thread is started.
    Spawn,
    /// A thread is waited for.
    Join,
    /// Something between registers.
    Local,
    /// An assertion.
    Assert,
    /// A register gets any value.
    Havoc,
    /// One of several alternatives.
    Choose,
    /// A call.
    Call,
    /// A return.
    Return,
    /// An atomic section begins.
    Begin,
    /// An atomic section ends.
    AtomicEnd,
    /// The thread ends.
    End,
}

impl EventKind {
    /// As JSON writes it.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Load => "load",
            EventKind::Store => "store",
            EventKind::Flush => "flush",
            EventKind::Rmw => "rmw",
            EventKind::Fence => "fence",
            EventKind::Lock => "lock",
            EventKind::Unlock => "unlock",
            EventKind::Spawn => "spawn",
            EventKind::Join => "join",
            EventKind::Local => "local",
            EventKind::Assert => "assert",
            EventKind::Havoc => "havoc",
            EventKind::Choose => "choose",
            EventKind::Call => "call",
            EventKind::Return => "return",
            EventKind::Begin => "begin",
            EventKind::AtomicEnd | EventKind::End => "end",
        }
    }
}

/// A step with what it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The cell it touched.
    pub loc: Option<Loc>,
    /// The value read (load), written (store, flush, read-modify-write, local), or chosen.
    pub value: Option<i64>,
    /// The value that a read-modify-write read.
    pub old: Option<i64>,
    /// Where it stands in the source; a flush has none.
    pub span: Span,
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
        let forbidden = program.properties.iter().map(|p| Forbidden::resolve(program, p)).collect();
        Ok(Machine { program, bases: program.cell_bases(), names, forbidden })
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
        let cells = self.program.objects.iter().flat_map(|o| &o.init);
        let numbered = cells.enumerate().map(|(i, choices)| (Loc::cell(i as u32), choices));
        numbered.filter(|(_, choices)| choices.single().is_none()).collect()
    }

    /// The initial state in which the given cells hold the given values, and the others their
    /// (first) initial value.
    pub fn initial(&self, chosen: &[(Loc, i64)]) -> State {
        let first = |c: &Choices| c.values().next().expect("the validator asks for a value");
        let mut cells: Vec<i64> = self.program.objects.iter().flat_map(|o| &o.init).map(first).collect();
        for &(loc, value) in chosen {
            cells[loc.index()] = value;
        }
        let mut state = State { cells, elements: Vec::new(), threads: Vec::new(), section: None };
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
        let mut thread = Thread { start, frames: Vec::new(), registers, buffer: Vec::new(), ended: false };
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
    pub fn resolve(&self, thread: &Thread, address: &Address) -> Result<Loc, Fault> {
        let len = self.bases[address.object.index() + 1] - self.bases[address.object.index()];
        let index = eval(&address.index, thread)?;
        if len == 0 && self.program.object(address.object).is_unbounded() {
            return Loc::element(address.object, index).ok_or(Fault::Overflow);
        }
        if !(0..i64::from(len)).contains(&index) {
            return Err(Fault::OutOfBounds { index, len });
        }
        Ok(Loc::cell(self.bases[address.object.index()] + index as u32))
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
                Instr::Havoc(_, choices) => steps.extend(choices.values().map(|v| step(Some(v)))),
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
            Instr::Load(_, address) => match self.resolve(thread, address) {
                Ok(loc) => memory.load(state, index, loc).is_some(),
                Err(_) => true,
            },
            Instr::Lock(address) => match self.resolve(thread, address) {
                Ok(loc) => state.read(loc) == 0,
                Err(_) => true,
            },
            Instr::Join(handle) => match eval(handle, thread) {
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
            action => {
                memory.memory_step(state, index, action);
                Ok(())
            }
        }
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
                let loc = self.resolve(thread, address)?;
                let slot = slot(thread, dest)?;
                let value = memory.load(state, index, loc).expect("only enabled loads are applied");
                state.threads[index].registers[slot] = value;
            }
            Instr::Store(address, value) => {
                let loc = self.resolve(thread, address)?;
                let value = eval(value, thread)?;
                memory.store(state, index, loc, value);
            }
            Instr::Rmw(dest, address, op) => {
                let loc = self.resolve(thread, address)?;
                let old = state.read(loc);
                let thread = &mut state.threads[index];
                let new = rmw(op, self.program.object(address.object).ty, old, thread)?;
                if let Some(dest) = dest {
                    set(thread, dest, old)?;
                }
                if let Some(new) = new {
                    state.write(loc, new);
                }
            }
            Instr::Fence(FenceKind::StoreStore) => memory.store_store_fence(state, index),
            Instr::Assume(condition) => {
                eval(condition, thread)?;
            }
            Instr::Assert(condition) => {
                if eval(condition, thread)? == 0 {
                    return Err(Failure::Assertion);
                }
            }
            Instr::Havoc(dest, _) => set(thread, dest, choice.expect("a havoc step has its value"))?,
            Instr::Lock(address) => {
                let loc = self.resolve(thread, address)?;
                state.write(loc, index as i64 + 1);
            }
            Instr::Unlock(address) => {
                let loc = self.resolve(thread, address)?;
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
            Instr::Join(handle) => {
                let handle = eval(handle, thread)?;
                if usize::try_from(handle).map_or(true, |h| h >= state.threads.len()) {
                    return Err(Failure::JoinNoThread(handle));
                }
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
                    thread.ended = true;
                    thread.frames[0].node = edge.to;
                    state.section = state.section.filter(|section| section.owner as usize != index);
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

    /// What a step means, seen from the state before it.
    pub fn event(&self, memory: &impl Memory, before: &State, step: Step) -> Event {
        let index = step.thread as usize;
        let thread = &before.threads[index];
        let plain = |kind, span| Event { kind, loc: None, value: None, old: None, span };
        let (id, choice) = match step.action {
            Action::Edge(id, choice) => (id, choice),
            Action::Flush(loc) => {
                let value = thread.buffer.iter().find(|e| e.loc == loc).map(|e| e.value);
                return Event { loc: Some(loc), value, ..plain(EventKind::Flush, Span::NONE) };
            }
            Action::Propagate(loc) => return Event { loc: Some(loc), ..plain(EventKind::Flush, Span::NONE) },
            Action::Delete => return plain(EventKind::Flush, Span::NONE),
        };
        let edge = self.edge(thread, id);
        let event = |kind| plain(kind, edge.span);
        let loc = edge.instr.address().and_then(|a| self.resolve(thread, a).ok());
        match &edge.instr {
            Instr::Nop | Instr::Assume(_) => event(EventKind::Local),
            Instr::Choose => event(EventKind::Choose),
            Instr::Assign(_, value) => Event { value: eval(value, thread).ok(), ..event(EventKind::Local) },
            Instr::Load(..) => {
                let value = loc.and_then(|loc| memory.load(before, index, loc));
                Event { loc, value, ..event(EventKind::Load) }
            }
            Instr::Store(_, value) => {
                Event { loc, value: eval(value, thread).ok(), ..event(EventKind::Store) }
            }
            Instr::Rmw(_, address, op) => {
                let old = loc.map(|loc| before.read(loc));
                let ty = self.program.object(address.object).ty;
                let new = old.and_then(|old| rmw(op, ty, old, thread).ok());
                Event { loc, value: new.flatten().or(old), old, ..event(EventKind::Rmw) }
            }
            Instr::Fence(_) => event(EventKind::Fence),
            Instr::Assert(condition) => {
                Event { value: eval(condition, thread).ok(), ..event(EventKind::Assert) }
            }
            Instr::Havoc(..) => Event { value: choice, ..event(EventKind::Havoc) },
            Instr::Lock(_) => Event { loc, ..event(EventKind::Lock) },
            Instr::Unlock(_) => Event { loc, ..event(EventKind::Unlock) },
            Instr::Spawn(..) => Event { value: Some(before.threads.len() as i64), ..event(EventKind::Spawn) },
            Instr::Join(handle) => Event { value: eval(handle, thread).ok(), ..event(EventKind::Join) },
            Instr::Call(..) => event(EventKind::Call),
            Instr::Return(_) if thread.frames.len() == 1 => event(EventKind::End),
            Instr::Return(value) => {
                let value = value.as_ref().and_then(|v| eval(v, thread).ok());
                Event { value, ..event(EventKind::Return) }
            }
            Instr::AtomicBegin(_) => event(EventKind::Begin),
            Instr::AtomicEnd(_) => event(EventKind::AtomicEnd),
        }
    }

    /// The type of the value that an event shows.
    pub fn value_type(&self, before: &State, step: Step) -> Scalar {
        let thread = &before.threads[step.thread as usize];
        match step.action {
            Action::Edge(id, _) => {
                let edge = self.edge(thread, id);
                match (&edge.instr, edge.instr.address(), edge.instr.dest()) {
                    (Instr::Spawn(..) | Instr::Join(_), _, _) => Scalar::Thread,
                    (Instr::Assert(_), _, _) => Scalar::Bool,
                    (Instr::Return(_), _, _) => {
                        self.program.procedure(thread.top().procedure).result.unwrap_or(Scalar::Integer)
                    }
                    (_, Some(address), _) => self.program.object(address.object).ty,
                    (_, None, Some(Dest::Reg(reg) | Dest::At { base: reg, .. })) => {
                        self.register_type(thread, *reg)
                    }
                    (_, None, None) => Scalar::Integer,
                }
            }
            Action::Flush(loc) | Action::Propagate(loc) => self.program.object_of(loc).ty,
            Action::Delete => Scalar::Integer,
        }
    }

    fn register_type(&self, thread: &Thread, reg: Reg) -> Scalar {
        match reg {
            Reg::Local(slot) => self.program.procedure(thread.top().procedure).registers[slot as usize].ty,
            Reg::Thread(slot) => self.program.thread_registers[slot as usize].ty,
        }
    }
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
