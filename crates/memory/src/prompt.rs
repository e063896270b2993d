//! A run under SC is one under every weaker model: each store reaches memory at once.

use crate::{Machine, Memory, with_memory};
use fencepost_ir::cfg::Program;
use fencepost_task::{Action, Budget, Model, Pace, Step, Stop, Trace};

/// The run under `model` that does what an SC run does; `None` if the run is none of the program.
pub fn without_delay(
    program: &Program,
    run: &Trace,
    model: Model,
    budget: &Budget,
) -> Result<Option<Trace>, Stop> {
    let pace = &mut Pace::new(budget);
    match model {
        Model::Sc => Ok(Some(run.clone())),
        Model::Tso | Model::Pso => {
            with_memory!(model, memory => under(program, run, model, memory, pace)).transpose()
        }
    }
}

fn under(
    program: &Program,
    run: &Trace,
    model: Model,
    memory: &impl Memory,
    pace: &mut Pace,
) -> Option<Result<Trace, Stop>> {
    let machine = Machine::new(program).ok()?;
    let mut state = machine.initial(&run.init);
    let mut steps = Vec::new();
    let mut violation = machine.violated(&state).transpose().ok()?;
    for &step in &run.steps {
        let mut next = Some(step);
        while violation.is_none()
            && let Some(step) = next
        {
            if let Err(stop) = pace.take(machine.growth(&state, step), || 0) {
                return Some(Err(stop));
            }
            steps.push(step);
            violation = match machine.apply(memory, &mut state, step) {
                Err(failure) => Some(failure.violation().ok()?),
                Ok(()) => machine.violated(&state).transpose().ok()?,
            };
            let delayed = state.threads[step.thread as usize].buffer.first();
            next = delayed.map(|entry| Step { thread: step.thread, action: Action::Flush(entry.loc) });
        }
    }
    // States without further steps, or with lost memory, are no step's fault: the run says it.
    let violation = violation.unwrap_or(run.violation);
    Some(Ok(Trace { model, steps, violation, shortest: false, ..run.clone() }))
}
