//! A program under the model of the language itself, C11.
//!
//! A data race is a violation: the language says nothing of what happens then. Every run of SC is one of C11, so a violation under SC is
//! one, too. A program that is robust has no other runs, so what SC proves holds on every machine that C is compiled to. One that is not may
//! still be right, as whoever reads an old value may know what to do with it: then a search that follows older values proves it.

use crate::decide::{Decided, decide};
use crate::options::{CheckOptions, Misfit};
use crate::program::Program;
use crate::robust::c11::confirmed;
use fencepost_certify::{Departed, Raced, confirm_older};
use fencepost_report::Shown;
use fencepost_report::c11::{FoundC11, buffering_note, departure_line};
use fencepost_robust::c11::{
    Judged, Run, Suspected, Weak, Wrong, load_buffering, races, robustness, synchronises, with_older_values,
};
use fencepost_task::{Budget, EngineChoice, EngineId, Model, Progress, Reason, Stats};
use std::time::Instant;

/// Decides a program for the language ([`Program::for_language`]); or says why the options do not fit.
pub fn decide_c11(
    program: &Program,
    options: &CheckOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Decided, Misfit> {
    let start = Instant::now();
    let sequences = options.release_sequences;
    let answer = robustness(&program.graph, sequences, &budget.for_half_the_time());
    let found = confirmed(
        &program.name,
        &program.graph,
        program.threads,
        answer.found,
        sequences,
        &budget.to_confirm(),
    );
    if let FoundC11::Raced(raced) = found {
        return Ok(race(raced, answer.stats, start));
    }
    let mut decided = decide(program, Model::Sc, options, budget, progress)?;
    if let Shown::Safe { .. } = decided.verdict {
        let reason = match found {
            FoundC11::Robust(_) => None,
            FoundC11::Departed(departed) => {
                let mut violating = None;
                let mut judge = |suspected: &Suspected| {
                    let Run { init, steps } = &suspected.run;
                    let confirmed =
                        confirm_older(&program.graph, (init, steps), sequences, &budget.to_confirm())?;
                    violating = confirmed.ok();
                    Ok(if violating.is_some() { Judged::Confirmed } else { Judged::Rejected })
                };
                let (weak, stats) = with_older_values(&program.graph, sequences, budget, &mut judge);
                add(&mut decided, stats, start);
                if let (Weak::Unsafe, Some(replay)) = (&weak, violating) {
                    decided.verdict = Shown::Unsafe(Box::new(replay));
                    decided.engine = EngineChoice::Only(EngineId::Explicit);
                    decided.stats.racing = false;
                    return Ok(decided);
                }
                left(program, &departed, weak)
            }
            FoundC11::Unknown(reason) => Some(reason),
            FoundC11::Raced(_) => unreachable!("a race is a violation"),
        };
        match reason {
            None => decided.notes.extend(buffering_note(&program.graph, load_buffering(&program.graph))),
            Some(reason) => decided.verdict = Shown::Unknown { reason, scope: None },
        }
    }
    // That is about machines; this model has its own races.
    decided.stats.racing = false;
    add(&mut decided, answer.stats, start);
    Ok(decided)
}

/// What is left to be known of a program that is not robust, after a search with older values.
fn left(program: &Program, departed: &Departed, weak: Weak) -> Option<Reason> {
    let step = || departure_line(&program.graph, departed);
    let place = |span| program.graph.sources.place(span);
    let (wrong, span) = match weak {
        Weak::Safe(_) => return None,
        Weak::Unknown(reason) => return Some(reason),
        Weak::Suspected(wrong, span) => (wrong, span),
        Weak::Unsafe => unreachable!("a run that was confirmed is shown"),
    };
    let suspected = match wrong {
        Wrong::Race => format!("a data race at {}", place(span)),
        Wrong::Violation(violation) => violation.describe(&program.graph, span, &program.graph.sources),
    };
    let message = format!(
        "safe under SC, but C11 has runs that SC has not ({}); with more runs than C11 has: {suspected}",
        step()
    );
    Some(Reason::BoundReached(message))
}

/// Decides a program under a machine's model, and looks for races by happens-before; or says why the options do not fit. A run with a race is one
/// of `language`, which is the same program for the language.
pub fn decide_with_races(
    (program, language): (&Program, &Program),
    model: Model,
    options: &CheckOptions,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Decided, Misfit> {
    if synchronises(&language.graph) {
        return decide(program, model, options, budget, progress);
    }
    let start = Instant::now();
    let sequences = options.release_sequences;
    let answer = races(&language.graph, sequences, &budget.for_half_the_time());
    let found = confirmed(
        &program.name,
        &language.graph,
        program.threads,
        answer.found,
        sequences,
        &budget.to_confirm(),
    );
    if let FoundC11::Raced(raced) = found {
        return Ok(race(raced, answer.stats, start));
    }
    let mut rest = program.clone();
    rest.graph.checks.races = false;
    let mut decided = decide(&rest, model, options, budget, progress)?;
    if let (Shown::Safe { .. }, FoundC11::Unknown(reason)) = (&decided.verdict, found) {
        decided.verdict = Shown::Unknown { reason, scope: None };
    }
    add(&mut decided, answer.stats, start);
    Ok(decided)
}

/// What a race is as a verdict.
fn race(raced: Raced, stats: Stats, start: Instant) -> Decided {
    Decided {
        verdict: Shown::Unsafe(Box::new(raced.replay)),
        engine: EngineChoice::Only(EngineId::Explicit),
        engines: Vec::new(),
        order: None,
        stats,
        certificate: None,
        seconds: start.elapsed().as_secs_f64(),
        notes: Vec::new(),
    }
}

/// Adds what another search cost.
fn add(decided: &mut Decided, stats: Stats, start: Instant) {
    let Stats { states, transitions, bytes, .. } = stats;
    decided.stats.states += states;
    decided.stats.transitions += transitions;
    decided.stats.bytes = decided.stats.bytes.max(bytes);
    decided.seconds = start.elapsed().as_secs_f64();
}
