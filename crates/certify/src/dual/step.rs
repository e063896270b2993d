//! What one thread can do at a place, whatever the others do: operations on memory, and the places they
//! lead to. The steps themselves are those of the reference semantics, taken by a program in which
//! this thread is alone.
//!
//! A load may return any value of its cell's list; to see what follows, the cell is given each of
//! them in turn. Buffers stay empty in this: whether a load takes its value from the buffer or from
//! memory makes no difference to the thread, and where a step has to wait for an empty buffer, its
//! operation says so. For the same reason a section, which begins with an empty buffer and during which
//! no other thread acts, may run under SC: the values it reads first are its guard, those it writes last
//! its update.
//!
//! A mutex is 1 when somebody holds it. In the lone thread's memory it is 1 when the thread itself does,
//! which is what the reference semantics looks at; that others may hold it is in the guard.

use super::Stop;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{
    Drain, Edge, EdgeId, FenceKind, Instr, Loc, NodeId, ProcId, Program, Property, StartId,
};
use fencepost_memory::{Frame, Machine, Sc, State, Thread};
use fencepost_task::certificate::{
    CertifiedFrame, CertifiedGroup, CertifiedLife, CertifiedOp, CertifiedPlace, CertifiedVariable,
};
use fencepost_task::{Action, Error, Failure};
use std::collections::{BTreeMap, HashSet};

/// More states than this are not looked at inside one section.
const MAX_SECTION: usize = 200_000;

/// Where a step leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// To a place.
    Place(CertifiedPlace),
    /// To an error of the program.
    Failure(Error),
}

/// The program with one thread of a group and no other.
pub(super) fn alone(program: &Program, group: &CertifiedGroup) -> Program {
    let mut counts = vec![0; program.threads.len()];
    counts[group.starts[0] as usize] = 1;
    program.instantiated(&counts)
}

/// A lone thread.
pub(super) struct Alone<'p> {
    machine: Machine<'p>,
    start: StartId,
    types: Vec<Scalar>,
    variables: &'p [CertifiedVariable],
    /// Procedures and nodes that forbidden combinations speak of.
    labelled: HashSet<(ProcId, NodeId)>,
    has_final: bool,
}

/// What an operation has read and written of memory so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Seen {
    guard: BTreeMap<u32, u32>,
    update: BTreeMap<u32, u32>,
}

/// A step that was taken, and what its operation has seen with it.
type Taken = (Result<State, Failure>, Seen);

impl Seen {
    /// As an operation; what is written back unchanged is not written.
    fn atomic(&self) -> CertifiedOp {
        let guard = self.guard.iter().map(|(x, v)| (*x, *v)).collect();
        let changed = self.update.iter().filter(|(x, v)| self.guard.get(x) != Some(v));
        CertifiedOp::Atomic(guard, changed.map(|(x, v)| (*x, *v)).collect())
    }
}

impl<'p> Alone<'p> {
    /// `alone` is the program of [`alone`].
    pub(super) fn new(
        alone: &'p Program,
        group: &CertifiedGroup,
        variables: &'p [CertifiedVariable],
    ) -> Result<Alone<'p>, Stop> {
        let machine = Machine::new(alone).map_err(|_| "a lone thread has any number of others")?;
        let mut labelled = HashSet::new();
        let mut has_final = false;
        for property in &alone.properties {
            match property {
                Property::Forbid { together, .. } => {
                    for r in together.iter().flatten() {
                        labelled
                            .extend(alone.procedure(r.procedure).label(&r.label).map(|n| (r.procedure, n)));
                    }
                }
                Property::Final { .. } => has_final = true,
            }
        }
        let start = StartId(group.starts[0]);
        Ok(Alone { machine, start, types: alone.cell_types(), variables, labelled, has_final })
    }

    /// Where the thread begins.
    pub(super) fn initial(&self) -> CertifiedPlace {
        self.place(&self.machine.initial(&[]))
    }

    fn place(&self, state: &State) -> CertifiedPlace {
        let thread = &state.threads[0];
        let frame = |f: &Frame| CertifiedFrame {
            procedure: f.procedure.0,
            node: f.node.0,
            call: f.call.map(|c| c.0),
        };
        let mutexes = (0..self.types.len()).filter(|x| self.types[*x] == Scalar::Mutex);
        CertifiedPlace {
            frames: thread.frames.iter().map(frame).collect(),
            registers: thread.registers.clone(),
            held: mutexes.filter(|x| state.cells[*x] == 1).map(|x| x as u32).collect(),
            life: if thread.ended { CertifiedLife::Ended } else { CertifiedLife::Running },
        }
    }

    /// The lone thread at a place that `shape` has looked at.
    fn state(&self, place: &CertifiedPlace) -> State {
        let mut state = self.machine.initial(&[]);
        let mut base = self.machine.program.thread_registers.len() as u32;
        let mut frames = Vec::new();
        for frame in &place.frames {
            let procedure = ProcId(frame.procedure);
            frames.push(Frame { procedure, node: NodeId(frame.node), base, call: frame.call.map(EdgeId) });
            base += self.machine.program.procedure(procedure).registers.len() as u32;
        }
        let ended = place.life == CertifiedLife::Ended;
        let (registers, buffer) = (place.registers.clone(), Vec::new());
        state.threads = vec![Thread {
            start: Some(self.start),
            frames,
            registers,
            buffer,
            ended,
            joined: false,
            result: 0,
        }];
        for (x, ty) in self.types.iter().enumerate() {
            if *ty == Scalar::Mutex {
                state.cells[x] = i64::from(place.held.contains(&(x as u32)));
            }
        }
        state
    }

    /// All that the thread can do at a place, or why the format has no words for it.
    pub(super) fn steps(&self, place: &CertifiedPlace) -> Result<Vec<(CertifiedOp, Next)>, Stop> {
        let mut steps = Vec::new();
        if place.life != CertifiedLife::Running {
            return Ok(steps);
        }
        let state = self.state(place);
        let top = *state.threads[0].top();
        let outermost = state.threads[0].frames.len() == 1;
        for (id, edge) in self.machine.program.procedure(top.procedure).out(top.node) {
            let at = self.machine.program.sources.place(edge.span);
            let done = |stop: Stop| stop.map(|m| format!("{m} ({at})"));
            match &edge.instr {
                Instr::AtomicBegin(Drain::Yes) => self.section(&state, id, edge, &mut steps).map_err(done)?,
                Instr::AtomicBegin(Drain::No) => {
                    return Err(done("an atomic section that does not wait for an empty buffer".into()));
                }
                _ => {
                    for (result, seen) in self.follow(&state, &Seen::default(), id, edge).map_err(done)? {
                        let op = operation(&edge.instr, outermost, &seen);
                        steps.push((op, self.next(result).map_err(done)?));
                    }
                }
            }
        }
        Ok(steps)
    }

    fn next(&self, result: Result<State, Failure>) -> Result<Next, Stop> {
        match result {
            Ok(state) => Ok(Next::Place(self.place(&state))),
            Err(failure) => match failure.error() {
                Ok(error) => Ok(Next::Failure(error)),
                Err(limit) => Err(limit.to_string().into()),
            },
        }
    }

    /// Everything that a section can do as a whole.
    fn section(
        &self,
        state: &State,
        id: EdgeId,
        edge: &Edge,
        steps: &mut Vec<(CertifiedOp, Next)>,
    ) -> Result<(), Stop> {
        let mut work = Vec::new();
        let mut known = HashSet::new();
        for (result, seen) in self.follow(state, &Seen::default(), id, edge)? {
            work.push((result.map_err(|f| f.to_string())?, seen));
        }
        while let Some((state, seen)) = work.pop() {
            let top = *state.threads[0].top();
            if self.labelled.contains(&(top.procedure, top.node)) {
                return Err("a property speaks of a place inside an atomic section".into());
            }
            for (id, edge) in self.machine.program.procedure(top.procedure).out(top.node) {
                for (result, seen) in self.follow(&state, &seen, id, edge)? {
                    match result {
                        Ok(next) if next.section.is_some() => {
                            if known.insert((next.clone(), seen.clone())) {
                                work.push((next, seen));
                            }
                        }
                        Ok(next) => {
                            if edge.instr == Instr::AtomicEnd(Drain::No) && !seen.update.is_empty() {
                                return Err("an atomic section that does not empty the buffer".into());
                            }
                            steps.push((seen.atomic(), Next::Place(self.place(&next))));
                        }
                        Err(failure) => steps.push((seen.atomic(), self.next(Err(failure))?)),
                    }
                }
            }
            if known.len() > MAX_SECTION {
                return Err(Stop::TooLarge("an atomic section has too many states"));
            }
        }
        Ok(())
    }

    /// Takes an edge in every way: with each value for what it reads for the first time.
    fn follow(&self, state: &State, seen: &Seen, id: EdgeId, edge: &Edge) -> Result<Vec<Taken>, Stop> {
        let (reads, writes, of_mutex) = match &edge.instr {
            Instr::Spawn(..) | Instr::Join(..) | Instr::Own(_) => {
                return Err("threads that start, join or name threads".into());
            }
            Instr::Allocate { .. } | Instr::Reallocate { .. } | Instr::Free(..) => {
                return Err("allocated memory".into());
            }
            Instr::Halt if self.has_final => {
                return Err("a final condition on what a thread leaves when it ends the others".into());
            }
            Instr::Load(..) => (true, false, false),
            Instr::Store(..) => (false, true, false),
            Instr::Rmw(..) => (true, true, false),
            Instr::Lock(_) | Instr::Unlock(_) => (true, true, true),
            Instr::Nop
            | Instr::Choose
            | Instr::Assign(..)
            | Instr::Fence(_)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Havoc(..)
            | Instr::Call(..)
            | Instr::Return(_)
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_)
            | Instr::Exit(_)
            | Instr::Halt => (false, false, false),
        };
        let place = edge.instr.address().map(|address| self.machine.resolve(state, 0, address));
        let Some(Ok(place)) = place else {
            // Without a cell; or the address is an error, which the step will find.
            return Ok(self.run(state, id).into_iter().map(|result| (result, seen.clone())).collect());
        };
        if place.cells > 1 {
            return Err("an access to several cells".into());
        }
        let x = self.cell(place.loc, of_mutex)?;
        let mut ways = Vec::new();
        if !reads || seen.guard.contains_key(&x) || seen.update.contains_key(&x) {
            ways.push((state.clone(), seen.clone()));
        } else if of_mutex {
            // Another thread's mutex cannot be unlocked, whether or not it is held: no guard.
            let failing = matches!(edge.instr, Instr::Unlock(_)) && state.cells[x as usize] == 0;
            let mut seen = seen.clone();
            if !failing {
                seen.guard.insert(x, self.value(x, state.cells[x as usize])?);
            }
            ways.push((state.clone(), seen));
        } else {
            for (v, value) in self.variables[x as usize].values.iter().enumerate() {
                let (mut state, mut seen) = (state.clone(), seen.clone());
                state.cells[x as usize] = *value;
                seen.guard.insert(x, v as u32);
                ways.push((state, seen));
            }
        }
        let mut taken = Vec::new();
        for (state, seen) in ways {
            for result in self.run(&state, id) {
                let mut seen = seen.clone();
                if let Ok(next) = &result
                    && writes
                {
                    let written = next.cells[x as usize];
                    let listed = &self.variables[x as usize].values;
                    match listed.iter().position(|v| *v == written) {
                        Some(number) => drop(seen.update.insert(x, number as u32)),
                        // That this is never stored must be proved, as if it were an error.
                        None => {
                            taken.push((Err(Failure::Assertion), seen));
                            continue;
                        }
                    }
                }
                taken.push((result, seen));
            }
        }
        Ok(taken)
    }

    /// Takes the edge as the reference semantics does; a havoc has several results.
    fn run(&self, state: &State, id: EdgeId) -> Vec<Result<State, Failure>> {
        let mut steps = Vec::new();
        self.machine.thread_steps(&Sc, state, 0, &mut steps);
        steps.retain(|s| matches!(s.action, Action::Edge(edge, _) if edge == id));
        let take = |step| {
            let mut next = state.clone();
            self.machine.apply(&Sc, &mut next, step).map(|()| next)
        };
        steps.into_iter().map(take).collect()
    }

    fn cell(&self, loc: Loc, of_mutex: bool) -> Result<u32, Stop> {
        if loc.as_element().is_some() {
            return Err("an unbounded array".into());
        }
        let is_mutex = self.types.get(loc.index()).map(|ty| *ty == Scalar::Mutex);
        if is_mutex != Some(of_mutex) {
            return Err("a mutex used as a variable, or a variable as a mutex".into());
        }
        Ok(loc.index() as u32)
    }

    fn value(&self, x: u32, value: i64) -> Result<u32, Stop> {
        let number = self.variables[x as usize].values.iter().position(|v| *v == value);
        let name = || self.machine.program.cell_name(Loc::cell(x)).unwrap_or_default();
        let number = number.ok_or_else(|| format!("`{}` gets {value}, which is not in its list", name()))?;
        Ok(number as u32)
    }
}

/// What a step outside sections is to memory.
fn operation(instr: &Instr, outermost: bool, seen: &Seen) -> CertifiedOp {
    match instr {
        // An address that is an error is found before anything is read or written.
        Instr::Load(..) => seen.guard.first_key_value().map_or(CertifiedOp::Nop, |(x, v)| CertifiedOp::Read(*x, *v)),
        Instr::Store(..) => {
            seen.update.first_key_value().map_or(CertifiedOp::Nop, |(x, v)| CertifiedOp::Write(*x, *v))
        }
        Instr::Rmw(..) | Instr::Lock(_) | Instr::Unlock(_) => seen.atomic(),
        Instr::Fence(FenceKind::Full) | Instr::Exit(_) | Instr::Halt | Instr::AtomicEnd(Drain::Yes) => {
            CertifiedOp::Fence
        }
        Instr::Return(_) if outermost => CertifiedOp::Fence,
        Instr::Nop
        | Instr::Choose
        | Instr::Assign(..)
        | Instr::Fence(FenceKind::StoreStore)
        | Instr::Assume(_)
        | Instr::Assert(..)
        | Instr::Havoc(..)
        | Instr::Call(..)
        | Instr::Return(_)
        | Instr::AtomicEnd(Drain::No)
        // Not taken by `follow`, or taken as a section.
        | Instr::AtomicBegin(_)
        | Instr::Spawn(..)
        | Instr::Join(..)
        | Instr::Own(_)
        | Instr::Allocate { .. }
        | Instr::Reallocate { .. }
        | Instr::Free(..) => CertifiedOp::Nop,
    }
}
