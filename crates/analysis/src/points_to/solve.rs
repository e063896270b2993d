//! The sets of an inclusion-based analysis and how they grow (Andersen's thesis, 1994, section 4).
//!
//! A node holds a set of targets. An edge says what becomes of a node's targets in another node; edges through memory make
//! further edges as targets are found. Each target goes over each edge once, so the work is the number of edges
//! times the size of the sets. It ends when nothing waits: sets only grow, and there are finitely many targets.

use super::geometry::{Byte, Shape, Step};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A set of targets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

/// An object, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ObjectNumber(pub u32);

/// What a pointer may lead to.
pub(super) type Target = (ObjectNumber, Byte);

/// The way from a pointer to a place: bytes, then steps of these sizes, as often as one likes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Path {
    pub offset: i64,
    pub strides: Vec<u64>,
}

/// A path of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathId(u32);

/// Where the targets of a node go.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    /// As they are.
    Copy(NodeId),
    /// Moved.
    Step(NodeId, Step),
    /// Along a path.
    Along(NodeId, PathId),
    /// What is held along the path, by that many bytes, goes to the node.
    Load(NodeId, PathId, u64),
    /// What the node holds goes to where the path leads.
    Store(NodeId, PathId, u64),
    /// They are lost: the node has this target instead.
    Lose(NodeId, Target),
    /// All that the object of a target holds goes to any byte of another object.
    Contents(ObjectNumber),
}

/// Lists longer than this are looked up in a table.
const SHORT: usize = 12;

#[derive(Default)]
struct Node {
    targets: Vec<Target>,
    /// The same, where there are many.
    known: HashSet<Target>,
    /// How many of them have gone over the edges.
    done: usize,
    edges: Vec<Edge>,
    waits: bool,
}

/// What an object's bytes hold.
#[derive(Default)]
struct Memory {
    /// For each byte that is accessed the node, and the size of the largest access.
    cells: BTreeMap<u64, (NodeId, u64)>,
    /// What was stored at any byte, and the union of all.
    any: Option<(NodeId, NodeId)>,
}

/// The sets.
pub(super) struct Solver<'p> {
    nodes: Vec<Node>,
    /// The shape of each object; `None` has no bytes.
    shapes: Vec<Option<Shape<'p>>>,
    memory: Vec<Memory>,
    paths: Vec<Path>,
    path_ids: HashMap<Path, PathId>,
    waiting: Vec<NodeId>,
    /// What goes where it is not followed.
    lost: NodeId,
}

impl<'p> Solver<'p> {
    pub fn new() -> Self {
        Solver {
            nodes: vec![Node::default()],
            shapes: Vec::new(),
            memory: Vec::new(),
            paths: Vec::new(),
            path_ids: HashMap::new(),
            waiting: Vec::new(),
            lost: NodeId(0),
        }
    }

    pub fn object(&mut self, shape: Option<Shape<'p>>) -> ObjectNumber {
        self.shapes.push(shape);
        self.memory.push(Memory::default());
        ObjectNumber(self.shapes.len() as u32 - 1)
    }

    pub fn node(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn path(&mut self, path: Path) -> PathId {
        let next = PathId(self.paths.len() as u32);
        let id = *self.path_ids.entry(path.clone()).or_insert(next);
        if id.0 == next.0 {
            self.paths.push(path);
        }
        id
    }

    /// The targets that a node holds.
    pub fn targets(&self, node: NodeId) -> &[Target] {
        &self.nodes[node.0 as usize].targets
    }

    /// What an object holds: for each of its nodes the targets.
    pub fn contents(&self, object: ObjectNumber) -> impl Iterator<Item = &[Target]> {
        let memory = &self.memory[object.0 as usize];
        let any = memory.any.map(|(any, _)| any);
        memory.cells.values().map(|(node, _)| *node).chain(any).map(|node| self.targets(node))
    }

    /// Whether the nodes of an object that are meant here are each of one of its words.
    pub fn holds_words_only(&self, object: ObjectNumber, is_meant: &dyn Fn(NodeId) -> bool) -> bool {
        let memory = &self.memory[object.0 as usize];
        if memory.any.is_some_and(|(any, _)| is_meant(any)) {
            return false;
        }
        let Some(shape) = self.shapes[object.0 as usize] else { return true };
        let mut meant = memory.cells.iter().filter(|(_, (node, _))| is_meant(*node)).peekable();
        if meant.peek().is_none() {
            return true;
        }
        let words = shape.words();
        meant.all(|(byte, _)| words.contains(byte))
    }

    pub fn put(&mut self, node: NodeId, target: Target) {
        let data = &mut self.nodes[node.0 as usize];
        let is_new = match data.targets.len() < SHORT {
            true => !data.targets.contains(&target),
            false => {
                if data.known.is_empty() {
                    data.known = data.targets.iter().copied().collect();
                }
                data.known.insert(target)
            }
        };
        if is_new {
            data.targets.push(target);
            if !std::mem::replace(&mut data.waits, true) {
                self.waiting.push(node);
            }
        }
    }

    pub fn edge(&mut self, from: NodeId, edge: Edge) {
        if let Edge::Copy(to) = edge
            && to == from
        {
            return;
        }
        self.nodes[from.0 as usize].edges.push(edge);
        for i in 0..self.nodes[from.0 as usize].done {
            let target = self.nodes[from.0 as usize].targets[i];
            self.go(target, edge);
        }
    }

    /// Lets all targets go where they can.
    pub fn solve(&mut self) {
        while let Some(id) = self.waiting.pop() {
            self.nodes[id.0 as usize].waits = false;
            loop {
                let node = &mut self.nodes[id.0 as usize];
                let Some(&target) = node.targets.get(node.done) else { break };
                node.done += 1;
                // An edge that is added now sees this target by itself.
                let edges = std::mem::take(&mut node.edges);
                for edge in &edges {
                    self.go(target, *edge);
                }
                let node = &mut self.nodes[id.0 as usize];
                let added = std::mem::replace(&mut node.edges, edges);
                node.edges.extend(added);
            }
        }
    }

    fn go(&mut self, target: Target, edge: Edge) {
        match edge {
            Edge::Copy(to) => self.put(to, target),
            Edge::Step(to, step) => {
                let mut moved = Vec::new();
                self.moved(target, step, &mut moved);
                moved.into_iter().for_each(|target| self.put(to, target));
            }
            Edge::Along(to, path) => {
                for target in self.along(target, path) {
                    self.put(to, target);
                }
            }
            // What a pointer that leads nowhere shows is not known, and what is stored through it is lost.
            Edge::Load(to, ..) if !self.has_bytes(target) => self.put(to, target),
            Edge::Store(from, ..) if !self.has_bytes(target) => self.edge(from, Edge::Copy(self.lost)),
            Edge::Load(to, path, size) => {
                for at in self.along(target, path) {
                    self.load(at, size, to);
                }
            }
            Edge::Store(from, path, size) => {
                for at in self.along(target, path) {
                    self.store(from, at, size);
                }
            }
            Edge::Lose(to, instead) => {
                self.put(to, instead);
                self.put(self.lost, target);
            }
            Edge::Contents(to) => {
                if self.has_bytes(target) {
                    let (_, all) = self.any(target.0);
                    let (any, _) = self.any(to);
                    self.edge(all, Edge::Copy(any));
                }
            }
        }
    }

    fn has_bytes(&self, (object, _): Target) -> bool {
        self.shapes[object.0 as usize].is_some()
    }

    /// What goes where it is not followed.
    pub fn lost(&self) -> &[Target] {
        self.targets(self.lost)
    }

    /// The byte that stands for one of an object.
    pub fn located(&self, object: ObjectNumber, byte: i64) -> Option<Byte> {
        self.shapes[object.0 as usize].map(|shape| Byte::At(shape.located(byte)))
    }

    fn moved(&self, (object, byte): Target, step: Step, to: &mut Vec<Target>) {
        let Some(shape) = self.shapes[object.0 as usize] else { return to.push((object, byte)) };
        let mut bytes = Vec::new();
        shape.moved(byte, step, &mut bytes);
        to.extend(bytes.into_iter().map(|byte| (object, byte)));
    }

    /// Where a path leads from a target.
    pub fn along(&self, (object, byte): Target, path: PathId) -> Vec<Target> {
        let path = &self.paths[path.0 as usize];
        let Some(shape) = self.shapes[object.0 as usize] else { return Vec::new() };
        let byte = match byte {
            Byte::At(byte) => Byte::At(shape.located((byte as i64).wrapping_add(path.offset))),
            Byte::Any => Byte::Any,
        };
        let mut targets = vec![(object, byte)];
        for stride in &path.strides {
            let mut moved = Vec::new();
            for target in targets {
                self.moved(target, Step::Stride(*stride), &mut moved);
            }
            moved.sort_unstable();
            moved.dedup();
            targets = moved;
        }
        targets
    }

    /// Lets a node have what is held by that many bytes of an object.
    pub fn load(&mut self, at: Target, size: u64, to: NodeId) {
        let from = match self.cell(at, size) {
            Some(node) => node,
            None => self.any(at.0).1,
        };
        self.edge(from, Edge::Copy(to));
    }

    /// Lets an object's bytes hold what a node does.
    pub fn store(&mut self, from: NodeId, at: Target, size: u64) {
        let to = match self.cell(at, size) {
            Some(node) => node,
            None => self.any(at.0).0,
        };
        self.edge(from, Edge::Copy(to));
    }

    /// The node of bytes of an object, where they can be told.
    pub fn cell(&mut self, (object, byte): Target, size: u64) -> Option<NodeId> {
        let (Byte::At(byte), Some(shape)) = (byte, self.shapes[object.0 as usize]) else { return None };
        if !shape.fits_elements(byte, size) {
            return None;
        }
        let byte = shape.kept(byte);
        let known = self.memory[object.0 as usize].cells.get(&byte).copied();
        let node = match known {
            Some((node, largest)) if largest >= size => return Some(node),
            Some((node, _)) => node,
            None => {
                let node = self.node();
                let (any, all) = self.any(object);
                self.edge(any, Edge::Copy(node));
                self.edge(node, Edge::Copy(all));
                node
            }
        };
        self.memory[object.0 as usize].cells.insert(byte, (node, size));
        self.overlap(object, byte, size, node);
        Some(node)
    }

    /// What overlaps holds the same.
    fn overlap(&mut self, object: ObjectNumber, byte: u64, size: u64, node: NodeId) {
        let cells = &self.memory[object.0 as usize].cells;
        // No scalar has more than sixteen bytes.
        let others: Vec<NodeId> = cells
            .range(byte.saturating_sub(16)..byte + size)
            .filter(|(start, (other, largest))| *other != node && **start + largest > byte)
            .map(|(_, (other, _))| *other)
            .collect();
        for other in others {
            self.edge(node, Edge::Copy(other));
            self.edge(other, Edge::Copy(node));
        }
    }

    /// The nodes of an object for what is stored at any byte, and for all that it holds.
    pub fn any(&mut self, object: ObjectNumber) -> (NodeId, NodeId) {
        if let Some(both) = self.memory[object.0 as usize].any {
            return both;
        }
        let (any, all) = (self.node(), self.node());
        self.memory[object.0 as usize].any = Some((any, all));
        self.edge(any, Edge::Copy(all));
        (any, all)
    }
}
