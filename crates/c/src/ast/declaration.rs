//! Declarations and types.

use super::{Expr, Initializer, Name, StringLiteral, TypeOrExpr};
use fencepost_ir::Span;

/// `specifiers declarator = initializer, ...;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What all declarators share.
    pub specifiers: Specifiers,
    /// None where only a type is declared, as in `struct s { int x; };`.
    pub declarators: Vec<InitDeclarator>,
    /// From the first specifier.
    pub span: Span,
}

/// A declared variable, function or typedef name.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// Has a name.
    pub declarator: Declarator,
    /// `asm("symbol")`: the name for the linker.
    pub asm_label: Option<StringLiteral>,
    /// What follows `=`.
    pub initializer: Option<Initializer>,
    /// From the declarator.
    pub span: Span,
}

impl InitDeclarator {
    /// The declared name.
    pub fn name(&self) -> &Name {
        self.declarator.name.as_ref().expect("the parser gives every declared thing a name")
    }
}

/// What comes before the declarators.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub storage: Option<(Storage, Span)>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: Option<Span>,
    /// `inline`
    pub inline: Option<Span>,
    /// `_Noreturn`
    pub noreturn: Option<Span>,
    /// `_Alignas(...)`, in the order of the text.
    pub alignments: Vec<TypeOrExpr>,
    /// `const`, `volatile`, ... of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub ty: TypeSpecifier,
    /// Attributes that belong to all declarators.
    pub attributes: Vec<Attribute>,
    /// From the first specifier to the last.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// Type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic` without parentheses; with them it is [`TypeSpecifier::Atomic`].
    pub is_atomic: bool,
}

/// A base type.
#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    /// `unsigned long`, in whatever order the words are; a missing type is `int`.
    Basic(BasicType),
    /// A typedef name.
    Named(Name),
    /// `struct s`, `union u { ... }`
    Record(Box<Record>),
    /// `enum e`, `enum { ... }`
    Enum(Box<Enum>),
    /// `typeof(...)`
    Typeof(TypeOrExpr),
    /// `_Atomic(T)`
    Atomic(Box<TypeName>),
    /// `__auto_type`: the type of the initialiser.
    Auto,
    /// `__builtin_va_list`
    VaList,
}

/// Types that are words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BasicType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`, `signed`
    Int,
    /// `unsigned`
    Unsigned,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `double` and the like.
    Floating(FloatType),
    /// `double _Complex` and the like.
    Complex(FloatType),
}

/// Floating types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatType {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float16`
    Float16,
    /// `_Float32`
    Float32,
    /// `_Float32x`
    Float32x,
    /// `_Float64`
    Float64,
    /// `_Float64x`
    Float64x,
    /// `_Float128`, `__float128`
    Float128,
    /// `__float80`
    Float80,
    /// `_Decimal32`
    Decimal32,
    /// `_Decimal64`
    Decimal64,
    /// `_Decimal128`
    Decimal128,
}

/// Structures and unions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
}

/// `struct tag { ... }`; a tag, members or both.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag.
    pub tag: Option<Name>,
    /// The members, which may be none; `None` where the type is only named.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and after the members.
    pub attributes: Vec<Attribute>,
    /// From `struct`.
    pub span: Span,
}

/// Part of a structure or union.
#[derive(Clone, Debug)]
pub enum Member {
    /// `int a, *b, c : 3;`
    Fields {
        /// What the fields share.
        specifiers: Box<Specifiers>,
        /// Empty for an anonymous structure or union, whose members belong to the one around it.
        fields: Vec<Field>,
    },
    /// `_Static_assert(...);`
    StaticAssert(StaticAssert),
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Without a name only if there is a width.
    pub declarator: Declarator,
    /// `: width`
    pub width: Option<Expr>,
    /// From the declarator.
    pub span: Span,
}

/// `enum tag { ... }`; a tag, enumerators or both.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The tag.
    pub tag: Option<Name>,
    /// The constants; `None` where the type is only named.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes before the tag and after the constants.
    pub attributes: Vec<Attribute>,
    /// From `enum`.
    pub span: Span,
}

/// `name = value`
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// The constant.
    pub name: Name,
    /// One more than the one before (or 0) if not given.
    pub value: Option<Expr>,
}

/// What a declaration says of one name, beyond what its [`Specifiers`] say.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// None in type names, some parameters and unnamed bit-fields.
    pub name: Option<Name>,
    /// From the name outwards, in the order in which one reads a type aloud: `int *(*f[3])(void)` is
    /// an array of 3 pointers to functions that return pointers to `int`:
    /// `[Array, Pointer, Function, Pointer]`. The type is the base type wrapped in the last step
    /// first.
    pub derived: Vec<Derived>,
    /// Attributes of this name only.
    pub attributes: Vec<Attribute>,
    /// At the name, or where it would be.
    pub span: Span,
}

/// A step of a type's construction.
#[derive(Clone, Debug)]
pub enum Derived {
    /// `*`, with the qualifiers of the pointer itself.
    Pointer(Qualifiers),
    /// `[...]`
    Array(ArrayBounds),
    /// `(...)`
    Function(Parameters),
}

/// `[static const n]`
#[derive(Clone, Debug)]
pub struct ArrayBounds {
    /// The length.
    pub size: ArraySize,
    /// Qualifiers, in a parameter: those of the pointer that it becomes.
    pub qualifiers: Qualifiers,
    /// `static`, in a parameter: at least that many elements.
    pub is_static: bool,
    /// From `[`.
    pub span: Span,
}

/// An array's length.
#[derive(Clone, Debug)]
pub enum ArraySize {
    /// `[]`: from the initialiser, elsewhere, or flexible as a structure's last member.
    Unspecified,
    /// `[*]`: variable, in a prototype.
    Star,
    /// `[n]`; not constant for a variable-length array.
    Expr(Box<Expr>),
}

/// A function's parameters.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// `()`: nothing is said about them.
    Unspecified,
    /// `(void)`, `(int a, ...)`
    Prototype {
        /// In order; none for `(void)`.
        parameters: Vec<Parameter>,
        /// Whether `...` follows.
        variadic: bool,
    },
    /// `(a, b)` of an old-style definition.
    Names(Vec<Name>),
}

/// A parameter of a prototype.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The base type.
    pub specifiers: Specifiers,
    /// With or without a name.
    pub declarator: Declarator,
    /// From the first specifier.
    pub span: Span,
}

/// A type without a name, as in casts.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The base type; no storage class.
    pub specifiers: Specifiers,
    /// Without a name.
    pub declarator: Declarator,
    /// From the first specifier.
    pub span: Span,
}

/// `_Static_assert(condition, "message");`
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// Has to be a constant other than 0.
    pub condition: Expr,
    /// What to say otherwise.
    pub message: Option<StringLiteral>,
    /// From the keyword.
    pub span: Span,
}

/// An attribute that may change what a program means; those that only guide warnings or
/// optimisation are left out.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Which.
    pub kind: AttributeKind,
    /// Its name.
    pub span: Span,
}

/// The attributes that are kept, in GNU's or in C23's notation.
#[derive(Clone, Debug)]
pub enum AttributeKind {
    /// `packed`
    Packed,
    /// `aligned`, `aligned(n)`
    Aligned(Option<Box<Expr>>),
    /// `noreturn`
    NoReturn,
    /// `constructor`, `constructor(priority)`: runs before `main`.
    Constructor(Option<Box<Expr>>),
    /// `destructor`, `destructor(priority)`: runs after `main`.
    Destructor(Option<Box<Expr>>),
    /// `cleanup(f)`: `f(&variable)` is called when the variable goes out of scope.
    Cleanup(Name),
    /// `weak`
    Weak,
    /// `alias("f")`, `weakref("f")`: another name for `f`.
    Alias(StringLiteral),
    /// `mode(m)`: the width of an integer or floating type; without the underscores around `m`.
    Mode(Name),
    /// `vector_size(n)`
    VectorSize(Box<Expr>),
    /// `transparent_union`
    TransparentUnion,
    /// `gnu_inline`: with `extern inline` the body is only for inlining.
    GnuInline,
    /// Another one that changes the meaning (`naked`, `ifunc`, ...), without the underscores around
    /// its name.
    Other(String),
}
