//! Where to put fences, proved to be enough and as few as can be.
//!
//! The search works on one graph with empty steps where fences may go. What is shown is checked again on the
//! text that the user gets: it is read like any file, it must be safe, and with any one of its fences
//! left out it must not be.

mod audit;
mod goal;
pub mod show;
mod source;
mod suggest;

use crate::options::Format;
pub use audit::{Audit, AuditVerdict};
use fencepost_certify::Replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg;
use fencepost_ir::cfg::FenceKind;
use fencepost_report::diff;
pub use fencepost_report::results::GoalKind;
use fencepost_robust::fences::{Effort, Extent, Fence, Prices, Repair, Run, instances, synthesize};
use fencepost_task::{
    Bounds, Budget, Engine, EngineChoice, Model, Progress, Reason, Scope, Stats, Stop, Task, Verdict,
};
use fencepost_text::fences::{Edit, Standing};
pub use goal::{Answerer, Evidence};
use goal::{Checker, Judged, confirmed};
pub use source::{Places, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
pub use suggest::{Suggestion, suggest};

/// How much of the time is for finding a repair; the rest is for checking it.
const SEARCH_SHARE: f64 = 0.75;

/// More cheapest sets than this are not listed.
const MOST_SETS: usize = 1000;

/// Bytes for checks that may not come to an end.
const ENOUGH: u64 = 256 << 20;

/// Everything that is shown of a model.
pub struct Outcome<'a> {
    /// The program.
    pub source: &'a Source,
    /// The memory model.
    pub model: Model,
    /// What the fences are for.
    pub goal: GoalKind,
    /// What came out.
    pub result: Ending,
    /// Who answered.
    pub engines: Vec<Answerer>,
    /// What all checks took together.
    pub stats: Stats,
    /// What the search for sets of fences took.
    pub effort: Effort,
    /// Wall-clock time.
    pub seconds: f64,
    /// The limits of telling about it.
    pub telling: Budget,
}

/// What came out.
pub enum Ending {
    /// The goal is met without any.
    NotNeeded(Scope),
    /// These fences are enough.
    Repaired(Repaired),
    /// Unsafe under SC already.
    UnsafeUnderSc(Box<cfg::Program>, Box<Replay>),
    /// The goal is missed with a fence at every place.
    BeyondFences(Box<cfg::Program>, Evidence),
    /// Neither is known.
    Unknown {
        /// Why.
        reason: Reason,
        /// Every repair has at least so many fences, or costs at least so much.
        fences: usize,
        /// What these cost at least.
        cost: u64,
    },
}

/// A repair.
pub struct Repaired {
    /// The first is the one that is applied; each fence with its place.
    pub sets: Vec<Vec<Placed>>,
    /// Whether nothing cheaper repairs it.
    pub minimal: bool,
    /// Whether there are more cheapest sets.
    pub more: bool,
    /// How far the proof reaches.
    pub scope: Scope,
    /// What the fences of a set cost.
    pub cost: u64,
    /// For each fence of the first set the program without it, and why it misses the goal; `None` where that
    /// could not be decided.
    pub needed: Vec<Option<(cfg::Program, Evidence)>>,
    /// For each fence of the first set a line whose store could be sequentially consistent instead.
    pub stores: Vec<Option<u32>>,
    /// The repaired text.
    pub text: String,
    /// What was changed.
    pub edits: Vec<Edit>,
    /// The change as a diff.
    pub diff: String,
    /// Where the user will have it.
    pub written: Option<PathBuf>,
}

/// A fence in the user's text.
pub struct Placed {
    /// Its kind.
    pub kind: FenceKind,
    /// The function that it is in.
    pub function: String,
    /// Its place in the source.
    pub standing: Standing,
    /// Threads that run it; any number where there is none.
    pub instances: Option<u32>,
}

/// Prices of fences under PSO. Under TSO all are full ones, and the fewest are the cheapest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PriceList {
    /// Of a full fence.
    pub full: u32,
    /// Of a store-store fence.
    pub store_store: u32,
}

impl Default for PriceList {
    fn default() -> PriceList {
        PriceList { full: 4, store_store: 1 }
    }
}

/// Which fences are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FenceOptions {
    /// What they are for.
    pub goal: GoalKind,
    /// The memory model.
    pub model: Model,
    /// Who checks.
    pub engine: EngineChoice,
    /// What they cost.
    pub price: PriceList,
    /// Whether every cheapest set is looked for.
    pub all: bool,
    /// Entries in each store buffer; the repair is then proved up to this bound only.
    pub buffer: Option<u32>,
}

impl Default for FenceOptions {
    fn default() -> FenceOptions {
        FenceOptions {
            goal: GoalKind::Safe,
            model: Model::Tso,
            engine: EngineChoice::Auto,
            price: PriceList::default(),
            all: false,
            buffer: None,
        }
    }
}

/// A program and the fences that are wanted.
pub struct Request<'a> {
    /// Which fences.
    pub options: FenceOptions,
    /// The program.
    pub source: &'a Arc<Source>,
    /// The limits.
    pub budget: Budget,
    /// Who is told where the work is.
    pub progress: &'a dyn Fn(&Progress),
}

impl<'a> Request<'a> {
    fn goal(&self) -> Checker<'a> {
        let options = self.options;
        Checker {
            name: &self.source.name,
            goal: options.goal,
            model: options.model,
            engine: options.engine,
            bounds: Bounds {
                buffer: options.buffer,
                threads: self.source.options.threads,
                ..Bounds::default()
            },
            budget: self.budget.clone(),
            progress: self.progress,
            stats: Stats::default(),
            answered: Vec::new(),
        }
    }

    fn prices(&self) -> Prices {
        let price = self.options.price;
        let has_words = self.source.syntax.kinds().contains(&FenceKind::StoreStore);
        match self.options.model {
            Model::Pso if has_words => Prices { full: price.full, store_store: Some(price.store_store) },
            // With one kind only, the fewest are the cheapest.
            Model::Sc | Model::Tso | Model::Pso => Prices { full: 1, store_store: None },
        }
    }

    /// Looks for the fences; `target` is where the user will have the repaired text.
    pub fn repair(&self, places: &Places, target: Option<&Path>) -> Outcome<'a> {
        let start = Instant::now();
        let mut goal = self.goal();
        let extent = if self.options.all { Extent::All(MOST_SETS) } else { Extent::One };
        let mut effort = Effort::default();
        // What is found is checked again on the repaired text, which takes its time, too.
        let budget = match goal.budget.deadline() {
            Some(end) => {
                goal.budget.until(start + end.saturating_duration_since(start).mul_f64(SEARCH_SHARE))
            }
            None => goal.budget.clone(),
        };
        let prices = self.prices();
        let repair = synthesize(&places.candidates, prices, extent, &mut goal, &budget, &mut |e| effort = e);
        let result = match repair {
            Repair::NotNeeded(scope) => Ending::NotNeeded(scope),
            Repair::Unknown { reason, at_least } => {
                Ending::Unknown { reason, fences: at_least.len(), cost: prices.cost(&at_least) }
            }
            Repair::Impossible(run) => self.impossible(places, &run, &mut goal),
            Repair::Repaired { sets, minimal, more, scope } => {
                let proof = Proof { minimal, more, scope, prices };
                self.repaired(places, sets, proof, &mut goal, target)
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        Outcome { stats: goal.stats, effort, ..self.outcome(result, goal.answered.clone(), seconds) }
    }

    /// Says of each fence that is there whether it is needed.
    pub fn audit(&'a self) -> Audit<'a> {
        audit::audit(self)
    }

    /// A result with nothing counted.
    pub fn outcome(&self, result: Ending, engines: Vec<Answerer>, seconds: f64) -> Outcome<'a> {
        let (source, model, goal) = (&**self.source, self.options.model, self.options.goal);
        let (stats, effort) = (Stats::default(), Effort::default());
        let telling = self.budget.to_tell();
        Outcome { source, model, goal, result, engines, stats, effort, seconds, telling }
    }

    /// The program of a text that the user wrote, with fences in it.
    fn program_of(&self, text: String, goal: &Checker<'_>) -> Result<cfg::Program, Stop> {
        match self.source.program_of(text, &goal.budget)? {
            Ok(program) => Ok(program),
            Err(_) => panic!("internal error: {} with fences cannot be read", self.source.name),
        }
    }

    /// What is left with all fences: a run under SC, or what fences between statements do not reach.
    fn impossible(&self, places: &Places, run: &Run, goal: &mut Checker<'_>) -> Ending {
        let unknown = |reason| Ending::Unknown { reason, fences: 0, cost: 0 };
        if self.options.goal == GoalKind::Safe {
            let program = match run.instances.is_empty() {
                true => self.source.program.clone(),
                false => self.source.program.instantiated(&run.instances),
            };
            let (model, bounds) = (Model::Sc, Bounds::default());
            let task = Task { program: &program, model, bounds, budget: goal.budget.clone() };
            match Explicit::default().check(&task, &mut |_| {}).verdict {
                Verdict::Unsafe { trace } => {
                    return match confirmed(&program, &trace, &self.source.name, &goal.budget) {
                        Ok(replay) => Ending::UnsafeUnderSc(Box::new(program), Box::new(replay)),
                        Err(stop) => unknown(stop.into()),
                    };
                }
                Verdict::Unknown { reason, .. } => return unknown(reason),
                Verdict::Safe { .. } => {}
            }
        }
        let fenced = places.candidates.with_all();
        match goal.judge(&fenced, None) {
            Judged::Broken(_, evidence) => Ending::BeyondFences(Box::new(fenced), evidence),
            Judged::Unknown(reason) => unknown(reason),
            Judged::Holds(scope) if goal.is_narrowed(scope) => unknown(unbroken(scope)),
            Judged::Holds(_) => panic!("internal error: a run that no fence breaks is broken by all of them"),
        }
    }

    /// Checks the repair on the text itself, and that nothing of it can be left out.
    fn repaired(
        &self,
        places: &Places,
        mut sets: Vec<Vec<Fence>>,
        proof: Proof,
        goal: &mut Checker<'_>,
        target: Option<&Path>,
    ) -> Ending {
        let source = self.source;
        let set = sets[0].clone();
        let unknown = |reason| Ending::Unknown { reason, fences: set.len(), cost: proof.prices.cost(&set) };
        let mut kept = set.clone();
        let mut needed = Vec::new();
        for fence in &set {
            let rest: Vec<Fence> = kept.iter().copied().filter(|f| f != fence).collect();
            let program = match self.program_of(source.with(places, &rest).text, goal) {
                Ok(program) => program,
                Err(stop) => return unknown(stop.into()),
            };
            // Where sets could not be decided, this may be one of them.
            let memory = (!proof.minimal).then_some(ENOUGH);
            match goal.judge(&program, memory) {
                Judged::Broken(_, evidence) => needed.push(Some((program, evidence))),
                Judged::Unknown(_) if !proof.minimal => needed.push(None),
                Judged::Unknown(reason) => return unknown(reason),
                Judged::Holds(_) if !proof.minimal => kept = rest,
                // The run that needs it is beyond these bounds.
                Judged::Holds(scope) if goal.is_narrowed(scope) => needed.push(None),
                Judged::Holds(_) => panic!(
                    "internal error: {} needs fewer fences than proved to be needed. \
                     This is a bug in Fencepost; please report it with the file.",
                    source.name
                ),
            }
        }
        sets[0] = kept;
        let set = &sets[0];
        let laid = source.laid_out(places, set);
        let program = match self.program_of(laid.text.clone(), goal) {
            Ok(program) => program,
            Err(stop) => return unknown(stop.into()),
        };
        let scope = match goal.judge(&program, None) {
            Judged::Holds(scope) => scope.and(proof.scope),
            Judged::Unknown(reason) => return unknown(reason),
            Judged::Broken(..) if goal.is_narrowed(proof.scope) => return unknown(unbroken(proof.scope)),
            Judged::Broken(..) => panic!(
                "internal error: fences repair {}, and its repaired text is not right. \
                 This is a bug in Fencepost; please report it with the file.",
                source.name
            ),
        };
        let stores = set.iter().map(|f| self.store_instead(places, (set, scope), *f, goal)).collect();
        let counts = instances(places.candidates.program(), places.candidates.all());
        let placed = |set: &Vec<Fence>| {
            let standings = source.laid_out(places, set).places;
            let place = |(fence, standing): (&Fence, Standing)| Placed {
                kind: fence.kind,
                function: places.function(fence.candidate),
                standing,
                instances: counts[fence.candidate],
            };
            set.iter().zip(standings).map(place).collect()
        };
        let new_name = target.map_or_else(|| source.name.clone(), |t| t.display().to_string());
        Ending::Repaired(Repaired {
            sets: sets.iter().map(placed).collect(),
            minimal: proof.minimal,
            more: proof.more,
            scope,
            cost: proof.prices.cost(set),
            needed,
            stores,
            diff: diff::unified(&source.name, &new_name, &source.text, &laid.text),
            text: laid.text,
            edits: laid.edits,
            written: target.map(Path::to_path_buf),
        })
    }
}

impl Request<'_> {
    /// The line of a C store right before the fence that does as well, in the same scope, if it is sequentially consistent.
    fn store_instead(
        &self,
        places: &Places,
        (set, scope): (&[Fence], Scope),
        fence: Fence,
        goal: &mut Checker<'_>,
    ) -> Option<u32> {
        let source = self.source;
        let laid = source.laid_out(places, &[fence]);
        let (Format::C, FenceKind::Full, [Standing::After(line)]) =
            (source.format, fence.kind, &laid.places[..])
        else {
            return None;
        };
        let rest: Vec<Fence> = set.iter().copied().filter(|f| *f != fence).collect();
        // Fences within their lines leave the lines where they are.
        let text = source.with(places, &rest).text;
        let old = text.lines().nth(*line as usize - 1)?;
        let orders: Vec<_> = ["memory_order_relaxed", "memory_order_release"]
            .into_iter()
            .flat_map(|order| old.match_indices(order))
            .collect();
        let ([(at, order)], true) = (&orders[..], old.contains("atomic_store_explicit")) else { return None };
        let new = format!("{}memory_order_seq_cst{}", &old[..*at], &old[at + order.len()..]);
        let changed: Vec<_> =
            text.lines().enumerate().map(|(i, l)| if i + 1 == *line as usize { &new } else { l }).collect();
        let program = source.program_of(changed.join("\n") + "\n", &goal.budget).ok()?.ok()?;
        let Judged::Holds(instead) = goal.judge(&program, Some(ENOUGH)) else { return None };
        (instead.and(scope) == scope).then_some(*line)
    }
}

/// Why there is no answer where fences are enough within bounds, and a run beyond them shows that they are not.
fn unbroken(scope: Scope) -> Reason {
    Reason::BoundReached(format!("fences that are enough {scope} are not enough beyond"))
}

/// What was proved of sets of fences.
#[derive(Clone, Copy)]
struct Proof {
    minimal: bool,
    more: bool,
    scope: Scope,
    prices: Prices,
}
