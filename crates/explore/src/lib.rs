//! Explicit-state search: decides programs whose reachable states are finite, under every
//! memory model, by visiting them all.
//!
//! Exact: whole states are stored and compared ([`mod@store`]). Complete when no buffer bound cut
//! anything off ([`mod@search`]). Reductions ([`mod@reduction`], [`mod@symmetry`], dead registers,
//! forgotten threads in [`mod@threads`]) are on by default and tested against the search without
//! them; allocated objects are always kept in normal form ([`mod@heap`]). Deterministic.
//!
//! Limits: a program with any number of threads is not for this engine, and it says so; so it does
//! where a run comes to a choice among too many values.
//!
//! ```
//! use fencepost_explore::Explicit;
//! use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
//!
//! let text = "shared int x, y; thread a { x = 1; y = 1; } thread b { int r = y; assert(r == 0 || x == 1); }";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("mp.fp", text).expect("it is a model"));
//! let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() };
//! assert!(matches!(Explicit::default().check(&task, &mut |_| {}).verdict, Verdict::Safe(_)));
//! ```

pub mod codec;
mod graph;
pub mod heap;
mod late;
mod least_weak;
mod private;
pub mod reduction;
mod search;
mod shorten;
pub mod store;
mod symmetry;
mod threads;
mod unshared;
mod walk;

use fencepost_ir::cfg::{Count, Expr, Instr, NodeId, ProcId, Program, Property};
use fencepost_memory::{Machine, Memory, State, with_memory};
use fencepost_task::{
    Answer, Bounds, Cleared, Engine, EngineId, Finished, Limit, Model, Progress, Reason, Stats, Task, Trace,
    Unreached, Verdict,
};
pub use least_weak::{Least, LeastWeak, Weakness, least_weak, weakness};
use search::{End, Goal, Search};
pub use search::{Reduction, Strategy, initial_choices};
pub use shorten::without_needless_steps;
use std::collections::HashSet;

/// The buffers of the first try, and its states.
const LARGE_BUFFER: u32 = 64;
const FIRST_TRY: u64 = 50_000;

/// More initial states than this are too many to try one by one.
const MAX_INITIAL: u128 = 1 << 20;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit {
    /// In which order states are looked at.
    pub strategy: Strategy,
    /// Whether reductions are used.
    pub reduction: Reduction,
}

/// Whether the final states that were seen are all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finals {
    /// They are.
    All,
    /// Runs were cut off, for this reason.
    Some(Reason),
}

impl Engine for Explicit {
    fn id(&self) -> EngineId {
        EngineId::Explicit
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        let answer = self.check_quickly(task, progress);
        match answer.verdict {
            Verdict::Unsafe { trace } => {
                // A run with a race is one under SC; the other runs are looked for without looking for races.
                let mut program = task.program.clone();
                program.checks.races &= trace.model == Model::Sc;
                // The run is replayed before anybody hears of it, and that takes its time, too.
                let budget = task.budget.for_half_the_time();
                let task = Task { program: &program, model: trace.model, budget, ..task.clone() };
                let trace = with_memory!(trace.model, memory => shorten::shorten(&task, *memory, trace));
                Answer { verdict: Verdict::Unsafe { trace }, ..answer }
            }
            Verdict::Safe { .. } | Verdict::Unknown { .. } => answer,
        }
    }
}

impl Explicit {
    /// Answers with the first run that is found, however long.
    pub fn check_quickly(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        if let Some(reason) = not_applicable(task.program) {
            return Answer::unknown(Reason::NotApplicable(reason), Stats::default());
        }
        // A program whose SC runs have no race has no others, as far as its accesses are compiled in order.
        if task.program.checks.races && task.model != Model::Sc {
            let first = Task { model: Model::Sc, ..task.clone() };
            let answer = self.check_under(&first, fencepost_memory::Sc, progress);
            if !matches!(answer.verdict, Verdict::Safe { .. }) {
                return answer;
            }
            let mut program = task.program.clone();
            program.checks.races = false;
            let second = Task { program: &program, ..task.clone() };
            return with_memory!(task.model, memory => self.check_under(&second, *memory, progress));
        }
        with_memory!(task.model, memory => self.check_under(task, *memory, progress))
    }

    fn check_under<M: Memory + Copy>(
        &self,
        task: &Task<'_>,
        memory: M,
        progress: &mut dyn FnMut(&Progress),
    ) -> Answer {
        let bounds = |buffer| Bounds { buffer, ..Bounds::default() };
        let Searched { end, bound, cleared } = self.search(task, memory, progress);
        match end {
            End::Found(search::Found { init, steps, violation, .. }, stats) => {
                let (model, instances) = (task.model, Vec::new());
                let trace = Trace { model, instances, init, steps, violation, shortest: false };
                let verdict = Verdict::Unsafe { trace };
                Answer { verdict, unreached: Vec::new(), stats, certificate: None }
            }
            End::Limited(found, stats) => Answer::unknown(limit_reason(task, &memory, &found), stats),
            End::Exhausted(exhausted) => {
                let unreached = never_reached(task.program, exhausted.search());
                let stats = exhausted.search().stats();
                let bounds = bounds(bound.filter(|_| exhausted.is_cut()));
                let verdict = Verdict::Safe(Cleared::new(task, bounds, exhausted.finished()));
                Answer { verdict, unreached, stats, certificate: None }
            }
            End::Stopped(stop, stats) => {
                let cleared = cleared.map(|(b, done)| Cleared::new(task, bounds(Some(b)), done));
                let verdict = Verdict::Unknown { reason: stop.into(), cleared };
                Answer { verdict, unreached: Vec::new(), stats, certificate: None }
            }
            End::Paused(..) => unreachable!("the last search has no limits but the budget"),
        }
    }

    /// A short search, then random runs, then a search with growing bounds. The short one has a large bound: since flushes wait
    /// until somebody looks, long buffers that are emptied now and then cost less than short ones that are full most of the
    /// time.
    fn search<'p, M: Memory + Copy>(
        &self,
        task: &Task<'p>,
        memory: M,
        progress: &mut dyn FnMut(&Progress),
    ) -> Searched<'p, M> {
        let machine = || Machine::new(task.program).expect("checked for templates before");
        let new = || Search::new(machine(), memory, task.model, self.strategy, self.reduction, &task.budget);
        let stopped =
            |stop| Searched { end: End::Stopped(stop, Stats::default()), bound: None, cleared: None };
        let mut search = match new() {
            Ok(search) => search,
            Err(stop) => return stopped(stop),
        };
        let first = Search::<M>::next_bound(None);
        let large = match task.model {
            Model::Sc => Some(None),
            _ if task.bounds.buffer.is_some() || !search.puts_flushes_off() => None,
            _ => Some(Some(LARGE_BUFFER)),
        };
        let Some(large) = large else {
            return grow(search, first, task, &mut Goal::Violation, progress);
        };
        search.limits.states = Some(FIRST_TRY);
        match search.run(large, &task.budget, &mut Goal::Violation, progress) {
            End::Paused(mut paused, _) => {
                match walk::find(&machine(), &memory, &task.budget) {
                    Ok(None) => {}
                    Ok(Some(found)) => {
                        let end = End::Found(found, paused.stats());
                        return Searched { end, bound: large, cleared: None };
                    }
                    Err(stop) => {
                        let end = End::Stopped(stop, paused.stats());
                        return Searched { end, bound: large, cleared: None };
                    }
                }
                if task.model != Model::Sc {
                    *paused = match new() {
                        Ok(search) => search,
                        Err(stop) => return stopped(stop),
                    };
                }
                paused.limits.states = None;
                grow(*paused, first, task, &mut Goal::Violation, progress)
            }
            End::Exhausted(exhausted) if exhausted.is_cut() => {
                let (mut search, _) = exhausted.go_on();
                search.limits.states = None;
                grow(search, Search::<M>::next_bound(large), task, &mut Goal::Violation, progress)
            }
            end => Searched { end, bound: large, cleared: None },
        }
    }

    /// Calls `see` on every final state that can be reached: all threads have ended. With
    /// reductions, threads that nothing tells apart appear in one order only.
    pub fn final_states(&self, task: &Task<'_>, see: &mut dyn FnMut(&State)) -> Finals {
        if let Some(reason) = not_applicable(task.program) {
            return Finals::Some(Reason::NotApplicable(reason));
        }
        let machine = Machine::new(task.program).expect("checked for templates before");
        with_memory!(task.model, memory => {
            let search = Search::new(machine, *memory, task.model, self.strategy, self.reduction, &task.budget);
            let search = match search {
                Ok(search) => search,
                Err(stop) => return Finals::Some(stop.into()),
            };
            let first = Search::<fencepost_memory::Sc>::next_bound(None);
            let Searched { end, bound, .. } = grow(search, first, task, &mut Goal::FinalStates(see), &mut |_| {});
            match end {
                End::Exhausted(exhausted) if !exhausted.is_cut() => Finals::All,
                End::Exhausted(_) => {
                    Finals::Some(Reason::BoundReached(format!("buffer bound {}", bound.unwrap_or(0))))
                }
                End::Stopped(stop, _) => Finals::Some(stop.into()),
                End::Paused(..) => unreachable!("this search has no limits but the budget"),
                End::Limited(found, _) => Finals::Some(limit_reason(task, memory, &found)),
                End::Found(search::Found { violation, .. }, _) => {
                    unreachable!("nobody looks for violations, but {violation:?} was found")
                }
            }
        })
    }
}

/// How a search with growing bounds ended.
struct Searched<'p, M: Memory> {
    end: End<'p, M>,
    /// The last bound that was tried.
    bound: Option<u32>,
    /// The last bound that was finished before it.
    cleared: Option<(u32, Finished)>,
}

/// Searches with the bound that the user gave, or with growing ones from the first until nothing is cut off.
fn grow<'p, M: Memory>(
    mut search: Search<'p, M>,
    first: Option<u32>,
    task: &Task<'_>,
    goal: &mut Goal<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Searched<'p, M> {
    let mut bound = match (task.model, task.bounds.buffer) {
        (Model::Sc, _) => None,
        (_, Some(given)) => Some(given),
        (_, None) => first,
    };
    let mut cleared = None;
    loop {
        match search.run(bound, &task.budget, goal, progress) {
            End::Exhausted(exhausted) if exhausted.is_cut() && task.bounds.buffer.is_none() => {
                let (larger, finished) = exhausted.go_on();
                search = larger;
                cleared = bound.map(|bound| (bound, finished));
                bound = Search::<M>::next_bound(bound);
            }
            end => return Searched { end, bound, cleared },
        }
    }
}

/// Why explicit search cannot take the program.
pub fn not_applicable(program: &Program) -> Option<String> {
    if let Some(start) = program.threads.iter().find(|t| t.count == Count::Any) {
        return Some(format!(
            "explicit search needs a number of threads, and `{}[*]` is any number; give one with --threads N",
            start.name
        ));
    }
    let initial =
        program.objects.iter().flat_map(|o| o.init.iter()).try_fold(1u128, |n, c| n.checked_mul(c.count()));
    match initial {
        Some(n) if n <= MAX_INITIAL => None,
        _ => Some("too many initial states to try one by one; give smaller ranges".to_string()),
    }
}

/// Why a limit ends the search; with its place, unless the budget ends the search for that.
fn limit_reason<M: Memory>(task: &Task<'_>, memory: &M, found: &search::Found<Limit>) -> Reason {
    let machine = Machine::new(task.program).expect("the search had one");
    let place = match shorten::last_span(&machine, memory, found, &task.budget) {
        Ok(Some(span)) => task.program.sources.place(span).to_string(),
        Ok(None) => String::new(),
        Err(stop) => return stop.into(),
    };
    found.violation.reason(place)
}

/// Properties that no run came to.
fn never_reached<M: Memory>(program: &Program, search: &Search<'_, M>) -> Vec<Unreached> {
    let mut unreached = Vec::new();
    let reached = |p: usize, node: NodeId| search.reached(p, node.index());
    for (i, procedure) in program.procedures.iter().enumerate() {
        for (id, edge) in procedure.edges().iter().enumerate() {
            // What says `never` is meant not to be reached.
            let meant = |instr: &Instr| matches!(instr, Instr::Assert(e, _) if *e != Expr::Const(0));
            if meant(&edge.instr) && !reached(i, edge.from) {
                unreached.push(Unreached::Assertion(ProcId(i as u32), fencepost_ir::cfg::EdgeId(id as u32)));
            }
        }
    }
    let labels = program.label_nodes();
    let (mut missing, mut ends) = (HashSet::new(), false);
    for property in &program.properties {
        match property {
            Property::Forbid { together, .. } => {
                for r in together.iter().flatten() {
                    let node = labels.get(&(r.procedure, &r.label[..]));
                    let node = *node.expect("the validator asks for the label");
                    if !reached(r.procedure.index(), node) && missing.insert((r.procedure, &r.label)) {
                        unreached.push(Unreached::Label(r.procedure, r.label.clone()));
                    }
                }
            }
            Property::Final { .. } => {
                if !search.reached_end() && !std::mem::replace(&mut ends, true) {
                    unreached.push(Unreached::End);
                }
            }
        }
    }
    unreached
}
