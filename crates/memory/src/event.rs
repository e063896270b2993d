//! What a step means to the user: what it read, wrote and chose.

use crate::machine::Machine;
use crate::model::Memory;
use crate::state::{State, Thread, stores};
use fencepost_ir::cfg::{Dest, Instr, Loc, Reg};
use fencepost_ir::eval::{eval, rmw};
use fencepost_ir::{Scalar, Span, pointer};
use fencepost_task::{Action, Step};

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
    /// Memory is allocated.
    Alloc,
    /// Memory is given back.
    Free,
    /// The thread ends.
    End,
}

impl EventKind {
    /// All of them.
    pub const ALL: [EventKind; 20] = [
        EventKind::Load,
        EventKind::Store,
        EventKind::Flush,
        EventKind::Rmw,
        EventKind::Fence,
        EventKind::Lock,
        EventKind::Unlock,
        EventKind::Spawn,
        EventKind::Join,
        EventKind::Local,
        EventKind::Assert,
        EventKind::Havoc,
        EventKind::Choose,
        EventKind::Call,
        EventKind::Return,
        EventKind::Begin,
        EventKind::AtomicEnd,
        EventKind::Alloc,
        EventKind::Free,
        EventKind::End,
    ];

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
            EventKind::Alloc => "alloc",
            EventKind::Free => "free",
            EventKind::AtomicEnd | EventKind::End => "end",
        }
    }
}

/// A step with what it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The first cell it touched.
    pub loc: Option<Loc>,
    /// How many cells it touched.
    pub cells: u32,
    /// The value read (load), written (store, flush, read-modify-write, local), or chosen.
    pub value: Option<i64>,
    /// The value that a read-modify-write read.
    pub old: Option<i64>,
    /// Its place in the source; a flush has none.
    pub span: Span,
}

impl Event {
    /// The cells it touched.
    pub fn locs(&self) -> impl Iterator<Item = Loc> {
        let cells = self.cells;
        self.loc.into_iter().flat_map(move |loc| (0..cells).map(move |i| loc.plus(i)))
    }

    /// Whether it touched a cell.
    pub fn touches(&self, loc: Loc) -> bool {
        self.locs().any(|own| own == loc)
    }

    /// Whether both touched the same cell.
    pub fn meets(&self, other: &Event) -> bool {
        self.locs().any(|loc| other.touches(loc))
    }
}

impl Machine<'_> {
    /// What a step means, seen from the state before it.
    pub fn event(&self, memory: &impl Memory, before: &State, step: Step) -> Event {
        let index = step.thread as usize;
        let thread = &before.threads[index];
        let plain = |kind, span| Event { kind, loc: None, cells: 1, value: None, old: None, span };
        let (id, choice) = match step.action {
            Action::Edge(id, choice) => (id, choice),
            Action::Older(id, value) => {
                let edge = self.edge(thread, id);
                let place = edge.instr.address().and_then(|a| self.resolve(before, index, a).ok());
                let mut seen = before.clone();
                place.iter().for_each(|place| seen.write(place.loc, value));
                return self.event(memory, &seen, Step { action: Action::Edge(id, None), ..step });
            }
            Action::Flush(loc) => {
                let store = stores(&thread.buffer).find(|store| store[0].loc == loc);
                let value = store.map(|store| before.store_value(self.program, store).1);
                let cells = store.map_or(1, |store| store.len() as u32);
                return Event { loc: Some(loc), cells, value, ..plain(EventKind::Flush, Span::NONE) };
            }
            Action::Propagate(loc) => return Event { loc: Some(loc), ..plain(EventKind::Flush, Span::NONE) },
            Action::Delete => return plain(EventKind::Flush, Span::NONE),
        };
        let edge = self.edge(thread, id);
        let place = edge.instr.address().and_then(|a| self.resolve(before, index, a).ok());
        let (loc, cells) = (place.map(|p| p.loc), place.map_or(1, |p| p.cells));
        let event = |kind| Event { cells, ..plain(kind, edge.span) };
        match &edge.instr {
            Instr::Nop | Instr::Assume(_) => event(EventKind::Local),
            Instr::Choose => event(EventKind::Choose),
            Instr::Assign(_, value) => Event { value: eval(value, thread).ok(), ..event(EventKind::Local) },
            Instr::Load(..) => {
                let value = place.and_then(|p| self.load(memory, before, index, p)?.ok());
                Event { loc, value: choice.or(value), ..event(EventKind::Load) }
            }
            Instr::Store(_, value) => {
                Event { loc, value: eval(value, thread).ok(), ..event(EventKind::Store) }
            }
            Instr::Rmw(_, address, op) => {
                let old = place.and_then(|p| self.read(before, p).ok());
                let ty = self.access_type(address, place);
                let new = old.and_then(|old| rmw(op, ty, old, thread).ok());
                Event { loc, value: new.flatten().or(old), old, ..event(EventKind::Rmw) }
            }
            Instr::Fence(_) => event(EventKind::Fence),
            Instr::Assert(condition, _) => {
                Event { value: eval(condition, thread).ok(), ..event(EventKind::Assert) }
            }
            Instr::Own(_) => Event { value: Some(index as i64), ..event(EventKind::Local) },
            Instr::Havoc(..) => Event { value: choice, ..event(EventKind::Havoc) },
            Instr::Lock(_) => Event { loc, ..event(EventKind::Lock) },
            Instr::Unlock(_) => Event { loc, ..event(EventKind::Unlock) },
            Instr::Spawn(..) => Event { value: Some(before.threads.len() as i64), ..event(EventKind::Spawn) },
            Instr::Join(_, handle) => Event { value: eval(handle, thread).ok(), ..event(EventKind::Join) },
            Instr::Call(..) => event(EventKind::Call),
            Instr::Return(_) if thread.frames.len() == 1 => event(EventKind::End),
            Instr::Return(value) => {
                let value = value.as_ref().and_then(|v| eval(v, thread).ok());
                Event { value, ..event(EventKind::Return) }
            }
            Instr::AtomicBegin(_) => event(EventKind::Begin),
            Instr::AtomicEnd(_) => event(EventKind::AtomicEnd),
            Instr::Allocate { .. } | Instr::Reallocate { .. } => {
                let number = choice.map_or(before.next_object().0, |gone| gone as u32);
                let word = pointer::to_object(number, 0);
                Event { value: Some(word), ..event(EventKind::Alloc) }
            }
            Instr::Free(pointer, _) => Event { value: eval(pointer, thread).ok(), ..event(EventKind::Free) },
            Instr::Exit(_) | Instr::Halt => event(EventKind::End),
        }
    }

    /// The type of the value that an event shows.
    pub fn value_type(&self, before: &State, step: Step) -> Scalar {
        let thread = &before.threads[step.thread as usize];
        match step.action {
            Action::Edge(id, _) | Action::Older(id, _) => {
                let edge = self.edge(thread, id);
                match (&edge.instr, edge.instr.address(), edge.instr.dest()) {
                    (Instr::Spawn(..) | Instr::Join(..), _, _) => Scalar::Thread,
                    (Instr::Free(..), _, _) => Scalar::Pointer { bits: self.program.pointer_bits },
                    (Instr::Assert(..), _, _) => Scalar::Bool,
                    (Instr::Return(_), _, _) => {
                        self.program.procedure(thread.top().procedure).result.unwrap_or(Scalar::Integer)
                    }
                    (_, Some(address), _) => {
                        let place = self.resolve(before, step.thread as usize, address).ok();
                        self.access_type(address, place)
                    }
                    (_, None, Some(dest)) => self.dest_type(thread, dest),
                    (_, None, None) => Scalar::Integer,
                }
            }
            Action::Flush(loc) => match stores(&thread.buffer).find(|store| store[0].loc == loc) {
                Some(store) => before.store_value(self.program, store).0,
                None => before.cell_type(self.program, loc),
            },
            Action::Propagate(loc) => before.cell_type(self.program, loc),
            Action::Delete => Scalar::Integer,
        }
    }

    /// The type of what a destination holds; of an array, its first element's.
    fn dest_type(&self, thread: &Thread, dest: &Dest) -> Scalar {
        let (Dest::Reg(reg) | Dest::At { base: reg, .. }) = *dest;
        match reg {
            Reg::Local(slot) => self.program.procedure(thread.top().procedure).registers[slot as usize].ty,
            Reg::Thread(slot) => self.program.thread_registers[slot as usize].ty,
        }
    }
}
