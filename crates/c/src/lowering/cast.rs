//! Variables whose address becomes a pointer to something else.

use super::Lowerer;
use crate::finish::Cast;
use crate::hir::TypeId;
use fencepost_ir::tree::{Base, Expr, ExprKind, Projection, Type, VarRef};

impl Lowerer<'_> {
    /// Notes that a pointer becomes one to something else.
    pub fn note_cast(&mut self, pointer: &Expr, target: TypeId) {
        if let Some(ty) = self.storage(target) {
            self.note_view(pointer, ty);
        }
    }

    /// The same, by the type of the program.
    pub fn note_view(&mut self, pointer: &Expr, ty: Type) {
        let ExprKind::AddressOf(place) = &pointer.kind else { return };
        let Base::Variable(variable @ (VarRef::Shared(_) | VarRef::Local(_))) = place.base else { return };
        let own = match variable {
            VarRef::Shared(id) => self.program.shared.get(id.0).map(|v| &v.ty),
            VarRef::Local(id) => self.body.locals.get(id.0).map(|v| &v.ty),
            VarRef::ThreadLocal(_) | VarRef::Observed(..) => None,
        };
        let Some(offset) = own.and_then(|own| self.constant_offset(own, &place.path)) else { return };
        self.body.casts.push(Cast { variable, offset, ty });
    }

    /// The byte that a path leads to, where no index of it is computed.
    fn constant_offset(&self, ty: &Type, path: &[Projection]) -> Option<u64> {
        let Some((first, rest)) = path.split_first() else { return Some(0) };
        match (first, ty) {
            (Projection::Index(Expr { kind: ExprKind::Const(i), .. }), Type::Array(element, _)) => {
                let inner = self.constant_offset(element, rest)?;
                Some(u64::try_from(*i).ok()? * self.program.records.size(element) + inner)
            }
            (Projection::Field(i), Type::Record(id)) => {
                let field = self.program.records.get(*id).fields.get(*i)?;
                Some(field.offset + self.constant_offset(&field.ty, rest)?)
            }
            _ => None,
        }
    }
}
