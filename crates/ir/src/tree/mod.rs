//! The program as people write it: structured statements, typed expressions, source spans.
//!
//! Front ends produce it; it prints as `.fp` (in `print.rs`) and as C (in `c/`). Expressions may read shared memory,
//! do read-modify-writes, call and spawn; they are evaluated from left to right, one access
//! after the other, and the lowering pass makes an instruction of each.

pub mod c;
pub mod comments;
mod expression;
mod fold;
pub mod forms;
mod place;
mod print;
mod spelling;
mod statement;
mod validate;
mod visit;

pub use crate::cfg::{BinaryOp, Choices, Count, Drain, FenceKind, Fill, Quantifier, Storage, UnaryOp};
pub use crate::layout::{Field, Record, RecordId, RecordKind, Records, Type, UNBOUNDED};
use crate::scalar::Scalar;
use crate::source::{Sources, Span};

pub use expression::{Conversion, Expr, ExprKind, RmwKind, read_local};
pub use forms::Form;
pub use place::{Base, Place, Projection, VarRef};
pub use print::{Words, with_comments};
pub use spelling::{Declared, Macro, Spelled, Spelling, TypeName, TypeNameId, integer_words};
pub use statement::{Block, Fence, Stmt, StmtKind};
pub use validate::validate;

/// A variable of [`Program::shared`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SharedId(pub usize);

/// A variable of [`Program::thread_locals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ThreadLocalId(pub usize);

/// A variable of [`Procedure::locals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LocalId(pub usize);

/// A procedure of [`Program::procedures`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ProcedureId(pub usize);

/// An entry of [`Program::threads`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ThreadId(pub usize);

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What each cell may hold at first. For locals of procedures: the value that an uninitialised
    /// declaration gives them.
    pub init: Vec<Choices>,
    /// For locals of procedures: what they hold until they are assigned, if they are kept in memory; undefined values of
    /// private ones are chosen where they are declared.
    pub fill: Fill,
    /// For locals of procedures: where they are kept.
    pub kept: Kept,
    /// Where it is declared.
    pub span: Span,
    /// How its type is written, in C.
    pub spelled: Option<Spelled>,
}

impl Variable {
    /// A variable that has no address.
    pub fn new(name: String, ty: Type, init: Vec<Choices>, span: Span) -> Variable {
        Variable { name, ty, init, fill: Fill::Zero, kept: Kept::Private, span, spelled: None }
    }
}

/// Where a local is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub enum Kept {
    /// Where no other thread can see it.
    #[default]
    Private,
    /// In memory, because its address is taken, until its procedure returns. It holds this when the
    /// procedure is entered.
    InMemory(Fill),
    /// In memory, from where its block is entered until it is left: [`StmtKind::Enter`] and [`StmtKind::Leave`] are on
    /// every way in and out.
    InBlock(Fill),
}

/// What a procedure is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ProcedureKind {
    /// Code of threads.
    Process,
    /// Called.
    Function,
}

/// Code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: ProcedureKind,
    /// The first `params` locals are parameters.
    pub params: usize,
    /// Type of the result.
    pub result: Option<Scalar>,
    /// Variables.
    pub locals: Vec<Variable>,
    /// Statements.
    pub body: Block,
    /// Its place in the source.
    pub span: Span,
    /// How the type of its result is written, in C.
    pub spelled: Option<Spelled>,
}

impl Procedure {
    /// Whether it is a function without result.
    pub fn is_void_function(&self) -> bool {
        self.kind == ProcedureKind::Function && self.result.is_none()
    }
}

/// Threads that run from the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Name of the thread.
    pub name: String,
    /// What it runs.
    pub procedure: ProcedureId,
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
    /// Any thread that runs this process.
    Runs(ProcedureId),
    /// The threads of one start.
    Thread(ThreadId),
}

/// What must not happen, besides failing assertions and errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// Different threads at these labels at once.
    Forbid(Vec<(Who, String)>, Span),
    /// More than this many threads at the label at once.
    AtMost(u32, String, Span),
    /// A condition when all threads have ended.
    Final(Quantifier, Expr, Span),
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
    /// Whether pointers are also used as integers.
    pub exposes_pointers: bool,
    /// Whether they are only kept, passed, marked and compared as integers: nothing depends on the objects' numbers.
    pub opaque_addresses: bool,
    /// Whether anybody asks which of two pointers is smaller.
    pub orders_pointers: bool,
    /// An access through a pointer that may cover several cells, if there is one.
    pub wide_access: Option<Span>,
    /// Shared variables.
    pub shared: Vec<Variable>,
    /// Variables that each thread has for itself.
    pub thread_locals: Vec<Variable>,
    /// Code.
    pub procedures: Vec<Procedure>,
    /// A function without parameters that each thread runs when it ends, until the pass `thread-ends` has put in the calls.
    pub at_thread_end: Option<ProcedureId>,
    /// Threads at the beginning.
    pub threads: Vec<Thread>,
    /// What is checked.
    pub properties: Vec<Property>,
    /// What keeps C looking like the user's.
    pub spelling: Spelling,
}

impl Program {
    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0]
    }

    /// The one thread that the program begins with, if there is one: nobody calls its procedure or spawns it, and no property
    /// speaks of it.
    pub fn first(&self) -> Option<ProcedureId> {
        let [Thread { procedure: first, count: Count::Times(1), .. }] = self.threads[..] else { return None };
        let mut is_used = !self.properties.is_empty();
        for procedure in &self.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Call(id, _) | ExprKind::Spawn(id, ..) = &e.kind {
                            is_used |= *id == first;
                        }
                    });
                }
            });
        }
        (!is_used).then_some(first)
    }

    /// The variable that a reference in `procedure` means.
    pub fn variable<'a>(
        &'a self,
        procedure: Option<&'a Procedure>,
        reference: VarRef,
    ) -> Option<&'a Variable> {
        match reference {
            VarRef::Shared(id) => self.shared.get(id.0),
            VarRef::ThreadLocal(id) => self.thread_locals.get(id.0),
            VarRef::Local(id) => procedure?.locals.get(id.0),
            VarRef::Observed(thread, id) => {
                self.procedures.get(self.threads.get(thread.0)?.procedure.0)?.locals.get(id.0)
            }
        }
    }

    /// The type of a place in `procedure`; `None` if its path does not fit.
    pub fn place_type<'a>(&'a self, procedure: Option<&'a Procedure>, place: &'a Place) -> Option<&'a Type> {
        let mut ty = match &place.base {
            Base::Variable(variable) => &self.variable(procedure, *variable)?.ty,
            Base::Pointed(_, ty) => ty,
        };
        for step in &place.path {
            ty = match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => element,
                (Projection::Field(i), Type::Record(id)) => {
                    &self.records.0.get(id.0 as usize)?.fields.get(*i)?.ty
                }
                _ => return None,
            };
        }
        Some(ty)
    }

    /// Whether the accesses to a place go to memory, where other threads can see them.
    pub fn is_in_memory(&self, procedure: Option<&Procedure>, place: &Place) -> bool {
        match place.base {
            Base::Variable(VarRef::Shared(_)) | Base::Pointed(..) => true,
            Base::Variable(VarRef::ThreadLocal(_) | VarRef::Observed(..)) => false,
            Base::Variable(local @ VarRef::Local(_)) => {
                self.variable(procedure, local).is_some_and(|v| v.kept != Kept::Private)
            }
        }
    }

    /// Whether the expression's value depends on private variables alone, so that it can be
    /// evaluated any time before the next instruction.
    pub fn is_pure(&self, procedure: Option<&Procedure>, e: &Expr) -> bool {
        let mut pure = true;
        e.visit(&mut |e| {
            pure &= match &e.kind {
                ExprKind::Read(place) => !self.is_in_memory(procedure, place),
                ExprKind::Any(_)
                | ExprKind::Rmw(..)
                | ExprKind::Call(..)
                | ExprKind::Spawn(..)
                | ExprKind::Own
                | ExprKind::Reallocate(..)
                | ExprKind::Allocate(..) => false,
                ExprKind::Const(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Select(..)
                | ExprKind::AddressOf(_)
                | ExprKind::Convert(..) => true,
            }
        });
        pure
    }
}
