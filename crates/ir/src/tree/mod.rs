//! The program as people write it: structured statements, typed expressions, source spans.
//!
//! Front ends produce it; it prints as `.fp` (in `print.rs`). Expressions may read shared memory,
//! do read-modify-writes, call and spawn; they are evaluated from left to right, one access
//! after the other, and the lowering pass makes an instruction of each.

mod print;
mod validate;

pub use crate::cfg::{BinaryOp, Choices, Count, Drain, FenceKind, Quantifier, UNBOUNDED, UnaryOp};
use crate::scalar::Scalar;
use crate::source::{Sources, Span};

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

/// A scalar, or an array of scalars.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The scalar.
    pub scalar: Scalar,
    /// The dimensions; empty for one scalar, [`UNBOUNDED`] for an array without end.
    pub dims: Vec<u32>,
}

impl Type {
    /// A single scalar.
    pub fn scalar(scalar: Scalar) -> Type {
        Type { scalar, dims: Vec::new() }
    }

    /// Number of scalars; none for an unbounded array.
    pub fn cells(&self) -> u64 {
        self.dims.iter().map(|&d| u64::from(d)).product()
    }
}

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
    /// Where it is declared.
    pub span: Span,
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

/// A variable or an element of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The variable.
    pub variable: VarRef,
    /// An index for each dimension.
    pub indices: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
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
            (_, Scalar::Int(_)) => cell,
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
}

impl Expr {
    /// A value.
    pub fn constant(value: i64, ty: Scalar, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, span }
    }

    /// Calls `visit` on this expression and all in it.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Any(_) => {}
            ExprKind::Read(place) => place.indices.iter().for_each(|e| e.visit(visit)),
            ExprKind::Unary(_, e) | ExprKind::Convert(_, e) => e.visit(visit),
            ExprKind::Binary(_, l, r) => {
                l.visit(visit);
                r.visit(visit);
            }
            ExprKind::Select(c, t, e) => {
                c.visit(visit);
                t.visit(visit);
                e.visit(visit);
            }
            ExprKind::Rmw(_, place, operands) => {
                place.indices.iter().chain(operands).for_each(|e| e.visit(visit));
            }
            ExprKind::Call(_, args) | ExprKind::Spawn(_, args, _) => args.iter().for_each(|e| e.visit(visit)),
        }
    }

    /// Whether its value depends on registers alone, so that it can be evaluated any time before
    /// the next instruction.
    pub fn is_pure(&self) -> bool {
        let mut pure = true;
        self.visit(&mut |e| {
            pure &= match &e.kind {
                ExprKind::Read(place) => !matches!(place.variable, VarRef::Shared(_)),
                ExprKind::Any(_) | ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => false,
                ExprKind::Const(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Select(..)
                | ExprKind::Convert(..) => true,
            }
        });
        pure
    }

    /// Whether it calls a procedure, which may change the thread's own variables.
    pub fn calls(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= matches!(e.kind, ExprKind::Call(..)));
        found
    }
}

/// Statements in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block(pub Vec<Stmt>);

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
    Fence(FenceKind),
    /// Passes only if true.
    Assume(Expr),
    /// Must be true.
    Assert(Expr),
    /// Waits for a mutex and takes it.
    Lock(Place),
    /// Gives a mutex back.
    Unlock(Place),
    /// Waits for the end of a thread.
    Join(Expr),
    /// Statements with a scope of their own.
    Block(Block),
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
    /// Shared variables.
    pub shared: Vec<Variable>,
    /// Variables that each thread has for itself.
    pub thread_locals: Vec<Variable>,
    /// Code.
    pub procedures: Vec<Procedure>,
    /// Threads at the beginning.
    pub threads: Vec<Thread>,
    /// What is checked.
    pub properties: Vec<Property>,
}

impl Program {
    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0]
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
}

impl Block {
    /// Calls `visit` on every statement, inner ones included.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Stmt)) {
        for stmt in &self.0 {
            visit(stmt);
            match &stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    then.visit(visit);
                    otherwise.visit(visit);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(body) => body.visit(visit),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| b.visit(visit)),
                _ => {}
            }
        }
    }
}

impl StmtKind {
    /// The expressions that stand directly in it, indices of places included.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            StmtKind::Declare(_, Some(e))
            | StmtKind::Eval(e)
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _)
            | StmtKind::DoWhile(_, e)
            | StmtKind::Return(Some(e))
            | StmtKind::Assume(e)
            | StmtKind::Assert(e)
            | StmtKind::Join(e) => vec![e],
            StmtKind::Assign(place, e) => place.indices.iter().chain([e]).collect(),
            StmtKind::Lock(place) | StmtKind::Unlock(place) => place.indices.iter().collect(),
            StmtKind::Skip
            | StmtKind::Label(_)
            | StmtKind::Declare(_, None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(None)
            | StmtKind::Choose(_)
            | StmtKind::Atomic(..)
            | StmtKind::AtomicBegin(_)
            | StmtKind::AtomicEnd(_)
            | StmtKind::Fence(_)
            | StmtKind::Block(_) => Vec::new(),
        }
    }
}
