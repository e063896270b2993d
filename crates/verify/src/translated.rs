//! `--engine rounds` and `--engine age`: the program is translated to one for SC, that is searched, and what is found
//! is turned back into a TSO run of the program.
//!
//! Without a bound from the user the bound grows until a violation is found, time is up, or more of it would cost too
//! much. What has no violation is safe up to the bound, never without. With growing age it is looked at whether
//! one more round on the way adds a state of the shared variables; where it does not, that is said and the growth
//! ends there, but it proves nothing about larger ages.

use crate::patience;
use crate::portfolio::race::race;
use crate::portfolio::turns::HeadStart;
use fencepost_analysis::liveness::Liveness;
use fencepost_bmc::Bmc;
use fencepost_explore::{Explicit, without_needless_steps};
use fencepost_ir::{cfg, tree};
use fencepost_memory::State;
use fencepost_passes::pipeline;
use fencepost_task::{
    Answer, Bounds, Budget, Cleared, Engine, EngineId, Model, Progress, Reason, Stats, Stop, Task, Trace,
    Verdict,
};
use fencepost_translate::{
    Bound, Translated as Translation, Unsupported, run_back, shared_states, translate,
};
use std::cell::RefCell;
use std::time::Duration;

/// No bound larger than this is tried by itself.
const LARGEST: u32 = 8;

/// After so many states no larger bound is tried: it would take many times as many.
const ENOUGH_STATES: u64 = 500_000;

/// Shared states are compared where they are found in up to so many steps.
const COMPARABLE: usize = 300_000;

/// A search of half a million states comes before a solver works beside it.
const HEAD_START: HeadStart = HeadStart { time: Duration::from_secs(2), looks: 512 };

/// Explicit search that does not shorten what it finds: it becomes a run of the original first.
struct Search;

impl Engine for Search {
    fn id(&self) -> EngineId {
        EngineId::Explicit
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        Explicit::default().check_quickly(task, progress)
    }
}

/// What is bounded: by the number that was given, or by a growing one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growing {
    /// Rounds of each thread.
    Rounds(Option<u32>),
    /// Rounds of its thread that a store is on its way.
    Age(Option<u32>),
}

impl Growing {
    /// The number that was given.
    fn given(self) -> Option<u32> {
        match self {
            Growing::Rounds(given) | Growing::Age(given) => given,
        }
    }

    fn bound(self, k: u32) -> Bound {
        match self {
            Growing::Rounds(_) => Bound::Rounds(k),
            Growing::Age(_) => Bound::Age(k),
        }
    }
}

/// The engine.
pub struct Translated<'a> {
    tree: &'a tree::Program,
    /// Instances of each template.
    threads: Option<u32>,
    bound: Growing,
    /// What is to be said besides the verdict.
    pub notes: RefCell<Vec<String>>,
}

/// What one bound gave.
struct Tried {
    verdict: Verdict,
    stats: Stats,
    translation: Option<(Translation, cfg::Program)>,
}

impl<'a> Translated<'a> {
    /// The engine for a program.
    pub fn new(tree: &'a tree::Program, threads: Option<u32>, bound: Growing) -> Translated<'a> {
        Translated { tree, threads, bound, notes: RefCell::default() }
    }

    fn bounds(&self, k: u32, task: &Task<'_>) -> Bounds {
        let (rounds, age) = match self.bound {
            Growing::Rounds(_) => (Some(k), None),
            Growing::Age(_) => (None, Some(k)),
        };
        Bounds { rounds, age, threads: task.bounds.threads, ..Bounds::default() }
    }

    /// The program translated with that bound.
    fn translation(&self, k: u32, budget: &Budget) -> Result<(Translation, cfg::Program), Reason> {
        let bound = self.bound.bound(k);
        let (tree, threads) = (self.tree.clone(), self.threads);
        patience::within(budget, move || translation(tree, bound, threads))?
    }

    /// Decides one bound: by explicit search, or where that takes long, by search and by a solver that looks for
    /// violations, in turns.
    fn at(&self, k: u32, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Tried {
        let (translation, program) = match self.translation(k, &task.budget) {
            Ok(translated) => translated,
            Err(reason) => {
                let verdict = Verdict::unknown(reason);
                return Tried { verdict, stats: Stats::default(), translation: None };
            }
        };
        let sc = Task {
            program: &program,
            model: Model::Sc,
            bounds: Bounds::default(),
            budget: task.budget.clone(),
        };
        let engines: [Box<dyn Engine + Sync>; 2] = [Box::new(Search), Box::new(Bmc::default())];
        // In turns on one core, so that two runs end the same way.
        let mut finish = race(&engines, &sc, false, 1, HEAD_START, progress);
        // A solver's bounds are others; that it finds nothing says little.
        let answer = finish.answers.swap_remove(finish.winner.unwrap_or(0));
        let answer = answer.expect("the search has begun, and so has a winner");
        let verdict = match answer.verdict {
            Verdict::Unsafe { trace } => match self.original_run(task, &program, &translation, &trace) {
                Ok(trace) => Verdict::Unsafe { trace: without_needless_steps(task, trace) },
                Err(reason) => Verdict::unknown(reason),
            },
            verdict => verdict,
        };
        Tried { verdict, stats: answer.stats, translation: Some((translation, program)) }
    }

    fn original_run(
        &self,
        task: &Task<'_>,
        translated: &cfg::Program,
        translation: &Translation,
        trace: &Trace,
    ) -> Result<Trace, Reason> {
        let back = run_back(task.program, translated, translation, trace, &task.budget)?;
        Ok(back.unwrap_or_else(|| {
            panic!(
                "internal error: the engine `{}` found a run of a translation that is none of the program. This \
                 is a bug in Fencepost; please report it with the file.",
                self.id()
            )
        }))
    }

    /// The largest number of threads, rounds or ages that a user may mean.
    fn growth(&self) -> std::ops::RangeInclusive<u32> {
        match self.bound {
            Growing::Rounds(Some(k)) | Growing::Age(Some(k)) => k..=k,
            Growing::Rounds(None) => 1..=LARGEST,
            Growing::Age(None) => 0..=LARGEST,
        }
    }
}

fn translation(
    mut tree: tree::Program,
    bound: Bound,
    threads: Option<u32>,
) -> Result<(Translation, cfg::Program), Reason> {
    pipeline::on_tree(&mut tree, pipeline::Options { threads });
    let translation = translate(&tree, bound).map_err(|Unsupported { span, what, .. }| {
        let place = tree.sources.place(span);
        Reason::NotApplicable(format!("{what} cannot be translated, at {place}"))
    })?;
    let program = pipeline::lower(translation.program.clone());
    Ok((translation, program))
}

/// Sets the registers to zero that are not read again.
fn forget_dead(program: &cfg::Program, liveness: &Liveness, state: &mut State) {
    for thread in &mut state.threads {
        for frame in &thread.frames {
            let slots = program.procedure(frame.procedure).registers.len() as u32;
            for slot in liveness.live(frame.procedure, frame.node).dead(slots) {
                thread.registers[(frame.base + slot) as usize] = 0;
            }
        }
    }
}

impl Engine for Translated<'_> {
    fn id(&self) -> EngineId {
        match self.bound {
            Growing::Rounds(_) => EngineId::Rounds,
            Growing::Age(_) => EngineId::Age,
        }
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let refused = |why: &str| Answer::unknown(Reason::NotApplicable(why.to_string()), Stats::default());
        if task.model != Model::Tso {
            return refused("the translation is of TSO; other models need another engine");
        }
        if task.program.is_parameterized() {
            return refused("the translation has no bound for any number of threads; give --threads");
        }
        let mut finished: Option<Cleared> = None;
        let mut stopped = None;
        let mut stats = Stats::default();
        let mut before = None;
        for k in self.growth() {
            let tried = self.at(k, task, progress);
            stats = tried.stats;
            match tried.verdict {
                Verdict::Safe(cleared) => finished = Some(cleared.up_to(self.bounds(k, task))),
                Verdict::Unsafe { .. } => {
                    let verdict = tried.verdict;
                    return Answer { verdict, unreached: Vec::new(), stats, certificate: None };
                }
                Verdict::Unknown { reason, .. } => {
                    stopped = Some(reason);
                    break;
                }
            }
            if self.bound.given().is_some() || stats.states > ENOUGH_STATES {
                break;
            }
            // Where there are too many states there are no fewer with the next bound.
            let compares = k <= 1 || before.is_some();
            let reached = tried.translation.filter(|_| compares && k > 0).map(|(translation, program)| {
                let liveness = Liveness::new(&program);
                let forget = |state: &mut State| forget_dead(&program, &liveness, state);
                shared_states(&program, translation.shared, COMPARABLE, &task.budget, &forget)
            });
            let reached = match reached.transpose() {
                Ok(reached) => reached.flatten(),
                Err(stop) => {
                    stopped = Some(stop.into());
                    break;
                }
            };
            if let (Some(old), Some(new)) = (&before, &reached)
                && k > 1
                && old == new
            {
                let what = match self.bound {
                    Growing::Rounds(_) => "rounds",
                    Growing::Age(_) => "ages",
                };
                self.notes.borrow_mut().push(format!(
                    "the shared variables have the same {} states with {what} up to {} and up to {k}; larger ones were \
                     not tried, and that is no proof",
                    new.len(),
                    k - 1
                ));
                break;
            }
            before = reached;
        }
        let verdict = match (finished, stopped) {
            (Some(cleared), None) => Verdict::Safe(cleared),
            // What was finished before a limit ended the growth is said with it.
            (cleared, reason) => {
                let reason = reason.unwrap_or(Stop::Timeout.into());
                Verdict::Unknown { reason, cleared }
            }
        };
        Answer { verdict, unreached: Vec::new(), stats, certificate: None }
    }
}
