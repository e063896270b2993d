//! Initialisers: what is given for a variable as a whole, and how its type and length come of it. Lists are taken apart in
//! [`item`](super::item).

use super::part::{Builder, Items};
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Expr, Initializer, Part, PartValue, Step, TypeId};

impl<'a> Checker<'a> {
    /// The initialiser of a variable that lives as long as the program: a constant.
    pub fn static_initializer(
        &mut self,
        ty: TypeId,
        initializer: &'a ast::Initializer,
    ) -> Result<Initializer> {
        let outer = std::mem::replace(&mut self.mode.is_static, true);
        let init = self.initializer(ty, initializer);
        self.mode.is_static = outer;
        init
    }

    /// The initialiser of something of a type.
    pub fn initializer(&mut self, ty: TypeId, initializer: &'a ast::Initializer) -> Result<Initializer> {
        match initializer {
            ast::Initializer::List(list) => self.list_initializer(ty, list),
            ast::Initializer::Expr(e) => self.whole_initializer(ty, e),
        }
    }

    /// `= a`
    fn whole_initializer(&mut self, ty: TypeId, e: &'a ast::Expr) -> Result<Initializer> {
        if let Some(list) = self.literal_list(ty, e) {
            return self.list_initializer(ty, list);
        }
        if let Some((of, length)) = self.array(ty) {
            return match self.string_for(of, e) {
                Some(literal) => {
                    let value = PartValue::Units(super::part::units(literal, length));
                    Ok(Initializer::Parts(vec![Part { path: Vec::new(), value }]))
                }
                None => self.fail(e.span, "an array is initialised by a list in braces"),
            };
        }
        let value = self.value(e)?;
        self.initial_value(ty, value).map(Initializer::Value)
    }

    /// A value for something of a type; a constant where that is needed.
    pub fn initial_value(&mut self, ty: TypeId, value: Expr) -> Result<Expr> {
        let value = match self.types.is_record(ty) && !self.types.same(ty, value.ty) {
            true => return Err(self.does_not_convert(value.ty, ty, value.span)),
            false => self.converted(value, ty)?,
        };
        if self.mode.is_static {
            self.check_static(&value)?;
        }
        Ok(value)
    }

    /// A compound literal that initialises an array or record says what a list would.
    pub fn literal_list(&mut self, ty: TypeId, e: &'a ast::Expr) -> Option<&'a ast::InitializerList> {
        let ast::ExprKind::CompoundLiteral(of, list) = &e.kind else { return None };
        let is_array = self.array(ty).is_some();
        let of = self.attempt(|this| this.type_name(of))?;
        (is_array || self.types.is_record(ty) && self.types.same(ty, of)).then_some(list)
    }

    /// A string that initialises an array of such characters.
    pub fn string_for(&mut self, of: TypeId, e: &'a ast::Expr) -> Option<&'a ast::StringLiteral> {
        let ast::ExprKind::String(literal) = &e.kind else { return None };
        let unit = self.character_type(literal.encoding);
        let same_size = self.types.size(of) == self.types.size(unit);
        (self.types.is_integer(of) && same_size).then_some(literal)
    }

    /// `= {...}`
    pub fn list_initializer(&mut self, ty: TypeId, list: &'a ast::InitializerList) -> Result<Initializer> {
        let is_scalar = self.array(ty).is_none() && !self.types.is_record(ty);
        let mut builder = Builder::default();
        self.list(ty, list, &mut builder)?;
        let mut parts = builder.parts;
        Ok(match (is_scalar, parts.pop()) {
            (true, Some(Part { value: PartValue::Value(value), .. })) => Initializer::Value(value),
            (_, Some(last)) => {
                parts.push(last);
                Initializer::Parts(parts)
            }
            (_, None) => Initializer::Parts(parts),
        })
    }

    /// The number of elements that an initialiser gives an array.
    pub fn initializer_length(&mut self, ty: TypeId, initializer: &'a ast::Initializer) -> u64 {
        let init = self.attempt(|this| this.unevaluated(|this| this.initializer(ty, initializer)));
        match (init, initializer) {
            (Some(init), _) => length(&init),
            // What is wrong with it is said when it is needed.
            (None, ast::Initializer::List(list)) => list.items.len() as u64,
            (None, ast::Initializer::Expr(_)) => 1,
        }
    }

    /// The number of elements that a list gives an array.
    pub fn list_length(&mut self, ty: TypeId, list: &'a ast::InitializerList) -> u64 {
        let init = self.attempt(|this| this.unevaluated(|this| this.list_initializer(ty, list)));
        init.map_or(list.items.len() as u64, |init| length(&init))
    }

    /// A list for something of a type.
    fn list(&mut self, ty: TypeId, list: &'a ast::InitializerList, builder: &mut Builder) -> Result<()> {
        let mut items = Items::new(&list.items);
        self.braced(ty, &mut items, builder)
    }
}

/// How many elements of an array an initialiser reaches.
fn length(init: &Initializer) -> u64 {
    let Initializer::Parts(parts) = init else { return 0 };
    let ends = parts.iter().map(|part| match (part.path.first(), &part.value) {
        (Some(Step::Index(i)), _) => i + 1,
        (Some(Step::Range(_, to)), _) => to + 1,
        (_, PartValue::Units(units)) => units.len() as u64,
        (_, PartValue::Value(_) | PartValue::Zero) => 0,
    });
    ends.max().unwrap_or(0)
}
