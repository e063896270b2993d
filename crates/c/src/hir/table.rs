//! The table of a program's types: equal types have one id, and each knows its canonical form, without typedef names.

use super::types::*;
use crate::preprocess::DataModel;
use fencepost_ir::Span;
use index_vec::IndexVec;
use std::collections::HashMap;

/// All types of a program.
#[derive(Debug)]
pub struct Types {
    pub data_model: DataModel,
    all: IndexVec<TypeId, Type>,
    /// For each type the same one without typedef names, at any depth.
    canonical: IndexVec<TypeId, TypeId>,
    known: HashMap<Type, TypeId>,
    /// Typedef names that have an alignment of their own.
    aligned: HashMap<TypeId, u64>,
    /// Where typedef names are declared, if that is at file scope.
    typedefs: HashMap<TypeId, Span>,
    pub records: IndexVec<RecordId, Record>,
    pub enums: IndexVec<EnumId, Enum>,
}

/// The types that every table begins with, in this order.
const FIRST: [Type; 9] = [
    Type::Void,
    Type::Bool,
    Type::Integer(Integer { rank: Rank::Char, signed: true, plain: true }),
    Type::Integer(Integer::new(Rank::Int, true)),
    Type::Integer(Integer::new(Rank::Int, false)),
    Type::Integer(Integer::new(Rank::Long, true)),
    Type::Integer(Integer::new(Rank::Long, false)),
    Type::Floating(Floating::Float),
    Type::Floating(Floating::Double),
];

impl Types {
    pub fn new(data_model: DataModel) -> Types {
        let mut types = Types {
            data_model,
            all: IndexVec::new(),
            canonical: IndexVec::new(),
            known: HashMap::new(),
            aligned: HashMap::new(),
            typedefs: HashMap::new(),
            records: IndexVec::new(),
            enums: IndexVec::new(),
        };
        for ty in FIRST {
            types.intern(ty);
        }
        types
    }

    pub fn void(&self) -> TypeId {
        TypeId::from_raw(0)
    }

    pub fn bool(&self) -> TypeId {
        TypeId::from_raw(1)
    }

    pub fn char(&self) -> TypeId {
        TypeId::from_raw(2)
    }

    pub fn int(&self) -> TypeId {
        TypeId::from_raw(3)
    }

    pub fn unsigned(&self) -> TypeId {
        TypeId::from_raw(4)
    }

    pub fn long(&self) -> TypeId {
        TypeId::from_raw(5)
    }

    pub fn unsigned_long(&self) -> TypeId {
        TypeId::from_raw(6)
    }

    pub fn float(&self) -> TypeId {
        TypeId::from_raw(7)
    }

    pub fn double(&self) -> TypeId {
        TypeId::from_raw(8)
    }

    /// `size_t`
    pub fn size_type(&self) -> TypeId {
        match self.data_model {
            DataModel::Lp64 => self.unsigned_long(),
            DataModel::Ilp32 => self.unsigned(),
        }
    }

    /// `ptrdiff_t`
    pub fn distance_type(&self) -> TypeId {
        match self.data_model {
            DataModel::Lp64 => self.long(),
            DataModel::Ilp32 => self.int(),
        }
    }

    pub fn integer(&mut self, rank: Rank, signed: bool) -> TypeId {
        self.intern(Type::Integer(Integer::new(rank, signed)))
    }

    pub fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.intern(Type::Pointer(ty))
    }

    pub fn void_pointer(&mut self) -> TypeId {
        self.pointer_to(self.void())
    }

    pub fn array_of(&mut self, ty: TypeId, length: Length) -> TypeId {
        self.intern(Type::Array(ty, length))
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.known.get(&ty) {
            return *id;
        }
        let canonical = self.canonical_form(&ty);
        let id = self.all.push(ty.clone());
        self.known.insert(ty, id);
        self.canonical.push(id);
        if let Some(form) = canonical {
            let form = self.intern(form);
            self.canonical[id] = self.canonical[form];
        }
        id
    }

    /// The type without typedef names, if it has any.
    fn canonical_form(&self, ty: &Type) -> Option<Type> {
        let canonical = |id: &TypeId| self.canonical[*id];
        let form = match ty {
            Type::Named(_, of) => self.all[canonical(of)].clone(),
            Type::Qualified(qualifiers, of) => {
                let of = canonical(of);
                match &self.all[of] {
                    Type::Qualified(inner, of) => Type::Qualified(inner.and(*qualifiers), *of),
                    _ => Type::Qualified(*qualifiers, of),
                }
            }
            Type::Pointer(to) => Type::Pointer(canonical(to)),
            Type::Array(of, length) => Type::Array(canonical(of), *length),
            Type::Function(f) => Type::Function(FunctionType {
                result: canonical(&f.result),
                params: f.params.as_ref().map(|params| params.iter().map(canonical).collect()),
                variadic: f.variadic,
            }),
            _ => return None,
        };
        (form != *ty).then_some(form)
    }

    /// A typedef name with an alignment of its own, which may be less than that of what it stands for.
    pub fn named_and_aligned(&mut self, name: &str, of: TypeId, align: u64) -> TypeId {
        let id = self.intern(Type::Named(name.to_string(), of));
        self.aligned.insert(id, align);
        id
    }

    /// Notes where a typedef name is declared.
    pub fn declare_typedef(&mut self, id: TypeId, span: Span) {
        self.typedefs.entry(id).or_insert(span);
    }

    /// Where a typedef name is declared, if that is at file scope.
    pub fn typedef_place(&self, id: TypeId) -> Option<Span> {
        self.typedefs.get(&id).copied()
    }

    /// The alignment that a typedef name around a type asks for.
    pub fn asked_alignment(&self, id: TypeId) -> Option<u64> {
        match &self.all[id] {
            Type::Named(_, of) => self.aligned.get(&id).copied().or_else(|| self.asked_alignment(*of)),
            Type::Qualified(_, of) => self.asked_alignment(*of),
            _ => None,
        }
    }

    /// The type as it is written.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id]
    }

    /// The same type without typedef names, at any depth.
    pub fn canonical(&self, id: TypeId) -> TypeId {
        self.canonical[id]
    }

    /// The type without typedef names and qualifiers at its outside.
    pub fn kind(&self, id: TypeId) -> &Type {
        match &self.all[id] {
            Type::Named(_, of) | Type::Qualified(_, of) => self.kind(*of),
            ty => ty,
        }
    }

    /// Whether values of the two are of one type; qualifiers at the outside do not count.
    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        self.canonical(self.unqualified(a)) == self.canonical(self.unqualified(b))
    }

    pub fn qualifiers(&self, id: TypeId) -> Qualifiers {
        match &self.all[id] {
            Type::Named(_, of) => self.qualifiers(*of),
            Type::Qualified(qualifiers, of) => qualifiers.and(self.qualifiers(*of)),
            // An array is as its elements are.
            Type::Array(of, _) => self.qualifiers(*of).of_parts(),
            _ => Qualifiers::NONE,
        }
    }

    /// The type of a value that is read from something of this type; its typedef name is kept where it can be.
    pub fn unqualified(&self, id: TypeId) -> TypeId {
        match &self.all[id] {
            Type::Qualified(_, of) => self.unqualified(*of),
            Type::Named(_, of) if self.qualifiers(*of) != Qualifiers::NONE => self.unqualified(*of),
            _ => id,
        }
    }

    /// The type with further qualifiers, which go to the elements of an array.
    pub fn qualified(&mut self, id: TypeId, qualifiers: Qualifiers) -> TypeId {
        if qualifiers == Qualifiers::NONE {
            return id;
        }
        match self.kind(id).clone() {
            Type::Array(of, length) => {
                let of = self.qualified(of, qualifiers);
                self.array_of(of, length)
            }
            Type::Function(_) => id,
            _ => match self.all[id].clone() {
                Type::Qualified(inner, of) => self.intern(Type::Qualified(inner.and(qualifiers), of)),
                _ => self.intern(Type::Qualified(qualifiers, id)),
            },
        }
    }

    /// What a pointer points to, or an array has.
    pub fn element(&self, id: TypeId) -> Option<TypeId> {
        match self.kind(id) {
            Type::Pointer(to) | Type::Array(to, _) => Some(*to),
            _ => None,
        }
    }

    pub fn function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.kind(id) {
            Type::Function(ty) => Some(ty),
            _ => None,
        }
    }

    /// The integer type that values of the type are of; that of an enumeration is its underlying one.
    pub fn as_integer(&self, id: TypeId) -> Option<Integer> {
        match self.kind(id) {
            Type::Integer(integer) => Some(*integer),
            Type::Enum(id) => self.as_integer(self.enums[*id].underlying),
            _ => None,
        }
    }

    pub fn is_void(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Void)
    }

    /// `_Bool`, integers and enumerations.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Bool | Type::Integer(_) | Type::Enum(_))
    }

    pub fn is_floating(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Floating(_))
    }

    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_floating(id)
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Pointer(_))
    }

    pub fn is_record(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Record(_))
    }

    /// Whether a value can be compared with 0.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || matches!(self.kind(id), Type::Pointer(_) | Type::Thread | Type::VaList)
    }

    /// Bits of an integer type.
    pub fn bits(&self, integer: Integer) -> u32 {
        match integer.rank {
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long => u32::from(self.data_model.pointer_bits()),
            Rank::LongLong => 64,
            Rank::Int128 => 128,
        }
    }
}
