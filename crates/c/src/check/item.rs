//! Lists of initialisers: which item is for which part of a variable.
//!
//! Inner braces may be missing; then an array or record takes as many items as it has scalars. A designator goes to a part
//! of what the braces around it are for, and the items after it continue after that part.

use super::part::{Before, Braces, Builder, Items, units};
use super::{Checker, Result};
use crate::ast::{self, InitializerItem};
use crate::hir::{Expr, Length, Part, PartValue, RecordKind, Step, Type, TypeId};

/// More elements than any array has, for one whose length its initialiser gives.
pub const OPEN: u64 = u32::MAX as u64;

impl<'a> Checker<'a> {
    /// A list in braces for something of a type.
    pub fn braced(&mut self, ty: TypeId, items: &mut Items<'a>, builder: &mut Builder) -> Result<()> {
        match *self.types.kind(ty) {
            Type::Mutex | Type::Thread => return Ok(()),
            Type::Record(id) if id.index() < self.link.library_records && self.is_users() => {
                return self.library_list(ty, items.rest, builder);
            }
            _ => {}
        }
        // A string in braces of its own.
        if let (Some((of, length)), [only]) = (self.array(ty), items.rest)
            && let ast::Initializer::Expr(e) = &only.value
            && only.designators.is_empty()
            && let Some(literal) = self.string_for(of, e)
        {
            builder.add(PartValue::Units(units(literal, length)));
            return Ok(());
        }
        self.members_from(0, ty, items, builder, Braces::Own)?;
        match items.rest.first() {
            Some(extra) => self.fail(extra.span, "there are more initialisers than members"),
            None => Ok(()),
        }
    }

    /// Whether the text at hand is the user's.
    fn is_users(&self) -> bool {
        self.scopes.unit() != self.link.library_unit
    }

    /// Static initialisers of thread libraries' types, which were written for other members. They say nothing, but that
    /// of a mutex may tell its kind.
    fn library_list(
        &mut self,
        ty: TypeId,
        items: &'a [InitializerItem],
        builder: &mut Builder,
    ) -> Result<()> {
        let record = self.types.record_id(ty).expect("the library's types with lists are records");
        let Some(path) = self.types.member_path(record, "kind") else { return Ok(()) };
        for item in items {
            match &item.value {
                ast::Initializer::List(inner) => self.library_list(ty, &inner.items, builder)?,
                ast::Initializer::Expr(e) => {
                    let value = self.integer_constant(e)?;
                    if value != 0 {
                        let value = self.constant(value, self.types.int(), e.span);
                        let path = builder.path.iter().copied().chain(path.iter().map(|i| Step::Member(*i)));
                        let path = path.collect();
                        builder.parts.push(Part { path, value: PartValue::Value(value) });
                    }
                }
            }
        }
        Ok(())
    }

    /// How many parts of a type are initialised one after the other; `None` for a scalar.
    fn count(&self, ty: TypeId) -> Option<u64> {
        match *self.types.kind(ty) {
            Type::Array(_, Length::Known(n)) => Some(n),
            Type::Array(..) => Some(OPEN),
            Type::Record(id) => match self.types.records[id].kind {
                RecordKind::Struct => self.types.layout(id).map(|layout| layout.members.len() as u64),
                RecordKind::Union => self.types.layout(id).map(|layout| layout.members.len().min(1) as u64),
            },
            _ => None,
        }
    }

    pub fn is_union(&self, ty: TypeId) -> bool {
        self.types.record_id(ty).is_some_and(|id| self.types.records[id].kind == RecordKind::Union)
    }

    /// Takes from `items` what the parts of the type need, from a position on.
    pub fn members_from(
        &mut self,
        first: u64,
        ty: TypeId,
        items: &mut Items<'a>,
        builder: &mut Builder,
        braces: Braces,
    ) -> Result<()> {
        let Some(count) = self.count(ty) else {
            // A scalar in braces.
            return match items.next() {
                Some(item) => self.item_value(ty, &item.value, None, builder),
                None => Ok(()),
            };
        };
        let mut position = first;
        let mut entered_union = first > 0;
        let mut furthest = None;
        while let Some(item) = items.rest.first() {
            if !item.designators.is_empty() && !items.is_reached {
                if braces == Braces::Outer {
                    return Ok(());
                }
                let levels = self.levels(ty, &item.designators)?;
                items.is_reached = true;
                let before = Before::at(levels[0].0, furthest);
                furthest = furthest.max(Some(levels[0].1));
                position = self.designated(ty, &levels, items, builder, before)?;
                entered_union = true;
                continue;
            }
            if position >= count || self.is_union(ty) && entered_union {
                return Ok(());
            }
            if self.is_union(ty) {
                builder.enter_union(position);
            }
            let (step, inner) = self.child(ty, position);
            builder.path.push(step);
            self.start_again(inner, items, builder, Before::at(position, furthest));
            let result = self.next_member(inner, items, builder);
            builder.path.pop();
            result?;
            furthest = furthest.max(Some(position));
            position += 1;
        }
        Ok(())
    }

    pub fn child(&self, ty: TypeId, position: u64) -> (Step, TypeId) {
        match *self.types.kind(ty) {
            Type::Array(of, _) => (Step::Index(position), of),
            Type::Record(id) => {
                let members = &self.types.layout(id).expect("parts are of complete types").members;
                let number = position as usize;
                (Step::Member(number), members[number].ty)
            }
            _ => panic!("only arrays and records have parts"),
        }
    }

    /// Lets a part that may have been initialised before be zero, if the first item says all of it.
    pub fn start_again(&self, ty: TypeId, items: &Items<'a>, builder: &mut Builder, before: Before) {
        if before == Before::Perhaps && self.count(ty).is_some() && items.starts_again() {
            builder.add(PartValue::Zero);
        }
    }

    /// The next part, from one item or, without braces, from as many as it has scalars.
    pub fn next_member(&mut self, ty: TypeId, items: &mut Items<'a>, builder: &mut Builder) -> Result<()> {
        let Some(item) = items.rest.first() else { return Ok(()) };
        let ast::Initializer::Expr(e) = &item.value else {
            items.next();
            return self.item_value(ty, &item.value, None, builder);
        };
        let is_whole = match (self.array(ty), self.types.is_record(ty)) {
            (Some((of, _)), _) => items.checked.is_none() && self.string_for(of, e).is_some(),
            (None, true) => self.is_whole_record(ty, e, items)?,
            (None, false) => true,
        };
        if is_whole {
            items.next();
            let checked = items.checked.take();
            return self.item_value(ty, &item.value, checked, builder);
        }
        // An empty record takes nothing.
        if self.count(ty) == Some(0) {
            return Ok(());
        }
        self.members_from(0, ty, items, builder, Braces::Outer)
    }

    /// Whether the first item is a record of a type, and not its first scalar.
    fn is_whole_record(&mut self, ty: TypeId, e: &'a ast::Expr, items: &mut Items<'a>) -> Result<bool> {
        let value = match items.checked.take() {
            Some(value) => value,
            None if self.literal_list(ty, e).is_some() => return Ok(true),
            None => self.value(e)?,
        };
        let is_whole = self.types.same(value.ty, ty);
        items.checked = Some(value);
        Ok(is_whole)
    }

    /// A part's value from one item, which may have been checked already.
    fn item_value(
        &mut self,
        ty: TypeId,
        value: &'a ast::Initializer,
        checked: Option<Expr>,
        builder: &mut Builder,
    ) -> Result<()> {
        let e = match value {
            ast::Initializer::List(list) => {
                return self.braced(ty, &mut Items::new(&list.items), builder);
            }
            ast::Initializer::Expr(e) => e,
        };
        if checked.is_none() {
            if let Some(list) = self.literal_list(ty, e) {
                return self.braced(ty, &mut Items::new(&list.items), builder);
            }
            if let Some((of, length)) = self.array(ty) {
                return match self.string_for(of, e) {
                    Some(literal) => {
                        builder.add(PartValue::Units(units(literal, length)));
                        Ok(())
                    }
                    None => self.fail(e.span, "an array is initialised by a list in braces"),
                };
            }
        }
        let value = match checked {
            Some(value) => value,
            None => self.value(e)?,
        };
        let value = self.initial_value(ty, value)?;
        builder.add(PartValue::Value(value));
        Ok(())
    }
}
