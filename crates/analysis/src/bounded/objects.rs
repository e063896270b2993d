//! The objects that steps allocate: one for each step and size, and those of other steps whose place they may take.

use super::{Bounded, CellFacts, Refusal};
use crate::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Fill, Loc, ObjectId, Storage};

/// What is known of a cell takes so many bytes, roughly.
const BYTES_A_CELL: u64 = 128;

/// An object that an allocation makes.
pub struct Object {
    /// Its size.
    pub bytes: u64,
    /// How long it lives.
    pub storage: Storage,
    /// The thread and the step that make it.
    pub by: (usize, usize),
}

impl Bounded<'_> {
    /// For each object, the thread and the step that allocate it.
    pub fn allocations(&self) -> impl Iterator<Item = ((usize, usize), usize)> + '_ {
        self.allocations.iter().flat_map(|(by, objects)| objects.values().map(|object| (*by, *object)))
    }

    /// The type and the size of an allocated object.
    pub fn kind(&self, object: usize) -> (usize, u64) {
        (self.heap_types[object], self.objects[object].bytes)
    }

    /// Whether an allocation may take the place of the object.
    pub fn is_reused(&self, object: usize) -> bool {
        self.reuses.values().any(|objects| objects.contains(&object))
    }

    /// An object of a step that allocates.
    pub(super) fn add_object(
        &mut self,
        by: (usize, usize),
        ty: usize,
        bytes: u64,
        fill: Fill,
        storage: Storage,
    ) -> Result<usize, Refusal> {
        let object = self.objects.len();
        let id = ObjectId((self.program.objects.len() + object) as u32);
        let layout = &self.heap_layouts[ty];
        self.pace.take(BYTES_A_CELL * layout.cells(bytes) as u64, || 0)?;
        for number in 0..layout.cells(bytes) {
            let ty = layout.cell(bytes, number).ty;
            let Some(loc) = Loc::element(id, number as i64) else {
                return Err("too many objects are allocated".into());
            };
            let init = match fill {
                Fill::Zero => Some(Values::one(ty.default_value())),
                Fill::Undefined => None,
            };
            self.cells.insert(loc, CellFacts::new(ty, init));
        }
        self.objects.push(Object { bytes, storage, by });
        self.heap_types.push(ty);
        self.changed = true;
        Ok(object)
    }

    /// A new object takes the place of one that is gone.
    pub(super) fn fill_again(&mut self, object: usize, fill: Fill) {
        for (loc, ty) in self.cells_of(object).collect::<Vec<_>>() {
            match fill {
                Fill::Zero => self.write(loc, ty, &Values::one(ty.default_value())),
                Fill::Undefined => {
                    let cell = self.cell(loc, ty);
                    let before = std::mem::replace(&mut cell.unwritten, true);
                    self.changed |= !before;
                }
            }
        }
    }

    /// The cells of an allocated object, and their types.
    pub fn cells_of(&self, object: usize) -> impl Iterator<Item = (Loc, Scalar)> + '_ {
        let id = ObjectId((self.program.objects.len() + object) as u32);
        let layout = &self.heap_layouts[self.heap_types[object]];
        let bytes = self.objects[object].bytes;
        (0..layout.cells(bytes)).map(move |number| {
            let loc = Loc::element(id, number as i64).expect("entered when it was allocated");
            (loc, layout.cell(bytes, number).ty)
        })
    }
}
