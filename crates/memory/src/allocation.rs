//! Objects come and go: `malloc`, `realloc`, `free`, and local variables that are in memory.

use crate::heap::Life;
use crate::machine::Machine;
use crate::state::State;
use fencepost_ir::Fault;
use fencepost_ir::cfg::{Fill, HeapTypeId, ObjectId, Storage};
use fencepost_ir::pointer::{self, Target};
use fencepost_task::Failure;

/// The largest object that can be allocated, and the largest number of objects.
const MAX_OBJECT: u64 = 1 << 24;
const MAX_OBJECTS: u64 = (1 << 15) - 1;

impl Machine<'_> {
    /// Makes an object; the pointer to it.
    pub(crate) fn allocate(
        &self,
        state: &mut State,
        ty: HeapTypeId,
        bytes: i64,
        fill: Fill,
        storage: Storage,
    ) -> Result<i64, Failure> {
        let number = u64::from(state.first_heap) + state.heap.len() as u64;
        let bits = self.program.pointer_bits;
        if bytes < 0 || bytes as u64 > MAX_OBJECT.min(pointer::limit(bits)) || number > MAX_OBJECTS {
            return Err(Failure::Fault(Fault::Overflow));
        }
        state.heap.push(self.heap_layouts[ty.index()].allocate(ty, bytes as u64, fill, storage));
        Ok(pointer::to_object(number as u32, 0, bits))
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
        let old = match pointer::target(word, self.program.pointer_bits) {
            Target::Object(number, _) => state.heap_object(ObjectId(number)).cloned(),
            Target::Null | Target::Procedure(_) => None,
        };
        let ty = old.as_ref().map_or(ty, |old| old.ty);
        let new = self.allocate(state, ty, bytes, Fill::Undefined, Storage::Heap)?;
        if let Err(failure) = self.free(state, index, word, Storage::Heap) {
            state.heap.pop();
            return Err(failure);
        }
        let copy = state.heap.last_mut().expect("just allocated");
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
        let (number, offset) = match pointer::target(word, self.program.pointer_bits) {
            Target::Null => return Ok(()),
            Target::Procedure(_) => return Err(Failure::Fault(Fault::InvalidFree)),
            Target::Object(number, offset) => (number, offset),
        };
        let index_in_heap = number.checked_sub(state.first_heap).map(|i| i as usize);
        let Some(object) = index_in_heap.and_then(|i| state.heap.get_mut(i)) else {
            return Err(Failure::Fault(Fault::InvalidFree));
        };
        if offset != 0 || object.storage != storage {
            return Err(Failure::Fault(Fault::InvalidFree));
        }
        if object.life == Life::Freed {
            return Err(Failure::Fault(Fault::DoubleFree));
        }
        object.life = Life::Freed;
        object.cells = Vec::new();
        // Nobody can see them any more: the object's number is not used again.
        state.threads[index].forget_stores(ObjectId(number));
        Ok(())
    }
}
