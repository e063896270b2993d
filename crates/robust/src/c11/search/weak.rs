//! The search with older values: loads that read writes which are not the newest, stores and read-modify-writes that come before the newest,
//! are taken and followed, and what they lead to is looked at.
//!
//! An execution of RC11 is followed by leaving out of the order of SC what takes older writes: the rest is a run of SC, beside which these
//! steps are taken. The first of them needs a thread that knows the newest write, since before it the run is one of SC; the others do not: two
//! loads in two threads may each need that the other's later store is not there yet. For the same reason memory keeps its newest value, whatever
//! is written before it. What is followed contains every execution of RC11, so a program in which nothing goes wrong here is safe. It may
//! contain more: seq_cst does not bound what comes after such a step, and writes of the same value are one. So what goes wrong here is only
//! a suspicion.

use super::{Broken, Goal, Run, Search, StateId, settle, settle_all, successors};
use crate::c11::monitor::Monitor;
use crate::c11::rules::Rules;
use crate::c11::views::Views;
use fencepost_explore::initial_choices;
use fencepost_ir::Span;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_memory::run_graph::{Act, What, act};
use fencepost_memory::{Machine, Sc, State};
use fencepost_task::{Action, Budget, Failure, Finished, Reason, Stats, Step, Violation};

/// What went wrong in a run that RC11 may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspected {
    /// What.
    pub wrong: Wrong,
    /// The run; its steps that take older writes are [`Action::Older`].
    pub run: Run,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A step fails, or the state after it is in error, or violates a property.
    Violation(Violation),
    /// The last step races with another one.
    Race,
}

/// What is thought of a suspicion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// RC11 has the run: the search is over.
    Confirmed,
    /// It has not: the search goes on.
    Rejected,
}

/// What a search with older values found.
#[derive(Debug)]
pub enum Weak {
    /// No execution of RC11 violates a property, or has a race.
    Safe(Finished),
    /// Something goes wrong, in a run that was confirmed.
    Unsafe,
    /// Something went wrong, but in runs only that were rejected: there may be others to the same end. This is the first.
    Suspected(Wrong, Span),
    /// Nothing is known.
    Unknown(Reason),
}

/// Runs that are judged; after that many the search is given up.
const MOST_JUDGED: usize = 64;

/// Who looks at a search.
pub struct Watch<'a> {
    /// Called on every final state.
    pub finals: &'a mut dyn FnMut(&State),
    /// Judges what is suspected.
    pub judge: &'a mut dyn FnMut(&Suspected) -> Result<Judged, Reason>,
}

/// Searches a graph for the language, with its properties, for what goes wrong with older values.
pub fn with_older_values(
    program: &Program,
    sequences: ReleaseSequences,
    budget: &Budget,
    judge: &mut dyn FnMut(&Suspected) -> Result<Judged, Reason>,
) -> (Weak, Stats) {
    let watch = Watch { finals: &mut |_| {}, judge };
    by_rules(program, (Rules::new(sequences), sequences), budget, watch)
}

/// The same with some of the rules.
pub fn by_rules(
    program: &Program,
    (rules, sequences): (Rules, ReleaseSequences),
    budget: &Budget,
    mut watch: Watch<'_>,
) -> (Weak, Stats) {
    if let Some(reason) = fencepost_explore::not_applicable(program) {
        return (Weak::Unknown(Reason::NotApplicable(reason)), Stats::default());
    }
    let monitor = Monitor::new(program, rules, sequences).remembering();
    let mut search = Search::new(program, monitor, sequences, Goal::Robustness, budget);
    let found = match search.run_weak(&mut watch, budget) {
        Ok(found) => found,
        Err(reason) => Weak::Unknown(reason),
    };
    let found = match (found, search.limit.clone()) {
        (Weak::Safe(_), Some(reason)) => Weak::Unknown(reason),
        (found, _) => found,
    };
    (found, search.stats())
}

/// A step and what it leads to.
struct Next {
    step: Step,
    settled: Vec<Step>,
    after: State,
    views: Views,
    races: bool,
}

impl Search<'_> {
    fn run_weak(&mut self, watch: &mut Watch<'_>, budget: &Budget) -> Result<Weak, Reason> {
        self.begin()?;
        let mut first = None;
        let mut judged = 0;
        while let Some(id) = self.waiting.pop_front() {
            let mut wrong = Vec::new();
            self.expand_weak(id, watch, &mut wrong)?;
            for (what, step, span) in wrong {
                let run = self.run_to(id, step)?;
                if (watch.judge)(&Suspected { wrong: what, run })? == Judged::Confirmed {
                    return Ok(Weak::Unsafe);
                }
                let (what, span) = *first.get_or_insert((what, span));
                judged += 1;
                if judged == MOST_JUDGED {
                    return Ok(Weak::Suspected(what, span));
                }
            }
        }
        match first {
            Some((wrong, span)) => Ok(Weak::Suspected(wrong, span)),
            None => Ok(Weak::Safe(budget.finish()?)),
        }
    }

    fn expand_weak(
        &mut self,
        id: StateId,
        watch: &mut Watch<'_>,
        wrong: &mut Vec<(Wrong, Option<Step>, Span)>,
    ) -> Result<(), Reason> {
        let (state, views) = self.decode(id);
        self.pace.work(state.units(), || self.store.bytes())?;
        if state.is_final() {
            (watch.finals)(&state);
        }
        match self.machine.violation(&Sc, &state) {
            None => {}
            Some(Ok(violation)) => {
                let span = match violation {
                    Violation::Property(number) => self.machine.program.properties[number].span(),
                    Violation::Failure(_) => Span::NONE,
                };
                wrong.push((Wrong::Violation(violation), None, span));
                // What comes after a violation does not matter.
                return Ok(());
            }
            Some(Err(limit)) => return Err(limit.reason("a state")),
        }
        let mut broken = Broken::default();
        let next = self.next(&state, &views, &mut broken)?;
        if self.limit.is_none() {
            self.limit = broken.limit;
        }
        for (error, span, step) in broken.errors {
            wrong.push((Wrong::Violation(Violation::Failure(error)), Some(step), span));
        }
        for (ordinal, mut next) in next.into_iter().enumerate() {
            if next.races {
                let (Action::Edge(edge, _) | Action::Older(edge, _)) = next.step.action else {
                    panic!("C11 has no other steps")
                };
                let span = self.machine.edge(&state.threads[next.step.thread as usize], edge).span;
                wrong.push((Wrong::Race, Some(next.step), span));
            }
            self.stats.transitions += 1;
            self.keep(&mut next.after, &next.views, Some(id), ordinal as u32)?;
        }
        Ok(())
    }

    /// What can be done next: the steps of SC, then those that take older writes.
    fn next(&mut self, state: &State, views: &Views, broken: &mut Broken) -> Result<Vec<Next>, Reason> {
        let mut found = Vec::new();
        let (machine, monitor) = (&self.machine, &self.monitor);
        // What the table and the successors that wait to be kept take.
        let mut held = self.store.bytes();
        let watch = (&self.watched, &mut *broken, &mut self.pace);
        successors(machine, state, watch, &mut |successor, pace| {
            let thread = successor.step.thread as usize;
            let bytes = super::affordable(monitor, successor.after)?;
            pace.take(bytes, || held)?;
            held += bytes + successor.after.bytes() as u64;
            let mut views = views.clone();
            let races =
                monitor.follow(&mut views, (state, &*successor.after), thread, successor.act, pace)?;
            let (step, settled) = (successor.step, std::mem::take(&mut successor.settled));
            found.push(Next { step, settled, after: successor.after.clone(), views, races });
            Ok(())
        })?;
        for (step, act) in accesses(machine, state)? {
            let thread = step.thread as usize;
            let Action::Edge(edge, _) = step.action else { panic!("SC has no other steps") };
            for taken in older(monitor, views, thread, act)? {
                held += views.shape().bytes();
                self.pace.take(views.shape().bytes(), || held)?;
                self.pace.work(state.units(), || held)?;
                let older = Step { action: Action::Older(edge, taken.value), ..step };
                let (mut after, written) = match apply(machine, state, step, &taken) {
                    Ok(applied) => applied,
                    Err(failure) => {
                        let span = machine.edge(&state.threads[thread], edge).span;
                        broken.meet(machine, failure, span, older);
                        continue;
                    }
                };
                let mut views = views.clone();
                let races =
                    monitor.follow_old(&mut views, thread, act, taken.what, (taken.value, written))?;
                let settled = settle(machine, &mut after, thread, &self.watched, &mut self.pace)?;
                found.push(Next { step: older, settled, after, views, races });
            }
        }
        Ok(found)
    }

    /// The run to a state, and a step after it.
    fn run_to(&mut self, id: StateId, last: Option<Step>) -> Result<Run, Reason> {
        let path = self.store.path(id);
        let first = path[0].1 as usize;
        let init = initial_choices(&self.machine.initial_choices()).nth(first);
        let init = init.expect("a path starts at an initial state");
        let mut state = self.machine.initial(&init);
        let mut steps = settle_all(&self.machine, &mut state, &self.watched, &mut self.pace)?;
        for pair in path.windows(2) {
            let (state, views) = self.decode(pair[0].0);
            self.pace.work(state.units(), || self.store.bytes())?;
            let next = self.next(&state, &views, &mut Broken::default())?;
            let next = next.into_iter().nth(pair[1].1 as usize).expect("it was there before");
            steps.push(next.step);
            steps.extend(next.settled);
        }
        steps.extend(last);
        Ok(Run { init, steps })
    }
}

/// The next accesses of threads that may take older writes: an access that is not atomic races where it could.
fn accesses(machine: &Machine<'_>, state: &State) -> Result<Vec<(Step, Act)>, Reason> {
    let (mut found, mut steps) = (Vec::new(), Vec::new());
    for thread in 0..state.threads.len() {
        steps.clear();
        machine.thread_steps(&Sc, state, thread, &mut steps);
        for &step in &steps {
            let Action::Edge(edge, _) = step.action else { panic!("SC has no other steps") };
            let act = act(machine, state, thread, machine.edge(&state.threads[thread], edge))?;
            if let Act::Read(_, Some(_)) | Act::Write(_, Some(_)) | Act::Update(..) | Act::Compare { .. } =
                act
            {
                found.push((step, act));
            }
        }
    }
    Ok(found)
}

/// A step that takes an older write.
struct Taken {
    what: What,
    loc: Loc,
    /// The value of the write; what it is does not matter to a store.
    value: i64,
}

/// The older writes that an access may take.
fn older(monitor: &Monitor, views: &Views, t: usize, act: Act) -> Result<Vec<Taken>, Reason> {
    let (Act::Read(loc, _) | Act::Write(loc, _) | Act::Update(loc, _) | Act::Compare { loc, .. }) = act
    else {
        return Ok(Vec::new());
    };
    if !views.may_take_old(t, views.shape().cell(loc)) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for choice in monitor.choices(views, t, act)? {
        let what = choice.what;
        if what == What::Write {
            found.push(Taken { what, loc, value: 0 });
            continue;
        }
        let values = monitor.values(loc, choice.values);
        if values.len() < choice.values.count_ones() as usize {
            let message = "an atomic access may read allocated memory that is not initialised";
            return Err(Reason::NotApplicable(message.into()));
        }
        found.extend(values.into_iter().map(|value| Taken { what, loc, value }));
    }
    Ok(found)
}

/// Takes a step with an older write; memory keeps its newest value. Also what was written.
fn apply(machine: &Machine<'_>, state: &State, step: Step, taken: &Taken) -> Result<(State, i64), Failure> {
    let mut after = state.clone();
    if taken.what != What::Write {
        after.write(taken.loc, taken.value);
    }
    machine.apply(&Sc, &mut after, step)?;
    let written = after.read(taken.loc);
    after.write(taken.loc, state.read(taken.loc));
    Ok((after, written))
}
