//! Which threads and cells an attack's load has come to: what happens after it, as a set.
//!
//! A mark on a cell says that an event after the load has read or written it, a mark on a thread that one
//! of its events is after the load. So the next event is after the load exactly if its thread is marked,
//! it conflicts with a mark, or it waits for the end of a marked thread.

use crate::effect::Effect;
use fencepost_explore::codec::{put_loc, put_number, take_loc, take_number};
use fencepost_ir::cfg::{Loc, ObjectId};

/// The cells of one access, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cells {
    /// The first.
    pub first: Loc,
    /// How many there are.
    pub count: u32,
}

impl Cells {
    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = Loc> {
        (0..self.count).map(move |i| self.first.plus(i))
    }

    /// Whether a cell is one of them.
    pub fn contains(self, loc: Loc) -> bool {
        self.each().any(|cell| cell == loc)
    }

    /// Appends the cells' bytes.
    pub fn encode(self, out: &mut Vec<u8>) {
        put_loc(out, self.first);
        put_number(out, self.count.into());
    }

    /// Takes what [`Cells::encode`] put.
    pub fn decode(input: &mut &[u8]) -> Cells {
        Cells { first: take_loc(input), count: take_number(input) as u32 }
    }
}

/// How a cell has been touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Touch {
    /// Read only.
    Read,
    /// Written.
    Written,
}

/// Marked threads and cells, both sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    threads: Vec<u32>,
    cells: Vec<(Loc, Touch)>,
}

impl Marks {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.threads.clear();
        self.cells.clear();
    }

    /// Whether nothing is marked.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.cells.is_empty()
    }

    /// Whether a thread is marked.
    pub fn has_thread(&self, thread: u32) -> bool {
        self.threads.binary_search(&thread).is_ok()
    }

    fn cell(&self, loc: Loc) -> Option<Touch> {
        self.cells.binary_search_by_key(&loc, |c| c.0).ok().map(|i| self.cells[i].1)
    }

    /// Whether an event of the thread is after what is marked.
    pub fn admit(&self, thread: u32, effect: &Effect) -> bool {
        self.has_thread(thread)
            || effect.reads.iter().any(|l| self.cell(*l) == Some(Touch::Written))
            || effect.writes.iter().any(|l| self.cell(*l).is_some())
            || effect.joins.iter().any(|t| self.has_thread(*t))
    }

    /// Marks a thread.
    pub fn add_thread(&mut self, thread: u32) {
        if let Err(at) = self.threads.binary_search(&thread) {
            self.threads.insert(at, thread);
        }
    }

    /// Marks what an event touches, and the threads that it starts.
    pub fn add(&mut self, effect: &Effect) {
        let reads = effect.reads.iter().map(|l| (*l, Touch::Read));
        let writes = effect.writes.iter().map(|l| (*l, Touch::Written));
        for (loc, touch) in reads.chain(writes) {
            match self.cells.binary_search_by_key(&loc, |c| c.0) {
                Ok(at) => self.cells[at].1 = self.cells[at].1.max(touch),
                Err(at) => self.cells.insert(at, (loc, touch)),
            }
        }
        for &thread in &effect.starts {
            self.add_thread(thread);
        }
    }

    /// Renames allocated objects; marks on unreachable ones mean nothing.
    pub fn rename(&mut self, rename: &impl Fn(Loc) -> Option<Loc>) {
        self.cells.retain_mut(|cell| match rename(cell.0) {
            Some(new) => {
                cell.0 = new;
                true
            }
            None => false,
        });
        self.cells.sort_unstable();
    }

    /// Appends the marks' bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.threads.len() as u64);
        self.threads.iter().for_each(|t| put_number(out, (*t).into()));
        put_number(out, self.cells.len() as u64);
        for (loc, touch) in &self.cells {
            put_loc(out, *loc);
            out.push(u8::from(*touch == Touch::Written));
        }
    }

    /// Takes what [`Marks::encode`] put.
    pub fn decode(&mut self, input: &mut &[u8]) {
        self.clear();
        for _ in 0..take_number(input) {
            self.threads.push(take_number(input) as u32);
        }
        for _ in 0..take_number(input) {
            let loc = take_loc(input);
            let touch = if take_number(input) == 1 { Touch::Written } else { Touch::Read };
            self.cells.push((loc, touch));
        }
    }
}

/// The new name of a cell after the allocated objects have been put in order; `None` if its object is gone.
pub fn renamed(first_heap: u32, order: Option<&[Option<u32>]>, loc: Loc) -> Option<Loc> {
    let Some(order) = order else { return Some(loc) };
    let Some((object, number)) = loc.as_element() else { return Some(loc) };
    let Some(index) = object.0.checked_sub(first_heap) else { return Some(loc) };
    let new = order.iter().position(|old| *old == Some(index))?;
    Loc::element(ObjectId(first_heap + new as u32), number)
}
