//! What cells and pointers are called in reports.

use crate::heap::Layout;
use crate::state::{Entry, State};
use fencepost_ir::cfg::{Loc, Program};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Cell, IntType, Scalar};

impl State {
    /// The name of an allocated object's cells from one on, and the first of them.
    fn heap_cells(&self, program: &Program, loc: Loc, cells: u32) -> Option<(String, Cell)> {
        let (object, number) = loc.as_element()?;
        let index = object.index().checked_sub(program.objects.len())?;
        let object = self.heap.get(index)?;
        let heap_type = &program.heap_types[object.ty.index()];
        let layout = Layout::new(&program.records, &heap_type.ty);
        let numbers = number as usize..number as usize + cells.max(1) as usize;
        let row: Vec<Cell> = numbers.map(|n| layout.cell(object.bytes, n)).collect();
        let (first, last) = (row[0], row[row.len() - 1]);
        let name = format!("{}#{}", heap_type.name, index + 1);
        let stride = program.records.size(&heap_type.ty).max(1);
        let place = match heap_type.ty {
            fencepost_ir::Type::Array(..) => program.records.row_path(&heap_type.ty, &row),
            _ => {
                let element = |cell: Cell| cell.offset / stride;
                let inside = |cell: &Cell| Cell { offset: cell.offset % stride, ..*cell };
                let in_element: Vec<Cell> =
                    row.iter().filter(|c| element(**c) == element(first)).map(inside).collect();
                let path = program.records.row_path(&heap_type.ty, &in_element);
                match (element(first), element(last)) {
                    (from, to) if from != to => format!("[{from}]..[{to}]"),
                    (only, _) if object.bytes >= 2 * stride => format!("[{only}]{path}"),
                    _ => path,
                }
            }
        };
        Some((format!("{name}{place}"), first))
    }

    /// The name of a cell.
    pub fn cell_name(&self, program: &Program, loc: Loc) -> String {
        self.cells_name(program, loc, 1)
    }

    /// The name of what an access to several cells is to: `u.whole`, not `u.half[0]`.
    pub fn cells_name(&self, program: &Program, loc: Loc, cells: u32) -> String {
        let own = || self.heap_cells(program, loc, cells).map(|(name, _)| name);
        program.cells_name(loc, cells).or_else(own).unwrap_or_else(|| "?".to_string())
    }

    /// A store that waits as an unsigned number, and its type; of a store to one cell its own.
    pub fn store_value(&self, program: &Program, store: &[Entry]) -> (Scalar, i64) {
        let ty = self.cell_type(program, store[0].loc);
        if store.len() == 1 {
            return (ty, store[0].value);
        }
        let (mut bits, mut shift) = (0, 0);
        for entry in store {
            let ty = self.cell_type(program, entry.loc);
            bits |= ty.to_bits(entry.value).unwrap_or(0) << shift;
            shift += ty.size() * 8;
        }
        let ty = Scalar::Int(IntType { bits: shift as u8, signed: false });
        (ty, ty.from_bits(bits).unwrap_or(0))
    }

    /// The type of a cell.
    pub fn cell_type(&self, program: &Program, loc: Loc) -> Scalar {
        let own = || self.heap_cells(program, loc, 1).map(|(_, cell)| cell.ty);
        program.cell_type(loc).or_else(own).unwrap_or(Scalar::Integer)
    }

    /// A value as the user writes it, pointers by what they point to.
    pub fn show_value(&self, program: &Program, ty: Scalar, value: i64) -> String {
        let Scalar::Pointer { .. } = ty else { return ty.show(value) };
        match pointer::target(value) {
            Target::Null => ty.show(value),
            Target::Procedure(p) => match program.procedures.get(p as usize) {
                Some(procedure) => procedure.name.clone(),
                None => ty.show(value),
            },
            Target::Object(object, offset) => {
                let (name, path) = match program.objects.get(object as usize) {
                    Some(o) => {
                        let layout = program.records.layout(&o.ty);
                        let cell = layout.iter().find(|c| c.offset == offset);
                        (o.name.clone(), cell.map(|c| program.records.path(&o.ty, *c)))
                    }
                    None => {
                        let index = object as usize - program.objects.len();
                        let Some(object) = self.heap.get(index) else { return ty.show(value) };
                        (format!("{}#{}", program.heap_types[object.ty.index()].name, index + 1), None)
                    }
                };
                match path {
                    _ if offset == 0 => format!("&{name}"),
                    Some(path) => format!("&{name}{path}"),
                    None => format!("&{name}{:+}", offset as i64),
                }
            }
        }
    }
}
