//! Allocated objects, and how pointers find cells.
//!
//! Allocated objects are numbered in the order of their allocation, from the number of the
//! program's own objects on. A pointer to an object that is gone stays a pointer to that object, so that following it
//! is seen. Machines use addresses again: where a program compares pointers (`Program::notices_reuse`), a new object
//! may also get the number of one that is gone, of the same type and size. The number of an object that a search has forgotten,
//! since nothing leads to it, is free.

use fencepost_ir::cfg::{Fill, HeapTypeId, Storage};
use fencepost_ir::{Cell, Fault, Records, Scalar, Type};

/// How far an object's life has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Life {
    /// It can be accessed.
    Live,
    /// It is gone.
    Freed,
    /// It is gone, and nothing leads to it: its number can be given again.
    Vacant,
}

/// An allocated object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HeapObject {
    /// What it consists of.
    pub ty: HeapTypeId,
    /// Its size.
    pub bytes: u64,
    /// Its cells; `None` in one that was never written. A freed object has none.
    pub cells: Vec<Option<i64>>,
    /// Whether it can be accessed.
    pub life: Life,
    /// How long it lives.
    pub storage: Storage,
}

impl HeapObject {
    /// What stands where an object was that nothing leads to any more.
    pub fn vacant() -> HeapObject {
        let (ty, storage) = (HeapTypeId(0), Storage::Heap);
        HeapObject { ty, bytes: 0, cells: Vec::new(), life: Life::Vacant, storage }
    }
}

/// Where the scalars of an object lie: elements one after the other, cut off at the object's size,
/// and for an allocated record that ends in an array without length, that array up to the object's size.
pub struct Layout {
    element: Vec<Cell>,
    stride: u64,
    /// First byte and element of the array at the end.
    tail: Option<(u64, Box<Layout>)>,
    /// The cells of an element whose bits others can see, by their offsets.
    starts: Vec<(u64, u32)>,
}

/// The cells of an object that an access covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The number of the first.
    pub first: usize,
    /// How many they are.
    pub count: u32,
    /// The type of the first.
    pub cell: Scalar,
    /// Whether an integer shows a pointer's bits, or the other way round.
    pub mixes_pointers: bool,
}

impl Layout {
    /// The layout of a variable. Its type says how large it is, so an array without length has no elements there,
    /// and where there are several records, the next one begins at its place.
    pub fn of_variable(records: &Records, ty: &Type) -> Layout {
        Layout { tail: None, ..Layout::new(records, ty) }
    }

    /// The layout of allocated memory that holds values of a type, one after the other.
    pub fn new(records: &Records, ty: &Type) -> Layout {
        let element = ty.innermost();
        // In an array of records the next one begins where the array without length would.
        let tail = match ty {
            Type::Record(id) => records.get(*id).fields.last().and_then(|last| match &last.ty {
                Type::Array(of, 0) => Some((last.offset, Box::new(Layout::new(records, of)))),
                _ => None,
            }),
            Type::Scalar(_) | Type::Array(..) => None,
        };
        let stride = records.size(element).max(1);
        let element = records.layout(element);
        let numbered = (0..).zip(&element).filter(|(_, cell)| cell.ty.has_bits());
        let mut starts: Vec<(u64, u32)> = numbered.map(|(i, cell)| (cell.offset, i)).collect();
        starts.sort_unstable();
        Layout { element, stride, tail, starts }
    }

    /// Splits an object's bytes into those of elements and those of the array at the end.
    fn split(&self, bytes: u64) -> (u64, u64) {
        match &self.tail {
            Some((offset, _)) if bytes > *offset => (*offset, bytes - offset),
            _ => (bytes, 0),
        }
    }

    /// Cells of the elements in the first bytes.
    fn element_cells(&self, bytes: u64) -> usize {
        let (whole, rest) = (bytes / self.stride, bytes % self.stride);
        // Up to the last that is there: cells without bits are not in the order of their offsets.
        let part = self.element.iter().rposition(|c| c.offset + c.ty.size() <= rest).map_or(0, |i| i + 1);
        whole as usize * self.element.len() + part
    }

    /// The size of an object of so many elements: of the array at the end, if there is one.
    pub fn size_of(&self, elements: u64) -> u64 {
        match &self.tail {
            Some((offset, tail)) => offset + tail.size_of(elements),
            None => elements * self.stride,
        }
    }

    /// The number of cells of an object of that size.
    pub fn cells(&self, bytes: u64) -> usize {
        let (head, rest) = self.split(bytes);
        match &self.tail {
            // The record's own members end where the array begins.
            Some((_, tail)) if bytes > head => self.element.len() + tail.cells(rest),
            _ => self.element_cells(bytes),
        }
    }

    /// The cells that an access of a type covers, from a byte of an object of `bytes` on.
    pub fn find(&self, bytes: u64, offset: u64, ty: Scalar) -> Result<Found, Fault> {
        if offset.checked_add(ty.size()).is_none_or(|end| end > bytes) {
            return Err(Fault::OutsideObject { offset, size: bytes });
        }
        let first = self.first(bytes, offset, ty).ok_or(Fault::MixedSize)?;
        let cell = self.cell(bytes, first);
        let is_pointer = |ty: Scalar| matches!(ty, Scalar::Pointer { .. });
        if cell.ty.size() == ty.size() {
            let mixes_pointers = is_pointer(cell.ty) != is_pointer(ty);
            return Ok(Found { first, count: 1, cell: cell.ty, mixes_pointers });
        }
        let mut mixes_pointers = is_pointer(ty);
        let total = self.cells(bytes);
        let mut covered = 0;
        let mut number = first;
        while covered < ty.size() {
            let next = (number < total).then(|| self.cell(bytes, number));
            let Some(next) = next.filter(|c| c.offset == offset + covered && c.ty.has_bits()) else {
                return Err(Fault::MixedSize);
            };
            covered += next.ty.size();
            mixes_pointers |= is_pointer(next.ty);
            number += 1;
        }
        match covered == ty.size() && ty.has_bits() {
            true => Ok(Found { first, count: (number - first) as u32, cell: cell.ty, mixes_pointers }),
            false => Err(Fault::MixedSize),
        }
    }

    /// The cell that begins at a byte. Where one without bits is there, too, the access has none or is as large.
    fn first(&self, bytes: u64, offset: u64, ty: Scalar) -> Option<usize> {
        if let Some((start, tail)) = &self.tail
            && offset >= *start
        {
            let (head, rest) = self.split(bytes);
            return Some(self.element.len() + tail.first(rest, offset - head, ty)?);
        }
        let (index, within) = (offset / self.stride, offset % self.stride);
        let before = index as usize * self.element.len();
        if ty.has_bits()
            && let Ok(i) = self.starts.binary_search_by_key(&within, |(offset, _)| *offset)
        {
            return Some(before + self.starts[i].1 as usize);
        }
        let same = |c: &Cell| c.offset == within && c.ty.size() == ty.size();
        self.element.iter().position(same).map(|number| before + number)
    }

    /// Where a cell lies, and its type.
    pub fn cell(&self, bytes: u64, number: usize) -> Cell {
        let (head, rest) = self.split(bytes);
        match &self.tail {
            Some((offset, tail)) if bytes > head && number >= self.element.len() => {
                let cell = tail.cell(rest, number - self.element.len());
                Cell { offset: cell.offset + offset, ..cell }
            }
            _ => {
                let cell = self.element[number % self.element.len()];
                let index = (number / self.element.len()) as u64;
                Cell { offset: cell.offset + index * self.stride, ..cell }
            }
        }
    }

    /// A new object.
    pub(crate) fn allocate(&self, ty: HeapTypeId, bytes: u64, fill: Fill, storage: Storage) -> HeapObject {
        let value = |number| match fill {
            Fill::Zero => Some(self.cell(bytes, number).ty.default_value()),
            Fill::Undefined => None,
        };
        let cells = (0..self.cells(bytes)).map(value).collect();
        HeapObject { ty, bytes, cells, life: Life::Live, storage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::{Field, IntType, Record, RecordId, RecordKind};

    fn int(bits: u8) -> Scalar {
        Scalar::Int(IntType { bits, signed: true })
    }

    fn record(fields: Vec<(u64, Type)>, size: u64) -> (Records, Type) {
        let named = fields.into_iter().map(|(offset, ty)| Field { name: format!("f{offset}"), ty, offset });
        let record = Record { name: "r".into(), kind: RecordKind::Struct, fields: named.collect(), size };
        (Records(vec![record]), Type::Record(RecordId(0)))
    }

    fn several(first: usize, count: u32, cell: Scalar) -> Found {
        Found { first, count, cell, mixes_pointers: false }
    }

    fn one(first: usize, cell: Scalar) -> Found {
        several(first, 1, cell)
    }

    #[test]
    fn wide_accesses_cover_whole_cells() {
        let (records, ty) = record(
            vec![(0, int(16).into()), (2, int(16).into()), (4, int(32).into()), (12, int(32).into())],
            16,
        );
        let layout = Layout::new(&records, &ty);
        assert_eq!(layout.find(16, 0, int(64)), Ok(several(0, 3, int(16))));
        assert_eq!(layout.find(16, 0, int(32)), Ok(several(0, 2, int(16))));
        for (offset, bits) in [(2, 32), (4, 16), (1, 8), (8, 64), (6, 16)] {
            assert_eq!(layout.find(16, offset, int(bits)), Err(Fault::MixedSize), "{offset} {bits}");
        }
        let bytes = Layout::of_variable(&Records::default(), &Type::with_dims(int(8), &[16]));
        assert_eq!(bytes.find(16, 3, int(32)), Ok(several(3, 4, int(8))));
        assert_eq!(bytes.find(16, 13, int(32)), Err(Fault::OutsideObject { offset: 13, size: 16 }));
    }

    #[test]
    fn every_cell_is_found_at_its_bytes() {
        let (records, ty) = record(vec![(0, int(64).into()), (8, int(32).into())], 16);
        let layout = Layout::new(&records, &ty);
        let bytes = 40; // two records, and the first member of a third
        assert_eq!(layout.cells(bytes), 5);
        for number in 0..5 {
            let cell = layout.cell(bytes, number);
            assert_eq!(layout.find(bytes, cell.offset, cell.ty), Ok(one(number, cell.ty)));
        }
        assert_eq!(layout.find(bytes, 4, int(32)), Err(Fault::MixedSize));
        assert_eq!(layout.find(bytes, 40, int(8)), Err(Fault::OutsideObject { offset: 40, size: 40 }));
        assert_eq!(
            layout.find(bytes, u64::MAX - 1, int(32)),
            Err(Fault::OutsideObject { offset: u64::MAX - 1, size: 40 })
        );
    }

    #[test]
    fn an_array_without_length_takes_the_rest() {
        let tail = Type::Array(Box::new(int(32).into()), 0);
        let (records, ty) = record(vec![(0, int(32).into()), (4, tail)], 4);
        let layout = Layout::new(&records, &ty);
        assert_eq!(layout.cells(16), 4);
        for number in 0..4 {
            let cell = layout.cell(16, number);
            assert_eq!(cell.offset, 4 * number as u64);
            assert_eq!(layout.find(16, cell.offset, int(32)), Ok(one(number, int(32))));
        }
        assert_eq!(layout.cells(4), 1);
    }

    #[test]
    fn variables_have_exactly_the_cells_of_their_type() {
        for (offset, size) in [(4, 4), (5, 8), (1, 4)] {
            let first = if offset == 1 { int(8) } else { int(32) };
            let tail = Type::Array(Box::new(int(8).into()), 0);
            let (records, ty) = record(vec![(0, first.into()), (offset, tail)], size);
            for ty in [ty.clone(), Type::Array(Box::new(ty), 3)] {
                let (layout, cells) = (Layout::of_variable(&records, &ty), records.layout(&ty));
                let bytes = records.size(&ty);
                assert_eq!(layout.cells(bytes), cells.len());
                for (number, cell) in cells.iter().enumerate() {
                    assert_eq!(layout.find(bytes, cell.offset, cell.ty), Ok(one(number, cell.ty)));
                    assert_eq!(layout.cell(bytes, number), *cell);
                }
            }
        }
    }
}
