//! Sizes and alignments of types, by the System V ABI, and the way to a record's members.

use super::table::Types;
use super::types::*;
use crate::preprocess::DataModel;

/// Bytes of the program's own lock, as many as a `pthread_mutex_t` has.
const LOCK_BYTES: u64 = 40;

impl Types {
    pub fn pointer_bytes(&self) -> u64 {
        u64::from(self.data_model.pointer_bits()) / 8
    }

    /// Bytes of a type; `None` if they are known only at run time, or not at all. `void` and functions have 1, as in GNU C.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        Some(match self.kind(id) {
            Type::Void | Type::Function(_) | Type::Bool => 1,
            Type::Integer(integer) => u64::from(self.bits(*integer)) / 8,
            Type::Floating(floating) => self.floating_bytes(*floating),
            Type::Opaque(_, bytes, _) => *bytes,
            Type::Pointer(_) | Type::Thread | Type::VaList => self.pointer_bytes(),
            Type::Mutex => LOCK_BYTES,
            Type::Array(of, Length::Known(n)) => self.size(*of)?.checked_mul(*n)?,
            Type::Array(_, Length::Unknown | Length::Variable(_)) => return None,
            Type::Record(record) => self.records[*record].layout.as_ref()?.size,
            Type::Enum(e) => self.size(self.enums[*e].underlying)?,
            Type::Qualified(..) | Type::Named(..) => panic!("`kind` looks through these"),
        })
    }

    fn floating_bytes(&self, floating: Floating) -> u64 {
        match (floating, self.data_model) {
            (Floating::Half, _) => 2,
            (Floating::Float, _) => 4,
            (Floating::Double, _) => 8,
            (Floating::LongDouble, DataModel::Ilp32) => 12,
            (Floating::LongDouble | Floating::Float128, _) => 16,
        }
    }

    /// The alignment that a type has by itself, as `_Alignof` tells it.
    pub fn align(&self, id: TypeId) -> u64 {
        if let Some(align) = self.asked_alignment(id) {
            return align;
        }
        let natural = match self.kind(id) {
            Type::Array(of, _) => return self.align(*of),
            Type::Record(record) => self.records[*record].layout.as_ref().map_or(1, |layout| layout.align),
            Type::Mutex => self.pointer_bytes(),
            Type::Opaque(_, _, align) => *align,
            Type::Enum(e) => self.align(self.enums[*e].underlying),
            Type::Floating(Floating::LongDouble) if self.data_model == DataModel::Ilp32 => 4,
            // The i386 ABI aligns nothing plain to more than a word.
            Type::Integer(_) | Type::Floating(Floating::Double) if self.data_model == DataModel::Ilp32 => {
                self.size(id).unwrap_or(1).min(4)
            }
            _ => self.size(id).unwrap_or(1),
        };
        // What is atomic is aligned to its size, where that can be.
        match self.size(id) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if self.qualifiers(id).is_atomic => natural.max(size),
            _ => natural,
        }
    }

    /// The record that a type is.
    pub fn record_id(&self, id: TypeId) -> Option<RecordId> {
        match self.kind(id) {
            Type::Record(record) => Some(*record),
            _ => None,
        }
    }

    /// The layout of a complete record.
    pub fn layout(&self, id: RecordId) -> Option<&RecordLayout> {
        self.records[id].layout.as_ref()
    }

    /// The members on the way to the one of a name: several if it is one of an unnamed record.
    pub fn member_path(&self, id: RecordId, name: &str) -> Option<Vec<usize>> {
        let layout = self.layout(id)?;
        if let Some(places) = layout.names.get(name) {
            return Some(vec![places[0]]);
        }
        layout.unnamed().iter().find_map(|&i| {
            let rest = self.member_path(self.record_id(layout.members[i].ty)?, name)?;
            Some([vec![i], rest].concat())
        })
    }

    /// Whether the length of an array in the type is known to the run only.
    pub fn is_variable(&self, id: TypeId) -> bool {
        match self.kind(id) {
            Type::Array(_, Length::Variable(_)) => true,
            Type::Array(of, _) => self.is_variable(*of),
            _ => false,
        }
    }
}
