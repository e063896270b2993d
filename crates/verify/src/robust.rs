//! Whether TSO adds behaviour at all, and where. Every attack is replayed before anybody hears of it.

pub mod c11;

use fencepost_certify::{replay_cycle_within, replay_run};
use fencepost_ir::cfg::Program;
use fencepost_report::robust::{Criterion, Robustness, ShownAttack};
use fencepost_robust::{Place, attacks, races};
use fencepost_task::{Bounds, Budget, Model, Reason, Scope, Stats, Stop};
use std::time::Instant;

/// Decides whether a program, with so many threads for each template, is robust.
pub fn robustness<'a>(
    name: &'a str,
    program: &'a Program,
    threads: Option<u32>,
    criterion: Criterion,
    budget: &Budget,
) -> Robustness<'a> {
    let start = Instant::now();
    let answer = match criterion {
        Criterion::Traces => by_traces(name, program, budget),
        Criterion::TriangularRaces => by_races(name, program, budget),
    };
    let scope = Bounds { threads, ..Bounds::default() }.into();
    Robustness { scope, seconds: start.elapsed().as_secs_f64(), telling: budget.to_tell(), ..answer }
}

/// Nothing is known of a program that could not be read within the limits.
pub fn unread<'a>(name: &'a str, program: &'a Program, stop: Stop) -> Robustness<'a> {
    let reason = format!("{} while the program was read", Reason::from(stop));
    Robustness {
        file: name,
        program,
        criterion: Criterion::Traces,
        attacks: Vec::new(),
        incomplete: Some(Reason::BoundReached(reason)),
        scope: Scope::Complete,
        stats: Stats::default(),
        seconds: 0.0,
        telling: Budget::default(),
    }
}

/// Attacks: stores that a load can overtake so that no SC run has the same happens-before relation.
fn by_traces<'a>(name: &'a str, program: &'a Program, budget: &Budget) -> Robustness<'a> {
    let found = attacks(program, budget);
    let span = |place: Place| program.procedure(place.procedure).edge(place.edge).span;
    let mut incomplete = found.incomplete;
    let mut shown = Vec::new();
    for attack in found.found {
        // The first is the answer, the others are shown as long as there is time.
        let limits = if shown.is_empty() { budget.to_confirm() } else { budget.clone() };
        let witness = &attack.witness;
        let (replay, cycle) = match replay_cycle_within(program, &witness.init, &witness.steps, &limits) {
            Ok(checked) => checked.unwrap_or_else(|rejection| rejected(name, &rejection)),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        };
        let (store, load) = (span(attack.store), span(attack.load));
        shown.push(ShownAttack { thread: attack.name, store, load, write: None, replay, cycle });
    }
    Robustness {
        file: name,
        program,
        criterion: Criterion::Traces,
        attacks: shown,
        incomplete,
        scope: Scope::Complete,
        stats: found.stats,
        seconds: 0.0,
        telling: Budget::default(),
    }
}

/// Triangular races of SC runs: the stricter criterion.
fn by_races<'a>(name: &'a str, program: &'a Program, budget: &Budget) -> Robustness<'a> {
    let found = races(program, budget);
    let span = |place: Place| program.procedure(place.procedure).edge(place.edge).span;
    let mut incomplete = found.incomplete;
    let mut shown = Vec::new();
    for race in found.found {
        let limits = if shown.is_empty() { budget.to_confirm() } else { budget.clone() };
        let replay = match replay_run(program, Model::Sc, &race.init, &race.steps, &limits) {
            Ok(replayed) => replayed.unwrap_or_else(|rejection| rejected(name, &rejection)),
            Err(stop) => {
                incomplete.get_or_insert(stop.into());
                break;
            }
        };
        let (store, load, write) = (span(race.store), span(race.load), Some(span(race.write)));
        shown.push(ShownAttack { thread: race.name, store, load, write, replay, cycle: Vec::new() });
    }
    Robustness {
        file: name,
        program,
        criterion: Criterion::TriangularRaces,
        attacks: shown,
        incomplete,
        scope: Scope::Complete,
        stats: found.stats,
        seconds: 0.0,
        telling: Budget::default(),
    }
}

fn rejected(name: &str, rejection: &fencepost_certify::Rejection) -> ! {
    panic!(
        "internal error: an attack on {name} was found whose run is rejected ({rejection}). \
         This is a bug in Fencepost; please report it with the file."
    )
}
