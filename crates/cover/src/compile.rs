//! The graph of a thread's places to its automaton: silent steps are dropped, then states that behave
//! alike are merged.
//!
//! A silent step into a place without a mark can be taken with the next one that is not silent, so
//! each place gets the operations of all places that it comes to silently. Places with marks stay,
//! and silent steps into them. Merging is by partition refinement on marks and operations: strong
//! bisimulation, which keeps everything that can be reached.

use crate::automaton::{Automaton, Mark, Op, Transition};
use crate::local::LocalGraph;
use fencepost_task::{Budget, Pace, Reason, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

/// An automaton, and the state that each place of the thread became, if it was not dropped.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The automaton.
    pub automaton: Automaton,
    /// For each place.
    pub state_of: Vec<Option<u32>>,
}

/// Compiles a graph whose places have these marks.
pub fn compile(graph: &LocalGraph, marks: &[Vec<Mark>], budget: &Budget) -> Result<Compiled, Reason> {
    let mut out: Vec<Vec<(Op, u32)>> = vec![Vec::new(); graph.places.len()];
    for step in &graph.steps {
        out[step.from as usize].push((step.op.clone(), step.to));
    }
    // What is left is reached from the beginning by operations and steps into marked places.
    let mut steps: FxHashMap<u32, Vec<(Op, u32)>> = FxHashMap::default();
    let mut work = vec![0u32];
    let mut pace = Pace::new(budget);
    while let Some(place) = work.pop() {
        if steps.contains_key(&place) {
            continue;
        }
        let (mut direct, passed) = loud_steps(&out, marks, place);
        direct.sort();
        direct.dedup();
        work.extend(direct.iter().map(|(_, to)| *to));
        pace.work((passed + direct.len()) as u64, || 0)?;
        steps.insert(place, direct);
    }
    let mut places: Vec<u32> = steps.keys().copied().collect();
    places.sort_unstable();
    let class = classes(&places, &steps, marks, &mut pace)?;
    // The initial state is number 0.
    let first = class[&0];
    let number = |place: &u32| match class[place] {
        c if c == first => 0,
        c if c < first => c + 1,
        c => c,
    };
    let count = class.values().max().map_or(0, |c| c + 1) as usize;
    let mut state_marks: Vec<Vec<Mark>> = vec![Vec::new(); count];
    let mut transitions = Vec::new();
    for place in &places {
        let from = number(place);
        state_marks[from as usize].clone_from(&marks[*place as usize]);
        transitions.extend(steps[place].iter().map(|(op, to)| Transition {
            from,
            op: op.clone(),
            to: number(to),
        }));
    }
    let mut state_of = vec![None; graph.places.len()];
    for place in &places {
        state_of[*place as usize] = Some(number(place));
    }
    let automaton = Automaton::new(state_marks, transitions, &mut pace)?;
    Ok(Compiled { automaton, state_of })
}

/// What a place can do after silent steps, and the marked places it comes to silently; and how many places it passes.
fn loud_steps(out: &[Vec<(Op, u32)>], marks: &[Vec<Mark>], place: u32) -> (Vec<(Op, u32)>, usize) {
    let mut found = Vec::new();
    let mut seen = FxHashSet::from_iter([place]);
    let mut work = vec![place];
    while let Some(here) = work.pop() {
        for (op, to) in &out[here as usize] {
            match op {
                Op::Nop if !marks[*to as usize].is_empty() => {
                    if *to != place {
                        found.push((Op::Nop, *to));
                    }
                }
                Op::Nop => {
                    if seen.insert(*to) {
                        work.push(*to);
                    }
                }
                Op::Read(..) | Op::Write(..) | Op::Fence | Op::Atomic(..) => found.push((op.clone(), *to)),
            }
        }
    }
    (found, seen.len())
}

/// A place's class, and its steps with the classes they lead to.
type Signature<'a> = (u32, Vec<(&'a Op, u32)>);

/// The coarsest partition in which alike places have alike steps; classes are numbered in the order
/// of their first places.
fn classes(
    places: &[u32],
    steps: &FxHashMap<u32, Vec<(Op, u32)>>,
    marks: &[Vec<Mark>],
    pace: &mut Pace,
) -> Result<FxHashMap<u32, u32>, Stop> {
    let mut class: FxHashMap<u32, u32> = FxHashMap::default();
    let mut kinds: FxHashMap<&[Mark], u32> = FxHashMap::default();
    for place in places {
        let next = kinds.len() as u32;
        class.insert(*place, *kinds.entry(&marks[*place as usize]).or_insert(next));
    }
    let mut count = kinds.len();
    loop {
        let mut signatures: FxHashMap<Signature<'_>, u32> = FxHashMap::default();
        let mut refined = FxHashMap::default();
        for place in places {
            pace.work(1 + steps[place].len() as u64, || 0)?;
            let mut signature: Vec<(&Op, u32)> =
                steps[place].iter().map(|(op, to)| (op, class[to])).collect();
            signature.sort();
            signature.dedup();
            let next = signatures.len() as u32;
            refined.insert(*place, *signatures.entry((class[place], signature)).or_insert(next));
        }
        let refined_count = signatures.len();
        drop(signatures);
        class = refined;
        if refined_count == count {
            return Ok(class);
        }
        count = refined_count;
    }
}
