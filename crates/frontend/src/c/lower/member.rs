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
            let CType::Record(id) = ty else { panic!("a path goes through records") };
            ty = self.members[id.0 as usize][field].clone();
            place.path.push(Projection::Field(field));
        }
        Ok(Lvalue { place, ty })
    }

    /// The fields on the way to a member.
    pub(super) fn member_path(&self, id: RecordId, name: &str) -> Option<Vec<usize>> {
        let fields = &self.program.records.get(id).fields;
        if let Some(i) = fields.iter().position(|f| f.name == name) {
            return Some(vec![i]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, field)| {
            let Type::Record(inner) = field.ty else { return None };
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
                        offset += self.program.records.get(id).fields[field].offset;
                        ty = self.members[id.0 as usize][field].clone();
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
