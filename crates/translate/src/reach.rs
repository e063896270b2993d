//! What shared variables can hold between the rounds of a translation: to see whether a larger bound adds anything.

use fencepost_ir::cfg::{ObjectId, Program};
use fencepost_memory::{Machine, Sc};
use rustc_hash::FxHashSet;

/// The values of the shared variables of these names in all states of a translation under SC in which no
/// thread is inside a round; `None` if there are more states than `limit`, or several initial ones.
pub fn shared_states(translated: &Program, shared: &[String], limit: usize) -> Option<FxHashSet<Vec<i64>>> {
    let machine = Machine::new(translated).ok()?;
    let mut cells = Vec::new();
    for name in shared {
        let object = translated.objects.iter().position(|o| o.name == *name);
        let Some(object) = object else { continue };
        let base = translated.cell_bases()[object];
        cells.extend(base..base + translated.cells(ObjectId(object as u32)));
    }
    if !machine.initial_choices().is_empty() {
        return None;
    }
    let start = machine.initial(&[]);
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut work = vec![start];
    let mut found = FxHashSet::default();
    let mut steps = Vec::new();
    while let Some(state) = work.pop() {
        if state.section.is_none() {
            found.insert(cells.iter().map(|c| state.cells[*c as usize]).collect());
        }
        steps.clear();
        machine.steps(&Sc, &state, &mut steps);
        for step in &steps {
            let mut next = state.clone();
            if machine.apply(&Sc, &mut next, *step).is_ok() && seen.insert(next.clone()) {
                work.push(next);
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(found)
}
