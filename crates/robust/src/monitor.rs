//! The search for attacks: a monitor over SC states, after Bouajjani, Calin, Derevenetc and Meyer, "Lazy TSO
//! Reachability" (FASE 2015), section 4, Figure 5.
//!
//! A program is not robust exactly if it has a run of this shape: one thread, the attacker, delays one store
//! past one of its loads; after the load only others run, and only events that happen after the load; one of
//! them touches the cell of the delayed store, which then reaches memory. The search has three phases.
//!
//! 1. *Free*: SC. At any store of any thread the second phase may begin.
//! 2. *Delaying*: the attacker's stores stay in its buffer, so it does nothing that waits for an empty one. Of
//!    the others only what happens after a load of this phase runs: all else could have run before the store,
//!    which it does not see. At a load that misses the buffer the third phase may begin.
//! 3. *Closing*: the attacker is silent. Of the others only what happens after the load runs. When one of its
//!    events touches the cell of the delayed store, an attack is found.
//!
//! A whole atomic section is one event, and so is a read-modify-write ([`mod@crate::effect`]). Spawning a thread
//! without waiting for the buffer counts as a load: the child happens after it.
//!
//! The buffer keeps only the newest value of each cell, since nothing of it reaches memory before the end; so
//! loops that store are finite. In the third phase the attacker's registers and buffer are forgotten.
//!
//! When a pair of store and load is found, the attacker is not followed beyond that load: a longer attack
//! through it is cut wherever this one is.
//!
//! Limits: a store inside an atomic section that ends without waiting for the buffer is not covered, and said.
//! Stores that are lost because the program ends are no violation.

use crate::candidates::Candidates;
use crate::rules::{Delayed, Next, Phase, Rules, encode_phase};
use crate::run::{Runner, Taken};
use crate::{Fences, Place};
use fencepost_explore::initial_choices;
use fencepost_explore::store::{StateId, Store};
use fencepost_ir::cfg::{Loc, Program};
use fencepost_task::{Budget, Finished, Reason, Stats, Stop};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// A pair of store and load, and where in the search it was found.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The store.
    pub delayed: Delayed,
    /// The load.
    pub load: Place,
    /// The state before the last event.
    last: StateId,
    /// Which of its successors the last event leads to.
    ordinal: u32,
}

/// A search for attacks.
pub struct Search<'p, 'f> {
    /// What can happen next.
    pub rules: Rules<'p, 'f>,
    seen: Seen<'p>,
}

/// What a search has seen.
struct Seen<'p> {
    store: Store,
    /// States to look at, by phase.
    waiting: [VecDeque<StateId>; 3],
    candidates: Candidates<'p>,
    found: Vec<Pair>,
    done: FxHashSet<(Delayed, Place)>,
    stats: Stats,
    bytes: Vec<u8>,
    full: bool,
}

impl<'p, 'f> Search<'p, 'f> {
    /// Prepares a search of a program without templates and, since none matter, without properties.
    pub fn new(program: &'p Program, runner: Runner<'p>, fences: &'f Fences, budget: &Budget) -> Self {
        let rules = Rules::new(program, runner, fences);
        let seen = Seen {
            store: Store::default(),
            waiting: Default::default(),
            candidates: Candidates::new(program, budget),
            found: Vec::new(),
            done: FxHashSet::default(),
            stats: Stats::default(),
            bytes: Vec::new(),
            full: false,
        };
        Search { rules, seen }
    }

    /// Counters so far.
    pub fn stats(&self) -> Stats {
        let store = &self.seen.store;
        Stats { states: store.len() as u64, bytes: store.bytes(), ..self.seen.stats }
    }

    /// Searches until there is nothing more to see, or `enough` pairs are found.
    pub fn run(&mut self, budget: &Budget, enough: usize) -> Result<Finished, Reason> {
        let Search { rules, seen } = self;
        if seen.store.is_empty() {
            for (ordinal, chosen) in initial_choices(&rules.runner.machine.initial_choices()).enumerate() {
                let mut state = rules.runner.machine.initial(&chosen);
                rules.runner.work(&state, || seen.store.bytes())?;
                rules.settle_all(&mut state, &mut Vec::new());
                seen.keep(rules, Next::new(&mut state, Phase::Free), None, ordinal as u32);
            }
        }
        let mut state = rules.runner.machine.initial(&[]);
        let mut known = usize::MAX;
        while seen.found.len() < enough
            && let Some(id) = seen.pop()
        {
            if known != seen.found.len() {
                known = seen.found.len();
                let done = &seen.done;
                if !seen.candidates.any(rules.fences, |delayed, load| done.contains(&(delayed, load))) {
                    return Ok(budget.finish()?);
                }
            }
            rules.runner.work(&state, || seen.store.bytes())?;
            let phase = rules.decode(seen.store.get(id), &mut state);
            if let Phase::Closing { delayed, load, .. } = &phase
                && seen.done.contains(&(*delayed, *load))
            {
                continue;
            }
            let mut ordinal = 0;
            rules.successors(&state, &phase, &mut |next, _| {
                seen.stats.transitions += 1;
                seen.keep(rules, next, Some(id), ordinal);
                ordinal += 1;
            });
            budget.finish()?;
            if seen.full {
                return Err(budget.close(Stop::Memory).into());
            }
        }
        match rules.runner.limit() {
            Some(reason) if seen.found.len() < enough => Err(reason),
            _ => Ok(budget.finish()?),
        }
    }

    /// The pairs found so far.
    pub fn found(&self) -> &[Pair] {
        &self.seen.found
    }

    /// The steps of an attack: initial values, then what is before the delayed store, from it to the load, and
    /// after the load. Where a limit stops the runner, successors are missing, and what was chosen of them means nothing.
    pub fn rebuild(&self, pair: &Pair) -> Result<Steps, Stop> {
        let Search { rules, seen } = self;
        let path = seen.store.path(pair.last);
        let choices = rules.runner.machine.initial_choices();
        let init =
            initial_choices(&choices).nth(path[0].1 as usize).expect("a path starts at an initial state");
        let mut state = rules.runner.machine.initial(&init);
        let mut steps = Steps { init, ..Steps::default() };
        rules.settle_all(&mut state, &mut steps.before);
        rules.runner.work(&state, || seen.store.bytes())?;
        let ordinals = path[1..].iter().map(|(_, ordinal)| *ordinal).chain([pair.ordinal]);
        for (&(id, _), ordinal) in path.iter().zip(ordinals) {
            let phase = rules.decode(seen.store.get(id), &mut state);
            let mut number = 0;
            let mut chosen = None;
            rules.successors(&state, &phase, &mut |next, taken| {
                if number == ordinal {
                    chosen = Some((next.phase, taken.to_vec()));
                }
                number += 1;
            });
            rules.runner.work(&state, || seen.store.bytes())?;
            let (next, taken) = chosen.expect("the successor was there before");
            let part = match (&phase, &next) {
                (Phase::Free, Phase::Free) => &mut steps.before,
                (Phase::Closing { .. }, _) => &mut steps.after,
                (Phase::Free | Phase::Delaying { .. }, _) => &mut steps.between,
            };
            part.extend(taken);
        }
        Ok(steps)
    }
}

impl Seen<'_> {
    /// States near an attack first: those found are not looked for again.
    fn pop(&mut self) -> Option<StateId> {
        self.waiting.iter_mut().rev().find_map(VecDeque::pop_front)
    }

    /// Stores a successor if it is new and worth it.
    fn keep(&mut self, rules: &Rules<'_, '_>, next: Next<'_>, parent: Option<StateId>, ordinal: u32) {
        let Next { state, mut phase, closes, beyond } = next;
        let queue = match &phase {
            Phase::Free => 0,
            Phase::Delaying { delayed, .. } => {
                let done = |load: Place| self.done.contains(&(*delayed, load));
                let top = state.threads[delayed.thread as usize].top();
                if beyond.is_some_and(done)
                    || !self.candidates.goes_on(rules.fences, *delayed, (top.procedure, top.node), done)
                {
                    return;
                }
                1
            }
            Phase::Closing { delayed, load, .. } => {
                if self.done.contains(&(*delayed, *load)) {
                    return;
                }
                if closes {
                    let last = parent.expect("an attack takes more than one event");
                    self.done.insert((*delayed, *load));
                    self.candidates.forget(*delayed);
                    self.found.push(Pair { delayed: *delayed, load: *load, last, ordinal });
                    return;
                }
                2
            }
        };
        if !rules.normalize(state, &mut phase) {
            return;
        }
        self.bytes.clear();
        encode_phase(&phase, &mut self.bytes);
        rules.codec.encode(state, &mut self.bytes);
        match self.store.insert(&self.bytes, parent, ordinal) {
            Ok(Some(id)) => self.waiting[queue].push_back(id),
            Ok(None) => {}
            Err(_) => self.full = true,
        }
    }
}

/// The steps of an attack, without flushes.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// What the cells with several initial values hold at first.
    pub init: Vec<(Loc, i64)>,
    /// Before the delayed store.
    pub before: Vec<Taken>,
    /// From the delayed store to the load.
    pub between: Vec<Taken>,
    /// After the load.
    pub after: Vec<Taken>,
}
