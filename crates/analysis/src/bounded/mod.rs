//! What a program can do at most within bounds on repetitions: its threads without loops and calls (`unroll.rs`), which steps
//! they reach, which cells each access may mean, which values loads may see, and which threads and objects come into being.
//! It holds for every memory model, since each load may see whatever is ever stored.
//!
//! Registers are followed along each thread, cells are sets of all values that are ever written to them. Each
//! pass goes through all threads with the cells of the pass before. No step is taken twice in a run, so
//! no value is the result of more stores than there are; after so many passes all values are there,
//! whether or not the sets still grow.

mod loops;
mod objects;
mod order;
mod refusal;
mod reuse;
mod row;
mod sizes;
mod targets;
mod unroll;
mod walk;

pub use loops::Loops;
pub use objects::Object;
pub use refusal::Refusal;
pub use row::Row;
pub use targets::{Targets, access_type};
pub use unroll::{Frame, Place, Step, Unrolled, all_loops, unroll};

use crate::values::Values;
use fencepost_ir::cfg::{Instr, Loc, ProcId, Program, StartId};
use fencepost_ir::{Scalar, Span};
use fencepost_memory::Layout;
use fencepost_task::{Budget, Pace};
use reuse::Reuses;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

/// More threads than this are too many.
const MAX_THREADS: usize = 200;
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

/// A cell.
pub struct CellFacts {
    /// Its type.
    pub ty: Scalar,
    /// What it may hold.
    pub values: Values,
    /// Its initial value; `None` if it is unknown.
    pub init: Option<Values>,
    /// Whether its value is unknown at times.
    pub unwritten: bool,
}

impl CellFacts {
    fn new(ty: Scalar, init: Option<Values>) -> CellFacts {
        let values = init.clone().unwrap_or(Values::NONE);
        CellFacts { ty, values, unwritten: init.is_none(), init }
    }
}

/// All of it.
pub struct Bounded<'p> {
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

impl<'p> Bounded<'p> {
    /// Analyses a program within bounds on repetitions, and on the elements of objects whose size is not known.
    pub fn new(
        program: &'p Program,
        loops: &'p [Loops],
        unwind: u32,
        block: u32,
        budget: &Budget,
    ) -> Result<Bounded<'p>, Refusal> {
        let records = &program.records;
        let mut analysis = Bounded {
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

    /// Where an access to several cells is, if there is one.
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

    fn write(&mut self, loc: Loc, ty: Scalar, values: &Values) {
        if self.cell(loc, ty).values.join(values) {
            self.changed = true;
            self.grown.insert(loc);
        }
    }
}
