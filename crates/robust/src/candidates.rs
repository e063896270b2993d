//! Which loads a delayed store can be attacked at, by control flow and by what other threads write: what need
//! not be tried at all.
//!
//! A load can end the delay of a store only if control gets there from the store without waiting for the
//! buffer, its cell is not always the store's own, and another thread may write its object; and then
//! another thread must access the store's object. Ways through a load whose pair with the store is known
//! already are not followed (see [`mod@crate::monitor`]). Calls and returns are not matched: more is tried
//! than has to be, never less.

use crate::rules::Delayed;
use crate::{Fences, Place, Thread};
use fencepost_ir::cfg::{Address, Count, Drain, EdgeId, Expr, Instr, NodeId, ObjectId, ProcId, Program};
use fencepost_memory::{Memory, Tso};
use fencepost_task::{Budget, Pace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;

/// Objects that code may touch; any, where it follows pointers.
#[derive(Clone, Default)]
struct Objects {
    any: bool,
    named: FxHashSet<ObjectId>,
}

impl Objects {
    fn add(&mut self, address: &Address) {
        match address {
            Address::Cell { object, .. } => {
                self.named.insert(*object);
            }
            Address::Pointed { .. } => self.any = true,
        }
    }

    fn join(&mut self, other: &Objects) {
        self.any |= other.any;
        self.named.extend(&other.named);
    }

    fn may_contain(&self, address: &Address) -> bool {
        match address {
            Address::Cell { object, .. } => self.any || self.named.contains(object),
            Address::Pointed { .. } => self.any || !self.named.is_empty(),
        }
    }
}

/// What the threads other than one may touch.
#[derive(Clone, Default)]
struct Others {
    accessed: Objects,
    written: Objects,
}

/// Answers whether an attack is worth trying.
pub struct Candidates<'p> {
    program: &'p Program,
    /// For each thread of the beginning, and for spawned ones.
    others: Vec<Others>,
    spawned: Others,
    /// All stores of these threads, and one of the spawned ones for all.
    stores: Vec<Delayed>,
    /// Known answers for the store and a node.
    answers: FxHashMap<(Delayed, ProcId, NodeId), bool>,
    pace: RefCell<Pace>,
}

impl<'p> Candidates<'p> {
    /// Analyses a program. When the budget is used up, everything is worth trying.
    pub fn new(program: &'p Program, budget: &Budget) -> Candidates<'p> {
        let mut starts = Vec::new();
        for start in &program.threads {
            let Count::Times(n) = start.count else { continue };
            starts.extend((0..n).map(|_| start.procedure));
        }
        let edges = program.procedures.iter().flat_map(|p| p.edges());
        let children: BTreeSet<ProcId> = edges
            .filter_map(|e| match e.instr {
                Instr::Spawn(_, child, ..) => Some(child),
                _ => None,
            })
            .collect();
        let outermost: BTreeSet<ProcId> = starts.iter().chain(&children).copied().collect();
        let touched: FxHashMap<ProcId, Others> =
            outermost.into_iter().map(|p| (p, touched_from(program, p))).collect();
        let mut spawnable = Others::default();
        for child in &children {
            spawnable.accessed.join(&touched[child].accessed);
            spawnable.written.join(&touched[child].written);
        }
        let all_but = |thread: Option<usize>| {
            let mut others = spawnable.clone();
            for (_, procedure) in starts.iter().enumerate().filter(|(i, _)| Some(*i) != thread) {
                others.accessed.join(&touched[procedure].accessed);
                others.written.join(&touched[procedure].written);
            }
            others
        };
        let mut stores = Vec::new();
        for (thread, procedure) in starts.iter().enumerate() {
            add_stores(program, *procedure, thread as Thread, &mut stores);
        }
        for child in children {
            add_stores(program, child, ANY_SPAWNED, &mut stores);
        }
        Candidates {
            program,
            stores,
            others: (0..starts.len()).map(|i| all_but(Some(i))).collect(),
            spawned: all_but(None),
            answers: FxHashMap::default(),
            pace: RefCell::new(Pace::new(budget)),
        }
    }

    fn others(&self, thread: Thread) -> &Others {
        self.others.get(thread as usize).unwrap_or(&self.spawned)
    }

    fn address(&self, place: Place) -> Option<&'p Address> {
        self.program.procedure(place.procedure).edge(place.edge).instr.address()
    }

    /// Whether any store of any thread may still be worth delaying. Of spawned threads it is not known which
    /// pairs are.
    pub fn any(&mut self, fences: &Fences, done: impl Fn(Delayed, Place) -> bool) -> bool {
        let stores = std::mem::take(&mut self.stores);
        let found = stores.iter().any(|&delayed| {
            let place = delayed.store;
            let behind = (place.procedure, self.program.procedure(place.procedure).edge(place.edge).to);
            !fences.after.contains(&place)
                && self.goes_on(fences, delayed, behind, |load| done(delayed, load))
        });
        self.stores = stores;
        found
    }

    /// Forgets answers about the store: one more of its pairs is known.
    pub fn forget(&mut self, delayed: Delayed) {
        self.answers.retain(|key, _| key.0 != delayed);
    }

    /// Whether an attacker at the node may still get to a load worth trying; `done` says which are known.
    pub fn goes_on(
        &mut self,
        fences: &Fences,
        delayed: Delayed,
        at: (ProcId, NodeId),
        done: impl Fn(Place) -> bool,
    ) -> bool {
        if let Some(&answer) = self.answers.get(&(delayed, at.0, at.1)) {
            return answer;
        }
        let answer = self.search(fences, delayed, at, done);
        self.answers.insert((delayed, at.0, at.1), answer);
        answer
    }

    fn search(
        &self,
        fences: &Fences,
        delayed: Delayed,
        at: (ProcId, NodeId),
        done: impl Fn(Place) -> bool,
    ) -> bool {
        let own = self.address(delayed.store).expect("a store has an address");
        let others = self.others(delayed.thread);
        if !others.accessed.may_contain(own) {
            return false;
        }
        let constant = |a: &Address| matches!(a, Address::Cell { index: Expr::Const(_), .. });
        let is_candidate = |place: Place, instr: &Instr| match instr {
            Instr::Load(_, address) => {
                let never_missed = constant(own) && address == own;
                !done(place) && !never_missed && others.written.may_contain(address)
            }
            Instr::Spawn(_, _, _, Drain::No) => !done(place),
            _ => false,
        };
        let mut found = false;
        walk(self.program, at, |place, instr| {
            found |= self.pace.borrow_mut().work(1, || 0).is_err();
            found |= !fences.before.contains(&place) && !waits(instr) && is_candidate(place, instr);
            !found && !waits(instr) && !fences.stop(place) && !done(place)
        });
        found
    }
}

/// Whether an instruction waits for the own buffer. That a return may end the thread, which waits too, is
/// left out.
pub fn waits(instr: &Instr) -> bool {
    Tso.drains(instr, false)
}

/// Visits what control can get to; `passes` says whether to continue after an instruction. Calls and returns are
/// not matched.
pub fn walk(program: &Program, from: (ProcId, NodeId), mut passes: impl FnMut(Place, &Instr) -> bool) {
    let mut seen = FxHashSet::from_iter([from]);
    let mut work = vec![from];
    let callers = LazyCell::new(|| callers(program));
    while let Some((procedure, node)) = work.pop() {
        for (edge_id, edge) in program.procedure(procedure).out(node) {
            let place = Place { procedure, edge: edge_id };
            if !passes(place, &edge.instr) {
                continue;
            }
            let mut visit = |at| {
                if seen.insert(at) {
                    work.push(at);
                }
            };
            match &edge.instr {
                Instr::Call(_, callee, _) => visit((*callee, program.procedure(*callee).entry())),
                Instr::Return(_) => {
                    callers.get(&procedure).into_iter().flatten().copied().for_each(visit);
                }
                _ => visit((procedure, edge.to)),
            }
        }
    }
}

/// Where control continues after the calls of each procedure.
fn callers(program: &Program) -> FxHashMap<ProcId, Vec<(ProcId, NodeId)>> {
    let mut callers: FxHashMap<ProcId, Vec<(ProcId, NodeId)>> = FxHashMap::default();
    for (caller, code) in program.procedures.iter().enumerate() {
        for edge in code.edges() {
            if let Instr::Call(_, callee, _) = edge.instr {
                callers.entry(callee).or_default().push((ProcId(caller as u32), edge.to));
            }
        }
    }
    callers
}

/// Stands for all spawned threads.
const ANY_SPAWNED: Thread = Thread::MAX;

fn add_stores(program: &Program, root: ProcId, thread: Thread, stores: &mut Vec<Delayed>) {
    for procedure in called_from(program, root) {
        for (edge, instr) in program.procedure(procedure).edges().iter().map(|e| &e.instr).enumerate() {
            if let Instr::Store(..) = instr {
                let store = Place { procedure, edge: EdgeId(edge as u32) };
                stores.push(Delayed { thread, store });
            }
        }
    }
}

/// A procedure and those that it calls.
fn called_from(program: &Program, root: ProcId) -> Vec<ProcId> {
    let mut called = vec![root];
    let mut known = FxHashSet::from_iter([root]);
    let mut next = 0;
    while let Some(&id) = called.get(next) {
        next += 1;
        for edge in program.procedure(id).edges() {
            if let Instr::Call(_, callee, _) = edge.instr
                && known.insert(callee)
            {
                called.push(callee);
            }
        }
    }
    called
}

/// What a procedure and those that it calls may touch. Freeing an object is writing all of it.
fn touched_from(program: &Program, root: ProcId) -> Others {
    let mut touched = Others::default();
    for id in called_from(program, root) {
        for edge in program.procedure(id).edges() {
            if let Some(address) = edge.instr.address() {
                touched.accessed.add(address);
                if !matches!(edge.instr, Instr::Load(..)) {
                    touched.written.add(address);
                }
            }
            if let Instr::Free(..) | Instr::Reallocate { .. } = edge.instr {
                touched.accessed.any = true;
                touched.written.any = true;
            }
        }
    }
    touched
}
