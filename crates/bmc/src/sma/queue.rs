//! Store queues: `tso` and `pso`, as the models are defined (Tomasco et al., section III, TSO-SMA). The
//! references that the stamped abstractions are compared with; their formulas are much larger.
//!
//! Every thread has a queue of a fixed length. Before each access any stores may leave the queues, one by
//! one: under TSO the oldest, under PSO any that is the oldest to its cell and has no store-store fence
//! between it and an older one. Inside an atomic section only stores of the thread inside may leave.

use super::stamped::Order;
use super::{Access, AccessId, CellId, Flush, Memory, Timing, define};
use crate::circuit::{Circuit, Lit};
use crate::word::Word;

/// A place in a queue.
#[derive(Clone)]
struct Entry {
    used: Lit,
    /// Which cell it is to, by the numbers in the thread's list.
    cell: Vec<Lit>,
    value: Word,
    /// A store-store fence stands before it.
    fenced: Lit,
}

struct Issued {
    thread: usize,
    access: Access,
    /// For each slot, the flushes before it: under which condition, of which entry.
    flushes: Vec<Vec<(Lit, Flush)>>,
}

/// The abstraction.
pub struct Queues {
    order: Order,
    length: usize,
    memory: Vec<Word>,
    own: Vec<Vec<CellId>>,
    queues: Vec<Vec<Entry>>,
    /// Whether the next store comes behind a store-store fence.
    fence_waits: Vec<Lit>,
    issued: Vec<Issued>,
}

impl Queues {
    /// `initial` is what cells hold at first, `own` the cells that each thread stores to.
    pub fn new(order: Order, length: usize, initial: Vec<Word>, own: Vec<Vec<CellId>>) -> Queues {
        let empty = |cells: &Vec<CellId>| {
            let cell = vec![Lit::FALSE; cells.len()];
            let entry = Entry { used: Lit::FALSE, cell, value: Word::constant(0), fenced: Lit::FALSE };
            vec![entry; length]
        };
        let queues = own.iter().map(empty).collect();
        let fence_waits = vec![Lit::FALSE; own.len()];
        Queues { order, length, memory: initial, own, queues, fence_waits, issued: Vec::new() }
    }

    /// Whether an entry may leave now.
    fn may_leave(&self, c: &mut Circuit, thread: usize, index: usize) -> Lit {
        let queue = &self.queues[thread];
        let mut may = queue[index].used;
        if self.order == Order::Total {
            return if index == 0 { may } else { Lit::FALSE };
        }
        let mut fence_between = Lit::FALSE;
        for older in (0..index).rev() {
            fence_between = c.or(fence_between, queue[older + 1].fenced);
            let same: Vec<_> =
                queue[older].cell.iter().zip(&queue[index].cell).map(|(a, b)| c.and(*a, *b)).collect();
            let same = c.any(same);
            let waits = c.or(same, fence_between);
            let waits = c.and(waits, queue[older].used);
            may = c.and(may, !waits);
        }
        may
    }

    /// One entry of a thread may leave.
    fn flush_one(&mut self, c: &mut Circuit, thread: usize, active: Lit, done: &mut Vec<(Lit, Flush)>) {
        let mut left = Lit::TRUE;
        for index in 0..self.length {
            if self.order == Order::Total && index > 0 {
                break;
            }
            let may = self.may_leave(c, thread, index);
            if may == Lit::FALSE {
                continue;
            }
            let wanted = c.input();
            let leaves = c.all([wanted, left, may, active]);
            left = c.and(left, !leaves);
            self.leave(c, thread, index, leaves);
            done.push((leaves, Flush { thread, index }));
        }
    }

    fn leave(&mut self, c: &mut Circuit, thread: usize, index: usize, leaves: Lit) {
        let entry = self.queues[thread][index].clone();
        for (number, cell) in self.own[thread].iter().enumerate() {
            let here = c.and(leaves, entry.cell[number]);
            self.memory[*cell] = Word::choose(here, &entry.value, &self.memory[*cell], c);
        }
        for i in index..self.length {
            let next = self.queues[thread].get(i + 1).cloned();
            let entry = &mut self.queues[thread][i];
            let Some(next) = next else {
                entry.used = c.and(entry.used, !leaves);
                continue;
            };
            entry.used = c.choose(leaves, next.used, entry.used);
            // The fence before the one that leaves now stands before the next.
            let kept = if i == index { c.or(next.fenced, entry.fenced) } else { next.fenced };
            entry.fenced = c.choose(leaves, kept, entry.fenced);
            for (own, other) in entry.cell.iter_mut().zip(&next.cell) {
                *own = c.choose(leaves, *other, *own);
            }
            entry.value = Word::choose(leaves, &next.value, &entry.value, c);
        }
    }

    fn push(&mut self, c: &mut Circuit, thread: usize, active: Lit, targets: &[(Lit, CellId, Word)]) {
        let full = self.queues[thread][self.length - 1].used;
        c.require(&[!active, !full]);
        let mut value = Word::constant(0);
        let mut cell = vec![Lit::FALSE; self.own[thread].len()];
        for (meant, target, word) in targets {
            let number =
                self.own[thread].binary_search(target).expect("threads list all cells they store to");
            cell[number] = c.or(cell[number], *meant);
            value = Word::choose(*meant, word, &value, c);
        }
        let fenced = self.fence_waits[thread];
        let mut before = Lit::TRUE;
        for i in 0..self.length {
            let entry = &mut self.queues[thread][i];
            let here = c.all([active, before, !entry.used]);
            before = entry.used;
            entry.used = c.or(entry.used, here);
            entry.fenced = c.choose(here, fenced, entry.fenced);
            for (own, new) in entry.cell.iter_mut().zip(&cell) {
                *own = c.choose(here, *new, *own);
            }
            entry.value = Word::choose(here, &value, &entry.value, c);
        }
        self.fence_waits[thread] = c.and(fenced, !active);
    }

    /// What the thread sees in a cell.
    fn seen(&self, c: &mut Circuit, thread: usize, cell: CellId, forwards: bool) -> Word {
        let mut seen = self.memory[cell].clone();
        if let Ok(number) = self.own[thread].binary_search(&cell)
            && forwards
        {
            for entry in &self.queues[thread] {
                let own = c.and(entry.used, entry.cell[number]);
                seen = Word::choose(own, &entry.value, &seen, c);
            }
        }
        seen
    }
}

impl Memory for Queues {
    fn carried(&self, _thread: usize) -> Vec<Word> {
        Vec::new()
    }

    fn issue(&mut self, _c: &mut Circuit, thread: usize, _carried: &mut [Word], access: Access) -> AccessId {
        self.issued.push(Issued { thread, access, flushes: Vec::new() });
        AccessId(self.issued.len() - 1)
    }

    fn turn(&mut self, _c: &mut Circuit, _thread: usize) {}

    fn slot(&mut self, c: &mut Circuit, access: AccessId, active: Lit, _taken: Lit) {
        let thread = self.issued[access.0].thread;
        let issued = std::mem::take(&mut self.issued[access.0].access);
        let mut flushes = Vec::new();
        let may_flush =
            |other: &usize| !self.own[*other].is_empty() && (!issued.inside_section || *other == thread);
        let flushing: Vec<_> = (0..self.own.len()).filter(may_flush).collect();
        // So many times that stores can leave in every order.
        for _ in 0..self.length * flushing.len() {
            for &other in &flushing {
                self.flush_one(c, other, active, &mut flushes);
            }
        }
        if issued.drains {
            c.require(&[!active, !self.queues[thread][0].used]);
        }
        if let Some(frees) = &issued.frees {
            let mut waiting = Vec::new();
            for (meant, cells) in &frees.targets {
                for other in (0..self.own.len()).filter(|other| *other != thread) {
                    let numbers = cells.iter().filter_map(|cell| self.own[other].binary_search(cell).ok());
                    for number in numbers {
                        for entry in &self.queues[other] {
                            waiting.push(c.all([*meant, entry.used, entry.cell[number]]));
                        }
                    }
                }
            }
            frees.require(c, active, &waiting);
        }
        for read in &issued.reads {
            for (meant, cell) in &read.targets {
                let seen = self.seen(c, thread, *cell, read.forwards);
                let here = c.and(*meant, active);
                define(c, &[!here], &read.result, &seen);
            }
        }
        if issued.orders_stores && self.order == Order::PerCell {
            self.fence_waits[thread] = c.or(self.fence_waits[thread], active);
        }
        for write in &issued.writes {
            if write.buffered {
                let any = c.any(write.targets.iter().map(|(meant, ..)| *meant).collect::<Vec<_>>());
                let active = c.and(active, any);
                self.push(c, thread, active, &write.targets);
            } else {
                for (meant, cell, value) in &write.targets {
                    let here = c.and(*meant, active);
                    self.memory[*cell] = Word::choose(here, value, &self.memory[*cell], c);
                }
            }
        }
        self.issued[access.0].access = issued;
        self.issued[access.0].flushes.push(flushes);
    }

    fn value(&mut self, _c: &mut Circuit, cell: CellId) -> Word {
        self.memory[cell].clone()
    }

    fn timing(&self, _access: AccessId, _model: &dyn Fn(Lit) -> bool) -> Option<Timing> {
        None
    }

    fn flushes(&self, access: AccessId, occurrence: usize, model: &dyn Fn(Lit) -> bool) -> Vec<Flush> {
        let all = self.issued[access.0].flushes.get(occurrence);
        all.into_iter().flatten().filter(|(leaves, _)| model(*leaves)).map(|(_, flush)| *flush).collect()
    }
}
