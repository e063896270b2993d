//! Allocated objects in normal form: numbered in the order in which they are first found from the
//! program's variables and the threads, and forgotten when nothing points to them.
//!
//! The numbers of allocated objects mean nothing to a program that does not use pointers as integers,
//! so states that differ in them only are one. Without this a program that allocates and frees in
//! a loop would have no end of states. An object that is not found is out of reach for every
//! thread, and is kept only where leaks are looked for; a freed one that is found is kept, so that following a pointer to it is seen.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Loc, ObjectId, Program};
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{Entry, EntryKind, Life, Machine, State, put_in_order};
use fencepost_task::Model;

/// Renumbers the allocated objects of states.
pub struct HeapOrder {
    /// The program's own cells that hold pointers.
    cells: Vec<usize>,
    thread_registers: Vec<usize>,
    /// For each procedure the slots that hold pointers, and whether its result is one.
    slots: Vec<Vec<usize>>,
    results: Vec<bool>,
    /// Under PSO the entries of an epoch are sorted by cell, and stay so.
    sorted_buffers: bool,
    /// Objects that are lost are kept, since somebody asks for them.
    keeps_lost: bool,
}

fn is_pointer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Pointer { .. })
}

fn positions(types: impl Iterator<Item = Scalar>) -> Vec<usize> {
    types.enumerate().filter(|(_, ty)| is_pointer(*ty)).map(|(i, _)| i).collect()
}

impl HeapOrder {
    /// For a program that allocates and does not look at pointers as integers.
    pub fn new(program: &Program, model: Model) -> Option<HeapOrder> {
        (!program.heap_types.is_empty() && !program.shows_addresses()).then(|| HeapOrder {
            cells: positions(program.each_cell_type()),
            thread_registers: positions(program.thread_registers.iter().map(|r| r.ty)),
            slots: program.procedures.iter().map(|p| positions(p.registers.iter().map(|r| r.ty))).collect(),
            results: program.procedures.iter().map(|p| p.result.is_some_and(is_pointer)).collect(),
            sorted_buffers: model == Model::Pso,
            keeps_lost: program.checks.leaks,
        })
    }

    /// Brings the heap to normal form. Gives the old place of each object that is left, or `None` if
    /// all stay.
    pub fn sort(&self, machine: &Machine<'_>, state: &mut State) -> Option<Vec<u32>> {
        if state.heap.is_empty() {
            return None;
        }
        let order = self.order(machine, state);
        if order.iter().copied().eq(0..state.heap.len() as u32) {
            return None;
        }
        let mut place = vec![u32::MAX; state.heap.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        self.rename(machine, state, &place);
        let mut old: Vec<_> = state.heap.drain(..).map(Some).collect();
        state.heap.extend(order.iter().filter_map(|&i| old[i as usize].take()));
        Some(order)
    }

    /// The allocated objects that can be found, in the order in which they are.
    fn order(&self, machine: &Machine<'_>, state: &State) -> Vec<u32> {
        let mut found = vec![false; state.heap.len()];
        let mut order = Vec::new();
        let mut see = |order: &mut Vec<u32>, word: i64| {
            if let Target::Object(number, _) = pointer::target(word)
                && let Some(index) = number.checked_sub(state.first_heap)
                && let Some(seen) = found.get_mut(index as usize)
                && !std::mem::replace(seen, true)
            {
                order.push(index);
            }
        };
        for &cell in &self.cells {
            see(&mut order, state.cells[cell]);
        }
        for thread in &state.threads {
            for &slot in &self.thread_registers {
                see(&mut order, thread.registers[slot]);
            }
            for frame in &thread.frames {
                for &slot in &self.slots[frame.procedure.index()] {
                    see(&mut order, thread.registers[frame.base as usize + slot]);
                }
            }
            if self.results[thread.frames[0].procedure.index()] {
                see(&mut order, thread.result);
            }
            for entry in &thread.buffer {
                if let Some((object, _)) = entry.loc.as_element() {
                    see(&mut order, pointer::to_object(object.0, 0));
                }
                if self.holds_pointer(machine, state, entry) {
                    see(&mut order, entry.value);
                }
            }
        }
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            next += 1;
            let object = &state.heap[index as usize];
            for (number, value) in object.cells.iter().enumerate() {
                if let Some(value) = value
                    && is_pointer(machine.heap_cell_type(object, number))
                {
                    see(&mut order, *value);
                }
            }
        }
        if self.keeps_lost {
            let kept = |i: &u32| state.heap[*i as usize].life == Life::Live && !order.contains(i);
            let lost: Vec<u32> = (0..state.heap.len() as u32).filter(kept).collect();
            order.extend(lost);
        }
        order
    }

    fn holds_pointer(&self, machine: &Machine<'_>, state: &State, entry: &Entry) -> bool {
        entry.kind != EntryKind::Barrier
            && match entry.loc.as_element().and_then(|(o, n)| Some((state.heap_object(o)?, n))) {
                Some((object, number)) => is_pointer(machine.heap_cell_type(object, number as usize)),
                None => {
                    entry.loc.as_element().is_none() && self.cells.binary_search(&entry.loc.index()).is_ok()
                }
            }
    }

    fn rename(&self, machine: &Machine<'_>, state: &mut State, place: &[u32]) {
        let first = state.first_heap;
        let new_number = |number: u32| {
            let index = number.checked_sub(first)? as usize;
            // What is out of reach has no number any more, and may still point to the like.
            place.get(index).filter(|new| **new != u32::MAX).map(|new| first + new)
        };
        let rename = |word: &mut i64| {
            if let Target::Object(number, offset) = pointer::target(*word)
                && let Some(new) = new_number(number)
            {
                *word = pointer::to_object(new, offset);
            }
        };
        for &cell in &self.cells {
            rename(&mut state.cells[cell]);
        }
        for index in 0..state.threads.len() {
            let buffer = std::mem::take(&mut state.threads[index].buffer);
            let renamed = buffer.into_iter().map(|mut entry| {
                if self.holds_pointer(machine, state, &entry) {
                    rename(&mut entry.value);
                }
                if let Some((object, number)) = entry.loc.as_element()
                    && let Some(new) = new_number(object.0)
                {
                    entry.loc = Loc::element(ObjectId(new), number).expect("a smaller number fits too");
                }
                entry
            });
            let mut buffer: Vec<_> = renamed.collect();
            if self.sorted_buffers {
                put_in_order(&mut buffer);
            }
            let thread = &mut state.threads[index];
            thread.buffer = buffer;
            for &slot in &self.thread_registers {
                rename(&mut thread.registers[slot]);
            }
            for frame in &thread.frames {
                for &slot in &self.slots[frame.procedure.index()] {
                    rename(&mut thread.registers[frame.base as usize + slot]);
                }
            }
            if self.results[thread.frames[0].procedure.index()] {
                rename(&mut thread.result);
            }
        }
        for index in 0..state.heap.len() {
            let types: Vec<_> = {
                let object = &state.heap[index];
                (0..object.cells.len()).map(|n| is_pointer(machine.heap_cell_type(object, n))).collect()
            };
            for (value, is_pointer) in state.heap[index].cells.iter_mut().zip(types) {
                if let (Some(value), true) = (value, is_pointer) {
                    rename(value);
                }
            }
        }
    }
}
