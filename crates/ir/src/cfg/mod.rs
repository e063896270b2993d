//! The program as engines take it: each procedure a control-flow graph whose edges carry one
//! instruction and a source span.
//!
//! Expressions are pure: they read registers only. Every access to shared memory is an
//! instruction of its own. Values are converted to the type of their target explicitly, by
//! [`Expr::Check`] and [`Expr::Wrap`], so that an instruction never has to.
//!
//! Several edges out of one node are a nondeterministic choice among those that are enabled;
//! a branch is two edges that assume a condition and its negation.

mod parse;
mod print;
mod validate;

use crate::scalar::{IntType, Scalar};
use crate::source::{Sources, Span};

pub use parse::{ParseError, parse};
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

/// A memory cell: the cells of all objects, numbered one object after the other; or an element
/// of an unbounded array.
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

    /// The number of a cell that is not in an unbounded array.
    pub fn index(self) -> usize {
        debug_assert!(self.0 >> 63 == 0, "elements of unbounded arrays have no number");
        self.0 as usize
    }
}

/// A register slot of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Reg {
    /// A slot of the current procedure's frame.
    Local(u32),
    /// A slot that every procedure of the thread sees.
    Thread(u32),
}

/// Where an instruction puts its result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dest {
    /// A register.
    Reg(Reg),
    /// An element of a register array, `len` slots from `base` on.
    At {
        /// First slot.
        base: Reg,
        /// Number of slots.
        len: u32,
        /// Which of them; out of bounds is an error of the program.
        index: Expr,
    },
}

/// How arithmetic treats results that do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Arith {
    /// Computed on integers; leaving 64 bits is [`crate::Fault::Overflow`].
    Exact,
    /// Computed in a fixed-width type, wrapping.
    Wrap(IntType),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`: 1 for 0, else 0
    Not,
}

/// Operators with two operands. Comparisons and logic give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating
    Div,
    /// `%`, sign of the dividend
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`, arithmetic where signed
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`; the right side counts (and can fail) only if the left is nonzero
    And,
    /// `||`; the right side counts (and can fail) only if the left is zero
    Or,
}

/// A pure expression over registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A value.
    Const(i64),
    /// A register's value.
    Reg(Reg),
    /// An element of a register array.
    At {
        /// First slot.
        base: Reg,
        /// Number of slots.
        len: u32,
        /// Which of them; out of bounds is an error of the program.
        index: Box<Expr>,
    },
    /// One operand.
    Unary(UnaryOp, Arith, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Arith, Box<Expr>, Box<Expr>),
    /// The second if the first is nonzero, else the third; the other is not evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand, which must belong to the type; else an error of the program. Operands that
    /// are unsigned 64-bit values say so in `from`.
    Check {
        /// Type of the operand.
        from: Scalar,
        /// Type of the result.
        to: Scalar,
        /// The operand.
        arg: Box<Expr>,
    },
    /// The operand wrapped to a fixed-width type.
    Wrap(IntType, Box<Expr>),
    /// The operand, which must be an index below the number; else an error of the program.
    Index(u32, Box<Expr>),
}

/// A memory cell computed at run time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The object.
    pub object: ObjectId,
    /// Its cell; out of bounds is an error of the program.
    pub index: Expr,
}

/// What an atomic read-modify-write does with the old value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    /// Writes the operand.
    Exchange(Expr),
    /// Adds the operand.
    Add(Expr),
    /// Subtracts the operand.
    Sub(Expr),
    /// Bitwise and.
    And(Expr),
    /// Bitwise or.
    Or(Expr),
    /// Bitwise exclusive or.
    Xor(Expr),
    /// Writes `new` if the cell holds `expected`.
    CompareExchange {
        /// What the cell is compared with.
        expected: Expr,
        /// What is written if equal.
        new: Expr,
    },
}

/// Kinds of fences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FenceKind {
    /// Waits until the own buffer is empty.
    Full,
    /// Stores after it reach memory after the stores before it.
    StoreStore,
}

/// Whether an instruction waits until the own buffer is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Drain {
    /// It waits.
    Yes,
    /// It does not.
    No,
}

/// A set of values to choose from, as ranges with both ends included, sorted and disjoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Choices(pub Vec<(i64, i64)>);

impl Choices {
    /// Just one value.
    pub fn one(value: i64) -> Choices {
        Choices(vec![(value, value)])
    }

    /// Sorts and merges ranges.
    pub fn from_ranges(mut ranges: Vec<(i64, i64)>) -> Choices {
        ranges.retain(|(lo, hi)| lo <= hi);
        ranges.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (lo, hi) in ranges {
            match merged.last_mut() {
                Some(last) if i128::from(lo) <= i128::from(last.1) + 1 => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        Choices(merged)
    }

    /// How many values there are.
    pub fn count(&self) -> u128 {
        self.0.iter().map(|&(lo, hi)| (i128::from(hi) - i128::from(lo) + 1) as u128).sum()
    }

    /// The only value, if there is just one.
    pub fn single(&self) -> Option<i64> {
        match self.0[..] {
            [(lo, hi)] if lo == hi => Some(lo),
            _ => None,
        }
    }

    /// Whether the value is one of them.
    pub fn contains(&self, value: i64) -> bool {
        self.0.iter().any(|&(lo, hi)| lo <= value && value <= hi)
    }

    /// All values, ascending.
    pub fn values(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().flat_map(|&(lo, hi)| lo..=hi)
    }
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Instr {
    /// Nothing.
    Nop,
    /// Takes one of several alternatives: nothing but the choice.
    Choose,
    /// `dest = value`.
    Assign(Dest, Expr),
    /// `dest = memory`.
    Load(Dest, Address),
    /// `memory = value`.
    Store(Address, Expr),
    /// Atomic read-modify-write; the old value goes to the destination.
    Rmw(Option<Dest>, Address, RmwOp),
    /// A fence.
    Fence(FenceKind),
    /// Passes only if the condition is nonzero.
    Assume(Expr),
    /// Fails if the condition is zero.
    Assert(Expr),
    /// `dest` becomes any of the values.
    Havoc(Dest, Choices),
    /// Waits for the mutex and takes it.
    Lock(Address),
    /// Gives the mutex back; it must be held.
    Unlock(Address),
    /// Starts a thread; its handle goes to the destination.
    Spawn(Option<Dest>, ProcId, Vec<Expr>, Drain),
    /// Waits for the end of the thread.
    Join(Expr),
    /// Calls a procedure; its result goes to the destination.
    Call(Option<Dest>, ProcId, Vec<Expr>),
    /// Returns from the procedure; from the outermost one, ends the thread.
    Return(Option<Expr>),
    /// From here to the matching end, no other thread steps.
    AtomicBegin(Drain),
    /// Ends the section.
    AtomicEnd(Drain),
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
    /// Where it stands in the source.
    pub span: Span,
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
    /// Where it stands in the source.
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

/// The dimension of an array whose elements come into being when they are touched. Any integer
/// is an index; it is the only dimension of such an array.
pub const UNBOUNDED: u32 = 0;

/// A shared variable: one scalar or an array of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Type of each cell.
    pub ty: Scalar,
    /// Dimensions; empty for a single cell, [`UNBOUNDED`] for an array without end.
    pub dims: Vec<u32>,
    /// What each cell may hold at first; an unbounded array starts with zeros.
    pub init: Vec<Choices>,
    /// Where it is declared.
    pub span: Span,
}

impl Object {
    /// Number of cells; none for an unbounded array, whose elements have no numbers.
    pub fn cells(&self) -> u32 {
        self.dims.iter().product()
    }

    /// Whether every integer is an index.
    pub fn is_unbounded(&self) -> bool {
        self.dims == [UNBOUNDED]
    }

    /// The user's name of a cell, as in `m[1][2]`.
    pub fn cell_name(&self, cell: u32) -> String {
        let mut indices = Vec::new();
        let mut rest = cell;
        for &dim in self.dims.iter().rev() {
            indices.push(rest % dim.max(1));
            rest /= dim.max(1);
        }
        indices.iter().rev().fold(self.name.clone(), |name, i| format!("{name}[{i}]"))
    }
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
    /// Where it stands in the source.
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
        /// Where it stands in the source.
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
        /// Where it stands in the source.
        span: Span,
    },
}

impl Property {
    /// Where it stands in the source.
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
    /// Shared memory.
    pub objects: Vec<Object>,
    /// Slots that each thread has for all its procedures.
    pub thread_registers: Vec<Register>,
    /// Code.
    pub procedures: Vec<Procedure>,
    /// Threads at the beginning.
    pub threads: Vec<Start>,
    /// What is checked besides assertions.
    pub properties: Vec<Property>,
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

    /// The first cell of each object, and the number of cells at the end.
    pub fn cell_bases(&self) -> Vec<u32> {
        let mut bases = vec![0];
        for object in &self.objects {
            bases.push(bases[bases.len() - 1] + object.cells());
        }
        bases
    }

    /// The object that a cell belongs to.
    pub fn object_of(&self, loc: Loc) -> &Object {
        self.find(loc).0
    }

    /// The user's name of a cell.
    pub fn cell_name(&self, loc: Loc) -> String {
        match self.find(loc) {
            (object, address) if object.is_unbounded() => format!("{}[{address}]", object.name),
            (object, cell) => object.cell_name(cell as u32),
        }
    }

    /// The object, and the cell's number or address in it.
    fn find(&self, loc: Loc) -> (&Object, i64) {
        if let Some((object, address)) = loc.as_element() {
            return (self.object(object), address);
        }
        let mut rest = loc.index() as u32;
        for object in &self.objects {
            match rest.checked_sub(object.cells()) {
                Some(r) => rest = r,
                None => return (object, rest.into()),
            }
        }
        panic!("cell {} lies outside all objects", loc.index())
    }

    /// Whether any thread is started any number of times.
    pub fn is_parameterized(&self) -> bool {
        self.threads.iter().any(|t| t.count == Count::Any)
    }

    /// Whether the program can go wrong at all: it has a property, an assertion or an
    /// instruction that can fail.
    pub fn has_property(&self) -> bool {
        !self.properties.is_empty()
            || self.procedures.iter().any(|p| p.edges.iter().any(|e| e.instr.can_fail(self)))
    }
}

impl Expr {
    /// Calls `visit` on this expression and all in it.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Const(_) | Expr::Reg(_) => {}
            Expr::At { index: arg, .. }
            | Expr::Unary(_, _, arg)
            | Expr::Check { arg, .. }
            | Expr::Wrap(_, arg)
            | Expr::Index(_, arg) => arg.visit(visit),
            Expr::Binary(_, _, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Expr::Select(cond, then, otherwise) => {
                cond.visit(visit);
                then.visit(visit);
                otherwise.visit(visit);
            }
        }
    }

    /// Whether evaluating it can be an error of the program. Leaving 64 bits is not one.
    pub fn can_fail(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| {
            found |= match e {
                Expr::Check { .. } => true,
                Expr::Index(len, arg) | Expr::At { len, index: arg, .. } => {
                    !matches!(**arg, Expr::Const(i) if (0..i64::from(*len)).contains(&i))
                }
                Expr::Binary(op, arith, _, right) => match op {
                    BinaryOp::Div | BinaryOp::Rem => !matches!(**right, Expr::Const(v) if v != 0),
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let width = if let Arith::Wrap(int) = arith { i64::from(int.bits) } else { 64 };
                        !matches!(**right, Expr::Const(by) if (0..width).contains(&by))
                    }
                    _ => false,
                },
                Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Select(..) | Expr::Wrap(..) => false,
            }
        });
        found
    }

    /// `!self`
    pub fn negated(self) -> Expr {
        Expr::Unary(UnaryOp::Not, Arith::Exact, Box::new(self))
    }
}

impl RmwOp {
    /// The operands, in order of evaluation.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            RmwOp::Exchange(v)
            | RmwOp::Add(v)
            | RmwOp::Sub(v)
            | RmwOp::And(v)
            | RmwOp::Or(v)
            | RmwOp::Xor(v) => (v, None),
            RmwOp::CompareExchange { expected, new } => (expected, Some(new)),
        };
        std::iter::once(first).chain(second)
    }
}

impl Instr {
    /// The memory cell it touches, if it touches one.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Instr::Load(_, a)
            | Instr::Store(a, _)
            | Instr::Rmw(_, a, _)
            | Instr::Lock(a)
            | Instr::Unlock(a) => Some(a),
            _ => None,
        }
    }

    /// Where its result goes.
    pub fn dest(&self) -> Option<&Dest> {
        match self {
            Instr::Assign(d, _) | Instr::Load(d, _) | Instr::Havoc(d, _) => Some(d),
            Instr::Rmw(d, ..) | Instr::Spawn(d, ..) | Instr::Call(d, ..) => d.as_ref(),
            _ => None,
        }
    }

    /// Calls `visit` on each expression in it, those in addresses and destinations included.
    pub fn expressions<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        if let Some(Dest::At { index, .. }) = self.dest() {
            visit(index);
        }
        if let Some(address) = self.address() {
            visit(&address.index);
        }
        match self {
            Instr::Assign(_, e)
            | Instr::Store(_, e)
            | Instr::Assume(e)
            | Instr::Assert(e)
            | Instr::Join(e)
            | Instr::Return(Some(e)) => visit(e),
            Instr::Rmw(_, _, op) => op.operands().for_each(visit),
            Instr::Spawn(_, _, args, _) | Instr::Call(_, _, args) => args.iter().for_each(visit),
            Instr::Nop
            | Instr::Choose
            | Instr::Load(..)
            | Instr::Fence(_)
            | Instr::Havoc(..)
            | Instr::Lock(_)
            | Instr::Unlock(_)
            | Instr::Return(None)
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_) => {}
        }
    }

    /// Whether executing it can be an error of the program.
    pub fn can_fail(&self, program: &Program) -> bool {
        let mut found = match self {
            Instr::Assert(_) | Instr::Unlock(_) | Instr::Join(_) | Instr::AtomicEnd(_) => true,
            Instr::Rmw(_, _, RmwOp::Exchange(_) | RmwOp::CompareExchange { .. }) => false,
            Instr::Rmw(_, address, _) => !matches!(program.object(address.object).ty, Scalar::Int(_)),
            _ => false,
        };
        if let Some(a) = self.address() {
            let object = program.object(a.object);
            let len = i64::from(object.cells());
            let inside =
                matches!(a.index, Expr::Const(i) if (0..len).contains(&i)) || a.index.stays_below(len);
            found |= !inside && !object.is_unbounded();
        }
        self.expressions(&mut |e| found |= e.can_fail());
        found
    }
}

impl Expr {
    /// Whether index checks inside already keep it within an array of `len` cells.
    fn stays_below(&self, len: i64) -> bool {
        fn bound(e: &Expr) -> Option<i64> {
            match e {
                Expr::Const(v) if *v >= 0 => Some(*v),
                Expr::Index(n, _) => Some(i64::from(*n) - 1),
                Expr::Binary(BinaryOp::Add, Arith::Exact, l, r) => bound(l)?.checked_add(bound(r)?),
                Expr::Binary(BinaryOp::Mul, Arith::Exact, l, r) => bound(l)?.checked_mul(bound(r)?),
                _ => None,
            }
        }
        bound(self).is_some_and(|b| b < len)
    }
}
