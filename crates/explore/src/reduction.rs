//! Which steps have to be tried in a state: partial-order reduction by local steps.
//!
//! A step is local when it touches only its thread's registers, control and the young end of
//! its buffer: assignments, branches, choices, calls, and under TSO and PSO stores, whose entry
//! into the buffer, which no other thread can observe. Local steps of a thread commute with all steps of other
//! threads and with flushes, and neither disables the other. So in a state where some thread can
//! do local steps only, it is enough to try that thread's steps (an ample set), if
//!
//! - they change no property: neither end of the step has a label that a property speaks of;
//! - no thread is put off forever: every cycle of local steps passes a state where its thread is
//!   not chosen. That is so at the entry of a recursive procedure, where a step of the cycle has alternatives, and at the
//!   head of a loop, once the thread has gone round [`ROUNDS_AT_ONCE`] times without being looked at.
//!
//! While an atomic section is open only its thread steps, so no other thread can observe what happens inside:
//! its steps are taken at once where there is no choice, and where all sections wait for empty
//! buffers at both ends, its stores reach memory at once. A section that cannot continue is as if it
//! had not begun.
//!
//! The same holds while all other threads have ended, or not yet begun: a thread that is alone is seen by
//! nobody, and those that it starts see all its stores, if starting a thread waits for them.
//!
//! A load of a variable that is never written or pointed to is local, too.
//!
//! A local variable in memory that is accessed by its own name only is as private as a register; and stores to those that no
//! other thread can reach leave their buffers at once (`private.rs`).
//!
//! So is an access through a pointer to what no other thread can reach in the given state (`unshared.rs`).
//!
//! A store waits while the buffer is at its bound; then its thread is not chosen, whatever else it
//! could do. All this keeps every violation and every final state, which is tested against the
//! unreduced search.

use crate::graph;
use crate::private;
use crate::unshared::Unshared;
use fencepost_analysis::escape::kinds::{Kept, begun};
use fencepost_ir::cfg::{
    Address, Arith, BinaryOp, Dest, Drain, Edge, Expr, Instr, NodeId, ProcId, Procedure, Program, Property,
    Reg, Storage,
};
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{State, Thread};
use fencepost_task::{Model, Step};

/// How often a thread goes round in loops of local steps at once.
pub const ROUNDS_AT_ONCE: u32 = 1000;

/// Looks for a thread that goes round without end: it is at the head of a loop as it was before.
#[derive(Default)]
pub struct Endless {
    thread: usize,
    rounds: u32,
    /// The thread after some power of two of rounds.
    before: Option<Thread>,
}

impl Endless {
    /// The thread is at a head; whether it was there in the same state.
    pub fn sees(&mut self, thread: usize, state: &State) -> bool {
        if self.thread != thread {
            *self = Endless { thread, ..Endless::default() };
        }
        self.rounds += 1;
        if self.before.as_ref() == Some(&state.threads[thread]) {
            return true;
        }
        // Most loops are not that long.
        if self.rounds >= 8 && self.rounds.is_power_of_two() {
            self.before = Some(state.threads[thread].clone());
        }
        false
    }
}

/// The nodes where a thread's steps are all local.
pub struct LocalSteps {
    /// For each procedure and node.
    local: Vec<Vec<bool>>,
    /// The nodes where they are if what their pointers lead to is not shared.
    unshared: Option<Unshared>,
    /// Nodes that may be on a cycle of local steps.
    cyclic: Vec<Vec<bool>>,
    /// Those of them that every such cycle passes one of.
    closing: Vec<Vec<bool>>,
    /// Nodes that properties speak of.
    watched: Vec<Vec<bool>>,
    /// Nodes whose steps may follow each other in a section without being looked at: neither heads of
    /// loops nor near what properties speak of.
    passing: Vec<Vec<bool>>,
    /// Whether sections wait for empty buffers where they begin and end.
    sections_drain: bool,
    /// Whether a thread that spawns another one waits for its buffer, and deadlocks are not looked for.
    spawns_drain: bool,
    /// Local variables whose stores no other thread can observe.
    kept: Kept,
}

impl LocalSteps {
    /// What can be told from the program alone.
    pub fn new(program: &Program, model: Model) -> LocalSteps {
        LocalSteps::with(program, model, None)
    }

    /// With what depends on the state: which objects are shared.
    pub fn in_states(program: &Program, model: Model) -> LocalSteps {
        LocalSteps::with(program, model, Unshared::new(program, model))
    }

    fn with(program: &Program, model: Model, unshared: Option<Unshared>) -> LocalSteps {
        let mut watched: Vec<_> = program.procedures.iter().map(|p| vec![false; p.nodes as usize]).collect();
        let labels = program.label_nodes();
        for property in &program.properties {
            let Property::Forbid { together, .. } = property else { continue };
            for requirement in together.iter().flatten() {
                let node = labels.get(&(requirement.procedure, &requirement.label[..]));
                let node = node.expect("the validator asks for the label");
                watched[requirement.procedure.index()][node.index()] = true;
            }
        }
        let constant = constant_objects(program);
        let facts = Facts {
            model,
            watched: &watched,
            constant: &constant,
            notices_reuse: program.notices_reuse(),
            outermost: &begun(program),
            recursive: &graph::recursive_procedures(program),
        };
        let local: Vec<_> =
            (0..program.procedures.len() as u32).map(|id| local_nodes(program, ProcId(id), &facts)).collect();
        let mut may_be_local = local.clone();
        if let Some(unshared) = &unshared {
            for (id, local) in may_be_local.iter_mut().enumerate() {
                let watched = &watched[id];
                unshared.nodes(id, &mut |from, to| local[from] |= !watched[from] && !watched[to]);
            }
        }
        let cyclic = cyclic_nodes(program, &may_be_local);
        let closing = program.procedures.iter().zip(&cyclic).map(|(p, cyclic)| {
            let mut closing = vec![false; cyclic.len()];
            graph::loop_heads(p).into_iter().for_each(|head| closing[head.index()] = cyclic[head.index()]);
            closing
        });
        let closing = closing.collect();
        let passing = (0..program.procedures.len() as u32)
            .map(|id| passing_nodes(program, ProcId(id), &facts))
            .collect();
        let keeps = |i: &Instr| matches!(i, Instr::AtomicBegin(Drain::No) | Instr::AtomicEnd(Drain::No));
        let sections_drain = !program.procedures.iter().any(|p| p.edges().iter().any(|e| keeps(&e.instr)));
        let early = |i: &Instr| matches!(i, Instr::Spawn(_, _, _, Drain::No));
        // A section that a thread alone cannot pass is a deadlock, to be seen from before it.
        let spawns_drain = !program.checks.deadlock
            && !program.procedures.iter().any(|p| p.edges().iter().any(|e| early(&e.instr)));
        let kept = Kept::new(program);
        LocalSteps { local, unshared, cyclic, closing, watched, passing, sections_drain, spawns_drain, kept }
    }

    /// The thread that no other can observe: in a section, or alone.
    pub fn unseen(&self, state: &State) -> Option<usize> {
        self.in_section(state).or_else(|| self.alone(state))
    }

    /// The only thread that has not ended.
    fn alone(&self, state: &State) -> Option<usize> {
        let mut running = (0..state.threads.len()).filter(|i| !state.threads[*i].ended);
        let first = running.next()?;
        (self.spawns_drain && running.next().is_none()).then_some(first)
    }

    /// The thread whose atomic section is open, if no other thread can observe when its stores reach memory.
    pub fn in_section(&self, state: &State) -> Option<usize> {
        state.section.filter(|_| self.sections_drain).map(|section| section.owner as usize)
    }

    /// Whether the thread's next step in its section need not be looked at.
    pub fn passes(&self, state: &State, thread: usize) -> bool {
        let top = state.threads[thread].top();
        self.passing[top.procedure.index()][top.node.index()] && self.returns_unseen(state, thread)
    }

    /// Whether all steps of the thread, but for flushes, are local in this state, and no cycle of local steps closes here.
    pub fn is_local(&self, state: &State, thread: usize) -> bool {
        self.has_local_steps(state, thread) && !self.closes_cycle(state, thread)
    }

    /// Whether all its steps are local, and a cycle of local steps may close here.
    pub fn goes_round(&self, state: &State, thread: usize) -> bool {
        self.closes_cycle(state, thread) && self.has_local_steps(state, thread)
    }

    fn has_local_steps(&self, state: &State, thread_number: usize) -> bool {
        let thread = &state.threads[thread_number];
        let top = thread.top();
        if thread.ended {
            return false;
        }
        if !self.local[top.procedure.index()][top.node.index()] {
            return self.has_unshared_step(state, thread_number);
        }
        self.returns_unseen(state, thread_number)
    }

    /// Among the steps of a thread's buffer, one that no other thread can observe.
    pub fn flush(&self, state: &State, thread: usize, steps: &[Step]) -> Option<Step> {
        let unshared = || self.unshared.as_ref().and_then(|u| u.flush(state, thread, steps));
        private::flush(&self.kept, state, steps).or_else(unshared)
    }

    /// Whether there may be such a step.
    pub fn may_flush(&self, state: &State, thread: usize) -> bool {
        !state.threads[thread].buffer.is_empty() && (self.unshared.is_some() || !self.kept.is_empty())
    }

    /// Whether the thread's only step is an access to what it alone can reach.
    fn has_unshared_step(&self, state: &State, thread: usize) -> bool {
        let top = state.threads[thread].top();
        let unseen = |node: NodeId| !self.watched[top.procedure.index()][node.index()];
        unseen(top.node) && self.unshared.as_ref().is_some_and(|u| u.is_next(state, thread, unseen))
    }

    /// Whether the thread may be on a cycle of local steps.
    pub fn may_cycle(&self, state: &State, thread: usize) -> bool {
        let top = state.threads[thread].top();
        self.cyclic[top.procedure.index()][top.node.index()]
    }

    /// Whether it is at the head of one.
    fn closes_cycle(&self, state: &State, thread: usize) -> bool {
        let top = state.threads[thread].top();
        self.closing[top.procedure.index()][top.node.index()]
    }

    /// A return may lead to a watched node of the caller.
    fn returns_unseen(&self, state: &State, thread: usize) -> bool {
        let thread = &state.threads[thread];
        match thread.frames.len() {
            1 => true,
            n => {
                let caller = thread.frames[n - 2];
                !self.watched[caller.procedure.index()][caller.node.index()]
            }
        }
    }
}

/// For each of the program's objects whether it keeps its first value: no instruction writes it by its name, and
/// nothing points to it.
fn constant_objects(program: &Program) -> Vec<bool> {
    let mut constant = vec![true; program.objects.len()];
    let pointed = |constant: &mut [bool], word: i64| {
        if program.pointer_bits > 0
            && let Target::Object(object, _) = pointer::target(word)
            && let Some(object) = constant.get_mut(object as usize)
        {
            *object = false;
        }
    };
    for edge in program.procedures.iter().flat_map(Procedure::edges) {
        if let (Some(Address::Cell { object, .. }), false) =
            (edge.instr.address(), matches!(edge.instr, Instr::Load(..)))
        {
            constant[object.index()] = false;
        }
        edge.instr.expressions(&mut |e| {
            e.visit(&mut |e| {
                if let Expr::Const(word) = e {
                    pointed(&mut constant, *word);
                }
            });
        });
    }
    for &(lo, hi) in program.objects.iter().flat_map(|o| o.init.iter()).flat_map(|choices| &choices.0) {
        pointed(&mut constant, lo);
        pointed(&mut constant, hi);
    }
    let registers = program.procedures.iter().flat_map(|p| &p.registers).chain(&program.thread_registers);
    registers.for_each(|register| pointed(&mut constant, register.init));
    program.threads.iter().flat_map(|start| &start.args).for_each(|word| pointed(&mut constant, *word));
    constant
}

/// What is known of the whole program.
struct Facts<'a> {
    model: Model,
    watched: &'a [Vec<bool>],
    /// For each object whether it keeps its first value.
    constant: &'a [bool],
    notices_reuse: bool,
    /// For each procedure whether threads begin with it, and whether it can call itself.
    outermost: &'a [bool],
    recursive: &'a [bool],
}

fn local_nodes(program: &Program, id: ProcId, facts: &Facts<'_>) -> Vec<bool> {
    let Facts { model, watched, constant, notices_reuse, .. } = *facts;
    let procedure = program.procedure(id);
    let outermost = facts.outermost[id.index()];
    let own = own_objects(procedure);
    let is_own = |address: &Address| pointer_slot(address.expr()).is_some_and(|slot| own[slot as usize]);
    let is_local = |edge: &Edge| match &edge.instr {
        Instr::Nop
        | Instr::Choose
        | Instr::Assign(..)
        | Instr::Assume(_)
        | Instr::Assert(..)
        | Instr::Own(_)
        | Instr::Havoc(..) => true,
        Instr::Store(address, _) => model != Model::Sc || is_own(address),
        Instr::Load(_, Address::Cell { object, .. }) => constant[object.index()],
        Instr::Load(_, address) => is_own(address),
        // Numbers of objects mean nothing where pointers are not looked at as integers, and which of them are free
        // only to those who use them again.
        Instr::Allocate { storage, .. } => {
            !program.shows_addresses() && (*storage == Storage::Stack || !notices_reuse)
        }
        Instr::Free(Expr::Reg(Reg::Local(slot)), Storage::Stack) => own[*slot as usize],
        Instr::Fence(kind) => *kind == fencepost_ir::cfg::FenceKind::StoreStore,
        Instr::Call(_, callee, _) => !watched[callee.index()][0],
        // A return that may end a thread waits for its buffer.
        Instr::Return(_) => !outermost,
        Instr::Rmw(..)
        | Instr::Lock(_)
        | Instr::Unlock(_)
        | Instr::Spawn(..)
        | Instr::Join(..)
        | Instr::Reallocate { .. }
        | Instr::Free(..)
        | Instr::Exit(_)
        | Instr::Halt
        | Instr::AtomicBegin(_)
        | Instr::AtomicEnd(_) => false,
    };
    let mut local: Vec<_> = (0..procedure.nodes)
        .map(|n| {
            let invisible = |e: &Edge| is_local(e) && !watched[id.index()][e.to.index()];
            !watched[id.index()][n as usize]
                && procedure.out(NodeId(n)).all(|(_, e)| invisible(e))
                && procedure.out(NodeId(n)).next().is_some()
        })
        .collect();
    if facts.recursive[id.index()] {
        local[procedure.entry().index()] = false;
    }
    local
}

/// The local nodes that may be on a cycle: those that have one before and one after them, again and again, and all
/// nodes of the procedures that are called from these.
fn cyclic_nodes(program: &Program, local: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let with_nodes = program.procedures.iter().zip(local);
    let mut cyclic: Vec<_> = with_nodes.map(|(procedure, local)| graph::between(procedure, local)).collect();
    let callees = |id: usize, from: &[bool]| {
        let calls = program.procedures[id].edges().iter().filter(|e| from[e.from.index()]);
        let callee = |e: &Edge| if let Instr::Call(_, callee, _) = e.instr { Some(callee) } else { None };
        calls.filter_map(callee).collect::<Vec<_>>()
    };
    let mut work: Vec<_> = (0..cyclic.len()).flat_map(|id| callees(id, &cyclic[id])).collect();
    while let Some(callee) = work.pop() {
        if cyclic[callee.index()].iter().any(|c| !c) {
            cyclic[callee.index()].fill(true);
            work.extend(callees(callee.index(), &cyclic[callee.index()]));
        }
    }
    cyclic
}

fn passing_nodes(program: &Program, id: ProcId, facts: &Facts<'_>) -> Vec<bool> {
    let procedure = program.procedure(id);
    let is_watched = |p: ProcId, node: NodeId| facts.watched[p.index()][node.index()];
    let unseen = |e: &Edge| {
        let callee = if let Instr::Call(_, callee, _) = e.instr { Some(callee) } else { None };
        !is_watched(id, e.to) && !callee.is_some_and(|c| is_watched(c, program.procedure(c).entry()))
    };
    let mut passing: Vec<_> = (0..procedure.nodes)
        .map(|n| !is_watched(id, NodeId(n)) && procedure.out(NodeId(n)).all(|(_, e)| unseen(e)))
        .collect();
    graph::loop_heads(procedure).into_iter().for_each(|head| passing[head.index()] = false);
    if facts.recursive[id.index()] {
        passing[procedure.entry().index()] = false;
    }
    passing
}

/// The register that an access computes its address from, where the rest is an offset in the object.
fn pointer_slot(pointer: &Expr) -> Option<u32> {
    match pointer {
        Expr::Reg(Reg::Local(slot)) => Some(*slot),
        Expr::Binary(BinaryOp::Add, Arith::Wrap(_), base, _) => pointer_slot(base),
        _ => None,
    }
}

/// For each register of a procedure whether it points to a local variable of the procedure, and
/// serves for nothing but accesses to it.
fn own_objects(procedure: &Procedure) -> Vec<bool> {
    let mut own = vec![false; procedure.registers.len()];
    for edge in procedure.edges() {
        if let Instr::Allocate { dest: Dest::Reg(Reg::Local(slot)), storage: Storage::Stack, .. } = edge.instr
        {
            own[slot as usize] = true;
        }
    }
    let mut seen = |e: &Expr| {
        e.visit(&mut |e| match e {
            Expr::Reg(Reg::Local(slot)) => own[*slot as usize] = false,
            Expr::At { base: Reg::Local(slot), len, .. } => {
                own[*slot as usize..(*slot + *len) as usize].fill(false);
            }
            _ => {}
        });
    };
    for edge in procedure.edges() {
        let address = edge.instr.address().map(Address::expr);
        edge.instr.expressions(&mut |e| match e {
            // An offset may leave the object, but not for another one of the program.
            e if address == Some(e) => {
                if let Some(offset) = offset_of(e) {
                    seen(offset);
                }
                if pointer_slot(e).is_none() {
                    seen(e);
                }
            }
            Expr::Reg(Reg::Local(_)) if matches!(edge.instr, Instr::Free(_, Storage::Stack)) => {}
            e => seen(e),
        });
    }
    own
}

/// What an access adds to a register's pointer.
fn offset_of(pointer: &Expr) -> Option<&Expr> {
    match pointer {
        Expr::Binary(BinaryOp::Add, Arith::Wrap(_), _, offset) => Some(offset),
        _ => None,
    }
}
