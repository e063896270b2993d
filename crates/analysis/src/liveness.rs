//! Which registers of a frame can still be read, by backward data flow.
//!
//! A register that is dead at a node can be set to zero there without changing what follows.
//! Registers that final conditions observe are always live; the threads' own registers are not
//! looked at, since any procedure may read them.
//!
//! A set of live slots is a list of ranges, and nodes between which nothing changes share one: a long
//! procedure with many locals, few of them live at a time, costs little more than its text. Nodes wait in a
//! queue until a set after them has grown, those nearest to the end first.

use fencepost_ir::cfg::{
    Dest, Edge, Expr, Instr, NodeId, Observable, ProcId, Procedure, Program, Property, Reg,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Live slots for each procedure and node.
pub struct Liveness {
    procedures: Vec<ProcedureLiveness>,
}

impl Liveness {
    /// Analyses a program.
    pub fn new(program: &Program) -> Liveness {
        let observed = observed_slots(program);
        let analyse = |(i, procedure)| {
            let always = observed.get(&ProcId(i as u32)).cloned().unwrap_or_default();
            ProcedureLiveness::with_observed(procedure, always)
        };
        Liveness { procedures: program.procedures.iter().enumerate().map(analyse).collect() }
    }

    /// Whether a slot of the procedure's frame is live when control is at the node.
    pub fn is_live(&self, procedure: ProcId, node: NodeId, slot: u32) -> bool {
        self.procedures[procedure.index()].is_live(node, slot)
    }

    /// The slots of the procedure's frame that are live when control is at the node, in order.
    pub fn live(&self, procedure: ProcId, node: NodeId) -> &LiveSlots {
        &self.procedures[procedure.index()].live[node.index()]
    }
}

/// Live slots of one frame: ranges in order, none empty, no two that touch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LiveSlots(Arc<[Range<u32>]>);

impl LiveSlots {
    fn new(mut ranges: Vec<Range<u32>>) -> LiveSlots {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        LiveSlots(joined.into())
    }

    /// Whether a slot is among them.
    pub fn contains(&self, slot: u32) -> bool {
        let position = self.0.partition_point(|range| range.end <= slot);
        self.0.get(position).is_some_and(|range| range.start <= slot)
    }

    /// Every slot, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().cloned().flatten()
    }

    /// The slots among the first `slots` that are not live, in order.
    pub fn dead(&self, slots: u32) -> impl Iterator<Item = u32> {
        let starts = std::iter::once(0).chain(self.0.iter().map(|range| range.end));
        let ends = self.0.iter().map(|range| range.start).chain([slots]);
        starts.zip(ends).flat_map(|(start, end)| start..end)
    }

    /// Appends the ranges without one slot.
    fn extend_without(&self, slot: Option<u32>, ranges: &mut Vec<Range<u32>>) {
        for range in self.0.iter().cloned() {
            match slot {
                Some(slot) if range.contains(&slot) => {
                    ranges.extend([range.start..slot, slot + 1..range.end])
                }
                _ => ranges.push(range),
            }
        }
    }
}

/// Live slots for each node of one procedure.
struct ProcedureLiveness {
    live: Vec<LiveSlots>,
    /// How often a node was looked at.
    #[cfg(test)]
    visits: usize,
}

impl ProcedureLiveness {
    fn is_live(&self, node: NodeId, slot: u32) -> bool {
        self.live[node.index()].contains(slot)
    }

    fn with_observed(procedure: &Procedure, always: Vec<Range<u32>>) -> ProcedureLiveness {
        let nodes = procedure.nodes as usize;
        let always = LiveSlots::new(always);
        let mut live = vec![always.clone(); nodes];
        // The element that a call's result goes to is found when the call returns, after the edge.
        let mut returned: HashMap<NodeId, Vec<Range<u32>>> = HashMap::new();
        for edge in procedure.edges() {
            if let Instr::Call(Some(Dest::At { index, .. }), ..) = &edge.instr {
                read_expr(index, returned.entry(edge.to).or_default());
            }
        }
        for (node, ranges) in &returned {
            let all = ranges.iter().chain(always.0.iter()).cloned();
            live[node.index()] = LiveSlots::new(all.collect());
        }
        let sources = Sources::new(procedure);
        let order = from_the_end(procedure);
        let mut rank = vec![0; nodes];
        for (i, node) in order.iter().enumerate() {
            rank[node.index()] = i;
        }
        let mut waits = vec![true; nodes];
        let mut queue: BinaryHeap<_> = (0..nodes).map(Reverse).collect();
        let mut visits = 0;
        while let Some(Reverse(next)) = queue.pop() {
            visits += 1;
            let node = order[next];
            waits[node.index()] = false;
            let fixed = returned.get(&node).map_or(&[][..], |ranges| ranges);
            let now = before(procedure, node, &live, fixed, &always);
            if now == live[node.index()] {
                continue;
            }
            live[node.index()] = now;
            for source in sources.of(node) {
                if !std::mem::replace(&mut waits[source.index()], true) {
                    queue.push(Reverse(rank[source.index()]));
                }
            }
        }
        let _ = visits;
        ProcedureLiveness {
            live,
            #[cfg(test)]
            visits,
        }
    }
}

/// What is live at a node, by what is live after its edges.
fn before(
    procedure: &Procedure,
    node: NodeId,
    live: &[LiveSlots],
    fixed: &[Range<u32>],
    always: &LiveSlots,
) -> LiveSlots {
    let mut read = Vec::new();
    let mut out = procedure.out(node).map(|(_, edge)| edge);
    if let (Some(only), None) = (out.next(), out.next())
        && fixed.is_empty()
    {
        only.instr.expressions(&mut |e| read_expr(e, &mut read));
        let behind = &live[only.to.index()];
        let written = written_slot(only);
        let known = read.iter().all(|range| range.len() == 1 && behind.contains(range.start));
        // What is always live need not be added: it is live after the edge, unless the edge writes it.
        if known && written.is_none_or(|slot| !behind.contains(slot)) {
            return behind.clone();
        }
        read.clear();
    }
    for (_, edge) in procedure.out(node) {
        edge.instr.expressions(&mut |e| read_expr(e, &mut read));
        live[edge.to.index()].extend_without(written_slot(edge), &mut read);
    }
    read.extend(fixed.iter().chain(always.0.iter()).cloned());
    LiveSlots::new(read)
}

/// The slot whose value an edge replaces.
fn written_slot(edge: &Edge) -> Option<u32> {
    match edge.instr.dest() {
        Some(Dest::Reg(Reg::Local(slot))) => Some(*slot),
        _ => None,
    }
}

/// The nodes that edges into a node come from.
struct Sources {
    first: Vec<usize>,
    nodes: Vec<NodeId>,
}

impl Sources {
    fn new(procedure: &Procedure) -> Sources {
        let mut first = vec![0; procedure.nodes as usize + 1];
        for edge in procedure.edges() {
            first[edge.to.index() + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut nodes = vec![NodeId(0); procedure.edges().len()];
        for edge in procedure.edges() {
            nodes[next[edge.to.index()]] = edge.from;
            next[edge.to.index()] += 1;
        }
        Sources { first, nodes }
    }

    fn of(&self, node: NodeId) -> &[NodeId] {
        &self.nodes[self.first[node.index()]..self.first[node.index() + 1]]
    }
}

/// All nodes, each after those after it, but for loops.
fn from_the_end(procedure: &Procedure) -> Vec<NodeId> {
    let mut order = Vec::with_capacity(procedure.nodes as usize);
    let mut seen = vec![false; procedure.nodes as usize];
    let mut path = Vec::new();
    for root in (0..procedure.nodes).map(NodeId) {
        if !std::mem::replace(&mut seen[root.index()], true) {
            path.push((root, procedure.out(root)));
        }
        while let Some((node, out)) = path.last_mut() {
            match out.next().map(|(_, edge)| edge.to) {
                Some(next) if !std::mem::replace(&mut seen[next.index()], true) => {
                    path.push((next, procedure.out(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

/// The slots that final conditions look at, for each procedure.
fn observed_slots(program: &Program) -> HashMap<ProcId, Vec<Range<u32>>> {
    let mut observed_slots: HashMap<ProcId, Vec<Range<u32>>> = HashMap::new();
    let mut seen = HashSet::new();
    for property in &program.properties {
        let Property::Final { observed, .. } = property else { continue };
        for observable in observed {
            if let Observable::Register(start, Reg::Local(slot)) = observable {
                let procedure = program.threads[start.index()].procedure;
                if seen.insert((procedure, *slot)) {
                    observed_slots.entry(procedure).or_default().push(*slot..*slot + 1);
                }
            }
        }
    }
    observed_slots
}

fn read_expr(e: &Expr, ranges: &mut Vec<Range<u32>>) {
    let mut mark = |base: Reg, len: u32| {
        if let Reg::Local(slot) = base {
            ranges.push(slot..slot + len);
        }
    };
    e.visit(&mut |e| match e {
        Expr::Reg(reg) => mark(*reg, 1),
        Expr::At { base, len, .. } => mark(*base, *len),
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::Scalar;
    use fencepost_ir::Span;
    use fencepost_ir::cfg::{ProcedureParts, Register};

    /// `nodes` steps, each of which writes a register of its own and reads the one before.
    fn chain(steps: u32) -> Procedure {
        let reg = Reg::Local;
        let instr = |i: u32| Instr::Assign(Dest::Reg(reg(i + 1)), Expr::Reg(reg(i)));
        let edge = |i| Edge {
            from: NodeId(i),
            to: NodeId(i + 1),
            instr: instr(i),
            span: Span::NONE,
            access: fencepost_ir::Access::Plain,
        };
        let register = |i| Register { name: format!("r{i}"), ty: Scalar::Bool, init: 0 };
        Procedure::new(ProcedureParts {
            name: "chain".into(),
            registers: (0..=steps).map(register).collect(),
            params: 0,
            result: None,
            nodes: steps + 1,
            edges: (0..steps).map(edge).collect(),
            labels: Vec::new(),
            span: Span::NONE,
        })
    }

    #[test]
    fn a_chain_is_looked_at_once() {
        let procedure = chain(50_000);
        let liveness = ProcedureLiveness::with_observed(&procedure, Vec::new());
        assert_eq!(liveness.visits, 50_001);
        let kept: usize = liveness.live.iter().map(|slots| slots.0.len()).sum();
        assert_eq!(kept, 50_000, "one register is live at each node but the last");
        assert!(liveness.is_live(NodeId(7), 7) && !liveness.is_live(NodeId(7), 8));
    }

    #[test]
    fn ranges_are_joined_and_have_gaps() {
        let slots = LiveSlots::new(vec![7..8, 1..3, 3..4, 2..3]);
        assert_eq!(slots.iter().collect::<Vec<_>>(), [1, 2, 3, 7]);
        assert_eq!(slots.dead(9).collect::<Vec<_>>(), [0, 4, 5, 6, 8]);
        let mut without = Vec::new();
        slots.extend_without(Some(2), &mut without);
        assert_eq!(LiveSlots::new(without).iter().collect::<Vec<_>>(), [1, 3, 7]);
    }
}
