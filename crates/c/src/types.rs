//! C's types: what they are, how large they are, and how they convert.
//!
//! `volatile` and `restrict` are forgotten, since accesses to volatile variables are plain ones here;
//! `const` is kept for `_Generic` and against assignments, and `_Atomic`, since plain operators on such
//! variables are atomic. The types of thread libraries that have operations of their own (a mutex, a
//! thread's handle) are kept apart by their names.

use super::preprocess::DataModel;
use fencepost_ir::{IntType, RecordId, RecordKind, Records, Scalar, Type};
use std::fmt;
use std::rc::Rc;

impl DataModel {
    /// Width of pointers, which is that of `long`.
    pub fn pointer_bits(self) -> u8 {
        match self {
            DataModel::Lp64 => 64,
            DataModel::Ilp32 => 32,
        }
    }
}

/// Ranks of integer types, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Rank {
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

/// An integer type other than `_Bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Integer {
    pub rank: Rank,
    pub signed: bool,
    /// Plain `char`, which is a type of its own.
    pub plain: bool,
}

/// A function's type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FunctionType {
    pub result: CType,
    /// `None` if nothing is said about them.
    pub params: Option<Vec<CType>>,
    pub variadic: bool,
}

/// A bit-field: bits of an unsigned integer that other bit-fields may share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BitField {
    /// The type in its declaration.
    pub declared: CType,
    /// The integer that it is a part of.
    pub unit: IntType,
    /// Its lowest bit in the unit.
    pub shift: u8,
    /// How many bits it has.
    pub width: u8,
}

impl BitField {
    /// As many ones as it has bits.
    pub fn low_mask(&self) -> i128 {
        (1 << self.width) - 1
    }

    /// Its unit with a value for it in place of what the unit held.
    pub fn placed(&self, value: i64, unit: i64) -> i64 {
        let mask = self.low_mask() << self.shift;
        let value = (i128::from(value) & self.low_mask()) << self.shift;
        self.unit.wrap(i128::from(unit) & !mask | value)
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CType {
    Void,
    Bool,
    Integer(Integer),
    /// `float` and `double`, with their bytes; what values of them mean is said in `lower/floating.rs`.
    Floating(u8),
    /// Types that have room in structures but no operations here: `long double`, vectors, `__int128`;
    /// with their name and bytes.
    Unsupported(&'static str, u8),
    Pointer(Rc<CType>),
    /// `None` for an array whose length is given elsewhere.
    Array(Rc<CType>, Option<u64>),
    Record(RecordId),
    Function(Rc<FunctionType>),
    Atomic(Rc<CType>),
    Const(Rc<CType>),
    Bits(Rc<BitField>),
    /// `pthread_mutex_t`
    Mutex,
    /// `pthread_t`
    Thread,
}

impl CType {
    pub const fn integer(rank: Rank, signed: bool) -> CType {
        CType::Integer(Integer { rank, signed, plain: false })
    }

    pub const INT: CType = CType::integer(Rank::Int, true);
    pub const UNSIGNED: CType = CType::integer(Rank::Int, false);
    pub const LONG: CType = CType::integer(Rank::Long, true);
    pub const UNSIGNED_LONG: CType = CType::integer(Rank::Long, false);
    pub const CHAR: CType = CType::Integer(Integer { rank: Rank::Char, signed: true, plain: true });

    pub fn pointer_to(self) -> CType {
        CType::Pointer(Rc::new(self))
    }

    /// The type of a value that was read from something of this type.
    pub fn unqualified(&self) -> &CType {
        match self {
            CType::Atomic(inner) | CType::Const(inner) => inner.unqualified(),
            CType::Bits(bits) => bits.declared.unqualified(),
            _ => self,
        }
    }

    pub fn is_atomic(&self) -> bool {
        match self {
            CType::Atomic(_) => true,
            CType::Const(inner) => inner.is_atomic(),
            _ => false,
        }
    }

    pub fn is_const(&self) -> bool {
        match self {
            CType::Const(_) => true,
            CType::Atomic(inner) => inner.is_const(),
            CType::Bits(bits) => bits.declared.is_const(),
            _ => false,
        }
    }

    /// The bit-field that something of this type is.
    pub fn bits(&self) -> Option<&BitField> {
        match self {
            CType::Atomic(inner) | CType::Const(inner) => inner.bits(),
            CType::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// The type with `const`, which goes to an array's elements.
    pub fn constant(self) -> CType {
        match self {
            CType::Array(of, n) => CType::Array(Rc::new((*of).clone().constant()), n),
            CType::Function(_) | CType::Const(_) => self,
            ty => CType::Const(Rc::new(ty)),
        }
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.unqualified(), CType::Bool | CType::Integer(_))
    }

    pub fn is_floating(&self) -> bool {
        matches!(self.unqualified(), CType::Floating(_))
    }

    pub fn is_pointer(&self) -> bool {
        matches!(self.unqualified(), CType::Pointer(_))
    }

    /// Whether a value is one machine word.
    pub fn is_scalar(&self) -> bool {
        self.is_integer() || self.is_pointer() || matches!(self.unqualified(), CType::Thread)
    }

    /// What a pointer or array is of.
    pub fn element(&self) -> Option<&CType> {
        match self.unqualified() {
            CType::Pointer(inner) | CType::Array(inner, _) => Some(inner),
            _ => None,
        }
    }

    /// Integer promotion: what is smaller than `int` becomes `int`.
    pub fn promoted(&self) -> CType {
        match self.unqualified() {
            CType::Bool => CType::INT,
            CType::Integer(i) if i.rank < Rank::Int => CType::INT,
            other => other.clone(),
        }
    }
}

/// Sizes and names of types in one program.
#[derive(Clone, Copy)]
pub(super) struct Types<'a> {
    pub records: &'a Records,
    /// Alignment of each record, and whether its members are known.
    pub alignments: &'a [u64],
    pub complete: &'a [bool],
    pub data_model: DataModel,
}

impl Types<'_> {
    pub fn int_type(self, integer: Integer) -> IntType {
        let bits = match integer.rank {
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long => self.data_model.pointer_bits(),
            Rank::LongLong => 64,
        };
        IntType { bits, signed: integer.signed }
    }

    /// The scalar that holds a value of the type.
    pub fn scalar(self, ty: &CType) -> Option<Scalar> {
        match ty.unqualified() {
            CType::Bool => Some(Scalar::Bool),
            CType::Integer(i) => Some(Scalar::Int(self.int_type(*i))),
            CType::Floating(bytes) => Some(Scalar::Int(IntType { bits: bytes * 8, signed: false })),
            CType::Pointer(_) => Some(Scalar::Pointer { bits: self.data_model.pointer_bits() }),
            CType::Thread => Some(Scalar::Thread),
            CType::Mutex => Some(Scalar::Mutex),
            CType::Void
            | CType::Unsupported(..)
            | CType::Array(..)
            | CType::Record(_)
            | CType::Function(_)
            | CType::Const(_)
            | CType::Bits(_)
            | CType::Atomic(_) => None,
        }
    }

    /// The type of a variable; `None` if the type is not complete.
    pub fn storage(self, ty: &CType) -> Option<Type> {
        match ty.unqualified() {
            CType::Array(element, Some(n)) => {
                Some(Type::Array(Box::new(self.storage(element)?), u32::try_from(*n).ok()?))
            }
            CType::Record(id) => self.complete[id.0 as usize].then_some(Type::Record(*id)),
            CType::Unsupported(_, bytes) => {
                let word = if bytes.is_multiple_of(8) { 8 } else { 4 };
                let scalar = Scalar::Int(IntType { bits: word * 8, signed: false });
                Some(match bytes / word {
                    1 => scalar.into(),
                    n => Type::with_dims(scalar, &[n.into()]),
                })
            }
            scalar => self.scalar(scalar).map(Type::Scalar),
        }
    }

    /// Bytes of a type; `void` and functions have 1, as GNU C has it.
    pub fn size(self, ty: &CType) -> Option<u64> {
        match ty.unqualified() {
            CType::Void | CType::Function(_) => Some(1),
            other => self.storage(other).map(|ty| self.records.size(&ty)),
        }
    }

    pub fn alignment(self, ty: &CType) -> u64 {
        match ty.unqualified() {
            CType::Array(element, _) => self.alignment(element),
            CType::Record(id) => self.alignments[id.0 as usize],
            CType::Mutex => u64::from(self.data_model.pointer_bits()) / 8,
            CType::Unsupported(_, bytes) => match self.data_model {
                DataModel::Lp64 => u64::from(*bytes).next_power_of_two().min(16),
                DataModel::Ilp32 => 4,
            },
            other => {
                let natural = self.scalar(other).map_or(1, Scalar::size);
                // The i386 ABI aligns no plain scalar in a structure to more than a word.
                match self.data_model {
                    DataModel::Ilp32 if !ty.is_atomic() => natural.min(4),
                    DataModel::Lp64 | DataModel::Ilp32 => natural,
                }
            }
        }
    }

    /// The usual arithmetic conversions: the type in which two operands are computed.
    pub fn common(self, left: &CType, right: &CType) -> CType {
        let bytes = |ty: &CType| if let CType::Floating(bytes) = ty.unqualified() { *bytes } else { 0 };
        if left.is_floating() || right.is_floating() {
            return CType::Floating(bytes(left).max(bytes(right)));
        }
        let (CType::Integer(l), CType::Integer(r)) = (left.promoted(), right.promoted()) else {
            return left.promoted();
        };
        if l.signed == r.signed {
            return CType::Integer(if l.rank >= r.rank { l } else { r });
        }
        let (unsigned, signed) = if l.signed { (r, l) } else { (l, r) };
        if unsigned.rank >= signed.rank {
            CType::Integer(unsigned)
        } else if self.int_type(signed).bits > self.int_type(unsigned).bits {
            CType::Integer(signed)
        } else {
            CType::Integer(Integer { signed: false, ..signed })
        }
    }

    /// The type as C writes it.
    pub fn show(self, ty: &CType) -> String {
        match ty {
            CType::Void => "void".into(),
            CType::Bool => "_Bool".into(),
            CType::Integer(i) => i.to_string(),
            CType::Floating(4) => "float".into(),
            CType::Floating(_) => "double".into(),
            CType::Unsupported(name, _) => (*name).to_string(),
            CType::Pointer(to) => format!("{} *", self.show(to)).replace("* *", "**"),
            CType::Array(of, Some(n)) => format!("{}[{n}]", self.show(of)),
            CType::Array(of, None) => format!("{}[]", self.show(of)),
            CType::Record(id) => match self.records.get(*id).kind {
                RecordKind::Struct => format!("struct {}", self.records.get(*id).name),
                RecordKind::Union => format!("union {}", self.records.get(*id).name),
            },
            CType::Function(f) => format!("{} (...)", self.show(&f.result)),
            CType::Atomic(inner) => format!("_Atomic {}", self.show(inner)),
            CType::Const(inner) => match &**inner {
                CType::Pointer(_) => format!("{}const", self.show(inner)),
                _ => format!("const {}", self.show(inner)),
            },
            CType::Bits(bits) => self.show(&bits.declared),
            CType::Mutex => "pthread_mutex_t".into(),
            CType::Thread => "pthread_t".into(),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.rank {
            Rank::Char => "char",
            Rank::Short => "short",
            Rank::Int => "int",
            Rank::Long => "long",
            Rank::LongLong => "long long",
        };
        match (self.signed, self.rank, self.plain) {
            (true, Rank::Char, false) => f.write_str("signed char"),
            (true, ..) => f.write_str(name),
            (false, Rank::Int, _) => f.write_str("unsigned"),
            (false, ..) => write!(f, "unsigned {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        let records = Records::default();
        let lp64 = Types { records: &records, alignments: &[], complete: &[], data_model: DataModel::Lp64 };
        let ilp32 = Types { data_model: DataModel::Ilp32, ..lp64 };
        let unsigned_char = CType::integer(Rank::Char, false);
        assert_eq!(lp64.common(&unsigned_char, &CType::CHAR), CType::INT);
        assert_eq!(lp64.common(&CType::INT, &CType::UNSIGNED), CType::UNSIGNED);
        assert_eq!(lp64.common(&CType::LONG, &CType::UNSIGNED), CType::LONG);
        assert_eq!(ilp32.common(&CType::LONG, &CType::UNSIGNED), CType::UNSIGNED_LONG);
        assert_eq!(lp64.common(&CType::UNSIGNED_LONG, &CType::LONG), CType::UNSIGNED_LONG);
        assert_eq!(lp64.common(&CType::Bool, &CType::Bool), CType::INT);
    }
}
