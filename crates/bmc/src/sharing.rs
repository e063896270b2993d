//! Which cells threads share. What one thread only accesses goes along its code like a register, and what
//! is never written is a constant; only the rest goes through the shared-memory abstraction.
//!
//! All cells that one instruction may access are treated alike.

use fencepost_analysis::bounded::{Bounded, CellFacts};
use fencepost_analysis::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Instr, Loc, ObjectId};
use fencepost_task::{Budget, Pace, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// What is noted of a cell takes so many bytes, roughly.
const BYTES_A_CELL: u64 = 64;

/// Where a cell lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In shared memory, under this number.
    Shared(usize),
    /// With one thread, under this number among the thread's own cells.
    Private(usize, usize),
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Lodging {
    /// Where it lives.
    pub home: Home,
    /// Whether its value has a lowest bit more, which says that somebody has written it.
    pub tagged: bool,
}

/// Homes of all cells.
pub struct Sharing {
    /// By cell.
    pub cells: BTreeMap<Loc, Lodging>,
    /// Shared cells by number.
    pub shared: Vec<Loc>,
    /// Each thread's own cells.
    pub private: Vec<Vec<Loc>>,
    /// Shared cells that one thread only writes: the thread, and the number among its own cells of what it has
    /// written last, which is what it reads.
    pub shadows: BTreeMap<Loc, (usize, usize)>,
    /// For each thread the numbers of the shared cells that it stores to, sorted.
    pub stores: Vec<Vec<usize>>,
}

/// The cell that says whether an allocated object is gone.
pub fn life(first_heap: usize, object: usize) -> Loc {
    let id = ObjectId((first_heap + object) as u32);
    Loc::element(id, 1 << 40).expect("object numbers fit")
}

/// The allocated object of a cell.
pub fn object_of(first_heap: usize, loc: Loc) -> Option<usize> {
    loc.as_element().and_then(|(object, _)| object.index().checked_sub(first_heap))
}

/// The objects that somebody may free, each with a cell for its life.
pub fn add_lives(analysis: &mut Bounded<'_>) -> BTreeSet<usize> {
    let facts = analysis.instances.iter().flat_map(|i| &i.facts).filter(|f| f.reachable);
    let freed: BTreeSet<_> = facts.flat_map(|f| f.frees.iter().map(|(_, object)| *object)).collect();
    let first = analysis.program.objects.len();
    for object in &freed {
        let zero = Some(Values::one(0));
        let cell =
            CellFacts { ty: Scalar::Bool, values: Values::Few(vec![0, 1]), init: zero, unwritten: false };
        analysis.cells.insert(life(first, *object), cell);
    }
    freed
}

/// Decides for every cell. Threads' own cells stay their own under every model: no other thread can observe when a
/// store to one reaches memory.
pub fn sharing(analysis: &Bounded<'_>, freed: &BTreeSet<usize>, budget: &Budget) -> Result<Sharing, Stop> {
    let pace = &mut Pace::new(budget);
    let first = analysis.program.objects.len();
    let mut users: BTreeMap<Loc, BTreeSet<usize>> = BTreeMap::new();
    let mut groups: Vec<Vec<Loc>> = Vec::new();
    let mut written: BTreeSet<Loc> = BTreeSet::new();
    let mut writers: BTreeMap<Loc, BTreeSet<usize>> = BTreeMap::new();
    for (thread, instance) in analysis.instances.iter().enumerate() {
        for (step, facts) in instance.code.steps.iter().zip(&instance.facts).filter(|(_, f)| f.reachable) {
            pace.take(BYTES_A_CELL * facts.targets.locs().count() as u64, || 0)?;
            let cells: Vec<_> = facts.targets.locs().collect();
            let objects = cells.iter().filter_map(|loc| object_of(first, *loc));
            let lives: Vec<_> = objects
                .chain(facts.frees.iter().map(|(_, object)| *object))
                .filter(|o| freed.contains(o))
                .map(|o| life(first, o))
                .collect();
            cells.iter().chain(&lives).for_each(|loc| {
                users.entry(*loc).or_default().insert(thread);
            });
            // Who frees an object has to do with all its cells.
            for (_, object) in &facts.frees {
                pace.work(analysis.cells.len() as u64 / 16, || 0)?;
                for loc in analysis.cells.keys().filter(|loc| object_of(first, **loc) == Some(*object)) {
                    users.entry(*loc).or_default().insert(thread);
                }
            }
            if !matches!(step.edge.instr, Instr::Load(..)) {
                written.extend(cells.iter().copied());
            }
            if !facts.frees.is_empty() {
                written.extend(lives.iter().copied());
            }
            let writes_cells = !matches!(step.edge.instr, Instr::Load(..));
            let writes_lives = !facts.frees.is_empty();
            let own = cells.iter().filter(|_| writes_cells).chain(lives.iter().filter(|_| writes_lives));
            own.for_each(|loc| {
                writers.entry(*loc).or_default().insert(thread);
            });
            groups.extend([cells, lives].into_iter().filter(|g| g.len() > 1));
            // What an object held is copied into another, cell by cell.
            if let Instr::Reallocate { .. } = step.edge.instr {
                let made: Vec<_> = facts.makes.iter().map(|(_, object)| *object).collect();
                for object in &made {
                    pace.take(BYTES_A_CELL * analysis.cells_of(*object).count() as u64, || 0)?;
                }
                for loc in made.iter().flat_map(|object| analysis.cells_of(*object)).map(|(loc, _)| loc) {
                    users.entry(loc).or_default().insert(thread);
                    writers.entry(loc).or_default().insert(thread);
                    written.insert(loc);
                }
                for number in 0..facts.copied.len() {
                    pace.work(facts.frees.len() as u64, || 0)?;
                    let cell = |(_, object): &(i64, usize)| analysis.cells_of(*object).nth(number);
                    groups.push(facts.frees.iter().filter_map(cell).map(|(loc, _)| loc).collect());
                }
            }
            // Who takes the place of an object looks whether it is gone, and writes all of it.
            for object in &facts.reuses {
                pace.take(BYTES_A_CELL * analysis.cells_of(*object).count() as u64, || 0)?;
                let cells = analysis.cells_of(*object).map(|(loc, _)| loc);
                for loc in cells.chain([life(first, *object)]) {
                    users.entry(loc).or_default().insert(thread);
                    writers.entry(loc).or_default().insert(thread);
                    written.insert(loc);
                }
            }
        }
    }
    // Final conditions look at memory.
    let observed = analysis.program.properties.iter().flat_map(|p| match p {
        fencepost_ir::cfg::Property::Final { observed, .. } => observed.as_slice(),
        fencepost_ir::cfg::Property::Forbid { .. } => &[],
    });
    let observed: BTreeSet<_> = observed
        .filter_map(|o| match o {
            fencepost_ir::cfg::Observable::Cell(loc) => Some(*loc),
            fencepost_ir::cfg::Observable::Register(..) => None,
        })
        .collect();
    let is_shared = |loc: &Loc| {
        observed.contains(loc) || (users.get(loc).is_some_and(|u| u.len() > 1) && written.contains(loc))
    };
    let mut shared: BTreeSet<Loc> = analysis.cells.keys().copied().filter(is_shared).collect();
    shared.extend(&observed);
    // Constants that several threads read belong to none of them, but cost nothing in shared memory.
    shared.extend(users.iter().filter(|(_, users)| users.len() > 1).map(|(loc, _)| *loc));
    let mut tagged: BTreeSet<Loc> =
        analysis.cells.iter().filter(|(_, cell)| cell.unwritten).map(|(loc, _)| *loc).collect();
    loop {
        let before = (shared.len(), tagged.len());
        for group in &groups {
            pace.take(BYTES_A_CELL * group.len() as u64, || 0)?;
            if group.iter().any(|loc| shared.contains(loc)) {
                shared.extend(group);
            }
            if group.iter().any(|loc| tagged.contains(loc)) {
                tagged.extend(group);
            }
        }
        if before == (shared.len(), tagged.len()) {
            break;
        }
    }
    let mut result = Sharing {
        cells: BTreeMap::new(),
        shared: shared.iter().copied().collect(),
        private: vec![Vec::new(); analysis.instances.len()],
        shadows: BTreeMap::new(),
        stores: vec![Vec::new(); analysis.instances.len()],
    };
    // All or none of the cells that one instruction may access have shadows.
    let lone = |loc: &Loc| writers.get(loc).filter(|w| w.len() == 1).and_then(|w| w.first().copied());
    let mut shadowed: BTreeMap<Loc, usize> =
        shared.iter().filter_map(|loc| Some((*loc, lone(loc)?))).collect();
    loop {
        let before = shadowed.len();
        for group in &groups {
            pace.work(1 + group.len() as u64 / 16, || 0)?;
            let first = group.first().and_then(|loc| shadowed.get(loc)).copied();
            if group.iter().any(|loc| shadowed.get(loc).copied() != first) {
                group.iter().for_each(|loc| {
                    shadowed.remove(loc);
                });
            }
        }
        if shadowed.len() == before {
            break;
        }
    }
    for (loc, thread) in shadowed {
        result.private[thread].push(loc);
        result.shadows.insert(loc, (thread, result.private[thread].len() - 1));
    }
    for (loc, users) in &users {
        let home = match shared.contains(loc) {
            true => Home::Shared(result.shared.binary_search(loc).expect("listed")),
            false => {
                let thread = *users.iter().next().expect("a user");
                result.private[thread].push(*loc);
                Home::Private(thread, result.private[thread].len() - 1)
            }
        };
        result.cells.insert(*loc, Lodging { home, tagged: tagged.contains(loc) });
    }
    for (number, loc) in result.shared.iter().enumerate() {
        let lodging = Lodging { home: Home::Shared(number), tagged: tagged.contains(loc) };
        result.cells.entry(*loc).or_insert(lodging);
    }
    for (thread, instance) in analysis.instances.iter().enumerate() {
        let steps = instance.code.steps.iter().zip(&instance.facts);
        let stores = steps.filter(|(s, f)| f.reachable && matches!(s.edge.instr, Instr::Store(..)));
        let cells = stores.flat_map(|(_, f)| f.targets.locs());
        pace.take(BYTES_A_CELL * result.shared.len() as u64, || 0)?;
        let mut numbers: Vec<_> = cells.filter_map(|loc| result.shared.binary_search(&loc).ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        result.stores[thread] = numbers;
    }
    Ok(result)
}
