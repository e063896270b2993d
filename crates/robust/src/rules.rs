//! What can happen next in a search for attacks: the three phases of [`mod@crate::monitor`], state by state.

use crate::effect::Effect;
use crate::marks::{Cells, Marks, renamed};
use crate::run::{Runner, Taken};
use crate::{Fences, Place, Thread};
use fencepost_analysis::liveness::Liveness;
use fencepost_explore::codec::{Codec, put_number, take_number};
use fencepost_explore::heap::HeapOrder;
use fencepost_explore::reduction::LocalSteps;
use fencepost_ir::cfg::{EdgeId, Instr, ProcId, Program};
use fencepost_memory::{EntryKind, Sc, State, Tso};
use fencepost_task::{Action, Model};

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
        first: Cells,
        /// What happens after loads of this phase.
        marks: Marks,
    },
    /// The load is done.
    Closing {
        /// The store.
        delayed: Delayed,
        /// The load.
        load: Place,
        /// The store's cells.
        first: Cells,
        /// What happens after the load.
        marks: Marks,
    },
}

/// A successor of a state.
pub struct Next<'a> {
    /// The state.
    pub state: &'a mut State,
    /// How far the attack is there.
    pub phase: Phase,
    /// Whether one of the delayed store's cells has been touched.
    pub closes: bool,
    /// The load that the attacker has just gone beyond.
    pub beyond: Option<Place>,
}

impl<'a> Next<'a> {
    /// An ordinary successor.
    pub fn new(state: &'a mut State, phase: Phase) -> Next<'a> {
        Next { state, phase, closes: false, beyond: None }
    }
}

/// What can happen next.
pub struct Rules<'p, 'f> {
    /// Runs events.
    pub runner: Runner<'p>,
    /// Packs states.
    pub codec: Codec<'p>,
    heap: Option<HeapOrder>,
    /// What is local to a thread that has no buffer, and to one whose stores no other thread can observe.
    local: LocalSteps,
    delaying: LocalSteps,
    /// Fences that stop attackers besides the program's own.
    pub fences: &'f Fences,
}

impl<'p, 'f> Rules<'p, 'f> {
    /// For a program without templates and, since none matter, without properties.
    pub fn new(program: &'p Program, runner: Runner<'p>, fences: &'f Fences) -> Rules<'p, 'f> {
        debug_assert!(program.properties.is_empty(), "properties keep registers alive and steps visible");
        Rules {
            runner,
            codec: Codec::new(program, Model::Tso, Some(Liveness::new(program))),
            heap: HeapOrder::new(program, Model::Tso),
            local: LocalSteps::new(program, Model::Sc),
            delaying: LocalSteps::new(program, Model::Tso),
            fences,
        }
    }
}

/// Sees the state after an event of others, the steps to it, what they touch, and the new marks.
type SeeLater<'s> = &'s mut dyn FnMut(&mut State, &[Taken], &Effect, Marks);

/// Sees a successor and the steps to it.
pub type See<'s> = &'s mut dyn FnMut(Next<'_>, &[Taken]);

impl Rules<'_, '_> {
    /// Runs all local steps at the beginning.
    pub fn settle_all(&self, state: &mut State, path: &mut Vec<Taken>) {
        for thread in 0..state.threads.len() {
            self.runner.settle(&Sc, &self.local, state, thread as Thread, path);
        }
    }

    /// Brings a state to the form that stands for its equals; whether an attack is still possible.
    pub fn normalize(&self, state: &mut State, phase: &mut Phase) -> bool {
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
        match rename(first.first) {
            Some(new) => first.first = new,
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

    /// Unpacks a state and how far the attack is there.
    pub fn decode(&self, mut bytes: &[u8], state: &mut State) -> Phase {
        let phase = decode_phase(&mut bytes);
        self.codec.decode(bytes, state);
        phase
    }

    /// Calls `see` on all successors, in an order that depends on nothing else.
    pub fn successors(&self, state: &State, phase: &Phase, see: See<'_>) {
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
            let buffer = &next.threads[thread as usize].buffer;
            let (Instr::Store(..), Some(entry)) = (instr, buffer.first()) else { return };
            let first = Cells { first: entry.loc, count: buffer.len() as u32 };
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
    fn attacker_events(&self, state: &State, delayed: Delayed, first: Cells, marks: &Marks, see: See<'_>) {
        let thread = delayed.thread;
        self.runner.events(&Tso, state, thread, &mut |next, path, effect| {
            if path.iter().any(|t| self.fences.before.contains(&t.place)) || effect.halts {
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
                if !next.threads[thread as usize].buffer.iter().any(|e| e.loc == first.first) {
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
    fn later_events(&self, state: &State, attacker: Thread, marks: &Marks, see: SeeLater<'_>) {
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

/// Only the newest store to each cell matters to the thread's own loads.
fn keep_newest(state: &mut State, thread: Thread) {
    let buffer = &mut state.threads[thread as usize].buffer;
    for i in (0..buffer.len()).rev() {
        if buffer[i + 1..].iter().any(|newer| newer.loc == buffer[i].loc) {
            buffer.remove(i);
        }
    }
    // They reach memory when no thread looks any more: which of them belong together means nothing.
    buffer.iter_mut().for_each(|e| e.kind = EntryKind::Store);
    buffer.sort_by_key(|e| e.loc);
}

fn put_place(out: &mut Vec<u8>, place: Place) {
    put_number(out, place.procedure.0.into());
    put_number(out, place.edge.0.into());
}

fn take_place(input: &mut &[u8]) -> Place {
    Place { procedure: ProcId(take_number(input) as u32), edge: EdgeId(take_number(input) as u32) }
}

/// Appends how far an attack is; the state's bytes come after it.
pub fn encode_phase(phase: &Phase, out: &mut Vec<u8>) {
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
    first.encode(out);
    marks.encode(out);
}

fn decode_phase(input: &mut &[u8]) -> Phase {
    let kind = take_number(input);
    if kind == 0 {
        return Phase::Free;
    }
    let delayed = Delayed { thread: take_number(input) as Thread, store: take_place(input) };
    let load = (kind == 2).then(|| take_place(input));
    let first = Cells::decode(input);
    let mut marks = Marks::default();
    marks.decode(input);
    match load {
        Some(load) => Phase::Closing { delayed, load, first, marks },
        None => Phase::Delaying { delayed, first, marks },
    }
}
