//! An attack as a TSO run: the attacker's stores from the delayed one on stay in its buffer until the end, all
//! others reach memory at once.

use crate::Thread;
use crate::monitor::Steps;
use fencepost_ir::cfg::Loc;
use fencepost_memory::{Machine, State, Tso};
use fencepost_task::{Action, Budget, Pace, Step, Stop};

/// A run under TSO that no run under SC agrees with on what happens before what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// The steps, flushes included.
    pub steps: Vec<Step>,
    /// The number of the delayed store among the steps.
    pub store: usize,
    /// The number of the load.
    pub load: usize,
}

struct Run<'a, 'p> {
    machine: &'a Machine<'p>,
    state: State,
    steps: Vec<Step>,
    pace: Pace,
}

impl Run<'_, '_> {
    fn step(&mut self, step: Step) -> Result<(), Stop> {
        self.pace.take(self.machine.growth(&self.state, step), || 0)?;
        let result = self.machine.apply(&Tso, &mut self.state, step);
        assert!(result.is_ok(), "the steps of an attack do not fail");
        self.steps.push(step);
        Ok(())
    }

    /// The oldest store in the thread's buffer reaches memory, unless there is none or its object is gone.
    fn flush(&mut self, thread: Thread) -> bool {
        let Some(entry) = self.state.threads[thread as usize].buffer.first() else { return false };
        let step = Step { thread, action: Action::Flush(entry.loc) };
        let possible = self.machine.apply(&Tso, &mut self.state, step).is_ok();
        if possible {
            self.steps.push(step);
        }
        possible
    }
}

/// The run of an attack.
pub fn witness(
    machine: &Machine<'_>,
    attacker: Thread,
    steps: &Steps,
    budget: &Budget,
) -> Result<Witness, Stop> {
    let state = machine.initial(&steps.init);
    let mut run = Run { machine, state, steps: Vec::new(), pace: Pace::new(budget) };
    for taken in &steps.before {
        run.step(taken.step)?;
        while run.flush(taken.step.thread) {}
    }
    let store = run.steps.len();
    let mut load = store;
    for taken in steps.between.iter().chain(&steps.after) {
        if taken.step.thread == attacker {
            load = run.steps.len();
        }
        run.step(taken.step)?;
        if taken.step.thread != attacker {
            while run.flush(taken.step.thread) {}
        }
    }
    while run.flush(attacker) {}
    Ok(Witness { init: steps.init.clone(), steps: run.steps, store, load })
}
