//! Structures and unions: their members, where these lie, and how large the whole is.
//!
//! The layout is that of the System V ABI, bit-fields included. A bit-field lies after the last one, unless it would
//! cross a border of its type.

use super::scope::Tag;
use super::{Checker, Result};
use crate::ast::{self, Attribute, AttributeKind, Member as Declared};
use crate::hir::{BitField, Length, Member, Record, RecordId, RecordKind, RecordLayout, Type, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// A record being laid out.
struct Layout {
    kind: RecordKind,
    packed: bool,
    /// What `#pragma pack` lets a member be aligned to at most.
    most: u64,
    members: Vec<Member>,
    names: HashMap<String, Vec<usize>>,
    /// Where the next member begins at the earliest.
    bits: u64,
    align: u64,
    /// Bit-fields that have no unit yet: the member, its first bit, and how many it has.
    waiting: Vec<(usize, u64, u64)>,
}

/// A member that is declared.
struct Field<'a> {
    name: &'a str,
    ty: TypeId,
    /// What is asked for by attributes; 0 if nothing is.
    aligned: u64,
    packed: bool,
    span: Span,
}

fn is_packed(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| matches!(a.kind, AttributeKind::Packed))
}

impl Layout {
    fn start(&self) -> u64 {
        match self.kind {
            RecordKind::Struct => self.bits,
            RecordKind::Union => 0,
        }
    }

    fn add(&mut self, field: &Field<'_>, offset: u64) {
        self.names.entry(field.name.to_string()).or_default().push(self.members.len());
        let (name, ty, span) = (field.name.to_string(), field.ty, field.span);
        self.members.push(Member { name, ty, offset, bits: None, span });
    }

    /// Gives bit-fields that share bytes an integer that they are parts of. An assignment to one of them reads and
    /// writes all of it, as compilers do, so two threads that set neighbours can undo each other's work. Where packed ones
    /// share so many bytes that no integer has them, each has its own. Gives whether every integer fits into 8 bytes.
    fn place_units(&mut self) -> bool {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|(_, first, _)| *first);
        let mut rest = &waiting[..];
        while let [(_, first, _), ..] = rest {
            let start = first / 8;
            let (mut end, mut count) = (start, 0);
            for (_, first, bits) in rest {
                if count > 0 && first / 8 >= end {
                    break;
                }
                end = end.max((first + bits).div_ceil(8));
                count += 1;
            }
            for (member, first, bits) in &rest[..count] {
                let (start, end) = match end - start {
                    0..=8 => (start, end),
                    _ => (first / 8, (first + bits).div_ceil(8)),
                };
                if end - start > 8 {
                    return false;
                }
                let (shift, width) = ((first - start * 8) as u8, *bits as u8);
                let member = &mut self.members[*member];
                member.offset = start;
                member.bits = Some(BitField { unit: (end - start) as u8, shift, width });
            }
            rest = &rest[count..];
        }
        true
    }
}

impl<'a> Checker<'a> {
    /// The type that `struct s`, `union u { ... }` and their like name.
    pub fn record(&mut self, record: &'a ast::Record) -> Result<TypeId> {
        let known = record.tag.as_ref().and_then(|tag| match record.members {
            // A definition is one of this scope.
            Some(_) => self.scopes.tag_here(&tag.text),
            None => self.scopes.tag(&tag.text),
        });
        let id = match known {
            Some(Tag::Record(id)) => id,
            _ => self.new_record(record),
        };
        if let Some(members) = &record.members {
            let known = &self.types.records[id];
            match known.layout {
                // The same definition, looked at again.
                Some(_) if self.defined.get(&id).is_some_and(|first| std::ptr::eq(*first, record)) => {}
                Some(_) => {
                    let first = format!("first in line {}", known.span.line);
                    let message = format!("`{}` is defined twice", known.tag);
                    return Err(self.report(Diagnostic::new(record.span, message).label(first)));
                }
                None => {
                    self.defined.insert(id, record);
                    self.complete_record(id, record, members)?;
                }
            }
        }
        Ok(self.types.intern(Type::Record(id)))
    }

    fn new_record(&mut self, record: &'a ast::Record) -> RecordId {
        let kind = match record.kind {
            ast::RecordKind::Struct => RecordKind::Struct,
            ast::RecordKind::Union => RecordKind::Union,
        };
        let tag = record.tag.as_ref().map_or(String::new(), |tag| tag.text.clone());
        let id = self.types.records.push(Record { kind, tag, layout: None, span: record.span });
        if let Some(tag) = &record.tag {
            self.scopes.define_tag(&tag.text, Tag::Record(id));
        }
        id
    }

    fn complete_record(
        &mut self,
        id: RecordId,
        record: &'a ast::Record,
        members: &'a [Declared],
    ) -> Result<()> {
        let most = self.most_alignment(record.span)?;
        let aligned = self.alignment_attributes(&record.attributes)?;
        let mut layout = Layout {
            kind: self.types.records[id].kind,
            packed: is_packed(&record.attributes),
            most,
            members: Vec::new(),
            names: HashMap::new(),
            bits: 0,
            align: aligned.max(1),
            waiting: Vec::new(),
        };
        // A wrong member leaves the others as they are, so that their uses are not wrong as well.
        let mut wrong = None;
        for member in members {
            if let Err(reported) = self.member(&mut layout, member) {
                wrong = Some(reported);
            }
        }
        let end = layout.bits.div_ceil(8);
        let size = end.next_multiple_of(layout.align);
        if !layout.place_units() {
            return self.fail(record.span, "bit-fields in this arrangement are not supported");
        }
        let is_transparent = |a: &Attribute| matches!(a.kind, AttributeKind::TransparentUnion);
        let transparent = record.attributes.iter().any(is_transparent);
        let Layout { members, names, align, .. } = layout;
        let target = &mut self.types.records[id];
        target.layout = Some(RecordLayout { members, names, size, align, transparent });
        target.span = record.span;
        wrong.map_or(Ok(()), Err)
    }

    /// Members that are declared together.
    fn member(&mut self, layout: &mut Layout, member: &'a Declared) -> Result<()> {
        let (specifiers, declared) = match member {
            Declared::Fields { specifiers, fields } => (specifiers, fields),
            Declared::StaticAssert(assertion) => return self.static_assert(assertion),
        };
        let base = self.base_type(specifiers)?;
        let aligned = self.alignment_specifiers(specifiers)?;
        let packed = is_packed(&specifiers.attributes);
        if declared.is_empty() && self.types.is_record(base) {
            let field = Field { name: "", ty: base, aligned, packed, span: specifiers.span };
            return self.field(layout, field);
        }
        for field in declared {
            let attributes = &field.declarator.attributes;
            let name = field.declarator.name.as_ref().map_or("", |n| &n.text);
            let ty = self.derive(base, &field.declarator.derived)?;
            let ty = self.with_mode(ty, attributes.iter())?;
            if !name.is_empty() && self.has_member(layout, name) {
                return self.fail(field.span, format!("there is a member `{name}` already"));
            }
            let aligned = aligned.max(self.alignment_attributes(attributes)?);
            let packed = packed || is_packed(attributes);
            let placed = Field { name, ty, aligned, packed, span: field.span };
            match &field.width {
                Some(width) => self.bit_field(layout, placed, width)?,
                None => self.field(layout, placed)?,
            }
        }
        Ok(())
    }

    /// Whether a name is that of a member, or of one of an unnamed record among them.
    fn has_member(&self, layout: &Layout, name: &str) -> bool {
        let unnamed = layout.names.get("").map_or(&[][..], |unnamed| unnamed);
        layout.names.contains_key(name)
            || unnamed.iter().any(|i| {
                let inner = self.types.record_id(layout.members[*i].ty);
                inner.is_some_and(|inner| self.types.member_path(inner, name).is_some())
            })
    }

    fn field(&mut self, layout: &mut Layout, field: Field<'a>) -> Result<()> {
        self.of_known_size(field.ty, field.span)?;
        let size = match self.types.kind(field.ty) {
            // An array without length at the end takes no room.
            Type::Array(_, Length::Unknown) => 0,
            Type::Function(_) | Type::Void => return Err(self.incomplete(field.ty, field.span)),
            _ => match self.types.size(field.ty) {
                Some(size) => size,
                None => return Err(self.incomplete(field.ty, field.span)),
            },
        };
        let natural = if layout.packed || field.packed { 1 } else { self.types.align(field.ty) };
        let align = natural.max(field.aligned).min(layout.most).max(1);
        let offset = match layout.kind {
            RecordKind::Struct => layout.bits.div_ceil(8).next_multiple_of(align),
            RecordKind::Union => 0,
        };
        layout.bits = layout.bits.max((offset + size) * 8);
        layout.align = layout.align.max(align);
        layout.add(&field, offset);
        Ok(())
    }

    fn bit_field(&mut self, layout: &mut Layout, field: Field<'a>, width: &'a ast::Expr) -> Result<()> {
        let size = match self.types.is_integer(field.ty) {
            true => self.types.size(field.ty).unwrap_or(1) * 8,
            false => return self.fail(width.span, "a bit-field is an integer"),
        };
        let most = if let Type::Bool = self.types.kind(field.ty) { 1 } else { size };
        let bits = match u64::try_from(self.integer_constant(width)?) {
            Ok(bits) if bits <= most && (bits > 0 || field.name.is_empty()) => bits,
            _ => return self.fail(width.span, "a bit-field has 1 to as many bits as its type"),
        };
        let start = layout.start();
        if bits == 0 {
            layout.bits = layout.bits.max(start.next_multiple_of(self.types.align(field.ty) * 8));
            return Ok(());
        }
        let packed = layout.packed || field.packed;
        let align = self.types.align(field.ty).min(layout.most).max(1);
        let border = align * 8;
        let crosses = (start % border + bits).div_ceil(border) > size / border;
        let mut first = match crosses && !packed && layout.most == u64::MAX {
            true => start.next_multiple_of(border),
            false => start,
        };
        if field.aligned > 0 {
            first = first.next_multiple_of(field.aligned * 8);
            layout.align = layout.align.max(field.aligned);
        }
        layout.bits = layout.bits.max(first + bits);
        if field.name.is_empty() {
            return Ok(());
        }
        // Where a pragma packs, compilers let the attribute not count here.
        if !packed || layout.most < u64::MAX {
            layout.align = layout.align.max(align);
        }
        layout.waiting.push((layout.members.len(), first, bits));
        layout.add(&field, 0);
        Ok(())
    }
}
