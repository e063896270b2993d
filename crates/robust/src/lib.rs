//! Robustness against TSO: whether store buffers add behaviour at all, and where.
//!
//! A program is robust when every TSO run has the same happens-before relation (program order and conflicts)
//! as some SC run; then SC and TSO reach the same states. [`attacks`] finds all minimal pairs of a store and a
//! load of one thread such that delaying the store past the load breaks this, each with a TSO run
//! ([`mod@monitor`], [`mod@witness`]). No pair, and the search complete: the program is robust.
//!
//! [`fences`] finds the fewest fences that make a program safe, or robust.
//!
//! ```
//! use fencepost_task::Budget;
//!
//! let text = "shared int x, y; thread a { x = 1; int r = y; } thread b { y = 1; int r = x; }";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("sb.fp", text).expect("it is a model"));
//! assert!(!fencepost_robust::attacks(&program, &Budget::default()).is_robust());
//! ```

pub mod c11;
mod candidates;
mod effect;
pub mod fences;
pub mod lazy;
mod marks;
mod minimal;
mod monitor;
mod race;
mod rules;
mod run;
mod witness;

use fencepost_ir::cfg::{Drain, EdgeId, Instr, ProcId, Program};
use fencepost_memory::Machine;
use fencepost_task::{Budget, Finished, Reason, Stats, Stop};
use monitor::Search;
use run::Runner;
use std::collections::BTreeSet;

pub use race::{Race, Races, races};
pub use witness::Witness;

/// A thread's number: first those of the beginning, then in order of spawning.
pub type Thread = u32;

/// An instruction of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Place {
    /// Its procedure.
    pub procedure: ProcId,
    /// Its edge.
    pub edge: EdgeId,
}

/// A store and a load of one thread; delaying the store past the load gives a run that SC has not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attack {
    /// The thread.
    pub thread: Thread,
    /// Its name in reports.
    pub name: String,
    /// The store that is delayed.
    pub store: Place,
    /// The load that overtakes it; or a spawn that does not wait for the buffer.
    pub load: Place,
    /// What the thread does from the store to the load, both included. A full fence anywhere between two of
    /// these stops this run.
    pub path: Vec<Place>,
    /// A run that shows it.
    pub witness: Witness,
}

/// Fences that the program is taken to have besides its own: they stop attackers and change nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fences {
    /// Right before these instructions.
    pub before: BTreeSet<Place>,
    /// Right after these instructions.
    pub after: BTreeSet<Place>,
}

impl Fences {
    /// Whether an attacker cannot pass the instruction.
    fn stop(&self, place: Place) -> bool {
        self.before.contains(&place) || self.after.contains(&place)
    }
}

/// How many attacks are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// All minimal ones.
    All,
    /// The first that is found.
    One,
}

/// What a search for attacks found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attacks {
    /// The attacks, sorted by thread, store and load.
    pub found: Vec<Attack>,
    /// Why there may be more, if so. Where more than one was wanted and this is `None`, these are all: no
    /// attack, and the program is robust.
    pub incomplete: Option<Reason>,
    /// What it cost.
    pub stats: Stats,
}

impl Attacks {
    /// Whether this proves that the program is robust.
    pub fn is_robust(&self) -> bool {
        self.found.is_empty() && self.incomplete.is_none()
    }

    fn none(reason: Reason) -> Attacks {
        Attacks { found: Vec::new(), incomplete: Some(reason), stats: Stats::default() }
    }
}

/// All minimal attacks: fences that stop each of them on every way from its store to its load make the program
/// robust.
pub fn attacks(program: &Program, budget: &Budget) -> Attacks {
    attacks_besides(program, &Fences::default(), Wanted::All, budget)
}

/// The attacks that are left if the program had these fences too.
pub fn attacks_besides(program: &Program, fences: &Fences, wanted: Wanted, budget: &Budget) -> Attacks {
    if let Some(reason) = not_applicable(program) {
        return Attacks::none(Reason::NotApplicable(reason));
    }
    let mut plain = program.clone();
    plain.properties.clear();
    let machine = Machine::new(&plain).expect("checked for templates before");
    let mut search = Search::new(&plain, Runner::new(machine, budget), fences, budget);
    let enough = match wanted {
        Wanted::All => usize::MAX,
        Wanted::One => 1,
    };
    let ended: Result<Finished, Reason> = search.run(budget, enough);
    let mut incomplete = ended.err();
    let mut pairs = search.found().to_vec();
    minimal::retain_minimal(&plain, fences, &mut pairs, budget);
    // One attack is followed again even if the search took all the time: it is the answer. The others, as long as there is
    // time.
    let mut found: Vec<Attack> = Vec::new();
    for pair in &pairs {
        let limits = if found.is_empty() { budget.to_confirm() } else { budget.clone() };
        match attack(&search, pair, &limits) {
            Ok(attack) => found.push(attack),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        }
    }
    found.sort_by_key(|a| (a.thread, a.store, a.load));
    Attacks { found, incomplete, stats: search.stats() }
}

/// Why the search cannot take the program.
fn not_applicable(program: &Program) -> Option<String> {
    if let Some(reason) = fencepost_explore::not_applicable(program) {
        return Some(reason);
    }
    let edges =
        || program.procedures.iter().enumerate().flat_map(|(i, p)| p.edges().iter().map(move |e| (i, e)));
    if !edges().any(|(_, e)| matches!(e.instr, Instr::AtomicEnd(Drain::No))) {
        return None;
    }
    let mut place = None;
    for (i, begin) in edges().filter(|(_, e)| matches!(e.instr, Instr::AtomicBegin(_))) {
        let (mut stores, mut waits) = (None, true);
        candidates::walk(program, (ProcId(i as u32), begin.to), |at, instr| {
            match instr {
                Instr::Store(..) => stores = Some(program.procedure(at.procedure).edge(at.edge).span),
                Instr::AtomicEnd(drain) => waits &= *drain == Drain::Yes,
                _ => {}
            }
            !matches!(instr, Instr::AtomicEnd(_))
        });
        place = place.or(stores.filter(|_| !waits));
    }
    place.map(|span| {
        let place = program.sources.place(span);
        format!("a store in an atomic section that ends without waiting for the buffer, at {place}, is not for robustness")
    })
}

fn attack(search: &Search<'_, '_>, pair: &monitor::Pair, budget: &Budget) -> Result<Attack, Stop> {
    search.rules.runner.limit_by(budget);
    let steps = search.rebuild(pair)?;
    let thread = pair.delayed.thread;
    let machine = &search.rules.runner.machine;
    let witness = witness::witness(machine, thread, &steps, budget)?;
    let path = steps.between.iter().filter(|t| t.step.thread == thread).map(|t| t.place).collect();
    let name = thread_name(&search.rules.runner, &steps, thread)?;
    Ok(Attack { thread, name, store: pair.delayed.store, load: pair.load, path, witness })
}

/// A spawned thread's name is known when it runs.
fn thread_name(runner: &Runner<'_>, steps: &monitor::Steps, thread: Thread) -> Result<String, Stop> {
    let machine = &runner.machine;
    let mut state = machine.initial(&steps.init);
    for taken in &steps.before {
        if (thread as usize) < state.threads.len() {
            break;
        }
        runner.step(&state, taken.step)?;
        let result = machine.apply(&fencepost_memory::Sc, &mut state, taken.step);
        assert!(result.is_ok(), "the steps of an attack do not fail");
    }
    Ok(machine.thread_name(&state, thread as usize))
}
