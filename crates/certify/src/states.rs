//! The states of a replayed run, of which only some are kept: a run may have a million steps, and a state a million cells.
//!
//! States are kept at equal distances, and the distance doubles whenever they take more than [`KEPT_BYTES`]. So the runs that
//! people read have all their states at hand, and a long one can still be gone through from its beginning to its end: a state
//! that is not kept is made again, from the one before it that is.

use crate::Replay;
use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, State, with_memory};
use fencepost_task::{Budget, Pace, Stop};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// What the kept states may take together.
const KEPT_BYTES: usize = 48 << 20;

/// States of a run at equal distances.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Kept {
    states: Vec<State>,
    every: usize,
    bytes: usize,
}

impl Kept {
    /// Of a run that begins in this state.
    pub fn new(first: State) -> Kept {
        Kept { bytes: first.bytes(), states: vec![first], every: 1 }
    }

    /// Whether the state after so many steps is one to be kept.
    pub fn takes(&self, number: usize) -> bool {
        number.is_multiple_of(self.every)
    }

    /// The run is in the state after so many steps.
    pub fn offer(&mut self, number: usize, state: &State) {
        if !self.takes(number) {
            return;
        }
        self.bytes += state.bytes();
        self.states.push(state.clone());
        if self.bytes > KEPT_BYTES && self.states.len() > 2 {
            let mut index = 0;
            self.states.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
            self.bytes = self.states.iter().map(State::bytes).sum();
        }
    }

    /// The first state.
    pub fn first(&self) -> &State {
        &self.states[0]
    }

    /// The last kept state at or before that number of steps, and its number.
    fn before(&self, number: usize) -> (usize, &State) {
        let index = (number / self.every).min(self.states.len() - 1);
        (index * self.every, &self.states[index])
    }
}

/// Goes through the states of a run, as long as a budget allows.
pub struct States<'a> {
    machine: Machine<'a>,
    replay: &'a Replay,
    pace: RefCell<Pace>,
    /// A state that was asked for, and its number.
    now: RefCell<(usize, Rc<State>)>,
}

impl<'a> States<'a> {
    /// Of a run of that program, with the instances it takes.
    pub fn new(program: &'a Program, replay: &'a Replay, budget: &Budget) -> States<'a> {
        let machine = Machine::new(program).expect("the run was replayed on it");
        let pace = RefCell::new(Pace::new(budget));
        States { machine, replay, pace, now: RefCell::new((0, Rc::new(replay.first().clone()))) }
    }

    /// The state before the step of that number, from 0; with the number of steps, the last state.
    /// A failing step has no state after it.
    pub fn at(&self, number: usize) -> Result<Rc<State>, Stop> {
        let number = number.min(self.replay.last_number());
        let (kept, state) = self.replay.kept.before(number);
        let mut now = self.now.borrow_mut();
        let (at, had) = &mut *now;
        let mut pace = self.pace.borrow_mut();
        pace.work(1, || 0)?;
        if *at == number {
            return Ok(had.clone());
        }
        // A copy, where somebody still looks at the one before.
        let is_copied = Rc::strong_count(had) > 1 || kept > *at || number < *at;
        pace.take(if is_copied { state.bytes() as u64 } else { 0 }, || 0)?;
        let state_now = Rc::make_mut(had);
        if kept > *at || number < *at {
            state_now.clone_from(state);
            *at = kept;
        }
        // Wherever it is stopped, the state is that of its number.
        while *at < number {
            let step = self.replay.steps[*at].step;
            pace.take(self.machine.growth(state_now, step), || 0)?;
            follow(&self.machine, self.replay, state_now, *at..*at + 1);
            *at += 1;
        }
        Ok(had.clone())
    }
}

/// Takes these steps of the run again.
fn follow(machine: &Machine<'_>, replay: &Replay, state: &mut State, steps: Range<usize>) {
    with_memory!(replay.model, memory => {
        for done in &replay.steps[steps] {
            let taken = machine.apply(memory, state, done.step);
            assert!(taken.is_ok(), "a step that was replayed can be taken again");
        }
    });
}

/// The state after so many steps.
pub(crate) fn state_at(machine: &Machine<'_>, replay: &Replay, number: usize) -> State {
    let (kept, state) = replay.kept.before(number);
    let mut state = state.clone();
    follow(machine, replay, &mut state, kept..number);
    state
}
