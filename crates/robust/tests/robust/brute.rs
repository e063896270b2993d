//! Attacks against the definition: all TSO runs of small programs with their happens-before relations. A
//! program is robust exactly if none of these is cyclic. Written apart from the search for attacks.

use fencepost_certify::{Relation, replay_cycle};
use fencepost_ir::cfg::{Instr, Loc, Program, RmwOp};
use fencepost_ir::eval::eval;
use fencepost_memory::{EventKind, Machine, State, Tso};
use fencepost_robust::{Attack, Attacks, Fences, Wanted, Witness, attacks, attacks_besides};
use fencepost_samples::effort;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_samples::random::{self, Config};
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Action, Budget};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The n-th event of a thread. All steps of an atomic section are one event.
type Node = (u32, u32);

/// What happens before what in a run.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Order {
    /// How many events each thread has had.
    events: Vec<u32>,
    /// The event that each thread is inside of, if it is in a section.
    open: Vec<Option<u32>>,
    /// The event of each buffered store.
    pending: Vec<Vec<(Node, Vec<Loc>)>>,
    edges: BTreeSet<(Node, Node)>,
    /// The last write of each cell, and the reads since.
    written: BTreeMap<Loc, Node>,
    read: BTreeMap<Loc, BTreeSet<Node>>,
}

impl Order {
    fn edge(&mut self, from: Node, to: Node) {
        if from != to {
            self.edges.insert((from, to));
        }
    }

    fn new_event(&mut self, thread: u32) -> Node {
        if let Some(event) = self.open[thread as usize] {
            return (thread, event);
        }
        let number = &mut self.events[thread as usize];
        *number += 1;
        let node = (thread, *number);
        // Event 0 is the thread's beginning.
        self.edge((thread, node.1 - 1), node);
        node
    }

    fn reads(&mut self, node: Node, loc: Loc) {
        if let Some(&writer) = self.written.get(&loc) {
            self.edge(writer, node);
        }
        self.read.entry(loc).or_default().insert(node);
    }

    fn writes(&mut self, node: Node, loc: Loc) {
        if let Some(writer) = self.written.insert(loc, node) {
            self.edge(writer, node);
        }
        for reader in self.read.remove(&loc).unwrap_or_default() {
            self.edge(reader, node);
        }
    }

    /// Whether some event happens before itself.
    fn is_cyclic(&self) -> bool {
        fn visit(edges: &BTreeSet<(Node, Node)>, at: Node, marks: &mut BTreeMap<Node, bool>) -> bool {
            match marks.get(&at) {
                Some(&open) => return open,
                None => marks.insert(at, true),
            };
            let out = edges.range((at, (0, 0))..=(at, (u32::MAX, u32::MAX)));
            let found = out.into_iter().any(|e| visit(edges, e.1, marks));
            marks.insert(at, false);
            found
        }
        let mut marks = BTreeMap::new();
        self.edges.iter().any(|e| visit(&self.edges, e.0, &mut marks))
    }
}

/// What the step adds to the order.
fn record(machine: &Machine<'_>, state: &State, step: fencepost_task::Step, order: &mut Order) {
    let t = step.thread;
    let thread = &state.threads[t as usize];
    let edge = match step.action {
        Action::Flush(_) => {
            let (node, cells) = order.pending[t as usize].remove(0);
            cells.into_iter().for_each(|loc| order.writes(node, loc));
            return;
        }
        Action::Edge(id, _) => machine.edge(thread, id),
        Action::Older(..) | Action::Propagate(_) | Action::Delete => unreachable!("not under TSO"),
    };
    let place = edge.instr.address().map(|a| machine.resolve(state, t as usize, a).expect("in bounds"));
    let cells: Vec<Loc> = place.into_iter().flat_map(|p| p.locs()).collect();
    match &edge.instr {
        Instr::Load(..) => {
            let node = order.new_event(t);
            for loc in cells {
                if !thread.buffer.iter().any(|e| e.loc == loc) {
                    order.reads(node, loc);
                }
            }
        }
        Instr::Store(..) => {
            let node = order.new_event(t);
            order.pending[t as usize].push((node, cells));
        }
        Instr::Rmw(_, _, op) => {
            let node = order.new_event(t);
            let fails = match op {
                RmwOp::CompareExchange { expected, .. } => {
                    eval(expected, thread) != machine.read(state, place.unwrap())
                }
                _ => false,
            };
            for loc in cells {
                order.reads(node, loc);
                if !fails {
                    order.writes(node, loc);
                }
            }
        }
        Instr::Lock(_) | Instr::Unlock(_) => {
            let node = order.new_event(t);
            cells.into_iter().for_each(|loc| order.writes(node, loc));
        }
        Instr::Spawn(..) => {
            let node = order.new_event(t);
            let child = state.threads.len() as u32;
            order.edge(node, (child, 0));
            order.events.push(0);
            order.open.push(None);
            order.pending.push(Vec::new());
        }
        Instr::Join(_, handle) => {
            let node = order.new_event(t);
            let child = eval(handle, thread).unwrap() as u32;
            let last = order.events[child as usize];
            order.edge((child, last), node);
        }
        Instr::AtomicBegin(_) if state.section.is_none() => {
            let node = order.new_event(t);
            order.open[t as usize] = Some(node.1);
        }
        Instr::AtomicEnd(_) if state.section.is_some_and(|s| s.depth == 1) => order.open[t as usize] = None,
        _ => {}
    }
}

/// Runs in which a thread has more are not followed.
const MOST_EVENTS: u32 = 9;

/// Whether the program is robust by definition; `None` if there are too many runs.
fn is_robust(program: &Program, limit: usize) -> Option<bool> {
    let machine = Machine::new(program).unwrap();
    let choices = machine.initial_choices();
    let mut seen = HashSet::new();
    let mut work = Vec::new();
    for init in fencepost_explore::initial_choices(&choices) {
        let state = machine.initial(&init);
        let n = state.threads.len();
        let order = Order {
            events: vec![0; n],
            open: vec![None; n],
            pending: vec![Vec::new(); n],
            ..Order::default()
        };
        work.push((state, order));
    }
    let mut steps = Vec::new();
    let mut cut = false;
    while let Some((state, order)) = work.pop() {
        if !seen.insert((state.clone(), order.clone())) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        // Loops continue forever.
        if order.events.iter().any(|n| *n > MOST_EVENTS) {
            cut = true;
            continue;
        }
        let settled = state.threads.iter().all(|t| t.buffer.is_empty()) && state.section.is_none();
        if settled && order.is_cyclic() {
            return Some(false);
        }
        steps.clear();
        machine.steps(&Tso, &state, &mut steps);
        for &step in &steps {
            let mut next = state.clone();
            if machine.apply(&Tso, &mut next, step).is_ok() {
                let mut order = order.clone();
                record(&machine, &state, step, &mut order);
                work.push((next, order));
            }
        }
    }
    (!cut).then_some(true)
}

/// Compares both, and checks that fences after the stores that are named make the program robust.
fn agree(program: &Program, text: &str, limit: usize) -> Option<(bool, Attacks)> {
    let robust = is_robust(program, limit)?;
    let found = attacks(program, &Budget::default());
    if found.incomplete.is_some() && found.found.is_empty() {
        return None;
    }
    assert_eq!(found.found.is_empty(), robust, "{text}\n{:?}", found.found);
    for attack in &found.found {
        check_witness(program, attack, text);
    }
    let fences = Fences { after: found.found.iter().map(|a| a.store).collect(), ..Fences::default() };
    let left = attacks_besides(program, &fences, Wanted::All, &Budget::default());
    assert!(left.found.is_empty(), "{text}\nleft: {:?}", left.found);
    Some((robust, found))
}

/// The run replays, shows the store and the load, and something in it happens before itself: by code that knows
/// nothing of attacks.
fn check_witness(program: &Program, attack: &Attack, text: &str) {
    let Witness { init, steps, store, load } = &attack.witness;
    let (replay, cycle) = match replay_cycle(program, init, steps) {
        Ok(checked) => checked,
        Err(rejection) => panic!("{text}\n{attack:?}\n{rejection}"),
    };
    assert_eq!(replay.steps[*store].step.thread, attack.thread);
    assert_eq!(replay.steps[*store].event.kind, EventKind::Store, "{text}\n{attack:?}");
    assert_eq!(replay.steps[*load].step.thread, attack.thread);
    assert!(cycle.iter().any(|(_, r)| *r == Relation::ProgramOrder), "{text}\n{attack:?}");
    assert!(cycle.iter().any(|(_, r)| *r == Relation::Conflict), "{text}\n{attack:?}");
}

#[test]
fn all_tiny_programs() {
    let mut count = [0, 0];
    let programs = Tiny::all(2).chain(Tiny::all(3).step_by(97));
    for tiny in programs {
        let (robust, _) =
            agree(&tiny.program(), &tiny.to_string(), usize::MAX).expect("tiny programs have few runs");
        count[usize::from(robust)] += 1;
    }
    assert!(count[0] > 20 && count[1] > 1000, "{count:?} not robust and robust");
}

#[test]
fn random_programs() {
    let seeds = effort::seeds(600);
    let mut count = [0, 0];
    for seed in 0..seeds {
        let sketch = random::program(
            seed,
            Config { statements: 3, threads: 2 + seed as usize % 2, storing_loops: false },
        );
        let text = sketch.to_string();
        let Ok(tree) = fencepost_models::fp::read("random.fp", &text) else { continue };
        let program = fencepost_passes::pipeline::lower(tree);
        if let Some((robust, _)) = agree(&program, &text, 4_000) {
            count[usize::from(robust)] += 1;
        }
    }
    println!("{count:?} not robust and robust");
    assert!(count[0] > seeds / 60 && count[1] > seeds / 10, "{count:?} not robust and robust");
}

/// A load may find a part of what it reads in the own buffer.
#[test]
fn programs_of_mixed_sizes() {
    let seeds = effort::seeds(120);
    let mut count = [0, 0];
    for seed in 0..seeds {
        let text = MixedSizes::new(seed).source(u32::MAX, u32::MAX);
        let tree = fencepost_c::read(&[("mixed.i", &text)], &fencepost_c::Options::default());
        let program =
            fencepost_passes::pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}", d[0].message)));
        if let Some((robust, _)) = agree(&program, &text, 20_000) {
            count[usize::from(robust)] += 1;
        }
    }
    println!("{count:?} not robust and robust");
    assert!(count[0] > seeds / 20 && count[1] > seeds / 20, "{count:?} not robust and robust");
}
