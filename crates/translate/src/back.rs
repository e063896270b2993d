//! From an SC run of a translation back to a TSO run of the program.
//!
//! The rounds of the translated run, in order, say which thread runs when and what memory is when it stops. A
//! thread of the program does in each round what leads to that memory: steps and flushes of its own, nothing
//! else. What exactly is searched for, round by round, so that the run does not depend on how statements
//! were translated. Every step is one of the reference semantics.

use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{Machine, Sc, State, Tso};
use fencepost_task::{Action, Model, Step, Trace, Violation};
use rustc_hash::FxHashMap;

/// A round of a thread.
struct Round {
    thread: u32,
    /// Memory when it ends; only the program's own cells.
    memory: Vec<i64>,
    /// Steps of the translated run, which has more than the program.
    steps: usize,
}

/// The TSO run of `program` that an SC run of its translation stands for. `None` is a bug.
pub fn run_back(program: &Program, translated: &Program, trace: &Trace) -> Option<Trace> {
    let machine = Machine::new(program).ok()?;
    let cells = machine.initial(&[]).cells.len();
    let rounds = rounds(translated, trace, cells)?;
    // Cells have the same numbers in both.
    let own = machine.initial_choices();
    let init: Vec<(Loc, i64)> =
        trace.init.iter().copied().filter(|(loc, _)| own.iter().any(|(l, _)| l == loc)).collect();
    let mut search =
        Search { machine: &machine, rounds: &rounds, steps: Vec::new(), seen: FxHashMap::default() };
    let state = machine.initial(&init);
    let violation = match machine.violated(&state) {
        Some(violation) => violation,
        None => search.round(&state, 0, 0)?,
    };
    let steps = search.steps;
    Some(Trace { init, steps, violation, model: Model::Tso, ..trace.clone() })
}

/// Cuts a run at the ends of atomic sections.
fn rounds(translated: &Program, trace: &Trace, cells: usize) -> Option<Vec<Round>> {
    let machine = Machine::new(translated).ok()?;
    let mut state = machine.initial(&trace.init);
    let mut rounds: Vec<Round> = Vec::new();
    let mut steps = 0;
    for step in &trace.steps {
        let was_open = state.section.is_some();
        steps += 1;
        let failed = machine.apply(&Sc, &mut state, *step).is_err();
        let ends = was_open && state.section.is_none();
        if ends || failed || (was_open && step == trace.steps.last()?) {
            rounds.push(Round { thread: step.thread, memory: state.cells[..cells].to_vec(), steps });
            steps = 0;
        }
    }
    Some(rounds)
}

struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    rounds: &'a [Round],
    /// The run so far.
    steps: Vec<Step>,
    /// States in rounds, with the fewest steps in which they were come to.
    seen: FxHashMap<(State, usize), usize>,
}

impl Search<'_, '_> {
    /// Goes on from a state in a round in which so many steps are done; the violation, if one is reached.
    fn round(&mut self, state: &State, number: usize, done: usize) -> Option<Violation> {
        let round = self.rounds.get(number)?;
        let known = self.seen.entry((state.clone(), number)).or_insert(usize::MAX);
        if *known <= done {
            return None;
        }
        *known = done;
        if state.cells == round.memory
            && let Some(violation) = self.round(state, number + 1, 0)
        {
            return Some(violation);
        }
        // Each step of the program and each flush is at least one of the translated run.
        if done > round.steps {
            return None;
        }
        let mut possible = Vec::new();
        self.machine.thread_steps(&Tso, state, round.thread as usize, &mut possible);
        self.machine.memory_steps(&Tso, state, round.thread as usize, &mut possible);
        for step in possible {
            let mut next = state.clone();
            self.steps.push(step);
            let violation = match self.machine.apply(&Tso, &mut next, step) {
                Ok(()) => self.machine.violated(&next),
                Err(failure) => Some(Violation::Failure(failure)),
            };
            let found = violation.or_else(|| {
                let cost = usize::from(!matches!(step.action, Action::Flush(_)));
                self.round(&next, number, done + cost)
            });
            if found.is_some() {
                return found;
            }
            self.steps.pop();
        }
        None
    }
}
