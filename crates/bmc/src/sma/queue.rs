//! Store queues: `tso` and `pso`, as the models are defined (Tomasco et al., section III, TSO-SMA). The
//! references that the stamped abstractions are compared with; their formulas are much larger.
//!
//! Every thread has a queue of a fixed length. Before each access any stores may leave the queues, one by
//! one: under TSO the oldest, under PSO any that is the oldest to its cell and has no store-store fence
//! between it and an older one. Inside an atomic section only stores of the thread inside may leave.
//! A store to several cells is one entry with a part for each.

use super::stamped::StoreOrder;
use super::{Access, AccessId, CellId, Flush, Memory, Timing, Write, define};
use crate::circuit::{Circuit, Lit};
use crate::word::Word;

/// What an entry does to one cell.
#[derive(Clone)]
struct Part {
    /// Which cell it is to, by the numbers in the thread's list; none where the store has fewer parts than others.
    cell: Vec<Lit>,
    value: Word,
}

impl Part {
    fn none(cells: usize) -> Part {
        Part { cell: vec![Lit::FALSE; cells], value: Word::constant(0) }
    }

    fn become_if(&mut self, c: &mut Circuit, condition: Lit, other: &Part) {
        for (own, other) in self.cell.iter_mut().zip(&other.cell) {
            *own = c.choose(condition, *other, *own);
        }
        self.value = Word::choose(condition, &other.value, &self.value, c);
    }
}

/// A place in a queue.
#[derive(Clone)]
struct Entry {
    used: Lit,
    /// As many as the widest store of the program has.
    parts: Vec<Part>,
    /// A store-store fence is before it.
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
    order: StoreOrder,
    length: usize,
    memory: Vec<Word>,
    own: Vec<Vec<CellId>>,
    queues: Vec<Vec<Entry>>,
    /// Whether the next store comes after a store-store fence.
    fence_waits: Vec<Lit>,
    issued: Vec<Issued>,
}

impl Queues {
    /// `initial` is what cells hold at first, `own` the cells that each thread stores to.
    pub fn new(order: StoreOrder, length: usize, initial: Vec<Word>, own: Vec<Vec<CellId>>) -> Queues {
        let empty = |cells: &Vec<CellId>| {
            let parts = vec![Part::none(cells.len())];
            vec![Entry { used: Lit::FALSE, parts, fenced: Lit::FALSE }; length]
        };
        let queues = own.iter().map(empty).collect();
        let fence_waits = vec![Lit::FALSE; own.len()];
        Queues { order, length, memory: initial, own, queues, fence_waits, issued: Vec::new() }
    }

    /// Whether an entry may leave now.
    fn may_leave(&self, c: &mut Circuit, thread: usize, index: usize) -> Lit {
        let queue = &self.queues[thread];
        let mut may = queue[index].used;
        if self.order == StoreOrder::Total {
            return if index == 0 { may } else { Lit::FALSE };
        }
        let mut fence_between = Lit::FALSE;
        for older in (0..index).rev() {
            fence_between = c.or(fence_between, queue[older + 1].fenced);
            let mut same = Vec::new();
            for (a, b) in
                queue[older].parts.iter().flat_map(|a| queue[index].parts.iter().map(move |b| (a, b)))
            {
                same.extend(a.cell.iter().zip(&b.cell).map(|(a, b)| c.and(*a, *b)));
            }
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
            if self.order == StoreOrder::Total && index > 0 {
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
        for part in &entry.parts {
            for (number, cell) in self.own[thread].iter().enumerate() {
                let here = c.and(leaves, part.cell[number]);
                self.memory[*cell] = Word::choose(here, &part.value, &self.memory[*cell], c);
            }
        }
        for i in index..self.length {
            let next = self.queues[thread].get(i + 1).cloned();
            let entry = &mut self.queues[thread][i];
            let Some(next) = next else {
                entry.used = c.and(entry.used, !leaves);
                continue;
            };
            entry.used = c.choose(leaves, next.used, entry.used);
            // The fence before the one that leaves now is before the next.
            let kept = if i == index { c.or(next.fenced, entry.fenced) } else { next.fenced };
            entry.fenced = c.choose(leaves, kept, entry.fenced);
            for (part, next) in entry.parts.iter_mut().zip(&next.parts) {
                part.become_if(c, leaves, next);
            }
        }
    }

    /// A store enters the queue, given by what it writes to each of its cells.
    fn push(&mut self, c: &mut Circuit, thread: usize, active: Lit, writes: &[Write]) {
        let full = self.queues[thread][self.length - 1].used;
        c.require(&[!active, !full]);
        let mut parts = Vec::new();
        for write in writes {
            let mut part = Part::none(self.own[thread].len());
            for (meant, target, word) in &write.targets {
                let number =
                    self.own[thread].binary_search(target).expect("threads list all cells they store to");
                part.cell[number] = c.or(part.cell[number], *meant);
                part.value = Word::choose(*meant, word, &part.value, c);
            }
            parts.push(part);
        }
        let fenced = self.fence_waits[thread];
        let mut before = Lit::TRUE;
        for i in 0..self.length {
            let entry = &mut self.queues[thread][i];
            let here = c.all([active, before, !entry.used]);
            before = entry.used;
            entry.used = c.or(entry.used, here);
            entry.fenced = c.choose(here, fenced, entry.fenced);
            parts.resize(entry.parts.len(), Part::none(self.own[thread].len()));
            for (part, new) in entry.parts.iter_mut().zip(&parts) {
                part.become_if(c, here, new);
            }
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
                for part in &entry.parts {
                    let own = c.and(entry.used, part.cell[number]);
                    seen = Word::choose(own, &part.value, &seen, c);
                }
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
        let widest = access.writes.chunk_by(|_, next| next.tied).map(<[_]>::len).max().unwrap_or(0);
        for (queue, own) in self.queues.iter_mut().zip(&self.own) {
            for entry in queue.iter_mut().filter(|entry| entry.parts.len() < widest) {
                entry.parts.resize(widest, Part::none(own.len()));
            }
        }
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
                            for part in &entry.parts {
                                waiting.push(c.all([*meant, entry.used, part.cell[number]]));
                            }
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
        if issued.orders_stores && self.order == StoreOrder::PerCell {
            self.fence_waits[thread] = c.or(self.fence_waits[thread], active);
        }
        for store in issued.writes.chunk_by(|_, next| next.tied) {
            if store[0].buffered {
                let meant = store[0].targets.iter().map(|(meant, ..)| *meant);
                let any = c.any(meant.collect::<Vec<_>>());
                let active = c.and(active, any);
                self.push(c, thread, active, store);
            } else {
                for (meant, cell, value) in store.iter().flat_map(|write| &write.targets) {
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
