//! What the unrolled threads can do at most: which steps they reach, which cells each access may mean,
//! which values loads may see, and which threads and objects come into being.
//!
//! Registers are followed along each thread, cells are sets of all values that are ever written to them. Each
//! pass goes through all threads with the cells of the pass before. No step is taken twice in a run, so
//! no value is the result of more stores than there are; after so many passes all values are there,
//! whether or not the sets still grow.

mod row;
mod walk;

use crate::loops::Loops;
use crate::refusal::Refusal;
use crate::reuse::{self, Reuses};
use crate::unroll::{Step, Unrolled, unroll};
use crate::values::Values;
use fencepost_ir::cfg::{Address, Fill, Instr, Loc, ObjectId, ProcId, Program, StartId, Storage};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Fault, Scalar, Span};
use fencepost_memory::Layout;
use fencepost_task::{Budget, Pace};
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

pub use row::Row;

/// More threads than this are too many.
const MAX_THREADS: usize = 200;
/// More cells than this for one access are too many.
const MAX_TARGETS: i64 = 4096;
/// After so many visits to steps, sets that still grow become all values of their type.
const MAX_VISITS: usize = 400_000;

/// A thread of the beginning, or one that a step spawns.
pub struct Instance<'p> {
    /// Its code.
    pub code: Unrolled<'p>,
    /// What it runs.
    pub procedure: ProcId,
    /// The start it comes from, if it runs from the beginning.
    pub start: Option<StartId>,
    /// The thread and step that spawn it.
    pub parent: Option<(usize, usize)>,
    /// What is known of each step.
    pub facts: Vec<Facts>,
    arguments: Vec<Values>,
    result: Values,
}

/// What is known of a step.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Whether it can be tried at all.
    pub reachable: bool,
    /// Whether anything can come after it.
    pub goes_on: bool,
    /// The cells it may access.
    pub targets: Targets,
    /// What a load, a read-modify-write or a join may give.
    pub value: Option<Values>,
    /// For a spawn, the thread.
    pub starts: Option<usize>,
    /// For an allocation, the objects it may make, by their sizes.
    pub makes: Vec<(u64, usize)>,
    /// For an allocation, whether it may ask for a size that is not tracked.
    pub leaves_out_sizes: bool,
    /// For a free, the objects it may mean, and the words that point to them.
    pub frees: Vec<(i64, usize)>,
    /// For a reallocation, what each cell of the old object may hold, by its number.
    pub copied: Vec<Values>,
    /// For an allocation, the objects of other allocations whose place it may take when they are gone.
    pub reuses: Vec<usize>,
}

/// The cells that an address may mean.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// For each value of the address's expression, the cells.
    pub rows: Vec<Row>,
    /// Values for which the access is more than we can model.
    pub limits: Vec<i64>,
    /// Whether every value the address can have is one of these.
    pub complete: bool,
}

impl Targets {
    /// The cells that may be accessed; one more than once if several values lead to it.
    pub fn locs(&self) -> impl Iterator<Item = Loc> + '_ {
        self.rows.iter().flat_map(|row| row.cells().map(|(loc, _)| loc))
    }

    /// The most cells that are accessed at once.
    pub fn width(&self) -> usize {
        self.rows.iter().map(|row| row.types.len()).max().unwrap_or(0)
    }
}

/// A cell.
pub struct CellFacts {
    /// Its type.
    pub ty: Scalar,
    /// What it may hold.
    pub values: Values,
    /// What it holds at first; `None` where nobody knows.
    pub init: Option<Values>,
    /// Whether there are times when nobody knows what it holds.
    pub unwritten: bool,
}

impl CellFacts {
    fn new(ty: Scalar, init: Option<Values>) -> CellFacts {
        let values = init.clone().unwrap_or(Values::NONE);
        CellFacts { ty, values, unwritten: init.is_none(), init }
    }
}

/// An object that an allocation makes.
pub struct Object {
    /// Its size.
    pub bytes: u64,
    /// How long it lives.
    pub storage: Storage,
    /// The thread and the step that make it.
    pub by: (usize, usize),
}

/// All of it.
pub struct Analysis<'p> {
    /// The program.
    pub program: &'p Program,
    /// The threads; those that spawn come before those that are spawned.
    pub instances: Vec<Instance<'p>>,
    /// The cells that are accessed.
    pub cells: BTreeMap<Loc, CellFacts>,
    /// Allocated objects.
    pub objects: Vec<Object>,
    /// Whether anybody may ask which of two objects has the smaller address.
    pub orders_objects: bool,
    loops: &'p [Loops],
    unwind: u32,
    layouts: Vec<Layout>,
    heap_layouts: Vec<Layout>,
    block: u32,
    allocations: BTreeMap<(usize, usize), BTreeMap<u64, usize>>,
    notices_reuse: bool,
    reuses: Reuses,
    heap_types: Vec<usize>,
    spawns: BTreeMap<(usize, usize), usize>,
    bases: Vec<u32>,
    changed: bool,
    /// Cells whose values have grown in this pass.
    grown: BTreeSet<Loc>,
    pace: Pace,
}

/// What is known of a cell takes so many bytes, roughly.
const BYTES_A_CELL: u64 = 128;

impl<'p> Analysis<'p> {
    /// Analyses a program within bounds on repetitions, and on the elements of objects whose size is not known.
    pub fn new(
        program: &'p Program,
        loops: &'p [Loops],
        unwind: u32,
        block: u32,
        budget: &Budget,
    ) -> Result<Analysis<'p>, Refusal> {
        let records = &program.records;
        let mut analysis = Analysis {
            program,
            instances: Vec::new(),
            cells: BTreeMap::new(),
            objects: Vec::new(),
            orders_objects: false,
            loops,
            unwind,
            block,
            layouts: program.objects.iter().map(|o| Layout::of_variable(records, &o.ty)).collect(),
            heap_layouts: program.heap_types.iter().map(|h| Layout::new(records, &h.ty)).collect(),
            allocations: BTreeMap::new(),
            notices_reuse: program.notices_reuse(),
            reuses: Reuses::new(),
            heap_types: Vec::new(),
            spawns: BTreeMap::new(),
            bases: program.cell_bases(),
            changed: true,
            grown: BTreeSet::new(),
            pace: Pace::new(budget),
        };
        for (i, start) in program.threads.iter().enumerate() {
            let fencepost_ir::cfg::Count::Times(n) = start.count else {
                return Err(Refusal::Unfit(format!(
                    "bounded model checking needs a number of threads, and `{}[*]` is any number; give one with --threads N",
                    start.name
                )));
            };
            let arguments: Vec<_> = start.args.iter().map(|v| Values::one(*v)).collect();
            for _ in 0..n {
                analysis.add_instance(start.procedure, Some(StartId(i as u32)), None, arguments.clone())?;
            }
        }
        let mut passes = 0;
        while analysis.changed {
            analysis.changed = false;
            analysis.grown.clear();
            analysis.pass()?;
            passes += 1;
            if passes > analysis.longest_chain() {
                break;
            }
            if passes * analysis.steps() > MAX_VISITS {
                analysis.widen();
            }
        }
        analysis.pass()?;
        Ok(analysis)
    }

    /// For each object, the thread and the step that allocate it.
    pub fn allocations(&self) -> impl Iterator<Item = ((usize, usize), usize)> + '_ {
        self.allocations.iter().flat_map(|(by, objects)| objects.values().map(|object| (*by, *object)))
    }

    /// The type and the size of an allocated object.
    pub fn kind(&self, object: usize) -> (usize, u64) {
        (self.heap_types[object], self.objects[object].bytes)
    }

    /// Whether an allocation may take the place of the object.
    pub fn is_reused(&self, object: usize) -> bool {
        self.reuses.values().any(|objects| objects.contains(&object))
    }

    /// Where an access to several cells stands, if there is one.
    pub fn wide_access(&self) -> Option<Span> {
        let steps = self.instances.iter().flat_map(|i| i.code.steps.iter().zip(&i.facts));
        let mut wide = steps.filter(|(_, facts)| facts.reachable && facts.targets.width() > 1);
        wide.next().map(|(step, _)| step.edge.span)
    }

    fn steps(&self) -> usize {
        self.instances.iter().map(|i| i.code.steps.len()).sum()
    }

    /// What has grown in the last pass becomes as large as it can be.
    fn widen(&mut self) {
        for loc in std::mem::take(&mut self.grown) {
            let cell = self.cells.get_mut(&loc).expect("cells that grow are known");
            cell.values = Values::of(cell.ty);
        }
    }

    /// Steps that can hand a value on to another thread.
    fn longest_chain(&self) -> usize {
        let hands_on = |(step, facts): (&Step<'_>, &Facts)| {
            let instr = &step.edge.instr;
            let address = match instr {
                Instr::Allocate { .. } | Instr::Free(..) => self.notices_reuse,
                Instr::Reallocate { .. } => true,
                _ => false,
            };
            facts.reachable
                && !matches!(instr, Instr::Load(..) | Instr::Assign(..))
                && (instr.address().is_some()
                    || address
                    || matches!(instr, Instr::Spawn(..) | Instr::Join(..)))
        };
        let of = |i: &Instance<'_>| i.code.steps.iter().zip(&i.facts).filter(|s| hands_on(*s)).count();
        self.instances.iter().map(of).sum::<usize>() + 2
    }

    fn add_instance(
        &mut self,
        procedure: ProcId,
        start: Option<StartId>,
        parent: Option<(usize, usize)>,
        arguments: Vec<Values>,
    ) -> Result<usize, Refusal> {
        if self.instances.len() == MAX_THREADS {
            return Err(format!("more than {MAX_THREADS} threads within the bounds").into());
        }
        let Some(code) = unroll(self.program, self.loops, procedure, self.unwind, &mut self.pace)? else {
            return Err(
                "the program is too large when its loops are unrolled; give a smaller --unwind".into()
            );
        };
        let facts = vec![Facts::default(); code.steps.len()];
        self.instances.push(Instance {
            code,
            procedure,
            start,
            parent,
            facts,
            arguments,
            result: Values::NONE,
        });
        self.changed = true;
        Ok(self.instances.len() - 1)
    }

    fn pass(&mut self) -> Result<(), Refusal> {
        if self.notices_reuse {
            let reuses = reuse::possible(self);
            self.changed |= reuses != self.reuses;
            self.reuses = reuses;
        }
        let mut index = 0;
        while index < self.instances.len() {
            self.thread(index)?;
            index += 1;
        }
        Ok(())
    }

    fn thread(&mut self, index: usize) -> Result<(), Refusal> {
        let instance = &mut self.instances[index];
        let code = std::mem::replace(&mut instance.code, Unrolled::empty());
        let mut facts = std::mem::take(&mut instance.facts);
        let procedure = self.program.procedure(instance.procedure);
        let mut entry: Vec<_> = self.program.thread_registers.iter().map(|r| Values::one(r.init)).collect();
        entry.extend(instance.arguments.iter().cloned());
        entry.extend(procedure.registers[instance.arguments.len()..].iter().map(|r| Values::one(r.init)));
        let mut states: Vec<Option<Vec<Values>>> = vec![None; code.places.len()];
        states[0] = Some(entry);
        let mut result = Ok(());
        for place in 0..code.places.len() {
            let Some(state) = states[place].take() else { continue };
            for number in code.out(place) {
                let step = &code.steps[number];
                let mut walk = Walk {
                    analysis: self,
                    thread: index,
                    number,
                    state: state.clone(),
                    facts: &mut facts[number],
                };
                match walk.step(step, &code) {
                    Ok(true) => {
                        let after = walk.state;
                        facts[number].reachable = true;
                        facts[number].goes_on = true;
                        match &mut states[step.to] {
                            Some(old) => {
                                old.truncate(after.len());
                                old.iter_mut().zip(&after).for_each(|(o, n)| {
                                    o.join(n);
                                });
                            }
                            none => *none = Some(after),
                        }
                    }
                    Ok(false) => {
                        let fails = match &step.edge.instr {
                            Instr::Assume(condition) => condition.can_fail(),
                            _ => true,
                        };
                        facts[number].reachable |= fails;
                    }
                    Err(stopped @ Refusal::Stopped(_)) => return Err(stopped),
                    Err(Refusal::Unfit(why)) => {
                        let place = self.program.sources.place(step.edge.span);
                        result = Err(Refusal::Unfit(format!("{why} at {place}")));
                    }
                }
            }
        }
        self.instances[index].code = code;
        self.instances[index].facts = facts;
        result
    }

    /// The cells that an address with a value means.
    fn locate(&self, address: &Address, value: i64) -> Result<Row, Fault> {
        let one = |first, ty| Row { value, first, types: vec![ty] };
        match address {
            Address::Cell { object, .. } => {
                let named = self.program.object(*object);
                if named.ty.is_unbounded() {
                    let loc = Loc::element(*object, value).ok_or(Fault::Overflow)?;
                    return Ok(one(loc, named.ty.leaf().expect("unbounded arrays are of scalars")));
                }
                let len = self.bases[object.index() + 1] - self.bases[object.index()];
                if !(0..i64::from(len)).contains(&value) {
                    return Err(Fault::OutOfBounds { index: value, len });
                }
                let bytes = self.program.records.size(&named.ty);
                let loc = Loc::cell(self.bases[object.index()] + value as u32);
                Ok(one(loc, self.layouts[object.index()].cell(bytes, value as usize).ty))
            }
            Address::Pointed { ty, .. } => {
                let (object, offset) = match pointer::target(value) {
                    Target::Null => return Err(Fault::NullPointer),
                    Target::Procedure(_) => return Err(Fault::WildPointer),
                    Target::Object(object, offset) => (ObjectId(object), offset),
                };
                let (first, found, layout, bytes) = match self.program.objects.get(object.index()) {
                    Some(named) => {
                        let bytes = self.program.records.size(&named.ty);
                        let layout = &self.layouts[object.index()];
                        let found = layout.find(bytes, offset, *ty)?;
                        let first = Loc::cell(self.bases[object.index()] + found.first as u32);
                        (first, found, layout, bytes)
                    }
                    None => {
                        let made = object.index() - self.program.objects.len();
                        let Some(allocated) = self.objects.get(made) else { return Err(Fault::WildPointer) };
                        let layout = &self.heap_layouts[self.heap_types[made]];
                        let found = layout.find(allocated.bytes, offset, *ty)?;
                        let first = Loc::element(object, found.first as i64).ok_or(Fault::Overflow)?;
                        (first, found, layout, allocated.bytes)
                    }
                };
                // The narrow form of a pointer of 4 bytes is left to explicit search.
                let is_word = self.program.pointer_bits == 64;
                let hides_pointers = found.mixes_pointers && !(is_word && self.program.exposes_pointers);
                if hides_pointers {
                    return Err(Fault::MixedSize);
                }
                let cells = found.first..found.first + found.count as usize;
                let types = cells.map(|number| layout.cell(bytes, number).ty).collect();
                Ok(Row { value, first, types })
            }
        }
    }

    /// All words that point to a scalar as wide as the type, or to several that are as wide together.
    fn all_pointers(&self, ty: Scalar) -> Vec<i64> {
        let mut words = Vec::new();
        let fits = |layout: &Layout, bytes: u64, cell: fencepost_ir::Cell| {
            cell.ty.size() == ty.size() || layout.find(bytes, cell.offset, ty).is_ok()
        };
        for (i, object) in self.program.objects.iter().enumerate() {
            let bytes = self.program.records.size(&object.ty);
            for cell in 0..self.layouts[i].cells(bytes) {
                let cell = self.layouts[i].cell(bytes, cell);
                if fits(&self.layouts[i], bytes, cell) {
                    words.push(pointer::to_object(i as u32, cell.offset));
                }
            }
        }
        for (i, object) in self.objects.iter().enumerate() {
            let layout = &self.heap_layouts[self.heap_types[i]];
            let number = (self.program.objects.len() + i) as u32;
            for cell in 0..layout.cells(object.bytes) {
                let cell = layout.cell(object.bytes, cell);
                if fits(layout, object.bytes, cell) {
                    words.push(pointer::to_object(number, cell.offset));
                }
            }
        }
        words
    }

    fn targets(&self, address: &Address, values: &Values) -> Result<Targets, Refusal> {
        let candidates: Vec<i64> = match (values, address) {
            (Values::Few(values), _) => values.clone(),
            (Values::Range(lo, hi), _) if i128::from(*hi) - i128::from(*lo) < i128::from(MAX_TARGETS) => {
                (*lo..=*hi).collect()
            }
            (Values::Range(lo, hi), Address::Cell { object, .. }) => {
                if self.program.object(*object).ty.is_unbounded() {
                    return Err("an element of an unbounded array that may be any".into());
                }
                let len = i64::from(self.program.cells(*object));
                ((*lo).max(0)..=(*hi).min(len - 1)).collect()
            }
            (Values::Range(..), Address::Pointed { ty, .. }) => {
                self.all_pointers(*ty).into_iter().filter(|w| values.contains(*w)).collect()
            }
        };
        if candidates.len() as i64 > MAX_TARGETS {
            return Err("an access that may be to any of too many cells".into());
        }
        let mut targets = Targets { complete: matches!(values, Values::Few(_)), ..Targets::default() };
        for value in candidates {
            match self.locate(address, value) {
                Ok(row) => targets.rows.push(row),
                Err(fault) if fault.is_limit() => targets.limits.push(value),
                Err(_) => targets.complete = false,
            }
        }
        Ok(targets)
    }

    fn cell(&mut self, loc: Loc, ty: Scalar) -> &mut CellFacts {
        let program = self.program;
        let first = self.program.objects.len() as u32;
        self.cells.entry(loc).or_insert_with(|| {
            let init = match loc.as_element() {
                // Allocated cells are entered when they are allocated.
                Some((object, _)) if object.0 >= first => None,
                Some(_) => Some(Values::one(0)),
                None => {
                    let choices = program.objects.iter().flat_map(|o| o.init.iter()).nth(loc.index());
                    choices.map(Values::of_choices)
                }
            };
            CellFacts::new(ty, init)
        })
    }

    /// An object of a step that allocates.
    fn add_object(
        &mut self,
        by: (usize, usize),
        ty: usize,
        bytes: u64,
        fill: Fill,
        storage: Storage,
    ) -> Result<usize, Refusal> {
        let object = self.objects.len();
        let id = ObjectId((self.program.objects.len() + object) as u32);
        let layout = &self.heap_layouts[ty];
        self.pace.take(BYTES_A_CELL * layout.cells(bytes) as u64, || 0)?;
        for number in 0..layout.cells(bytes) {
            let ty = layout.cell(bytes, number).ty;
            let Some(loc) = Loc::element(id, number as i64) else {
                return Err("too many objects are allocated".into());
            };
            let init = match fill {
                Fill::Zero => Some(Values::one(ty.default_value())),
                Fill::Undefined => None,
            };
            self.cells.insert(loc, CellFacts::new(ty, init));
        }
        self.objects.push(Object { bytes, storage, by });
        self.heap_types.push(ty);
        self.changed = true;
        Ok(object)
    }

    /// A new object takes the place of one that is gone.
    fn fill_again(&mut self, object: usize, fill: Fill) {
        for (loc, ty) in self.cells_of(object).collect::<Vec<_>>() {
            match fill {
                Fill::Zero => self.write(loc, ty, &Values::one(ty.default_value())),
                Fill::Undefined => {
                    let cell = self.cell(loc, ty);
                    let before = std::mem::replace(&mut cell.unwritten, true);
                    self.changed |= !before;
                }
            }
        }
    }

    /// The cells of an allocated object, and their types.
    pub fn cells_of(&self, object: usize) -> impl Iterator<Item = (Loc, Scalar)> + '_ {
        let id = ObjectId((self.program.objects.len() + object) as u32);
        let layout = &self.heap_layouts[self.heap_types[object]];
        let bytes = self.objects[object].bytes;
        (0..layout.cells(bytes)).map(move |number| {
            let loc = Loc::element(id, number as i64).expect("entered when it was allocated");
            (loc, layout.cell(bytes, number).ty)
        })
    }

    fn write(&mut self, loc: Loc, ty: Scalar, values: &Values) {
        if self.cell(loc, ty).values.join(values) {
            self.changed = true;
            self.grown.insert(loc);
        }
    }
}

/// The type that an access through an address has; the cell's where the address names it.
pub fn access_type(address: &Address, cell: Scalar) -> Scalar {
    match address {
        Address::Pointed { ty, .. } => *ty,
        Address::Cell { .. } => cell,
    }
}
