//! Objects come and go: `malloc`, `realloc`, `free`, and local variables that are in memory.

use crate::heap::{HeapObject, Life};
use crate::machine::Machine;
use crate::state::{BYTES_A_CELL, State};
use fencepost_ir::Fault;
use fencepost_ir::cfg::{Expr, Fill, HeapTypeId, Instr, ObjectId, Storage};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_task::{Action, Failure, Step};

/// The largest object that can be allocated, and the largest number of objects.
const MAX_OBJECT: u64 = 1 << 24;
const MAX_OBJECTS: u64 = (1 << 15) - 1;

/// The bits of a pointer that programs put marks and counters in.
const MARK_BITS: u32 = 16;

impl Machine<'_> {
    /// Bytes that the state grows by with a step, where that may be many: what is taken of a budget before the step.
    pub fn growth(&self, state: &State, step: Step) -> u64 {
        let Action::Edge(id, _) = step.action else { return 0 };
        let thread = &state.threads[step.thread as usize];
        let of_size = |ty: HeapTypeId, bytes: &Expr| match eval(bytes, thread) {
            Ok(bytes) if (0..=MAX_OBJECT as i64).contains(&bytes) => {
                (BYTES_A_CELL * self.heap_layouts[ty.index()].cells(bytes as u64)) as u64
            }
            _ => 0,
        };
        match &self.edge(thread, id).instr {
            Instr::Allocate { ty, bytes, .. } => of_size(*ty, bytes),
            Instr::Reallocate { ty, pointer, bytes, .. } => {
                let old = match eval(pointer, thread).map(pointer::target) {
                    Ok(Target::Object(number, _)) => state.heap_object(ObjectId(number)),
                    _ => None,
                };
                let copied = old.map_or(0, |old| BYTES_A_CELL * old.cells.len());
                copied as u64 + of_size(old.map_or(*ty, |old| old.ty), bytes)
            }
            _ => 0,
        }
    }

    /// Makes an object, in place of one that is gone if so chosen; the pointer to it.
    pub(crate) fn allocate(
        &self,
        state: &mut State,
        ty: HeapTypeId,
        bytes: i64,
        fill: Fill,
        storage: Storage,
        place: Option<ObjectId>,
    ) -> Result<i64, Failure> {
        if let Some(gone) = place {
            let index = (gone.0 - state.first_heap) as usize;
            state.heap[index] = self.heap_layouts[ty.index()].allocate(ty, bytes as u64, fill, storage);
            return Ok(pointer::to_object(gone.0, 0));
        }
        let number = state.next_object().0;
        if bytes < 0 || bytes as u64 > MAX_OBJECT.min(pointer::LARGEST) || u64::from(number) > MAX_OBJECTS {
            return Err(Failure::Fault(Fault::TooMuchMemory));
        }
        let object = self.heap_layouts[ty.index()].allocate(ty, bytes as u64, fill, storage);
        match state.heap.get_mut((number - state.first_heap) as usize) {
            Some(vacant) => *vacant = object,
            None => state.heap.push(object),
        }
        Ok(pointer::to_object(number, 0))
    }

    /// The objects in whose place a new one of that type and size can be, as far as it matters: where nobody has a pointer to
    /// what is gone, nobody knows whether an address is new, unless somebody asks which address comes first.
    pub(crate) fn reusable(&self, state: &State, ty: HeapTypeId, bytes: i64) -> Vec<ObjectId> {
        let objects = (state.first_heap..).take(state.heap.len()).map(ObjectId);
        let mut gone: Vec<ObjectId> = objects.filter(|o| self.fits(state, *o, ty, bytes)).collect();
        if !gone.is_empty() && !self.program.orders_pointers {
            let remembered = remembered(state);
            gone.retain(|o| remembered[(o.0 - state.first_heap) as usize]);
        }
        gone
    }

    /// Whether an object is gone, and a new one of that type and size can be in its place. One of another type could be too,
    /// but pointers to different types are hardly ever compared.
    pub(crate) fn fits(&self, state: &State, object: ObjectId, ty: HeapTypeId, bytes: i64) -> bool {
        let fits = |object: &HeapObject| {
            object.life == Life::Freed
                && object.storage == Storage::Heap
                && object.ty == ty
                && i64::try_from(object.bytes) == Ok(bytes)
        };
        state.heap_object(object).is_some_and(fits)
    }

    /// Makes an object that holds what another one held, which is gone.
    pub(crate) fn reallocate(
        &self,
        state: &mut State,
        index: usize,
        word: i64,
        ty: HeapTypeId,
        bytes: i64,
    ) -> Result<i64, Failure> {
        let old = match pointer::target(word) {
            Target::Object(number, _) => state.heap_object(ObjectId(number)).cloned(),
            Target::Null | Target::Procedure(_) => None,
        };
        let ty = old.as_ref().map_or(ty, |old| old.ty);
        let place = (state.next_object().0 - state.first_heap) as usize;
        let new = self.allocate(state, ty, bytes, Fill::Undefined, Storage::Heap, None)?;
        if let Err(failure) = self.free(state, index, word, Storage::Heap) {
            state.heap[place] = HeapObject::vacant();
            return Err(failure);
        }
        let copy = &mut state.heap[place];
        let held = old.into_iter().flat_map(|old| old.cells);
        copy.cells.iter_mut().zip(held).for_each(|(cell, value)| *cell = value);
        Ok(new)
    }

    pub(crate) fn free(
        &self,
        state: &mut State,
        index: usize,
        word: i64,
        storage: Storage,
    ) -> Result<(), Failure> {
        let (number, offset) = match pointer::target(word) {
            Target::Null => return Ok(()),
            Target::Procedure(_) => return Err(Failure::Fault(Fault::InvalidFree)),
            Target::Object(number, offset) => (number, offset),
        };
        let index_in_heap = number.checked_sub(state.first_heap).map(|i| i as usize);
        let Some(object) = index_in_heap.and_then(|i| state.heap.get_mut(i)) else {
            return Err(Failure::Fault(Fault::InvalidFree));
        };
        if offset != 0 || object.storage != storage || object.life == Life::Vacant {
            return Err(Failure::Fault(Fault::InvalidFree));
        }
        if object.life == Life::Freed {
            return Err(Failure::Fault(Fault::DoubleFree));
        }
        object.life = Life::Freed;
        object.cells = Vec::new();
        // A local variable's number is not used again, and before memory is freed all stores have reached it.
        state.threads[index].forget_stores(ObjectId(number));
        Ok(())
    }
}

/// For each allocated object whether some word may be a pointer to it, with a mark in its high or low bits perhaps.
fn remembered(state: &State) -> Vec<bool> {
    let mut remembered = vec![false; state.heap.len()];
    let in_threads = state
        .threads
        .iter()
        .flat_map(|t| t.registers.iter().copied().chain(t.buffer.iter().map(|e| e.value)).chain([t.result]));
    let in_heap = state.heap.iter().flat_map(|o| o.cells.iter().flatten().copied());
    for word in state.cells.iter().copied().chain(in_heap).chain(in_threads) {
        for meaning in [word, word >> MARK_BITS, word << MARK_BITS >> MARK_BITS] {
            if let Target::Object(number, _) = pointer::target(meaning)
                && let Some(index) = number.checked_sub(state.first_heap)
                && let Some(known) = remembered.get_mut(index as usize)
            {
                *known = true;
            }
        }
    }
    remembered
}
