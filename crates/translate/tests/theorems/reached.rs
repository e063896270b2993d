//! What a program reaches, in words that a program and its translation share: the values of the shared variables, and
//! where the threads are, with the values of their variables.

use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, Sc, State, Thread};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// States in which no thread is inside a round; and whether a property is violated.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Shared variables.
    pub memories: BTreeSet<Vec<i64>>,
    /// Where all threads are, if all are at labels, with the shared variables.
    pub controls: BTreeSet<(Vec<String>, Vec<i64>)>,
    /// Whether a property is violated.
    pub violated: bool,
}

/// Whose states are noted.
#[derive(Clone, Copy)]
pub enum Side<'a> {
    /// Those of the program.
    Original,
    /// Those of its translation: threads are between two rounds at labels that begin with `tso_at_`.
    Translation { of: &'a Program },
}

impl Reached {
    /// A state in which no thread is inside a round.
    pub fn note(&mut self, program: &Program, state: &State, memory: &[i64], side: Side<'_>) {
        self.memories.insert(memory.to_vec());
        let places: Option<Vec<String>> =
            state.threads.iter().map(|thread| place(program, thread, side)).collect();
        self.controls.extend(places.map(|places| (places, memory.to_vec())));
    }
}

/// Where a thread is: the procedures it is in, outermost first, with their variables, and its label; `None` if it is
/// at none.
fn place(program: &Program, thread: &Thread, side: Side<'_>) -> Option<String> {
    if thread.ended {
        return Some("ended".to_string());
    }
    let prefix = match side {
        Side::Original => "",
        Side::Translation { .. } => "tso_at_",
    };
    let top = thread.top();
    let procedure = program.procedure(top.procedure);
    // The program's labels are there in the translation too, but no round ends at them.
    let labels =
        || procedure.labels.iter().filter_map(|(name, node)| Some((name.strip_prefix(prefix)?, *node)));
    let at_entry = thread.frames.len() == 1 && top.node == procedure.entry();
    let label = if at_entry {
        // A thread that has not begun is at its first label.
        let number = |name: &str| name[1..].parse::<u32>().ok();
        labels().map(|(name, _)| name).filter(|name| number(name).is_some()).min_by_key(|name| number(name))
    } else {
        labels().find(|(_, node)| *node == top.node).map(|(name, _)| name)
    };
    let original = match side {
        Side::Original => program,
        Side::Translation { of } => of,
    };
    let mut text = String::new();
    for frame in &thread.frames {
        let here = program.procedure(frame.procedure);
        let Some(own) = original.procedures.iter().find(|p| p.name == here.name) else { continue };
        text += &format!("{}(", here.name);
        for register in own.registers.iter().filter(|r| !r.is_temporary()) {
            let slot = here.registers.iter().position(|r| r.name == register.name);
            let slot = slot.expect("the translation keeps the variables");
            text += &format!("{}={} ", register.name, thread.registers[frame.base as usize + slot]);
        }
        text += ") ";
    }
    Some(text + label?)
}

/// Whether threads of the translation can be between two rounds at every label, and all begin at labels.
pub fn has_all_places(translated: &Program, original: &Program) -> bool {
    let labels = |program: &Program| -> BTreeSet<String> {
        program.procedures.iter().flat_map(|p| &p.labels).map(|(name, _)| name.clone()).collect()
    };
    let places = labels(translated);
    original.procedures.iter().all(|p| !p.labels.is_empty())
        && labels(original).iter().all(|label| places.contains(&format!("tso_at_{label}")))
}

/// All of SC. The translation's threads are inside a round while a section is open.
pub fn of_translation(translated: &Program, original: &Program, limit: usize) -> Option<Reached> {
    let cells = Machine::new(original).unwrap().initial(&[]).cells.len();
    let machine = Machine::new(translated).unwrap();
    let mut reached = Reached::default();
    let start = machine.initial(&[]);
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut work = vec![start];
    let mut steps = Vec::new();
    while let Some(state) = work.pop() {
        if state.section.is_none() {
            reached.note(translated, &state, &state.cells[..cells], Side::Translation { of: original });
        }
        reached.violated |= machine.violated(&state).is_some();
        steps.clear();
        machine.steps(&Sc, &state, &mut steps);
        for step in &steps {
            let mut next = state.clone();
            match machine.apply(&Sc, &mut next, *step) {
                Ok(()) if seen.contains(&next) => {}
                Ok(()) => {
                    seen.insert(next.clone());
                    work.push(next);
                }
                Err(_) => reached.violated = true,
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(reached)
}
