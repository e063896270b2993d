//! Which cells an access may mean: one for each value that its address may have.

use super::{Bounded, Refusal, Row};
use crate::values::Values;
use fencepost_ir::cfg::{Address, Loc, ObjectId};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Fault, Scalar};
use fencepost_memory::Layout;

/// More cells than this for one access are too many.
const MAX_TARGETS: i64 = 4096;

/// The cells that an address may mean.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// For each value of the address's expression, the cells.
    pub rows: Vec<Row>,
    /// Values for which the access is more than we can model.
    pub limits: Vec<i64>,
    /// Whether every value the address can have is one of these.
    pub complete: bool,
}

impl Targets {
    /// The cells that may be accessed; one more than once if several values lead to it.
    pub fn locs(&self) -> impl Iterator<Item = Loc> + '_ {
        self.rows.iter().flat_map(|row| row.cells().map(|(loc, _)| loc))
    }

    /// The most cells that are accessed at once.
    pub fn width(&self) -> usize {
        self.rows.iter().map(|row| row.types.len()).max().unwrap_or(0)
    }
}

impl Bounded<'_> {
    /// The cells that an address with a value means.
    fn locate(&self, address: &Address, value: i64) -> Result<Row, Fault> {
        let one = |first, ty| Row { value, first, types: vec![ty] };
        match address {
            Address::Cell { object, .. } => {
                let named = self.program.object(*object);
                if named.ty.is_unbounded() {
                    let loc = Loc::element(*object, value).ok_or(Fault::Overflow)?;
                    return Ok(one(loc, named.ty.leaf().expect("unbounded arrays are of scalars")));
                }
                let len = self.bases[object.index() + 1] - self.bases[object.index()];
                if !(0..i64::from(len)).contains(&value) {
                    return Err(Fault::OutOfBounds { index: value, len });
                }
                let bytes = self.program.records.size(&named.ty);
                let loc = Loc::cell(self.bases[object.index()] + value as u32);
                Ok(one(loc, self.layouts[object.index()].cell(bytes, value as usize).ty))
            }
            Address::Pointed { ty, .. } => {
                let (object, offset) = match pointer::target(value) {
                    Target::Null => return Err(Fault::NullPointer),
                    Target::Procedure(_) => return Err(Fault::WildPointer),
                    Target::Object(object, offset) => (ObjectId(object), offset),
                };
                let (first, found, layout, bytes) = match self.program.objects.get(object.index()) {
                    Some(named) => {
                        let bytes = self.program.records.size(&named.ty);
                        let layout = &self.layouts[object.index()];
                        let found = layout.find(bytes, offset, *ty)?;
                        let first = Loc::cell(self.bases[object.index()] + found.first as u32);
                        (first, found, layout, bytes)
                    }
                    None => {
                        let made = object.index() - self.program.objects.len();
                        let Some(allocated) = self.objects.get(made) else { return Err(Fault::WildPointer) };
                        let layout = &self.heap_layouts[self.heap_types[made]];
                        let found = layout.find(allocated.bytes, offset, *ty)?;
                        let first = Loc::element(object, found.first as i64).ok_or(Fault::Overflow)?;
                        (first, found, layout, allocated.bytes)
                    }
                };
                // The narrow form of a pointer of 4 bytes is left to explicit search.
                let is_word = self.program.pointer_bits == 64;
                let hides_pointers = found.mixes_pointers && !(is_word && self.program.exposes_pointers);
                if hides_pointers {
                    return Err(Fault::MixedSize);
                }
                let cells = found.first..found.first + found.count as usize;
                let types = cells.map(|number| layout.cell(bytes, number).ty).collect();
                Ok(Row { value, first, types })
            }
        }
    }

    /// All words that point to a scalar as wide as the type, or to several that are as wide together.
    fn all_pointers(&self, ty: Scalar) -> Vec<i64> {
        let mut words = Vec::new();
        let fits = |layout: &Layout, bytes: u64, cell: fencepost_ir::Cell| {
            cell.ty.size() == ty.size() || layout.find(bytes, cell.offset, ty).is_ok()
        };
        for (i, object) in self.program.objects.iter().enumerate() {
            let bytes = self.program.records.size(&object.ty);
            for cell in 0..self.layouts[i].cells(bytes) {
                let cell = self.layouts[i].cell(bytes, cell);
                if fits(&self.layouts[i], bytes, cell) {
                    words.push(pointer::to_object(i as u32, cell.offset));
                }
            }
        }
        for (i, object) in self.objects.iter().enumerate() {
            let layout = &self.heap_layouts[self.heap_types[i]];
            let number = (self.program.objects.len() + i) as u32;
            for cell in 0..layout.cells(object.bytes) {
                let cell = layout.cell(object.bytes, cell);
                if fits(layout, object.bytes, cell) {
                    words.push(pointer::to_object(number, cell.offset));
                }
            }
        }
        words
    }

    pub(super) fn targets(&self, address: &Address, values: &Values) -> Result<Targets, Refusal> {
        let candidates: Vec<i64> = match (values, address) {
            (Values::Few(values), _) => values.clone(),
            (Values::Range(lo, hi), _) if i128::from(*hi) - i128::from(*lo) < i128::from(MAX_TARGETS) => {
                (*lo..=*hi).collect()
            }
            (Values::Range(lo, hi), Address::Cell { object, .. }) => {
                if self.program.object(*object).ty.is_unbounded() {
                    return Err("an element of an unbounded array that may be any".into());
                }
                let len = i64::from(self.program.cells(*object));
                ((*lo).max(0)..=(*hi).min(len - 1)).collect()
            }
            (Values::Range(..), Address::Pointed { ty, .. }) => {
                self.all_pointers(*ty).into_iter().filter(|w| values.contains(*w)).collect()
            }
        };
        if candidates.len() as i64 > MAX_TARGETS {
            return Err("an access that may be to any of too many cells".into());
        }
        let mut targets = Targets { complete: matches!(values, Values::Few(_)), ..Targets::default() };
        for value in candidates {
            match self.locate(address, value) {
                Ok(row) => targets.rows.push(row),
                Err(fault) if fault.is_limit() => targets.limits.push(value),
                Err(_) => targets.complete = false,
            }
        }
        Ok(targets)
    }
}

/// The type that an access through an address has; the cell's where the address names it.
pub fn access_type(address: &Address, cell: Scalar) -> Scalar {
    match address {
        Address::Pointed { ty, .. } => *ty,
        Address::Cell { .. } => cell,
    }
}
