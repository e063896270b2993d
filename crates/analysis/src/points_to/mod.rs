//! Which objects pointers may lead to, and where in them.
//!
//! Inclusion-based, without regard to the order of statements, and to calling contexts only where functions are small
//! (`contexts.rs`): every statement says which sets are in which others (`constraints.rs`), and the sets grow until nothing changes (`solve.rs`). Bytes of objects are told apart as
//! `geometry.rs` says. Numbers are followed as well, since pointers become numbers and come back; so are parts of
//! pointers.
//!
//! Every object that a run comes to is found. Every byte is, in programs whose pointers stay in the arrays that they lead
//! into. Two things are not followed: pointers that come from multiplication, division or a remainder, and those that are
//! made of nothing (a number that happens to be an address, the value of a variable that was never set). Where the first
//! begin is known ([`PointsTo::lost`]), and where they and the chosen ones among the second are used is, too
//! ([`PointsTo::with_unknown`]).

mod constraints;
mod contexts;
mod expression;
mod geometry;
mod opaque;
mod sites;
mod solve;

pub use geometry::Byte;
pub use sites::Sites;

use constraints::{Constraints, Stand};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};
use solve::{NodeId, ObjectNumber, PathId, Solver};
use std::collections::BTreeSet;

/// What a pointer leads into, or what holds one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A variable, with the procedure that a local one is of.
    Variable(Option<ProcedureId>, VarRef),
    /// An allocation, by its number among those of a procedure in the order of a visit.
    Site(ProcedureId, usize),
    /// What a procedure gives back.
    Result(ProcedureId),
    /// What threads end with.
    Threads,
    /// No object: a value that is not followed. It goes where pointers go.
    Unfollowed,
    /// No object that is known: a pointer that comes from a product, a quotient or a remainder of others.
    Unknown,
}

/// An object and a byte in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The object.
    pub object: Object,
    /// The byte.
    pub byte: Byte,
}

/// An access through a pointer.
#[derive(Clone, Debug)]
pub struct PointedAccess<'p> {
    /// The place that is accessed: a node of the program, known by where it lies there ([`std::ptr::eq`]).
    pub place: &'p Place,
    /// What is read or written.
    pub seen: Scalar,
    /// What it may be to, in order.
    pub targets: Vec<Target>,
}

/// Values that are not followed, and that nothing may depend on.
pub struct Unfollowed<'a> {
    /// Which constants stand for one.
    pub is_one: &'a dyn Fn(&Expr) -> bool,
    /// Variables of the program that begin with some, and at which bytes.
    pub cells: &'a [(VarRef, u64)],
}

/// Where pointers lead in a program.
pub struct PointsTo<'p> {
    solver: Solver<'p>,
    objects: Vec<Object>,
    results: Vec<(Object, NodeId)>,
    notes: Notes<'p>,
}

/// What is noted of the statements.
#[derive(Default)]
struct Notes<'p> {
    accesses: Vec<AccessNode<'p>>,
    /// Pointers that become integers.
    numbers: Vec<NodeId>,
    /// Values that something is computed from or depends on.
    uses: Vec<(NodeId, Span)>,
    /// Pointers that a reallocation takes and gives.
    resized: Vec<NodeId>,
    /// What new threads are given.
    handed: Vec<NodeId>,
    telling: opaque::Telling,
}

struct AccessNode<'p> {
    place: &'p Place,
    seen: Scalar,
    pointer: NodeId,
    path: PathId,
}

impl<'p> PointsTo<'p> {
    /// Analyses a program.
    pub fn new(program: &'p Program) -> PointsTo<'p> {
        Constraints::new(program, Stand::No).solved()
    }

    /// Analyses a program, and where values go that are not followed.
    pub fn with_unfollowed(program: &'p Program, values: &'p Unfollowed<'p>) -> PointsTo<'p> {
        Constraints::new(program, Stand::Unfollowed(values)).solved()
    }

    /// Analyses a program, and where values go that may be pointers though nothing is known of them.
    pub fn with_unknown(program: &'p Program) -> PointsTo<'p> {
        Constraints::new(program, Stand::Unknown).solved()
    }

    fn target(&self, (object, byte): solve::Target) -> Target {
        Target { object: self.object(object), byte }
    }

    fn object(&self, number: ObjectNumber) -> Object {
        self.objects[number.0 as usize]
    }

    /// The accesses through pointers, in the order of the text.
    pub fn accesses(&self) -> impl Iterator<Item = PointedAccess<'p>> {
        self.notes.accesses.iter().map(|a| {
            let pointers = self.solver.targets(a.pointer).iter();
            let places = pointers.flat_map(|target| self.solver.along(*target, a.path));
            let targets: BTreeSet<Target> = places.map(|target| self.target(target)).collect();
            PointedAccess { place: a.place, seen: a.seen, targets: targets.into_iter().collect() }
        })
    }

    /// Whether one of these targets is a byte of an object.
    pub fn contains(&self, targets: &[Target], object: Object, byte: u64) -> bool {
        let number = self.objects.iter().position(|o| *o == object);
        let at = number.and_then(|number| self.solver.located(ObjectNumber(number as u32), byte as i64));
        targets.iter().any(|t| t.object == object && (t.byte == Byte::Any || Some(t.byte) == at))
    }

    /// What holds a pointer, and the object that it leads to.
    pub fn held(&self) -> BTreeSet<(Object, Object)> {
        let numbers = (0..self.objects.len() as u32).map(ObjectNumber);
        let in_memory = numbers.flat_map(|number| {
            let holder = self.object(number);
            self.solver.contents(number).flatten().map(move |(object, _)| (holder, *object))
        });
        let results = self.results.iter().flat_map(|(holder, node)| {
            self.solver.targets(*node).iter().map(|(object, _)| (*holder, *object))
        });
        in_memory.chain(results).map(|(holder, object)| (holder, self.object(object))).collect()
    }

    /// The objects that new threads are given pointers to.
    pub fn handed(&self) -> BTreeSet<Object> {
        let targets = self.notes.handed.iter().flat_map(|node| self.solver.targets(*node));
        targets.map(|(object, _)| self.object(*object)).collect()
    }

    /// The objects whose pointers go where they are not followed.
    pub fn lost(&self) -> BTreeSet<Object> {
        self.solver.lost().iter().map(|(object, _)| self.object(*object)).collect()
    }

    /// The objects that are made or taken by a reallocation.
    pub fn resized(&self) -> BTreeSet<Object> {
        let targets = self.notes.resized.iter().flat_map(|node| self.solver.targets(*node));
        targets.map(|(object, _)| self.object(*object)).collect()
    }

    /// Whether the address of an allocated object or of a local variable becomes an integer. Where none does, objects may be
    /// numbered as one likes.
    pub fn addresses_become_numbers(&self) -> bool {
        let shown = |object: &Object| match object {
            Object::Variable(None, VarRef::Shared(_)) => false,
            Object::Variable(..) | Object::Site(..) => true,
            Object::Result(_) | Object::Threads | Object::Unfollowed | Object::Unknown => false,
        };
        let targets = self.notes.numbers.iter().flat_map(|node| self.solver.targets(*node));
        targets.map(|(object, _)| self.object(*object)).any(|object| shown(&object))
    }

    /// The first place where a value decides something that is not followed.
    pub fn unfollowed_use(&self) -> Option<Span> {
        let holds = |node: NodeId| {
            self.solver.targets(node).iter().any(|(object, _)| self.object(*object) == Object::Unfollowed)
        };
        self.notes.uses.iter().find(|(node, _)| holds(*node)).map(|(_, span)| *span)
    }
}
