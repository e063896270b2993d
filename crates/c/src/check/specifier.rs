//! Base types: what comes before the declarators.

use super::scope::Symbol;
use super::{Checker, Result};
use crate::ast::{self, BasicType, FloatType, TypeSpecifier};
use crate::hir::{Floating, Integer, Qualifiers, Rank, Type, TypeId};
use crate::preprocess::DataModel;

/// What the compiler knows and no header declares.
const UNKNOWN: Type = Type::Opaque("a type that only the compiler knows", 16, 16);

fn integer(rank: Rank, signed: bool) -> Type {
    Type::Integer(Integer::new(rank, signed))
}

fn floating(kind: FloatType) -> Floating {
    match kind {
        FloatType::Float16 => Floating::Half,
        FloatType::Float | FloatType::Float32 | FloatType::Decimal32 => Floating::Float,
        FloatType::Double | FloatType::Float32x | FloatType::Float64 | FloatType::Decimal64 => {
            Floating::Double
        }
        FloatType::LongDouble | FloatType::Float64x | FloatType::Float80 => Floating::LongDouble,
        FloatType::Float128 | FloatType::Decimal128 => Floating::Float128,
    }
}

/// Bytes and alignment of a complex number, which is a pair.
fn complex(kind: FloatType, model: DataModel) -> Type {
    let (bytes, align) = match (floating(kind), model) {
        (Floating::Half, _) => (4, 2),
        (Floating::Float, _) => (8, 4),
        (Floating::Double, DataModel::Lp64) => (16, 8),
        (Floating::Double, DataModel::Ilp32) => (16, 4),
        (Floating::LongDouble, DataModel::Ilp32) => (24, 4),
        (Floating::LongDouble | Floating::Float128, _) => (32, 16),
    };
    Type::Opaque("a complex number", bytes, align)
}

fn basic(ty: BasicType, model: DataModel) -> Type {
    match ty {
        BasicType::Void => Type::Void,
        BasicType::Bool => Type::Bool,
        BasicType::Char => Type::Integer(Integer { rank: Rank::Char, signed: true, plain: true }),
        BasicType::SignedChar => integer(Rank::Char, true),
        BasicType::UnsignedChar => integer(Rank::Char, false),
        BasicType::Short => integer(Rank::Short, true),
        BasicType::UnsignedShort => integer(Rank::Short, false),
        BasicType::Int => integer(Rank::Int, true),
        BasicType::Unsigned => integer(Rank::Int, false),
        BasicType::Long => integer(Rank::Long, true),
        BasicType::UnsignedLong => integer(Rank::Long, false),
        BasicType::LongLong => integer(Rank::LongLong, true),
        BasicType::UnsignedLongLong => integer(Rank::LongLong, false),
        BasicType::Int128 => integer(Rank::Int128, true),
        BasicType::UnsignedInt128 => integer(Rank::Int128, false),
        BasicType::Floating(kind) => Type::Floating(floating(kind)),
        BasicType::Complex(kind) => complex(kind, model),
    }
}

/// The qualifiers that count.
pub fn qualifiers(written: ast::Qualifiers) -> Qualifiers {
    Qualifiers { is_const: written.is_const, is_volatile: written.is_volatile, is_atomic: written.is_atomic }
}

impl<'a> Checker<'a> {
    /// The base type of a declaration.
    pub fn base_type(&mut self, specifiers: &'a ast::Specifiers) -> Result<TypeId> {
        let ty = match &specifiers.ty {
            TypeSpecifier::Basic(ty) => self.types.intern(basic(*ty, self.options.data_model)),
            TypeSpecifier::Named(name) => match self.scopes.lookup(&name.text) {
                Some(Symbol::Type(ty)) => ty,
                Some(Symbol::Broken) => return Err(super::Reported(())),
                _ => self.types.intern(UNKNOWN),
            },
            TypeSpecifier::Record(record) => self.record(record)?,
            TypeSpecifier::Enum(e) => self.enumeration(e)?,
            TypeSpecifier::Typeof(of) => self.type_or_expr(of)?,
            TypeSpecifier::Atomic(inner) => {
                let inner = self.type_name(inner)?;
                self.types.qualified(inner, Qualifiers { is_atomic: true, ..Qualifiers::NONE })
            }
            TypeSpecifier::VaList => self.types.intern(Type::VaList),
            TypeSpecifier::Auto => {
                return self.fail(specifiers.span, "`__auto_type` needs an initialiser");
            }
        };
        Ok(self.types.qualified(ty, qualifiers(specifiers.qualifiers)))
    }

    /// The type that a cast, `sizeof` or the like names.
    pub fn type_name(&mut self, name: &'a ast::TypeName) -> Result<TypeId> {
        let base = self.base_type(&name.specifiers)?;
        let base = self.with_vectors(base, &name.specifiers.attributes)?;
        self.derive(base, &name.declarator.derived)
    }

    /// The type that is named, or that an expression has that is not evaluated.
    pub fn type_or_expr(&mut self, of: &'a ast::TypeOrExpr) -> Result<TypeId> {
        match of {
            ast::TypeOrExpr::Type(name) => self.type_name(name),
            ast::TypeOrExpr::Expr(e) => self.type_of(e),
        }
    }
}
