//! One litmus test under one model: all its final states, and what herd says of them.

use fencepost_certify::replay_within;
use fencepost_explore::{Explicit, Finals};
use fencepost_ir::Span;
use fencepost_ir::cfg::{self, Observable, Reg};
use fencepost_ir::tree::{Quantifier, ThreadId};
use fencepost_litmus::{Arch, Test};
use fencepost_memory::axiom::c11::{self, ReleaseSequences};
use fencepost_memory::{State, axiom};
use fencepost_passes::pipeline;
use fencepost_report::litmus::{Method, Observation};
use fencepost_report::results::Validation;
use fencepost_task::{
    AnyModel, Bounds, Budget, Engine, Model, Reason, Task, Verdict, VerdictKind, Violation,
};
use fencepost_text::Diagnostic;
use std::collections::BTreeSet;

/// What a test is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judge {
    /// A machine's memory model.
    Machine(Model),
    /// The language's own, always by its axioms.
    C11(ReleaseSequences),
}

impl From<Judge> for AnyModel {
    fn from(judge: Judge) -> AnyModel {
        match judge {
            Judge::Machine(model) => AnyModel::Machine(model),
            Judge::C11(_) => AnyModel::C11,
        }
    }
}

impl Judge {
    /// As the command line writes it.
    pub fn name(self) -> &'static str {
        AnyModel::from(self).name()
    }

    /// The machine's model, if it is one.
    pub fn machine(self) -> Option<Model> {
        match self {
            Judge::Machine(model) => Some(model),
            Judge::C11(_) => None,
        }
    }

    /// What finds the final states, where machines are searched by `method`.
    pub fn method(self, method: Method) -> Method {
        match self {
            Judge::Machine(_) => method,
            Judge::C11(_) => Method::Axiomatic,
        }
    }
}

/// The graphs of a test.
pub struct Prepared {
    /// For machines.
    pub machine: cfg::Program,
    /// For the language's own model, if it is asked.
    language: Option<cfg::Program>,
}

impl Prepared {
    /// The graph that is looked at.
    fn graph(&self, judge: Judge) -> &cfg::Program {
        match judge {
            Judge::Machine(_) => &self.machine,
            Judge::C11(_) => self.language.as_ref().expect("its graph was made for this model"),
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
    /// The places of two accesses that race, which is undefined behaviour.
    pub race: Option<[String; 2]>,
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

    /// herd's word for it.
    pub fn validation(&self) -> Validation {
        match (&self.race, self.validated()) {
            (Some(_), _) => Validation::Undef,
            (None, true) => Validation::Ok,
            (None, false) => Validation::No,
        }
    }

    /// The verdict that `check` gives of the same file.
    pub fn verdict(&self) -> VerdictKind {
        let bad = self.race.is_some()
            || match self.quantifier {
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

/// The graphs of a test, ready to be searched.
pub fn prepare(test: &Test, judges: &[Judge]) -> Prepared {
    let observing = |mut program: cfg::Program| {
        test.observe(&mut program);
        program
    };
    let wanted = judges.iter().any(|judge| matches!(judge, Judge::C11(_)));
    let language = || pipeline::for_language(test.program.clone(), pipeline::Options::default());
    Prepared {
        machine: observing(pipeline::lower(test.program.clone())),
        language: wanted.then(|| observing(language())),
    }
}

/// Finds all final states.
pub fn decide(
    test: &Test,
    prepared: &Prepared,
    judge: Judge,
    method: Method,
    budget: Budget,
) -> Result<Answer, NoAnswer> {
    let program = prepared.graph(judge);
    let (outcomes, race) = match judge {
        Judge::Machine(model) => {
            if test.arch == Arch::C {
                nothing_fails(program, model, &budget)?;
            }
            let outcomes = outcomes(program, model, method, &test.observables(program), budget);
            (outcomes.map_err(NoAnswer::Unknown)?, None)
        }
        Judge::C11(sequences) => {
            let found = under_c11(test, program, sequences, &budget).map_err(NoAnswer::Unknown)?;
            let place = |span| test.program.sources.place(span).to_string();
            (found.finals, found.race.map(|(first, second)| [place(first), place(second)]))
        }
    };
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
    Ok(Answer { states, satisfied, satisfying, violating, race, quantifier: observation.quantifier() })
}

/// Asks the axioms of C11.
fn under_c11(
    test: &Test,
    program: &cfg::Program,
    sequences: ReleaseSequences,
    budget: &Budget,
) -> Result<c11::Outcomes, Reason> {
    match test.arch {
        Arch::C => {}
        Arch::X86 | Arch::X86_64 => {
            let message = "instructions of x86 have no memory orders: C11 is for tests in C";
            return Err(Reason::NotApplicable(message.to_string()));
        }
    }
    c11::outcomes(program, sequences, &test.observables(program), budget)
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
