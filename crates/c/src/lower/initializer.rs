//! Initialisers of local variables: every scalar of a variable is assigned, those that are not named with zero.

use super::build::number;
use super::copy::Part;
use super::{Lowerer, Result, Value};
use crate::hir::{self, Initializer, PartValue, TypeId};
use fencepost_ir::tree::{Expr, Place, RecordKind, Type};
use fencepost_ir::{Scalar, Span, Step};
use std::collections::HashMap;

/// What a variable holds before it is initialised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Before {
    Zero,
    Anything,
}

/// The values that scalars are given, by the ways to them.
type Given = HashMap<Vec<Step>, Expr>;

impl<'h> Lowerer<'h> {
    /// Assigns a local variable its initial value.
    pub fn initialize(
        &mut self,
        target: &Place,
        ty: TypeId,
        init: &'h Initializer,
        before: Before,
        span: Span,
    ) -> Result<()> {
        let storage = self.stored(ty, span)?;
        match init {
            Initializer::None => Ok(()),
            Initializer::Value(e) => match self.value(e)? {
                Value::Record(from) => self.copy(target, &from, &storage, span),
                Value::Scalar(value) => {
                    self.assign_place(target.clone(), value, span);
                    Ok(())
                }
                Value::Void => Err(self.no_values(ty, span)),
            },
            Initializer::Parts(parts) => {
                let mut given = Given::new();
                for part in parts {
                    self.give(ty, part, &mut given, span)?;
                }
                self.assign_given(target, &storage, given, before, span);
                Ok(())
            }
        }
    }

    /// Evaluates a part of an initialiser.
    fn give(&mut self, ty: TypeId, part: &'h hir::Part, given: &mut Given, span: Span) -> Result<()> {
        let mut paths = Vec::new();
        let (ty, bits) = self.steps(ty, &part.path, Vec::new(), &mut paths);
        let values: Vec<(Vec<Step>, Expr)> = match &part.value {
            PartValue::Value(e) if self.is_compound(ty) => {
                let from = self.record_value(e)?;
                let storage = self.stored(ty, span)?;
                let parts = self.scalars_of(&from, &storage, self.at(e.span))?;
                let inner: Vec<Vec<Step>> = parts.iter().map(|(path, ..): &Part| path.clone()).collect();
                inner.into_iter().zip(self.kept_scalars(parts, self.at(e.span))).collect()
            }
            PartValue::Value(e) => {
                let value = self.scalar(e)?;
                vec![(Vec::new(), self.keep(value))]
            }
            PartValue::Zero => {
                let storage = self.stored(ty, span)?;
                let zero = |(path, scalar): (Vec<Step>, Scalar)| {
                    (path, number(scalar.default_value(), scalar, span))
                };
                self.covering(&storage).into_iter().map(zero).collect()
            }
            PartValue::Units(units) => {
                let of = self.hir.types.element(ty).expect("strings are for arrays");
                let scalar = self.scalar_of(of);
                let unit = |(i, unit): (usize, &u32)| {
                    (vec![Step::Index(i as u32)], number(i64::from(*unit), scalar, span))
                };
                units.iter().enumerate().map(unit).collect()
            }
        };
        for path in paths {
            for (inner, value) in &values {
                let path = [&path[..], inner].concat();
                let value = match (bits, given.remove(&path)) {
                    (None, _) => value.clone(),
                    (Some(bits), others) => self.placed_bits(bits, value.clone(), others, span),
                };
                given.insert(path, value);
            }
        }
        Ok(())
    }

    /// The ways that steps of C's types lead, and what they lead to.
    fn steps(
        &mut self,
        ty: TypeId,
        steps: &[hir::Step],
        so_far: Vec<Step>,
        found: &mut Vec<Vec<Step>>,
    ) -> (TypeId, Option<hir::BitField>) {
        let Some((first, rest)) = steps.split_first() else {
            found.push(so_far);
            return (ty, None);
        };
        let hir = self.hir;
        let element = || hir.types.element(ty).expect("elements are of arrays");
        match *first {
            hir::Step::Index(i) => {
                self.steps(element(), rest, [so_far, vec![Step::Index(i as u32)]].concat(), found)
            }
            hir::Step::Range(from, to) => {
                let mut last = (element(), None);
                for i in from..=to {
                    let path = [&so_far[..], &[Step::Index(i as u32)]].concat();
                    last = self.steps(element(), rest, path, found);
                }
                last
            }
            hir::Step::Member(m) => {
                let record = hir.types.record_id(ty).expect("members are of records");
                let field = self.field(record, m);
                let member = &hir.types.layout(record).expect("members are of complete records").members[m];
                let path = [so_far, vec![Step::Field(field)]].concat();
                let (ty, bits) = self.steps(member.ty, rest, path, found);
                (ty, if rest.is_empty() { member.bits } else { bits })
            }
        }
    }

    fn assign_given(&mut self, target: &Place, storage: &Type, mut given: Given, before: Before, span: Span) {
        let mut scalars = Vec::new();
        self.program.records.scalars(storage, &mut Vec::new(), &mut |path, scalar| {
            scalars.push((path.to_vec(), scalar));
        });
        let used = self.used_members(storage, &given);
        for (path, scalar) in scalars {
            if scalar == Scalar::Mutex || self.passes_unused_union(storage, &path, &used) {
                continue;
            }
            if before == Before::Zero && !given.contains_key(&path) {
                continue;
            }
            let value = given.remove(&path).unwrap_or_else(|| number(scalar.default_value(), scalar, span));
            let mut place = target.clone();
            place.path.extend(path.iter().map(|step| self.projection(*step, span)));
            self.assign_place(place, value, span);
        }
    }

    /// The members of unions that are initialised, by the ways to the unions.
    fn used_members(&self, storage: &Type, given: &Given) -> HashMap<Vec<Step>, usize> {
        let mut used = HashMap::new();
        for path in given.keys() {
            self.unions_on(storage, path, &mut |union, member| {
                used.insert(union.to_vec(), member);
            });
        }
        used
    }

    /// Calls `see` with each union that a path passes, and the member by which it does.
    fn unions_on(&self, ty: &Type, path: &[Step], see: &mut impl FnMut(&[Step], usize)) {
        let mut ty = ty;
        for (i, step) in path.iter().enumerate() {
            ty = match (step, ty) {
                (Step::Index(_), Type::Array(element, _)) => element,
                (Step::Field(field), Type::Record(id)) => {
                    let record = self.program.records.get(*id);
                    if record.kind == RecordKind::Union {
                        see(&path[..i], *field);
                    }
                    &record.fields[*field].ty
                }
                _ => return,
            };
        }
    }

    /// Whether the path enters a union by a member other than the one that is initialised, which is
    /// the first if none is.
    fn passes_unused_union(&self, ty: &Type, path: &[Step], used: &HashMap<Vec<Step>, usize>) -> bool {
        let mut unused = false;
        self.unions_on(ty, path, &mut |union, member| {
            unused |= used.get(union).copied().unwrap_or(0) != member;
        });
        unused
    }
}
