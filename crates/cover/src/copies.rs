//! Many threads alike in a target: one of them is enough to begin with.
//!
//! What cannot be reached with one thread in place of several that are alike cannot be reached with all of
//! them, for the smaller target is below the larger; and a proof for any number of threads is often
//! shorter than one for the given number. The other way round, in a run that reaches the smaller target a
//! thread can be doubled: its copy does the same right after it, reads what it read, writes what it wrote,
//! and memory does not change by that. Only an atomic operation that undoes its own guard cannot be repeated.

use crate::automaton::{Automaton, Op};
use crate::configuration::{Configuration, Process};
use crate::model::Model;
use crate::rules::Label;
use crate::search::{DualRun, System};

/// Smaller targets, and systems in which they are looked for.
pub struct Collapsed {
    /// With any number of threads where there are several alike: what is safe here is safe.
    pub any: System,
    /// Without the threads that doubling brings back: a run can be doubled.
    pub few: System,
    /// The targets, without repetition among their processes.
    pub targets: Vec<Configuration>,
    /// For each target the process that stands for each one of the target that it was made from.
    stands_for: Vec<Vec<usize>>,
}

/// `None` where there is nothing to gain: with two of a kind the given number is as easy.
pub fn collapse(model: &Model) -> Option<Collapsed> {
    if model.system.groups.iter().all(|g| g.count.is_none_or(|n| n <= 2)) {
        return None;
    }
    let (mut any, mut few) = (model.system.clone(), model.system.clone());
    for group in &mut any.groups {
        group.count = group.count.filter(|n| *n == 1);
    }
    let mut targets = Vec::new();
    let mut stands_for = Vec::new();
    for target in &model.targets {
        let mut processes = Vec::new();
        let mut places = Vec::new();
        for process in &target.processes {
            let place = processes.iter().position(|p| p == process);
            places.push(place.unwrap_or(processes.len()));
            if place.is_none() {
                processes.push(process.clone());
            }
        }
        for (g, group) in few.groups.iter_mut().enumerate() {
            let in_group = |processes: &[Process]| processes.iter().filter(|p| p.group as usize == g).count();
            let doubled = in_group(&target.processes) - in_group(&processes);
            let all = model.system.groups[g].count;
            group.count = group.count.zip(all).map(|(least, all)| least.min(all - doubled as u32));
        }
        targets.push(Configuration { processes, memory: target.memory.clone() });
        stands_for.push(places);
    }
    Some(Collapsed { any, few, targets, stands_for })
}

impl Collapsed {
    /// The run with all processes of the original target, if they can be had by doubling and are no
    /// more than there are.
    pub fn replicate(&self, run: &DualRun, original: &System) -> Option<DualRun> {
        let mut groups = run.groups.clone();
        let mut copies: Vec<Vec<usize>> = (0..groups.len()).map(|p| vec![p]).collect();
        let mut taken = vec![false; groups.len()];
        let mut in_target = Vec::new();
        for place in &self.stands_for[run.target] {
            let process = run.in_target[*place];
            if std::mem::replace(&mut taken[process], true) {
                in_target.push(groups.len());
                copies[process].push(groups.len());
                groups.push(groups[process]);
            } else {
                in_target.push(process);
            }
        }
        let enough = original.groups.iter().enumerate().all(|(g, group)| {
            let needed = groups.iter().filter(|other| **other as usize == g).count();
            group.count.is_none_or(|n| needed <= n as usize)
        });
        let automaton = |process: usize| &original.groups[groups[process] as usize].automaton;
        let can_repeat = |(process, label): &(usize, Label)| {
            copies[*process].len() == 1 || repeatable(automaton(*process), *label)
        };
        if !enough || !run.steps.iter().all(can_repeat) {
            return None;
        }
        let together = |(process, label): &(usize, Label)| {
            let label = *label;
            copies[*process].iter().map(move |copy| (*copy, label))
        };
        let steps = run.steps.iter().flat_map(together).collect();
        Some(DualRun { steps, memory: run.memory.clone(), target: run.target, groups, in_target })
    }
}

/// Whether a step can be taken again right after it.
fn repeatable(automaton: &Automaton, label: Label) -> bool {
    let Label::Take(t) = label else { return true };
    match &automaton.transitions[t as usize].op {
        Op::Atomic(guard, update) => guard.iter().all(|(x, v)| update.iter().all(|(y, w)| x != y || v == w)),
        Op::Nop | Op::Read(..) | Op::Write(..) | Op::Fence => true,
    }
}
