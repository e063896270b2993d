//! Expressions, literals and initialisers.

use super::{Block, Name, TypeName};
use fencepost_ir::Span;
pub use fencepost_ir::tree::BinaryOp;

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Content.
    pub kind: ExprKind,
    /// Place, parentheses included.
    pub span: Span,
}

/// An expression's content.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A variable, function or enumeration constant; at the expression's place.
    Identifier(String),
    /// `42`, `0x1fUL`
    Integer(IntegerLiteral),
    /// `1.5e3f`, as written.
    Float(String),
    /// `'a'`
    Character(CharacterLiteral),
    /// `"text"`, adjacent ones put together.
    String(StringLiteral),
    /// `__func__`, `__FUNCTION__`, `__PRETTY_FUNCTION__`
    FunctionName,
    /// `-a`, `*a`, ...
    Unary(UnaryOp, Box<Expr>),
    /// `++a`, `a--`, ...
    Step(StepOp, Box<Expr>),
    /// `a + b`, `a && b`, ...; `&&` and `||` evaluate the right side only if needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`; `a ?: c` has no middle and gives `a` itself, evaluated once.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `(T)a`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(T){...}`
    CompoundLiteral(Box<TypeName>, InitializerList),
    /// `f(a, b)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.f`, `a->f`
    Member(Box<Expr>, Access, Name),
    /// `sizeof a`, `sizeof(T)`
    Sizeof(TypeOrExpr),
    /// `_Alignof(T)`, and GNU's `__alignof__ a`
    Alignof(TypeOrExpr),
    /// `_Generic(a, T: b, default: c)`
    Generic(Box<Generic>),
    /// `({ ...; a; })`
    Statements(Box<Block>),
    /// `&&label`
    LabelAddress(Name),
    /// `__builtin_offsetof(T, a.b[2].c)`: at least one step, the first of them a field.
    Offsetof(Box<TypeName>, Vec<OffsetofStep>),
    /// `__builtin_va_arg(a, T)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_types_compatible_p(T, U)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(constant, b, c)`
    Choose(Box<[Expr; 3]>),
}

/// Operators with one operand that only read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`; the conjugate of a complex number.
    BitNot,
    /// `!`
    Not,
    /// `&`
    AddressOf,
    /// `*`
    Deref,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
}

/// `++` and `--`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepOp {
    /// `++a`
    PreIncrement,
    /// `--a`
    PreDecrement,
    /// `a++`
    PostIncrement,
    /// `a--`
    PostDecrement,
}

/// How a member is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// `a.f`
    Dot,
    /// `a->f`
    Arrow,
}

/// The operand of `sizeof`, `typeof` and the like.
#[derive(Clone, Debug)]
pub enum TypeOrExpr {
    /// `sizeof(T)`
    Type(Box<TypeName>),
    /// `sizeof a`
    Expr(Box<Expr>),
}

/// `_Generic`
#[derive(Clone, Debug)]
pub struct Generic {
    /// What the choice depends on; not evaluated. A type is a newer extension.
    pub control: TypeOrExpr,
    /// The alternatives; at most one is the default, without a type.
    pub associations: Vec<(Option<TypeName>, Expr)>,
}

/// A step of `__builtin_offsetof`.
#[derive(Clone, Debug)]
pub enum OffsetofStep {
    /// `.f`
    Field(Name),
    /// `[a]`
    Index(Expr),
}

/// An integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerLiteral {
    /// Never negative: the sign is an operator.
    pub value: u64,
    /// Decimal constants never become unsigned because of their size; the others do.
    pub radix: Radix,
    /// Whether there is a `u`.
    pub unsigned: bool,
    /// The least width the suffix asks for.
    pub length: IntegerLength,
}

/// How an integer constant is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radix {
    /// `0b101`
    Binary,
    /// `017`, and `0`
    Octal,
    /// `17`
    Decimal,
    /// `0x1f`
    Hexadecimal,
}

/// The `l`s of an integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntegerLength {
    /// None: at least `int`.
    Int,
    /// `l`
    Long,
    /// `ll`
    LongLong,
}

/// The prefix of a character constant or string, which gives the type of its characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// None: `int` for a constant, `char` in a string, in UTF-8.
    Plain,
    /// `u8`: `char`, in UTF-8.
    Utf8,
    /// `u`: `char16_t`
    Utf16,
    /// `U`: `char32_t`
    Utf32,
    /// `L`: `wchar_t`, 32 bits wide
    Wide,
}

/// A character constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharacterLiteral {
    /// The value, sign included: plain characters are signed as on x86, so `'\xff'` is -1, and
    /// `'ab'` is `'a' * 256 + 'b'` as GCC has it.
    pub value: i64,
    /// The prefix.
    pub encoding: Encoding,
}

/// A string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// Bytes, or units of the encoding, without the 0 at the end.
    pub units: Vec<u32>,
    /// The prefix.
    pub encoding: Encoding,
}

impl StringLiteral {
    /// The text, for messages and asm templates; what is not text becomes U+FFFD.
    pub fn text(&self) -> String {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|u| *u as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Utf16 => {
                let units: Vec<u16> = self.units.iter().map(|u| *u as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Utf32 | Encoding::Wide => {
                self.units.iter().map(|u| char::from_u32(*u).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        }
    }
}

/// What a variable is initialised with.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= a`
    Expr(Expr),
    /// `= {...}`
    List(InitializerList),
}

/// `{a, .f = b, [2] = {c}}`
#[derive(Clone, Debug)]
pub struct InitializerList {
    /// In the order of the text; may be empty.
    pub items: Vec<InitializerItem>,
    /// From `{`.
    pub span: Span,
}

/// An item of a list of initialisers.
#[derive(Clone, Debug)]
pub struct InitializerItem {
    /// `.f[2]`; empty for the member that is next.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
    /// From the first designator.
    pub span: Span,
}

/// A step towards a member or element.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.f`, or GNU's `f:`
    Field(Name),
    /// `[a]`
    Index(Expr),
    /// `[a ... b]`: all of them.
    Range(Expr, Expr),
}
