//! Random runs, between a short search and a long one.
//!
//! Many a violation lies in almost every run that continues for long enough, while the states on the way to it are too many to be
//! looked at one by one: a counter that two threads increase a thousand times, without a lock. Each run is drawn with its own
//! habits, how long a thread continues before another one has its turn and how long stores stay in their buffers, since some bugs
//! need many switches and some need few. What is drawn depends on the numbers of the run and the step alone, so that two checks
//! draw the same. A run that is found is one of the machine; that none is found says nothing.

use crate::search::Found;
use fencepost_memory::{Machine, Memory, State};
use fencepost_task::{Budget, Pace, Step, Stop};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// How many runs of how many steps: short ones first, and one for a program that just takes long.
const RUNS: [(u32, u32); 3] = [(300, 1_500), (20, 15_000), (1, 1_200_000)];

/// How often, of 256 times, a thread continues.
const STAYS: [usize; 4] = [0, 128, 230, 253];

/// How often, of 256 times, a thread's next step is one of its buffer.
const FLUSHES: [usize; 3] = [128, 20, 3];

/// Longer buffers are not needed to find anything, and take their time.
const LONGEST: usize = 32;

/// Draws runs until one violates something, or enough have been drawn.
pub fn find<M: Memory>(machine: &Machine<'_>, memory: &M, budget: &Budget) -> Result<Option<Found>, Stop> {
    let mut pace = Pace::new(budget);
    let runs = RUNS.iter().flat_map(|&(number, steps)| (0..number).map(move |_| steps));
    // A run is kept while it is drawn; where memory is short, runs are.
    let longest = budget
        .memory()
        .map_or(u32::MAX, |bytes| u32::try_from(bytes / 4 / size_of::<Step>() as u64).unwrap_or(u32::MAX));
    for (number, most) in runs.enumerate() {
        let most = most.min(longest);
        let habits = Habits {
            stays: STAYS[number % STAYS.len()],
            flushes: FLUSHES[number / STAYS.len() % FLUSHES.len()],
        };
        let draw = &mut Draw { run: number, drawn: 0 };
        if let Some(found) = walk(machine, memory, draw, &habits, most, &mut pace)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What a run draws.
struct Draw {
    run: usize,
    drawn: u32,
}

impl Draw {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        let bits = FxBuildHasher.hash_one((self.run, self.drawn)) >> 32;
        ((bits * n as u64) >> 32) as usize
    }

    /// Whether something happens that happens so many of 256 times.
    fn happens(&mut self, often: usize) -> bool {
        self.below(256) < often
    }
}

struct Habits {
    stays: usize,
    flushes: usize,
}

fn walk<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    draw: &mut Draw,
    habits: &Habits,
    most: u32,
    pace: &mut Pace,
) -> Result<Option<Found>, Stop> {
    let choices = machine.initial_choices().into_iter();
    let init: Vec<_> = choices
        .map(|(loc, choices)| {
            let number = draw.below(usize::try_from(choices.count()).unwrap_or(usize::MAX));
            (loc, choices.nth(number as u128).expect("there are so many"))
        })
        .collect();
    let mut state = machine.initial(&init);
    let mut steps = Vec::new();
    let mut possible = Vec::new();
    let mut thread = 0;
    for _ in 0..most {
        pace.work(1, || 0)?;
        let threads = state.threads.len();
        if !draw.happens(habits.stays) {
            thread = draw.below(threads);
        }
        let flushes = draw.happens(habits.flushes);
        // A thread that waits gives its turn to the next.
        let goes_on = (0..threads).map(|i| (thread + i) % threads).find(|thread| {
            thread_steps(machine, memory, &state, *thread, flushes, &mut possible);
            !possible.is_empty()
        });
        let Some(goes_on) = goes_on else { return Ok(None) };
        thread = goes_on;
        let step = possible[draw.below(possible.len())];
        steps.push(step);
        pace.take(machine.growth(&state, step), || 0)?;
        let violation = match machine.apply(memory, &mut state, step) {
            Ok(()) => machine.violation(memory, &state),
            Err(failure) if !machine.reports(failure) => return Ok(None),
            Err(failure) => Some(failure.violation()),
        };
        match violation {
            None => {}
            Some(Ok(violation)) => return Ok(Some(Found { init, steps, violation, limited: true })),
            // The search meets the limit again, and says so.
            Some(Err(_)) => return Ok(None),
        }
    }
    Ok(None)
}

/// A thread's steps: those of its buffer if it is their turn, or if it waits for them.
fn thread_steps<M: Memory>(
    machine: &Machine<'_>,
    memory: &M,
    state: &State,
    thread: usize,
    flushes: bool,
    steps: &mut Vec<Step>,
) {
    steps.clear();
    let flushes = flushes || state.threads[thread].buffer.len() >= LONGEST;
    if flushes {
        machine.memory_steps(memory, state, thread, steps);
    }
    if steps.is_empty() {
        machine.thread_steps(memory, state, thread, steps);
    }
    if steps.is_empty() && !flushes {
        machine.memory_steps(memory, state, thread, steps);
    }
}
