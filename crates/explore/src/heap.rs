//! Allocated objects in normal form: numbered in the order in which they are first found from the
//! program's variables and the threads, and forgotten when nothing points to them.
//!
//! The numbers of allocated objects mean nothing to a program that does not compute with pointers as integers,
//! so states that differ in them only are one. Without this a program that allocates and frees in
//! a loop would have no end of states. An object that is not found is out of reach for every
//! thread, and is kept only where leaks are looked for; a freed one that is found is kept, so that following a pointer to it is seen.
//!
//! Where addresses are also kept in integers ([`Program::exposes_pointers`]) and the program does not look at them
//! ([`Program::opaque_addresses`]), an integer that is an address is not to be told from one that only looks like it. So no
//! integer is ever changed: an object that an integer may be the address of keeps its number, and the others are numbered
//! around it. Then two states are one only if they differ in the numbers of objects that pointers alone lead to, whatever
//! the integers mean. Numbers between those that are kept are vacant, and are given to the next objects, so that the largest
//! number grows with the objects that are there at a time and not with the length of the run.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Loc, ObjectId, Program};
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{Entry, EntryKind, HeapObject, Life, Machine, State, put_in_order};
use fencepost_task::Model;

/// Renumbers the allocated objects of states.
pub struct HeapOrder {
    /// The program's own cells that hold pointers.
    cells: Vec<usize>,
    thread_registers: Vec<usize>,
    /// For each procedure the slots that hold pointers, and whether its result is one.
    slots: Vec<Vec<usize>>,
    results: Vec<bool>,
    /// How many registers a thread has for all its procedures, and how many each procedure has.
    own_registers: usize,
    registers: Vec<usize>,
    /// Under PSO the entries of an epoch are sorted by cell, and stay so.
    sorted_buffers: bool,
    /// Objects that are lost are kept, since somebody asks for them.
    keeps_lost: bool,
    /// Integers may be addresses, too.
    in_integers: bool,
}

/// The allocated objects that can be found in a state.
struct FoundObjects {
    found: Vec<bool>,
    /// In the order in which they are found.
    order: Vec<u32>,
    /// Those that keep their numbers.
    pinned: Vec<bool>,
    first: u32,
}

impl FoundObjects {
    fn new(state: &State) -> FoundObjects {
        let none = vec![false; state.heap.len()];
        FoundObjects { found: none.clone(), order: Vec::new(), pinned: none, first: state.first_heap }
    }

    /// A word in a place for pointers, or in one for integers.
    fn see(&mut self, word: i64, is_pointer: bool) {
        if let Target::Object(number, _) = pointer::target(word)
            && let Some(index) = number.checked_sub(self.first).map(|index| index as usize)
            && let Some(found) = self.found.get_mut(index)
        {
            self.pinned[index] |= !is_pointer;
            if !std::mem::replace(found, true) {
                self.order.push(index as u32);
            }
        }
    }

    /// For each new number the old one: the lowest that no pinned object has, in order.
    fn numbered(&self) -> Vec<Option<u32>> {
        let mut others = self.order.iter().copied().filter(|&i| !self.pinned[i as usize]).peekable();
        let mut numbers = Vec::new();
        let last = self.pinned.iter().rposition(|pinned| *pinned).map_or(0, |last| last + 1);
        while numbers.len() < last || others.peek().is_some() {
            let is_pinned = self.pinned.get(numbers.len()).is_some_and(|pinned| *pinned);
            numbers.push(if is_pinned { Some(numbers.len() as u32) } else { others.next() });
        }
        numbers
    }
}

fn is_pointer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Pointer { .. })
}

fn positions(types: impl Iterator<Item = Scalar>) -> Vec<usize> {
    types.enumerate().filter(|(_, ty)| is_pointer(*ty)).map(|(i, _)| i).collect()
}

impl HeapOrder {
    /// For a program that allocates and to which the numbers of objects mean nothing.
    pub fn new(program: &Program, model: Model) -> Option<HeapOrder> {
        (!program.heap_types.is_empty() && !program.shows_addresses()).then(|| HeapOrder {
            cells: positions(program.each_cell_type()),
            thread_registers: positions(program.thread_registers.iter().map(|r| r.ty)),
            slots: program.procedures.iter().map(|p| positions(p.registers.iter().map(|r| r.ty))).collect(),
            results: program.procedures.iter().map(|p| p.result.is_some_and(is_pointer)).collect(),
            own_registers: program.thread_registers.len(),
            registers: program.procedures.iter().map(|p| p.registers.len()).collect(),
            sorted_buffers: model == Model::Pso,
            keeps_lost: program.checks.leaks,
            in_integers: program.exposes_pointers,
        })
    }

    /// Brings the heap to normal form. Gives the old place of each object that is left, with `None` for a vacant one, or `None`
    /// if all stay.
    pub fn sort(&self, machine: &Machine<'_>, state: &mut State) -> Option<Vec<Option<u32>>> {
        if state.heap.is_empty() {
            return None;
        }
        let numbers = self.find(machine, state).numbered();
        let stays = |(new, old): (usize, &Option<u32>)| match old {
            Some(old) => *old as usize == new,
            None => state.heap[new].life == Life::Vacant,
        };
        if numbers.len() == state.heap.len() && numbers.iter().enumerate().all(stays) {
            return None;
        }
        let mut place = vec![u32::MAX; state.heap.len()];
        for (new, old) in numbers.iter().enumerate() {
            if let Some(old) = old {
                place[*old as usize] = new as u32;
            }
        }
        self.rename(machine, state, &place);
        let mut old: Vec<_> = state.heap.drain(..).map(Some).collect();
        let left = |number: &Option<u32>| {
            number.and_then(|i| old[i as usize].take()).unwrap_or_else(HeapObject::vacant)
        };
        state.heap.extend(numbers.iter().map(left));
        Some(numbers)
    }

    /// The allocated objects that can be found.
    fn find(&self, machine: &Machine<'_>, state: &State) -> FoundObjects {
        let mut found = FoundObjects::new(state);
        for &cell in &self.cells {
            found.see(state.cells[cell], true);
        }
        for thread in &state.threads {
            for &slot in &self.thread_registers {
                found.see(thread.registers[slot], true);
            }
            for frame in &thread.frames {
                for &slot in &self.slots[frame.procedure.index()] {
                    found.see(thread.registers[frame.base as usize + slot], true);
                }
            }
            if self.results[thread.frames[0].procedure.index()] {
                found.see(thread.result, true);
            }
            for entry in &thread.buffer {
                if let Some((object, _)) = entry.loc.as_element() {
                    found.see(pointer::to_object(object.0, 0), true);
                }
                if self.holds_pointer(machine, state, entry) {
                    found.see(entry.value, true);
                }
            }
        }
        if self.in_integers {
            self.find_in_integers(machine, state, &mut found);
        }
        self.find_in_objects(machine, state, &mut found);
        if self.keeps_lost {
            let kept = |i: &u32| state.heap[*i as usize].life == Life::Live && !found.order.contains(i);
            let lost: Vec<u32> = (0..state.heap.len() as u32).filter(kept).collect();
            found.order.extend(lost);
        }
        found
    }

    /// Looks at the words that are not for pointers, outside of allocated objects.
    fn find_in_integers(&self, machine: &Machine<'_>, state: &State, found: &mut FoundObjects) {
        fn each_other(words: &[i64], pointers: &[usize], see: &mut impl FnMut(i64)) {
            let mut pointers = pointers.iter().peekable();
            for (i, word) in words.iter().enumerate() {
                if pointers.next_if(|pointer| **pointer == i).is_none() {
                    see(*word);
                }
            }
        }
        let mut see = |word: i64| found.see(word, false);
        each_other(&state.cells, &self.cells, &mut see);
        for thread in &state.threads {
            let (own, _) = thread.registers.split_at(self.own_registers);
            each_other(own, &self.thread_registers, &mut see);
            for frame in &thread.frames {
                let (base, count) = (frame.base as usize, self.registers[frame.procedure.index()]);
                let slots = &self.slots[frame.procedure.index()];
                each_other(&thread.registers[base..base + count], slots, &mut see);
            }
            if !self.results[thread.frames[0].procedure.index()] {
                see(thread.result);
            }
            for entry in thread.buffer.iter().filter(|e| e.kind != EntryKind::Barrier) {
                if !self.holds_pointer(machine, state, entry) {
                    see(entry.value);
                }
            }
        }
    }

    /// Looks at all that those lead to that are found already.
    fn find_in_objects(&self, machine: &Machine<'_>, state: &State, found: &mut FoundObjects) {
        let mut next = 0;
        while let Some(&index) = found.order.get(next) {
            next += 1;
            let object = &state.heap[index as usize];
            for (number, value) in object.cells.iter().enumerate() {
                let Some(value) = value else { continue };
                let holds_pointer = is_pointer(machine.heap_cell_type(object, number));
                if holds_pointer || self.in_integers {
                    found.see(*value, holds_pointer);
                }
            }
        }
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
