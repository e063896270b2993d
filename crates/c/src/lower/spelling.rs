//! How the user wrote types ([`Spelling`](fencepost_ir::tree::Spelling)), for programs that are printed as C again.
//!
//! `const`, `volatile` and `_Atomic` are left out. What has no short spelling (pointers to functions and arrays) has none
//! here. Typedef names are kept if the user gave them at file scope, or if a standard header has them.

use super::Lowerer;
use crate::hir::{self, EnumId, Length, TypeId};
use fencepost_ir::tree::{Spelled, TypeName, TypeNameId};
use fencepost_ir::{IntType, RecordId, Scalar, Sources, Span};
use std::collections::HashMap;

/// Names that have been noted.
pub struct Spellings<'h> {
    sources: &'h Sources,
    /// Whether a place is in a system header.
    is_system: &'h dyn Fn(Span) -> bool,
    typedefs: HashMap<String, TypeNameId>,
    enumerations: HashMap<EnumId, TypeNameId>,
}

impl<'h> Spellings<'h> {
    pub fn new(sources: &'h Sources, is_system: &'h dyn Fn(Span) -> bool) -> Spellings<'h> {
        Spellings { sources, is_system, typedefs: HashMap::new(), enumerations: HashMap::new() }
    }

    /// The names between the brackets after a declared name, where the lengths of an array are.
    fn lengths(&self, span: Span) -> Vec<Option<String>> {
        let Some(line) = self.sources.line(span) else { return Vec::new() };
        let after = (span.column + span.length).saturating_sub(1) as usize;
        let mut rest: String = line.chars().skip(after).collect();
        let mut lengths = Vec::new();
        while let Some((length, others)) = rest.trim_start().strip_prefix('[').and_then(|r| r.split_once(']'))
        {
            let length = length.trim();
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_name = length.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
            lengths.push((is_name && length.chars().all(is_word)).then(|| length.to_string()));
            rest = others.to_string();
        }
        lengths
    }
}

impl Lowerer<'_> {
    /// How the type of something declared at a place is written, with the names of its lengths.
    pub fn spelled_at(&mut self, ty: TypeId, span: Span) -> Option<Spelled> {
        let mut spelled = self.spelled(ty)?;
        if !matches!(spelled, Spelled::Array(..)) {
            return Some(spelled);
        }
        let lengths = self.spellings.lengths(span);
        let mut inner = &mut spelled;
        for length in lengths {
            let Spelled::Array(element, name) = inner else { break };
            *name = length;
            inner = element;
        }
        Some(spelled)
    }

    /// How a type is written.
    pub fn spelled(&mut self, ty: TypeId) -> Option<Spelled> {
        let hir = self.hir;
        match hir.types.get(ty) {
            hir::Type::Named(name, of) => self.spelled_name(ty, name, *of),
            hir::Type::Qualified(_, of) => self.spelled(*of),
            hir::Type::Void => Some(Spelled::Words("void", None)),
            hir::Type::Bool => Some(Spelled::Words("_Bool", Some(Scalar::Bool))),
            hir::Type::Integer(integer) => {
                let scalar = self.scalar_type(ty)?;
                Some(Spelled::Words(words(*integer)?, Some(scalar)))
            }
            hir::Type::Enum(id) => self.spelled_enumeration(*id),
            hir::Type::Pointer(to) => match self.spelled(*to)? {
                Spelled::Array(..) => None,
                to => Some(to.pointer()),
            },
            hir::Type::Array(of, Length::Known(_) | Length::Unknown) => {
                Some(Spelled::Array(Box::new(self.spelled(*of)?), None))
            }
            hir::Type::Record(id) => self.record(*id).map(Spelled::Record),
            hir::Type::Array(_, Length::Variable(_))
            | hir::Type::Floating(_)
            | hir::Type::Opaque(..)
            | hir::Type::Function(_)
            | hir::Type::Mutex
            | hir::Type::Thread
            | hir::Type::VaList => None,
        }
    }

    /// A typedef's name; what it stands for where the name is not to be kept.
    fn spelled_name(&mut self, ty: TypeId, name: &str, of: TypeId) -> Option<Spelled> {
        let means = self.spelled(of)?;
        let header = standard_header(name, &means);
        let is_users = self.hir.types.typedef_place(ty).is_some_and(|span| !(self.spellings.is_system)(span));
        // Arrays are written out: their elements may not be defined yet.
        if header.is_none() && !is_users || name.starts_with("__") || matches!(means, Spelled::Array(..)) {
            return Some(means);
        }
        let names = &mut self.program.spelling.names;
        match self.spellings.typedefs.get(name).copied() {
            Some(id) if matches!(&names[id.0], TypeName::Typedef { means: m, .. } if *m == means) => {
                Some(Spelled::Named(id))
            }
            // Another unit's.
            Some(_) => Some(means),
            None => {
                let id = TypeNameId(names.len());
                names.push(TypeName::Typedef { name: name.to_string(), means, header });
                self.spellings.typedefs.insert(name.to_string(), id);
                Some(Spelled::Named(id))
            }
        }
    }

    fn spelled_enumeration(&mut self, id: EnumId) -> Option<Spelled> {
        if let Some(known) = self.spellings.enumerations.get(&id) {
            return Some(Spelled::Named(*known));
        }
        let hir::Enum { tag, constants, span, .. } = &self.hir.types.enums[id];
        if (self.spellings.is_system)(*span) {
            return None;
        }
        let tag = (!tag.is_empty()).then(|| tag.clone());
        let constants = constants.iter().map(|(name, value)| (name.clone(), *value as i64)).collect();
        let name = TypeNameId(self.program.spelling.names.len());
        self.program.spelling.names.push(TypeName::Enumeration { tag, constants, span: *span });
        self.spellings.enumerations.insert(id, name);
        Some(Spelled::Named(name))
    }

    /// Notes enumerations of which only the constants are used.
    pub fn spell_enumerations(&mut self) {
        for id in self.hir.types.enums.indices() {
            self.spelled_enumeration(id);
        }
    }

    /// Notes how the members of a record are written.
    pub fn spell_members(&mut self, id: hir::RecordId, made: RecordId) {
        let hir = self.hir;
        let Some(layout) = hir.types.layout(id) else { return };
        for member in layout.members.iter().filter(|m| m.bits.is_none() && !m.name.is_empty()) {
            if let Some(spelled) = self.spelled_at(member.ty, member.span) {
                self.program.spelling.members.insert((made, member.name.clone()), spelled);
            }
        }
    }
}

fn words(integer: hir::Integer) -> Option<&'static str> {
    use hir::Rank;
    Some(match (integer.rank, integer.signed) {
        (Rank::Char, _) if integer.plain => "char",
        (Rank::Char, true) => "signed char",
        (Rank::Char, false) => "unsigned char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long, true) => "long",
        (Rank::Long, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
        (Rank::Int128, _) => return None,
    })
}

/// The standard header that has a type of this name and meaning.
fn standard_header(name: &str, means: &Spelled) -> Option<&'static str> {
    let Spelled::Words(_, Some(Scalar::Int(IntType { bits, signed }))) = means else { return None };
    let unsigned = name.starts_with('u') || name == "size_t";
    let width = name.trim_start_matches('u').strip_prefix("int").and_then(|rest| rest.strip_suffix("_t"));
    let header = match (name, width.map(str::parse::<u8>)) {
        ("size_t" | "ptrdiff_t", _) => "stddef.h",
        ("ssize_t", _) => "sys/types.h",
        ("intptr_t" | "uintptr_t", _) => "stdint.h",
        (_, Some(Ok(n))) if n == *bits => "stdint.h",
        _ => return None,
    };
    (*signed != unsigned).then_some(header)
}
