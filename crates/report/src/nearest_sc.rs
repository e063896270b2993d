//! The SC run that is nearest to a run under a weaker model, and where the two part.
//!
//! Under SC each thread is led through the steps that it took, in any order between threads, as long as each
//! step does what it did: takes the same edge, reads and writes the same. Of all these runs one with the
//! most steps is nearest. What keeps it from continuing is where the runs part: a load that under SC sees
//! another value. From there the thread continues by itself for a while, so that one sees what SC makes of it.
//!
//! The search is depth first, in the order of the run where it can be, and remembers where it was; beyond a
//! number of states, or when the budget is used up, it settles for the best so far and says so.

use fencepost_certify::{Replay, replay_run};
use fencepost_ir::cfg::{Instr, Program};
use fencepost_memory::{EventKind, Machine, Sc, State};
use fencepost_task::{Action, Budget, Model, Pace, Step};
use rustc_hash::FxHashSet;

/// States looked at.
const LIMIT: usize = 20_000;

/// Steps of a thread after the parting.
const BEYOND: usize = 60;

/// The nearest SC run.
#[derive(Clone, Debug)]
pub struct NearestSc {
    /// The run under SC.
    pub replay: Replay,
    /// Its steps, from the beginning, that do what they did in the other run.
    pub agrees: usize,
    /// Where the runs part; `None` where SC can take all steps, in another order.
    pub parting: Option<Parting>,
    /// Whether no SC run agrees in more steps.
    pub nearest: bool,
    /// How the thread at the parting fares under SC.
    pub fate: Fate,
}

/// Where two runs part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parting {
    /// The step of the weaker run that SC cannot take as it was.
    pub weak: usize,
    /// The step of the SC run that is taken instead; `None` where nothing can be.
    pub sc: Option<usize>,
}

/// How a thread continues by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It comes to where it was before, and waits for another thread.
    Waits,
    /// It can take no step.
    Stuck,
    /// It ends.
    Ends,
    /// It was not followed further.
    GoesOn,
}

/// An event of a thread: its step in the run.
struct Lane {
    steps: Vec<usize>,
}

/// Longer runs are not looked at: their states alone would take too much.
const LONGEST: usize = 2_000;

/// Finds it. `program` is what the run is a run of, with the instances it takes.
pub fn nearest_sc(program: &Program, weak: &Replay, budget: &Budget) -> Option<NearestSc> {
    if weak.steps.len() > LONGEST {
        return None;
    }
    let machine = Machine::new(program).ok()?;
    let mut lanes: Vec<Lane> = weak.threads.iter().map(|_| Lane { steps: Vec::new() }).collect();
    for (i, step) in weak.steps.iter().enumerate() {
        if let Action::Edge(..) = step.step.action {
            lanes[step.step.thread as usize].steps.push(i);
        }
    }
    let total: usize = lanes.iter().map(|l| l.steps.len()).sum();
    let pace = &mut Pace::new(budget);
    let (order, complete) = longest(&machine, weak, &lanes, total, pace);
    let mut steps: Vec<Step> = order.iter().map(|i| weak.steps[*i].step).collect();
    let mut state = machine.initial(&weak.init);
    for &step in &steps {
        // The last step of the run may be what fails.
        pace.take(machine.growth(&state, step), || 0).ok()?;
        if machine.apply(&Sc, &mut state, step).is_err() {
            steps.pop();
            break;
        }
    }
    let agrees = steps.len();
    let mut taken = vec![0; lanes.len()];
    order.iter().for_each(|i| taken[weak.steps[*i].step.thread as usize] += 1);
    let mut fate = Fate::GoesOn;
    let parting = parting(&machine, weak, &lanes, &taken, &state);
    if let Some(parting) = parting
        && parting.sc.is_some()
    {
        let thread = weak.steps[parting.weak].step.thread as usize;
        fate = go_on(&machine, &mut state, thread, &mut steps, pace);
    }
    let replay = replay_run(program, Model::Sc, &weak.init, &steps, budget).ok()?.ok()?;
    let parting = parting.map(|p| Parting { sc: p.sc.map(|_| agrees).filter(|s| *s < steps.len()), ..p });
    Some(NearestSc { replay, agrees, parting, nearest: complete, fate })
}

/// Whether the step would do under SC what it did; `None` if it cannot be taken.
fn same(machine: &Machine<'_>, state: &State, weak: &Replay, number: usize) -> Option<bool> {
    let step = &weak.steps[number];
    let thread = step.step.thread as usize;
    if thread >= state.threads.len() {
        return None;
    }
    if !machine.allows(&Sc, state, step.step) {
        // What held any value in the one run may have been written in the other.
        let Action::Edge(id, Some(_)) = step.step.action else { return None };
        let plain = Step { action: Action::Edge(id, None), ..step.step };
        return machine.allows(&Sc, state, plain).then_some(false);
    }
    Some(machine.event(&Sc, state, step.step) == step.event)
}

/// The longest order of the run's steps that is one under SC, and whether all orders were looked at.
fn longest(
    machine: &Machine<'_>,
    weak: &Replay,
    lanes: &[Lane],
    total: usize,
    pace: &mut Pace,
) -> (Vec<usize>, bool) {
    struct At {
        taken: Vec<usize>,
        state: State,
        order: Vec<usize>,
    }
    let mut best = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open =
        vec![At { taken: vec![0; lanes.len()], state: machine.initial(&weak.init), order: Vec::new() }];
    while let Some(at) = open.pop() {
        if at.order.len() > best.len() {
            best.clone_from(&at.order);
        }
        if best.len() == total {
            return (best, true);
        }
        let bytes = at.state.bytes() + size_of_val(&at.order[..]);
        let used = || ((open.len() + seen.len()) * bytes) as u64;
        let copied = pace.work(bytes as u64 / 256, || 0).and_then(|()| pace.take(3 * bytes as u64, used));
        if seen.len() > LIMIT || copied.is_err() {
            return (best, false);
        }
        let mut next: Vec<usize> =
            lanes.iter().zip(&at.taken).filter_map(|(l, n)| l.steps.get(*n)).copied().collect();
        // What came first in the run is tried first, so it goes on the stack last.
        next.sort_unstable_by(|a, b| b.cmp(a));
        for number in next {
            if same(machine, &at.state, weak, number) != Some(true) {
                continue;
            }
            let step = weak.steps[number].step;
            let mut state = at.state.clone();
            let mut order = at.order.clone();
            order.push(number);
            if machine.apply(&Sc, &mut state, step).is_err() {
                // Nothing comes after a step that fails.
                if order.len() > best.len() {
                    best = order;
                }
                continue;
            }
            let mut taken = at.taken.clone();
            taken[step.thread as usize] += 1;
            if seen.insert((taken.clone(), state.clone())) {
                open.push(At { taken, state, order });
            }
        }
    }
    (best, true)
}

/// The step that SC takes otherwise, or not at all.
fn parting(
    machine: &Machine<'_>,
    weak: &Replay,
    lanes: &[Lane],
    taken: &[usize],
    state: &State,
) -> Option<Parting> {
    let mut next: Vec<usize> =
        lanes.iter().zip(taken).filter_map(|(l, n)| l.steps.get(*n)).copied().collect();
    next.sort_unstable();
    let otherwise = next.iter().find(|i| same(machine, state, weak, **i) == Some(false));
    match otherwise {
        Some(&number) => Some(Parting { weak: number, sc: Some(0) }),
        None => next.first().map(|&number| Parting { weak: number, sc: None }),
    }
}

/// Lets a thread continue by itself.
fn go_on(
    machine: &Machine<'_>,
    state: &mut State,
    thread: usize,
    steps: &mut Vec<Step>,
    pace: &mut Pace,
) -> Fate {
    let mut seen = FxHashSet::default();
    let mut possible = Vec::new();
    for _ in 0..BEYOND {
        if state.threads[thread].ended {
            return Fate::Ends;
        }
        if pace.take(state.bytes() as u64, || 0).is_err() {
            return Fate::GoesOn;
        }
        if !seen.insert(state.clone()) {
            return Fate::Waits;
        }
        possible.clear();
        machine.thread_steps(&Sc, state, thread, &mut possible);
        let Some(&step) = possible.first() else { return Fate::Stuck };
        if let Action::Edge(id, _) = step.action
            && matches!(machine.edge(&state.threads[thread], id).instr, Instr::Assert(..))
            && machine.event(&Sc, state, step).value == Some(0)
        {
            return Fate::GoesOn;
        }
        if machine.event(&Sc, state, step).kind == EventKind::Spawn
            || machine.apply(&Sc, state, step).is_err()
        {
            return Fate::GoesOn;
        }
        steps.push(step);
    }
    Fate::GoesOn
}
