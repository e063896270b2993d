//! The search itself: breadth first or depth first, with a buffer bound that grows.
//!
//! A bound on store buffers makes the states finite where the program's data are. Each state
//! where the bound held a store back is remembered; when the search is done with a bound and
//! there are such states, the bound is doubled and the search continues from them. Where there are
//! none, nothing was cut off and the answer is complete. A state found under a smaller bound is
//! a state under a larger one, so nothing is searched twice.
//!
//! A search that a limit stops is gone ([`End::Stopped`]); one that was only to go so far is kept whole ([`End::Paused`]); and
//! only one that has looked at all its states is [`Exhausted`], which is what a verdict of safe is made from.
//!
//! Each state knows its parent, the bound of that time and the number of the step among the parent's candidates, so that the
//! run to it can be followed again (`rebuild.rs`).

mod end;
mod rebuild;

use crate::codec::Codec;
use crate::heap::HeapOrder;
use crate::late::LateFlushes;
use crate::reduction::{Endless, LocalSteps, ROUNDS_AT_ONCE};
use crate::store::{Full, StateId, Store};
use crate::symmetry::Symmetry;
use crate::threads::ThreadOrder;
use end::Halt;
pub use end::{End, Exhausted, Far};
use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{Instr, Loc};
pub use fencepost_memory::initial_choices;
use fencepost_memory::{Machine, Memory, State};
use fencepost_task::{Action, Budget, Failure, Limit, Model, Pace, Progress, Stats, Step, Stop, Violation};
use rebuild::Recorded;

/// Which state is looked at next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// Nearest first: short runs.
    #[default]
    Breadth,
    /// Newest first: less memory for what waits.
    Depth,
}

/// Whether runs that differ only in the order of independent steps are tried once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// Once.
    #[default]
    On,
    /// Every one.
    Off,
}

/// Bounds are doubled from here.
const FIRST_BOUND: u32 = 1;

/// After so many states the search says how far it is.
const PROGRESS: u64 = 512;

/// Bytes of a state that take as long as a step.
const BYTES_A_UNIT: usize = 64;

/// Bytes that each table of cells takes for one of them, roughly.
const BYTES_A_CELL: u64 = 16;

/// The step's number is in the low bits of an ordinal, the bound's number in the high ones.
const LEVEL_SHIFT: u32 = 24;

/// A violation or a limit, and the run to it, in threads of the program.
pub struct Found<E = Violation> {
    pub init: Vec<(Loc, i64)>,
    pub steps: Vec<Step>,
    pub violation: E,
    /// Whether the search had come to an engine limit by then: there may be shorter runs beyond it.
    pub limited: bool,
}

/// What a search is for.
pub enum Goal<'a> {
    /// Ends at the first violation.
    Violation,
    /// Sees every final state; failing steps just end their run.
    FinalStates(&'a mut dyn FnMut(&State)),
}

/// A search of one program under one model.
pub struct Search<'p, M: Memory> {
    machine: Machine<'p>,
    memory: M,
    codec: Codec<'p>,
    reduction: Option<(LocalSteps, Symmetry)>,
    late: Option<LateFlushes>,
    heap: Option<HeapOrder>,
    threads: Option<ThreadOrder>,
    strategy: Strategy,
    store: Store,
    /// The bounds so far; `None` is no bound.
    bounds: Vec<Option<u32>>,
    /// States where the current bound held a store back, and where the search continues after a pause.
    cut: Vec<StateId>,
    /// For each procedure and node whether a thread was there.
    reached: Vec<Vec<bool>>,
    ended: bool,
    /// The first step that went over one of our limits: its state's parent, its number, and why.
    limit: Option<(Option<StateId>, u32, Limit)>,
    stats: Stats,
    scratch: Scratch,
    /// Stop beyond this many steps from the beginning or this many states.
    pub limits: Limits,
}

/// Memory that is used again and again, and holds nothing in between.
#[derive(Default)]
struct Scratch {
    bytes: Vec<u8>,
    candidates: Vec<Step>,
    local: Vec<Step>,
}

/// Where the parts of a state in normal form were before; `None` where all stayed.
struct Moved {
    threads: Option<Vec<u32>>,
    objects: Option<Vec<Option<u32>>>,
}

/// What a look at all states within a bound came to.
enum Pass {
    Done,
    Paused(Far),
    Found(Found),
}

/// Limits of a search besides the budget, counted in steps and so deterministic.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    /// States.
    pub states: Option<u64>,
    /// Steps from the beginning (breadth first only).
    pub depth: Option<u64>,
}

impl<'p, M: Memory> Search<'p, M> {
    /// Prepares a search: what is known of the program is found out once. That takes as long as the program is, and may be
    /// stopped like the search.
    pub fn new(
        machine: Machine<'p>,
        memory: M,
        model: Model,
        strategy: Strategy,
        reduction: Reduction,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let program = machine.program;
        let pace = &mut Pace::new(budget);
        let edges: u64 = program.procedures.iter().map(|p| p.edges().len() as u64).sum();
        let cells = program.objects.iter().map(|o| o.init.len() as u64).sum::<u64>();
        // Each of these goes through the program or the cells once or a few times.
        let mut part = || pace.take(BYTES_A_CELL * cells, || 0).and_then(|()| pace.work(edges / 4, || 0));
        part()?;
        let (liveness, reduction) = match reduction {
            Reduction::On => {
                let local = LocalSteps::in_states(program, model);
                part()?;
                let symmetry = Symmetry::new(program);
                part()?;
                (Some(Liveness::new(program)), Some((local, symmetry)))
            }
            Reduction::Off => (None, None),
        };
        part()?;
        let first = machine.initial(&[]).threads.len();
        let threads = reduction.as_ref().and_then(|_| ThreadOrder::new(program, first));
        part()?;
        let late = reduction.as_ref().and_then(|_| LateFlushes::new(&machine, model));
        part()?;
        let heap = HeapOrder::new(program, model);
        part()?;
        let codec = Codec::new(program, model, liveness);
        part()?;
        Ok(Search {
            late,
            machine,
            memory,
            codec,
            reduction,
            heap,
            threads,
            strategy,
            store: Store::default(),
            bounds: vec![None],
            cut: Vec::new(),
            reached: program.procedures.iter().map(|p| vec![false; p.nodes as usize]).collect(),
            ended: false,
            limit: None,
            stats: Stats::default(),
            scratch: Scratch::default(),
            limits: Limits::default(),
        })
    }

    /// Counters so far.
    pub fn stats(&self) -> Stats {
        Stats {
            states: self.store.len() as u64,
            bytes: self.stats.bytes.max(self.store.bytes()),
            ..self.stats
        }
    }

    /// Whether a thread was ever at the node.
    pub fn reached(&self, procedure: usize, node: usize) -> bool {
        self.reached[procedure][node]
    }

    /// Whether a run ever ended.
    pub fn reached_end(&self) -> bool {
        self.ended
    }

    /// Whether a step went over one of our limits, so that nothing beyond it was seen.
    pub fn has_met_limit(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether flushes wait until somebody looks.
    pub fn puts_flushes_off(&self) -> bool {
        self.late.is_some()
    }

    /// Searches all states with buffers up to `bound`, continuing from what is known.
    pub fn run(
        mut self,
        bound: Option<u32>,
        budget: &Budget,
        goal: &mut Goal<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> End<'p, M> {
        match self.look_at_all(bound, budget, goal, progress) {
            Ok(Pass::Done) => {}
            Ok(Pass::Paused(far)) => return End::Paused(Box::new(self), far),
            Ok(Pass::Found(found)) => return End::Found(found, self.stats()),
            Err(stop) => return End::Stopped(stop, self.stats()),
        }
        if let Some((last, ordinal, limit)) = self.limit {
            return match self.rebuild(last, ordinal, limit, &mut Pace::new(budget)) {
                Ok(found) => End::Limited(found, self.stats()),
                Err(stop) => End::Stopped(stop, self.stats()),
            };
        }
        match budget.finish() {
            Ok(finished) => End::Exhausted(Box::new(Exhausted { search: self, finished })),
            Err(stop) => End::Stopped(stop, self.stats()),
        }
    }

    fn look_at_all(
        &mut self,
        bound: Option<u32>,
        budget: &Budget,
        goal: &mut Goal<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Pass, Stop> {
        let pace = &mut Pace::new(budget);
        let first = self.store.is_empty();
        self.bounds.push(bound);
        let mut frontier = std::mem::take(&mut self.cut);
        if first && let Some(found) = self.insert_initial(pace, goal, &mut frontier)? {
            return Ok(Pass::Found(found));
        }
        let mut scratch = (self.machine.initial(&[]), self.machine.initial(&[]));
        let mut next_frontier = Vec::new();
        let mut expanded = 0u64;
        while !frontier.is_empty() {
            if self.limits.depth.is_some_and(|limit| self.stats.depth >= limit) {
                self.cut.extend(frontier);
                return Ok(Pass::Paused(Far::Depth));
            }
            loop {
                let id = match self.strategy {
                    Strategy::Depth => match frontier.pop() {
                        Some(id) => id,
                        None => break,
                    },
                    Strategy::Breadth => match frontier.get(expanded as usize) {
                        Some(&id) => id,
                        None => break,
                    },
                };
                expanded += 1;
                let into = if self.strategy == Strategy::Depth { &mut frontier } else { &mut next_frontier };
                if let Some(found) = self.expand(id, &mut scratch, goal, into, pace)? {
                    return Ok(Pass::Found(found));
                }
                if expanded.is_multiple_of(PROGRESS) || self.strategy == Strategy::Breadth && expanded == 1 {
                    let waiting = (frontier.len() + next_frontier.len()) as u64;
                    let bytes = self.store.bytes() + waiting * size_of::<StateId>() as u64;
                    self.stats.bytes = self.stats.bytes.max(bytes);
                    if self.limits.states.is_some_and(|limit| self.store.len() as u64 > limit) {
                        let done = if self.strategy == Strategy::Depth { 0 } else { expanded as usize };
                        self.cut.extend(frontier.drain(done..).chain(next_frontier));
                        return Ok(Pass::Paused(Far::States));
                    }
                    progress(&Progress { stats: self.stats(), buffer: bound, waiting });
                }
                if self.strategy == Strategy::Depth {
                    self.stats.depth = self.stats.depth.max(frontier.len() as u64);
                }
            }
            frontier.clear();
            std::mem::swap(&mut frontier, &mut next_frontier);
            expanded = 0;
            if self.strategy == Strategy::Breadth && !frontier.is_empty() {
                self.stats.depth += 1;
            }
        }
        Ok(Pass::Done)
    }

    /// The bound to try after `bound` cut something off.
    pub fn next_bound(bound: Option<u32>) -> Option<u32> {
        Some(bound.map_or(FIRST_BOUND, |b| b.saturating_mul(2)))
    }

    fn insert_initial(
        &mut self,
        pace: &mut Pace,
        goal: &mut Goal<'_>,
        frontier: &mut Vec<StateId>,
    ) -> Result<Option<Found>, Stop> {
        for (ordinal, chosen) in initial_choices(&self.machine.initial_choices()).enumerate() {
            let ordinal = ordinal as u32;
            let mut state = self.machine.initial(&chosen);
            if let Goal::Violation = goal
                && let Some(violation) = self.violation(&state, None, ordinal)
            {
                let limited = self.limit.is_some();
                return Ok(Some(Found { init: chosen, steps: Vec::new(), violation, limited }));
            }
            let level = self.bounds.len() - 1;
            match self.settle(&mut state, level, pace, None) {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Failure(failure)) => match self.failing(None, ordinal, failure, goal, pace)? {
                    Some(found) => return Ok(Some(found)),
                    None => continue,
                },
            }
            if let Goal::Violation = goal
                && let Some(violation) = self.violation(&state, None, ordinal)
            {
                return self.rebuild(None, ordinal, violation, pace).map(Some);
            }
            frontier.extend(self.keep(&mut state, None, ordinal, goal, pace)?);
        }
        Ok(None)
    }

    /// What comes of a step that fails: a run that is looked for, or nothing, with a note where the failure is an engine limit.
    fn failing(
        &mut self,
        parent: Option<StateId>,
        ordinal: u32,
        failure: Failure,
        goal: &Goal<'_>,
        pace: &mut Pace,
    ) -> Result<Option<Found>, Stop> {
        match (failure.violation(), goal) {
            _ if !self.machine.reports(failure) => Ok(None),
            // The rest may still hold a violation.
            (Err(limit), _) => {
                self.limit.get_or_insert((parent, ordinal, limit));
                Ok(None)
            }
            (Ok(violation), Goal::Violation) => self.rebuild(parent, ordinal, violation, pace).map(Some),
            (Ok(_), Goal::FinalStates(_)) => Ok(None),
        }
    }

    /// What is wrong with a state, which the step of that number leads to; a limit is remembered.
    fn violation(&mut self, state: &State, from: Option<StateId>, ordinal: u32) -> Option<Violation> {
        match self.machine.violation(&self.memory, state)? {
            Ok(violation) => Some(violation),
            Err(limit) => {
                self.limit.get_or_insert((from, ordinal, limit));
                None
            }
        }
    }

    /// Tries all candidate steps of a state.
    fn expand(
        &mut self,
        id: StateId,
        (state, next): &mut (State, State),
        goal: &mut Goal<'_>,
        new: &mut Vec<StateId>,
        pace: &mut Pace,
    ) -> Result<Option<Found>, Stop> {
        let level = self.bounds.len() - 1;
        self.codec.decode(self.store.get(id), state);
        let mut steps = std::mem::take(&mut self.scratch.candidates);
        steps.clear();
        let held_back = self.candidates(state, self.bounds[level], &mut steps);
        if held_back {
            self.cut.push(id);
        }
        if !self.stats.racing && self.machine.program.pointer_bits > 0 {
            self.stats.racing = self.machine.has_unordered_conflict(&self.memory, state);
        }
        for (ordinal, &step) in steps.iter().enumerate() {
            let ordinal = (level as u32) << LEVEL_SHIFT | ordinal as u32;
            self.stats.transitions += 1;
            let store = &self.store;
            // What `next` has already is used again.
            pace.take((state.bytes() as u64).saturating_sub(next.bytes() as u64), || store.bytes())?;
            pace.work(state.units() - 1, || store.bytes())?;
            next.clone_from(state);
            match self.take(next, step, level, pace, None) {
                Ok(()) => {}
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Failure(failure)) => match self.failing(Some(id), ordinal, failure, goal, pace)? {
                    Some(found) => return Ok(Some(found)),
                    None => continue,
                },
            }
            if let Goal::Violation = goal
                && let Some(violation) = self.violation(next, Some(id), ordinal)
            {
                return self.rebuild(Some(id), ordinal, violation, pace).map(Some);
            }
            if !self.is_stuck(next) {
                new.extend(self.keep(next, Some(id), ordinal, goal, pace)?);
            }
        }
        self.scratch.candidates = steps;
        Ok(None)
    }

    /// Stores a state, if it is new.
    fn keep(
        &mut self,
        state: &mut State,
        parent: Option<StateId>,
        ordinal: u32,
        goal: &mut Goal<'_>,
        pace: &mut Pace,
    ) -> Result<Option<StateId>, Stop> {
        self.normalize(state);
        self.scratch.bytes.clear();
        self.codec.encode(state, &mut self.scratch.bytes);
        let store = &self.store;
        pace.work(1 + (self.scratch.bytes.len() / BYTES_A_UNIT) as u64, || store.bytes())?;
        let id = match self.store.insert(&self.scratch.bytes, parent, ordinal) {
            Ok(None) => return Ok(None),
            Ok(Some(id)) => id,
            Err(Full) => return Err(pace.close(Stop::Memory)),
        };
        self.note(state);
        if state.is_final() {
            self.ended = true;
            if let Goal::FinalStates(see) = goal {
                see(state);
            }
        }
        Ok(Some(id))
    }

    fn note(&mut self, state: &State) {
        for thread in &state.threads {
            let top = thread.top();
            self.reached[top.procedure.index()][top.node.index()] = true;
        }
    }

    /// Brings a state to the form that stands for all its equals.
    fn normalize(&self, state: &mut State) -> Moved {
        self.codec.forget_dead(state);
        Moved {
            // Where threads are spawned, none are interchangeable.
            threads: match &self.threads {
                Some(threads) => threads.sort(&self.machine, state),
                None => self.reduction.as_ref().and_then(|(_, symmetry)| symmetry.sort(state)),
            },
            objects: self.heap.as_ref().and_then(|heap| heap.sort(&self.machine, state)),
        }
    }

    /// The steps that have to be tried; whether the bound held one back.
    fn candidates(&self, state: &State, bound: Option<u32>, steps: &mut Vec<Step>) -> bool {
        if let Some((local, _)) = &self.reduction {
            if let Some(owner) = local.unseen(state) {
                self.section_steps(state, owner, steps);
                return false;
            }
            for thread in 0..state.threads.len() {
                self.local_steps(local, state, thread, bound, &mut 0, steps);
                if !steps.is_empty() {
                    return false;
                }
            }
        }
        self.machine.steps(&self.memory, state, steps);
        if let Some(late) = &self.late {
            late.leave_out(&self.machine, &self.memory, state, bound, steps);
        }
        self.hold_back(state, bound, steps)
    }

    /// The steps of a thread that no other can observe: a store reaches memory before anything else happens, so that the
    /// bound holds nothing back.
    fn section_steps(&self, state: &State, owner: usize, steps: &mut Vec<Step>) {
        steps.clear();
        self.machine.memory_steps(&self.memory, state, owner, steps);
        match steps.is_empty() {
            true => self.machine.thread_steps(&self.memory, state, owner, steps),
            false => steps.truncate(1),
        }
    }

    /// Whether a section is open that cannot continue.
    fn is_stuck(&self, state: &State) -> bool {
        let Some((local, _)) = &self.reduction else { return false };
        let Some(owner) = local.in_section(state) else { return false };
        let mut steps = Vec::new();
        self.section_steps(state, owner, &mut steps);
        steps.is_empty()
    }

    /// A flush of the thread's buffer that no other thread can observe; else the thread's steps if they are all local and none
    /// is held back by the bound; else nothing. With one held back, the others alone would not be an ample set. `rounds`
    /// is how often it may still go round in loops of local steps.
    fn local_steps(
        &self,
        local: &LocalSteps,
        state: &State,
        thread: usize,
        bound: Option<u32>,
        rounds: &mut u32,
        steps: &mut Vec<Step>,
    ) {
        steps.clear();
        if local.may_flush(state, thread) {
            self.machine.memory_steps(&self.memory, state, thread, steps);
            let unseen = local.flush(state, thread, steps);
            steps.clear();
            steps.extend(unseen);
            if unseen.is_some() {
                return;
            }
        }
        if local.goes_round(state, thread) {
            let Some(left) = rounds.checked_sub(1) else { return };
            *rounds = left;
        } else if !local.is_local(state, thread) {
            return;
        }
        self.machine.thread_steps(&self.memory, state, thread, steps);
        let held_back = self.hold_back(state, bound, steps);
        if held_back || steps.len() > 1 && local.may_cycle(state, thread) {
            steps.clear();
        }
    }

    /// Removes stores into buffers that are at the bound; whether there were any.
    fn hold_back(&self, state: &State, bound: Option<u32>, steps: &mut Vec<Step>) -> bool {
        let Some(bound) = bound else { return false };
        let before = steps.len();
        steps.retain(|step| {
            let thread = &state.threads[step.thread as usize];
            let Action::Edge(id, _) = step.action else { return true };
            let stores = || thread.stores_waiting();
            !matches!(self.machine.edge(thread, id).instr, Instr::Store(..)) || stores() < bound as usize
        });
        steps.len() < before
    }

    /// Takes a step and the local steps that follow from it without choice.
    fn take(
        &mut self,
        state: &mut State,
        step: Step,
        level: usize,
        pace: &mut Pace,
        mut record: Option<&mut Vec<Recorded>>,
    ) -> Result<(), Halt> {
        if let Some(record) = &mut record {
            record.push(self.recorded(state, step));
        }
        let store = &self.store;
        pace.take(self.machine.growth(state, step), || store.bytes())?;
        self.machine.apply(&self.memory, state, step)?;
        self.settle(state, level, pace, record)
    }

    /// Runs local steps that have no alternative.
    fn settle(
        &mut self,
        state: &mut State,
        level: usize,
        pace: &mut Pace,
        mut record: Option<&mut Vec<Recorded>>,
    ) -> Result<(), Halt> {
        let Some((local, _)) = &self.reduction else { return Ok(()) };
        let mut steps = std::mem::take(&mut self.scratch.local);
        let mut thread = 0;
        let mut rounds = ROUNDS_AT_ONCE;
        let mut endless = Endless::default();
        while thread < state.threads.len() {
            let owner = local.unseen(state);
            if owner.is_none() && local.goes_round(state, thread) && endless.sees(thread, state) {
                thread += 1;
                continue;
            }
            match owner {
                Some(owner) => self.section_steps(state, owner, &mut steps),
                None => self.local_steps(local, state, thread, self.bounds[level], &mut rounds, &mut steps),
            }
            let flushes = matches!(steps[..], [Step { action: Action::Flush(_), .. }]);
            let [step] = steps[..] else {
                thread = if owner.is_some() { break } else { thread + 1 };
                continue;
            };
            if let Some(owner) = owner
                && !flushes
                && !local.passes(state, owner)
            {
                break;
            }
            if let Some(record) = &mut record {
                record.push(self.recorded(state, step));
            }
            let top = state.threads[step.thread as usize].top();
            self.reached[top.procedure.index()][top.node.index()] = true;
            let store = &self.store;
            pace.take(self.machine.growth(state, step), || store.bytes())?;
            self.machine.apply(&self.memory, state, step)?;
        }
        self.scratch.local = steps;
        Ok(())
    }
}
