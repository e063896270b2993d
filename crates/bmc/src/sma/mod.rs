//! Shared-memory abstractions (Tomasco et al., FMCAD 2016, sections II to V): all that the
//! sequentialized program knows of memory.
//!
//! An abstraction sees each access twice. When the thread's code is encoded, once and for all rounds,
//! [`Memory::issue`] says what the access means to its own thread: what is still in its buffer, which
//! stamp a store gets. When a round is encoded, [`Memory::slot`] says what it does to memory if it is
//! executed in that round, in the order in which the rounds go.
//!
//! What a thread carries along its code (its last stamps and its own stores) is a row of words,
//! [`Memory::carried`], which the sequentialization merges where ways meet, like registers.

mod one_writer;
pub mod queue;
pub mod stamped;

use crate::circuit::{Circuit, Lit};
use crate::word::Word;

/// A shared cell, by its number.
pub type CellId = usize;

/// A load's part of an access: one of several cells, and what is read from it.
pub struct Read {
    /// When which cell is meant; one at most at a time.
    pub targets: Vec<(Lit, CellId)>,
    /// The value; its inputs are defined by the abstraction.
    pub result: Word,
    /// Whether own stores that are still in the buffer are seen.
    pub forwards: bool,
}

/// A store's part of an access.
pub struct Write {
    /// When which cell gets which value.
    pub targets: Vec<(Lit, CellId, Word)>,
    /// Whether it goes by the buffer, or straight to memory.
    pub buffered: bool,
    /// Whether it is of the same store as the write before it: one store to several cells has a write for each of them,
    /// and they reach memory at once.
    pub tied: bool,
}

/// The end of an object: stores of other threads to it that have not reached memory by then come too late.
pub struct Frees {
    /// When which object's cells are meant.
    pub targets: Vec<(Lit, Vec<CellId>)>,
    /// An input that may be true only if such a store waits; the abstraction sees to it.
    pub too_late: Lit,
    /// Whether it must be true then: where the memory may be given out again, so that no store to the object that was reaches
    /// the one that is.
    pub must: bool,
}

impl Frees {
    /// Requires of `too_late` what is said of it, given when which store waits as the step is taken.
    fn require(&self, c: &mut Circuit, active: Lit, waiting: &[Lit]) {
        c.require(&[&[!self.too_late, !active], waiting].concat());
        if self.must {
            waiting.iter().for_each(|waits| c.require(&[!active, !*waits, self.too_late]));
        }
    }
}

/// What an instruction asks of memory: first all reads, then all writes, at once.
#[derive(Default)]
pub struct Access {
    /// Reads.
    pub reads: Vec<Read>,
    /// Writes.
    pub writes: Vec<Write>,
    /// What it frees.
    pub frees: Option<Frees>,
    /// Whether it waits until the own buffer is empty.
    pub drains: bool,
    /// Whether stores after it reach memory after those before it.
    pub orders_stores: bool,
    /// Whether nothing else happens between the thread's step before and this one: inside an atomic
    /// section.
    pub inside_section: bool,
}

/// An access that was issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessId(pub usize);

/// When a store reaches memory, as the model says.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// How far memory's clock is when the access is executed.
    pub clock: usize,
    /// For each write, when it reaches memory.
    pub stamps: Vec<usize>,
}

/// A flush that the model chose before an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flush {
    /// Whose store.
    pub thread: usize,
    /// Which of those that wait, the oldest first.
    pub index: usize,
}

/// A shared-memory abstraction.
pub trait Memory {
    /// How many words a thread carries, and their values at its start.
    fn carried(&self, thread: usize) -> Vec<Word>;

    /// What an access means to its own thread; in the order of the thread's code.
    fn issue(&mut self, c: &mut Circuit, thread: usize, carried: &mut [Word], access: Access) -> AccessId;

    /// A thread's turn in a round begins.
    fn turn(&mut self, c: &mut Circuit, thread: usize);

    /// What the access does if it is executed now; `taken` says that it is, or has been in an earlier round.
    fn slot(&mut self, c: &mut Circuit, access: AccessId, active: Lit, taken: Lit);

    /// Whether time has advanced between the end of the thread's last turn and the access in this one, as far as that makes
    /// a difference.
    fn has_waited(&self, _c: &mut Circuit, _access: AccessId) -> Lit {
        Lit::TRUE
    }

    /// What a cell holds after all that was encoded so far, with all buffers empty.
    fn value(&mut self, c: &mut Circuit, cell: CellId) -> Word;

    /// Stamps, by a model: for abstractions that have them.
    fn timing(&self, access: AccessId, model: &dyn Fn(Lit) -> bool) -> Option<Timing>;

    /// For abstractions with queues: the flushes that the model puts before the n-th slot of an access.
    fn flushes(&self, access: AccessId, occurrence: usize, model: &dyn Fn(Lit) -> bool) -> Vec<Flush>;
}

/// Requires that a word's inputs equal another word's bits under some conditions.
pub fn define(c: &mut Circuit, unless: &[Lit], defined: &Word, value: &Word) {
    for (i, &bit) in defined.bits().iter().enumerate() {
        if bit.as_constant().is_some() {
            continue;
        }
        let other = value.bit(i);
        for clause in [[bit, !other], [!bit, other]] {
            let clause = [unless, &clause].concat();
            c.define(bit, &clause);
        }
    }
}
