//! TSO with bounded rounds or bounded age, after sections 2.4 and 4 of the paper, on the reference semantics; nothing of
//! the translation is used.
//!
//! A step of a thread or of its buffer belongs to the thread. A round of a thread is a longest piece of a run all
//! of whose steps belong to it. With bounded rounds no thread may have more than so many. A store has age 0 when it gets
//! into the buffer, and is a round older whenever its thread's round ends, which is when a step belongs to another
//! thread; with bounded age no store in a buffer may be older than so many rounds.

use crate::reached::{Reached, Side};
use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, State, Tso};
use fencepost_task::{Action, Step};
use fencepost_translate::Bound;
use rustc_hash::FxHashSet;

/// With more stores in a buffer the search is given up: loops store without end.
const LONGEST: usize = 5;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Counted {
    state: State,
    /// Whose round it is.
    running: Option<usize>,
    /// The rounds of each thread, with bounded rounds.
    rounds: Vec<u32>,
    /// The ages of each thread's stores, oldest first, with bounded age.
    ages: Vec<Vec<u32>>,
}

impl Counted {
    /// The same when the round is over; `None` if a store would be too old.
    fn at_the_end_of_the_round(&self, bound: Bound) -> Option<Counted> {
        let mut after = self.clone();
        if let (Bound::Age(k), Some(t)) = (bound, self.running) {
            after.ages[t].iter_mut().for_each(|age| *age += 1);
            if after.ages[t].iter().any(|age| *age > k) {
                return None;
            }
        }
        after.running = None;
        Some(after)
    }

    /// The same with a step of the thread to come, in a round of its own; `None` if that is one too many.
    fn in_a_round_of(&self, thread: usize, bound: Bound) -> Option<Counted> {
        if self.running == Some(thread) {
            return Some(self.clone());
        }
        let mut after = self.at_the_end_of_the_round(bound)?;
        after.running = Some(thread);
        if let Bound::Rounds(k) = bound {
            after.rounds[thread] += 1;
            if after.rounds[thread] > k {
                return None;
            }
        }
        Some(after)
    }
}

/// What is reached within the bound; `None` if there are more states than `limit`.
pub fn within(program: &Program, bound: Bound, limit: usize) -> Option<Reached> {
    let machine = Machine::new(program).unwrap();
    let mut reached = Reached::default();
    let state = machine.initial(&[]);
    let n = state.threads.len();
    let start = Counted { state, running: None, rounds: vec![0; n], ages: vec![Vec::new(); n] };
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut work = vec![start];
    let mut steps = Vec::new();
    while let Some(counted) = work.pop() {
        let state = &counted.state;
        if state.section.is_none() && counted.at_the_end_of_the_round(bound).is_some() {
            reached.note(program, state, &state.cells, Side::Original);
        }
        reached.violated |= machine.violated(state).is_some();
        steps.clear();
        machine.steps(&Tso, state, &mut steps);
        for &step in &steps {
            let Step { thread, action } = step;
            let t = thread as usize;
            let Some(mut next) = counted.in_a_round_of(t, bound) else { continue };
            if machine.apply(&Tso, &mut next.state, step).is_err() {
                reached.violated = true;
                continue;
            }
            let threads = next.state.threads.len();
            next.rounds.resize(threads, 0);
            next.ages.resize(threads, Vec::new());
            let length = next.state.threads[t].buffer.len();
            if length > LONGEST {
                return None;
            }
            if let Bound::Age(_) = bound {
                if let Action::Flush(_) = action {
                    next.ages[t].remove(0);
                }
                next.ages[t].resize(length, 0);
            }
            if !seen.contains(&next) {
                seen.insert(next.clone());
                work.push(next);
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(reached)
}
