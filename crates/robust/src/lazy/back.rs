//! Runs of an extended program under SC back to runs of the given one under TSO.

use super::inline::{Changed, Meaning};
use fencepost_ir::cfg::{Instr, Program};
use fencepost_memory::{Machine, Sc, State, Tso};
use fencepost_task::{Action, Budget, Failure, Limit, Model, Pace, Step, Stop, Trace, Violation};

/// What a step of a run violates, if it does.
type Ending = Option<Result<Violation, Limit>>;

struct Run<'m, 'p> {
    machine: &'m Machine<'p>,
    state: State,
    steps: Vec<Step>,
    pace: Pace,
}

impl Run<'_, '_> {
    /// Takes a step; what it violates, if it does.
    fn step(&mut self, step: Step) -> Result<Ending, Stop> {
        // The other run takes as much.
        self.pace.take(2 * self.machine.growth(&self.state, step), || 0)?;
        self.steps.push(step);
        Ok(match self.machine.apply(&Tso, &mut self.state, step) {
            Err(failure) => Some(failure.violation()),
            Ok(()) => self.machine.violated(&self.state),
        })
    }

    /// Takes the step of a thread that fails.
    fn fail(&mut self, thread: u32) -> Result<Ending, Stop> {
        let mut steps = Vec::new();
        self.machine.thread_steps(&Tso, &self.state, thread as usize, &mut steps);
        let fails = |step: &Step| self.machine.apply(&Tso, &mut self.state.clone(), *step).is_err();
        let Some(step) = steps.into_iter().find(fails) else { return Ok(None) };
        self.step(step)
    }

    fn flush(&mut self, thread: u32) -> Result<Ending, Stop> {
        let Some(oldest) = self.state.threads[thread as usize].buffer.first() else { return Ok(None) };
        self.step(Step { thread, action: Action::Flush(oldest.loc) })
    }
}

/// The run that an SC run of `changed` means for `program`. It ends where the first property is violated; with a limit, if
/// one is in the way.
pub fn to_tso(
    program: &Program,
    changed: &Changed,
    run: &Trace,
    budget: &Budget,
) -> Result<Result<Trace, Limit>, Stop> {
    let emulating = Machine::new(&changed.program).expect("it was searched");
    let machine = Machine::new(program).expect("its extension was searched");
    let mut emulated = emulating.initial(&run.init);
    let state = machine.initial(&run.init);
    let mut real = Run { machine: &machine, state, steps: Vec::new(), pace: Pace::new(budget) };
    let mut violation = machine.violated(&real.state);
    for &step in &run.steps {
        if violation.is_some() {
            break;
        }
        let Action::Edge(edge, choice) = step.action else { unreachable!("a run under SC has no flushes") };
        let procedure = emulated.threads[step.thread as usize].top().procedure;
        let meaning = changed.meanings[procedure.index()][edge.index()];
        violation = match meaning {
            Meaning::Silent => {
                real.pace.take(emulating.growth(&emulated, step), || 0)?;
                None
            }
            Meaning::Flush => real.flush(step.thread)?,
            Meaning::Push(id) => real.step(Step { action: Action::Edge(id, None), ..step })?,
            Meaning::Step(id) => {
                let thread = &real.state.threads[step.thread as usize];
                let stores = matches!(machine.edge(thread, id).instr, Instr::Store(..));
                let violated = real.step(Step { action: Action::Edge(id, choice), ..step })?;
                if stores && violated.is_none() { real.flush(step.thread)? } else { violated }
            }
        };
        let failed: Option<Failure> = emulating.apply(&Sc, &mut emulated, step).err();
        if failed.is_some() {
            // An address is computed before it is looked for among the stores that wait.
            if violation.is_none() {
                violation = real.fail(step.thread)?;
            }
            break;
        }
    }
    let steps = real.steps;
    let trace = |violation| Trace { model: Model::Tso, steps, violation, shortest: false, ..run.clone() };
    Ok(violation.expect("a violation of the extension is one of the program").map(trace))
}
