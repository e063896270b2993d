//! A run of the dual semantics as a run of the program with store buffers (the construction behind
//! Theorem 1 of Abdulla et al., CONCUR 2016).
//!
//! Memory changes at the same moments: a write of the dual run is where the store is flushed. A load
//! happens when the value that it reads was sent, not when the dual run read it, and everything
//! that a thread does in between happens right after its last load. That is early enough for stores
//! to wait in the buffer until their moment: messages come and go first in first out, so a thread
//! has read nothing that was sent after a store of its own whose message it still holds.

use crate::automaton::{Op, Value, Var};
use crate::configuration::ANY;
use crate::local::{LocalGraph, LocalStep};
use crate::model::Model;
use crate::rules::Label;
use crate::search::DualRun;
use fencepost_ir::cfg::{Count, Instr, Loc, Program, StartId};
use fencepost_memory::{Machine, Memory, State, Tso};
use fencepost_task::{Action, Limit, Model as MemoryModel, Step, Trace};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A message, with the moment it was sent.
struct Sent {
    var: Var,
    value: Value,
    own: bool,
    time: usize,
}

/// What a process does when.
enum Event {
    /// Its next operation.
    Operation,
    /// Its oldest store reaches memory.
    Flush,
}

/// Events by process, in order; and the operations of each process.
type Schedule = (Vec<(usize, Event)>, Vec<Vec<Op>>);

/// A place and how many operations are done; how it was come to: from where, after how many, by which step.
type Came = FxHashMap<(u32, usize), Option<(u32, usize, usize)>>;

/// The run, with as many threads as it needs. `None` is a bug.
pub fn trace(program: &Program, model: &Model, run: &DualRun) -> Option<Result<Trace, Limit>> {
    let (events, operations) = schedule(model, run)?;
    let paths: Option<Vec<Vec<&LocalStep>>> = (0..run.groups.len())
        .map(|process| {
            let group = run.groups[process] as usize;
            let place = run.in_target.iter().position(|p| *p == process);
            let goal = place.map(|i| model.targets[run.target].processes[i].state);
            path(&model.graphs[group], &model.compiled[group].state_of, &operations[process], goal)
        })
        .collect();
    let paths = paths?;
    let (instance, threads) = instance(program, model, run);
    let (init, steps, violation) = {
        let machine = Machine::new(&instance).ok()?;
        let init = initial_values(&machine, model, run);
        let state = machine.initial(&init);
        let mut player = Player { machine: &machine, state, steps: Vec::new(), violation: None };
        let mut position = vec![0; paths.len()];
        for (process, event) in events {
            match event {
                Event::Flush => player.flush(threads[process])?,
                Event::Operation => loop {
                    let step = paths[process].get(position[process])?;
                    position[process] += 1;
                    player.play(threads[process], step)?;
                    if step.op != Op::Nop {
                        break;
                    }
                },
            }
        }
        // What is left is silent; a failure comes last.
        let mut rest: Vec<usize> = (0..paths.len()).collect();
        let fails = |p: &usize| {
            let last = paths[*p].last().map_or(0, |s| s.to);
            model.graphs[run.groups[*p] as usize].places[last as usize].failure().is_some()
        };
        rest.sort_by_key(fails);
        for process in rest {
            for step in &paths[process][position[process]..] {
                player.play(threads[process], step)?;
            }
        }
        let violation = player.violation.or_else(|| machine.violated(&player.state))?;
        (init, player.steps, violation)
    };
    let instances = match program.is_parameterized() {
        true => instance.threads.iter().map(|t| if let Count::Times(n) = t.count { n } else { 0 }).collect(),
        false => Vec::new(),
    };
    let trace =
        |violation| Trace { model: MemoryModel::Tso, instances, init, steps, violation, shortest: false };
    Some(violation.map(trace))
}

/// Does the dual run, and gives the events of the run with store buffers in order, and the operations
/// of each process.
fn schedule(model: &Model, run: &DualRun) -> Option<Schedule> {
    let count = run.groups.len();
    let mut buffers: Vec<VecDeque<Sent>> = (0..count).map(|_| VecDeque::new()).collect();
    let mut clocks = vec![0; count];
    let mut memory: Vec<Value> = run.memory.iter().map(|v| if *v == ANY { 0 } else { *v }).collect();
    let mut operations: Vec<Vec<Op>> = vec![Vec::new(); count];
    let mut events: Vec<(usize, usize, Event)> = Vec::new();
    for (i, &(process, label)) in run.steps.iter().enumerate() {
        let time = i + 1;
        let buffer = &mut buffers[process];
        let transition = match label {
            Label::Propagate(var) => {
                buffer.push_back(Sent { var, value: memory[var as usize], own: false, time });
                continue;
            }
            Label::Take(t) => {
                &model.system.groups[run.groups[process] as usize].automaton.transitions[t as usize]
            }
        };
        match &transition.op {
            Op::Nop => continue,
            Op::Read(var, value) => loop {
                let own = buffer.iter().rev().find(|m| m.own && m.var == *var);
                match own {
                    Some(m) if m.value == *value => break,
                    Some(_) => {
                        buffer.pop_front();
                    }
                    None => {
                        let oldest = buffer.front()?;
                        if oldest.var == *var && oldest.value == *value && !oldest.own {
                            clocks[process] = oldest.time;
                            break;
                        }
                        buffer.pop_front();
                    }
                }
            },
            Op::Write(var, value) => {
                memory[*var as usize] = *value;
                buffer.push_back(Sent { var: *var, value: *value, own: true, time });
                events.push((time, process, Event::Flush));
            }
            Op::Fence => {
                buffer.clear();
                clocks[process] = time;
            }
            Op::Atomic(guard, update) => {
                if !guard.iter().all(|(x, v)| memory[*x as usize] == *v) {
                    return None;
                }
                update.iter().for_each(|(x, v)| memory[*x as usize] = *v);
                buffer.clear();
                clocks[process] = time;
            }
        }
        operations[process].push(transition.op.clone());
        events.push((clocks[process], process, Event::Operation));
    }
    // Events of one moment belong to one process, and stay in order.
    events.sort_by_key(|(time, _, _)| *time);
    Some((events.into_iter().map(|(_, process, event)| (process, event)).collect(), operations))
}

/// A way through the thread's places that does exactly these operations, and ends in a place of the
/// goal state if there is one.
fn path<'a>(
    graph: &'a LocalGraph,
    state_of: &[Option<u32>],
    operations: &[Op],
    goal: Option<u32>,
) -> Option<Vec<&'a LocalStep>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); graph.places.len()];
    for (i, step) in graph.steps.iter().enumerate() {
        out[step.from as usize].push(i);
    }
    let mut came: Came = FxHashMap::from_iter([((0, 0), None)]);
    let mut work = VecDeque::from([(0u32, 0usize)]);
    while let Some((place, done)) = work.pop_front() {
        if done == operations.len() && goal.is_none_or(|g| state_of[place as usize] == Some(g)) {
            let mut steps = Vec::new();
            let mut here = (place, done);
            while let Some((from, before, step)) = came[&here] {
                steps.push(&graph.steps[step]);
                here = (from, before);
            }
            steps.reverse();
            return Some(steps);
        }
        for &i in &out[place as usize] {
            let step = &graph.steps[i];
            let after = match &step.op {
                Op::Nop => done,
                op if operations.get(done) == Some(op) => done + 1,
                _ => continue,
            };
            came.entry((step.to, after)).or_insert_with(|| {
                work.push_back((step.to, after));
                Some((place, done, i))
            });
        }
    }
    None
}

/// The program with the threads that the run needs, and the thread that each process is.
fn instance(program: &Program, model: &Model, run: &DualRun) -> (Program, Vec<usize>) {
    let mut instance = program.clone();
    // Which start each process comes from, and the how many-th of it.
    let mut used: FxHashMap<StartId, u32> = FxHashMap::default();
    let mut place: Vec<(StartId, u32)> = Vec::new();
    for group in &run.groups {
        let starts = &model.threads[*group as usize].starts;
        let free = starts.iter().find(|s| match program.threads[s.index()].count {
            Count::Times(n) => used.get(s).copied().unwrap_or(0) < n,
            Count::Any => true,
        });
        let start = *free.expect("a run has no more processes than there are threads");
        let number = used.entry(start).or_insert(0);
        place.push((start, *number));
        *number += 1;
    }
    let mut first = Vec::new();
    let mut count = 0;
    for (i, start) in instance.threads.iter_mut().enumerate() {
        first.push(count);
        if start.count == Count::Any {
            let needed = used.get(&StartId(i as u32)).copied().unwrap_or(0);
            start.count = Count::Times(needed);
        }
        if let Count::Times(n) = start.count {
            count += n;
        }
    }
    let threads = place.iter().map(|(start, number)| (first[start.index()] + number) as usize).collect();
    (instance, threads)
}

fn initial_values(machine: &Machine<'_>, model: &Model, run: &DualRun) -> Vec<(Loc, i64)> {
    let value = |loc: Loc| {
        let number = match run.memory[loc.index()] {
            ANY => 0,
            number => number,
        };
        model.domains.values[loc.index()][number as usize]
    };
    machine.initial_choices().iter().map(|(loc, _)| (*loc, value(*loc))).collect()
}

/// Plays steps on the reference semantics, with the flushes that atomic sections wait for.
struct Player<'a, 'p> {
    machine: &'a Machine<'p>,
    state: State,
    steps: Vec<Step>,
    violation: Option<Result<fencepost_task::Violation, Limit>>,
}

impl Player<'_, '_> {
    fn step(&mut self, step: Step) -> Option<()> {
        if self.violation.is_some() {
            return Some(());
        }
        let mut possible = Vec::new();
        self.machine.steps(&Tso, &self.state, &mut possible);
        if !possible.contains(&step) {
            return None;
        }
        self.steps.push(step);
        match self.machine.apply(&Tso, &mut self.state, step) {
            Ok(()) => self.violation = self.machine.violated(&self.state),
            Err(failure) => self.violation = Some(failure.violation()),
        }
        Some(())
    }

    fn flush(&mut self, thread: usize) -> Option<()> {
        let Some(oldest) = self.state.threads[thread].buffer.first() else {
            return self.violation.map(|_| ());
        };
        let action = Action::Flush(oldest.loc);
        self.step(Step { thread: thread as u32, action })
    }

    fn play(&mut self, thread: usize, step: &LocalStep) -> Option<()> {
        for (edge, choice) in &step.steps {
            if self.violation.is_some() {
                return Some(());
            }
            let state = &self.state.threads[thread];
            let instr: &Instr = &self.machine.edge(state, *edge).instr;
            if Tso.drains(instr, state.frames.len() == 1) {
                while !self.state.threads[thread].buffer.is_empty() {
                    self.flush(thread)?;
                }
            }
            self.step(Step { thread: thread as u32, action: Action::Edge(*edge, *choice) })?;
        }
        Some(())
    }
}
