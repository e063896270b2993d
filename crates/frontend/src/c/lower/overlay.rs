//! Variables that are looked at as something else: `*(char *)&word`, `*(uint64_t *)&pair`.
//!
//! A cell of memory holds one scalar, so a variable whose address is cast to a pointer to scalars of another size
//! becomes a union of what it is and of what it is cast to; unions show every member's bytes. The members that are there
//! already stay the first ones, and every place in the variable leads through them. Variables of threads, what pointers
//! point to and what goes through `void *` are not followed: accesses to parts of these end in unknown.

use super::*;
use fencepost_ir::{Cell, Field, Record, RecordId, RecordKind};

/// A cast of a variable's address.
pub(super) struct Cast {
    variable: VarRef,
    /// Where the pointer points to in the variable.
    offset: u64,
    /// What it points to afterwards.
    ty: Type,
}

impl Lowerer<'_> {
    /// Notes that a pointer becomes one to something else.
    pub(super) fn note_cast(&mut self, pointer: &Expr, target: &CType) {
        let ExprKind::AddressOf(place) = &pointer.kind else { return };
        let Base::Variable(variable @ (VarRef::Shared(_) | VarRef::Local(_))) = place.base else { return };
        let Some(ty) = self.types().storage(target) else { return };
        let own = match variable {
            VarRef::Shared(id) => self.program.shared.get(id.0).map(|v| v.ty.clone()),
            VarRef::Local(id) => self.body.locals.get(id.0).map(|v| v.ty.clone()),
            VarRef::ThreadLocal(_) | VarRef::Observed(..) => None,
        };
        let Some(offset) = own.as_ref().and_then(|own| self.constant_offset(own, &place.path)) else {
            return;
        };
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

    /// Makes unions of the variables whose parts are looked at as something else.
    pub(super) fn overlay(&mut self) {
        let casts = std::mem::take(&mut self.casts);
        let sizes = self.sizes_followed();
        let mut done: Vec<(Option<ProcedureId>, VarRef)> = Vec::new();
        for (procedure, cast) in &casts {
            let procedure = matches!(cast.variable, VarRef::Local(_)).then_some(*procedure);
            let key = (procedure, cast.variable);
            if done.contains(&key) {
                continue;
            }
            let of = |c: &&(ProcedureId, Cast)| {
                c.1.variable == cast.variable && procedure.is_none_or(|procedure| c.0 == procedure)
            };
            let Some(variable) = self.cast_variable(procedure, cast.variable) else { continue };
            let ty = variable.ty.clone();
            let views: Vec<Field> =
                casts.iter().filter(of).filter_map(|(_, cast)| self.view(&ty, cast, &sizes)).collect();
            if !views.is_empty() {
                done.push(key);
                self.become_union(procedure, cast.variable, ty, views);
            }
        }
        for id in (0..self.program.procedures.len()).map(ProcedureId) {
            let is_done = |variable: VarRef| match variable {
                VarRef::Local(_) => done.contains(&(Some(id), variable)),
                _ => done.contains(&(None, variable)),
            };
            lead_through(&mut self.program.procedures[id.0].body, &is_done);
        }
    }

    fn cast_variable(&mut self, procedure: Option<ProcedureId>, variable: VarRef) -> Option<&mut Variable> {
        match (procedure, variable) {
            (Some(procedure), VarRef::Local(id)) => self.program.procedures[procedure.0].locals.get_mut(id.0),
            (None, VarRef::Shared(id)) => self.program.shared.get_mut(id.0),
            _ => None,
        }
    }

    /// Sizes of the scalars that are accessed through pointers.
    fn sizes_followed(&self) -> HashSet<u64> {
        let mut sizes = HashSet::new();
        let mut see = |place: &Place| {
            if let Base::Pointed(_, ty) = &place.base {
                sizes.extend(self.program.records.layout(ty).iter().map(|cell| cell.ty.size()));
            }
        };
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                if let StmtKind::Assign(place, _) = &stmt.kind {
                    see(place);
                }
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Read(place) | ExprKind::Rmw(_, place, _) = &e.kind {
                            see(place);
                        }
                    });
                }
            });
        }
        sizes
    }

    /// What a cast adds to a variable; nothing if all that it can lead to is there already.
    fn view(&self, ty: &Type, cast: &Cast, sizes: &HashSet<u64>) -> Option<Field> {
        let records = &self.program.records;
        let plain = |c: &Cell| matches!(c.ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
        let (own, seen) = (records.layout(ty), records.layout(&cast.ty));
        let size = records.size(ty);
        if !own.iter().chain(&seen).all(plain) || !seen.iter().any(|c| sizes.contains(&c.ty.size())) {
            return None;
        }
        let is_there = |offset: u64, scalar: Scalar| {
            own.iter().any(|c| c.offset == offset && c.ty.size() == scalar.size())
        };
        match cast.ty {
            Type::Scalar(scalar) => {
                // Bytes are walked over; other scalars are mostly meant where they are.
                let walked = scalar.size() == 1 && !own.iter().all(|c| c.ty.size() == 1);
                let first = cast.offset % scalar.size().max(1);
                let count = size.saturating_sub(first) / scalar.size().max(1);
                let needed = walked || !is_there(cast.offset, scalar);
                let ty = Type::Array(Box::new(cast.ty.clone()), u32::try_from(count).ok()?);
                (needed && count > 0).then(|| Field { name: String::new(), ty, offset: first })
            }
            Type::Array(..) | Type::Record(_) => {
                let there = seen.iter().all(|c| is_there(cast.offset + c.offset, c.ty));
                let fits = cast.offset + records.size(&cast.ty) <= size;
                (fits && !there).then(|| Field {
                    name: String::new(),
                    ty: cast.ty.clone(),
                    offset: cast.offset,
                })
            }
        }
    }

    fn become_union(
        &mut self,
        procedure: Option<ProcedureId>,
        variable: VarRef,
        ty: Type,
        views: Vec<Field>,
    ) {
        let size = self.program.records.size(&ty);
        let own = Field { name: String::new(), ty, offset: 0 };
        let fields = std::iter::once(own).chain(views).collect();
        let name = "unnamed".to_string();
        let union = Type::Record(RecordId(self.program.records.0.len() as u32));
        self.program.records.0.push(Record { name, kind: RecordKind::Union, fields, size });
        self.members.push(Vec::new());
        let layout = self.program.records.layout(&union);
        let Some(variable) = self.cast_variable(procedure, variable) else { return };
        variable.ty = union;
        let there = variable.init.len();
        variable.init.extend(layout[there..].iter().map(|cell| Choices::one(cell.ty.default_value())));
    }
}

/// Lets all places in the variables lead through the unions' first member.
fn lead_through(body: &mut Block, is_done: &dyn Fn(VarRef) -> bool) {
    let lead = |place: &mut Place| {
        if let Base::Variable(variable) = place.base
            && is_done(variable)
        {
            place.path.insert(0, Projection::Field(0));
        }
    };
    body.visit_mut(&mut |stmt| {
        for e in stmt.kind.expressions_mut() {
            e.visit_mut(&mut |e| {
                if let ExprKind::Read(place) | ExprKind::Rmw(_, place, _) | ExprKind::AddressOf(place) =
                    &mut e.kind
                {
                    lead(place);
                }
            });
        }
        stmt.kind.places_mut().into_iter().for_each(lead);
        if let StmtKind::Declare(id, value) = &mut stmt.kind
            && is_done(VarRef::Local(*id))
            && let Some(value) = value.take()
            && !matches!(value.kind, ExprKind::Any(_))
        {
            let mut place = Place::variable(VarRef::Local(*id), stmt.span);
            lead(&mut place);
            stmt.kind = StmtKind::Assign(place, value);
        }
    });
}
