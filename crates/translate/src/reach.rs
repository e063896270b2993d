//! What shared variables can hold between the rounds of a translation: to see whether a larger bound adds anything.
//!
//! A round runs alone, so only states between rounds are kept; what a round goes through is forgotten with it.

use fencepost_ir::cfg::{ObjectId, Program};
use fencepost_memory::{Machine, Sc, State};
use fencepost_task::{Budget, Pace, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

/// The values of the first so many shared variables in all states of a translation under SC in which no
/// thread is inside a round; `None` if that takes more steps than `limit`, or there are several initial states. `forget` sets to zero what a state holds and nobody reads again.
pub fn shared_states(
    translated: &Program,
    shared: usize,
    limit: usize,
    budget: &Budget,
    forget: &dyn Fn(&mut State),
) -> Result<Option<FxHashSet<Vec<i64>>>, Stop> {
    let Ok(machine) = Machine::new(translated) else { return Ok(None) };
    let bases = translated.cell_bases();
    let cells_of = |object: usize| {
        bases[object] as usize..(bases[object] + translated.cells(ObjectId(object as u32))) as usize
    };
    let cells: Vec<usize> = (0..shared).flat_map(cells_of).collect();
    if !machine.initial_choices().is_empty() {
        return Ok(None);
    }
    let start = machine.initial(&[]);
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut work = vec![start];
    let mut found = FxHashSet::default();
    let (mut steps, mut taken) = (Vec::new(), 0);
    let mut pace = Pace::new(budget);
    while let Some(state) = work.pop() {
        found.insert(cells.iter().map(|c| state.cells[*c]).collect());
        let mut inside = FxHashSet::default();
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            let kept = seen.len() + work.len() + inside.len() + open.len();
            let bytes = state.bytes();
            steps.clear();
            machine.steps(&Sc, &state, &mut steps);
            pace.work(1 + steps.len() as u64 * state.units(), || (kept * bytes) as u64)?;
            for step in &steps {
                let mut next = state.clone();
                if machine.apply(&Sc, &mut next, *step).is_err() {
                    continue;
                }
                forget(&mut next);
                if next.section.is_none() {
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                } else if inside.insert(next.clone()) {
                    open.push(next);
                }
            }
            taken += steps.len();
            if taken > limit {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

/// The objects of a program by their names; of several with one name, the first.
pub(crate) fn numbers(program: &Program) -> FxHashMap<&str, usize> {
    program.objects.iter().enumerate().rev().map(|(i, object)| (&object.name[..], i)).collect()
}
