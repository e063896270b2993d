//! From an SC run of a translation back to a TSO run of the program.
//!
//! The rounds of the translated run, in order, say which thread runs when and what memory is when it stops. A
//! thread of the program does in each round what leads to that memory: steps and flushes of its own, nothing
//! else. What exactly is searched for, round by round, so that the run does not depend on how statements
//! were translated. Every step is one of the reference semantics.
//!
//! The loads and stores that the translated run asks for say which ones the program does, so few ways are tried.
//!
//! The program's shared variables are the first of the translation, and variables of procedures are known by their names.
//! Mutexes and pointers are not compared.

use crate::Translated;
use crate::reach::numbers;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{EventKind, Machine, Sc, State, Tso};
use fencepost_task::{Action, Budget, Limit, Model, Pace, Reason, Step, Stop, Trace, Violation};
use rustc_hash::FxHashMap;

/// A round of a thread.
struct Round {
    thread: u32,
    /// Memory when it ends: for the program's cells, where they can be compared.
    memory: Vec<Option<i64>>,
    /// The loads and stores in it.
    accesses: Vec<Access>,
    /// Steps of the translated run.
    steps: usize,
}

/// A load or store of a shared variable that stores are delayed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Which of the two.
    pub is_store: bool,
    /// The variable, by its number.
    pub shared: usize,
}

/// The TSO run of `program` that an SC run of its translation stands for. That there is none is a bug.
pub fn run_back(
    program: &Program,
    translated: &Program,
    translation: &Translated,
    trace: &Trace,
    budget: &Budget,
) -> Result<Option<Trace>, Reason> {
    let counted;
    let (program, translated) = if trace.instances.is_empty() {
        (program, translated)
    } else {
        counted = (program.instantiated(&trace.instances), translated.instantiated(&trace.instances));
        (&counted.0, &counted.1)
    };
    let Ok(machine) = Machine::new(program) else { return Ok(None) };
    let cells = same_cells(program, translated, translation.shared);
    let mut pace = Pace::new(budget);
    let Some(rounds) = rounds(translated, translation, trace, &cells, &mut pace)? else { return Ok(None) };
    let own = machine.initial_choices();
    let chosen = |cell: usize| {
        let theirs = Loc::cell(cells[cell]?);
        trace.init.iter().find(|(loc, _)| *loc == theirs).map(|(_, value)| *value)
    };
    let init: Vec<(Loc, i64)> =
        own.iter().filter_map(|(loc, _)| Some((*loc, chosen(loc.index())?))).collect();
    let state = machine.initial(&init);
    let mut delayed = vec![false; program.objects.len()];
    for access in translation.accesses.values() {
        if let Some(delayed) = delayed.get_mut(access.shared) {
            *delayed = true;
        }
    }
    let mut search =
        Search { machine: &machine, rounds: &rounds, delayed, steps: Vec::new(), seen: FxHashMap::default() };
    let violation = match machine.violated(&state) {
        Some(ending) => ending,
        None => match search.run(state, &mut pace)? {
            Some(ending) => ending,
            None => return Ok(None),
        },
    };
    let violation = violation.map_err(|limit| limit.reason("the end of a run"))?;
    let steps = search.steps;
    Ok(Some(Trace { init, steps, violation, model: Model::Tso, ..trace.clone() }))
}

/// For each cell of the program that of the translation, where their values mean the same.
fn same_cells(program: &Program, translated: &Program, shared: usize) -> Vec<Option<u32>> {
    let (bases, types, numbers) = (translated.cell_bases(), program.cell_types(), numbers(translated));
    let mut cells = Vec::new();
    for (i, object) in program.objects.iter().enumerate() {
        let theirs = if i < shared { Some(i) } else { numbers.get(&object.name[..]).copied() };
        let theirs = theirs.filter(|other| translated.objects[*other].ty == object.ty);
        let count = program.cells(fencepost_ir::cfg::ObjectId(i as u32));
        for cell in 0..count {
            let comparable = !matches!(types[cells.len()], Scalar::Mutex | Scalar::Pointer { .. });
            cells.push(theirs.filter(|_| comparable).map(|object| bases[object] + cell));
        }
    }
    cells
}

/// Cuts a run at the ends of atomic sections.
fn rounds(
    translated: &Program,
    translation: &Translated,
    trace: &Trace,
    cells: &[Option<u32>],
    pace: &mut Pace,
) -> Result<Option<Vec<Round>>, Stop> {
    let asked: Vec<Option<Access>> =
        translated.procedures.iter().map(|p| translation.accesses.get(&p.name).copied()).collect();
    let Ok(machine) = Machine::new(translated) else { return Ok(None) };
    let mut state = machine.initial(&trace.init);
    let mut rounds: Vec<Round> = Vec::new();
    let mut steps = 0;
    let mut accesses = Vec::new();
    for (number, step) in trace.steps.iter().enumerate() {
        pace.work(1, || 0)?;
        // By its number: edges of different procedures have the same names.
        let is_last = number + 1 == trace.steps.len();
        let was_open = state.section.is_some();
        steps += 1;
        let calls = machine.event(&Sc, &state, *step).kind == EventKind::Call;
        let failed = machine.apply(&Sc, &mut state, *step).is_err();
        if calls && !failed {
            let callee = state.threads[step.thread as usize].top().procedure;
            accesses.extend(asked[callee.index()]);
        }
        let ends = was_open && state.section.is_none();
        if ends || failed || (was_open && is_last) {
            let bytes = (rounds.len() * size_of_val(cells)) as u64;
            pace.work(1 + cells.len() as u64 / 256, || 2 * bytes)?;
            let memory = cells.iter().map(|c| c.map(|c| state.cells[c as usize])).collect();
            let accesses = std::mem::take(&mut accesses);
            rounds.push(Round { thread: step.thread, memory, accesses, steps });
            steps = 0;
        }
    }
    Ok(Some(rounds))
}

struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    rounds: &'a [Round],
    /// For each shared variable whether stores to it are delayed.
    delayed: Vec<bool>,
    /// The run so far.
    steps: Vec<Step>,
    /// States in rounds, with the fewest steps in which they were come to.
    seen: FxHashMap<(State, usize, usize), usize>,
}

/// A state in a round, and what can still be tried from it.
struct Visit {
    state: State,
    round: usize,
    /// Steps and accesses that the thread has done in the round.
    done: usize,
    accesses: usize,
    /// Whether a step led here, and not the end of a round.
    by_step: bool,
    possible: Vec<Step>,
}

impl Search<'_, '_> {
    /// Depth first; the violation, if one is reached, with the run to it in `steps`.
    fn run(&mut self, state: State, pace: &mut Pace) -> Result<Option<Result<Violation, Limit>>, Stop> {
        let mut stack = Vec::new();
        self.enter(&mut stack, state, 0, (0, 0), false);
        while let Some(visit) = stack.last_mut() {
            let Some(step) = visit.possible.pop() else {
                if visit.by_step {
                    self.steps.pop();
                }
                stack.pop();
                continue;
            };
            let units = 1 + (visit.state.cells.len() + visit.state.heap.len()) as u64 / 16;
            let bytes = size_of::<State>() + size_of_val(&visit.state.cells[..]);
            pace.work(units, || (2 * self.seen.len() * bytes) as u64)?;
            let mut next = visit.state.clone();
            let (round, done, mut accesses) = (visit.round, visit.done, visit.accesses);
            let access = self.access(&visit.state, step);
            let asked = &self.rounds[round].accesses;
            let fits = access.is_none() || asked.get(accesses) == access.as_ref();
            // An access whose operands have no value fails before the translation asks for it.
            let may_fail = round + 1 == self.rounds.len() && accesses == asked.len();
            if !fits && !may_fail {
                continue;
            }
            accesses += usize::from(access.is_some());
            let violation = match self.machine.apply(&Tso, &mut next, step) {
                Ok(()) if fits => self.machine.violated(&next),
                Ok(()) => continue,
                Err(failure) => Some(failure.violation()),
            };
            self.steps.push(step);
            if violation.is_some() {
                return Ok(violation);
            }
            let cost = usize::from(!matches!(step.action, Action::Flush(_)));
            let ready = self.enter(&mut stack, next, round, (done + cost, accesses), true);
            if !ready {
                self.steps.pop();
            }
        }
        Ok(None)
    }

    /// The load or store that a step is, of what is delayed.
    fn access(&self, state: &State, step: Step) -> Option<Access> {
        let Action::Edge(..) = step.action else { return None };
        let event = self.machine.event(&Tso, state, step);
        let is_store = match event.kind {
            EventKind::Store => true,
            EventKind::Load => false,
            _ => return None,
        };
        let (object, _) = self.machine.program.find(event.loc?)?;
        self.delayed[object.index()].then_some(Access { is_store, shared: object.index() })
    }

    /// Goes on from a state in a round in which so many steps and accesses are done, and from it in the rounds
    /// that follow if memory is as it should be at the end; whether it was not known.
    fn enter(
        &mut self,
        stack: &mut Vec<Visit>,
        state: State,
        mut number: usize,
        (mut done, mut accesses): (usize, usize),
        by_step: bool,
    ) -> bool {
        let mut first = true;
        while let Some(round) = self.rounds.get(number) {
            let known = self.seen.entry((state.clone(), number, accesses)).or_insert(usize::MAX);
            if *known <= done {
                break;
            }
            *known = done;
            let mut possible = Vec::new();
            // The translated run has most of the steps of the program; the program may have some without effect.
            if done <= 4 * round.steps + 64 && (round.thread as usize) < state.threads.len() {
                self.machine.memory_steps(&Tso, &state, round.thread as usize, &mut possible);
                let flushes = possible.len();
                self.machine.thread_steps(&Tso, &state, round.thread as usize, &mut possible);
                possible[flushes..].reverse();
            }
            let by_step = by_step && first;
            stack.push(Visit { state: state.clone(), round: number, done, accesses, by_step, possible });
            first = false;
            let same = |(mine, theirs): (&i64, &Option<i64>)| theirs.is_none_or(|t| t == *mine);
            if accesses < round.accesses.len() || !state.cells.iter().zip(&round.memory).all(same) {
                break;
            }
            (number, done, accesses) = (number + 1, 0, 0);
        }
        !first
    }
}
