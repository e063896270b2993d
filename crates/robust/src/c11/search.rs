//! The search for a step that SC does not have, or a race, on the states of SC with the monitor beside them.
//!
//! A thread runs by itself while all it does is local and without choice, since that commutes with what others do; the states that are kept are
//! those at accesses. What is found is the end of a shortest run in such steps. It is followed again, its graph is made, and the axioms
//! have to say the same of it before it is reported.

mod weak;

pub use weak::{Judged, Suspected, Weak, Wrong, with_older_values};
#[cfg(test)]
pub use weak::{Watch, by_rules};

use super::monitor::{Choice, Monitor};
use super::rules::Rules;
use super::views::Views;
use crate::Place;
use fencepost_analysis::liveness::Liveness;
use fencepost_explore::codec::{Codec, put_number, take_number};
use fencepost_explore::initial_choices;
use fencepost_explore::store::{StateId, Store};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Loc, NodeId, ProcId, Program, Property};
use fencepost_memory::axiom::c11::{self, ReleaseSequences};
use fencepost_memory::run_graph::{Act, Record, What, act};
use fencepost_memory::{Machine, Sc, State, Thread};
use fencepost_task::{Action, Budget, Error, Failure, Model, Pace, Reason, Stats, Step, Stop};
use std::collections::{HashSet, VecDeque};

/// Local steps that a thread does at a time.
const LOCAL_STEPS: usize = 10_000;

/// A step beyond SC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The thread.
    pub thread: u32,
    /// Its access.
    pub place: Place,
    /// What it could do with an older write.
    pub what: What,
    /// The cell.
    pub loc: Loc,
    /// The value of the older write that it reads or comes after.
    pub value: i64,
    /// The run of SC before it.
    pub run: Run,
}

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// Where they are in the source, in the order of the run.
    pub spans: (Span, Span),
    /// The run of SC with both.
    pub run: Run,
}

/// A run of SC.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// The chosen initial values.
    pub init: Vec<(Loc, i64)>,
    /// The steps.
    pub steps: Vec<Step>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Every execution of RC11 is one of SC, and no accesses race.
    Robust,
    /// An execution that SC does not have.
    Departure(Departure),
    /// A data race.
    Race(Race),
    /// Neither was found, and not all was seen.
    Unknown(Reason),
}

/// What is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Steps that SC does not have, and races.
    Robustness,
    /// Races alone; [`Found::Robust`] says that there are none.
    Races,
}

/// What a search found, and what it cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What was found.
    pub found: Found,
    /// What it cost.
    pub stats: Stats,
}

/// What a successor is.
pub struct Successor<'a> {
    pub step: Step,
    pub act: Act,
    pub after: &'a mut State,
    /// The local steps that follow.
    pub settled: Vec<Step>,
}

/// What threads meet that ends their runs.
#[derive(Default)]
pub struct Broken {
    /// An engine limit.
    limit: Option<Reason>,
    /// Errors of the program, their places and steps.
    errors: Vec<(Error, Span, Step)>,
}

impl Broken {
    /// A step fails.
    fn meet(&mut self, machine: &Machine<'_>, failure: Failure, span: Span, step: Step) {
        match failure.error() {
            Ok(error) if machine.reports(failure) => self.errors.push((error, span, step)),
            Ok(_) => {}
            Err(cut) => {
                let place = machine.program.sources.place(span).to_string();
                self.limit.get_or_insert(cut.reason(place));
            }
        }
    }
}

/// Places at which threads are looked at: they do not go on by themselves from there.
#[derive(Default)]
pub struct Watched(HashSet<(ProcId, NodeId)>);

impl Watched {
    /// The labels that properties name.
    fn new(program: &Program) -> Watched {
        let mut places = HashSet::new();
        for property in &program.properties {
            let Property::Forbid { together, .. } = property else { continue };
            for reference in together.iter().flatten() {
                let node = program.procedure(reference.procedure).label(&reference.label);
                places.extend(node.map(|node| (reference.procedure, node)));
            }
        }
        Watched(places)
    }

    fn has(&self, thread: &Thread) -> bool {
        !self.0.is_empty() && !thread.ended && self.0.contains(&(thread.top().procedure, thread.top().node))
    }
}

/// What ends a search early.
struct End {
    state: StateId,
    step: Step,
    what: Ending,
}

enum Ending {
    Departs(What, Loc),
    Races,
}

/// A search.
pub struct Search<'p> {
    machine: Machine<'p>,
    monitor: Monitor,
    codec: Codec<'p>,
    sequences: ReleaseSequences,
    goal: Goal,
    watched: Watched,
    store: Store,
    waiting: VecDeque<StateId>,
    /// Why not everything was seen, if so.
    limit: Option<Reason>,
    stats: Stats,
    pace: Pace,
}

/// Searches a graph for the language, without properties.
pub fn search(program: &Program, sequences: ReleaseSequences, goal: Goal, budget: &Budget) -> Answer {
    let monitor = Monitor::new(program, Rules::new(sequences), sequences);
    let monitor = if goal == Goal::Races { monitor.of_races() } else { monitor };
    let mut search = Search::new(program, monitor, sequences, goal, budget);
    let found = match search.run() {
        Ok(Some(end)) => search.explain(&end),
        Ok(None) => match (search.limit.clone(), budget.finish()) {
            (Some(reason), _) => Ok(Found::Unknown(reason)),
            (None, Ok(_)) => Ok(Found::Robust),
            (None, Err(stop)) => Err(stop.into()),
        },
        Err(reason) => Err(reason),
    };
    Answer { found: found.unwrap_or_else(Found::Unknown), stats: search.stats() }
}

/// Views that take more bytes than this are not followed: there is one of them for each state.
const MAX_VIEWS: u64 = 64 << 20;

/// The bytes of a state's views, if they are few enough.
fn affordable(monitor: &Monitor, state: &State) -> Result<u64, Reason> {
    let shape = monitor.shape(state);
    match shape.bytes() {
        bytes if bytes <= MAX_VIEWS => Ok(bytes),
        _ => {
            let cells = shape.cells.len();
            Err(Reason::NotApplicable(format!(
                "what threads know of {cells} cells is too much to be followed"
            )))
        }
    }
}

impl<'p> Search<'p> {
    fn new(
        program: &'p Program,
        monitor: Monitor,
        sequences: ReleaseSequences,
        goal: Goal,
        budget: &Budget,
    ) -> Search<'p> {
        Search {
            machine: Machine::new(program).expect("checked for templates before"),
            monitor,
            codec: Codec::new(program, Model::Sc, Some(Liveness::new(program))),
            sequences,
            goal,
            watched: Watched::new(program),
            store: Store::default(),
            waiting: VecDeque::new(),
            limit: None,
            stats: Stats::default(),
            pace: Pace::new(budget),
        }
    }

    fn stats(&self) -> Stats {
        Stats { states: self.store.len() as u64, bytes: self.store.bytes(), ..self.stats }
    }

    fn run(&mut self) -> Result<Option<End>, Reason> {
        self.begin()?;
        while let Some(id) = self.waiting.pop_front() {
            if let Some(end) = self.expand(id)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Keeps the initial states.
    fn begin(&mut self) -> Result<(), Reason> {
        for (ordinal, chosen) in initial_choices(&self.machine.initial_choices()).enumerate() {
            let mut state = self.machine.initial(&chosen);
            self.pace.work(state.units(), || self.store.bytes())?;
            settle_all(&self.machine, &mut state, &self.watched, &mut self.pace)?;
            self.pace.take(affordable(&self.monitor, &state)?, || self.store.bytes())?;
            let views = self.monitor.first(&state);
            self.keep(&mut state, &views, None, ordinal as u32)?;
        }
        Ok(())
    }

    fn keep(
        &mut self,
        state: &mut State,
        views: &Views,
        origin: Option<StateId>,
        ordinal: u32,
    ) -> Result<(), Reason> {
        self.codec.forget_dead(state);
        let mut machine = Vec::new();
        self.codec.encode(state, &mut machine);
        let mut bytes = Vec::new();
        put_number(&mut bytes, machine.len() as u64);
        bytes.extend_from_slice(&machine);
        views.encode(&mut bytes);
        match self.store.insert(&bytes, origin, ordinal) {
            Ok(new) => self.waiting.extend(new),
            Err(_) => return Err(Reason::Memory),
        }
        Ok(())
    }

    fn decode(&self, id: StateId) -> (State, Views) {
        let mut bytes = self.store.get(id);
        let length = take_number(&mut bytes) as usize;
        let (machine, mut rest) = bytes.split_at(length);
        let mut state = self.machine.initial(&[]);
        self.codec.decode(machine, &mut state);
        let views = Views::decode(&mut rest, self.monitor.shape(&state));
        (state, views)
    }

    fn expand(&mut self, id: StateId) -> Result<Option<End>, Reason> {
        let (state, views) = self.decode(id);
        let mut next: Vec<(State, Views)> = Vec::new();
        let mut end = None;
        let mut broken = Broken::default();
        // What the table and the successors that wait to be kept take.
        let mut held = self.store.bytes();
        self.pace.take(views.shape().bytes(), || held)?;
        self.pace.work(state.units(), || held)?;
        let watch = (&self.watched, &mut broken, &mut self.pace);
        successors(&self.machine, &state, watch, &mut |successor, pace| {
            let (step, act) = (successor.step, successor.act);
            if self.goal == Goal::Robustness
                && let Some((what, loc)) = departure(&self.monitor, &views, step.thread as usize, act)?
            {
                end.get_or_insert(End { state: id, step, what: Ending::Departs(what, loc) });
            }
            let bytes = affordable(&self.monitor, successor.after)?;
            pace.take(bytes, || held)?;
            held += bytes + successor.after.bytes() as u64;
            let mut views = views.clone();
            let states = (&state, &*successor.after);
            if self.monitor.follow(&mut views, states, step.thread as usize, act, pace)? {
                end.get_or_insert(End { state: id, step, what: Ending::Races });
            }
            next.push((successor.after.clone(), views));
            Ok(())
        })?;
        if self.limit.is_none() {
            self.limit = broken.limit;
        }
        if end.is_some() {
            return Ok(end);
        }
        for (ordinal, (mut state, views)) in next.into_iter().enumerate() {
            self.stats.transitions += 1;
            self.pace.take(views.shape().bytes(), || self.store.bytes())?;
            self.keep(&mut state, &views, Some(id), ordinal as u32)?;
        }
        Ok(None)
    }

    /// The run to what was found, and what the axioms say of it.
    fn explain(&mut self, end: &End) -> Result<Found, Reason> {
        let path = self.store.path(end.state);
        let first = path[0].1 as usize;
        let init = initial_choices(&self.machine.initial_choices()).nth(first);
        let init = init.expect("a path starts at an initial state");
        let mut run = Run { init, steps: Vec::new() };
        let mut state = self.machine.initial(&run.init);
        run.steps.extend(settle_all(&self.machine, &mut state, &self.watched, &mut self.pace)?);
        let mut record = Record::default();
        for (_, ordinal) in &path[1..] {
            self.pace.work(state.units(), || 0)?;
            self.codec.forget_dead(&mut state);
            state = follow_ordinal(&self.machine, &state, *ordinal, (&mut run, &mut record), &mut self.pace)?;
        }
        let thread = end.step.thread as usize;
        let Action::Edge(edge, _) = end.step.action else { panic!("SC has no other steps") };
        let place = Place { procedure: state.threads[thread].top().procedure, edge };
        let instruction = self.machine.edge(&state.threads[thread], edge);
        let what = act(&self.machine, &state, thread, instruction)?;
        match end.what {
            Ending::Departs(kind, loc) => {
                let mut value = None;
                for extension in record.extensions(&state, thread, what, instruction.span) {
                    if extension.what == kind && extension.departs(self.sequences, &mut self.pace)? {
                        value = Some(extension.value);
                        break;
                    }
                }
                let value =
                    value.expect("internal error: the axioms do not have the step that the monitor found");
                Ok(Found::Departure(Departure {
                    thread: end.step.thread,
                    place,
                    what: kind,
                    loc,
                    value,
                    run,
                }))
            }
            Ending::Races => {
                let mut after = state.clone();
                let applied = self.machine.apply(&Sc, &mut after, end.step);
                assert!(applied.is_ok(), "a step that fails races with nothing");
                record.follow((&state, &after), thread, what, instruction.span);
                run.steps.push(end.step);
                let rules = c11::Rules::new(record.graph(), self.sequences, &mut self.pace)?;
                let race = rules.race(&mut self.pace)?;
                let (a, b) =
                    race.expect("internal error: the axioms do not have the race that the monitor found");
                let span = |id: c11::EventId| record.graph().events()[id].span;
                Ok(Found::Race(Race { spans: (span(a), span(b)), run }))
            }
        }
    }
}

/// A step of an atomic access that SC does not have. Where an access that is not atomic has one, it races in the same state.
fn departure(monitor: &Monitor, views: &Views, t: usize, act: Act) -> Result<Option<(What, Loc)>, Reason> {
    let (Act::Read(loc, Some(_)) | Act::Write(loc, Some(_)) | Act::Update(loc, _) | Act::Compare { loc, .. }) =
        act
    else {
        return Ok(None);
    };
    let choices: Vec<Choice> = monitor.choices(views, t, act)?;
    Ok(choices.iter().find(|c| c.departs).map(|c| (c.what, loc)))
}

/// Goes on to a successor by its number.
fn follow_ordinal(
    machine: &Machine<'_>,
    state: &State,
    ordinal: u32,
    (run, record): (&mut Run, &mut Record),
    pace: &mut Pace,
) -> Result<State, Reason> {
    let mut number = 0;
    let mut chosen = None;
    // A search that is explained has no properties.
    let watch = (&Watched::default(), &mut Broken::default(), pace);
    successors(machine, state, watch, &mut |successor, _| {
        if number == ordinal {
            let thread = successor.step.thread as usize;
            let Action::Edge(edge, _) = successor.step.action else { panic!("SC has no other steps") };
            let span = machine.edge(&state.threads[thread], edge).span;
            record.follow((state, &*successor.after), thread, successor.act, span);
            run.steps.push(successor.step);
            run.steps.append(&mut successor.settled);
            chosen = Some(successor.after.clone());
        }
        number += 1;
        Ok(())
    })?;
    Ok(chosen.expect("the successor was there before"))
}

/// Calls `see` on what each thread can do next, with the local steps that follow.
pub fn successors(
    machine: &Machine<'_>,
    state: &State,
    (watched, broken, pace): (&Watched, &mut Broken, &mut Pace),
    see: &mut dyn FnMut(&mut Successor<'_>, &mut Pace) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let mut steps = Vec::new();
    for thread in 0..state.threads.len() {
        steps.clear();
        machine.thread_steps(&Sc, state, thread, &mut steps);
        for &step in &steps {
            let Action::Edge(edge, _) = step.action else { panic!("SC has no other steps") };
            let edge = machine.edge(&state.threads[thread], edge);
            let act = act(machine, state, thread, edge)?;
            pace.work(state.units(), || 0)?;
            let mut after = state.clone();
            if let Err(failure) = machine.apply(&Sc, &mut after, step) {
                broken.meet(machine, failure, edge.span, step);
                continue;
            }
            let mut settled = settle(machine, &mut after, thread, watched, pace)?;
            if let Act::Spawn = act {
                let child = after.threads.len() - 1;
                settled.extend(settle(machine, &mut after, child, watched, pace)?);
            }
            see(&mut Successor { step, act, after: &mut after, settled }, pace)?;
        }
    }
    Ok(())
}

fn settle_all(
    machine: &Machine<'_>,
    state: &mut State,
    watched: &Watched,
    pace: &mut Pace,
) -> Result<Vec<Step>, Stop> {
    let mut taken = Vec::new();
    for thread in 0..state.threads.len() {
        taken.extend(settle(machine, state, thread, watched, pace)?);
    }
    Ok(taken)
}

/// Lets a thread do its local steps as long as there is no choice.
fn settle(
    machine: &Machine<'_>,
    state: &mut State,
    thread: usize,
    watched: &Watched,
    pace: &mut Pace,
) -> Result<Vec<Step>, Stop> {
    let mut taken = Vec::new();
    let mut steps = Vec::new();
    while taken.len() < LOCAL_STEPS && !watched.has(&state.threads[thread]) {
        steps.clear();
        machine.thread_steps(&Sc, state, thread, &mut steps);
        let [step] = steps[..] else { break };
        let Action::Edge(edge, _) = step.action else { panic!("SC has no other steps") };
        let edge = machine.edge(&state.threads[thread], edge);
        if act(machine, state, thread, edge) != Ok(Act::Local) || edge.instr == fencepost_ir::cfg::Instr::Halt
        {
            break;
        }
        pace.work(state.units(), || 0)?;
        let mut after = state.clone();
        if machine.apply(&Sc, &mut after, step).is_err() {
            break;
        }
        *state = after;
        taken.push(step);
    }
    Ok(taken)
}
