//! The types of a program's cells, in a few bytes for each: there may be millions of cells, and machines are made again and
//! again.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::Program;
use std::collections::HashMap;

/// The types of all cells that have numbers.
pub(crate) struct CellTypes {
    /// Each type once.
    types: Vec<Scalar>,
    /// For each cell the number of its type.
    cells: Vec<u32>,
}

impl CellTypes {
    /// Of a program.
    pub fn new(program: &Program) -> CellTypes {
        let mut types: Vec<Scalar> = Vec::new();
        let mut numbers = HashMap::new();
        let mut cells = Vec::new();
        for ty in program.each_cell_type() {
            // Most cells have the type of the one before.
            let number = match cells.last() {
                Some(last) if types[*last as usize] == ty => *last,
                _ => *numbers.entry(ty).or_insert_with(|| {
                    types.push(ty);
                    types.len() as u32 - 1
                }),
            };
            cells.push(number);
        }
        CellTypes { types, cells }
    }

    /// The type of a cell.
    pub fn at(&self, cell: usize) -> Scalar {
        self.types[self.cells[cell] as usize]
    }
}
