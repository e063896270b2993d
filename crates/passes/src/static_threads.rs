//! Threads that are started while the program runs become threads that are there from the beginning and wait.
//!
//! For engines that need all threads to be known. One thread, usually `main`, starts all others, so the n-th that it
//! starts always has the same number. Each of so many slots is a thread that waits until its cell of `state` names a
//! procedure, takes the arguments, calls it, and says so when it has ended. To start a thread is to write the slot's
//! cells in a section that drains the buffer, as starting does; to join one is to see that it has ended. Whoever
//! reads a cell too early waits forever, but also may read it later: the same states are reached.
//!
//! What a slot cannot do, one more thread than slots or joining a thread of the beginning, keeps its instruction: an
//! engine that meets it knows that it needs more slots, or that the program is not for it.

use fencepost_ir::Claim;
use fencepost_ir::cfg::{
    Address, Arith, BinaryOp, Choices, Count, Dest, Drain, Edge, EdgeId, Expr, Instr, NodeId, Object,
    ObjectId, ProcId, Procedure, ProcedureParts, Program, Property, Reg, Register, Start, Who,
};
use fencepost_ir::{Access, Scalar, Span, Type};
use std::collections::BTreeSet;

/// What an edge of the changed program is in the one that was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The step along this edge.
    Step(EdgeId),
    /// A part of that step: nothing, unless it fails.
    Part(EdgeId),
    /// Nothing: a slot's own business.
    Slot,
}

/// A program whose threads are all there from the beginning.
pub struct StaticThreads {
    /// The program.
    pub program: Program,
    /// What its edges are, by procedure.
    pub origins: Vec<Vec<Origin>>,
    /// The first cell that the given program does not have.
    pub first_cell: u32,
}

/// Whether the program starts threads, or speaks of their numbers.
pub fn starts_threads(program: &Program) -> bool {
    let about_threads = |e: &Edge| matches!(e.instr, Instr::Spawn(..) | Instr::Join(..) | Instr::Own(_));
    program.procedures.iter().any(|p| p.edges().iter().any(about_threads))
}

/// The program with so many slots; or why there is none.
pub fn static_threads(program: &Program, slots: u32) -> Result<StaticThreads, String> {
    let plan = Plan::new(program, slots)?;
    let mut changed = program.clone();
    for (name, cells) in [("%state", slots), ("%result", slots), ("%argument", slots * plan.arguments.max(1))]
    {
        changed.objects.push(Object {
            name: name.to_string(),
            ty: Type::with_dims(Scalar::Integer, &[cells]),
            init: vec![Choices::one(0); cells as usize].into(),
            span: Span::NONE,
        });
    }
    let register = |name: String| Register { name, ty: Scalar::Integer, init: 0 };
    changed.thread_registers.extend([register("%started".into()), register("%own".into())]);
    changed.thread_registers.extend((0..slots).map(|k| register(format!("%joined{k}"))));
    let mut origins = Vec::new();
    for procedure in &mut changed.procedures {
        let (new, meant) = plan.procedure(procedure);
        *procedure = new;
        origins.push(meant);
    }
    for slot in 0..slots {
        let procedure = ProcId(changed.procedures.len() as u32);
        let (new, meant) = plan.slot(program, slot);
        changed.threads.push(Start {
            name: new.name.clone(),
            procedure,
            args: Vec::new(),
            count: Count::Times(1),
            span: Span::NONE,
        });
        changed.procedures.push(new);
        origins.push(meant);
    }
    let first_cell = *program.cell_bases().last().expect("there is always an end");
    Ok(StaticThreads { program: changed, origins, first_cell })
}

const ENDED: i64 = -1;

struct Plan {
    slots: u32,
    /// Threads at the beginning.
    before: i64,
    /// Most arguments of a thread.
    arguments: u32,
    /// What slots may have to run.
    started: BTreeSet<ProcId>,
    state: ObjectId,
    result: ObjectId,
    argument: ObjectId,
    count: Reg,
    own: Reg,
    joined: Reg,
}

fn constant(value: i64) -> Expr {
    Expr::Const(value)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Arith::Exact, Box::new(left), Box::new(right))
}

fn both(left: Expr, right: Expr) -> Expr {
    Expr::Select(Box::new(left), Box::new(right), Box::new(constant(0)))
}

/// The procedures that a thread may come to that begins in one of these.
fn reachable(program: &Program, from: impl Iterator<Item = ProcId>) -> BTreeSet<ProcId> {
    let mut work: Vec<ProcId> = from.collect();
    let mut found = BTreeSet::new();
    while let Some(id) = work.pop() {
        if found.insert(id) {
            let calls = program.procedure(id).edges().iter();
            work.extend(
                calls.filter_map(
                    |e| if let Instr::Call(_, callee, _) = e.instr { Some(callee) } else { None },
                ),
            );
        }
    }
    found
}

impl Plan {
    fn new(program: &Program, slots: u32) -> Result<Plan, String> {
        let mut before = 0;
        for start in &program.threads {
            match start.count {
                Count::Times(n) => before += i64::from(n),
                Count::Any => return Err("threads are started beside any number of others".to_string()),
            }
        }
        let mut started = BTreeSet::new();
        let mut concerned = BTreeSet::new();
        let mut arguments = 0;
        for (i, procedure) in program.procedures.iter().enumerate() {
            for edge in procedure.edges() {
                match &edge.instr {
                    Instr::Spawn(_, _, _, Drain::No) => {
                        return Err("a thread is started without waiting for the buffer".to_string());
                    }
                    Instr::Spawn(_, callee, args, Drain::Yes) => {
                        started.insert(*callee);
                        arguments = arguments.max(args.len() as u32);
                        concerned.insert(ProcId(i as u32));
                    }
                    Instr::Join(..) => drop(concerned.insert(ProcId(i as u32))),
                    Instr::Own(_) if before > 1 => {
                        return Err("a thread asks for its own number, and several begin".to_string());
                    }
                    _ => {}
                }
            }
        }
        let meets =
            |from: &mut dyn Iterator<Item = ProcId>| !reachable(program, from).is_disjoint(&concerned);
        let starters = program.threads.iter().filter(|s| meets(&mut std::iter::once(s.procedure)));
        let number: u32 = starters.map(|s| if let Count::Times(n) = s.count { n } else { 2 }).sum();
        if number > 1 || meets(&mut started.iter().copied()) {
            return Err("several threads start or join others".to_string());
        }
        for property in &program.properties {
            let by_thread = match property {
                Property::Forbid { together, .. } => together.iter().flatten().any(|r| r.who != Who::Any),
                Property::Final { .. } => true,
            };
            if by_thread {
                return Err("a property speaks of threads that are started".to_string());
            }
        }
        let object = |i: usize| ObjectId((program.objects.len() + i) as u32);
        let register = |i: usize| Reg::Thread((program.thread_registers.len() + i) as u32);
        Ok(Plan {
            slots,
            before,
            arguments,
            started,
            state: object(0),
            result: object(1),
            argument: object(2),
            count: register(0),
            own: register(1),
            joined: register(2),
        })
    }

    fn state(&self, slot: Expr) -> Address {
        Address::Cell { object: self.state, index: slot }
    }

    fn result(&self, slot: Expr) -> Address {
        Address::Cell { object: self.result, index: slot }
    }

    fn argument(&self, slot: Expr, number: usize) -> Address {
        let stride = i64::from(self.arguments.max(1));
        let first = binary(BinaryOp::Mul, slot, constant(stride));
        Address::Cell { object: self.argument, index: binary(BinaryOp::Add, first, constant(number as i64)) }
    }

    /// What the cell of a slot holds that runs a procedure.
    fn runs(&self, procedure: ProcId) -> i64 {
        i64::from(procedure.0) + 1
    }

    /// Says that a slot's thread has ended.
    fn end(&self, slot: &Expr, value: Expr) -> [Instr; 4] {
        [
            Instr::AtomicBegin(Drain::Yes),
            Instr::Store(self.result(slot.clone()), value),
            Instr::Store(self.state(slot.clone()), constant(ENDED)),
            Instr::AtomicEnd(Drain::Yes),
        ]
    }

    fn procedure(&self, old: &Procedure) -> (Procedure, Vec<Origin>) {
        let mut paths = Paths::new(old);
        for (number, edge) in old.edges().iter().enumerate() {
            let id = EdgeId(number as u32);
            match &edge.instr {
                Instr::Spawn(dest, callee, args, _) => {
                    self.spawn(&mut paths, edge, id, dest.as_ref(), *callee, args)
                }
                Instr::Join(dest, handle) => self.join(&mut paths, edge, id, dest.as_ref(), handle),
                Instr::Own(dest) => {
                    let own = Instr::Assign(dest.clone(), Expr::Reg(self.own));
                    paths.path(edge, vec![(own, Origin::Step(id))]);
                }
                Instr::Exit(value) => {
                    let own = Expr::Reg(self.own);
                    let slot = binary(BinaryOp::Sub, own.clone(), constant(self.before));
                    let mut path = vec![Instr::Assume(own.clone())];
                    path.extend(self.end(&slot, value.clone().unwrap_or(constant(0))));
                    path.push(edge.instr.clone());
                    // It has ended as soon as it says so.
                    let origin = |instr: &Instr| match instr {
                        Instr::AtomicBegin(_) => Origin::Step(id),
                        Instr::Exit(_) => Origin::Slot,
                        _ => Origin::Part(id),
                    };
                    paths.path(edge, path.into_iter().map(|instr| (instr.clone(), origin(&instr))).collect());
                    let first = Instr::Assume(binary(BinaryOp::Eq, own, constant(0)));
                    paths.path(edge, vec![(first, Origin::Part(id)), (edge.instr.clone(), Origin::Step(id))]);
                }
                _ => paths.path(edge, vec![(edge.instr.clone(), Origin::Step(id))]),
            }
        }
        paths.finish()
    }

    fn spawn(
        &self,
        paths: &mut Paths,
        edge: &Edge,
        id: EdgeId,
        dest: Option<&Dest>,
        callee: ProcId,
        args: &[Expr],
    ) {
        let count = || Expr::Reg(self.count);
        let part = |instr| (instr, Origin::Part(id));
        let some_left = binary(BinaryOp::Lt, count(), constant(i64::from(self.slots)));
        // All of the original step is done when the section begins: no other thread can observe a difference.
        let mut path =
            vec![part(Instr::Assume(some_left)), (Instr::AtomicBegin(Drain::Yes), Origin::Step(id))];
        for (number, arg) in args.iter().enumerate() {
            path.push(part(Instr::Store(self.argument(count(), number), arg.clone())));
        }
        path.push(part(Instr::Store(self.state(count()), constant(self.runs(callee)))));
        let handle = binary(BinaryOp::Add, count(), constant(self.before));
        path.extend(dest.map(|dest| part(Instr::Assign(dest.clone(), handle))));
        let next = binary(BinaryOp::Add, count(), constant(1));
        path.push(part(Instr::Assign(Dest::Reg(self.count), next)));
        path.push(part(Instr::AtomicEnd(Drain::Yes)));
        paths.path(edge, path);
        let none_left = binary(BinaryOp::Ge, count(), constant(i64::from(self.slots)));
        paths.path(edge, vec![part(Instr::Assume(none_left)), (edge.instr.clone(), Origin::Step(id))]);
    }

    fn join(&self, paths: &mut Paths, edge: &Edge, id: EdgeId, dest: Option<&Dest>, handle: &Expr) {
        let part = |instr| (instr, Origin::Part(id));
        let end = self.before + i64::from(self.slots);
        let below = |limit: i64| binary(BinaryOp::Lt, handle.clone(), constant(limit));
        let from = |limit: i64| binary(BinaryOp::Ge, handle.clone(), constant(limit));
        let initial = both(from(0), below(self.before));
        paths.path(edge, vec![part(Instr::Assume(initial)), (edge.instr.clone(), Origin::Step(id))]);
        let fails = || part(Instr::Assert(constant(0), Claim::Assertion));
        for nobody in [below(0), from(end)] {
            paths.path(edge, vec![part(Instr::Assume(nobody)), fails()]);
        }
        let slot = binary(BinaryOp::Sub, handle.clone(), constant(self.before));
        let seen = paths.seen();
        let joined = Expr::At { base: self.joined, len: self.slots, index: Box::new(slot.clone()) };
        let is = |value| binary(BinaryOp::Eq, Expr::Reg(seen), constant(value));
        let before = |condition| {
            vec![
                part(Instr::Assume(both(from(self.before), below(end)))),
                part(Instr::Load(Dest::Reg(seen), self.state(slot.clone()))),
                part(Instr::Assume(condition)),
            ]
        };
        let mut path = before(both(is(ENDED), binary(BinaryOp::Eq, joined.clone(), constant(0))));
        path.extend(dest.map(|dest| part(Instr::Load(dest.clone(), self.result(slot.clone())))));
        let mark = Dest::At { base: self.joined, len: self.slots, index: slot.clone() };
        path.push((Instr::Assign(mark, constant(1)), Origin::Step(id)));
        paths.path(edge, path);
        for wrong in [is(0), both(is(ENDED), joined)] {
            let mut path = before(wrong);
            path.push(fails());
            paths.path(edge, path);
        }
    }

    fn slot(&self, program: &Program, slot: u32) -> (Procedure, Vec<Origin>) {
        let register = |name: String| Register { name, ty: Scalar::Integer, init: 0 };
        let mut registers = vec![register("%seen".into()), register("%value".into())];
        registers.extend((0..self.arguments).map(|i| register(format!("%argument{i}"))));
        let [seen, value] = [Reg::Local(0), Reg::Local(1)];
        let argument = |i: usize| Reg::Local(2 + i as u32);
        let (beginning, called, last) = (NodeId(0), NodeId(1), NodeId(2));
        let mut paths = Paths {
            parts: ProcedureParts {
                name: format!("%slot{slot}"),
                registers,
                params: 0,
                result: None,
                nodes: 3,
                edges: Vec::new(),
                labels: Vec::new(),
                span: Span::NONE,
            },
            edges: Vec::new(),
            seen: Some(seen),
        };
        let here = || constant(i64::from(slot));
        let own = |instr| (instr, Origin::Slot);
        for &procedure in &self.started {
            let code = program.procedure(procedure);
            let params: Vec<Reg> = (0..code.params as usize).map(argument).collect();
            let mut path = vec![
                own(Instr::Load(Dest::Reg(seen), self.state(here()))),
                own(Instr::Assume(binary(BinaryOp::Eq, Expr::Reg(seen), constant(self.runs(procedure))))),
            ];
            for (number, reg) in params.iter().enumerate() {
                path.push(own(Instr::Load(Dest::Reg(*reg), self.argument(here(), number))));
            }
            let handle = self.before + i64::from(slot);
            path.push(own(Instr::Assign(Dest::Reg(self.own), constant(handle))));
            let args = params.iter().map(|reg| Expr::Reg(*reg)).collect();
            let dest = code.result.map(|_| Dest::Reg(value));
            path.push(own(Instr::Call(dest, procedure, args)));
            paths.between(beginning, called, code.span, path);
        }
        if self.started.is_empty() {
            let never = Instr::Assume(binary(BinaryOp::Eq, constant(0), constant(1)));
            paths.between(beginning, called, Span::NONE, vec![own(never)]);
        }
        let end = self.end(&here(), Expr::Reg(value)).into_iter().chain([Instr::Return(None)]);
        paths.between(called, last, Span::NONE, end.map(own).collect());
        paths.finish()
    }
}

/// A procedure that is being made.
struct Paths {
    parts: ProcedureParts,
    edges: Vec<(Edge, Origin)>,
    /// Where the state of a slot is read to, if it is.
    seen: Option<Reg>,
}

impl Paths {
    fn new(old: &Procedure) -> Paths {
        let parts = ProcedureParts { edges: Vec::new(), ..old.clone().into_parts() };
        Paths { parts, edges: Vec::new(), seen: None }
    }

    fn seen(&mut self) -> Reg {
        let registers = &mut self.parts.registers;
        *self.seen.get_or_insert_with(|| {
            registers.push(Register { name: "%seen".to_string(), ty: Scalar::Integer, init: 0 });
            Reg::Local(registers.len() as u32 - 1)
        })
    }

    /// A way in place of an edge, or beside others that are.
    fn path(&mut self, edge: &Edge, steps: Vec<(Instr, Origin)>) {
        self.between(edge.from, edge.to, edge.span, steps);
    }

    fn between(&mut self, from: NodeId, to: NodeId, span: Span, steps: Vec<(Instr, Origin)>) {
        let mut here = from;
        let last = steps.len() - 1;
        for (i, (instr, origin)) in steps.into_iter().enumerate() {
            let next = match i == last {
                true => to,
                false => NodeId(self.parts.nodes),
            };
            self.parts.nodes += u32::from(i != last);
            self.edges.push((Edge { from: here, to: next, instr, span, access: Access::Plain }, origin));
            here = next;
        }
    }

    fn finish(mut self) -> (Procedure, Vec<Origin>) {
        // Procedures keep edges in this order, so that both lists agree.
        self.edges.sort_by_key(|(edge, _)| edge.from);
        let (edges, origins) = self.edges.into_iter().unzip();
        (Procedure::new(ProcedureParts { edges, ..self.parts }), origins)
    }
}
