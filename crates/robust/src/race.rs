//! Triangular races: a criterion that is cheaper to understand and stricter than robustness, after Owens,
//! "Reasoning about the implementation of concurrency abstractions on x86-TSO" (ECOOP 2010).
//!
//! A triangular race is a point of an SC run where a thread has stored to one cell and then, without waiting for
//! its buffer in between, is about to load another, while another thread is about to write that other cell. A
//! program without such points is robust. The opposite does not hold: the writer may never touch what was
//! stored.
//!
//! Decided by a search over SC states; from any store on, its thread is watched until it waits for its buffer.

use crate::candidates::waits;
use crate::effect::Effect;
use crate::marks::Cells;
use crate::run::{Runner, Taken};
use crate::{Place, Thread, not_applicable};
use fencepost_analysis::liveness::Liveness;
use fencepost_explore::codec::{Codec, put_number, take_number};
use fencepost_explore::heap::HeapOrder;
use fencepost_explore::initial_choices;
use fencepost_explore::reduction::LocalSteps;
use fencepost_explore::store::{Full, StateId, Store};
use fencepost_ir::cfg::{EdgeId, Instr, Loc, ProcId, Program};
use fencepost_memory::{Machine, Sc, State};
use fencepost_task::{Budget, Finished, Model, Reason, Stats, Step, Stop};
use std::collections::{BTreeMap, VecDeque};

/// A triangular race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The thread that has stored and is about to load.
    pub thread: Thread,
    /// Its name in reports.
    pub name: String,
    /// Its store.
    pub store: Place,
    /// Its load.
    pub load: Place,
    /// What the other thread is about to do.
    pub write: Place,
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// An SC run to that point, and the load.
    pub steps: Vec<Step>,
}

/// What a search for triangular races found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Races {
    /// One for each thread, store and load.
    pub found: Vec<Race>,
    /// Why there may be more, if so.
    pub incomplete: Option<Reason>,
    /// What it cost.
    pub stats: Stats,
}

/// A store that its thread has not waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Watched {
    thread: Thread,
    store: Place,
    cells: Cells,
}

type Key = (Thread, Place, Place);

/// Sees a successor, what is watched there, and the steps to it.
type See<'s> = &'s mut dyn FnMut(&mut State, Option<Watched>, &[Taken]);

struct Search<'p> {
    runner: Runner<'p>,
    codec: Codec<'p>,
    heap: Option<HeapOrder>,
    local: LocalSteps,
}

/// All triangular races: one for each thread, store and load.
pub fn races(program: &Program, budget: &Budget) -> Races {
    if let Some(reason) = not_applicable(program) {
        let incomplete = Some(Reason::NotApplicable(reason));
        return Races { found: Vec::new(), incomplete, stats: Stats::default() };
    }
    let mut plain = program.clone();
    plain.properties.clear();
    let search = Search {
        runner: Runner::new(Machine::new(&plain).expect("checked for templates before"), budget),
        codec: Codec::new(&plain, Model::Sc, Some(Liveness::new(&plain))),
        heap: HeapOrder::new(&plain, Model::Sc),
        local: LocalSteps::new(&plain, Model::Sc),
    };
    let mut store = Store::default();
    let mut found: BTreeMap<Key, (StateId, Place, Taken)> = BTreeMap::new();
    let mut incomplete = match search.run(&mut store, budget, &mut found) {
        Ok(Finished { .. }) => search.runner.limit(),
        Err(stop) => Some(stop.into()),
    };
    let mut races = Vec::new();
    for (key, at) in found {
        search.runner.limit_by(&if races.is_empty() { budget.to_confirm() } else { budget.clone() });
        match search.rebuild(&store, key, at) {
            Ok(race) => races.push(race),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        }
    }
    let stats = Stats { states: store.len() as u64, bytes: store.bytes(), ..Stats::default() };
    Races { found: races, incomplete, stats }
}

impl Search<'_> {
    fn run(
        &self,
        store: &mut Store,
        budget: &Budget,
        found: &mut BTreeMap<Key, (StateId, Place, Taken)>,
    ) -> Result<Finished, Stop> {
        let machine = &self.runner.machine;
        let full = |_| budget.close(Stop::Memory);
        let mut work = VecDeque::new();
        let mut bytes = Vec::new();
        for (ordinal, chosen) in initial_choices(&machine.initial_choices()).enumerate() {
            let mut state = machine.initial(&chosen);
            self.settle_all(&mut state, &mut Vec::new());
            self.encode(&mut state, None, &mut bytes);
            self.runner.work(&state, || store.bytes())?;
            work.extend(store.insert(&bytes, None, ordinal as u32).map_err(full)?);
        }
        let mut state = machine.initial(&[]);
        while let Some(id) = work.pop_front() {
            self.runner.work(&state, || store.bytes())?;
            let watched = self.decode(store.get(id), &mut state);
            if let Some(watched) = watched {
                self.look_for_races(&state, watched, id, found);
            }
            let mut inserted = Ok(());
            let mut ordinal = 0;
            self.successors(&state, watched, &mut |next, watched, _| {
                self.encode(next, watched, &mut bytes);
                match store.insert(&bytes, Some(id), ordinal) {
                    Ok(new) => work.extend(new),
                    Err(Full) => inserted = Err(Full),
                }
                ordinal += 1;
            });
            inserted.map_err(full)?;
            budget.finish()?;
        }
        budget.finish()
    }

    fn settle_all(&self, state: &mut State, path: &mut Vec<Taken>) {
        for thread in 0..state.threads.len() {
            self.runner.settle(&Sc, &self.local, state, thread as Thread, path);
        }
    }

    /// Is the watched thread about to load what another is about to write?
    fn look_for_races(
        &self,
        state: &State,
        watched: Watched,
        id: StateId,
        found: &mut BTreeMap<Key, (StateId, Place, Taken)>,
    ) {
        let mut loads = Vec::new();
        self.runner.events(&Sc, state, watched.thread, &mut |_, path, effect| {
            let is_load = |t: &Taken| matches!(self.instr(t.place), Instr::Load(..));
            let drains = path.iter().any(|t| waits(self.instr(t.place)));
            if let (Some(load), false) = (path.iter().find(|t| is_load(t)), drains) {
                let cells: Vec<Loc> =
                    effect.reads.iter().copied().filter(|c| !watched.cells.contains(*c)).collect();
                loads.push((*load, cells));
            }
        });
        for other in (0..state.threads.len() as Thread).filter(|t| *t != watched.thread && !loads.is_empty())
        {
            self.runner.events(&Sc, state, other, &mut |_, path, effect| {
                for (load, cells) in &loads {
                    if cells.iter().any(|cell| effect.writes.binary_search(cell).is_ok()) {
                        let key = (watched.thread, watched.store, load.place);
                        found.entry(key).or_insert((id, path[0].place, *load));
                    }
                }
            });
        }
    }

    fn instr(&self, place: Place) -> &Instr {
        &self.runner.machine.program.procedure(place.procedure).edge(place.edge).instr
    }

    fn successors(&self, state: &State, watched: Option<Watched>, see: See<'_>) {
        for thread in 0..state.threads.len() as Thread {
            self.runner.events(&Sc, state, thread, &mut |next, path, effect: &Effect| {
                if effect.halts {
                    return;
                }
                let drains = path.iter().any(|t| waits(self.instr(t.place)));
                if watched.is_some_and(|w| w.thread == thread) && drains {
                    return;
                }
                let stored = match path[..] {
                    [Taken { place, .. }] if matches!(self.instr(place), Instr::Store(..)) => {
                        effect.writes.first().map(|first| {
                            let cells = Cells { first: *first, count: effect.writes.len() as u32 };
                            Watched { thread, store: place, cells }
                        })
                    }
                    _ => None,
                };
                self.runner.settle(&Sc, &self.local, next, thread, path);
                for &child in &effect.starts {
                    self.runner.settle(&Sc, &self.local, next, child, path);
                }
                if watched.is_none() && stored.is_some() {
                    see(&mut next.clone(), stored, path);
                }
                see(next, watched, path);
            });
        }
    }

    fn encode(&self, state: &mut State, watched: Option<Watched>, bytes: &mut Vec<u8>) {
        self.codec.forget_dead(state);
        let order = self.heap.as_ref().and_then(|heap| heap.sort(&self.runner.machine, state));
        bytes.clear();
        bytes.push(u8::from(watched.is_some()));
        if let Some(Watched { thread, store, cells }) = watched {
            put_number(bytes, thread.into());
            put_number(bytes, store.procedure.0.into());
            put_number(bytes, store.edge.0.into());
            // What is no longer reachable is not loaded either.
            let first = crate::marks::renamed(state.first_heap, order.as_deref(), cells.first);
            let cells = first.map_or(Cells { count: 0, ..cells }, |first| Cells { first, ..cells });
            cells.encode(bytes);
        }
        self.codec.encode(state, bytes);
    }

    fn decode(&self, mut bytes: &[u8], state: &mut State) -> Option<Watched> {
        let input = &mut bytes;
        let watched = (take_number(input) == 1).then(|| {
            let thread = take_number(input) as Thread;
            let procedure = ProcId(take_number(input) as u32);
            let edge = EdgeId(take_number(input) as u32);
            let cells = Cells::decode(input);
            Watched { thread, store: Place { procedure, edge }, cells }
        });
        self.codec.decode(bytes, state);
        watched
    }

    fn rebuild(
        &self,
        store: &Store,
        key: Key,
        (id, write, load): (StateId, Place, Taken),
    ) -> Result<Race, Stop> {
        let machine = &self.runner.machine;
        let path = store.path(id);
        let choices = machine.initial_choices();
        let init =
            initial_choices(&choices).nth(path[0].1 as usize).expect("a path starts at an initial state");
        let mut state = machine.initial(&init);
        let mut taken = Vec::new();
        self.settle_all(&mut state, &mut taken);
        self.runner.work(&state, || store.bytes())?;
        for pair in path.windows(2) {
            let watched = self.decode(store.get(pair[0].0), &mut state);
            let mut number = 0;
            self.successors(&state, watched, &mut |_, _, steps| {
                if number == pair[1].1 {
                    taken.extend_from_slice(steps);
                }
                number += 1;
            });
            // Where it is stopped, successors are missing.
            self.runner.work(&state, || store.bytes())?;
        }
        let mut steps: Vec<Step> = taken.iter().map(|t| t.step).collect();
        let mut state = machine.initial(&init);
        for step in &steps {
            self.runner.step(&state, *step)?;
            let result = machine.apply(&Sc, &mut state, *step);
            assert!(result.is_ok(), "the steps of a race do not fail");
        }
        let name = machine.thread_name(&state, key.0 as usize);
        // A load inside an atomic section is left to the reader.
        if state.section.is_none() && state.threads[key.0 as usize].top().procedure == load.place.procedure {
            let mut possible = Vec::new();
            machine.thread_steps(&Sc, &state, key.0 as usize, &mut possible);
            steps.extend(possible.into_iter().find(|s| *s == load.step));
        }
        Ok(Race { thread: key.0, name, store: key.1, load: key.2, write, init, steps })
    }
}
