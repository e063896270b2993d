//! The violation that is easiest to understand: with as few delayed stores as possible, then with as few
//! switches between threads, then with as few steps.
//!
//! A store is *delayed* unless it reaches memory before anything else happens, or nothing else happens. So a run without delayed
//! stores is one under SC, and each delayed store is one that the reader has to keep in mind. A *switch* is
//! an instruction of another thread than that of the instruction before; flushes are memory's doing
//! and switch nothing.
//!
//! The search is Dijkstra's over states paired with the thread that ran last, by the cost of the
//! run so far. At a store it has two ways to continue: store and flush in one, or store alone, which is one more
//! delayed store. That is the definition, so all runs are there, and the first violation it comes to has the
//! least cost. Where this takes too many states, it is tried once more with local steps of a thread taken
//! right after its last step: that loses no violation and adds no delayed store and no switch, but may
//! add steps that are not needed. These are dropped afterwards, so only "fewest steps" is not proved then.
//!
//! Where that takes too many states as well, the run that is known is made less weak by what can be tried
//! quickly: stores that reach memory at once, steps that are left out.

use crate::codec::Codec;
use crate::reduction::LocalSteps;
use crate::search::{Found, initial_choices};
use crate::shorten::{drop_steps, leads_to_violation};
use fencepost_analysis::liveness::Liveness;
use fencepost_ir::cfg::{Instr, Loc, Program};
use fencepost_memory::{EntryKind, Machine, Memory, State, with_memory};
use fencepost_task::{Action, Budget, Model, Pace, Step, Stop, Task, Trace, Violation};
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// States that are looked at without reductions.
const PLAIN_LIMIT: usize = 40_000;

/// States that are looked at with local steps taken at once.
const EAGER_LIMIT: usize = 120_000;

/// Bytes of states that are kept: one choice of many, and each may be of a large object.
const BYTES_LIMIT: usize = 32 << 20;

/// Longer runs are not made less weak store by store.
const QUICK_LIMIT: usize = 400;

/// Bytes after a packed state that say who ran last.
const LAST: usize = 4;

/// How weak a run is; smaller is easier to understand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub struct Weakness {
    /// Stores that had not reached memory when something else happened.
    pub delayed: u32,
    /// How often another thread went on.
    pub switches: u32,
    /// Steps.
    pub steps: u32,
}

/// What is known of other runs to a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// None is less weak.
    Proved,
    /// None has fewer delayed stores, and none with as few has fewer switches.
    ButSteps,
    /// The search was cut off.
    Unknown,
}

/// A run, how weak it is, and whether there may be a better one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeastWeak {
    /// The run.
    pub trace: Trace,
    /// How weak it is.
    pub weakness: Weakness,
    /// What is known of others.
    pub least: Least,
}

/// The least weak run that can be found to a violation of the program; the given one is one, and where there is no time to
/// measure it, it stays the only one.
pub fn least_weak(task: &Task<'_>, trace: Trace) -> Result<LeastWeak, Stop> {
    let mut program = match trace.instances.is_empty() {
        true => task.program.clone(),
        false => task.program.instantiated(&trace.instances),
    };
    // A run with a race is one under SC; the other runs are looked for without looking for races.
    program.checks.races &= trace.model == Model::Sc;
    with_memory!(trace.model, memory => {
        let machine = Machine::new(&program).expect("the trace is a run of it");
        improve(&machine, memory, &task.budget.part(), trace)
    })
}

/// How weak a run is.
pub fn weakness(program: &Program, trace: &Trace) -> Weakness {
    let instance;
    let program = match trace.instances.is_empty() {
        true => program,
        false => {
            instance = program.instantiated(&trace.instances);
            &instance
        }
    };
    let machine = Machine::new(program).expect("the trace is a run of it");
    let unlimited = &mut Pace::new(&Budget::default());
    let measured = with_memory!(trace.model, memory => measure(&machine, memory, trace, unlimited));
    measured.expect("nothing stops this")
}

fn improve<M: Memory + Copy>(
    machine: &Machine<'_>,
    memory: &M,
    budget: &Budget,
    trace: Trace,
) -> Result<LeastWeak, Stop> {
    let pace = &mut Pace::new(budget);
    let known = measure(machine, memory, &trace, pace)?;
    let tries = [(PLAIN_LIMIT, None, Least::Proved), (EAGER_LIMIT, Some(()), Least::ButSteps)];
    for (limit, eager, least) in tries {
        let local = eager.map(|()| LocalSteps::new(machine.program, trace.model));
        let mut search = Search::new(machine, memory, trace.model, local, budget);
        let end = search.run(known, limit);
        // Where something was over a limit, there may be more than was seen.
        let least = if search.limited { Least::Unknown } else { least };
        match end {
            End::Found(Found { init, steps, violation, .. }) => {
                let mut better = Trace { init, steps, violation, shortest: false, ..trace.clone() };
                if search.local.is_some() {
                    // Stopped or not, it is a better run.
                    let _ = drop_steps(machine, memory, &mut better, pace);
                }
                let weakness = measure(machine, memory, &better, pace)?;
                better.shortest = trace.shortest && better.steps.len() == trace.steps.len();
                return Ok(LeastWeak { trace: better, weakness, least });
            }
            End::NothingBetter => return Ok(LeastWeak { trace, weakness: known, least }),
            End::Cut => {}
        }
    }
    let quick = at_once(machine, memory, trace.clone(), pace)
        .and_then(|quick| Ok((measure(machine, memory, &quick, pace)?, quick)));
    let (trace, weakness) = match quick {
        Ok((weakness, quick)) if weakness < known => (quick, weakness),
        Ok(_) | Err(_) => (trace, known),
    };
    Ok(LeastWeak { trace, weakness, least: Least::Unknown })
}

/// The run with each store in memory at once where that still leads to the violation, and without steps that
/// are not needed.
fn at_once<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    mut trace: Trace,
    pace: &mut Pace,
) -> Result<Trace, Stop> {
    if trace.steps.len() > QUICK_LIMIT {
        return Ok(trace);
    }
    let shortest = trace.steps.len();
    drop_steps(machine, memory, &mut trace, pace)?;
    let mut at = trace.steps.len();
    while at > 0 {
        at -= 1;
        let waiting = waiting_store(machine, memory, &trace, at, pace)?;
        let Some((loc, flush)) = waiting else { continue };
        let mut earlier = trace.clone();
        let thread = trace.steps[at].thread;
        let flush_step = Step { thread, action: Action::Flush(loc) };
        if let Some(flush) = flush {
            earlier.steps.remove(flush);
        }
        earlier.steps.insert(at + 1, flush_step);
        if leads_to_violation(machine, memory, &earlier, pace)? {
            trace = earlier;
        }
    }
    trace.shortest &= trace.steps.len() == shortest;
    Ok(trace)
}

/// The cell of a store at that step that waits, and the step that flushes it, if one does.
fn waiting_store<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    trace: &Trace,
    at: usize,
    pace: &mut Pace,
) -> Result<Option<(Loc, Option<usize>)>, Stop> {
    let mut state = machine.initial(&trace.init);
    pace.work(state.units(), || 0)?;
    let mut waits = None;
    // How many stores of the thread to the cell are flushed before it.
    let mut before = 0;
    for (i, &step) in trace.steps.iter().enumerate() {
        match waits {
            None if i == at => {
                let older = &state.threads[step.thread as usize].buffer;
                let Some(loc) = stored(machine, &state, step) else { return Ok(None) };
                before = older.iter().filter(|e| e.kind == EntryKind::Store && e.loc == loc).count();
                waits = Some(loc);
            }
            Some(loc) if step == (Step { thread: trace.steps[at].thread, action: Action::Flush(loc) }) => {
                match before {
                    0 => return Ok((i != at + 1).then_some((loc, Some(i)))),
                    _ => before -= 1,
                }
            }
            _ => {}
        }
        pace.take(machine.growth(&state, step), || 0)?;
        if machine.apply(memory, &mut state, step).is_err() {
            return Ok(None);
        }
    }
    Ok(waits.map(|loc| (loc, None)))
}

/// The cell that a step stores to.
fn stored(machine: &Machine<'_>, state: &State, step: Step) -> Option<Loc> {
    let Action::Edge(id, _) = step.action else { return None };
    match &machine.edge(&state.threads[step.thread as usize], id).instr {
        Instr::Store(address, _) => Some(machine.resolve(state, step.thread as usize, address).ok()?.loc),
        _ => None,
    }
}

/// How weak a run is.
fn measure<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    trace: &Trace,
    pace: &mut Pace,
) -> Result<Weakness, Stop> {
    let mut weakness = Weakness::default();
    let mut state = machine.initial(&trace.init);
    let mut last = None;
    for (i, &step) in trace.steps.iter().enumerate() {
        pace.take(machine.growth(&state, step), || 0)?;
        weakness.steps += 1;
        if let Action::Edge(..) = step.action {
            weakness.switches += u32::from(last.is_some_and(|l| l != step.thread));
            last = Some(step.thread);
        }
        let loc = stored(machine, &state, step);
        let older = |s: &State, loc| s.threads[step.thread as usize].buffer.iter().any(|e| e.loc == loc);
        let first = loc.is_some_and(|loc| !older(&state, loc));
        if machine.apply(memory, &mut state, step).is_err() {
            break;
        }
        if let Some(loc) = loc
            && older(&state, loc)
        {
            let flush = Step { thread: step.thread, action: Action::Flush(loc) };
            let next = trace.steps.get(i + 1);
            weakness.delayed += u32::from(next.is_some_and(|next| !first || *next != flush));
        }
    }
    Ok(weakness)
}

enum End {
    Found(Found),
    /// Nothing costs less than what is known.
    NothingBetter,
    Cut,
}

/// How a state was come to: from which node, by which steps.
struct Node {
    parent: Option<u32>,
    steps: Box<[Step]>,
    state: Box<[u8]>,
    last: Option<u32>,
}

/// A violation that was seen and is not yet known to cost least.
struct Candidate {
    cost: Weakness,
    parent: u32,
    steps: Vec<Step>,
    violation: Violation,
}

struct Search<'m, 'p, M: Memory> {
    machine: &'m Machine<'p>,
    memory: &'m M,
    codec: Codec<'p>,
    /// With it, local steps are taken at once.
    local: Option<LocalSteps>,
    nodes: Vec<Node>,
    best: hashbrown::HashMap<Box<[u8]>, Weakness, FxBuildHasher>,
    heap: BinaryHeap<Reverse<(Weakness, u32)>>,
    candidate: Option<Candidate>,
    /// Bytes of the states that are kept.
    bytes: usize,
    pace: Pace,
    /// Whether something was over a limit.
    limited: bool,
}

/// What came of taking a step.
enum Taken {
    Done,
    Violation(Violation),
    /// It fails in a way that is not asked for, or exceeds a limit.
    Nothing,
}

impl<'m, 'p, M: Memory> Search<'m, 'p, M> {
    fn new(
        machine: &'m Machine<'p>,
        memory: &'m M,
        model: Model,
        local: Option<LocalSteps>,
        budget: &Budget,
    ) -> Self {
        let liveness = Liveness::new(machine.program);
        Search {
            machine,
            memory,
            codec: Codec::new(machine.program, model, Some(liveness)),
            local,
            nodes: Vec::new(),
            best: hashbrown::HashMap::default(),
            heap: BinaryHeap::new(),
            candidate: None,
            bytes: 0,
            pace: Pace::new(budget),
            limited: false,
        }
    }

    /// Looks for a run that costs less than `known`.
    fn run(&mut self, known: Weakness, limit: usize) -> End {
        let choices = self.machine.initial_choices();
        for chosen in initial_choices(&choices) {
            let mut state = self.machine.initial(&chosen);
            if self.pace.take(state.bytes() as u64, || self.bytes as u64).is_err() {
                return End::Cut;
            }
            match self.machine.violation(self.memory, &state) {
                Some(Ok(violation)) => {
                    let limited = self.limited;
                    return End::Found(Found { init: chosen, steps: Vec::new(), violation, limited });
                }
                Some(Err(_)) => self.limited = true,
                None => {}
            }
            self.keep(&mut state, None, Vec::new(), None, Weakness::default());
            if self.is_over(limit) {
                return End::Cut;
            }
        }
        let mut state = self.machine.initial(&[]);
        let mut enabled = Vec::new();
        loop {
            let next = self.heap.peek().map(|Reverse((cost, _))| *cost);
            if let Some(candidate) = self.candidate.take_if(|c| next.is_none_or(|next| c.cost <= next)) {
                return End::Found(self.found(candidate));
            }
            let Some(Reverse((cost, id))) = self.heap.pop().filter(|Reverse((cost, _))| *cost < known) else {
                return End::NothingBetter;
            };
            let node = &self.nodes[id as usize];
            if self.best.get(&node.state).is_some_and(|best| *best < cost) {
                continue;
            }
            let last = node.last;
            self.codec.decode(&node.state[..node.state.len() - LAST], &mut state);
            enabled.clear();
            self.machine.steps(self.memory, &state, &mut enabled);
            for &step in &enabled {
                if self.copies(&state).is_err() || self.is_over(limit) {
                    return End::Cut;
                }
                let mut cost = cost;
                let mut runs = last;
                if let Action::Edge(..) = step.action {
                    cost.switches += u32::from(last.is_some_and(|l| l != step.thread));
                    runs = Some(step.thread);
                }
                self.expand(&state, id, step, runs, cost, known);
            }
        }
    }

    /// The state is about to be copied, and the copy packed.
    fn copies(&mut self, state: &State) -> Result<(), Stop> {
        let bytes = state.bytes() as u64;
        self.pace.work(bytes / 256, || self.bytes as u64)?;
        self.pace.take(bytes, || self.bytes as u64)
    }

    fn is_over(&self, limit: usize) -> bool {
        self.nodes.len() > limit || self.bytes > BYTES_LIMIT
    }

    /// Takes a step, and a store both ways.
    fn expand(
        &mut self,
        state: &State,
        parent: u32,
        step: Step,
        runs: Option<u32>,
        cost: Weakness,
        known: Weakness,
    ) {
        let mut waiting = state.clone();
        let steps = vec![step];
        let taken = self.take(&mut waiting, step);
        let entries = |s: &State| s.threads[step.thread as usize].buffer.len();
        if let Some(loc) = stored(self.machine, state, step)
            && entries(&waiting) > entries(state)
        {
            let flush = Step { thread: step.thread, action: Action::Flush(loc) };
            let mut possible = Vec::new();
            self.machine.memory_steps(self.memory, &waiting, step.thread as usize, &mut possible);
            if !matches!(taken, Taken::Done) {
                // Nothing else happens.
                return self.go_on(taken, waiting, parent, steps, runs, cost, known);
            }
            // An older store to the cell would be flushed instead.
            if possible.contains(&flush) && !self.holds(state, step.thread, loc) {
                let mut written = waiting.clone();
                let taken = self.take(&mut written, flush);
                self.go_on(taken, written, parent, vec![step, flush], runs, cost, known);
            }
            let cost = Weakness { delayed: cost.delayed + 1, ..cost };
            return self.go_on(taken, waiting, parent, steps, runs, cost, known);
        }
        self.go_on(taken, waiting, parent, steps, runs, cost, known);
    }

    /// Takes the local steps that follow, if they are to be taken at once, and keeps what comes of it.
    #[expect(clippy::too_many_arguments, reason = "what a node is made of")]
    fn go_on(
        &mut self,
        mut taken: Taken,
        mut state: State,
        parent: u32,
        mut steps: Vec<Step>,
        runs: Option<u32>,
        mut cost: Weakness,
        known: Weakness,
    ) {
        let thread = steps[0].thread as usize;
        let settles = matches!(steps[0].action, Action::Edge(..));
        let mut enabled = Vec::new();
        while let (Taken::Done, true, Some(local)) = (&taken, settles, &self.local)
            && local.is_local(&state, thread)
            && state.section.is_none()
        {
            enabled.clear();
            self.machine.thread_steps(self.memory, &state, thread, &mut enabled);
            let [step] = enabled[..] else { break };
            if stored(self.machine, &state, step).is_some() {
                break;
            }
            steps.push(step);
            taken = self.take(&mut state, step);
        }
        cost.steps += steps.len() as u32;
        match taken {
            Taken::Done => self.keep(&mut state, Some(parent), steps, runs, cost),
            Taken::Violation(violation) => {
                let best = self.candidate.as_ref().map_or(known, |c| c.cost);
                if cost < best {
                    self.candidate = Some(Candidate { cost, parent, steps, violation });
                }
            }
            Taken::Nothing => {}
        }
    }

    /// Whether a store of the thread to the cell waits.
    fn holds(&self, state: &State, thread: u32, loc: Loc) -> bool {
        state.threads[thread as usize].buffer.iter().any(|e| e.kind == EntryKind::Store && e.loc == loc)
    }

    fn take(&mut self, state: &mut State, step: Step) -> Taken {
        if self.pace.take(self.machine.growth(state, step), || self.bytes as u64).is_err() {
            self.limited = true;
            return Taken::Nothing;
        }
        let ending = match self.machine.apply(self.memory, state, step) {
            Ok(()) => self.machine.violation(self.memory, state),
            Err(failure) if !self.machine.reports(failure) => return Taken::Nothing,
            Err(failure) => Some(failure.violation()),
        };
        match ending {
            None => Taken::Done,
            Some(Ok(violation)) => Taken::Violation(violation),
            Some(Err(_)) => {
                self.limited = true;
                Taken::Nothing
            }
        }
    }

    /// Remembers a state, unless it was come to as cheaply. Roots come first, in the order of the initial
    /// values.
    fn keep(
        &mut self,
        state: &mut State,
        parent: Option<u32>,
        steps: Vec<Step>,
        last: Option<u32>,
        cost: Weakness,
    ) {
        self.codec.forget_dead(state);
        let mut bytes = Vec::new();
        self.codec.encode(state, &mut bytes);
        bytes.extend::<[u8; LAST]>(last.unwrap_or(u32::MAX).to_le_bytes());
        if parent.is_some() && self.best.get(&bytes[..]).is_some_and(|best| *best <= cost) {
            return;
        }
        let bytes = bytes.into_boxed_slice();
        self.bytes += bytes.len();
        self.best.insert(bytes.clone(), cost);
        self.nodes.push(Node { parent, steps: steps.into(), state: bytes, last });
        self.heap.push(Reverse((cost, self.nodes.len() as u32 - 1)));
    }

    /// The run to a violation.
    fn found(&self, candidate: Candidate) -> Found {
        let mut parts = vec![&candidate.steps[..]];
        let mut at = candidate.parent;
        while let Some(parent) = self.nodes[at as usize].parent {
            parts.push(&self.nodes[at as usize].steps);
            at = parent;
        }
        let choices = self.machine.initial_choices();
        let init = initial_choices(&choices).nth(at as usize).expect("roots come first");
        let steps = parts.into_iter().rev().flatten().copied().collect();
        Found { init, steps, violation: candidate.violation, limited: self.limited }
    }
}
