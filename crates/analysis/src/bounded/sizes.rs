//! Which sizes an allocated object may have, where its size is not known.
//!
//! An allocation whose size is one of several has an object of its own for each of them, and the value of its size says
//! which is meant; at most one of them exists in a run. Where too many sizes are possible, those of up to so many elements are
//! tracked (the bound on blocks of Tomasco et al., section IV), and a thread that asks for more stops there, like one
//! that comes to the bound on repetitions. A size in between that is not a whole number of elements is an engine limit.

use crate::values::Values;
use fencepost_memory::Layout;

/// A larger object is too large.
const MAX_BYTES: i64 = 1 << 20;
/// Sizes that are known one by one are all tracked if they are so few, or of no more cells than this in all.
const FEW_SIZES: usize = 3;
const FEW_CELLS: usize = 64;

/// The sizes that are tracked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// In bytes, sorted.
    pub tracked: Vec<u64>,
    /// Whether there are no others.
    pub complete: bool,
}

/// Which sizes of an object with a layout are tracked, if it may have these; or why it cannot be tracked at all.
pub fn tracked(values: &Values, layout: &Layout, block: u32) -> Result<Sizes, String> {
    if let Some(bytes) = values.single() {
        if !(0..MAX_BYTES).contains(&bytes) {
            return Err(format!("an object of {bytes} bytes is allocated"));
        }
        return Ok(Sizes { tracked: vec![bytes as u64], complete: true });
    }
    let limit = layout.size_of(block.into());
    let listed: Vec<u64> = match values {
        Values::Few(sizes) => sizes.iter().filter_map(|size| u64::try_from(*size).ok()).collect(),
        Values::Range(..) => {
            let sizes = (0..=block).map(|elements| layout.size_of(elements.into()));
            sizes.filter(|size| i64::try_from(*size).is_ok_and(|size| values.contains(size))).collect()
        }
    };
    let mut cells = 0;
    let few = matches!(values, Values::Few(sizes) if sizes.len() <= FEW_SIZES);
    let is_tracked = |size: &u64| {
        cells += layout.cells((*size).min(MAX_BYTES as u64));
        *size < MAX_BYTES as u64 && (*size <= limit || few || cells <= FEW_CELLS)
    };
    let tracked: Vec<u64> = listed.into_iter().filter(is_tracked).collect();
    let complete = matches!(values, Values::Few(sizes) if sizes.len() == tracked.len());
    Ok(Sizes { tracked, complete })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::{IntType, Records, Scalar, Type};

    fn ints() -> Layout {
        let ty = Type::Scalar(Scalar::Int(IntType { bits: 32, signed: true }));
        Layout::new(&Records(Vec::new()), &ty)
    }

    #[test]
    fn one_size_is_itself() {
        let sizes = |bytes| tracked(&Values::one(bytes), &ints(), 2);
        assert_eq!(sizes(7), Ok(Sizes { tracked: vec![7], complete: true }));
        assert!(sizes(-4).is_err());
        assert!(sizes(MAX_BYTES).is_err());
    }

    #[test]
    fn few_sizes_are_all_there_unless_they_are_large() {
        let sizes = |values: &[i64]| tracked(&Values::from_list(values.to_vec()), &ints(), 2).unwrap();
        assert_eq!(sizes(&[4, 6, 400]), Sizes { tracked: vec![4, 6, 400], complete: true });
        assert_eq!(sizes(&[-4, 4]), Sizes { tracked: vec![4], complete: false });
        assert_eq!(sizes(&[4, 1 << 14]), Sizes { tracked: vec![4, 1 << 14], complete: true });
        assert_eq!(sizes(&[4, 8, 240, 400]), Sizes { tracked: vec![4, 8, 240], complete: false });
        assert_eq!(sizes(&[4, i64::MAX]), Sizes { tracked: vec![4], complete: false });
    }

    #[test]
    fn of_many_sizes_those_of_few_elements() {
        let sizes = |lo, hi| tracked(&Values::Range(lo, hi), &ints(), 3).unwrap();
        assert_eq!(sizes(i64::MIN, i64::MAX), Sizes { tracked: vec![0, 4, 8, 12], complete: false });
        assert_eq!(sizes(4, 11), Sizes { tracked: vec![4, 8], complete: false });
        assert_eq!(sizes(100, 1000), Sizes { tracked: vec![], complete: false });
    }
}
