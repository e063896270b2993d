//! Whether a run of the program may use an address again, which none of the formula does.
//!
//! The formula has an object for each step that allocates, with an address of its own. A machine may give the address
//! of an object that was freed to a later one, and programs that compare pointers can tell (`Program::notices_reuse`). Where
//! that can happen an answer of this engine says that it holds as long as it does not.

use crate::analysis::Analysis;
use fencepost_ir::cfg::{HeapTypeId, Instr, Storage};
use std::collections::BTreeMap;

struct Made {
    thread: usize,
    step: usize,
    kind: (HeapTypeId, u64),
}

/// Whether an object that is freed and a later one may be of the same type and size.
pub fn is_possible(analysis: &Analysis<'_>) -> bool {
    if !analysis.program.notices_reuse() {
        return false;
    }
    let made: BTreeMap<usize, Made> = analysis
        .allocations()
        .filter_map(|((thread, step), object)| match analysis.instances[thread].code.steps[step].edge.instr {
            Instr::Allocate { ty, storage: Storage::Heap, .. } => {
                Some((object, Made { thread, step, kind: (ty, analysis.objects[object].bytes) }))
            }
            _ => None,
        })
        .collect();
    let frees = analysis.instances.iter().enumerate().flat_map(|(thread, instance)| {
        let reached = instance.facts.iter().enumerate().filter(|(_, facts)| facts.reachable);
        reached.flat_map(move |(step, facts)| facts.frees.iter().map(move |(_, gone)| (thread, step, *gone)))
    });
    frees.into_iter().any(|(thread, step, gone)| {
        made.get(&gone).is_some_and(|old| {
            // What the same thread has made before is not made in place of what it frees.
            let later = |new: &Made| new.thread != thread || new.step > step;
            made.iter().any(|(object, new)| *object != gone && new.kind == old.kind && later(new))
        })
    })
}
