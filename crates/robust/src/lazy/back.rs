//! Runs of an extended program under SC back to runs of the given one under TSO.

use super::inline::{Changed, Meaning};
use fencepost_ir::cfg::{Instr, Program};
use fencepost_memory::{Machine, Sc, State, Tso};
use fencepost_task::{Action, Failure, Limit, Model, Step, Trace, Violation};

struct Run<'m, 'p> {
    machine: &'m Machine<'p>,
    state: State,
    steps: Vec<Step>,
}

impl Run<'_, '_> {
    /// Takes a step; what it violates, if it does.
    fn step(&mut self, step: Step) -> Option<Result<Violation, Limit>> {
        self.steps.push(step);
        match self.machine.apply(&Tso, &mut self.state, step) {
            Err(failure) => Some(failure.violation()),
            Ok(()) => self.machine.violated(&self.state),
        }
    }

    fn flush(&mut self, thread: u32) -> Option<Result<Violation, Limit>> {
        let oldest = self.state.threads[thread as usize].buffer.first()?;
        self.step(Step { thread, action: Action::Flush(oldest.loc) })
    }
}

/// The run that an SC run of `changed` means for `program`. It ends where the first property is violated.
pub fn to_tso(program: &Program, changed: &Changed, run: &Trace) -> Option<Result<Trace, Limit>> {
    let emulating = Machine::new(&changed.program).ok()?;
    let machine = Machine::new(program).ok()?;
    let mut emulated = emulating.initial(&run.init);
    let mut real = Run { machine: &machine, state: machine.initial(&run.init), steps: Vec::new() };
    let mut violation = machine.violated(&real.state);
    for &step in &run.steps {
        if violation.is_some() {
            break;
        }
        let Action::Edge(edge, choice) = step.action else { return None };
        let procedure = emulated.threads[step.thread as usize].top().procedure;
        let meaning = changed.meanings[procedure.index()][edge.index()];
        let failed: Option<Failure> = emulating.apply(&Sc, &mut emulated, step).err();
        violation = match meaning {
            Meaning::Silent => None,
            Meaning::Flush => real.flush(step.thread),
            Meaning::Push(id) => real.step(Step { action: Action::Edge(id, None), ..step }),
            Meaning::Step(id) => {
                let thread = &real.state.threads[step.thread as usize];
                let stores = matches!(machine.edge(thread, id).instr, Instr::Store(..));
                let violated = real.step(Step { action: Action::Edge(id, choice), ..step });
                if stores && violated.is_none() { real.flush(step.thread) } else { violated }
            }
        };
        if failed.is_some() {
            break;
        }
    }
    let steps = real.steps;
    let trace = |violation| Trace { model: Model::Tso, steps, violation, shortest: false, ..run.clone() };
    Some(violation?.map(trace))
}
