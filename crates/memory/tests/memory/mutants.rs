//! Small mistakes in the memory models, each killed by a named known answer.
//!
//! A mutant is a memory model that overrides one rule and gets it wrong. A known answer is a
//! program whose verdict is known; a mutant is killed when it gives another one. The table is
//! printed by `cargo test -p fencepost-memory --test memory mutants::table -- --nocapture`.

use fencepost_ir::cfg::{Drain, FenceKind, Instr, Loc, Program};
use fencepost_memory::{EntryKind, LoadBuffer, Machine, Memory, Pso, Sc, State, Tso, reachable};
use fencepost_passes::pipeline;
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Action, Model};
use std::collections::BTreeSet;

// Known answers

/// A program and what it is under a model.
struct Known {
    name: &'static str,
    model: Model,
    safe: bool,
    text: &'static str,
}

const SB: &str = "shared bool x, y;
    thread t1 { bool r; x = true; BETWEEN r = y; } thread t2 { bool r; y = true; BETWEEN r = x; }
    final not exists (!t1.r && !t2.r);";

const KNOWN: [Known; 30] = [
    known("own_store_is_seen", Model::Tso, true, "shared 0..2 x; thread t { 0..2 r; x = 1; r = x; assert(r == 1); }"),
    known("newest_own_store_is_seen", Model::Tso, true, "shared 0..2 x; thread t { x = 1; x = 2; assert(x == 2); }"),
    known("store_reaches_memory", Model::Tso, true, "shared 0..2 x; thread t { x = 1; fence; assert(x == 1); }"),
    known("sb_is_weak", Model::Tso, false, SB),
    known("sb_is_strong_under_sc", Model::Sc, true, SB),
    known("sb_fenced", Model::Tso, true, "SB fence;"),
    known("sb_exchange_drains", Model::Tso, true, "SB exchange(z, 1);"),
    known("sb_fenced_on_one_side", Model::Tso, false, "shared bool x, y;
        thread t1 { bool r; x = true; r = y; } thread t2 { bool r; y = true; fence; r = x; }
        final not exists (!t1.r && !t2.r);"),
    known("sb_store_store_fence_is_not_full", Model::Tso, false, "SB fence store_store;"),
    known("sb_store_store_fence_is_not_full_pso", Model::Pso, false, "SB fence store_store;"),
    known("sb_lock_drains", Model::Tso, true, "shared bool x, y; mutex m, n;
        thread t1 { bool r; x = true; lock(m); r = y; unlock(m); }
        thread t2 { bool r; y = true; lock(n); r = x; unlock(n); } final not exists (!t1.r && !t2.r);"),
    known("sb_unlock_drains", Model::Tso, true, "shared bool x, y; mutex m, n;
        thread t1 { bool r; lock(m); x = true; unlock(m); r = y; }
        thread t2 { bool r; lock(n); y = true; unlock(n); r = x; } final not exists (!t1.r && !t2.r);"),
    known("sb_atomic_begin_drains", Model::Tso, true, "shared bool x, y;
        thread t1 { bool r; x = true; atomic_begin; r = y; atomic_end nodrain; }
        thread t2 { bool r; y = true; atomic_begin; r = x; atomic_end nodrain; }
        final not exists (!t1.r && !t2.r);"),
    known("sb_atomic_end_drains", Model::Tso, true, "shared bool x, y;
        thread t1 { bool r; atomic { x = true; } r = y; } thread t2 { bool r; atomic { y = true; } r = x; }
        final not exists (!t1.r && !t2.r);"),
    known("sb_atomic_nodrain_keeps", Model::Tso, false, "shared bool x, y;
        thread t1 { bool r; x = true; atomic nodrain { r = y; } }
        thread t2 { bool r; y = true; atomic nodrain { r = x; } } final not exists (!t1.r && !t2.r);"),
    known("join_sees_all_stores", Model::Tso, true, "shared bool x; process w() { x = true; }
        process main() { thread_id c = spawn w(); join(c); assert(x); }"),
    known("spawn_drains", Model::Tso, true, "shared bool x; process w() { assert(x); }
        process main() { x = true; spawn w(); }"),
    known("spawn_nodrain_keeps", Model::Tso, false, "shared bool x; process w() { assert(x); }
        process main() { x = true; spawn nodrain w(); }"),
    known("mp_stores_stay_in_order", Model::Tso, true, MP),
    known("mp_is_weak_under_pso", Model::Pso, false, MP),
    known("mp_store_store_fence", Model::Pso, true, "MP fence store_store;"),
    known("mp_two_stores_before_the_fence", Model::Pso, true, "shared bool x, z, y;
        thread t1 { x = true; z = true; fence store_store; y = true; }
        thread t2 { bool r = y; if (r) { assert(z); assert(x); } }"),
    known("mp_full_fence_pso", Model::Pso, true, "MP fence;"),
    known("coherence", Model::Tso, true, COHERENCE),
    known("coherence_pso", Model::Pso, true, COHERENCE),
    known("no_flush_in_anothers_section", Model::Tso, true, "shared bool x;
        thread t1 { bool r; bool s; atomic { r = x; s = x; } assert(r == s); } thread t2 { x = true; }"),
    known("no_step_in_anothers_section", Model::Tso, true, "shared bool x;
        thread t1 { bool r; bool s; atomic { r = x; s = x; } assert(r == s); } thread t2 { exchange(x, true); }"),
    known("own_flush_in_own_section", Model::Tso, false, "shared bool x; thread t1 { atomic { x = true; } done: skip; }
        forbid t1 at done;"),
    known("fence_waits", Model::Tso, false, "shared bool x; thread t1 { x = true; fence; done: skip; } forbid t1 at done;"),
    known("lb_needs_early_stores", Model::Pso, true, "shared bool x, y;
        thread t1 { bool r; r = x; y = true; } thread t2 { bool r; r = y; x = true; }
        final not exists (t1.r && t2.r);"),
];

const MP: &str = "shared bool x, y; thread t1 { x = true; BETWEEN y = true; }
    thread t2 { bool r = y; if (r) { assert(x); } }";

const COHERENCE: &str = "shared 0..2 x; thread t1 { x = 1; x = 2; }
    thread t2 { 0..2 r = x; 0..2 s = x; assert(!(r == 2 && s == 1)); }";

const fn known(name: &'static str, model: Model, safe: bool, text: &'static str) -> Known {
    Known { name, model, safe, text }
}

fn program(known: &Known) -> Program {
    let text = match (known.text.strip_prefix("SB "), known.text.strip_prefix("MP ")) {
        (Some(between), _) => format!("shared 0..1 z; {}", SB.replace("BETWEEN", between)),
        (_, Some(between)) => MP.replace("BETWEEN", between),
        (None, None) => known.text.replace("BETWEEN", ""),
    };
    match fencepost_models::fp::read(known.name, &text) {
        Ok(tree) => pipeline::lower(tree),
        Err((_, diagnostics)) => panic!("{}: {diagnostics:?}", known.name),
    }
}

fn is_safe(program: &Program, memory: &impl Memory) -> bool {
    let machine = Machine::new(program).unwrap();
    reachable(&machine, memory, 100_000).expect("known answers are small").is_safe()
}

#[test]
fn known_answers_hold() {
    for known in &KNOWN {
        let program = program(known);
        let safe = match known.model {
            Model::Sc => is_safe(&program, &Sc),
            Model::Tso => is_safe(&program, &Tso),
            Model::Pso => is_safe(&program, &Pso),
        };
        assert_eq!(safe, known.safe, "{} under {:?}", known.name, known.model);
    }
}

// Mutants

/// A mistake in TSO or PSO.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    LoadSkipsOwnBuffer,
    LoadTakesOldestOwnStore,
    LoadSeesOtherBuffers,
    StoreWritesThrough,
    FlushNewestFirst,
    FlushAnyUnderTso,
    FlushDropsTheStore,
    FenceDoesNotDrain,
    FenceNeverPasses,
    StoreStoreFenceDrains,
    RmwDoesNotDrain,
    LockDoesNotDrain,
    UnlockDoesNotDrain,
    EndDoesNotDrain,
    SpawnDoesNotDrain,
    SpawnNodrainDrains,
    AtomicBeginDoesNotDrain,
    AtomicEndDoesNotDrain,
    AtomicNodrainDrains,
    FenceDrainsOtherThreads,
    FlushInsideAnothersSection,
    StepInsideAnothersSection,
    NoFlushInsideOwnSection,
    PsoEpochsIgnored,
    PsoEpochsEndEarly,
    PsoStoreStoreFenceDrains,
    PsoHasOneQueue,
    PsoReordersOneCell,
}

/// Each mistake, and the known answer that kills it.
const MUTANTS: [(Mistake, Model, &str); 28] = [
    (Mistake::LoadSkipsOwnBuffer, Model::Tso, "own_store_is_seen"),
    (Mistake::LoadTakesOldestOwnStore, Model::Tso, "newest_own_store_is_seen"),
    (Mistake::LoadSeesOtherBuffers, Model::Tso, "sb_is_weak"),
    (Mistake::StoreWritesThrough, Model::Tso, "sb_is_weak"),
    (Mistake::FlushNewestFirst, Model::Tso, "mp_stores_stay_in_order"),
    (Mistake::FlushAnyUnderTso, Model::Tso, "mp_stores_stay_in_order"),
    (Mistake::FlushDropsTheStore, Model::Tso, "store_reaches_memory"),
    (Mistake::FenceDoesNotDrain, Model::Tso, "sb_fenced"),
    (Mistake::FenceNeverPasses, Model::Tso, "fence_waits"),
    (Mistake::StoreStoreFenceDrains, Model::Tso, "sb_store_store_fence_is_not_full"),
    (Mistake::RmwDoesNotDrain, Model::Tso, "sb_exchange_drains"),
    (Mistake::LockDoesNotDrain, Model::Tso, "sb_lock_drains"),
    (Mistake::UnlockDoesNotDrain, Model::Tso, "sb_unlock_drains"),
    (Mistake::EndDoesNotDrain, Model::Tso, "join_sees_all_stores"),
    (Mistake::SpawnDoesNotDrain, Model::Tso, "spawn_drains"),
    (Mistake::SpawnNodrainDrains, Model::Tso, "spawn_nodrain_keeps"),
    (Mistake::AtomicBeginDoesNotDrain, Model::Tso, "sb_atomic_begin_drains"),
    (Mistake::AtomicEndDoesNotDrain, Model::Tso, "sb_atomic_end_drains"),
    (Mistake::AtomicNodrainDrains, Model::Tso, "sb_atomic_nodrain_keeps"),
    (Mistake::FenceDrainsOtherThreads, Model::Tso, "sb_fenced_on_one_side"),
    (Mistake::FlushInsideAnothersSection, Model::Tso, "no_flush_in_anothers_section"),
    (Mistake::StepInsideAnothersSection, Model::Tso, "no_step_in_anothers_section"),
    (Mistake::NoFlushInsideOwnSection, Model::Tso, "own_flush_in_own_section"),
    (Mistake::PsoEpochsIgnored, Model::Pso, "mp_store_store_fence"),
    (Mistake::PsoEpochsEndEarly, Model::Pso, "mp_two_stores_before_the_fence"),
    (Mistake::PsoStoreStoreFenceDrains, Model::Pso, "sb_store_store_fence_is_not_full_pso"),
    (Mistake::PsoHasOneQueue, Model::Pso, "mp_is_weak_under_pso"),
    (Mistake::PsoReordersOneCell, Model::Pso, "coherence_pso"),
];

struct Mutant<M> {
    right: M,
    mistake: Mistake,
}

impl<M: Memory> Memory for Mutant<M> {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        match self.mistake {
            Mistake::StoreWritesThrough => Sc.store(state, thread, parts),
            Mistake::PsoHasOneQueue => Tso.store(state, thread, parts),
            _ => self.right.store(state, thread, parts),
        }
    }

    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let own = &state.threads[thread].buffer;
        let memory = state.cells[loc.index()];
        match self.mistake {
            Mistake::LoadSkipsOwnBuffer => Some(memory),
            Mistake::LoadTakesOldestOwnStore => {
                Some(own.iter().find(|e| e.loc == loc).map_or(memory, |e| e.value))
            }
            Mistake::LoadSeesOtherBuffers => {
                let mut all = state.threads.iter().flat_map(|t| t.buffer.iter().rev());
                Some(all.find(|e| e.loc == loc).map_or(memory, |e| e.value))
            }
            _ => self.right.load(state, thread, loc),
        }
    }

    fn store_store_fence(&self, state: &mut State, thread: usize) {
        if self.mistake != Mistake::PsoEpochsIgnored {
            self.right.store_store_fence(state, thread);
        }
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        let buffer = &state.threads[thread].buffer;
        match self.mistake {
            Mistake::FlushAnyUnderTso => buffer.iter().for_each(|e| see(Action::Flush(e.loc))),
            Mistake::FlushNewestFirst => buffer.last().into_iter().for_each(|e| see(Action::Flush(e.loc))),
            Mistake::PsoHasOneQueue => Tso.memory_steps(state, thread, see),
            _ => self.right.memory_steps(state, thread, see),
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        let Action::Flush(loc) = action else { panic!("flushes only") };
        let buffer = &mut state.threads[thread].buffer;
        let newest = buffer.iter().rposition(|e| e.kind == EntryKind::Store && e.loc == loc);
        match self.mistake {
            Mistake::FlushAnyUnderTso | Mistake::FlushNewestFirst | Mistake::PsoReordersOneCell => {
                let entry = buffer.remove(newest.expect("listed"));
                state.cells[loc.index()] = entry.value;
            }
            Mistake::FlushDropsTheStore => {
                buffer.remove(0);
            }
            Mistake::PsoHasOneQueue => Tso.memory_step(state, thread, action),
            Mistake::PsoEpochsEndEarly => {
                self.right.memory_step(state, thread, action);
                state.threads[thread].buffer.retain(|e| e.kind != EntryKind::Barrier);
            }
            _ => self.right.memory_step(state, thread, action),
        }
    }

    fn drains(&self, instr: &Instr, outermost: bool) -> bool {
        match (self.mistake, instr) {
            (Mistake::FenceDoesNotDrain, Instr::Fence(FenceKind::Full))
            | (Mistake::RmwDoesNotDrain, Instr::Rmw(..))
            | (Mistake::LockDoesNotDrain, Instr::Lock(_))
            | (Mistake::UnlockDoesNotDrain, Instr::Unlock(_))
            | (Mistake::EndDoesNotDrain, Instr::Return(_))
            | (Mistake::SpawnDoesNotDrain, Instr::Spawn(..))
            | (Mistake::AtomicBeginDoesNotDrain, Instr::AtomicBegin(_))
            | (Mistake::AtomicEndDoesNotDrain, Instr::AtomicEnd(_)) => false,
            (
                Mistake::StoreStoreFenceDrains | Mistake::PsoStoreStoreFenceDrains,
                Instr::Fence(FenceKind::StoreStore),
            )
            | (Mistake::SpawnNodrainDrains, Instr::Spawn(_, _, _, Drain::No))
            | (Mistake::AtomicNodrainDrains, Instr::AtomicBegin(Drain::No)) => true,
            _ => self.right.drains(instr, outermost),
        }
    }

    fn is_drained(&self, state: &State, thread: usize) -> bool {
        match self.mistake {
            Mistake::FenceDrainsOtherThreads => state.threads.iter().all(|t| t.buffer.is_empty()),
            Mistake::FenceNeverPasses => false,
            _ => self.right.is_drained(state, thread),
        }
    }

    fn may_step(&self, state: &State, thread: usize) -> bool {
        self.mistake == Mistake::StepInsideAnothersSection || self.right.may_step(state, thread)
    }

    fn may_flush(&self, state: &State, thread: usize) -> bool {
        match self.mistake {
            Mistake::FlushInsideAnothersSection => true,
            Mistake::NoFlushInsideOwnSection => state.section.is_none(),
            _ => self.right.may_flush(state, thread),
        }
    }
}

#[test]
fn table_of_mutants_that_known_answers_kill() {
    println!("{:28}  {:5}  killed by", "mistake", "model");
    for (mistake, model, killer) in MUTANTS {
        let known = KNOWN.iter().find(|k| k.name == killer && k.model == model);
        let known = known.unwrap_or_else(|| panic!("no known answer `{killer}` under {model:?}"));
        let program = program(known);
        let safe = match model {
            Model::Pso => is_safe(&program, &Mutant { right: Pso, mistake }),
            Model::Sc | Model::Tso => is_safe(&program, &Mutant { right: Tso, mistake }),
        };
        assert_ne!(safe, known.safe, "{mistake:?} survives {killer}");
        println!("{:28}  {:5}  {killer}", format!("{mistake:?}"), model.name());
    }
    println!("{:28}  {:5}  theorem_1_on_tiny_programs", "ReadsNewestMessage", "dual");
    println!("{:28}  {:5}  theorem_1_on_tiny_programs", "StoreLeavesNoMessage", "dual");
}

// Load buffers

/// Load buffers with a mistake.
struct DualMutant {
    right: LoadBuffer,
    /// "Read from buffer" as printed; else stores leave no own message.
    reads_newest: bool,
}

impl Memory for DualMutant {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        self.right.store(state, thread, parts);
        if !self.reads_newest {
            state.threads[thread].buffer.pop();
        }
    }
    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        let buffer = &state.threads[thread].buffer;
        let own = buffer.iter().rev().find(|e| e.kind == EntryKind::Own && e.loc == loc);
        let newest = buffer.last().filter(|e| e.kind == EntryKind::Message && e.loc == loc);
        if self.reads_newest { own.or(newest).map(|e| e.value) } else { self.right.load(state, thread, loc) }
    }
    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        self.right.memory_steps(state, thread, see);
    }
    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        self.right.memory_step(state, thread, action);
    }
}

fn control_states(program: &Program, memory: &impl Memory) -> BTreeSet<Vec<(u32, Vec<i64>)>> {
    let machine = Machine::new(program).unwrap();
    let found = reachable(&machine, memory, usize::MAX).unwrap();
    let settled = found.states.iter().filter(|s| s.threads.iter().all(|t| t.buffer.is_empty()));
    settled.map(|s| s.threads.iter().map(|t| (t.top().node.0, t.registers.clone())).collect()).collect()
}

#[test]
fn theorem_1_on_tiny_programs() {
    let mut killed = [false, false];
    for tiny in Tiny::all(2) {
        let program = tiny.program();
        let tso = control_states(&program, &Tso);
        assert_eq!(tso, control_states(&program, &LoadBuffer::new(&program, 0)), "{tiny}");
        for (killed, reads_newest) in killed.iter_mut().zip([true, false]) {
            let right = LoadBuffer::new(&program, 0);
            *killed |= tso != control_states(&program, &DualMutant { right, reads_newest });
        }
    }
    assert_eq!(killed, [true, true], "the mistakes change some control state");
}
