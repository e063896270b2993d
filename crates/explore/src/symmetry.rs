//! Symmetry: threads that run the same code with the same arguments are interchangeable.
//!
//! Among such threads the state with their parts sorted stands for all. This holds when nothing
//! tells them apart: no property names one of them, and no thread handles are kept anywhere.
//! Mutex owners and the open atomic section are renamed along.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Count, Instr, Loc, Observable, Program, Property, StartId, Who};
use fencepost_memory::{State, Thread};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The groups of interchangeable threads.
pub struct Symmetry {
    groups: Vec<Vec<usize>>,
    mutexes: Vec<Loc>,
}

impl Symmetry {
    /// Finds the groups; there are none where handles are used.
    pub fn new(program: &Program) -> Symmetry {
        let handles = program.each_cell_type().any(|ty| ty == Scalar::Thread)
            || program.thread_registers.iter().any(|r| r.ty == Scalar::Thread)
            || program.procedures.iter().any(|p| {
                p.registers.iter().any(|r| r.ty == Scalar::Thread)
                    || p.edges().iter().any(|e| matches!(e.instr, Instr::Spawn(..) | Instr::Join(..)))
            });
        let named: HashSet<StartId> = program.properties.iter().flat_map(named_starts).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut by_start = HashMap::new();
        let mut position = 0;
        for (i, start) in program.threads.iter().enumerate() {
            let Count::Times(n) = start.count else { continue };
            let threads = position..position + n as usize;
            position += n as usize;
            let id = StartId(i as u32);
            // Threads of one named start are still interchangeable among themselves.
            let group = match named.contains(&id) {
                true => groups.len(),
                false => *by_start.entry((start.procedure, &start.args)).or_insert(groups.len()),
            };
            match groups.get_mut(group) {
                Some(group) => group.extend(threads),
                None => groups.push(threads.collect()),
            }
        }
        let cells = program.each_cell_type().enumerate();
        let mutexes =
            cells.filter(|(_, ty)| *ty == Scalar::Mutex).map(|(i, _)| Loc::cell(i as u32)).collect();
        // Owners of allocated mutexes would have to be renamed, too.
        let handles = handles || !program.heap_types.is_empty();
        Symmetry { groups: groups.into_iter().filter(|g| g.len() > 1 && !handles).collect(), mutexes }
    }

    /// Sorts the threads of each group. Gives where each thread came from, or `None` if all stay.
    pub fn sort(&self, state: &mut State) -> Option<Vec<u32>> {
        let mut from: Option<Vec<u32>> = None;
        for group in &self.groups {
            if group.is_sorted_by(|&a, &b| order(&state.threads[a], &state.threads[b]) != Ordering::Greater) {
                continue;
            }
            let from = from.get_or_insert_with(|| (0..state.threads.len() as u32).collect());
            let mut sorted = group.clone();
            sorted.sort_by(|&a, &b| order(&state.threads[a], &state.threads[b]));
            let parts: Vec<Thread> = sorted.iter().map(|&i| state.threads[i].clone()).collect();
            for ((&place, part), &old) in group.iter().zip(parts).zip(&sorted) {
                let start = state.threads[place].start;
                state.threads[place] = Thread { start, ..part };
                from[place] = old as u32;
            }
        }
        if let Some(from) = &from {
            let new_place = |old: u32| from.iter().position(|&f| f == old).expect("a permutation") as u32;
            if let Some(section) = &mut state.section {
                section.owner = new_place(section.owner);
            }
            for mutex in &self.mutexes {
                let owner = &mut state.cells[mutex.index()];
                if *owner > 0 {
                    *owner = i64::from(new_place(*owner as u32 - 1)) + 1;
                }
            }
        }
        from
    }
}

fn named_starts(property: &Property) -> Vec<StartId> {
    match property {
        Property::Forbid { together, .. } => {
            let all = together.iter().flatten();
            all.filter_map(|r| if let Who::Start(s) = r.who { Some(s) } else { None }).collect()
        }
        Property::Final { observed, .. } => {
            let all = observed.iter();
            all.filter_map(|o| if let Observable::Register(s, _) = o { Some(*s) } else { None }).collect()
        }
    }
}

fn order(a: &Thread, b: &Thread) -> Ordering {
    let place = |t: &Thread| (t.ended, t.frames.len(), t.top().procedure, t.top().node);
    let frames = |t: &Thread| t.frames.iter().map(|f| (f.procedure, f.node, f.call)).collect::<Vec<_>>();
    place(a)
        .cmp(&place(b))
        .then_with(|| a.registers.cmp(&b.registers))
        .then_with(|| a.buffer.cmp(&b.buffer))
        .then_with(|| if a.frames.len() == 1 { Ordering::Equal } else { frames(a).cmp(&frames(b)) })
}
