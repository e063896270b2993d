//! The run to a state that a search has stored.
//!
//! States are kept in normal form, and each with the number of the step that led to it from the one before. So the run is
//! followed again from the beginning; threads and allocated objects that a normal form has renumbered get back the numbers
//! that they have in the program. That takes as long as the run is, and may be stopped like the search.

use super::end::Halt;
use super::{BYTES_A_UNIT, Found, LEVEL_SHIFT, Search, initial_choices};
use crate::store::{StateId, Store};
use fencepost_ir::cfg::{Instr, Loc, ObjectId};
use fencepost_memory::{Life, Memory, State};
use fencepost_task::{Action, Pace, Step, Stop};

/// Stands for the object that a vacant number is of.
const NONE: u32 = u32::MAX;

/// A step of a run that is rebuilt.
pub(super) struct Recorded {
    step: Step,
    /// What it chooses is an allocated object.
    chooses_object: bool,
}

impl<M: Memory> Search<'_, M> {
    pub(super) fn recorded(&self, state: &State, step: Step) -> Recorded {
        let instr = match step.action {
            Action::Edge(id, Some(_)) => {
                Some(&self.machine.edge(&state.threads[step.thread as usize], id).instr)
            }
            _ => None,
        };
        Recorded { step, chooses_object: matches!(instr, Some(Instr::Allocate { .. })) }
    }

    /// The run to the state `last` and from there by the step of that number.
    pub(super) fn rebuild<E>(
        &mut self,
        last: Option<StateId>,
        ordinal: u32,
        violation: E,
        pace: &mut Pace,
    ) -> Result<Found<E>, Stop> {
        let mut path = last.map_or(Vec::new(), |id| self.store.path(id));
        path.push((StateId::MAX, ordinal));
        let choices = self.machine.initial_choices();
        let init =
            initial_choices(&choices).nth(path[0].1 as usize).expect("a path starts at an initial state");
        let mut state = self.machine.initial(&init);
        let mut steps = Vec::new();
        // Which thread of the program each thread of the state is.
        let mut actual: Vec<u32> = (0..state.threads.len() as u32).collect();
        let mut started = actual.len() as u32;
        // The same for allocated objects, and how many were allocated.
        let mut actual_objects: Vec<u32> = Vec::new();
        let mut allocated = 0;
        for (i, &(id, ordinal)) in path.iter().enumerate() {
            let bytes = if id == StateId::MAX { 0 } else { self.store.get(id).len() };
            let used = |store: &Store| store.bytes() + (steps.len() * size_of::<Step>()) as u64;
            pace.work(1 + (bytes / BYTES_A_UNIT) as u64, || used(&self.store))?;
            let mut record = Vec::new();
            let level = if i == 0 { 1 } else { (ordinal >> LEVEL_SHIFT) as usize };
            let result = if i == 0 {
                self.settle(&mut state, level, pace, Some(&mut record))
            } else {
                let mut candidates = Vec::new();
                self.candidates(&state, self.bounds[level], &mut candidates);
                let step = candidates[(ordinal & ((1 << LEVEL_SHIFT) - 1)) as usize];
                self.take(&mut state, step, level, pace, Some(&mut record))
            };
            if let Err(Halt::Stop(stop)) = result {
                return Err(stop);
            }
            assert!(result.is_ok() || i + 1 == path.len(), "only the last step of a run fails");
            // Numbers that are free are given first, in their order.
            actual_objects.resize(state.heap.len(), NONE);
            for (actual, object) in actual_objects.iter_mut().zip(&state.heap) {
                if *actual == NONE && object.life != Life::Vacant {
                    *actual = allocated;
                    allocated += 1;
                }
            }
            // Spawned threads come after all others.
            while actual.len() < state.threads.len() {
                actual.push(started);
                started += 1;
            }
            for Recorded { step, chooses_object } in record {
                let thread = actual[step.thread as usize];
                let action = match step.action {
                    Action::Flush(loc) => Action::Flush(actual_loc(&state, &actual_objects, loc)),
                    Action::Edge(id, Some(gone)) if chooses_object => {
                        let actual = actual_objects[(gone as u32 - state.first_heap) as usize];
                        Action::Edge(id, Some((state.first_heap + actual).into()))
                    }
                    action => action,
                };
                steps.push(Step { thread, action });
            }
            if result.is_ok() {
                let moved = self.normalize(&mut state);
                if let Some(from) = moved.threads {
                    actual = from.iter().map(|&old| actual[old as usize]).collect();
                }
                if let Some(from) = moved.objects {
                    let actual = |&old: &Option<u32>| old.map_or(NONE, |old| actual_objects[old as usize]);
                    actual_objects = from.iter().map(actual).collect();
                }
            }
        }
        Ok(Found { init, steps, violation, limited: self.limit.is_some() })
    }
}

/// A cell of the normal form in the run that is rebuilt.
fn actual_loc(state: &State, actual_objects: &[u32], loc: Loc) -> Loc {
    let heap_cell = loc.as_element().and_then(|(object, number)| {
        let actual = actual_objects.get(object.0.checked_sub(state.first_heap)? as usize)?;
        Loc::element(ObjectId(state.first_heap + actual), number)
    });
    heap_cell.unwrap_or(loc)
}
