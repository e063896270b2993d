//! The rules that undo steps, against the steps themselves: on random automata, a basis that the check
//! accepts is never reached by going forward, with up to three threads a group and buffers up to
//! a length. The forward steps are Figure 2 of the paper written down once more, on configurations in
//! which nothing is open.
//!
//! Such bases are made by adding what the check misses until it misses nothing, so a rule that forgets a
//! predecessor gives a basis that is too small.
//!
//! A changed certificate may be accepted, too: a larger element claims that more cannot be reached, and that
//! may be true and still closed. Here it is seen to be true.

use super::closure::Closure;
use super::invariant::{Invariant, after};
use super::order::Basis;
use super::{Limits, Settled};
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedGroup, CertifiedMessage, CertifiedOp, CertifiedProcess,
    CertifiedReachable, CertifiedVariable,
};
use fencepost_task::{Budget, Certificate};
use std::collections::{BTreeMap, HashSet};

/// Messages in a buffer.
const LONGEST: usize = 4;
/// Threads that stand for any number of them.
const MANY: u32 = 3;
/// States of an automaton.
const STATES: u64 = 4;

/// Pseudorandom numbers (splitmix64).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n) as u32
    }
}

fn operation(rng: &mut Rng) -> CertifiedOp {
    let (x, v) = (rng.below(2), rng.below(2));
    match rng.below(12) {
        0 => CertifiedOp::Nop,
        1..=4 => CertifiedOp::Read(x, v),
        5..=8 => CertifiedOp::Write(x, v),
        9 => CertifiedOp::Fence,
        10 => CertifiedOp::Atomic(vec![(x, v)], vec![(x, 1 - v)]),
        _ => CertifiedOp::Atomic(vec![(x, v)], vec![(1 - x, rng.below(2))]),
    }
}

/// An automaton that is one path, or one with transitions anywhere.
fn group(rng: &mut Rng, number: u32) -> CertifiedGroup {
    let transitions = match rng.below(2) {
        0 => (1..STATES as u32).map(|state| (state - 1, operation(rng), state)).collect(),
        _ => (0..3 + rng.below(4)).map(|_| (rng.below(STATES), operation(rng), rng.below(STATES))).collect(),
    };
    CertifiedGroup {
        starts: vec![number],
        count: [Some(1), Some(1), Some(2), None][rng.below(4) as usize],
        states: STATES as u32,
        transitions,
        relation: Vec::new(),
    }
}

fn system(rng: &mut Rng) -> Certificate {
    let groups: Vec<_> = (0..1 + rng.below(2)).map(|g| group(rng, g)).collect();
    let mut processes = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for _ in 0..rng.below(u64::from(group.count.unwrap_or(2)) + 1) {
            let state = rng.below(STATES).max(rng.below(STATES));
            processes.push(CertifiedProcess { group: g as u32, state, buffer: Vec::new() });
        }
    }
    let cell = |rng: &mut Rng| [None, None, Some(0), Some(1)][rng.below(4) as usize];
    let target = CertifiedConfiguration { processes, memory: vec![cell(rng), cell(rng)] };
    let variables = vec![CertifiedVariable { values: vec![0, 1], initial: 1 }; 2];
    Certificate { slots: 0, variables, groups, basis: vec![target], invariant: Vec::new() }
}

fn settled(system: &Certificate) -> Settled<'_> {
    Settled::new(system, Limits(&Budget::default())).expect("it has no invariant")
}

/// What becomes of a basis to which everything missing is added.
enum Saturated {
    /// It is closed, and contains no beginning.
    Closed(Certificate),
    /// It contains a beginning.
    Start,
    /// It gets large.
    Large,
}

fn saturated(mut system: Certificate) -> Saturated {
    // What passed once passes in a larger basis.
    let mut passed = 0;
    loop {
        let settled = settled(&system);
        let mut closure = Closure::new(&system, &settled);
        let mut missing = None;
        for element in &system.basis[passed..] {
            assert!(element.processes.iter().all(|p| closure.close(p).is_ok()), "small automata end");
            if closure.has_start(element) {
                return Saturated::Start;
            }
            if let Err(found) = closure.check(element) {
                missing = Some(found.before);
                break;
            }
            passed += 1;
        }
        match missing {
            Some(before) if system.basis.len() < 400 => system.basis.push(before),
            Some(_) => return Saturated::Large,
            None => return Saturated::Closed(system),
        }
    }
}

/// Newest own message of a cell.
fn own(process: &CertifiedProcess, x: u32) -> Option<&CertifiedMessage> {
    process.buffer.iter().find(|m| m.own && m.variable == x)
}

/// Everything that can be reached in one step.
fn steps(system: &Certificate, c: &CertifiedConfiguration) -> Vec<CertifiedConfiguration> {
    let mut all = Vec::new();
    for (p, process) in c.processes.iter().enumerate() {
        let mut step = |change: &dyn Fn(&mut CertifiedProcess, &mut Vec<Option<u32>>)| {
            let mut next = c.clone();
            change(&mut next.processes[p], &mut next.memory);
            all.push(next);
        };
        for (from, op, to) in &system.groups[process.group as usize].transitions {
            if *from != process.state {
                continue;
            }
            let holds = |(x, v): &(u32, u32)| c.memory[*x as usize] == Some(*v);
            match op {
                CertifiedOp::Nop => step(&|p, _| p.state = *to),
                CertifiedOp::Fence if process.buffer.is_empty() => step(&|p, _| p.state = *to),
                CertifiedOp::Read(x, v) => {
                    let oldest = process.buffer.last().filter(|m| !m.own && m.variable == *x);
                    if own(process, *x).or(oldest).is_some_and(|m| m.value == Some(*v)) {
                        step(&|p, _| p.state = *to);
                    }
                }
                CertifiedOp::Write(x, v) if process.buffer.len() < LONGEST => step(&|p, memory| {
                    p.state = *to;
                    p.buffer.insert(0, CertifiedMessage { variable: *x, value: Some(*v), own: true });
                    memory[*x as usize] = Some(*v);
                }),
                CertifiedOp::Atomic(guard, update)
                    if process.buffer.is_empty() && guard.iter().all(holds) =>
                {
                    step(&|p, memory| {
                        p.state = *to;
                        update.iter().for_each(|(x, v)| memory[*x as usize] = Some(*v));
                    });
                }
                CertifiedOp::Fence | CertifiedOp::Write(..) | CertifiedOp::Atomic(..) => {}
            }
        }
        if !process.buffer.is_empty() {
            step(&|p, _| {
                p.buffer.pop();
            });
        }
        if process.buffer.len() < LONGEST {
            for x in 0..c.memory.len() as u32 {
                let message = CertifiedMessage { variable: x, value: c.memory[x as usize], own: false };
                step(&|p, _| p.buffer.insert(0, message));
            }
        }
    }
    all
}

/// Without own messages that are not the newest of their cell: they are nothing to the order.
fn newest(mut c: CertifiedConfiguration) -> CertifiedConfiguration {
    for process in &mut c.processes {
        let mut seen = HashSet::new();
        process.buffer.retain(|m| !m.own || seen.insert(m.variable));
    }
    c
}

/// What can be reached within the limits.
fn forward(system: &Certificate, limit: usize, mut see: impl FnMut(&CertifiedConfiguration) -> bool) {
    let mut processes = Vec::new();
    for (g, group) in system.groups.iter().enumerate() {
        let start = CertifiedProcess { group: g as u32, state: 0, buffer: Vec::new() };
        processes.extend(std::iter::repeat_n(start, group.count.unwrap_or(MANY) as usize));
    }
    let start = CertifiedConfiguration { processes, memory: vec![Some(0); system.variables.len()] };
    let mut known = HashSet::from([start.clone()]);
    let mut work = std::collections::VecDeque::from([start]);
    while let Some(c) = work.pop_front() {
        if !see(&c) {
            return;
        }
        if known.len() < limit {
            for next in steps(system, &c) {
                if known.insert(next.clone()) {
                    work.push_back(next);
                }
            }
        }
    }
}

/// A configuration that can be reached and is above the basis, if there is one within the limits.
fn reached(system: &Certificate, limit: usize) -> Option<CertifiedConfiguration> {
    let basis = Basis::new(&system.basis);
    let mut found = None;
    forward(system, limit, |c| {
        found = basis.is_below(&newest(c.clone())).then(|| c.clone());
        found.is_none()
    });
    found
}

/// For each thread and cell the values.
type Readable = Vec<Vec<Vec<u32>>>;

/// The least invariant of a system with given threads.
fn least_invariant(system: &Certificate) -> Vec<CertifiedReachable> {
    let groups: Vec<u32> = (0..system.groups.len() as u32)
        .flat_map(|g| std::iter::repeat_n(g, system.groups[g as usize].count.unwrap() as usize))
        .collect();
    let cells = system.variables.len();
    let start = CertifiedReachable {
        states: vec![0; groups.len()],
        memory: vec![0; cells],
        readable: vec![vec![vec![0]; cells]; groups.len()],
    };
    let mut known: BTreeMap<(Vec<u32>, Vec<u32>), Readable> = BTreeMap::new();
    let mut work = vec![start];
    while let Some(CertifiedReachable { states, memory, readable }) = work.pop() {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|t| (groups[*t], states[*t]));
        let states: Vec<u32> = order.iter().map(|t| states[*t]).collect();
        let nothing = vec![vec![Vec::new(); cells]; groups.len()];
        let old = known.get(&(states.clone(), memory.clone())).unwrap_or(&nothing).clone();
        let mut new = old.clone();
        for (t, of) in order.iter().enumerate() {
            // Threads in one state share what they may read.
            for other in (0..groups.len()).filter(|o| (groups[*o], states[*o]) == (groups[t], states[t])) {
                for x in 0..cells {
                    new[other][x].extend(&readable[*of][x]);
                    new[other][x].sort_unstable();
                    new[other][x].dedup();
                }
            }
        }
        if new == old {
            continue;
        }
        known.insert((states.clone(), memory.clone()), new.clone());
        let element = CertifiedReachable { states, memory, readable: new };
        for (t, group) in groups.iter().enumerate() {
            let transitions = &system.groups[*group as usize].transitions;
            for (_, op, to) in transitions.iter().filter(|(from, ..)| *from == element.states[t]) {
                work.extend(after(&element, t, op).map(|mut next| {
                    next.states[t] = *to;
                    next
                }));
            }
        }
    }
    let element = |((states, memory), readable)| CertifiedReachable { states, memory, readable };
    known.into_iter().map(element).collect()
}

/// Whatever can be reached is in every invariant that is accepted, and without one of its elements the least
/// one is not accepted.
#[test]
fn an_accepted_invariant_contains_what_is_reached() {
    let (mut seen, mut excluded) = (0, 0);
    for seed in 0..600 {
        let mut rng = Rng(seed);
        let mut system = system(&mut rng);
        system.groups.iter_mut().for_each(|g| g.count = g.count.or(Some(2)));
        system.invariant = least_invariant(&system);
        let invariant = Invariant::new(&system, Limits(&Budget::default()));
        let invariant = invariant.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        forward(&system, 400, |c| {
            assert!(!invariant.excludes(&newest(c.clone())), "seed {seed}: {c:?}\n{system:?}");
            seen += 1;
            true
        });
        excluded += usize::from(invariant.excludes(&system.basis[0]));
        for i in 0..system.invariant.len() {
            let mut without = system.clone();
            without.invariant.remove(i);
            let accepted = Invariant::new(&without, Limits(&Budget::default())).is_ok();
            assert!(!accepted || without.invariant.is_empty(), "seed {seed} without {i}");
        }
    }
    assert!(seen > 20_000 && excluded > 50, "{seen} configurations, {excluded} targets excluded");
}

#[test]
fn an_accepted_basis_is_not_reached() {
    let mut accepted = 0;
    let mut grown = 0;
    for seed in 0..5000 {
        let system = system(&mut Rng(seed));
        let Saturated::Closed(system) = saturated(system) else { continue };
        accepted += 1;
        grown += usize::from(system.basis.len() > 3);
        if let Some(c) = reached(&system, 1500) {
            panic!("seed {seed}: {c:?} is above {:?}\n{:?}", system.basis, system.groups);
        }
    }
    assert!(accepted > 1000 && grown > 200, "{accepted} accepted, {grown} of some size");
}

/// Threads that are paths, as in `wx1 f ry0 | wy1 rx0`; the target has all of them at their ends.
fn paths(text: &str) -> Certificate {
    let op = |word: &str| {
        let cell = |i: usize| u32::from(word.as_bytes()[i] - b'x');
        let value = |i: usize| u32::from(word.as_bytes()[i] - b'0');
        match word.as_bytes()[0] {
            b'r' => CertifiedOp::Read(cell(1), value(2)),
            b'w' => CertifiedOp::Write(cell(1), value(2)),
            b'a' => CertifiedOp::Atomic(vec![(cell(1), value(2))], vec![(cell(1), value(3))]),
            _ => CertifiedOp::Fence,
        }
    };
    let (mut groups, mut processes) = (Vec::new(), Vec::new());
    for (g, thread) in text.split('|').enumerate() {
        let ops: Vec<_> = thread.split_whitespace().map(op).collect();
        let end = ops.len() as u32;
        let transitions = ops.into_iter().zip(0..).map(|(op, i)| (i, op, i + 1)).collect();
        let (group, starts) = (g as u32, vec![g as u32]);
        groups.push(CertifiedGroup {
            starts,
            count: Some(1),
            states: end + 1,
            transitions,
            relation: Vec::new(),
        });
        processes.push(CertifiedProcess { group, state: end, buffer: Vec::new() });
    }
    let variables = vec![CertifiedVariable { values: vec![0, 1], initial: 1 }; 3];
    Certificate {
        slots: 0,
        variables,
        groups,
        basis: vec![CertifiedConfiguration { processes, memory: vec![None; 3] }],
        invariant: Vec::new(),
    }
}

#[test]
fn known_tests_have_their_known_answers() {
    for possible in [
        "wx1 ry0 | wy1 rx0",
        "wx1 ry0 | wy1 f rx0",
        "wx1 rx1",
        "wx1 rx1 ry0 | wy1 ry1 rx0",
        "wx1 | rx0 rx1",
        "wx1 wy1 | ry1 rx1",
        // Both stores are overtaken, and no thread has seen the first.
        "wx1 wx1 ry0 | wy1 f rx0",
        "wx1 wx0 ry0 rx0 | wy1 f rx0 rx1 rx0",
        "wz1 wx1 wx1 ry0 rz1 | wy1 f rx0 rz0",
        "ax01 | rx0 rx1",
    ] {
        assert!(matches!(saturated(paths(possible)), Saturated::Start), "{possible}");
    }
    for impossible in [
        "wx1 f ry0 | wy1 f rx0",
        "ax01 ry0 | ay01 rx0",
        "wx1 rx0",
        "wx1 | rx1 rx0",
        "wx1 wy1 | ry1 rx0",
        "rx1 wy1 | ry1 wx1",
        "wx1 | wy1 | rx1 ry0 | ry1 rx0",
        "wx1 | rx1 wy1 | ry1 rx0",
        "ax01 | ax01",
    ] {
        let Saturated::Closed(system) = saturated(paths(impossible)) else { panic!("{impossible}") };
        assert_eq!(reached(&system, 3000), None, "{impossible}");
    }
}

/// A certificate of the dual engine.
fn example(name: &str) -> (fencepost_ir::cfg::Program, Certificate) {
    use fencepost_task::{Bounds, Budget, Engine, Model, Task};
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let tree = fencepost_models::fp::read(name, &std::fs::read_to_string(path).unwrap()).unwrap();
    let program = fencepost_passes::pipeline::lower(tree);
    let (bounds, budget) = (Bounds::default(), Budget::default());
    let task = Task { program: &program, model: Model::Tso, bounds, budget };
    let answer = fencepost_cover::Dual.check(&task, &mut |_| {});
    let certificate = answer.certificate.unwrap_or_else(|| panic!("{name} is proved"));
    (program, *certificate)
}

/// Every way to make one element of a basis stand for more.
fn enlarged(certificate: &Certificate) -> Vec<Certificate> {
    let mut all = Vec::new();
    for (i, element) in certificate.basis.iter().enumerate() {
        let mut change = |change: &dyn Fn(&mut CertifiedConfiguration)| {
            let mut changed = certificate.clone();
            change(&mut changed.basis[i]);
            all.push(changed);
        };
        for (p, process) in element.processes.iter().enumerate() {
            change(&|e| {
                e.processes.remove(p);
            });
            for (m, message) in process.buffer.iter().enumerate() {
                change(&|e| {
                    e.processes[p].buffer.remove(m);
                });
                if message.own && message.value.is_some() {
                    change(&|e| e.processes[p].buffer[m].value = None);
                }
            }
        }
        for (x, value) in element.memory.iter().enumerate() {
            if value.is_some() {
                change(&|e| e.memory[x] = None);
            }
        }
    }
    all
}

#[test]
fn enlarged_elements_are_rejected_or_still_not_reached() {
    let (mut rejected, mut accepted) = (0, 0);
    for name in [
        "sb_fenced.fp",
        "mp.fp",
        "lb.fp",
        "wrc.fp",
        "peterson_fenced.fp",
        "spinlock.fp",
        "spinlock_template.fp",
    ] {
        let (program, certificate) = example(name);
        for changed in enlarged(&certificate) {
            match super::check_certificate(&program, &changed) {
                Err(_) => rejected += 1,
                Ok(()) => {
                    accepted += 1;
                    assert_eq!(reached(&changed, 1500), None, "{name}");
                }
            }
        }
    }
    assert!(rejected > 4 * accepted, "{rejected} rejected, {accepted} accepted");
}
