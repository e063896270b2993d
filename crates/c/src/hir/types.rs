//! C's types, interned: equal types have equal ids.
//!
//! A typedef name is a type of its own around the one it stands for ([`Type::Named`]), so that printers can write what
//! the user wrote; [`Types::kind`](super::Types::kind) looks through it and through qualifiers, and is what everyone else
//! asks.

use super::LocalId;
use fencepost_ir::{Access, Span};
use std::collections::HashMap;

index_vec::define_index_type! {
    /// A type.
    pub struct TypeId = u32;
}

index_vec::define_index_type! {
    /// A structure or union.
    pub struct RecordId = u32;
}

index_vec::define_index_type! {
    /// An enumeration.
    pub struct EnumId = u32;
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Bool,
    Integer(Integer),
    Floating(Floating),
    /// Types that have room but no operations: complex numbers, vectors, with their name, bytes and alignment.
    Opaque(&'static str, u64, u64),
    Pointer(TypeId),
    Array(TypeId, Length),
    Record(RecordId),
    Enum(EnumId),
    Function(FunctionType),
    /// The program's own lock, which `pthread_mutex_t` is or has in it.
    Mutex,
    /// `pthread_t`
    Thread,
    /// `va_list`: a scalar, which is copied when it is passed on.
    VaList,
    /// `const int`, `_Atomic int`, ...; never around another one of these.
    Qualified(Qualifiers, TypeId),
    /// A typedef name and what it stands for.
    Named(String, TypeId),
}

/// Ranks of integer types, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rank {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
}

/// An integer type other than `_Bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Integer {
    pub rank: Rank,
    pub signed: bool,
    /// Plain `char`, which is a type of its own.
    pub plain: bool,
}

impl Integer {
    pub const fn new(rank: Rank, signed: bool) -> Integer {
        Integer { rank, signed, plain: false }
    }
}

/// A floating type, in the order of the usual arithmetic conversions. Decimal ones count as the binary ones of their size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Floating {
    Half,
    Float,
    Double,
    LongDouble,
    Float128,
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    Known(u64),
    /// Given elsewhere, or flexible at the end of a structure.
    Unknown,
    /// Only the run knows it: a local of type `size_t` that the checker made holds it from the declaration on.
    Variable(LocalId),
}

/// A function's type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: TypeId,
    /// `None` if nothing is said about them.
    pub params: Option<Vec<TypeId>>,
    pub variadic: bool,
}

/// What a type is qualified with; `restrict` means nothing here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_atomic: bool,
}

impl Qualifiers {
    pub const NONE: Qualifiers = Qualifiers { is_const: false, is_volatile: false, is_atomic: false };

    /// Those of both.
    pub fn and(self, other: Qualifiers) -> Qualifiers {
        Qualifiers {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }

    /// What members of a structure and elements of an array take over.
    pub fn of_parts(self) -> Qualifiers {
        Qualifiers { is_atomic: false, ..self }
    }

    /// What the qualifiers make of an access.
    pub fn access(self) -> Access {
        match self {
            Qualifiers { is_atomic: true, .. } => Access::SEQ_CST,
            Qualifiers { is_volatile: true, .. } => Access::Volatile,
            _ => Access::Plain,
        }
    }
}

/// A structure or union.
#[derive(Clone, Debug)]
pub struct Record {
    pub kind: RecordKind,
    /// Empty if it has none.
    pub tag: String,
    /// `None` while the type is incomplete.
    pub layout: Option<RecordLayout>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Struct,
    Union,
}

/// Members and where they lie, by the System V ABI.
#[derive(Clone, Debug)]
pub struct RecordLayout {
    pub members: Vec<Member>,
    /// Where the members of each name are; of those without a name the record has several.
    pub names: HashMap<String, Vec<usize>>,
    pub size: u64,
    pub align: u64,
    /// An argument of any member's type fits a parameter of this type.
    pub transparent: bool,
}

impl RecordLayout {
    /// The unnamed structures and unions among the members.
    pub fn unnamed(&self) -> &[usize] {
        self.names.get("").map_or(&[], |unnamed| unnamed)
    }
}

/// A member. Members of unnamed members are found by a path of several.
#[derive(Clone, Debug)]
pub struct Member {
    /// Empty for an unnamed structure or union.
    pub name: String,
    pub ty: TypeId,
    /// The first byte. Of a bit-field: of the unit that it is in.
    pub offset: u64,
    pub bits: Option<BitField>,
    pub span: Span,
}

/// The bits of a member that is a bit-field. Bit-fields that share bytes share a unit, if it has at most 8 bytes: an
/// assignment to one reads and writes all of it, as compilers do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitField {
    /// Bytes of the unit, at most 8.
    pub unit: u8,
    /// The lowest bit in the unit.
    pub shift: u8,
    pub width: u8,
}

/// An enumeration; its values have the type `underlying`, its constants are `int` where they fit.
#[derive(Clone, Debug)]
pub struct Enum {
    pub tag: String,
    pub underlying: TypeId,
    pub constants: Vec<(String, i128)>,
    pub span: Span,
}
