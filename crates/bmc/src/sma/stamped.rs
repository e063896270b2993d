//! Stores with timestamps: `sc`, `etso` and `epso` (Tomasco et al., FMCAD 2016, sections III to V).
//!
//! A clock runs from 0 to K-1. Every store gets a stamp, the time at which it will reach memory: not
//! before now, and under TSO not before the thread's last store, under PSO not before its last store
//! to the same cell nor before what a store-store fence says. A store whose stamp has passed is in memory,
//! without anybody doing anything. A fence raises the clock to the thread's last stamp. With K = 1 all
//! stores are in memory at once, which is SC.
//!
//! The list of a cell's stores (the paper's circular list with a free list inside) is indexed by
//! stamps here: `held[k]` is what memory will hold at time k after all stores issued so far, and
//! `stamped[k]` whether any of them has the stamp k. Of two stores to one cell with one stamp only the
//! later is ever seen by others, so one node for each stamp is all that a list needs; a store with stamp
//! s goes to `held[s]` and to the times after it up to the next stamp that is taken. No node is ever
//! searched for, and no list is ever full. What is held is not the value but the number of the store, one literal for
//! each store to the cell: which store a load reads is then decided apart from what its value is. Cells that one thread
//! only stores to need not even that (`one_writer.rs`).
//!
//! A store to several cells has one stamp, which is not before what any of its cells asks for. Stores reach memory in the
//! order of their stamps, and where these are equal, in the order in which they were issued, in all cells alike; so
//! all its cells change at once.
//!
//! Errata of the paper's Figure 3, which do not arise in this form: line 36 indexes the stamp by the thread,
//! line 79 names an array that line 9 calls otherwise, for PSO the last stamp must only grow. Beyond it: a
//! read-modify-write, and all that goes straight to memory, has the clock as its stamp; inside an
//! atomic section the clock stands still.
//!
//! Numbers from 0 to K-1 are in unary: threshold k says "at least k", for k from 1 on.

use super::one_writer::{self, Load, Loads};
use super::{Access, AccessId, CellId, Flush, Frees, Memory, Timing, define};
use crate::circuit::{Circuit, Lit};
use crate::word::Word;

/// Thresholds of a number: the k-th, from 0 on, says "more than k".
type Time = Vec<Lit>;

/// Which order stores of one thread keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreOrder {
    /// All of them: TSO.
    Total,
    /// Those to one cell: PSO.
    PerCell,
}

struct IssuedRead {
    targets: Vec<(Lit, CellId)>,
    result: Word,
    /// For each target, by the number of a store to its cell: whether that store is read.
    sources: Vec<Vec<Option<Lit>>>,
}

struct IssuedWrite {
    /// When which cell gets which value, and the number of this store among those to the cell.
    targets: Vec<(Lit, CellId, Word, usize)>,
    stamp: Time,
    buffered: bool,
}

struct Issued {
    thread: usize,
    clock: Time,
    /// What the clock must have reached, where it could not be chosen so.
    waits_for: Option<Time>,
    reads: Vec<IssuedRead>,
    writes: Vec<IssuedWrite>,
    frees: Option<Frees>,
}

/// What a cell holds at one time.
enum Held {
    /// The value.
    Value(Word),
    /// Which of the stores to the cell holds.
    Source(Vec<Lit>),
    /// Whether it is that store or a later one: where one thread stores.
    AtLeast(Vec<Lit>),
}

/// Who stores to a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writers {
    None,
    One(usize),
    Several,
}

/// How far a store has come.
#[derive(Clone)]
struct Progress {
    thread: usize,
    /// When it has been executed.
    taken: Lit,
    stamp: Time,
}

struct Cell {
    initial: Word,
    writers: Writers,
    /// How far each store has come.
    progress: Vec<Progress>,
    /// Whether what is held follows from that: where one thread stores.
    follows: bool,
    /// The values of all stores to the cell; the initial value is the first.
    stores: Vec<Word>,
    /// The accesses that store them, from the second on.
    issued_by: Vec<AccessId>,
    /// At each time; empty before the first turn.
    held: Vec<Held>,
    stamped: Vec<Lit>,
}

/// A cell with more stores holds values and not the numbers of stores: what a store costs must not grow with their
/// number forever.
const MANY_STORES: usize = 40;
/// So does one with more stores than these for each bit of its values, if they are not few anyway.
const STORES_PER_BIT: usize = 3;
const FEW_STORES: usize = 8;

/// The abstraction.
pub struct Stamped {
    order: StoreOrder,
    times: usize,
    cells: Vec<Cell>,
    /// For each thread, which cells it carries own stores of.
    own: Vec<Vec<CellId>>,
    issued: Vec<Issued>,
    /// Loads of cells that one thread stores to.
    loads: Loads,
    /// The clock when the current turn begins, and when it ends.
    begin: Time,
    end: Time,
    /// For each thread, the clock when its last turn but the current one ended, and when its last turn ends.
    ends: Vec<[Time; 2]>,
}

/// Where things are in what a thread carries.
struct Carried {
    times: usize,
}

impl Carried {
    fn get(&self, carried: &[Word], row: usize) -> Time {
        carried[row * self.times..(row + 1) * self.times].iter().map(|w| w.bit(0)).collect()
    }

    fn set(&self, carried: &mut [Word], row: usize, time: &Time) {
        for (i, lit) in time.iter().enumerate() {
            carried[row * self.times + i] = Word::from_bits(vec![*lit]);
        }
    }
}

const CLOCK: usize = 0;
const LAST: usize = 1;
const FLOOR: usize = 2;
const FIRST_OWN: usize = 3;

impl Stamped {
    /// `clock` is K; `initial` what cells hold at first, `own` the cells that each thread stores to.
    pub fn new(order: StoreOrder, clock: usize, initial: Vec<Word>, own: Vec<Vec<CellId>>) -> Stamped {
        let times = clock - 1;
        let cells = initial
            .into_iter()
            .map(|initial| Cell {
                stores: vec![initial.clone()],
                issued_by: Vec::new(),
                writers: Writers::None,
                progress: Vec::new(),
                follows: false,
                initial,
                held: Vec::new(),
                stamped: vec![Lit::FALSE; times],
            })
            .collect();
        let zero = vec![Lit::FALSE; times];
        Stamped {
            order,
            times,
            cells,
            issued: Vec::new(),
            loads: Loads::default(),
            ends: vec![[zero.clone(), zero.clone()]; own.len()],
            begin: zero.clone(),
            end: zero,
            own,
        }
    }

    fn number(&self, c: &mut Circuit) -> Time {
        let number: Time = (0..self.times).map(|_| c.input()).collect();
        number.windows(2).for_each(|pair| c.require(&[pair[0], !pair[1]]));
        number
    }

    /// `low <= high`, unless one of the literals holds.
    fn at_most(c: &mut Circuit, unless: &[Lit], low: &Time, high: &Time) {
        for (l, h) in low.iter().zip(high) {
            c.require(&[unless, &[!*l, *h]].concat());
        }
    }

    /// `time == k`
    fn is(c: &mut Circuit, time: &Time, k: usize) -> Lit {
        let reached = if k == 0 { Lit::TRUE } else { time[k - 1] };
        let passed = time.get(k).copied().unwrap_or(Lit::FALSE);
        c.and(reached, !passed)
    }

    /// A time at which a store that is issued now may reach memory, but for what its cells ask for.
    fn new_stamp(&self, c: &mut Circuit, clock: &Time, carried: &mut [Word]) -> Time {
        let rows = Carried { times: self.times };
        let stamp = self.number(c);
        Stamped::at_most(c, &[], clock, &stamp);
        match self.order {
            StoreOrder::Total => {
                let last = rows.get(carried, LAST);
                Stamped::at_most(c, &[], &last, &stamp);
                rows.set(carried, LAST, &stamp);
            }
            StoreOrder::PerCell => {
                let floor = rows.get(carried, FLOOR);
                Stamped::at_most(c, &[], &floor, &stamp);
                let last = rows.get(carried, LAST);
                let later: Time = last.iter().zip(&stamp).map(|(l, s)| c.or(*l, *s)).collect();
                rows.set(carried, LAST, &later);
            }
        }
        stamp
    }

    fn own_row(&self, thread: usize, cell: CellId) -> Option<usize> {
        self.own[thread].binary_search(&cell).ok()
    }
}

impl Held {
    /// A store decides what is held, if the literal holds.
    fn set(&mut self, c: &mut Circuit, here: Lit, value: &Word, number: usize) {
        match self {
            Held::Value(word) => *word = Word::choose(here, value, word, c),
            Held::Source(sources) => {
                for (i, holds) in sources.iter_mut().enumerate() {
                    *holds = if i == number { c.or(*holds, here) } else { c.and(*holds, !here) };
                }
            }
            Held::AtLeast(_) => panic!("what one thread stores follows from its progress"),
        }
    }
}

impl Cell {
    /// Before the first turn, when all stores are known.
    fn prepare(&mut self, times: usize) {
        if !self.progress.is_empty() {
            return;
        }
        let stores = self.stores.len();
        let never = Progress { thread: usize::MAX, taken: Lit::FALSE, stamp: vec![Lit::FALSE; times] };
        self.progress = vec![never; stores];
        self.progress[0].taken = Lit::TRUE;
        self.follows = matches!(self.writers, Writers::One(_)) && stores <= MANY_STORES;
        if self.follows {
            return;
        }
        let width = self.stores.iter().map(Word::width).max().unwrap_or(0);
        let held = || match stores {
            many if many > MANY_STORES.min((STORES_PER_BIT * width).max(FEW_STORES)) => {
                Held::Value(self.initial.clone())
            }
            few => Held::Source((0..few).map(|i| Lit::constant(i == 0)).collect()),
        };
        self.held = (0..=times).map(|_| held()).collect();
    }

    /// What a cell with one writer holds: its last store whose stamp has passed. Stamps of one thread's stores to one
    /// cell never fall, so nothing has to be kept from store to store.
    fn refresh(&mut self, c: &mut Circuit, times: usize) {
        if !self.follows || !self.held.is_empty() {
            return;
        }
        for k in 0..=times {
            let mut at_least = vec![Lit::FALSE; self.progress.len()];
            let mut later = Lit::FALSE;
            for (here, own) in at_least.iter_mut().zip(&self.progress).rev() {
                let waits = own.stamp.get(k).copied().unwrap_or(Lit::FALSE);
                let there = c.and(own.taken, !waits);
                later = c.or(later, there);
                *here = later;
            }
            self.held.push(Held::AtLeast(at_least));
        }
    }

    /// Reads what is held at time `k`, if `here` holds; `meant` says that this cell is read, whenever.
    #[allow(clippy::too_many_arguments)]
    fn read(
        &mut self,
        c: &mut Circuit,
        k: usize,
        times: usize,
        here: Lit,
        meant: Lit,
        result: &Word,
        sources: &mut Vec<Option<Lit>>,
    ) {
        self.prepare(times);
        self.refresh(c, times);
        let held = match &self.held[k] {
            Held::Value(word) => {
                define(c, &[!here], result, word);
                return;
            }
            Held::AtLeast(held) => {
                if sources.is_empty() {
                    *sources = one_writer::thresholds(c, &self.stores, meant, result);
                }
                for (source, holds) in sources.iter().zip(held).filter_map(|(s, h)| Some(((*s)?, h))) {
                    c.define(source, &[!here, !*holds, source]);
                    c.define(source, &[!here, *holds, !source]);
                    // All further ones are false too.
                    if *holds == Lit::FALSE {
                        break;
                    }
                }
                return;
            }
            Held::Source(held) => held,
        };
        sources.resize(self.stores.len(), None);
        for (i, holds) in held.iter().enumerate() {
            if *holds == Lit::FALSE && sources[i].is_none() {
                continue;
            }
            let source = *sources[i].get_or_insert_with(|| {
                let source = c.input();
                define(c, &[!source, !meant], result, &self.stores[i]);
                source
            });
            c.define(source, &[!here, !*holds, source]);
            c.define(source, &[!here, *holds, !source]);
        }
    }
}

impl Memory for Stamped {
    fn carried(&self, thread: usize) -> Vec<Word> {
        let rows = FIRST_OWN + self.own[thread].len();
        let mut carried = vec![Word::from_bits(vec![Lit::FALSE]); rows * self.times];
        if self.times > 0 {
            carried.extend(self.own[thread].iter().map(|_| Word::constant(0)));
        }
        carried
    }

    fn issue(&mut self, c: &mut Circuit, thread: usize, carried: &mut [Word], access: Access) -> AccessId {
        let rows = Carried { times: self.times };
        let values = (FIRST_OWN + self.own[thread].len()) * self.times;
        let last = rows.get(carried, LAST);
        let before = rows.get(carried, CLOCK);
        let mut waits_for = None;
        let clock = if access.inside_section {
            waits_for = access.drains.then(|| last.clone());
            before
        } else {
            let clock = self.number(c);
            Stamped::at_most(c, &[], &before, &clock);
            if access.drains {
                Stamped::at_most(c, &[], &last, &clock);
            }
            clock
        };
        rows.set(carried, CLOCK, &clock);
        let reads = access.reads.into_iter().map(|read| {
            let targets = read.targets.into_iter().map(|(meant, cell)| {
                let row = self.own_row(thread, cell).filter(|_| read.forwards && !access.drains);
                let Some(row) = row.filter(|_| self.times > 0) else { return (meant, cell) };
                let stamp = rows.get(carried, FIRST_OWN + row);
                let waiting = stamp.iter().zip(&clock).map(|(s, now)| c.and(*s, !*now)).collect::<Vec<_>>();
                let waiting = c.any(waiting);
                define(c, &[!meant, !waiting], &read.result, &carried[values + row]);
                (c.and(meant, !waiting), cell)
            });
            let targets: Vec<_> = targets.collect();
            let sources = vec![Vec::new(); targets.len()];
            IssuedRead { targets, result: read.result, sources }
        });
        let reads: Vec<_> = reads.collect();
        let mut writes: Vec<IssuedWrite> = Vec::new();
        for write in access.writes {
            let mut targets = Vec::new();
            for (meant, cell, value) in write.targets {
                let facts = &mut self.cells[cell];
                facts.stores.push(value.clone());
                facts.issued_by.push(AccessId(self.issued.len()));
                facts.writers = match facts.writers {
                    Writers::None => Writers::One(thread),
                    Writers::One(other) if other == thread => Writers::One(thread),
                    Writers::One(_) | Writers::Several => Writers::Several,
                };
                targets.push((meant, cell, value, facts.stores.len() - 1));
            }
            if !write.buffered || self.times == 0 {
                writes.push(IssuedWrite { targets, stamp: clock.clone(), buffered: false });
                continue;
            }
            let same_store = writes.last().filter(|_| write.tied).map(|before| before.stamp.clone());
            let stamp = same_store.unwrap_or_else(|| self.new_stamp(c, &clock, carried));
            for (meant, cell, value, _) in &targets {
                let row = self.own_row(thread, *cell).expect("threads carry all cells they store to");
                let old = rows.get(carried, FIRST_OWN + row);
                if self.order == StoreOrder::PerCell {
                    Stamped::at_most(c, &[!*meant], &old, &stamp);
                }
                let new = old.iter().zip(&stamp).map(|(o, s)| c.choose(*meant, *s, *o)).collect();
                rows.set(carried, FIRST_OWN + row, &new);
                carried[values + row] = Word::choose(*meant, value, &carried[values + row], c);
            }
            writes.push(IssuedWrite { targets, stamp, buffered: true });
        }
        if access.orders_stores && self.order == StoreOrder::PerCell {
            let last = rows.get(carried, LAST);
            rows.set(carried, FLOOR, &last);
        }
        let frees = access.frees;
        self.issued.push(Issued { thread, clock, waits_for, reads, writes, frees });
        AccessId(self.issued.len() - 1)
    }

    fn turn(&mut self, c: &mut Circuit, thread: usize) {
        self.begin = std::mem::take(&mut self.end);
        self.end = self.number(c);
        Stamped::at_most(c, &[], &self.begin, &self.end);
        self.ends[thread].swap(0, 1);
        self.ends[thread][1] = self.end.clone();
    }

    fn has_waited(&self, c: &mut Circuit, access: AccessId) -> Lit {
        let issued = &self.issued[access.0];
        let then = &self.ends[issued.thread][0];
        let later: Vec<_> = issued.clock.iter().zip(then).map(|(now, then)| c.and(*now, !*then)).collect();
        c.any(later)
    }

    fn slot(&mut self, c: &mut Circuit, access: AccessId, active: Lit, taken: Lit) {
        let times = self.times;
        let issued = &mut self.issued[access.0];
        Stamped::at_most(c, &[!active], &self.begin, &issued.clock);
        Stamped::at_most(c, &[!active], &issued.clock, &self.end);
        if let Some(last) = &issued.waits_for {
            Stamped::at_most(c, &[!active], last, &issued.clock);
        }
        let mut new = Vec::new();
        for read in &mut issued.reads {
            for k in 0..=times {
                let now = Stamped::is(c, &issued.clock, k);
                for ((meant, cell), sources) in read.targets.iter().zip(&mut read.sources) {
                    let meant_now = c.and(now, *meant);
                    let here = c.and(meant_now, active);
                    if here == Lit::FALSE {
                        continue;
                    }
                    let is_new = sources.is_empty();
                    self.cells[*cell].read(c, k, times, here, *meant, &read.result, sources);
                    if is_new && self.cells[*cell].follows && *meant == Lit::TRUE {
                        new.push((*cell, sources.clone()));
                    }
                }
            }
        }
        for (cell, at_least) in new {
            self.loads.relate(c, Load { thread: issued.thread, cell, access, at_least }, |cell| {
                let Cell { writers, issued_by, .. } = &self.cells[cell];
                if let Writers::One(writer) = writers { Some((*writer, issued_by)) } else { None }
            });
        }
        if let Some(frees) = &issued.frees {
            let mut waiting = Vec::new();
            for (meant, cells) in &frees.targets {
                for store in cells.iter().flat_map(|cell| &self.cells[*cell].progress) {
                    if store.thread != issued.thread {
                        let later = store.stamp.iter().zip(&issued.clock);
                        let later: Vec<_> = later.map(|(stamp, now)| c.and(*stamp, !*now)).collect();
                        let later = c.any(later);
                        waiting.push(c.all([*meant, store.taken, later]));
                    }
                }
            }
            frees.require(c, active, &waiting);
        }
        for write in &issued.writes {
            for (meant, cell, value, number) in &write.targets {
                let written = c.and(*meant, active);
                let cell = &mut self.cells[*cell];
                cell.prepare(times);
                let done = c.and(*meant, taken);
                let stamp = write.stamp.clone();
                cell.progress[*number] = Progress { thread: issued.thread, taken: done, stamp };
                if cell.follows {
                    cell.held.clear();
                    continue;
                }
                // Whether the store decides what the cell holds at time k.
                let mut decides = Lit::FALSE;
                for k in 0..=times {
                    let now = Stamped::is(c, &write.stamp, k);
                    if k > 0 {
                        decides = c.and(decides, !cell.stamped[k - 1]);
                    }
                    decides = c.or(decides, now);
                    let here = c.and(decides, written);
                    cell.held[k].set(c, here, value, *number);
                }
                for k in 1..=times {
                    let now = Stamped::is(c, &write.stamp, k);
                    let here = c.and(now, written);
                    cell.stamped[k - 1] = c.or(cell.stamped[k - 1], here);
                }
            }
        }
    }

    fn value(&mut self, c: &mut Circuit, cell: CellId) -> Word {
        let cell = &mut self.cells[cell];
        cell.prepare(self.times);
        cell.refresh(c, self.times);
        match &cell.held[self.times] {
            Held::Value(word) => word.clone(),
            Held::Source(sources) | Held::AtLeast(sources) => {
                let stores = sources.iter().zip(&cell.stores);
                stores.fold(cell.initial.clone(), |value, (holds, store)| {
                    Word::choose(*holds, store, &value, c)
                })
            }
        }
    }

    fn timing(&self, access: AccessId, model: &dyn Fn(Lit) -> bool) -> Option<Timing> {
        let number = |time: &Time| time.iter().filter(|lit| model(**lit)).count();
        let issued = &self.issued[access.0];
        debug_assert!(issued.thread < self.own.len());
        let buffered = issued.writes.iter().filter(|w| w.buffered || self.times == 0);
        Some(Timing { clock: number(&issued.clock), stamps: buffered.map(|w| number(&w.stamp)).collect() })
    }

    fn flushes(&self, _access: AccessId, _occurrence: usize, _model: &dyn Fn(Lit) -> bool) -> Vec<Flush> {
        Vec::new()
    }
}
