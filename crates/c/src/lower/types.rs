//! C's types as those of the program: scalars, arrays and records of cells.
//!
//! Bit-fields that share bytes are parts of one integer, their unit, which is the field that all of them lead to; units
//! come after the other fields. A number of 128 bits is a structure of two words, the lower one first, so that it is kept,
//! copied, passed and compared-and-swapped as structures are. What is floating has its place in memory and no value
//! (see [`super::floating`]).

use super::Lowerer;
use crate::hir::{self, Floating, Length, Rank, TypeId};
use fencepost_ir::{Field, IntType, Record, RecordId, RecordKind, Scalar, Type};
use fencepost_ir::{Span, tree::Records};
use fencepost_text::Diagnostic;
use index_vec::IndexVec;

/// A machine word without sign.
pub const WORD: Scalar = Scalar::Int(IntType { bits: 64, signed: false });

/// The records that have been made of C's.
#[derive(Default)]
pub struct RecordMap {
    known: IndexVec<hir::RecordId, Option<Made>>,
    /// Numbers of 128 bits, without sign and with.
    wide: [Option<RecordId>; 2],
}

/// The record of the program that a structure or union has become.
struct Made {
    id: RecordId,
    /// The field that each member leads to.
    fields: Vec<usize>,
    has_bits: bool,
}

impl Lowerer<'_> {
    pub fn int_type(&self, integer: hir::Integer) -> IntType {
        IntType { bits: self.hir.types.bits(integer) as u8, signed: integer.signed }
    }

    /// The scalar that holds a value of the type, if one does.
    pub fn scalar_type(&self, ty: TypeId) -> Option<Scalar> {
        let types = &self.hir.types;
        match types.kind(ty) {
            hir::Type::Bool => Some(Scalar::Bool),
            hir::Type::Integer(integer) if integer.rank == Rank::Int128 => None,
            hir::Type::Integer(integer) => Some(Scalar::Int(self.int_type(*integer))),
            hir::Type::Enum(id) => self.scalar_type(types.enums[*id].underlying),
            hir::Type::Floating(Floating::LongDouble | Floating::Float128) => None,
            hir::Type::Floating(_) => {
                let bits = types.size(ty).unwrap_or(8) as u8 * 8;
                Some(Scalar::Int(IntType { bits, signed: false }))
            }
            hir::Type::Pointer(_) | hir::Type::VaList => Some(self.pointer()),
            hir::Type::Thread => Some(Scalar::Thread),
            hir::Type::Mutex => Some(Scalar::Mutex),
            hir::Type::Void
            | hir::Type::Opaque(..)
            | hir::Type::Array(..)
            | hir::Type::Record(_)
            | hir::Type::Function(_)
            | hir::Type::Qualified(..)
            | hir::Type::Named(..) => None,
        }
    }

    /// The scalar of a type that is known to have one.
    pub fn scalar_of(&self, ty: TypeId) -> Scalar {
        self.scalar_type(ty).expect("the type is one of scalars")
    }

    /// A pointer to anything.
    pub fn pointer(&self) -> Scalar {
        Scalar::Pointer { bits: self.program.pointer_bits }
    }

    /// The scalar of `int`.
    pub fn int(&self) -> Scalar {
        self.scalar_of(self.hir.types.int())
    }

    /// The scalar of `size_t`.
    pub fn size_scalar(&self) -> Scalar {
        self.scalar_of(self.hir.types.size_type())
    }

    /// The scalar of `ptrdiff_t`.
    pub fn distance_scalar(&self) -> Scalar {
        self.scalar_of(self.hir.types.distance_type())
    }

    /// Whether a type is `__int128`, and then whether it has a sign.
    pub fn is_wide(&self, ty: TypeId) -> Option<bool> {
        let integer = self.hir.types.as_integer(ty)?;
        (integer.rank == Rank::Int128).then_some(integer.signed)
    }

    /// Whether values of the type are records of the program: structures, unions, numbers of 128 bits.
    pub fn is_compound(&self, ty: TypeId) -> bool {
        self.hir.types.is_record(ty) || self.is_wide(ty).is_some()
    }

    /// The type of a variable, if it is complete.
    pub fn storage(&mut self, ty: TypeId) -> Option<Type> {
        if let Some(scalar) = self.scalar_type(ty) {
            return Some(scalar.into());
        }
        match *self.hir.types.kind(ty) {
            hir::Type::Array(of, Length::Known(n)) => {
                Some(Type::Array(Box::new(self.storage(of)?), u32::try_from(n).ok()?))
            }
            // A tentative definition of an array without length has one element.
            hir::Type::Array(of, Length::Unknown) => Some(Type::Array(Box::new(self.storage(of)?), 1)),
            hir::Type::Record(id) => self.record(id).map(Type::Record),
            hir::Type::Integer(integer) => Some(Type::Record(self.wide_record(integer.signed))),
            hir::Type::Opaque(..) | hir::Type::Floating(_) => {
                let bytes = self.hir.types.size(ty)?;
                let word = if bytes.is_multiple_of(8) { 8 } else { 4 };
                let scalar = Scalar::Int(IntType { bits: word * 8, signed: false });
                let n = u32::try_from(bytes / u64::from(word)).ok()?;
                Some(if n == 1 { scalar.into() } else { Type::with_dims(scalar, &[n]) })
            }
            _ => None,
        }
    }

    /// The type of a variable.
    pub fn stored(&mut self, ty: TypeId, span: Span) -> Result<Type, Diagnostic> {
        self.storage(ty).ok_or_else(|| self.no_values(ty, span))
    }

    /// What is said of a type whose values cannot be had.
    pub fn no_values(&self, ty: TypeId, span: Span) -> Diagnostic {
        match self.hir.types.kind(ty) {
            hir::Type::Floating(_) => super::floating::unknown_value(span),
            hir::Type::Opaque(name, ..) => Diagnostic::new(span, format!("{name} is not supported")),
            _ => Diagnostic::new(span, format!("values of `{}` are not supported", self.hir.types.show(ty))),
        }
    }

    fn made(&mut self, id: hir::RecordId) -> Option<&Made> {
        if self.records.known.len() <= id.index() {
            self.records.known.resize_with(self.hir.types.records.len(), || None);
        }
        if self.records.known[id].is_none() {
            let made = self.make_record(id)?;
            let record = made.id;
            self.records.known[id] = Some(made);
            self.spell_members(id, record);
        }
        self.records.known[id].as_ref()
    }

    /// The record of a structure or union, if its members are known.
    pub fn record(&mut self, id: hir::RecordId) -> Option<RecordId> {
        self.made(id).map(|made| made.id)
    }

    /// The field of the program's record that a member is, or is part of.
    pub fn field(&mut self, id: hir::RecordId, member: usize) -> usize {
        self.made(id).expect("members are of complete records").fields[member]
    }

    /// Whether a variable of the type has bit-fields. Memory knows which integers were written, not which of their bits,
    /// so they start with zero.
    pub fn has_bits(&mut self, ty: TypeId) -> bool {
        match *self.hir.types.kind(ty) {
            hir::Type::Array(of, _) => self.has_bits(of),
            hir::Type::Record(id) => self.made(id).is_some_and(|made| made.has_bits),
            _ => false,
        }
    }

    fn make_record(&mut self, id: hir::RecordId) -> Option<Made> {
        let hir = self.hir;
        let record = &hir.types.records[id];
        let layout = record.layout.as_ref()?;
        let (mut fields, mut units) = (Vec::new(), Vec::new());
        let mut leads = Vec::new();
        let (mut has_bits, mut own_bits) = (false, false);
        for member in &layout.members {
            if let Some(bits) = member.bits {
                own_bits = true;
                leads.push((true, units.len()));
                match units.iter().position(|unit| *unit == (member.offset, bits.unit)) {
                    Some(known) => leads.last_mut()?.1 = known,
                    None => units.push((member.offset, bits.unit)),
                }
                continue;
            }
            has_bits |= self.has_bits(member.ty);
            let ty = match *hir.types.kind(member.ty) {
                // A flexible array takes no room.
                hir::Type::Array(of, Length::Unknown) => Type::Array(Box::new(self.storage(of)?), 0),
                _ => self.storage(member.ty)?,
            };
            leads.push((false, fields.len()));
            fields.push(Field { name: member.name.clone(), ty, offset: member.offset });
        }
        let first_unit = fields.len();
        fields.extend(units.into_iter().map(|(offset, bytes)| {
            let ty = Scalar::Int(IntType { bits: bytes * 8, signed: false });
            Field { name: String::new(), ty: ty.into(), offset }
        }));
        let kind = match record.kind {
            hir::RecordKind::Struct => RecordKind::Struct,
            hir::RecordKind::Union => RecordKind::Union,
        };
        let name = if record.tag.is_empty() { "unnamed" } else { &record.tag };
        let id = self.new_record(Record { name: name.to_string(), kind, fields, size: layout.size });
        let leads = leads.into_iter().map(|(is_unit, n)| if is_unit { first_unit + n } else { n });
        Some(Made { id, fields: leads.collect(), has_bits: has_bits || own_bits })
    }

    /// The structure that a number of 128 bits is.
    pub fn wide_record(&mut self, signed: bool) -> RecordId {
        if let Some(known) = self.records.wide[usize::from(signed)] {
            return known;
        }
        let field = |name: &str, offset| Field { name: name.into(), ty: WORD.into(), offset };
        let fields = vec![field("low", 0), field("high", 8)];
        let name = if signed { "__int128" } else { "unsigned __int128" };
        let record = Record { name: name.to_string(), kind: RecordKind::Struct, fields, size: 16 };
        let id = self.new_record(record);
        self.records.wide[usize::from(signed)] = Some(id);
        id
    }

    /// A record of our own.
    pub fn new_record(&mut self, record: Record) -> RecordId {
        self.program.records.0.push(record);
        RecordId(self.program.records.0.len() as u32 - 1)
    }

    /// Whether there is a floating-point number in a type.
    pub fn has_floating(&self, ty: TypeId) -> bool {
        let types = &self.hir.types;
        match types.kind(ty) {
            hir::Type::Record(id) => {
                types.layout(*id).is_some_and(|layout| layout.members.iter().any(|m| self.has_floating(m.ty)))
            }
            hir::Type::Array(of, _) => self.has_floating(*of),
            kind => matches!(kind, hir::Type::Floating(_)),
        }
    }
}

/// Whether a type is that of memory of which nothing is known.
pub fn is_bytes(ty: &Type) -> bool {
    matches!(ty.leaf(), Some(Scalar::Int(int)) if int.bits == 8)
}

/// The cells that a variable of the type starts with, all at their defaults.
pub fn default_cells(records: &Records, ty: &Type) -> Vec<fencepost_ir::tree::Choices> {
    let cells = records.layout(ty);
    cells.iter().map(|cell| fencepost_ir::tree::Choices::one(cell.ty.default_value())).collect()
}
