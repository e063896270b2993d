//! Steps that C11 has and SC has not, and data races, at the end of a run of SC: confirmed by the axioms of RC11 on the graph of the run.
//!
//! The run is replayed, so it is one of the program. Its graph is made from the steps ([`fencepost_memory::run_graph`]). A step beyond SC is
//! the thread's next access with an older write than the newest: the axioms have to accept the graph with it, and SC has to
//! reject it. A race is one by happens-before on the graph.

use crate::replay::{Claim, Rejection, Replay, Run, claimed_steps, machine, replay_claims, replay_run};
use fencepost_ir::Span;
use fencepost_ir::cfg::{EdgeId, Loc, Program};
use fencepost_memory::axiom::c11::{Act, EventId, Graph, ReleaseSequences, Rules, Source};
use fencepost_memory::run_graph::{self, Record, What};
use fencepost_memory::{Machine, Sc, State};
use fencepost_task::{Action, Budget, Error, Model, Pace, Step, Stop, Violation};
use std::collections::VecDeque;

/// What is said of a thread at the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeyondSc {
    /// The thread.
    pub thread: u32,
    /// Its access.
    pub edge: EdgeId,
    /// What it could do with an older write.
    pub what: What,
    /// The value of that.
    pub value: i64,
}

/// Why one event is before another in the order of SC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// It comes before it in the program.
    ProgramOrder,
    /// It is read by it.
    ReadsFrom,
    /// It writes the same cell first.
    Overwritten,
    /// It reads what the other overwrites.
    ReadBefore,
    /// It starts the thread, or ends it before it is joined.
    Thread,
}

impl Because {
    /// All of them.
    pub const ALL: [Because; 5] = [
        Because::ProgramOrder,
        Because::ReadsFrom,
        Because::Overwritten,
        Because::ReadBefore,
        Because::Thread,
    ];

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Because::ProgramOrder => "po",
            Because::ReadsFrom => "rf",
            Because::Overwritten => "mo",
            Because::ReadBefore => "fr",
            Because::Thread => "thread",
        }
    }
}

/// What leads from one step of a run to the next one of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The step.
    pub step: usize,
    /// Why it is before the next.
    pub because: Because,
    /// Whether it also happens before it in C11.
    pub ordered: bool,
}

/// A step beyond SC that the axioms have.
pub struct Departed {
    /// The run of SC before it.
    pub replay: Replay,
    /// The thread's name.
    pub thread: String,
    /// Where its access is.
    pub access: Span,
    /// What it does.
    pub what: What,
    /// The cell.
    pub loc: Loc,
    /// The value of the older write that it reads or comes after.
    pub value: i64,
    /// The step of that write; none if it is what the cell held at first.
    pub older: Option<usize>,
    /// What puts the newest write before the access in the order of SC; the last link leads to the access.
    pub path: Vec<Link>,
}

/// Two accesses that race.
pub struct Raced {
    /// The run of SC with both.
    pub replay: Replay,
    /// The step of the first.
    pub first: usize,
    /// That of the second.
    pub second: usize,
}

/// A run as a graph.
struct Recorded<'p> {
    machine: Machine<'p>,
    last: State,
    record: Record,
    /// The step of each event.
    steps: Vec<usize>,
}

impl<'p> Recorded<'p> {
    /// Of a run that has been replayed.
    fn new(program: &'p Program, replay: &Replay, pace: &mut Pace) -> Result<Result<Self, Rejection>, Stop> {
        let machine = Machine::new(program).expect("the run was replayed");
        let mut last = replay.first().clone();
        let (mut record, mut steps) = (Record::default(), Vec::new());
        for (number, step) in replay.steps.iter().map(|replayed| replayed.step).enumerate() {
            pace.work(last.units(), || 0)?;
            let thread = step.thread as usize;
            let Action::Edge(edge, _) = step.action else { panic!("SC has no other steps") };
            let edge = machine.edge(&last.threads[thread], edge);
            let act = match run_graph::act(&machine, &last, thread, edge) {
                Ok(act) => act,
                Err(reason) => return Ok(Err(Rejection { step: number + 1, reason: reason.to_string() })),
            };
            let mut after = last.clone();
            assert!(machine.apply(&Sc, &mut after, step).is_ok(), "the run was replayed");
            record.follow((&last, &after), thread, act, edge.span);
            steps.resize(record.graph().events().len(), number);
            last = after;
        }
        Ok(Ok(Recorded { machine, last, record, steps }))
    }
}

fn reject<T>(step: usize, reason: &str) -> Result<Result<T, Rejection>, Stop> {
    Ok(Err(Rejection { step, reason: reason.to_string() }))
}

/// Confirms a step beyond SC after a run.
pub fn confirm_departure(
    program: &Program,
    (init, steps): (&[(Loc, i64)], &[Step]),
    claim: BeyondSc,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> Result<Result<Departed, Rejection>, Stop> {
    let replay = match replay_run(program, Model::Sc, init, steps, budget)? {
        Ok(replay) => replay,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut pace = Pace::new(budget);
    let recorded = match Recorded::new(program, &replay, &mut pace)? {
        Ok(recorded) => recorded,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let Recorded { machine, last, record, steps: step_of } = &recorded;
    let thread = claim.thread as usize;
    let mut possible = Vec::new();
    if thread < last.threads.len() {
        machine.thread_steps(&Sc, last, thread, &mut possible);
    }
    if !possible.iter().any(|step| matches!(step.action, Action::Edge(edge, _) if edge == claim.edge)) {
        return reject(steps.len(), "the thread is not at that access");
    }
    let edge = machine.edge(&last.threads[thread], claim.edge);
    let Ok(act) = run_graph::act(machine, last, thread, edge) else {
        return reject(steps.len(), "C11 has no such access");
    };
    let events = record.graph().events().len() as u64;
    let mut confirmed = None;
    for extension in record.extensions(last, thread, act, edge.span) {
        // It is a copy of the graph.
        pace.work(1 + (events >> 5), || 0)?;
        let is_claimed = extension.what == claim.what && extension.value == claim.value;
        if is_claimed && extension.departs(sequences, &mut pace)? {
            confirmed = Some(extension);
            break;
        }
    }
    let Some(extension) = confirmed else { return reject(steps.len(), "the axioms do not have the step") };
    let (run_graph::Act::Read(loc, _)
    | run_graph::Act::Write(loc, _)
    | run_graph::Act::Update(loc, _)
    | run_graph::Act::Compare { loc, .. }) = act
    else {
        panic!("what can be extended has a cell")
    };
    let Some(path) = path(record.graph(), step_of, loc, (thread, sequences), &mut pace)? else {
        return reject(steps.len(), "nothing puts the newest write before the access");
    };
    let older = match extension.source {
        Source::Initial => None,
        Source::Event(id) => Some(step_of[id]),
    };
    let name = replay.threads[thread].clone();
    let (what, value) = (extension.what, extension.value);
    Ok(Ok(Departed { thread: name, access: edge.span, what, loc, value, older, path, replay }))
}

/// Confirms that accesses of a run race.
pub fn confirm_race(
    program: &Program,
    (init, steps): (&[(Loc, i64)], &[Step]),
    sequences: ReleaseSequences,
    budget: &Budget,
) -> Result<Result<Raced, Rejection>, Stop> {
    let mut replay = match replay_run(program, Model::Sc, init, steps, budget)? {
        Ok(replay) => replay,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut pace = Pace::new(budget);
    let recorded = match Recorded::new(program, &replay, &mut pace)? {
        Ok(recorded) => recorded,
        Err(rejection) => return Ok(Err(rejection)),
    };
    match Rules::new(recorded.record.graph(), sequences, &mut pace)?.race(&mut pace)? {
        Some((first, second)) => {
            let (first, second) = (recorded.steps[first], recorded.steps[second]);
            replay.violation = Violation::Failure(Error::RACE);
            replay.race = Some((first, second));
            Ok(Ok(Raced { replay, first, second }))
        }
        None => reject(steps.len(), "nothing races"),
    }
}

/// Graphs of one run that are looked at: they differ in which of several writes of a value is taken.
const MOST_GRAPHS: usize = 500;

/// Confirms a run in which accesses take older writes ([`Action::Older`]), with what goes wrong in it: a violation, or accesses that race.
pub fn confirm_older(
    program: &Program,
    (init, steps): (&[(Loc, i64)], &[Step]),
    sequences: ReleaseSequences,
    budget: &Budget,
) -> Result<Result<Replay, Rejection>, Stop> {
    let machine = match machine(program) {
        Ok(machine) => machine,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut pace = Pace::new(budget);
    let mut run = match Run::start(&machine, &Sc, Model::Sc, init) {
        Ok(run) => run,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut graphs = vec![Record::default()];
    // The step of each event.
    let mut events: Vec<usize> = Vec::new();
    let mut has_left_sc = false;
    for (number, &step) in steps.iter().enumerate() {
        pace.work(run.state().units(), || 0)?;
        let before = run.state().clone();
        if let Err(rejection) = run.older_step(step) {
            return Ok(Err(rejection));
        }
        if run.has_failed() {
            continue;
        }
        let thread = step.thread as usize;
        let (Action::Edge(edge, _) | Action::Older(edge, _)) = step.action else {
            return reject(number + 1, "C11 has no such step");
        };
        let edge = machine.edge(&before.threads[thread], edge);
        let act = match run_graph::act(&machine, &before, thread, edge) {
            Ok(act) => act,
            Err(reason) => return reject(number + 1, &reason.to_string()),
        };
        graphs = match step.action {
            Action::Older(_, value) => {
                has_left_sc = true;
                let Some((what, written)) = older_step(&machine, &before, step, act, value) else {
                    return reject(number + 1, "the access cannot take an older write");
                };
                let at = (thread, act, edge.span);
                graphs.iter().flat_map(|g| g.older(&before, at, what, (value, written))).collect()
            }
            _ => {
                graphs.iter_mut().for_each(|g| g.follow((&before, run.state()), thread, act, edge.span));
                graphs
            }
        };
        let length = graphs.first().map_or(0, |g| g.graph().events().len());
        if has_left_sc && length > events.len() {
            let mut kept = Vec::new();
            for graph in graphs.into_iter().take(MOST_GRAPHS) {
                let rules = Rules::new(graph.graph(), sequences, &mut pace)?;
                if rules.is_consistent(&mut pace)? {
                    kept.push(graph);
                }
            }
            graphs = kept;
        }
        if graphs.is_empty() {
            return reject(number + 1, "the axioms do not have the step");
        }
        events.resize(length, number);
    }
    let mut race = None;
    for graph in &graphs {
        race = race.or(Rules::new(graph.graph(), sequences, &mut pace)?.race(&mut pace)?);
    }
    Ok(match race {
        Some((first, second)) if !run.has_failed() => {
            let mut replay = run.into_replay();
            replay.violation = Violation::Failure(Error::RACE);
            replay.race = Some((events[first], events[second]));
            Ok(replay)
        }
        _ => run.finish(),
    })
}

/// What a step does that takes an older write, and what it writes.
fn older_step(
    machine: &Machine<'_>,
    before: &State,
    step: Step,
    act: run_graph::Act,
    value: i64,
) -> Option<(What, i64)> {
    let loc = act.loc()?;
    let Action::Older(edge, _) = step.action else { return None };
    let mut seen = before.clone();
    seen.write(loc, value);
    let edge = Step { action: Action::Edge(edge, None), ..step };
    machine.apply(&Sc, &mut seen, edge).ok()?;
    let what = match act {
        run_graph::Act::Read(_, Some(_)) => What::Read,
        run_graph::Act::Write(_, Some(_)) => What::Write,
        run_graph::Act::Compare { expected, .. } if expected != Some(value) => What::Read,
        run_graph::Act::Update(..) | run_graph::Act::Compare { .. } => What::Update,
        _ => return None,
    };
    Some((what, seen.read(loc)))
}

/// Replays a saved trace of C11: a run of SC that violates a property, or in which accesses race. What races with the release sequences
/// of C11 races with those of C++20, too.
pub fn replay_claims_c11(
    program: &Program,
    init: &[(String, i128)],
    claims: &[Claim],
) -> Result<Replay, Rejection> {
    let violating = replay_claims(program, Model::Sc, &[], init, claims);
    if violating.is_ok() {
        return violating;
    }
    let (chosen, steps) = claimed_steps(program, init, claims)?;
    match confirm_older(program, (&chosen, &steps), ReleaseSequences::Cxx20, &Budget::default()) {
        Ok(confirmed) => confirmed.or(violating),
        Err(stop) => unreachable!("nothing stops a replay without limits, but {stop:?}"),
    }
}

/// A shortest path from the newest write of a cell to the next event of a thread, in the order of SC.
fn path(
    graph: &Graph,
    steps: &[usize],
    loc: Loc,
    (thread, sequences): (usize, ReleaseSequences),
    pace: &mut Pace,
) -> Result<Option<Vec<Link>>, Stop> {
    let events = graph.events();
    let Source::Event(start) = graph.newest(loc) else { return Ok(None) };
    let own = events.iter().rposition(|e| e.thread == thread);
    let (end, last) = match own {
        Some(own) => (own, Because::ProgramOrder),
        None => match events.iter().position(|e| e.act == Act::Spawn(thread)) {
            Some(spawn) => (spawn, Because::Thread),
            None => return Ok(None),
        },
    };
    let mut came: Vec<Option<(EventId, Because)>> = vec![None; events.len()];
    let mut waiting = VecDeque::from([start]);
    while let Some(from) = waiting.pop_front() {
        // Its neighbours are found by looking through all events.
        pace.work(1 + (events.len() as u64 >> 8), || 0)?;
        for (to, because) in next(graph, from) {
            if to != start && came[to].is_none() {
                came[to] = Some((from, because));
                waiting.push_back(to);
            }
        }
    }
    let rules = Rules::new(graph, sequences, pace)?;
    let mut links = vec![Link { step: steps[end], because: last, ordered: true }];
    let mut at = end;
    while at != start {
        let Some((from, because)) = came[at] else { return Ok(None) };
        // Both halves of a read-modify-write are one step.
        if steps[from] != steps[at] {
            links.push(Link { step: steps[from], because, ordered: rules.is_before(from, at) });
        }
        at = from;
    }
    links.reverse();
    Ok(Some(links))
}

/// What comes next after an event in the order of SC.
fn next(graph: &Graph, from: EventId) -> Vec<(EventId, Because)> {
    let events = graph.events();
    let event = events[from];
    let later = || (from + 1..events.len()).filter(|id| events[*id].thread == event.thread);
    let mut found: Vec<(EventId, Because)> = later().take(1).map(|id| (id, Because::ProgramOrder)).collect();
    match event.act {
        Act::Read { loc, source, .. } => {
            let writes = graph.writes(loc);
            let after = match source {
                Source::Initial => writes.first(),
                Source::Event(id) => writes.iter().skip_while(|w| **w != id).nth(1),
            };
            found.extend(after.filter(|id| **id > from).map(|id| (*id, Because::ReadBefore)));
        }
        Act::Write { loc, .. } => {
            let reads = |act: Act| matches!(act, Act::Read { source, .. } if source == Source::Event(from));
            let readers = (from + 1..events.len()).filter(|id| reads(events[*id].act));
            found.extend(readers.map(|id| (id, Because::ReadsFrom)));
            let after = graph.writes(loc).iter().skip_while(|w| **w != from).nth(1);
            found.extend(after.map(|id| (*id, Because::Overwritten)));
        }
        Act::Spawn(child) => {
            let first = events.iter().position(|e| e.thread == child);
            found.extend(first.map(|id| (id, Because::Thread)));
        }
        Act::Fence(_) | Act::Join(_) => {}
    }
    if later().next().is_none() {
        let joins = (from + 1..events.len()).filter(|id| events[*id].act == Act::Join(event.thread));
        found.extend(joins.map(|id| (id, Because::Thread)));
    }
    found
}
