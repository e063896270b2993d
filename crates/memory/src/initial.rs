//! The initial states, one after the other: no range of values is ever laid out, since a cell that starts with anything
//! has 2^64 of them.

use fencepost_ir::cfg::{Choices, Loc};

/// All ways to choose the initial values of the cells that [`crate::Machine::initial_choices`] names; the values of the
/// first cell change fastest.
pub fn initial_choices<'a>(cells: &'a [(Loc, &'a Choices)]) -> InitialChoices<'a> {
    let total = cells.iter().try_fold(1u128, |total, (_, choices)| total.checked_mul(choices.count()));
    InitialChoices { cells, next: 0, total: total.unwrap_or(u128::MAX) }
}

/// See [`initial_choices`].
#[derive(Clone, Debug)]
pub struct InitialChoices<'a> {
    cells: &'a [(Loc, &'a Choices)],
    next: u128,
    total: u128,
}

impl Iterator for InitialChoices<'_> {
    type Item = Vec<(Loc, i64)>;

    fn next(&mut self) -> Option<Vec<(Loc, i64)>> {
        if self.next >= self.total {
            return None;
        }
        let mut number = self.next;
        self.next += 1;
        let chosen = self.cells.iter().map(|(loc, choices)| {
            let count = choices.count();
            let value = choices.nth(number % count).expect("the number is below their count");
            number /= count;
            (*loc, value)
        });
        Some(chosen.collect())
    }

    /// Without counting up to it.
    fn nth(&mut self, n: usize) -> Option<Vec<(Loc, i64)>> {
        self.next = self.next.saturating_add(n as u128);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.total - self.next.min(self.total);
        (usize::try_from(left).unwrap_or(usize::MAX), usize::try_from(left).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cell_changes_fastest() {
        let (a, b) = (Choices(vec![(0, 1), (5, 5)]), Choices(vec![(-1, 0)]));
        let cells = [(Loc::cell(0), &a), (Loc::cell(1), &b)];
        let values = |chosen: Vec<(Loc, i64)>| chosen.iter().map(|(_, v)| *v).collect::<Vec<_>>();
        let all: Vec<_> = initial_choices(&cells).map(values).collect();
        assert_eq!(all, [[0, -1], [1, -1], [5, -1], [0, 0], [1, 0], [5, 0]]);
        for (i, expected) in all.iter().enumerate() {
            assert_eq!(initial_choices(&cells).nth(i).map(values).as_ref(), Some(expected));
        }
        assert_eq!(initial_choices(&cells).nth(6), None);
        assert_eq!(initial_choices(&[]).count(), 1);
    }

    #[test]
    fn ranges_of_all_values_are_not_laid_out() {
        let any = Choices(vec![(i64::MIN, i64::MAX)]);
        let cells = [(Loc::cell(0), &any), (Loc::cell(1), &any), (Loc::cell(2), &any)];
        let mut all = initial_choices(&cells);
        assert_eq!(all.next(), Some(cells.iter().map(|(loc, _)| (*loc, i64::MIN)).collect()));
        let far = all.nth(usize::MAX).expect("there are more");
        assert_eq!(far.len(), 3);
        assert_eq!(any.nth(u128::from(u64::MAX)), Some(i64::MAX));
        assert_eq!(any.nth(1 << 64), None);
    }
}
