//! The code of one thread without loops and calls: what it can do within a bound on repetitions.
//!
//! Calls are inlined; every loop goes back to its head at most `unwind` times each time it is entered,
//! and a procedure calls itself at most so often. What would go further leads to [`Place::Cut`]. The last
//! copy of a loop is kept only where it leads out of the loop: with `unwind` 2, `while (c) { b }` is
//! `if (c) { b; if (c) { b; if (c) cut } }`. Copies that leave a loop after different numbers of
//! repetitions meet after it, so the size is linear in the bound for each level of nesting.
//!
//! Places are in topological order, and each edge is taken at most once in a run.

use super::Loops;
use fencepost_ir::cfg::{Edge, EdgeId, Instr, NodeId, ProcId, Program};
use fencepost_task::{Budget, Pace, Stop};
use rustc_hash::FxHashMap;

/// More places than this are too many.
const MAX_PLACES: usize = 400_000;

/// A procedure that is entered somewhere in a thread.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The procedure.
    pub procedure: ProcId,
    /// First register of the frame in the thread's stack of registers.
    pub base: usize,
    /// The frame it is called from, and the calling edge.
    pub caller: Option<(usize, EdgeId)>,
    /// Where the caller continues.
    return_to: usize,
}

/// What a place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A node of the graph.
    At {
        /// The frame it is in.
        frame: usize,
        /// The node.
        node: NodeId,
    },
    /// The thread has ended.
    End,
    /// Farther than the bound goes.
    Cut,
}

/// A step between places.
#[derive(Clone, Copy, Debug)]
pub struct Step<'p> {
    /// From there.
    pub from: usize,
    /// To there.
    pub to: usize,
    /// The frame that executes it.
    pub frame: usize,
    /// For a call, the frame that is entered.
    pub enters: Option<usize>,
    /// Its number in the procedure.
    pub id: EdgeId,
    /// The edge.
    pub edge: &'p Edge,
}

/// An unrolled thread.
pub struct Unrolled<'p> {
    /// The frames, the outermost first.
    pub frames: Vec<Frame>,
    /// Places, in topological order; the first is the entry.
    pub places: Vec<Place>,
    /// Steps, sorted by where they start.
    pub steps: Vec<Step<'p>>,
    /// For each place its first step, and the number of steps at the end.
    first: Vec<usize>,
}

impl<'p> Unrolled<'p> {
    /// No code.
    pub fn empty() -> Unrolled<'p> {
        Unrolled { frames: Vec::new(), places: Vec::new(), steps: Vec::new(), first: vec![0] }
    }

    /// The steps that leave a place.
    pub fn out(&self, place: usize) -> std::ops::Range<usize> {
        self.first[place]..self.first[place + 1]
    }
}

/// The loops of all procedures, found once.
pub fn all_loops(program: &Program, budget: &Budget) -> Result<Vec<Loops>, Stop> {
    let mut pace = Pace::new(budget);
    program.procedures.iter().map(|procedure| Loops::new(procedure, &mut pace)).collect()
}

type Key = (usize, NodeId, Vec<u32>);

struct Builder<'p> {
    program: &'p Program,
    loops: &'p [Loops],
    unwind: u32,
    frames: Vec<Frame>,
    places: Vec<Place>,
    counters: Vec<Vec<u32>>,
    known: FxHashMap<Key, usize>,
    steps: Vec<Step<'p>>,
}

/// The code of a thread that starts with a procedure; `None` if it is too large.
pub fn unroll<'p>(
    program: &'p Program,
    loops: &'p [Loops],
    procedure: ProcId,
    unwind: u32,
    pace: &mut Pace,
) -> Result<Option<Unrolled<'p>>, Stop> {
    let mut builder = Builder {
        program,
        loops,
        unwind,
        frames: Vec::new(),
        places: vec![Place::End, Place::Cut],
        counters: vec![Vec::new(), Vec::new()],
        known: FxHashMap::default(),
        steps: Vec::new(),
    };
    builder.frames.push(Frame {
        procedure,
        base: program.thread_registers.len(),
        caller: None,
        return_to: END,
    });
    let entry = builder.entry(0);
    let mut next = entry;
    let mut bytes = 0;
    while next < builder.places.len() {
        builder.leave(next);
        // Two tables have the counters of a place.
        let depth = builder.counters[next].len() as u64;
        bytes += 100 + 8 * depth;
        next += 1;
        pace.work(1 + depth / 64, || bytes)?;
        if builder.places.len() > MAX_PLACES {
            return Ok(None);
        }
    }
    Ok(Some(builder.finish(entry)))
}

const END: usize = 0;
const CUT: usize = 1;

impl<'p> Builder<'p> {
    fn entry(&mut self, frame: usize) -> usize {
        let procedure = self.frames[frame].procedure;
        let node = self.program.procedure(procedure).entry();
        let zeros = vec![0; self.loops[procedure.index()].around(node).len()];
        self.place((frame, node, zeros))
    }

    fn place(&mut self, key: Key) -> usize {
        if let Some(&place) = self.known.get(&key) {
            return place;
        }
        let place = self.places.len();
        self.places.push(Place::At { frame: key.0, node: key.1 });
        self.counters.push(key.2.clone());
        self.known.insert(key, place);
        place
    }

    /// The place that an edge of a frame leads to.
    fn follow(&mut self, from: usize, frame: usize, edge: &Edge) -> usize {
        let loops = &self.loops[self.frames[frame].procedure.index()];
        let (before, after) = (loops.around(edge.from), loops.around(edge.to));
        let mut counters = vec![0; after.len()];
        for (i, head) in after.iter().enumerate() {
            if before.get(i) != Some(head) {
                break;
            }
            counters[i] = self.counters[from][i] + u32::from(*head == edge.to);
            if counters[i] > self.unwind {
                return CUT;
            }
        }
        self.place((frame, edge.to, counters))
    }

    fn leave(&mut self, from: usize) {
        let Place::At { frame, node } = self.places[from] else { return };
        let procedure: &'p _ = self.program.procedure(self.frames[frame].procedure);
        for (id, edge) in procedure.out(node) {
            let mut enters = None;
            let to = match &edge.instr {
                Instr::Return(_) => self.frames[frame].return_to,
                Instr::Exit(_) | Instr::Halt => END,
                Instr::Call(_, callee, _) => match self.follow(from, frame, edge) {
                    CUT => CUT,
                    _ if self.depth(frame, *callee) > self.unwind => CUT,
                    return_to => {
                        let base = self.frames[frame].base + procedure.registers.len();
                        let caller = Some((frame, id));
                        self.frames.push(Frame { procedure: *callee, base, caller, return_to });
                        enters = Some(self.frames.len() - 1);
                        self.entry(self.frames.len() - 1)
                    }
                },
                _ => self.follow(from, frame, edge),
            };
            self.steps.push(Step { from, to, frame, enters, id, edge });
        }
    }

    /// How often a procedure is entered in a frame and its callers.
    fn depth(&self, mut frame: usize, procedure: ProcId) -> u32 {
        let mut depth = 0;
        loop {
            depth += u32::from(self.frames[frame].procedure == procedure);
            match self.frames[frame].caller {
                Some((caller, _)) => frame = caller,
                None => return depth,
            }
        }
    }

    /// Whether a place is in the last copy of a loop.
    fn is_last(&self, place: usize) -> bool {
        let Place::At { mut frame, .. } = self.places[place] else { return false };
        let mut at = place;
        loop {
            if self.counters[at].contains(&self.unwind) {
                return true;
            }
            match self.frames[frame].caller {
                Some((caller, _)) => {
                    at = self.frames[frame].return_to;
                    frame = caller;
                }
                None => return false,
            }
        }
    }

    fn finish(mut self, entry: usize) -> Unrolled<'p> {
        let order = self.topological(entry);
        // What of the last copies leads out.
        let mut leads_on = vec![false; self.places.len()];
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        self.steps.iter().enumerate().for_each(|(i, s)| out[s.from].push(i));
        for &place in order.iter().rev() {
            let goes_on = |s: &usize| self.steps[*s].to != CUT && leads_on[self.steps[*s].to];
            leads_on[place] = place != CUT && (!self.is_last(place) || out[place].iter().any(goes_on));
        }
        leads_on[entry] = true;
        for step in &mut self.steps {
            if !leads_on[step.to] {
                step.to = CUT;
                step.enters = None;
            }
        }
        let order: Vec<_> = self.topological(entry);
        let mut number = vec![usize::MAX; self.places.len()];
        order.iter().enumerate().for_each(|(i, place)| number[*place] = i);
        let places: Vec<_> = order.iter().map(|place| self.places[*place]).collect();
        let kept = self.steps.into_iter().filter(|s| number[s.from] != usize::MAX);
        let mut steps: Vec<_> = kept.map(|s| Step { from: number[s.from], to: number[s.to], ..s }).collect();
        steps.sort_by_key(|s| s.from);
        let mut first = vec![0; places.len() + 1];
        steps.iter().for_each(|s| first[s.from + 1] += 1);
        (1..first.len()).for_each(|i| first[i] += first[i - 1]);
        Unrolled { frames: self.frames, places, steps, first }
    }

    /// Places that are reached, each before those after it.
    fn topological(&self, entry: usize) -> Vec<usize> {
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        self.steps.iter().for_each(|s| out[s.from].push(s.to));
        let mut seen = vec![false; self.places.len()];
        let mut order = Vec::new();
        let mut stack = vec![(entry, 0)];
        seen[entry] = true;
        while let Some((place, position)) = stack.last_mut() {
            // The first alternative comes first in the order, so it is visited last.
            let targets = &out[*place];
            if *position < targets.len() {
                let to = targets[targets.len() - 1 - *position];
                *position += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            } else {
                order.push(*place);
                stack.pop();
            }
        }
        order.reverse();
        order
    }
}
