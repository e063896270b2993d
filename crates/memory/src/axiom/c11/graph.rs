//! Execution graphs of C11: the events of each thread, which write each read takes its value from (*rf*), and an order of
//! the writes to each cell (*mo*, which the standard calls modification order).
//!
//! A read-modify-write is two events, a read and right after it the write that is marked as its update. The initial writes are not
//! among the events; they come first in every order.

use fencepost_ir::cfg::Loc;
use fencepost_ir::{Order, Span};
use std::collections::BTreeMap;

/// The number of an event in its graph.
pub type EventId = usize;

/// Where a read takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Source {
    /// What the cell held at first.
    Initial,
    /// A write.
    Event(EventId),
}

/// What a write belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Part {
    /// Nothing else: it is a store.
    Store,
    /// The read right before it.
    Update,
}

/// What an event does. An access without an order is not atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Act {
    /// Reads a cell.
    Read {
        /// The cell.
        loc: Loc,
        /// Its order.
        order: Option<Order>,
        /// The write that it reads.
        source: Source,
    },
    /// Writes a cell.
    Write {
        /// The cell.
        loc: Loc,
        /// Its order.
        order: Option<Order>,
        /// What it belongs to.
        part: Part,
    },
    /// A thread fence; not a relaxed one, which is nothing.
    Fence(Order),
    /// Starts a thread.
    Spawn(usize),
    /// Waits for the end of a thread.
    Join(usize),
}

impl Act {
    /// The cell of an access.
    pub fn loc(self) -> Option<Loc> {
        match self {
            Act::Read { loc, .. } | Act::Write { loc, .. } => Some(loc),
            Act::Fence(_) | Act::Spawn(_) | Act::Join(_) => None,
        }
    }

    /// The order that the program gives it.
    pub fn order(self) -> Option<Order> {
        match self {
            Act::Read { order, .. } | Act::Write { order, .. } => order,
            Act::Fence(order) => Some(order),
            Act::Spawn(_) | Act::Join(_) => None,
        }
    }

    /// Whether it writes.
    pub fn is_write(self) -> bool {
        matches!(self, Act::Write { .. })
    }

    /// Whether it reads.
    pub fn is_read(self) -> bool {
        matches!(self, Act::Read { .. })
    }

    /// Whether it is a fence.
    pub fn is_fence(self) -> bool {
        matches!(self, Act::Fence(_))
    }
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// Whose.
    pub thread: usize,
    /// What.
    pub act: Act,
    /// Its place in the source.
    pub span: Span,
}

/// An execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    events: Vec<Event>,
    /// The writes to each cell, oldest first.
    mo: BTreeMap<Loc, Vec<EventId>>,
}

impl Graph {
    /// Adds an event after those of its thread. A write is not in the order of its cell yet.
    pub fn push(&mut self, event: Event) -> EventId {
        self.events.push(event);
        self.events.len() - 1
    }

    /// All events; those of one thread are in program order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The writes to a cell, oldest first, without the initial one.
    pub fn writes(&self, loc: Loc) -> &[EventId] {
        self.mo.get(&loc).map_or(&[], Vec::as_slice)
    }

    /// Says in which order a cell is written.
    pub fn order_writes(&mut self, loc: Loc, order: Vec<EventId>) {
        self.mo.insert(loc, order);
    }

    /// Puts a write right after another one of its cell.
    pub fn write_after(&mut self, loc: Loc, source: Source, write: EventId) {
        let order = self.mo.entry(loc).or_default();
        let position = match source {
            Source::Initial => 0,
            Source::Event(id) => {
                1 + order.iter().position(|w| *w == id).expect("the other write is in the order")
            }
        };
        order.insert(position, write);
    }

    /// Whether the write right after this one is an update of what it wrote.
    pub fn is_updated(&self, loc: Loc, source: Source) -> bool {
        let order = self.writes(loc);
        let next = match source {
            Source::Initial => order.first(),
            Source::Event(id) => order.iter().position(|w| *w == id).and_then(|p| order.get(p + 1)),
        };
        next.is_some_and(|id| matches!(self.events[*id].act, Act::Write { part: Part::Update, .. }))
    }

    /// The newest write to a cell.
    pub fn newest(&self, loc: Loc) -> Source {
        self.writes(loc).last().map_or(Source::Initial, |id| Source::Event(*id))
    }

    /// Every cell that is accessed.
    pub fn locs(&self) -> Vec<Loc> {
        let mut locs: Vec<Loc> = self.events.iter().filter_map(|e| e.act.loc()).collect();
        locs.sort_unstable();
        locs.dedup();
        locs
    }
}
