//! What the threads of a loop-free program can do, and where their reads take values from.
//!
//! Executions are built event by event. A thread runs by itself up to its next read; when all wait at
//! reads, every one of them is tried with every write that is there already. That finds all executions
//! that SC, TSO and PSO allow, because in all three po ∪ rf is acyclic (as RC11 asks of its own): a store is done after the loads
//! before it, so no value can come from a write that depends on it. Different orders of building lead to
//! the same execution; each is continued once.
//!
//! A read of several cells takes each of them from a write of its own, in all combinations.

use super::applicable::{refusal, unsupported};
use super::place::{Objects, Place};
use fencepost_ir::cfg::{
    Count, Dest, Edge, EdgeId, FenceKind, Instr, Loc, NodeId, ProcId, Program, Reg, StartId,
};
use fencepost_ir::eval::{Registers, element, eval, rmw};
use fencepost_ir::{Access, Fault, Span};
use fencepost_task::{Pace, Reason, Stop};
use std::collections::HashSet;
use std::rc::Rc;

/// The number of an event in its execution.
pub type EventId = usize;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write.
    Update,
    /// A read-modify-write that writes nothing: a compare-exchange that failed.
    Probe,
    /// A full fence.
    Fence,
    /// A store-store fence.
    StoreFence,
}

/// Where a read takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// What the cell held at first.
    Initial,
    /// A write.
    Event(EventId),
}

/// What an event does to one of its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The cell.
    pub loc: Loc,
    /// What is written.
    pub value: i64,
    /// For what reads.
    pub source: Source,
}

/// Something that a thread does with memory, at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Who.
    pub thread: usize,
    /// What.
    pub kind: Kind,
    /// What the program says of it.
    pub access: Access,
    /// Its place in the source.
    pub span: Span,
    /// Its cells; fences have none. Executions that grow from one share them.
    pub touches: Rc<[Touch]>,
}

impl Event {
    /// Whether it reads.
    pub fn reads(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Update | Kind::Probe)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::Update)
    }

    /// What it does to a cell, if that is one of its own.
    pub fn touch(&self, loc: Loc) -> Option<&Touch> {
        self.touches.iter().find(|touch| touch.loc == loc)
    }

    /// What it writes to a cell, if it does.
    pub fn write(&self, loc: Loc) -> Option<&Touch> {
        self.touch(loc).filter(|_| self.writes())
    }

    /// What it reads of a cell, if it does.
    pub fn read(&self, loc: Loc) -> Option<&Touch> {
        self.touch(loc).filter(|_| self.reads())
    }

    /// Whether two have a cell in common.
    pub fn meets(&self, other: &Event) -> bool {
        self.touches.iter().any(|touch| other.touch(touch.loc).is_some())
    }
}

/// How far a thread has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It can continue by itself.
    Runs,
    /// Control has come to this read.
    Reads(EdgeId),
    /// It goes no further.
    Stuck(Why),
    /// It has ended.
    Ended,
}

/// Why a thread goes no further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It waits forever.
    Waits,
    /// It failed here.
    Failed(Span),
}

#[derive(Clone)]
struct Thread {
    start: StartId,
    procedure: ProcId,
    node: NodeId,
    own: Vec<i64>,
    locals: Vec<i64>,
    progress: Progress,
    /// The choices that brought it here, to tell executions apart.
    history: Vec<u64>,
    events: Vec<EventId>,
}

impl Registers for Thread {
    fn get(&self, reg: Reg) -> i64 {
        match reg {
            Reg::Local(slot) => self.locals[slot as usize],
            Reg::Thread(slot) => self.own[slot as usize],
        }
    }
}

impl Thread {
    fn set(&mut self, dest: &Dest, value: i64) -> Result<(), Fault> {
        let reg = match dest {
            Dest::Reg(reg) => *reg,
            Dest::At { base, len, index } => element(*base, *len, eval(index, self)?)?,
        };
        match reg {
            Reg::Local(slot) => self.locals[slot as usize] = value,
            Reg::Thread(slot) => self.own[slot as usize] = value,
        }
        Ok(())
    }
}

/// An execution, complete or not.
#[derive(Clone)]
pub struct Execution {
    threads: Vec<Thread>,
    /// All events, each after those that it depends on.
    pub events: Vec<Event>,
}

impl Execution {
    /// The events of each thread, in program order.
    pub fn program_order(&self) -> impl Iterator<Item = &[EventId]> {
        self.threads.iter().map(|t| t.events.as_slice())
    }

    /// What a register of a started thread holds.
    pub fn register(&self, start: StartId, reg: Reg) -> i64 {
        let thread = self.threads.iter().find(|t| t.start == start);
        thread.expect("a register is observed of a thread that runs").get(reg)
    }

    /// Bytes that it takes, roughly, and what tells it from others.
    fn bytes(&self) -> u64 {
        let registers =
            |t: &Thread| 8 * (t.own.len() + t.locals.len() + 2 * t.history.len() + t.events.len());
        let threads: usize = self.threads.iter().map(|t| size_of::<Thread>() + registers(t)).sum();
        (threads + self.events.len() * (size_of::<Event>() + size_of::<Touch>())) as u64
    }

    /// Whether all threads have ended.
    pub fn is_complete(&self) -> bool {
        self.threads.iter().all(|t| t.progress == Progress::Ended)
    }

    /// Where a thread failed. If what it read is to blame, the read is among the events.
    pub fn failure(&self) -> Option<Span> {
        self.threads.iter().find_map(|thread| match thread.progress {
            Progress::Stuck(Why::Failed(span)) => Some(span),
            Progress::Stuck(Why::Waits) | Progress::Runs | Progress::Reads(_) | Progress::Ended => None,
        })
    }

    /// The thread goes no further.
    fn stop(&mut self, thread: usize, why: Why) {
        self.threads[thread].progress = Progress::Stuck(why);
        self.threads[thread].history.push(u64::MAX);
    }

    fn add(&mut self, event: Event) {
        self.threads[event.thread].events.push(self.events.len());
        self.events.push(event);
    }

    /// What tells this execution from others: the choices of each thread.
    fn key(&self) -> Vec<u64> {
        let mut key = Vec::new();
        for thread in &self.threads {
            key.push(thread.history.len() as u64);
            key.extend_from_slice(&thread.history);
        }
        key
    }
}

/// What becomes of an execution when a thread continues.
enum Next {
    /// It went on.
    Moved,
    /// It waits at a read or has ended.
    Waits,
    /// It goes no further: no final state comes of this.
    Stuck(Why),
    /// Several ways to continue, each an execution.
    Split(Vec<Execution>),
}

/// Longer programs have more executions than anybody can look at, and each takes the square of their length.
const MOST_STEPS: usize = 2048;

/// What becomes of executions in which a thread waits forever or fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfinished {
    /// They have no final state, and are dropped.
    Dropped,
    /// The other threads run on.
    Kept,
}

/// All executions of a program from one initial memory.
pub struct Enumeration<'a> {
    program: &'a Program,
    unfinished: Unfinished,
    initial: &'a [i64],
    objects: Objects<'a>,
    seen: HashSet<Vec<u64>>,
}

/// A read's or write's code in a thread's history: an event as (thread, number in it).
fn code(execution: &Execution, source: Source) -> u64 {
    match source {
        Source::Initial => 0,
        Source::Event(id) => {
            let thread = execution.events[id].thread;
            let position = execution.threads[thread].events.iter().position(|e| *e == id);
            1 + ((thread as u64) << 32 | position.expect("an event belongs to its thread") as u64)
        }
    }
}

impl<'a> Enumeration<'a> {
    /// Prepares the enumeration, or says why the program is not for it.
    pub fn new(program: &'a Program, initial: &'a [i64], unfinished: Unfinished) -> Result<Self, Reason> {
        let mut accesses = 0;
        for start in &program.threads {
            let Count::Times(times) = start.count else { return Err(refusal("any number of threads")) };
            // There are no loops, so each is one event at most.
            accesses += times as usize * program.procedure(start.procedure).edges().len();
            if accesses > MOST_STEPS {
                return Err(refusal(&format!("threads of more than {MOST_STEPS} steps together")));
            }
            if let Some(reason) = unsupported(program, program.procedure(start.procedure)) {
                return Err(reason);
            }
        }
        let objects = Objects::new(program);
        Ok(Enumeration { program, unfinished, initial, objects, seen: HashSet::new() })
    }

    /// Calls `see` on every execution that goes no further.
    pub fn run<E: From<Stop>>(
        &mut self,
        pace: &mut Pace,
        see: &mut dyn FnMut(&Execution, &mut Pace) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut threads = Vec::new();
        for (i, start) in self.program.threads.iter().enumerate() {
            let procedure = self.program.procedure(start.procedure);
            let Count::Times(n) = start.count else { panic!("refused before") };
            let rest = procedure.registers[start.args.len()..].iter().map(|r| r.init);
            let thread = Thread {
                start: StartId(i as u32),
                procedure: start.procedure,
                node: procedure.entry(),
                own: self.program.thread_registers.iter().map(|r| r.init).collect(),
                locals: start.args.iter().copied().chain(rest).collect(),
                progress: Progress::Runs,
                history: Vec::new(),
                events: Vec::new(),
            };
            threads.extend(vec![thread; n as usize]);
        }
        let mut work = vec![Execution { threads, events: Vec::new() }];
        while let Some(mut execution) = work.pop() {
            // Those that were seen take a part of what they took when they were continued.
            let held = (work.len() + self.seen.len() / 4) as u64 * execution.bytes();
            pace.work(1 + execution.events.len() as u64, || held)?;
            if !self.advance(&mut execution, &mut work) {
                continue;
            }
            if execution.threads.iter().all(|t| matches!(t.progress, Progress::Ended | Progress::Stuck(_))) {
                see(&execution, pace)?;
                continue;
            }
            for thread in 0..execution.threads.len() {
                self.read(&execution, thread, pace, &mut work)?;
            }
        }
        Ok(())
    }

    /// Runs every thread to its next read; false if nothing comes of this execution, or if it went
    /// into `work` in parts.
    fn advance(&mut self, execution: &mut Execution, work: &mut Vec<Execution>) -> bool {
        let mut thread = 0;
        while thread < execution.threads.len() {
            match self.step(execution, thread) {
                Next::Moved => {}
                Next::Waits => thread += 1,
                Next::Stuck(why) if self.unfinished == Unfinished::Kept => execution.stop(thread, why),
                Next::Stuck(_) => return false,
                Next::Split(parts) => {
                    for part in parts {
                        if self.seen.insert(part.key()) {
                            work.push(part);
                        }
                    }
                    return false;
                }
            }
        }
        true
    }

    fn step(&self, execution: &mut Execution, index: usize) -> Next {
        let thread = &execution.threads[index];
        if thread.progress != Progress::Runs {
            return Next::Waits;
        }
        let procedure = self.program.procedure(thread.procedure);
        let enabled = |edge: &Edge| match &edge.instr {
            Instr::Assume(condition) => eval(condition, thread) != Ok(0),
            _ => true,
        };
        let edges: Vec<(EdgeId, &Edge)> = procedure.out(thread.node).filter(|(_, e)| enabled(e)).collect();
        match edges[..] {
            [] => Next::Stuck(Why::Waits),
            [(id, edge)] => self.follow(execution, index, id, edge),
            _ => {
                // A choice of control: each way is an execution of its own, up to the chosen edge.
                let mut parts = Vec::new();
                for (id, edge) in edges {
                    let mut part = execution.clone();
                    part.threads[index].history.push(1 << 63 | u64::from(id.0));
                    match self.follow(&mut part, index, id, edge) {
                        Next::Stuck(why) => parts.extend(self.stopped(part, index, why)),
                        Next::Split(split) => parts.extend(split),
                        Next::Moved | Next::Waits => parts.push(part),
                    }
                }
                Next::Split(parts)
            }
        }
    }

    /// Whether anybody looks at what comes of an execution.
    fn is_kept(&self, execution: &Execution) -> bool {
        self.unfinished == Unfinished::Kept || execution.failure().is_none()
    }

    /// What is left of an execution in which a thread goes no further.
    fn stopped(&self, mut execution: Execution, thread: usize, why: Why) -> Option<Execution> {
        execution.stop(thread, why);
        (self.unfinished == Unfinished::Kept).then_some(execution)
    }

    /// Does what an edge says; a read waits.
    fn follow(&self, execution: &mut Execution, index: usize, id: EdgeId, edge: &Edge) -> Next {
        let done = |execution: &mut Execution, event: Option<(Kind, Vec<Touch>)>| {
            execution.threads[index].node = edge.to;
            if let Some((kind, touches)) = event {
                let (access, span) = (edge.access, edge.span);
                execution.add(Event { thread: index, kind, access, span, touches: touches.into() });
            }
            Next::Moved
        };
        let failed = Next::Stuck(Why::Failed(edge.span));
        let thread = &mut execution.threads[index];
        match &edge.instr {
            Instr::Nop | Instr::Choose => done(execution, None),
            Instr::Assign(dest, value) => {
                let Ok(()) = eval(value, thread).and_then(|v| thread.set(dest, v)) else {
                    return failed;
                };
                done(execution, None)
            }
            Instr::Assume(condition) => match eval(condition, thread) {
                Ok(0) => Next::Stuck(Why::Waits),
                Err(_) => failed,
                Ok(_) => done(execution, None),
            },
            Instr::Assert(condition, _) => match eval(condition, thread) {
                Ok(0) | Err(_) => failed,
                Ok(_) => done(execution, None),
            },
            Instr::Store(address, value) => {
                let (Ok(place), Ok(value)) = (self.objects.resolve(thread, address), eval(value, thread))
                else {
                    return failed;
                };
                let Some(parts) = place.split(value) else { return failed };
                let touch = |(loc, value)| Touch { loc, value, source: Source::Initial };
                done(execution, Some((Kind::Write, parts.into_iter().map(touch).collect())))
            }
            Instr::Fence(FenceKind::Full) => done(execution, Some((Kind::Fence, Vec::new()))),
            Instr::Fence(FenceKind::StoreStore) => done(execution, Some((Kind::StoreFence, Vec::new()))),
            Instr::Return(_) | Instr::Exit(_) => {
                thread.progress = Progress::Ended;
                Next::Waits
            }
            Instr::Havoc(dest, choices) => {
                let mut parts = Vec::new();
                for value in choices.values() {
                    let mut part = execution.clone();
                    let thread = &mut part.threads[index];
                    thread.history.push(value as u64);
                    if thread.set(dest, value).is_ok() {
                        thread.node = edge.to;
                        parts.push(part);
                    } else {
                        parts.extend(self.stopped(part, index, Why::Failed(edge.span)));
                    }
                }
                Next::Split(parts)
            }
            Instr::Load(..) | Instr::Rmw(..) => {
                thread.progress = Progress::Reads(id);
                Next::Waits
            }
            other => panic!("refused before: {other:?}"),
        }
    }

    /// Lets a thread that waits at a read do it, in all ways.
    fn read(
        &mut self,
        execution: &Execution,
        index: usize,
        pace: &mut Pace,
        work: &mut Vec<Execution>,
    ) -> Result<(), Stop> {
        let thread = &execution.threads[index];
        let Progress::Reads(id) = thread.progress else { return Ok(()) };
        let edge = self.program.procedure(thread.procedure).edge(id);
        let address = edge.instr.address().expect("reads have addresses");
        let Ok(place) = self.objects.resolve(thread, address) else {
            let stopped = self.stopped(execution.clone(), index, Why::Failed(edge.span));
            work.extend(stopped.filter(|part| self.seen.insert(part.key())));
            return Ok(());
        };
        // Each cell takes its value from a write of its own.
        let mut choices: Vec<Vec<Touch>> = vec![Vec::new()];
        for loc in place.locs() {
            let seen = self.seen_in(execution, index, loc);
            pace.work((choices.len() * seen.len() + execution.events.len() / 16) as u64, || 0)?;
            let with = |taken: &Vec<Touch>, touch: &Touch| [&taken[..], &[*touch]].concat();
            choices = choices.iter().flat_map(|taken| seen.iter().map(move |t| with(taken, t))).collect();
        }
        for taken in choices {
            pace.take(2 * execution.bytes(), || 0)?;
            let part = read_from(execution, index, edge, &place, taken).filter(|part| self.is_kept(part));
            work.extend(part.filter(|part| self.seen.insert(part.key())));
        }
        Ok(())
    }

    /// The writes that a thread may see in a cell, with the values that they wrote.
    fn seen_in(&self, execution: &Execution, thread: usize, loc: Loc) -> Vec<Touch> {
        let initial = if loc.as_element().is_some() { 0 } else { self.initial[loc.index()] };
        let writes = execution.events.iter().enumerate();
        let writes = writes.filter_map(|(id, e)| Some((Source::Event(id), e.write(loc)?.value)));
        let all = std::iter::once((Source::Initial, initial)).chain(writes);
        // What the thread has itself written the cell after, it cannot see any more.
        let own = execution.threads[thread].events.iter().rev();
        let newest = own.copied().find(|id| execution.events[*id].write(loc).is_some());
        let visible = all.filter(|(source, _)| match (newest, *source) {
            (None, _) => true,
            (Some(_), Source::Initial) => false,
            (Some(newest), Source::Event(id)) => execution.events[id].thread != thread || id == newest,
        });
        visible.map(|(source, value)| Touch { loc, value, source }).collect()
    }
}

/// What becomes of an execution when a thread reads these values: if they are an error of the program, it stops there. `None` if
/// another read-modify-write is where this one would.
fn read_from(
    execution: &Execution,
    index: usize,
    edge: &Edge,
    place: &Place,
    mut taken: Vec<Touch>,
) -> Option<Execution> {
    let mut part = execution.clone();
    let thread = &mut part.threads[index];
    thread.history.extend(taken.iter().map(|touch| code(execution, touch.source)));
    thread.node = edge.to;
    thread.progress = Progress::Runs;
    let read = done(thread, edge, place, &taken);
    let kind = match (&read, &edge.instr) {
        (Some(Done::Read), _) | (None, Instr::Load(..)) => Kind::Read,
        (Some(Done::Probe), _) => Kind::Probe,
        (Some(Done::Update(_)), _) | (None, _) => Kind::Update,
    };
    // Two read-modify-writes cannot both come next after one write.
    let both = |e: &Event, touch: &Touch| e.write(touch.loc).is_some_and(|t| t.source == touch.source);
    let taken_before = |e: &Event| e.kind == Kind::Update && taken.iter().any(|touch| both(e, touch));
    if kind == Kind::Update && part.events.iter().any(taken_before) {
        return None;
    }
    match read {
        Some(Done::Update(written)) => {
            taken.iter_mut().zip(written).for_each(|(touch, (_, value))| touch.value = value);
        }
        Some(Done::Read | Done::Probe) => {}
        None => part.stop(index, Why::Failed(edge.span)),
    }
    let (access, span) = (edge.access, edge.span);
    part.add(Event { thread: index, kind, access, span, touches: taken.into() });
    Some(part)
}

/// What a read did.
enum Done {
    Read,
    Probe,
    /// It wrote this, too.
    Update(Vec<(Loc, i64)>),
}

/// Lets a thread take what it reads; `None` if it fails.
fn done(thread: &mut Thread, edge: &Edge, place: &Place, taken: &[Touch]) -> Option<Done> {
    let values: Vec<i64> = taken.iter().map(|touch| touch.value).collect();
    let value = place.joined(&values)?;
    let (done, dest) = match &edge.instr {
        Instr::Load(dest, _) => (Done::Read, Some(dest)),
        Instr::Rmw(dest, _, op) => match rmw(op, place.access, value, thread).ok()? {
            Some(new) => (Done::Update(place.split(new)?), dest.as_ref()),
            None => (Done::Probe, dest.as_ref()),
        },
        other => panic!("{other:?} does not read"),
    };
    if let Some(dest) = dest {
        thread.set(dest, value).ok()?;
    }
    Some(done)
}
