//! Random programs with memory orders.
//!
//! Programs in which anything may be hardly ever depend on the rules of seq_cst; so there are also critical cycles
//! ([`cycle`]), in which a few accesses of each thread lead from one to the next, and small changes of given programs ([`neighbour`]).

use super::{Op, Ordered, Ordering, Value};
use crate::Rng;
use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use fencepost_ir::Order;

/// What random programs have more of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Something of everything.
    Mixed,
    /// Accesses that are seq_cst.
    SeqCst,
    /// Fences that are seq_cst.
    Fences,
    /// Read-modify-writes.
    Updates,
    /// Release and acquire only.
    ReleaseAcquire,
    /// One cell whose accesses are mostly not atomic.
    Plain,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 6] = [
        Profile::Mixed,
        Profile::SeqCst,
        Profile::Fences,
        Profile::Updates,
        Profile::ReleaseAcquire,
        Profile::Plain,
    ];

    fn loads(self) -> &'static [Order] {
        match self {
            Profile::Mixed | Profile::Updates | Profile::Plain => &[Relaxed, Acquire, SeqCst],
            Profile::SeqCst => &[SeqCst, SeqCst, SeqCst, Relaxed, Acquire],
            Profile::Fences => &[Relaxed, Relaxed, Acquire],
            Profile::ReleaseAcquire => &[Acquire],
        }
    }

    fn stores(self) -> &'static [Order] {
        match self {
            Profile::Mixed | Profile::Updates | Profile::Plain => &[Relaxed, Release, SeqCst],
            Profile::SeqCst => &[SeqCst, SeqCst, SeqCst, Relaxed, Release],
            Profile::Fences => &[Relaxed, Relaxed, Release],
            Profile::ReleaseAcquire => &[Release],
        }
    }

    fn updates(self) -> &'static [Order] {
        match self {
            Profile::Mixed | Profile::Updates | Profile::Plain => &Order::ALL,
            Profile::SeqCst => &[SeqCst, SeqCst, AcqRel],
            Profile::Fences => &[Relaxed, AcqRel],
            Profile::ReleaseAcquire => &[AcqRel],
        }
    }

    fn fences(self) -> &'static [Order] {
        match self {
            Profile::Mixed | Profile::Updates | Profile::Plain => &[Acquire, Release, AcqRel, SeqCst],
            Profile::SeqCst | Profile::ReleaseAcquire => &[AcqRel, SeqCst],
            Profile::Fences => &[SeqCst, SeqCst, SeqCst, Release, Acquire],
        }
    }

    /// Of a hundred operations, so many fences and so many read-modify-writes.
    fn shares(self) -> (usize, usize) {
        match self {
            Profile::Mixed => (15, 15),
            Profile::SeqCst => (6, 14),
            Profile::Fences => (25, 10),
            Profile::Updates => (10, 50),
            Profile::ReleaseAcquire => (0, 20),
            Profile::Plain => (10, 15),
        }
    }
}

/// A random program of two or three threads.
pub fn random(seed: u64, profile: Profile) -> Ordered {
    let mut rng = Rng::new(seed);
    let threads = rng.pick(&[2, 2, 3]);
    let cells = rng.pick(&[2, 2, 2, 3]);
    let lengths: &[usize] = if threads == 2 { &[2, 3, 4, 5] } else { &[1, 2, 2, 3] };
    let plain = (profile == Profile::Plain).then(|| rng.below(cells));
    let thread = |rng: &mut Rng| {
        let length = rng.pick(lengths);
        let mut ops: Vec<Op> = Vec::new();
        while ops.len() < length {
            let op = operation(rng, profile, cells, plain, &ops);
            ops.push(op);
            let reads = matches!(op, Op::Load(..) | Op::Exchange(..) | Op::Add(..) | Op::Compare(..));
            if reads && ops.len() + 1 < length && rng.one_in(7) {
                ops.push(Op::If(ops.len() - 1, rng.below(2) as u8));
            }
        }
        ops
    };
    Ordered { threads: (0..threads).map(|_| thread(&mut rng)).collect() }
}

fn operation(rng: &mut Rng, profile: Profile, cells: usize, plain: Option<usize>, before: &[Op]) -> Op {
    let x = rng.below(cells);
    let (fences, updates) = profile.shares();
    let choice = rng.below(100);
    let is_plain = plain == Some(x) && !rng.one_in(7);
    if choice < fences {
        return Op::Fence(rng.pick(profile.fences()));
    }
    if choice < fences + updates && plain != Some(x) {
        let order = rng.pick(profile.updates());
        return update(rng, x, order, profile.loads());
    }
    if choice.is_multiple_of(2) {
        return Op::Load(x, (!is_plain).then(|| rng.pick(profile.loads())));
    }
    let registers: Vec<usize> = (0..before.len()).filter(|r| !matches!(before[*r], Op::Fence(_))).collect();
    let value = match registers.is_empty() || !rng.one_in(7) {
        true => Value::Number(1 + rng.below(2) as u8),
        false => Value::Register(rng.pick(&registers)),
    };
    Op::Store(x, value, (!is_plain).then(|| rng.pick(profile.stores())))
}

fn update(rng: &mut Rng, x: usize, order: Order, failures: &[Order]) -> Op {
    let value = rng.below(3) as u8;
    match rng.below(4) {
        0 => Op::Exchange(x, value, order),
        1 => Op::Add(x, 1, order),
        _ => Op::Compare(x, value, rng.below(3) as u8, order, rng.pick(failures)),
    }
}

/// What kind of access is in a critical cycle.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    Write,
    Update,
}

/// What orders the accesses of a cycle.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Accesses,
    Fences,
    Both,
}

/// A random critical cycle of two to four threads, with random orders, fences and a few more accesses.
pub fn cycle(seed: u64) -> Ordered {
    let mut rng = Rng::new(seed ^ 0xc11);
    let style = rng.pick(&[Style::Accesses, Style::Accesses, Style::Fences, Style::Both, Style::Both]);
    let (shape, cells) = shape(&mut rng);
    let mut spare = rng.pick(&[0, 0, 1, 2]);
    let thread = |accesses: Vec<(Kind, usize)>, rng: &mut Rng| {
        let mut ops = Vec::new();
        for (j, (kind, x)) in accesses.into_iter().enumerate() {
            if spare > 0 && rng.one_in(3) {
                spare -= 1;
                let kind = rng.pick(&[Kind::Read, Kind::Write, Kind::Update]);
                let y = if rng.one_in(2) { x } else { rng.below(cells) };
                ops.push(access(rng, style, kind, y));
            }
            let fences = match style {
                Style::Fences => 60,
                Style::Both => 25,
                Style::Accesses => 5,
            };
            if j > 0 && rng.below(100) < fences {
                ops.push(Op::Fence(rng.pick(&[SeqCst, SeqCst, SeqCst, AcqRel, Release, Acquire])));
            }
            ops.push(access(rng, style, kind, x));
        }
        ops
    };
    let mut thread = thread;
    Ordered { threads: shape.into_iter().map(|accesses| thread(accesses, &mut rng)).collect() }
}

/// The accesses of a cycle, and the number of cells.
fn shape(rng: &mut Rng) -> (Vec<Vec<(Kind, usize)>>, usize) {
    use Kind::{Read as R, Update as U, Write as W};
    match rng.below(4) {
        0 | 1 => {
            let threads = rng.pick(&[2, 2, 2, 3, 3]);
            let cells = if threads == 2 { 2 } else { rng.pick(&[2, 3, 3]) };
            let first: &[Kind] = if rng.one_in(3) { &[R, W, W, U] } else { &[R, W, W] };
            let second: &[Kind] = if rng.one_in(3) { &[R, W, R, U] } else { &[R, W] };
            let thread = |i: usize, rng: &mut Rng| {
                vec![(rng.pick(first), i % cells), (rng.pick(second), (i + 1) % threads % cells)]
            };
            ((0..threads).map(|i| thread(i, rng)).collect(), cells)
        }
        2 => {
            let readers = match rng.below(5) {
                0 | 1 => vec![vec![(W, 0)], vec![(W, 1)], vec![(R, 0), (R, 1)], vec![(R, 1), (R, 0)]],
                2 | 3 => vec![vec![(W, 0)], vec![(R, 0), (R, 1)], vec![(W, 1), (R, 0)]],
                _ => vec![vec![(W, 0), (R, 1)], vec![(R, 0), (R, 1)], vec![(W, 1), (R, 0)]],
            };
            (readers, 2)
        }
        // Message passing, and store buffering at its end.
        _ => {
            let cells = rng.pick(&[2, 3]);
            let middle = vec![(rng.pick(&[R, U]), 1), (rng.pick(&[R, W]), cells - 1)];
            let last = vec![(W, cells - 1), (rng.pick(&[R, W]), 0)];
            (vec![vec![(W, 0), (W, 1)], middle, last], cells)
        }
    }
}

fn access(rng: &mut Rng, style: Style, kind: Kind, x: usize) -> Op {
    let mut order = |strong: Order| match style {
        Style::Accesses => rng.pick(&[SeqCst, SeqCst, SeqCst, strong, Relaxed]),
        Style::Fences => rng.pick(&[Relaxed, Relaxed, strong]),
        Style::Both => rng.pick(&[SeqCst, SeqCst, strong, Relaxed]),
    };
    match kind {
        Kind::Read => Op::Load(x, Some(order(Acquire))),
        Kind::Write => {
            let order = Some(order(Release));
            Op::Store(x, Value::Number(1 + rng.below(2) as u8), order)
        }
        Kind::Update => {
            let (success, failure) = (order(AcqRel), order(Acquire));
            update(rng, x, success, &[failure])
        }
    }
}

/// One of the programs with a few random changes.
pub fn neighbour(seed: u64, programs: &[Ordered]) -> Ordered {
    let mut rng = Rng::new(seed ^ 0x9e16);
    let mut program = rng.pick(programs);
    let cells = program.cells();
    for _ in 0..rng.pick(&[0, 1, 1, 2, 2, 3]) {
        let t = rng.below(program.threads.len());
        let ops = &mut program.threads[t];
        // Operations name others by their number.
        if ops.iter().any(|op| matches!(op, Op::If(..) | Op::Store(_, Value::Register(_), _))) {
            continue;
        }
        let at = rng.below(ops.len());
        match rng.below(20) {
            0..9 => ops[at] = reordered(&mut rng, ops[at]),
            9..12 if ops.len() > 1 && !ops[at].is_about_threads() => {
                ops.remove(at);
            }
            9..15 => ops.insert(at, Op::Fence(rng.pick(&[SeqCst, SeqCst, AcqRel, Release, Acquire]))),
            15..18 => {
                let kind = rng.pick(&[Kind::Read, Kind::Write, Kind::Update]);
                let x = rng.below(cells);
                let new = access(&mut rng, Style::Both, kind, x);
                ops.insert(at, new);
            }
            _ => ops[at] = moved(ops[at], rng.below(cells)),
        }
    }
    program
}

/// The same operation with another order.
fn reordered(rng: &mut Rng, op: Op) -> Op {
    let mut load = || -> Ordering { Some(rng.pick(&[Relaxed, Acquire, SeqCst])) };
    match op {
        Op::Load(x, Some(_)) => Op::Load(x, load()),
        Op::Store(x, v, Some(_)) => Op::Store(x, v, Some(rng.pick(&[Relaxed, Release, SeqCst]))),
        Op::Exchange(x, v, _) => Op::Exchange(x, v, rng.pick(&Order::ALL)),
        Op::Add(x, v, _) => Op::Add(x, v, rng.pick(&Order::ALL)),
        Op::Compare(x, e, n, _, failure) => Op::Compare(x, e, n, rng.pick(&Order::ALL), failure),
        Op::Fence(_) => Op::Fence(rng.pick(&[SeqCst, AcqRel, Release, Acquire])),
        other => other,
    }
}

/// The same operation on another cell.
fn moved(op: Op, x: usize) -> Op {
    match op {
        Op::Load(_, order) => Op::Load(x, order),
        Op::Store(_, value, order) => Op::Store(x, value, order),
        Op::Exchange(_, value, order) => Op::Exchange(x, value, order),
        Op::Add(_, value, order) => Op::Add(x, value, order),
        Op::Compare(_, e, n, success, failure) => Op::Compare(x, e, n, success, failure),
        other => other,
    }
}

/// A random program with mutexes, or with a thread that another one starts.
pub fn threaded(seed: u64, programs: &[Ordered]) -> Ordered {
    let mut program = match seed % 3 {
        0 => neighbour(seed, programs),
        1 => cycle(seed),
        _ => random(seed, Profile::ALL[(seed / 3) as usize % Profile::ALL.len()]),
    };
    let mut rng = Rng::new(seed ^ 0x7eead);
    let is_fixed =
        |op: &Op| op.is_about_threads() || matches!(op, Op::If(..) | Op::Store(_, Value::Register(_), _));
    if program.threads.iter().flatten().any(is_fixed) {
        return program;
    }
    if rng.one_in(2) {
        for ops in &mut program.threads {
            let (from, to) = (rng.below(ops.len() + 1), rng.below(ops.len() + 1));
            ops.insert(from.max(to), Op::Unlock(0));
            ops.insert(from.min(to), Op::Lock(0));
        }
        return program;
    }
    let child = program.threads.len() - 1;
    let x = rng.below(program.cells());
    let parent = &mut program.threads[0];
    parent.insert(rng.below(parent.len() + 1), Op::Spawn(child));
    if rng.one_in(2) {
        parent.push(Op::Join(child));
        parent.push(Op::Load(x, Some(rng.pick(&[Relaxed, Acquire, SeqCst]))));
    }
    program
}

/// All operations of tiny programs; every store and exchange of a thread stores its own value.
fn alphabet(value: u8) -> Vec<Op> {
    let mut ops = Vec::new();
    for x in 0..2 {
        ops.extend([Relaxed, Acquire, SeqCst].map(|order| Op::Load(x, Some(order))));
        ops.extend([Relaxed, Release, SeqCst].map(|order| Op::Store(x, Value::Number(value), Some(order))));
        ops.extend(Order::ALL.map(|order| Op::Exchange(x, value, order)));
        ops.push(Op::Compare(x, 0, value, SeqCst, Relaxed));
        ops.push(Op::Compare(x, 0, value, Relaxed, SeqCst));
    }
    ops.extend([Acquire, Release, AcqRel, SeqCst].map(Op::Fence));
    ops
}

/// Every n-th of all programs of two threads with so many operations each.
pub fn tiny(length: u32, step: usize) -> impl Iterator<Item = Ordered> {
    let alphabets = [alphabet(1), alphabet(2)];
    let count = alphabets[0].len().pow(length);
    (0..count * count).step_by(step).map(move |mut number| {
        let thread = |ops: &Vec<Op>| {
            let mut op = || {
                let op = ops[number % ops.len()];
                number /= ops.len();
                op
            };
            (0..length).map(|_| op()).collect()
        };
        Ordered { threads: alphabets.iter().map(thread).collect() }
    })
}
