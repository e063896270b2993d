//! All reachable states, by the plainest search there is: what every engine is tested against.

use crate::initial::initial_choices;
use crate::machine::Machine;
use crate::model::Memory;
use crate::state::State;
use fencepost_task::{Failure, Violation};
use std::collections::HashSet;

/// What a program can do under a model.
#[derive(Clone, Debug, Default)]
pub struct Reachable {
    /// States.
    pub states: HashSet<State>,
    /// Failures of steps.
    pub failures: HashSet<Failure>,
    /// Properties that some state violates.
    pub violated: HashSet<usize>,
}

impl Reachable {
    /// Whether nothing goes wrong.
    pub fn is_safe(&self) -> bool {
        self.failures.is_empty() && self.violated.is_empty()
    }
}

/// Everything reachable; `None` if there are more than `limit` states.
pub fn reachable(machine: &Machine<'_>, memory: &impl Memory, limit: usize) -> Option<Reachable> {
    let mut found = Reachable::default();
    let mut work = Vec::new();
    for chosen in initial_choices(&machine.initial_choices()) {
        if found.states.len() > limit {
            return None;
        }
        let state = machine.initial(&chosen);
        if found.states.insert(state.clone()) {
            work.push(state);
        }
    }
    let mut steps = Vec::new();
    while let Some(state) = work.pop() {
        if found.states.len() > limit {
            return None;
        }
        match machine.violated(&state) {
            Some(Ok(Violation::Property(property))) => {
                found.violated.insert(property);
            }
            Some(Ok(Violation::Failure(error))) => {
                found.failures.insert(error.failure());
            }
            Some(Err(limit)) => {
                found.failures.insert(limit.failure());
            }
            None => {}
        }
        steps.clear();
        machine.steps(memory, &state, &mut steps);
        for &step in &steps {
            let mut next = state.clone();
            match machine.apply(memory, &mut next, step) {
                Err(failure) => {
                    found.failures.insert(failure);
                }
                Ok(()) => {
                    if found.states.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
        }
    }
    Some(found)
}
