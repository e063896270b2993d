//! Initial values of cells: what the scalars of an initialiser make of them, where a scalar may be several cells.

use crate::cfg::Choices;
use crate::{Cell, Records, Scalar, Type};
use std::collections::{BTreeMap, HashMap};

/// The cells of a variable and what they start with.
pub struct InitialCells {
    cells: Vec<Cell>,
    /// Cells by their offset and size.
    exact: HashMap<(u64, u64), usize>,
    /// Cells with bits by their offset.
    starts: BTreeMap<u64, usize>,
    values: Vec<Choices>,
}

impl InitialCells {
    /// All zero.
    pub fn zero(records: &Records, ty: &Type) -> InitialCells {
        let cells = records.layout(ty);
        let values = cells
            .iter()
            .inspect(|_| crate::wanted::point())
            .map(|cell| Choices::one(cell.ty.default_value()))
            .collect();
        let numbered = || cells.iter().enumerate();
        let exact = numbered().map(|(i, cell)| ((cell.offset, cell.ty.size()), i)).collect();
        let with_bits = numbered().filter(|(_, cell)| cell.ty.has_bits());
        let starts = with_bits.map(|(i, cell)| (cell.offset, i)).collect();
        InitialCells { cells, exact, starts, values }
    }

    /// The cells that a scalar is cut into.
    fn covered(&self, offset: u64, ty: Scalar) -> Vec<usize> {
        self.starts.range(offset..offset + ty.size()).map(|(_, cell)| *cell).collect()
    }

    /// The value of a scalar that is known.
    pub fn get(&self, offset: u64, ty: Scalar) -> Option<i64> {
        if let Some(&cell) = self.exact.get(&(offset, ty.size())) {
            return self.cells[cell].ty.same_bits(self.values[cell].single()?, ty);
        }
        let mut bits = 0;
        for cell in self.covered(offset, ty) {
            let part = self.cells[cell].ty.to_bits(self.values[cell].single()?)?;
            bits |= part << ((self.cells[cell].offset - offset) * 8);
        }
        ty.from_bits(bits)
    }

    /// Sets a scalar.
    pub fn set(&mut self, offset: u64, ty: Scalar, value: i64) {
        if let Some(&cell) = self.exact.get(&(offset, ty.size())) {
            let value = ty.same_bits(value, self.cells[cell].ty).unwrap_or(value);
            self.values[cell] = Choices::one(value);
            return;
        }
        let Some(bits) = ty.to_bits(value) else { return };
        for cell in self.covered(offset, ty) {
            let part = self.cells[cell].ty.from_bits(bits >> ((self.cells[cell].offset - offset) * 8));
            self.values[cell] = Choices::one(part.unwrap_or(0));
        }
    }

    /// Sets a scalar that may start with several values: cut into parts, it may start with any.
    pub fn choose(&mut self, offset: u64, ty: Scalar, choices: &Choices) {
        if let Some(value) = choices.single() {
            return self.set(offset, ty, value);
        }
        if let Some(&cell) = self.exact.get(&(offset, ty.size())) {
            self.values[cell] = choices.clone();
            return;
        }
        for cell in self.covered(offset, ty) {
            if let Scalar::Int(int) = self.cells[cell].ty {
                let (lo, hi) = int.limits();
                self.values[cell] = Choices(vec![(lo as i64, hi as i64)]);
            }
        }
    }

    /// What each cell starts with.
    pub fn values(self) -> Vec<Choices> {
        self.values
    }
}
