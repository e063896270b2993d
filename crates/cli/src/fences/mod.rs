//! `fencepost fences`: where to put fences, proved to be enough and as few as can be.
//!
//! The search works on one graph with empty steps where fences may stand. What is shown is checked again on the
//! text that the user gets: it is read like any file, it must be safe, and with any one of its fences
//! left out it must not be.

mod audit;
mod goal;
mod sarif;
mod show;
mod source;
mod suggest;

use crate::collect::{Collected, Unknowns};
use crate::options::{FencesOptions, Format, GoalName, InputFormat, ModelName};
use crate::{Exit, check, compiler, decide, input, internal, interrupt, output, outputs};
use fencepost_certify::Replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg;
use fencepost_ir::cfg::FenceKind;
use fencepost_report::diff;
use fencepost_robust::fences::{Effort, Extent, Fence, Prices, Repair, Run, instances, synthesize};
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Scope, Stats, Stop, Task, Verdict};
use fencepost_text::fences::{Edit, Standing};
use goal::{Answerer, Checker, Evidence, Judged, confirmed};
use source::Places;
pub use source::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
    pub source: &'a Source,
    pub model: Model,
    pub goal: GoalName,
    pub result: Result,
    pub engines: Vec<Answerer>,
    pub stats: Stats,
    pub effort: Effort,
    pub seconds: f64,
    /// The limits of telling about it.
    pub telling: Budget,
}

/// What came out.
pub enum Result {
    NotNeeded(Scope),
    Repaired(Repaired),
    /// Unsafe under SC already.
    UnsafeUnderSc(Box<cfg::Program>, Box<Replay>),
    /// The goal is missed with a fence at every place.
    BeyondFences(Box<cfg::Program>, Evidence),
    Unknown {
        reason: Reason,
        /// Every repair has at least so many fences, or costs at least so much.
        fences: usize,
        cost: u64,
    },
}

/// A repair.
pub struct Repaired {
    /// The first is the one that is applied; each fence with its place.
    pub sets: Vec<Vec<Placed>>,
    pub minimal: bool,
    pub more: bool,
    pub scope: Scope,
    pub cost: u64,
    /// For each fence of the first set the program without it, and why it misses the goal; `None` where that
    /// could not be decided.
    pub needed: Vec<Option<(cfg::Program, Evidence)>>,
    /// For each fence of the first set a line whose store could be sequentially consistent instead.
    pub stores: Vec<Option<u32>>,
    /// The repaired text, and what was changed.
    pub text: String,
    pub edits: Vec<Edit>,
    pub diff: String,
    pub written: Option<PathBuf>,
}

/// A fence in the user's text.
pub struct Placed {
    pub kind: FenceKind,
    pub function: String,
    pub standing: Standing,
    pub instances: Option<u32>,
}

pub fn run(options: &FencesOptions) -> Exit {
    if let Some(message) = misfit(options) {
        return output::refuse(message);
    }
    let target = match options.apply.then(|| target(options)).transpose() {
        Ok(target) => target,
        Err(message) => return output::refuse(message),
    };
    let read = std::slice::from_ref(&options.file);
    let files = outputs::Files::default()
        .reads("the program", read)
        .reads("the compile commands", compiler::databases(read, &options.input));
    let files = match files.writes(&[("-o", target.as_deref())]) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let unknowns = Unknowns::new(options.allow_unknown);
    let mut collected = Collected::new(options.format, "fences", options.quiet, unknowns);
    let complain = |name: &str, error: input::InputError, mut collected: Collected| {
        input::complain(&error);
        collected.error(name, &error);
        collected.print(Exit::Wrong);
        if options.format == Format::Json {
            output::line(check::error_object(name, &error));
        }
        Exit::Wrong
    };
    let (cancelled, start) = (interrupt::flag(), Instant::now());
    // The limits hold from the first byte on.
    let mut budget = decide::limits(options.timeout, options.memory, &cancelled);
    let source = match Source::read(&options.file, &options.input, &budget) {
        Ok(Ok(source)) => source,
        Ok(Err(error)) => return complain(&options.file.display().to_string(), error, collected),
        Err(stop) => {
            let source = Source::unread(options.file.display().to_string(), &options.input);
            return unread(options, &Arc::new(source), stop, "the program was read", collected, start);
        }
    };
    if let Err(message) = files.check_sources(&source.program.sources) {
        return output::refuse(message);
    }
    if options.goal == GoalName::Robust && options.models.contains(&ModelName::Pso) {
        return output::refuse("robustness is against TSO; --goal robust has no --model pso");
    }
    if options.goal == GoalName::Safe && !source.program.has_property() {
        return complain(&source.name, check::nothing_to_check(&source.program), collected);
    }
    let broken = |model: Option<Model>, message: String, collected: &mut Collected| {
        output::complain(format!("error: {}: {message}", source.name));
        collected.internal(&source.name, model, &message);
        if options.format == Format::Json {
            output::line(internal::object(&source.name, model, &message));
        }
        Exit::Internal
    };
    let places = match internal::guard(|| (!options.audit).then(|| source.places(&budget)).transpose()) {
        Ok(Ok(places)) => places,
        Ok(Err(stop)) => {
            return unread(options, &source, stop, "places for fences were looked for", collected, start);
        }
        Err(message) => {
            let exit = broken(None, message, &mut collected);
            collected.print(exit);
            return exit;
        }
    };
    let mut exit = Exit::Good;
    for (number, &model) in options.models.iter().enumerate() {
        // What it took to read the file was of the first model's time.
        if number > 0 {
            budget = decide::limits(options.timeout, options.memory, &cancelled);
        }
        let one = Request { options, source: &source, model: model.into(), budget: budget.clone() };
        let answered = internal::guard(|| {
            internal::rehearse(&source.name);
            match &places {
                None => audit::run(&one),
                Some(places) => one.repair(places, target.as_deref(), &mut collected),
            }
        });
        exit = exit.and(answered.unwrap_or_else(|m| broken(Some(one.model), m, &mut collected)));
        if cancelled.load(Ordering::Relaxed) {
            collected.interrupted([]);
            break;
        }
    }
    let exit = if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit };
    collected.print(exit);
    exit
}

/// Says that nothing is known, where the limits were reached before a check began.
fn unread(
    options: &FencesOptions,
    source: &Arc<Source>,
    stop: Stop,
    when: &str,
    mut collected: Collected,
    start: Instant,
) -> Exit {
    for &model in &options.models {
        let reason = Reason::BoundReached(format!("{} while {when}", Reason::from(stop)));
        let request = Request { options, source, model: model.into(), budget: Budget::default() };
        let result = Result::Unknown { reason, fences: 0, cost: 0 };
        request.show(&request.outcome(result, Vec::new(), start.elapsed().as_secs_f64()), &mut collected);
    }
    let exit = if options.allow_unknown { Exit::Good } else { Exit::Unknown };
    collected.print(exit);
    exit
}

/// Why these options do not fit together.
fn misfit(options: &FencesOptions) -> Option<&'static str> {
    if options.models.contains(&ModelName::Sc) {
        return Some("under SC fences do nothing; --model is tso or pso");
    }
    if options.audit && options.format == Format::Sarif {
        return Some("--audit is about fences that are there; --format sarif is for those that are missing");
    }
    (options.apply && options.models.len() > 1).then_some("--apply needs one model")
}

/// Where the repaired program goes.
fn target(options: &FencesOptions) -> std::result::Result<PathBuf, String> {
    if let Some(path) = &options.output {
        return Ok(path.clone());
    }
    let file = &options.file;
    let (Some(stem), true) = (file.file_stem(), file.as_os_str() != "-") else {
        return Err("--apply of standard input needs -o FILE".to_string());
    };
    let mut name = stem.to_os_string();
    name.push("_fenced");
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    let path = file.with_file_name(name);
    match path.exists() {
        true => Err(format!("{} is there already; say where to write with -o FILE", path.display())),
        false => Ok(path),
    }
}

/// One model.
struct Request<'a> {
    options: &'a FencesOptions,
    source: &'a Arc<Source>,
    model: Model,
    budget: Budget,
}

impl<'a> Request<'a> {
    fn goal(&self) -> Checker<'a> {
        let options = self.options;
        Checker {
            name: &self.source.name,
            goal: options.goal,
            model: self.model,
            engine: options.engine,
            bounds: Bounds { buffer: options.buffer, threads: options.input.threads, ..Bounds::default() },
            budget: self.budget.clone(),
            quiet: options.quiet,
            stats: Stats::default(),
            answered: Vec::new(),
        }
    }

    fn prices(&self) -> Prices {
        let price = self.options.price;
        let has_words = self.source.syntax.kinds().contains(&FenceKind::StoreStore);
        match self.model {
            Model::Pso if has_words => Prices { full: price.full, store_store: Some(price.store_store) },
            // With one kind only, the fewest are the cheapest.
            Model::Sc | Model::Tso | Model::Pso => Prices { full: 1, store_store: None },
        }
    }

    fn repair(&self, places: &Places, target: Option<&Path>, collected: &mut Collected) -> Exit {
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
            Repair::NotNeeded(scope) => Result::NotNeeded(scope),
            Repair::Unknown { reason, at_least } => {
                Result::Unknown { reason, fences: at_least.len(), cost: prices.cost(&at_least) }
            }
            Repair::Impossible(run) => self.impossible(places, &run, &mut goal),
            Repair::Repaired { sets, minimal, more, scope } => {
                let proof = Proof { minimal, more, scope, prices };
                self.repaired(places, sets, proof, &mut goal, target)
            }
        };
        let exit = match &result {
            Result::NotNeeded(_) | Result::Repaired(_) => Exit::Good,
            Result::UnsafeUnderSc(..) | Result::BeyondFences(..) => Exit::Bad,
            Result::Unknown { .. } => Exit::Unknown,
        };
        let seconds = start.elapsed().as_secs_f64();
        let outcome =
            Outcome { stats: goal.stats, effort, ..self.outcome(result, goal.answered.clone(), seconds) };
        self.show(&outcome, collected);
        match &outcome.result {
            Result::Repaired(repaired) => match &repaired.written {
                Some(path) => self.write(path, &repaired.text).unwrap_or(exit),
                None => exit,
            },
            _ => exit,
        }
    }

    /// A result with nothing counted.
    fn outcome(&self, result: Result, engines: Vec<Answerer>, seconds: f64) -> Outcome<'a> {
        let (source, model, goal) = (&**self.source, self.model, self.options.goal);
        let (stats, effort) = (Stats::default(), Effort::default());
        let telling = self.budget.to_tell();
        Outcome { source, model, goal, result, engines, stats, effort, seconds, telling }
    }

    fn show(&self, outcome: &Outcome<'_>, collected: &mut Collected) {
        match self.options.format {
            Format::Json => output::line(show::json(outcome)),
            Format::Text => output::text(show::text(outcome, self.options)),
            Format::Sarif | Format::Junit => sarif::collect(outcome, self.options, collected),
        }
    }

    /// The program of a text that the user wrote, with fences in it.
    fn program_of(&self, text: String, goal: &Checker<'_>) -> std::result::Result<cfg::Program, Stop> {
        match self.source.program_of(text, &goal.budget)? {
            Ok(program) => Ok(program),
            Err(_) => panic!("internal error: {} with fences cannot be read", self.source.name),
        }
    }

    fn write(&self, path: &Path, text: &str) -> Option<Exit> {
        outputs::write(path, text).err().map(|()| Exit::Wrong)
    }

    /// What is left with all fences: a run under SC, or what fences between statements do not reach.
    fn impossible(&self, places: &Places, run: &Run, goal: &mut Checker<'_>) -> Result {
        let unknown = |reason| Result::Unknown { reason, fences: 0, cost: 0 };
        if self.options.goal == GoalName::Safe {
            let program = match run.instances.is_empty() {
                true => self.source.program.clone(),
                false => self.source.program.instantiated(&run.instances),
            };
            let (model, bounds) = (Model::Sc, Bounds::default());
            let task = Task { program: &program, model, bounds, budget: goal.budget.clone() };
            match Explicit::default().check(&task, &mut |_| {}).verdict {
                Verdict::Unsafe { trace } => {
                    return match confirmed(&program, &trace, &self.source.name, &goal.budget) {
                        Ok(replay) => Result::UnsafeUnderSc(Box::new(program), Box::new(replay)),
                        Err(stop) => unknown(stop.into()),
                    };
                }
                Verdict::Unknown { reason, .. } => return unknown(reason),
                Verdict::Safe { .. } => {}
            }
        }
        let fenced = places.candidates.with_all();
        match goal.judge(&fenced, None) {
            Judged::Broken(_, evidence) => Result::BeyondFences(Box::new(fenced), evidence),
            Judged::Unknown(reason) => unknown(reason),
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
    ) -> Result {
        let source = self.source;
        let set = sets[0].clone();
        let unknown = |reason| Result::Unknown { reason, fences: set.len(), cost: proof.prices.cost(&set) };
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
        match goal.judge(&program, None) {
            Judged::Holds(_) => {}
            Judged::Unknown(reason) => return unknown(reason),
            Judged::Broken(..) => panic!(
                "internal error: fences repair {}, and its repaired text is not right. \
                 This is a bug in Fencepost; please report it with the file.",
                source.name
            ),
        }
        let stores = set.iter().map(|f| self.store_instead(places, set, *f, goal)).collect();
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
        Result::Repaired(Repaired {
            sets: sets.iter().map(placed).collect(),
            minimal: proof.minimal,
            more: proof.more,
            scope: proof.scope,
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
    /// The line of a C store right before the fence that does as well if it is sequentially consistent.
    fn store_instead(
        &self,
        places: &Places,
        set: &[Fence],
        fence: Fence,
        goal: &mut Checker<'_>,
    ) -> Option<u32> {
        let source = self.source;
        let laid = source.laid_out(places, &[fence]);
        let (InputFormat::C, FenceKind::Full, [Standing::After(line)]) =
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
        matches!(goal.judge(&program, Some(ENOUGH)), Judged::Holds(_)).then_some(*line)
    }
}

/// What was proved of sets of fences.
#[derive(Clone, Copy)]
struct Proof {
    minimal: bool,
    more: bool,
    scope: Scope,
    prices: Prices,
}
