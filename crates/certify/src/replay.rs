//! Replays a run step by step. Each step must be possible where it is taken, and the run must end
//! in the violation that it claims. What each step read and wrote comes from the semantics; a
//! saved trace also claims it, and every claim is compared.

use crate::states::{Kept, state_at};
use fencepost_ir::cfg::{EdgeId, Loc, Program};
use fencepost_ir::{Scalar, Span};
use fencepost_memory::{Event, EventKind, Machine, Memory, Sc, State, with_memory};
use fencepost_task::{Action, Budget, Model, Pace, Step, Stop, Trace, Violation};
use std::borrow::Cow;
use std::fmt;

/// One step of a replayed run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The step.
    pub step: Step,
    /// The thread's name.
    pub thread: String,
    /// What it did.
    pub event: Event,
    /// Type of the value in the event.
    pub value_type: Scalar,
}

/// A run that replays.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// The memory model.
    pub model: Model,
    /// Chosen initial values.
    pub init: Vec<(Loc, i64)>,
    /// The steps.
    pub steps: Vec<Replayed>,
    /// The state at the end; a failing last step has none after it.
    pub last: State,
    /// Some of the states; [`States`](crate::States) goes through all.
    pub(crate) kept: Kept,
    /// Whether the last step fails.
    fails: bool,
    /// Names of the threads, in the order of their numbers.
    pub threads: Vec<String>,
    /// What the run shows.
    pub violation: Violation,
    /// The steps of the two accesses that race, if that is what it shows.
    pub race: Option<(usize, usize)>,
    /// Whether no shorter run does.
    pub shortest: bool,
    /// For a program with any number of threads, how many of each start the run takes; else empty.
    pub instances: Vec<u32>,
}

impl Replay {
    /// The program that the run is of: with as many threads as it takes, where that is any number.
    pub fn instance<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        match self.instances.is_empty() {
            true => Cow::Borrowed(program),
            false => Cow::Owned(program.instantiated(&self.instances)),
        }
    }

    /// The state before the first step.
    pub fn first(&self) -> &State {
        self.kept.first()
    }

    /// How many steps lead to the last state: all of them, unless the last one fails.
    pub fn last_number(&self) -> usize {
        self.steps.len() - usize::from(self.fails)
    }

    /// The property's name in reports.
    pub fn property(&self, program: &Program) -> String {
        let last = self.steps.last().map_or(Span::NONE, |s| s.event.span);
        self.violation.describe(program, last, &program.sources)
    }
}

/// Why a run is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Number of the first step that does not fit, from 1; 0 for the beginning.
    pub step: usize,
    /// What does not fit.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.step == 0 {
            write!(f, "{}", self.reason)
        } else {
            write!(f, "step {}: {}", self.step, self.reason)
        }
    }
}

impl std::error::Error for Rejection {}

/// What a saved trace says of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The thread's name.
    pub thread: String,
    /// The kind of event.
    pub kind: EventKind,
    /// The edge followed, where it is an instruction.
    pub edge: Option<u32>,
    /// The cell's name.
    pub loc: Option<String>,
    /// The value, as the integer it means.
    pub value: Option<i128>,
    /// The line in the source.
    pub line: Option<u32>,
    /// The value of the older write that it takes, if it takes one.
    pub older: Option<i64>,
}

/// Replays a run.
pub fn replay(program: &Program, trace: &Trace) -> Result<Replay, Rejection> {
    match replay_within(program, trace, &Budget::default()) {
        Ok(replayed) => replayed,
        Err(stop) => unreachable!("nothing stops a replay without limits, but {stop:?}"),
    }
}

/// Replays a run, unless the budget stops that.
pub fn replay_within(
    program: &Program,
    trace: &Trace,
    budget: &Budget,
) -> Result<Result<Replay, Rejection>, Stop> {
    if !trace.instances.is_empty() {
        let instance = program.instantiated(&trace.instances);
        let replayed = replay_within(&instance, &Trace { instances: Vec::new(), ..trace.clone() }, budget)?;
        return Ok(replayed.map(|replay| Replay { instances: trace.instances.clone(), ..replay }));
    }
    let machine = match machine(program) {
        Ok(machine) => machine,
        Err(rejection) => return Ok(Err(rejection)),
    };
    let mut pace = Pace::new(budget);
    with_memory!(trace.model, memory => {
        let mut run = match Run::start(&machine, memory, trace.model, &trace.init) {
            Ok(run) => run,
            Err(rejection) => return Ok(Err(rejection)),
        };
        for &step in &trace.steps {
            pace.take(run.bytes_of(step), || 0)?;
            if let Err(rejection) = run.step(step) {
                return Ok(Err(rejection));
            }
        }
        Ok(run.finish().and_then(|replay| match replay.violation == trace.violation {
            true => Ok(Replay { shortest: trace.shortest, ..replay }),
            false => {
                let reason = "the run ends in another violation".into();
                Err(Rejection { step: trace.steps.len(), reason })
            }
        }))
    })
}

/// Replays a run that need not violate anything, unless the budget stops that; its violation means nothing.
pub fn replay_run(
    program: &Program,
    model: Model,
    init: &[(Loc, i64)],
    steps: &[Step],
    budget: &Budget,
) -> Result<Result<Replay, Rejection>, Stop> {
    let mut pace = Pace::new(budget);
    let mut replayed = || {
        let machine = machine(program)?;
        with_memory!(model, memory => {
            let mut run = Run::start(&machine, memory, model, init)?;
            for &step in steps {
                if let Err(stop) = pace.take(run.bytes_of(step), || 0) {
                    return Ok(Err(stop));
                }
                run.step(step)?;
            }
            match run.failed {
                Some(_) => run.reject(steps.len(), "the run fails"),
                None => Ok(Ok(run.into_replay())),
            }
        })
    };
    replayed().map_or_else(|rejection| Ok(Err(rejection)), |replay| replay.map(Ok))
}

/// Replays a saved trace: initial values by name, then a claim for each step.
pub fn replay_claims(
    program: &Program,
    model: Model,
    instances: &[u32],
    init: &[(String, i128)],
    claims: &[Claim],
) -> Result<Replay, Rejection> {
    if program.is_parameterized() && instances.len() == program.threads.len() {
        let instance = program.instantiated(instances);
        let replay = replay_claims(&instance, model, &[], init, claims)?;
        return Ok(Replay { instances: instances.to_vec(), ..replay });
    }
    let machine = machine(program)?;
    let chosen = claimed_init(program, init)?;
    with_memory!(model, memory => {
        let mut run = Run::start(&machine, memory, model, &chosen)?;
        run.take_claims(claims)?;
        run.finish()
    })
}

/// Initial values and steps.
type ClaimedRun = (Vec<(Loc, i64)>, Vec<Step>);

/// The steps that a saved trace claims of a run of SC, whatever the run ends in.
pub(crate) fn claimed_steps(
    program: &Program,
    init: &[(String, i128)],
    claims: &[Claim],
) -> Result<ClaimedRun, Rejection> {
    let machine = machine(program)?;
    let chosen = claimed_init(program, init)?;
    let mut run = Run::start(&machine, &Sc, Model::Sc, &chosen)?;
    run.take_claims(claims)?;
    Ok((chosen, run.steps.iter().map(|replayed| replayed.step).collect()))
}

/// Initial values by the names of their cells.
fn claimed_init(program: &Program, init: &[(String, i128)]) -> Result<Vec<(Loc, i64)>, Rejection> {
    let cells = program.cell_bases()[program.objects.len()];
    let mut chosen = Vec::new();
    for (name, value) in init {
        let loc = (0..cells).map(Loc::cell).find(|l| program.cell_name(*l).as_ref() == Some(name));
        let value = loc.and_then(|l| program.cell_type(l)).and_then(|ty| ty.value_of(*value));
        match (loc, value) {
            (Some(loc), Some(value)) => chosen.push((loc, value)),
            _ => return Err(Rejection { step: 0, reason: format!("`{name}` has no such initial value") }),
        }
    }
    Ok(chosen)
}

pub(crate) fn machine(program: &Program) -> Result<Machine<'_>, Rejection> {
    Machine::new(program).map_err(|_| Rejection {
        step: 0,
        reason: "the program has any number of threads; give the number of the trace with --threads".into(),
    })
}

/// A run being replayed.
pub(crate) struct Run<'m, 'p, M: Memory> {
    machine: &'m Machine<'p>,
    memory: &'m M,
    model: Model,
    init: Vec<(Loc, i64)>,
    steps: Vec<Replayed>,
    threads: Vec<String>,
    /// Where the run is.
    state: State,
    kept: Kept,
    failed: Option<Violation>,
}

impl<'m, 'p, M: Memory> Run<'m, 'p, M> {
    pub fn start(
        machine: &'m Machine<'p>,
        memory: &'m M,
        model: Model,
        init: &[(Loc, i64)],
    ) -> Result<Self, Rejection> {
        let choices = machine.initial_choices();
        let complete = choices.len() == init.len()
            && choices.iter().all(|(loc, c)| init.iter().any(|(l, v)| l == loc && c.contains(*v)));
        if !complete {
            return Err(Rejection {
                step: 0,
                reason: "the initial values are not those of the program".into(),
            });
        }
        let state = machine.initial(init);
        let threads = (0..state.threads.len()).map(|t| machine.thread_name(&state, t)).collect();
        let kept = Kept::new(state.clone());
        let init = init.to_vec();
        Ok(Run { machine, memory, model, init, steps: Vec::new(), threads, state, kept, failed: None })
    }

    /// Bytes that the next step takes: the state may grow, and may be kept.
    fn bytes_of(&self, step: Step) -> u64 {
        let exists = (step.thread as usize) < self.state.threads.len();
        let growth = if exists { self.machine.growth(&self.state, step) } else { 0 };
        let kept = if self.kept.takes(self.steps.len() + 1) { self.state.bytes() as u64 } else { 0 };
        growth + kept
    }

    fn reject<T>(&self, step: usize, reason: impl Into<String>) -> Result<T, Rejection> {
        Err(Rejection { step, reason: reason.into() })
    }

    /// Where the run is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether its last step failed.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Takes a step, if it is possible.
    fn step(&mut self, step: Step) -> Result<(), Rejection> {
        self.allowed_step(step, step)
    }

    /// Takes a step that may take an older write; whether it may take that one is not looked at.
    pub fn older_step(&mut self, step: Step) -> Result<(), Rejection> {
        match step.action {
            Action::Older(edge, _) => {
                self.allowed_step(step, Step { action: Action::Edge(edge, None), ..step })
            }
            _ => self.step(step),
        }
    }

    /// Takes a step, if another one is possible.
    fn allowed_step(&mut self, step: Step, possible: Step) -> Result<(), Rejection> {
        let number = self.steps.len() + 1;
        if self.failed.is_some() {
            return self.reject(number, "the run has failed before this step");
        }
        let state = &self.state;
        if !self.machine.allows(self.memory, state, possible) {
            let name = self.threads.get(step.thread as usize);
            let name = name.map_or("a thread that does not exist".to_string(), |n| format!("`{n}`"));
            return self.reject(number, format!("{name} cannot do this here"));
        }
        let event = self.machine.event(self.memory, state, step);
        let value_type = self.machine.value_type(state, step);
        let result = self.machine.apply(self.memory, &mut self.state, step);
        let thread = self.threads[step.thread as usize].clone();
        self.steps.push(Replayed { step, thread, event, value_type });
        match result {
            Ok(()) => {
                for spawned in self.threads.len()..self.state.threads.len() {
                    self.threads.push(self.machine.thread_name(&self.state, spawned));
                }
                self.kept.offer(number, &self.state);
            }
            Err(failure) => match failure.violation() {
                Ok(violation) => self.failed = Some(violation),
                Err(limit) => return self.reject(number, format!("the run comes to a limit: {limit}")),
            },
        }
        Ok(())
    }

    /// Takes the steps that claims describe, if they are possible and do what is claimed.
    fn take_claims(&mut self, claims: &[Claim]) -> Result<(), Rejection> {
        for claim in claims {
            let mut step = self.claimed_step(&Claim {
                value: claim.value.filter(|_| claim.older.is_none()),
                ..claim.clone()
            })?;
            if let (Some(value), Action::Edge(edge, _)) = (claim.older, step.action) {
                step.action = Action::Older(edge, value);
            }
            let event = self.machine.event(self.memory, &self.state, step);
            let name = |loc| self.state.cells_name(self.machine.program, loc, event.cells);
            let touched = event.loc.map(name);
            self.older_step(step)?;
            self.compare(claim, touched)?;
        }
        Ok(())
    }

    /// The step that a claim describes.
    fn claimed_step(&self, claim: &Claim) -> Result<Step, Rejection> {
        let number = self.steps.len() + 1;
        let Some(thread) = self.threads.iter().position(|t| *t == claim.thread) else {
            return self.reject(number, format!("there is no thread `{}`", claim.thread));
        };
        let mut possible = Vec::new();
        self.machine.steps(self.memory, &self.state, &mut possible);
        let fits = |step: &Step| {
            let event = self.machine.event(self.memory, &self.state, *step);
            step.thread as usize == thread
                && match step.action {
                    Action::Edge(id, choice) => {
                        claim.edge == Some(id.0)
                            && choice.is_none_or(|_| self.shown_value(*step, &event) == claim.value)
                    }
                    Action::Flush(loc) => {
                        claim.kind == EventKind::Flush
                            && claim.edge.is_none()
                            && claim.loc
                                == Some(self.state.cells_name(self.machine.program, loc, event.cells))
                    }
                    Action::Older(..) | Action::Propagate(_) | Action::Delete => false,
                }
        };
        // A value that is not listed, of a choice among too many.
        let unlisted = claim.edge.and_then(|id| {
            let value =
                i64::try_from(claim.value?).ok().or(u64::try_from(claim.value?).ok().map(|v| v as i64));
            let step = Step { thread: thread as u32, action: Action::Edge(EdgeId(id), Some(value?)) };
            self.machine.allows(self.memory, &self.state, step).then_some(step)
        });
        match possible.iter().copied().chain(unlisted).find(|s| fits(s)) {
            Some(step) => Ok(step),
            None => {
                self.reject(number, format!("`{}` cannot do this {} here", claim.thread, claim.kind.name()))
            }
        }
    }

    fn shown_value(&self, step: Step, event: &Event) -> Option<i128> {
        event.value.map(|v| self.machine.value_type(&self.state, step).meaning(v))
    }

    /// Compares what the last step did, and the cell that it touched, with what is claimed of it.
    fn compare(&self, claim: &Claim, loc: Option<String>) -> Result<(), Rejection> {
        let number = self.steps.len();
        let Some(done) = self.steps.last() else { return Ok(()) };
        let value = done.event.value.map(|v| done.value_type.meaning(v));
        let line = done.event.span.is_some().then_some(done.event.span.line);
        let show = |v: Option<i128>| v.map_or("nothing".to_string(), |v| v.to_string());
        // The ends of a thread and of an atomic section have one name.
        let (is, said) = (done.event.kind.name(), claim.kind.name());
        if is != said {
            return self.reject(number, format!("this is a {is}, not a {said}"));
        }
        if loc != claim.loc {
            let (is, said) = (loc.unwrap_or_default(), claim.loc.clone().unwrap_or_default());
            return self.reject(number, format!("this touches `{is}`, not `{said}`"));
        }
        if value != claim.value {
            return self.reject(number, format!("the value is {}, not {}", show(value), show(claim.value)));
        }
        if line != claim.line {
            return self.reject(number, "this stands in another line of the program");
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Replay, Rejection> {
        let violation = match self.failed {
            Some(failure) => Some(Ok(failure)),
            None => self.machine.violation(self.memory, &self.state),
        };
        let number = self.steps.len();
        let violation = match violation {
            Some(Ok(violation)) => violation,
            Some(Err(limit)) => return self.reject(number, format!("the run comes to a limit: {limit}")),
            None => return self.reject(number, "the run ends without violating a property"),
        };
        let machine = self.machine;
        let mut replay = Replay { violation, ..self.into_replay() };
        // What a failing step has left is not a state of the run.
        if replay.fails {
            replay.last = state_at(machine, &replay, replay.last_number());
        }
        Ok(replay)
    }

    pub fn into_replay(self) -> Replay {
        Replay {
            model: self.model,
            init: self.init,
            steps: self.steps,
            last: self.state,
            kept: self.kept,
            fails: self.failed.is_some(),
            threads: self.threads,
            violation: Violation::Property(usize::MAX),
            race: None,
            shortest: false,
            instances: Vec::new(),
        }
    }
}
