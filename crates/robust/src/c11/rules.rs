//! What each event does to the monitor's views, and what a thread could do besides the step of SC.
//!
//! Take an execution graph of RC11 that SC does not have, add its events one after the other, each after those that it reads or follows, and
//! stop at the first event *e* that SC does not allow. Everything before it is a run of SC. Of that run keep only what
//! is before *e*'s thread in the order of SC (program order, reads-from, orders of writes, and reads before what overwrites them): it is
//! again a run, and *e* is still allowed by RC11 and not by SC. *e* reads or follows a write of its cell that is not
//! the newest one, while the newest one is before its thread. So a program is not robust exactly if in some
//! state of SC a thread's next access has a cell whose newest write the thread *knows* in that order, and RC11 lets it read an older write, or
//! be written after one. The first is kept as bits ([`Knower`]), the second as views.
//!
//! Without seq_cst, RC11 lets it take a write at or after its position in the coherence view, and for a store or read-modify-write one that
//! no other read-modify-write follows. The cycles that seq_cst forbids can only be closed by an edge from *e* to a newer write. Two kinds
//! of bounds keep them away: those of seq_cst fences that happen before *e*, which join the coherence view at the fence, and those of
//! seq_cst events that are before a seq_cst *e* by program order, or through an access to another cell.
//!
//! [`Rule`] lists the rules that can be left out, to see that the tests notice.

use super::views::{Class, Cut, Entry, Knower, MAX_VALUES, Part, Row, Set, Side, Views, values};
use fencepost_ir::Order;
use fencepost_memory::axiom::c11::ReleaseSequences;

/// A rule that tests leave out or change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// A read takes the message of what it reads.
    Acquire,
    /// A read sees the newest write.
    ReadSees,
    /// A store sees itself.
    WriteSees,
    /// There is no room after a write that a read-modify-write reads.
    NoRoomBeforeUpdate,
    /// A release store passes on what happened before.
    Release,
    /// A release fence makes later stores pass on what happened before it.
    ReleaseFence,
    /// An acquire fence takes what relaxed reads have seen.
    AcquireFence,
    /// A read-modify-write passes on what it reads.
    ReleaseSequence,
    /// A store without atomicity passes on nothing.
    PlainMessage,
    /// With the older release sequences, a store passes on what an earlier release store of its thread did.
    OwnSequence,
    /// A seq_cst access is bound by the thread's own seq_cst accesses.
    Own,
    /// A seq_cst access is bound through accesses to other cells.
    Around,
    /// Accesses to the same cell do not count as such.
    AroundFirst,
    /// Nor does the last one.
    AroundLast,
    /// Only writes that happen before a fence bound an access.
    AccessSide,
    /// Reads bound fences, too.
    FenceSide,
    /// A fence's bounds join coherence.
    FenceSees,
    /// Bounds of fences before the write that is read wait for the next fence.
    WaitWriters,
    /// Bounds of seq_cst accesses before a write wait for the next fence.
    WaitAccesses,
    /// Bounds of fences before readers wait for the next fence.
    WaitReaders,
    /// Readers of one write are not ordered.
    ReadersApart,
    /// A read adds its fences' bounds for later writers.
    ReadersAdd,
    /// Bounds of a seq_cst read come from seq_cst accesses to its cell that happen before.
    BoundHere,
    /// Bounds of a seq_cst read come through other cells.
    BoundAround,
    /// Bounds of a seq_cst write come from seq_cst accesses to its cell.
    BoundAccesses,
    /// Bounds of a seq_cst write come from fences before readers of its cell.
    BoundReaders,
    /// A seq_cst write bounds its own cell.
    BoundItself,
    /// A thread knows what the thread that starts it knows.
    Spawn,
    /// Who joins a thread knows what it knew.
    Join,
    /// Who takes a mutex knows what was known when it was given back.
    Mutex,
    /// Others do not know of an access when it is done.
    Marks,
    /// In the order of SC, a reader is after the newest write.
    KnowsRead,
    /// A writer is after the write before it and its readers.
    KnowsWritten,
    /// Readers are before the next write.
    KnowsReaders,
    /// No other thread knows a new write.
    Forgets,
    /// A thread is after what started it.
    KnowsSpawn,
    /// Who joins a thread is after it.
    KnowsJoin,
    /// Who takes a mutex is after who gave it back.
    KnowsMutex,
    /// Who reads an older write takes its message.
    OldMessage,
    /// Who reads an older write reads nothing before it from then on.
    OldPosition,
    /// An older write passes on what it releases.
    OldRelease,
    /// A read-modify-write of an older write passes on what it reads.
    OldSequence,
    /// What is written before the newest write may be seen.
    OldSeen,
}

impl Rule {
    /// All of them.
    #[cfg(test)]
    pub const ALL: [Rule; 38] = [
        Rule::Acquire,
        Rule::ReadSees,
        Rule::WriteSees,
        Rule::NoRoomBeforeUpdate,
        Rule::Release,
        Rule::ReleaseFence,
        Rule::AcquireFence,
        Rule::ReleaseSequence,
        Rule::PlainMessage,
        Rule::OwnSequence,
        Rule::Own,
        Rule::Around,
        Rule::AroundFirst,
        Rule::AroundLast,
        Rule::AccessSide,
        Rule::FenceSide,
        Rule::FenceSees,
        Rule::WaitWriters,
        Rule::WaitAccesses,
        Rule::WaitReaders,
        Rule::ReadersApart,
        Rule::ReadersAdd,
        Rule::BoundHere,
        Rule::BoundAround,
        Rule::BoundAccesses,
        Rule::BoundReaders,
        Rule::BoundItself,
        Rule::Spawn,
        Rule::Join,
        Rule::Mutex,
        Rule::Marks,
        Rule::KnowsRead,
        Rule::KnowsWritten,
        Rule::KnowsReaders,
        Rule::Forgets,
        Rule::KnowsSpawn,
        Rule::KnowsJoin,
        Rule::KnowsMutex,
    ];

    /// Those of steps that take older writes.
    #[cfg(test)]
    pub const OLD: [Rule; 5] =
        [Rule::OldMessage, Rule::OldPosition, Rule::OldRelease, Rule::OldSequence, Rule::OldSeen];
}

/// The rules.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    sequences: ReleaseSequences,
    left_out: Option<Rule>,
}

/// Whether a write belongs to a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writing {
    /// It does not.
    Store,
    /// It does: its read comes first.
    Update,
}

fn class(order: Option<Order>, writes: bool) -> Class {
    Class { writes, atomic: order.is_some() }
}

fn both(a: &mut [Entry], b: &[Entry]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= b);
}

impl Rules {
    /// All rules.
    pub fn new(sequences: ReleaseSequences) -> Rules {
        Rules { sequences, left_out: None }
    }

    /// All but one.
    #[cfg(test)]
    pub fn without(self, rule: Rule) -> Rules {
        Rules { left_out: Some(rule), ..self }
    }

    fn has(self, rule: Rule) -> bool {
        self.left_out != Some(rule)
    }

    /// A thread reads a cell. Whether this is a race.
    pub fn read(self, views: &mut Views, t: usize, x: usize, order: Option<Order>) -> bool {
        if self.has(Rule::Acquire) {
            if order.is_some() {
                views.join_cut(Cut::Acquired(t), Cut::Message(x));
            }
            if order.is_some_and(Order::acquires) {
                views.join_cut(Cut::Current(t), Cut::Message(x));
            }
        }
        self.pass(views, t, Some(x));
        let current = |part| Row::In(Cut::Current(t), part);
        if self.has(Rule::ReadSees) {
            views.reach_newest(current(Part::Seen), x);
        }
        if views.shape().seq_cst() {
            for side in Side::BOTH {
                if self.has(Rule::WaitWriters) {
                    let apart = self.has(Rule::ReadersApart);
                    let from = if apart { Row::Writers(x, side) } else { Row::Readers(x, side) };
                    let bound = views.view(from);
                    views.join(current(Part::Waiting(side)), &bound);
                }
                if order == Some(Order::SeqCst) {
                    let mut bound = self.own(views, t, side);
                    if self.has(Rule::BoundHere) {
                        both(&mut bound, &views.view(current(Part::Here(x, side))));
                    }
                    if self.has(Rule::BoundAround) {
                        both(&mut bound, &views.view(Row::Around(t, x, side)));
                    }
                    self.bounds(views, t, x, side, &bound);
                }
                if self.has(Rule::ReadersAdd) {
                    let fences = views.view(current(Part::Fences(side)));
                    views.join(Row::Readers(x, side), &fences);
                }
            }
        }
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        let races = self.access(views, t, x, class(order, false));
        if self.has(Rule::KnowsRead) {
            views.learn(Knower::Thread(t), Knower::Reader(x));
        }
        if self.has(Rule::KnowsReaders) {
            views.learn(Knower::Writer(x), Knower::Thread(t));
        }
        races
    }

    /// A thread writes a cell that held a value. Whether this is a race.
    pub fn write(
        self,
        views: &mut Views,
        t: usize,
        x: usize,
        order: Option<Order>,
        writing: Writing,
        old: Option<u32>,
    ) -> bool {
        let races = self.access(views, t, x, class(order, true));
        if let Some(old) = old {
            let free = writing == Writing::Store || !self.has(Rule::NoRoomBeforeUpdate);
            let room = if free { 1 << (old as usize + MAX_VALUES) } else { 0 };
            views.replace(x, 1 << old | room);
            views.keep_old(x, old, 1 << old | room);
        }
        self.pass(views, t, Some(x));
        let current = |part| Row::In(Cut::Current(t), part);
        if self.has(Rule::WriteSees) {
            views.reach_newest(current(Part::Seen), x);
        }
        if views.shape().seq_cst() {
            views.reach_newest(current(Part::Written), x);
            for side in Side::BOTH {
                self.write_bounds(views, t, x, order, side);
            }
        }
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        self.message(views, t, x, order, writing);
        if self.has(Rule::KnowsWritten) {
            views.learn(Knower::Thread(t), Knower::Writer(x));
        }
        if self.has(Rule::Forgets) {
            views.forget(x, t);
        }
        views.learn_only(Knower::Reader(x), Knower::Thread(t));
        views.learn_only(Knower::Writer(x), Knower::Thread(t));
        races
    }

    fn write_bounds(self, views: &mut Views, t: usize, x: usize, order: Option<Order>, side: Side) {
        let current = |part| Row::In(Cut::Current(t), part);
        let (accesses, readers) = (views.view(Row::Accesses(x, side)), views.view(Row::Readers(x, side)));
        if self.has(Rule::WaitAccesses) {
            views.join(current(Part::Waiting(side)), &accesses);
        }
        if self.has(Rule::WaitReaders) {
            views.join(current(Part::Waiting(side)), &readers);
        }
        if order == Some(Order::SeqCst) {
            let mut bound = self.own(views, t, side);
            both(&mut bound, &views.view(Row::Around(t, x, side)));
            if self.has(Rule::BoundAccesses) {
                both(&mut bound, &accesses);
            }
            if self.has(Rule::BoundReaders) {
                both(&mut bound, &readers);
            }
            if self.has(Rule::BoundItself) {
                bound[x] = 0;
            }
            self.bounds(views, t, x, side, &bound);
        }
        let fences = views.view(current(Part::Fences(side)));
        views.join(Row::Readers(x, side), &fences);
        let readers = views.view(Row::Readers(x, side));
        views.set(Row::Writers(x, side), &readers);
    }

    /// A thread reads a write that is not the newest. Whether this is a race.
    pub fn read_old(self, views: &mut Views, t: usize, x: usize, order: Order, old: u32) -> bool {
        if self.has(Rule::OldMessage) {
            views.take_old(Cut::Acquired(t), x, old);
            if order.acquires() {
                views.take_old(Cut::Current(t), x, old);
            }
        }
        if self.has(Rule::OldPosition) {
            views.reach_old(t, x, old);
        }
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        views.leave_sc();
        self.access(views, t, x, class(Some(order), false))
    }

    /// A thread writes before the newest write, a read-modify-write after one that it reads. Whether this is a race.
    pub fn write_old(
        self,
        views: &mut Views,
        t: usize,
        x: usize,
        order: Order,
        (new, read): (u32, Option<u32>),
    ) -> bool {
        let races = self.access(views, t, x, class(Some(order), true));
        let older = self.sequences == ReleaseSequences::C11;
        if older && order.releases() {
            views.set_cut(Cut::Released(t, x), Cut::Current(t));
        }
        let head = match (order.releases() && self.has(Rule::OldRelease), older) {
            (true, _) => Cut::Current(t),
            (false, true) => Cut::Released(t, x),
            (false, false) => Cut::Nothing,
        };
        let read = read.filter(|_| self.has(Rule::OldSequence));
        if self.has(Rule::OldSeen) {
            views.write_old(t, x, new, [head, Cut::Fenced(t)], read);
        }
        views.leave_sc();
        races
    }

    /// What a write passes on to those who acquire it.
    fn message(self, views: &mut Views, t: usize, x: usize, order: Option<Order>, writing: Writing) {
        let Some(order) = order.or((!self.has(Rule::PlainMessage)).then_some(Order::Release)) else {
            return views.set_cut(Cut::Message(x), Cut::Nothing);
        };
        let older = self.sequences == ReleaseSequences::C11;
        let releases = order.releases() && self.has(Rule::Release);
        if older && releases {
            views.set_cut(Cut::Released(t, x), Cut::Current(t));
        }
        let head = match (releases, older && self.has(Rule::OwnSequence)) {
            (true, _) => Cut::Current(t),
            (false, true) => Cut::Released(t, x),
            (false, false) => Cut::Nothing,
        };
        match writing {
            Writing::Update if self.has(Rule::ReleaseSequence) => views.join_cut(Cut::Message(x), head),
            Writing::Store | Writing::Update => views.set_cut(Cut::Message(x), head),
        }
        if self.has(Rule::ReleaseFence) {
            views.join_cut(Cut::Message(x), Cut::Fenced(t));
        }
    }

    /// A thread fence.
    pub fn fence(self, views: &mut Views, t: usize, order: Order) {
        if order == Order::Relaxed {
            return;
        }
        if order.acquires() && self.has(Rule::AcquireFence) {
            views.set_cut(Cut::Current(t), Cut::Acquired(t));
        }
        self.pass(views, t, None);
        if order == Order::SeqCst && views.shape().seq_cst() {
            let current = |part| Row::In(Cut::Current(t), part);
            let bound = |views: &Views, base: Part, side: Side| {
                let mut bound = views.view(current(base));
                both(&mut bound, &views.view(current(Part::Fences(side))));
                both(&mut bound, &views.view(current(Part::Waiting(side))));
                bound
            };
            let written = if self.has(Rule::AccessSide) { Part::Written } else { Part::Seen };
            let seen = if self.has(Rule::FenceSide) { Part::Seen } else { Part::Written };
            let access = bound(views, written, Side::Access);
            let fence = bound(views, seen, Side::Fence);
            if self.has(Rule::FenceSees) {
                views.join(current(Part::Seen), &fence);
            }
            views.set(current(Part::Fences(Side::Access)), &access);
            views.set(current(Part::Fences(Side::Fence)), &fence);
        }
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        if order.releases() {
            views.set_cut(Cut::Fenced(t), Cut::Current(t));
        }
    }

    /// A thread starts another one, whose views are there already.
    pub fn spawn(self, views: &mut Views, t: usize, child: usize) {
        self.pass(views, t, None);
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        if self.has(Rule::Spawn) {
            views.set_cut(Cut::Current(child), Cut::Current(t));
            views.set_cut(Cut::Acquired(child), Cut::Current(t));
        }
        if self.has(Rule::KnowsSpawn) {
            views.learn_only(Knower::Thread(child), Knower::Thread(t));
        }
    }

    /// A thread has waited for the end of another one.
    pub fn join(self, views: &mut Views, t: usize, child: usize) {
        if self.has(Rule::Join) {
            views.join_cut(Cut::Current(t), Cut::Current(child));
        }
        self.pass(views, t, None);
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        if self.has(Rule::KnowsJoin) {
            views.learn(Knower::Thread(t), Knower::Thread(child));
        }
    }

    /// A thread takes a mutex: a read-modify-write that acquires, on a cell of which it always knows the newest write. All accesses to it
    /// happen one before the other, so no bounds of fences are kept for it.
    pub fn lock(self, views: &mut Views, t: usize, x: usize) {
        if self.has(Rule::Mutex) {
            views.join_cut(Cut::Acquired(t), Cut::Message(x));
            views.join_cut(Cut::Current(t), Cut::Message(x));
        }
        self.pass(views, t, None);
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        if self.has(Rule::KnowsMutex) {
            views.learn(Knower::Thread(t), Knower::Writer(x));
        }
    }

    /// A thread gives a mutex back: a release store.
    pub fn unlock(self, views: &mut Views, t: usize, x: usize) {
        self.pass(views, t, None);
        views.join_cut(Cut::Acquired(t), Cut::Current(t));
        views.set_cut(Cut::Message(x), Cut::Current(t));
        views.learn_only(Knower::Writer(x), Knower::Thread(t));
    }

    /// An access; whether it is a race.
    fn access(self, views: &mut Views, t: usize, x: usize, class: Class) -> bool {
        let races = views.races(t, x, class);
        if self.has(Rule::Marks) {
            views.mark(t, x, class);
        }
        races
    }

    /// What every event does: bounds of seq_cst accesses to other cells continue with happens-before.
    fn pass(self, views: &mut Views, t: usize, x: Option<usize>) {
        if !views.shape().seq_cst() {
            return;
        }
        let cells = views.shape().cells.len();
        for side in Side::BOTH {
            let elsewhere = Row::In(Cut::Current(t), Part::Elsewhere(side));
            for y in (0..cells).filter(|y| Some(*y) != x || !self.has(Rule::AroundFirst)) {
                let own = views.view(Row::Own(t, y, side));
                views.join(elsewhere, &own);
            }
            let bound = views.view(elsewhere);
            for y in (0..cells).filter(|y| Some(*y) != x || !self.has(Rule::AroundLast)) {
                views.join(Row::Around(t, y, side), &bound);
            }
        }
    }

    /// The bounds of all seq_cst accesses of the thread.
    fn own(self, views: &Views, t: usize, side: Side) -> Vec<Entry> {
        let mut bound = vec![Entry::MAX; views.shape().cells.len()];
        for y in 0..bound.len() {
            both(&mut bound, &views.view(Row::Own(t, y, side)));
        }
        bound
    }

    /// A seq_cst access has these bounds.
    fn bounds(self, views: &mut Views, t: usize, x: usize, side: Side, bound: &[Entry]) {
        views.join(Row::Own(t, x, side), bound);
        views.join(Row::In(Cut::Current(t), Part::Here(x, side)), bound);
        views.join(Row::Accesses(x, side), bound);
    }

    /// The values, as bits, of writes other than the newest that an access may take under RC11.
    pub fn stale(self, views: &Views, t: usize, x: usize, order: Option<Order>, set: Set) -> u32 {
        let mut entry = views.entry(Row::In(Cut::Current(t), Part::Seen), x);
        if order == Some(Order::SeqCst) && views.shape().seq_cst() {
            if self.has(Rule::Own) {
                entry &= self.own(views, t, Side::Access)[x];
            }
            if self.has(Rule::Around) {
                entry &= views.entry(Row::Around(t, x, Side::Access), x);
            }
        }
        values(entry, set)
    }
}
