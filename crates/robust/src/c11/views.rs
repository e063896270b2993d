//! What the monitor remembers of a run: positions in the orders of writes, as sets of values that may still be seen.
//!
//! A *view* gives a position in the order of the writes to each cell. It is kept as two sets of values for each cell: those of writes that are
//! not the newest and not before the position, and those of them after which there is room for another write, as no
//! read-modify-write reads them. Both are empty where the newest write is known. The more is known, the smaller the sets: the later of two
//! positions is their intersection, which is exact because all sets of a cell belong to the ends of one order. A new write adds the
//! value that it replaces to every view.
//!
//! A *cut* is what travels with happens-before: several views ([`Part`]), and for each cell and thread which accesses are not known to have
//! happened before. [`rules`](super::rules) says what each is for.

mod before;
mod overwritten;

use before::Before;
use fencepost_explore::codec::{put_number, take_number};
use fencepost_ir::cfg::Loc;
use fencepost_memory::axiom::c11::ReleaseSequences;
use overwritten::OldWrites;
use std::rc::Rc;

/// The values of one cell in a view, as bits: below those that may be read, above those after which may be written.
pub type Entry = u64;

/// Values that a cell can have in views.
pub const MAX_VALUES: usize = 32;

/// One set of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// Values that may be read.
    Read,
    /// Values after which may be written.
    Free,
}

/// The values of a set, as bits.
pub fn values(entry: Entry, set: Set) -> u32 {
    match set {
        Set::Read => entry as u32,
        Set::Free => (entry >> MAX_VALUES) as u32,
    }
}

/// What bounds take into account of a fence: with seq_cst fences and accesses together, only writes that happen before a fence bound
/// an access, while between fences reads count, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// For accesses.
    Access,
    /// For fences.
    Fence,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Access, Side::Fence];
}

/// A view of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Coherence: what happens before, reads and writes.
    Seen,
    /// Writes that happen before.
    Written,
    /// Bounds of the seq_cst fences that happen before.
    Fences(Side),
    /// Bounds that the next seq_cst fence takes over.
    Waiting(Side),
    /// Bounds of seq_cst accesses that happen before through an access to another cell.
    Elsewhere(Side),
    /// Bounds of seq_cst accesses to the cell of this number that happen before.
    Here(usize, Side),
}

/// A cut, by threads and numbers of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// What happens before the next event of a thread.
    Current(usize),
    /// The same, and what an acquire fence would add.
    Acquired(usize),
    /// What happened before the thread's last release fence.
    Fenced(usize),
    /// The newest write of a cell passes this on.
    Message(usize),
    /// What happened before the thread's last release store to the cell; only for the older release sequences.
    Released(usize, usize),
    /// Nothing is known.
    Nothing,
}

/// A view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// One of a cut.
    In(Cut, Part),
    /// Bounds of the thread's own seq_cst accesses to a cell.
    Own(usize, usize, Side),
    /// Bounds for the thread's next seq_cst access to a cell that come through accesses to other cells.
    Around(usize, usize, Side),
    /// Bounds of the seq_cst accesses to a cell.
    Accesses(usize, Side),
    /// Bounds of fences before a write to a cell.
    Writers(usize, Side),
    /// Bounds of fences before an access to a cell since its newest write, and before that.
    Readers(usize, Side),
}

/// What the monitor keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kept {
    /// Which accesses happen before: enough for races.
    HappensBefore,
    /// Also coherence: enough where nothing is seq_cst.
    Coherence,
    /// All views.
    All,
}

/// The threads and cells of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// How many threads there are.
    pub threads: usize,
    /// The cells, sorted.
    pub cells: Vec<Loc>,
    kept: Kept,
    older: bool,
    /// Whether old writes are remembered.
    remembers: bool,
}

impl Shape {
    /// The shape of a first state.
    pub fn new(threads: usize, cells: Vec<Loc>, kept: Kept, sequences: ReleaseSequences) -> Shape {
        Shape { threads, cells, kept, older: sequences == ReleaseSequences::C11, remembers: false }
    }

    /// The same with old writes.
    pub fn remembering(self) -> Shape {
        Shape { remembers: true, ..self }
    }

    /// Whether seq_cst is used.
    pub fn seq_cst(&self) -> bool {
        self.kept == Kept::All
    }

    /// The number of a cell.
    pub fn cell(&self, loc: Loc) -> usize {
        self.cells.binary_search(&loc).expect("every live cell is in the shape")
    }

    fn parts(&self) -> usize {
        match self.kept {
            Kept::HappensBefore => 0,
            Kept::Coherence => 1,
            Kept::All => 8 + 2 * self.cells.len(),
        }
    }

    fn part(&self, part: Part) -> usize {
        let side = |side: Side| usize::from(side == Side::Fence);
        match part {
            Part::Seen => 0,
            Part::Written => 1,
            Part::Fences(s) => 2 + side(s),
            Part::Waiting(s) => 4 + side(s),
            Part::Elsewhere(s) => 6 + side(s),
            Part::Here(x, s) => 8 + 2 * x + side(s),
        }
    }

    fn all_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.kept != Kept::HappensBefore {
            parts.push(Part::Seen);
        }
        if self.seq_cst() {
            parts.push(Part::Written);
            parts.extend(Side::BOTH.map(Part::Fences));
            parts.extend(Side::BOTH.map(Part::Waiting));
            parts.extend(Side::BOTH.map(Part::Elsewhere));
            parts.extend((0..self.cells.len()).flat_map(|x| Side::BOTH.map(|s| Part::Here(x, s))));
        }
        parts
    }

    fn cuts(&self) -> usize {
        let released = if self.older { self.threads * self.cells.len() } else { 0 };
        1 + 3 * self.threads + self.cells.len() + released
    }

    fn cut(&self, cut: Cut) -> usize {
        let first_message = 1 + 3 * self.threads;
        match cut {
            Cut::Nothing => 0,
            Cut::Current(t) => 1 + 3 * t,
            Cut::Acquired(t) => 2 + 3 * t,
            Cut::Fenced(t) => 3 + 3 * t,
            Cut::Message(x) => first_message + x,
            Cut::Released(t, x) => {
                debug_assert!(self.older, "only the older release sequences need it");
                first_message + (t + 1) * self.cells.len() + x
            }
        }
    }

    fn all_cuts(&self) -> Vec<Cut> {
        let mut cuts = vec![Cut::Nothing];
        cuts.extend((0..self.threads).flat_map(|t| [Cut::Current(t), Cut::Acquired(t), Cut::Fenced(t)]));
        cuts.extend((0..self.cells.len()).map(Cut::Message));
        if self.older {
            let cells = self.cells.len();
            cuts.extend((0..self.threads).flat_map(|t| (0..cells).map(move |x| Cut::Released(t, x))));
        }
        cuts
    }

    fn row(&self, row: Row) -> usize {
        let side = |side: Side| usize::from(side == Side::Fence);
        let cells = self.cells.len();
        let own = self.cuts() * self.parts();
        let shared = own + 4 * self.threads * cells;
        match row {
            Row::In(cut, part) => self.cut(cut) * self.parts() + self.part(part),
            Row::Own(t, x, s) => own + 4 * (t * cells + x) + side(s),
            Row::Around(t, x, s) => own + 4 * (t * cells + x) + 2 + side(s),
            Row::Accesses(x, s) => shared + 6 * x + side(s),
            Row::Writers(x, s) => shared + 6 * x + 2 + side(s),
            Row::Readers(x, s) => shared + 6 * x + 4 + side(s),
        }
    }

    fn all_rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for cut in self.all_cuts() {
            rows.extend(self.all_parts().into_iter().map(|part| Row::In(cut, part)));
        }
        if self.seq_cst() {
            for x in 0..self.cells.len() {
                for s in Side::BOTH {
                    rows.extend((0..self.threads).flat_map(|t| [Row::Own(t, x, s), Row::Around(t, x, s)]));
                    rows.extend([Row::Accesses(x, s), Row::Writers(x, s), Row::Readers(x, s)]);
                }
            }
        }
        rows
    }

    /// Bytes that views of this shape take: a cube of the number of cells, where seq_cst is used.
    pub fn bytes(&self) -> u64 {
        let [cells, threads, cuts, parts] =
            [self.cells.len(), self.threads, self.cuts(), self.parts()].map(|n| n as u128);
        let bounds = if self.seq_cst() { (4 * threads + 6) * cells } else { 0 };
        let entries = (cuts * parts + bounds + cuts * threads) * cells;
        u64::try_from(entries * size_of::<Entry>() as u128).unwrap_or(u64::MAX)
    }

    fn rows(&self) -> usize {
        let cells = self.cells.len();
        let bounds = if self.seq_cst() { (4 * self.threads + 6) * cells } else { 0 };
        self.cuts() * self.parts() + bounds
    }
}

/// Who knows which newest writes, in the order of SC: program order, reads, and orders of writes together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Knower {
    /// A thread.
    Thread(usize),
    /// Who reads the newest write of a cell.
    Reader(usize),
    /// Who writes a cell next.
    Writer(usize),
}

/// Kinds of accesses that race with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
}

impl Class {
    fn bit(self) -> u8 {
        1 << (u8::from(self.writes) + 2 * u8::from(self.atomic))
    }

    /// The bits of all classes that it would race with.
    fn conflicts(self) -> u8 {
        let classes =
            [false, true].into_iter().flat_map(|w| [false, true].map(|a| Class { writes: w, atomic: a }));
        let races = |other: &Class| (self.writes || other.writes) && (!self.atomic || !other.atomic);
        classes.filter(races).map(Class::bit).sum()
    }
}

/// The monitor's part of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Views {
    shape: Rc<Shape>,
    /// An entry for each cell in each row.
    entries: Vec<Entry>,
    /// For each cut, cell and thread the classes of accesses that are not known.
    unordered: Vec<u8>,
    /// For each knower and cell whether the newest write is known.
    known: Vec<bool>,
    /// The writes that have been overwritten, where they are remembered.
    old: Option<OldWrites>,
}

impl Views {
    /// At the beginning everybody knows the initial writes.
    pub fn new(shape: Shape) -> Views {
        let cells = shape.cells.len();
        let knowers = if shape.kept == Kept::HappensBefore { 0 } else { shape.threads + 2 * cells };
        Views {
            entries: vec![0; shape.rows() * cells],
            unordered: vec![0; shape.cuts() * cells * shape.threads],
            known: vec![true; knowers * cells],
            old: shape.remembers.then(OldWrites::default),
            shape: Rc::new(shape),
        }
    }

    /// Its threads and cells.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether more than happens-before is kept.
    fn keeps_views(&self) -> bool {
        self.shape.kept != Kept::HappensBefore
    }

    fn start(&self, row: Row) -> usize {
        self.shape.row(row) * self.shape.cells.len()
    }

    /// An entry.
    pub fn entry(&self, row: Row, cell: usize) -> Entry {
        if !self.keeps_views() {
            return 0;
        }
        self.entries[self.start(row) + cell]
    }

    /// A whole view.
    pub fn view(&self, row: Row) -> Vec<Entry> {
        if !self.keeps_views() {
            return Vec::new();
        }
        let start = self.start(row);
        self.entries[start..start + self.shape.cells.len()].to_vec()
    }

    /// The later of two positions.
    pub fn join(&mut self, into: Row, view: &[Entry]) {
        let start = self.start(into);
        self.entries[start..].iter_mut().zip(view).for_each(|(a, b)| *a &= b);
    }

    /// Replaces a view.
    pub fn set(&mut self, into: Row, view: &[Entry]) {
        let start = self.start(into);
        self.entries[start..start + view.len()].copy_from_slice(view);
    }

    /// The newest write of a cell is known.
    pub fn reach_newest(&mut self, row: Row, cell: usize) {
        if !self.keeps_views() {
            return;
        }
        let start = self.start(row);
        self.entries[start + cell] = 0;
    }

    /// A write replaces a value, which everybody may still see from now on.
    pub fn replace(&mut self, cell: usize, value: Entry) {
        let cells = self.shape.cells.len();
        self.entries.iter_mut().skip(cell).step_by(cells).for_each(|entry| *entry |= value);
        if let Some(old) = &mut self.old {
            old.replace(cell, cells, value);
        }
    }

    /// What both know.
    pub fn join_cut(&mut self, into: Cut, from: Cut) {
        let rows = self.shape.parts() * self.shape.cells.len();
        let (a, b) = (self.shape.cut(into) * rows, self.shape.cut(from) * rows);
        (0..rows).for_each(|i| self.entries[a + i] &= self.entries[b + i]);
        let size = self.shape.cells.len() * self.shape.threads;
        let (a, b) = (self.shape.cut(into) * size, self.shape.cut(from) * size);
        (0..size).for_each(|i| self.unordered[a + i] &= self.unordered[b + i]);
    }

    /// Replaces a cut.
    pub fn set_cut(&mut self, into: Cut, from: Cut) {
        let rows = self.shape.parts() * self.shape.cells.len();
        let (a, b) = (self.shape.cut(into) * rows, self.shape.cut(from) * rows);
        self.entries.copy_within(b..b + rows, a);
        let size = self.shape.cells.len() * self.shape.threads;
        let (a, b) = (self.shape.cut(into) * size, self.shape.cut(from) * size);
        self.unordered.copy_within(b..b + size, a);
    }

    fn access_bits(&self, cut: Cut, cell: usize, thread: usize) -> usize {
        (self.shape.cut(cut) * self.shape.cells.len() + cell) * self.shape.threads + thread
    }

    /// Whether another thread has accessed a cell in conflict, and this does not happen before the thread's access.
    pub fn races(&self, thread: usize, cell: usize, class: Class) -> bool {
        let unordered = |u: usize| self.unordered[self.access_bits(Cut::Current(thread), cell, u)];
        let mut others = (0..self.shape.threads).filter(|u| *u != thread);
        others.any(|u| unordered(u) & class.conflicts() != 0)
    }

    /// A thread accesses a cell, which only it knows of.
    pub fn mark(&mut self, thread: usize, cell: usize, class: Class) {
        let (start, step) = (cell * self.shape.threads + thread, self.shape.cells.len() * self.shape.threads);
        self.unordered.iter_mut().skip(start).step_by(step).for_each(|bits| *bits |= class.bit());
        if let Some(old) = &mut self.old {
            old.mark(start, class.bit());
        }
        for cut in [Cut::Current(thread), Cut::Acquired(thread)] {
            let at = self.access_bits(cut, cell, thread);
            self.unordered[at] &= !class.bit();
        }
    }

    fn knower(&self, knower: Knower) -> usize {
        let cells = self.shape.cells.len();
        cells
            * match knower {
                Knower::Thread(t) => t,
                Knower::Reader(x) => self.shape.threads + x,
                Knower::Writer(x) => self.shape.threads + cells + x,
            }
    }

    /// Whether the newest write of a cell is before all that the knower does next, in the order of SC.
    pub fn knows(&self, knower: Knower, cell: usize) -> bool {
        self.known[self.knower(knower) + cell]
    }

    /// One knows what the other knows.
    pub fn learn(&mut self, knower: Knower, from: Knower) {
        if !self.keeps_views() {
            return;
        }
        let (a, b) = (self.knower(knower), self.knower(from));
        (0..self.shape.cells.len()).for_each(|i| self.known[a + i] |= self.known[b + i]);
    }

    /// One knows what the other knows, and nothing else.
    pub fn learn_only(&mut self, knower: Knower, from: Knower) {
        if !self.keeps_views() {
            return;
        }
        let (a, b) = (self.knower(knower), self.knower(from));
        self.known.copy_within(b..b + self.shape.cells.len(), a);
    }

    /// There is a new write to a cell that only this thread knows.
    pub fn forget(&mut self, cell: usize, thread: usize) {
        if !self.keeps_views() {
            return;
        }
        let cells = self.shape.cells.len();
        self.known.iter_mut().skip(cell).step_by(cells).for_each(|known| *known = false);
        let own = self.knower(Knower::Thread(thread));
        self.known[own + cell] = true;
    }

    /// The same with other threads and cells. No view contains the new threads and cells, and theirs are empty.
    pub fn reshaped(&self, threads: usize, cells: Vec<Loc>) -> Views {
        let shape = Shape { threads, cells, ..(*self.shape).clone() };
        let mut new = Views::new(shape.clone());
        new.known.fill(false);
        let old_cell: Vec<Option<usize>> =
            shape.cells.iter().map(|loc| self.shape.cells.binary_search(loc).ok()).collect();
        let old =
            Before { thread: |t: usize| (t < self.shape.threads).then_some(t), cell: |x: usize| old_cell[x] };
        for row in shape.all_rows() {
            let from = old.row(row).unwrap_or(Row::In(Cut::Nothing, Part::Seen));
            let start = new.start(row);
            for (x, was) in old_cell.iter().enumerate() {
                new.entries[start + x] = was.map_or(0, |x| self.entry(from, x));
            }
        }
        for cut in shape.all_cuts() {
            let from = old.cut(cut).unwrap_or(Cut::Nothing);
            for (x, was) in old_cell.iter().enumerate() {
                let (Some(was), known) = (*was, 0..threads.min(self.shape.threads)) else { continue };
                for t in known {
                    let at = new.access_bits(cut, x, t);
                    new.unordered[at] = self.unordered[self.access_bits(from, was, t)];
                }
            }
        }
        new.old = self.reshaped_old(&new, &old_cell);
        if !self.keeps_views() {
            return new;
        }
        let knowers = (0..threads).map(Knower::Thread);
        let cells = (0..shape.cells.len()).flat_map(|x| [Knower::Reader(x), Knower::Writer(x)]);
        for knower in knowers.chain(cells) {
            let Some(from) = old.knower(knower) else { continue };
            let start = new.knower(knower);
            for (x, was) in old_cell.iter().enumerate() {
                new.known[start + x] = was.is_some_and(|x| self.knows(from, x));
            }
        }
        new
    }

    /// Appends its bytes; the shape is known from the state that it belongs to.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.entries.iter().for_each(|entry| put_entry(out, *entry));
        out.extend_from_slice(&self.unordered);
        out.extend(
            self.known.chunks(8).map(|bits| bits.iter().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit))),
        );
        if let Some(old) = &self.old {
            old.encode(out);
        }
    }

    /// Takes its bytes.
    pub fn decode(input: &mut &[u8], shape: Shape) -> Views {
        let mut views = Views::new(shape);
        views.entries.iter_mut().for_each(|entry| *entry = take_entry(input));
        let (bits, rest) = input.split_at(views.unordered.len());
        views.unordered.copy_from_slice(bits);
        let (bytes, rest) = rest.split_at(views.known.len().div_ceil(8));
        for (bits, byte) in views.known.chunks_mut(8).zip(bytes) {
            let length = bits.len();
            bits.iter_mut().enumerate().for_each(|(i, bit)| *bit = byte >> (length - 1 - i) & 1 == 1);
        }
        *input = rest;
        if views.shape.remembers {
            views.old = Some(OldWrites::decode(input, &views.shape));
        }
        views
    }
}

fn put_entry(out: &mut Vec<u8>, entry: Entry) {
    put_number(out, u64::from(values(entry, Set::Read)));
    put_number(out, u64::from(values(entry, Set::Free)));
}

fn take_entry(input: &mut &[u8]) -> Entry {
    let read = take_number(input);
    read | take_number(input) << MAX_VALUES
}
