//! Which bounds are tried, and what the answers together say.

use crate::decode::Decoded;
use crate::numbering;
use crate::query::{DEFAULT_QUEUE, Needs, Query, Said};
use crate::vacuous::never_reached;
use crate::width;
use crate::{Abstraction, Bmc};
use fencepost_analysis::bounded::{Bounded, Loops, Refusal, all_loops};
use fencepost_ir::cfg::Program;
use fencepost_task::{
    Answer, Bounds, Cleared, Limit, Model, Progress, Reason, Stats, Stop, Task, Unreached, Verdict,
};
use std::borrow::Cow;

/// Bounds that are tried one after the other where none are given: repetitions (and elements of objects whose size is not
/// known), rounds, clock.
const STAGES: [(u32, u32, u32); 9] =
    [(1, 2, 2), (2, 3, 3), (3, 4, 3), (4, 4, 4), (6, 5, 4), (8, 6, 4), (10, 8, 5), (16, 10, 5), (24, 12, 6)];

/// Objects whose size is not known have no more elements: there is one for each size.
const LARGEST_BLOCK: u32 = 24;

/// Bounds up to these are tried at once where they are enough for all runs.
const SMALL_ROUNDS: u32 = 12;
const SMALL_CLOCK: u32 = 10;

/// Where no run comes to what is checked, repetitions grow up to this, or up to so many clauses.
const LONGEST: u32 = 768;
const MANY_CLAUSES: u64 = 1_000_000;

/// More models that are not runs, because of a cut width or of other numbers of objects, are not looked at.
const MAX_SPURIOUS: u64 = 200;

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tried {
    unwind: u32,
    rounds: u32,
    clock: u32,
    block: u32,
}

enum Stage {
    /// No violation within the bounds, or in any run if they cut nothing off; whether they cut off no loop, no object.
    None {
        cleared: Cleared,
        unwound: bool,
        fits: bool,
    },
    Done(Verdict),
}

/// How far growth has come.
#[derive(Default)]
struct Far<'p> {
    tried: Vec<Tried>,
    finished: Option<Cleared>,
    /// Whether no loop, and no object, goes beyond the last bounds.
    unwound: bool,
    fits: bool,
    needs: Option<Needs>,
    /// The last formula.
    query: Option<Query<'p>>,
}

impl Far<'_> {
    /// What no run within the last bounds comes to, as far as that is known.
    fn unreached(&mut self) -> Vec<Unreached> {
        self.query.as_mut().and_then(never_reached).unwrap_or_default()
    }
}

struct Growth<'a, 'b> {
    engine: &'a Bmc,
    task: &'a Task<'b>,
    stats: Stats,
    /// Whether objects may have other numbers than in the formula.
    renumbers: bool,
    /// Whether the program may see that.
    sees_numbers: bool,
    /// Whether a program that may see numbers may also see an address again, after which objects have other numbers than in
    /// the formula. Then the formula has such runs, and violations in them are found, but that there are none is not said.
    leaves_out_reuse: bool,
    /// A run comes to what is not modelled: violations are still found, but that there is none is not said.
    limited: Option<Reason>,
    /// What no run within the bounds comes to.
    unreached: Vec<Unreached>,
}

/// Answers a task.
pub fn check(engine: &Bmc, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
    let mut growth = Growth {
        engine,
        task,
        stats: Stats::default(),
        renumbers: false,
        sees_numbers: false,
        leaves_out_reuse: false,
        limited: None,
        unreached: Vec::new(),
    };
    let verdict = match (growth.run(progress), growth.limited.take()) {
        (verdict @ Verdict::Unsafe { .. }, _) => verdict,
        (_, Some(reason)) => Verdict::unknown(reason),
        (verdict, None) => growth.said(verdict),
    };
    let unreached = match &verdict {
        Verdict::Safe { .. } => growth.unreached,
        Verdict::Unsafe { .. } | Verdict::Unknown { .. } => Vec::new(),
    };
    Answer { verdict, unreached, stats: growth.stats, certificate: None }
}

impl<'b> Growth<'_, 'b> {
    /// What a verdict comes to where runs were left out.
    fn said(&self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Safe { .. } if self.sees_numbers => self.unordered(),
            // No bound is finished where runs were left out.
            Verdict::Unknown { reason, .. } if self.sees_numbers => Verdict::unknown(reason),
            verdict => verdict,
        }
    }

    fn run(&mut self, progress: &mut dyn FnMut(&Progress)) -> Verdict {
        let checks = &self.task.program.checks;
        if checks.deadlock || checks.leaks || checks.races || !checks.off.is_empty() {
            let refusal = "bounded model checking looks for assertions, properties and errors of memory, for all of them and \
                           for nothing else: not for deadlocks, leaks and races, and no check can be left out";
            return self.refuse(Refusal::from(refusal), None);
        }
        let program = match self.engine.width {
            Some(bits) => Cow::Owned(width::run(self.task.program, bits)),
            None => Cow::Borrowed(self.task.program),
        };
        let loops = match all_loops(&program, &self.task.budget) {
            Ok(loops) => loops,
            Err(stop) => return self.refuse(Refusal::Stopped(stop), None),
        };
        let mut far = Far::default();
        for (repetitions, rounds, clock) in STAGES {
            // Where no loop continues, and little is enough for all runs, that is next.
            let enough =
                far.needs.filter(|n| far.unwound && n.rounds <= SMALL_ROUNDS && n.clock <= SMALL_CLOCK);
            let (rounds, clock) = enough.map_or((rounds, clock), |n| (n.rounds, n.clock));
            if let Some(verdict) =
                self.try_bounds(&program, &loops, (repetitions, rounds, clock), &mut far, progress)
            {
                return verdict;
            }
        }
        self.unreached = far.unreached();
        // Where loops keep everybody from what is to be checked, longer runs are worth more than wilder ones.
        let mut repetitions = STAGES[STAGES.len() - 1].0;
        while !self.unreached.is_empty()
            && !far.unwound
            && self.engine.unwind.is_none()
            && repetitions < LONGEST
            && self.stats.clauses < MANY_CLAUSES
        {
            repetitions *= 2;
            if let Some(verdict) = self.try_bounds(&program, &loops, (repetitions, 2, 2), &mut far, progress)
            {
                return verdict;
            }
            self.unreached = far.unreached();
        }
        let cleared = far.finished.expect("a stage was tried");
        match self.task.budget.finish() {
            Ok(_) => Verdict::Safe(cleared),
            // It may be what kept repetitions from growing.
            Err(stop) => Verdict::Unknown { reason: stop.into(), cleared: Some(cleared) },
        }
    }

    /// Tries bounds (repetitions, rounds, clock), unless they were tried before; an answer ends the growth.
    fn try_bounds<'p>(
        &mut self,
        program: &'p Program,
        loops: &'p [Loops],
        (repetitions, rounds, clock): (u32, u32, u32),
        far: &mut Far<'p>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Option<Verdict>
    where
        'b: 'p,
    {
        let unwind = match far.tried.last() {
            // Where no loop continues, more repetitions are in vain.
            Some(last) if far.unwound => last.unwind,
            _ => self.engine.unwind.unwrap_or(repetitions),
        };
        let block = match far.tried.last() {
            Some(last) if far.fits => last.block,
            _ => self.engine.block.unwrap_or(repetitions.min(LARGEST_BLOCK)),
        };
        let rounds = self.engine.rounds.unwrap_or(rounds);
        let clock = if self.task.model == Model::Sc { 1 } else { self.engine.clock.unwrap_or(clock) };
        let bounds = Tried { unwind, rounds, clock, block };
        if far.tried.contains(&bounds) {
            return None;
        }
        far.tried.push(bounds);
        let budget = &self.task.budget;
        let analysis = match Bounded::new(program, loops, unwind, block, budget) {
            Ok(analysis) => analysis,
            Err(refusal) => return Some(self.refuse(refusal, far.finished)),
        };
        let looks = numbering::is_seen(&analysis);
        self.renumbers = !numbering::is_certain(&analysis);
        self.sees_numbers |= looks && self.renumbers;
        self.leaves_out_reuse |= looks && analysis.allocations().any(|(_, o)| analysis.is_reused(o));
        let query = Query::new(self.engine, analysis, self.task.program, self.task.model, clock, budget);
        let mut query = match query {
            Ok(query) => query,
            Err(refusal) => return Some(self.refuse(refusal, far.finished)),
        };
        far.needs = Some(query.needs());
        match self.stage(&mut query, bounds, far.finished, progress) {
            Stage::Done(verdict) => return Some(verdict),
            Stage::None { cleared, .. } if cleared.scope() == self.task.scope(self.all()) => {
                self.unreached = never_reached(&mut query).unwrap_or_default();
                return Some(Verdict::Safe(cleared));
            }
            Stage::None { cleared, unwound, fits } => {
                (far.unwound, far.fits) = (unwound, fits);
                far.finished = Some(cleared);
                far.query = Some(query);
            }
        }
        None
    }

    fn unordered(&self) -> Verdict {
        Verdict::unknown(Reason::NotApplicable(numbering::UNORDERED.into()))
    }

    fn queues(&self) -> bool {
        self.engine.abstraction == Abstraction::Queues
    }

    fn queue(&self) -> u32 {
        self.engine.queue.unwrap_or(DEFAULT_QUEUE)
    }

    /// All runs, as far as other bounds go.
    fn all(&self) -> Bounds {
        Bounds {
            width: self.engine.width.map(u32::from),
            reuse: self.leaves_out_reuse.then_some(0),
            ..Bounds::default()
        }
    }

    fn within(&self, tried: Tried, fits: bool) -> Bounds {
        let Tried { unwind, rounds, clock, block } = tried;
        Bounds {
            unwind: Some(unwind),
            rounds: Some(rounds),
            clock: (self.task.model != Model::Sc && !self.queues()).then_some(clock),
            queue: (self.task.model != Model::Sc && self.queues()).then(|| self.queue()),
            width: self.engine.width.map(u32::from),
            block: (!fits).then_some(block),
            reuse: self.leaves_out_reuse.then_some(0),
            ..Bounds::default()
        }
    }

    fn refuse(&self, refusal: Refusal, finished: Option<Cleared>) -> Verdict {
        match (finished, refusal) {
            // What was too much was not asked for.
            (Some(cleared), Refusal::Unfit(_)) if self.engine.unwind.is_none() => Verdict::Safe(cleared),
            (cleared, refusal) => Verdict::Unknown { reason: refusal.into(), cleared },
        }
    }

    fn stage(
        &mut self,
        query: &mut Query<'_>,
        bounds: Tried,
        finished: Option<Cleared>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Stage {
        let needs = query.needs();
        let rounds = bounds.rounds.min(needs.rounds);
        let first = self.engine.rounds.map_or(1, |r| r.min(rounds));
        for round in 1..=rounds {
            if let Err(stop) = query.add_round() {
                return stopped(stop, finished);
            }
            if round < first {
                continue;
            }
            let ends = query.ends();
            let last = round == rounds;
            let said = match if last {
                query.ask_and_write(ends.violation)
            } else {
                Ok(query.ask(ends.violation))
            } {
                Ok(said) => said,
                Err(message) => {
                    let reason = Reason::NotApplicable(message);
                    return Stage::Done(Verdict::Unknown { reason, cleared: finished });
                }
            };
            self.count(query, progress);
            match said {
                Said::No => {}
                Said::Stopped(stop) => return stopped(stop, finished),
                Said::Yes => {
                    if let Some(stage) = self.found(query, ends.violation) {
                        return stage;
                    }
                }
            }
        }
        let ends = query.ends();
        match if self.limited.is_none() { query.ask(ends.limit) } else { Said::No } {
            Said::No => {}
            Said::Stopped(stop) => return stopped(stop, finished),
            Said::Yes => {
                self.limited = Some(match query.decode() {
                    Decoded::Limit(failure, span) => self.limit(failure, span),
                    _ if query.leaves_out_sizes() => Reason::BoundReached(
                        "an object may be allocated whose size is no whole number of its elements".into(),
                    ),
                    _ => Reason::BoundReached("a run comes to what is not modelled".into()),
                });
            }
        }
        // So much is known, whatever the rest of the questions come to.
        let within = match self.task.budget.finish() {
            Ok(done) => Cleared::new(self.task, self.within(bounds, !query.leaves_out_sizes()), done),
            Err(stop) => return stopped(stop, finished),
        };
        let unwound = match query.ask(ends.cut) {
            Said::No => !query.cuts_sections(),
            Said::Yes => false,
            Said::Stopped(stop) => return stopped(stop, Some(within)),
        };
        let fits = match query.ask(ends.outsized) {
            Said::No => !query.leaves_out_sizes() || !query.cuts_sections(),
            Said::Yes => false,
            Said::Stopped(stop) => return stopped(stop, Some(within)),
        };
        let buffers = match self.task.model {
            Model::Sc => true,
            _ if self.queues() => self.queue() + 1 >= needs.clock,
            _ => bounds.clock >= needs.clock,
        };
        let enough = rounds >= needs.rounds && buffers;
        let within_all = if unwound && fits && enough { self.all() } else { self.within(bounds, fits) };
        match self.task.budget.finish() {
            Ok(done) => Stage::None { cleared: Cleared::new(self.task, within_all, done), unwound, fits },
            Err(stop) => stopped(stop, Some(within)),
        }
    }

    /// Looks at models until one is a run, or there is none.
    fn found(&mut self, query: &mut Query<'_>, violation: crate::circuit::Lit) -> Option<Stage> {
        let mut lost = 0;
        loop {
            match query.decode() {
                Decoded::Run(trace) => return Some(Stage::Done(Verdict::Unsafe { trace })),
                Decoded::Limit(failure, span) => {
                    let reason = self.limit(failure, span);
                    return Some(Stage::Done(Verdict::unknown(reason)));
                }
                Decoded::NoRun(_) if self.engine.width.is_some() => {
                    self.stats.spurious += 1;
                    if self.stats.spurious > MAX_SPURIOUS {
                        let message = "more violations than can be looked at exist only because --width cuts integers off";
                        let reason = Reason::BoundReached(message.into());
                        return Some(Stage::Done(Verdict::unknown(reason)));
                    }
                }
                Decoded::NoRun(_) if self.sees_numbers || self.leaves_out_reuse => {
                    return Some(Stage::Done(self.unordered()));
                }
                // A pointer that has left its object may hit another one, or nothing, as numbers will have it.
                Decoded::NoRun(_) if self.renumbers => {
                    lost += 1;
                    if lost > MAX_SPURIOUS {
                        return Some(Stage::Done(self.unordered()));
                    }
                }
                Decoded::NoRun(reason) => panic!(
                    "internal error: the engine `bmc` found a model that is no run of the program ({reason}). \
                     This is a bug in Fencepost; please report it with the file."
                ),
            }
            query.exclude_model();
            match query.ask(violation) {
                Said::Yes => {}
                Said::No => return None,
                Said::Stopped(stop) => return Some(stopped(stop, None)),
            }
        }
    }

    fn count(&mut self, query: &Query<'_>, progress: &mut dyn FnMut(&Progress)) {
        let (_, variables) = query.size();
        self.stats.queries += 1;
        self.stats.variables = self.stats.variables.max(variables as u64);
        self.stats.clauses = self.stats.clauses.max(query.clauses);
        progress(&Progress { stats: self.stats, ..Progress::default() });
    }

    fn limit(&self, limit: Limit, span: fencepost_ir::Span) -> Reason {
        limit.reason(self.task.program.sources.place(span))
    }
}

fn stopped(stop: Stop, cleared: Option<Cleared>) -> Stage {
    Stage::Done(Verdict::Unknown { reason: stop.into(), cleared })
}
