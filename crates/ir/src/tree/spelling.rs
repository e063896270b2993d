//! How types are written in a C program. The program itself knows scalars, arrays and records; the names that the user
//! gave to types, and what pointers point to, are kept beside it, for programs that are printed as C again. No verdict
//! depends on anything here.

use super::{Program, RecordId, Type};
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
    /// An array; the length is written there.
    Array(Box<Spelled>, Span),
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
        /// Where it stands.
        span: Span,
    },
}

/// How the types of a program are written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spelling {
    /// Each stands behind those that it speaks of.
    pub names: Vec<TypeName>,
    /// The types of variables and parameters, and of the results of functions, by the places of their names.
    pub declared: BTreeMap<Span, Spelled>,
    /// The types of members.
    pub members: BTreeMap<(RecordId, String), Spelled>,
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

impl Program {
    /// How the type of something declared there is written, if that is known and right.
    pub fn spelled(&self, span: Span, ty: &Type) -> Option<&Spelled> {
        self.spelling.declared.get(&span).filter(|spelled| self.spelling.fits(spelled, ty))
    }
}
