//! One litmus test under one model: all its final states, and what herd says of them.

use fencepost_certify::replay_within;
use fencepost_explore::{Explicit, Finals};
use fencepost_ir::Span;
use fencepost_ir::cfg::{self, Observable, Reg};
use fencepost_ir::tree::{Quantifier, ThreadId};
use fencepost_litmus::{Arch, Test};
use fencepost_memory::{State, axiom};
use fencepost_passes::pipeline;
use fencepost_report::litmus::Observation;
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Task, Verdict, VerdictKind, Violation};
use fencepost_text::Diagnostic;
use std::collections::BTreeSet;

/// What finds the final states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Search on the operational models.
    Explicit,
    /// Enumeration of executions by the axioms.
    Axiomatic,
    /// A formula, asked for one final state after the other.
    Bmc,
}

impl Method {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Explicit => "explicit",
            Method::Axiomatic => "axiomatic",
            Method::Bmc => "bmc",
        }
    }
}

/// All final states of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// As herd prints them, sorted.
    pub states: Vec<String>,
    /// Those that satisfy the condition.
    pub satisfied: Vec<String>,
    /// States that satisfy the condition, whatever its quantifier.
    pub satisfying: usize,
    /// States that do not.
    pub violating: usize,
    quantifier: Quantifier,
}

impl Answer {
    /// In how many final states the condition holds.
    pub fn observation(&self) -> Observation {
        match (self.satisfying, self.violating) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            (_, _) => Observation::Sometimes,
        }
    }

    /// Whether the condition holds with its quantifier: herd's `Ok`.
    pub fn validated(&self) -> bool {
        match self.quantifier {
            Quantifier::Exists => self.satisfying > 0,
            Quantifier::NotExists => self.satisfying == 0,
            Quantifier::Forall => self.violating == 0,
        }
    }

    /// Numbers of states that speak for the condition and against it: for `~exists` those that do not
    /// satisfy what is asked speak for it.
    pub fn witnesses(&self) -> (usize, usize) {
        match self.quantifier {
            Quantifier::Exists | Quantifier::Forall => (self.satisfying, self.violating),
            Quantifier::NotExists => (self.violating, self.satisfying),
        }
    }

    /// How herd calls a test with this quantifier.
    pub fn kind(&self) -> &'static str {
        match self.quantifier {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }

    /// The verdict that `check` gives of the same file.
    pub fn verdict(&self) -> VerdictKind {
        let bad = match self.quantifier {
            Quantifier::Exists | Quantifier::NotExists => self.satisfying > 0,
            Quantifier::Forall => self.violating > 0,
        };
        if bad { VerdictKind::Unsafe } else { VerdictKind::Safe }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// A limit, or the method does not fit the test.
    Unknown(Reason),
    /// The test is wrong: in some run a thread accesses memory where there is no location, or does what C forbids.
    Fault(Box<Diagnostic>),
}

/// The graph of a test, ready to be searched.
pub fn prepare(test: &Test) -> cfg::Program {
    let mut program = pipeline::lower(test.program.clone());
    test.observe(&mut program);
    program
}

/// Finds all final states.
pub fn decide(
    test: &Test,
    program: &cfg::Program,
    model: Model,
    method: Method,
    budget: Budget,
) -> Result<Answer, NoAnswer> {
    if test.arch == Arch::C {
        nothing_fails(program, model, &budget)?;
    }
    let observables = test.observables(program);
    let outcomes = outcomes(program, model, method, &observables, budget).map_err(NoAnswer::Unknown)?;
    let observation = &test.observation;
    let (mut satisfying, mut violating) = (0, 0);
    let mut states = Vec::with_capacity(outcomes.len());
    let mut satisfied = Vec::new();
    let outcomes: BTreeSet<_> = outcomes.iter().map(|held| test.values(program, held)).collect();
    for values in &outcomes {
        if let Some((thread, line)) = observation.fault(values) {
            return Err(NoAnswer::Fault(Box::new(fault(test, thread, line))));
        }
        if !observation.passes_filter(values) {
            continue;
        }
        if observation.satisfied(values) {
            satisfying += 1;
            satisfied.push(observation.show(values));
        } else {
            violating += 1;
        }
        states.push(observation.show(values));
    }
    states.sort_unstable();
    Ok(Answer { states, satisfied, satisfying, violating, quantifier: observation.quantifier() })
}

/// Refuses a test with a run that does what C forbids: it ends there, so that it has no final state.
fn nothing_fails(program: &cfg::Program, model: Model, budget: &Budget) -> Result<(), NoAnswer> {
    let mut edges = program.procedures.iter().flat_map(cfg::Procedure::edges);
    if !edges.any(|edge| edge.instr.can_fail(program)) {
        return Ok(());
    }
    let program = cfg::Program { properties: Vec::new(), ..program.clone() };
    let task = Task { program: &program, model, bounds: Bounds::default(), budget: budget.clone() };
    let trace = match Explicit::default().check(&task, &mut |_| {}).verdict {
        Verdict::Safe(_) => return Ok(()),
        Verdict::Unknown { reason, .. } => return Err(NoAnswer::Unknown(reason)),
        Verdict::Unsafe { trace } => trace,
    };
    let replayed = replay_within(&program, &trace, budget).map_err(|stop| NoAnswer::Unknown(stop.into()))?;
    let replay = replayed.unwrap_or_else(|rejection| {
        panic!(
            "internal error: a run does not replay ({rejection}). \
             This is a bug in Fencepost; please report it with the file."
        )
    });
    let (thread, span) = match replay.steps.last() {
        Some(last) => (last.thread.as_str(), last.event.span),
        None => ("a thread", Span::NONE),
    };
    let what = match replay.violation {
        Violation::Failure(error) => error.to_string(),
        Violation::Property(_) => panic!("it has no properties"),
    };
    let message = format!("{thread} fails in a run under {}: {what}", model.name());
    let help = "`fencepost check` shows the run";
    Err(NoAnswer::Fault(Box::new(Diagnostic::new(span, message).help(help))))
}

/// The message about an access to no location.
fn fault(test: &Test, thread: ThreadId, line: u32) -> Diagnostic {
    let thread = &test.program.threads[thread.0].name;
    let text = test.program.sources.text(Default::default());
    let columns = text.lines().nth(line as usize - 1).map_or(1, |l| l.chars().count());
    let span = Span { line, column: 1, length: columns.max(1) as u32, ..Span::NONE };
    let message = format!("{thread} accesses memory where there is no location, or one of another width");
    Diagnostic::new(span, message).help(
        "an address is that of a location in the init block, as in `0:rsi=x`, or of an element of an array",
    )
}

/// What the observables hold at the end of each run.
pub fn outcomes(
    program: &cfg::Program,
    model: Model,
    method: Method,
    observables: &[Observable],
    budget: Budget,
) -> Result<BTreeSet<Vec<i64>>, Reason> {
    match method {
        Method::Explicit => search(program, model, observables, budget),
        Method::Axiomatic => axiom::outcomes(program, model, observables, &budget),
        Method::Bmc => {
            let task = Task { program, model, bounds: Bounds::default(), budget };
            fencepost_bmc::outcomes::final_states(&task, observables)
        }
    }
}

fn search(
    program: &cfg::Program,
    model: Model,
    observables: &[Observable],
    budget: Budget,
) -> Result<BTreeSet<Vec<i64>>, Reason> {
    let task = Task { program, model, bounds: Bounds::default(), budget };
    let mut outcomes = BTreeSet::new();
    let mut values = Vec::with_capacity(observables.len());
    let finals = Explicit::default().final_states(&task, &mut |state| {
        values.clear();
        values.extend(observables.iter().map(|o| value(state, *o)));
        if !outcomes.contains(&values) {
            outcomes.insert(values.clone());
        }
    });
    match finals {
        Finals::All => Ok(outcomes),
        Finals::Some(reason) => Err(reason),
    }
}

fn value(state: &State, observable: Observable) -> i64 {
    match observable {
        Observable::Cell(loc) => state.read(loc),
        Observable::Register(start, reg) => {
            let thread = state.threads.iter().find(|t| t.start == Some(start));
            let thread = thread.expect("every column of a test is a thread");
            match reg {
                Reg::Local(slot) => thread.registers[(thread.frames[0].base + slot) as usize],
                Reg::Thread(slot) => thread.registers[slot as usize],
            }
        }
    }
}
