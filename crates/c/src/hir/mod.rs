//! The typed program (HIR): what `check` makes of the syntax tree and `lower` turns into `ir::tree`.
//!
//! Every name is an id, every expression has its type, every conversion is written down, places and values are
//! different things, constants are folded, sizes and offsets are known, and each access says what it is. Whoever reads
//! it needs neither scopes nor rules of C's type system. What printers need to write C again (typedef names, kinds of
//! loops) is still here.
//!
//! Effects are still inside expressions, in the order of the text; `lower` takes them apart.
//!
//! What a reader has to know beyond the types:
//!
//! - Only what the program may reach is here, in the order in which it was reached. Functions and variables of our own
//!   library are marked ([`Origin::Library`]); a function without a body gives any value.
//! - A place with `bits` is a bit-field: its type is the declared one, reading gives the bits, assigning cuts the value to
//!   them and reads and writes the whole unit.
//! - Parts of an initialiser are assigned in order to something that holds zeros; a flexible member at the end may have
//!   parts beyond the type's size, and the variable is as large as they need.
//! - A type whose length only the run knows names a local that holds it; the local is declared before the type is used.
//!   Locals that no statement declares and no literal names belong to operands that are not evaluated.
//! - Branches that a constant decides are gone, unless a label in them can be jumped to.
//! - [`invariant`] says the rest, in code.

mod expression;
mod intrinsic;
mod invariant;
mod layout;
mod print;
mod print_expression;
mod print_place;
mod show;
mod statement;
mod table;
mod types;
mod visit;

pub use expression::*;
pub use intrinsic::{Intrinsic, Memory, Output, Outside};
pub use invariant::broken;
pub use statement::*;
pub use table::Types;
pub use types::*;
pub use visit::{Visitor, walk_expression, walk_place, walk_statement};

use fencepost_ir::{Remark, Span};
use index_vec::IndexVec;
use std::collections::BTreeMap;

index_vec::define_index_type! {
    /// A variable that lives as long as the program or its thread.
    pub struct GlobalId = u32;
}

index_vec::define_index_type! {
    /// A function.
    pub struct FunctionId = u32;
}

index_vec::define_index_type! {
    /// A parameter or local variable of one function.
    pub struct LocalId = u32;
}

index_vec::define_index_type! {
    /// A label of one function.
    pub struct LabelId = u32;
}

/// A whole program: all units, linked.
#[derive(Debug)]
pub struct Program {
    pub types: Types,
    pub globals: IndexVec<GlobalId, Global>,
    pub functions: IndexVec<FunctionId, Function>,
    /// What runs from the beginning on.
    pub start: Start,
    /// Functions of the library that [`Intrinsic`]s may be made of, and those that threads and the program end with, by their
    /// names; only those that this program may need.
    pub support: BTreeMap<&'static str, FunctionId>,
    /// Functions that run before `main`, in order.
    pub constructors: Vec<FunctionId>,
    /// Functions that run after it, in order.
    pub destructors: Vec<FunctionId>,
    /// What is to be said of it, whatever comes of it.
    pub remarks: Vec<Remark>,
}

impl Program {
    /// The function that the program begins with, if there is one.
    pub fn main(&self) -> Option<FunctionId> {
        match self.start {
            Start::Main(main) => Some(main),
            Start::Threads(_) => None,
        }
    }
}

/// What runs from the beginning on.
#[derive(Debug)]
pub enum Start {
    /// This function, in the first thread.
    Main(FunctionId),
    /// These threads, all at once.
    Threads(Vec<StartedThread>),
}

/// A thread that is there from the beginning.
#[derive(Debug)]
pub struct StartedThread {
    pub function: FunctionId,
    /// The variables that its parameters point to.
    pub shared: Vec<GlobalId>,
}

/// A variable that is not a local one; string literals are such variables without a name.
#[derive(Debug)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub lives: Lives,
    /// The function that it is a static variable of; labels in its initialiser are those of that function.
    pub function: Option<FunctionId>,
    /// What it holds at first; zeros where nothing is said.
    pub init: Initializer,
    pub origin: Origin,
    pub span: Span,
}

/// How long a variable lives that is not a local one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lives {
    /// As long as the program.
    Program,
    /// As long as its thread: one for each.
    Thread,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    /// A function type.
    pub ty: TypeId,
    /// `None` where it is declared only, or never used.
    pub body: Option<Body>,
    pub origin: Origin,
    pub span: Span,
}

/// Who wrote a function or declared a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user.
    User,
    /// It belongs to our library: inlined at its calls, shown nowhere.
    Library,
}

/// A function's code.
#[derive(Debug)]
pub struct Body {
    /// The parameters first.
    pub locals: IndexVec<LocalId, Local>,
    pub params: usize,
    pub labels: IndexVec<LabelId, Label>,
    pub block: Block,
    /// The closing brace.
    pub end: Span,
}

/// A local variable.
#[derive(Debug)]
pub struct Local {
    /// Empty for one that the checker made.
    pub name: String,
    pub ty: TypeId,
    /// Whether its address is taken anywhere, or it is an array or record: it may have to be in memory.
    pub addressed: bool,
    /// What is called with its address when its block is left.
    pub cleanup: Option<FunctionId>,
    pub span: Span,
}

/// A label.
#[derive(Debug)]
pub struct Label {
    pub name: String,
    /// Whether `&&label` is anywhere.
    pub addressed: bool,
    pub span: Span,
}
