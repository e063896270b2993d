//! All reachable states, by the plainest search there is: what every engine is tested against.

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
    let mut initial = vec![Vec::new()];
    for (loc, choices) in machine.initial_choices() {
        let values: Vec<i64> = choices.values().take(limit).collect();
        initial = initial
            .iter()
            .flat_map(|chosen| values.iter().map(|v| [&chosen[..], &[(loc, *v)]].concat()))
            .collect();
    }
    for chosen in initial {
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
            Some(Violation::Property(property)) => {
                found.violated.insert(property);
            }
            Some(Violation::Failure(failure)) => {
                found.failures.insert(failure);
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
