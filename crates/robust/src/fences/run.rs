//! A violating run, and the fences that break it.
//!
//! A full fence breaks a run that passes it while a store of the thread is waiting. A store-store fence
//! breaks one in which a store after it reaches memory before one in front of it; whether that is so is
//! tried out, by replaying the run with the fence in its place.
//!
//! Fewer fences break a run whose stores reach memory early, and its clause says more. So before the clause
//! is read off, each flush is moved as far to the front as the run stays a run with the same violation;
//! stores that never got to memory are flushed, too, if they can be. The run that comes out is a run
//! like any other: its clause is as right.

use super::{Candidates, Fence};
use crate::Attack;
use fencepost_ir::cfg::{FenceKind, Loc, Program};
use fencepost_memory::{Event, EventKind, Machine, Memory, State, with_memory};
use fencepost_task::{Action, Budget, Model, Pace, Step, Stop, Trace, Violation};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A run that should not be: it ends in a violation, or shows that the program is not robust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The memory model.
    pub model: Model,
    /// For a program with any number of threads, how many of each start; else empty.
    pub instances: Vec<u32>,
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// The steps.
    pub steps: Vec<Step>,
    /// What they lead to; `None` if it is the run itself that should not be.
    pub violation: Option<Violation>,
}

impl From<&Trace> for Run {
    fn from(trace: &Trace) -> Run {
        Run {
            model: trace.model,
            instances: trace.instances.clone(),
            init: trace.init.clone(),
            steps: trace.steps.clone(),
            violation: Some(trace.violation),
        }
    }
}

impl From<&Attack> for Run {
    /// What the attacker does up to the load: all that comes later can be done without it.
    fn from(attack: &Attack) -> Run {
        Run {
            model: Model::Tso,
            instances: Vec::new(),
            init: attack.witness.init.clone(),
            steps: attack.witness.steps[..=attack.witness.load].to_vec(),
            violation: None,
        }
    }
}

impl Run {
    /// The run with each flush as early as it can be. `program` is what it is a run of.
    pub fn flushed_early(&self, program: &Program, budget: &Budget) -> Result<Run, Stop> {
        let program = self.instance(program);
        let machine = Machine::new(&program).expect("a run says how many threads there are");
        with_memory!(self.model, memory => Replayer::new(&machine, memory, self, budget).flush_early())
    }

    /// The candidates and kinds of fences that break the run, which is one of `program`: of these
    /// candidates, some of them fences already.
    pub fn broken_by(
        &self,
        candidates: &Candidates,
        program: &Program,
        kinds: &[FenceKind],
        budget: &Budget,
    ) -> Result<Vec<Fence>, Stop> {
        let instance = self.instance(program);
        let machine = Machine::new(&instance).expect("a run says how many threads there are");
        let passed = with_memory!(self.model, memory => {
            Replayer::new(&machine, memory, self, budget).passed_waiting(candidates)
        })?;
        let mut breaking = Vec::new();
        for candidate in passed {
            for &kind in kinds {
                let breaks = match kind {
                    FenceKind::Full => true,
                    FenceKind::StoreStore => {
                        !self.is_run_within(&with_fence(&instance, candidates, candidate), budget)?
                    }
                };
                if breaks {
                    breaking.push(Fence { candidate, kind });
                }
            }
        }
        Ok(breaking)
    }

    /// Whether it is a run of the program, with the same violation.
    pub fn is_run_of(&self, program: &Program) -> bool {
        self.is_run_within(program, &Budget::default()) == Ok(true)
    }

    /// The same, unless the budget stops that.
    pub fn is_run_within(&self, program: &Program, budget: &Budget) -> Result<bool, Stop> {
        let program = self.instance(program);
        let machine = Machine::new(&program).expect("a run says how many threads there are");
        with_memory!(self.model, memory => {
            let replayer = Replayer::new(&machine, memory, self, budget);
            replayer.goes_through(replayer.initial(), &self.steps)
        })
    }

    /// The same run under SC, if every store of it reaches memory at once.
    pub fn under_sc(&self) -> Option<Run> {
        let mut steps = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            match step.action {
                Action::Flush(_) if i > 0 && self.steps[i - 1].thread == step.thread => {}
                Action::Older(..) | Action::Flush(_) | Action::Propagate(_) | Action::Delete => return None,
                Action::Edge(..) => steps.push(*step),
            }
        }
        Some(Run { model: Model::Sc, steps, ..self.clone() })
    }

    fn instance(&self, program: &Program) -> Program {
        match self.instances.is_empty() {
            true => program.clone(),
            false => program.instantiated(&self.instances),
        }
    }
}

/// The program with a store-store fence at one more candidate.
fn with_fence(program: &Program, candidates: &Candidates, candidate: usize) -> Program {
    let mut changed = program.clone();
    for (procedure, edge) in &candidates.all()[candidate].edges {
        let target = &mut changed.procedures[procedure.index()];
        let mut parts = target.clone().into_parts();
        parts.edges[edge.index()].instr = fencepost_ir::cfg::Instr::Fence(FenceKind::StoreStore);
        *target = fencepost_ir::cfg::Procedure::new(parts);
    }
    changed
}

/// Replays one run and variants of it.
struct Replayer<'m, 'p, M: Memory> {
    machine: &'m Machine<'p>,
    memory: &'m M,
    run: &'m Run,
    pace: RefCell<Pace>,
}

impl<'m, 'p, M: Memory> Replayer<'m, 'p, M> {
    fn new(machine: &'m Machine<'p>, memory: &'m M, run: &'m Run, budget: &Budget) -> Self {
        Replayer { machine, memory, run, pace: RefCell::new(Pace::new(budget)) }
    }

    fn initial(&self) -> State {
        self.machine.initial(&self.run.init)
    }

    fn copy(&self, state: &State) -> Result<State, Stop> {
        self.pace.borrow_mut().take(state.bytes() as u64, || 0)?;
        Ok(state.clone())
    }

    fn is_possible(&self, state: &State, step: Step) -> bool {
        let mut possible = Vec::new();
        let thread = step.thread as usize;
        if thread >= state.threads.len() {
            return false;
        }
        match step.action {
            // These runs are of machines.
            Action::Older(..) => return false,
            Action::Edge(..) => self.machine.thread_steps(self.memory, state, thread, &mut possible),
            Action::Flush(_) | Action::Propagate(_) | Action::Delete => {
                self.machine.memory_steps(self.memory, state, thread, &mut possible)
            }
        }
        possible.contains(&step)
    }

    /// Whether the steps lead from the state to the run's violation.
    fn goes_through(&self, mut state: State, steps: &[Step]) -> Result<bool, Stop> {
        for (i, &step) in steps.iter().enumerate() {
            if !self.is_possible(&state, step) {
                return Ok(false);
            }
            self.pace.borrow_mut().take(self.machine.growth(&state, step), || 0)?;
            if let Err(failure) = self.machine.apply(self.memory, &mut state, step) {
                let violation = failure.violation().ok();
                return Ok(i + 1 == steps.len() && violation.is_some() && violation == self.run.violation);
            }
        }
        Ok(match self.run.violation {
            None => true,
            Some(violation) => self.machine.violated(&state) == Some(Ok(violation)),
        })
    }

    /// The states before each of the steps, which can be taken, and what the steps are.
    fn states(&self, steps: &[Step]) -> Result<(Vec<State>, Vec<Event>), Stop> {
        let mut states = vec![self.initial()];
        let mut events = Vec::new();
        for (i, &step) in steps.iter().enumerate() {
            let bytes = states[i].bytes() as u64;
            let growth = self.machine.growth(&states[i], step);
            self.pace.borrow_mut().take(bytes + growth, || bytes * i as u64)?;
            let mut next = states[i].clone();
            events.push(self.machine.event(self.memory, &next, step));
            // The last step may fail, and then changes nothing.
            let _ = self.machine.apply(self.memory, &mut next, step);
            states.push(next);
        }
        Ok((states, events))
    }

    /// The candidates that a thread passes while a store of it is waiting.
    fn passed_waiting(&self, candidates: &Candidates) -> Result<BTreeSet<usize>, Stop> {
        let (states, _) = self.states(&self.run.steps)?;
        let mut passed = BTreeSet::new();
        for (state, step) in states.iter().zip(&self.run.steps) {
            let thread = &state.threads[step.thread as usize];
            if let Action::Edge(edge, _) = step.action
                && !self.memory.is_drained(state, step.thread as usize)
                && let Some(candidate) = candidates.at(thread.top().procedure, edge)
            {
                passed.insert(candidate);
            }
        }
        Ok(passed)
    }

    fn flush_early(&self) -> Result<Run, Stop> {
        let mut steps = self.run.steps.clone();
        debug_assert!(
            self.goes_through(self.initial(), &steps) != Ok(false),
            "only runs of the program come here"
        );
        let mut at = 0;
        while at < steps.len() {
            if matches!(steps[at].action, Action::Flush(_)) {
                self.move_to_front(&mut steps, at)?;
            }
            at += 1;
        }
        self.flush_rest(&mut steps)?;
        Ok(Run { steps, ..self.run.clone() })
    }

    /// Moves the flush at `at` as far to the front as it goes. Another store to the same cell may be what it
    /// flushes there.
    fn move_to_front(&self, steps: &mut Vec<Step>, at: usize) -> Result<(), Stop> {
        let (states, events) = self.states(steps)?;
        let flush = steps[at];
        // Before its thread issued a store to the cell there is nothing to flush.
        let first_store = (0..at).find(|&i| {
            steps[i].thread == flush.thread
                && events[i].kind == EventKind::Store
                && Some(events[i].loc) == Some(events[at].loc)
        });
        for to in first_store.map_or(at, |i| i + 1)..at {
            self.pace.borrow_mut().work(1 + (steps.len() - to) as u64 / 64, || 0)?;
            let mut rest = steps[to..].to_vec();
            rest.remove(at - to);
            rest.insert(0, flush);
            if self.goes_through(self.copy(&states[to])?, &rest)? {
                steps.truncate(to);
                steps.append(&mut rest);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Flushes what is waiting at the end, as early as that goes.
    fn flush_rest(&self, steps: &mut Vec<Step>) -> Result<(), Stop> {
        loop {
            let (states, _) = self.states(steps)?;
            if !self.flush_one(steps, &states)? {
                return Ok(());
            }
        }
    }

    fn flush_one(&self, steps: &mut Vec<Step>, states: &[State]) -> Result<bool, Stop> {
        for to in 0..steps.len() {
            let mut possible = Vec::new();
            for thread in 0..states[to].threads.len() {
                // Only what stays waiting to the end: another flush would lose its store.
                let last = states[steps.len()].threads.get(thread);
                if last.is_some_and(|t| !t.buffer.is_empty()) {
                    self.machine.memory_steps(self.memory, &states[to], thread, &mut possible);
                }
            }
            for flush in possible {
                let rest: Vec<Step> = [&[flush], &steps[to..]].concat();
                if self.goes_through(self.copy(&states[to])?, &rest)? {
                    steps.truncate(to);
                    steps.extend(rest);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
