//! Which cells an access covers, and how its value is made of theirs.
//!
//! An access names a cell of an object, or follows a pointer to a byte of one; then it covers the cells that its type has
//! room for, which have to begin and end where it does. Its bits are theirs one after the other, the lowest first.

use fencepost_ir::cfg::{Address, Loc, ObjectId, Program};
use fencepost_ir::eval::{Registers, eval};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Cell, Fault, Scalar};

/// The cells of an access in their order, each with its type, and the type of the whole.
pub struct Place {
    cells: Vec<(Loc, Scalar)>,
    /// The type of the value.
    pub access: Scalar,
}

/// Where the objects of a program lie.
pub struct Objects<'a> {
    program: &'a Program,
    bases: Vec<u32>,
    layouts: Vec<Vec<Cell>>,
}

impl<'a> Objects<'a> {
    pub fn new(program: &'a Program) -> Objects<'a> {
        let layouts = program.objects.iter().map(|o| program.records.layout(&o.ty)).collect();
        Objects { program, bases: program.cell_bases(), layouts }
    }

    /// The place that an address means to a thread.
    pub fn resolve(&self, registers: &impl Registers, address: &Address) -> Result<Place, Fault> {
        match address {
            Address::Cell { object, index } => self.cell(*object, eval(index, registers)?),
            Address::Pointed { pointer, ty } => self.pointed(eval(pointer, registers)?, *ty),
        }
    }

    fn cell(&self, object: ObjectId, index: i64) -> Result<Place, Fault> {
        let ty = &self.program.object(object).ty;
        if ty.is_unbounded() {
            let loc = Loc::element(object, index).ok_or(Fault::Overflow)?;
            let access = ty.leaf().expect("an unbounded array has scalars");
            return Ok(Place { cells: vec![(loc, access)], access });
        }
        let cells = &self.layouts[object.index()];
        match usize::try_from(index).ok().and_then(|i| cells.get(i)) {
            Some(cell) => {
                let loc = Loc::cell(self.bases[object.index()] + index as u32);
                Ok(Place { cells: vec![(loc, cell.ty)], access: cell.ty })
            }
            None => Err(Fault::OutOfBounds { index, len: cells.len() as u32 }),
        }
    }

    fn pointed(&self, word: i64, access: Scalar) -> Result<Place, Fault> {
        let (object, start) = match pointer::target(word) {
            Target::Null => return Err(Fault::NullPointer),
            Target::Procedure(_) => return Err(Fault::WildPointer),
            Target::Object(object, start) => (object as usize, start),
        };
        let layout = self.layouts.get(object).ok_or(Fault::WildPointer)?;
        let size = self.program.records.size(&self.program.objects[object].ty);
        let end = start.checked_add(access.size()).filter(|end| *end <= size);
        let end = end.ok_or(Fault::OutsideObject { offset: start, size })?;
        let number = |i: usize| Loc::cell(self.bases[object] + i as u32);
        let inside = |cell: &Cell| start <= cell.offset && cell.offset + cell.ty.size() <= end;
        let same = layout.iter().position(|c| inside(c) && c.ty.size() == access.size());
        let cells: Vec<(usize, &Cell)> = match same {
            Some(i) => vec![(i, &layout[i])],
            None => layout.iter().enumerate().filter(|(_, c)| inside(c) && c.ty.has_bits()).collect(),
        };
        let covered: u64 = cells.iter().map(|(_, c)| c.ty.size()).sum();
        let is_pointer = |ty: Scalar| matches!(ty, Scalar::Pointer { .. });
        let mixes_pointers = cells.iter().any(|(_, c)| is_pointer(c.ty) != is_pointer(access));
        if covered != access.size() || mixes_pointers && !self.program.exposes_pointers {
            return Err(Fault::MixedSize);
        }
        Ok(Place { cells: cells.into_iter().map(|(i, c)| (number(i), c.ty)).collect(), access })
    }
}

impl Place {
    /// The cells.
    pub fn locs(&self) -> impl Iterator<Item = Loc> + '_ {
        self.cells.iter().map(|(loc, _)| *loc)
    }

    /// The value of the whole, when its cells hold these.
    pub fn joined(&self, values: &[i64]) -> Option<i64> {
        if let [(_, ty)] = self.cells[..] {
            return ty.same_bits(values[0], self.access);
        }
        let (mut bits, mut shift) = (0, 0);
        for ((_, ty), value) in self.cells.iter().zip(values) {
            bits |= ty.to_bits(*value)? << shift;
            shift += ty.size() * 8;
        }
        self.access.from_bits(bits)
    }

    /// What each cell gets when a value is written.
    pub fn split(&self, value: i64) -> Option<Vec<(Loc, i64)>> {
        if let [(loc, ty)] = self.cells[..] {
            return Some(vec![(loc, self.access.same_bits(value, ty)?)]);
        }
        let mut bits = self.access.to_bits(value)?;
        let mut parts = Vec::new();
        for (loc, ty) in &self.cells {
            parts.push((*loc, ty.from_bits(bits)?));
            bits = bits.checked_shr(ty.size() as u32 * 8).unwrap_or(0);
        }
        Some(parts)
    }
}
