//! The cheapest fences, by counterexamples.
//!
//! Lower bound and answer come from the same place: the cheapest set that meets the clauses found so far costs
//! no more than any repair, for every repair meets every clause. Once that set repairs the program, it is a
//! cheapest one. Each new run is not broken by the set that was checked, so its clause is new, and the
//! loop ends.
//!
//! A set that cannot be decided, or not with little memory, is put off, and sets that contain something else
//! are tried. If one of these is a repair and dearer than a set that was put off, that one gets more memory
//! and time; if it cannot be decided in the end, the answer says that something cheaper may do.
//!
//! Whether there is a repair at all is asked once a few sets were refuted, with a full fence at every
//! candidate: if that does not do, nothing does. A run that no fence breaks says so, too.

use super::{Candidates, Fence, HittingSets, Run};
use fencepost_ir::cfg::{FenceKind, Program};
use fencepost_task::{Budget, Reason, Scope, Stop};
use std::collections::BTreeSet;

/// What is wanted of a program.
pub trait Goal {
    /// Whether the program meets it. No more bytes of memory than this are to be taken; `None` leaves it to
    /// the goal.
    fn check(&mut self, program: &Program, memory: Option<u64>) -> Finding;
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The goal is met, as far as the scope reaches.
    Holds(Scope),
    /// Runs that show that it is not; at least one.
    Broken(Vec<Run>),
    /// Neither.
    Unknown(Reason),
}

/// What fences cost; a kind that has no price is not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prices {
    /// A full fence.
    pub full: u32,
    /// A store-store fence.
    pub store_store: Option<u32>,
}

impl Prices {
    /// The kinds that may be used, and what they cost.
    fn kinds(self) -> Vec<(FenceKind, u32)> {
        let store_store = self.store_store.map(|price| (FenceKind::StoreStore, price));
        store_store.into_iter().chain([(FenceKind::Full, self.full)]).collect()
    }

    /// What a set of fences costs.
    pub fn cost(self, fences: &[Fence]) -> u64 {
        let price = |f: &Fence| match f.kind {
            FenceKind::Full => u64::from(self.full),
            FenceKind::StoreStore => u64::from(self.store_store.unwrap_or(self.full)),
        };
        fences.iter().map(price).sum()
    }
}

/// Whether one cheapest set is wanted or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// One.
    One,
    /// All, but no more than that many.
    All(usize),
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Programs checked.
    pub checks: u64,
    /// Clauses that came of it.
    pub clauses: u64,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repair {
    /// The goal is met without any fence.
    NotNeeded(Scope),
    /// Sets of fences, each sorted; at least one.
    Repaired {
        /// One, or all that were asked for.
        sets: Vec<Vec<Fence>>,
        /// Whether nothing cheaper is a repair; else something cheaper could not be decided.
        minimal: bool,
        /// Whether there may be more of them: more than the limit, or some could not be decided.
        more: bool,
        /// How far the proof reaches: the narrowest of all sets.
        scope: Scope,
    },
    /// No fences at the candidates meet the goal: this run is left with all of them.
    Impossible(Run),
    /// Not known.
    Unknown {
        /// Why.
        reason: Reason,
        /// A set of least cost that meets all clauses so far, and so a lower bound.
        at_least: Vec<Fence>,
    },
}

/// So many sets are tried before it is asked whether there is a repair at all.
const TRIES: u64 = 4;

/// Finds cheapest fences; `seen` is told of the effort after each check.
pub fn synthesize(
    candidates: &Candidates,
    prices: Prices,
    extent: Extent,
    goal: &mut dyn Goal,
    budget: &Budget,
    seen: &mut dyn FnMut(Effort),
) -> Repair {
    let kinds = prices.kinds();
    let elements: Vec<Fence> = (0..candidates.all().len())
        .flat_map(|candidate| kinds.iter().map(move |&(kind, _)| Fence { candidate, kind }))
        .collect();
    let element_prices = elements.iter().map(|f| prices.cost(&[*f]) as u32).collect();
    let mut search = Search {
        candidates,
        kinds: kinds.iter().map(|(kind, _)| *kind).collect(),
        elements,
        sets: HittingSets::new(element_prices),
        budget,
        effort: Effort::default(),
        refuted: 0,
        seen,
    };
    search.run(extent, goal).unwrap_or_else(|reason| search.unknown(reason))
}

struct Search<'a> {
    candidates: &'a Candidates,
    kinds: Vec<FenceKind>,
    elements: Vec<Fence>,
    sets: HittingSets,
    budget: &'a Budget,
    effort: Effort,
    refuted: u64,
    seen: &'a mut dyn FnMut(Effort),
}

/// What is known of a set after its check.
enum Checked {
    Repairs(Scope),
    /// Clauses were added.
    Refuted,
    /// It could not be decided.
    Undecided(Reason),
    /// A run that no fences break: of this set, or of all.
    Unbreakable(Run),
}

/// How a round of tries ended.
enum Ascent {
    /// The best known set is a cheapest one.
    Minimal,
    /// Some sets cheaper than the best known one were not decided, or there is none.
    Undecided(Reason),
    Impossible(Run),
}

/// Bytes that a check may take, in one round after the other: a set that takes more is put off, since another
/// one may be decided easily.
const TRY_WITH: [Option<u64>; 3] = [Some(16 << 20), Some(256 << 20), None];

impl Search<'_> {
    fn run(&mut self, extent: Extent, goal: &mut dyn Goal) -> Result<Repair, Reason> {
        match self.check(&[], None, goal)? {
            Checked::Repairs(scope) => return Ok(Repair::NotNeeded(scope)),
            Checked::Unbreakable(run) => return Ok(Repair::Impossible(run)),
            Checked::Undecided(reason) => return Err(reason),
            Checked::Refuted => {}
        }
        let repair = self.one(goal)?;
        match (extent, &repair) {
            (Extent::All(limit), Repair::Repaired { minimal: true, .. }) => self.all(limit, goal),
            _ => Ok(repair),
        }
    }

    /// One cheapest set, or the cheapest that could be decided.
    fn one(&mut self, goal: &mut dyn Goal) -> Result<Repair, Reason> {
        let mut best: Option<(Vec<usize>, Scope)> = None;
        let mut hopeless = Vec::new();
        let mut reason = None;
        for memory in TRY_WITH {
            // All memory is taken only if nothing else gives an answer.
            if memory.is_none() && best.is_some() {
                break;
            }
            match self.ascend(memory, &mut best, &mut hopeless, goal) {
                Ok(Ascent::Impossible(run)) => return Ok(Repair::Impossible(run)),
                Ok(Ascent::Minimal) => break,
                Ok(Ascent::Undecided(why)) => reason = Some(why),
                // Something is known when time is up.
                Err(why) if best.is_some() => {
                    reason = Some(why);
                    break;
                }
                Err(why) => return Err(why),
            }
        }
        let least = self.minimum(&self.sets).unwrap_or(None);
        match best {
            None => Err(reason.unwrap_or(Reason::Memory)),
            Some((set, scope)) => {
                let minimal = least.is_some_and(|least| self.sets.cost(&least) == self.sets.cost(&set));
                Ok(Repair::Repaired { sets: vec![self.fences(&set)], minimal, more: !minimal, scope })
            }
        }
    }

    /// Tries sets from the cheapest up, until one is a repair or as dear as the best known. Sets that cannot be
    /// decided are put off: something else must be in.
    fn ascend(
        &mut self,
        memory: Option<u64>,
        best: &mut Option<(Vec<usize>, Scope)>,
        hopeless: &mut Vec<Vec<usize>>,
        goal: &mut dyn Goal,
    ) -> Result<Ascent, Reason> {
        let mut put_off: Vec<Vec<usize>> = hopeless.clone();
        let mut reason = Reason::Memory;
        loop {
            let mut sets = self.sets.clone();
            put_off.iter().for_each(|others| {
                sets.add(others.clone());
            });
            let Some(set) = self.minimum(&sets)? else { return Ok(Ascent::Undecided(reason)) };
            let cost = self.sets.cost(&set);
            if best.as_ref().is_some_and(|(known, _)| self.sets.cost(known) <= cost) {
                return Ok(match put_off.is_empty() {
                    true => Ascent::Minimal,
                    false => Ascent::Undecided(reason),
                });
            }
            match self.check(&self.fences(&set), memory, goal)? {
                Checked::Repairs(scope) => *best = Some((set, scope)),
                Checked::Unbreakable(run) => return Ok(Ascent::Impossible(run)),
                Checked::Refuted => {}
                Checked::Undecided(why) => {
                    let others: Vec<usize> = (0..self.elements.len()).filter(|e| !set.contains(e)).collect();
                    if why != Reason::Memory {
                        hopeless.push(others.clone());
                    }
                    put_off.push(others);
                    reason = why;
                }
            }
        }
    }

    /// All cheapest sets: those that meet all clauses are checked one after the other; whenever one is
    /// refuted there are other clauses. One cheapest set is known, so the least cost does not rise.
    fn all(&mut self, limit: usize, goal: &mut dyn Goal) -> Result<Repair, Reason> {
        let mut proved: Vec<(Vec<Fence>, Scope)> = Vec::new();
        let mut undecided: Vec<Vec<Fence>> = Vec::new();
        'again: loop {
            let budget = self.budget;
            let (sets, more) = self.sets.all_minimum(limit, &mut || budget.look(0))?;
            let sets: Vec<Vec<Fence>> = sets.iter().map(|s| self.fences(s)).collect();
            for set in &sets {
                if undecided.contains(set) || proved.iter().any(|(p, _)| p == set) {
                    continue;
                }
                match self.check(set, None, goal)? {
                    Checked::Repairs(scope) => proved.push((set.clone(), scope)),
                    Checked::Unbreakable(run) => return Ok(Repair::Impossible(run)),
                    Checked::Undecided(_) => undecided.push(set.clone()),
                    Checked::Refuted => continue 'again,
                }
            }
            proved.retain(|(set, _)| sets.contains(set));
            undecided.retain(|set| sets.contains(set));
            let scope = proved.iter().map(|(_, scope)| *scope).reduce(Scope::and);
            let Some(scope) = scope else { return Err(Reason::Memory) };
            let mut sets: Vec<_> = proved.into_iter().map(|(set, _)| set).collect();
            sets.sort();
            return Ok(Repair::Repaired { sets, minimal: true, more: more || !undecided.is_empty(), scope });
        }
    }

    fn fences(&self, set: &[usize]) -> Vec<Fence> {
        set.iter().map(|&e| self.elements[e]).collect()
    }

    /// A cheapest set; none if no set meets all clauses.
    fn minimum(&self, sets: &HittingSets) -> Result<Option<Vec<usize>>, Reason> {
        Ok(sets.minimum(&mut || self.budget.look(0))?)
    }

    fn unknown(&self, reason: Reason) -> Repair {
        // A few steps are enough for most; else the empty set is a bound, too.
        let mut steps = 0;
        let set = self.sets.minimum(&mut || {
            steps += 1;
            if steps > 1000 { Err(Stop::Cancelled) } else { Ok(()) }
        });
        let at_least = set.ok().flatten().map_or(Vec::new(), |set| self.fences(&set));
        Repair::Unknown { reason, at_least }
    }

    /// Checks a program; the reason if there is no time for it any more.
    fn ask(
        &mut self,
        program: &Program,
        memory: Option<u64>,
        goal: &mut dyn Goal,
    ) -> Result<Finding, Reason> {
        self.budget.look(0)?;
        let finding = goal.check(program, memory);
        self.effort.checks += 1;
        (self.seen)(self.effort);
        match finding {
            Finding::Unknown(reason @ (Reason::Timeout | Reason::Cancelled)) => Err(reason),
            finding => Ok(finding),
        }
    }

    fn check(&mut self, set: &[Fence], memory: Option<u64>, goal: &mut dyn Goal) -> Result<Checked, Reason> {
        let program = self.candidates.with(set);
        let runs = match self.ask(&program, memory, goal)? {
            Finding::Holds(scope) => return Ok(Checked::Repairs(scope)),
            Finding::Broken(runs) => runs,
            Finding::Unknown(reason) => return Ok(Checked::Undecided(reason)),
        };
        let mut added = BTreeSet::new();
        for run in runs {
            let early = match run.violation {
                Some(_) => match run.flushed_early(&program, &self.budget.part()) {
                    Ok(early) => early,
                    // Only this run takes too much.
                    Err(Stop::Memory) => return Ok(Checked::Undecided(Reason::Memory)),
                    Err(stop) => return Err(stop.into()),
                },
                // Where it is the run itself that should not be, its flushes stay where they are.
                None => run,
            };
            let clause = early.broken_by(self.candidates, &program, &self.kinds, self.budget)?;
            debug_assert!(clause.iter().all(|f| !set.contains(f)), "the run passed these fences");
            if clause.is_empty() {
                return Ok(Checked::Unbreakable(early));
            }
            added.insert(clause);
        }
        for clause in added {
            let number =
                |f: &Fence| self.elements.iter().position(|e| e == f).expect("all fences are elements");
            let new = self.sets.add(clause.iter().map(number).collect());
            debug_assert!(new, "a set that is checked meets all clauses, and not this one");
            self.effort.clauses += 1;
        }
        self.refuted += 1;
        if self.refuted == TRIES {
            let all = self.candidates.with_all();
            if let Finding::Broken(mut runs) = self.ask(&all, None, goal)? {
                return Ok(Checked::Unbreakable(runs.swap_remove(0)));
            }
        }
        Ok(Checked::Refuted)
    }
}
