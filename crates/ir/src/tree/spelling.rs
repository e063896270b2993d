//! What keeps a program looking like the user's when it is printed as C: how types are written, what constants are called,
//! and what is to be said of declarations. The program itself knows scalars, arrays, records and numbers. No verdict depends
//! on anything here.
//!
//! A front end fills it from what it has resolved: [`Variable::spelled`] and [`Procedure::spelled`] with the types as they are
//! written, [`Spelling`] with the names that these speak of, [`Form`](super::Form) with the statements of C. All of it may be
//! missing, and what does not mean what the program says is passed over ([`Spelling::fits`]).

use super::{Procedure, ProcedureId, Program, RecordId, SharedId, ThreadLocalId, Type, Variable};
use crate::{IntType, Scalar, Span};
use std::collections::BTreeMap;

/// A name of [`Spelling::names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeNameId(pub usize);

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spelled {
    /// Words of the language, with the scalar that they are; none for `void`.
    Words(&'static str, Option<Scalar>),
    /// A struct or union, by its tag.
    Record(RecordId),
    /// A typedef's name or an enumeration.
    Named(TypeNameId),
    /// A pointer.
    Pointer(Box<Spelled>),
    /// An array, and the name that its length has.
    Array(Box<Spelled>, Option<String>),
}

impl Spelled {
    /// A pointer to it.
    pub fn pointer(self) -> Spelled {
        Spelled::Pointer(Box::new(self))
    }
}

/// A type that has got a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeName {
    /// By `typedef`.
    Typedef {
        /// The name.
        name: String,
        /// What it stands for.
        means: Spelled,
        /// The standard header that has it.
        header: Option<&'static str>,
    },
    /// An enumeration.
    Enumeration {
        /// Its tag.
        tag: Option<String>,
        /// Its constants, in order.
        constants: Vec<(String, i64)>,
        /// Its place in the source.
        span: Span,
    },
}

/// A macro that is nothing but a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Macro {
    /// What it stands for.
    pub text: String,
    /// Its value.
    pub value: i64,
}

/// What something can be said of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Declared {
    /// The whole program.
    Program,
    /// A shared variable.
    Shared(SharedId),
    /// A variable of each thread.
    ThreadLocal(ThreadLocalId),
    /// A procedure.
    Procedure(ProcedureId),
}

/// Names and remarks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spelling {
    /// Names of types. Each comes after those that it mentions.
    pub names: Vec<TypeName>,
    /// The types of members.
    pub members: BTreeMap<(RecordId, String), Spelled>,
    /// What a value is called at a place: an enumeration's constant or a macro.
    pub constants: BTreeMap<(Span, i64), String>,
    /// Macros that are nothing but a number.
    pub macros: BTreeMap<String, Macro>,
    /// Comments on what passes have added to the program. Those of the user are in its sources.
    pub notes: BTreeMap<Declared, String>,
}

impl Spelling {
    /// What a type is, without typedefs around it.
    pub fn meaning<'a>(&'a self, spelled: &'a Spelled) -> &'a Spelled {
        match spelled {
            Spelled::Named(id) => match &self.names[id.0] {
                TypeName::Typedef { means, .. } => self.meaning(means),
                TypeName::Enumeration { .. } => spelled,
            },
            _ => spelled,
        }
    }

    /// The constants of the enumeration that a type is.
    pub fn constants(&self, spelled: &Spelled) -> Option<&[(String, i64)]> {
        match self.meaning(spelled) {
            Spelled::Named(id) => match &self.names[id.0] {
                TypeName::Enumeration { constants, .. } => Some(constants),
                TypeName::Typedef { .. } => None,
            },
            _ => None,
        }
    }

    /// Whether values of the type are what the program has them as.
    pub fn fits(&self, spelled: &Spelled, ty: &Type) -> bool {
        match (self.meaning(spelled), ty) {
            (Spelled::Words(_, scalar), Type::Scalar(ty)) => *scalar == Some(*ty),
            (Spelled::Record(id), Type::Record(ty)) => id == ty,
            (Spelled::Pointer(_), Type::Scalar(ty)) => matches!(ty, Scalar::Pointer { .. }),
            (Spelled::Array(inner, _), Type::Array(element, _)) => self.fits(inner, element),
            (Spelled::Named(id), Type::Scalar(Scalar::Int(int))) => match &self.names[id.0] {
                TypeName::Enumeration { constants, .. } => enumeration_type(constants) == Some(*int),
                TypeName::Typedef { .. } => false,
            },
            _ => false,
        }
    }
}

/// The type that compilers give to an enumeration, if it is as wide as `int`.
fn enumeration_type(constants: &[(String, i64)]) -> Option<IntType> {
    let signed = constants.iter().any(|(_, value)| *value < 0);
    let all = |fits: fn(i64) -> bool| constants.iter().all(|(_, value)| fits(*value));
    let narrow = if signed { all(|v| i32::try_from(v).is_ok()) } else { all(|v| u32::try_from(v).is_ok()) };
    narrow.then_some(IntType { bits: 32, signed })
}

/// The words of C for an integer of a width that C has, whatever the machine.
pub fn integer_words(int: IntType) -> Option<&'static str> {
    Some(match (int.bits, int.signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (64, true) => "long long",
        (64, false) => "unsigned long long",
        _ => return None,
    })
}

impl Program {
    /// How the type of a variable is written, if that is known and right.
    pub fn spelled<'a>(&'a self, v: &'a Variable) -> Option<&'a Spelled> {
        v.spelled.as_ref().filter(|spelled| self.spelling.fits(spelled, &v.ty))
    }

    /// How the type of a procedure's result is written, if that is known and right.
    pub fn spelled_result<'a>(&'a self, procedure: &'a Procedure) -> Option<&'a Spelled> {
        let ty = Type::Scalar(procedure.result?);
        procedure.spelled.as_ref().filter(|spelled| self.spelling.fits(spelled, &ty))
    }

    /// A type in words of C.
    pub fn spelled_out(&self, ty: &Type) -> Option<Spelled> {
        match ty {
            Type::Scalar(Scalar::Pointer { .. }) => Some(Spelled::Words("void", None).pointer()),
            Type::Scalar(scalar) => Some(Spelled::Words(self.c_words(*scalar)?, Some(*scalar))),
            Type::Record(id) => Some(Spelled::Record(*id)),
            Type::Array(element, _) => Some(Spelled::Array(Box::new(self.spelled_out(element)?), None)),
        }
    }

    /// The words of C for a scalar. It has none for mutexes and odd widths.
    pub fn c_words(&self, ty: Scalar) -> Option<&'static str> {
        let narrow = self.pointer_bits == 32;
        Some(match ty {
            Scalar::Bool => "_Bool",
            Scalar::Int(IntType { bits: 64, signed: true }) if !narrow => "long",
            Scalar::Int(IntType { bits: 64, signed: false }) if !narrow => "unsigned long",
            Scalar::Int(int) => integer_words(int)?,
            Scalar::Range { lo, hi } if i32::try_from(lo).is_ok() && i32::try_from(hi).is_ok() => "int",
            Scalar::Range { .. } | Scalar::Integer if narrow => "long long",
            Scalar::Range { .. } | Scalar::Integer => "long",
            Scalar::Thread => "pthread_t",
            Scalar::Pointer { .. } => "void *",
            Scalar::Mutex => return None,
        })
    }
}
