//! Where what has a number in some views was in others, with fewer threads or other cells.

use super::{Cut, Knower, Part, Row};

/// Where what has a number now was before.
pub(super) struct Before<T, C> {
    pub thread: T,
    pub cell: C,
}

impl<T: Fn(usize) -> Option<usize>, C: Fn(usize) -> Option<usize>> Before<T, C> {
    pub fn cut(&self, cut: Cut) -> Option<Cut> {
        Some(match cut {
            Cut::Current(t) => Cut::Current((self.thread)(t)?),
            Cut::Acquired(t) => Cut::Acquired((self.thread)(t)?),
            Cut::Fenced(t) => Cut::Fenced((self.thread)(t)?),
            Cut::Message(x) => Cut::Message((self.cell)(x)?),
            Cut::Released(t, x) => Cut::Released((self.thread)(t)?, (self.cell)(x)?),
            Cut::Nothing => Cut::Nothing,
        })
    }

    fn part(&self, part: Part) -> Option<Part> {
        Some(match part {
            Part::Here(x, side) => Part::Here((self.cell)(x)?, side),
            Part::Seen | Part::Written | Part::Fences(_) | Part::Waiting(_) | Part::Elsewhere(_) => part,
        })
    }

    pub fn row(&self, row: Row) -> Option<Row> {
        Some(match row {
            Row::In(cut, part) => Row::In(self.cut(cut)?, self.part(part)?),
            Row::Own(t, x, side) => Row::Own((self.thread)(t)?, (self.cell)(x)?, side),
            Row::Around(t, x, side) => Row::Around((self.thread)(t)?, (self.cell)(x)?, side),
            Row::Accesses(x, side) => Row::Accesses((self.cell)(x)?, side),
            Row::Writers(x, side) => Row::Writers((self.cell)(x)?, side),
            Row::Readers(x, side) => Row::Readers((self.cell)(x)?, side),
        })
    }

    pub fn knower(&self, knower: Knower) -> Option<Knower> {
        Some(match knower {
            Knower::Thread(t) => Knower::Thread((self.thread)(t)?),
            Knower::Reader(x) => Knower::Reader((self.cell)(x)?),
            Knower::Writer(x) => Knower::Writer((self.cell)(x)?),
        })
    }
}
