//! What is kept while a list of initialisers is taken apart.

use crate::ast::{self, InitializerItem};
use crate::hir::{Expr, Length, Part, PartValue, Step};
use std::collections::HashMap;

/// The parts that have been found, and the way to the one that is next.
#[derive(Default)]
pub struct Builder {
    pub parts: Vec<Part>,
    pub path: Vec<Step>,
    /// The member of each union that has been initialised last.
    active: HashMap<Vec<Step>, u64>,
}

impl Builder {
    pub fn add(&mut self, value: PartValue) {
        self.parts.push(Part { path: self.path.clone(), value });
    }

    /// Goes to a member of the union at hand: what another member held is gone.
    pub fn enter_union(&mut self, member: u64) {
        let last = self.active.insert(self.path.clone(), member);
        if last.is_some_and(|last| last != member) {
            self.add(PartValue::Zero);
        }
    }
}

/// The items of a list that are left. The first may have been checked to see whether it is a whole record, and its
/// designators may have been followed.
pub struct Items<'a> {
    pub rest: &'a [InitializerItem],
    pub checked: Option<Expr>,
    pub is_reached: bool,
}

impl<'a> Items<'a> {
    pub fn new(items: &'a [InitializerItem]) -> Items<'a> {
        Items { rest: items, checked: None, is_reached: false }
    }

    /// Whether the first item says all of what it is for.
    pub fn starts_again(&self) -> bool {
        self.rest.first().is_some_and(|item| match &item.value {
            ast::Initializer::List(_) => true,
            ast::Initializer::Expr(e) => {
                matches!(e.kind, ast::ExprKind::String(_) | ast::ExprKind::CompoundLiteral(..))
            }
        })
    }

    pub fn next(&mut self) -> Option<&'a InitializerItem> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.is_reached = false;
        Some(first)
    }
}

/// Whose braces the items of a list are in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Braces {
    Own,
    Outer,
}

/// Whether a part may have been initialised before, because a designator has led back. Then a list starts again from
/// zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Before {
    Nothing,
    Perhaps,
}

impl Before {
    /// At a position, where the furthest one so far is known.
    pub fn at(position: u64, furthest: Option<u64>) -> Before {
        if furthest >= Some(position) { Before::Perhaps } else { Before::Nothing }
    }
}

/// The units of a string that initialises an array, with the 0 at the end if there is room.
pub fn units(literal: &ast::StringLiteral, length: Length) -> Vec<u32> {
    let room = match length {
        Length::Known(n) => usize::try_from(n).unwrap_or(usize::MAX),
        Length::Unknown | Length::Variable(_) => usize::MAX,
    };
    literal.units.iter().copied().chain([0]).take(room).collect()
}
