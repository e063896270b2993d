//! Makes a run shorter, and if possible shortest.
//!
//! Reductions and growing bounds find a violation quickly, but by a run that may do more than it
//! needs. First the steps that can be left out are left out; then a plain breadth-first search,
//! without reductions or bounds and no deeper than the run found, looks for a shorter one. If
//! that search is not cut off by its limit on states, and no run in it by an engine limit, the result is a shortest run.
//!
//! The run is a violation from the beginning: when the budget is used up, it stays as it is by then.

use crate::search::{End, Far, Found, Goal, Limits, Reduction, Search, Strategy};
use fencepost_ir::Span;
use fencepost_memory::{Machine, Memory, State, with_memory};
use fencepost_task::{Action, Budget, Pace, Step, Stop, Task, Trace, Violation};

/// States that the search for a shorter run may look at.
const SEARCH_LIMIT: u64 = 300_000;

/// Longer runs are not tried step by step.
const DROP_LIMIT: usize = 3_000;

/// How many steps are left out at once, at first.
const LONGEST_PIECE: usize = 32;

/// Every so many steps the state is kept, to continue from.
const MARKED: usize = 32;

/// A run to a violation that is no longer than the given one.
pub fn shorten<M: Memory + Copy>(task: &Task<'_>, memory: M, mut trace: Trace) -> Trace {
    let machine = || Machine::new(task.program).expect("the search had one");
    if drop_steps(&machine(), &memory, &mut trace, &mut Pace::new(&task.budget)).is_err() {
        return trace;
    }
    let search = Search::new(machine(), memory, task.model, Strategy::Breadth, Reduction::Off, &task.budget);
    let Ok(mut search) = search else { return trace };
    search.limits = Limits { states: Some(SEARCH_LIMIT), depth: Some(trace.steps.len() as u64) };
    match search.run(None, &task.budget, &mut Goal::Violation, &mut |_| {}) {
        End::Found(Found { init, steps, violation, limited }, _) => {
            Trace { init, steps, violation, shortest: !limited, ..trace }
        }
        End::Exhausted(_) => Trace { shortest: true, ..trace },
        End::Paused(search, Far::Depth) if !search.has_met_limit() => Trace { shortest: true, ..trace },
        End::Limited(..) | End::Paused(..) | End::Stopped(..) => trace,
    }
}

/// Longer runs of other engines are left as they are.
const QUICK_LIMIT: usize = 120;

/// The run without the steps that can be left out, if it is not too long to try.
pub fn without_needless_steps(task: &Task<'_>, mut trace: Trace) -> Trace {
    if trace.steps.len() <= QUICK_LIMIT {
        let machine = Machine::new(task.program).expect("the trace is a run of it");
        let pace = &mut Pace::new(&task.budget);
        // Stopped or not, the run is one.
        let _ = with_memory!(task.model, memory => drop_steps(&machine, memory, &mut trace, pace));
    }
    trace
}

/// Leaves out every step without which the run still ends in the same violation: first in long pieces, such as the rounds of
/// a loop, then one by one.
pub fn drop_steps<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    trace: &mut Trace,
    pace: &mut Pace,
) -> Result<(), Stop> {
    if trace.steps.len() > DROP_LIMIT {
        return Ok(());
    }
    let mut piece = LONGEST_PIECE;
    while piece > 0 {
        drop_pieces(machine, memory, trace, piece, pace)?;
        piece /= 2;
    }
    Ok(())
}

/// Leaves out pieces of that length, from the last to the first: what comes before a piece stays as it is until it is its turn.
fn drop_pieces<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    trace: &mut Trace,
    piece: usize,
    pace: &mut Pace,
) -> Result<(), Stop> {
    let mut before: Vec<State> = Vec::new();
    let mut bytes = 0;
    let mut state = machine.initial(&trace.init);
    for (i, &step) in trace.steps.iter().enumerate() {
        if i.is_multiple_of(MARKED) {
            bytes += state.bytes() as u64;
            pace.take(state.bytes() as u64, || bytes)?;
            before.push(state.clone());
        }
        pace.take(machine.growth(&state, step), || bytes)?;
        if machine.apply(memory, &mut state, step).is_err() {
            break;
        }
    }
    let mut from = trace.steps.len();
    while from > 0 {
        from -= 1;
        let mark = from / MARKED;
        let mut rest = trace.steps[mark * MARKED..].to_vec();
        let at = from - mark * MARKED;
        rest.drain(at..(at + piece).min(rest.len()));
        pace.take(before[mark].bytes() as u64, || bytes)?;
        if leads_to(machine, memory, before[mark].clone(), &rest, trace.violation, pace)? {
            trace.steps.truncate(mark * MARKED);
            trace.steps.extend(rest);
        }
    }
    Ok(())
}

/// Whether the run is possible, and ends in its violation.
pub fn leads_to_violation<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    trace: &Trace,
    pace: &mut Pace,
) -> Result<bool, Stop> {
    leads_to(machine, memory, machine.initial(&trace.init), &trace.steps, trace.violation, pace)
}

/// Whether the steps are possible from that state on, and end in the violation.
fn leads_to<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    mut state: State,
    steps: &[Step],
    violation: Violation,
    pace: &mut Pace,
) -> Result<bool, Stop> {
    let mut enabled = Vec::new();
    for (i, &step) in steps.iter().enumerate() {
        pace.work(1, || 0)?;
        enabled.clear();
        let thread = step.thread as usize;
        if thread >= state.threads.len() {
            return Ok(false);
        }
        match step.action {
            Action::Edge(..) => machine.thread_steps(memory, &state, thread, &mut enabled),
            _ => machine.memory_steps(memory, &state, thread, &mut enabled),
        }
        if !enabled.contains(&step) {
            return Ok(false);
        }
        pace.take(machine.growth(&state, step), || 0)?;
        if let Err(failure) = machine.apply(memory, &mut state, step) {
            return Ok(i + 1 == steps.len() && Ok(violation) == failure.violation());
        }
    }
    Ok(machine.violation(memory, &state) == Some(Ok(violation)))
}

/// Where the last step of a run is in the source.
pub fn last_span<M: Memory, E>(
    machine: &Machine<'_>,
    memory: &M,
    found: &Found<E>,
    budget: &Budget,
) -> Result<Option<Span>, Stop> {
    let Some((&Step { thread, action }, before)) = found.steps.split_last() else { return Ok(None) };
    let mut pace = Pace::new(budget);
    let mut state = machine.initial(&found.init);
    for &step in before {
        pace.take(machine.growth(&state, step), || 0)?;
        if machine.apply(memory, &mut state, step).is_err() {
            return Ok(None);
        }
    }
    let thread = state.threads.get(thread as usize);
    Ok(match (action, thread) {
        (Action::Edge(id, _), Some(thread)) => Some(machine.edge(thread, id).span),
        _ => None,
    })
}
