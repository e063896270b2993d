//! Accesses that cover several cells, on sets of values: what each cell of a row gets of a value, and which values a row
//! can show. The rules are those of the reference semantics (`memory/src/wide.rs`).

use crate::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::Loc;

/// More combinations of the cells' values are not looked at one by one.
const MANY_COMBINATIONS: usize = 1024;

/// The cells that an address means if it has a value: one, or several one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The value of the address's expression.
    pub value: i64,
    /// The first cell.
    pub first: Loc,
    /// The types of all of them.
    pub types: Vec<Scalar>,
}

impl Row {
    /// Whether there are several cells.
    pub fn is_wide(&self) -> bool {
        self.types.len() > 1
    }

    /// The type of the first cell.
    pub fn ty(&self) -> Scalar {
        self.types[0]
    }

    /// The cells and their types.
    pub fn cells(&self) -> impl Iterator<Item = (Loc, Scalar)> + '_ {
        (0..).zip(&self.types).map(|(i, ty)| (self.first.plus(i), *ty))
    }

    /// The cells, their types, and the first bit of each in the value of the access.
    pub fn parts(&self) -> impl Iterator<Item = (Loc, Scalar, u32)> + '_ {
        let mut next = 0;
        self.cells().map(move |(loc, ty)| {
            let shift = next;
            next += ty.size() as u32 * 8;
            (loc, ty, shift)
        })
    }
}

/// What a cell gets of the values that an access writes, from that bit on.
pub(super) fn part(values: &Values, access: Scalar, shift: u32, cell: Scalar) -> Values {
    values.map(|v| cell.from_bits(access.to_bits(v)? >> shift), Values::of(cell))
}

/// What an access sees in cells that can hold these values.
pub(super) fn joined(cells: &[(Scalar, u32, Values)], access: Scalar) -> Values {
    let mut all = vec![0u64];
    for (ty, shift, values) in cells {
        let Values::Few(few) = values else { return Values::of(access) };
        if all.len() * few.len() > MANY_COMBINATIONS {
            return Values::of(access);
        }
        let parts: Vec<u64> = few.iter().filter_map(|v| ty.to_bits(*v)).collect();
        all = all.iter().flat_map(|low| parts.iter().map(move |part| low | part << shift)).collect();
    }
    Values::from_list(all.into_iter().filter_map(|bits| access.from_bits(bits)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::IntType;

    fn int(bits: u8, signed: bool) -> Scalar {
        Scalar::Int(IntType { bits, signed })
    }

    #[test]
    fn values_are_cut_up_and_put_together() {
        let (half, word) = (int(16, true), int(32, false));
        let values = Values::from_list(vec![0x0001_ffff, 0x7fff_0002]);
        let low = part(&values, word, 0, half);
        let high = part(&values, word, 16, half);
        assert_eq!((&low, &high), (&Values::from_list(vec![-1, 2]), &Values::from_list(vec![1, 0x7fff])));
        let seen = joined(&[(half, 0, low), (half, 16, high)], word);
        let all = vec![0x0001_ffff, 0x0001_0002, 0x7fff_ffff, 0x7fff_0002];
        assert_eq!(seen, Values::from_list(all));
        assert_eq!(
            joined(&[(half, 0, Values::of(half)), (half, 16, Values::one(0))], word),
            Values::of(word)
        );
    }

    #[test]
    fn the_highest_cell_has_the_sign() {
        let (byte, word) = (int(8, false), int(16, true));
        assert_eq!(
            joined(&[(byte, 0, Values::one(1)), (byte, 8, Values::one(0xff))], word),
            Values::one(-255)
        );
        assert_eq!(part(&Values::one(-255), word, 8, byte), Values::one(0xff));
    }
}
