//! Lazy TSO reachability (Bouajjani, Calin, Derevenetc and Meyer, FASE 2015): store buffers only where they make a
//! difference.
//!
//! The loop of the paper's Algorithm 1, testing the extended program where the print tests the given one:
//!
//! 1. Search the program under SC. A violation is one under TSO too.
//! 2. Ask the oracle: attacks on robustness ([`crate::attacks`]). None: SC and TSO reach the same, and the
//!    program is safe, without bounds.
//! 3. Extend the program by what the attacks delay ([`mod@extend`]), and begin again with the extension.
//!
//! One attack after the other adds its store, and the extension, by all sequences from all these stores on, is made
//! anew from the given program; the set only grows, so the loop ends for programs without loops (Theorem 3). With loops a delayed store may find no place in the
//! extension: then there is no verdict yet, and the next round has more places. When no run is cut off and no
//! attack is left, the verdict safe is complete, loops or not.
//!
//! With a loop bound the loops are unrolled first (Theorem 4), and safe holds up to it.
//!
//! Runs of the extension are mapped back to TSO runs of the given program ([`mod@back`]).
//!
//! Limits: TSO only; a program that must be extended in recursion, where it delays stores of thread handles, or stores through
//! pointers while freed addresses are used again, is not for this engine. Properties about labels inside atomic sections, of several threads, are not either: a
//! thread may be there while another's buffer cannot be flushed, which no SC run shows.

mod back;
mod cells;
mod extend;
mod inline;
mod located;
mod unroll;
mod words;

use crate::{Attacks, Fences, Wanted, attacks_besides};
use fencepost_explore::{Explicit, Strategy, without_needless_steps};
use fencepost_ir::cfg::{EdgeId, ProcId, Program};
use fencepost_task::{
    Answer, Bounds, Cleared, Engine, EngineId, Model, Progress, Reason, Stats, Task, Trace, Unreached,
    Verdict,
};
use inline::{Changed, Meaning};
use std::collections::BTreeSet;
use unroll::Loops;

/// Default number of rounds.
pub const DEFAULT_ITERATIONS: u32 = 20;

/// Places for delayed stores in the first extension, and by how much they grow.
const FIRST_PLACES: u32 = 4;
const GROWTH: u32 = 16;
const MOST_PLACES: u32 = 1024;

/// Bytes that a search for near violations may take, before one that goes deep.
const SHALLOW: u64 = 8 << 20;

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Lazy {
    /// Most extensions that are tried.
    pub iterations: u32,
}

impl Default for Lazy {
    fn default() -> Lazy {
        Lazy { iterations: DEFAULT_ITERATIONS }
    }
}

/// What a search of a program under SC gave.
enum Searched {
    Violated(Box<Trace>),
    Safe(Vec<Unreached>),
    /// A delayed store found no place, or one of our limits was in the way.
    Cut(Reason),
    Stopped(Reason),
}

/// A run of the algorithm.
struct Loop<'a, 'p> {
    task: &'a Task<'p>,
    progress: &'a mut dyn FnMut(&Progress),
    stats: Stats,
    base: Option<Changed>,
    extended: Changed,
    stores: BTreeSet<(ProcId, EdgeId)>,
    places: u32,
    /// The loop bound, where it may cut something off.
    unwound: Option<u32>,
}

impl Engine for Lazy {
    fn id(&self) -> EngineId {
        EngineId::Lazy
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        if task.model != Model::Tso {
            let model = task.model.name().to_uppercase();
            let reason = Reason::NotApplicable(format!("the lazy engine is for TSO, not for {model}"));
            return Answer::unknown(reason, Stats::default());
        }
        let mut rounds = Loop::new(task, progress);
        if let Err(reason) = rounds.prepare() {
            return Answer::unknown(reason, Stats::default());
        }
        let mut last = None;
        for _ in 0..=self.iterations {
            match rounds.round() {
                Ok(Some((verdict, unreached))) => {
                    return Answer { verdict, unreached, stats: rounds.stats, certificate: None };
                }
                Ok(None) => {}
                Err(reason) => {
                    last = Some(reason);
                    break;
                }
            }
        }
        let reason = last.unwrap_or_else(|| {
            Reason::BoundReached(format!("no verdict after {} extensions", self.iterations))
        });
        Answer::unknown(reason, rounds.stats)
    }
}

/// The extended program as the engine has it after so many rounds, or at its verdict.
pub fn extended(task: &Task<'_>, iterations: u32) -> Program {
    let mut ignore = |_: &Progress| {};
    let mut rounds = Loop::new(task, &mut ignore);
    if rounds.prepare().is_err() {
        return rounds.extended.program;
    }
    for _ in 0..iterations {
        match rounds.round() {
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => break,
        }
    }
    rounds.extended.program
}

impl<'a, 'p> Loop<'a, 'p> {
    fn new(task: &'a Task<'p>, progress: &'a mut dyn FnMut(&Progress)) -> Loop<'a, 'p> {
        Loop {
            task,
            progress,
            stats: Stats::default(),
            base: None,
            extended: Changed::unchanged(task.program),
            stores: BTreeSet::new(),
            places: FIRST_PLACES,
            unwound: None,
        }
    }

    /// Unrolls loops, if that is asked for.
    fn prepare(&mut self) -> Result<(), Reason> {
        let Some(times) = self.task.bounds.unwind else { return Ok(()) };
        let mut base = inline::inline(self.task.program).map_err(Reason::NotApplicable)?;
        let loops = unroll::unroll(&mut base, times).map_err(Reason::NotApplicable)?;
        self.unwound = (loops == Loops::Some).then_some(times);
        self.extended = base;
        Ok(())
    }

    /// One round; `None` asks for another.
    fn round(&mut self) -> Result<Option<(Verdict, Vec<Unreached>)>, Reason> {
        let unreached = match self.search() {
            Searched::Violated(trace) => return Ok(Some((Verdict::Unsafe { trace: *trace }, Vec::new()))),
            Searched::Stopped(reason) => return Err(reason),
            Searched::Cut(reason) if self.stores.is_empty() || self.places >= MOST_PLACES => {
                return Err(reason);
            }
            Searched::Cut(_) => {
                self.places *= GROWTH;
                self.extend()?;
                return Ok(None);
            }
            Searched::Safe(unreached) => unreached,
        };
        let found = self.ask();
        if found.is_robust() {
            if let Some(reason) = extend::properties_do_not_fit(self.task.program) {
                return Err(Reason::NotApplicable(reason));
            }
            let bounds = Bounds { unwind: self.unwound, ..Bounds::default() };
            let cleared = Cleared::new(self.task, bounds, self.task.budget.finish()?);
            return Ok(Some((Verdict::Safe(cleared), unreached)));
        }
        match found.incomplete {
            Some(Reason::BoundReached(_))
                if found.found.is_empty() && !self.stores.is_empty() && self.places < MOST_PLACES =>
            {
                self.places *= GROWTH;
                self.extend()?;
                return Ok(None);
            }
            Some(reason) if found.found.is_empty() => return Err(reason),
            Some(_) | None => {}
        }
        if self.base.is_none() {
            let mut base = match self.task.bounds.unwind {
                Some(_) => self.extended.clone(),
                None => inline::inline(self.task.program).map_err(Reason::NotApplicable)?,
            };
            inline::separate(&mut base);
            self.extended = base.clone();
            self.base = Some(base);
            // The attack is to be found in these graphs.
            let found = self.ask();
            if let (true, Some(reason)) = (found.found.is_empty(), found.incomplete) {
                return Err(reason);
            }
            self.delay(&found.found)?;
        } else {
            self.delay(&found.found)?;
        }
        self.extend()?;
        Ok(None)
    }

    /// Asks the oracle.
    fn ask(&mut self) -> Attacks {
        let found =
            attacks_besides(&self.extended.program, &Fences::default(), Wanted::One, &self.task.budget);
        self.add(&found.stats);
        found
    }

    /// Adds what the attacks delay.
    fn delay(&mut self, found: &[crate::Attack]) -> Result<(), Reason> {
        let before = self.stores.len();
        let base = self.base.as_ref().expect("made before anything is extended");
        for attack in found {
            let id = attack.store.procedure;
            let meaning = self.extended.meanings[id.index()][attack.store.edge.index()];
            let instr = &self.extended.program.procedure(id).edge(attack.store.edge);
            // The same edge of the program that extensions are made from.
            let edges = base.program.procedure(id).edges().iter();
            let same = edges.enumerate().position(|(number, edge)| {
                base.meanings[id.index()][number] == meaning
                    && edge.instr == instr.instr
                    && edge.from == instr.from
                    && matches!(meaning, Meaning::Step(_))
            });
            self.stores.extend(same.map(|number| (id, EdgeId(number as u32))));
        }
        match self.stores.len() > before {
            true => Ok(()),
            false => {
                Err(Reason::BoundReached("the extension leaves an attack that it should have covered".into()))
            }
        }
    }

    fn extend(&mut self) -> Result<(), Reason> {
        let base = self.base.as_ref().expect("made before anything is extended");
        let extended = extend::extend(base, &self.stores, self.places).map_err(Reason::NotApplicable)?;
        debug_assert_eq!(fencepost_ir::cfg::validate(&extended.program), Ok(()));
        self.extended = extended;
        Ok(())
    }

    fn add(&mut self, stats: &Stats) {
        self.stats.states += stats.states;
        self.stats.transitions += stats.transitions;
        self.stats.bytes = self.stats.bytes.max(stats.bytes);
        self.stats.depth = self.stats.depth.max(stats.depth);
        self.stats.queries += 1;
    }

    /// Searches the extension under SC.
    fn search(&mut self) -> Searched {
        let program = &self.extended.program;
        let budget = self.task.budget.within(SHALLOW);
        let mut task = Task { program, model: Model::Sc, bounds: Bounds::default(), budget };
        let mut answer = Explicit::default().check_quickly(&task, self.progress);
        if let Verdict::Unknown { reason: Reason::Memory, .. } = answer.verdict {
            task.budget = self.task.budget.clone();
            let deep = Explicit { strategy: Strategy::Depth, ..Explicit::default() };
            answer = deep.check_quickly(&task, self.progress);
        }
        let Answer { verdict, unreached, stats, .. } = answer;
        self.add(&stats);
        match verdict {
            // What an extension does not reach, the program may.
            Verdict::Safe { .. } if !self.stores.is_empty() => Searched::Safe(Vec::new()),
            Verdict::Safe { .. } => Searched::Safe(unreached),
            Verdict::Unsafe { trace } => {
                // What was found in time is followed, even if the time is up by now.
                let budget = self.task.budget.to_confirm();
                match back::to_tso(self.task.program, &self.extended, &trace, &budget) {
                    Ok(Ok(trace)) => Searched::Violated(Box::new(without_needless_steps(self.task, trace))),
                    Ok(Err(limit)) => Searched::Cut(limit.reason("the end of a run")),
                    Err(stop) => Searched::Stopped(stop.into()),
                }
            }
            Verdict::Unknown { reason: reason @ Reason::BoundReached(_), .. } => Searched::Cut(reason),
            Verdict::Unknown { reason, .. } => Searched::Stopped(reason),
        }
    }
}
