//! The program as people write it: structured statements, typed expressions, source spans.
//!
//! Front ends produce it; it prints as `.fp` (in `print.rs`) and as C (in `c/`). Expressions may read shared memory,
//! do read-modify-writes, call and spawn; they are evaluated from left to right, one access
//! after the other, and the lowering pass makes an instruction of each.

pub mod c;
pub mod comments;
mod fold;
pub mod forms;
mod print;
mod spelling;
mod validate;
mod visit;

use crate::access::{Access, Order};
pub use crate::cfg::{BinaryOp, Choices, Count, Drain, FenceKind, Fill, Quantifier, Storage, UnaryOp};
pub use crate::layout::{Field, Record, RecordId, RecordKind, Records, Type, UNBOUNDED};
use crate::scalar::Scalar;
use crate::source::{Sources, Span};

pub use forms::Form;
pub use print::{Words, with_comments};
pub use spelling::{Declared, Macro, Spelled, Spelling, TypeName, TypeNameId, integer_words};
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
    /// In memory, from where its block is entered until it is left: [`StmtKind::Enter`] and [`StmtKind::Leave`] stand on
    /// every way in and out.
    InBlock(Fill),
}

/// How a variable is named in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum VarRef {
    /// Shared by all threads; accesses go to memory.
    Shared(SharedId),
    /// Each thread has its own.
    ThreadLocal(ThreadLocalId),
    /// A local of the current procedure.
    Local(LocalId),
    /// A local of a thread's outermost procedure, in final conditions only.
    Observed(ThreadId, LocalId),
}

/// Where a place starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// A variable.
    Variable(VarRef),
    /// What a pointer points to, a value of this type.
    Pointed(Box<Expr>, Type),
}

/// A step from a place into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Projection {
    /// An element of an array.
    Index(Expr),
    /// A member of a record, by its number.
    Field(usize),
}

/// A variable, or what a pointer points to, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where it starts.
    pub base: Base,
    /// The way to the part.
    pub path: Vec<Projection>,
    /// Where it stands.
    pub span: Span,
    /// What the program says of the access to it.
    pub access: Access,
}

impl Place {
    /// A variable.
    pub fn variable(variable: VarRef, span: Span) -> Place {
        Place { base: Base::Variable(variable), path: Vec::new(), span, access: Access::Plain }
    }

    /// An element of an array variable, an index for each dimension.
    pub fn element(variable: VarRef, indices: Vec<Expr>, span: Span) -> Place {
        let path = indices.into_iter().map(Projection::Index).collect();
        Place { base: Base::Variable(variable), path, span, access: Access::Plain }
    }

    /// The indices on the way.
    pub fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.path.iter().filter_map(|p| match p {
            Projection::Index(e) => Some(e),
            Projection::Field(_) => None,
        })
    }

    /// The expressions in it: the pointer, then the indices.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let pointer = match &self.base {
            Base::Pointed(pointer, _) => Some(&**pointer),
            Base::Variable(_) => None,
        };
        pointer.into_iter().chain(self.indices())
    }
}

/// How a value is taken over into another type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Conversion {
    /// It must fit; else an error of the program.
    Checked,
    /// It wraps.
    Wrapping,
}

/// What a read-modify-write does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum RmwKind {
    /// One operand: the new value.
    Exchange,
    /// One operand, added.
    Add,
    /// One operand, subtracted.
    Sub,
    /// One operand, bitwise and.
    And,
    /// One operand, bitwise or.
    Or,
    /// One operand, bitwise exclusive or.
    Xor,
    /// Two operands: expected and new value; gives the old value.
    CompareExchange,
    /// Two operands: expected and new value; gives whether it succeeded.
    CompareAndSwap,
}

impl RmwKind {
    /// Every kind.
    pub const ALL: [RmwKind; 8] = [
        RmwKind::Exchange,
        RmwKind::Add,
        RmwKind::Sub,
        RmwKind::And,
        RmwKind::Or,
        RmwKind::Xor,
        RmwKind::CompareExchange,
        RmwKind::CompareAndSwap,
    ];

    /// The name in the modelling language.
    pub fn name(self) -> &'static str {
        match self {
            RmwKind::Exchange => "exchange",
            RmwKind::Add => "fetch_add",
            RmwKind::Sub => "fetch_sub",
            RmwKind::And => "fetch_and",
            RmwKind::Or => "fetch_or",
            RmwKind::Xor => "fetch_xor",
            RmwKind::CompareExchange => "compare_exchange",
            RmwKind::CompareAndSwap => "cas",
        }
    }

    /// Type of the operands for a cell of type `cell`.
    pub fn operand_type(self, cell: Scalar) -> Scalar {
        match (self, cell) {
            (RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap, _) => cell,
            (_, Scalar::Int(_) | Scalar::Pointer { .. }) => cell,
            _ => Scalar::Integer,
        }
    }

    /// Number of operands besides the place.
    pub fn operands(self) -> usize {
        match self {
            RmwKind::CompareExchange | RmwKind::CompareAndSwap => 2,
            _ => 1,
        }
    }
}

/// A typed expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Type of its value. Fixed-width arithmetic wraps, all other arithmetic is exact.
    pub ty: Scalar,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A value of the expression's type.
    Const(i64),
    /// A variable's value; a load if it is shared.
    Read(Place),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands of the same arithmetic; `&&` and `||` evaluate the right one only if needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `cond ? then : otherwise`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand in the expression's type.
    Convert(Conversion, Box<Expr>),
    /// Any of these values.
    Any(Choices),
    /// An atomic read-modify-write.
    Rmw(RmwKind, Place, Vec<Expr>),
    /// A call.
    Call(ProcedureId, Vec<Expr>),
    /// Starts a thread and gives its handle.
    Spawn(ProcedureId, Vec<Expr>, Drain),
    /// The handle of the thread that evaluates it.
    Own,
    /// A pointer to a place in memory.
    AddressOf(Place),
    /// A pointer to new memory of that many bytes, to hold values of the type.
    Allocate(Type, Box<Expr>, Fill, Storage),
    /// The same with what an allocated object held, which is freed; the type counts where there is none.
    Reallocate(Type, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// A value.
    pub fn constant(value: i64, ty: Scalar, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, span }
    }

    /// Whether it calls a procedure, which may change the thread's own variables.
    pub fn calls(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= matches!(e.kind, ExprKind::Call(..)));
        found
    }
}

/// The value of a local variable.
pub fn read_local(id: LocalId, ty: Scalar, span: Span) -> Expr {
    Expr { kind: ExprKind::Read(Place::variable(VarRef::Local(id), span)), ty, span }
}

/// A fence, as the program has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Fence {
    /// One that machines have.
    Machine(FenceKind),
    /// C11's thread fence. The pass `orders` makes the machine's of it.
    Thread(Order),
}

/// Statements in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block(pub Vec<Stmt>);

impl Block {
    /// The statements up to the last one of the user's, and those that passes have added after it.
    pub fn with_added(&self) -> (&[Stmt], &[Stmt]) {
        self.0.split_at(self.0.iter().rposition(|stmt| stmt.span.is_some()).map_or(0, |last| last + 1))
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// Nothing, but a step.
    Skip,
    /// Names the place before the next statement.
    Label(String),
    /// Declares a local; without a value it gets its default.
    Declare(LocalId, Option<Expr>),
    /// `place = value`; a store if shared. The index is evaluated before the value.
    Assign(Place, Expr),
    /// A call, spawn or read-modify-write whose result is not used.
    Eval(Expr),
    /// `if`.
    If(Expr, Block, Block),
    /// `while`.
    While(Expr, Block),
    /// `do ... while`.
    DoWhile(Block, Expr),
    /// Leaves the innermost loop.
    Break,
    /// Next round of the innermost loop.
    Continue,
    /// Jumps to a label of the same procedure.
    Goto(String),
    /// Returns; in a process, ends the thread.
    Return(Option<Expr>),
    /// Runs one of the blocks.
    Choose(Vec<Block>),
    /// Runs the block with no other thread in between.
    Atomic(Drain, Block),
    /// Opens an atomic section.
    AtomicBegin(Drain),
    /// Closes it.
    AtomicEnd(Drain),
    /// A fence.
    Fence(Fence),
    /// Passes only if true.
    Assume(Expr),
    /// Must be true.
    Assert(Expr),
    /// Waits for a mutex and takes it.
    Lock(Place),
    /// Gives a mutex back.
    Unlock(Place),
    /// Waits for the end of a thread; its result goes to the place.
    Join(Option<Place>, Expr),
    /// Gives allocated memory back.
    Free(Expr),
    /// The local's block is entered: it is a new object from here on. Front ends put it where the text of the block begins;
    /// the pass `lifetime` removes those that nobody can tell, and adds those on other ways in.
    Enter(LocalId),
    /// The local's block is left: its object is gone. Of a local that is not entered, the memory that its declaration has
    /// allocated on the stack. As for [`StmtKind::Enter`], the pass adds those on other ways out.
    Leave(LocalId),
    /// Ends the thread, with a result.
    Exit(Option<Expr>),
    /// Ends the program.
    Halt,
    /// Statements with a scope of their own, and how C writes them.
    Block(Form, Block),
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
    /// Where it stands.
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
    /// Where it stands.
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
