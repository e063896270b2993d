//! Enumerations and their constants.

use super::scope::{Symbol, Tag};
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Enum, Type, TypeId};
use std::collections::HashSet;

impl<'a> Checker<'a> {
    /// The type that `enum e` and `enum { ... }` name.
    pub fn enumeration(&mut self, e: &'a ast::Enum) -> Result<TypeId> {
        let Some(enumerators) = &e.enumerators else {
            let known = e.tag.as_ref().and_then(|tag| self.scopes.tag(&tag.text));
            return match known {
                Some(Tag::Enum(id)) => Ok(self.types.intern(Type::Enum(id))),
                _ => Ok(self.types.unsigned()),
            };
        };
        let mut next = 0i128;
        let mut constants: Vec<(String, i128)> = Vec::new();
        let mut names = HashSet::new();
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.integer_constant(value)?;
            }
            let name = &enumerator.name;
            let here = self.scopes.here(&name.text);
            let twice = !names.insert(&name.text)
                || here.is_some_and(|s| !matches!(s, Symbol::Constant(value, _) if value == next));
            if twice {
                return self.fail(name.span, format!("`{}` is declared twice in this block", name.text));
            }
            constants.push((name.text.clone(), next));
            self.scopes.define(&name.text, Symbol::Constant(next, self.constant_type(next)));
            next = next.wrapping_add(1);
        }
        let underlying = self.underlying(&constants);
        // A constant that is not an `int` has the type of the whole.
        for (enumerator, (_, value)) in enumerators.iter().zip(&constants) {
            if i32::try_from(*value).is_err() {
                self.scopes.define(&enumerator.name.text, Symbol::Constant(*value, underlying));
            }
        }
        let tag = e.tag.as_ref().map_or(String::new(), |tag| tag.text.clone());
        let id = self.types.enums.push(Enum { tag, underlying, constants, span: e.span });
        if let Some(tag) = &e.tag {
            self.scopes.define_tag(&tag.text, Tag::Enum(id));
        }
        Ok(self.types.intern(Type::Enum(id)))
    }

    fn constant_type(&self, value: i128) -> TypeId {
        match i32::try_from(value) {
            Ok(_) => self.types.int(),
            Err(_) => self.types.long(),
        }
    }

    /// As GCC does: the first that holds all of unsigned, int, unsigned long and long.
    fn underlying(&mut self, constants: &[(String, i128)]) -> TypeId {
        let lo = constants.iter().map(|(_, value)| *value).min().unwrap_or(0);
        let hi = constants.iter().map(|(_, value)| *value).max().unwrap_or(0);
        let is_small = lo >= i32::MIN.into() && hi <= u32::MAX.into();
        match (lo < 0, is_small) {
            (false, true) => self.types.unsigned(),
            (true, true) if hi <= i32::MAX.into() => self.types.int(),
            (negative, _) => match self.types.pointer_bytes() {
                8 if negative => self.types.long(),
                8 => self.types.unsigned_long(),
                _ => self.types.integer(crate::hir::Rank::LongLong, negative),
            },
        }
    }
}
