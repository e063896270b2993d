//! The execution graph of a run of SC, as C11 sees it, and what the axioms say of a step that SC does not have.
//!
//! What is counted as what ([`acts`]): an access without an order is not atomic, a read-modify-write without one is seq_cst, and so is a full
//! fence. A mutex is a cell that is taken by an acquiring read-modify-write and given back by a release store. Creating a thread
//! and waiting for its end order what they say. Allocating memory and freeing it are plain stores to all of its cells.

mod acts;

pub use acts::{Act, act};

use crate::axiom::c11::{self, Event, EventId, Graph, Part, ReleaseSequences, Rules, Source};
use crate::{Life, State};
use fencepost_ir::cfg::{Loc, ObjectId};
use fencepost_ir::{Order, Span};
use fencepost_task::{Pace, Stop};
use std::collections::BTreeMap;

/// A run of SC as a graph.
#[derive(Clone, Default)]
pub struct Record {
    graph: Graph,
    /// What each event wrote.
    written: Vec<i64>,
    /// What cells held at first.
    initial: BTreeMap<Loc, i64>,
}

/// What a thread could do besides the step of SC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum What {
    /// Read an older write.
    Read,
    /// Write before the newest write.
    Write,
    /// Both.
    Update,
}

/// Another step of a thread than that of SC.
pub struct Extension {
    /// What it does.
    pub what: What,
    /// The write that it reads or comes after.
    pub source: Source,
    /// Its value.
    pub value: i64,
    graph: Graph,
}

impl Extension {
    /// Whether RC11 has it.
    pub fn is_consistent(&self, sequences: ReleaseSequences, pace: &mut Pace) -> Result<bool, Stop> {
        Rules::new(&self.graph, sequences, pace)?.is_consistent(pace)
    }

    /// Whether RC11 has it, and SC has not.
    pub fn departs(&self, sequences: ReleaseSequences, pace: &mut Pace) -> Result<bool, Stop> {
        let rules = Rules::new(&self.graph, sequences, pace)?;
        Ok(rules.is_consistent(pace)? && !rules.is_sequentially_consistent(pace)?)
    }
}

impl Record {
    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    fn push(&mut self, thread: usize, span: Span, act: c11::Act, value: i64) -> EventId {
        self.written.push(value);
        self.graph.push(Event { thread, act, span })
    }

    fn read(&mut self, thread: usize, span: Span, loc: Loc, order: Option<Order>) {
        let source = self.graph.newest(loc);
        self.push(thread, span, c11::Act::Read { loc, order, source }, 0);
    }

    fn write(&mut self, thread: usize, span: Span, loc: Loc, order: Option<Order>, part: Part, value: i64) {
        let newest = self.graph.newest(loc);
        let write = self.push(thread, span, c11::Act::Write { loc, order, part }, value);
        self.graph.write_after(loc, newest, write);
    }

    fn update(&mut self, thread: usize, span: Span, loc: Loc, order: Order, value: i64) {
        self.read(thread, span, loc, Some(order.of_load()));
        self.write(thread, span, loc, Some(order.of_store()), Part::Update, value);
    }

    /// Adds a step of SC from `before` to `after`.
    pub fn follow(&mut self, (before, after): (&State, &State), thread: usize, act: Act, span: Span) {
        if let Act::Read(loc, _) | Act::Write(loc, _) | Act::Update(loc, _) | Act::Compare { loc, .. } = act
            && self.graph.writes(loc).is_empty()
        {
            self.initial.insert(loc, before.read(loc));
        }
        match act {
            Act::Local => {}
            Act::Read(loc, order) => self.read(thread, span, loc, order),
            Act::Write(loc, order) => self.write(thread, span, loc, order, Part::Store, after.read(loc)),
            Act::Update(loc, order) => self.update(thread, span, loc, order, after.read(loc)),
            Act::Compare { loc, expected, success, failure } => match Some(before.read(loc)) == expected {
                true => self.update(thread, span, loc, success, after.read(loc)),
                false => self.read(thread, span, loc, Some(failure)),
            },
            Act::Fence(Order::Relaxed) => {}
            Act::Fence(order) => {
                self.push(thread, span, c11::Act::Fence(order), 0);
            }
            Act::Spawn => {
                self.push(thread, span, c11::Act::Spawn(before.threads.len()), 0);
            }
            Act::Join(child) => {
                self.push(thread, span, c11::Act::Join(child), 0);
            }
            Act::Lock(loc) => self.update(thread, span, loc, Order::Acquire, 1),
            Act::Unlock(loc) => self.write(thread, span, loc, Some(Order::Release), Part::Store, 0),
            Act::Allocate | Act::Free(_) => self.heap((before, after), thread, act, span),
        }
    }

    /// New cells are stored to, and those that are gone, too.
    fn heap(&mut self, (before, after): (&State, &State), thread: usize, act: Act, span: Span) {
        let cells = |state: &State, number: u32| -> Vec<Loc> {
            let object = ObjectId(number);
            let count = state.heap_object(object).map_or(0, |o| o.cells.len());
            (0..count).filter_map(|n| Loc::element(object, n as i64)).collect()
        };
        let changed = match act {
            Act::Free(object) => cells(before, object.0),
            _ => {
                let numbers = after.first_heap..after.first_heap + after.heap.len() as u32;
                let is_new = |n: &u32| {
                    let object = ObjectId(*n);
                    before.heap_object(object).is_none_or(|o| o.life == Life::Freed)
                        && after.heap_object(object).is_some_and(|o| o.life == Life::Live)
                };
                numbers.filter(is_new).flat_map(|n| cells(after, n)).collect()
            }
        };
        for loc in changed {
            self.write(thread, span, loc, None, Part::Store, after.read(loc));
        }
    }

    /// The runs that go on with a step of the thread that takes an older write, with this value unless it is a store, and writes another.
    pub fn older(
        &self,
        before: &State,
        (thread, act, span): (usize, Act, Span),
        what: What,
        (value, written): (i64, i64),
    ) -> Vec<Record> {
        let fits = |e: &Extension| e.what == what && (what == What::Write || e.value == value);
        let extensions = self.extensions(before, thread, act, span).filter(fits);
        let events: &[i64] = match what {
            What::Read => &[0],
            What::Write => &[written],
            What::Update => &[0, written],
        };
        let record = |e: Extension| {
            let written = self.written.iter().chain(events).copied().collect();
            let mut initial = self.initial.clone();
            if let Some(loc) = act.loc() {
                initial.entry(loc).or_insert_with(|| before.read(loc));
            }
            Record { graph: e.graph, written, initial }
        };
        extensions.map(record).collect()
    }

    /// Every step that the thread could do instead, away from the newest write.
    pub fn extensions(
        &self,
        before: &State,
        thread: usize,
        act: Act,
        span: Span,
    ) -> impl Iterator<Item = Extension> {
        let loc = match act {
            Act::Read(loc, _) | Act::Write(loc, _) | Act::Update(loc, _) | Act::Compare { loc, .. } => {
                Some(loc)
            }
            Act::Local
            | Act::Fence(_)
            | Act::Spawn
            | Act::Join(_)
            | Act::Lock(_)
            | Act::Unlock(_)
            | Act::Allocate
            | Act::Free(_) => None,
        };
        loc.into_iter().flat_map(move |loc| {
            let writes = self.graph.writes(loc);
            let initial = loc.as_element().is_none().then_some(Source::Initial);
            let older = initial.into_iter().chain(writes.iter().map(|id| Source::Event(*id)));
            let older = older.filter(move |source| *source != self.graph.newest(loc));
            older.filter_map(move |source| self.extension(before, thread, act, span, (loc, source)))
        })
    }

    fn extension(
        &self,
        before: &State,
        thread: usize,
        act: Act,
        span: Span,
        (loc, source): (Loc, Source),
    ) -> Option<Extension> {
        let value = match source {
            Source::Initial => self.initial.get(&loc).copied().unwrap_or_else(|| before.read(loc)),
            Source::Event(id) => self.written[id],
        };
        let mut graph = self.graph.clone();
        let mut push = |act: c11::Act| graph.push(Event { thread, act, span });
        let mut read = |order: Option<Order>| push(c11::Act::Read { loc, order, source });
        let what = match act {
            Act::Read(_, order) => {
                read(order);
                What::Read
            }
            Act::Compare { expected, failure, .. } if expected != Some(value) => {
                read(Some(failure));
                What::Read
            }
            Act::Write(_, order) => {
                let write = push(c11::Act::Write { loc, order, part: Part::Store });
                graph.write_after(loc, source, write);
                What::Write
            }
            Act::Update(_, order) | Act::Compare { success: order, .. } => {
                read(Some(order.of_load()));
                let write = push(c11::Act::Write { loc, order: Some(order.of_store()), part: Part::Update });
                graph.write_after(loc, source, write);
                What::Update
            }
            _ => return None,
        };
        // Two read-modify-writes cannot come right after one write, and nothing can come in between.
        if what != What::Read && self.graph.is_updated(loc, source) {
            return None;
        }
        Some(Extension { what, source, value, graph })
    }
}
