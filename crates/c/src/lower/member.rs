//! Members of structures and unions, those of unnamed ones inside included.

use super::*;

impl<'a> Lowerer<'a> {
    /// A member of a place.
    pub(super) fn member(&mut self, record: Lvalue, name: &ast::Name) -> Result<Lvalue> {
        let CType::Record(id) = *record.ty.unqualified() else {
            let message = format!("`{}` has no members", self.types().show(&record.ty));
            return Err(Diagnostic::new(name.span, message));
        };
        if !self.complete[id.0 as usize] {
            return Err(self.no_values(&record.ty, name.span));
        }
        let Some(path) = self.member_path(id, &name.text) else {
            let message = format!("`{}` has no member `{}`", self.types().show(&record.ty), name.text);
            return Err(Diagnostic::new(name.span, message));
        };
        let mut place = record.place;
        let mut ty = record.ty.unqualified().clone();
        for field in path {
            let CType::Record(id) = *ty.unqualified() else { panic!("a path goes through records") };
            self.keeps_floating_apart(id, name.span)?;
            self.program.exposes_pointers |= self.shows_pointers(id);
            let member = &self.members[id.0 as usize][field];
            ty = member.ty.clone();
            place.path.push(Projection::Field(member.field));
        }
        Ok(Lvalue { place, ty })
    }

    /// Whether the number of the object that a pointer in a union leads to shows in another member.
    fn shows_pointers(&self, id: RecordId) -> bool {
        let record = self.program.records.get(id);
        if record.kind != RecordKind::Union {
            return false;
        }
        let half = u64::from(self.program.pointer_bits) / 16;
        let cells = |field: &fencepost_ir::Field| {
            let layout = self.program.records.layout(&field.ty);
            layout.into_iter().map(|c| (field.offset + c.offset, c.ty)).collect::<Vec<_>>()
        };
        let all: Vec<_> = record.fields.iter().flat_map(cells).collect();
        let is_pointer = |ty: &Scalar| matches!(ty, Scalar::Pointer { .. });
        all.iter().filter(|(_, ty)| is_pointer(ty)).any(|(start, _)| {
            let (upper, end) = (start + half, start + 2 * half);
            all.iter().any(|(o, ty)| !is_pointer(ty) && *o < end && upper < o + ty.size())
        })
    }

    /// The members on the way to a member.
    pub(super) fn member_path(&self, id: RecordId, name: &str) -> Option<Vec<usize>> {
        let names = self.member_names.get(&id)?;
        if let Some(places) = names.get(name) {
            return Some(vec![places[0]]);
        }
        names.get("")?.iter().find_map(|&i| {
            let CType::Record(inner) = *self.members[id.0 as usize][i].ty.unqualified() else { return None };
            let rest = self.member_path(inner, name)?;
            Some([vec![i], rest].concat())
        })
    }

    /// `__builtin_offsetof(type, path)`
    pub(super) fn offset_of(
        &mut self,
        ty: &'a ast::TypeName,
        steps: &'a [ast::OffsetofStep],
        span: Span,
    ) -> Result<Typed> {
        let mut ty = self.type_name(ty)?;
        let mut offset = 0u64;
        for step in steps {
            match step {
                ast::OffsetofStep::Field(name) => {
                    let path = match ty.unqualified() {
                        CType::Record(id) => self.member_path(*id, &name.text),
                        _ => None,
                    };
                    let path = path.ok_or_else(|| {
                        let message = format!("`{}` has no member `{}`", self.types().show(&ty), name.text);
                        Diagnostic::new(name.span, message)
                    })?;
                    for field in path {
                        let CType::Record(id) = *ty.unqualified() else {
                            panic!("a path goes through records")
                        };
                        let member = &self.members[id.0 as usize][field];
                        if member.ty.bits().is_some() {
                            return Err(Diagnostic::new(name.span, "a bit-field has no offset"));
                        }
                        offset += self.program.records.get(id).fields[member.field].offset;
                        ty = member.ty.clone();
                    }
                }
                ast::OffsetofStep::Index(index) => {
                    let n = self.constant(index)?;
                    let element = match ty.unqualified() {
                        CType::Array(of, _) => (**of).clone(),
                        _ => return Err(Diagnostic::new(index.span, "this is not an array")),
                    };
                    let size = self.types().size(&element).unwrap_or(0);
                    offset = offset.wrapping_add((n as u64).wrapping_mul(size));
                    ty = element;
                }
            }
        }
        Ok(self.int_constant(offset as i64, &CType::UNSIGNED_LONG, span))
    }
}
