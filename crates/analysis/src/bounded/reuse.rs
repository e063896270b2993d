//! Which allocations may be given the address of which freed object: the ABA problem.
//!
//! An allocator may give the address of an object that was freed to a later one of the same type and size, and programs
//! that compare pointers can tell (`Program::notices_reuse`). In the formula, as in the reference semantics, the new object then
//! *is* the old one, alive again and with nothing in it. So beside an object of its own each step that allocates has those of other
//! steps that may be gone by then: freed by another thread, or by the same one before. An object can come back as often as
//! there are such steps; nothing is left out, and no program has more of it in its formula than can matter.

use super::Bounded;
use fencepost_ir::cfg::{Instr, Storage};
use std::collections::BTreeMap;

/// For steps that allocate, by thread and step, the objects whose place the new one may take.
pub type Reuses = BTreeMap<(usize, usize), Vec<usize>>;

/// Which there are, by what is known of the steps that free.
pub fn possible(analysis: &Bounded<'_>) -> Reuses {
    // For each object, and each thread that may free it, the first step that may.
    let mut freed: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for (thread, instance) in analysis.instances.iter().enumerate() {
        let steps = instance.code.steps.iter().zip(&instance.facts).enumerate();
        for (step, (code, facts)) in steps.filter(|(_, (_, facts))| facts.reachable) {
            if let Instr::Free(_, Storage::Heap) | Instr::Reallocate { .. } = code.edge.instr {
                for (_, object) in &facts.frees {
                    freed.entry(*object).or_default().entry(thread).or_insert(step);
                }
            }
        }
    }
    let mut reuses = Reuses::new();
    for ((thread, step), own) in analysis.allocations() {
        let instr = &analysis.instances[thread].code.steps[step].edge.instr;
        if !matches!(instr, Instr::Allocate { storage: Storage::Heap, .. }) {
            continue;
        }
        let may_be_gone = |(object, by): &(&usize, &BTreeMap<usize, usize>)| {
            **object != own
                && analysis.objects[**object].storage == Storage::Heap
                && analysis.kind(**object) == analysis.kind(own)
                && by.iter().any(|(other, first)| may_precede(analysis, (*other, *first), (thread, step)))
        };
        let objects: Vec<_> = freed.iter().filter(may_be_gone).map(|(object, _)| *object).collect();
        if !objects.is_empty() {
            reuses.entry((thread, step)).or_default().extend(objects);
        }
    }
    reuses
}

/// Whether a step of one thread may come before one of another, or of the same.
fn may_precede(analysis: &Bounded<'_>, (mut earlier, mut at): (usize, usize), later: (usize, usize)) -> bool {
    // A thread does nothing before it is started.
    while earlier != later.0 {
        match analysis.instances[earlier].parent {
            Some((parent, step)) => (earlier, at) = (parent, step),
            None => return true,
        }
    }
    at < later.1
}
