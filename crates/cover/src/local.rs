//! A thread alone: every place, registers and all, that it can come to if each load may return any
//! value that its variable can ever hold.
//!
//! The sets of values are the least ones that contain the initial values and what any thread
//! writes in such a place; so each thread is explored again until no set grows. What comes out is
//! a finite graph, or the news that it is not finite, with the variable to blame.
//!
//! Mutexes hold 0 or 1 here: who holds one is part of the holder's place. An atomic section that
//! waits for the buffer at both ends becomes one step.

use crate::automaton::{Mark, Op, Value, Var};
use crate::domains::{Domains, MAX_VALUES, Values};
use crate::place::{Frame, Life, Place, Section, put, set};
use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{
    Address, Choices, Dest, Drain, EdgeId, FenceKind, Instr, NodeId, ObjectId, ProcId, Program, Property, Reg,
};
use fencepost_ir::eval::{element, eval, rmw};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Fault, Scalar};
use fencepost_task::{Budget, Failure, Pace, Reason};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What keeps a thread from being finite.
pub type Infinite = String;

/// More places of one thread than this are taken for infinitely many.
const MAX_PLACES: usize = 300_000;

/// A step of the program: an edge, and the value that a choice takes.
pub type ProgramStep = (EdgeId, Option<i64>);

/// A step of the graph, with the program's steps that it stands for: several for an atomic section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalStep {
    /// Where it starts.
    pub from: u32,
    /// What it does.
    pub op: Op,
    /// Where it leads.
    pub to: u32,
    /// What the program does.
    pub steps: Vec<ProgramStep>,
}

/// The places of a thread and the steps between them. Place 0 is the initial one.
#[derive(Clone, Debug)]
pub struct LocalGraph {
    /// The places.
    pub places: Vec<Place>,
    /// The steps.
    pub steps: Vec<LocalStep>,
}

/// Such a thread is not for this engine.
pub fn unfit(why: Infinite) -> Reason {
    Reason::NotApplicable(format!("dual needs finite threads, but {why}"))
}

/// A place where the thread stores a value outside the variable's set.
fn escaped(place: &Place) -> Place {
    Place { life: Life::Escaped, ..place.clone() }
}

/// What all threads of a program are explored with.
pub struct Explorer<'p> {
    program: &'p Program,
    liveness: Liveness,
    bases: Vec<u32>,
    types: Vec<Scalar>,
    /// Whether a property speaks of the end of all threads.
    ends_matter: bool,
    /// The nodes that properties speak of.
    watched: Vec<(ProcId, NodeId)>,
    /// The values so far.
    pub domains: Domains,
}

impl<'p> Explorer<'p> {
    /// Prepares a program.
    pub fn new(program: &'p Program, watched: Vec<(ProcId, NodeId)>) -> Result<Explorer<'p>, Infinite> {
        Ok(Explorer {
            program,
            liveness: Liveness::new(program),
            bases: program.cell_bases(),
            types: program.cell_types(),
            ends_matter: program.properties.iter().any(|p| matches!(p, Property::Final { .. })),
            watched,
            domains: Domains::new(program)?,
        })
    }

    /// Explores every thread of the program until no set of values grows, or may.
    pub fn run(
        &mut self,
        threads: &[(ProcId, Vec<i64>)],
        values: Values,
        budget: &Budget,
    ) -> Result<Vec<LocalGraph>, Reason> {
        for round in 0.. {
            self.domains.closed = matches!(values, Values::Rounds(n) if round >= n);
            let known: usize = self.domains.values.iter().map(Vec::len).sum();
            let graphs: Result<Vec<_>, _> =
                threads.iter().map(|(p, args)| self.explore(*p, args, budget)).collect();
            let graphs = graphs?;
            if let Some(cell) = self.domains.values.iter().position(|v| v.len() > values.most()) {
                return Err(unfit(self.too_many_values(cell)));
            }
            if self.domains.values.iter().map(Vec::len).sum::<usize>() == known {
                return Ok(graphs);
            }
        }
        unreachable!("sets that grow become too large")
    }

    fn too_many_values(&self, cell: usize) -> Infinite {
        let name = self.program.cell_name(fencepost_ir::cfg::Loc::cell(cell as u32)).unwrap_or_default();
        format!("`{name}` can hold more than {MAX_VALUES} values")
    }

    fn explore(&mut self, procedure: ProcId, args: &[i64], budget: &Budget) -> Result<LocalGraph, Reason> {
        let code = self.program.procedure(procedure);
        let mut registers: Vec<i64> = self.program.thread_registers.iter().map(|r| r.init).collect();
        let base = registers.len() as u32;
        registers.extend_from_slice(args);
        registers.extend(code.registers[args.len()..].iter().map(|r| r.init));
        let frame = Frame { procedure, node: code.entry(), base, call: None };
        let mut first =
            Place { frames: vec![frame], registers, held: Vec::new(), section: None, life: Life::Running };
        self.forget_dead(&mut first);
        let mut graph = LocalGraph { places: vec![first.clone()], steps: Vec::new() };
        let mut numbers = FxHashMap::from_iter([(first, 0u32)]);
        let mut work = VecDeque::from([0u32]);
        let mut pace = Pace::new(budget);
        while let Some(from) = work.pop_front() {
            let place = graph.places[from as usize].clone();
            let mut found = Vec::new();
            self.steps(&place, &mut found, &mut pace)?;
            pace.work(1 + found.len() as u64 + place.registers.len() as u64 / 32, || 0)?;
            for (op, to, steps) in found {
                let number = match numbers.get(&to) {
                    Some(number) => *number,
                    None => {
                        let number = graph.places.len() as u32;
                        if graph.places.len() >= MAX_PLACES {
                            return Err(unfit(self.too_many_places(&to)));
                        }
                        numbers.insert(to.clone(), number);
                        graph.places.push(to);
                        work.push_back(number);
                        number
                    }
                };
                graph.steps.push(LocalStep { from, op, to: number, steps });
            }
        }
        Ok(graph)
    }

    /// Names what grows: the deepest recursion, or the variable with the most values.
    fn too_many_places(&self, last: &Place) -> Infinite {
        let code = &self.program.procedure(last.top().procedure).name;
        if last.frames.len() > 64 {
            return format!("`{code}` calls itself without end");
        }
        let (cell, _) = self
            .domains
            .values
            .iter()
            .enumerate()
            .max_by_key(|(_, v)| v.len())
            .unwrap_or((0, &self.domains.values[0]));
        if self.domains.values[cell].len() > 64 {
            return self.too_many_values(cell);
        }
        format!("`{code}` has more than {MAX_PLACES} combinations of place and registers")
    }

    fn forget_dead(&self, place: &mut Place) {
        for frame in &place.frames {
            let live = self.liveness.live(frame.procedure, frame.node);
            let registers = &self.program.procedure(frame.procedure).registers;
            for slot in live.dead(registers.len() as u32) {
                place.registers[(frame.base + slot) as usize] = registers[slot as usize].init;
            }
        }
    }

    /// All steps from a place.
    fn steps(
        &mut self,
        place: &Place,
        found: &mut Vec<(Op, Place, Vec<ProgramStep>)>,
        pace: &mut Pace,
    ) -> Result<(), Reason> {
        if place.life != Life::Running {
            return Ok(());
        }
        let mut single = Vec::new();
        self.edges(place, &mut single).map_err(unfit)?;
        for (op, to, step) in single {
            if to.section.is_none() {
                found.push((op, self.settled(to), vec![step]));
            } else {
                self.section_steps(to, vec![step], found, pace)?;
            }
        }
        match self.domains.overfull {
            Some(cell) => Err(unfit(self.too_many_values(usize::from(cell)))),
            None => Ok(()),
        }
    }

    /// Runs a section to its end, in every way.
    fn section_steps(
        &mut self,
        inside: Place,
        steps: Vec<ProgramStep>,
        found: &mut Vec<(Op, Place, Vec<ProgramStep>)>,
        pace: &mut Pace,
    ) -> Result<(), Reason> {
        let mut work = vec![(inside, steps)];
        let mut seen = rustc_hash::FxHashSet::default();
        // What the places seen and the ways to those that wait take.
        let mut held = 0;
        while let Some((place, mut steps)) = work.pop() {
            if !seen.insert(place.clone()) {
                continue;
            }
            if seen.len() > MAX_PLACES {
                return Err(unfit("an atomic section has too many ways through it".to_string()));
            }
            if let Some(cell) = self.domains.overfull {
                return Err(unfit(self.too_many_values(usize::from(cell))));
            }
            if self.watched.contains(&(place.top().procedure, place.top().node)) {
                return Err(unfit("a property speaks of a place inside an atomic section".to_string()));
            }
            let section = place.section.clone().expect("only places inside wait");
            let mut single = Vec::new();
            if place.life == Life::Running {
                self.edges(&place, &mut single).map_err(unfit)?;
            }
            let ways = single.len();
            for (number, (_, mut to, step)) in single.into_iter().enumerate() {
                // The last way takes the row of steps with it, the others have copies.
                let last = number + 1 == ways;
                let mut steps = if last { std::mem::take(&mut steps) } else { steps.clone() };
                steps.push(step);
                let copied = if last { 1 } else { steps.len() } as u64 * size_of::<ProgramStep>() as u64;
                let bytes = copied + to.bytes();
                held += bytes;
                pace.work(1 + bytes / Pace::BYTES_A_UNIT, || held)?;
                let ended = to.section.is_none() || to.life != Life::Running;
                if ended {
                    let last = to.section.take().unwrap_or(section.clone());
                    found.push((Op::Atomic(last.guard, last.update), self.settled(to), steps));
                } else {
                    self.forget_dead(&mut to);
                    work.push((to, steps));
                }
            }
        }
        Ok(())
    }

    fn settled(&self, mut place: Place) -> Place {
        match place.life {
            Life::Running | Life::Ended => self.forget_dead(&mut place),
            // How it failed is all that counts.
            Life::Failed(_) | Life::Escaped => {
                place.held.clear();
                place.section = None;
                self.forget_dead(&mut place);
            }
        }
        place
    }

    fn failed(&self, place: &Place, failure: Failure) -> Result<Place, Infinite> {
        if failure == Failure::Fault(Fault::MixedSize) {
            return Err("memory is accessed in several sizes".to_string());
        }
        let error = failure.error().map_err(|limit| limit.to_string())?;
        Ok(Place { life: Life::Failed(error), ..place.clone() })
    }

    /// The steps of each edge out of a place, one at a time.
    fn edges(&mut self, place: &Place, found: &mut Vec<(Op, Place, ProgramStep)>) -> Result<(), Infinite> {
        let top = *place.top();
        let program = self.program;
        for (id, edge) in program.procedure(top.procedure).out(top.node) {
            let before = found.len();
            self.instruction(place, id, &edge.instr, edge.to, found).map_err(|reason| {
                let place = program.sources.place(edge.span);
                if reason.contains(" at ") { reason } else { format!("{reason} at {place}") }
            })?;
            debug_assert!(found[before..].iter().all(|(_, _, (e, _))| *e == id));
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        place: &Place,
        id: EdgeId,
        instr: &Instr,
        to: NodeId,
        found: &mut Vec<(Op, Place, ProgramStep)>,
    ) -> Result<(), Infinite> {
        let step = (id, None);
        let advanced = |mut next: Place| {
            next.frames.last_mut().expect("a thread keeps its outermost frame").node = to;
            next
        };
        let fail = |op: Op, fault: Failure, found: &mut Vec<_>| -> Result<(), Infinite> {
            found.push((op, self.failed(place, fault)?, step));
            Ok(())
        };
        match instr {
            Instr::Nop | Instr::Choose | Instr::Fence(FenceKind::StoreStore) => {
                found.push((Op::Nop, advanced(place.clone()), step));
            }
            Instr::Fence(FenceKind::Full) => found.push((self.drain(place), advanced(place.clone()), step)),
            Instr::Assign(dest, value) => match eval(value, place).and_then(|v| set(place, dest, v)) {
                Ok(next) => found.push((Op::Nop, advanced(next), step)),
                Err(fault) => fail(Op::Nop, fault.into(), found)?,
            },
            Instr::Assume(condition) => match eval(condition, place) {
                Ok(0) => {}
                Ok(_) => found.push((Op::Nop, advanced(place.clone()), step)),
                Err(fault) => fail(Op::Nop, fault.into(), found)?,
            },
            Instr::Assert(condition, claim) => match eval(condition, place) {
                Ok(0) => fail(Op::Nop, Failure::from(*claim), found)?,
                Ok(_) => found.push((Op::Nop, advanced(place.clone()), step)),
                Err(fault) => fail(Op::Nop, fault.into(), found)?,
            },
            Instr::Havoc(dest, choices) => {
                if choices.count() > MAX_VALUES as u128 {
                    return Err(format!("any of {} values is chosen", choices.count()));
                }
                for value in Choices::values(choices) {
                    match set(place, dest, value) {
                        Ok(next) => found.push((Op::Nop, advanced(next), (id, Some(value)))),
                        Err(fault) => {
                            found.push((Op::Nop, self.failed(place, fault.into())?, (id, Some(value))))
                        }
                    }
                }
            }
            Instr::Load(dest, address) => match self.resolve(place, address) {
                Err(fault) => fail(Op::Nop, fault.into(), found)?,
                Ok(var) => {
                    for (value, op, base) in self.reads(place, var) {
                        match set(&base, dest, value) {
                            Ok(next) => found.push((op, advanced(next), step)),
                            Err(fault) => found.push((op, self.failed(&base, fault.into())?, step)),
                        }
                    }
                }
            },
            Instr::Store(address, value) => {
                let target = eval(value, place).and_then(|v| Ok((self.resolve(place, address)?, v)));
                match target {
                    Err(fault) => fail(Op::Nop, fault.into(), found)?,
                    Ok((var, value)) => {
                        let Some(value) = self.domains.add(var, value) else {
                            found.push((Op::Nop, escaped(place), step));
                            return Ok(());
                        };
                        let mut next = advanced(place.clone());
                        match &mut next.section {
                            Some(section) => {
                                put(&mut section.update, var, value);
                                found.push((Op::Nop, next, step));
                            }
                            None => found.push((Op::Write(var, value), next, step)),
                        }
                    }
                }
            }
            Instr::Rmw(dest, address, op) => match self.resolve(place, address) {
                Err(fault) => fail(self.drain(place), fault.into(), found)?,
                Ok(var) => {
                    let ty = self.types[var as usize];
                    for (old, number, base) in self.atomic_reads(place, var) {
                        let guard = vec![(var, number)];
                        let computed = rmw(op, ty, old, place).and_then(|new| {
                            let next = match dest {
                                Some(dest) => set(&base, dest, old)?,
                                None => base.clone(),
                            };
                            Ok((next, new))
                        });
                        match computed {
                            Err(fault) => {
                                let failed = self.failed(&base, fault.into())?;
                                found.push((self.atomic(place, guard, Vec::new()), failed, step));
                            }
                            Ok((next, new)) => {
                                let new = new.map(|new| self.domains.add(var, new));
                                if new == Some(None) {
                                    found.push((self.atomic(place, guard, Vec::new()), escaped(&base), step));
                                    continue;
                                }
                                let update: Vec<_> =
                                    new.flatten().map(|new| (var, new)).into_iter().collect();
                                let mut next = advanced(next);
                                if let Some(section) = &mut next.section {
                                    update.iter().for_each(|(x, v)| put(&mut section.update, *x, *v));
                                }
                                found.push((self.atomic(place, guard, update), next, step));
                            }
                        }
                    }
                }
            },
            Instr::Lock(address) => match self.resolve(place, address) {
                Err(fault) => fail(self.drain(place), fault.into(), found)?,
                Ok(var) => {
                    let taken =
                        self.domains.add(var, 1).expect("mutexes hold both values from the beginning");
                    self.mutex_step(place, var, (0, taken), id, to, found);
                }
            },
            Instr::Unlock(address) => match self.resolve(place, address) {
                Err(fault) => fail(self.drain(place), fault.into(), found)?,
                Ok(var) if !place.held.contains(&var) => {
                    fail(self.drain(place), Failure::UnlockNotHeld, found)?;
                }
                Ok(var) => {
                    let taken =
                        self.domains.add(var, 1).expect("mutexes hold both values from the beginning");
                    self.mutex_step(place, var, (taken, 0), id, to, found);
                }
            },
            Instr::Call(dest, callee, args) => {
                let values: Result<Vec<_>, _> = args.iter().map(|a| eval(a, place)).collect();
                let checked = values.and_then(|v| match dest {
                    Some(Dest::At { base, len, index }) => {
                        element(*base, *len, eval(index, place)?)?;
                        Ok(v)
                    }
                    Some(Dest::Reg(_)) | None => Ok(v),
                });
                match checked {
                    Err(fault) => fail(Op::Nop, fault.into(), found)?,
                    Ok(values) => {
                        let mut next = advanced(place.clone());
                        let code = self.program.procedure(*callee);
                        let base = next.registers.len() as u32;
                        next.registers.extend_from_slice(&values);
                        next.registers.extend(code.registers[values.len()..].iter().map(|r| r.init));
                        let frame = Frame { procedure: *callee, node: code.entry(), base, call: Some(id) };
                        next.frames.push(frame);
                        found.push((Op::Nop, next, step));
                    }
                }
            }
            Instr::Return(value) => {
                let value = match value.as_ref().map(|v| eval(v, place)).transpose() {
                    Ok(value) => value,
                    Err(fault) => return fail(Op::Nop, fault.into(), found),
                };
                if place.frames.len() == 1 {
                    let mut next = advanced(place.clone());
                    next.life = Life::Ended;
                    next.section = None;
                    found.push((self.drain(place), next, step));
                } else {
                    self.return_to_caller(place, value, step, found)?;
                }
            }
            // Without final conditions, a run in which all threads are ended is one in which this one waits.
            Instr::Halt if self.ends_matter => return Err("the program is ended as a whole".to_string()),
            Instr::Exit(_) | Instr::Halt => {
                let mut next = place.clone();
                next.registers.truncate(next.frames.get(1).map_or(next.registers.len(), |f| f.base as usize));
                next.frames.truncate(1);
                next.life = Life::Ended;
                next.section = None;
                found.push((self.drain(place), next, step));
            }
            Instr::AtomicBegin(Drain::Yes) => {
                let mut next = advanced(place.clone());
                next.section.get_or_insert_with(Section::default).depth += 1;
                found.push((Op::Nop, next, step));
            }
            Instr::AtomicEnd(Drain::Yes) => {
                let mut next = advanced(place.clone());
                match &mut next.section {
                    Some(section) if section.depth > 1 => section.depth -= 1,
                    Some(_) => next.section = None,
                    None => return fail(self.drain(place), Failure::AtomicEndOutside, found),
                }
                // The step out carries what the section did; see `section_steps`.
                found.push((Op::Nop, next, step));
            }
            Instr::AtomicBegin(Drain::No) | Instr::AtomicEnd(Drain::No) => {
                return Err("an atomic section that does not wait for the buffer".to_string());
            }
            Instr::Spawn(..) => return Err(crate::spawned::STARTED.to_string()),
            Instr::Join(..) => return Err("a thread is waited for".to_string()),
            Instr::Own(_) => return Err("a thread asks for its own handle".to_string()),
            Instr::Allocate { .. } | Instr::Reallocate { .. } | Instr::Free(..) => {
                return Err("memory is allocated".to_string());
            }
        }
        Ok(())
    }

    /// An operation that waits for the buffer; inside a section it is empty already.
    fn drain(&self, place: &Place) -> Op {
        if place.section.is_some() { Op::Nop } else { Op::Fence }
    }

    fn atomic(&self, place: &Place, guard: Vec<(Var, Value)>, update: Vec<(Var, Value)>) -> Op {
        if place.section.is_some() { Op::Nop } else { Op::Atomic(guard, update) }
    }

    /// The values that a load can see, with the operation and the place that knows of it.
    fn reads(&self, place: &Place, var: Var) -> Vec<(i64, Op, Place)> {
        let read = |(value, number, next): (i64, Value, Place)| {
            let op = if place.section.is_some() { Op::Nop } else { Op::Read(var, number) };
            (value, op, next)
        };
        self.atomic_reads(place, var).into_iter().map(read).collect()
    }

    /// The values that a variable can hold at a place, inside a section those that it has been seen
    /// or made to hold.
    fn atomic_reads(&self, place: &Place, var: Var) -> Vec<(i64, Value, Place)> {
        let values = &self.domains.values[var as usize];
        let known = place.section.as_ref().and_then(|section| {
            let find = |list: &[(Var, Value)]| list.iter().find(|(x, _)| *x == var).map(|(_, v)| *v);
            find(&section.update).or_else(|| find(&section.guard))
        });
        let numbers: Vec<Value> = match known {
            Some(number) => vec![number],
            None => (0..values.len() as Value).collect(),
        };
        let read = |number: Value| {
            let mut next = place.clone();
            if let (Some(section), None) = (&mut next.section, known) {
                put(&mut section.guard, var, number);
            }
            (values[number as usize], number, next)
        };
        numbers.into_iter().map(read).collect()
    }

    fn mutex_step(
        &mut self,
        place: &Place,
        var: Var,
        (from, to_value): (Value, Value),
        id: EdgeId,
        to: NodeId,
        found: &mut Vec<(Op, Place, ProgramStep)>,
    ) {
        for (_, number, mut next) in self.atomic_reads(place, var) {
            if number != from {
                continue;
            }
            next.frames.last_mut().expect("a thread keeps its outermost frame").node = to;
            match next.held.binary_search(&var) {
                Ok(i) => {
                    next.held.remove(i);
                }
                Err(i) => next.held.insert(i, var),
            }
            if let Some(section) = &mut next.section {
                put(&mut section.update, var, to_value);
            }
            let op = self.atomic(place, vec![(var, from)], vec![(var, to_value)]);
            found.push((op, next, (id, None)));
        }
    }

    fn return_to_caller(
        &self,
        place: &Place,
        value: Option<i64>,
        step: ProgramStep,
        found: &mut Vec<(Op, Place, ProgramStep)>,
    ) -> Result<(), Infinite> {
        let mut next = place.clone();
        let callee = next.frames.pop().expect("there is a caller");
        next.registers.truncate(callee.base as usize);
        let call = callee.call.expect("an inner frame knows its call");
        let caller = self.program.procedure(next.top().procedure);
        let Instr::Call(dest, ..) = &caller.edge(call).instr else {
            panic!("a frame's call edge carries a call")
        };
        let returned = match (dest, value) {
            (Some(dest), Some(value)) => set(&next, dest, value),
            _ => Ok(next),
        };
        match returned {
            Ok(next) => found.push((Op::Nop, next, step)),
            Err(fault) => found.push((Op::Nop, self.failed(place, fault.into())?, step)),
        }
        Ok(())
    }

    fn resolve(&self, place: &Place, address: &Address) -> Result<Var, Fault> {
        let (object, index) = match address {
            Address::Cell { object, index } => (*object, eval(index, place)?),
            Address::Pointed { pointer, ty } => {
                let word = eval(pointer, place)?;
                let (object, offset) = match pointer::target(word) {
                    Target::Null => return Err(Fault::NullPointer),
                    Target::Procedure(_) => return Err(Fault::WildPointer),
                    Target::Object(object, offset) => (ObjectId(object), offset),
                };
                let Some(named) = self.program.objects.get(object.index()) else {
                    return Err(Fault::WildPointer);
                };
                let layout = self.program.records.layout(&named.ty);
                let size = self.program.records.size(&named.ty);
                if offset.checked_add(ty.size()).is_none_or(|end| end > size) {
                    return Err(Fault::OutsideObject { offset, size });
                }
                // Cells seen through another type are left to other engines.
                let cell = layout.iter().position(|c| c.offset == offset && c.ty == *ty);
                (object, cell.ok_or(Fault::MixedSize)? as i64)
            }
        };
        let (base, end) = (self.bases[object.index()], self.bases[object.index() + 1]);
        if !(0..i64::from(end - base)).contains(&index) {
            return Err(Fault::OutOfBounds { index, len: end - base });
        }
        Ok((base + index as u32) as Var)
    }

    /// What properties want to know of a place.
    pub fn marks(&self, place: &Place, observed: &[Reg]) -> Vec<Mark> {
        let top = place.top();
        match place.life {
            Life::Failed(_) => vec![Mark::Failed],
            Life::Escaped => vec![Mark::Escaped],
            Life::Ended => {
                let slot = |reg: &Reg| match reg {
                    Reg::Local(slot) => (place.frames[0].base + slot) as usize,
                    Reg::Thread(slot) => *slot as usize,
                };
                vec![Mark::Ended(observed.iter().map(|r| place.registers[slot(r)]).collect())]
            }
            Life::Running => {
                let here = self.watched.iter().filter(|(p, n)| *p == top.procedure && *n == top.node);
                here.map(|(p, n)| Mark::At(*p, *n)).collect()
            }
        }
    }
}
