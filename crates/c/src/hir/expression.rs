//! Values and places.

use super::{BitField, Block, FunctionId, GlobalId, Intrinsic, LabelId, LocalId, TypeId};
use fencepost_ir::{Access, Order, Span};

pub use fencepost_ir::tree::BinaryOp;

/// A value: of a scalar, a record, or nothing (`void`).
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Never an array or a function, and never qualified.
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, or a pointer made of one; folded, and in the range of its type. Of an unsigned type of 128 bits it has
    /// the bits only.
    Const(i128),
    /// The same, where it was computed from the size of this type: memory of that size is mostly for it.
    SizeOf(TypeId, i128),
    /// A floating-point number, as written.
    Number(String),
    /// The value of a place: a load if it is in memory.
    Read(Box<Place>),
    /// A pointer to a place; an array's decay is a pointer to its element 0.
    AddressOf(Box<Place>),
    /// A pointer to a function.
    Function(FunctionId),
    /// `&&label`
    LabelAddress(LabelId),
    /// `-` and `~`, on the expression's own type.
    Unary(UnaryOp, Box<Expr>),
    /// `!`: gives `int`. The operand is a scalar.
    Not(Box<Expr>),
    /// Arithmetic on operands of the expression's own type; of a shift the right one keeps its promoted type.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A comparison of two operands of one type: gives `int`.
    Compare(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&`, `||`: gives `int`; the right operand is evaluated only if needed.
    Logical(Logical, Box<Expr>, Box<Expr>),
    /// A pointer moved by that many elements, forwards or backwards; the count is of type `ptrdiff_t`.
    Offset(Box<Expr>, Direction, Box<Expr>),
    /// The distance of two pointers in elements.
    Distance(Box<Expr>, Box<Expr>),
    /// `a ? b : c`, both of the expression's type.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a ?: c`: the first operand, converted, if it is not 0; it is evaluated once.
    Elvis(Box<Expr>, Box<Expr>),
    /// The operand's value in the expression's type.
    Convert(Conversion, Box<Expr>),
    /// `place = value`, gives the new value; of a bit-field as many bits as it has.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= operand`, `++`, `--`: the operation is done in the operand's type, or moves a pointer.
    Update(Box<Update>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// A call.
    Call(Callee, Vec<Expr>),
    /// A function of the compiler's own, with a meaning of its own.
    Builtin(Builtin, Vec<Expr>),
    /// An atomic operation.
    Atomic(Box<Atomic>),
    /// `({ ...; value; })`
    Statements(Box<Block>, Option<Box<Expr>>),
    /// The next argument after `...`, of the expression's type.
    VaArg(Box<Place>),
    /// What could not be checked; a diagnostic says why, and nothing is lowered.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Minus,
    BitNot,
}

/// Where a pointer is moved to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Forwards,
    Backwards,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logical {
    And,
    Or,
}

/// How a value becomes one of another type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// An implicit one: promotions, the usual arithmetic conversions, assignments.
    Implicit,
    /// `(T)a`
    Cast,
}

/// `place op= operand` and its like. If the place is atomic, the whole is.
#[derive(Clone, Debug)]
pub struct Update {
    pub place: Place,
    pub op: BinaryOp,
    /// The type that the place's value is converted to, and the operation is done in; a pointer's own.
    pub computed_in: TypeId,
    /// Of that type; for a shift of its own promoted type, for a pointer the count of elements as `ptrdiff_t`.
    pub operand: Expr,
    /// The value that the whole has.
    pub gives: Gives,
}

/// Which value an update has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    Old,
    New,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by its name; one without a body gives any value, if the user has asked for that.
    Function(FunctionId),
    /// A function that has no body because its meaning is known.
    Intrinsic(Intrinsic),
    /// A pointer to a function.
    Pointer(Box<Expr>),
}

/// Functions that compilers have built in and that are no other name for one of the C library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// `__builtin_add_overflow(a, b, out)` and its like: the operation; the operands have their own types, the result that
    /// of `*out`, or, where it is not stored, of the third operand. Gives whether the exact result did not fit.
    Overflow(BinaryOp, Stored),
    /// `__builtin_va_start(list, ...)`: the operand is the address of the list.
    VaStart,
    /// `__builtin_va_end(list)`
    VaEnd,
    /// `__builtin_va_copy(to, from)`: the address of the one, and the other's value.
    VaCopy,
}

/// Whether the result of an overflow function is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    Yes,
    No,
}

/// An atomic operation: C11's, GCC's `__atomic_*` and `__sync_*`.
#[derive(Clone, Debug)]
pub struct Atomic {
    pub op: AtomicOp,
    pub order: OrderOf,
    /// The order of a compare-exchange that fails.
    pub failure: Option<OrderOf>,
}

/// A memory order, which may be known to the run only: then it is the number that headers give it, as `int`.
#[derive(Clone, Debug)]
pub enum OrderOf {
    Known(Order),
    Computed(Expr),
}

impl OrderOf {
    /// The memory order that headers give a number.
    pub fn numbered(n: i128) -> Option<Order> {
        // GCC's hints for lock elision are in higher bits.
        match n & 0xffff {
            0 => Some(Order::Relaxed),
            1 | 2 => Some(Order::Acquire),
            3 => Some(Order::Release),
            4 => Some(Order::AcqRel),
            5 => Some(Order::SeqCst),
            _ => None,
        }
    }
}

/// What is done. Operands are converted to the type of the place, whose access has the order where it is known.
#[derive(Clone, Debug)]
pub enum AtomicOp {
    Load(Place),
    Store(Place, Expr),
    /// `atomic_init`: not atomic at all.
    Init(Place, Expr),
    Exchange(Place, Expr),
    /// The place, the place of the expected value, the new value; gives whether it succeeded.
    CompareExchange {
        place: Place,
        expected: Place,
        desired: Expr,
    },
    /// The place, expected and new value.
    CompareSwap {
        place: Place,
        expected: Expr,
        desired: Expr,
        gives: Swapped,
    },
    /// An update with the operation; for pointers the operand counts bytes and is of type `ptrdiff_t`.
    Fetch {
        place: Place,
        op: FetchOp,
        operand: Expr,
        gives: Gives,
    },
    /// Sets to 1, gives whether it was set.
    TestAndSet(Place),
    /// Sets to 0.
    Clear(Place),
    Fence,
    /// Orders nothing between threads.
    SignalFence,
}

/// Which value a compare-and-swap has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swapped {
    /// The value that was there.
    Old,
    /// Whether that was the expected one.
    Success,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FetchOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

/// A place: something that can be read, assigned and pointed to.
#[derive(Clone, Debug)]
pub struct Place {
    pub base: Base,
    pub path: Vec<Projection>,
    /// The type of the part that the path leads to, with its qualifiers.
    pub ty: TypeId,
    /// Which bits of the last member it is, if that is a bit-field.
    pub bits: Option<BitField>,
    /// What the access to it is: by the type's qualifiers, unless an atomic operation says otherwise.
    pub access: Access,
    pub span: Span,
}

/// Where a place begins.
#[derive(Clone, Debug)]
pub enum Base {
    Local(LocalId),
    Global(GlobalId),
    /// What a pointer points to.
    Pointed(Box<Expr>),
    /// `(T){...}`: a variable of its block, new each time it is evaluated; initialised before it is used.
    Literal(LocalId, Box<Initializer>),
    /// The value of a record that is in no variable, as of a call.
    Value(Box<Expr>),
}

/// A step into a place.
#[derive(Clone, Debug)]
pub enum Projection {
    /// An element; the index is of type `ptrdiff_t`.
    Index(Expr),
    /// A member, by its number.
    Member(usize),
}

/// What a variable holds at first.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// Nothing is said.
    None,
    /// The value, of the variable's type.
    Value(Expr),
    /// Parts by their paths, in the order of evaluation, a later one over an earlier; all others are zero.
    Parts(Vec<Part>),
}

/// A part of a variable that is initialised.
#[derive(Clone, Debug)]
pub struct Part {
    pub path: Vec<Step>,
    pub value: PartValue,
}

/// What a part of a variable is initialised with.
#[derive(Clone, Debug)]
pub enum PartValue {
    /// The value, of the part's type.
    Value(Expr),
    /// Zeros, whatever an earlier part said.
    Zero,
    /// The characters of a string, from the first element on, the 0 at the end included if there is room.
    Units(Vec<u32>),
}

/// A step to a part of a variable, known when the program is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    Index(u64),
    /// From one index to another, both included.
    Range(u64, u64),
    Member(usize),
}
