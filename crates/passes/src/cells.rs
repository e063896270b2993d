//! Variables that are looked at as something else: `*(char *)&word`, `*(uint64_t *)&pair`.
//!
//! An access covers whole cells, so a variable whose address is cast to a pointer to scalars of another size
//! becomes a union of what it is and of what it is cast to, and a union is cut wherever a member is. The members that are there
//! already stay the first ones, and every place in the variable leads through them. What goes through `void *` is found by
//! [`misfits`]: accesses to part of a scalar, typed memory that is walked byte by byte, and memory of bytes (an arena) that
//! other things live in. Such allocated memory becomes a row of unions; it starts with zeros, as bytes between members would else
//! be any value. What is not found ends in unknown when a run comes to it.

use crate::misfits::{Misfit, MisfitPlace, Misfits, misfits};
use fencepost_analysis::points_to::Object;
use fencepost_ir::tree::*;
use fencepost_ir::{Cell, InitialCells, Scalar};
use std::collections::{HashMap, HashSet};

/// Larger objects are left as they are: no search could go through their states.
const MOST_BYTES: u64 = 4096;

/// A variable, with the procedure that a local one is of.
type Viewed = (Option<ProcedureId>, VarRef);

/// A size, and whether it is a pointer's.
type Kind = (u64, bool);

fn kind(ty: Scalar) -> Kind {
    (ty.size(), matches!(ty, Scalar::Pointer { .. }))
}

/// Makes unions of the objects whose parts are looked at as something else.
pub(crate) fn run(program: &mut Program) {
    Cutting { program }.overlay();
}

struct Cutting<'p> {
    program: &'p mut Program,
}

impl Cutting<'_> {
    fn overlay(&mut self) {
        let kinds = self.kinds_followed();
        let mut views: Vec<(Viewed, Vec<Field>)> = Vec::new();
        let mut places: HashMap<Viewed, usize> = HashMap::new();
        let mut add = |key, view: Field| {
            let place = *places.entry(key).or_insert(views.len());
            match views.get_mut(place) {
                Some((_, views)) if views.contains(&view) => {}
                Some((_, views)) => views.push(view),
                None => views.push((key, vec![view])),
            }
        };
        let misfits = match self.may_misfit(&kinds) {
            true => misfits(self.program),
            false => Misfits::default(),
        };
        self.program.wide_access = misfits.wide;
        self.program.exposes_pointers |= misfits.exposes;
        for misfit in &misfits.found {
            if let Object::Variable(procedure, variable) = misfit.object
                && let Some(v) = self.cast_variable(procedure, variable)
                && v.name != "__fencepost_whole"
                && let ty = v.ty.clone()
                && let Some(view) = self.misfit_view(&ty, misfit)
            {
                add((procedure, variable), view);
            }
        }
        let mut done = HashSet::new();
        for (key, views) in views {
            let Some(ty) = self.cast_variable(key.0, key.1).map(|v| v.ty.clone()) else { continue };
            done.insert(key);
            self.become_union(key.0, key.1, ty, views);
        }
        for id in (0..self.program.procedures.len()).map(ProcedureId) {
            let is_done = |variable: VarRef| match variable {
                VarRef::Local(_) => done.contains(&(Some(id), variable)),
                _ => done.contains(&(None, variable)),
            };
            lead_through(&mut self.program.procedures[id.0].body, &is_done);
            self.overlay_allocations(id, &misfits);
        }
        for property in &mut self.program.properties {
            if let Property::Final(_, condition, _) = property {
                condition.visit_mut(&mut |e| {
                    if let ExprKind::Read(place) = &mut e.kind {
                        lead_place(place, &|variable| done.contains(&(None, variable)));
                    }
                });
            }
        }
    }

    /// Whether accesses may see memory as something else, as far as types alone tell: not where all that pointers lead to and
    /// all that is in memory is of one kind.
    fn may_misfit(&self, followed: &HashSet<Kind>) -> bool {
        let mut kinds = followed.clone();
        let mut see = |ty: &Type| kinds.extend(self.program.records.layout(ty).iter().map(|c| kind(c.ty)));
        self.program.shared.iter().for_each(|v| see(&v.ty));
        for procedure in &self.program.procedures {
            procedure.locals.iter().filter(|v| v.ty.as_scalar().is_none()).for_each(|v| see(&v.ty));
        }
        !followed.is_empty() && kinds.len() > 1
    }

    /// A row of equal scalars over all of a type, from a byte on.
    fn row(&self, ty: &Type, seen: Scalar, first: u64) -> Option<Field> {
        let (records, size) = (&self.program.records, self.program.records.size(ty));
        if size > MOST_BYTES || !records.layout(ty).iter().all(is_plain) {
            return None;
        }
        let count = size.saturating_sub(first) / seen.size();
        let ty = Type::Array(Box::new(seen.into()), u32::try_from(count).ok()?);
        (count > 0).then(|| Field { name: String::new(), ty, offset: first })
    }

    /// What shows a misfit of an object.
    fn misfit_view(&mut self, ty: &Type, misfit: &Misfit) -> Option<Field> {
        match misfit.place {
            MisfitPlace::Row(first) => self.row(ty, misfit.seen, first),
            MisfitPlace::At(byte) => {
                let plain = self.program.records.layout(ty).iter().all(is_plain);
                let ty = self.part_view(ty, misfit.seen, byte % self.program.records.size(ty).max(1))?;
                plain.then(|| Field { name: String::new(), ty, offset: 0 })
            }
        }
    }

    /// A type as large as another that has a scalar at a byte, in every element of the arrays that the byte is in, and
    /// nothing else.
    fn part_view(&mut self, ty: &Type, seen: Scalar, byte: u64) -> Option<Type> {
        let size = self.program.records.size(ty);
        if byte + seen.size() > size {
            return None;
        }
        let (inner, offset) = match ty {
            Type::Array(element, n) => {
                let stride = self.program.records.size(element);
                if let Some(part) = self.part_view(element, seen, byte % stride.max(1)) {
                    return Some(Type::Array(Box::new(part), *n));
                }
                (seen.into(), byte)
            }
            Type::Record(id) => {
                let fields = self.program.records.get(*id).fields.clone();
                let holds =
                    |f: &&Field| (f.offset..f.offset + self.program.records.size(&f.ty)).contains(&byte);
                let inside = fields.iter().find(holds).cloned();
                let part =
                    inside.and_then(|f| Some((self.part_view(&f.ty, seen, byte - f.offset)?, f.offset)));
                part.unwrap_or((seen.into(), byte))
            }
            Type::Scalar(_) => (seen.into(), byte),
        };
        let field = Field { name: String::new(), ty: inner, offset };
        let made =
            Record { name: "unnamed".to_string(), kind: RecordKind::Struct, fields: vec![field], size };
        self.program.records.0.push(made);
        Some(Type::Record(RecordId(self.program.records.0.len() as u32 - 1)))
    }

    /// Gives the allocations of a procedure types that show all that is looked for in them.
    fn overlay_allocations(&mut self, id: ProcedureId, misfits: &Misfits) {
        let mut types: HashMap<usize, Type> = HashMap::new();
        let mut own = Vec::new();
        self.program.procedures[id.0].body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Allocate(ty, ..) | ExprKind::Reallocate(ty, ..) = &e.kind {
                        own.push(ty.innermost().clone());
                    }
                });
            }
        });
        for (n, ty) in own.into_iter().enumerate() {
            let object = Object::Site(id, n);
            let seen: Vec<_> = misfits.found.iter().filter(|m| m.object == object).collect();
            if seen.is_empty() || misfits.resized.contains(&object) {
                continue;
            }
            // Memory without type is chunks of what is largest in it.
            let is_bytes = is_bytes(&ty);
            let size = match is_bytes {
                true => seen.iter().map(|m| m.seen.size()).max().unwrap_or(8),
                false => self.program.records.size(&ty),
            };
            let of_bytes = Type::Array(Box::new(ty.clone()), size as u32);
            let ty = if is_bytes { of_bytes } else { ty };
            let repeats = |m: &&&Misfit| match m.place {
                MisfitPlace::Row(residue) => residue == 0 && size.is_multiple_of(m.seen.size()),
                MisfitPlace::At(_) => true,
            };
            let rows = seen.iter().filter(repeats);
            let rows: Vec<Field> = rows.filter_map(|m| self.misfit_view(&ty, m)).collect();
            if rows.is_empty() || matches!(ty, Type::Record(r) if self.ends_open(r)) {
                continue;
            }
            let first = Field { name: String::new(), ty, offset: 0 };
            let first = (!is_bytes || misfits.bytes.contains(&object)).then_some(first);
            types.insert(n, self.union_of(first.into_iter().chain(rows).collect(), size));
        }
        if types.is_empty() {
            return;
        }
        let mut n = 0;
        self.program.procedures[id.0].body.visit_mut(&mut |stmt| {
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let ExprKind::Allocate(ty, _, fill, _) = &mut e.kind
                        && let Some(union) = types.get(&n)
                    {
                        (*ty, *fill) = (union.clone(), Fill::Zero);
                    }
                    n += usize::from(matches!(e.kind, ExprKind::Allocate(..) | ExprKind::Reallocate(..)));
                });
            }
        });
    }

    /// Whether a record ends in an array without length.
    fn ends_open(&self, id: RecordId) -> bool {
        let last = self.program.records.get(id).fields.last();
        matches!(last, Some(Field { ty: Type::Array(_, 0), .. }))
    }

    /// A union of fields. Where pointers share bytes with other things they can be seen in them.
    fn union_of(&mut self, fields: Vec<Field>, size: u64) -> Type {
        let union = Type::Record(RecordId(self.program.records.0.len() as u32));
        let name = "unnamed".to_string();
        self.program.records.0.push(Record { name, kind: RecordKind::Union, fields, size });
        let records = &self.program.records;
        let (mut pointers, mut others) = (Vec::new(), Vec::new());
        records.scalars(&union, &mut Vec::new(), &mut |path, scalar| {
            let (start, _) = records.offset(&union, path);
            let is_pointer = matches!(scalar, Scalar::Pointer { .. });
            let list = if is_pointer { &mut pointers } else { &mut others };
            list.push((start, start + scalar.size()));
        });
        let shared = |(start, end): &(u64, u64)| others.iter().any(|(s, e)| start < e && s < end);
        self.program.exposes_pointers |= pointers.iter().any(shared);
        union
    }

    fn cast_variable(&mut self, procedure: Option<ProcedureId>, variable: VarRef) -> Option<&mut Variable> {
        match (procedure, variable) {
            (Some(procedure), VarRef::Local(id)) => self.program.procedures[procedure.0].locals.get_mut(id.0),
            (None, VarRef::Shared(id)) => self.program.shared.get_mut(id.0),
            _ => None,
        }
    }

    /// Kinds of the scalars that are accessed through pointers.
    fn kinds_followed(&self) -> HashSet<Kind> {
        let mut kinds = HashSet::new();
        let mut seen = HashSet::new();
        let mut see = |place: &Place| {
            if let Base::Pointed(_, ty) = &place.base
                && !seen.contains(ty)
            {
                seen.insert(ty.clone());
                kinds.extend(self.program.records.layout(ty).iter().map(|cell| kind(cell.ty)));
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
        kinds
    }

    fn become_union(
        &mut self,
        procedure: Option<ProcedureId>,
        variable: VarRef,
        ty: Type,
        views: Vec<Field>,
    ) {
        let size = self.program.records.size(&ty);
        let first = ty.clone();
        let own = Field { name: String::new(), ty, offset: 0 };
        let union = self.union_of(std::iter::once(own).chain(views).collect(), size);
        let records = &self.program.records;
        let (old, mut cells) = (records.layout(&first), InitialCells::zero(records, &union));
        let Some(variable) = self.cast_variable(procedure, variable) else { return };
        for (cell, choices) in old.iter().zip(&variable.init) {
            cells.choose(cell.offset, cell.ty, choices);
        }
        variable.ty = union;
        variable.init = cells.values();
    }
}

/// Whether memory of a type is that of which nothing else is known.
fn is_bytes(ty: &Type) -> bool {
    matches!(ty.leaf(), Some(Scalar::Int(int)) if int.bits == 8)
}

/// Whether a cell has bytes that mean its value.
fn is_plain(cell: &Cell) -> bool {
    matches!(cell.ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. })
}

fn lead_place(place: &mut Place, is_done: &dyn Fn(VarRef) -> bool) {
    if let Base::Variable(variable) = place.base
        && is_done(variable)
    {
        place.path.insert(0, Projection::Field(0));
    }
}

/// Lets all places in the variables lead through the unions' first member.
fn lead_through(body: &mut Block, is_done: &dyn Fn(VarRef) -> bool) {
    let lead = |place: &mut Place| lead_place(place, is_done);
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
