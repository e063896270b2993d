//! Types of variables, and how their values lie in memory.
//!
//! A type is a scalar, an array or a record. In memory it is a row of cells, one for each scalar
//! in it; each cell has a byte offset, because that is how C programs address it. The members of
//! a union overlap: it is cut into the coarsest cells such that every scalar of every member is a
//! row of whole ones. A scalar may therefore cover several cells. Mutexes and
//! handles have no bytes that others see: they keep cells of their own, after the others.

use crate::scalar::{IntType, Scalar};
use crate::wanted;
use std::collections::HashMap;

/// A record of [`Records`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// The length of an array whose elements come into being when they are touched. Any integer is an
/// index. It has no cells of its own and is in no other type.
pub const UNBOUNDED: u32 = 0;

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// Elements one after the other.
    Array(Box<Type>, u32),
    /// Named members.
    Record(RecordId),
}

impl Type {
    /// An array of arrays of scalars; just the scalar without dimensions.
    pub fn with_dims(scalar: Scalar, dims: &[u32]) -> Type {
        dims.iter().rev().fold(Type::Scalar(scalar), |ty, &n| Type::Array(Box::new(ty), n))
    }

    /// The dimensions of the arrays around the innermost type.
    pub fn dims(&self) -> Vec<u32> {
        let mut dims = Vec::new();
        let mut ty = self;
        while let Type::Array(element, n) = ty {
            dims.push(*n);
            ty = element;
        }
        dims
    }

    /// The type that the arrays are of.
    pub fn innermost(&self) -> &Type {
        match self {
            Type::Array(element, _) => element.innermost(),
            Type::Scalar(_) | Type::Record(_) => self,
        }
    }

    /// The scalar that this is, or is an array of.
    pub fn leaf(&self) -> Option<Scalar> {
        match self.innermost() {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Array(..) | Type::Record(_) => None,
        }
    }

    /// The scalar that this is.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Array(..) | Type::Record(_) => None,
        }
    }

    /// Whether every integer is an index.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Type::Array(_, UNBOUNDED))
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name; empty for an unnamed record within a record.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its first byte, counted from the record's first.
    pub offset: u64,
}

/// Whether members lie one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// They do.
    Struct,
    /// They overlap.
    Union,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Which of the two.
    pub kind: RecordKind,
    /// Members in order.
    pub fields: Vec<Field>,
    /// Bytes, padding included.
    pub size: u64,
}

/// A step into a value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// An element of an array.
    Index(u32),
    /// A member of a record.
    Field(usize),
}

/// A scalar's place in a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// Its first byte.
    pub offset: u64,
    /// What it holds.
    pub ty: Scalar,
}

/// The records of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Records(pub Vec<Record>);

impl Records {
    /// A record.
    pub fn get(&self, id: RecordId) -> &Record {
        &self.0[id.0 as usize]
    }

    /// Bytes of a type.
    pub fn size(&self, ty: &Type) -> u64 {
        match ty {
            Type::Scalar(scalar) => scalar.size(),
            Type::Array(element, n) => self.size(element).saturating_mul((*n).into()),
            Type::Record(id) => self.get(*id).size,
        }
    }

    /// Number of cells of a type; none for an unbounded array.
    pub fn cells(&self, ty: &Type) -> u64 {
        match ty {
            Type::Scalar(_) => 1,
            Type::Array(element, n) => self.cells(element).saturating_mul((*n).into()),
            Type::Record(id) => match self.get(*id).kind {
                RecordKind::Struct => self.get(*id).fields.iter().map(|f| self.cells(&f.ty)).sum(),
                RecordKind::Union => self.layout(ty).len() as u64,
            },
        }
    }

    /// The cells of a type, in order of their numbers.
    pub fn layout(&self, ty: &Type) -> Vec<Cell> {
        let mut cells = Vec::new();
        self.add_cells(ty, 0, &mut cells);
        cells
    }

    fn add_cells(&self, ty: &Type, offset: u64, cells: &mut Vec<Cell>) {
        wanted::point();
        match ty {
            Type::Scalar(ty) => cells.push(Cell { offset, ty: *ty }),
            Type::Array(element, n) => {
                let size = self.size(element);
                (0..u64::from(*n)).for_each(|i| self.add_cells(element, offset + i * size, cells));
            }
            Type::Record(id) => {
                let record = self.get(*id);
                let first = cells.len();
                for field in &record.fields {
                    self.add_cells(&field.ty, offset + field.offset, cells);
                }
                if record.kind == RecordKind::Union {
                    let members = cells.split_off(first);
                    cells.extend(cut(&members));
                }
            }
        }
    }

    /// Calls `see` with the way to every scalar of a type; members of unions all count.
    pub fn scalars(&self, ty: &Type, path: &mut Vec<Step>, see: &mut impl FnMut(&[Step], Scalar)) {
        match ty {
            Type::Scalar(scalar) => see(path, *scalar),
            Type::Array(element, n) => {
                for i in 0..*n {
                    path.push(Step::Index(i));
                    self.scalars(element, path, see);
                    path.pop();
                }
            }
            Type::Record(id) => {
                for (i, field) in self.get(*id).fields.iter().enumerate() {
                    path.push(Step::Field(i));
                    self.scalars(&field.ty, path, see);
                    path.pop();
                }
            }
        }
    }

    /// The byte offset of the scalar that a path leads to, and its type.
    pub fn offset(&self, ty: &Type, path: &[Step]) -> (u64, Scalar) {
        match (path.split_first(), ty) {
            (None, Type::Scalar(scalar)) => (0, *scalar),
            (Some((Step::Index(i), rest)), Type::Array(element, _)) => {
                let (offset, scalar) = self.offset(element, rest);
                (offset + u64::from(*i) * self.size(element), scalar)
            }
            (Some((Step::Field(i), rest)), Type::Record(id)) => {
                let field = &self.get(*id).fields[*i];
                let (offset, scalar) = self.offset(&field.ty, rest);
                (offset + field.offset, scalar)
            }
            _ => panic!("a path leads to a scalar"),
        }
    }

    /// Whether there is a union in a type.
    pub fn has_union(&self, ty: &Type) -> bool {
        match ty {
            Type::Scalar(_) => false,
            Type::Array(element, _) => self.has_union(element),
            Type::Record(id) => {
                let record = self.get(*id);
                record.kind == RecordKind::Union || record.fields.iter().any(|f| self.has_union(&f.ty))
            }
        }
    }

    /// The number of a struct's first cell of a field.
    pub fn first_cell(&self, id: RecordId, field: usize) -> u64 {
        self.get(id).fields[..field].iter().map(|f| self.cells(&f.ty)).sum()
    }

    /// How a row of cells is reached: by the member that they are together, else by the first and the last.
    pub fn row_path(&self, ty: &Type, row: &[Cell]) -> String {
        let (Some(first), Some(last)) = (row.first(), row.last()) else { return String::new() };
        let (start, whole) = (self.path(ty, *first), self.path(ty, together(row.iter().copied(), *first)));
        match row.len() > 1 && start == whole {
            true => format!("{start}..{}", self.path(ty, *last)),
            false => whole,
        }
    }

    /// How the cell at an offset is reached from a variable of the type, as in `[2].next`.
    pub fn path(&self, ty: &Type, cell: Cell) -> String {
        match ty {
            Type::Scalar(_) => String::new(),
            Type::Array(element, _) => {
                let size = self.size(element).max(1);
                let (index, offset) = (cell.offset / size, cell.offset % size);
                format!("[{index}]{}", self.path(element, Cell { offset, ..cell }))
            }
            Type::Record(id) => {
                let inside =
                    |f: &&Field| cell.offset >= f.offset && cell.offset < f.offset + self.size(&f.ty).max(1);
                let holds = |f: &&Field| {
                    let offset = cell.offset - f.offset;
                    self.layout(&f.ty).iter().any(|c| c.offset == offset && c.ty.size() == cell.ty.size())
                };
                let fields = &self.get(*id).fields;
                let candidates = || fields.iter().filter(inside);
                let Some(field) = candidates().find(holds).or_else(|| candidates().next()) else {
                    return format!("+{}", cell.offset);
                };
                let offset = cell.offset - field.offset;
                let dot = if field.name.is_empty() { "" } else { "." };
                format!("{dot}{}{}", field.name, self.path(&field.ty, Cell { offset, ..cell }))
            }
        }
    }
}

/// What is as large as all these cells, one after the other; one alone is itself.
fn together(cells: impl Iterator<Item = Cell>, first: Cell) -> Cell {
    let (mut count, mut end) = (0, first.offset);
    for cell in cells {
        count += 1;
        end = end.max(cell.offset + cell.ty.size());
    }
    match count {
        0 | 1 => first,
        _ => {
            let bits = ((end - first.offset) * 8) as u8;
            Cell { ty: Scalar::Int(IntType { bits, signed: false }), ..first }
        }
    }
}

/// The coarsest cells such that each of these is a row of whole ones.
fn cut(overlapping: &[Cell]) -> Vec<Cell> {
    let (seen, own): (Vec<Cell>, Vec<Cell>) = overlapping.iter().partition(|cell| cell.ty.has_bits());
    let mut borders: Vec<u64> = seen.iter().flat_map(|c| [c.offset, c.offset + c.ty.size()]).collect();
    borders.sort_unstable();
    borders.dedup();
    // What fills a piece wholly gives it its type, a pointer before others.
    let mut whole: HashMap<(u64, u64), Scalar> = HashMap::new();
    for cell in &seen {
        let ty = whole.entry((cell.offset, cell.ty.size())).or_insert(cell.ty);
        if matches!(cell.ty, Scalar::Pointer { .. }) {
            *ty = cell.ty;
        }
    }
    let mut spans: Vec<(u64, u64)> = seen.iter().map(|c| (c.offset, c.offset + c.ty.size())).collect();
    spans.sort_unstable();
    let mut cells = Vec::new();
    let (mut next, mut covered) = (0, 0);
    for pair in borders.windows(2) {
        let (offset, size) = (pair[0], pair[1] - pair[0]);
        while let Some((start, end)) = spans.get(next)
            && *start <= offset
        {
            covered = covered.max(*end);
            next += 1;
        }
        if covered > offset {
            let part = Scalar::Int(IntType { bits: (size * 8) as u8, signed: false });
            cells.push(Cell { offset, ty: whole.get(&(offset, size)).copied().unwrap_or(part) });
        }
    }
    for cell in own {
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(bits: u8) -> Scalar {
        Scalar::Int(IntType { bits, signed: true })
    }

    fn field(name: &str, ty: Type, offset: u64) -> Field {
        Field { name: name.into(), ty, offset }
    }

    #[test]
    fn cells_know_their_bytes_and_names() {
        let pair = Record {
            name: "pair".into(),
            kind: RecordKind::Struct,
            fields: vec![field("key", int(8).into(), 0), field("next", Type::with_dims(int(32), &[2]), 4)],
            size: 12,
        };
        let records = Records(vec![pair]);
        let ty = Type::Array(Box::new(Type::Record(RecordId(0))), 2);
        assert_eq!(records.size(&ty), 24);
        assert_eq!(records.cells(&ty), 6);
        let layout = records.layout(&ty);
        let offsets: Vec<_> = layout.iter().map(|c| c.offset).collect();
        assert_eq!(offsets, [0, 4, 8, 12, 16, 20]);
        let names: Vec<_> = layout.iter().map(|c| records.path(&ty, *c)).collect();
        assert_eq!(names, ["[0].key", "[0].next[0]", "[0].next[1]", "[1].key", "[1].next[0]", "[1].next[1]"]);
    }

    #[test]
    fn a_union_is_cut_where_any_member_is() {
        let either = Record {
            name: "either".into(),
            kind: RecordKind::Union,
            fields: vec![
                field("whole", int(32).into(), 0),
                field("also", int(32).into(), 0),
                field("half", Type::with_dims(int(16), &[2]), 0),
            ],
            size: 4,
        };
        let records = Records(vec![either]);
        let ty = Type::Record(RecordId(0));
        let layout = records.layout(&ty);
        let shape: Vec<_> = layout.iter().map(|c| (c.offset, c.ty.size())).collect();
        assert_eq!(shape, [(0, 2), (2, 2)]);
        assert_eq!(records.path(&ty, layout[1]), ".half[1]");
        assert_eq!(records.row_path(&ty, &layout), ".whole");
        let bytes = Type::with_dims(int(8), &[4]);
        assert_eq!(records.row_path(&bytes, &records.layout(&bytes)), "[0]..[3]");
    }
}
