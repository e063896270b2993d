//! Structures, unions and enumerations: their members, where these lie, and how large the whole is.
//!
//! The layout is that of the System V ABI, bit-fields included.

use super::*;
use crate::ast::Member as Declared;
use crate::types::BitField;
use fencepost_ir::IntType;

/// A member as C sees it. Bit-fields have a field in common.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    pub ty: CType,
    /// The field of the program's record that it is, or is a part of.
    pub field: usize,
}

/// A record being laid out.
struct Layout {
    kind: RecordKind,
    packed: bool,
    /// What `#pragma pack` lets a member be aligned to at most.
    most: u64,
    fields: Vec<Field>,
    members: Vec<Member>,
    names: MemberNames,
    /// Where the next member begins at the earliest.
    bits: u64,
    alignment: u64,
    /// Bit-fields that have no unit yet: the member, its first bit, and how many it has.
    waiting: Vec<(usize, u64, u64)>,
}

/// Where the members of each name stand; those without one have several places.
pub(super) type MemberNames = HashMap<String, Vec<usize>>;

impl Layout {
    fn add(&mut self, member: Member) {
        self.names.entry(member.name.clone()).or_default().push(self.members.len());
        self.members.push(member);
    }
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            kind: RecordKind::Struct,
            packed: false,
            most: u64::MAX,
            fields: Vec::new(),
            members: Vec::new(),
            names: MemberNames::new(),
            bits: 0,
            alignment: 1,
            waiting: Vec::new(),
        }
    }
}

impl<'a> Lowerer<'a> {
    fn tag(&self, name: &str) -> Option<CType> {
        self.tags.iter().rev().find_map(|tags| tags.get(name)).cloned()
    }

    pub(super) fn new_record(&mut self, kind: RecordKind, name: &str) -> RecordId {
        let id = RecordId(self.program.records.0.len() as u32);
        let record = Record { name: name.to_string(), kind, fields: Vec::new(), size: 0 };
        self.program.records.0.push(record);
        self.alignments.push(1);
        self.complete.push(false);
        self.members.push(Vec::new());
        self.definitions.push(None);
        id
    }

    /// The records and enumerations, by where they are defined.
    pub(super) fn known_types(&mut self) -> Definitions {
        let mut records = HashMap::new();
        for (i, span) in self.definitions.iter().enumerate() {
            let id = Some(RecordId(i as u32));
            if let Some(span) = span {
                records.entry(*span).and_modify(|known| *known = None).or_insert(id);
            }
        }
        Definitions { records, enumerations: std::mem::take(&mut self.enumerations) }
    }

    pub(super) fn record(&mut self, record: &'a ast::Record) -> Result<CType> {
        let kind = match record.kind {
            ast::RecordKind::Struct => RecordKind::Struct,
            ast::RecordKind::Union => RecordKind::Union,
        };
        let known = record.tag.as_ref().and_then(|tag| match &record.members {
            // A definition is one of this scope.
            Some(_) => self.tags.last().and_then(|tags| tags.get(&tag.text)).cloned(),
            None => self.tag(&tag.text),
        });
        let id = match known {
            Some(CType::Record(id)) if record.members.is_none() || !self.complete[id.0 as usize] => id,
            // The same text lowered again.
            Some(CType::Record(id)) if self.definitions[id.0 as usize] == Some(record.span) => id,
            Some(CType::Record(id)) => {
                let name = self.program.records.get(id).name.clone();
                let first = self.definitions[id.0 as usize].map_or(0, |span| span.line);
                return Err(Diagnostic::new(record.span, format!("`{name}` is defined twice"))
                    .label(format!("first in line {first}")));
            }
            _ => {
                let name = record.tag.as_ref().map_or("unnamed", |tag| &tag.text);
                let id = self.new_record(kind, name);
                if let Some(tag) = &record.tag {
                    let tags = self.tags.last_mut().expect("file scope is always open");
                    tags.insert(tag.text.clone(), CType::Record(id));
                }
                id
            }
        };
        if let Some(members) = &record.members
            && !self.complete[id.0 as usize]
        {
            self.complete_record(id, record, members)?;
        }
        Ok(CType::Record(id))
    }

    fn complete_record(
        &mut self,
        id: RecordId,
        record: &'a ast::Record,
        members: &'a [Declared],
    ) -> Result<()> {
        let packed = record.attributes.iter().any(|a| matches!(a.kind, ast::AttributeKind::Packed));
        let most = self.most_alignment(record.span)?;
        let packed = packed || most == 1;
        let kind = self.program.records.get(id).kind;
        let alignment = self.alignment_attributes(&record.attributes)?;
        let mut layout = Layout { kind, packed, most, alignment, ..Layout::default() };
        for member in members {
            let (specifiers, declared) = match member {
                Declared::Fields { specifiers, fields } => (specifiers, fields),
                Declared::StaticAssert(assertion) => {
                    self.static_assert(assertion)?;
                    continue;
                }
            };
            let base = self.base_type(specifiers)?;
            let specified = self.alignment_specifiers(specifiers)?;
            for field in declared {
                let name = field.declarator.name.as_ref().map_or("", |n| &n.text);
                let ty = self.derive(base.clone(), &field.declarator)?;
                if !name.is_empty() && self.has_member(&layout, name) {
                    return Err(Diagnostic::new(field.span, format!("there is a member `{name}` already")));
                }
                if let Some(width) = &field.width {
                    self.bit_field(&mut layout, name, ty, width)?;
                    continue;
                }
                let aligned = self.alignment_attributes(&field.declarator.attributes)?;
                self.field(&mut layout, name, ty, aligned.max(specified), field.span)?;
            }
            if declared.is_empty() && matches!(base.unqualified(), CType::Record(_)) {
                self.field(&mut layout, "", base, specified, specifiers.span)?;
            }
        }
        let end = layout.bits.div_ceil(8);
        let size = end.next_multiple_of(layout.alignment);
        self.place_units(&mut layout, record.span)?;
        let target = &mut self.program.records.0[id.0 as usize];
        target.fields = layout.fields;
        target.size = size;
        self.alignments[id.0 as usize] = layout.alignment;
        self.complete[id.0 as usize] = true;
        self.definitions[id.0 as usize] = Some(record.span);
        self.member_names.insert(id, layout.names);
        if layout.members.iter().any(|m| m.ty.bits().is_some()) {
            self.bit_fields.insert(id);
        }
        self.members[id.0 as usize] = layout.members;
        Ok(())
    }

    /// What `#pragma pack`, where it stands before a place, lets members be aligned to at most.
    fn most_alignment(&self, place: Span) -> Result<u64> {
        let (mut most, mut kept) = (u64::MAX, Vec::new());
        let before = |p: &&(Span, String)| p.0.file == place.file && p.0.line < place.line;
        for (span, text) in self.packs.iter().filter(before) {
            let unknown = || Diagnostic::new(*span, "this `#pragma pack` is not supported");
            for argument in text.split(',').map(str::trim) {
                match argument {
                    "" if !text.trim().is_empty() => return Err(unknown()),
                    "" => most = u64::MAX,
                    "push" => kept.push(most),
                    "pop" => most = kept.pop().unwrap_or(u64::MAX),
                    number => match number.parse() {
                        Ok(0) => most = u64::MAX,
                        Ok(n @ (1 | 2 | 4 | 8 | 16)) => most = n,
                        _ => return Err(unknown()),
                    },
                }
            }
        }
        Ok(most)
    }

    /// Whether a name is that of a member, or of one of an unnamed record among them.
    fn has_member(&self, layout: &Layout, name: &str) -> bool {
        let unnamed = layout.names.get("").map_or(&[][..], |unnamed| unnamed);
        layout.names.contains_key(name)
            || unnamed.iter().any(|i| match layout.members[*i].ty.unqualified() {
                CType::Record(inner) => self.member_path(*inner, name).is_some(),
                _ => false,
            })
    }

    fn field(&mut self, layout: &mut Layout, name: &str, ty: CType, aligned: u64, span: Span) -> Result<()> {
        // An array without length at the end takes no room.
        let ty = match ty {
            CType::Array(of, None) => CType::Array(of, Some(0)),
            ty => ty,
        };
        let (Some(storage), Some(size)) = (self.types().storage(&ty), self.types().size(&ty)) else {
            return Err(self.no_values(&ty, span));
        };
        let natural = if layout.packed { 1 } else { self.types().alignment(&ty).min(layout.most) };
        let align = natural.max(aligned);
        let offset = match layout.kind {
            RecordKind::Struct => layout.bits.div_ceil(8).next_multiple_of(align),
            RecordKind::Union => 0,
        };
        layout.bits = layout.bits.max((offset + size) * 8);
        layout.alignment = layout.alignment.max(align);
        layout.fields.push(Field { name: name.to_string(), ty: storage, offset });
        let field = layout.fields.len() - 1;
        layout.add(Member { name: name.to_string(), ty, field });
        Ok(())
    }

    /// A bit-field: behind the last one, unless it would cross a border of its type.
    fn bit_field(
        &mut self,
        layout: &mut Layout,
        name: &str,
        declared: CType,
        width: &'a ast::Expr,
    ) -> Result<()> {
        let wide = match self.types().scalar(&declared) {
            Some(Scalar::Bool) => 1,
            Some(Scalar::Int(int)) => u64::from(int.bits),
            _ => return Err(Diagnostic::new(width.span, "a bit-field is an integer")),
        };
        let size = self.types().size(&declared).unwrap_or(1) * 8;
        let bits = match u64::try_from(self.constant(width)?) {
            Ok(bits) if bits <= wide && (bits > 0 || name.is_empty()) => bits,
            _ => return Err(Diagnostic::new(width.span, "a bit-field has 1 to as many bits as its type")),
        };
        let start = match layout.kind {
            RecordKind::Struct => layout.bits,
            RecordKind::Union => 0,
        };
        if bits == 0 {
            layout.bits = start.next_multiple_of(size);
            return Ok(());
        }
        let crosses = start / size != (start + bits - 1) / size;
        let first = if crosses && !layout.packed { start.next_multiple_of(size) } else { start };
        layout.bits = layout.bits.max(first + bits);
        if name.is_empty() {
            return Ok(());
        }
        if !layout.packed {
            layout.alignment = layout.alignment.max(self.types().alignment(&declared).min(layout.most));
        }
        layout.waiting.push((layout.members.len(), first, bits));
        layout.add(Member { name: name.to_string(), ty: declared, field: 0 });
        Ok(())
    }

    /// Gives bit-fields that share bytes an integer that they are parts of. An assignment to one of
    /// them reads and writes all of it, as compilers do, so two threads that set neighbours can undo each
    /// other's work.
    fn place_units(&mut self, layout: &mut Layout, span: Span) -> Result<()> {
        let mut waiting = std::mem::take(&mut layout.waiting);
        waiting.sort_by_key(|(_, first, _)| *first);
        let mut rest = &waiting[..];
        while let [(_, first, _), ..] = rest {
            let start = first / 8;
            let mut end = start;
            let mut count = 0;
            for (_, first, bits) in rest {
                if count > 0 && first / 8 >= end {
                    break;
                }
                end = end.max((first + bits).div_ceil(8));
                count += 1;
            }
            let bytes = end - start;
            if bytes > 8 {
                return Err(Diagnostic::new(span, "bit-fields in this arrangement are not supported"));
            }
            let unit = IntType { bits: (bytes * 8) as u8, signed: false };
            layout.fields.push(Field {
                name: String::new(),
                ty: Type::Scalar(Scalar::Int(unit)),
                offset: start,
            });
            for (member, first, bits) in &rest[..count] {
                let member = &mut layout.members[*member];
                let declared = std::mem::replace(&mut member.ty, CType::Void);
                let (shift, width) = ((first - start * 8) as u8, *bits as u8);
                member.ty = CType::Bits(Rc::new(BitField { declared, unit, shift, width }));
                member.field = layout.fields.len() - 1;
            }
            rest = &rest[count..];
        }
        Ok(())
    }

    fn alignment_attributes(&mut self, attributes: &'a [ast::Attribute]) -> Result<u64> {
        let mut alignment = 1;
        for attribute in attributes {
            if let ast::AttributeKind::Aligned(n) = &attribute.kind {
                let n = n.as_ref().map_or(Ok(16), |n| self.constant(n))?;
                alignment = alignment.max(power_of_two(n, attribute.span)?);
            }
        }
        Ok(alignment)
    }

    fn alignment_specifiers(&mut self, specifiers: &'a ast::Specifiers) -> Result<u64> {
        let mut alignment = self.alignment_attributes(&specifiers.attributes)?;
        for of in &specifiers.alignments {
            let n = match of {
                ast::TypeOrExpr::Type(name) => {
                    let ty = self.type_name(name)?;
                    self.types().alignment(&ty)
                }
                ast::TypeOrExpr::Expr(e) => match self.constant(e)? {
                    0 => 1,
                    n => power_of_two(n, e.span)?,
                },
            };
            alignment = alignment.max(n);
        }
        Ok(alignment)
    }

    pub(super) fn enumeration(&mut self, e: &'a ast::Enum) -> Result<CType> {
        let Some(enumerators) = &e.enumerators else {
            let known = e.tag.as_ref().and_then(|tag| self.tag(&tag.text));
            return Ok(known.unwrap_or(CType::UNSIGNED));
        };
        let mut next = 0i128;
        let mut constants = Vec::new();
        let mut names = HashSet::new();
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.constant(value)?;
            }
            let here = self.scopes.last().and_then(|scope| scope.get(&enumerator.name.text));
            let twice = !names.insert(&enumerator.name.text)
                || here.is_some_and(|s| !matches!(s, Symbol::Constant(value, _) if *value == next));
            if twice {
                let message = format!("`{}` is declared twice in this block", enumerator.name.text);
                return Err(Diagnostic::new(enumerator.name.span, message));
            }
            constants.push((&enumerator.name.text, next));
            let ty = if i32::try_from(next).is_ok() { CType::INT } else { CType::LONG };
            self.define(&enumerator.name.text, Symbol::Constant(next, ty));
            next += 1;
        }
        let named = constants.iter().map(|(name, value)| (name.to_string(), *value as i64)).collect();
        self.enumerations.insert(e.span, named);
        // As GCC does: the first that holds all of unsigned, int, unsigned long and long.
        let (lo, hi) = constants.iter().fold((0, 0), |(lo, hi), (_, v)| (v.min(&lo).to_owned(), *v.max(&hi)));
        let ty = match (lo < 0, lo >= i32::MIN.into() && hi <= u32::MAX.into()) {
            (false, true) => CType::UNSIGNED,
            (true, true) if hi <= i32::MAX.into() => CType::INT,
            (false, _) => CType::UNSIGNED_LONG,
            (true, _) => CType::LONG,
        };
        if let Some(tag) = &e.tag {
            self.tags.last_mut().expect("file scope is always open").insert(tag.text.clone(), ty.clone());
        }
        Ok(ty)
    }
}

fn power_of_two(n: i128, span: Span) -> Result<u64> {
    match u64::try_from(n) {
        Ok(n) if n.is_power_of_two() && n <= 1 << 20 => Ok(n),
        _ => Err(Diagnostic::new(span, format!("{n} is no alignment"))),
    }
}
