//! Runs events: an instruction or a whole atomic section, and then the local steps that follow from it
//! without choice.
//!
//! Local steps commute with everything that other threads do, so they are taken as soon as they can be
//! (`explore::reduction`). A local step that fails is not taken, and its thread stays where it is: what
//! the others do does not depend on it.

use crate::effect::Effect;
use crate::{Place, Thread};
use fencepost_explore::reduction::LocalSteps;
use fencepost_memory::{Machine, Memory, State};
use fencepost_task::{Action, Budget, Failure, Pace, Reason, Step, Stop};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// Bytes of a state that take as long as a step: it is copied, packed and compared.
const BYTES_A_UNIT: usize = 256;

/// A step and the procedure that it is a step of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// The edge, with its procedure.
    pub place: Place,
}

/// Runs events of a program.
pub struct Runner<'p> {
    /// The program.
    pub machine: Machine<'p>,
    /// Why not everything was seen, if so.
    limit: RefCell<Option<Reason>>,
    pace: RefCell<Pace>,
    /// Memory for states that holds nothing in between.
    spare: RefCell<Vec<State>>,
}

impl<'p> Runner<'p> {
    /// For a program without templates.
    pub fn new(machine: Machine<'p>, budget: &Budget) -> Runner<'p> {
        let pace = RefCell::new(Pace::new(budget));
        Runner { machine, limit: RefCell::new(None), pace, spare: RefCell::new(Vec::new()) }
    }

    /// Goes on within other limits.
    pub fn limit_by(&self, budget: &Budget) {
        self.pace.replace(Pace::new(budget));
    }

    /// A step on such a state; `used` gives the bytes of tables.
    pub fn work(&self, state: &State, used: impl FnOnce() -> u64) -> Result<(), Stop> {
        let bytes = state.bytes();
        let mut pace = self.pace.borrow_mut();
        pace.work((bytes / BYTES_A_UNIT) as u64, || 0)?;
        pace.take(bytes as u64, used)
    }

    /// A step that is about to be taken, in a state of its own.
    pub fn step(&self, state: &State, step: Step) -> Result<(), Stop> {
        self.pace.borrow_mut().take(self.machine.growth(state, step), || 0)
    }

    /// Why not everything was seen, if so.
    pub fn limit(&self) -> Option<Reason> {
        self.limit.borrow().clone()
    }

    /// Remembers that something could not be followed.
    pub fn cut(&self, reason: Reason) {
        self.limit.borrow_mut().get_or_insert(reason);
    }

    fn failed(&self, state: &State, step: Step, failure: Failure) {
        let Err(limit) = failure.error() else { return };
        let place = match step.action {
            Action::Edge(id, _) | Action::Older(id, _) => {
                let span = self.machine.edge(&state.threads[step.thread as usize], id).span;
                self.machine.program.sources.place(span).to_string()
            }
            Action::Flush(_) | Action::Propagate(_) | Action::Delete => String::new(),
        };
        self.cut(limit.reason(place));
    }

    fn taken(&self, state: &State, step: Step) -> Option<Taken> {
        let Action::Edge(edge, _) = step.action else { return None };
        let procedure = state.threads[step.thread as usize].top().procedure;
        Some(Taken { step, place: Place { procedure, edge } })
    }

    /// Calls `see` on the state after each event that a thread can do, with the steps and what they touch.
    pub fn events<M: Memory>(
        &self,
        memory: &M,
        state: &State,
        thread: Thread,
        see: &mut dyn FnMut(&mut State, &mut Vec<Taken>, &Effect),
    ) {
        let mut steps = Vec::new();
        self.machine.thread_steps(memory, state, thread as usize, &mut steps);
        if steps.is_empty() {
            return;
        }
        let mut effect = Effect::default();
        let mut path = Vec::new();
        let spare = self.spare.borrow_mut().pop();
        let mut next = spare.unwrap_or_else(|| state.clone());
        for &step in &steps {
            if let Err(stop) = self.work(state, || 0) {
                self.cut(stop.into());
                break;
            }
            next.clone_from(state);
            effect.clear();
            path.clear();
            effect.add(&self.machine, memory, state, step);
            path.extend(self.taken(state, step));
            if let Err(stop) = self.step(state, step) {
                self.cut(stop.into());
                break;
            }
            if let Err(failure) = self.machine.apply(memory, &mut next, step) {
                self.failed(state, step, failure);
                continue;
            }
            if next.section.is_some_and(|s| s.owner == thread) {
                self.section(memory, next.clone(), effect.clone(), path.clone(), see);
            } else {
                see(&mut next, &mut path, &effect);
            }
        }
        self.spare.borrow_mut().push(next);
    }

    /// All ways through an open section.
    fn section<M: Memory>(
        &self,
        memory: &M,
        state: State,
        effect: Effect,
        path: Vec<Taken>,
        see: &mut dyn FnMut(&mut State, &mut Vec<Taken>, &Effect),
    ) {
        let owner = state.section.expect("only called with one open").owner;
        let mut seen = FxHashSet::default();
        let mut work = vec![(state, effect, path)];
        let mut steps = Vec::new();
        while let Some((state, effect, path)) = work.pop() {
            let bytes = || (seen.len() + work.len()) as u64 * state.bytes() as u64;
            if let Err(stop) = self.work(&state, bytes) {
                return self.cut(stop.into());
            }
            if !seen.insert((state.clone(), effect.reads.clone(), effect.writes.clone())) {
                continue;
            }
            steps.clear();
            self.machine.thread_steps(memory, &state, owner as usize, &mut steps);
            for &step in &steps {
                if let Err(stop) = self.work(&state, || 0).and_then(|()| self.step(&state, step)) {
                    return self.cut(stop.into());
                }
                let mut effect = effect.clone();
                let mut path = path.clone();
                let mut next = state.clone();
                effect.add(&self.machine, memory, &state, step);
                path.extend(self.taken(&state, step));
                if let Err(failure) = self.machine.apply(memory, &mut next, step) {
                    self.failed(&state, step, failure);
                    continue;
                }
                if next.section.is_some() {
                    work.push((next, effect, path));
                    continue;
                }
                see(&mut next, &mut path, &effect);
            }
        }
    }

    /// Takes the local steps of a thread that have no alternative.
    pub fn settle<M: Memory>(
        &self,
        memory: &M,
        local: &LocalSteps,
        state: &mut State,
        thread: Thread,
        path: &mut Vec<Taken>,
    ) {
        let mut steps = Vec::new();
        while local.is_local(state, thread as usize) {
            steps.clear();
            self.machine.thread_steps(memory, state, thread as usize, &mut steps);
            let [step] = steps[..] else { return };
            let waiting = state.threads[thread as usize].buffer.len() as u64;
            let worked = self.pace.borrow_mut().work(waiting / 64, || 0);
            if let Err(stop) = worked.and_then(|()| self.step(state, step)) {
                return self.cut(stop.into());
            }
            let taken = self.taken(state, step);
            if let Err(failure) = self.machine.apply(memory, state, step) {
                self.failed(state, step, failure);
                return;
            }
            path.extend(taken);
        }
    }
}
