//! The monitor beside a run of SC: its views step by step, and what a thread could do besides the step of SC.

use super::rules::{Rules, Writing};
use super::views::{Class, Kept, Knower, MAX_VALUES, Set, Shape, Views};
use fencepost_ir::Order;
use fencepost_ir::cfg::{Address, Instr, Loc, ObjectId, Program, RmwOp};
use fencepost_memory::axiom::c11::{ReleaseSequences, fence_order};
use fencepost_memory::run_graph::{Act, What};
use fencepost_memory::{Life, State};
use fencepost_task::{Pace, Reason};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A step that RC11 has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What it is.
    pub what: What,
    /// The values of the older writes that it can take, as bits; those of cells that are not compared are all one.
    pub values: u32,
    /// Whether SC has it not.
    pub departs: bool,
}

/// Whose values are told apart: those that a compare-exchange compares.
enum Compared {
    None,
    Objects(Vec<bool>),
    All,
}

/// The monitor of a program.
pub struct Monitor {
    rules: Rules,
    sequences: ReleaseSequences,
    kept: Kept,
    compared: Compared,
    /// Whether old writes are remembered, to follow steps that take them.
    remembers: bool,
    bases: Vec<u32>,
    /// The values of each cell, by their bits.
    values: RefCell<FxHashMap<Loc, Vec<Option<i64>>>>,
}

impl Monitor {
    /// The monitor of a program.
    pub fn new(program: &Program, rules: Rules, sequences: ReleaseSequences) -> Monitor {
        let edges = || program.procedures.iter().flat_map(|p| p.edges());
        let is_seq_cst = edges().any(|e| match &e.instr {
            Instr::Fence(_) => fence_order(e.access) == Order::SeqCst,
            Instr::Rmw(..) => e.access.of_update() == Order::SeqCst || e.access.of_failure() == Order::SeqCst,
            _ => e.access.order() == Some(Order::SeqCst),
        });
        let mut compared = Compared::Objects(vec![false; program.objects.len()]);
        for edge in edges() {
            let Instr::Rmw(_, address, RmwOp::CompareExchange { .. }) = &edge.instr else { continue };
            match (address, &mut compared) {
                (Address::Cell { object, .. }, Compared::Objects(objects)) => objects[object.index()] = true,
                (Address::Pointed { .. }, _) => compared = Compared::All,
                (Address::Cell { .. }, Compared::All | Compared::None) => {}
            }
        }
        Monitor {
            rules,
            sequences,
            kept: if is_seq_cst { Kept::All } else { Kept::Coherence },
            compared,
            remembers: false,
            bases: program.cell_bases(),
            values: RefCell::default(),
        }
    }

    /// Keeps happens-before alone, which is enough for races.
    pub fn of_races(self) -> Monitor {
        Monitor { kept: Kept::HappensBefore, compared: Compared::None, ..self }
    }

    /// Remembers old writes, to follow steps that take them.
    pub fn remembering(self) -> Monitor {
        Monitor { compared: Compared::All, remembers: true, ..self }
    }

    /// Tells all values apart, to compare them.
    #[cfg(test)]
    pub fn comparing_all(self) -> Monitor {
        Monitor { compared: Compared::All, ..self }
    }

    /// The views at the beginning.
    pub fn first(&self, state: &State) -> Views {
        Views::new(self.shape(state))
    }

    /// The shape of a state's views.
    pub fn shape(&self, state: &State) -> Shape {
        let shape = Shape::new(state.threads.len(), cells(state), self.kept, self.sequences);
        if self.remembers { shape.remembering() } else { shape }
    }

    fn is_compared(&self, loc: Loc) -> bool {
        match (&self.compared, loc.as_element()) {
            (Compared::None, _) => false,
            (Compared::All, _) => true,
            (Compared::Objects(_), Some(_)) => false,
            (Compared::Objects(objects), None) => {
                let object = self.bases.partition_point(|base| *base as usize <= loc.index()) - 1;
                objects[object]
            }
        }
    }

    /// The bit of a value.
    fn bit(&self, loc: Loc, value: i64) -> Result<u32, Reason> {
        self.bit_of(loc, Some(value))
    }

    fn bit_of(&self, loc: Loc, value: Option<i64>) -> Result<u32, Reason> {
        if !self.is_compared(loc) {
            return Ok(0);
        }
        let mut tables = self.values.borrow_mut();
        let values = tables.entry(loc).or_default();
        if let Some(bit) = values.iter().position(|v| *v == value) {
            return Ok(bit as u32);
        }
        if values.len() == MAX_VALUES {
            let message = format!("a cell that is compared has more than {MAX_VALUES} values");
            return Err(Reason::NotApplicable(message));
        }
        values.push(value);
        Ok(values.len() as u32 - 1)
    }

    /// The values of bits; what was never stored to has none.
    pub fn values(&self, loc: Loc, bits: u32) -> Vec<i64> {
        let tables = self.values.borrow();
        let Some(values) = tables.get(&loc) else { return Vec::new() };
        (0..values.len()).filter(|i| bits >> i & 1 == 1).filter_map(|i| values[i]).collect()
    }

    /// Follows a step that takes an older write with this value, and writes the other one. Whether it is a race.
    pub fn follow_old(
        &self,
        views: &mut Views,
        t: usize,
        act: Act,
        what: What,
        (taken, written): (i64, i64),
    ) -> Result<bool, Reason> {
        let rules = self.rules;
        let (loc, order) = match (act, what) {
            (Act::Read(loc, Some(order)) | Act::Write(loc, Some(order)) | Act::Update(loc, order), _)
            | (Act::Compare { loc, failure: order, .. }, What::Read)
            | (Act::Compare { loc, success: order, .. }, What::Write | What::Update) => (loc, order),
            (other, _) => panic!("{other:?} takes no older write"),
        };
        let x = views.shape().cell(loc);
        Ok(match what {
            What::Read => rules.read_old(views, t, x, order, self.bit(loc, taken)?),
            What::Write => rules.write_old(views, t, x, order, (self.bit(loc, written)?, None)),
            What::Update => {
                let (taken, written) = (self.bit(loc, taken)?, self.bit(loc, written)?);
                let reads = rules.read_old(views, t, x, order.of_load(), taken);
                let writes = rules.write_old(views, t, x, order.of_store(), (written, Some(taken)));
                reads || writes
            }
        })
    }

    /// Follows a step of SC from `before` to `after`. Whether it is a race.
    pub fn follow(
        &self,
        views: &mut Views,
        (before, after): (&State, &State),
        t: usize,
        act: Act,
        pace: &mut Pace,
    ) -> Result<bool, Reason> {
        let rules = self.rules;
        Ok(match act {
            Act::Local => false,
            Act::Read(loc, order) => rules.read(views, t, views.shape().cell(loc), order),
            Act::Write(loc, order) => {
                let old = self.replaced(before, loc)?;
                rules.write(views, t, views.shape().cell(loc), order, Writing::Store, Some(old))
            }
            Act::Update(loc, order) => self.update(views, before, t, loc, order)?,
            Act::Compare { loc, expected, success, failure } => match Some(before.read(loc)) == expected {
                true => self.update(views, before, t, loc, success)?,
                false => rules.read(views, t, views.shape().cell(loc), Some(failure)),
            },
            Act::Fence(order) => {
                rules.fence(views, t, order);
                false
            }
            Act::Spawn => {
                *views = views.reshaped(after.threads.len(), cells(after));
                rules.spawn(views, t, before.threads.len());
                false
            }
            Act::Join(child) => {
                rules.join(views, t, child);
                false
            }
            Act::Lock(loc) => {
                rules.lock(views, t, views.shape().cell(loc));
                false
            }
            Act::Unlock(loc) => {
                rules.unlock(views, t, views.shape().cell(loc));
                false
            }
            Act::Allocate => {
                let old = views.shape().cells.clone();
                *views = views.reshaped(after.threads.len(), cells(after));
                let new: Vec<usize> = (0..views.shape().cells.len())
                    .filter(|x| old.binary_search(&views.shape().cells[*x]).is_err())
                    .collect();
                // It is as if the thread stored the initial value, which no other thread can have accessed.
                for x in new {
                    pace.work(1 + views.shape().bytes() / Pace::BYTES_A_UNIT, || 0)?;
                    rules.write(views, t, x, None, Writing::Store, None);
                }
                false
            }
            Act::Free(object) => self.free(views, after, t, object),
        })
    }

    fn update(
        &self,
        views: &mut Views,
        before: &State,
        t: usize,
        loc: Loc,
        order: Order,
    ) -> Result<bool, Reason> {
        let x = views.shape().cell(loc);
        let old = self.replaced(before, loc)?;
        let reads = self.rules.read(views, t, x, Some(order.of_load()));
        let writes = self.rules.write(views, t, x, Some(order.of_store()), Writing::Update, Some(old));
        Ok(reads || writes)
    }

    /// The bit of what a cell holds. What memory holds that nothing was stored to is no value, where that counts.
    fn replaced(&self, before: &State, loc: Loc) -> Result<u32, Reason> {
        let unknown = self.remembers && !before.is_written(loc);
        self.bit_of(loc, (!unknown).then(|| before.read(loc)))
    }

    /// Freeing an object is as if all of it were stored to: whoever accesses it has to come before.
    fn free(&self, views: &mut Views, after: &State, t: usize, object: ObjectId) -> bool {
        let belongs = |loc: &Loc| loc.as_element().is_some_and(|(o, _)| o == object);
        let own: Vec<usize> =
            (0..views.shape().cells.len()).filter(|x| belongs(&views.shape().cells[*x])).collect();
        let stores = Class { writes: true, atomic: false };
        let races = own.into_iter().any(|x| views.races(t, x, stores));
        *views = views.reshaped(after.threads.len(), cells(after));
        races
    }

    /// What the thread could do besides the step of SC.
    pub fn choices(&self, views: &Views, t: usize, act: Act) -> Result<Vec<Choice>, Reason> {
        let stale = |loc: Loc, order: Option<Order>, set: Set| {
            self.rules.stale(views, t, views.shape().cell(loc), order, set)
        };
        let (loc, found) = match act {
            Act::Read(loc, order) => (loc, vec![(What::Read, stale(loc, order, Set::Read))]),
            Act::Write(loc, order) => (loc, vec![(What::Write, stale(loc, order, Set::Free))]),
            Act::Update(loc, order) => (loc, vec![(What::Update, stale(loc, Some(order), Set::Free))]),
            Act::Compare { loc, expected, success, failure } => {
                let equal = expected.map(|value| self.bit(loc, value)).transpose()?.map_or(0, |bit| 1 << bit);
                let update = stale(loc, Some(success), Set::Free) & equal;
                let read = stale(loc, Some(failure), Set::Read) & !equal;
                (loc, vec![(What::Update, update), (What::Read, read)])
            }
            Act::Local
            | Act::Fence(_)
            | Act::Spawn
            | Act::Join(_)
            | Act::Lock(_)
            | Act::Unlock(_)
            | Act::Allocate
            | Act::Free(_) => return Ok(Vec::new()),
        };
        let departs = views.knows(Knower::Thread(t), views.shape().cell(loc));
        let found = found.into_iter().filter(|(_, values)| *values != 0);
        Ok(found.map(|(what, values)| Choice { what, values, departs }).collect())
    }
}

/// The cells that a state has: those of the program, and of objects that are live.
fn cells(state: &State) -> Vec<Loc> {
    let mut cells: Vec<Loc> = (0..state.cells.len() as u32).map(Loc::cell).collect();
    let live = (state.first_heap..).zip(&state.heap).filter(|(_, object)| object.life == Life::Live);
    for (number, object) in live {
        cells.extend((0..object.cells.len()).filter_map(|n| Loc::element(ObjectId(number), n as i64)));
    }
    cells
}
