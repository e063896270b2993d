//! The program as engines take it: each procedure a control-flow graph whose edges carry one
//! instruction and a source span.
//!
//! Expressions are pure: they read registers only. Every access to shared memory is an
//! instruction of its own. Values are converted to the type of their target explicitly, by
//! [`Expr::Check`] and [`Expr::Wrap`], so that an instruction never has to.
//!
//! Several edges out of one node are a nondeterministic choice among those that are enabled;
//! a branch is two edges that assume a condition and its negation.

mod expr;
mod instr;
mod parse;
mod print;
mod reuse;
mod validate;

use crate::access::Access;
use crate::checks::Checks;
use crate::layout::{Records, Type};
use crate::scalar::Scalar;
use crate::source::{Sources, Span};
use std::collections::HashMap;
use std::sync::Arc;

pub use crate::layout::UNBOUNDED;
pub use expr::{Arith, BinaryOp, Expr, Reg, UnaryOp};
pub use instr::{Address, Choices, Dest, Drain, FenceKind, Fill, Instr, RmwOp, Storage};
pub use parse::{ParseError, parse};
pub use print::Names;
pub use validate::validate;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index_type!(
    /// A shared object of [`Program::objects`].
    ObjectId
);
index_type!(
    /// An entry of [`Program::heap_types`].
    HeapTypeId
);
index_type!(
    /// A procedure of [`Program::procedures`].
    ProcId
);
index_type!(
    /// A control location of one procedure.
    NodeId
);
index_type!(
    /// An edge of one procedure.
    EdgeId
);
index_type!(
    /// An entry of [`Program::threads`].
    StartId
);

/// A memory cell: the cells of all objects, numbered one object after the other; or an element of
/// an unbounded array; or a cell of an allocated object, whose numbers follow those of the
/// program's objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Loc(u64);

/// Bits of an address in an unbounded array.
const ADDRESS_BITS: u32 = 48;

impl Loc {
    /// The cell of that number.
    pub fn cell(number: u32) -> Loc {
        Loc(number.into())
    }

    /// An element of an unbounded array; `None` if the address does not fit 48 bits.
    pub fn element(object: ObjectId, address: i64) -> Option<Loc> {
        let sign_bits = 64 - ADDRESS_BITS;
        let fits = address << sign_bits >> sign_bits == address && object.0 < 1 << 15;
        let low = address as u64 & ((1 << ADDRESS_BITS) - 1);
        fits.then_some(Loc(1 << 63 | u64::from(object.0) << ADDRESS_BITS | low))
    }

    /// The array and the address, if this is an element of an unbounded array.
    pub fn as_element(self) -> Option<(ObjectId, i64)> {
        let sign_bits = 64 - ADDRESS_BITS;
        let address = (self.0 << sign_bits) as i64 >> sign_bits;
        let object = (self.0 & !(1 << 63)) >> ADDRESS_BITS;
        (self.0 >> 63 == 1).then_some((ObjectId(object as u32), address))
    }

    /// The cell that many after this one, in the same object.
    pub fn plus(self, cells: u32) -> Loc {
        Loc(self.0 + u64::from(cells))
    }

    /// How many cells after another one of the same object this is.
    pub fn after(self, first: Loc) -> usize {
        (self.0 - first.0) as usize
    }

    /// The number of a cell that is not in an unbounded array.
    pub fn index(self) -> usize {
        debug_assert!(self.0 >> 63 == 0, "elements of unbounded arrays have no number");
        self.0 as usize
    }
}

/// One step of control.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// What it does.
    pub instr: Instr,
    /// Its place in the source.
    pub span: Span,
    /// What the program says of the access that it does.
    pub access: Access,
}

/// A register slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Register {
    /// The user's name, or `%n` for one that lowering made. Unique within its procedure.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
    /// What it holds at first.
    pub init: i64,
}

impl Register {
    /// Whether the register stands for no variable of the user's.
    pub fn is_temporary(&self) -> bool {
        self.name.starts_with('%')
    }
}

/// A procedure's control-flow graph.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Slots of a frame; the first `params` are the parameters.
    pub registers: Vec<Register>,
    /// Number of parameters.
    pub params: u32,
    /// Type of the result, if it has one.
    pub result: Option<Scalar>,
    /// Number of nodes; node 0 is the entry.
    pub nodes: u32,
    /// Edges, sorted by `from`.
    edges: Vec<Edge>,
    /// For each node the number of its first edge, and the number of edges at the end.
    first_edge: Vec<u32>,
    /// Labels by name, and their nodes.
    pub labels: Vec<(String, NodeId)>,
    /// Its place in the source.
    pub span: Span,
}

/// What a procedure is made of, before its edges are put in order.
pub struct ProcedureParts {
    /// See [`Procedure::name`].
    pub name: String,
    /// See [`Procedure::registers`].
    pub registers: Vec<Register>,
    /// See [`Procedure::params`].
    pub params: u32,
    /// See [`Procedure::result`].
    pub result: Option<Scalar>,
    /// See [`Procedure::nodes`].
    pub nodes: u32,
    /// In any order; edges of one node keep theirs.
    pub edges: Vec<Edge>,
    /// See [`Procedure::labels`].
    pub labels: Vec<(String, NodeId)>,
    /// See [`Procedure::span`].
    pub span: Span,
}

impl Procedure {
    /// Puts the edges in order.
    pub fn new(parts: ProcedureParts) -> Procedure {
        let ProcedureParts { name, registers, params, result, nodes, mut edges, labels, span } = parts;
        edges.sort_by_key(|e| e.from);
        let mut first_edge = vec![0u32; nodes as usize + 1];
        for edge in &edges {
            first_edge[edge.from.index() + 1] += 1;
        }
        for i in 1..first_edge.len() {
            first_edge[i] += first_edge[i - 1];
        }
        Procedure { name, registers, params, result, nodes, edges, first_edge, labels, span }
    }

    /// The parts again, to be changed.
    pub fn into_parts(self) -> ProcedureParts {
        let Procedure { name, registers, params, result, nodes, edges, labels, span, .. } = self;
        ProcedureParts { name, registers, params, result, nodes, edges, labels, span }
    }

    /// The entry node.
    pub fn entry(&self) -> NodeId {
        NodeId(0)
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// One edge.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The edges out of a node.
    pub fn out(&self, node: NodeId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let range = self.first_edge[node.index()]..self.first_edge[node.index() + 1];
        range.map(|i| (EdgeId(i), &self.edges[i as usize]))
    }

    /// The node of a label.
    pub fn label(&self, name: &str) -> Option<NodeId> {
        self.labels.iter().find(|(n, _)| n == name).map(|&(_, node)| node)
    }
}

/// A shared variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What each cell may hold at first; an unbounded array starts with zeros.
    pub init: Arc<[Choices]>,
    /// Where it is declared.
    pub span: Span,
}

/// What allocated objects of one kind are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HeapType {
    /// Reports call the n-th object `name#n`.
    pub name: String,
    /// What an object is an array of.
    pub ty: Type,
}

/// How often a thread is started at the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Count {
    /// That many times.
    Times(u32),
    /// Any number of times: a parameterized program.
    Any,
}

/// Threads that run from the beginning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Start {
    /// Name of the thread; the instances of a template are `name#1`, `name#2`, ...
    pub name: String,
    /// What it runs.
    pub procedure: ProcId,
    /// Arguments.
    pub args: Vec<i64>,
    /// How many run.
    pub count: Count,
    /// Its place in the source.
    pub span: Span,
}

/// Which threads a requirement speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Who {
    /// Any thread.
    Any,
    /// Any thread that runs this procedure from its start.
    Runs(ProcId),
    /// The threads of one entry of [`Program::threads`].
    Start(StartId),
}

/// One thread at a label.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Requirement {
    /// Which threads can meet it.
    pub who: Who,
    /// Procedure that the label belongs to.
    pub procedure: ProcId,
    /// The label's name.
    pub label: String,
}

/// What a final condition looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Observable {
    /// A memory cell.
    Cell(Loc),
    /// A register of a started thread's outermost frame.
    Register(StartId, Reg),
}

/// How a final condition is meant, as in litmus tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Quantifier {
    /// Violated when a final state satisfies it.
    Exists,
    /// Violated when a final state satisfies it.
    NotExists,
    /// Violated when a final state does not.
    Forall,
}

/// What must not happen. Assertions and errors of the program are properties too, at their
/// instructions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// Different threads at all of these labels at once.
    Forbid {
        /// One thread each, all different. A requirement with several candidate procedures for
        /// its label is several alternatives.
        together: Vec<Vec<Requirement>>,
        /// Its place in the source.
        span: Span,
    },
    /// A condition on the state when all threads have ended.
    Final {
        /// How it is meant.
        quantifier: Quantifier,
        /// What it looks at: register `i` of `condition` is the i-th of these.
        observed: Vec<Observable>,
        /// The condition.
        condition: Expr,
        /// Its place in the source.
        span: Span,
    },
}

impl Property {
    /// Its place in the source.
    pub fn span(&self) -> Span {
        match self {
            Property::Forbid { span, .. } | Property::Final { span, .. } => *span,
        }
    }
}

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The files it came from.
    pub sources: Sources,
    /// Structs and unions.
    pub records: Records,
    /// Width of pointers; 0 where there are none.
    pub pointer_bits: u8,
    /// Whether pointers are also used as integers, so that the numbers of objects may mean something.
    pub exposes_pointers: bool,
    /// Whether integers that are addresses are only kept, passed, marked and compared, so that these numbers mean nothing.
    pub opaque_addresses: bool,
    /// Whether anybody asks which of two pointers is smaller, so that the order of these numbers means something where they lead
    /// to different objects.
    pub orders_pointers: bool,
    /// Shared memory.
    pub objects: Vec<Object>,
    /// Kinds of allocated objects.
    pub heap_types: Vec<HeapType>,
    /// Slots that each thread has for all its procedures.
    pub thread_registers: Vec<Register>,
    /// Code.
    pub procedures: Vec<Procedure>,
    /// Threads at the beginning.
    pub threads: Vec<Start>,
    /// What is checked besides assertions.
    pub properties: Vec<Property>,
    /// What else is looked for.
    pub checks: Checks,
}

impl Program {
    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// An object.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// The nodes of all labels, for who looks for many of them.
    pub fn label_nodes(&self) -> HashMap<(ProcId, &str), NodeId> {
        let procedures = (0..).map(ProcId).zip(&self.procedures);
        let labels =
            procedures.flat_map(|(id, p)| p.labels.iter().map(move |(name, node)| ((id, &name[..]), *node)));
        labels.collect()
    }

    /// Number of an object's cells; none for an unbounded array, whose elements have no numbers.
    pub fn cells(&self, id: ObjectId) -> u32 {
        self.object(id).init.len() as u32
    }

    /// The first cell of each object, and the number of cells at the end.
    pub fn cell_bases(&self) -> Vec<u32> {
        let mut bases = vec![0];
        for object in &self.objects {
            bases.push(bases[bases.len() - 1] + object.init.len() as u32);
        }
        bases
    }

    /// The types of all cells that have numbers.
    pub fn cell_types(&self) -> Vec<Scalar> {
        self.each_cell_type().collect()
    }

    /// The types of all cells that have numbers, one by one: there may be millions.
    pub fn each_cell_type(&self) -> impl Iterator<Item = Scalar> + '_ {
        let bounded = self.objects.iter().filter(|o| !o.ty.is_unbounded());
        bounded.flat_map(|o| {
            let element = self.records.layout(o.ty.innermost());
            // An array's cells are those of its elements, again and again.
            let cells = o.init.len();
            element.into_iter().map(|cell| cell.ty).collect::<Vec<_>>().into_iter().cycle().take(cells)
        })
    }

    /// The object of the program that a cell belongs to, and the cell's number or address in it;
    /// `None` for cells of allocated objects.
    pub fn find(&self, loc: Loc) -> Option<(ObjectId, i64)> {
        if let Some((object, address)) = loc.as_element() {
            return (object.index() < self.objects.len()).then_some((object, address));
        }
        let mut rest = loc.index();
        for (i, object) in self.objects.iter().enumerate() {
            match rest.checked_sub(object.init.len()) {
                Some(r) => rest = r,
                None => return Some((ObjectId(i as u32), rest as i64)),
            }
        }
        panic!("cell {} lies outside all objects", loc.index())
    }

    /// The type of a cell of one of the program's objects.
    pub fn cell_type(&self, loc: Loc) -> Option<Scalar> {
        let (object, cell) = self.find(loc)?;
        match &self.object(object).ty {
            ty if ty.is_unbounded() => ty.leaf(),
            ty => match ty.leaf() {
                Some(leaf) => Some(leaf),
                None => Some(self.records.layout(ty)[cell as usize].ty),
            },
        }
    }

    /// The user's name of a cell of one of the program's objects, as in `m[1][2]` or `node.next`.
    pub fn cell_name(&self, loc: Loc) -> Option<String> {
        self.cells_name(loc, 1)
    }

    /// The user's name of what several cells are together.
    pub fn cells_name(&self, loc: Loc, cells: u32) -> Option<String> {
        let (id, cell) = self.find(loc)?;
        let Object { name, ty, .. } = self.object(id);
        if ty.is_unbounded() {
            return Some(format!("{name}[{cell}]"));
        }
        let layout = self.records.layout(ty);
        let end = (cell as usize + cells as usize).min(layout.len());
        Some(format!("{name}{}", self.records.row_path(ty, &layout[cell as usize..end])))
    }

    /// Whether any thread is started any number of times.
    pub fn is_parameterized(&self) -> bool {
        self.threads.iter().any(|t| t.count == Count::Any)
    }

    /// The program with that many threads of each start.
    pub fn instantiated(&self, counts: &[u32]) -> Program {
        let mut instance = self.clone();
        for (start, count) in instance.threads.iter_mut().zip(counts) {
            start.count = Count::Times(*count);
        }
        instance
    }

    /// Whether the program can go wrong at all: it has a property, an assertion or an
    /// instruction that can fail.
    pub fn has_property(&self) -> bool {
        // In a program with pointers every access is looked at.
        !self.properties.is_empty()
            || self.checks.deadlock
            || self.pointer_bits > 0
            || self.procedures.iter().any(|p| p.edges.iter().any(|e| e.instr.can_fail(self)))
    }
}
