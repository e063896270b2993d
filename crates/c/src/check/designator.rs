//! Designators: `.f[2]` in a list of initialisers.

use super::item::OPEN;
use super::part::{Before, Braces, Builder, Items};
use super::{Checker, Result};
use crate::ast::{self, Designator};
use crate::hir::{Length, Step, TypeId};

impl<'a> Checker<'a> {
    /// The positions that designators lead through, one level after the other.
    pub fn levels(&mut self, ty: TypeId, designators: &'a [Designator]) -> Result<Vec<(u64, u64)>> {
        let mut ty = ty;
        let mut levels = Vec::new();
        for designator in designators {
            let (e, from, to) = match designator {
                Designator::Field(name) => {
                    ty = self.field_levels(ty, name, &mut levels)?;
                    continue;
                }
                Designator::Index(e) => {
                    let i = self.integer_constant(e)?;
                    (e, i, i)
                }
                Designator::Range(e, to) => (e, self.integer_constant(e)?, self.integer_constant(to)?),
            };
            let Some((of, length)) = self.array(ty) else {
                return self.fail(e.span, "this designator does not fit the type");
            };
            let end = match length {
                Length::Known(n) => n,
                Length::Unknown | Length::Variable(_) => OPEN,
            };
            if from < 0 || to < from || to >= i128::from(end) {
                return self.fail(e.span, "this index is outside the array");
            }
            levels.push((from as u64, to as u64));
            ty = of;
        }
        Ok(levels)
    }

    /// The levels of `.name`: members of unnamed records lie some levels deeper.
    fn field_levels(
        &mut self,
        ty: TypeId,
        name: &'a ast::Name,
        levels: &mut Vec<(u64, u64)>,
    ) -> Result<TypeId> {
        let Some(record) = self.types.record_id(ty) else {
            return self.fail(name.span, "this designator does not fit the type");
        };
        let Some(path) = self.types.member_path(record, &name.text) else {
            return Err(self.no_member(ty, record, name));
        };
        let mut ty = ty;
        for number in path {
            levels.push((number as u64, number as u64));
            ty = self.child(ty, number as u64).1;
        }
        Ok(ty)
    }

    /// The first item, which is designated, and those after it that continue from there; gives the position after them.
    pub fn designated(
        &mut self,
        ty: TypeId,
        levels: &[(u64, u64)],
        items: &mut Items<'a>,
        builder: &mut Builder,
        before: Before,
    ) -> Result<u64> {
        let ((from, to), rest) = levels.split_first().expect("a designated item has a designator");
        if self.is_union(ty) {
            builder.enter_union(*to);
        }
        let (step, inner) = self.child(ty, *to);
        let step = if from < to { Step::Range(*from, *to) } else { step };
        builder.path.push(step);
        let next = match rest {
            [] => {
                self.start_again(inner, items, builder, before);
                self.next_member(inner, items, builder).map(|()| None)
            }
            rest => self.designated(inner, rest, items, builder, before).map(Some),
        };
        // What follows continues in the last element of a range.
        let result = match next {
            Ok(Some(next)) => {
                builder.path.pop();
                builder.path.push(self.child(ty, *to).0);
                self.members_from(next, inner, items, builder, Braces::Outer)
            }
            Ok(None) => Ok(()),
            Err(reported) => Err(reported),
        };
        builder.path.pop();
        result.map(|()| to + 1)
    }
}
