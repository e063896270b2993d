//! Unions in which numbers share bytes with what is not followed as one: pointers and floating-point numbers.

use super::{Lowerer, Result, floating};
use crate::hir::{self, RecordId};
use fencepost_ir::tree::RecordKind;
use fencepost_ir::{Scalar, Span};

impl Lowerer<'_> {
    /// Notes what a member of a record shows of others.
    pub fn enter_record(&mut self, id: RecordId, span: Span) -> Result<()> {
        if self.hir.types.records[id].kind == hir::RecordKind::Union {
            self.keeps_floating_apart(id, span)?;
            self.program.exposes_pointers |= self.shows_pointers(id);
        }
        Ok(())
    }

    /// Refuses a member of a union whose bytes are floating in one member and not in another.
    fn keeps_floating_apart(&self, id: RecordId, span: Span) -> Result<()> {
        let Some(layout) = self.hir.types.layout(id) else { return Ok(()) };
        let some = layout.members.iter().any(|m| self.has_floating(m.ty));
        let all = layout.members.iter().all(|m| self.floats(m.ty));
        if some && !all { Err(floating::unknown_value(span)) } else { Ok(()) }
    }

    /// Whether the number of the object that a pointer in a union leads to shows in another member.
    fn shows_pointers(&mut self, id: RecordId) -> bool {
        let Some(id) = self.record(id) else { return false };
        let records = &self.program.records;
        let record = records.get(id);
        debug_assert_eq!(record.kind, RecordKind::Union, "only members of unions share bytes");
        let half = u64::from(self.program.pointer_bits) / 16;
        let cells = |field: &fencepost_ir::Field| {
            let layout = records.layout(&field.ty);
            layout.into_iter().map(|c| (field.offset + c.offset, c.ty)).collect::<Vec<_>>()
        };
        let all: Vec<_> = record.fields.iter().flat_map(cells).collect();
        let is_pointer = |ty: &Scalar| matches!(ty, Scalar::Pointer { .. });
        all.iter().filter(|(_, ty)| is_pointer(ty)).any(|(start, _)| {
            let (upper, end) = (start + half, start + 2 * half);
            all.iter().any(|(o, ty)| !is_pointer(ty) && *o < end && upper < o + ty.size())
        })
    }
}
