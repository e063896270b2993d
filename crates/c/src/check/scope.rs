//! What names mean where: scopes inside of each other, and one file scope for each unit.

use super::link::{FunctionDecl, VariableDecl};
use crate::hir::{EnumId, LocalId, RecordId, TypeId};
use std::collections::HashMap;

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub enum Symbol {
    Local(LocalId),
    /// A variable that lives as long as the program or its thread.
    Variable(VariableDecl),
    Function(FunctionDecl),
    Constant(i128, TypeId),
    Type(TypeId),
    /// Its declaration was wrong, which has been reported.
    Broken,
}

/// What a tag means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol>,
    tags: HashMap<&'a str, Tag>,
}

/// The scopes that are open, innermost last, and the file scopes of the other units.
pub struct Scopes<'a> {
    open: Vec<Scope<'a>>,
    files: Vec<Scope<'a>>,
    unit: usize,
}

impl<'a> Scopes<'a> {
    pub fn new(units: usize) -> Scopes<'a> {
        let mut files = Vec::new();
        files.resize_with(units, Scope::default);
        Scopes { open: vec![Scope::default()], files, unit: 0 }
    }

    /// The unit whose file scope is open.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Looks names up in another unit. No other scope is open then.
    pub fn enter_unit(&mut self, unit: usize) {
        debug_assert!(self.is_file_scope(), "units are entered at file scope");
        if unit != self.unit {
            let entered = std::mem::take(&mut self.files[unit]);
            self.files[self.unit] = std::mem::replace(&mut self.open[0], entered);
            self.unit = unit;
        }
    }

    pub fn is_file_scope(&self) -> bool {
        self.open.len() == 1
    }

    pub fn open(&mut self) {
        self.open.push(Scope::default());
    }

    pub fn close(&mut self) {
        debug_assert!(!self.is_file_scope(), "the file scope stays open");
        self.open.pop();
    }

    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// What a name means in the innermost scope itself.
    pub fn here(&self, name: &str) -> Option<Symbol> {
        self.open.last().and_then(|scope| scope.names.get(name)).copied()
    }

    pub fn at_file_scope(&self, name: &str) -> Option<Symbol> {
        self.open[0].names.get(name).copied()
    }

    pub fn define(&mut self, name: &'a str, symbol: Symbol) {
        let scope = self.open.last_mut().expect("the file scope stays open");
        scope.names.insert(name, symbol);
    }

    pub fn define_at_file_scope(&mut self, name: &'a str, symbol: Symbol) {
        self.open[0].names.insert(name, symbol);
    }

    /// Lets a name mean nothing from here on.
    pub fn forget_at_file_scope(&mut self, name: &str) {
        self.open[0].names.remove(name);
    }

    /// Lets a name be known until the function ends.
    pub fn define_in_function(&mut self, name: &'a str, symbol: Symbol) {
        let scope = self.open.get_mut(1).expect("a function is open");
        scope.names.insert(name, symbol);
    }

    /// Lets a name that means nothing be known until the function ends, so that it is reported once.
    pub fn break_name(&mut self, name: &'a str) {
        if let Some(scope) = self.open.get_mut(1) {
            scope.names.entry(name).or_insert(Symbol::Broken);
        }
    }

    pub fn file_names(&self) -> &HashMap<&'a str, Symbol> {
        &self.open[0].names
    }

    pub fn tag(&self, name: &str) -> Option<Tag> {
        self.open.iter().rev().find_map(|scope| scope.tags.get(name)).copied()
    }

    /// What a tag means in the innermost scope itself.
    pub fn tag_here(&self, name: &str) -> Option<Tag> {
        self.open.last().and_then(|scope| scope.tags.get(name)).copied()
    }

    pub fn define_tag(&mut self, name: &'a str, tag: Tag) {
        let scope = self.open.last_mut().expect("the file scope stays open");
        scope.tags.insert(name, tag);
    }

    /// Every tag that can be used here, those of inner scopes first.
    pub fn visible_tags(&self) -> impl Iterator<Item = (&'a str, Tag)> {
        self.open.iter().rev().flat_map(|scope| scope.tags.iter().map(|(name, tag)| (*name, *tag)))
    }

    /// Every name that can be used here, those of inner scopes first.
    pub fn visible(&self) -> impl Iterator<Item = (&'a str, Symbol)> {
        self.open.iter().rev().flat_map(|scope| scope.names.iter().map(|(name, symbol)| (*name, *symbol)))
    }
}
