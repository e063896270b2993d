//! How many threads run a piece of code: those that are started with it or call it.
//!
//! Threads of the beginning are known. How many others are spawned is seen in one run under SC, which continues
//! until all threads have ended or for a number of steps; a program that spawns more later is counted
//! short.

use super::Candidate;
use fencepost_ir::cfg::{Count, Instr, ProcId, Program};
use fencepost_memory::{Machine, Sc};

const STEPS: usize = 20_000;

/// For each candidate the number of threads that run it; `None` for any number.
pub fn instances(program: &Program, candidates: &[Candidate]) -> Vec<Option<u32>> {
    let spawned = spawned(program);
    let starts = program.threads.iter().map(|t| (t.procedure, t.count));
    let threads: Vec<(Vec<bool>, Count)> = starts
        .chain(spawned.into_iter().map(|p| (p, Count::Times(1))))
        .map(|(procedure, count)| (called_from(program, procedure), count))
        .collect();
    let count = |candidate: &Candidate| {
        let runs = |calls: &Vec<bool>| candidate.edges.iter().any(|(p, _)| calls[p.index()]);
        threads.iter().filter(|(calls, _)| runs(calls)).try_fold(0, |sum, (_, count)| match count {
            Count::Times(n) => Some(sum + n),
            Count::Any => None,
        })
    };
    candidates.iter().map(count).collect()
}

/// For each procedure whether a thread that starts with `first` can come to it.
fn called_from(program: &Program, first: ProcId) -> Vec<bool> {
    let mut called = vec![false; program.procedures.len()];
    let mut waiting = vec![first];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut called[id.index()], true) {
            continue;
        }
        waiting.extend(program.procedure(id).edges().iter().filter_map(|e| match &e.instr {
            Instr::Call(_, callee, _) => Some(*callee),
            _ => None,
        }));
    }
    called
}

/// What the threads run that are spawned in one run.
fn spawned(program: &Program) -> Vec<ProcId> {
    let spawns = |e: &fencepost_ir::cfg::Edge| matches!(e.instr, Instr::Spawn(..));
    if !program.procedures.iter().any(|p| p.edges().iter().any(spawns)) {
        return Vec::new();
    }
    let counts: Vec<u32> = program
        .threads
        .iter()
        .map(|t| match t.count {
            Count::Times(n) => n,
            Count::Any => 1,
        })
        .collect();
    let program = program.instantiated(&counts);
    let Ok(machine) = Machine::new(&program) else { return Vec::new() };
    let first: Vec<_> = machine
        .initial_choices()
        .iter()
        .filter_map(|(loc, choices)| Some((*loc, choices.values().next()?)))
        .collect();
    let mut state = machine.initial(&first);
    let mut possible = Vec::new();
    let mut turn = 0;
    for step in 0..STEPS {
        // Each thread in turn, and of its steps one after the other, so that no choice is forever.
        let count = state.threads.len();
        let next = (0..count).map(|i| (turn + i) % count).find(|&thread| {
            possible.clear();
            machine.thread_steps(&Sc, &state, thread, &mut possible);
            !possible.is_empty()
        });
        let Some(thread) = next else { break };
        if machine.apply(&Sc, &mut state, possible[step % possible.len()]).is_err() {
            break;
        }
        turn = thread + 1;
    }
    state.threads.iter().filter(|t| t.start.is_none()).map(|t| t.frames[0].procedure).collect()
}
