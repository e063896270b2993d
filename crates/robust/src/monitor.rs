//! The search for attacks: a monitor over SC states, after Bouajjani, Calin, Derevenetc and Meyer, "Lazy TSO
//! Reachability" (FASE 2015), section 4, Figure 5.
//!
//! A program is not robust exactly if it has a run of this shape: one thread, the attacker, delays one store
//! past one of its loads; after the load only others run, and only events that happen after the load; one of
//! them touches the cell of the delayed store, which then reaches memory. The search has three phases.
//!
//! 1. *Free*: SC. At any store of any thread the second phase may begin.
//! 2. *Delaying*: the attacker's stores stay in its buffer, so it does nothing that waits for an empty one. Of
//!    the others only what happens after a load of this phase runs: all else could have run before the store,
//!    which it does not see. At a load that misses the buffer the third phase may begin.
//! 3. *Closing*: the attacker is silent. Of the others only what happens after the load runs. When one of its
//!    events touches the cell of the delayed store, an attack is found.
//!
//! A whole atomic section is one event, and so is a read-modify-write ([`mod@crate::effect`]). Spawning a thread
//! without waiting for the buffer counts as a load: the child happens after it.
//!
//! The buffer keeps only the newest value of each cell, since nothing of it reaches memory before the end; so
//! loops that store are finite. In the third phase the attacker's registers and buffer are forgotten.
//!
//! When a pair of store and load is found, the attacker is not followed beyond that load: a longer attack
//! through it is cut wherever this one is.
//!
//! Limits: a store inside an atomic section that ends without waiting for the buffer is not covered, and said.
//! Stores that are lost because the program ends are no violation.

use crate::candidates::Candidates;
use crate::effect::Effect;
use crate::marks::{Marks, renamed};
use crate::run::{Runner, Taken};
use crate::{Fences, Place, Thread};
use fencepost_explore::codec::{Codec, put_loc, put_number, take_loc, take_number};
use fencepost_explore::heap::HeapOrder;
use fencepost_explore::initial_choices;
use fencepost_explore::reduction::LocalSteps;
use fencepost_explore::store::{StateId, Store};
use fencepost_ir::cfg::{EdgeId, Instr, Loc, ProcId, Program};
use fencepost_memory::{Machine, Sc, State, Tso};
use fencepost_passes::liveness::Liveness;
use fencepost_task::{Action, Budget, Model, Reason, Stats};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A store of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Delayed {
    /// The attacker.
    pub thread: Thread,
    /// The store.
    pub store: Place,
}

/// How far an attack has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// None has begun.
    Free,
    /// A store is delayed.
    Delaying {
        /// Which.
        delayed: Delayed,
        /// Its cell.
        first: Loc,
        /// What happens after loads of this phase.
        marks: Marks,
    },
    /// The load is done.
    Closing {
        /// The store.
        delayed: Delayed,
        /// The load.
        load: Place,
        /// The store's cell.
        first: Loc,
        /// What happens after the load.
        marks: Marks,
    },
}

/// A pair of store and load, and where in the search it was found.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The store.
    pub delayed: Delayed,
    /// The load.
    pub load: Place,
    /// The state before the last event.
    last: StateId,
    /// Which of its successors the last event leads to.
    ordinal: u32,
}

/// A successor of a state.
struct Next<'a> {
    state: &'a mut State,
    phase: Phase,
    /// Whether the delayed store's cell has been touched.
    closes: bool,
    /// The load that the attacker has just gone beyond.
    beyond: Option<Place>,
}

impl<'a> Next<'a> {
    fn new(state: &'a mut State, phase: Phase) -> Next<'a> {
        Next { state, phase, closes: false, beyond: None }
    }
}

/// What can happen next.
pub struct Rules<'p, 'f> {
    /// Runs events.
    pub runner: Runner<'p>,
    codec: Codec<'p>,
    heap: Option<HeapOrder>,
    /// What is local to a thread that has no buffer, and to one whose stores nobody sees.
    local: LocalSteps,
    delaying: LocalSteps,
    fences: &'f Fences,
}

/// A search for attacks.
pub struct Search<'p, 'f> {
    /// What can happen next.
    pub rules: Rules<'p, 'f>,
    seen: Seen<'p>,
}

/// What a search has seen.
struct Seen<'p> {
    store: Store,
    /// States to look at, by phase.
    waiting: [VecDeque<StateId>; 3],
    candidates: Candidates<'p>,
    found: Vec<Pair>,
    done: FxHashSet<(Delayed, Place)>,
    stats: Stats,
    bytes: Vec<u8>,
    full: bool,
}

impl<'p, 'f> Search<'p, 'f> {
    /// Prepares a search of a program without templates and, since none matter, without properties.
    pub fn new(program: &'p Program, machine: Machine<'p>, fences: &'f Fences) -> Self {
        debug_assert!(program.properties.is_empty(), "properties keep registers alive and steps visible");
        let rules = Rules {
            runner: Runner::new(machine),
            codec: Codec::new(program, Model::Tso, Some(Liveness::new(program))),
            heap: HeapOrder::new(program, Model::Tso),
            local: LocalSteps::new(program, Model::Sc),
            delaying: LocalSteps::new(program, Model::Tso),
            fences,
        };
        let seen = Seen {
            store: Store::default(),
            waiting: Default::default(),
            candidates: Candidates::new(program),
            found: Vec::new(),
            done: FxHashSet::default(),
            stats: Stats::default(),
            bytes: Vec::new(),
            full: false,
        };
        Search { rules, seen }
    }

    /// Counters so far.
    pub fn stats(&self) -> Stats {
        let store = &self.seen.store;
        Stats { states: store.len() as u64, bytes: store.bytes(), ..self.seen.stats }
    }

    /// Searches until there is nothing more to see, or `enough` pairs are found.
    pub fn run(&mut self, budget: &Budget, enough: usize) -> Result<&[Pair], Reason> {
        let Search { rules, seen } = self;
        if seen.store.is_empty() {
            for (ordinal, chosen) in initial_choices(&rules.runner.machine.initial_choices()).enumerate() {
                let mut state = rules.runner.machine.initial(&chosen);
                rules.settle_all(&mut state, &mut Vec::new());
                seen.keep(rules, Next::new(&mut state, Phase::Free), None, ordinal as u32);
            }
        }
        let mut state = rules.runner.machine.initial(&[]);
        let mut looked_at = 0u32;
        let mut known = usize::MAX;
        while seen.found.len() < enough
            && let Some(id) = seen.pop()
        {
            if known != seen.found.len() {
                known = seen.found.len();
                let done = &seen.done;
                if !seen.candidates.any(rules.fences, |delayed, load| done.contains(&(delayed, load))) {
                    return Ok(&seen.found);
                }
            }
            looked_at += 1;
            if looked_at.is_multiple_of(256)
                && let Some(reason) = budget.exceeded(seen.store.bytes())
            {
                return Err(reason);
            }
            let phase = rules.decode(seen.store.get(id), &mut state);
            if let Phase::Closing { delayed, load, .. } = &phase
                && seen.done.contains(&(*delayed, *load))
            {
                continue;
            }
            let mut ordinal = 0;
            rules.successors(&state, &phase, &mut |next, _| {
                seen.stats.transitions += 1;
                seen.keep(rules, next, Some(id), ordinal);
                ordinal += 1;
            });
            if seen.full {
                return Err(Reason::Memory);
            }
        }
        match rules.runner.limit() {
            Some(reason) if seen.found.len() < enough => Err(reason),
            _ => Ok(&seen.found),
        }
    }

    /// The pairs found so far.
    pub fn found(&self) -> &[Pair] {
        &self.seen.found
    }

    /// The steps of an attack: initial values, then what is before the delayed store, from it to the load, and
    /// after the load.
    pub fn rebuild(&self, pair: &Pair) -> Steps {
        let Search { rules, seen } = self;
        let path = seen.store.path(pair.last);
        let choices = rules.runner.machine.initial_choices();
        let init =
            initial_choices(&choices).nth(path[0].1 as usize).expect("a path starts at an initial state");
        let mut state = rules.runner.machine.initial(&init);
        let mut steps = Steps { init, ..Steps::default() };
        rules.settle_all(&mut state, &mut steps.before);
        let ordinals = path[1..].iter().map(|(_, ordinal)| *ordinal).chain([pair.ordinal]);
        for (&(id, _), ordinal) in path.iter().zip(ordinals) {
            let phase = rules.decode(seen.store.get(id), &mut state);
            let mut number = 0;
            let mut chosen = None;
            rules.successors(&state, &phase, &mut |next, taken| {
                if number == ordinal {
                    chosen = Some((next.phase, taken.to_vec()));
                }
                number += 1;
            });
            let (next, taken) = chosen.expect("the successor was there before");
            let part = match (&phase, &next) {
                (Phase::Free, Phase::Free) => &mut steps.before,
                (Phase::Closing { .. }, _) => &mut steps.after,
                (Phase::Free | Phase::Delaying { .. }, _) => &mut steps.between,
            };
            part.extend(taken);
        }
        steps
    }
}

impl Seen<'_> {
    /// States near an attack first: those found are not looked for again.
    fn pop(&mut self) -> Option<StateId> {
        self.waiting.iter_mut().rev().find_map(VecDeque::pop_front)
    }

    /// Stores a successor if it is new and worth it.
    fn keep(&mut self, rules: &Rules<'_, '_>, next: Next<'_>, parent: Option<StateId>, ordinal: u32) {
        let Next { state, mut phase, closes, beyond } = next;
        let queue = match &phase {
            Phase::Free => 0,
            Phase::Delaying { delayed, .. } => {
                let done = |load: Place| self.done.contains(&(*delayed, load));
                let top = state.threads[delayed.thread as usize].top();
                if beyond.is_some_and(done)
                    || !self.candidates.goes_on(rules.fences, *delayed, (top.procedure, top.node), done)
                {
                    return;
                }
                1
            }
            Phase::Closing { delayed, load, .. } => {
                if self.done.contains(&(*delayed, *load)) {
                    return;
                }
                if closes {
                    let last = parent.expect("an attack takes more than one event");
                    self.done.insert((*delayed, *load));
                    self.candidates.forget(*delayed);
                    self.found.push(Pair { delayed: *delayed, load: *load, last, ordinal });
                    return;
                }
                2
            }
        };
        if !rules.normalize(state, &mut phase) {
            return;
        }
        self.bytes.clear();
        encode_phase(&phase, &mut self.bytes);
        rules.codec.encode(state, &mut self.bytes);
        match self.store.insert(&self.bytes, parent, ordinal) {
            Ok(Some(id)) => self.waiting[queue].push_back(id),
            Ok(None) => {}
            Err(_) => self.full = true,
        }
    }
}

/// Sees a successor and the steps to it.
type See<'s> = &'s mut dyn FnMut(Next<'_>, &[Taken]);

impl Rules<'_, '_> {
    fn settle_all(&self, state: &mut State, path: &mut Vec<Taken>) {
        for thread in 0..state.threads.len() {
            self.runner.settle(&Sc, &self.local, state, thread as Thread, path);
        }
    }

    /// Brings a state to the form that stands for its equals; whether an attack is still possible.
    fn normalize(&self, state: &mut State, phase: &mut Phase) -> bool {
        if let Phase::Closing { delayed, .. } = phase {
            self.silence(state, delayed.thread);
        }
        if let Phase::Delaying { delayed, .. } = phase {
            keep_newest(state, delayed.thread);
        }
        self.codec.forget_dead(state);
        let order = self.heap.as_ref().and_then(|heap| heap.sort(&self.runner.machine, state));
        let rename = |loc| renamed(state.first_heap, order.as_deref(), loc);
        let (Phase::Delaying { first, marks, .. } | Phase::Closing { first, marks, .. }) = phase else {
            return true;
        };
        marks.rename(&rename);
        match rename(*first) {
            Some(new) => *first = new,
            None => return false,
        }
        if let Phase::Delaying { delayed, .. } = phase {
            state.threads[delayed.thread as usize].buffer.sort_by_key(|e| e.loc);
        }
        true
    }

    /// Forgets all of the attacker that no one else can see.
    fn silence(&self, state: &mut State, thread: Thread) {
        let program = self.runner.machine.program;
        let attacker = &mut state.threads[thread as usize];
        attacker.buffer.clear();
        attacker.frames.truncate(1);
        let frame = &mut attacker.frames[0];
        let procedure = program.procedure(frame.procedure);
        frame.node = procedure.entry();
        attacker.registers.clear();
        attacker.registers.extend(program.thread_registers.iter().map(|r| r.init));
        attacker.registers.extend(procedure.registers.iter().map(|r| r.init));
    }

    fn decode(&self, mut bytes: &[u8], state: &mut State) -> Phase {
        let phase = decode_phase(&mut bytes);
        self.codec.decode(bytes, state);
        phase
    }

    /// Calls `see` on all successors, in an order that depends on nothing else.
    fn successors(&self, state: &State, phase: &Phase, see: See<'_>) {
        match phase {
            Phase::Free => {
                for thread in 0..state.threads.len() as Thread {
                    self.free_events(state, thread, see);
                    self.begin(state, thread, see);
                }
            }
            Phase::Delaying { delayed, first, marks } => {
                self.attacker_events(state, *delayed, *first, marks, see);
                if !marks.is_empty() {
                    self.later_events(state, delayed.thread, marks, &mut |state, path, _, marks| {
                        let phase = Phase::Delaying { delayed: *delayed, first: *first, marks };
                        see(Next::new(state, phase), path);
                    });
                }
            }
            Phase::Closing { delayed, load, first, marks } => {
                self.later_events(state, delayed.thread, marks, &mut |state, path, effect, marks| {
                    let phase = Phase::Closing { delayed: *delayed, load: *load, first: *first, marks };
                    let closes = effect.touches(*first);
                    see(Next { closes, ..Next::new(state, phase) }, path);
                });
            }
        }
    }

    /// The first phase: whatever a thread can do under SC.
    fn free_events(&self, state: &State, thread: Thread, see: See<'_>) {
        self.runner.events(&Sc, state, thread, &mut |next, path, effect| {
            if effect.halts {
                return;
            }
            self.settle_event(next, thread, effect, path);
            see(Next::new(next, Phase::Free), path);
        });
    }

    /// Runs the local steps after an event of a thread that has no buffer.
    fn settle_event(&self, state: &mut State, thread: Thread, effect: &Effect, path: &mut Vec<Taken>) {
        self.runner.settle(&Sc, &self.local, state, thread, path);
        for &child in &effect.starts {
            self.runner.settle(&Sc, &self.local, state, child, path);
        }
    }

    /// The second phase begins with a store of the thread.
    fn begin(&self, state: &State, thread: Thread, see: See<'_>) {
        let top = state.threads[thread as usize].top();
        let mut edges = self.runner.machine.program.procedure(top.procedure).out(top.node);
        if !edges.any(|(_, e)| matches!(e.instr, Instr::Store(..))) {
            return;
        }
        self.runner.events(&Tso, state, thread, &mut |next, path, _| {
            let [Taken { place: store, .. }] = path[..] else { return };
            let instr = &self.runner.machine.program.procedure(store.procedure).edge(store.edge).instr;
            let entry = next.threads[thread as usize].buffer.first();
            let (Instr::Store(..), Some(first)) = (instr, entry.map(|e| e.loc)) else { return };
            if !self.fences.after.contains(&store) && self.settle_attacker(next, thread, path) {
                let delayed = Delayed { thread, store };
                let phase = Phase::Delaying { delayed, first, marks: Marks::default() };
                see(Next::new(next, phase), path);
            }
        });
    }

    /// Runs local steps of the attacker; whether no fence is on its way.
    fn settle_attacker(&self, state: &mut State, thread: Thread, path: &mut Vec<Taken>) -> bool {
        let before = path.len();
        self.runner.settle(&Tso, &self.delaying, state, thread, path);
        !path[before..].iter().any(|t| self.fences.stop(t.place))
    }

    /// The second phase: what the attacker does with a store in its buffer.
    fn attacker_events(&self, state: &State, delayed: Delayed, first: Loc, marks: &Marks, see: See<'_>) {
        let thread = delayed.thread;
        self.runner.events(&Tso, state, thread, &mut |next, path, effect| {
            if path.iter().any(|t| self.fences.before.contains(&t.place)) || effect.halts {
                return;
            }
            if effect.partial {
                self.runner.cut(Reason::NotApplicable(
                    "a load that finds a part of a union in the store buffer is not for the robustness check"
                        .to_string(),
                ));
                return;
            }
            let mut marks = marks.clone();
            let mut beyond = None;
            if let Some((procedure, edge)) = effect.reader {
                let load = Place { procedure: ProcId(procedure), edge };
                let visible = Effect { writes: Vec::new(), ..effect.clone() };
                let mut after = Marks::default();
                after.add(&visible);
                if self.goes_on(next, thread, &after) {
                    let phase = Phase::Closing { delayed, load, first, marks: after };
                    see(Next::new(&mut next.clone(), phase), path);
                }
                marks.add(&visible);
                beyond = Some(load);
            }
            let fenced = path.iter().any(|t| self.fences.after.contains(&t.place));
            if !fenced && self.settle_attacker(next, thread, path) {
                // A local variable is gone, and with it the store.
                if !next.threads[thread as usize].buffer.iter().any(|e| e.loc == first) {
                    return;
                }
                let phase = Phase::Delaying { delayed, first, marks };
                see(Next { beyond, ..Next::new(next, phase) }, path);
            }
        });
    }

    /// Whether some event happens right after what is marked.
    fn goes_on(&self, state: &State, attacker: Thread, marks: &Marks) -> bool {
        let mut steps = Vec::new();
        let mut effect = Effect::default();
        let machine = &self.runner.machine;
        (0..state.threads.len() as Thread).filter(|t| *t != attacker).any(|thread| {
            steps.clear();
            machine.thread_steps(&Sc, state, thread as usize, &mut steps);
            steps.iter().any(|&step| {
                let Action::Edge(id, _) = step.action else { return false };
                if let Instr::AtomicBegin(_) = machine.edge(&state.threads[thread as usize], id).instr {
                    return true;
                }
                effect.clear();
                effect.add(machine, &Sc, state, step);
                marks.admit(thread, &effect)
            })
        })
    }

    /// The second and third phase: what others do that happens after what is marked.
    fn later_events(
        &self,
        state: &State,
        attacker: Thread,
        marks: &Marks,
        see: &mut dyn FnMut(&mut State, &[Taken], &Effect, Marks),
    ) {
        for thread in (0..state.threads.len() as Thread).filter(|t| *t != attacker) {
            self.runner.events(&Sc, state, thread, &mut |next, path, effect| {
                if effect.halts || !marks.admit(thread, effect) {
                    return;
                }
                self.settle_event(next, thread, effect, path);
                let mut marks = marks.clone();
                marks.add(effect);
                marks.add_thread(thread);
                see(next, path, effect, marks);
            });
        }
    }
}

/// The steps of an attack, without flushes.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// Before the delayed store.
    pub before: Vec<Taken>,
    /// From the delayed store to the load.
    pub between: Vec<Taken>,
    /// After the load.
    pub after: Vec<Taken>,
}

/// Only the newest store to each cell matters to the thread's own loads.
fn keep_newest(state: &mut State, thread: Thread) {
    let buffer = &mut state.threads[thread as usize].buffer;
    for i in (0..buffer.len()).rev() {
        if buffer[i + 1..].iter().any(|newer| newer.loc == buffer[i].loc) {
            buffer.remove(i);
        }
    }
    buffer.sort_by_key(|e| e.loc);
}

fn put_place(out: &mut Vec<u8>, place: Place) {
    put_number(out, place.procedure.0.into());
    put_number(out, place.edge.0.into());
}

fn take_place(input: &mut &[u8]) -> Place {
    Place { procedure: ProcId(take_number(input) as u32), edge: EdgeId(take_number(input) as u32) }
}

fn encode_phase(phase: &Phase, out: &mut Vec<u8>) {
    let (kind, delayed, load, first, marks) = match phase {
        Phase::Free => {
            out.push(0);
            return;
        }
        Phase::Delaying { delayed, first, marks } => (1, delayed, None, first, marks),
        Phase::Closing { delayed, load, first, marks } => (2, delayed, Some(*load), first, marks),
    };
    out.push(kind);
    put_number(out, delayed.thread.into());
    put_place(out, delayed.store);
    if let Some(load) = load {
        put_place(out, load);
    }
    put_loc(out, *first);
    marks.encode(out);
}

fn decode_phase(input: &mut &[u8]) -> Phase {
    let kind = take_number(input);
    if kind == 0 {
        return Phase::Free;
    }
    let delayed = Delayed { thread: take_number(input) as Thread, store: take_place(input) };
    let load = (kind == 2).then(|| take_place(input));
    let first = take_loc(input).expect("a store is to a cell");
    let mut marks = Marks::default();
    marks.decode(input);
    match load {
        Some(load) => Phase::Closing { delayed, load, first, marks },
        None => Phase::Delaying { delayed, first, marks },
    }
}
